"""Scorers: what they compute, where they find the queries, what they ask for."""

# SPDX-License-Identifier: BSD-3-Clause

import copy
import pickle
import re
import warnings
from functools import partial
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import BaseEstimator
from sklearn.compose import make_column_transformer
from sklearn.exceptions import NotFittedError, UnsetMetadataPassedError
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.metrics import make_scorer, r2_score
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline

import skrank._engine.answer
from skrank.exceptions import QuerySplitWarning
from skrank.metrics import (
    add_scorer,
    err_score,
    evaluate,
    get_scorer,
    get_scorer_names,
    make_ranking_scorer,
    mean_rank,
    mrr_score,
    ndcg_score,
    precision_at_k_score,
    rbp_score,
)
from skrank.model_selection import QueryKFold, cross_val_query_scores

# Three queries; the first feature is the score. The relevant documents stand at the
# ranks 1, 2 and {2, 3}.
SCORES = np.array([3.0, 2.0, 1.0, 3.0, 2.0, 1.0, 9.0, 8.0, 7.0])
Y = np.array([1, 0, 0, 0, 1, 0, 0, 1, 1])
QID = np.array(["b", "b", "b", "a", "a", "a", "c", "c", "c"])
X = np.column_stack([SCORES, np.zeros(9)])
MRR = (1 + 1 / 2 + 1 / 2) / 3
PRECISION_1 = 1 / 3
MEAN_RANK = (1 + 2 + 2) / 3
FOLDS = [([0, 1, 2], [3, 4, 5, 6, 7, 8]), ([3, 4, 5, 6, 7, 8], [0, 1, 2])]
FOLD_MRR = [1 / 2, 1.0]

FRAME = pd.DataFrame(X, columns=["score", "nothing"]).assign(qid=QID)
Y_INDEXED = pd.Series(Y, index=pd.Index(QID, name="qid"))
SOURCES_OF_QID = r"qid'?[=:] ?qid.* column 'qid' of X, or an index 'qid' of X or y"


class FirstFeature(BaseEstimator):
    """Predicts the first feature and counts how often it is asked."""

    def fit(self, X, y):
        self.n_predictions_ = 0
        return self

    def predict(self, X):
        self.n_predictions_ += 1
        return np.asarray(X)[:, 0].astype(float)


@pytest.fixture
def model():
    return FirstFeature().fit(X, Y)


@pytest.fixture(params=[False, True], ids=["routing off", "routing on"])
def routing(request):
    with sklearn.config_context(enable_metadata_routing=request.param):
        yield request.param


class WithoutTags:
    """Its base class has no tags, as of an estimator without BaseEstimator."""

    def __sklearn_tags__(self):
        return super().__sklearn_tags__()


# What estimators of other packages have under names that scikit-learn and skrank use.
ODD = {
    "transformers_ is a dict": {"transformers_": dict.fromkeys(FRAME)},
    "steps are names": {"steps": ["scale", "fit"]},
    "steps is a number": {"steps": 2},
    "best_estimator_ is a name": {"best_estimator_": "lgbm"},
    "best_estimator_ is a class": {"best_estimator_": Ridge},
    "best_estimator_ has any attribute": {"best_estimator_": Mock()},
    "best_estimator_ has no tags": {"best_estimator_": WithoutTags()},
    "feature_names_in_ is None": {"feature_names_in_": None},
    "feature_names_in_ is a scalar": {"feature_names_in_": np.array("qid")},
    "feature_names_in_ is nested": {"feature_names_in_": [["qid"], np.zeros((2, 2))]},
    "feature_names_in_ is a method": {"feature_names_in_": FirstFeature.fit},
}


@pytest.mark.parametrize("attributes", ODD.values(), ids=ODD)
def test_no_estimator_is_so_odd_that_a_warning_stops_its_score(model, attributes):
    vars(model).update(attributes)
    for X_scored in (X, FRAME):
        assert get_scorer("mrr")(model, X_scored, Y_INDEXED) == pytest.approx(MRR)
        for name in ("steps", "best_estimator_"):  # as the model that a search selects
            outer = FirstFeature().fit(X, Y)
            setattr(outer, name, model if name[0] == "b" else [("model", model)])
            assert get_scorer("mrr")(outer, X_scored, Y_INDEXED) == pytest.approx(MRR)


@pytest.mark.parametrize("name", ["best_estimator_", "estimator_", "feature_names_in_"])
def test_an_estimator_may_hold_itself_or_refuse_an_attribute(model, name):
    def refuse(self):
        raise AttributeError(name)

    refusing = type("Refusing", (FirstFeature,), {name: property(refuse)})().fit(X, Y)
    setattr(model, name, model)
    model._estimator_type = "ranker"
    for one in (model, refusing, make_pipeline("passthrough", model)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # a pipeline not fitted
            scored = get_scorer("mrr")(one, FRAME, Y)
        assert scored == pytest.approx(MRR)


class Columns(BaseEstimator):
    """A transformer of columns, as TableVectorizer of skrub, that drops none."""

    def fit(self, X, y=None):
        self.transformers_ = dict.fromkeys(X)
        self.feature_names_in_ = np.array(X.columns)
        return self

    def transform(self, X):
        return X.assign(qid=0)


SLICES = [
    (slice("score", "nothing"), False),
    (slice("nothing"), False),
    (slice(0, 2), False),
    (slice("score", "qid"), True),
    (slice("nothing", None), True),
    (["score", "qid"], True),
    ([True, True, False], False),
]


@pytest.mark.parametrize(("columns", "reads_qid"), SLICES, ids=repr)
def test_columns_of_a_transformer_may_be_slices_of_names(columns, reads_qid):
    frame = FRAME.assign(qid=np.repeat([1, 2, 3], 3))
    pipeline = make_pipeline(make_column_transformer(("passthrough", columns)), Ridge())
    pipeline.fit(frame, Y)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        scored = get_scorer("mrr")(pipeline, frame, Y)
    by_hand = mrr_score(Y, pipeline.predict(frame), qid=frame["qid"])
    assert scored == pytest.approx(by_hand)
    said = [str(one.message) for one in caught]
    assert [text.startswith("Pipeline was fitted on the c") for text in said] == [
        True
    ] * reads_qid


def test_a_transformer_with_other_transformers_is_warned_of_and_scored():
    pipeline = make_pipeline(Columns(), Ridge())
    with pytest.warns(UserWarning, match="Pipeline was fitted on the column 'qid'"):
        found = cross_validate(
            pipeline, FRAME, Y, cv=FOLDS, scoring="mrr", error_score="raise"
        )
    assert found["test_score"].tolist() == FOLD_MRR


def test_rows_of_a_split_may_be_masks():
    masks = [(np.isin(np.arange(9), train), test) for train, test in FOLDS]
    found = cross_validate(Ridge(), X, Y_INDEXED, cv=masks, scoring="mrr")
    assert found["test_score"].tolist() == FOLD_MRR
    cut = np.arange(9) % 2 == 0
    with pytest.warns(QuerySplitWarning):
        cross_validate(Ridge(), X, Y_INDEXED, cv=[(cut, ~cut)], scoring="mrr")


@pytest.mark.usefixtures("routing")
class TestCall:
    @pytest.mark.parametrize(
        ("metric", "params", "expected"),
        [
            ("mrr", {}, MRR),
            ("precision@1", {}, PRECISION_1),
            ("neg_mean_rank", {}, -MEAN_RANK),
            ("precision", {"k": 1}, PRECISION_1),
            (precision_at_k_score, {"k": 1}, PRECISION_1),
            (mean_rank, {}, -MEAN_RANK),
            (["mrr", "precision@1"], {}, {"mrr": MRR, "precision@1": PRECISION_1}),
            (("mrr", "mrr@1"), {}, {"mrr": MRR, "mrr@1": 1 / 3}),
            (["mrr"], {"k": 1}, {"mrr@1": 1 / 3}),
            (["hit_rate@1", "neg_mean_rank"], {}, None),
        ],
    )
    def test_scorer_computes_the_metric_of_the_queries(
        self, model, metric, params, expected
    ):
        if expected is None:
            expected = {"hit_rate@1": 1 / 3, "neg_mean_rank": -MEAN_RANK}
        score = make_ranking_scorer(metric, **params)(model, X, Y, qid=QID)
        assert score == pytest.approx(expected)

    @pytest.mark.parametrize(
        ("X", "y", "qid"),
        [
            (X, Y, QID),
            (FRAME, Y, None),
            (X, Y_INDEXED, None),
            (FRAME.assign(qid=0), Y_INDEXED.set_axis(np.arange(9)), QID),
            (FRAME, Y_INDEXED.rename_axis("qid") * 1, None),
        ],
        ids=["argument", "column", "index", "argument first", "column and index"],
    )
    def test_each_source_brings_the_queries(self, model, X, y, qid):
        assert get_scorer("mrr")(model, X, y, qid=qid) == pytest.approx(MRR)

    @pytest.mark.parametrize("metric", ["mrr", ndcg_score, ["mrr", "map"]])
    def test_no_source_is_an_error_that_names_all_three(self, model, metric):
        scorer = make_ranking_scorer(metric)
        with pytest.raises(ValueError, match=SOURCES_OF_QID):
            scorer(model, X, Y)

    def test_unfitted_estimator_is_the_first_thing_to_be_told(self):
        with pytest.raises(NotFittedError):
            get_scorer("mrr")(Ridge(), X, Y)

    def test_sample_weight_weighs_the_queries(self, model):
        weight = np.repeat([1.0, 0.0, 1.0], 3)
        score = get_scorer("mrr")(model, X, Y, qid=QID, sample_weight=weight)
        assert score == pytest.approx((1 + 1 / 2) / 2)

    def test_function_of_the_user_is_called_with_its_parameters(self, model):
        def last_id(y_true, y_score, *, qid, factor):
            assert y_score.tolist() == SCORES.tolist()
            return factor * len(np.unique(qid))

        scorer = make_ranking_scorer(last_id, factor=2, greater_is_better=False)
        assert scorer(model, X, Y, qid=QID) == -6
        assert "last_id, greater_is_better=False, factor=2" in repr(scorer)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("sample_weights", "Did you mean 'sample_weight'"),
        ("weight", "Did you mean 'sample_weight'"),
        ("exlude", "Did you mean 'exclude'"),
        ("groups", "qid"),
        ("popularty", "Did you mean 'popularity'"),
    ],
)
@pytest.mark.parametrize("names", ["novelty@2", ["mrr", "novelty@2"]], ids=str)
def test_a_keyword_that_nothing_reads_is_refused(names, name, meant):
    scorer, model = make_ranking_scorer(names), FirstFeature().fit(X, Y)
    with pytest.raises(
        TypeError, match=rf"unexpected keyword argument '{name}'.*{meant}"
    ):
        scorer(model, X, Y, qid=QID, **{name: QID})
    with sklearn.config_context(enable_metadata_routing=True), pytest.raises(TypeError):
        scorer.set_score_request(**{name: True})


class TestOneRanking:
    def test_list_predicts_and_ranks_once(self, model, monkeypatch):
        calls = []
        rank_queries = skrank._engine.answer.rank_queries
        monkeypatch.setattr(
            skrank._engine.answer,
            "rank_queries",
            lambda *data, **options: calls.append(1) or rank_queries(*data, **options),
        )
        scorer = make_ranking_scorer(["mrr", "ndcg@10", "map", "neg_mean_rank"])
        calls.clear()
        assert len(scorer(model, X, Y, qid=QID)) == 4
        assert len(calls) == 1
        assert model.n_predictions_ == 1

    def test_names_share_one_prediction_with_scikit_learns_scorers(self):
        scoring = {"mrr": get_scorer("mrr"), "map": get_scorer("map"), "r2": "r2"}
        found = cross_validate(
            FirstFeature(),
            X,
            Y_INDEXED,
            scoring=scoring,
            cv=FOLDS,
            return_estimator=True,
        )
        n_predictions = [model.n_predictions_ for model in found["estimator"]]
        assert n_predictions == [1] * len(FOLDS)

    def test_list_is_the_scoring_of_a_search(self, routing):
        scorer = make_ranking_scorer(["mrr", "ndcg@10"])
        search = GridSearchCV(
            LinearRegression(),
            {"fit_intercept": [True, False]},
            scoring=scorer,
            refit="ndcg@10",
            cv=FOLDS,
        )
        search.fit(X, Y_INDEXED, **({"qid": QID} if routing else {}))
        # The best model is fitted on all rows, and each predicts the grades of some.
        assert set(search.cv_results_) >= {"mean_test_mrr", "mean_test_ndcg@10"}
        best = scorer(search.best_estimator_, X, Y_INDEXED)
        assert search.score(X, Y_INDEXED) == best["ndcg@10"]


class TestCrossValidation:
    @pytest.mark.parametrize("scoring", ["mrr", "object", "list"])
    def test_queries_reach_the_scorer_as_metadata(self, scoring):
        scoring = {"mrr": "mrr", "object": get_scorer("mrr"), "list": ["mrr", "r2"]}[
            scoring
        ]
        with sklearn.config_context(enable_metadata_routing=True):
            found = cross_validate(
                FirstFeature(), X, Y, scoring=scoring, cv=FOLDS, params={"qid": QID}
            )
        key = "test_mrr" if isinstance(scoring, list) else "test_score"
        assert found[key] == pytest.approx(FOLD_MRR)

    @pytest.mark.parametrize(("X", "y"), [(FRAME, Y), (X, Y_INDEXED)])
    def test_queries_reach_the_scorer_without_routing(self, X, y):
        found = cross_validate(FirstFeature(), X, y, scoring="mrr", cv=FOLDS)
        assert found["test_score"].tolist() == FOLD_MRR

    @pytest.mark.parametrize("scoring", ["mrr", ["mrr", "r2"]])
    def test_missing_queries_are_named_in_the_warning(self, scoring):
        with pytest.warns(UserWarning, match=f"(?s){SOURCES_OF_QID}"):
            found = cross_validate(Ridge(), X, Y, scoring=scoring, cv=FOLDS)
        key = "test_mrr" if isinstance(scoring, list) else "test_score"
        assert np.isnan(found[key]).all()

    def test_missing_queries_raise_where_errors_raise(self):
        with pytest.raises(ValueError, match=SOURCES_OF_QID):
            cross_validate(Ridge(), X, Y, scoring="mrr", cv=FOLDS, error_score="raise")


class TestRequest:
    def requests(self, scorer):
        return scorer.get_metadata_routing().score.requests

    def test_scorer_asks_for_qid_whatever_the_routing_when_made(self, routing):
        for scorer in (
            get_scorer("mrr"),
            make_ranking_scorer(ndcg_score, k=3),
            make_ranking_scorer(["mrr", "map"]),
        ):
            assert self.requests(scorer) == {"qid": True, "sample_weight": None}

    def test_requests_are_merged(self):
        with sklearn.config_context(enable_metadata_routing=True):
            scorer = get_scorer("mrr").set_score_request(sample_weight=True)
            assert self.requests(scorer) == {"qid": True, "sample_weight": True}
            scorer.set_score_request(qid="groups")
        assert self.requests(scorer) == {"qid": "groups", "sample_weight": True}

    @pytest.mark.parametrize("scoring", ["mrr", ["mrr", "ndcg@10"], {"m": "mrr"}])
    @pytest.mark.parametrize("validate", [cross_validate, cross_val_query_scores])
    def test_weights_that_nobody_asked_for_are_refused(self, validate, scoring):
        """As by scorers of scikit-learn, instead of being left out without a word."""
        params = {"qid": QID, "sample_weight": np.ones(len(QID))}
        with sklearn.config_context(enable_metadata_routing=True):
            model = Ridge().set_fit_request(sample_weight=True)
            options = {"scoring": scoring, "cv": QueryKFold(2), "params": params}
            # Versions of scikit-learn word it differently.
            with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
                validate(model, X, Y, **options)
            scorer = get_scorer("mrr").set_score_request(sample_weight=False)
            validate(model, X, Y, **options | {"scoring": scorer})

    def test_sample_weight_is_routed_once_it_is_asked_for(self):
        weight = np.repeat([1.0, 1.0, 3.0], 3)
        params = {"qid": QID, "sample_weight": weight}
        call = {"X": X, "y": Y, "cv": FOLDS, "params": params}
        with sklearn.config_context(enable_metadata_routing=True):
            model = Ridge().set_fit_request(sample_weight=False)
            scorer = get_scorer("precision@1").set_score_request(sample_weight=True)
            found = cross_validate(model, scoring=scorer, **call)
            weighted = [
                scorer(
                    Ridge().fit(X[train], Y[train]),
                    X[test],
                    Y[test],
                    qid=QID[test],
                    sample_weight=weight[test],
                )
                for train, test in FOLDS
            ]
            assert found["test_score"] == pytest.approx(weighted)
            with pytest.raises(UnsetMetadataPassedError):
                cross_validate(Ridge(), scoring="mrr", **call)

    @pytest.mark.parametrize(
        "duplicate",
        [copy.deepcopy, sklearn.clone, lambda one: pickle.loads(pickle.dumps(one))],
        ids=["deepcopy", "clone", "pickle"],
    )
    @pytest.mark.parametrize("metric", ["mrr", ["mrr", "map"], mean_rank])
    def test_copies_score_and_ask_the_same(self, model, duplicate, metric):
        with sklearn.config_context(enable_metadata_routing=True):
            scorer = make_ranking_scorer(metric, ties="optimistic")
            scorer.set_score_request(sample_weight=True)
        twin = duplicate(scorer)
        assert twin is not scorer
        assert repr(twin) == repr(scorer)
        assert self.requests(twin) == self.requests(scorer)
        assert twin(model, X, Y, qid=QID) == scorer(model, X, Y, qid=QID)
        del scorer._metadata_request  # as of one that asks for nothing
        assert duplicate(scorer)(model, X, Y, qid=QID) == twin(model, X, Y, qid=QID)


@pytest.mark.parametrize(
    ("scorer", "text"),
    [
        (get_scorer("mrr"), "'mrr'"),
        (make_ranking_scorer("ndcg@10", ties="first"), "'ndcg@10', ties='first'"),
        (make_ranking_scorer("ndcg", k=10), "'ndcg@10'"),
        (make_ranking_scorer(ndcg_score, k=3), "ndcg_score, k=3"),
        (make_ranking_scorer(["mrr", "map"]), "['mrr', 'map']"),
    ],
)
def test_repr_is_the_call_that_made_the_scorer(scorer, text):
    assert repr(scorer) == f"make_ranking_scorer({text})"


class InC:
    """A callable without a signature, as some that are written in C."""

    __signature__ = 0

    def __call__(self, y_true, y_score, qid):
        return 1.0


class Measure:
    """What a scorer can call, and a method that it cannot."""

    def __call__(self, y_true, y_score, qid, factor=1):
        return factor * len(np.unique(qid))

    def plain(self, y_true, y_score):
        return 1.0


@pytest.mark.parametrize(
    ("metric", "params", "expected"),
    [
        (Measure(), {}, 3),
        (Measure(), {"factor": 2}, 6),
        (Measure().__call__, {}, 3),
        (InC(), {}, 1),
        (partial(Measure(), factor=2), {}, 6),
        (lambda *args, **kwargs: len(np.unique(kwargs["qid"])), {}, 3),
        (lambda y_true, y_score, *, qid, sample_weight: sum(sample_weight), {}, 9),
        (partial(precision_at_k_score, k=1), {}, PRECISION_1),
        (lambda ranking: np.full(3, 2.0), {}, 2),
    ],
)
def test_callables_of_all_kinds_are_metrics(model, metric, params, expected):
    weighted = {"sample_weight": np.ones(9)} if expected == 9 else {}
    score = make_ranking_scorer(metric, **params)(model, X, Y, qid=QID, **weighted)
    assert score == pytest.approx(expected)


FORMS = r"metric\(y_true, y_score, qid=qid, \*\*params\), or as metric\(ranking\)"


@pytest.mark.parametrize(
    ("metric", "params", "error", "message"),
    [
        ("ndgc@10", {}, ValueError, "Did you mean 'ndcg@10'"),
        ("mean_rank", {}, ValueError, "Did you mean scoring='neg_mean_rank'"),
        ("ndcg@0", {}, ValueError, "'ndcg@0' is not a valid scoring value"),
        ("ndcg", {"k": 0}, ValueError, "'ndcg@0' is not a valid scoring value"),
        ("ndcg", {"k": True}, ValueError, "'ndcg@True' is not"),
        ("query_auc", {"k": 5}, ValueError, "'query_auc@5' is not"),
        ("precision", {}, ValueError, "'precision' is not a valid"),
        (["mrr", "nope"], {}, ValueError, "'nope' is not a valid"),
        ([], {}, TypeError, r"must be a str, a callable or a list .* Got \[\] instead"),
        (3, {}, TypeError, "a str, a callable or a list of str. Got 3 instead"),
        (["mrr", 3], {}, TypeError, re.escape("Got ['mrr', 3] instead")),
        ("mrr", {"ties": "random"}, ValueError, "'ties' parameter .*Got 'random'"),
        ("ndcg", {"gain": "random"}, ValueError, "'gain' parameter .*Got 'random'"),
        (ndcg_score, {"gain": "random"}, ValueError, "'gain' .*Got 'random'"),
        ("mrr", {"gain": "linear"}, TypeError, "gain"),
        (ndcg_score, {"nope": 1}, TypeError, "nope"),
        # Functions that a scorer could not call.
        (lambda y_true, y_score: 1.0, {}, TypeError, FORMS + ".*Got <lambda> instead"),
        (lambda y_true, y_score, group: 1.0, {}, TypeError, FORMS),
        (lambda: 1.0, {}, TypeError, FORMS + ".*too many positional"),
        (partial(lambda a, b, k: 1.0, k=2), {}, TypeError, FORMS + ".*'qid'"),
        (r2_score, {}, TypeError, FORMS + ".*r2_score.*'qid'"),
        (Measure().plain, {}, TypeError, FORMS),
        (Measure(), {"nope": 1}, TypeError, FORMS + ".*'nope'"),
        ("mrr", {"qid": QID}, TypeError, "'qid' has a value per row"),
        ("mrr", {"sample_weight": Y}, TypeError, "'sample_weight' has a value per"),
        ("mrr", {"average": None}, ValueError, "'average' parameter .*Got None"),
        ("mrr", {"greater_is_better": True}, ValueError, "must be None unless"),
        # Adjusted, larger is better: minus the adjusted rank would choose the worst.
        ("neg_mean_rank(adjusted=True)", {}, ValueError, "'adjusted_mean_rank_index'"),
    ],
)
def test_wrong_arguments_raise_when_the_scorer_is_made(metric, params, error, message):
    with pytest.raises(error, match=message):
        make_ranking_scorer(metric, **params)


@pytest.mark.parametrize("name", get_scorer_names())
def test_listed_name_has_a_scorer(name):
    assert repr(get_scorer(name)) == f"make_ranking_scorer({name!r})"


def test_get_scorer_hands_on_what_scikit_learn_knows():
    scorer = make_scorer(r2_score)
    assert get_scorer(scorer) is scorer
    assert get_scorer(None) is None
    assert "roc_auc_score" in repr(get_scorer("roc_auc"))


def test_get_scorer_names_the_nearest_of_both_libraries():
    with pytest.raises(ValueError, match=r"'acuracy' is not .* mean 'accuracy'"):
        get_scorer("acuracy")


def test_get_scorer_makes_a_new_scorer_at_each_call():
    assert get_scorer("mrr") is not get_scorer("mrr")


def leaves_of(value):
    """Return what a saved state consists of; one that holds itself has no end."""
    if isinstance(value, dict):
        value = [*value.values()]
    if isinstance(value, (list, tuple)):
        return [leaf for one in value for leaf in leaves_of(one)]
    is_state = type(value).__module__.startswith("skrank.")
    return leaves_of(value.__getstate__()) if is_state else [value]


@pytest.mark.parametrize(
    "scorer",
    [
        get_scorer("ndcg@10"),
        make_ranking_scorer("ndcg", k=5, gain="linear", columns={"judged": "seen"}),
        make_ranking_scorer(["mrr", "map@3"]),
        make_ranking_scorer(ndcg_score, k=5, greater_is_better=False),
    ],
    ids=repr,
)
def test_a_scorer_is_saved_as_names_and_parameters(scorer):
    """So skops can write it, which knows neither tuples with names nor circles."""
    kinds = (str, int, float, bool, type(None), type(ndcg_score))
    assert all(isinstance(leaf, kinds) for leaf in leaves_of(scorer))
    assert pickle.loads(pickle.dumps(scorer))._score_func == scorer._score_func


def stopping(ranking, *, k=None, max_grade=None):
    """A metric of a user with the property of ERR."""
    return np.ones(ranking.n_queries)


@pytest.mark.parametrize(
    ("name", "cure"),
    [
        ("err@3", r"'err\(max_grade=3\)@3'"),
        ("rbp", r"'rbp\(max_grade=3\)'"),
        ("rbp(p=0.5)@5", r"'rbp\(p=0.5, max_grade=3\)@5'"),
        ("stopping_at_7", r"'stopping\(max_grade=3\)@7'"),
    ],
)
def test_a_scorer_that_depends_on_the_highest_grade_needs_it(name, cure):
    add_scorer("stopping", stopping)
    message = rf"^A scorer of '{re.escape(name)}' needs max_grade.*{cure}"
    options = {"cv": QueryKFold(3)}
    for make in (
        partial(get_scorer, name),
        partial(sklearn.metrics.get_scorer, name),
        partial(make_ranking_scorer, ["mrr", name]),
        partial(cross_val_query_scores, Ridge(), X, Y_INDEXED, scoring=name, **options),
        partial(GridSearchCV(Ridge(), {}, scoring=name, **options).fit, X, Y_INDEXED),
    ):
        with pytest.raises(ValueError, match=message):
            make()
    with pytest.raises(ValueError, match="A scorer of 'rbp_score' needs"):
        make_ranking_scorer(rbp_score, p=0.5)
    assert evaluate(Y, X[:, 0], name, qid=QID).keys() == {name}
    assert name.partition("@")[0] not in {
        one.partition("@")[0] for one in get_scorer_names()
    }


def test_folds_are_measured_on_the_scale_of_the_highest_grade():
    # A grade of 4 occurs in other folds: a reader stops at the ranks 1 and 2 with
    # probabilities 1/16 and 3/16.
    model = Ridge().fit([[0.0], [1.0]], [0, 1])
    scorer = get_scorer("err(max_grade=4)@2")
    found = scorer(model, [[2.0], [1.0]], [1, 2], qid=[0, 0])
    assert found == pytest.approx(1 / 16 + 15 / 16 * 3 / 16 / 2)
    assert (
        make_ranking_scorer(err_score, max_grade=4, k=2)(
            model, [[2.0], [1.0]], [1, 2], qid=[0, 0]
        )
        == found
    )


def test_a_metric_that_reads_no_grades_scores_without_them():
    ranker = Ridge().fit([[1.0], [2.0], [3.0]], [1, 2, 3])
    labels = {"qid": [0, 0, 0], "subtopics": [["a"], ["b"], []]}
    value = make_ranking_scorer("nrbp")(ranker, [[1.0], [2.0], [3.0]], None, **labels)
    assert value == (1 - 0.5 * 0.5) / 2 * (0 + 0.5 + 0.5**2)
