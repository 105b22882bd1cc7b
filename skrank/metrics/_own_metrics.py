"""User-defined metrics: functions of a ranking, and scorer names for them."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import inspect
import re

import numpy as np
import sklearn.metrics

from skrank._checks import shown
from skrank.metrics._metric import DEFAULTS, METRICS, OF_EVALUATE, Metric
from skrank.metrics._names import ALIASES

_EMPTY = inspect.Parameter.empty
_NAME = re.compile(r"(?!neg_)[a-z](?:[a-z0-9_]*[a-z0-9])?", re.ASCII)


def add_scorer(name, definition, *, greater_is_better=True):
    """Name a metric of your own, for ``scoring=`` and for `evaluate`.

    Parameters
    ----------
    name : str
        The scorer name: lower-case letters, digits and underscores. If smaller values
        of the metric are better, the scorer name gets the prefix ``neg_``:
        ``add_scorer("depth", ..., greater_is_better=False)`` makes "neg_depth".
    definition : callable
        A function of a :class:`~skrank.metrics.RankedQueries` that returns an array of
        shape (n_queries,), in which NaN means undefined. If it has a keyword parameter
        `k`, names such as "name@5" are valid and pass the cutoff; without a default for
        `k`, a cutoff is required. Its other keyword parameters must have defaults and
        can be set like those of other metrics.
    greater_is_better : bool, default=True
        Whether larger values are better.

    Raises
    ------
    ValueError
        If `name` does not have this form, or is the name of another metric of skrank or
        of a scorer of scikit-learn.
    TypeError
        If `definition` is not a function with one required argument.

    See Also
    --------
    RankedQueries : The argument of a definition.
    evaluate : Accepts names, and also definitions without a name.
    make_ranking_scorer : Makes a scorer with other parameters.

    Notes
    -----
    Every new Python process has to call this function again. Worker processes of
    scikit-learn's searches receive the metric with the scorer. Adding the same function
    under the same name again replaces it.

    Examples
    --------
    The average reciprocal hit rank, the sum of 1 / rank over relevant documents:

    >>> from skrank.metrics import add_scorer, evaluate
    >>> def average_reciprocal_hit_rank(ranking, *, k=None):
    ...     reciprocal = ranking.mean_over_places(lambda rank: 1 / rank, k)
    ...     total = ranking.total(ranking.relevant * reciprocal)
    ...     return ranking.where_relevant(total)
    >>> add_scorer("my_arhr", average_reciprocal_hit_rank)
    >>> evaluate([1, 0, 1, 1], [4, 3, 2, 1], ["my_arhr", "my_arhr@3"])
    {'my_arhr': 1.58..., 'my_arhr@3': 1.33...}
    """
    if not isinstance(name, str) or not _NAME.fullmatch(name) or "_at_" in name:
        raise ValueError(
            "The 'name' parameter of add_scorer must be a str of lower-case letters, "
            "digits and underscores that begins with a letter but not with 'neg_', and "
            f"does not contain '_at_'. Got {shown(name)} instead."
        )
    if not callable(definition) or not takes_a_ranking(definition):
        raise TypeError(
            "The 'definition' parameter of add_scorer must be a function of one "
            f"required argument, a RankedQueries. Got {shown(definition)} instead."
        )
    metric = own_metric(definition, name, greater_is_better=bool(greater_is_better))
    known = METRICS.get(name)
    is_own = known is not None and known.own is not None
    again = is_own and _is_the_same(known.own, definition)
    taken = name in ALIASES or metric.full_name in sklearn.metrics.get_scorer_names()
    if (known is not None or taken) and not again:
        raise ValueError(
            "The 'name' parameter of add_scorer must be a name that no other scorer "
            f"has. Got {shown(name)}, which is taken."
        )
    METRICS[name] = metric


def _is_the_same(one, other):
    """Return True if one function redefines the other, as in a notebook."""
    names = ("__module__", "__qualname__")
    return one is other or all(
        getattr(one, name, None) == getattr(other, name, other) for name in names
    )


def own_metric(definition, name, *, greater_is_better=True):
    """Return the metric that a function of a ranking defines."""
    defaults = _keywords_of(definition, name)
    cutoff = "never"
    if "k" in defaults:
        cutoff = "optional"
        if defaults["k"] is _EMPTY:
            cutoff = "required"
            del defaults["k"]
    return Metric(
        name,
        OneValuePerQuery(definition, name),
        defaults=DEFAULTS | defaults,
        cutoff=cutoff,
        greater_is_better=greater_is_better,
        limits=(-np.inf, np.inf),
        own=definition,
    )


class OneValuePerQuery:
    """A user's definition with a check of its values."""

    def __init__(self, definition, name):
        self.definition = definition
        self.name = name

    def __call__(self, ranking, **own):
        values = np.asarray(self.definition(ranking, **own), dtype=np.float64)
        if values.shape != (ranking.n_queries,):
            raise ValueError(
                f"The metric {self.name!r} must map a RankedQueries to one value per "
                f"query, an array of shape ({ranking.n_queries},). "
                f"Got shape {values.shape} instead."
            )
        return values


def takes_a_ranking(function, or_unknown=False):
    """Return True if a callable has exactly one required argument, the ranking."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # some callables written in C have no signature
        return or_unknown
    positional = (
        inspect.Parameter.POSITIONAL_ONLY,
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
    )
    needed = [p for p in parameters if p.default is p.empty and p.kind in positional]
    return len(needed) == 1 or (or_unknown and not needed)


def _keywords_of(definition, name):
    """Return the defaults of the parameters of a definition other than the ranking."""
    try:
        _, *parameters = inspect.signature(definition).parameters.values()
    except (TypeError, ValueError):
        return {}
    variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    defaults = {p.name: p.default for p in parameters if p.kind not in variable}
    wrong = [p for p in defaults if p in DEFAULTS or p in OF_EVALUATE]
    wrong += [p for p, default in defaults.items() if default is _EMPTY and p != "k"]
    if wrong:
        raise TypeError(
            f"The parameter {wrong[0]!r} of the metric {name!r} must have a default "
            "and a name other than those of the parameters that every metric has."
        )
    return defaults
