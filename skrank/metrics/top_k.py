"""Metrics of a set of documents: precision, recall, bpref, judged documents, counts."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank._engine.answer import ranking_metric
from skrank._engine.request import Metric, enter
from skrank._input.checks import check_choice, check_number


def found(ranking, k):
    """Return the expected number of relevant documents in the top k."""
    places = ranking.mean_over_places(np.ones_like, k)
    return ranking.where_relevant(ranking.document_total(places))


def n_relevant(ranking, k, normalize):
    """Return the number of relevant documents, or of those that fit into the top k."""
    number = np.maximum(ranking.n_relevant, 1)
    return number if normalize == "relevant" or k is None else np.minimum(number, k)


def n_places(ranking, k, normalize, caller):
    """Return k, or the length of the list."""
    words = {"achievable": "recall with normalize='achievable', which is recall_cap"}
    check_choice(normalize, {"k", "length"}, "normalize", caller, words)
    length = np.maximum(ranking.n_documents, 1)
    if k is None:
        return length
    return k if normalize == "k" else np.minimum(k, length)


@ranking_metric("precision", cutoff="required")
def precision_at_k_score(ranking, *, k, normalize="k"):
    r"""Precision at k: the fraction of the top k documents that are relevant (P@k).

    Larger is better.

    See Also
    --------
    recall_at_k_score : The fraction of the relevant documents in the top k.
    mean_precision_score : The mean over all cutoffs.
    map_score : The mean over the ranks of the relevant documents.

    Notes
    -----
    Precision [1]_ is

    .. math:: P@k = \frac{1}{k} \sum_{i=1}^{k} [\text{document } i \text{ is relevant}]

    If r of n tied documents are relevant, each of their places in the top k counts
    r / n [2]_. The sum over a list shorter than k is divided by k, as in trec_eval;
    XGBoost divides by the length of the list. A query without a relevant document is
    undefined.

    References
    ----------
    .. [1] Kent et al. (1955)
    .. [2] McSherry and Najork (2008)

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
    return found(ranking, k) / n_places(ranking, k, normalize, "precision_at_k_score")


@ranking_metric(
    "recall",
    cutoff="required",
    variants={"recall_cap": {"normalize": "achievable"}},
)
def recall_at_k_score(ranking, *, k, normalize="relevant"):
    r"""Recall at k: the fraction of the relevant documents in the top k (R@k).

    Larger is better. Capped recall, with ``normalize="achievable"``, is
    ``"recall_cap@10"`` as a scorer, with any k.

    Parameters
    ----------
    normalize : {"relevant", "achievable"}, default="relevant"
        The divisor: "relevant" is the number R of relevant documents, and "achievable"
        is min(k, R), the number of them that fit into the top k.

    See Also
    --------
    precision_at_k_score : The fraction of the top k documents that are relevant.
    hits_at_k_score : Whether any relevant document is in the top k.

    Notes
    -----
    Recall [1]_ is

    .. math:: R@k = \frac{1}{R} \sum_{i=1}^{k} [\text{document } i \text{ is relevant}]

    with the number :math:`R` of relevant documents of the query, even if it exceeds k:
    a query with 50 of them has at most the value 0.2 at k = 10. Capped recall divides
    by :math:`\min(k, R)`, so that the best value is 1 for every query. It equals
    :math:`\max(P@k, R@k)`, and is the ``recall_cap`` of BEIR and MTEB, the recall of
    LensKit, and that of [3]_.

    If r of n tied documents are relevant, each of their places in the top k counts
    r / n [2]_. A query without a relevant document is undefined.

    References
    ----------
    .. [1] Kent et al. (1955)
    .. [2] McSherry and Najork (2008)
    .. [3] D. Liang, R. G. Krishnan, M. D. Hoffman and T. Jebara, "Variational
       Autoencoders for Collaborative Filtering", WWW 2018.

    Examples
    --------
    >>> from skrank.metrics import recall_at_k_score
    >>> recall_at_k_score([1, 0, 1, 0], [4, 3, 2, 1], k=2)
    0.5
    >>> recall_at_k_score([1, 0, 1, 0], [1, 1, 1, 1], k=1)
    0.25
    >>> recall_at_k_score([1, 0, 1, 0], [4, 3, 2, 1], k=1, normalize="achievable")
    1.0
    """
    choices = {"relevant", "achievable"}
    check_choice(normalize, choices, "normalize", "recall_at_k_score")
    return found(ranking, k) / n_relevant(ranking, k, normalize)


@ranking_metric("f1", cutoff="required")
def fbeta_at_k_score(ranking, *, k, beta=1.0, normalize="k"):
    r"""F-beta at k: the weighted harmonic mean of precision and recall at k (F1@k).

    Larger is better; as a scorer, F1 is ``"f1@10"``, with any k.

    Parameters
    ----------
    beta : float, default=1.0
        The weight of recall relative to precision, 0 or more.

    See Also
    --------
    precision_at_k_score : The fraction of the top k documents that are relevant.
    recall_at_k_score : The fraction of the relevant documents in the top k.
    sklearn.metrics.fbeta_score : Of predicted classes.

    Notes
    -----
    The measure F [1]_ is

    .. math:: F_\beta@k = \frac{(1 + \beta^2) \, P@k \, R@k}{\beta^2 \, P@k + R@k}
        = \frac{(1 + \beta^2) \, h}{\beta^2 R + k}

    with h relevant documents in the top k, and R in total. F is linear in h, so its
    expectation over the orderings of tied documents is its value at the expected h
    [2]_. With ``normalize="length"``, the length of a list shorter than k takes the
    place of k. A query without a relevant document is undefined.

    References
    ----------
    .. [1] C. J. van Rijsbergen, "Information Retrieval", 2nd edition, Butterworths,
       1979.
    .. [2] McSherry and Najork (2008)

    Examples
    --------
    >>> from skrank.metrics import fbeta_at_k_score
    >>> fbeta_at_k_score([1, 0, 1, 0], [4, 3, 2, 1], k=1)
    0.6666666666666666
    >>> fbeta_at_k_score([1, 0, 1, 0], [4, 3, 2, 1], k=1, beta=2)
    0.5555555555555556
    """
    beta = check_number(beta, "beta", "fbeta_at_k_score", low=0.0, ends="[)")
    # Weights of recall and precision whose larger one is 1: no square overflows.
    recall, precision = (1.0, (1 / beta) ** 2) if beta > 1 else (beta**2, 1.0)
    places = n_places(ranking, k, normalize, "fbeta_at_k_score")
    # Precision h / places and recall h / R share the documents h that are found.
    weighted = recall * ranking.n_relevant + precision * places
    return (recall + precision) * found(ranking, k) / weighted


@ranking_metric("r_precision", cutoff="never")
def r_precision_score(ranking):
    r"""R-precision: the precision of the first R documents.

    R is the number of relevant documents of the query, so precision and recall are
    equal. Larger is better.

    See Also
    --------
    precision_at_k_score : The same cutoff for all queries.
    map_score : The mean over the ranks of the relevant documents.

    Notes
    -----
    R-precision [1]_ is

    .. math:: RP = \frac{1}{R} \sum_{i=1}^{R} [\text{document } i \text{ is relevant}]

    If r of n tied documents are relevant, each of their places in the top R counts
    r / n [2]_. Relevant documents that were judged but not returned count in R.
    A query without a relevant document is undefined.

    References
    ----------
    .. [1] Buckley and Voorhees (2000)
    .. [2] McSherry and Najork (2008)

    Examples
    --------
    >>> from skrank.metrics import r_precision_score
    >>> r_precision_score([1, 0, 1, 0], [4, 3, 2, 1])
    0.5
    >>> r_precision_score([0, 1], [1, 1])
    0.5
    """
    return found(ranking, ranking.n_relevant) / np.maximum(ranking.n_relevant, 1)


@ranking_metric("bpref", cutoff="never", masks=["judged", "returned"])
def bpref_score(ranking):
    r"""Binary preference (bpref).

    How few of the judged non-relevant documents rank above the relevant ones. Documents
    without a judgement are ignored. Larger is better.

    See Also
    --------
    judged_at_k_score : The fraction of the top k documents that are judged.
    map_score : Documents without a judgement count as not relevant.
    query_auc_score : All pairs of documents have equal weight.

    Notes
    -----
    With R relevant and N judged non-relevant documents, returned or not,

    .. math:: bpref = \frac{1}{R} \sum_{d} \left(1
        - \frac{\min(n_d, R)}{\min(N, R)}\right)

    over the relevant documents d that were returned, where :math:`n_d` is the number of
    the N ranked above d; if N = 0, each contributes 1. This is trec_eval's form of
    [1]_. If a relevant document is tied with q judged non-relevant ones, any number of
    them from 0 to q is above it with equal probability. A query without a relevant
    document is undefined.

    References
    ----------
    .. [1] C. Buckley and E. M. Voorhees, "Retrieval Evaluation with Incomplete
       Information", SIGIR 2004.

    Examples
    --------
    >>> from skrank.metrics import bpref_score
    >>> bpref_score([0, 1, 1, 0], [4, 3, 2, 1])
    0.5
    >>> bpref_score([0, 1, 1, 0], [4, 3, 2, 1], judged=[False, True, True, True])
    1.0
    >>> bpref_score([0, 1, 1, 0], [4, 3, 2, 1], returned=[True, False, True, True])
    0.25
    """
    judged = ranking.judged_only
    n_relevant = np.maximum(ranking.n_relevant, 1)
    cap = n_relevant[judged.query]
    above = judged.above - judged.relevant_above
    tied = judged.size - judged.relevant
    # With R relevant documents and N judged non-relevant ones, a relevant document
    # contributes 1 - min(n_d, R) / min(N, R), as in trec_eval. If it is tied with q of
    # the N and below a of them, n_d is a, ..., a + q with equal probability:
    #     E[min(n_d, R)] = (min(a, R) + ... + min(a + q, R)) / (q + 1).
    # The first `free` terms of this sum are below R, which is `cap`.
    free = np.clip(cap - above, 0, tied + 1)
    capped = free * above + free * (free - 1) / 2 + (tied + 1 - free) * cap
    limit = np.maximum(np.minimum(ranking.n_nonrelevant, n_relevant), 1)[judged.query]
    preferred = 1 - capped / ((tied + 1) * limit)
    return ranking.where_relevant(judged.document_total(preferred) / n_relevant)


@ranking_metric(
    "judged",
    cutoff="required",
    without=["unjudged"],
    masks=["judged", "returned"],
)
def judged_at_k_score(ranking, *, k):
    r"""Fraction of the top k documents that are judged (Judged@k).

    A low value means that the other metrics are unreliable, since they count a document
    without a judgement as not relevant. Larger is better.

    See Also
    --------
    bpref_score : Ignores documents without a judgement.
    precision_at_k_score : The fraction of the top k documents that are relevant.

    Notes
    -----
    For a list of n documents,

    .. math:: Judged@k = \frac{1}{\min(k, n)} \sum_{i=1}^{\min(k, n)}
        [\text{document } i \text{ is judged}].

    If j of n tied documents are judged, each of their places in the top k counts j / n.
    The grades are not read, so a query without a relevant document is not undefined. A
    query without documents has the value 0.

    Examples
    --------
    >>> from skrank.metrics import judged_at_k_score
    >>> judged_at_k_score([1, 0, 0], [3, 2, 1], k=2, judged=[True, False, True])
    0.5
    >>> judged_at_k_score([1, 0, 0], [3, 3, 1], k=1, judged=[True, False, True])
    0.5
    """
    judged = ranking.by_judgement
    places = judged.total(judged.relevant * judged.mean_over_places(np.ones_like, k))
    length = judged.n_documents if k is None else np.minimum(judged.n_documents, k)
    return places / np.maximum(length, 1)


def sum_of_queries(values, weight):
    """Return the sum over the queries, each times its weight."""
    known = ~np.isnan(values)
    weight = 1.0 if weight is None else weight[known]
    return float(np.sum(values[known] * weight))


def returned_documents(ranking):
    """Return the number of returned documents of each query."""
    return ranking.n_documents.astype(np.float64)


def relevant_documents(ranking):
    """Return the number of relevant documents of each query, returned or not."""
    return ranking.n_relevant.astype(np.float64)


def relevant_documents_returned(ranking):
    """Return the number of relevant documents that were returned of each query."""
    return ranking.n_found.astype(np.float64)


def _enter_count(name, definition):
    """Enter a count, which has a name, as trec_eval prints it, and no function."""
    limits = 0, np.inf
    enter(Metric(name, definition, cutoff="never", limits=limits, pool=sum_of_queries))


_enter_count("num_ret", returned_documents)
_enter_count("num_rel", relevant_documents)
_enter_count("num_rel_ret", relevant_documents_returned)
