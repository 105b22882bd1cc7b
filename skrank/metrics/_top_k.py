"""Precision, recall and F-measure of the top of the list."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank._checks import check_beta, check_choice
from skrank.metrics._metric import ranking_metric


def found(ranking, k):
    """Return the expected number of relevant documents in the first k."""
    places = ranking.mean_over_places(np.ones_like, k)
    return ranking.where_relevant(ranking.total(ranking.relevant * places))


def precision(ranking, *, k=None, normalize="k"):
    """Return the share of the first k documents that is relevant."""
    return found(ranking, k) / _places(ranking, k, normalize, "precision_at_k_score")


def _places(ranking, k, normalize, caller):
    """Return how many documents the first k are, as far as precision goes."""
    check_choice(normalize, {"k", "length"}, "normalize", caller)
    length = np.maximum(ranking.n_documents, 1)
    if k is None:
        return length
    return k if normalize == "k" else np.minimum(k, length)


@ranking_metric("precision", precision, cutoff="required")
def precision_at_k_score(
    y_true,
    y_score,
    *,
    qid=None,
    k,
    normalize="k",
    threshold=0.0,
    ties="expected",
    replace_undefined_by=0.0,
    average="macro",
    adjusted=False,
    sample_weight=None,
    exclude=None,
    judged=None,
    returned=None,
):
    r"""Precision at k: the share of the first k documents that is relevant (P@k).

    Larger is better.

    Parameters
    ----------
    normalize : {"k", "length"}, default="k"
        What a list shorter than k is divided by: k all the same, or its length.

    Returns
    -------
    score : float or ndarray of shape (n_queries,)
        Between 0 and 1. The best value is 1.0.

    See Also
    --------
    recall_at_k_score : The share of the relevant documents that is found.
    mean_precision_score : The mean over all cutoffs.
    map_score : The mean at the ranks of the relevant documents.

    Notes
    -----
    .. math:: P@k = \frac{1}{k} \sum_{i=1}^{k} [\text{document } i \text{ is relevant}]

    If r of n tied documents are relevant, each of their places within the first k
    counts r / n [1]_. A list shorter than k is divided by k, as trec_eval does;
    XGBoost divides by the length of the list. A query without a relevant document is
    undefined. Without `k` the whole list is read.

    References
    ----------
    .. [1] F. McSherry and M. Najork, "Computing Information Retrieval Performance
       Measures Efficiently in the Presence of Tied Scores", ECIR 2008.

    Examples
    --------
    >>> from skrank.metrics import precision_at_k_score
    >>> precision_at_k_score([1, 0, 1, 0], [4, 3, 2, 1], k=2)
    0.5
    >>> precision_at_k_score([1, 1], [2, 1], k=4)
    0.5
    >>> precision_at_k_score([1, 1], [2, 1], k=4, normalize="length")
    1.0
    """


def recall(ranking, *, k=None):
    """Return the share of the relevant documents that stands in the first k."""
    return found(ranking, k) / np.maximum(ranking.n_relevant, 1)


@ranking_metric("recall", recall, cutoff="required")
def recall_at_k_score(
    y_true,
    y_score,
    *,
    qid=None,
    k,
    threshold=0.0,
    ties="expected",
    replace_undefined_by=0.0,
    average="macro",
    adjusted=False,
    sample_weight=None,
    exclude=None,
    judged=None,
    returned=None,
):
    r"""Recall at k: the share of the relevant documents in the first k (R@k).

    Larger is better.

    Returns
    -------
    score : float or ndarray of shape (n_queries,)
        Between 0 and 1. The best value is 1.0.

    See Also
    --------
    precision_at_k_score : The share of the first k documents that is relevant.
    hits_at_k_score : Whether any relevant document is found.

    Notes
    -----
    .. math:: R@k = \frac{1}{R} \sum_{i=1}^{k} [\text{document } i \text{ is relevant}]

    with the number :math:`R` of relevant documents of the query, also where it
    exceeds k. If r of n tied documents are relevant, each of their places within the
    first k counts r / n [1]_. A query without a relevant document is undefined.

    References
    ----------
    .. [1] F. McSherry and M. Najork, "Computing Information Retrieval Performance
       Measures Efficiently in the Presence of Tied Scores", ECIR 2008.

    Examples
    --------
    >>> from skrank.metrics import recall_at_k_score
    >>> recall_at_k_score([1, 0, 1, 0], [4, 3, 2, 1], k=2)
    0.5
    >>> recall_at_k_score([1, 0, 1, 0], [1, 1, 1, 1], k=1)
    0.25
    """


def fbeta(ranking, *, k=None, beta=1.0, normalize="k"):
    """Return the weighted harmonic mean of precision and recall."""
    square = check_beta(beta, "fbeta_at_k_score") ** 2
    places = _places(ranking, k, normalize, "fbeta_at_k_score")
    # Precision h / places and recall h / R share the documents h that are found.
    return (1 + square) * found(ranking, k) / (square * ranking.n_relevant + places)


@ranking_metric("f1", fbeta, cutoff="required")
def fbeta_at_k_score(
    y_true,
    y_score,
    *,
    qid=None,
    k,
    beta=1.0,
    normalize="k",
    threshold=0.0,
    ties="expected",
    replace_undefined_by=0.0,
    average="macro",
    adjusted=False,
    sample_weight=None,
    exclude=None,
    judged=None,
    returned=None,
):
    r"""F-beta at k: precision and recall of the first k documents in one (F1@k).

    The weighted harmonic mean of P@k and R@k. Larger is better; as a scorer the F1 is
    "f1@10", for any k.

    Parameters
    ----------
    beta : float, default=1.0
        How many times as much recall counts as precision, 0 or more.
    normalize : {"k", "length"}, default="k"
        What a list shorter than k is divided by: k all the same, or its length.

    Returns
    -------
    score : float or ndarray of shape (n_queries,)
        Between 0 and 1. The best value is 1.0.

    See Also
    --------
    precision_at_k_score : The share of the first k documents that is relevant.
    recall_at_k_score : The share of the relevant documents that is found.
    sklearn.metrics.fbeta_score : Of predicted classes.

    Notes
    -----
    .. math:: F_\beta@k = \frac{(1 + \beta^2) \, P@k \, R@k}{\beta^2 \, P@k + R@k}
        = \frac{(1 + \beta^2) \, h}{\beta^2 R + k}

    with h relevant documents among the first k, and R in all. Precision and recall
    share h, so F is linear in it, and tied documents give the value at their expected h
    [1]_. With ``normalize="length"`` a list shorter than k is divided by its length
    instead of k. A query without a relevant document is undefined.

    References
    ----------
    .. [1] F. McSherry and M. Najork, "Computing Information Retrieval Performance
       Measures Efficiently in the Presence of Tied Scores", ECIR 2008.

    Examples
    --------
    >>> from skrank.metrics import fbeta_at_k_score
    >>> fbeta_at_k_score([1, 0, 1, 0], [4, 3, 2, 1], k=1)
    0.6666666666666666
    >>> fbeta_at_k_score([1, 0, 1, 0], [4, 3, 2, 1], k=1, beta=2)
    0.5555555555555556
    """


def r_precision(ranking):
    """Return the precision at as many documents as are relevant."""
    return found(ranking, ranking.n_relevant) / np.maximum(ranking.n_relevant, 1)


@ranking_metric("r_precision", r_precision, cutoff="never")
def r_precision_score(
    y_true,
    y_score,
    *,
    qid=None,
    threshold=0.0,
    ties="expected",
    replace_undefined_by=0.0,
    average="macro",
    adjusted=False,
    sample_weight=None,
    exclude=None,
    judged=None,
    returned=None,
):
    r"""R-precision: the precision of the first R documents.

    R is the number of relevant documents of the query, so that precision and recall are
    one. Larger is better.

    Returns
    -------
    score : float or ndarray of shape (n_queries,)
        Between 0 and 1. The best value is 1.0.

    See Also
    --------
    precision_at_k_score : With the same cutoff for all queries.
    map_score : The mean at the ranks of the relevant documents.

    Notes
    -----
    .. math:: RP = \frac{1}{R} \sum_{i=1}^{R} [\text{document } i \text{ is relevant}]

    If r of n tied documents are relevant, each of their places within the first R
    counts r / n [1]_. Relevant documents that were judged but not returned count in R.
    A query without a relevant document is undefined.

    References
    ----------
    .. [1] F. McSherry and M. Najork, "Computing Information Retrieval Performance
       Measures Efficiently in the Presence of Tied Scores", ECIR 2008.

    Examples
    --------
    >>> from skrank.metrics import r_precision_score
    >>> r_precision_score([1, 0, 1, 0], [4, 3, 2, 1])
    0.5
    >>> r_precision_score([0, 1], [1, 1])
    0.5
    """
