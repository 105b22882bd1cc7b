"""What arguments may be, and what errors and warnings say of them."""

# SPDX-License-Identifier: BSD-3-Clause

import re
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.exceptions import DataConversionWarning
from sklearn.linear_model import Ridge
from sklearn.model_selection import cross_validate

from skrank import metrics
from skrank._input.frames import as_frame
from skrank._shell.files import find_run
from skrank.metrics import QueryScores, evaluate, mrr_score, score_queries
from skrank.model_selection import cross_val_query_scores
from skrank.plot import MetricAtKDisplay
from skrank.stats import compare_rankers, gate, mean_interval
from skrank.tables import align, from_topk, fuse, score_runs, score_table
from tests.brute_force import masked

ROWS = {"y_true": [1, 0, 1, 0], "y_score": [4, 3, 2, 1], "qid": [7, 7, 8, 8]}
RUN = {"q1": {"d1": 2.0}}
SCORES = score_queries(
    ROWS["y_true"],
    {"bm25": [4, 3, 2, 1], "dense": [1, 2, 3, 4]},
    ["mrr", "ndcg"],
    qid=ROWS["qid"],
    by={"country": ["de", "de", "fr", "fr"]},
)
MIXED = np.array(["x", 1], dtype=object)

PAIR = {"bm25": [1.0, 0.5], "dense": [0.5, 1.0]}

# What errors say, and the calls that raise them.
SAID = {
    "Got int and str, such as 'x': pass kind=\"pandas\".": lambda: as_frame(
        {"id": MIXED}, "polars"
    ),
    "Got int and str: make ids text with str().": lambda: score_table(
        pd.DataFrame(ROWS | {"qid": [1, "a", 1, "a"]}), "mrr"
    ),
    "a weight for each of ['a', 'b']. Got weights of ['a'].": lambda: fuse(
        {"a": RUN, "b": RUN}, weights={"a": 1}
    ),
    "--baseline must be a run among ['a', 'b']. Got 'c'.": lambda: find_run(
        "c", ["a", "b"], ["a.run", "b.run"], [None, None]
    ),
    "Got [0.1, 0.2, 0.3] and the metrics ['mrr', 'ndcg'].": lambda: gate(
        SCORES, baseline="bm25", margin=[0.1, 0.2, 0.3]
    ),
    f" names are {', '.join(map(repr, sorted(metrics.CONVENTIONS)))}.": lambda: (
        evaluate(**ROWS, metrics="mrr", convention="tensorflow")
    ),
    "a str among {'candidates', 'equal', 'relevant'} or, with this column": lambda: (
        metrics.awrf_score(**ROWS, group=["a", "b"] * 2, target=[1, 2])
    ),
    "of a report: ranker, rank, document, grade, best_rank, ": lambda: (
        metrics.query_report(
            **ROWS, query=7, metric="mrr", columns={"rank": [1, 2, 3, 4]}
        )
    ),
    "a metric. Got 'ild@2', which reads features.": lambda: metrics.query_report(
        **ROWS, query=7, metric="ild@2", features=np.eye(4)
    ),
    "grades. Got 'ild@2', which reads features.": lambda: metrics.tie_report(
        **ROWS, metrics="ild@2", features=np.eye(4)
    ),
    "takes sample_weight, judged, returned, doc_id and columns": lambda: (
        metrics.RankingMetric("mrr").update(**ROWS, price=[1, 2, 3, 4])
    ),
    "must be a ranker, among ['bm25', 'dense']. Got 'tfidf' instead.": lambda: (
        compare_rankers(SCORES, baseline="tfidf")
    ),
    "or name a key column, among ['country', 'qid']. Got 'land' instead.": lambda: (
        compare_rankers(SCORES, clusters="land")
    ),
    "Got ['qid'] as well as a dict for 'a'.": lambda: compare_rankers(
        {"qid": [7, 8], "a": {7: 1.0, 8: 0.5}, "b": [1, 0]}
    ),
    "Got no key 'doc_id' among ['id', 'score'].": lambda: align(
        {"q1": {"d1": 1}}, {"q1": [{"id": "d1", "score": 2.0}]}
    ),
    "columns other than the query ids. Got ['qid', 'country'].": lambda: score_table(
        pd.DataFrame(ROWS), "mrr", by=["qid", "country"]
    ),
    # Arguments of a kind that a function does not take.
    "'by' parameter of summary must be a str or a list of str. Got []": lambda: (
        SCORES.summary(by=[])
    ),
    "'by' parameter of compare_rankers must be a str or a list of str. Got 1": lambda: (
        compare_rankers({"a": [1, 0], "b": [0, 1]}, by=1)
    ),
    "Got one column of shape (3, 1)": lambda: metrics.awrf_score(
        None, [3, 2, 1], group=pa.table({"a": [1, 0, 1]})
    ),
    "pass of_items(values, item)": lambda: evaluate(
        **ROWS, metrics="novelty@10", popularity={"a": 0.1}
    ),
    "an entry for each row. Got 1 of type int": lambda: metrics.alpha_ndcg_score(
        None, [3, 2, 1], subtopics=1
    ),
    "Got y_true of shape ()": lambda: masked(
        mrr_score, 1.0, [3, 2], judged=[True, False]
    ),
    "'judged' parameter must be a boolean array of shape (2,)": lambda: masked(
        mrr_score, [1, 0], [3, 2], judged=[[1, 2], [3]]
    ),
    "'judged' parameter goes with y_true and y_score of shape (n_samples,)": lambda: (
        masked(mrr_score, np.eye(2), np.eye(2), judged=np.eye(2) > 0)
    ),
    "'gain' parameter must be a str among": lambda: metrics.ndcg_score(
        Y, S, gain=np.ones(2)
    ),
    "'kind' parameter of to_frame must be a str among": lambda: SCORES.to_frame(
        kind=np.ones(2)
    ),
    "one of which is the 'baseline' parameter. Got": lambda: gate(
        SCORES, baseline=np.ones(2), margin=0.1
    ),
    "'params' parameter of cross_val_query_scores must be an instance of Ma": lambda: (
        cross_val_query_scores(Ridge(), [[1]], [1], scoring="mrr", params=[1])
    ),
    "'qid' parameter of from_frame must be a str": lambda: QueryScores.from_frame(
        {"qid": [1], "mrr": [1.0]}, qid=["qid"]
    ),
    "'metrics' parameter of from_frame must be a str or a list of str": lambda: (
        QueryScores.from_frame({"qid": [1], "mrr": [1.0]}, metrics=[["mrr"]])
    ),
    "the folds of cross_validate: pass the result of cross_val_query_scores.": lambda: (
        compare_rankers(cross_validate(Ridge(), np.eye(6), [0, 1] * 3, cv=2))
    ),
    "no query with the value [7]": lambda: SCORES.where(qid=[[7]]),
    "Got int instead": lambda: QueryScores.concat(1),
    "conventions' parameter of explain must be a str or a list of str. Got 1": lambda: (
        metrics.explain([1, 0], [2, 1], "ndcg", 1)
    ),
    "returns a number for each of 2 pairs. Got shape ()": lambda: (
        metrics.rank_correlation_score([1, 0, 2], [2, 1, 3], weights=lambda *pair: 1.0)
    ),
    # Words of other libraries, answered by questions.
    "were given. Pass the rankers in a dict, by their names.": lambda: compare_rankers(
        PAIR["bm25"], PAIR["dense"]
    ),
    "Did you mean 't'?": lambda: compare_rankers(PAIR, test="t-test"),
    "Did you mean 'k'?": lambda: metrics.ndcg_score(Y, S, top_k=2),
    "k into the name: 'ndcg@10'.": lambda: evaluate(**ROWS, metrics="mrr", top_k=2),
    "It takes the query id of each row as `qid`.": lambda: metrics.ndcg_score(
        Y, S, indexes=[0, 0, 1, 1]
    ),
    "'ascending'. Did you mean 'greater_is_better'?": lambda: from_topk(
        [[1, 2]], [[1]], [[0.1, 0.2]], ascending=True
    ),
    "'higher_is_better'. Did you mean 'greater_is_better'?": lambda: metrics.add_scorer(
        "led", len, higher_is_better=True
    ),
    "Did you mean 'mrr'?": lambda: SCORES["nrr"],
    "'k' parameter of mrr_score must be an int >= 1 or None. Got 0 instead.": lambda: (
        mrr_score(Y, S, k=0)
    ),
}
# What other libraries call `alpha`.
OF_ALPHA = [
    lambda: compare_rankers(PAIR, alpha=0.05),
    lambda: mean_interval([1.0, 0.5], alpha=0.05),
    lambda: gate(PAIR, baseline="bm25", margin=0.1, alpha=0.05),
]
CALLS = [*SAID.items(), *(("mean 'confidence_level'?", call) for call in OF_ALPHA)]


@pytest.mark.parametrize(("sentence", "call"), CALLS)
def test_an_error_says_what_a_function_takes_and_what_it_got(sentence, call):
    with pytest.raises((KeyError, TypeError, ValueError)) as error:
        call()
    assert sentence in str(error.value)


@pytest.mark.parametrize(
    ("given", "plain"),
    [
        *(({"k": kind(2)}, {"k": 2}) for kind in (np.int64, np.uint8, np.int32)),
        *(
            ({"threshold": value}, {"threshold": float(value)})
            for value in (np.float32(0.5), np.int8(1), Fraction(1, 2))
        ),
    ],
)
def test_numbers_may_be_of_any_type(given, plain):
    assert mrr_score(Y, S, **given) == mrr_score(Y, S, **plain)


Y = [1, 0, 2, 0]
S = [4.0, 3.0, 2.0, 1.0]
Q = [7, 7, 8, 8]
LONG = "x" * 5000


@pytest.mark.parametrize(
    "call",
    [
        lambda: mrr_score(Y, S, ties=LONG),
        lambda: mrr_score(Y, S, k=LONG),
        lambda: mrr_score(Y, S, k=-(10**4000)),
        lambda: mrr_score(Y, S, threshold=LONG),
        lambda: mrr_score(Y, S, average=[LONG]),
        lambda: mrr_score(Y, S, adjusted=LONG),
        lambda: mrr_score(Y, S, replace_undefined_by=LONG),
        lambda: mrr_score(np.array([LONG] * 4, dtype=object), S),
        lambda: mrr_score({LONG: {LONG: 1}}, S),
        lambda: metrics.rbp_score(Y, S, p=10**4000),
        lambda: metrics.evaluate(Y, S, LONG),
        lambda: metrics.evaluate(Y, S, range(5000)),
        lambda: metrics.evaluate(Y, S, "mrr", convention=LONG),
        lambda: metrics.evaluate(Y, S, "mrr", convention=[LONG]),
        lambda: metrics.evaluate(Y, S, "mrr", **{LONG: 1}),
        lambda: metrics.evaluate(Y, S, "mrr", score_dtype=LONG),
        lambda: metrics.make_ranking_scorer(LONG),
        lambda: metrics.make_ranking_scorer([1] * 5000),
        lambda: metrics.make_ranking_scorer("mrr", greater_is_better=LONG),
        lambda: metrics.get_scorer(LONG),
        lambda: metrics.add_scorer(LONG.upper(), len),
        lambda: metrics.add_scorer("mine", LONG),
        lambda: metrics.tie_report(Y, S, LONG),
    ],
)
def test_a_message_shows_at_most_200_characters_of_the_input(call):
    with pytest.raises((TypeError, ValueError)) as error:
        call()
    longest = max(
        re.findall(r"x+|1*0+|(?:1, )+", str(error.value)), key=len, default=""
    )
    assert len(longest) <= 200
    assert len(str(error.value)) < 700


def test_a_column_is_flattened_with_the_warning_of_scikit_learn():
    column = np.reshape(Y, (-1, 1))
    scores = np.reshape(S[::-1], (-1, 1))
    indexed = pd.DataFrame({"y": Y}, index=pd.Index(Q, name="qid"))
    # The relevant documents have the ranks 2 and 2; as one query, the first has rank 2.
    for y_true, y_score, qid, expected in [
        (column, S[::-1], Q, 1 / 2),
        (Y, scores, Q, 1 / 2),
        (column, scores, Q, 1 / 2),
        (indexed, S[::-1], None, 1 / 2),
        (indexed, scores, None, 1 / 2),
        (column, S[::-1], None, 1 / 2),
        (Y, scores, None, 1 / 2),
        (column, scores, None, 1 / 2),
    ]:
        with pytest.warns(DataConversionWarning, match="A column-vector y_"):
            assert mrr_score(y_true, y_score, qid=qid) == expected
    # Candidates of one document, and a list of one.
    assert mrr_score([0, 0], [[3.0], [4.0]]) == 1
    assert mrr_score([[1]], [[4.0]]) == 1


MANY = np.eye(1, 101, dtype=int)[0], -np.arange(101.0)
# What ranks rows, as a function of grades and scores.
WITHOUT_IDS = {
    "a metric": mrr_score,
    "a metric of columns": lambda y, s: metrics.awrf_score(y, s, group=y),
    "a column vector": lambda y_true, y_score: mrr_score(y_true, y_score[:, None]),
    "evaluate": lambda *rows: evaluate(*rows, "mrr"),
    "score_queries": lambda *rows: score_queries(*rows, "mrr"),
    "two rankers": lambda y, s: score_queries(y, {"a": s, "b": s}, "mrr"),
    "segments": lambda *rows: score_queries(*rows, "mrr", by={"country": rows[0]}),
    "catalogue_scores": lambda y_true, y_score: metrics.catalogue_scores(
        y_score, item=np.arange(len(y_score)), k=3, items=101
    ),
    "explain": lambda *rows: metrics.explain(*rows, "ndcg", "lightgbm"),
    "tie_report": metrics.tie_report,
    "query_report": lambda *rows: metrics.query_report(*rows, 0),
    "a display": lambda *rows: MetricAtKDisplay.from_predictions(*rows, "mrr"),
}


@pytest.mark.filterwarnings("ignore:A column-vector")
@pytest.mark.parametrize("rank", WITHOUT_IDS.values(), ids=WITHOUT_IDS)
def test_more_than_100_rows_without_ids_are_refused(rank):
    y_true, y_score = MANY
    message = r"Got 101 rows and no query ids\. .*`qid`.*\[\[\.\.\.\]\].*np\.zeros"
    with pytest.raises(ValueError, match=message):
        rank(y_true, y_score)
    rank(y_true[:100], y_score[:100])  # one list, as in a textbook


def test_lists_of_any_length_say_that_they_are_one():
    y_true, y_score = MANY
    assert mrr_score(y_true, y_score, qid=np.zeros(101)) == 1
    assert mrr_score([y_true], [y_score]) == 1


def test_query_ids_that_no_two_rows_share_are_warned_of():
    y_true, y_score = np.arange(21) % 2, np.arange(21.0)
    message = "Each of 21 queries has one row: is `qid` the right column?"
    for rank in (
        mrr_score,
        lambda *rows, qid: evaluate(*rows, ["mrr", "ndcg@10"], qid=qid),
        lambda *rows, qid: score_queries(*rows, "mrr", qid=qid),
    ):
        with pytest.warns(UserWarning, match=re.escape(message)) as caught:
            rank(y_true, y_score, qid=y_score)
        assert len(caught) == 1
        rank(y_true[:20], y_score[:20], qid=y_score[:20])
        rank(y_true, y_score, qid=np.r_[y_score[:20], 0])


def test_lists_of_one_document_that_were_joined_or_read_are_right():
    qrels = {f"q{i}": {"d": 1} for i in range(30)}
    run = {query: ["d"] for query in qrels}
    assert evaluate(metrics="mrr", **align(qrels, run)) == {"mrr": 1}
    assert score_runs(qrels, run, "mrr").summary() == {"mrr": 1}
    indices = np.zeros((30, 1), dtype=int)
    assert evaluate(metrics="mrr", **from_topk(indices, indices[:, 0])) == {"mrr": 1}
    assert mrr_score(np.ones((30, 2)), np.ones((30, 2))) == 1
    frame = pd.DataFrame({"qid": [*qrels], "y_true": 1, "a": 1.0, "b": 2.0})
    assert score_table(frame, "mrr", y_score={"a": "a", "b": "b"}).values.min() == 1


def test_lists_of_which_one_document_is_left_are_right():
    y_true, y_score = np.tile([1, 0], 30), np.tile([1.0, 2.0], 30)
    given = {"qid": np.repeat(np.arange(30), 2)}
    assert masked(mrr_score, y_true, y_score, exclude=y_true == 0, **given) == 1
    options = {"judged": y_true == 1, "unjudged": "condensed"}
    assert masked(mrr_score, y_true, y_score, **options, **given) == 1


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix])
def test_a_mask_of_one_column_says_that_rows_are_queries(container):
    y_true, y_score = np.array([[1], [0], [1]]), np.array([[1.0], [3.0], [2.0]])
    mask = container(np.zeros((3, 1), dtype=bool))
    assert masked(mrr_score, y_true, y_score, exclude=mask) == 2 / 3
    rankers = {"a": y_score, "b": -y_score}
    scores = score_queries(y_true, rankers, "mrr", exclude=mask)
    assert scores.values.tolist() == [[[1, 0, 1]]] * 2


def test_arguments_that_align_returns_have_to_be_unpacked():
    aligned = align({"q": {"a": 1}}, {"q": ["a"]})
    for function in (evaluate, score_queries):
        with pytest.raises(TypeError, match=rf"{function.__name__}\(\*\*align\("):
            function(aligned, metrics="mrr")


def test_swapped_arguments_are_noticed():
    rng = np.random.default_rng(0)
    grades, scores, qid = rng.integers(0, 5, 60), rng.random(60), np.repeat([0, 1], 30)
    message = "y_true and y_score look swapped"
    for labels in (grades, grades.astype(float), grades > 2):
        with pytest.warns(UserWarning, match=message):
            mrr_score(scores, labels, qid=qid)
        with pytest.warns(UserWarning, match=message):
            mrr_score(scores.reshape(2, 30), labels.reshape(2, 30))
        mrr_score(labels, scores, qid=qid)
    # A metric that refuses the scores as grades does not ask to change them.
    for swapped, refusal in ((scores - 0.5, "negative"), (scores + 2000, "below")):
        with (
            pytest.warns(UserWarning, match=message),
            pytest.raises(ValueError, match=message) as error,
        ):
            metrics.ndcg_score(swapped, grades, qid=qid)
        assert refusal in str(error.value.__cause__)
        with pytest.raises(ValueError, match=refusal):  # grades of too many kinds
            metrics.ndcg_score(swapped, scores, qid=qid)
    with (
        pytest.warns(UserWarning, match=message),
        pytest.raises(ValueError, match=message),
    ):
        metrics.score_queries(scores - 0.5, grades, "ndcg", qid=qid)
    with pytest.warns(UserWarning, match=message):
        metrics.evaluate([0.9, 0.2, 0.4, 0.3, 0.6], [1, 0, 0, 0, 1], "mrr")
    # Fractional grades of a few levels, and ranks of continuous grades.
    mrr_score(grades / 2, grades, qid=qid)
    mrr_score(scores, np.argsort(scores), qid=qid)
