"""Precision, recall and F-measure of the top of the list."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank._checks import check_beta, check_choice
from skrank.metrics._metric import ranking_metric


def found(ranking, k):
    """Return the expected number of relevant documents in the top k."""
    places = ranking.mean_over_places(np.ones_like, k)
    return ranking.where_relevant(ranking.total(ranking.relevant * places))


def precision(ranking, *, k=None, normalize="k"):
    """Return the fraction of the top k documents that are relevant."""
    return found(ranking, k) / _places(ranking, k, normalize, "precision_at_k_score")


def _places(ranking, k, normalize, caller):
    """Return the divisor of precision."""
    check_choice(normalize, {"k", "length"}, "normalize", caller)
    length = np.maximum(ranking.n_documents, 1)
    if k is None:
        return length
    return k if normalize == "k" else np.minimum(k, length)


@ranking_metric("precision", precision, cutoff="required")
def precision_at_k_score(
    y_true, y_score, *, qid=None, k, normalize="k", threshold=0.0, ties="expected",
    replace_undefined_by=0.0, average="macro", adjusted=False, sample_weight=None,
    exclude=None, judged=None, returned=None,
):  # fmt: skip
    r"""Precision at k: the fraction of the top k documents that are relevant (P@k).

    Larger is better.

    Parameters
    ----------
    normalize : {"k", "length"}, default="k"
        The divisor of a list shorter than k: "k" is k all the same, "length" is the
        length of the list.

    Returns
    -------
    score : float or ndarray of shape (n_queries,)
        Between 0 and 1. The best value is 1.0.

    See Also
    --------
    recall_at_k_score : The fraction of the relevant documents in the top k.
    mean_precision_score : The mean over all cutoffs.
    map_score : The mean over the ranks of the relevant documents.

    Notes
    -----
    .. math:: P@k = \frac{1}{k} \sum_{i=1}^{k} [\text{document } i \text{ is relevant}]

    If r of n tied documents are relevant, each of their places in the top k counts
    r / n [1]_. The sum over a list shorter than k is divided by k, as in trec_eval;
    XGBoost divides by the length of the list. A query without a relevant document is
    undefined.

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
    """Return the fraction of the relevant documents that are in the top k."""
    return found(ranking, k) / np.maximum(ranking.n_relevant, 1)


@ranking_metric("recall", recall, cutoff="required")
def recall_at_k_score(
    y_true, y_score, *, qid=None, k, threshold=0.0, ties="expected",
    replace_undefined_by=0.0, average="macro", adjusted=False, sample_weight=None,
    exclude=None, judged=None, returned=None,
):  # fmt: skip
    r"""Recall at k: the fraction of the relevant documents in the top k (R@k).

    Larger is better.

    Returns
    -------
    score : float or ndarray of shape (n_queries,)
        Between 0 and 1. The best value is 1.0.

    See Also
    --------
    precision_at_k_score : The fraction of the top k documents that are relevant.
    hits_at_k_score : Whether any relevant document is in the top k.

    Notes
    -----
    .. math:: R@k = \frac{1}{R} \sum_{i=1}^{k} [\text{document } i \text{ is relevant}]

    with the number :math:`R` of relevant documents of the query, even if it exceeds k.
    If r of n tied documents are relevant, each of their places in the top k counts
    r / n [1]_. A query without a relevant document is undefined.

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
    beta = check_beta(beta, "fbeta_at_k_score")
    # Weights of recall and precision whose larger one is 1: no square overflows.
    recall, precision = (1.0, (1 / beta) ** 2) if beta > 1 else (beta**2, 1.0)
    places = _places(ranking, k, normalize, "fbeta_at_k_score")
    # Precision h / places and recall h / R share the documents h that are found.
    weighted = recall * ranking.n_relevant + precision * places
    return (recall + precision) * found(ranking, k) / weighted


@ranking_metric("f1", fbeta, cutoff="required")
def fbeta_at_k_score(
    y_true, y_score, *, qid=None, k, beta=1.0, normalize="k", threshold=0.0,
    ties="expected", replace_undefined_by=0.0, average="macro", adjusted=False,
    sample_weight=None, exclude=None, judged=None, returned=None,
):  # fmt: skip
    r"""F-beta at k: the weighted harmonic mean of precision and recall at k (F1@k).

    Larger is better; as a scorer, F1 is ``"f1@10"``, with any k.

    Parameters
    ----------
    beta : float, default=1.0
        The weight of recall relative to precision, 0 or more.
    normalize : {"k", "length"}, default="k"
        The divisor of a list shorter than k: "k" is k all the same, "length" is the
        length of the list.

    Returns
    -------
    score : float or ndarray of shape (n_queries,)
        Between 0 and 1. The best value is 1.0.

    See Also
    --------
    precision_at_k_score : The fraction of the top k documents that are relevant.
    recall_at_k_score : The fraction of the relevant documents in the top k.
    sklearn.metrics.fbeta_score : Of predicted classes.

    Notes
    -----
    .. math:: F_\beta@k = \frac{(1 + \beta^2) \, P@k \, R@k}{\beta^2 \, P@k + R@k}
        = \frac{(1 + \beta^2) \, h}{\beta^2 R + k}

    with h relevant documents in the top k, and R in total. F is linear in h, so its
    expectation over the orderings of tied documents is its value at the expected h
    [1]_. With ``normalize="length"``, the length of a list shorter than k takes the
    place of k. A query without a relevant document is undefined.

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
    """Return the precision at R, the number of relevant documents."""
    return found(ranking, ranking.n_relevant) / np.maximum(ranking.n_relevant, 1)


@ranking_metric("r_precision", r_precision, cutoff="never")
def r_precision_score(
    y_true, y_score, *, qid=None, threshold=0.0, ties="expected",
    replace_undefined_by=0.0, average="macro", adjusted=False, sample_weight=None,
    exclude=None, judged=None, returned=None,
):  # fmt: skip
    r"""R-precision: the precision of the first R documents.

    R is the number of relevant documents of the query, so precision and recall are
    equal. Larger is better.

    Returns
    -------
    score : float or ndarray of shape (n_queries,)
        Between 0 and 1. The best value is 1.0.

    See Also
    --------
    precision_at_k_score : The same cutoff for all queries.
    map_score : The mean over the ranks of the relevant documents.

    Notes
    -----
    .. math:: RP = \frac{1}{R} \sum_{i=1}^{R} [\text{document } i \text{ is relevant}]

    If r of n tied documents are relevant, each of their places in the top R counts
    r / n [1]_. Relevant documents that were judged but not returned count in R.
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
