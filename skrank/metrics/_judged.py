"""Metrics of lists in which some documents are not judged."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank.metrics._metric import ranking_metric


def binary_preference(ranking):
    """Return the fraction of judged non-relevant documents ranked below."""
    judged = ranking._judged_only
    n_relevant = np.maximum(ranking.n_relevant, 1)
    cap = n_relevant[judged.query]
    above = judged.above - judged._relevant_above
    tied = judged.size - judged.relevant
    # With R relevant documents and N judged non-relevant ones, a relevant document
    # contributes 1 - min(n_d, R) / min(N, R), as in trec_eval. If it is tied with q of
    # the N and below a of them, n_d is a, ..., a + q with equal probability:
    #     E[min(n_d, R)] = (min(a, R) + ... + min(a + q, R)) / (q + 1).
    # The first `free` terms of this sum are below R, which is `cap`.
    free = np.clip(cap - above, 0, tied + 1)
    capped = free * above + free * (free - 1) / 2 + (tied + 1 - free) * cap
    limit = np.maximum(np.minimum(n_others(ranking), n_relevant), 1)[judged.query]
    preferred = judged.relevant * (1 - capped / ((tied + 1) * limit))
    return ranking.where_relevant(judged.total(preferred) / n_relevant)


def n_others(ranking):
    """Return the number of judged non-relevant documents of each query."""
    found = ranking._judged_only.n_documents - ranking._n_found
    missing = ranking._lists.missing
    return found if missing is None else found + missing.n_others


@ranking_metric("bpref", binary_preference, cutoff="never")
def bpref_score(
    y_true, y_score, *, qid=None, threshold=0.0, ties="expected",
    replace_undefined_by=0.0, average="macro", adjusted=False, sample_weight=None,
    exclude=None, judged=None, returned=None,
):  # fmt: skip
    r"""Binary preference (bpref).

    How few of the judged non-relevant documents rank above the relevant ones. Documents
    without a judgement are ignored. Larger is better.

    Returns
    -------
    score : float or ndarray of shape (n_queries,)
        Between 0 and 1. The best value is 1.0.

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


def judged_fraction(ranking, *, k=None):
    """Return the fraction of the top k documents that are judged."""
    judged = ranking._by_judgement
    places = judged.total(judged.relevant * judged.mean_over_places(np.ones_like, k))
    length = ranking.n_documents if k is None else np.minimum(ranking.n_documents, k)
    return places / np.maximum(length, 1)


@ranking_metric("judged", judged_fraction, cutoff="required")
def judged_at_k_score(
    y_true, y_score, *, qid=None, k, threshold=0.0, ties="expected",
    replace_undefined_by=0.0, average="macro", adjusted=False, sample_weight=None,
    exclude=None, judged=None, returned=None,
):  # fmt: skip
    r"""Fraction of the top k documents that are judged (Judged@k).

    A low value means that the other metrics are unreliable, since they count a document
    without a judgement as not relevant. Larger is better.

    Returns
    -------
    score : float or ndarray of shape (n_queries,)
        Between 0 and 1. The best value is 1.0.

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
