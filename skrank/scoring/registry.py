"""Registration of the scorer names in scikit-learn, whose private parts it changes."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import inspect
import sys
import threading
import warnings

import sklearn

from skrank._engine.names import is_misspelt, is_name, refusal
from skrank._input.callers import warn_caller
from skrank._input.sklearn import TABLE, name_constraint, scorer_table
from skrank.scoring.scorer import RankingScorer, scored_names

# A set of accepted strings that contains these is that of scikit-learn's scorer names,
# not that of another parameter.
LANDMARKS = frozenset({"accuracy", "r2", "neg_mean_squared_error"})

# The names of ours that scikit-learn lists, in its table and its error of a wrong name.
SHOWN = (
    *("hits@10", "map", "mrr", "ndcg", "ndcg@10", "neg_mean_rank", "precision@10"),
    *("query_auc", "rank_correlation", "recall@10"),
)

_lock = threading.RLock()


def register_scorers() -> None:
    """Make the scorer names of skrank known to scikit-learn.

    ``import skrank`` calls this function. Afterwards ``scoring="mrr"`` or
    ``"ndcg@10"``, with any number after the ``@``, is accepted wherever scikit-learn
    accepts a scorer name. Calling it again has no effect.

    Warns
    -----
    RuntimeWarning
        If names cannot be added to this version of scikit-learn. Nothing is changed
        then, and :func:`skrank.metrics.get_scorer` still returns the scorers.
    UserWarning
        If another package has added a scorer under one of the names, or adds one later.
        That scorer takes precedence.

    See Also
    --------
    unregister_scorers : Remove the names.
    skrank.metrics.get_scorer_names : All names, with a few cutoffs each.

    Notes
    -----
    scikit-learn's table of scorers becomes a subclass of dict. It lists ten of the
    names, so that :func:`sklearn.metrics.get_scorer_names` stays readable, and makes
    the scorers of all others when they are looked up. Three methods of ``StrOptions``,
    the class that checks parameters which are names, accept ours as well. Nothing else
    is changed.

    Examples
    --------
    >>> import sklearn.metrics
    >>> import skrank
    >>> skrank.register_scorers()
    >>> sklearn.metrics.get_scorer("ndcg@7")
    make_ranking_scorer('ndcg@7')
    """
    with _lock:
        earlier = registration()
        # That of a module which was loaded anew is of another class.
        if isinstance(earlier, Registration) and _accepts_names():
            return
        try:
            if earlier is not None:
                earlier.leave()
            Registration().enter()
        except Exception as error:  # later versions of scikit-learn may raise any
            warnings.warn(
                "skrank could not make its scorer names known to scikit-learn "
                f"{sklearn.__version__} ({type(error).__name__}: {error}). Names such "
                "as scoring='mrr' will raise an error: pass the scorer instead, "
                "scoring=skrank.metrics.get_scorer('mrr').",
                RuntimeWarning,
                stacklevel=2,
            )
            return
        others = {name for name in registration().table if is_name(name)}
    _warn_of_others(others)


def unregister_scorers() -> None:
    """Remove the scorer names of skrank from scikit-learn.

    Scorers that other packages have added remain. Calling it again has no effect.

    See Also
    --------
    register_scorers : Make the names known.

    Examples
    --------
    >>> import sklearn.metrics
    >>> import skrank
    >>> skrank.unregister_scorers()
    >>> "mrr" in sklearn.metrics.get_scorer_names()
    False
    >>> skrank.register_scorers()
    """
    with _lock:
        earlier = registration()
        if earlier is not None:
            earlier.leave()


def registration():
    """Return the registration, None if there is none.

    scikit-learn holds it and not this module, which may be loaded anew.
    """
    return getattr(sklearn.metrics, _HELD_AS, None)


_HELD_AS = "_registration_of_skrank"


class Registration:
    """The changes to scikit-learn, made and undone together.

    The table of scorers is read when a scorer is made. The constraints of parameters
    hold the names that the table had when their module was imported. Their methods are
    replaced instead of the names, so that the order of imports does not matter.
    """

    def __init__(self):
        self.constraint, _ = name_constraint()
        self.table = scorer_table()
        _check_touch_points(self.constraint, self.table)
        self.view = ScorerTable(self.table)
        self.own = {name: vars(self.constraint).get(name) for name in _METHODS}
        self.replaced = {}

    def enter(self):
        """Make the names known; undo all changes if that fails."""
        try:
            self.view.is_open = True
            _replace_everywhere(self.table, self.view)
            for name, method in _METHODS.items():
                self.replaced[name] = method(getattr(self.constraint, name), self.view)
                setattr(self.constraint, name, self.replaced[name])
            if not _accepts_names():
                raise TypeError("it does not accept the names")
            setattr(sklearn.metrics, _HELD_AS, self)
        except BaseException:
            self.leave()
            raise

    def leave(self):
        """Undo all changes but what another package has put over ours."""
        self.view.is_open = False
        for name, scorer in self.view.listed.items():
            for table in (self.view, scorer_table()):
                if dict.get(table, name) is scorer:
                    del table[name]
        for name in self.table.keys() - self.view.keys():
            del self.table[name]
        self.table.update(self.view)
        _replace_everywhere(self.view, self.table)
        for name, replaced in self.replaced.items():
            if vars(self.constraint).get(name) is not replaced:
                continue
            if self.own[name] is not None:
                setattr(self.constraint, name, self.own[name])
            else:
                delattr(self.constraint, name)
        vars(sklearn.metrics).pop(_HELD_AS, None)


def _accepts_names():
    name = "ndcg@1234567"  # one that no other package has
    try:
        by_name = sklearn.metrics.get_scorer(name)
        by_parameter = sklearn.metrics.check_scoring(scoring=name)
    except (LookupError, ValueError):
        return False
    return type(by_name) is type(by_parameter) is RankingScorer


class ScorerTable(dict):
    """scikit-learn's table, which makes scorers of names that it does not list."""

    def __init__(self, earlier):
        self.earlier = earlier
        self.is_open = False
        self.listed = {name: RankingScorer(scored_names(name, {})) for name in SHOWN}
        super().__init__(self.listed | earlier)

    def __missing__(self, name):
        if self.is_open and is_name(name):
            return RankingScorer(scored_names(name, {}))
        # No KeyError: scikit-learn would answer it with a sentence of its own.
        if self.is_open and is_misspelt(name, self):
            raise ValueError(refusal(name))
        if type(self.earlier) is dict:
            raise KeyError(name)
        return self.earlier[name]  # of a package that extends the table, too

    def get(self, name, default=None):
        """Return the scorer of a name, `default` if it has none."""
        if name not in self:
            return default
        return self[name]

    def __contains__(self, name):
        if super().__contains__(name) or (self.is_open and is_name(name)):
            return True
        return type(self.earlier) is not dict and name in self.earlier

    def __setitem__(self, name, scorer):
        self.update({name: scorer})

    def update(self, *others, **named):
        """Add scorers, as a dict does."""
        added = dict(*others, **named)
        super().update(added)
        if self.is_open:
            _warn_of_others({name for name in added if is_name(name)})


def _warn_of_others(names):
    if names:
        one = min(names)
        warn_caller(
            "These scorers in scikit-learn's table are not those of skrank: "
            f"{', '.join(sorted(names))}. A name means the one in the table: for that "
            f"of skrank, pass scoring=skrank.metrics.make_ranking_scorer({one!r}).",
            UserWarning,
        )


def _also_satisfied_by_names(is_satisfied_by, view):
    """Accept the names of skrank; misspelt ones raise: scikit-learn would list all."""

    def is_satisfied_by_name(self, val):
        if not (view.is_open and self.options >= LANDMARKS):
            return is_satisfied_by(self, val)
        if is_name(val) or is_satisfied_by(self, val):
            return True
        if is_misspelt(val, self.options):
            _, error = name_constraint()
            raise error(refusal(val))
        return False

    return is_satisfied_by_name


def _without_names(init, view):

    def init_without_names(self, options, **params):
        if isinstance(options, set) and options >= LANDMARKS:
            ours = view.listed.items()
            options = options - {name for name, one in ours if view[name] is one}
        init(self, options, **params)

    return init_without_names


def _with_some_names(text, view):

    def text_with_names(self):
        found = text(self)
        if view.is_open and self.options >= LANDMARKS:
            found = found.replace("{", f"{{{', '.join(map(repr, SHOWN))}, ", 1)
        return found

    return text_with_names


# What is replaced of the constraint.
_METHODS = {
    "__init__": _without_names,
    "__str__": _with_some_names,
    "is_satisfied_by": _also_satisfied_by_names,
}


def _replace_everywhere(old, new):
    """Replace the table `old` by `new` in every module of scikit-learn."""
    for name, module in list(sys.modules.items()):
        # Read the dict of the module, since getattr could start lazy imports.
        names = getattr(module, "__dict__", {}) if name.startswith("sklearn") else {}
        if names.get(TABLE) is old:
            setattr(module, TABLE, new)


def _check_touch_points(constraint, table):
    if not isinstance(table, dict) or not set(table) >= LANDMARKS:
        raise TypeError("its table of scorers is not the dict that was expected")
    options = constraint(set(LANDMARKS))
    answers = [options.is_satisfied_by(name) for name in ("r2", "mrr", 2)]
    if answers != [True, False, False]:
        raise TypeError("its StrOptions do not answer as expected")
    scorer_class = type(table["r2"])
    parameters = list(inspect.signature(scorer_class._score).parameters)
    expected = ["self", "method_caller", "estimator", "X", "y_true"]
    if not issubclass(RankingScorer, scorer_class) or parameters[:5] != expected:
        raise TypeError("its scorers are not called as expected")
