"""Cumulative gain metrics, for graded relevance."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank._engine.declare import ranking_metric
from skrank._engine.request import Implied
from skrank._input.callers import warn_caller
from skrank._input.checks import check_choice


@ranking_metric("cg", limits=(0, np.inf))
def cg_score(ranking, *, k=None):
    r"""Cumulative gain (CG): the sum of the grades of the top k documents.

    It does not depend on the order of these documents. Larger is better.

    Returns
    -------
    score : float or ndarray of shape (n_queries,)
        0 or more. The best value is that of the ideal ranking, by `y_true`.

    See Also
    --------
    dcg_score : The same sum, discounted by rank.

    Notes
    -----
    With :math:`g_i` the grade of the document at rank i, 0 if it is not relevant,

    .. math:: CG@k = \sum_{i=1}^{k} g_i.

    With ties, every document of a tie group is equally likely at each of their places.
    A query without a relevant document has a cumulative gain of 0: the metric is never
    undefined.

    References
    ----------
    .. [1] Jarvelin and Kekalainen (2002)

    Examples
    --------
    >>> from skrank.metrics import cg_score
    >>> cg_score([3, 1, 2, 0], [4, 3, 2, 1])
    6.0
    >>> cg_score([3, 1, 2, 0], [4, 3, 2, 1], k=2)
    4.0
    """
    places = ranking.mean_over_places(np.ones_like, k)
    return ranking.document_total(places, ranking.grade)


@ranking_metric("dcg", limits=(0, np.inf))
def dcg_score(ranking, *, k=None, gain="exponential", discount="log2"):
    r"""Discounted cumulative gain (DCG).

    The sum of the gains of the top k documents, each discounted by its rank. Larger is
    better.

    Returns
    -------
    score : float or ndarray of shape (n_queries,)
        0 or more. The best value is that of the ideal ranking, by gain.

    See Also
    --------
    ndcg_score : DCG divided by the DCG of the ideal ranking.
    sklearn.metrics.dcg_score : Linear gain, for a matrix.

    Notes
    -----
    With the gain :math:`g_i` of the document at rank i, 0 if it is not relevant,

    .. math:: DCG@k = \sum_{i=1}^{k} \frac{g_i}{\log_2(i + 1)}.

    The gain :math:`2^{rel} - 1` is the default of LightGBM, XGBoost and MatchZoo;
    scikit-learn and trec_eval use the grade itself [2]_. Each tied document gets the
    mean discount of their places [1]_. A query without a relevant document has a DCG of
    0: the metric is never undefined.

    References
    ----------
    .. [1] McSherry and Najork (2008)
    .. [2] Jarvelin and Kekalainen (2002)

    Examples
    --------
    >>> from skrank.metrics import dcg_score
    >>> dcg_score([3, 0, 1], [3, 2, 1])
    7.5
    >>> dcg_score([3, 0, 1], [3, 2, 1], k=2, gain="linear")
    3.0
    """
    if callable(gain) and ranking.ideal is ranking:
        ranking = ideal_by_gain(ranking, gain)
    weight = ranking.mean_over_places(discount_function(discount), k)
    return ranking.document_total(weight, gain_function(ranking, gain))


@ranking_metric("ndcg")
def ndcg_score(ranking, *, k=None, gain="exponential", discount="log2"):
    r"""Discounted cumulative gain, normalized (NDCG).

    The DCG divided by the DCG of the ideal ranking (IDCG). Larger is better. The gain
    is exponential, as in LightGBM and XGBoost; :func:`sklearn.metrics.ndcg_score` has
    the linear one, ``gain="linear"``.

    See Also
    --------
    dcg_score : The DCG without normalization.
    sklearn.metrics.ndcg_score : Linear gain, for a matrix.

    Notes
    -----
    .. math:: NDCG@k = \frac{DCG@k}{IDCG@k}, \quad
        IDCG@k = \max_{\text{orderings}} DCG@k.

    The ideal ranking is the order by gain: by grade, but for a callable `gain` that
    does not increase with the grade. The gain :math:`2^{rel} - 1` is the default of
    LightGBM, XGBoost and MatchZoo; scikit-learn and trec_eval use the grade itself
    [2]_. Each tied document gets the mean discount of their places [1]_. A query
    without a relevant document is undefined: 0 here, in scikit-learn and in trec_eval,
    1 in LightGBM and XGBoost.

    References
    ----------
    .. [1] McSherry and Najork (2008)
    .. [2] Jarvelin and Kekalainen (2002)

    Examples
    --------
    >>> from skrank.metrics import ndcg_score
    >>> ndcg_score([3, 2, 0, 1, 0], [3, 2, 1, 1, 2], qid=[7, 7, 7, 8, 8])
    0.8154648767857288
    >>> ndcg_score([0, 1, 2, 0], [0.4, 0.2, 0.5, 0.7], k=2)
    0.5212960286143...
    >>> ndcg_score([[0, 1, 2, 0]], [[0.4, 0.2, 0.5, 0.7]], gain="linear")
    0.6433...
    """
    own = dcg_score.definition(ranking, k=k, gain=gain, discount=discount)
    ideal = dcg_score.definition(ranking.ideal, k=k, gain=gain, discount=discount)
    return np.divide(own, ideal, out=np.full_like(own, np.nan), where=ideal > 0)


def ideal_by_gain(ranking, gain):
    """Return the ideal ranking, in which larger gains come first."""
    if not callable(gain):  # the named gains increase with the grade
        return ranking.ideal
    ideal = ranking.ideal
    return ideal.ordered_by(ideal.grade_total(gain_function(ideal, gain)) / ideal.size)


def gains(ranking, gain):
    """Return the gain of each relevant document."""
    return gain_function(ranking, gain)(ranking.grade)


def gain_function(ranking, gain):
    """Return the function that maps grades of a ranking to their gains."""
    if callable(gain):
        return lambda grade: _finite_values(gain, grade, "gain")
    if not isinstance(gain, str) or gain not in ("linear", "exponential"):
        check_gain(gain)
    lowest, highest = map(float, ranking.grade_range)
    if lowest < 0:
        raise ValueError(
            f"gain={gain!r} takes no negative grades, which would be negative gains. "
            f"Got a lowest grade of {lowest} in y_true; shift the grades."
        )
    if gain == "linear":
        return lambda grade: grade
    # 2 ** grade itself is to be a float, and so is the sum of all gains of a query.
    largest = MOST_BITS - np.log2(ranking.n_documents.max(initial=1))
    if highest >= largest:
        raise ValueError(
            f"Grades must be below {largest:.1f} with gain='exponential', or the sum "
            "of 2 ** grade over the documents of a query overflows. Got a highest "
            f"grade of {highest} in y_true; pass gain='linear' or rescale the grades."
        )
    if highest > MOST_GRADE and isinstance(gain, Implied):
        warn_caller(LARGE_GRADES, UserWarning)
    return _exponential


def _exponential(grade):
    gain = np.exp2(grade) - 1
    if len(grade) and grade.min() < 1:  # the difference has lost digits
        return np.where(grade < 1, np.expm1(grade * np.log(2)), gain)
    return gain


# LightGBM refuses higher grades.
MOST_GRADE = 30
LARGE_GRADES = (
    f"With grades above {MOST_GRADE} the default gain, 2 ** grade - 1, reads the "
    "highest grade and hardly any other. Pass gain='linear', in a scorer name "
    "\"ndcg(gain='linear')@10\", or gain='exponential' if this is meant."
)

# 2 to this power is too large for a float.
MOST_BITS = 1024


def check_gain(gain):
    """Raise if `gain` is neither a name nor a callable."""
    if not callable(gain):
        choices = ("exponential", "linear")
        check_choice(gain, choices, "gain", None, or_else=" or a callable")


def discount_function(discount, caller=None, **further):
    """Return the function that maps ranks to their discounts.

    `further` are those of the `caller` that have names of their own.
    """
    if callable(discount):
        return lambda rank: _finite_values(discount, rank, "discount")
    functions = _DISCOUNTS | further if further else _DISCOUNTS
    if not isinstance(discount, str) or discount not in functions:
        check_choice(discount, functions, "discount", caller, or_else=" or a callable")
    return functions[discount]


_DISCOUNTS = {
    "log2": lambda rank: 1 / np.log2(np.asarray(rank) + 1.0),
    "ln": lambda rank: 1 / np.log(np.asarray(rank) + 1.0),
    "reciprocal": lambda rank: 1 / np.asarray(rank, dtype=np.float64),
}


def _finite_values(function, argument, name):
    """Return the values of a user's function; raise if one is not a finite number."""
    values = np.asarray(function(argument), dtype=np.float64)
    if values.shape != np.shape(argument) or not np.isfinite(values).all():
        raise ValueError(
            f"The '{name}' parameter must be a callable that returns a finite number "
            f"for each entry of an array. Got an array of shape {values.shape} for "
            f"one of shape {np.shape(argument)}, or NaN or infinity in it."
        )
    return values
