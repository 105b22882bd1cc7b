"""The libraries that are installed, asked anew on lists drawn at random.

LightGBM, pytrec_eval and scikit-learn always are, with the extra `test`; the group
`peers` brings more. The head of pytest's report says which ones are there; the numbers
of `peers.json` stand for all.
"""

# SPDX-License-Identifier: BSD-3-Clause

import functools
import warnings

import numpy as np
import pytest

from skrank.metrics import evaluate, ndcg_score
from tests.brute_force import by_query
from tests.other_libraries import oracle, peers

ALWAYS = {"lightgbm", "sklearn", "trec_eval"}
PRESENT = [name for name in peers.LIBRARIES if peers.is_installed(name)]


def draw(seed, n_levels, grades, length=12):
    rng = np.random.default_rng(seed)
    if n_levels:
        scores = rng.integers(1, n_levels + 1, length) / 2
    else:
        scores = (1 + rng.permutation(length)) / 4
    y_true = rng.integers(0, grades, length) * (rng.random(length) < 0.6)
    return peers.Query(
        y_true.tolist(), scores.tolist(), rng.permutation(length).tolist()
    )


QUERIES = {
    "graded": draw(1, None, 5),
    "binary": draw(2, None, 2),
    "graded, tied": draw(3, 4, 4),
    "binary, tied": draw(4, 3, 2),
    "all tied": draw(5, 1, 3),
    "none relevant": draw(6, None, 1),
    "one relevant": peers.Query([0] * 8 + [1] + [0] * 3, [1, 2] * 6, [*range(12)]),
}


@functools.cache
def answer(library, title):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return peers.LIBRARIES[library][0](QUERIES[title])


def test_the_libraries_of_the_test_extra_are_there():
    assert set(PRESENT) >= ALWAYS


@pytest.mark.parametrize("title", QUERIES)
@pytest.mark.parametrize(
    "library",
    [
        name if name in ALWAYS else pytest.param(name, marks=pytest.mark.slow)
        for name in PRESENT
    ],
)
def test_the_installed_library_says_the_same(library, title):
    query = QUERIES[title]
    tolerance = oracle.TOLERANCE.get(library, 1e-9)
    theirs = answer(library, title)
    ours_of = oracle.numbers(library, query, theirs, library)
    assert len(ours_of) > len(theirs) / 2
    for name, ours in ours_of.items():
        if not oracle.exception(library, oracle.split(name)[0], query):
            assert oracle.same(float(theirs[name]), ours, tolerance), name


def many(seed, n_levels, n_queries=50):
    """Return queries of uneven length as flat input."""
    rng = np.random.default_rng(seed)
    qid = np.repeat(np.arange(n_queries), rng.integers(2, 30, n_queries))
    y_true = rng.integers(0, 5, len(qid)) * (rng.random(len(qid)) < 0.4)
    y_score = rng.random(len(qid)) if n_levels is None else None
    if y_score is None:
        y_score = rng.integers(0, n_levels, len(qid)).astype(float)
    ids = [peers.name_of(id) for id in rng.permutation(len(qid))]
    return y_true, y_score, qid, ids


def as_dicts(y_true, y_score, qid, ids, judged=None, returned=None):
    """Return judgements and a run of the rows that are judged, and returned."""
    qrels, run = {}, {}
    for row, query in enumerate(map(str, qid)):
        if judged is None or judged[row]:
            qrels.setdefault(query, {})[ids[row]] = int(y_true[row])
        if returned is None or returned[row]:
            run.setdefault(query, {})[ids[row]] = float(y_score[row])
    return qrels, run


def some_missing(qid, seed=2):
    """Return which documents are judged and returned: the first of a query is both."""
    rng = np.random.default_rng(seed)
    judged, returned = rng.random((2, len(qid))) < 0.75
    first = np.append(True, qid[1:] != qid[:-1])
    # A document is in one of the two files at least.
    return judged | ~returned | first, returned | first


OF_TREC_EVAL = {
    "map": "map",
    "recip_rank": "mrr",
    "Rprec": "r_precision",
    "bpref": "bpref",
    "P_5": "precision@5",
    "recall_10": "recall@10",
    "map_cut_10": "map@10",
    "success_1": "hits@1",
    "ndcg": "ndcg",
    "ndcg_cut_5": "ndcg@5",
}


@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize("misses", [False, True])
@pytest.mark.parametrize("n_levels", [None, 1, 6])
def test_all_queries_under_pytrec_eval(n_levels, misses, level):
    pytrec_eval = pytest.importorskip("pytrec_eval")
    y_true, y_score, qid, ids = many(0, n_levels)
    given = {}
    if misses:
        given["judged"], given["returned"] = some_missing(qid)
    qrels, run = as_dicts(y_true, y_score, qid, ids, **given)
    measures = {"map", "recip_rank", "Rprec", "bpref", "P", "recall", "map_cut"}
    measures |= {"success", "ndcg", "ndcg_cut"}
    theirs = pytrec_eval.RelevanceEvaluator(
        qrels, measures, relevance_level=level
    ).evaluate(run)
    given |= {"qid": qid, "convention": "trec_eval", "doc_id": ids}
    names = [*OF_TREC_EVAL.values()]
    at_level = {"threshold": 1} if level == 2 else {}
    ours = by_query(y_true, y_score, names, **given, **at_level)
    # NDCG reads all grades, whatever the level of relevance.
    ours |= by_query(y_true, y_score, names[-2:], **given)
    assert set(theirs) == set(map(str, ours["qid"]))
    for measure, name in OF_TREC_EVAL.items():
        expected = [theirs[str(query)][measure] for query in ours["qid"]]
        np.testing.assert_allclose(ours[name], expected, rtol=0, atol=1e-9)


def lightgbm_values(y_true, y_score, qid, weight=None):
    import lightgbm

    rows = lightgbm.Dataset(
        np.zeros((len(qid), 1)),
        label=y_true,
        group=np.bincount(qid),
        init_score=y_score,
        weight=weight,
    )
    options = {
        "objective": "lambdarank",
        "metric": ["ndcg", "map"],
        "eval_at": [1, 3, 10, 100],
        "verbosity": -1,
        "num_threads": 1,
        "feature_pre_filter": False,
    }
    log = {}
    record = [lightgbm.record_evaluation(log)]
    lightgbm.train(options, rows, 1, valid_sets=[rows], callbacks=record)
    return {name: values[0] for name, values in log["training"].items()}


@pytest.mark.parametrize("n_levels", [None, 1, 6])
def test_all_queries_under_lightgbm(n_levels):
    y_true, y_score, qid, _ = many(3, n_levels)
    theirs = lightgbm_values(y_true, y_score, qid)
    ours = evaluate(y_true, y_score, list(theirs), qid=qid, convention="lightgbm")
    assert len(theirs) == 8
    assert ours == pytest.approx(theirs, abs=1e-9)


def test_weights_do_not_lift_ndcg_above_one():
    # LightGBM counts a query without a relevant document as 1, unweighted.
    y_true, y_score, qid = [0, 0, 1, 0], [4.0, 3.0, 2.0, 1.0], np.array([0, 0, 1, 1])
    weight = np.array([0.5, 0.5, 0.5, 0.5])
    theirs = lightgbm_values(y_true, y_score, qid, weight)
    ours = ndcg_score(
        y_true, y_score, qid=qid, sample_weight=weight, replace_undefined_by=1.0, k=1
    )
    assert theirs["ndcg@1"] == pytest.approx(1.5)
    assert ours == 1


def test_weights_of_undefined_queries_count():
    # XGBoost counts the query without a relevant document as 1, unweighted.
    y_true, y_score, qid = [0, 0, 1, 0], [4.0, 3.0, 2.0, 1.0], [0, 0, 1, 1]
    weight = [3, 3, 1, 1]
    data = {"qid": qid, "sample_weight": weight}
    assert evaluate(y_true, y_score, "ndcg", convention="xgboost", **data) == {
        "ndcg": 1.0
    }
    if "xgboost" in PRESENT:
        import xgboost

        rows = xgboost.DMatrix(np.zeros((4, 1)), label=y_true, base_margin=y_score)
        rows.set_group([2, 2])
        rows.set_weight(weight[::2])
        options = {"objective": "rank:ndcg", "base_score": 0, "eval_metric": "ndcg"}
        theirs = xgboost.Booster(list(options.items()), [rows]).eval(rows)
        assert float(theirs.split(":")[1]) == pytest.approx((1 + 1) / (3 + 1))


@pytest.mark.slow
def test_the_numbers_of_libraries_that_are_not_named_are_kept(tmp_path, monkeypatch):
    before = peers.read()
    (tmp_path / "peers.json").write_text(peers.FILE.read_text("utf-8"), "utf-8")
    monkeypatch.setattr(peers, "FILE", tmp_path / "peers.json")
    # No metric has this value, so that a library that was asked shows it.
    fake = {name: (lambda query: {"mrr": 7}, "numpy", "numpy") for name in ALWAYS}
    monkeypatch.setattr(peers, "LIBRARIES", fake)
    peers.write(["lightgbm"])
    queries, values, versions = peers.read()
    assert values.pop("lightgbm") == {"mrr": [7] * len(queries)}
    assert versions["lightgbm"].startswith("numpy ")
    before[1].pop("lightgbm")
    assert (queries, values) == before[:2]
