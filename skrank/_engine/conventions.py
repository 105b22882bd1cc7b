"""The rules by which other libraries compute the metrics of the same name.

The keys of a library are "*" for every metric, of which only `ties`, `threshold`,
`replace_undefined_by`, `doc_order`, `score_dtype`, `judged_from` and `exclude_same_id`
are parameters; "map" with or without a cutoff; "map@k" with one only; "map@1" with this
one.
"""

# SPDX-License-Identifier: BSD-3-Clause

import difflib
import math
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from skrank._input.checks import about, shown

# Grades of 1 or more are relevant: relevant grades exceed the threshold.
FROM_ONE = math.nextafter(1, 0)

# The metrics that read only the rank of the first relevant document.
_OF_FIRST_RANKS = """
    mrr adjusted_mrr hits adjusted_hits mean_rank adjusted_mean_rank
    adjusted_mean_rank_index inverse_mean_rank median_rank
    inverse_median_rank geometric_mean_rank inverse_geometric_mean_rank
    harmonic_mean_rank
"""


def from_second_rank(rank):
    """Return a discount of 1 / log2(rank), and 1 at the ranks 1 and 2."""
    return 1 / np.log2(np.maximum(rank, 2))


def of_next_grade(grade):
    """Return the exponential gain of a grade that is one higher."""
    return 2 ** (np.asarray(grade) + 1.0) - 1


# How pytrec_eval orders documents, under the libraries that call it for some metrics.
_BY_PYTREC_EVAL = {"doc_order": "descending", "score_dtype": "float32"}

_UNCUT_IDEAL = (
    "{} divides the DCG of k documents by that of all relevant ones: ask for ndcg with "
    "gain={} and, in `returned`, only the first k documents"
)

_ENTRIES = {
    # dcg_score, ndcg_score, top_k_accuracy_score (the last of tied columns ranks
    # first) and, for each query, roc_auc_score.
    "sklearn": {
        "dcg": {"gain": "linear"},
        "ndcg": {"gain": "linear"},
        "hits": {"ties": "first", "doc_order": "descending"},
        "map": (
            "average_precision_score and label_ranking_average_precision_score of "
            "scikit-learn 1.9 use the precision at the end of a tie group for all its "
            "documents, which is neither the value of one of their orderings nor the "
            "mean over them. Without ties both are map_score, and with ties lrap_score "
            "with tied_together=True"
        ),
        "lrap": {"tied_together": True, "replace_undefined_by": 1.0},
        "ranking_loss": {"ties": "pessimistic", "replace_undefined_by": 0.0},
    },
    # Ids are compared as text, scores in single precision. Levels of relevance are
    # integers, and NDCG reads them all, whatever the threshold (trec_eval -l).
    "trec_eval": {
        "*": {
            "ties": "first",
            "doc_order": "descending",
            "score_dtype": "float32",
            "threshold": FROM_ONE,
            "judged_from": 0.0,
        },
        "dcg": {"gain": "linear"},
        "ndcg": {"gain": "linear"},
        "rbp": {"p": 0.9},
    },
    # Its sort is not stable: tied documents in lists of more than 16 documents are in
    # an arbitrary order. gain="exponential" is its ndcg_burges.
    "ranx": {
        "*": {"ties": "first", "threshold": FROM_ONE},
        "dcg": {"gain": "linear"},
        "ndcg": {"gain": "linear"},
    },
    # replace_undefined_by=0.0 is its "ndcg@10-".
    "xgboost": {
        "*": {"ties": "first", "score_dtype": "float32"},
        "map": {"k": 32, "normalize": "achievable", "replace_undefined_by": 1.0},
        "ndcg": {"k": 32, "replace_undefined_by": 1.0},
        "precision": {"normalize": "length"},
    },
    "lightgbm": {
        "*": {"ties": "first"},
        "map": {
            "normalize": "achievable",
            "replace_undefined_by": 1.0,
            "threshold": 0.5,
        },
        "ndcg": {"replace_undefined_by": 1.0},
    },
    # gain="exponential" is its type=Exp.
    "catboost": {
        "*": {"ties": "pessimistic"},
        "dcg": {"gain": "linear"},
        "ndcg": {"gain": "linear", "replace_undefined_by": 1.0},
        "mrr": {"threshold": 0.5},
        "map": {"normalize": "achievable", "threshold": 0.5},
        "precision": {"normalize": "length", "threshold": 0.5},
        "recall": {"replace_undefined_by": 1.0, "threshold": 0.5},
        "query_auc": {"ties": "expected", "replace_undefined_by": 0.0},
        "err": (
            "CatBoost 1.2 uses the grade itself as the probability that a user stops, "
            "err_score uses (2 ** grade - 1) / 2 ** max_grade"
        ),
    },
    "rax": {
        "*": {"ties": "first", "score_dtype": "float32", "threshold": FROM_ONE},
        "dcg": {"threshold": 0.0},
        "ndcg": {"threshold": 0.0},
        "precision": {"normalize": "length"},
        # Its ordered pair accuracy: a pair of equal scores is discordant.
        "rank_correlation": {
            "ties": "pessimistic",
            "replace_undefined_by": 0.0,
            "threshold": 0.0,
        },
    },
    # Its sort is not stable either, and all metrics but NDCG leave out documents with
    # scores of 0 or less: shift the scores above 0.
    "torchmetrics": {
        "*": {"ties": "first", "score_dtype": "float32"},
        "ndcg": {"gain": "linear", "ties": "expected"},
        "query_auc": {"ties": "expected", "replace_undefined_by": 0.0},
        "map@k": (
            "torchmetrics 1.9 divides by the number of relevant documents among the "
            "top k, which depends on the ranking itself; without k it is map_score"
        ),
    },
    "matchzoo": {
        "*": {"ties": "first"},
        "dcg": {"k": 1, "discount": "ln"},
        "ndcg": {"k": 1},
        # It calls this average precision and ignores its threshold.
        "mean_precision": {"threshold": 0.0},
    },
    "pykeen": {name: {"ties": "realistic"} for name in _OF_FIRST_RANKS.split()},
    # hits@k of the data sets evaluated by Hits@K: a positive has to beat the k-th
    # negative. The lists of hits in addition to its MRR have ties="realistic".
    "ogb": {"mrr": {"ties": "realistic"}, "hits": {"ties": "pessimistic"}},
    "msmarco": {
        "*": {"ties": "first", "doc_order": "ascending", "threshold": FROM_ONE},
        "mrr": {"k": 10},
    },
    # It reads only whether an item is in the ground truth, not its grade.
    "replay": {
        "*": {"ties": "first", "doc_order": "descending"},
        "map": {"normalize": "achievable"},
        "dcg": {"gain": np.ones_like},
        "ndcg": {"gain": np.ones_like},
    },
    # The ids are the columns of its matrices. The last of tied columns ranks first in
    # short lists only. Users without a true item are dropped.
    "recpack": {
        "*": {
            "ties": "first",
            "doc_order": "descending",
            "replace_undefined_by": math.nan,
        },
        "dcg": {"gain": np.ones_like},
        "ndcg": {"gain": np.ones_like},
        "hits": (
            "HitK of recpack 0.3 is the number of relevant documents in the top k, "
            "which is k * precision@k"
        ),
    },
    # Recommenders: the libraries below are given lists in their order, and items of the
    # test without grades. Users without such an item are left out, except by metrics of
    # columns.
    # serendipity is its Serendipity if n_items is passed.
    "rectools": {
        "*": {"ties": "first", "replace_undefined_by": math.nan},
        "ild": {"replace_undefined_by": 0.0},
        "serendipity": {"replace_undefined_by": 0.0},
        "ndcg": (
            "RecTools 0.19 divides DCG by that of k relevant documents, however many "
            "there are. Divide dcg@k with gain=numpy.ones_like by the sum of "
            "1 / log2(rank + 1) over the first k ranks. Its "
            "NDCG(divide_by_achievable=True) is ndcg@k with that gain"
        ),
    },
    # ild is 1 - its intra-list similarity (ILS), and popularity is its mean popularity
    # rank if the column holds the quantiles of the ranks.
    "lenskit": {
        "*": {"ties": "first", "replace_undefined_by": math.nan},
        "dcg": {"gain": np.ones_like, "discount": from_second_rank},
        "ild": {"replace_undefined_by": 0.0},
        "map": {"normalize": "achievable"},
        "ndcg": {"gain": np.ones_like, "discount": from_second_rank},
        "precision": {"normalize": "length"},
        "rbp": {"p": 0.85},
        "recall": {"normalize": "achievable"},
    },
    # Microsoft's. For novelty, the column holds shares of the visits, not of the users.
    "recommenders": {
        "*": {"ties": "first", "replace_undefined_by": math.nan},
        "map": {"k": 10},
        "map@k": {"normalize": "achievable"},
        "ndcg": {"k": 10, "gain": np.ones_like},
        "r_precision": (
            "recommenders 1.2 reads the first k = 10 items, and leaves out the users "
            "without a relevant one among their first R, where r_precision counts 0"
        ),
    },
    # relevance_threshold=1 there is gain="exponential", and nDCGRendle2020 is
    # gain=numpy.ones_like.
    "elliot": {
        "*": {"ties": "first", "replace_undefined_by": math.nan},
        "map": (
            "MAP of Elliot 0.3 is the mean of precision@1, ..., precision@k, which is "
            "mean_precision@k of a list of k documents"
        ),
        "ndcg": {"gain": of_next_grade},
    },
    # The fair ranking tracks of 2021 and 2022. Targets are numbers for each group: pass
    # them. The track of 2022 counts relevant documents alone: only_relevant=True.
    "trec_fair": {
        "*": {"ties": "first"},
        "awrf": {"discount": from_second_rank, "empty": "uniform"},
        "eel": {"discount": from_second_rank},
        "eed": {"discount": from_second_rank},
        "eer": {"discount": from_second_rank},
    },
    # Its sort is not stable either.
    "pyxclib": {
        "*": {"ties": "first"},
        "psp": {"normalize": "total"},
        "psndcg": {"normalize": "total"},
    },
    # With -traditional; without it, ndeval reads the ranks of a run instead of scores.
    # Documents that are tied for a step of the ideal ranking are in the same order.
    # "ideal-ideal" is its alpha-DCG, and "greedy" its nERR-IA and nNRBP.
    "ndeval": {
        "*": {"ties": "first", "doc_order": "descending"},
        "err_ia@1": {"ideal": None},
    },
    # Its InformationRetrievalEvaluator. Ids are compared as text.
    "sentence_transformers": {
        "*": {
            "ties": "first",
            "doc_order": "ascending",
            "replace_undefined_by": math.nan,
        },
        "map": {"k": 100, "normalize": "achievable"},
        "mrr": {"k": 10},
        "ndcg": {"k": 10, "gain": np.ones_like},
    },
    # Both ask pytrec_eval for four metrics and compute others themselves, recall_cap
    # among them, with scores in double precision. hits is BEIR's top_k_accuracy. BEIR
    # takes a document with the id of its query out of a run (ignore_identical_ids),
    # MTEB in some of its tasks only, such as ArguAna: there it is for the user to say.
    "beir": {
        "*": {
            "ties": "first",
            "threshold": FROM_ONE,
            "judged_from": 0.0,
            "exclude_same_id": True,
        },
        "map": _BY_PYTREC_EVAL,
        "ndcg": {"gain": "linear", **_BY_PYTREC_EVAL},
        "precision": _BY_PYTREC_EVAL,
        "recall": _BY_PYTREC_EVAL,
    },
    "mteb": {
        "*": {
            "ties": "first",
            "doc_order": "descending",
            "threshold": FROM_ONE,
            "judged_from": 0.0,
        },
        "hits": _BY_PYTREC_EVAL,
        "map": _BY_PYTREC_EVAL,
        "ndcg": {"gain": "linear", **_BY_PYTREC_EVAL},
        "precision": _BY_PYTREC_EVAL,
        "recall": _BY_PYTREC_EVAL,
        "recall_cap": {"replace_undefined_by": math.nan},
    },
    # Both are given lists in their order, and a query without a relevant document is an
    # error in the first. Haystack's recall in the mode "single_hit" is hits.
    "llama_index": {
        "*": {"ties": "first", "replace_undefined_by": math.nan},
        "ndcg": {"gain": np.ones_like},
        "ndcg@k": _UNCUT_IDEAL.format("LlamaIndex 0.14", "numpy.ones_like"),
        "precision": {"normalize": "length"},
    },
    "haystack": {
        "*": {"ties": "first"},
        "ndcg": {"gain": "linear"},
        "ndcg@k": _UNCUT_IDEAL.format("Haystack 3.4", "'linear'"),
    },
    # It truncates scores to thousandths before it compares them.
    "ampligraph": {
        "*": (
            "AmpliGraph 2 evaluates link prediction only: pass the convention to "
            "evaluate_link_prediction"
        )
    },
}

# The tie policy of ranks in link prediction, by metric.
_RANKS = {
    "pykeen": {"*": "realistic"},
    "ogb": {"*": "realistic", "hits": "pessimistic"},
    "ampligraph": {"*": "pessimistic"},
}


class Convention(NamedTuple):
    """The rules by which another library computes metrics."""

    # Parameters by the name of a metric; "name@k" if they apply only with a cutoff, or
    # "name@1" only with this one; "*" to all metrics.
    rules: Mapping
    refused: Mapping  # why no parameters can reproduce a metric
    ranks: Mapping | None = None  # the tie policy in link prediction, by metric


def _frozen(library, entries):
    refused = {name: why for name, why in entries.items() if isinstance(why, str)}
    rules = {
        name: MappingProxyType(dict(entry))
        for name, entry in entries.items()
        if name not in refused
    }
    ranks = MappingProxyType(_RANKS[library]) if library in _RANKS else None
    return Convention(MappingProxyType(rules), MappingProxyType(refused), ranks)


CONVENTIONS: Mapping[str, Any] = MappingProxyType(
    {library: _frozen(library, entries) for library, entries in _ENTRIES.items()}
)

# The libraries that evaluate link prediction.
OF_RANKS = frozenset(name for name, one in CONVENTIONS.items() if one.ranks)


class NoNumber(ValueError):
    """A convention does not support a metric, for a reason."""

    def __init__(self, metric, convention, reason):
        super().__init__(
            f"convention={convention!r} does not support {metric!r}: {reason}."
        )
        self.reason = reason
        about(self, "convention")


def check_convention(convention, caller):
    """Raise unless `convention` is None or a name in CONVENTIONS."""
    if convention is None or (
        isinstance(convention, str) and convention in CONVENTIONS
    ):
        return
    word, names = str(convention).lower(), sorted(CONVENTIONS)
    # lightgbm has the letters of "lgb", in their order.
    short = re.compile(".*".join(map(re.escape, word[:99] or "-")))
    near = sorted(filter(short.match, names), key=len)[:2]
    near = near or sorted(difflib.get_close_matches(word, names, n=2))
    hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
    error = ValueError(
        f"The 'convention' parameter of {caller} must be the name of a library, a str, "
        f"or None. Got {shown(convention)} instead.{hint} The names are "
        f"{', '.join(map(repr, names))}."
    )
    raise about(error, "convention")


def rules_of(convention, metric, k):
    """Return the parameters that a convention gives to a metric.

    Or the reason, a str, why no parameters reproduce the library. `metric` is a name
    without ``@k``, or None for a definition of the user; `k` is the cutoff or None.
    """
    rules = {}
    with_k = () if k is None else (f"{metric}@k", f"{metric}@{k}")
    for key in ("*", metric, *with_k):
        if key in CONVENTIONS[convention].refused:
            return CONVENTIONS[convention].refused[key]
        rules |= CONVENTIONS[convention].rules.get(key, {})
    return rules


# What a rule says, by its parameter, and by parameter and value where that says more.
_MEANING = {
    "ties": "how ties are resolved",
    "ties='expected'": "the expectation over the orderings of tied documents",
    "ties='first'": "tied documents keep the input order",
    "ties='pessimistic'": "tied documents are in their worst order",
    "ties='realistic'": "the mean of the best and the worst rank",
    "doc_order": "tied documents are ordered by ids",
    "score_dtype": "scores are compared in this precision",
    "judged_from": "lower grades stand for no judgement",
    "exclude_same_id": "a document with the id of its query is left out of a run",
    "threshold": "grades above it are relevant",
    f"threshold={FROM_ONE}": "grades of 1 or more are relevant",
    "gain": "the gain of a grade",
    "gain='linear'": "every gain is the grade, not 2 ** grade - 1",
    "gain=ones_like": "every relevant document has gain 1",
    "gain=of_next_grade": "the gain is 2 ** (grade + 1) - 1",
    "discount": "the discount of a rank",
    "discount=from_second_rank": "1 / log2(rank), and 1 at the ranks 1 and 2",
    "empty": "the exposure of a list without a group",
    "empty='uniform'": "a list without a group has the same exposure of all groups",
    "k": "the cutoff",
    "normalize": "the divisor",
    "normalize='achievable'": "divided by min(k, relevant), not by all relevant",
    "normalize='total'": "sums over all queries are divided, not those of each query",
    "normalize='length'": "divided by min(k, length of the list), not by k",
    "ideal": "the divisor",
    "ideal=None": "the sum is not divided",
    "tied_together": "tied documents have the precision at the end of their tie group",
    "replace_undefined_by": "the value of undefined queries",
    "replace_undefined_by=nan": "an undefined query is left out",
    "p": "the persistence of the user",
}


def grouped(rules):
    """Split rules into those that can be followed alone.

    An order of the ids only has a meaning together with ``ties="first"``.
    """
    together = ("ties", "doc_order") if rules.get("doc_order") else ()
    order = {name: rules[name] for name in together if name in rules}
    alone = [{name: rules[name]} for name in rules if name not in together]
    return [order, *alone] if order else alone


def in_words(rules):
    """Return the rules of one group as code, and their meaning in words."""
    written = [
        f"{name}={getattr(value, '__name__', repr(value))}"
        for name, value in rules.items()
    ]
    rule, parameter = written[-1], [*rules][-1]
    return ", ".join(written), _MEANING[rule if rule in _MEANING else parameter]
