"""Training on some of the queries: samples, halving searches and learning curves."""

# SPDX-License-Identifier: BSD-3-Clause

import re
import warnings
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import Ridge
from sklearn.model_selection import (
    GroupKFold,
    HalvingGridSearchCV,
    KFold,
    validation_curve,
)
from sklearn.pipeline import make_pipeline

import skrank
from skrank.datasets import load_nations, make_ranking
from skrank.link_prediction import PopularityPredictor
from skrank.metrics import make_ranking_scorer
from skrank.model_selection import LeaveLastOut, QueryKFold
from skrank.rankers import QueryRanker
from tests.rankers.rows import Recorder

X, Y, QID = make_ranking(
    80, n_documents=(5, 15), n_features=10, n_informative=3, noise=1.0, random_state=0
)


def drawn(max_queries, *, rows=slice(None), qid=QID, seed=0):
    """Return the rows of the training queries, as a set of the rows of `X`."""
    ranker = QueryRanker(Recorder(), max_queries=max_queries, random_state=seed)
    ranker.fit(np.arange(len(Y))[rows, None], Y[rows], qid=qid[rows])
    return set(ranker.estimator_.X_[:, 0].tolist())


def test_so_many_whole_queries_are_drawn():
    for n_queries in (2, 7, 79):
        rows = sorted(drawn(n_queries))
        queries = set(QID[rows].tolist())
        assert len(queries) == n_queries
        assert rows == np.flatnonzero(np.isin(QID, list(queries))).tolist()


def test_fewer_queries_are_a_part_of_more():
    samples = [drawn(n_queries) for n_queries in (2, 5, 20, 79, 80)]
    for fewer, more in pairwise(samples):
        assert fewer < more
    assert drawn(20, seed=1) != drawn(20)


def test_the_order_of_rows_and_the_type_of_ids_play_no_part():
    rows = np.random.default_rng(0).permutation(len(Y))
    names = np.array([f"q{i:02}" for i in QID])  # in the order of the numbers
    for qid in (QID, QID / 2, names, names.astype(object), pd.Categorical(names)):
        assert drawn(9, qid=qid) == drawn(9)
        assert drawn(9, rows=rows, qid=qid) == drawn(9)


def test_weights_are_drawn_with_their_rows():
    ranker = QueryRanker(Recorder(), max_queries=9, random_state=0)
    ranker.fit(X, Y, qid=QID, sample_weight=1.0 + np.arange(len(Y)))
    assert set(ranker.estimator_.weight_ - 1) == drawn(9)


@pytest.mark.parametrize("max_queries", [None, 80, 1000])
def test_as_many_as_there_are_means_all(max_queries):
    # A generator shows that nothing is drawn from it.
    rng = np.random.RandomState(0)
    ranker = QueryRanker(Ridge(), max_queries=max_queries, random_state=rng)
    ranker.fit(X, Y, qid=QID)
    assert ranker.coef_.tolist() == Ridge().fit(X, Y).coef_.tolist()
    assert rng.randint(1000) == np.random.RandomState(0).randint(1000)


def test_the_ranker_knows_the_sizes_of_all_queries():
    ranker = QueryRanker(Ridge(), max_queries=5, random_state=0).fit(X, Y, qid=QID)
    assert ranker.__skrank_sizes__() == dict(enumerate(np.bincount(QID).tolist()))


@pytest.mark.parametrize(
    ("value", "error", "words"),
    [(value, ValueError, "max_queries == .*, must be >= 2") for value in (0, 1, -3)]
    + [
        (value, TypeError, "max_queries must be an instance of int")
        for value in (5.0, "all", True)
    ],
)
def test_what_is_no_number_of_queries_is_refused(value, error, words):
    with pytest.raises(error, match=words):
        QueryRanker(Ridge(), max_queries=value).fit(X, Y, qid=QID)


def test_equal_grades_among_the_drawn_queries_are_refused():
    y = (QID == 0).astype(int)
    for seed in range(3):
        ranker = QueryRanker(Ridge(), max_queries=2, random_state=seed)
        if 0 not in QID[sorted(drawn(2, seed=seed))]:
            with pytest.raises(ValueError, match=r"different grades.*max_queries"):
                ranker.fit(X, y, qid=QID)
            return
    pytest.fail("The query of other grades was always drawn.")


def halving(order, **resource):
    """Return the result of a search on the rows in that order."""
    search = HalvingGridSearchCV(
        QueryRanker(Ridge(), random_state=0),
        {"estimator__alpha": [0.01, 1.0, 1e2, 1e3, 1e4, 1e5]},
        factor=2,
        scoring="ndcg@10",
        cv=QueryKFold(3),
        random_state=0,
        error_score="raise",
        **resource,
    )
    target = pd.Series(Y, index=pd.Index(QID, name="qid"))
    return search.fit(X[order], target.iloc[order])


@pytest.mark.slow
def test_halving_by_queries_does_not_depend_on_the_order_of_rows():
    orders = [np.random.default_rng(i).permutation(len(Y)) for i in range(2)]
    by_queries = [halving(i, resource="max_queries", max_resources=80) for i in orders]
    assert by_queries[0].n_resources_ == [20, 40, 80]
    assert len({search.best_params_["estimator__alpha"] for search in by_queries}) == 1
    for search in by_queries[1:]:
        np.testing.assert_allclose(
            search.cv_results_["mean_test_score"],
            by_queries[0].cv_results_["mean_test_score"],
        )
    # By as many rows, it does: they are drawn by their positions.
    with pytest.warns(UserWarning, match="A halving search with resource='n_samples'"):
        by_rows = [halving(i, resource="n_samples") for i in orders]
    assert len({search.best_params_["estimator__alpha"] for search in by_rows}) > 1


DRAWS = r"draws rows of the folds.*resource='max_queries'"


def search_of(n_jobs=1, *, cv, scoring="ndcg@10", **resource):
    grid = {"estimator__alpha": [0.1, 1.0, 10.0]}
    options = {"random_state": 0, "cv": cv, "n_jobs": n_jobs, "scoring": scoring}
    ranker = QueryRanker(Ridge(), random_state=0)
    return HalvingGridSearchCV(ranker, grid, **options, **resource)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::skrank.exceptions.QuerySplitWarning")
@pytest.mark.parametrize("cv", [QueryKFold(3), LeaveLastOut(2), GroupKFold(3)], ids=str)
def test_a_halving_search_that_draws_rows_warns_once(cv):
    index = pd.MultiIndex.from_arrays([QID, np.arange(len(Y))], names=["qid", "time"])
    data = {"X": X, "y": pd.Series(Y, index=index), "groups": QID}
    with pytest.warns(UserWarning, match=DRAWS) as found:
        search_of(cv=cv).fit(**data)
    drawn = [one for one in found if re.search(DRAWS, str(one.message))]
    # Python shows the warnings of one line once.
    assert len({(one.filename, one.lineno) for one in drawn}) == 1
    search_of(cv=cv, resource="max_queries", max_resources=80).fit(**data)


@pytest.mark.slow
@pytest.mark.parametrize(("is_ranker", "n_jobs"), [(False, 1), (False, 2), (True, 2)])
def test_rows_are_drawn_without_a_warning_only_of_scorers_that_do_not_see_the_search(
    is_ranker, n_jobs
):
    scorer = make_ranking_scorer("ndcg@10", gain="linear")
    search = search_of(n_jobs, cv=GroupKFold(3), scoring=scorer)
    if not is_ranker:
        search.set_params(estimator=Ridge(), param_grid={"alpha": [0.1, 1.0, 10.0]})
    y = pd.Series(Y, index=pd.Index(QID, name="qid"))
    # In a thread as in a process a scorer does not see the call of the search. One at a
    # time, for threads share the filters of warnings.
    search.pre_dispatch = 1
    with (
        parallel_config("threading"),
        warnings.catch_warnings(record=True) as found,
    ):
        warnings.simplefilter("always")
        search.fit(X, y, groups=QID)
    is_noticed = any(re.search(DRAWS, str(one.message)) for one in found)
    assert is_noticed == (is_ranker or n_jobs == 1)


def test_a_halving_search_may_draw_triples():
    triples = load_nations().train
    names = {
        "entities": np.unique(triples[:, ::2]),
        "relations": np.unique(triples[:, 1]),
    }
    search = HalvingGridSearchCV(
        PopularityPredictor(**names),
        {"entities": [names["entities"]]},
        scoring="mrr",
        cv=KFold(2, shuffle=True, random_state=0),
        min_resources=100,
    )
    search.fit(triples)  # warnings are errors
    assert search.n_resources_[0] < len(triples)


@pytest.mark.slow
def test_a_learning_curve_is_that_of_samples_by_hand():
    sizes = [5, 20, 60]
    target = pd.Series(Y, index=pd.Index(QID, name="qid"))
    cv = QueryKFold(3)
    ranker = make_pipeline("passthrough", QueryRanker(Ridge(), random_state=0))
    _, scores = validation_curve(
        ranker,
        X,
        target,
        param_name="queryranker__max_queries",
        param_range=sizes,
        scoring="ndcg@10",
        cv=cv,
        error_score="raise",
    )
    assert scores.shape == (3, 3)
    for fold, (train, test) in enumerate(cv.split(X, qid=QID)):
        for row, size in zip(scores, sizes, strict=True):
            ids = np.unique(QID[train])
            kept = np.random.RandomState(0).permutation(ids)[:size]
            rows = train[np.isin(QID[train], kept)]
            by_hand = QueryRanker(Ridge()).fit(X[rows], Y[rows], qid=QID[rows])
            by_scorer = skrank.metrics.get_scorer("ndcg@10")
            expected = by_scorer(by_hand, X[test], Y[test], qid=QID[test])
            assert row[fold] == pytest.approx(expected)


@pytest.mark.slow
def test_early_stopping_holds_out_some_of_the_drawn_queries():
    pytest.importorskip("lightgbm")
    from lightgbm import LGBMRanker

    stopping = {"early_stopping": True, "n_iter_no_change": 3, "random_state": 0}
    model = LGBMRanker(n_estimators=30, min_child_samples=3, n_jobs=1, verbose=-1)
    frame = pd.DataFrame(X).add_prefix("f")
    ranker = QueryRanker(model, max_queries=30, **stopping).fit(frame, Y, qid=QID)
    rows = sorted(drawn(30))
    alone = QueryRanker(model, **stopping)
    alone.fit(frame.iloc[rows], Y[rows], qid=QID[rows])
    assert ranker.best_iteration_ == alone.best_iteration_
    assert ranker.predict(frame).tolist() == alone.predict(frame).tolist()
