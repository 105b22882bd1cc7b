"""Registration of the scorer names in scikit-learn, whose private parts it changes."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import inspect
import sys
import threading
import warnings
from collections.abc import MutableMapping

import sklearn

from skrank._engine.names import is_misspelt, is_name, listed_names, refusal
from skrank._input.sklearn import TABLE, name_constraint, scorer_table
from skrank.scoring.scorer import RankingScorer, scored_names

# A set of accepted strings that contains these is that of scikit-learn's scorer names,
# not that of another parameter.
LANDMARKS = frozenset({"accuracy", "r2", "neg_mean_squared_error"})

# The names that scikit-learn's error of a wrong one shows of ours.
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

    See Also
    --------
    unregister_scorers : Remove the names.
    skrank.metrics.get_scorer_names : The names that are listed.

    Notes
    -----
    If another package has added a scorer under the same name, that scorer takes
    precedence.

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
        if isinstance(earlier, Registration) and scorer_table() is earlier.view:
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


def unregister_scorers() -> None:
    """Remove the scorer names of skrank from scikit-learn.

    Scorers that other packages have added to scikit-learn remain. Calling this function
    again has no effect.

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
    """Return the registration in scikit-learn, None if there is none.

    scikit-learn holds it and not this module, which may be loaded anew.
    """
    try:
        constraint = name_constraint()
    except ImportError:  # a later version has it elsewhere: nothing was registered
        return None
    return getattr(constraint.is_satisfied_by, "registration", None)


class Registration:
    """The changes to scikit-learn, made and undone together.

    Scorer names are read in two places. The table of scorers is read when a scorer is
    made. The constraints of parameters hold the names that the table had when their
    module was imported. The methods of these constraints are replaced instead of the
    sets of names, so that the order of imports does not matter and any k is accepted:
    the sets have the names of scikit-learn, and their text has some of ours.
    """

    def __init__(self):
        self.constraint = name_constraint()
        self.table = scorer_table()
        _check_touch_points(self.constraint, self.table)
        self.view = ScorerTable(self.table)
        self.own = {name: vars(self.constraint).get(name) for name in _METHODS}

    def enter(self):
        """Make the names known; undo all changes if that fails."""
        try:
            self.view.is_open = True
            _replace_everywhere(self.table, self.view)
            for name, method in _METHODS.items():
                inherited = getattr(self.constraint, name)
                setattr(self.constraint, name, method(inherited, self))
            by_name = sklearn.metrics.get_scorer("ndcg@7")
            by_parameter = sklearn.metrics.check_scoring(scoring="ndcg@7")
            if not (type(by_name) is type(by_parameter) is RankingScorer):
                raise TypeError("it does not accept the names")
        except BaseException:
            self.leave()
            raise

    def leave(self):
        """Undo all changes."""
        self.view.is_open = False
        _replace_everywhere(self.view, self.table)
        for name, own in self.own.items():
            if own is not None:
                setattr(self.constraint, name, own)
            elif name in vars(self.constraint):
                delattr(self.constraint, name)


class ScorerTable(MutableMapping):
    """scikit-learn's table of scorers, extended by the names of skrank.

    Scorers are stored in scikit-learn's table. The scorer of a skrank name that is not
    there is made when it is looked up. Only some of these names are listed.
    """

    def __init__(self, table):
        self.table = table
        self.is_open = False

    def __getitem__(self, name):
        if name in self.table or not self.is_open:
            return self.table[name]
        if is_name(name):
            return RankingScorer(scored_names(name, {}))
        # No KeyError: scikit-learn would answer it with a sentence of its own.
        if is_misspelt(name, self.table):
            raise ValueError(refusal(name))
        return self.table[name]

    def get(self, name, default=None):
        """Return the scorer of a name, `default` if it has none."""
        if name not in self:
            return default
        return self[name]

    def __contains__(self, name):
        return name in self.table or (self.is_open and is_name(name))

    def __setitem__(self, name, scorer):
        self.table[name] = scorer

    def __delitem__(self, name):
        del self.table[name]

    def __iter__(self):
        yield from list(self.table)
        if self.is_open:
            names = listed_names(of_scorers=True)
            yield from (name for name in names if name not in self.table)

    def __len__(self):
        return sum(1 for _ in self)

    def __repr__(self):
        return repr(dict(self))

    def copy(self):
        """Return a dict of the listed scorers."""
        return dict(self)


def _also_satisfied_by_names(is_satisfied_by, entered):
    """Return a method of the constraint that accepts the names of skrank, too.

    A misspelt one raises: scikit-learn would list all its names.
    """

    def is_satisfied_by_name(self, val):
        if not self.options >= LANDMARKS:
            return is_satisfied_by(self, val)
        if is_name(val) or is_satisfied_by(self, val):
            return True
        if is_misspelt(val, self.options):
            raise ValueError(refusal(val))
        return False

    is_satisfied_by_name.registration = entered
    return is_satisfied_by_name


def _without_names(init, entered):
    """Return a constructor of the constraint that leaves out the names of skrank."""

    def init_without_names(self, options, **params):
        if isinstance(options, set) and options >= LANDMARKS:
            table = entered.table
            options = {name for name in options if name in table or not is_name(name)}
        init(self, options, **params)

    return init_without_names


def _with_some_names(text, entered):
    """Return what makes the text of the constraint, with a few names of skrank."""

    def text_with_names(self):
        found = text(self)
        if self.options >= LANDMARKS:
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
    """Raise an error unless the private parts of scikit-learn are as expected."""
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
