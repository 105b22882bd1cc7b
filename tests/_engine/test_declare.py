"""The decorator that makes a metric: what it keeps, what it adds and what it checks."""

# SPDX-License-Identifier: BSD-3-Clause

import inspect
import typing

import numpy as np
import pytest
from numpydoc.docscrape import FunctionDoc

from skrank import metrics
from skrank._engine.request import METRICS
from skrank._text.docs import PARAMETERS
from skrank.metrics import evaluate, mrr_score, ndcg_score
from tests._engine.decorated import decorated, power_score

# A metric of the first relevant document, one of all ranks, one that needs a cutoff.
THREE = {"mrr": mrr_score, "ndcg": ndcg_score, "recall": metrics.recall_at_k_score}


# A metric of grades, of columns without grades, and of columns with grades.
SIGNATURES = {
    (): "(y_true, y_score, *, qid=None, k=None, power=1.0, threshold=0.0, "
    "ties='expected', replace_undefined_by=0.0, average='macro', sample_weight=None)",
    ("features", False): "(y_true, y_score, *, qid=None, features, k=None, power=1.0, "
    "ties='expected', replace_undefined_by=0.0, average='macro', sample_weight=None)",
    ("features", True): "(y_true, y_score, *, qid=None, features, k=None, power=1.0, "
    "threshold=0.0, ties='expected', replace_undefined_by=0.0, average='macro', "
    "sample_weight=None)",
}


@pytest.mark.parametrize("columns", SIGNATURES)
def test_the_signature_has_the_parameters_that_metrics_share(columns):
    def of_columns(ranking, *, k=None, power=1.0): ...

    # Every parameter is described in one place: the column and the power in this one.
    own = "power : float, default=1.0\n    The power."
    own += "\nfeatures : array\n    The features."
    of_columns.__doc__ = f"Own.\n\nParameters\n----------\n{own}\n\nReturns\n-------\n"
    facts = {}
    if columns:
        facts = {"columns": columns[:1], "reads_grades": columns[1]}
    made = decorated(function=of_columns, **facts)
    assert str(inspect.signature(made)) == SIGNATURES[columns]


def test_some_parameters_of_the_signature_are_facts_of_the_metric():
    made = decorated(threshold=None, replace_undefined_by=np.nan, adjustable=True)
    parameters = inspect.signature(made).parameters
    assert parameters["threshold"].default is None
    assert np.isnan(parameters["replace_undefined_by"].default)
    assert parameters["adjusted"].default is False
    of_formula = inspect.signature(decorated("other", masks=["judged"])).parameters
    assert [*of_formula][-2:] == ["sample_weight", "judged"]


def test_the_name_is_that_of_the_definition():
    made = decorated()
    assert made.definition is power_score
    for attribute in ("__name__", "__qualname__", "__module__"):
        assert getattr(made, attribute) == getattr(power_score, attribute)


def test_a_function_does_not_pass_for_the_definition_that_has_other_parameters():
    for function in (getattr(metrics, name) for name in metrics.__all__):
        if hasattr(function, "definition"):
            assert inspect.unwrap(function) is function
            hints = typing.get_type_hints(function)
            assert hints.keys() <= inspect.signature(function).parameters.keys()


def test_the_metric_is_computed_by_the_definition():
    # Rank 2: (1 / 2) ** 2.
    assert decorated()([0, 1], [2, 1], power=2.0) == 1 / 4
    assert evaluate([0, 1], [2, 1], "power", power=2.0) == {"power": 1 / 4}
    assert evaluate([0, 1], [2, 1], "power@1") == {"power@1": 0.0}


def test_the_docstring_is_completed_in_the_order_of_the_signature():
    doc = FunctionDoc(decorated())
    assert doc["Summary"] == ["Power of the rank. Larger is better."]
    described = {one.name: one for one in doc["Parameters"]}
    assert list(described) == list(inspect.signature(decorated("other")).parameters)
    assert [one.type for one in doc["Raises"]] == ["ValueError", "TypeError"]
    assert [one.name for one in doc["Returns"]] == ["score"]
    _, _, shared = PARAMETERS["threshold"].partition("\n")
    assert " ".join(described["threshold"].desc) == " ".join(shared.split())
    assert described["threshold"].type == 'float or "max", default=0.0'
    assert described["power"].type == "float, default=1.0"
    assert described["power"].desc == ["The power of the reciprocal rank."]


def test_a_parameter_that_nobody_describes_is_refused():
    def undescribed_score(ranking, *, exponent=1.0):
        """Power of the rank.

        Returns
        -------
        score : float
            The score.
        """

    with pytest.raises(KeyError, match="exponent"):
        decorated(function=undescribed_score)
    assert "power" not in METRICS


@pytest.mark.parametrize("name", THREE)
def test_arguments_that_python_refuses_are_refused_by_the_name_of_the_function(name):
    score = THREE[name]
    named = rf"{score.__name__}\(\)"
    given = {"k": 1} if name == "recall" else {}
    with pytest.raises(TypeError, match=rf"{named} got an unexpected.*'K'"):
        score([1, 0], [2, 1], **given, K=1)
    with pytest.raises(TypeError, match=rf"{named} missing.*'y_score'"):
        score([1, 0], **given)
    with pytest.raises(TypeError, match=rf"{named} takes 2 positional"):
        score([1, 0], [2, 1], [0, 0], **given)
    with pytest.raises(TypeError, match=rf"{named} got multiple.*'y_true'"):
        score([1, 0], [2, 1], **given, y_true=[1, 0])


def test_a_required_cutoff_is_an_argument_that_is_missing():
    with pytest.raises(TypeError, match=r"recall_at_k_score\(\) missing.*'k'"):
        metrics.recall_at_k_score([1, 0], [2, 1])


@pytest.mark.parametrize("name", THREE)
def test_arguments_may_be_passed_by_keyword(name):
    given = {"k": 2} if name == "recall" else {}
    by_place = THREE[name]([0, 1], [2, 1], **given)
    assert THREE[name](y_score=[2, 1], y_true=[0, 1], **given) == by_place


@pytest.mark.parametrize("name", THREE)
def test_an_error_names_the_function(name):
    given = {"k": 1} if name == "recall" else {}
    named = f"parameter of {THREE[name].__name__} must"
    for wrong in ({"ties": "up"}, {"average": "micro"}, {"threshold": "min"}):
        with pytest.raises(ValueError, match=f"'{next(iter(wrong))}' {named}"):
            THREE[name]([1, 0], [2, 1], **given, **wrong)


def test_only_metrics_of_the_first_relevant_rank_have_a_realistic_one():
    assert mrr_score([0, 1], [1, 1], ties="realistic") == 1 / 1.5
    for score, given in ((ndcg_score, {}), (THREE["recall"], {"k": 1})):
        with pytest.raises(ValueError, match=r"'ties' parameter.*'realistic'"):
            score([0, 1], [1, 1], ties="realistic", **given)
