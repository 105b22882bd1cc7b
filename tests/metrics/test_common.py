"""The laws that every metric obeys. A new metric is one row of METRICS."""

# SPDX-License-Identifier: BSD-3-Clause

import inspect
import itertools
import math
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.exceptions import UndefinedMetricWarning

from skrank._engine.request import METRICS
from skrank.evaluation.evaluate import read_requests
from tests.brute_force import (
    ADJUSTABLE,
    BLIND_TO_THE_WHOLE_ORDER,
    CANNOT_MISS,
    COUNTS,
    EXPECTATION_OF_A_PRODUCT,
    INDICES,
    LEAST,
    LESS_IS_BETTER,
    MAY_FALL,
    NAMES,
    NAN_BY_DEFAULT,
    NEVER_UNDEFINED,
    NOT_BETWEEN_ZERO_AND_ONE,
    NOT_ONE_WHEN_PERFECT,
    NOT_THE_MEAN_OF_THE_QUERIES,
    OF_COLUMNS,
    OF_INDEPENDENT_QUERIES,
    OF_NOTHING,
    READS_ALL_GRADES,
    REFERENCE,
    RISING,
    SPREAD,
    TAKES_NO_NEGATIVE,
    UNDEFINED_WHEN_ALL_ARE_RELEVANT,
    WITH_FUNCTION,
    Z_SCORES,
    call,
    exempt,
    full_name,
    query_values,
)

pytestmark = pytest.mark.slow_rows


CUT = [name for name in NAMES if "@" in name]
POLICIES = ["expected", "first", "optimistic", "pessimistic"]


def lists(seed=0, n_queries=12, max_length=7, n_levels=4, grades=4, relevant=1.0):
    """Return graded queries of uneven length, with ties and scattered rows."""
    rng = np.random.default_rng(seed)
    qid = np.repeat(np.arange(n_queries), rng.integers(1, max_length, n_queries))
    y_true = rng.integers(0, grades, len(qid))
    if relevant < 1:
        y_true[rng.random(len(qid)) > relevant] = 0
    y_score = rng.integers(0, n_levels, len(qid)).astype(float)
    # Whatever is drawn: no relevant document, all of one grade, and one document.
    y_true[qid == 0], y_true[qid == 1] = 0, 2
    order = rng.permutation(len(qid))
    return y_true[order], y_score[order], qid[order]


def defined_lists(seed=0, n_queries=12, length=12, n_levels=4):
    """Return queries that hold the grades 0, 1 and 3, and a few more at random."""
    rng = np.random.default_rng(seed)
    y_true = rng.integers(0, 4, (n_queries, length))
    y_true[rng.random(y_true.shape) < 0.8] = 0
    y_true[:, :3] = [0, 1, 3]
    qid = np.repeat(np.arange(n_queries), length)
    y_score = rng.integers(0, n_levels, qid.size).astype(float)
    return rng.permuted(y_true, axis=1).ravel(), y_score, qid


def lists_beyond_chance(name):
    """Return queries whose perfect order beats chance, also in the median."""
    return lists(max_length=60, relevant=0.2) if "median" in name else lists()


def matrix(seed=0, shape=(9, 7), n_levels=4):
    rng = np.random.default_rng(seed)
    y_true = rng.integers(0, 3, shape)
    y_true[0] = 0
    return y_true, rng.integers(0, n_levels, shape).astype(float)


def quietly(name, *args, **params):
    """Call a metric where it may be undefined for every query."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        return call(name, *args, **params)


def policies_of(name):
    metric = METRICS[name.partition("@")[0]]
    return POLICIES + (["realistic"] if metric.reads_first_rank else [])


def test_every_metric_has_a_reference():
    assert set(REFERENCE) == set(METRICS) - set(OF_COLUMNS)
    assert {
        name for name, metric in METRICS.items() if metric.full_name != name
    } == LESS_IS_BETTER


@pytest.mark.slow
def test_an_exempt_metric_needs_its_exemption():
    y_true, _, qid = defined_lists()
    perfect = {name: call(name, y_true, y_true, qid=qid) for name in NAMES}
    assert {name for name in NAMES if abs(perfect[name] - 1) > 1e-12} == (
        NOT_ONE_WHEN_PERFECT
    )
    # What the metrics say of themselves, by values that show it.
    worst = {name: call(name, y_true, -y_true, qid=qid) for name in NAMES}
    assert {name for name in NAMES if worst[name] > perfect[name] + 1e-12} == (
        exempt(*LESS_IS_BETTER)
    )
    random = np.random.default_rng(0).random(len(qid))
    outside = set()
    for y_score in (y_true, -y_true, random):
        values = {name: call(name, y_true, y_score, qid=qid) for name in NAMES}
        outside |= {name for name in NAMES if not -1e-12 < values[name] < 1 + 1e-12}
    assert outside == NOT_BETWEEN_ZERO_AND_ONE
    nothing = {name: quietly(name, [0, 0], [1, 2], average=None)[0] for name in NAMES}
    assert {name for name in NAMES if math.isnan(nothing[name])} == NAN_BY_DEFAULT
    left_out = {"replace_undefined_by": np.nan}
    nothing = {name: quietly(name, [0, 0], [1, 2], **left_out) for name in NAMES}
    assert {name: value for name, value in nothing.items() if value == value} == (
        dict.fromkeys(NEVER_UNDEFINED, 0) | OF_NOTHING
    )
    all_relevant = {name: quietly(name, [1, 1], [1, 2], **left_out) for name in NAMES}
    assert {name for name in NAMES if math.isnan(all_relevant[name])} == (
        UNDEFINED_WHEN_ALL_ARE_RELEVANT
    )
    y_true, y_score, qid = lists(relevant=0.6)
    for name in NAMES:
        values = call(name, y_true, y_score, qid=qid, average=None)
        score = call(name, y_true, y_score, qid=qid)
        is_mean = bool(abs(score - np.nanmean(values)) < 1e-9)
        assert is_mean is (name not in NOT_THE_MEAN_OF_THE_QUERIES)


@pytest.mark.parametrize("name", WITH_FUNCTION)
def test_the_default_of_an_undefined_query_is_in_the_signature(name):
    default = inspect.signature(METRICS[name].function).parameters[
        "replace_undefined_by"
    ]
    if name in NAN_BY_DEFAULT or f"{name}@3" in NAN_BY_DEFAULT:
        assert math.isnan(default.default)
    else:
        assert default.default == 0.0


@pytest.mark.parametrize("name", sorted(set(NAMES) - NOT_ONE_WHEN_PERFECT))
def test_a_perfect_ranking_scores_one(name):
    y_true, _, qid = defined_lists()
    for ties in POLICIES:
        score = call(name, y_true, y_true, qid=qid, ties=ties)
        assert score == pytest.approx(1, abs=1e-12), ties


@pytest.mark.parametrize("name", NAMES)
def test_no_ranking_beats_the_perfect_one(name):
    for seed in range(5):
        y_true, y_score, qid = defined_lists(seed)
        best = call(name, y_true, y_true, qid=qid, average=None)
        other = call(name, y_true, y_score, qid=qid, average=None)
        gap = other - best if name in LESS_IS_BETTER else best - other
        assert (gap >= -1e-12).all()


@pytest.mark.parametrize("name", NAMES)
def test_values_stay_in_their_range(name):
    (request,) = read_requests([full_name(name)], {}, "test")
    _, (low, high) = request.limits
    if name not in NOT_BETWEEN_ZERO_AND_ONE:
        assert {abs(low), abs(high)} == {0, 1}
    for ties, seed in itertools.product(policies_of(name), range(5)):
        y_true, y_score, qid = lists(seed)
        values = call(name, y_true, y_score, qid=qid, ties=ties, average=None)
        values = values[~np.isnan(values)]
        assert (values >= LEAST.get(name, -math.inf) - 1e-12).all(), ties
        values = request.sign * values
        assert ((values >= low - 1e-12) & (values <= high + 1e-12)).all(), ties


@pytest.mark.parametrize("name", NAMES)
def test_the_order_of_the_rows_changes_nothing(name):
    y_true, y_score, qid = lists()
    for ties in set(policies_of(name)) - {"first"}:
        options = {"ties": ties, "average": None}
        expected = call(name, y_true, y_score, qid=qid, **options)
        for seed in range(3):
            order = np.random.default_rng(seed).permutation(len(qid))
            rows = y_true[order], y_score[order]
            got = call(name, *rows, qid=qid[order], **options)
            assert_allclose(got, expected, rtol=1e-12, err_msg=ties)


@pytest.mark.parametrize("name", NAMES)
def test_grouped_rows_score_as_scattered_ones_in_input_order(name):
    y_true, y_score, qid = lists()
    grouped = np.argsort(qid, kind="stable")
    assert_allclose(
        call(name, y_true[grouped], y_score[grouped], qid=qid[grouped], ties="first"),
        call(name, y_true, y_score, qid=qid, ties="first"),
        rtol=1e-12,
    )


@pytest.mark.parametrize("name", NAMES)
def test_renaming_the_queries_changes_nothing(name):
    y_true, y_score, qid = lists()
    expected = call(name, y_true, y_score, qid=qid, average=None)
    words = np.array([f"q{i:02d}" for i in range(qid.max() + 1)])
    for renamed in (words[qid], qid * 1000 - 5, qid + 0.5, list(words[qid])):
        assert_array_equal(
            call(name, y_true, y_score, qid=renamed, average=None), expected
        )
    reverse = call(name, y_true, y_score, qid=-qid, average=None)
    assert_array_equal(reverse[::-1], expected)


@pytest.mark.parametrize("name", NAMES)
def test_a_monotone_transform_of_the_scores_changes_nothing(name):
    y_true, y_score, qid = lists()
    transforms = (np.exp, np.arctan, lambda s: 7 * s - 3, lambda s: -np.exp2(-s))
    for ties in policies_of(name):
        expected = call(name, y_true, y_score, qid=qid, ties=ties)
        for transform in transforms:
            got = call(name, y_true, transform(y_score), qid=qid, ties=ties)
            assert got == pytest.approx(expected, rel=1e-12), ties


def test_a_metric_that_a_relevant_document_may_hurt_by_moving_up():
    # First by itself, a document of a low grade has gained less than it could have.
    before = call("q_measure", [0, 3, 1], [3, 2, 1])
    assert before == pytest.approx(((1 + 7) / (2 + 8) + (2 + 8) / (3 + 8)) / 2)
    after = call("q_measure", [0, 3, 1], [1, 2, 3])
    assert after == pytest.approx(((1 + 1) / (1 + 7) + (2 + 8) / (2 + 8)) / 2)
    assert after < before
    # First among the last two, tied with another: the ranks are 1 and 2, not 3.
    for name, spread in (
        ("rank_variance", 1 / 4),
        ("rank_standard_deviation", 1 / 2),
        ("rank_median_absolute_deviation", 1 / 2 * 1.482602218505602),
    ):
        assert call(name, [0, 0, 1], [2, 2, 1]) == 0
        assert call(name, [0, 0, 1], [2, 1, 2]) == pytest.approx(spread)
    assert {"q_measure"} | SPREAD == MAY_FALL


@pytest.mark.parametrize("name", sorted(set(NAMES) - MAY_FALL))
def test_moving_a_relevant_document_up_never_hurts(name):
    rng, size = np.random.default_rng(3), 7
    grades, before, after, are_tied = [], [], [], []
    for _ in range(40):
        y_true = rng.integers(0, 2, size) * rng.integers(1, 4, size)
        y_score = rng.integers(0, 5, size)
        if len(set(y_true)) < 2:
            continue
        if name in CANNOT_MISS and np.count_nonzero(y_true == 0) < 3:
            continue
        low, high = rng.choice(np.flatnonzero(y_true)), rng.integers(size)
        if y_true[high] or y_score[high] < y_score[low]:
            continue
        swapped = y_score.copy()
        swapped[[low, high]] = y_score[[high, low]]
        grades.append(y_true)
        before.append(y_score)
        after.append(swapped)
        are_tied.append(y_score[high] == y_score[low])
    given = {"qid": np.repeat(np.arange(len(grades)), size), "average": None}
    y_true = np.concatenate(grades)
    for ties in policies_of(name):
        was, became = (
            quietly(name, y_true, np.concatenate(scores), ties=ties, **given)
            for scores in (before, after)
        )
        gain = was - became if name in LESS_IS_BETTER else became - was
        if ties == "first":
            gain = gain[~np.array(are_tied)]
        assert len(gain) > 5
        assert (gain >= -1e-12).all(), ties


@pytest.mark.parametrize("name", sorted(set(NAMES) - NOT_THE_MEAN_OF_THE_QUERIES))
def test_the_score_is_the_mean_of_the_values_of_the_queries(name):
    y_true, y_score, qid = lists()
    for ties in policies_of(name):
        values = call(name, y_true, y_score, qid=qid, ties=ties, average=None)
        assert isinstance(values, np.ndarray)
        assert values.shape == (qid.max() + 1,)
        score = call(name, y_true, y_score, qid=qid, ties=ties)
        assert type(score) is float
        assert score == pytest.approx(np.nanmean(values), rel=1e-12), ties


@pytest.mark.parametrize("name", NAMES)
def test_each_query_is_scored_as_if_it_were_alone(name):
    y_true, y_score, qid = lists()
    reads_all = name.partition("@")[0] in READS_ALL_GRADES
    own = {"max_grade": 4} if reads_all else {}
    values = call(name, y_true, y_score, qid=qid, average=None, **own)
    alone = [
        quietly(name, y_true[qid == query], y_score[qid == query], **own)
        for query in range(qid.max() + 1)
    ]
    if name == "gm_map":  # the mean, of one query too, is that of at least 1e-5
        values = np.maximum(values, 1e-5)
    assert_allclose(values, alone, rtol=1e-12)


@pytest.mark.parametrize("name", sorted(set(NAMES) - NOT_THE_MEAN_OF_THE_QUERIES))
def test_weighted_average_counts_a_query_by_its_documents(name):
    y_true, y_score, qid = lists()
    values = call(name, y_true, y_score, qid=qid, average=None)
    sizes = np.bincount(qid)
    known = ~np.isnan(values)
    expected = np.average(values[known], weights=sizes[known])
    assert call(name, y_true, y_score, qid=qid, average="weighted") == pytest.approx(
        expected
    )
    # The weight of a query and its number of documents multiply.
    weight = np.arange(1.0, len(sizes) + 1)
    expected = np.average(values[known], weights=(weight * sizes)[known])
    got = call(
        name, y_true, y_score, qid=qid, average="weighted", sample_weight=weight[qid]
    )
    assert got == pytest.approx(expected)


@pytest.mark.parametrize(
    ("name", "adjusted"),
    [(name, False) for name in NAMES]
    + [(name, True) for name in ADJUSTABLE if name not in BLIND_TO_THE_WHOLE_ORDER],
)
def test_sample_weight_is_the_weight_of_the_query(name, adjusted):
    y_true, y_score, qid = lists_beyond_chance(name)
    times = np.arange(qid.max() + 1) % 3

    def score(weight):
        return call(
            name, y_true, y_score, qid=qid, sample_weight=weight, adjusted=adjusted
        )

    plain = call(name, y_true, y_score, qid=qid, adjusted=adjusted)
    assert score(None) == plain
    assert score(np.ones(len(qid))) == pytest.approx(plain, rel=1e-12)
    factor = 7.5 if name in COUNTS else 1
    scaled = factor * score(times[qid])
    assert score(7.5 * times[qid]) == pytest.approx(scaled, rel=1e-12)
    rows = np.concatenate([np.flatnonzero(times[qid] > copy) for copy in range(2)])
    kept = qid != 4
    without = call(name, y_true[kept], y_score[kept], qid=qid[kept], adjusted=adjusted)
    assert score(kept.astype(int)) == pytest.approx(without, rel=1e-9)
    if name in OF_INDEPENDENT_QUERIES or (
        adjusted and name in EXPECTATION_OF_A_PRODUCT
    ):
        return
    copy_of = np.concatenate(
        [np.full((times[qid] > copy).sum(), copy) for copy in (0, 1)]
    )
    repeated = call(
        name,
        y_true[rows],
        y_score[rows],
        qid=qid[rows] * 2 + copy_of,
        adjusted=adjusted,
    )
    assert score(times[qid]) == pytest.approx(repeated, rel=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_all_weight_on_undefined_queries_leaves_nothing(name):
    y_true, y_score, qid = lists()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        if name in NEVER_UNDEFINED:
            score = call(name, y_true, y_score, qid=qid, sample_weight=qid == 0)
            n_documents = np.count_nonzero(qid == 0)
            of_nothing = OF_NOTHING | {"num_ret": n_documents}
            assert score == of_nothing.get(name, 0)
            return
    with pytest.warns(UndefinedMetricWarning, match="undefined for every query"):
        score = call(
            name,
            y_true,
            y_score,
            qid=qid,
            sample_weight=(qid == 0).astype(float),
            replace_undefined_by=np.nan,
        )
    assert math.isnan(score)


@pytest.mark.parametrize("name", sorted(set(NAMES) - NEVER_UNDEFINED))
def test_an_undefined_query_scores_what_the_user_says(name):
    y_true, y_score, qid = lists()
    values = call(
        name, y_true, y_score, qid=qid, average=None, replace_undefined_by=np.nan
    )
    undefined = np.isnan(values)
    assert undefined[0]
    for value in (0.0, 1.0, -2, 0.25):
        replaced = np.where(undefined, value, values)
        params = {"qid": qid, "replace_undefined_by": value}
        if name in TAKES_NO_NEGATIVE and value < 0:
            continue
        got = call(name, y_true, y_score, average=None, **params)
        assert_array_equal(got, replaced)
        if name in NOT_THE_MEAN_OF_THE_QUERIES:
            continue
        mean = call(name, y_true, y_score, **params)
        assert mean == pytest.approx(replaced.mean(), rel=1e-12)
    if name in OF_INDEPENDENT_QUERIES - Z_SCORES | {"z_geometric_mean_rank"}:
        return  # a query with a single rank has no index, but counts in the mean rank
    left_out = call(name, y_true, y_score, qid=qid, replace_undefined_by=np.nan)
    kept = ~undefined[qid]
    defined = call(name, y_true[kept], y_score[kept], qid=qid[kept])
    assert left_out == pytest.approx(defined, rel=1e-12)
    if name not in NOT_THE_MEAN_OF_THE_QUERIES:
        assert left_out == pytest.approx(values[~undefined].mean(), rel=1e-12)


@pytest.mark.parametrize("name", sorted(set(NAMES) - NEVER_UNDEFINED))
def test_nothing_left_to_average_is_nan_with_a_warning(name):
    with pytest.warns(UndefinedMetricWarning, match="undefined for every query"):
        score = call(name, [0, 0, 0], [1, 2, 3], replace_undefined_by=np.nan)
    assert type(score) is float
    assert math.isnan(score)


@pytest.mark.parametrize("name", sorted(UNDEFINED_WHEN_ALL_ARE_RELEVANT))
def test_pairs_need_two_different_grades(name):
    y_true, y_score, qid = lists()
    values = call(name, y_true > 0, y_score, qid=qid, average=None)
    per_query = [y_true[qid == query] > 0 for query in range(qid.max() + 1)]
    # The first three cannot miss what is relevant where fewer than three are not.
    n_others = 3 if name in CANNOT_MISS else 1
    nothing_to_rank = [sum(~q) < n_others or not q.any() for q in per_query]
    assert_array_equal(np.isnan(values), nothing_to_rank)


@pytest.mark.parametrize("name", NAMES)
def test_documents_below_the_threshold_have_no_grade(name):
    grades, y_score, qid = lists()
    for threshold in (-1, 0, 0.5, 1, 2, "max"):
        y_true = grades + (threshold == -1)
        if threshold == "max":
            highest = np.array([y_true[qid == query].max() for query in qid])
            relevant = (y_true == highest) & (y_true > 0)
        else:
            relevant = y_true > threshold
        assert_allclose(
            call(name, y_true, y_score, qid=qid, threshold=threshold, average=None),
            call(name, np.where(relevant, y_true, 0), y_score, qid=qid, average=None),
            rtol=1e-12,
            err_msg=f"threshold={threshold}",
        )


@pytest.mark.parametrize("name", CUT)
def test_k_may_exceed_the_list(name):
    y_true, y_score, qid = lists()
    base = name.partition("@")[0]
    far = call(f"{base}@1000", y_true, y_score, qid=qid, average=None)
    if METRICS[base].cutoff == "optional":
        expected = call(base, y_true, y_score, qid=qid, average=None)
    else:
        n_relevant = np.bincount(qid, weights=y_true > 0)
        expected = {
            "precision": n_relevant / 1000,
            "recall": n_relevant > 0,
            "recall_cap": n_relevant > 0,
            "hits": n_relevant > 0,
            "f1": 2 * n_relevant / (n_relevant + 1000),
            "judged": np.ones(len(n_relevant)),
            "adjusted_hits": np.full(len(n_relevant), np.nan),
            "z_hits": np.full(len(n_relevant), np.nan),
        }[base]
    assert_allclose(far, expected, rtol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_the_shapes_of_the_input_agree(name):
    y_true, y_score = matrix()
    qid = np.repeat(np.arange(len(y_true)), y_true.shape[1])
    for ties in policies_of(name):
        options = {"ties": ties, "average": None}
        flat = call(name, y_true.ravel(), y_score.ravel(), qid=qid, **options)
        kinds = [y_true, sparse.csr_matrix(y_true)]
        if ties == "expected":  # all kinds are read before the policy
            kinds += [
                y_true.tolist(),
                np.asfortranarray(y_true),
                sparse.csc_array(y_true),
                sparse.coo_matrix(y_true.astype(float)),
            ]
        for grades in kinds:
            assert_allclose(call(name, grades, y_score, **options), flat, rtol=1e-12)
        weight = np.arange(1.0, len(y_true) + 1)
        for average in ("macro", "weighted"):
            assert call(
                name, y_true, y_score, ties=ties, average=average, sample_weight=weight
            ) == pytest.approx(
                call(
                    name,
                    y_true.ravel(),
                    y_score.ravel(),
                    qid=qid,
                    ties=ties,
                    average=average,
                    sample_weight=weight[qid],
                )
            )


def options_of(name, **further):
    """Yield all combinations of policy, average and adjustment."""
    adjusted = (False, True) if name in ADJUSTABLE else (False,)
    averages = ("macro", "weighted", None)
    for values in itertools.product(policies_of(name), averages, adjusted):
        yield dict(zip(("ties", "average", "adjusted"), values, strict=True)) | further


@pytest.mark.parametrize("name", NAMES)
def test_candidates_are_a_matrix_with_one_relevant_document(name):
    _, y_score = matrix(1, (11, 6))
    target = np.random.default_rng(1).integers(0, 6, 11)
    one_hot = np.eye(6, dtype=int)[target]
    exclude = np.random.default_rng(2).random((11, 6)) < 0.3
    kept = exclude & (one_hot == 0)
    expected = quietly(name, one_hot, y_score)
    assert_allclose(quietly(name, target, y_score), expected, rtol=1e-12, atol=1e-12)
    for options in options_of(name):
        expected = quietly(name, one_hot, y_score, exclude=kept, **options)
        got = quietly(name, target, y_score, exclude=exclude, **options)
        assert_allclose(got, expected, rtol=1e-12, atol=1e-12)
    for mask in (exclude.tolist(), sparse.csr_matrix(exclude)):
        same = quietly(name, target, y_score, exclude=mask, **options)
        assert_array_equal(same, got)


@pytest.mark.parametrize("name", NAMES)
def test_excluding_a_document_is_leaving_its_row_out(name):
    y_true, y_score = matrix()
    exclude = np.random.default_rng(1).random(y_true.shape) < 0.4
    exclude[:, 0] = False
    qid = np.broadcast_to(np.arange(len(y_true))[:, np.newaxis], y_true.shape)[~exclude]
    rows = y_true[~exclude], y_score[~exclude]
    kinds = [
        (y_true, exclude.tolist()),
        (y_true, sparse.csr_matrix(exclude)),
        (sparse.csr_matrix(y_true), sparse.csc_matrix(exclude)),
    ]
    # Each policy, with and without adjustment, meets all thresholds: each time with
    # another one of the three averages.
    for i, threshold in enumerate((0.0, 1, "max")):
        for options in list(options_of(name, threshold=threshold))[i::3]:
            left = quietly(name, *rows, qid=qid, **options)
            got = quietly(name, y_true, y_score, exclude=exclude, **options)
            assert_allclose(got, left, rtol=1e-12, atol=1e-12, err_msg=str(options))
        # What holds the mask and the grades is read before any option.
        for grades, mask in kinds:
            same = quietly(name, grades, y_score, exclude=mask, **options)
            assert_allclose(same, got, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_a_query_whose_documents_are_all_excluded_is_undefined(name):
    y_true, y_score = np.array([[1, 0], [1, 1]]), np.array([[2.0, 1], [1, 2]])
    exclude = np.array([[False, False], [True, True]])
    params = {"exclude": exclude, "replace_undefined_by": 7.0, "average": None}
    values = call(name, y_true, y_score, **params)
    assert values[1] == (0 if name in NEVER_UNDEFINED else 7)


@pytest.mark.parametrize("name", NAMES)
def test_float32_scores_as_float64(name):
    y_true, y_score, qid = lists()
    expected = call(name, y_true, y_score, qid=qid)
    assert call(name, y_true, y_score.astype(np.float32), qid=qid) == expected
    y_true, y_score = matrix()
    expected = call(name, y_true, y_score)
    assert call(name, y_true.astype(np.float32), y_score.astype(np.float32)) == (
        pytest.approx(expected, rel=1e-12)
    )


@pytest.mark.parametrize("name", NAMES)
def test_the_input_is_only_read(name):
    flat = lists()
    dense = matrix()
    target = np.array([3, 0, 1, 2, 3, 4, 5, 6, 0])
    # Not in order within a row, and one entry in two parts.
    scattered = sparse.csr_matrix(
        (
            np.array([1, 2, 1, 1]),
            np.array([5, 0, 2, 2]),
            np.array([0, 2] + [4] * 8),
        ),
        shape=(9, 7),
    )
    mask = sparse.csr_matrix(dense[0] == 1)
    arrays = [*flat, *dense, target]
    for part in (scattered, mask):
        arrays += [part.data, part.indices, part.indptr]
    before = [array.copy() for array in arrays]
    for array in arrays:
        array.flags.writeable = False
    adjusted = {"adjusted": True} if name in ADJUSTABLE else {}
    quietly(name, flat[0], flat[1], qid=flat[2], **adjusted)
    quietly(name, *dense, exclude=mask)
    quietly(name, scattered, dense[1])
    quietly(name, target, dense[1], exclude=mask)
    for array, kept in zip(arrays, before, strict=True):
        assert_array_equal(array, kept)


@pytest.mark.parametrize("name", RISING)
def test_adjusted_is_zero_for_a_constant_scorer_and_one_for_a_perfect_one(name):
    y_true, _, qid = lists_beyond_chance(name)
    for average in ("macro", "weighted"):
        options = {"qid": qid, "adjusted": True, "average": average}
        assert call(name, y_true, np.zeros(len(qid)), **options) == 0.0
        assert call(name, y_true, y_true, **options) == 1.0
        # The replacement of undefined queries does not change that.
        options["replace_undefined_by"] = 1.0
        assert call(name, y_true, np.full(len(qid), 3), **options) == 0.0
        assert call(name, y_true, 2 * y_true + 1, **options) == 1.0


@pytest.mark.parametrize("name", sorted(BLIND_TO_THE_WHOLE_ORDER))
def test_adjusted_is_undefined_where_no_order_beats_chance(name):
    with pytest.warns(UndefinedMetricWarning):
        value = call(
            name, [1, 0, 2], [3, 2, 1], adjusted=True, replace_undefined_by=math.nan
        )
    assert math.isnan(value)


@pytest.mark.parametrize("name", RISING)
def test_adjusted_is_the_gain_over_chance_in_units_of_the_best_gain(name):
    y_true, y_score, qid = lists_beyond_chance(name)
    rows = {"qid": qid, "replace_undefined_by": 0.5}
    # Chance and the best value do not depend on the policy.
    chance = call(name, y_true, np.zeros(len(qid)), **rows)
    best = call(name, y_true, y_true, **rows)
    for ties in ("expected", "optimistic"):
        got = call(name, y_true, y_score, adjusted=True, ties=ties, **rows)
        value = call(name, y_true, y_score, ties=ties, **rows)
        assert got == pytest.approx((value - chance) / (best - chance), rel=1e-9)


@pytest.mark.parametrize("name", RISING)
def test_adjusted_values_of_the_queries(name):
    y_true, y_score, qid = lists()
    rows = {"qid": qid, "average": None, "replace_undefined_by": np.nan}
    got = call(name, y_true, y_score, adjusted=True, **rows)
    value = call(name, y_true, y_score, **rows)
    chance = call(name, y_true, np.zeros(len(qid)), **rows)
    best = call(name, y_true, y_true, **rows)
    gain, span = value - chance, best - chance
    expected = np.full(len(gain), np.nan)
    np.divide(gain, span, out=expected, where=np.abs(span) > 1e-9)
    assert_allclose(got, expected, rtol=1e-9, atol=1e-12)


# The spread of one query is 0 without ties. A geometric mean of expectations is more
# than the expectation.
@pytest.mark.parametrize(
    "name",
    sorted(
        set(ADJUSTABLE)
        - EXPECTATION_OF_A_PRODUCT
        - BLIND_TO_THE_WHOLE_ORDER
        - SPREAD
        - Z_SCORES
        - {"gm_map"}
    ),
)
def test_random_scores_average_to_zero_when_adjusted(name):
    rng = np.random.default_rng(0)
    y_true, _, qid = defined_lists(n_queries=3000)
    y_score = rng.random(len(qid))
    value = call(name, y_true, y_score, qid=qid, average=None)
    chance = call(name, y_true, np.zeros(len(qid)), qid=qid, average=None)
    best = call(name, y_true, y_true, qid=qid)
    standard_error = np.std(value - chance) / math.sqrt(len(value))
    tolerance = 4 * standard_error / abs(best - chance.mean())
    assert tolerance < 0.15
    assert abs(call(name, y_true, y_score, qid=qid, adjusted=True)) < tolerance


@pytest.mark.parametrize("name", NAMES)
def test_large_tie_groups_neither_overflow_nor_lose_digits(name):
    (request,) = read_requests([full_name(name)], {}, "test")
    _, (low, high) = request.limits
    n = 100_000
    y_true = np.zeros(2 * n)
    y_true[: n // 2], y_true[n : n + 3] = 1, 2
    y_score = np.repeat([1.0, 0.0], n)
    # The first tie group is half relevant; then three of a large one.
    for ties in policies_of(name):
        value = call(name, y_true, y_score, qid=np.zeros(2 * n, int), ties=ties)
        assert math.isfinite(value)
        assert low <= request.sign * value <= high


@pytest.mark.slow
def test_one_relevant_document_among_many_ties_has_the_value_of_the_formula():
    n = 100_000
    y_true, y_score = np.eye(1, n)[0], np.zeros(n)
    harmonic = math.fsum(1 / i for i in range(1, n + 1))
    discounts = math.fsum(1 / math.log2(i + 1) for i in range(1, n + 1))
    mean, geometric = (n + 1) / 2, math.exp(math.lgamma(n + 1) / n)
    expected = {
        "mrr": harmonic / n,
        "map": harmonic / n,
        "gm_map": harmonic / n,
        "lrap": harmonic / n,
        "num_ret": n,
        "num_rel": 1,
        "num_rel_ret": 1,
        "ranking_loss": 1 / 2,
        "ndcg": discounts / n,
        "dcg@3": (1 + 1 / math.log2(3) + 1 / 2) / n,
        "hits@3": 3 / n,
        "recall@3": 3 / n,
        "recall_cap@3": 3 / n,
        "precision@3": 1 / n,
        "f1@3": 2 * (3 / n) / (1 + 3),
        "r_precision": 1 / n,
        "bpref": 1 / n,
        "judged@3": 1,
        "q_measure": 2 * (harmonic + 1 / (n + 1) - 1) / n,
        "err": harmonic / 2 / n,
        "err@3": (1 + 1 / 2 + 1 / 3) / 2 / n,
        "rbp": 1 / n,
        "rbp@3": (1 - 0.8**3) / n,
        "mean_rank": (n + 1) / 2,
        "median_rank": (n + 1) / 2,
        "geometric_mean_rank": math.exp(math.lgamma(n + 1) / n),
        "harmonic_mean_rank": n / harmonic,
        "inverse_mean_rank": 2 / (n + 1),
        "inverse_median_rank": 2 / (n + 1),
        "inverse_geometric_mean_rank": math.exp(-math.lgamma(n + 1) / n),
        "rank_variance": (n**2 - 1) / 12,
        "rank_standard_deviation": math.sqrt((n**2 - 1) / 12),
        "rank_median_absolute_deviation": 1.482602218505602 * n / 4,
        "adjusted_mean_rank": 1,
        **dict.fromkeys(INDICES | Z_SCORES, 0),
        "adjusted_geometric_mean_rank_index": (geometric - mean) / (1 - mean),
        "z_geometric_mean_rank": (mean - geometric) / math.sqrt((n**2 - 1) / 12),
        "query_auc": 1 / 2,
        "rank_correlation": 1 / 2,
        "spearman": 0,
        # Of the first d of either order d * d / n are shared.
        "rbo": 1 / (1 - 0.9) / n,
    }
    for name, value in expected.items():
        score = call(name, y_true, y_score, qid=np.zeros(n, dtype=int))
        assert score == pytest.approx(value, rel=1e-11)


@pytest.mark.parametrize("name", NAMES)
def test_infinite_scores_are_ranked(name):
    y_true = [0, 2, 1, 0, 1, 0]
    infinite = [np.inf, np.inf, 1.0, 0.0, -np.inf, -np.inf]
    finite = [3, 3, 2, 1, 0, 0]
    for ties in policies_of(name):
        expected = call(name, y_true, finite, ties=ties)
        assert call(name, y_true, infinite, ties=ties) == expected
        assert call(name, [y_true], [infinite], ties=ties) == expected
        candidates = [call(name, [1], [s], ties=ties) for s in (infinite, finite)]
        assert candidates[0] == candidates[1]


@pytest.mark.parametrize("name", NAMES)
def test_uneven_queries_with_infinite_scores_do_not_meet_the_padding(name):
    rng = np.random.default_rng(5)
    y_true, y_score, qid = lists(5, n_queries=30)
    y_score = rng.choice([-np.inf, np.inf, 0.0, -0.0], len(qid))
    for ties in ("expected", "first"):
        expected = query_values(name, y_true, y_score, qid, ties=ties)
        got = call(
            name,
            y_true,
            y_score,
            qid=qid,
            ties=ties,
            average=None,
            replace_undefined_by=np.nan,
        )
        assert_allclose(got, expected, rtol=1e-12)
