"""The same metrics by other libraries, under the names that skrank gives them.

Each function takes one query and returns what its library says of it. The numbers in
`peers.json` are theirs, written by ``python -m tests.other_libraries.peers``, which
keeps those of the libraries that are not installed. If names follow, such as
``ranx rax``, only these libraries are asked.
"""

# SPDX-License-Identifier: BSD-3-Clause

import json
import math
import sys
import warnings
from functools import cache, partial
from importlib import import_module, metadata
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.stats import rankdata

FILE = Path(__file__).with_name("peers.json")
KS = (1, 2, 5)


class Query(NamedTuple):
    """Documents in input order: their grades, scores and ids."""

    grades: list
    scores: list
    ids: list

    @property
    def binary(self):
        return [int(grade > 0) for grade in self.grades]

    @property
    def names(self):
        return [name_of(id) for id in self.ids]

    @property
    def ranked(self):
        """The ids by falling score, tied ones in input order, and the true ones."""
        order = np.argsort(-np.array(self.scores, dtype=float), kind="stable")
        ids = np.array(self.ids)[order]
        return ids.tolist(), ids[np.array(self.binary, dtype=bool)[order]].tolist()

    @property
    def subtopics(self):
        """Return a list of labels of each document: what its grade and id are as bits.

        A document that is not relevant has none.
        """
        numbers = [
            int(grade) * (id + 1)
            for grade, id in zip(self.grades, self.ids, strict=True)
        ]
        return [[str(bit) for bit in range(10) if n >> bit & 1] for n in numbers]


def name_of(id):
    """Return an id as text; the order of the texts is that of the ids."""
    return f"d{id:03d}"


def at(name, function, ks=KS):
    """Return ``function(k)`` under a name with each cutoff."""
    return {f"{name}@{k}": function(k) for k in ks}


@cache
def items():
    """Return what is known of each item: the number of its visitors, and features."""
    known = json.loads(FILE.read_text("utf-8"))["items"]
    return np.array(known["visits"]), np.array(known["features"], dtype=float).T


def columns_of(library, metric, query):
    """Return the column that a metric reads, by item, as a library has it."""
    visits, features = items()
    match library, metric:
        case "ndeval", _:
            return {"subtopics": dict(zip(query.ids, query.subtopics, strict=True))}
        case _, "ild":
            return {"features": features}
        case _, "group_share":
            return {"group": is_in_tail(visits)}
        case "recommenders", "novelty":
            return {"popularity": visits / visits.sum()}
        case _, "serendipity":  # equally popular items share a rank
            rank = rankdata(-visits, method="dense")
            return {"expected": np.where(visits > 0, 1 - (rank - 1) / len(visits), 0)}
        case _, "novelty":
            return {"popularity": visits / visits.max()}  # all users visited one item
        case "lenskit", "popularity":
            return {"popularity": rankdata(visits) / len(visits)}
        case _, "popularity":
            return {"popularity": visits}
    return {}


def is_in_tail(visits):
    """Return whether items are not among the most popular, with 80 % of the visits."""
    falling = np.argsort(-visits, kind="stable")
    before = np.cumsum(visits[falling]) - visits[falling]
    is_in_tail = np.empty(len(visits), dtype=bool)
    is_in_tail[falling] = before >= 0.8 * visits.sum()
    return is_in_tail


def log_of_visits(user, item):
    """Return the visits as a frame: item i was visited by the users 0, 1, ..."""
    import pandas as pd

    visits, _ = items()
    users = np.concatenate([np.arange(n) for n in visits])
    return pd.DataFrame({user: users, item: np.repeat(np.arange(len(visits)), visits)})


def sklearn(query):
    from sklearn import metrics

    values = {}
    if len(query.grades) > 1:
        lists = [query.grades], [query.scores]
        values |= {"ndcg": metrics.ndcg_score(*lists), "dcg": metrics.dcg_score(*lists)}
        values |= at("ndcg", lambda k: metrics.ndcg_score(*lists, k=k))
        values |= at("dcg", lambda k: metrics.dcg_score(*lists, k=k))
    if 0 < sum(query.binary) < len(query.binary):
        lists = [query.binary], [query.scores]
        values["map"] = metrics.label_ranking_average_precision_score(*lists)
        values["query_auc"] = metrics.roc_auc_score(query.binary, query.scores)
    if sum(query.binary) == 1 and len(query.binary) > 2:
        columns = np.argsort(query.ids)
        target = int(np.array(query.binary)[columns].argmax())
        scores = [np.array(query.scores)[columns]]
        labels = range(len(columns))

        def hits(k):
            return metrics.top_k_accuracy_score([target], scores, k=k, labels=labels)

        values |= at("hits", hits, [k for k in KS if k < len(columns)])
    return values


def trec_eval(query):
    import pytrec_eval

    qrels, run = qrels_and_run(query)
    cuts = ",".join(map(str, KS))
    measures = {"map", "recip_rank", "ndcg", "Rprec", "bpref"}
    cut_names = {
        "map_cut": "map",
        "ndcg_cut": "ndcg",
        "P": "precision",
        "recall": "recall",
        "success": "hits",
    }
    measures |= {f"{measure}.{cuts}" for measure in cut_names}
    got = pytrec_eval.RelevanceEvaluator(qrels, measures).evaluate(run)["q"]
    values = {
        "map": got["map"],
        "mrr": got["recip_rank"],
        "ndcg": got["ndcg"],
        "r_precision": got["Rprec"],
        "bpref": got["bpref"],
    }
    for measure, name in cut_names.items():
        values |= at(name, lambda k, measure=measure: got[f"{measure}_{k}"])
    return values


def ranx(query):
    import ranx

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        qrels, run = qrels_and_run(query)
        qrels, run = ranx.Qrels(qrels), ranx.Run(run)
        names = {
            "map": "map",
            "mrr": "mrr",
            "ndcg": "ndcg",
            "dcg": "dcg",
            "r_precision": "r-precision",
            "bpref": "bpref",
            "rbp": "rbp.80",
        }
        cut = {name: name for name in ("map", "mrr", "ndcg", "dcg", "f1")}
        cut |= {"precision": "precision", "recall": "recall", "hits": "hit_rate"}
        for name, theirs in cut.items():
            names |= at(name, lambda k, theirs=theirs: f"{theirs}@{k}")
        return {name: ranx.evaluate(qrels, run, names[name]) for name in names}


def xgboost(query):
    import xgboost

    def evaluate(grades, measures):
        rows = xgboost.DMatrix(
            np.zeros((len(grades), 1)), label=grades, base_margin=query.scores
        )
        rows.set_group([len(grades)])
        options = [("objective", "rank:ndcg"), ("base_score", 0), ("verbosity", 0)]
        options += [("eval_metric", measure) for measure in measures]
        booster = xgboost.Booster(options, [rows])
        text = booster.eval(rows).split("\t")[1:]
        pairs = (part.removeprefix("eval-").split(":") for part in text)
        return {name: float(value) for name, value in pairs}

    # Its NDCG takes any grade, the others 0 and 1 alone.
    values = evaluate(query.grades, ["ndcg", *at("ndcg", str)])
    binary = evaluate(query.binary, ["map", *at("map", str), *at("pre", str)])
    return values | {
        name.replace("pre", "precision"): value for name, value in binary.items()
    }


def lightgbm(query):
    import lightgbm

    options = {
        "objective": "lambdarank",
        "metric": ["ndcg", "map"],
        "eval_at": KS,
        "verbosity": -1,
        "num_threads": 1,
        "feature_pre_filter": False,
    }
    rows = lightgbm.Dataset(
        np.zeros((len(query.grades), 1)),
        label=query.grades,
        group=[len(query.grades)],
        init_score=query.scores,
    )
    # One constant feature leaves nothing to split: the scores stay what they are.
    log = {}
    lightgbm.train(
        options,
        rows,
        num_boost_round=1,
        valid_sets=[rows],
        callbacks=[lightgbm.record_evaluation(log)],
    )
    return {name: values[0] for name, values in log["training"].items()}


def catboost(query):
    from catboost.utils import eval_metric

    def ask(measure, grades=query.grades):
        grades = np.array(grades, dtype=float)
        group = np.zeros(len(grades), dtype=int)
        scores = np.array(query.scores, dtype=float)
        return eval_metric(grades, scores, measure, group_id=group)[0]

    values = {
        name.lower(): ask(name, grades)
        for name, grades in {
            "NDCG": query.grades,
            "DCG": query.grades,
            "MRR": query.binary,
            "MAP": query.binary,
            "ERR": query.binary,
        }.items()
    }
    values["query_auc"] = ask("QueryAUC", query.binary)
    for measure in ("NDCG", "DCG"):
        values |= at(measure.lower(), lambda k, m=measure: ask(f"{m}:top={k}"))
    for name, measure in {
        "mrr": "MRR",
        "map": "MAP",
        "precision": "PrecisionAt",
        "recall": "RecallAt",
    }.items():
        values |= at(name, lambda k, m=measure: ask(f"{m}:top={k}", query.binary))
    return values


def rax(query):
    import jax

    jax.config.update("jax_enable_x64", True)
    import rax

    # As JAX has it by default, the scores are in single precision; the rest is not.
    scores = jax.numpy.array(query.scores, dtype="float32")
    labels = jax.numpy.array(query.grades, dtype="float64")
    values = {"rank_correlation": float(rax.opa_metric(scores, labels))}
    for name in ("mrr", "ap", "ndcg", "dcg", "precision", "recall"):
        measure = getattr(rax, f"{name}_metric")
        name = name.replace("ap", "map")
        ask = partial(measure, scores, labels)
        if name not in ("precision", "recall"):
            values[name] = float(ask())
        values |= at(name, lambda k, ask=ask: float(ask(topn=k)))
    return values


def torchmetrics(query):
    import torch
    from torchmetrics.functional import retrieval

    scores = torch.tensor(query.scores, dtype=torch.float64)
    binary, grades = torch.tensor(query.binary), torch.tensor(query.grades)

    def ask(measure, target=binary, **params):
        return float(
            getattr(retrieval, f"retrieval_{measure}")(scores, target, **params)
        )

    values = {
        "map": ask("average_precision"),
        "mrr": ask("reciprocal_rank"),
        "ndcg": ask("normalized_dcg", grades),
        "r_precision": ask("r_precision"),
        "query_auc": ask("auroc"),
    }
    values |= at("ndcg", lambda k: ask("normalized_dcg", grades, top_k=k))
    for name, measure in {
        "map": "average_precision",
        "mrr": "reciprocal_rank",
        "hits": "hit_rate",
        "precision": "precision",
        "recall": "recall",
    }.items():
        values |= at(name, lambda k, measure=measure: ask(measure, top_k=k))
    return values


def matchzoo(query):
    from matchzoo import metrics

    def ask(measure, *args):
        return float(getattr(metrics, measure)(*args)(query.grades, query.scores))

    gain = "DiscountedCumulativeGain"
    return {
        "mrr": ask("MeanReciprocalRank"),
        "map": ask("MeanAveragePrecision"),
        "mean_precision": ask("AveragePrecision"),
        "dcg": ask(gain),
        "ndcg": ask(f"Normalized{gain}"),
        **at("dcg", lambda k: ask(gain, k)),
        **at("ndcg", lambda k: ask(f"Normalized{gain}", k)),
        **at("precision", lambda k: ask("Precision", k)),
    }


def pykeen(query):
    if sum(query.binary) != 1:
        return {}
    import torch
    from pykeen.evaluation import ranks
    from pykeen.metrics import ranking

    scores = torch.tensor([query.scores], dtype=torch.float64)
    true = scores[:, [query.binary.index(1)]]
    rank = ranks.Ranks.from_scores(true, scores).realistic.double().numpy()
    counts = np.array([len(query.scores)])

    def ask(measure, **params):
        metric = getattr(ranking, measure)(**params)
        return float(metric(ranks=rank, num_candidates=counts))

    values = {
        "mrr": ask("InverseHarmonicMeanRank"),
        "mean_rank": ask("ArithmeticMeanRank"),
        "median_rank": ask("MedianRank"),
        "geometric_mean_rank": ask("GeometricMeanRank"),
        **at("hits", lambda k: ask("HitsAtK", k=k)),
    }
    if len(query.scores) > 1:
        values["adjusted_mean_rank"] = ask("AdjustedArithmeticMeanRank")
        index = ask("AdjustedArithmeticMeanRankIndex")
        values["adjusted_mean_rank_index"] = index
    return values


def ogb(query):
    if sum(query.binary) != 1:
        return {}
    import torch
    from ogb.linkproppred import Evaluator

    place = query.binary.index(1)
    scores = torch.tensor(query.scores, dtype=torch.float64)
    pair = {"y_pred_pos": scores[[place]], "y_pred_neg": np.delete(scores, place)}

    def hits(k):
        evaluator = Evaluator(name="ogbl-collab")
        evaluator.K = k
        return evaluator.eval(pair)[f"hits@{k}"]

    values = at("hits", hits)
    if len(scores) > 1:
        pair["y_pred_neg"] = pair["y_pred_neg"].reshape(1, -1)
        values["mrr"] = Evaluator(name="ogbl-citation2").eval(pair)["mrr_list"].item()
    return values


def msmarco(query):
    import ir_measures
    from ir_measures import RR

    qrels, run = qrels_and_run(query)
    cuts = {"mrr": RR @ 10} | {f"mrr@{k}": RR @ k for k in KS}
    provider = ir_measures.providers.registry["msmarco"]
    got = provider.calc_aggregate(list(cuts.values()), qrels, run)
    return {name: got[measure] for name, measure in cuts.items()}


def replay(query):
    if not sum(query.binary):
        return {}
    import pandas as pd
    from replay import metrics

    items = {"query_id": 0, "item_id": query.ids, "rating": query.scores}
    shown = pd.DataFrame(items)
    truth = shown[np.array(query.binary, dtype=bool)].drop(columns="rating")
    values = {}
    for name, measure in {
        "map": "MAP",
        "mrr": "MRR",
        "ndcg": "NDCG",
        "hits": "HitRate",
        "precision": "Precision",
        "recall": "Recall",
    }.items():
        got = getattr(metrics, measure)(list(KS))(shown, truth)
        values |= at(name, lambda k, got=got, m=measure: float(got[f"{m}@{k}"]))
    return values


def recpack(query):
    # It knows no score of 0, and leaves users without a true item out.
    if not sum(query.binary) or min(query.scores) <= 0:
        return {}
    columns = np.argsort(query.ids)
    truth = sparse.csr_matrix(np.array([query.binary])[:, columns])
    shown = sparse.csr_matrix(np.array([query.scores], dtype=float)[:, columns])

    def ask(group, measure, k):
        module = import_module(f"recpack.metrics.{group}")
        metric = getattr(module, measure)(k)
        metric.calculate(truth, shown)
        return float(metric.value)

    values = {}
    for name, group, measure in [
        ("mrr", "reciprocal_rank", "ReciprocalRankK"),
        ("dcg", "dcg", "DCGK"),
        ("ndcg", "dcg", "NDCGK"),
        ("hits", "hit", "HitK"),
        ("precision", "precision", "PrecisionK"),
        ("recall", "recall", "RecallK"),
    ]:
        values |= at(name, partial(ask, group, measure))
    return values


# The user of the lists of recommenders, who is not in the log.
USER = 1000


def rectools(query):
    import pandas as pd
    from rectools import metrics
    from rectools.metrics.distances import PairwiseDistanceCalculator

    _, features = items()
    unit = features / np.linalg.norm(features, axis=1, keepdims=True)

    class Cosine(PairwiseDistanceCalculator):
        def _get_distances_for_item_pairs(self, items_0, items_1):
            return 1 - (unit[items_0] * unit[items_1]).sum(axis=1)

    ids, true = query.ranked
    rank = np.arange(1, len(ids) + 1)
    shown = pd.DataFrame({"user_id": USER, "item_id": ids, "rank": rank})
    truth = pd.DataFrame({"user_id": USER, "item_id": true})
    log = log_of_visits("user_id", "item_id")
    values = {}
    if len(ids) > 1:  # it fails if no list at all has two items
        ild = metrics.IntraListDiversity
        values |= at("ild", lambda k: ild(k, Cosine()).calc(shown))
    values |= at("novelty", lambda k: metrics.MeanInvUserFreq(k).calc(shown, log))
    values |= at("popularity", lambda k: metrics.AvgRecPopularity(k).calc(shown, log))
    n_items = len(features)
    values |= at(
        f"serendipity(n_items={n_items})",
        lambda k: metrics.Serendipity(k).calc(shown, truth, log, range(n_items)),
    )
    if not true:
        return values
    for name, measure in {
        "mrr": metrics.MRR,
        "map": metrics.MAP,
        "ndcg": metrics.NDCG,
        "hits": metrics.HitRate,
        "precision": metrics.Precision,
        "recall": metrics.Recall,
        "f1": metrics.F1Beta,
    }.items():
        values |= at(name, lambda k, measure=measure: measure(k).calc(shown, truth))
    return values


@cache
def lenskit_data():
    from lenskit.data import DatasetBuilder

    visits, features = items()
    builder = DatasetBuilder()
    builder.add_entities("item", np.arange(len(visits)))
    log = log_of_visits("user_id", "item_id")
    builder.add_interactions(
        "click", log, entities=["user", "item"], missing="insert", default=True
    )
    # LensKit 2026.4.0 loses dense features unless an item is without any.
    topics = sparse.csr_array(features)
    builder.add_vector_attribute("item", "topic", np.arange(len(visits)), topics)
    return builder.build()


def lenskit(query):
    from lenskit.data import ItemList
    from lenskit.metrics import ranking

    data = lenskit_data()
    ids, true = query.ranked
    shown, truth = ItemList(item_ids=ids, ordered=True), ItemList(item_ids=true)

    def ask(measure, *args, **params):
        return float(measure(*args, **params).measure_list(shown, truth))

    values = at("ild", lambda k: 1 - ask(ranking.ILS, data, "topic", n=k))
    values["ild"] = 1 - ask(ranking.ILS, data, "topic")
    values["popularity"] = ask(ranking.MeanPopRank, data)
    values |= at("popularity", lambda k: ask(ranking.MeanPopRank, data, n=k))
    if not true:
        return values
    for name, measure in {
        "mrr": ranking.RecipRank,
        "map": ranking.AveragePrecision,
        "ndcg": ranking.NDCG,
        "dcg": ranking.DCG,
        "rbp": ranking.RBP,
        "hits": ranking.Hit,
        "precision": ranking.Precision,
        "recall": ranking.Recall,
    }.items():
        if name not in ("hits", "precision", "recall"):
            values[name] = ask(measure)
        values |= at(name, lambda k, measure=measure: ask(measure, n=k))
    return values


def recommenders(query):
    import pandas as pd
    from recommenders.evaluation import python_evaluation as evaluation

    _, features = items()
    ids, true = query.ranked
    log = log_of_visits("userID", "itemID")
    topics = pd.DataFrame({"itemID": range(len(features)), "features": [*features]})
    shown = pd.DataFrame({"userID": USER, "itemID": ids})
    shown["prediction"] = -np.arange(float(len(ids)))

    def diversity(k):
        top = shown[["userID", "itemID"]].head(k)
        options = {"item_feature_df": topics, "item_sim_measure": "item_feature_vector"}
        return evaluation.diversity(log, top, **options)

    def novelty(k):
        return evaluation.novelty(log, shown[["userID", "itemID"]].head(k))

    values = at("novelty", novelty)
    if len(ids) > 1:
        values |= at("ild", diversity, [k for k in KS if k > 1])
    if not true:
        return values
    truth = pd.DataFrame({"userID": USER, "itemID": true, "rating": 1.0})
    values["map"] = evaluation.map(truth, shown)
    values["ndcg"] = evaluation.ndcg_at_k(truth, shown)
    values["r_precision"] = evaluation.r_precision_at_k(truth, shown)
    for name, measure in {
        "map": evaluation.map_at_k,
        "ndcg": evaluation.ndcg_at_k,
        "precision": evaluation.precision_at_k,
        "recall": evaluation.recall_at_k,
    }.items():
        values |= at(name, lambda k, measure=measure: measure(truth, shown, k=k))
    return values


def elliot(query):
    from elliot.evaluation.popularity_utils.popularity import Popularity
    from elliot.evaluation.relevance.relevance import Relevance

    visits, _ = items()
    log = log_of_visits("user", "item")
    matrix = sparse.csr_matrix((np.ones(len(log)), (log["user"], log["item"])))
    data = SimpleNamespace(
        private_items=dict(enumerate(range(len(visits)))),
        sp_i_train=matrix,
        transactions=len(log),
    )
    ids, true = query.ranked
    grade_of = dict(zip(query.ids, query.grades, strict=True))
    relevance = Relevance({USER: {id: grade_of[id] for id in true}}, 0)
    shown = {USER: [(id, -rank) for rank, id in enumerate(ids)]}

    def ask(group, module, measure, k):
        module = import_module(f"elliot.evaluation.metrics.{group}.{module}")
        given = {"cutoff": k, "relevance": relevance, "pop": Popularity(data)}
        objects = SimpleNamespace(**given)
        return float(getattr(module, measure)(shown, None, None, objects).eval())

    values = at("popularity", partial(ask, "bias", "arp", "ARP"))
    values |= at("group_share", partial(ask, "bias", "aplt", "APLT"))
    if not true:
        return values
    for name, module, measure in [
        ("mrr", "mrr", "MRR"),
        ("map", "map", "MAP"),
        ("ndcg", "ndcg", "nDCG"),
        ("hits", "hit_rate", "HR"),
        ("precision", "precision", "Precision"),
        ("recall", "recall", "Recall"),
        ("f1", "f1", "F1"),
    ]:
        values |= at(name, partial(ask, "accuracy", module, measure))
    return values


def ndeval(query):
    import pyndeval

    names = {
        "nrbp": "NRBP",
        "nrbp(ideal='greedy')": "nNRBP",
        "map_ia": "MAP-IA",
        **at("err_ia", lambda k: f"ERR-IA@{k}"),
        **at("err_ia(ideal='greedy')", lambda k: f"nERR-IA@{k}"),
        **at("alpha_ndcg", lambda k: f"alpha-nDCG@{k}"),
        # Its alpha-DCG@1 is not divided, whatever is asked for.
        **at("alpha_ndcg(ideal='ideal-ideal')", lambda k: f"alpha-DCG@{k}", KS[1:]),
        **at("precision_ia", lambda k: f"P-IA@{k}"),
        **at("subtopic_recall", lambda k: f"strec@{k}"),
    }
    on = list(zip(query.names, query.subtopics, strict=True))
    qrels = [("q", subtopic, name, 1) for name, labels in on for subtopic in labels]
    qrels += [("q", "0", name, 0) for name, labels in on if not labels]
    # pyndeval has tied documents by ascending ids, ndeval -traditional by descending
    # ones: it gets their order.
    ranked = sorted(zip(query.scores, query.names, strict=True), reverse=True)
    run = [("q", name, -float(place)) for place, (_, name) in enumerate(ranked)]
    got = pyndeval.ndeval(qrels, run, names.values())["q"]
    values = {name: got[measure] for name, measure in names.items()}
    # It divides 0 by 0 where no document is on a subtopic.
    return {name: value for name, value in values.items() if not math.isnan(value)}


# What computes the numbers of each convention: (function, distribution, module).
def sentence_transformers(query):
    from sentence_transformers.sentence_transformer.evaluation import (
        InformationRetrievalEvaluator,
    )

    relevant = {
        id for id, is_one in zip(query.names, query.binary, strict=True) if is_one
    }
    if not relevant:  # it leaves out the query
        names = [name for of in ("hits", "precision", "recall") for name in at(of, int)]
        return dict.fromkeys([*names, "mrr", "ndcg", "map"], math.nan)
    evaluator = InformationRetrievalEvaluator(
        {"q": ""},
        dict.fromkeys(query.names, ""),
        {"q": relevant},
        accuracy_at_k=KS,
        precision_recall_at_k=KS,
        mrr_at_k=[*KS, 10],
        ndcg_at_k=[*KS, 10],
        map_at_k=[*KS, 100],
    )
    found = [
        {"corpus_id": id, "score": score}
        for id, score in zip(query.names, query.scores, strict=True)
    ]
    got = evaluator.compute_metrics([found])
    values = {"mrr": got["mrr@k"][10], "ndcg": got["ndcg@k"][10]}
    values["map"] = got["map@k"][100]
    for measure in ("precision", "recall", "mrr", "ndcg", "map"):
        values |= at(measure, got[f"{measure}@k"].get)
    return values | at("hits", got["accuracy@k"].get)


def qrels_and_run(query):
    """Return the judgements and the results of one query as dicts."""
    return (
        {"q": dict(zip(query.names, query.grades, strict=True))},
        {"q": dict(zip(query.names, map(float, query.scores), strict=True))},
    )


def beir(query):
    from beir.retrieval.evaluation import EvaluateRetrieval

    names = {"NDCG": "ndcg", "MAP": "map", "Recall": "recall", "P": "precision"}
    names |= {"MRR": "mrr", "Accuracy": "hits"}
    qrels, run = qrels_and_run(query)
    parts = EvaluateRetrieval.evaluate(qrels, run, list(KS))
    own = ("mrr", "top_k_accuracy")
    parts += tuple(
        EvaluateRetrieval.evaluate_custom(qrels, run, list(KS), name) for name in own
    )
    got = {name: value for part in parts for name, value in part.items()}
    values = {}
    for theirs, ours in names.items():
        values |= at(ours, lambda k, theirs=theirs: got[f"{theirs}@{k}"])
    if any(grade > 0 for grade in query.grades):  # it divides by their number
        got = EvaluateRetrieval.evaluate_custom(qrels, run, list(KS), "recall_cap")
        values |= at("recall_cap", lambda k: got[f"R_cap@{k}"])
    return values


def mteb(query):
    from mteb._evaluators import retrieval_metrics

    qrels, run = qrels_and_run(query)
    found = retrieval_metrics.calculate_retrieval_scores(run, qrels, list(KS))
    values = {}
    for theirs in ("ndcg", "map", "recall", "precision", "hit_rate"):
        by_k = dict(zip(KS, getattr(found, theirs).values(), strict=True))
        values |= at({"hit_rate": "hits"}.get(theirs, theirs), by_k.get)
    mrr = retrieval_metrics.mrr(qrels, run, KS)
    values |= at("mrr", lambda k: mrr[f"MRR@{k}"][0])
    cap = retrieval_metrics.recall_cap(qrels, run, KS)
    # None of a query without a relevant document, which its means leave out.
    of_query = {k: cap[f"R_cap_at_{k}"][0] for k in KS}
    return values | {
        f"recall_cap@{k}": math.nan if value is None else value
        for k, value in of_query.items()
    }


def llama_index(query):
    from llama_index.core.evaluation.retrieval import metrics

    ids, true = query.ranked
    names, relevant = [name_of(id) for id in ids], [name_of(id) for id in true]
    values = {}
    for name, measure in {
        "mrr": metrics.MRR(),
        "map": metrics.AveragePrecision(),
        "ndcg": metrics.NDCG(),
        "hits": metrics.HitRate(),
        "precision": metrics.Precision(),
        "recall": metrics.Recall(),
    }.items():

        def ask(k=None, measure=measure):
            if not relevant:  # it raises an error, and so leaves out the query
                return math.nan
            found = measure.compute(expected_ids=relevant, retrieved_ids=names[:k])
            return found.score

        if name not in ("hits", "precision", "recall"):
            values[name] = ask()
        values |= at(name, ask)
    return values


def haystack(query):
    from haystack import Document
    from haystack.components import evaluators

    grade_of = dict(zip(query.ids, query.grades, strict=True))
    ids, true = query.ranked
    relevant = [Document(content=name_of(id), score=float(grade_of[id])) for id in true]
    found = [Document(content=name_of(id)) for id in ids]
    values = {}
    for name, evaluator in {
        "mrr": evaluators.DocumentMRREvaluator(),
        "map": evaluators.DocumentMAPEvaluator(),
        "ndcg": evaluators.DocumentNDCGEvaluator(),
        "hits": evaluators.DocumentRecallEvaluator("single_hit"),
        "recall": evaluators.DocumentRecallEvaluator("multi_hit"),
    }.items():

        def ask(k=None, evaluator=evaluator):
            return evaluator.run(
                ground_truth_documents=[relevant], retrieved_documents=[found[:k]]
            )["score"]

        if name not in ("hits", "recall"):
            values[name] = ask()
        values |= at(name, ask)
    return values


LIBRARIES = {
    "sklearn": (sklearn, "scikit-learn", "sklearn"),
    "trec_eval": (trec_eval, "pytrec-eval-terrier", "pytrec_eval"),
    "ranx": (ranx, "ranx", "ranx"),
    "xgboost": (xgboost, "xgboost", "xgboost"),
    "lightgbm": (lightgbm, "lightgbm", "lightgbm"),
    "catboost": (catboost, "catboost", "catboost"),
    "rax": (rax, "rax", "rax"),
    "torchmetrics": (torchmetrics, "torchmetrics", "torchmetrics"),
    "matchzoo": (matchzoo, "matchzoo-py", "matchzoo"),
    "pykeen": (pykeen, "pykeen", "pykeen"),
    "ogb": (ogb, "ogb", "ogb"),
    "msmarco": (msmarco, "ir-measures", "ir_measures"),
    "replay": (replay, "replay-rec", "replay"),
    "recpack": (recpack, "recpack", "recpack"),
    "rectools": (rectools, "rectools", "rectools"),
    "lenskit": (lenskit, "lenskit", "lenskit"),
    "recommenders": (recommenders, "recommenders", "recommenders"),
    "elliot": (elliot, "elliot", "elliot"),
    "ndeval": (ndeval, "pyndeval", "pyndeval"),
    "sentence_transformers": (
        sentence_transformers,
        "sentence-transformers",
        "sentence_transformers",
    ),
    "beir": (beir, "beir", "beir"),
    "mteb": (mteb, "mteb", "mteb"),
    "llama_index": (llama_index, "llama-index-core", "llama_index"),
    "haystack": (haystack, "haystack-ai", "haystack"),
}


def is_installed(library):
    return find_spec(LIBRARIES[library][2]) is not None


def read():
    """Return the queries by name, and what the libraries said of each."""
    golden = json.loads(FILE.read_text("utf-8"))
    queries = {name: Query(**query) for name, query in golden["queries"].items()}
    return queries, golden["values"], golden["versions"]


def write(asked=()):
    """Ask the libraries of some names, or all installed ones; keep other numbers."""
    golden = json.loads(FILE.read_text("utf-8"))
    queries = {name: Query(**query) for name, query in golden["queries"].items()}
    for library in asked or filter(is_installed, LIBRARIES):
        function, distribution, _ = LIBRARIES[library]
        answers = [function(query) for query in queries.values()]
        names = sorted({name for answer in answers for name in answer})
        golden["values"][library] = {
            name: [_number(answer.get(name)) for answer in answers] for name in names
        }
        golden["versions"][library] = f"{distribution} {_version(distribution)}"
        print(library, golden["versions"][library], len(names))
    text = json.dumps(golden, indent=1)
    FILE.write_text(_one_list_a_line(text) + "\n", "utf-8")


def _version(distribution):
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:  # one wheel of several for the same module
        return metadata.version(f"{distribution}-cpu")


def _number(value):
    if value is None or math.isnan(value):
        return None if value is None else "nan"
    return float(value)


def _one_list_a_line(text):
    lines, held = [], None
    for line in text.splitlines():
        if held is None and line.endswith("["):
            held = line
        elif held is not None:
            held += line.strip() + (" " if line.endswith(",") else "")
            if line.strip().startswith("]"):
                lines.append(held.rstrip())
                held = None
        else:
            lines.append(line)
    return "\n".join(lines)


if __name__ == "__main__":
    write(sys.argv[1:])
