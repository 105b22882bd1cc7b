"""Counts of documents, as trec_eval prints them."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank.metrics._metric import ranking_metric


def sum_of_queries(ranking, values, weight):
    """Return the sum over the queries, each times its weight."""
    known = ~np.isnan(values)
    weight = 1.0 if weight is None else weight[known]
    return float(np.sum(values[known] * weight))


def returned_documents(ranking):
    """Return the number of returned documents of each query."""
    return ranking.n_documents.astype(np.float64)


@ranking_metric(
    "num_ret",
    returned_documents,
    cutoff="never",
    limits=(0, np.inf),
    pool=sum_of_queries,
)
def num_ret(
    y_true, y_score, *, qid=None, threshold=0.0, ties="expected",
    replace_undefined_by=0.0, average="macro", adjusted=False, sample_weight=None,
    exclude=None, judged=None, returned=None,
):  # fmt: skip
    r"""Count of returned documents (num_ret).

    The documents that are ranked, summed over the queries. It does not depend on their
    order. Larger is better.

    Returns
    -------
    count : float or ndarray of shape (n_queries,)
        0 or more. The best value is that of every ordering.

    See Also
    --------
    num_rel_ret : How many of them are relevant.
    num_rel : The number of relevant documents.

    Notes
    -----
    With the number :math:`n_q` of returned documents of query q,

    .. math:: \sum_q n_q.

    As in trec_eval the values of the queries are not averaged but summed, each times
    its weight. The metric is never undefined.

    Examples
    --------
    >>> from skrank.metrics import num_ret
    >>> num_ret([1, 0, 1], [3, 2, 1])
    3.0
    >>> num_ret([1, 0, 1], [3, 2, 1], returned=[True, True, False])
    2.0
    """


def relevant_documents(ranking):
    """Return the number of relevant documents of each query."""
    return ranking.n_relevant.astype(np.float64)


@ranking_metric(
    "num_rel",
    relevant_documents,
    cutoff="never",
    limits=(0, np.inf),
    pool=sum_of_queries,
)
def num_rel(
    y_true, y_score, *, qid=None, threshold=0.0, ties="expected",
    replace_undefined_by=0.0, average="macro", adjusted=False, sample_weight=None,
    exclude=None, judged=None, returned=None,
):  # fmt: skip
    r"""Count of relevant documents (num_rel).

    Summed over the queries, also of documents that were judged but not returned. It
    does not depend on their order. Larger is better.

    Returns
    -------
    count : float or ndarray of shape (n_queries,)
        0 or more. The best value is that of every ordering.

    See Also
    --------
    num_rel_ret : How many of them were returned.
    num_ret : The number of returned documents.

    Notes
    -----
    With the number :math:`R_q` of relevant documents of query q,

    .. math:: \sum_q R_q.

    As in trec_eval the values of the queries are not averaged but summed, each times
    its weight. The metric is never undefined.

    Examples
    --------
    >>> from skrank.metrics import num_rel
    >>> num_rel([1, 0, 1], [3, 2, 1])
    2.0
    >>> num_rel([1, 0, 1], [3, 2, 1], returned=[True, True, False])
    2.0
    """


def relevant_documents_returned(ranking):
    """Return the number of relevant documents that were returned of each query."""
    return ranking._n_found.astype(np.float64)


@ranking_metric(
    "num_rel_ret",
    relevant_documents_returned,
    cutoff="never",
    limits=(0, np.inf),
    pool=sum_of_queries,
)
def num_rel_ret(
    y_true, y_score, *, qid=None, threshold=0.0, ties="expected",
    replace_undefined_by=0.0, average="macro", adjusted=False, sample_weight=None,
    exclude=None, judged=None, returned=None,
):  # fmt: skip
    r"""Count of relevant documents that were returned (num_rel_ret).

    Summed over the queries. It does not depend on the order of the documents. Larger is
    better.

    Returns
    -------
    count : float or ndarray of shape (n_queries,)
        0 or more. The best value is that of every ordering.

    See Also
    --------
    num_rel : The number of relevant documents.
    recall_at_k_score : The fraction of them in the top k.

    Notes
    -----
    With the number :math:`h_q` of relevant documents that were returned of query q,

    .. math:: \sum_q h_q.

    As in trec_eval the values of the queries are not averaged but summed, each times
    its weight. The metric is never undefined.

    Examples
    --------
    >>> from skrank.metrics import num_rel_ret
    >>> num_rel_ret([1, 0, 1], [3, 2, 1])
    2.0
    >>> num_rel_ret([1, 0, 1], [3, 2, 1], returned=[True, True, False])
    1.0
    """
