"""The words that docstrings share, and the types of signatures."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import inspect
import math
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeVar
from typing import Self as Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import spmatrix

# What decorates a function here leaves its type.
F = TypeVar("F", bound=Callable[..., Any])


def read_entries(text):
    """Return the entries of a section by the names of their parameters."""
    entries = re.split(r"\n(?=[\w*])", text.strip())
    return {entry.partition(" ")[0].strip("*\n"): entry for entry in entries}


_TIED = """\
How ties in `y_score` are resolved. "expected" is the exact expectation over all
    orderings of the tied documents; "first" keeps the input order"""
_TIES = f"""{_TIED}; "optimistic" and
    "pessimistic" take the best and the worst ordering"""

# The entry of each parameter; {default} is that of the signature.
_PARAMETERS = """
y_true : {array-like, sparse matrix} of shape (n_samples,) or (n_queries, n_docs)
    The true grades, 0 or more. With a `y_score` of shape (n_queries, n_docs), an
    array of shape (n_queries,) instead holds the column of the one relevant document of
    each query, its target.
y_true_or_none : array-like of shape (n_samples,) or None
    Not read. It may be None.
y_true_sometimes : array-like of shape (n_samples,) or None
    The true grades, 0 or more. It may be None where other parameters say that no grades
    are read.
y_score : array-like of shape (n_samples,) or (n_queries, n_docs)
    The predicted scores, larger is better. Infinite scores are allowed.
qid : array-like of shape (n_samples,), default={default}
    The query id of each row, of any dtype, rows in any order. If None, the ids are
    taken from the index of `y_true` named "qid"; without one, at most 100 rows are one
    query, and more raise an error.
k : int, default={default}
    Cutoff: only the top `k` documents count. If None, the whole list does. Lists may be
    shorter than `k`.
k_required : int
    Cutoff: only the top `k` documents count. Lists may be shorter than `k`.
threshold : float or "max", default={default}
    Documents with a grade above `threshold` are relevant; all others contribute no
    gain. With "max", the documents with the highest grade of their query are relevant,
    if that grade is above 0.
ties : {"expected", "first", "optimistic", "pessimistic"}, default={default}
    {ties}.
ties_first_rank : {"expected", "first", "optimistic", "pessimistic", "realistic"}, \
default={default}
    {ties}; "realistic" takes the mean of
    the best and the worst rank of the first relevant document.
threshold_every_grade : float, "max" or None, default={default}
    Documents with a grade up to `threshold`, or with "max" below the highest grade of
    their query, count as equal. If None, all grades count as they are, also negative
    ones, and documents that are not judged have the grade 0, or the lowest one if that
    is negative.
ties_midrank : {"expected", "first", "optimistic", "pessimistic", "midrank"}, \
default={default}
    {ties}; with "midrank" tied documents
    share their mean rank, as in ``scipy.stats.spearmanr``.
replace_undefined_by : float, default={default}
    The value of a query for which the metric is undefined. NaN leaves the query out of
    the average.
average : {"macro", "weighted"} or None, default={default}
    How queries are averaged: "macro" weights all queries equally, "weighted" by their
    number of documents, returned or not. If None, the value of each query is returned,
    in the order of ``np.unique(qid)``.
adjusted : bool or "ratio", default={default}
    Whether to adjust the metric M for chance. True returns (M - E) / (B - E), where E
    is the metric at chance level, with all documents tied, and B its value for the
    ideal ranking; "ratio" returns M / E.
sample_weight : array-like of shape (n_samples,) or (n_queries,), default={default}
    The weight of each query: one value per row, constant within a query, or one per
    query if `y_score` has one row per query.
exclude : {array-like, sparse matrix} of bool, shape of `y_score`, default={default}
    Mask of documents to leave out, as if they were not there: what a user has already
    seen, or a document that is the query itself. Only of a `y_score` of shape
    (n_queries, n_docs) may it be sparse; a target is never excluded.
judged : array-like of bool of shape (n_samples,), default={default}
    Which documents have a grade. The `y_true` of the others is not read. If None, all
    documents are judged.
returned : array-like of bool of shape (n_samples,), default={default}
    Which documents the system returned. The others count among the relevant documents
    and in the ideal ranking. They have no rank, or are tied below all others in AUC and
    in correlations; their `y_score` is not read. Those that are not judged either are
    left out. If None, all documents were returned.
gain : {"exponential", "linear"}, callable, list or dict, default={default}
    The gain of a grade: ``2 ** grade - 1``, the grade itself, or a callable that maps
    an array of the grades of relevant documents to their gains; or the gain of each
    grade, as LightGBM's ``label_gain=[0, 1, 10]``, or ``{0: 0, 1: 1, 2: 10}``.
discount : {"log2", "ln", "reciprocal"} or callable, default={default}
    The discount of rank i: ``1 / log2(i + 1)``, ``1 / ln(i + 1)``, ``1 / i``, or a
    callable that maps an array of ranks, 1 being the best, to their discounts.
discount_of_exposure : {"rbp", "log2", "ln", "reciprocal"} or callable, \
default={default}
    The exposure of rank i: ``p ** (i - 1)``, ``1 / log2(i + 1)``, ``1 / ln(i + 1)``,
    ``1 / i``, or a callable that maps an array of ranks, 1 being the best,
    to their exposures.
p : float, default={default}
    With ``discount="rbp"`` the probability that a user goes on to the next rank,
    above 0 and below 1.
only_relevant : bool, default={default}
    Whether the exposure of relevant documents alone counts.
normalize : {"k", "length"}, default={default}
    The divisor of a list shorter than k: "k" is k all the same, "length" is the
    length of the list.
features : {array-like, sparse matrix} of shape (n_samples, n_features) or ItemColumn
    The features of the document of each row, or what
    :func:`~skrank.metrics.of_items` returns. They are read of the documents of the top
    `k` alone.
popularity : array-like of shape (n_samples,) or ItemColumn
    How popular the document of each row is, 0 or more, such as how often it was viewed,
    or what :func:`~skrank.metrics.of_items` returns. It is read of the documents of the
    top `k` alone.
group : array-like of shape (n_samples,) or (n_samples, n_groups), or ItemColumn
    The group of each document, a label of any type such as that of a provider; or how
    far it belongs to each of several groups, numbers of 0 or more; or what
    :func:`~skrank.metrics.of_items` returns. A document that belongs to several groups
    counts for each of them.
group_or_none : array-like of shape (n_samples,) or (n_samples, n_groups), or \
ItemColumn, default={default}
    The group of each document, a label of any type such as that of a provider; or how
    far it belongs to each of several groups, numbers of 0 or more; or what
    :func:`~skrank.metrics.of_items` returns. If None, each document is a group of its
    own.
propensity : array-like of shape (n_samples,) or ItemColumn
    The probability that the document of each row is labelled as relevant if it is,
    above 0 and at most 1, or what :func:`~skrank.metrics.of_items` returns. It is read
    of the relevant documents alone.
subtopics : {array-like, sparse matrix} of shape (n_samples, n_subtopics), list of \
lists of str, or ItemColumn
    Which subtopics the document of each row is on, as booleans or 0 and 1; or the
    labels of the subtopics, one list per row; or what :func:`~skrank.metrics.of_items`
    returns. A subtopic counts for a query if one of its documents is on it, returned or
    not.
alpha : float, default={default}
    How much a document loses in [0, 1] that says again what one above said: its gain of
    a subtopic is ``(1 - alpha) ** c`` if c documents above are on it.
ideal : {"greedy", "ideal-ideal"} or None, default={default}
    What the sum is divided by. "greedy" is its value for the best ranking of the
    documents that there are, found greedily; "ideal-ideal" is that of a list in which
    all documents are on all subtopics. None does not divide.
ties_of_columns : {"expected", "first"}, default={default}
    {tied}.
max_grade : float, default={default}
    The highest grade that a document can have. If None, the highest grade of a relevant
    document in `y_true` is used, so pass it to compare data sets.
"""
PARAMETERS = read_entries(_PARAMETERS.replace("{ties}", _TIES).replace("{tied}", _TIED))

RAISES = """
Raises
------
ValueError
    If a parameter has an invalid value, or the input shapes do not match.
TypeError
    If a parameter has the wrong type, or `y_score` is sparse.
"""


def describe(name, default, metric=None):
    """Return the entry of a parameter of a metric, or of a function of several."""
    _, colon, words = PARAMETERS[variant(name, default, metric)].partition(" : ")
    if default != default:
        default = "np.nan"
    elif isinstance(default, str):
        default = f'"{default}"'
    return name + colon + words.replace("{default}", str(default))


# The results of metrics, by their limits and whether larger is better.
RETURNS = {
    limits: f"""
Returns
-------
{name} : float or ndarray of shape (n_queries,)
    {value} The best value is {best}.
"""
    for limits, name, value, best in [
        ((0, 1, True), "score", "Between 0 and 1.", 1.0),
        ((1, math.inf, False), "rank", "1 or more.", 1.0),
    ]
}

# What several metrics refer to, by what their docstrings write instead.
SOURCES = {
    "Berrendorf et al. (2020)": """\
M. Berrendorf, E. Faerman, L. Vermue and V. Tresp, "On the Ambiguity of
   Rank-Based Evaluation of Entity Alignment or Link Prediction Methods", 2020.""",
    "Buckley and Voorhees (2000)": """\
C. Buckley and E. M. Voorhees, "Evaluating Evaluation Measure Stability",
   SIGIR 2000.""",
    "Burges et al. (2005)": """\
C. Burges, T. Shaked, E. Renshaw, A. Lazier, M. Deeds, N. Hamilton and G.
   Hullender, "Learning to Rank using Gradient Descent", ICML 2005.""",
    "Diaz et al. (2020)": """\
F. Diaz, B. Mitra, M. D. Ekstrand, A. J. Biega and B. Carterette, "Evaluating
   Stochastic Rankings with Expected Exposure", CIKM 2020.""",
    "Hoyt et al. (2022)": """\
C. T. Hoyt, M. Berrendorf, M. Galkin, V. Tresp and B. M. Gyori, "A Unified
   Framework for Rank-based Evaluation Metrics for Link Prediction in Knowledge
   Graphs", 2022.""",
    "Jain et al. (2016)": """\
H. Jain, Y. Prabhu and M. Varma, "Extreme Multi-label Loss Functions for
   Recommendation, Tagging, Ranking & Other Missing Label Applications", KDD 2016.""",
    "Jarvelin and Kekalainen (2002)": """\
K. Jarvelin and J. Kekalainen, "Cumulated Gain-Based Evaluation of IR
   Techniques", ACM TOIS 20(4), 2002.""",
    "Kent et al. (1955)": """\
A. Kent, M. M. Berry, F. U. Luehrs and J. W. Perry, "Machine Literature
   Searching VIII. Operational Criteria for Designing Information Retrieval Systems",
   American Documentation 6(2), 1955.""",
    "McSherry and Najork (2008)": """\
F. McSherry and M. Najork, "Computing Information Retrieval Performance
   Measures Efficiently in the Presence of Tied Scores", ECIR 2008.""",
    "Schapire and Singer (2000)": """\
R. E. Schapire and Y. Singer, "BoosTexter: A Boosting-based System for Text
   Categorization", Machine Learning 39, 2000.""",
}


def share_words(
    function: F,
    *,
    describe: Callable[..., str] = describe,
    raises: str = RAISES,
    returns: str = "",
) -> F:
    """Complete the docstring of a function that shares parameters with others."""
    signature = inspect.signature(function)
    function.__doc__ = complete(function.__doc__, signature, describe, raises, returns)
    return function


def sharing_words(
    text: str, raises: str = RAISES, returns: str = ""
) -> Callable[[F], F]:
    """Return a decorator like `share_words`, from the entries of the parameters."""
    entries = read_entries(text)

    def describe(name, default):
        return entries[name]

    return partial(share_words, describe=describe, raises=raises, returns=returns)


def complete(docstring, signature, describe, raises=RAISES, returns=""):
    """Return a docstring, dedented, with its sections and sources.

    A section Parameters in `docstring` describes parameters that no other function has,
    or has with this meaning; ``describe(name, default)`` returns the entries of the
    others. `raises` and `returns` are the sections of a docstring without them.
    """
    docstring = inspect.cleandoc(docstring) + "\n\n"
    if "Returns\n---" not in docstring:
        after = r"^(Raises|Warns|See Also|Notes|References|Examples)\n---|\Z"
        place = re.search(after, docstring, re.MULTILINE).start()
        parts = docstring[:place], returns.strip(), "\n\n", docstring[place:]
        docstring = "".join(parts)
    for name, source in SOURCES.items():
        docstring = docstring.replace(f"] {name}", f"] {source}")
    own = {}
    if found := re.search(r"Parameters\n-+\n(.*?)\n\n(?=\w+\n-)", docstring, re.DOTALL):
        docstring = docstring.replace(found.group(), "")
        own = read_entries(found.group(1))
    described = [
        own.get(name) or describe(name, parameter.default)
        for name, parameter in signature.parameters.items()
        if name not in ("self", "cls")
    ]
    parameters = "\n".join(["Parameters", "----------", *described])
    results = re.search(r"^(Returns|Yields)\n---", docstring, re.MULTILINE).start()
    docstring = f"{docstring[:results]}{parameters}\n\n{docstring[results:]}"
    if "Raises\n---" not in docstring:
        after = "Warns\n---" if "Warns\n---" in docstring else "See Also\n---"
        docstring = docstring.replace(after, f"{raises.lstrip()}\n{after}")
    return docstring.rstrip() + "\n"


def variant(name, default, metric):
    """Return which of the descriptions of a parameter fits a metric."""
    of_k = [("k", default is inspect.Parameter.empty, "k_required")]
    of_metric = metric and [
        ("group", default is None, "group_or_none"),
        ("discount", default == "rbp", "discount_of_exposure"),
        ("y_true", callable(metric.reads_grades), "y_true_sometimes"),
        ("y_true", not metric.reads_grades, "y_true_or_none"),
        ("threshold", default is None, "threshold_every_grade"),
        ("ties", metric.columns, "ties_of_columns"),
        ("ties", metric.takes_midrank, "ties_midrank"),
        ("ties", metric.reads_first_rank, "ties_first_rank"),
    ]
    fitting = [one for of, fits, one in of_k + (of_metric or []) if of == name and fits]
    return fitting[0] if fitting else name


share_link_words = sharing_words(
    """
model : object
    Has the methods ``score_tails(X)`` and ``score_heads(X)``, which return scores of
    shape (n_triples, n_entities), larger is better. Its attribute `entities_` holds the
    ids of the columns; without it the ids are the column numbers. `relations_` (the
    ids) and `triples_` (the training triples) are read if the model has them.
X : array-like of shape (n_triples, 3)
    The triples to evaluate: head, relation and tail, all integers or all text.
known : "auto", None, array-like of shape (n_known, 3) or list of them, default="auto"
    The triples whose entities are filtered out: another entity that completes a known
    triple is not a candidate. "auto" takes the evaluated triples and those that the
    model was trained on; triples given here are added to them. For a model without
    `triples_`, pass all that is known as a list, ``[train, valid]``. If None, nothing
    is filtered (the raw setting).
sides : {"head", "tail"} or sequence of them, default=("head", "tail")
    Whether heads, tails or both are predicted.
metrics : str, callable, or list or dict of them, \
default=("mrr", "mean_rank", "hits@1", "hits@3", "hits@10")
    Names such as "mrr", "adjusted_hits@10" or "mean_rank"; PyKEEN's names; or
    definitions of your own, as in :func:`skrank.metrics.evaluate`.
ties : {"expected", "optimistic", "pessimistic", "realistic"}, default=None
    How ties are resolved. "expected" is the exact expectation over all orderings of the
    tied entities; "optimistic" and "pessimistic" take the best and the worst rank,
    "realistic" their mean. If None, the rule of `convention`, or "expected".
average : {"rank", "question"}, default="rank"
    Whether each rank has the same weight, or each question, the pair (h, r) or (r, t):
    the weight of a rank is then one over the number of evaluated triples with its
    question.
by : {"side", "relation", "category"}, default=None
    Evaluate each side, relation or category of relations separately. The categories are
    "1-1", "1-n", "n-1" and "n-n".
candidates : array-like, dict or SampledNegatives, default=None
    The entities that the target is ranked with: an array of shape (n_candidates,) for
    all triples; a dict with the keys "head" and "tail" of such arrays, or of dicts with
    an array for each relation, as :func:`type_constraints` makes; or a sample. If None,
    all entities.
batch_size : int or "auto", default="auto"
    How many triples the model scores at once. "auto" gives their scores 64 MiB.
convention : {"pykeen", "ogb", "ampligraph"}, default=None
    Follow the rules of a library for ties.
""",
    raises="""
Raises
------
ValueError
    If a parameter has an invalid value, the shapes of the inputs do not match, a triple
    holds an entity or a relation that the model does not know, or the score of a
    candidate is NaN.
TypeError
    If a parameter has the wrong type.
""",
)

# The columns of tables with a row for each document of a query.
share_table_words = sharing_words(
    """
qid : str, default="qid"
    The column of the query ids.
y_true : str or None, default="y_true"
    The column of the grades. None if no metric reads grades.
y_score : str, list of str or dict of str to str, default="y_score"
    The column of the scores; of several rankers, their columns, or a dict of columns by
    the name of the ranker.
judged : str, default=None
    A boolean column: which documents have a grade. Other grades are not read.
returned : str or dict of str to str, default=None
    A boolean column: which documents were returned; a dict has one for each ranker.
    Other scores are not read.
doc_id : str, default=None
    The column of the document ids.
sample_weight : str, default=None
    The column of the weights, constant within a query.
""",
    raises="""
Raises
------
ValueError
    If a column is unknown, has missing values or values of several types, a file is
    empty or damaged, or a parameter has an invalid value. The error names the column
    and the file.
OSError
    If a file is missing or cannot be read, or there is too little disk or memory.
ImportError
    If DuckDB or PyArrow is not installed.
""",
)

# How judgements and runs are read and joined.
share_run_words = sharing_words(
    """
runs : dict of str to run
    The runs by name, each in one of the forms of :func:`align`: the path of a TREC,
    Parquet, CSV or JSON file, a table, a list of tuples or a dict of query ids.
baseline : str, default=None
    The run that all others are compared with. If None, all pairs are compared.
missing_queries : {"zero", "drop", "raise"}, default="zero"
    What is done with a judged query that a run lacks. "zero" keeps it, so that its
    value is 0 (trec_eval -c), "drop" leaves it out (trec_eval without -c).
unjudged_queries : {"drop", "raise"}, default="drop"
    What is done with a query of a run that has no judgement. "drop" leaves it out and
    warns.
duplicates : {"raise", "best", "miss"}, default="raise"
    What is done with a document that a run has twice for a query. "best" keeps its best
    score, as where passages stand for their documents; what is below moves up. With
    "miss" the other places stay, as documents that are not relevant, as in Kaggle's
    MAP@k.
qid : str, default="qid"
    The name of the column of query ids in tables.
doc_id : str, default="doc_id"
    The name of the column of document ids in tables, and of the key in hits.
grade : str, default="grade"
    The name of the column of grades.
score : str, default="score"
    The name of the column of scores in tables, and of the key in hits.
""",
    raises="\nRaises\n------\nValueError, TypeError\n"
    "    As :func:`align`, or if no query is in two runs.\n",
)

share_frame_words = sharing_words(
    """
kind : {"pandas", "polars", "pyarrow"}, default=None
    The library of the data frame. If None, that of the data that was scored, and pandas
    for arrays.
""",
    raises="\nRaises\n------\nValueError\n    If a parameter has an invalid value.\n",
)

share_split_words = sharing_words(
    """
X : array-like of shape (n_samples, n_features)
    The data. Only the number of rows is used and, in a table, the columns and the index
    that hold what is not passed.
y : array-like of shape (n_samples,), default=None
    The relevance of each row, used only by splitters that stratify. Its index may hold
    what is not passed, such as the query ids.
groups : array-like of shape (n_samples,), default=None
    The query ids, under the name that scikit-learn has for them.
qid : array-like of shape (n_samples,), default=None
    The query ids. Without `qid` and `groups` they are taken from the column
    `qid_column` of `X` or from the index of `y` or `X` named ``"qid"``.
time : array-like of shape (n_samples,), default=None
    The time of each row: numbers or dates. Without it, the parameter `time` of the
    splitter says where the times are.
""",
    returns="""
Yields
------
train : ndarray of int
    The rows of the training set, in ascending order.
test : ndarray of int
    The rows of the test set, in ascending order.
""",
)


_OF_DISPLAY = read_entries("""
scores : QueryScores
    The values by ranker, metric and query.
y_score : array-like of shape (n_samples,) or (n_queries, n_docs), or dict of them
    The predicted scores, larger is better. A dict holds those of several rankers by
    name.
ks : iterable of int, default=range(1, 21)
    The cutoffs.
confidence_level : float, default=0.95
    The level of the intervals.
ranker : str, default=None
    The name of the ranker. If None, the one that is not the baseline.
baseline : str, default=None
    The name of the ranker to compare with. If None, the first one.
n_worst : int, default=0
    How many queries that lose most are named.
ax : Axes, default=None
    Where to draw. If None, in a new figure. A figure without a layout engine gets the
    constrained one, which makes place for long names.
**params
    Further parameters of :func:`~skrank.metrics.score_queries`.
""")

# What the parameters of one display are.
_OF_ONE_DISPLAY = {
    "MetricAtKDisplay": read_entries("""
metric : str
    The name of the metric without its cutoff, such as "ndcg".
baseline : str, default=None
    The ranker to compare with. If None, the values of the rankers are drawn, and
    otherwise their differences from it.
"""),
    "QueryDifferenceDisplay": read_entries("""
metric : str or callable
    The metric, as in :func:`~skrank.metrics.evaluate`.
"""),
}

_OF_ESTIMATOR = read_entries("""
estimator : estimator instance or dict of them
    A fitted estimator, or several by name.
X : {array-like, sparse matrix, dataframe} of shape (n_samples, n_features)
    The documents to rank.
y : array-like of shape (n_samples,)
    The true grades.
qid : array-like of shape (n_samples,), default=None
    The query ids. If None, they are found where a scorer finds them.
""")


def share_display_words(function: F) -> F:
    """Complete the docstring of a method of a display."""
    cls, _, method = function.__qualname__.partition(".")
    own = _OF_DISPLAY | _OF_ONE_DISPLAY.get(cls, {})
    if method == "from_estimator":
        own |= _OF_ESTIMATOR

    def entry(name, default):
        return own[name] if name in own else describe(name, default)

    itself = " itself" if method == "plot" else ""
    returns = f"Returns\n-------\ndisplay : {cls}\n    The display{itself}."
    return share_words(function, describe=entry, returns=returns)


share_fit_words = sharing_words(
    """
X : {array-like, sparse matrix, dataframe} of shape (n_samples, n_features)
    Training documents. The column `qid_column` is removed from the features.
    It holds the query ids unless they are passed.
y : array-like of shape (n_samples,)
    Relevance of the documents. An index named ``"qid"`` holds the query ids
    unless they are passed or are in a column of `X`.
qid : array-like of shape (n_samples,), default=None
    Query ids, one per row, rows in any order.
sample_weight : array-like of shape (n_samples,), default=None
    Weights of the rows, for the underlying estimator.
""",
    returns="Returns\n-------\nself : object\n    Fitted ranker.",
)

PREDICTED = """
Returns
-------
scores : ndarray of shape (n_samples,)
    One score per row, larger is better. Compare scores of the same query only.
"""

share_predict_words = sharing_words(
    """
X : {array-like, sparse matrix, dataframe} of shape (n_samples, n_features)
    Documents, with or without the column of query ids.
""",
    returns=PREDICTED,
)


if TYPE_CHECKING:
    from scipy.sparse import sparray
else:  # the lowest supported version of SciPy lacks it
    sparray = spmatrix

MatrixLike = ArrayLike | spmatrix | sparray
PathLike = str | os.PathLike[str]
Seed = int | np.random.RandomState

Average = Literal["macro", "weighted"]
Clusters = str | ArrayLike
FrameKind = Literal["pandas", "polars", "pyarrow"]
# A file, a data frame, a dict of dicts or a list of rows.
Judgements = PathLike | Mapping[Any, Any] | Sequence[Any] | Any
MetricLike = str | Callable[..., Any]
MetricsLike = MetricLike | Sequence[MetricLike] | Mapping[str, MetricLike]
MissingQid = Literal["raise", "single"]
# Of a parameter, in a method such as set_fit_request.
MetadataRequest = bool | str | None
Gain = Callable[..., Any] | Sequence[float] | Mapping[float, float] | str
Ties = Literal["expected", "first", "optimistic", "pessimistic"]
# The rows of each training and test set.
Splits = Iterator[tuple[NDArray[Any], NDArray[Any]]]

# Of link prediction.
Known = Literal["auto"] | ArrayLike | Sequence[Literal["auto"] | ArrayLike]
LinkConvention = Literal["pykeen", "ogb", "ampligraph"]
LinkTies = Literal["expected", "optimistic", "pessimistic", "realistic"]
Side = Literal["head", "tail"]
