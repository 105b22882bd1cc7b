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

from skrank._engine.names import read_requests
from skrank._engine.request import METRICS
from skrank.metrics import evaluate
from tests.brute_force import (
    ADJUSTABLE,
    CANNOT_MISS,
    COUNTS,
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
    OF_NOTHING,
    REFERENCE,
    TAKES_NO_NEGATIVE,
    UNDEFINED_WHEN_ALL_ARE_RELEVANT,
    WITH_FUNCTION,
    call,
    evaluated,
    exempt,
    full_name,
    query_values,
)

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


def matrix(seed=0, shape=(9, 7), n_levels=4):
    rng = np.random.default_rng(seed)
    y_true = rng.integers(0, 3, shape)
    y_true[0] = 0
    return y_true, rng.integers(0, n_levels, shape).astype(float)


def together(names, y_true, y_score, **params):
    """Return the values of metrics by their names without ``neg_``, of one call."""
    asked = [full_name(name) for name in names]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        found = evaluated(y_true, y_score, asked, **params)
    signs = [-1 if one.startswith("neg_") else 1 for one in asked]
    return {
        name: sign * found[one]
        for name, one, sign in zip(names, asked, signs, strict=True)
    }


def assert_all_close(got, expected, rtol=1e-12, atol=0, said=""):
    """Compare the values of metrics by name."""
    assert got
    assert got.keys() == expected.keys()
    assert_allclose(
        [*got.values()], [expected[name] for name in got], rtol=rtol, atol=atol,
        err_msg=f"rows are those of {[*got]}, {said}",
    )  # fmt: skip


def policies_of(name):
    metric = METRICS[name.partition("@")[0]]
    return POLICIES + (["realistic"] if metric.reads_first_rank else [])


# The metrics of each policy.
BY_POLICY = {
    ties: [name for name in NAMES if ties in policies_of(name)]
    for ties in [*POLICIES, "realistic"]
}


def test_every_metric_has_a_reference():
    assert set(REFERENCE) == set(METRICS) - set(OF_COLUMNS)
    assert {
        name for name, metric in METRICS.items() if metric.full_name != name
    } == LESS_IS_BETTER


@pytest.mark.slow
def test_an_exempt_metric_needs_its_exemption():
    y_true, _, qid = defined_lists()
    perfect = together(NAMES, y_true, y_true, qid=qid)
    assert {name for name in NAMES if abs(perfect[name] - 1) > 1e-12} == (
        NOT_ONE_WHEN_PERFECT
    )
    # What the metrics say of themselves, by values that show it.
    worst = together(NAMES, y_true, -y_true, qid=qid)
    assert {name for name in NAMES if worst[name] > perfect[name] + 1e-12} == (
        exempt(*LESS_IS_BETTER)
    )
    random = np.random.default_rng(0).random(len(qid))
    outside = set()
    for y_score in (y_true, -y_true, random):
        values = together(NAMES, y_true, y_score, qid=qid)
        outside |= {name for name in NAMES if not -1e-12 < values[name] < 1 + 1e-12}
    assert outside == NOT_BETWEEN_ZERO_AND_ONE
    nothing = together(NAMES, [0, 0], [1, 2], average=None)
    assert {name for name in NAMES if math.isnan(nothing[name][0])} == NAN_BY_DEFAULT
    left_out = {"replace_undefined_by": np.nan}
    nothing = together(NAMES, [0, 0], [1, 2], **left_out)
    assert {name: value for name, value in nothing.items() if value == value} == (
        dict.fromkeys(NEVER_UNDEFINED, 0) | OF_NOTHING
    )
    all_relevant = together(NAMES, [1, 1], [1, 2], **left_out)
    assert {name for name in NAMES if math.isnan(all_relevant[name])} == (
        UNDEFINED_WHEN_ALL_ARE_RELEVANT
    )
    y_true, y_score, qid = lists(relevant=0.6)
    values = together(NAMES, y_true, y_score, qid=qid, average=None)
    scores = together(NAMES, y_true, y_score, qid=qid)
    for name in NAMES:
        is_mean = bool(abs(scores[name] - np.nanmean(values[name])) < 1e-9)
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


@pytest.mark.slow
def test_no_ranking_beats_the_perfect_one_which_scores_one():
    for seed in range(5):
        y_true, y_score, qid = defined_lists(seed)
        other = together(NAMES, y_true, y_score, qid=qid, average=None)
        for ties in POLICIES:
            options = {"qid": qid, "ties": ties, "average": None}
            best = together(NAMES, y_true, y_true, **options)
            for name in NAMES:
                sign = -1 if name in LESS_IS_BETTER else 1
                gap = sign * (best[name] - other[name])
                assert (gap >= -1e-12).all(), name
                if name not in NOT_ONE_WHEN_PERFECT:
                    assert_allclose(best[name], 1, atol=1e-12, err_msg=name)


@pytest.mark.slow
def test_values_stay_in_their_range():
    limits = {}
    for name in NAMES:
        (request,) = read_requests([full_name(name)], {}, "test")
        _, limits[name] = request.limits
        if request.sign < 0:
            limits[name] = tuple(-limit for limit in limits[name][::-1])
        if name not in NOT_BETWEEN_ZERO_AND_ONE:
            assert limits[name] == (0, 1)
    for (ties, names), seed in itertools.product(BY_POLICY.items(), range(5)):
        y_true, y_score, qid = lists(seed)
        options = {"qid": qid, "ties": ties, "average": None}
        for name, values in together(names, y_true, y_score, **options).items():
            low, high = limits[name]
            low = max(low, LEAST.get(name, -math.inf))
            known = values[~np.isnan(values)]
            assert ((known >= low - 1e-12) & (known <= high + 1e-12)).all(), name


WORDS = np.array([f"q{i:02d}" for i in range(12)])
# What changes no value, as a function of grades, scores and ids.
CHANGES = {
    "ids are words": lambda y, s, q: (y, s, WORDS[q]),
    "ids are a list": lambda y, s, q: (y, s, WORDS[q].tolist()),
    "ids are far apart": lambda y, s, q: (y, s, q * 1000 - 5),
    "ids are floats": lambda y, s, q: (y, s, q + 0.5),
    "scores are exponential": lambda y, s, q: (y, np.exp(s), q),
    "scores are below zero": lambda y, s, q: (y, -np.exp2(-s), q),
    "scores have another unit": lambda y, s, q: (y, 7 * s - 3, q),
    "scores are in single precision": lambda y, s, q: (y, s.astype(np.float32), q),
    "queries stand together": lambda *rows: in_order(rows, by_query(rows[2])),
}


def by_query(qid):
    return np.argsort(qid, kind="stable")


def in_order(rows, order):
    return tuple(column[order] for column in rows)


@pytest.mark.slow
@pytest.mark.parametrize("change", CHANGES)
def test_a_change_that_does_not_matter_changes_no_value(change):
    rows = lists()
    changed = CHANGES[change](*rows)
    for ties, names in BY_POLICY.items():
        options = {"ties": ties, "average": None}
        expected = together(names, *rows[:2], qid=rows[2], **options)
        got = together(names, *changed[:2], qid=changed[2], **options)
        assert_all_close(got, expected, said=ties)


@pytest.mark.slow
def test_the_order_of_the_rows_and_of_the_queries_changes_nothing():
    y_true, y_score, qid = rows = lists()
    for ties, names in BY_POLICY.items():
        options = {"ties": ties, "average": None}
        expected = together(names, y_true, y_score, qid=qid, **options)
        reverse = together(names, y_true, y_score, qid=-qid, **options)
        got = {name: values[::-1] for name, values in reverse.items()}
        assert_all_close(got, expected, said=ties)
        if ties != "first":
            order = np.random.default_rng(0).permutation(len(qid))
            shuffled = in_order(rows, order)
            got = together(names, *shuffled[:2], qid=shuffled[2], **options)
            assert_all_close(got, expected, said=ties)


def test_a_metric_that_a_relevant_document_may_hurt_by_moving_up():
    # First by itself, a document of a low grade has gained less than it could have.
    before = call("q_measure", [0, 3, 1], [3, 2, 1])
    assert before == pytest.approx(((1 + 7) / (2 + 8) + (2 + 8) / (3 + 8)) / 2)
    after = call("q_measure", [0, 3, 1], [1, 2, 3])
    assert after == pytest.approx(((1 + 1) / (1 + 7) + (2 + 8) / (2 + 8)) / 2)
    assert after < before
    assert {"q_measure"} == MAY_FALL


@pytest.mark.slow
def test_moving_a_relevant_document_up_never_hurts():
    rng, size = np.random.default_rng(3), 7
    grades, before, after, are_tied = [], [], [], []
    for _ in range(60):
        y_true = rng.integers(0, 2, size) * rng.integers(1, 4, size)
        y_score = rng.integers(0, 5, size)
        # The first three documents may miss the relevant ones.
        if not y_true.any() or np.count_nonzero(y_true == 0) < 3:
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
    for ties, names in BY_POLICY.items():
        names = sorted(set(names) - MAY_FALL)
        was, became = (
            together(names, y_true, np.concatenate(scores), ties=ties, **given)
            for scores in (before, after)
        )
        for name in names:
            sign = -1 if name in LESS_IS_BETTER else 1
            gain = sign * (became[name] - was[name])
            if ties == "first":
                gain = gain[~np.array(are_tied)]
            assert len(gain) > 5
            assert (gain >= -1e-12).all(), (name, ties)


@pytest.mark.slow
def test_the_score_is_the_mean_of_the_values_of_the_queries():
    y_true, y_score, qid = lists()
    sizes = np.bincount(qid)
    weight = np.arange(1.0, len(sizes) + 1)
    for ties, names in BY_POLICY.items():
        names = sorted(set(names) - NOT_THE_MEAN_OF_THE_QUERIES)
        rows = {"qid": qid, "ties": ties}
        values = together(names, y_true, y_score, average=None, **rows)
        assert all(one.shape == sizes.shape for one in values.values())
        # The weight of a query and its number of documents multiply.
        for average, given, counts in [
            ("macro", None, np.ones(len(sizes))),
            ("macro", weight[qid], weight),
            ("weighted", None, sizes),
            ("weighted", weight[qid], weight * sizes),
        ]:
            options = rows | {"average": average, "sample_weight": given}
            got = together(names, y_true, y_score, **options)
            assert {type(score) for score in got.values()} == {float}
            expected = {
                name: np.average(one[~np.isnan(one)], weights=counts[~np.isnan(one)])
                for name, one in values.items()
            }
            assert_all_close(got, expected, said=f"{ties} {average}")


@pytest.mark.slow
def test_each_query_is_scored_as_if_it_were_alone():
    y_true, y_score, qid = lists()
    rows = {"max_grade": 4}  # by default that of all queries
    values = together(NAMES, y_true, y_score, qid=qid, average=None, **rows)
    # The mean, of one query too, is that of at least 1e-5.
    values["gm_map"] = np.maximum(values["gm_map"], 1e-5)
    for query in range(12):
        own = qid == query
        alone = together(NAMES, y_true[own], y_score[own], **rows)
        assert_all_close(alone, {name: values[name][query] for name in NAMES})


@pytest.mark.parametrize("adjusted", [False, True])
def test_sample_weight_is_the_weight_of_the_query(adjusted):
    names = ADJUSTABLE if adjusted else NAMES
    y_true, y_score, qid = rows = lists()
    times = np.arange(qid.max() + 1) % 3

    def score(weight, rows=rows, of=names, **params):
        *arrays, qid = rows
        params |= {"qid": qid, "sample_weight": weight}
        if adjusted:
            params["adjusted"] = True
        return together(of, *arrays, **params)

    plain = score(None)
    assert_all_close(score(np.ones(len(qid))), plain)
    factors = {name: 7.5 if name in COUNTS else 1 for name in names}
    once = score(times[qid])
    scaled = {name: factors[name] * once[name] for name in names}
    assert_all_close(score(7.5 * times[qid]), scaled)
    # Weight 0 is removal, also of an undefined query.
    kept = ~np.isin(qid, [0, 4])
    for instead in (0.0, 2.5, np.nan):
        got = score(kept.astype(int), replace_undefined_by=instead)
        without = score(None, in_order(rows, kept), replace_undefined_by=instead)
        assert_all_close(got, without, rtol=1e-9, atol=1e-14)
    chosen = np.concatenate([np.flatnonzero(times[qid] > copy) for copy in range(2)])
    copy_of = np.concatenate(
        [np.full((times[qid] > copy).sum(), copy) for copy in (0, 1)]
    )
    repeated = y_true[chosen], y_score[chosen], qid[chosen] * 2 + copy_of
    assert_all_close(once, score(None, repeated), rtol=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_undefined_queries_alone_leave_nothing_to_average(name):
    y_true, y_score, qid = lists()
    weight = (qid == 0).astype(float)
    if name in NEVER_UNDEFINED:  # warnings are errors here
        score = call(name, y_true, y_score, qid=qid, sample_weight=weight)
        of_nothing = OF_NOTHING | {"num_ret": np.count_nonzero(qid == 0)}
        assert score == of_nothing.get(name, 0)
        return
    for given in ({"qid": qid, "sample_weight": weight}, {"qid": 0 * qid}):
        grades = y_true if "sample_weight" in given else 0 * y_true
        with pytest.warns(UndefinedMetricWarning, match="undefined for every query"):
            score = call(name, grades, y_score, replace_undefined_by=np.nan, **given)
        assert type(score) is float
        assert math.isnan(score)


@pytest.mark.slow
def test_an_undefined_query_scores_what_the_user_says():
    y_true, y_score, qid = lists()
    names = sorted(set(NAMES) - NEVER_UNDEFINED)
    given = {"qid": qid, "replace_undefined_by": np.nan}
    values = together(names, y_true, y_score, average=None, **given)
    assert all(np.isnan(one[0]) for one in values.values())
    for value in (0.0, 1.0, -2, 0.25):
        names = [one for one in values if value >= 0 or one not in TAKES_NO_NEGATIVE]
        replaced = {
            name: np.where(np.isnan(values[name]), value, values[name])
            for name in names
        }
        params = {"qid": qid, "replace_undefined_by": value}
        got = together(names, y_true, y_score, average=None, **params)
        assert_all_close(got, replaced, rtol=0)
        names = sorted(set(names) - NOT_THE_MEAN_OF_THE_QUERIES)
        expected = {name: replaced[name].mean() for name in names}
        assert_all_close(together(names, y_true, y_score, **params), expected)
    left_out = together([*values], y_true, y_score, **given)
    # A query with a single rank has no index, but counts in the mean rank.
    for name in values:
        kept = ~np.isnan(values[name])[qid]
        defined = call(name, y_true[kept], y_score[kept], qid=qid[kept])
        assert left_out[name] == pytest.approx(defined, rel=1e-12), name


def test_pairs_need_two_different_grades():
    y_true, y_score, qid = lists()
    names = sorted(UNDEFINED_WHEN_ALL_ARE_RELEVANT)
    values = together(names, y_true > 0, y_score, qid=qid, average=None)
    per_query = [y_true[qid == query] > 0 for query in range(qid.max() + 1)]
    for name in names:
        # The first three cannot miss what is relevant where fewer than three are not.
        n_others = 3 if name in CANNOT_MISS else 1
        nothing_to_rank = [sum(~q) < n_others or not q.any() for q in per_query]
        assert_array_equal(np.isnan(values[name]), nothing_to_rank)


@pytest.mark.parametrize("threshold", [-1, 0, 0.5, 1, 2, "max"])
def test_documents_below_the_threshold_have_no_grade(threshold):
    y_true, y_score, qid = lists()
    y_true += threshold == -1
    if threshold == "max":
        highest = np.array([y_true[qid == query].max() for query in qid])
        relevant = (y_true == highest) & (y_true > 0)
    else:
        relevant = y_true > threshold
    rows = {"qid": qid, "average": None}
    got = together(NAMES, y_true, y_score, threshold=threshold, **rows)
    expected = together(NAMES, np.where(relevant, y_true, 0), y_score, **rows)
    assert_all_close(got, expected)


def test_k_may_exceed_the_list():
    y_true, y_score, qid = lists()
    names = [name for name, of in METRICS.items() if of.cutoff == "optional"]
    names = [name for name in names if name not in OF_COLUMNS]
    whole = together(names, y_true, y_score, qid=qid, average=None)
    far = [f"{name}@1000" for name in names]
    got = together(far, y_true, y_score, qid=qid, average=None)
    assert_all_close(dict(zip(names, got.values(), strict=True)), whole)
    assert call("precision@1000", [1, 0], [2, 1]) == 1 / 1000
    assert call("f1@1000", [1, 0], [2, 1]) == 2 * 1 / (1 + 1000)


@pytest.mark.slow
@pytest.mark.parametrize("ties", BY_POLICY)
def test_the_shapes_of_the_input_agree(ties):
    y_true, y_score = matrix()
    names, n_queries = BY_POLICY[ties], len(y_true)
    qid = np.repeat(np.arange(n_queries), y_true.shape[1])
    weight = np.arange(1.0, n_queries + 1)
    shapes = [
        (y_true, y_score.astype(np.float32)),
        (y_true.tolist(), y_score.tolist()),
        (np.asfortranarray(y_true, dtype=np.float32), np.asfortranarray(y_score)),
        (sparse.csr_matrix(y_true), y_score),
        (sparse.csc_array(y_true), y_score),
        (sparse.coo_matrix(y_true.astype(float)), y_score),
    ]
    averages = [(None, None), ("macro", weight), ("weighted", weight)]
    # Each policy has other pairs of a mean and a shape.
    turn = list(BY_POLICY).index(ties)
    for i, (average, given) in enumerate(averages, turn):
        options = {"ties": ties, "average": average}
        flat = together(
            names, y_true.ravel(), y_score.ravel(), qid=qid,
            sample_weight=None if given is None else given[qid], **options,
        )  # fmt: skip
        for grades, scores in shapes[i % 3 :: 3]:
            got = together(names, grades, scores, sample_weight=given, **options)
            assert_all_close(got, flat)


def options_with_names(turn=0, **further):
    """Yield all pairs of policy and adjustment, with their metrics and some average.

    In three turns each pair has each average.
    """
    averages = ("macro", "weighted", None)
    pairs = itertools.product(BY_POLICY, (0, 1))
    for i, (ties, adjusted) in enumerate(pairs, turn):
        average = averages[i % 3]
        options = {"ties": ties, "average": average, **further}
        names = BY_POLICY[ties]
        if adjusted:
            options["adjusted"] = True
            names = sorted(set(names) & set(ADJUSTABLE))
        yield names, options


@pytest.mark.slow
def test_candidates_are_a_matrix_with_one_relevant_document():
    _, y_score = matrix(1, (11, 6))
    target = np.random.default_rng(1).integers(0, 6, 11)
    one_hot = np.eye(6, dtype=int)[target]
    exclude = np.random.default_rng(2).random((11, 6)) < 0.3
    kept = exclude & (one_hot == 0)
    expected = together(NAMES, one_hot, y_score)
    assert_all_close(together(NAMES, target, y_score), expected, atol=1e-12)
    masks = itertools.cycle([exclude, exclude.tolist(), sparse.csr_matrix(exclude)])
    for names, options in options_with_names():
        expected = together(names, one_hot, y_score, exclude=kept, **options)
        got = together(names, target, y_score, exclude=next(masks), **options)
        assert_all_close(got, expected, atol=1e-12, said=options)


@pytest.mark.slow
@pytest.mark.parametrize(("turn", "threshold"), [(0, 0.0), (1, 1), (2, "max")])
def test_excluding_a_document_is_leaving_its_row_out(turn, threshold):
    y_true, y_score = matrix()
    exclude = np.random.default_rng(1).random(y_true.shape) < 0.4
    exclude[:, 0] = False
    qid = np.broadcast_to(np.arange(len(y_true))[:, np.newaxis], y_true.shape)[~exclude]
    rows = y_true[~exclude], y_score[~exclude]
    kinds = itertools.cycle(
        [
            (y_true, exclude),
            (y_true, exclude.tolist()),
            (y_true, sparse.csr_matrix(exclude)),
            (sparse.csr_matrix(y_true), sparse.csc_matrix(exclude)),
        ]
    )
    for names, options in options_with_names(turn, threshold=threshold):
        left = together(names, *rows, qid=qid, **options)
        grades, mask = next(kinds)
        got = together(names, grades, y_score, exclude=mask, **options)
        assert_all_close(got, left, atol=1e-12, said=options)


def test_a_query_whose_documents_are_all_excluded_is_undefined():
    y_true, y_score = np.array([[1, 0], [1, 1]]), np.array([[2.0, 1], [1, 2]])
    exclude = np.array([[False, False], [True, True]])
    params = {"exclude": exclude, "replace_undefined_by": 7.0, "average": None}
    values = together(NAMES, y_true, y_score, **params)
    for name in NAMES:
        assert values[name][1] == (0 if name in NEVER_UNDEFINED else 7), name


@pytest.mark.slow
def test_the_input_is_only_read():
    flat = lists()
    dense = matrix()
    target = np.array([3, 0, 1, 2, 3, 4, 5, 6, 0])
    # Not in order within a row, and one entry in two parts.
    scattered = sparse.csr_matrix(
        (np.array([1, 2, 1, 1]), np.array([5, 0, 2, 2]), np.array([0, 2] + [4] * 8)),
        shape=(9, 7),
    )
    mask = sparse.csr_matrix(dense[0] == 1)
    arrays = [*flat, *dense, target]
    for part in (scattered, mask):
        arrays += [part.data, part.indices, part.indptr]
    before = [array.copy() for array in arrays]
    for array in arrays:
        array.flags.writeable = False
    together(ADJUSTABLE, flat[0], flat[1], qid=flat[2], adjusted=True)
    together(NAMES, *dense, exclude=mask)
    together(NAMES, scattered, dense[1])
    together(NAMES, target, dense[1], exclude=mask)
    for array, kept in zip(arrays, before, strict=True):
        assert_array_equal(array, kept)


@pytest.mark.parametrize("name", sorted({*NAMES} - {*ADJUSTABLE}))
def test_only_mrr_hits_and_the_mean_rank_take_adjusted(name):
    with pytest.raises(TypeError, match=r"takes: \['adjusted'\]|argument 'adjusted'"):
        call(name, [1, 0, 2], [3, 2, 1], adjusted=True)


@pytest.mark.slow
def test_adjusted_is_the_gain_over_chance_in_units_of_the_best_gain():
    names, (y_true, y_score, qid) = ADJUSTABLE, lists()
    rows = {"qid": qid, "replace_undefined_by": 0.5}
    # Chance and the best value do not depend on the policy.
    chance = together(names, y_true, np.zeros(len(qid)), **rows)
    best = together(names, y_true, y_true, **rows)
    for ties in ("expected", "optimistic"):
        got = together(names, y_true, y_score, adjusted=True, ties=ties, **rows)
        value = together(names, y_true, y_score, ties=ties, **rows)
        expected = {
            name: (value[name] - chance[name]) / (best[name] - chance[name])
            for name in names
        }
        assert_all_close(got, expected, rtol=1e-9, said=ties)


def test_adjusted_values_of_the_queries():
    y_true, y_score, qid = lists()
    rows = {"qid": qid, "average": None, "replace_undefined_by": np.nan}
    got = together(ADJUSTABLE, y_true, y_score, adjusted=True, **rows)
    value, chance, best = (
        together(ADJUSTABLE, y_true, scores, **rows)
        for scores in (y_score, np.zeros(len(qid)), y_true)
    )
    for name in ADJUSTABLE:
        gain, span = value[name] - chance[name], best[name] - chance[name]
        expected = np.full(len(gain), np.nan)
        np.divide(gain, span, out=expected, where=np.abs(span) > 1e-9)
        assert_allclose(got[name], expected, rtol=1e-9, atol=1e-12, err_msg=name)


@pytest.mark.slow
@pytest.mark.parametrize("ties", BY_POLICY)
def test_large_tie_groups_neither_overflow_nor_lose_digits(ties):
    n = 100_000
    y_true = np.zeros(2 * n)
    y_true[: n // 2], y_true[n : n + 3] = 1, 2
    y_score = np.repeat([1.0, 0.0], n)
    asked = [full_name(name) for name in BY_POLICY[ties]]
    # The first tie group is half relevant; then three of a large one.
    found = evaluate(y_true, y_score, asked, qid=np.zeros(2 * n, int), ties=ties)
    requests = read_requests(asked, {}, "test")
    assert len(requests) == len(asked) > 14
    for request in requests:
        _, (low, high) = request.limits
        assert math.isfinite(found[request.key])
        assert low <= found[request.key] <= high


@pytest.mark.slow
def test_one_relevant_document_among_many_ties_has_the_value_of_the_formula():
    n = 100_000
    y_true, y_score = np.eye(1, n)[0], np.zeros(n)
    harmonic = math.fsum(1 / i for i in range(1, n + 1))
    discounts = math.fsum(1 / math.log2(i + 1) for i in range(1, n + 1))
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
        "adjusted_mean_rank": 1,
        **dict.fromkeys(INDICES, 0),
        "query_auc": 1 / 2,
        "rank_correlation": 1 / 2,
        "spearman": 0,
        # Of the first d of either order d * d / n are shared.
        "rbo": 1 / (1 - 0.9) / n,
    }
    got = together([*expected], y_true, y_score, qid=np.zeros(n, dtype=int))
    assert_all_close(got, expected, rtol=1e-11, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("ties", BY_POLICY)
def test_infinite_scores_are_ranked(ties):
    names, y_true = BY_POLICY[ties], [0, 2, 1, 0, 1, 0]
    infinite = [np.inf, np.inf, 1.0, 0.0, -np.inf, -np.inf]
    finite = [3, 3, 2, 1, 0, 0]
    expected = together(names, y_true, finite, ties=ties)
    assert together(names, y_true, infinite, ties=ties) == expected
    assert together(names, [y_true], [infinite], ties=ties) == expected
    one, other = (
        together(names, [1], [scores], ties=ties) for scores in (infinite, finite)
    )
    assert_all_close(one, other, rtol=0)


@pytest.mark.slow
@pytest.mark.parametrize("ties", ["expected", "first"])
def test_uneven_queries_with_infinite_scores_do_not_meet_the_padding(ties):
    rng = np.random.default_rng(5)
    y_true, y_score, qid = lists(5, n_queries=30)
    y_score = rng.choice([-np.inf, np.inf, 0.0, -0.0], len(qid))
    rows = {"qid": qid, "average": None, "replace_undefined_by": np.nan}
    got = together(NAMES, y_true, y_score, ties=ties, **rows)
    for name in NAMES:
        expected = query_values(name, y_true, y_score, qid, ties=ties)
        assert_allclose(got[name], expected, rtol=1e-12, err_msg=name)
