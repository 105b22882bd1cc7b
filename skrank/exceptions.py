"""Warning categories, to filter the warnings of skrank."""

# SPDX-License-Identifier: BSD-3-Clause

__all__ = ["QuerySplitWarning"]


def __dir__():
    return __all__


class QuerySplitWarning(UserWarning):
    """Warning of queries with rows both in the training and in the test data.

    Scorers raise it for queries that the ranker was fitted on with another number of
    rows. The usual cause is a splitter that ignores queries, such as ``cv=5``. The
    score then measures how well the ranker completes lists that it has seen, not how
    well it ranks new ones.

    See Also
    --------
    skrank.model_selection.QueryKFold : K-fold that keeps queries whole.

    Notes
    -----
    Some splitters split queries on purpose, for example to hold out the last item of
    each user. To silence the warning there::

        import warnings
        from skrank.exceptions import QuerySplitWarning

        warnings.simplefilter("ignore", QuerySplitWarning)

    With ``n_jobs``, scikit-learn 1.7 and later apply such filters in the worker
    processes, too.

    Examples
    --------
    >>> import numpy as np
    >>> import warnings
    >>> from sklearn.linear_model import Ridge
    >>> from skrank.exceptions import QuerySplitWarning
    >>> from skrank.rankers import QueryRanker
    >>> X, y = np.array([[3.0], [1.0], [2.0], [4.0]]), np.array([1, 0, 0, 1])
    >>> ranker = QueryRanker(Ridge()).fit(X, y, qid=["a", "a", "a", "b"])
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always", QuerySplitWarning)
    ...     score = ranker.score(X[1:3], y[1:3], qid=["a", "b"])
    >>> print(str(caught[0].message).partition(":")[0])
    Pass cv=QueryKFold(5), or split whole queries otherwise
    """
