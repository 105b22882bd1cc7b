"""Metrics of exposure, against the expected exposure over all orders of ties."""

# SPDX-License-Identifier: BSD-3-Clause

import math
from collections import defaultdict

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.spatial.distance import jensenshannon

from skrank.metrics import (
    awrf_score,
    eed_score,
    eel_score,
    eer_score,
    evaluate,
    of_items,
)
from tests.brute_force import all_orders, input_order, masked

WEIGHTS = {
    "log2": lambda rank: 1 / math.log2(rank + 1),
    "ln": lambda rank: 1 / math.log(rank + 1),
    "rbp": lambda rank: 0.8 ** (rank - 1),
}


class Case:
    """Scores with ties, grades, ids of ragged queries in any order, masks, groups."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        sizes = rng.integers(1, 6, size=4)
        self.qid = rng.permutation(np.repeat(["c", "a", "d", "b"], sizes))
        n = self.n = len(self.qid)
        self.scores = rng.integers(0, 3, size=n).astype(float)
        self.grades = rng.integers(0, 3, size=n)
        self.k = [None, 1, 2, 3][seed % 4]
        self.ties = ["expected", "first"][seed % 5 == 4]
        self.returned = rng.random(n) < 0.7 if seed % 3 == 0 else None
        self.judged = rng.random(n) < 0.7 if seed % 3 == 1 else None
        parts = rng.dirichlet([1, 1, 1], size=n) * rng.integers(0, 2, size=(n, 1))
        self.groups = {
            "labels": rng.choice(["x", "y", "z"], size=n),
            "flags": rng.random(n) < 0.4,
            "parts": np.where(parts < 0.1, 0, parts),
            None: None,
        }

    @property
    def given(self):
        return {
            "qid": self.qid, "k": self.k, "ties": self.ties, "average": None,
            "returned": self.returned, "replace_undefined_by": np.nan,
        }  # fmt: skip

    def queries(self):
        """Yield the rows of each query, and which of them are returned."""
        for query in np.unique(self.qid):
            rows = np.flatnonzero(self.qid == query).tolist()
            back = self.returned
            yield rows, [row for row in rows if back is None or back[row]]

    def is_relevant(self, row):
        return self.grades[row] > 0 and (self.judged is None or self.judged[row])

    def exposure(self, rows, weight):
        """Return the mean exposure of each row over all orders."""
        scores = self.scores[rows].tolist()
        orders = [input_order(rows, scores)]
        if self.ties == "expected":
            orders = list(all_orders(rows, scores))
        return mean_exposure(orders, weight, self.k)

    def ideal(self, rows, weight):
        """Return the mean exposure over all orders by grade."""
        grades = [self.grades[row] if self.is_relevant(row) else -1 for row in rows]
        return mean_exposure(list(all_orders(rows, grades)), weight, self.k)


def mean_exposure(orders, weight, k):
    total = defaultdict(float)
    for order in orders:
        for rank, row in enumerate(order, 1):
            total[row] += weight(rank) / len(orders) if k is None or rank <= k else 0.0
    return total


def by_group(exposure, group):
    """Return the sum of a number of rows over the documents of each group."""
    total = defaultdict(float)
    for row, value in exposure.items():
        if group is None:
            total[row] += value
        elif group.ndim == 1:
            total[group[row]] += value
        else:
            for place, part in enumerate(group[row]):
                if part:
                    total[place] += part * value
    return total


def divergence(one, other):
    """Return the Jensen-Shannon divergence of two dicts of numbers, or NaN."""
    if not sum(one.values()) > 0 or not sum(other.values()) > 0:
        return math.nan
    value = 0.0
    for group in {*one, *other}:
        p, q = (values.get(group, 0) / sum(values.values()) for values in (one, other))
        value += p / 2 * math.log(2 * p / (p + q)) if p else 0.0
        value += q / 2 * math.log(2 * q / (p + q)) if q else 0.0
    return value


# Numbers in proportion, by group; a document with the label "v" there is none.
NUMBERS = {
    "labels": {"x": 2, "y": 0, "z": 6, "v": 1},
    "flags": {False: 1, True: 3},
    "parts": [2, 0, 6],
}


def target_of(case, rows, group, target):
    if not isinstance(target, str):
        return target if isinstance(target, dict) else dict(enumerate(target))
    if target == "relevant":
        return by_group({row: 1.0 for row in rows if case.is_relevant(row)}, group)
    counts = by_group(dict.fromkeys(rows, 1.0), group)
    return counts if target == "candidates" else dict.fromkeys(counts, 1.0)


@pytest.mark.slow
@pytest.mark.parametrize("group", ["labels", "flags", "parts"])
@pytest.mark.parametrize("target", ["candidates", "equal", "relevant", "numbers"])
def test_awrf_is_the_divergence_of_the_expected_exposure(group, target):
    target = NUMBERS[group] if target == "numbers" else target
    for seed in range(20):
        case = Case(seed)
        column, name = case.groups[group], ["log2", "ln"][seed % 2]
        values = masked(awrf_score,
            case.grades, case.scores, group=column, target=target, discount=name,
            judged=case.judged, **case.given,
        )  # fmt: skip
        expected = [
            1
            - divergence(
                by_group(case.exposure(back, WEIGHTS[name]), column),
                target_of(case, rows, column, target),
            )
            for rows, back in case.queries()
        ]
        np.testing.assert_allclose(values, expected, rtol=1e-12, atol=1e-12)


def test_no_exposure_may_be_uniform():
    member = np.array([[0, 0, 0], [1, 0, 0], [0, 0, 0]])
    given = {"group": member, "target": [1, 1, 2], "qid": [0, 1, 1], "average": None}
    values = awrf_score(
        None, [1, 1, 2], k=1, empty="uniform", replace_undefined_by=np.nan, **given
    )
    one = 1 - jensenshannon([1, 1, 1], [1, 1, 2]) ** 2
    np.testing.assert_allclose(values, [one, one], rtol=1e-12)
    values = awrf_score(None, [1, 1, 2], k=1, replace_undefined_by=np.nan, **given)
    np.testing.assert_array_equal(values, [np.nan, np.nan])
    # By name, the groups are those that have a document in the query.
    values = awrf_score(
        None, [1, 1, 2], k=1, empty="uniform", replace_undefined_by=np.nan,
        **given | {"target": "candidates"},
    )  # fmt: skip
    np.testing.assert_array_equal(values, [np.nan, 1])


def losses(exposure, target):
    """Return EE-L, EE-D and EE-R of two dicts of exposure."""
    groups = {*exposure, *target}
    pairs = [(exposure.get(one, 0), target.get(one, 0)) for one in groups]
    return (
        math.fsum((e - t) ** 2 for e, t in pairs),
        math.fsum(e * e for e, _ in pairs),
        math.fsum(e * t for e, t in pairs),
    )


@pytest.mark.slow
@pytest.mark.parametrize("group", ["labels", "parts", None])
@pytest.mark.parametrize("only_relevant", [False, True])
def test_exposure_loss_is_that_of_the_expected_exposure(group, only_relevant):
    for seed in range(20):
        case = Case(seed)
        column, name = case.groups[group], ["rbp", "log2"][seed % 2]
        given = case.given | {
            "group": column, "discount": name, "only_relevant": only_relevant,
            "judged": case.judged,
        }  # fmt: skip
        found = [
            masked(function, case.grades, case.scores, **given)
            for function in (eel_score, eed_score, eer_score)
        ]
        expected = []
        for rows, back in case.queries():
            exposure = case.exposure(back, WEIGHTS[name])
            target = case.ideal(rows, WEIGHTS[name])
            if only_relevant:
                exposure, target = (
                    {row: values[row] for row in values if case.is_relevant(row)}
                    for values in (exposure, target)
                )
            loss, disparity, relevance = losses(
                by_group(exposure, column), by_group(target, column)
            )
            if not any(map(case.is_relevant, rows)):
                loss = relevance = math.nan
            expected.append((loss, disparity, relevance))
        np.testing.assert_allclose(
            np.transpose(found), expected, rtol=1e-12, atol=1e-12
        )


@pytest.mark.slow
@pytest.mark.parametrize("group", ["labels", "parts"])
def test_a_target_of_groups_shares_the_exposure_of_all_ranks(group):
    shares = {"labels": {"x": 2, "y": 0, "z": 6}, "parts": [2, 0, 6]}[group]
    of_group = shares if group == "labels" else dict(enumerate(shares))
    for seed in range(20):
        case = Case(seed)
        column = case.groups[group]
        given = case.given | {"group": column, "target": shares}
        found = [
            masked(function, None, case.scores, **given)
            for function in (eel_score, eer_score)
        ]
        expected = []
        for rows, back in case.queries():
            ranks = range(1, (case.k or len(rows)) + 1)
            available = sum(map(WEIGHTS["rbp"], ranks))
            target = {one: available * n / 8 for one, n in of_group.items()}
            exposure = by_group(case.exposure(back, WEIGHTS["rbp"]), column)
            loss, _, relevance = losses(exposure, target)
            expected.append((loss, relevance))
        np.testing.assert_allclose(
            np.transpose(found), expected, rtol=1e-12, atol=1e-12
        )


def test_labels_of_any_type_name_groups():
    scores, qid = [3, 2, 1, 2, 1], [0, 0, 0, 1, 1]
    text = awrf_score(None, scores, qid=qid, group=list("xyyxy"))
    for group in (
        [7, 9, 9, 7, 9],
        [False, True, True, False, True],
        pd.Categorical(list("xyyxy")),
        pd.Series(list("xyyxy"), dtype=object),
        [2.0, 3.0, 3.0, 2.0, 3.0],
        of_items({"i": "x", "j": "y"}, list("ijjij")),
    ):
        assert awrf_score(None, scores, qid=qid, group=group) == text
    one_hot = np.eye(2)[[0, 1, 1, 0, 1]]
    assert awrf_score(None, scores, qid=qid, group=one_hot) == text
    by_label = eel_score(None, scores, qid=qid, group=list("xyyxy"),
                         target={"x": 1, "y": 3})  # fmt: skip
    assert by_label == eel_score(None, scores, qid=qid, group=one_hot, target=[1, 3])


def test_a_group_need_not_be_given_where_documents_are_compared():
    scores = evaluate([1, 0], [1, 2], ["neg_eel", "neg_eed", "eer"], p=0.5)
    assert scores == {"neg_eel": -0.5, "neg_eed": -1.25, "eer": 1.0}
    # "awrf" needs one, and then all of them read it.
    with pytest.raises(ValueError, match="'awrf' reads the column 'group'"):
        evaluate([1, 0], [1, 2], ["neg_eel", "awrf"])
    scores = evaluate([1, 0], [1, 2], ["neg_eel", "awrf"], group=["a", "a"])
    assert scores == {"neg_eel": 0.0, "awrf": 1.0}


A = {"group": ["a", "b"]}


@pytest.mark.parametrize(
    ("name", "params", "message"),
    [
        ("awrf", {"group": [0.5, 1]}, "'group' must hold one label per row"),
        ("awrf", {"group": [None, "b"]}, "Got fractions or missing values"),
        ("awrf", {"group": [np.nan, 1.0]}, "Got fractions or missing values"),
        ("awrf", {"group": -np.eye(2)}, "'group' must hold finite numbers from 0"),
        ("awrf", {"group": np.ones((2, 2, 2))}, "Got 3 dimensions"),
        ("awrf", A | {"target": "ideal"}, "'target' parameter of awrf_score"),
        ("awrf", A | {"target": [1, 2]}, "with this column 'group', a dict of labels"),
        ("awrf", A | {"target": {"a": 1}}, "Got none for 'b'"),
        ("awrf", A | {"target": {"a": 1, "b": -1}}, "one finite number of 0 or more"),
        ("awrf", {"group": np.eye(2), "target": {"a": 1}}, "an array of shape"),
        ("awrf", {"group": np.eye(2), "target": [0, 0]}, "not all 0"),
        ("awrf", {"group": np.eye(2), "target": [1, 2, 3]}, "each of 2 groups"),
        ("awrf", A | {"target": 3}, "a dict of labels. Got 3"),
        ("awrf", A | {"empty": "zero"}, "'empty' parameter of awrf_score"),
        ("awrf", A | {"discount": "rbp"}, "'discount' parameter"),
        ("neg_eel", {"target": "equal"}, "'target' parameter of eel_score"),
        ("neg_eel", {"target": [1, 2]}, "which needs the column 'group'"),
        ("neg_eel", {"p": 1.0}, "'p' parameter of eel_score"),
        ("neg_eed", {"only_relevant": "yes"}, "'only_relevant' parameter of eed_score"),
        ("neg_eel", {"only_relevant": "yes"}, "'only_relevant' parameter of eel_score"),
        ("eer", {"only_relevant": "yes"}, "'only_relevant' parameter of eer_score"),
        ("eer", {"discount": "log"}, "'discount' parameter of eer_score"),
    ],
)  # fmt: skip
def test_metrics_of_exposure_say_what_is_wrong(name, params, message):
    with pytest.raises((ValueError, TypeError), match=message):
        evaluate([0, 1], [1, 2], name, **params)


def test_grades_are_needed_where_they_are_read():
    assert awrf_score(None, [1, 2], group=["a", "a"]) == 1
    with pytest.raises(ValueError, match="'awrf_score' reads grades"):
        awrf_score(None, [1, 2], group=["a", "b"], target="relevant")
    with pytest.raises(ValueError, match="'neg_eel' reads grades"):
        evaluate(None, [1, 2], "neg_eel")
    assert eel_score(None, [1, 2], group=["a", "a"], target={"a": 1}) == 0
    assert eed_score(None, [1, 2], p=0.5) == 1.25
    with pytest.raises(ValueError, match="'eed_score' reads grades"):
        eed_score(None, [1, 2], only_relevant=True)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["arrow", "dask"])
def test_tables_and_clusters_give_the_same_floats(engine):
    pa = pytest.importorskip("pyarrow")
    tables = pytest.importorskip("skrank.tables")
    rng = np.random.default_rng(0)
    n = 600
    frame = pd.DataFrame(
        {
            "qid": rng.integers(0, 40, n).astype(str),
            "y": rng.integers(0, 3, n),
            "s": rng.integers(0, 9, n).astype(float),
            "shop": rng.choice(["a", "b", "c"], n),
            "p": rng.integers(1, 9, n) / 8,
        }
    )
    names = ["awrf@5", "awrf(target='relevant')", "neg_eel", "neg_eed@3", "eer"]
    names += ["psp@3", "psp(normalize='total')@3", "psndcg@4"]
    table = pa.Table.from_pandas(frame)
    of_table = {"qid": "qid", "y_true": "y", "y_score": "s"}

    def summary(metrics, **columns):
        scores = tables.score_table(table, metrics, **columns, **of_table)
        return (scores.collect() if engine == "dask" else scores).summary()

    if engine == "dask":
        dask = pytest.importorskip("dask.dataframe")
        table = dask.from_pandas(frame, npartitions=4)
    found = summary(names, group="shop", propensity="p")
    given = {"qid": frame["qid"], "group": frame["shop"], "propensity": frame["p"]}
    assert found == evaluate(frame["y"], frame["s"], names, **given)
    alone = evaluate(frame["y"], frame["s"], "neg_eel", qid=frame["qid"])
    assert summary("neg_eel") == alone


def test_returning_nothing_is_worse_than_one_wrong_document():
    given = {"qid": [1, 1, 2, 2], "average": None}
    nothing = {"returned": [True, True, False, False]} | given
    wrong = {"returned": [True, True, False, True]} | given
    y_true, y_score = [1, 0, 1, 0], [2, 1, 2, 1]
    # The target of query 2 is 1 for the relevant document and .8 for the other one.
    assert masked(eel_score, y_true, y_score, **nothing) == pytest.approx(
        [0, 1 + 0.8**2]
    )
    assert masked(eel_score, y_true, y_score, **wrong) == pytest.approx(
        [0, 1 + (0.8 - 1) ** 2]
    )
    assert masked(eed_score, y_true, y_score, **nothing) == pytest.approx(
        [1 + 0.8**2, 0]
    )
    assert masked(eer_score, y_true, y_score, **nothing) == pytest.approx(
        [1 + 0.8**2, 0]
    )
    assert masked(eer_score, y_true, y_score, **wrong) == pytest.approx(
        [1 + 0.8**2, 0.8]
    )


@pytest.mark.parametrize(
    "group",
    [
        [None, "a", "b", "b"],
        [np.nan, 1, 2, 2],
        pd.array(["a", None, "b", "b"], dtype="string"),
        pd.Series([pd.NA, 1, 2, 2], dtype="Int64"),
        np.array(["NaT", "2020-01-01", "2020-01-02", "2020-01-02"], "M8[D]"),
        pa.array([None, "a", "b", "b"]),
        pl.Series([None, "a", "b", "b"]),
    ],
    ids=["None", "NaN", "string", "Int64", "NaT", "pyarrow", "polars"],
)
def test_missing_labels_of_every_kind_are_refused(group):
    with pytest.raises(ValueError, match="Got fractions or missing values"):
        awrf_score(None, [4, 3, 2, 1], group=group)


def test_labels_of_two_types_are_different_groups():
    different = awrf_score(None, [4, 3, 2, 1], group=["a", "c", "d", "b"])
    for group in (["a", 1, "1", "b"], pd.Series(["a", 1, "1", "b"])):
        assert awrf_score(None, [4, 3, 2, 1], group=group) == different


@pytest.mark.parametrize("kind", [np.array, pd.DataFrame])
def test_a_single_column_of_groups_is_refused(kind):
    with pytest.raises(ValueError, match=r"one column of shape \(4, 1\): pass it as"):
        eed_score(None, [4, 3, 2, 1], group=kind([[0], [1], [2], [1]]))
