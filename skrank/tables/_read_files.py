"""Files of judgements, runs and features."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.utils import Bunch

from skrank.tables._trec_text import QRELS, RUN, read_triples
from skrank.tables._triples import text_of


def read_qrels(path):
    r"""Read relevance judgements in the text format of TREC.

    A line holds a query, an iteration that is not read, a document and a grade,
    separated by spaces or tabs. Empty lines and lines that begin with "#" are left out.

    Parameters
    ----------
    path : str or os.PathLike
        The file. One that ends in ".gz" is unpacked.

    Returns
    -------
    qrels : Bunch
        The arrays `qid` and `doc_id` of str, and `grade`, with an entry for each line.

    Raises
    ------
    ValueError
        If a line has another number of fields, or a grade is not a finite number. The
        error names the file and the line.

    See Also
    --------
    align : Joins judgements with a run, and reads their files itself.

    Examples
    --------
    >>> from skrank.tables import read_qrels
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp()) / "qrels.txt"
    >>> _ = path.write_text("301 0 FR94-1 0\n301 0 FR94-2 1\n")
    >>> read_qrels(path).doc_id.tolist()
    ['FR94-1', 'FR94-2']
    """
    return _bunch(read_triples(path, QRELS), "grade")


def read_run(path):
    r"""Read what a system returned, in the text format of TREC.

    A line holds a query, "Q0", a document, a rank, a score and a tag, separated by
    spaces or tabs. Only the score orders the documents: the rank is not read. Empty
    lines and lines that begin with "#" are left out.

    Parameters
    ----------
    path : str or os.PathLike
        The file. One that ends in ".gz" is unpacked.

    Returns
    -------
    run : Bunch
        The arrays `qid` and `doc_id` of str, and `score`, with an entry for each line.

    Raises
    ------
    ValueError
        If a line has less than six fields, or a score is not a number. The error names
        the file and the line.

    See Also
    --------
    align : Joins a run with judgements, and reads their files itself.

    Examples
    --------
    >>> from skrank.tables import read_run
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp()) / "bm25.run"
    >>> _ = path.write_text("301 Q0 FR94-2 1 7.25 bm25\n301 Q0 FR94-9 2 3.5 bm25\n")
    >>> read_run(path).score
    array([7.25, 3.5 ])
    """
    return _bunch(read_triples(path, RUN), "score")


def _bunch(triples, name):
    qid, doc_id = map(text_of, triples[:2])
    return Bunch(**{"qid": qid, "doc_id": doc_id, name: triples.value})


def read_letor(path, *, n_features=None, dtype=np.float64):
    r"""Read a file of grades and features in the text format of LETOR (SVMlight).

    A line such as ``2 qid:10 1:0.5 3:1.25 # doc7`` holds a grade, a query id and
    features that are numbered from 1. scikit-learn's
    :func:`~sklearn.datasets.load_svmlight_file` reads it.

    Parameters
    ----------
    path : str or os.PathLike
        The file. One that ends in ".gz" or ".bz2" is unpacked.
    n_features : int, default=None
        The number of features; that of the training data when test data are read. If
        None, the largest number of a feature in the file.
    dtype : dtype, default=np.float64
        The type of the features.

    Returns
    -------
    X : csr_matrix of shape (n_samples, n_features)
        The features. ``X.toarray()`` for rankers that take dense data only.
    y : ndarray of shape (n_samples,)
        The grades.
    qid : ndarray of shape (n_samples,)
        The query ids.

    Raises
    ------
    ValueError
        If a line is malformed or lacks a query id.

    See Also
    --------
    skrank.rankers.QueryRanker : Learns to rank such data.

    Examples
    --------
    >>> from skrank.tables import read_letor
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp()) / "train.txt"
    >>> _ = path.write_text("2 qid:10 1:0.5 3:1.25 # doc7\n0 qid:10 2:1 # doc8\n")
    >>> X, y, qid = read_letor(path)
    >>> X.shape, y.tolist(), qid.tolist()
    ((2, 3), [2, 0], [10, 10])
    """
    X, y, qid = load_svmlight_file(
        str(path), n_features=n_features, dtype=dtype, zero_based=False, query_id=True
    )
    if len(qid) != len(y):
        raise ValueError(
            f"{path} must hold a query id on each line, such as 'qid:10' after the "
            f"grade. Got {len(qid)} of {len(y)}: if the sizes of the queries are in "
            "another file, read it with sklearn.datasets.load_svmlight_file, and pass "
            "qid=np.repeat(np.arange(len(sizes)), sizes)."
        )
    if not np.isfinite(y).all():
        raise ValueError(f"{path} must hold finite grades. Got NaN or infinity.")
    is_integer = (y == np.floor(y)).all() and (np.abs(y) < 2**53).all()
    return X, y.astype(np.int64) if is_integer else y, qid
