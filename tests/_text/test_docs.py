"""One signature, one wording: what the documentation of all functions shares."""

# SPDX-License-Identifier: BSD-3-Clause

import importlib
import inspect
import math
import re

import numpy as np
import pytest
from numpydoc.docscrape import FunctionDoc, get_doc_object
from numpydoc.validate import validate

from skrank import metrics
from skrank._engine.request import METRICS
from skrank.metrics import evaluate
from tests.brute_force import WITH_FUNCTION

ROWS = {METRICS[name].function.__name__: METRICS[name] for name in WITH_FUNCTION}
FUNCTIONS = {name: metric.function for name, metric in ROWS.items()}
REALISTIC = {name for name, metric in ROWS.items() if metric.reads_first_rank}

BEFORE_OWN = ["y_true", "y_score", "qid"]
AFTER_OWN = ["threshold", "ties", "replace_undefined_by", "average"]
ADJUSTABLE = {"mrr_score", "hits_at_k_score", "mean_rank"}
# What the formula reads of the rows. All other masks belong to `evaluate`.
MASKS = {
    "judged_at_k_score": ["judged", "returned"],
    "bpref_score": ["judged", "returned"],
    "rbo_score": ["judged", "returned"],
}
OWN = {
    "dcg_score": ["gain", "discount"],
    "ndcg_score": ["gain", "discount"],
    "precision_at_k_score": ["normalize"],
    "recall_at_k_score": ["normalize"],
    "fbeta_at_k_score": ["beta", "normalize"],
    "lrap_score": ["tied_together"],
    "map_score": ["normalize"],
    "err_score": ["max_grade"],
    "rbp_score": ["p", "max_grade"],
    "q_measure_score": ["beta", "gain"],
    "rbo_score": ["p"],
    "rank_correlation_score": ["weights", "gain", "discount"],
}
DEFAULTS = dict.fromkeys(["qid", "k", "max_grade", "judged", "returned"])
DEFAULTS |= {"sample_weight": None, "adjusted": False, "beta": 1.0, "threshold": 0.0}
DEFAULTS |= {"gain": "exponential", "discount": "log2", "weights": "uniform"}
DEFAULTS |= {"ties": "expected", "average": "macro"}

# Divisors and weights whose meaning is that of their metric. Others that share a name
# share their words.
MEANT_DIFFERENTLY = {"normalize", "beta"}

# What numpydoc asks for and skrank does otherwise.
IGNORED = {
    "RT02": "results have names, as scikit-learn's have",
    "ES01": "some summaries say it all",
    "GL01": "the summary stands behind the quotes (refused by older versions)",
}
# Of the methods of classes, whose class shows an example and its relatives.
IGNORED_IN_CLASSES = {"EX01", "SA01"}

IN_FULL = ["metrics", "model_selection", "rankers", "datasets", "stats"]
IN_FULL += ["link_prediction", "tables", "plot", "integrations"]
MODULES = dict.fromkeys(["skrank", *(f"skrank.{name}" for name in IN_FULL)])
MODULES["skrank.base"] = ["RankingEstimator", "is_ranker"]

# Types for annotations, which functions return; the pages of these say how to use them.
RETURNED = {
    "skrank.integrations.CatBoostMetric",
    "skrank.integrations.LightGBMMetric",
    "skrank.integrations.XGBoostMetric",
    "skrank.link_prediction.PyKEENPredictor",
    "skrank.metrics.ItemColumn",
    "skrank.metrics.RankingScorer",
    "skrank.metrics.TopDocuments",
    "skrank.rankers.RankerAsRegressor",
}


def documented(function):
    return {p.name.lstrip("*"): p for p in FunctionDoc(function)["Parameters"]}


def words(parameter):
    return " ".join(parameter.desc).strip()


# Their grades are compared as they are, with no grade that stands for all lower ones.
EVERY_GRADE = {"rank_correlation_score", "spearman_score", "rbo_score"}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_order_of_the_parameters_never_varies(name):
    parameters = inspect.signature(FUNCTIONS[name]).parameters
    own = (["k"] if ROWS[name].cutoff != "never" else []) + OWN.get(name, [])
    expected = BEFORE_OWN + own + AFTER_OWN + ["adjusted"] * (name in ADJUSTABLE)
    expected += ["sample_weight", *MASKS.get(name, [])]
    assert list(parameters) == expected
    for parameter in parameters.values():
        is_data = parameter.name in ("y_true", "y_score")
        assert parameter.kind is (
            parameter.POSITIONAL_OR_KEYWORD if is_data else parameter.KEYWORD_ONLY
        )
        if parameter.name == "k" and ROWS[name].cutoff == "required":
            assert parameter.default is parameter.empty
            assert "_at_k_" in name
        elif parameter.name == "threshold" and name in EVERY_GRADE:
            assert parameter.default is None
        elif parameter.name in DEFAULTS:
            assert parameter.default == DEFAULTS[parameter.name]


def form_of(parameter, name):
    """Return which of its forms a parameter has in a function."""
    own, row = parameter.name, ROWS.get(name)
    if own == "threshold":
        return own, name in EVERY_GRADE
    if own == "returned":  # `evaluate` takes one mask for each ranker
        return own, name in FUNCTIONS
    if row and own == "ties":
        return own, row.reads_first_rank, row.takes_midrank
    return (own, row.cutoff) if row and own == "k" else (own,)


def test_a_parameter_has_the_same_type_and_words_everywhere():
    said = {}
    for name, function in [*FUNCTIONS.items(), ("evaluate", evaluate)]:
        for parameter in documented(function).values():
            if parameter.name not in MEANT_DIFFERENTLY:
                kind = re.sub(r", default=(np\.nan|0\.\d)$", "", parameter.type)
                one = said.setdefault(form_of(parameter, name), {})
                # In one call of several metrics they are not those of one.
                kind = kind if name in FUNCTIONS else None
                one[name] = " ".join((kind or "").split()), words(parameter)
    names = {key[0] for key, texts in said.items() if len(texts) > 1}
    assert names >= {*BEFORE_OWN, *AFTER_OWN, "k", "gain"}
    for key, texts in said.items():
        assert len({kind for kind, _ in texts.values() if kind}) <= 1, key
        assert len({text for _, text in texts.values()}) == 1, key


def test_the_two_forms_of_ties_begin_alike():
    texts = {name: words(documented(f)["ties"]) for name, f in FUNCTIONS.items()}
    common = next(text for name, text in texts.items() if name not in REALISTIC)
    for name in REALISTIC:
        assert texts[name].startswith(common.rstrip("."))
        assert '"realistic"' in documented(FUNCTIONS[name])["ties"].type


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_docstring_says_direction_formula_and_what_raises(name):
    doc = FunctionDoc(FUNCTIONS[name])
    summary = " ".join(doc["Summary"])
    assert summary.endswith(".")
    text = " ".join(" ".join(doc["Summary"] + doc["Extended Summary"]).split())
    direction = "Larger" if ROWS[name].greater_is_better else "Smaller"
    assert f"{direction} is better" in text
    notes = " ".join(" ".join(doc["Notes"]).split())
    assert ".. math::" in notes
    assert re.search("undefined|never undefined", notes)
    assert [raised.type for raised in doc["Raises"]] == ["ValueError", "TypeError"]
    (result,) = doc["Returns"]
    assert result.type == "float or ndarray of shape (n_queries,)"
    best = re.search(r"The best value is (\d\.\d\.)?", words(result))
    if best[1] and not ROWS[name].columns:
        k = {} if ROWS[name].cutoff == "never" else {"k": 1}
        assert FUNCTIONS[name]([1, 0], [2.5, 1.5], **k) == float(best[1][:-1])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_examples_begin_with_an_import_and_a_call(name):
    lines = [line for line in FunctionDoc(FUNCTIONS[name])["Examples"] if line]
    calls = [line for line in lines if line.startswith(">>>")]
    assert calls[0] == f">>> from skrank.metrics import {name}"
    assert calls[1].startswith(f">>> {name}(")
    if "k" in inspect.signature(FUNCTIONS[name]).parameters:
        assert any("k=" in call for call in calls)


def public():
    """Yield the name and the object of all that is public and has parameters."""
    for module, names in MODULES.items():
        contents = importlib.import_module(module)
        for name in names or contents.__all__:
            thing = getattr(contents, name)
            if f"{module}.{name}" in RETURNED:
                continue
            if inspect.isclass(thing):
                for method, value in vars(thing).items():
                    is_method = inspect.isfunction(getattr(value, "__func__", value))
                    if is_method and not method.startswith("_"):
                        yield f"{module}.{name}.{method}", getattr(thing, method)
            if inspect.isclass(thing) or inspect.isfunction(thing):
                yield f"{module}.{name}", thing


PUBLIC = dict(public())


def as_written(default):
    """Return a default as docstrings write it."""
    if isinstance(default, float) and math.isnan(default):
        return "np.nan"
    return "np.float64" if default is np.float64 else repr(default)


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_documented_defaults_are_those_of_the_signature(name):
    parameters = documented(PUBLIC[name])
    for parameter in inspect.signature(PUBLIC[name]).parameters.values():
        if parameter.name not in parameters:  # the docstring of the class has it
            continue
        assert "  " not in parameters[parameter.name].type, parameter
        stated = re.search(r"default=(.+)$", parameters[parameter.name].type)
        if parameter.default is parameter.empty:
            assert stated is None, parameter
        else:
            assert stated is not None, parameter
            assert stated[1].replace('"', "'") == as_written(parameter.default)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_numpydoc_finds_nothing_to_say(name):
    # By its name, a function with the name of its module would not be found.
    report = validate(get_doc_object(PUBLIC[name]))
    ignored = set(IGNORED)
    if report["type"] not in ("function", "type"):
        ignored |= IGNORED_IN_CLASSES
    parent = name.rpartition(".")[0]
    if parent not in MODULES:
        ignored |= IGNORED_IN_CLASSES
    if name == "skrank.integrations.xgboost_metric":  # an example would import XGBoost
        ignored.add("EX01")
    assert [error for error in report["errors"] if error[0] not in ignored] == []


def test_only_functions_of_scores_raise_for_sparse_ones():
    public = [getattr(metrics, name) for name in metrics.__all__]
    for kind in filter(inspect.isclass, [*public]):
        public += vars(kind).values()
    says = [
        function
        for function in filter(inspect.isfunction, public)
        if "`y_score` is sparse" in (function.__doc__ or "")
    ]
    assert says
    for function in says:
        assert "y_score" in inspect.signature(function).parameters, function
