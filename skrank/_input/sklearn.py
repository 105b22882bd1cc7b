"""The private names of scikit-learn that skrank uses, each with its reason.

They are imported where they are called: if a later version has moved one, only what
needs it fails.
"""

# SPDX-License-Identifier: BSD-3-Clause

import sklearn.metrics

# The class of scikit-learn's own scorers. Why: only its instances get the predictions
# that several scorers share.
ScikitLearnScorer = type(sklearn.metrics.make_scorer(max))

# The name of the table of scorers; scikit-learn's modules import the table by name.
TABLE = "_SCORERS"


def scorer_table():
    """Return the table of scorers. Why: there is no public way to add a name."""
    from sklearn.metrics import _scorer

    return getattr(_scorer, TABLE)


def name_constraint():
    """Return the class of constraints of parameters that are names, and of its errors.

    Why: those of `scoring` hold the names that the table had when they were made.
    """
    from sklearn.utils._param_validation import InvalidParameterError, StrOptions

    return StrOptions, InvalidParameterError


def entries_of(data, indices, axis=0):
    """Return rows or columns of data that scikit-learn takes, by their positions.

    Why: it is what cross-validation itself calls, and is documented for users.
    """
    from sklearn.utils import _safe_indexing

    return _safe_indexing(data, indices, axis=axis)
