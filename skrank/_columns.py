"""A column or an index level by name: where query ids come from."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

QID = "qid"


def find_qid(qid=None, *, X=None, y=None, groups=None):
    """Return the query ids of the rows, or None where nothing carries them.

    The carriers, in the order in which they are asked: the argument (or its
    scikit-learn synonym `groups`), a column of `X` named ``"qid"``, the index of
    `y` (or one of its levels) named ``"qid"``.
    """
    if qid is not None:
        return qid
    if groups is not None:
        return groups
    if has_qid_column(X):
        return X[QID]
    return _qid_of_index(y)


def has_qid_column(X):
    """Tell whether `X` is a data frame with a column named ``"qid"``."""
    columns = getattr(X, "columns", None)
    return columns is not None and QID in list(columns)


def drop_qid_column(X):
    """Return `X` without its column ``"qid"``; `X` itself if it has none."""
    if not has_qid_column(X):
        return X
    # pandas needs to be told that the label is a column; polars has nothing else.
    return X.drop(columns=QID) if hasattr(X, "loc") else X.drop(QID)


def require_qid(qid, caller):
    """Return `qid`, or raise the error that names its three carriers."""
    if qid is None:
        raise ValueError(
            f"{caller} needs to know which rows belong to one query. Pass the query "
            "ids as `qid` (scikit-learn hands them on when metadata routing is "
            "enabled: sklearn.set_config(enable_metadata_routing=True)), or as a "
            "column named 'qid' of a DataFrame X, or as the index of y named 'qid': "
            "y = pd.Series(y, index=pd.Index(qid, name='qid')). Got no query ids."
        )
    return qid


def _qid_of_index(y):
    """Return the level of the index of `y` that is named ``"qid"``, if any."""
    index = getattr(y, "index", None)
    if QID in list(getattr(index, "names", None) or []):
        return index.get_level_values(QID)
    return None
