"""Bad input raises a clear error; good input of any kind gives the same number."""

# SPDX-License-Identifier: BSD-3-Clause

import datetime as dt
import decimal
import functools
import inspect
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.linear_model import LinearRegression

from skrank import metrics
from skrank._engine.request import METRICS
from skrank.metrics import evaluate, mrr_score
from tests.brute_force import WITH_FUNCTION, masked

Y = [1, 0, 2, 0]
S = [4.0, 3.0, 2.0, 1.0]
Q = [7, 7, 8, 8]
MATRIX = [[1, 0, 2], [0, 1, 0]]
SCORES = [[3.0, 2.0, 1.0], [1.0, 2.0, 3.0]]
NAN, INF = float("nan"), float("inf")
DAY = dt.datetime(2024, 1, 1)


def bad(match, y_true=Y, y_score=S, error=ValueError, **params):
    return (y_true, y_score, params, error, match)


SHAPES = "must both have shape"
LENGTHS = "inconsistent numbers of samples"
NUMBERS = "must hold real numbers"
MISSING_QID = "'qid' parameter must .* for every row.*missing"

# What every metric refuses.
BAD = {
    # Shapes and lengths.
    "scores too short": bad(
        LENGTHS + r": \[4, 3\]. The 'y_score' .* each of the 4 rows of 'y_true'. Got 3",
        y_score=S[:3],
    ),
    "qid too short": bad(LENGTHS + ".*'qid' parameter", qid=Q[:3]),
    "one grade per query for rows": bad(LENGTHS, y_true=[0, 1], qid=Q),
    "one id per query for rows": bad(LENGTHS, qid=[7, 8]),
    "matrices of two shapes": bad(SHAPES, MATRIX, [[1, 2], [3, 4]]),
    "matrices transposed": bad(SHAPES, MATRIX, np.transpose(SCORES)),
    "grades of a matrix, flat scores": bad(SHAPES, MATRIX, [1.0, 2.0]),
    "two columns of probabilities": bad(
        r"one score per row.*pass predict_proba\(X\)\[:, 1\]",
        y_score=np.c_[np.zeros(4), S],
        qid=Q,
    ),
    "two columns of probabilities beside ids in the index": bad(
        r"one score per row.*pass predict_proba\(X\)\[:, 1\]",
        pd.Series(Y, index=pd.Index(Q, name="qid")),
        np.c_[np.zeros(4), S],
    ),
    "sizes as qid": bad(r"sizes of the queries.*np\.repeat", Y * 2, S * 2, qid=[4, 4]),
    "three dimensions": bad(SHAPES, [MATRIX], [SCORES]),
    "no dimension": bad(SHAPES, 1, 2.0),
    "ragged grades": bad("'y_true'.*one length", [[1, 0], [1]], SCORES),
    "ragged scores": bad("'y_score'.*one length", MATRIX, [[1, 2], [1]]),
    # Nothing at all.
    "empty": bad("0 sample", [], []),
    "no rows": bad("0 sample", np.empty((0, 3)), np.empty((0, 3))),
    "no columns": bad("0 sample", np.empty((2, 0)), np.empty((2, 0))),
    "no candidates": bad("0 sample", [0, 0], np.empty((2, 0))),
    "empty sparse": bad("0 sample", sparse.csr_matrix((0, 3)), np.empty((0, 3))),
    # Values.
    "NaN grade": bad(r"y_true contains NaN.*judged=np\.isfinite", [1, NAN, 2, 0]),
    "infinite grade": bad("y_true contains NaN or inf", [1, INF, 2, 0]),
    "NaN in a sparse y_true": bad(
        "y_true contains NaN", sparse.csr_matrix([[1, NAN]]), [[1, 2]]
    ),
    "NaN score": bad("y_score contains NaN.*-np.inf.*last", y_score=[1, NAN, 2, 0]),
    "NaN score in a matrix": bad(
        "y_score contains NaN", MATRIX, [[1, 2, 3], [1, 2, NAN]]
    ),
    "NaN score of a candidate": bad(
        "y_score contains NaN", [0, 1], [[1, 2, 3], [1, 2, NAN]]
    ),
    **{
        f"NaN score of {dtype}": bad(
            "y_score contains NaN", y_score=np.array([1, NAN, 2, 0], dtype)
        )
        for dtype in ("float16", "float32", "longdouble", ">f8")
    },
    "None as a grade": bad("'y_true'.*Got None", [1, None, 2, 0]),
    "None as a score": bad("'y_score'.*Got None", y_score=[1, None, 2, 0]),
    "NA as a grade": bad("y_true", pd.Series([1, None, 2, 0], dtype="Int64")),
    "NA as a score": bad(
        "y_score", y_score=pd.Series([1, None, 2, 0], dtype="Float64")
    ),
    "null of polars": bad("y_score", y_score=pl.Series([1, None, 2, 0])),
    "masked grade": bad("y_true.*masked", np.ma.array(Y, mask=[0, 1, 0, 0])),
    "masked score": bad("y_score.*masked", y_score=np.ma.array(S, mask=[0, 1, 0, 0])),
    # Kinds.
    "numbers as text": bad("'y_score'.*" + NUMBERS, y_score=list("4321")),
    "text objects": bad(
        "'y_score'.*" + NUMBERS, y_score=np.array(list("4321"), object)
    ),
    "complex grades": bad("'y_true'.*complex", np.array(Y) + 0j),
    "complex scores": bad("'y_score'.*complex", y_score=np.array(S) + 0j),
    "dates": bad("'y_score'.*datetime", y_score=np.array([DAY] * 4, "M8[s]")),
    "durations": bad("'y_score'", y_score=np.arange(4).astype("m8[s]")),
    "decimals": bad("'y_score'.*Decimal", y_score=[decimal.Decimal(1)] * 4),
    "a dict": bad("'y_true'.*dict.*be aligned", {"a": 1}, [1.0], error=TypeError),
    "a run as a dict": bad(
        "'y_score'.*Got a dict.*be aligned",
        {"q": {"d": 1}},
        {"q": {"d": 2}},
        error=TypeError,
    ),
    "a list of dicts": bad(
        "'y_true'.*list of dict", [{"d": 1}], [1.0], error=TypeError
    ),
    "labels": bad("Map labels to grades", ["yes", "no", "no", "yes"]),
    "ids as scores": bad("score_runs", Y, ["a", "b", "c", "d"]),
    "labels as objects": bad(
        "Map labels to grades", pd.Series(["yes", "no", "no", "yes"])
    ),
    "a grade beyond float64": bad(
        r"'y_true'.*range of float64.*Got 10{196}\.\.\.", [10**400, 0, 0, 0]
    ),
    "a weight beyond float64": bad(
        "'sample_weight'.*range of float64", sample_weight=[10**400] * 4
    ),
    "a threshold beyond float64": bad(
        "'threshold'.*range of float64", threshold=10**400
    ),
    "a replacement beyond float64": bad(
        "'replace_.*range of float64", replace_undefined_by=-(10**400)
    ),
    "None": bad("'y_score'", y_score=None),
    "sparse y_score": bad(
        "'y_score'.*dense.*csr_matrix",
        MATRIX,
        sparse.csr_matrix(SCORES),
        error=TypeError,
    ),
    "sparse y_score of candidates": bad(
        "'y_score'.*dense", [0, 1], sparse.csr_array(SCORES), error=TypeError
    ),
    "sparse y_true, flat scores": bad(
        SHAPES, sparse.csr_matrix([Y]), [1.0, 2.0, 3.0, 4.0]
    ),
    "sparse y_true and a threshold below 0": bad(
        "'threshold'.*>= 0.*Got -1", sparse.csr_matrix(MATRIX), SCORES, threshold=-1
    ),
    # Query ids.
    "qid of None": bad(MISSING_QID, qid=["a", None, "b", "b"]),
    "qid 2-D": bad(r"'qid'.*\(n_samples,\)", qid=np.reshape(Q, (-1, 1))),
    "qid of a matrix": bad("'qid' parameter goes", MATRIX, SCORES, qid=[7, 8]),
    "qid of candidates": bad("'qid' parameter goes", [0, 1], SCORES, qid=[7, 8]),
    # Candidates.
    "candidate below 0": bad("columns of y_score.*Got -1", [0, -1], SCORES),
    "candidate too far": bad(r"\[0, 3\).*Got 3", [0, 3], SCORES),
    "candidate far too far": bad("y_true must hold columns", [0, 1e300], SCORES),
    "candidate between two": bad("an int", [0, 0.5], SCORES),
    "candidate true or false": bad("an int.*bool", [True, False], SCORES),
    "candidates too few": bad(SHAPES, [0], SCORES),
    # Weights.
    "negative weight": bad("Negative values", sample_weight=[1, 1, -1, -1], qid=Q),
    "all weights 0": bad("at least one non-zero", sample_weight=[0] * 4, qid=Q),
    "weight varies": bad("constant within a query", sample_weight=[1, 1, 1, 2], qid=Q),
    "weight varies, one query": bad(
        "constant within a query", sample_weight=[1, 1, 1, 2]
    ),
    "NaN weight": bad("sample_weight contains NaN", sample_weight=[NAN] * 4),
    "infinite weight": bad("sample_weight contains", sample_weight=[INF] * 4),
    "weight per query for rows": bad("one weight per row", sample_weight=[1, 2], qid=Q),
    "weight per row for queries": bad(
        "one weight per query", MATRIX, SCORES, sample_weight=[1] * 6
    ),
    "weights of text": bad("'sample_weight'", sample_weight=list("1111")),
    # Excluded documents.
    "exclude other rows": bad(
        r"'exclude'.*boolean array of shape \(4,\)", exclude=[True] * 3
    ),
    "exclude of another shape": bad(
        r"'exclude'.*\(2, 3\)", MATRIX, SCORES, exclude=[[True, False]] * 2
    ),
    "exclude by numbers": bad("'exclude'.*boolean", MATRIX, SCORES, exclude=MATRIX),
    "exclude by columns": bad("'exclude'", [0, 1], SCORES, exclude=[0, 1]),
    "exclude candidates by numbers": bad(
        "'exclude'.*boolean", [0, 1], SCORES, exclude=sparse.csr_matrix(MATRIX)
    ),
    # Options.
    "ties unknown": bad(r"'ties'.*among.*'first'.*Got 'random'", ties="random"),
    "ties in a list": bad("'ties'.*Got", ties=["first"]),
    "ties None": bad("'ties'.*Got None", ties=None),
    "average unknown": bad(
        r"'average'.*'macro', 'weighted'.*or None.*'micro'", average="micro"
    ),
    "average True": bad("'average'.*Got True", average=True),
    "threshold unknown": bad("'threshold'.*'max'.*Got 'min'", threshold="min"),
    "threshold None": bad("'threshold'.*Got None", threshold=None, error=TypeError),
    "threshold NaN": bad("'threshold'.*other than NaN. Got nan", threshold=NAN),
    "threshold a list": bad("'threshold'", threshold=[1], error=TypeError),
    "replacement unknown": bad(
        "'replace_undefined_by'.*'nan'", replace_undefined_by="nan", error=TypeError
    ),
    "replacement None": bad(
        "'replace_undefined_by'", replace_undefined_by=None, error=TypeError
    ),
    # Parameters that only some metrics have.
    "k of 0": bad("'k' parameter of .* int >= 1 or None. Got 0", k=0),
    "k negative": bad("must be an int >= 1 or None. Got -3 ", k=-3),
    "k a bool": bad("must be an int >= 1 or None. Got True", k=True, error=TypeError),
    "k a NumPy bool": bad("must be an int >= 1", k=np.True_, error=TypeError),
    "k a float": bad("must be an int >= 1 or None. Got 2.0", k=2.0, error=TypeError),
    "k a str": bad("must be an int >= 1 or None. Got '2'", k="2", error=TypeError),
    "k an array": bad("must be an int >= 1", k=np.array([1]), error=TypeError),
    "gain unknown": bad("'gain'.*'exponential'.*Got 'square'", gain="square"),
    "gain None": bad("'gain'.*Got None", gain=None),
    "discount unknown": bad("'discount'.*'log2'.*Got 'log'", discount="log"),
    "weights unknown": bad("'weights'.*Got 'rank'", weights="rank"),
    "normalize unknown": bad("'normalize'.*Got 'n'", normalize="n"),
}
OWN = {"k", "gain", "discount", "weights", "normalize"}


# The decorator reads the input of all metrics alike: one of the first relevant rank,
# one of all ranks and one that needs a cutoff stand for them.
THREE = ["mrr", "ndcg", "recall"]


def score_of(name, **params):
    """Return a metric function, with a cutoff if it needs one and none is given."""
    function = METRICS[name].function
    if "exclude" in params:  # a parameter of `evaluate`
        function = functools.partial(masked, function)
    if METRICS[name].cutoff == "required" and "k" not in params:
        return functools.partial(function, k=1)
    return function


def takers(params):
    """Return the metrics for which a parameter is tried: all that have it, or three."""
    own = set(params) & OWN
    return [
        name
        for name in (WITH_FUNCTION if own else THREE)
        if own <= set(inspect.signature(METRICS[name].function).parameters)
    ]


ROWS = [
    (label, name)
    for label, (_, _, params, _, _) in BAD.items()
    for name in takers(params)
]


@pytest.mark.parametrize(("label", "name"), ROWS)
def test_bad_input_raises_a_clear_error(label, name):
    y_true, y_score, params, error, match = BAD[label]
    with pytest.raises(error, match=f"(?s){match}"):
        score_of(name, **params)(y_true, y_score, **params)


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("dcg", {}),
        ("ndcg", {}),
        ("dcg", {"k": 1, "threshold": -9}),
        ("rank_correlation", {"weights": "gain"}),
    ],
)
def test_exponential_gain_refuses_grades_it_cannot_take(name, params):
    score = METRICS[name].function
    for low in (-1, -0.5, np.int8(-1)):
        for grades in ([1, low, 2, 0], np.array([1, low, 2, 0], dtype=np.float32)):
            with pytest.raises(ValueError, match=r"'exponential'.*negative"):
                score(grades, S, **params)
            with pytest.raises(ValueError, match=r"'exponential'.*negative"):
                score([grades], [S], **params)
    if name != "rank_correlation" and params.get("threshold", 0) >= 0:
        with pytest.raises(ValueError, match=r"'exponential'.*negative"):
            score(sparse.csr_matrix([[1, -1, 2, 0]]), [S], **params)
    for high in (1024, 5000.0, np.int64(2**40)):
        with pytest.raises(ValueError, match=r"'exponential'.*overflows"):
            score([1, high, 2, 0], S, **params)
    # A linear gain takes the high ones.
    linear = params | {"gain": "linear"}
    assert np.isfinite(score([1, 0, 2, 5000], S, **linear))


@pytest.mark.parametrize("name", ["dcg", "ndcg"])
def test_gains_whose_sum_overflows_do_not_pass_for_a_number(name):
    with pytest.raises(ValueError, match="overflow"):
        METRICS[name].function([1023.5] * 4, S)


@pytest.mark.parametrize("name", ["dcg", "ndcg"])
@pytest.mark.parametrize("own", ["gain", "discount"])
def test_a_callable_must_return_one_finite_number_for_each(name, own):
    for returned in (NAN, INF):
        with pytest.raises(ValueError, match=f"'{own}'.*finite"):
            METRICS[name].function(Y, S, **{own: lambda x, r=returned: x + r})
    for wrong in (lambda x: 1.0, lambda x: x[:1], lambda x: np.ones((len(x), 2))):
        with pytest.raises(ValueError, match=f"'{own}'"):
            METRICS[name].function(Y, S, **{own: wrong})


def test_pair_weights_of_a_callable_must_be_finite_and_not_negative():
    for wrong in (NAN, INF, -1.0):
        with pytest.raises(ValueError, match=r"'weights'.*finite"):
            metrics.rank_correlation_score(
                Y, S, weights=lambda high, low, w=wrong: (high - low) * w
            )


@pytest.mark.parametrize("name", [*THREE, "query_auc"])
def test_options_are_keywords_and_known(name):
    with pytest.raises(TypeError, match=r"positional.*Pass the query ids by name: qid"):
        METRICS[name].function(Y, S, Q)
    with pytest.raises(TypeError, match=r"unexpected keyword.*id of each row as `qid`"):
        METRICS[name].function(Y, S, groups=Q)
    with pytest.raises(TypeError, match=r"'treshold'\. Did you mean 'threshold'\?"):
        METRICS[name].function(Y, S, treshold=1)
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'xyzzy'$"):
        METRICS[name].function(Y, S, xyzzy=1)
    if METRICS[name].cutoff == "never":
        with pytest.raises(TypeError, match="unexpected keyword argument 'k'"):
            METRICS[name].function(Y, S, k=3)


# Small whole numbers, which every dtype holds. Two queries; ties in the second.
GRADES = [1, 0, 1, 0, 1, 0]
POINTS = [2, 3, 1, 1, 1, 0]
QID = [7, 7, 7, 8, 8, 8]

KINDS = {
    "tuple": tuple,
    **{
        dtype: lambda x, dtype=dtype: np.array(x, dtype)
        for dtype in (
            *("int8", "int16", "int32", "int64"),
            *("uint8", "uint16", "uint32", "uint64"),
            *("float16", "float32", "float64", "longdouble", "object"),
            *(">i4", ">u8", ">f4", ">f8", "<f8"),
        )
    },
    "objects of two kinds": lambda x: np.array([Fraction(x[0]), *x[1:]], object),
    "strided": lambda x: np.repeat(np.array(x, float), 3)[::3],
    "reversed": lambda x: np.array(x[::-1])[::-1],
    "read-only": lambda x: np.frombuffer(np.array(x, np.int32).tobytes(), np.int32),
    "masked, nothing masked": lambda x: np.ma.array(x),
    "pandas": lambda x: pd.Series(x, index=[5, 3, 1, 9, 9, 0]),
    **{
        f"pandas {dtype}": lambda x, dtype=dtype: pd.Series(x, dtype=dtype)
        for dtype in ("Int8", "UInt16", "Int64", "Float32", "Float64", "object")
    },
    "pandas index": pd.Index,
    "pandas array": lambda x: pd.array(x, dtype="Int64"),
    "polars": pl.Series,
    "pandas int64[pyarrow]": lambda x: pd.Series(x, dtype="int64[pyarrow]"),
    "pandas double[pyarrow]": lambda x: pd.Series(x, dtype="double[pyarrow]"),
    "pyarrow": pa.array,
    "pyarrow chunks": lambda x: pa.chunked_array([x[:2], x[2:]]),
    "polars UInt8": lambda x: pl.Series(x, dtype=pl.UInt8),
    "polars Float32": lambda x: pl.Series(x, dtype=pl.Float32),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", THREE)
def test_numbers_of_any_kind_score_alike(name, kind):
    convert, score = KINDS[kind], score_of(name)
    expected = score(GRADES, POINTS, qid=QID)
    assert score(convert(GRADES), POINTS, qid=QID) == expected
    assert score(GRADES, convert(POINTS), qid=QID) == expected
    assert score(convert(GRADES), convert(POINTS), qid=convert(QID)) == expected
    weight = [2, 2, 2, 1, 1, 1]
    assert score(GRADES, POINTS, qid=QID, sample_weight=convert(weight)) == score(
        GRADES, POINTS, qid=QID, sample_weight=weight
    )


@pytest.mark.parametrize(
    "convert",
    [
        lambda x: x,
        np.array,
        lambda x: pd.Series(x, dtype="boolean"),
        lambda x: pd.Series(x, dtype=bool),
        pl.Series,
        lambda x: np.array(x, object),
    ],
    ids=["list", "NumPy", "nullable", "pandas", "polars", "object"],
)
@pytest.mark.parametrize("name", THREE)
def test_booleans_score_as_zero_and_one(name, convert):
    score = score_of(name)
    grades, points = [g > 0 for g in GRADES], [p > 1 for p in POINTS]
    expected = score(GRADES, [int(p) for p in points], qid=QID)
    assert score(convert(grades), convert(points), qid=QID) == expected
    assert score(grades, points, qid=QID) == expected


@pytest.mark.parametrize(
    "convert",
    [
        lambda x: np.array(x, np.uint8),
        lambda x: np.array(x, np.float16),
        pd.DataFrame,
        lambda x: pd.DataFrame(x, index=["b", "a"], columns=list("xyz"), dtype="Int64"),
        lambda x: pl.DataFrame(np.array(x)),
        lambda x: [tuple(row) for row in x],
        lambda x: np.array(x, order="F"),
    ],
    ids=["uint8", "float16", "pandas", "nullable", "polars", "tuples", "F"],
)
@pytest.mark.parametrize("name", THREE)
def test_matrices_of_any_kind_score_alike(name, convert):
    score = score_of(name)
    points = [[3, 2, 1], [1, 2, 2]]
    expected = score(MATRIX, points)
    assert score(convert(MATRIX), convert(points)) == expected
    assert score([2, 0], convert(points)) == score([2, 0], points)
    exclude = np.array([[False, True, False], [False, False, False]])
    given = evaluate(MATRIX, points, "mrr", exclude=pd.DataFrame(exclude))
    assert given == evaluate(MATRIX, points, "mrr", exclude=exclude)


BIG = 2**53


@pytest.mark.parametrize(
    "scores",
    [
        np.array([BIG, BIG + 1]),
        np.array([-BIG - 1, -BIG]),
        np.array([2**63 - 2, 2**63 - 1]),
        np.array([2**64 - 2, 2**64 - 1], np.uint64),
        [BIG, BIG + 1],
        [2**64 - 2, 2**64 - 1],
        [2**70, 2**70 + 1],
        [-1, 2**63],
        np.array([BIG, BIG + 1], object),
        [float(BIG), BIG + 1],
        np.array([float(BIG), BIG + 1], object),
        [10**400, 10**400 + 1],
        [Fraction(1, 3), Fraction(1, 3) + Fraction(1, 10**30)],
        pd.Series([BIG, BIG + 1], dtype="Int64"),
        pd.Series([BIG, BIG + 1], dtype="UInt64"),
        pl.Series([BIG, BIG + 1]),
        np.array([1, 1 + np.finfo(np.longdouble).eps], np.longdouble),
        [np.nextafter(1.0, 0), 1.0],
        [-5e-324, 0.0],
        np.array([1, 1.001], np.float16),
        [-np.inf, -1.7976931348623157e308],
    ],
    ids=lambda scores: f"{type(scores).__name__} {list(scores)}",
)
def test_scores_that_differ_are_not_tied(scores):
    up, down = [0, 1], [1, 0]
    for ties in ("expected", "pessimistic"):
        assert mrr_score(up, scores, ties=ties) == 1
        assert mrr_score(down, scores, ties=ties) == 1 / 2


@pytest.mark.parametrize(
    "scores",
    [
        [0.0, -0.0],
        [-0.0, 0.0],
        np.array([0.0, -0.0], np.float16),
        np.array([-0.0, 0.0], np.longdouble),
        [np.inf, np.inf],
        [-np.inf, -np.inf],
        [BIG + 1, BIG + 1],
        [True, 1],
    ],
    ids=str,
)
def test_scores_that_are_equal_are_tied(scores):
    for y_true in ([0, 1], [1, 0]):
        assert mrr_score(y_true, scores) == (1 + 1 / 2) / 2
        assert mrr_score(y_true, scores, ties="pessimistic") == 1 / 2
        assert mrr_score([y_true], [scores], ties="optimistic") == 1


@pytest.mark.parametrize(
    "ids",
    [
        [BIG, BIG, BIG + 1, BIG + 1],
        [("u", 1), ("u", 1), ("u", 2), ("u", 2)],
        pd.Series(["a", "a", "b", "b"], dtype="category"),
    ],
    ids=lambda ids: f"{type(ids).__name__} {next(iter(ids))}",
)
def test_ids_of_any_kind_separate_queries(ids):
    # The second row would spoil the first query's rank if it were of one with it.
    y_true, y_score = [1, 0, 0, 1], [2, 1, 4, 3]
    assert mrr_score(y_true, y_score, qid=ids) == (1 + 1 / 2) / 2
    assert list(mrr_score(y_true, y_score, qid=ids, average=None)) == [1, 1 / 2]
    assert mrr_score(y_true, y_score) == 1 / 2


def test_ids_of_pyarrow_are_read():
    y_score = [1.0, 2.0, 3.0, 1.0]
    for qid in (pa.array([7, 7, 8, 8]), pa.chunked_array([["a"], [*"abb"]])):
        assert mrr_score(Y, y_score, qid=qid) == (1 / 2 + 1) / 2
        found = metrics.evaluate(Y, y_score, ["mrr", "hits@1"], qid=qid)
        assert found == {"mrr": (1 / 2 + 1) / 2, "hits@1": 1 / 2}
        X = np.reshape(y_score, (-1, 1))
        model = LinearRegression().fit(X, y_score)
        scorer = metrics.get_scorer("mrr")
        assert scorer(model, X, Y, qid=qid) == (1 / 2 + 1) / 2
