"""The words that the docstrings of displays share."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from skrank.metrics._words import describe, read_entries, share_words

_ENTRIES = read_entries("""
scores : QueryScores
    The values by ranker, metric and query.
y_score : array-like of shape (n_samples,) or (n_queries, n_docs), or dict of them
    The predicted scores, larger is better. A dict holds those of several rankers by
    name.
ks : iterable of int, default=range(1, 21)
    The cutoffs.
confidence_level : float, default=0.95
    The level of the intervals.
ranker : str, default=None
    The name of the ranker. If None, the one beside the baseline.
baseline : str, default=None
    The name of the ranker to compare with. If None, the first one.
n_worst : int, default=0
    How many queries that lose most are named.
ax : Axes, default=None
    Where to draw. If None, in a new figure. A figure without a layout engine gets the
    constrained one, which makes place for long names.
**params
    Further parameters of :func:`score_queries`.
""")

_OF_ESTIMATOR = read_entries("""
estimator : estimator instance or dict of them
    A fitted estimator, or several by name.
X : {array-like, sparse matrix, dataframe} of shape (n_samples, n_features)
    The documents to rank.
y : array-like of shape (n_samples,)
    The true grades.
qid : array-like of shape (n_samples,), default=None
    The query ids. If None, they are found where a scorer finds them.
""")


def share_display_words(function):
    """Complete the docstring of a method of a display."""
    own = dict(_ENTRIES)
    if function.__name__ == "from_estimator":
        own |= _OF_ESTIMATOR

    def entry(name, default):
        return own[name] if name in own else describe(name, default)

    return share_words(function, describe=entry)
