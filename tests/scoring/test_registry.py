"""Scorer names in scikit-learn: every entry point, in any order, and back."""

# SPDX-License-Identifier: BSD-3-Clause

import os
import re
import runpy
import sys
import threading
from pathlib import Path
from types import ModuleType

import pytest
import sklearn.ensemble._hist_gradient_boosting.gradient_boosting as boosting
import sklearn.metrics
import sklearn.metrics._scorer
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.utils._param_validation import InvalidParameterError, StrOptions

import skrank
from skrank.metrics import get_scorer, get_scorer_names
from skrank.scoring import registry
from tests import processes

SCRIPT = Path(__file__).with_name("entry_points.py")
TABLE = runpy.run_path(str(SCRIPT))
ENTRY_POINTS = sorted(TABLE["ENTRY_POINTS"])
N_ENTRY_POINTS = 24


@pytest.fixture(autouse=True)
def _registered():
    yield
    skrank.register_scorers()


@pytest.fixture
def unregistered():
    skrank.unregister_scorers()


def test_there_are_24_entry_points():
    assert len(ENTRY_POINTS) == N_ENTRY_POINTS


@pytest.mark.filterwarnings("ignore:learning_curve draws rows")
@pytest.mark.parametrize("entry_point", ENTRY_POINTS)
def test_entry_point_accepts_the_names(entry_point):
    assert TABLE["outcome"](entry_point, "ndcg@7") == TABLE["expected"](entry_point)


@pytest.mark.usefixtures("unregistered")
@pytest.mark.parametrize("entry_point", ENTRY_POINTS)
def test_entry_point_refuses_once_unregistered(entry_point):
    assert TABLE["outcome"](entry_point, "ndcg@7") == "refused"


@pytest.mark.parametrize("entry_point", ENTRY_POINTS)
def test_entry_point_names_the_name_that_a_typo_means(entry_point):
    sentence = "^'ngcg@10' is not a valid scoring value. Did you mean 'ndcg@10'\\?$"
    with (
        sklearn.config_context(enable_metadata_routing=True),
        pytest.raises(ValueError, match=sentence),
    ):
        TABLE["ENTRY_POINTS"][entry_point]("ngcg@10")


@pytest.mark.parametrize("name", ["ndcg@0", "ndcg@07", "ndcg@", "query_auc@5", "ndgc"])
@pytest.mark.parametrize("entry_point", ["get_scorer", "GridSearchCV"])
def test_entry_point_refuses_what_is_no_name(entry_point, name):
    assert TABLE["outcome"](entry_point, name) == "refused"


def test_ten_names_stand_in_scikit_learns_list_and_all_in_that_of_skrank():
    names = sklearn.metrics.get_scorer_names()
    assert names == sorted(names)
    assert set(names) & set(get_scorer_names()) == set(registry.SHOWN)
    assert len(registry.SHOWN) == 10
    assert len(get_scorer_names()) > 90


TYPOS = {"MRR": "mrr", "ndgc@10": "ndcg@10", "P@5": "precision@5"}
TYPOS["mean_rank"] = "neg_mean_rank"


@pytest.mark.parametrize("typo", TYPOS)
def test_a_misspelt_name_is_answered_with_the_nearest_one(typo):
    near = f"Did you mean (scoring=)?{TYPOS[typo]!r}"
    message = f"^{typo!r} is not a valid scoring value\\. .*{near}\\?$"
    for scoring in (typo, [typo, "r2"], {"score": typo}):
        with pytest.raises(ValueError, match=message):
            GridSearchCV(Ridge(), {}, scoring=scoring, refit=False).fit([[0.0]], [0])
    with pytest.raises(InvalidParameterError, match=message):
        GridSearchCV(Ridge(), {}, scoring=typo).fit([[0.0]], [0])
    for make in (sklearn.metrics.get_scorer, skrank.metrics.get_scorer):
        with pytest.raises(ValueError, match=message):
            make(typo)


@pytest.mark.parametrize(
    ("name", "score"),
    [
        *(("coverage@10", "Coverage"), ("gini", "Gini"), ("neg_gini@5", "Gini")),
        *(("personalization", "Personalization"), ("catalog_coverage", "Coverage")),
    ],
)
def test_a_score_of_all_lists_is_answered_with_its_function(name, score):
    message = (
        f"'{name}' is not a valid scoring value. {score} is a score of all lists "
        r"together, .* call skrank.metrics.catalogue_scores\("
    )
    with pytest.raises(ValueError, match=message):
        GridSearchCV(Ridge(), {}, scoring=name).fit([[0.0]], [0])
    for make in (sklearn.metrics.get_scorer, skrank.metrics.get_scorer):
        with pytest.raises(ValueError, match=message):
            make(name)


def test_what_was_valid_by_an_alias_still_is():
    for name, metric in (("hr@10", "hits"), ("hit@3", "hits"), ("p@5", "precision")):
        assert metric in str(sklearn.metrics.get_scorer(name)._score_func.requests)


SENTENCE = "The 'scoring' parameter of GridSearchCV must be a str among"


# Far from all of skrank's names, nearer to one of scikit-learn's, as near to one, or
# a word of one.
@pytest.mark.parametrize(
    "name",
    [
        *("xyzzy", "", "accurracy", "F1", "precison", "neg_mean_square_error"),
        *("mean_squared_error", "mae", "auc", "average_precison"),
    ],
)
def test_a_name_that_may_be_meant_for_scikit_learn_gets_its_sentence(name):
    with pytest.raises(ValueError, match=SENTENCE):
        GridSearchCV(Ridge(), {}, scoring=name).fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match=r"Use sklearn\.metrics\.get_scorer_n"):
        sklearn.metrics.get_scorer(name)


@pytest.mark.usefixtures("unregistered")
@pytest.mark.parametrize("name", ["MRR", "ndgc@10"])
def test_once_unregistered_a_typo_gets_scikit_learns_sentence(name):
    with pytest.raises(ValueError, match=SENTENCE):
        GridSearchCV(Ridge(), {}, scoring=name).fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match=r"Use sklearn\.metrics\.get_scorer_n"):
        sklearn.metrics.get_scorer(name)


def test_a_long_text_is_not_repeated():
    for scoring in ("x" * 5000, "ndcg@" + "1" * 5000 + "x"):
        with pytest.raises(ValueError, match="not a valid scoring value") as error:
            get_scorer(scoring)
        assert len(str(error.value)) < 400


@pytest.mark.parametrize("parameter", [{"auto", "mrr"}, {"l1", "l2"}])
def test_other_parameters_do_not_take_the_names(parameter):
    assert not StrOptions(parameter).is_satisfied_by("map")


class TestReversible:
    table = property(lambda self: sklearn.metrics._scorer._SCORERS)

    def test_registering_twice_changes_nothing(self):
        before = self.table, vars(StrOptions)["is_satisfied_by"]
        skrank.register_scorers()
        assert (self.table, vars(StrOptions)["is_satisfied_by"]) == before
        skrank.unregister_scorers()
        assert type(self.table) is dict

    def test_unregistering_leaves_no_trace(self, unregistered):
        assert type(self.table) is dict
        assert boosting._SCORERS is self.table
        assert not {"is_satisfied_by", "__str__"} & set(vars(StrOptions))
        assert not set(get_scorer_names()) & set(sklearn.metrics.get_scorer_names())
        skrank.unregister_scorers()
        assert type(self.table) is dict

    def test_modules_that_hold_the_table_hold_the_new_one(self):
        assert boosting._SCORERS is self.table
        assert "mrr" in boosting._SCORERS

    def test_old_view_forgets_the_names(self):
        view = self.table
        skrank.unregister_scorers()
        assert "mrr" not in view
        assert "r2" in view

    def test_scorers_of_others_survive(self):
        mine = get_scorer("r2")
        self.table["mine"] = mine
        try:
            assert sklearn.metrics.get_scorer("mine") is not None
            skrank.unregister_scorers()
            assert self.table["mine"] is mine
            skrank.register_scorers()
            assert self.table["mine"] is mine
        finally:
            del self.table["mine"]
        assert "mine" not in self.table

    def test_scorer_of_another_under_our_name_goes_first_with_a_warning(self):
        mine = get_scorer("r2")
        with pytest.warns(UserWarning, match="table are not those of skrank: mrr"):
            self.table["mrr"] = mine
        with pytest.warns(UserWarning, match=r": ndcg@7, ndcg@8\."):
            self.table.update({"ndcg@7": mine, "ndcg@8": mine})
        try:
            assert self.table["mrr"] is self.table["ndcg@7"] is mine
            skrank.unregister_scorers()
            assert self.table["mrr"] is mine
            assert "mrr" in sklearn.metrics.get_scorer_names()
            with pytest.warns(UserWarning, match=r": mrr, ndcg@7, ndcg@8\."):
                skrank.register_scorers()
            assert self.table["mrr"] is mine
        finally:
            for name in ("mrr", "ndcg@7", "ndcg@8"):
                del self.table[name]
        assert repr(self.table["mrr"]) == "make_ranking_scorer('mrr')"

    def test_table_is_still_a_dict(self):
        assert isinstance(self.table, dict)
        assert len(self.table) == len(list(self.table)) == len(self.table.copy())
        assert (self.table | {"mine": 1}).keys() == {*self.table, "mine"}
        assert "'r2': make_scorer" in repr(self.table)
        with pytest.raises(KeyError, match="xyzzy"):
            self.table["xyzzy"]
        with pytest.raises(ValueError, match=r"'ndgc' is not .* 'ndcg'"):
            self.table["ndgc"]
        assert "ndgc" not in self.table
        assert None not in self.table
        assert self.table.get("ndgc") is self.table.get("xyzzy") is None
        assert repr(self.table.get("mrr")) == "make_ranking_scorer('mrr')"

    def test_a_method_that_another_package_has_wrapped_stays_and_forgets_the_names(
        self,
    ):
        constraint = StrOptions({*registry.LANDMARKS})
        before = StrOptions.is_satisfied_by

        def wrapped(self, val):
            return val == "foo" or before(self, val)

        StrOptions.is_satisfied_by = wrapped
        try:
            for _ in range(2):
                skrank.unregister_scorers()
                assert StrOptions.is_satisfied_by is wrapped
                assert constraint.is_satisfied_by("foo")
                assert not constraint.is_satisfied_by("mrr")
                assert type(self.table) is dict
                skrank.register_scorers()
                assert constraint.is_satisfied_by("foo")
                assert constraint.is_satisfied_by("mrr")
        finally:
            skrank.unregister_scorers()
            del StrOptions.is_satisfied_by

    @pytest.mark.parametrize("is_first", [True, False])
    def test_two_packages_that_extend_the_table_live_together(
        self, unregistered, is_first
    ):
        plain, mine = self.table, get_scorer("r2")

        class Table(dict):
            def __missing__(self, name):
                return mine if name == "mine" else earlier[name]

        if not is_first:
            skrank.register_scorers()
        earlier = self.table
        sklearn.metrics._scorer._SCORERS = theirs = Table(earlier)
        try:
            for _ in range(2):
                skrank.register_scorers()
                assert isinstance(sklearn.metrics.get_scorer("mine"), type(mine))
                found = sklearn.metrics.get_scorer("ndcg@7")
                assert repr(found) == "make_ranking_scorer('ndcg@7')"
                skrank.unregister_scorers()
                assert self.table is theirs
                assert isinstance(sklearn.metrics.get_scorer("mine"), type(mine))
                for name in ("mrr", "ndcg@7"):
                    with pytest.raises(ValueError, match="not a valid scoring value"):
                        sklearn.metrics.get_scorer(name)
        finally:
            skrank.unregister_scorers()
            sklearn.metrics._scorer._SCORERS = plain

    def test_threads_register_once(self, unregistered):
        start = threading.Barrier(8)
        errors = []

        def work(register):
            start.wait(processes.PATIENCE)
            try:
                for _ in range(20):
                    register()
            except Exception as error:
                errors.append(error)

        doing = [skrank.register_scorers, skrank.unregister_scorers] * 4
        threads = [threading.Thread(target=work, args=[one]) for one in doing]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(processes.PATIENCE)
        assert errors == []
        skrank.register_scorers()
        assert type(self.table.earlier) is dict
        skrank.unregister_scorers()
        assert type(self.table) is dict
        assert "is_satisfied_by" not in vars(StrOptions)


def _without_table(patch):
    patch.delattr(sklearn.metrics._scorer, "_SCORERS")


def _without_constraint(patch):
    validation = sklearn.utils._param_validation
    names = {k: v for k, v in vars(validation).items() if k != "StrOptions"}
    moved = ModuleType(validation.__name__)
    vars(moved).update(names)
    patch.setitem(sys.modules, validation.__name__, moved)


def _with_other_table(patch):
    patch.setattr(sklearn.metrics._scorer, "_SCORERS", {"r2": get_scorer("r2")})


def _with_other_constraint(patch):
    patch.setattr(StrOptions, "is_satisfied_by", lambda self, val: True)


def _with_other_scorers(patch):
    patch.setattr(type(get_scorer("r2")), "_score", lambda self, estimator, X: 0)


def _with_a_table_that_is_not_read(patch):
    patch.setattr(sklearn.metrics, "get_scorer", {}.__getitem__)


@pytest.mark.usefixtures("unregistered")
@pytest.mark.parametrize(
    "change",
    [
        _without_table,
        _without_constraint,
        _with_other_table,
        _with_other_constraint,
        _with_other_scorers,
        _with_a_table_that_is_not_read,
    ],
)
def test_other_scikit_learn_is_left_alone_with_a_warning(change, monkeypatch):
    with monkeypatch.context() as patch:
        change(patch)
        before = StrOptions.is_satisfied_by
        version = re.escape(sklearn.__version__)
        with pytest.warns(RuntimeWarning, match=f"scikit-learn {version}.*get_scorer"):
            skrank.register_scorers()
        assert StrOptions.is_satisfied_by is before
        assert registry.registration() is None
        assert repr(get_scorer("ndcg@7")) == "make_ranking_scorer('ndcg@7')"
    assert type(sklearn.metrics._scorer._SCORERS) is dict


def test_scikit_learns_error_lists_a_few_of_our_names_and_none_once_unregistered():
    listed = set(sklearn.metrics.get_scorer_names())
    own = listed - set(get_scorer_names())
    constraint = StrOptions(listed)  # as a module makes it that is imported now
    text = str(constraint)
    found = re.findall(r"'([^']+)'", text)
    assert sorted(found) == sorted([*own, *registry.SHOWN])
    assert constraint.is_satisfied_by("ndcg@7")
    skrank.unregister_scorers()
    try:
        assert set(re.findall(r"'([^']+)'", str(constraint))) == own
        assert not constraint.is_satisfied_by("mrr")
    finally:
        skrank.register_scorers()


RELOADS = [
    # The registry.
    """
before = StrOptions.is_satisfied_by
importlib.reload(registry)
registry.register_scorers()
assert StrOptions.is_satisfied_by is not before
""",
    # The registry, without registering again.
    """
importlib.reload(registry)
""",
    # skrank, when scikit-learn's modules are there.
    """
forget_skrank()
import skrank
from_main["print_counts"]()
""",
]
BEFORE = """
import importlib, runpy, sys, types, warnings
script, *_ = sys.argv = sys.argv[1:]
from_main = runpy.run_path(script, run_name="__main__")
import numpy as np
import sklearn.compose, sklearn.datasets, sklearn.metrics, sklearn.svm
import sklearn.ensemble._hist_gradient_boosting.gradient_boosting as boosting
from sklearn.linear_model import Ridge
from sklearn.metrics import _scorer
from sklearn.model_selection import cross_val_score
from sklearn.utils import _param_validation as validation
from sklearn.utils._param_validation import StrOptions
import pandas as pd
import skrank
from skrank.scoring import registry
def forget_skrank():
    for name in [name for name in sys.modules if name.startswith("skrank")]:
        del sys.modules[name]
skrank.register_scorers()
own = StrOptions.__mro__[1].is_satisfied_by
X, y = np.array([[1.0], [2], [3], [4]]), [0, 1, 0, 1]
y = pd.Series(y, index=pd.Index([1, 1, 2, 2], name="qid"))
cv = [([0, 1], [2, 3]), ([2, 3], [0, 1])]
"""
AFTER = """
assert cross_val_score(Ridge(), X, y, cv=cv, scoring="mrr").tolist() == [1.0, 1.0]
skrank.unregister_scorers()
assert type(_scorer._SCORERS) is dict
assert boosting._SCORERS is _scorer._SCORERS
assert "is_satisfied_by" not in vars(StrOptions)
assert StrOptions.is_satisfied_by is own
assert "mrr" not in sklearn.metrics.get_scorer_names()
print("done")
skrank.register_scorers()
"""
# Where scikit-learn has moved what skrank uses.
MOVED = """
skrank.unregister_scorers()
forget_skrank()
moved = types.ModuleType(validation.__name__)
vars(moved).update({k: v for k, v in vars(validation).items() if k != "StrOptions"})
sys.modules[validation.__name__] = moved
del sklearn.utils._safe_indexing
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import skrank.model_selection, skrank.rankers, skrank.tables
    skrank.unregister_scorers()
assert [one.category for one in caught] == [RuntimeWarning], caught
assert "is_satisfied_by" not in vars(StrOptions)
print(skrank.metrics.mrr_score([0, 1], [2, 1]))
"""


@pytest.mark.slow
def test_skrank_may_be_imported_before_scikit_learn_after_it_and_again():
    code = "".join([BEFORE, *(reload + AFTER for reload in RELOADS), MOVED])
    root = str(Path(skrank.__file__).parents[1])
    path = os.pathsep.join([root, os.environ.get("PYTHONPATH", "")])
    found = processes.run(
        [sys.executable, "-c", code, str(SCRIPT)],
        env=os.environ | {"PYTHONPATH": path},
        check=True,
    ).stdout
    accepted = f"mrr accepted {N_ENTRY_POINTS} refused 0"
    refused = f"mrr accepted 0 refused {N_ENTRY_POINTS}"
    assert found.splitlines() == [
        *(accepted, refused, "done", "done", accepted, "done", "0.5")
    ]
