"""Where the times and the items of the rows come from."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank._ranking.ids import encode_qid


def check_own(own, name, caller):
    """Return what a splitter was made with: a name, or the values of the rows."""
    if not isinstance(own, str) and (np.isscalar(own) or not np.iterable(own)):
        raise TypeError(
            f"The {name!r} parameter of {caller} must be a str (the name of a column "
            "of X or of a level of the index of y) or an array-like of shape "
            f"(n_samples,). Got {own!r} instead."
        )
    return own


def find_values(values, own, *, X, y, name, caller):
    """Return the times or items of the rows.

    The carriers, in the order in which they are asked: the argument, an array that
    the splitter was made with, and under the name that it was made with a column of
    `X` or the index of `y` or one of its levels.

    Parameters
    ----------
    values : array-like of shape (n_samples,) or None
        The argument of ``split``.

    own : str or array-like of shape (n_samples,)
        The parameter of the splitter.

    X, y : object
        What may carry the values.

    name, caller : str
        The parameter and the splitter that errors name.

    Returns
    -------
    values : array-like of shape (n_samples,)
        As they were found, not checked.
    """
    if values is not None:
        return values
    if not isinstance(own, str):
        return own
    columns = getattr(X, "columns", None)
    if columns is not None and own in list(columns):
        return X[own]
    index = getattr(y, "index", None)
    if own in list(getattr(index, "names", None) or []):
        return index.get_level_values(own)
    raise ValueError(
        f"{caller} needs to know the {name} of each row. Pass it as `{name}` "
        "(scikit-learn hands it on when metadata routing is enabled: "
        "sklearn.set_config(enable_metadata_routing=True)), or as a column named "
        f"{own!r} of a DataFrame X, or as a level named {own!r} of the index of y, or "
        f"as an array to the splitter: {caller}({name}=...). Got no {name}."
    )


def encode_times(time, n_samples):
    """Turn times into codes that rise with them.

    Parameters
    ----------
    time : array-like of shape (n_samples,)
        Numbers, dates or durations.

    n_samples : int
        The number of rows that there must be.

    Returns
    -------
    times : ndarray of shape (n_times,)
        The distinct times in ascending order.

    codes : ndarray of shape (n_samples,)
        For each row the position of its time in `times`.
    """
    times, codes = encode_qid(time, n_samples, name="time")
    if times.dtype.kind in "USV" or isinstance(times[0], (str, bytes, tuple)):
        raise TypeError(
            "The 'time' parameter must hold numbers or dates. Got "
            f"{times[0]!r} of type {type(times[0]).__name__}. Text is not ordered by "
            "time in general: convert it, for instance with "
            "np.asarray(time, dtype='datetime64[s]') or pandas.to_datetime(time)."
        )
    if times.dtype == object:
        try:
            sorted(times)
        except TypeError as error:
            raise TypeError(
                "The 'time' parameter must hold numbers or dates that can be "
                f"compared with each other. Got times where {error}."
            ) from None
    return times, codes
