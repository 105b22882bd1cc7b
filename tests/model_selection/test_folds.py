"""Stratified and repeated folds: what is balanced, and how well."""

# SPDX-License-Identifier: BSD-3-Clause

from itertools import combinations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal

from skrank.model_selection import QueryKFold, RepeatedQueryKFold, StratifiedQueryKFold
from tests.model_selection.test_splitters import zipf_sizes


def ranking_data(sizes, has_relevant, seed=0):
    """Query ids and grades, rows mixed, with relevant rows in the queries told."""
    rng = np.random.RandomState(seed)
    names = rng.permutation(len(sizes))
    position = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    y = np.zeros(len(position), dtype=int)
    _, first = np.unique(position, return_index=True)
    y[first[has_relevant]] = rng.randint(1, 5, np.sum(has_relevant))
    y[rng.rand(len(y)) < 0.1] = 3
    y[~np.asarray(has_relevant)[position]] = 0
    return names[position], y


# 43 % of 300 queries have a relevant row: by chance, or the longer the likelier, the
# shorter the likelier, exactly the longest, exactly the shortest.
KINDS = {
    "chance": lambda size, u: u,
    "often long": lambda size, u: u / size,
    "often short": lambda size, u: u * size,
    "the longest": lambda size, u: -size + u,
    "the shortest": lambda size, u: size + u,
}


def which_relevant(sizes, kind, seed, share=0.43):
    key = KINDS[kind](sizes, np.random.RandomState(seed).rand(len(sizes)))
    return np.argsort(np.argsort(key)) < round(share * len(sizes))


def fold_table(cv, qid, y):
    """Return rows, queries, share without relevant rows and lengths of each fold."""
    n_rows, n_queries, without, lengths = [], [], [], []
    for _, test in cv.split(qid, y, qid=qid):
        queries, codes = np.unique(qid[test], return_inverse=True)
        n_relevant = np.bincount(codes, weights=y[test] > 0)
        n_rows.append(len(test))
        n_queries.append(len(queries))
        without.append(np.mean(n_relevant == 0))
        lengths.append(np.bincount(codes))
    return np.array(n_rows), np.array(n_queries), np.array(without), lengths


class TestStratifiedQueryKFold:
    @pytest.mark.parametrize("seed", [None, 0, 1])
    @pytest.mark.parametrize("kind", KINDS)
    def test_rows_and_fractions_are_balanced_on_heavy_tailed_queries(self, kind, seed):
        sizes = zipf_sizes()
        qid, y = ranking_data(sizes, which_relevant(sizes, kind, seed))
        cv = StratifiedQueryKFold(5, shuffle=seed is not None, random_state=seed)
        n_rows, _, without, lengths = fold_table(cv, qid, y)
        assert np.abs(n_rows / n_rows.sum() - 0.2).max() < 0.001
        assert np.abs(without - 0.57).max() < 0.02
        # The fold of the longest query, a sixth of all rows, has no other long one.
        # The others hold as many of each quarter of the lengths as the rest has.
        others = [n for n in lengths if n.max() < sizes.max()]
        edges = np.quantile(np.concatenate(others), [0.25, 0.5, 0.75])
        for length in others:
            quarters = np.bincount(np.searchsorted(edges, length), minlength=4)
            assert np.abs(quarters / len(length) - 0.25).max() < 0.07

    @pytest.mark.parametrize("seed", [None, *range(5)])
    def test_lengths_are_balanced_where_no_query_is_a_fold_of_its_own(self, seed):
        sizes = np.random.RandomState(1).lognormal(3, 1, 400).astype(int) + 1
        qid, y = ranking_data(sizes, which_relevant(sizes, "often long", 0))
        cv = StratifiedQueryKFold(5, shuffle=seed is not None, random_state=seed)
        n_rows, n_queries, without, lengths = fold_table(cv, qid, y)
        assert np.abs(n_rows / n_rows.sum() - 0.2).max() < 0.001
        assert np.abs(n_queries - 80).max() <= 3
        assert np.abs(without - 0.57).max() < 0.02
        for length in lengths:
            assert length.mean() == pytest.approx(sizes.mean(), rel=0.05)
            assert np.median(length) == pytest.approx(np.median(sizes), abs=2)

    def test_each_fold_gets_its_part_of_equal_queries(self):
        # 6 queries of 2 rows with a relevant row and 9 without, to 3 folds.
        qid = np.repeat(np.arange(15), 2)
        y = (np.arange(30) % 5 == 0) * 1
        n_rows, n_queries, without, _ = fold_table(StratifiedQueryKFold(3), qid, y)
        assert n_rows.tolist() == [10, 10, 10]
        assert n_queries.tolist() == [5, 5, 5]
        assert_array_equal(without, [3 / 5] * 3)

    @pytest.mark.slow
    @pytest.mark.parametrize("has_relevant", [np.zeros(300, bool), np.ones(300, bool)])
    @pytest.mark.filterwarnings("ignore:The number of queries with a relevant row")
    def test_one_class_is_balanced_in_rows(self, has_relevant):
        qid, y = ranking_data(zipf_sizes(), has_relevant)
        n_rows, _, without, _ = fold_table(StratifiedQueryKFold(5), qid, y)
        assert np.abs(n_rows / n_rows.sum() - 0.2).max() < 0.001
        assert set(without) == {1 - has_relevant.mean()}

    def test_a_query_too_large_for_a_fold_keeps_its_fold_for_itself(self):
        qid = np.repeat(np.arange(9), [1000, *[3] * 8])
        for relevant in ([0, 1, 2, 3], [5, 6, 7, 8], [0, 7]):
            y = np.isin(qid, relevant)
            for seed in range(3):
                cv = StratifiedQueryKFold(2, shuffle=True, random_state=seed)
                n_rows, _, _, _ = fold_table(cv, qid, y)
                assert sorted(n_rows) == [24, 1000]

    def test_neither_the_order_of_rows_nor_the_grades_matter(self):
        sizes = zipf_sizes(50, 3000)
        qid, y = ranking_data(sizes, which_relevant(sizes, "chance", 0))
        order = np.random.RandomState(0).permutation(len(qid))

        def tested(qid, y):
            cv = StratifiedQueryKFold(5)
            return [set(qid[test]) for _, test in cv.split(qid, y, qid=qid)]

        assert tested(qid[order], y[order]) == tested(qid, y)
        assert tested(qid, y > 0) == tested(qid, y)
        assert tested(qid, y.tolist()) == tested(qid, y)
        assert tested(qid, pd.Series(y, dtype="Int64")) == tested(qid, y)
        assert tested(qid, pl.Series(y)) == tested(qid, y)

    def test_fewer_relevant_queries_than_folds_are_warned_of(self):
        qid = np.repeat(np.arange(6), 2)
        y = np.isin(qid, [2, 4])
        with pytest.warns(UserWarning, match=r"\(y > 0\), 2, is less than n_spl"):
            n_rows, _, without, _ = fold_table(StratifiedQueryKFold(3), qid, y)
        assert n_rows.tolist() == [4, 4, 4]
        assert sorted(without) == [0.5, 0.5, 1]

    @pytest.mark.parametrize(
        ("y", "message"),
        [
            (None, r"'y' parameter of StratifiedQueryKFold.split.*Got None"),
            (list("abcabc"), "dtype|convert"),
            ([1, 0, np.nan, 0, 1, 0], "Input y contains NaN"),
            ([1, 0, np.inf, 0, 1, 0], "Input y contains infinity"),
            (np.eye(6), r"y should be a 1d array, got an array of shape \(6, 6\)"),
            ([1, 0, 1], "inconsistent numbers of samples"),
        ],
    )
    def test_a_bad_y_is_refused(self, y, message):
        with pytest.raises(ValueError, match=message):
            next(StratifiedQueryKFold(2).split(np.zeros(6), y, qid=list("aabbcc")))


class TestRepeatedQueryKFold:
    def test_each_repetition_is_a_shuffled_k_fold_with_other_draws(self):
        rows = np.repeat(np.arange(300), zipf_sizes(n_rows=9000))
        qid = np.random.RandomState(0).permutation(rows)
        cv = RepeatedQueryKFold(5, 3, random_state=4)
        tests = [test.tolist() for _, test in cv.split(qid, qid=qid)]
        assert len(tests) == cv.get_n_splits(qid, qid=qid) == 15
        once = QueryKFold(5, shuffle=True, random_state=4)
        assert tests[:5] == [test.tolist() for _, test in once.split(qid, qid=qid)]
        for start in (0, 5, 10):
            repetition = tests[start : start + 5]
            assert_array_equal(np.sort(np.concatenate(repetition)), range(len(qid)))
            for test in repetition:
                assert len(test) / len(qid) == pytest.approx(0.2, abs=0.005)
        assert len({str(test) for test in tests}) == 15
        assert tests == [test.tolist() for _, test in cv.split(qid, qid=qid)]

    def test_ten_times_five_folds_are_the_default(self):
        assert RepeatedQueryKFold().get_n_splits() == 50


@pytest.mark.parametrize("splitter", [QueryKFold, StratifiedQueryKFold])
def test_any_two_queries_of_one_size_may_share_a_fold(splitter):
    qid = np.repeat(np.arange(6), 2)
    together = set()
    for seed in range(60):
        cv = splitter(2, shuffle=True, random_state=seed)
        for _, test in cv.split(qid, np.ones(12), qid=qid):
            together |= set(combinations(np.unique(qid[test]).tolist(), 2))
    assert together == set(combinations(range(6), 2))
