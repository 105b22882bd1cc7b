"""The arrays that vector indexes return."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numbers

import numpy as np
from scipy import sparse
from sklearn.utils import Bunch

from skrank._checks import check_flag, numeric_array, shown
from skrank.tables._align import align_triples
from skrank.tables._forms import Names, Side, read_side
from skrank.tables._trec_text import QRELS
from skrank.tables._triples import Triples, text_of

RELEVANT = Side(
    "relevant",
    QRELS,
    "one index for each query, an array or a sparse matrix of grades of shape "
    "(n_queries, n_documents), or a list with a set, a list or a dict {index: grade} "
    "for each query",
)


def from_topk(indices, scores=None, relevant=None, *, higher_is_better=True):
    """Align the top k of each query, as vector indexes return them, with the truth.

    To evaluate only the k returned rows would overrate recall and NDCG: the relevant
    documents that are not among them count as well.

    Parameters
    ----------
    indices : array-like of int of shape (n_queries, k)
        The positions of the documents, as returned by faiss, hnswlib or
        :class:`~sklearn.neighbors.NearestNeighbors`. -1 stands for no document.
    scores : array-like of shape (n_queries, k), default=None
        Their scores or distances. If None, a row is in the order of the ranking.
    relevant : array-like or list
        The relevant documents: one index for each query, of shape (n_queries,); a list
        with a set, a list or a dict ``{index: grade}`` for each query; or an array or
        a sparse matrix of grades of shape (n_queries, n_documents), in which 0 stands
        for no judgement.
    higher_is_better : bool, default=True
        False if `scores` are distances.

    Returns
    -------
    aligned : Bunch
        The arguments of :func:`~skrank.metrics.evaluate`, as :func:`align` returns
        them; `qid` is the position of the query.

    Raises
    ------
    ValueError
        If the shapes do not match, a score is NaN, or an index occurs twice for a
        query.
    TypeError
        If indices are not integers, or `relevant` has another form.

    Warns
    -----
    UserWarning
        If queries without relevant documents are dropped.

    See Also
    --------
    align : The same for files, tables and dicts.

    Examples
    --------
    >>> from skrank.tables import from_topk
    >>> from skrank.metrics import evaluate
    >>> indices, distances = [[4, 7], [2, -1]], [[0.1, 0.3], [0.2, 9.0]]
    >>> relevant = [{7, 8}, {2}]
    >>> aligned = from_topk(indices, distances, relevant, higher_is_better=False)
    >>> evaluate(metrics=["mrr", "recall@2"], **aligned)
    {'mrr': 0.75, 'recall@2': 0.75}
    """
    check_flag(higher_is_better, "higher_is_better", "from_topk")
    indices = _indices(indices)
    if scores is None:
        scores = np.broadcast_to(-np.arange(indices.shape[1]), indices.shape)
    else:
        scores = numeric_array(scores, "scores")
        if scores.shape != indices.shape:
            raise ValueError(
                "The 'scores' parameter must have the shape of indices, "
                f"{indices.shape}. Got shape {scores.shape} instead."
            )
        if not higher_is_better:
            scores = -scores.astype(np.result_type(scores, np.float32))
    truth = _truth(relevant, len(indices))
    returned = indices >= 0
    result = Triples(np.nonzero(returned)[0], indices[returned], scores[returned])
    if np.isnan(result.value).any():
        raise ValueError("Input scores contains NaN.")
    return align_triples(truth, result, ("relevant", "indices"))


def _indices(indices):
    """Return indices as an array of int64 of shape (n_queries, k)."""
    indices = numeric_array(indices, "indices")
    if indices.ndim != 2 or indices.dtype.kind not in "iu":
        raise TypeError(
            "The 'indices' parameter must be an array of int of shape (n_queries, k). "
            f"Got dtype {indices.dtype} and shape {indices.shape} instead."
        )
    if indices.size and indices.min() < -1:
        raise ValueError(
            "The 'indices' parameter must hold positions, or -1 for no document. Got "
            f"{indices.min()}."
        )
    return indices.astype(np.int64)


def _truth(relevant, n_queries):
    """Return the Triples of the relevant documents."""
    if sparse.issparse(relevant) or getattr(relevant, "ndim", 1) == 2:
        cells = sparse.coo_matrix(relevant)
        n_found, kept = cells.shape[0], cells.data != 0
        columns = (cells.row[kept], cells.col[kept], cells.data[kept])
        relevant = Bunch(qid=columns[0], doc_id=columns[1], grade=columns[2])
    else:
        is_array = hasattr(relevant, "__array__")
        relevant = np.asarray(relevant).tolist() if is_array else relevant
        if not isinstance(relevant, (list, tuple)):
            raise TypeError(
                f"The 'relevant' parameter of from_topk must be {RELEVANT.forms}. Got "
                f"{shown(relevant)} of type {type(relevant).__name__} instead."
            )
        n_found = len(relevant)
        is_index = [isinstance(one, numbers.Integral) for one in relevant]
        relevant = [[one] for one in relevant] if all(is_index) else relevant
        relevant = dict(enumerate(relevant))
    if n_found != n_queries:
        raise ValueError(
            "The 'relevant' parameter must have one entry for each query, the rows of "
            f"indices. Got {n_found} for {n_queries} queries."
        )
    truth = read_side(relevant, RELEVANT, Names("qid", "doc_id", "grade"))
    if truth.doc_id.dtype.kind != "i" or truth.doc_id.min() < 0:
        raise ValueError(
            "The 'relevant' parameter must hold positions of documents, as indices "
            f"does. Got {shown(min(text_of(truth.doc_id).tolist()))}: map other ids to "
            "positions with {id: i for i, id in enumerate(ids)}."
        )
    return truth
