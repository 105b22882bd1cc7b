"""Early stopping by queries that are held out of each training set."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import catboost
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import sklearn
from catboost import CatBoostRanker
from lightgbm import LGBMRanker
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from xgboost import XGBRanker

from skrank.datasets import make_ranking
from skrank.model_selection import QueryKFold
from skrank.rankers import QueryRanker

X, Y, CODES = make_ranking(
    60, n_documents=(5, 12), n_features=4, n_informative=3, n_grades=3, random_state=2
)
ROWS = np.random.default_rng(2).permutation(len(Y))
X, Y, CODES = 3 + X[ROWS], Y[ROWS], CODES[ROWS]
QID = np.array([f"query {code:02}" for code in CODES])
WEIGHT = 1.0 + CODES % 3


class LightGBM(LGBMRanker):
    """Keeps the arguments of its fit."""

    def fit(
        self,
        X,
        y,
        sample_weight=None,
        group=None,
        eval_sample_weight=None,
        eval_group=None,
        eval_at=(1, 2, 3, 4, 5),
        eval_X=None,
        eval_y=None,
        **others,
    ):
        given = dict(locals())
        self.X_, self.y_, self.held_X_, self.held_y_ = X, y, eval_X, eval_y
        self.sizes_, self.held_sizes_ = group, eval_group and eval_group[0]
        self.weight_ = sample_weight
        self.held_weight_ = eval_sample_weight and eval_sample_weight[0]
        names = set(given) - {"self", "X", "y", "others", "__class__"}
        others |= {name: given[name] for name in names}
        return super().fit(X, y, **others)


class XGBoost(XGBRanker):
    """Keeps the arguments of its fit."""

    def fit(self, X, y, *, qid=None, eval_set=None, eval_qid=None, **others):
        self.X_, self.y_ = X, y
        (self.held_X_, self.held_y_) = eval_set[0]
        self.sizes_, self.held_sizes_ = np.bincount(qid), np.bincount(eval_qid[0])
        self.weight_ = others.get("sample_weight")
        self.held_weight_ = others.get("sample_weight_eval_set", [None])[0]
        return super().fit(
            X, y, qid=qid, eval_set=eval_set, eval_qid=eval_qid, **others
        )


class CatBoost(CatBoostRanker):
    """Keeps the arguments of its fit."""

    def fit(self, X, y, group_id=None, cat_features=None, eval_set=None, **others):
        self.X_, self.y_ = X, y
        self.held_X_, self.held_y_ = eval_set.get_features(), eval_set.get_label()
        ids = eval_set.get_group_id_hash()
        self.held_sizes_ = np.unique(ids, return_counts=True)[1]
        self.sizes_ = np.bincount(group_id)
        self.weight_, self.held_weight_ = others.get("group_weight"), None
        return super().fit(X, y, group_id=group_id, eval_set=eval_set, **others)


SPIES = {
    "LightGBM": LightGBM(
        n_estimators=300, min_child_samples=3, num_threads=1, verbose=-1
    ),
    "XGBoost": XGBoost(n_estimators=300, max_depth=3, n_jobs=1),
    "CatBoost": CatBoost(
        iterations=300,
        depth=3,
        thread_count=1,
        verbose=False,
        allow_writing_files=False,
    ),
}
library = pytest.mark.parametrize("library", SPIES)


def rounds_used(model):
    """Return how many rounds were run and the best of them, counted from 1."""
    if isinstance(model, LGBMRanker):
        (values,) = model.evals_result_["valid_0"].values()
        return len(values), model.best_iteration_
    if isinstance(model, XGBRanker):
        (values,) = model.evals_result()["validation_0"].values()
        return len(values), model.best_iteration + 1
    values = model.get_evals_result()["validation"][model.get_params()["eval_metric"]]
    return len(values), model.get_best_iteration() + 1


def metric_stopped_by(model):
    if isinstance(model, LGBMRanker):
        return list(model.evals_result_["valid_0"])
    if isinstance(model, XGBRanker):
        return list(model.evals_result()["validation_0"])
    return [model.get_params()["eval_metric"]]


@library
def test_training_stops_so_many_rounds_after_the_best(library):
    ranker = QueryRanker(
        SPIES[library], early_stopping=True, n_iter_no_change=5, random_state=0
    )
    n_rounds, best = rounds_used(ranker.fit(X, Y, qid=QID).estimator_)
    assert n_rounds == best + 5
    assert n_rounds < 300


@library
def test_whole_queries_are_held_out_and_none_is_used_twice(library):
    ranker = QueryRanker(
        SPIES[library],
        early_stopping=True,
        n_iter_no_change=3,
        validation_fraction=0.25,
        random_state=0,
    )
    model = ranker.fit(X, Y, qid=QID).estimator_
    assert len(model.held_sizes_) == 15
    assert len(model.sizes_) == 45
    together = np.vstack([model.X_, model.held_X_])
    assert len(together) == len(X)
    # CatBoost keeps single precision.
    order, own = np.lexsort(together.T), np.lexsort(X.T)
    np.testing.assert_allclose(together[order], X[own], rtol=1e-6)
    grades = np.concatenate([model.y_, np.asarray(model.held_y_, dtype=float)])
    assert grades[order].tolist() == Y[own].tolist()
    # Each part is made of whole queries: the sizes of its runs are those of queries.
    sizes = np.concatenate([model.sizes_, model.held_sizes_])
    assert sorted(sizes) == sorted(np.bincount(CODES))


@library
def test_the_model_is_the_one_that_the_library_makes_of_these_rows(library):
    ranker = QueryRanker(
        SPIES[library], early_stopping=True, n_iter_no_change=3, random_state=0
    )
    model = ranker.fit(X, Y, qid=QID).estimator_
    ids, held_ids = (
        np.repeat(np.arange(len(sizes)), sizes)
        for sizes in (model.sizes_, model.held_sizes_)
    )
    params = SPIES[library].get_params()
    if library == "LightGBM":
        plain = LGBMRanker(**params).set_params(early_stopping_round=3, metric="ndcg")
        plain.fit(
            model.X_,
            model.y_,
            group=model.sizes_,
            eval_X=model.held_X_,
            eval_y=model.held_y_,
            eval_group=[model.held_sizes_],
            eval_at=[10],
        )
    elif library == "XGBoost":
        plain = XGBRanker(**params)
        plain.set_params(early_stopping_rounds=3, eval_metric="ndcg@10")
        held = [(model.held_X_, model.held_y_)]
        plain.fit(
            model.X_,
            model.y_,
            qid=ids,
            eval_set=held,
            eval_qid=[held_ids],
            verbose=False,
        )
    else:
        plain = CatBoostRanker(**params, eval_metric="NDCG:top=10;type=Exp")
        rows = np.concatenate(
            [np.flatnonzero((row == X).all(axis=1)) for row in np.asarray(model.X_)]
        )
        held = np.setdiff1d(np.argsort(CODES, kind="stable"), rows)
        held = held[np.argsort(CODES[held], kind="stable")]
        pool = catboost.Pool(X[held], Y[held], group_id=CODES[held])
        plain.fit(
            model.X_, model.y_, group_id=ids, eval_set=pool, early_stopping_rounds=3
        )
    assert ranker.predict(X).tolist() == plain.predict(X).tolist()


WORDS = [
    ("LightGBM", "ndcg@10", "ndcg@10"),
    ("LightGBM", "ndcg", "ndcg@12"),
    ("LightGBM", "map@3", "map@3"),
    ("XGBoost", "ndcg@5", "ndcg@5"),
    ("XGBoost", "ndcg", "ndcg@12"),
    ("XGBoost", "map@3", "map@3"),
    ("XGBoost", "precision@3", "pre@3"),
    ("XGBoost", "query_auc", "auc"),
    ("CatBoost", "ndcg@5", "NDCG:top=5;type=Exp"),
    ("CatBoost", "map", "MAP:top=12"),
    ("CatBoost", "mrr@3", "MRR:top=3"),
    ("CatBoost", "precision@3", "PrecisionAt:top=3"),
    ("CatBoost", "recall@3", "RecallAt:top=3"),
    ("CatBoost", "gauc", "QueryAUC:type=Ranking"),
]


@pytest.mark.parametrize(("library", "metric", "words"), WORDS)
def test_the_metric_is_named_in_the_words_of_the_library(library, metric, words):
    ranker = QueryRanker(
        SPIES[library],
        early_stopping=True,
        n_iter_no_change=2,
        scoring=metric,
        validation_fraction=0.4,
        random_state=0,
    )
    model = ranker.fit(X, Y, qid=QID).estimator_
    assert max(model.held_sizes_) == 12
    assert metric_stopped_by(model) == [words]


@pytest.mark.parametrize(
    ("library", "metric"), [("LightGBM", "mrr"), ("XGBoost", "err")]
)
def test_a_metric_that_the_library_does_not_compute_is_refused(library, metric):
    ranker = QueryRanker(
        SPIES[library], early_stopping=True, n_iter_no_change=2, scoring=metric
    )
    with pytest.raises(ValueError, match=f"computes itself.*'map', 'ndcg'.*'{metric}'"):
        ranker.fit(X, Y, qid=QID)


@library
def test_held_out_queries_are_transformed_and_the_scaler_never_sees_them(library):
    pipe = make_pipeline(StandardScaler(), SPIES[library])
    ranker = QueryRanker(pipe, early_stopping=True, n_iter_no_change=3, random_state=0)
    ranker.fit(X, Y, qid=QID)
    scaler, model = ranker.estimator_
    assert scaler.n_samples_seen_ == sum(model.sizes_)
    np.testing.assert_allclose(np.mean(model.X_, axis=0), 0, atol=1e-12)
    # Unscaled, every mean is near 3.
    assert np.all(np.abs(np.mean(model.held_X_, axis=0)) < 1)


@library
def test_held_out_queries_have_their_weights(library):
    ranker = QueryRanker(
        SPIES[library], early_stopping=True, n_iter_no_change=3, random_state=0
    )
    model = ranker.fit(X, Y, qid=QID, sample_weight=WEIGHT).estimator_
    lengths = {
        "LightGBM": (sum(model.sizes_), sum(model.held_sizes_)),
        "XGBoost": (len(model.sizes_), len(model.held_sizes_)),
        "CatBoost": (sum(model.sizes_), None),
    }
    weight, held_weight = model.weight_, model.held_weight_
    assert len(weight) == lengths[library][0]
    assert set(weight) == {1.0, 2.0, 3.0}
    if held_weight is not None:
        assert len(held_weight) == lengths[library][1]
        assert set(held_weight) <= {1.0, 2.0, 3.0}


@library
def test_every_fold_of_a_search_stops_by_its_own_queries(library):
    with sklearn.config_context(enable_metadata_routing=True):
        search = GridSearchCV(
            QueryRanker(SPIES[library], early_stopping=True, random_state=0),
            {"n_iter_no_change": [2, 3]},
            scoring="ndcg@10",
            cv=QueryKFold(3),
            error_score="raise",
        ).fit(X, Y, qid=QID)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


@library
@pytest.mark.parametrize("kind", ["pandas", "sparse"])
def test_other_containers_are_held_out_of_as_well(library, kind):
    plain = {
        "LightGBM": LGBMRanker(min_child_samples=3, num_threads=1, verbose=-1),
        "XGBoost": XGBRanker(n_jobs=1),
        "CatBoost": CatBoostRanker(
            thread_count=1, verbose=False, allow_writing_files=False
        ),
    }[library]
    data = scipy.sparse.csr_array(X)
    if kind == "pandas":
        data = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    ranker = QueryRanker(plain, early_stopping=True, n_iter_no_change=3, random_state=0)
    scores = ranker.fit(data, Y, qid=QID).predict(data)
    expected = ranker.fit(X, Y, qid=QID).predict(X)
    np.testing.assert_allclose(scores, expected, rtol=1e-6)


def test_the_categories_of_catboost_are_those_of_the_held_out_rows_too():
    data = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    data["a"] = (data["a"] > 3).astype(str)
    model = CatBoostRanker(
        iterations=20, verbose=False, allow_writing_files=False, cat_features=["a"]
    )
    ranker = QueryRanker(
        model, early_stopping=True, n_iter_no_change=3, random_state=0
    ).fit(data, Y, qid=QID)
    assert ranker.predict(data).std() > 0


def test_the_same_seed_holds_out_the_same_queries():
    def held_out(random_state):
        ranker = QueryRanker(
            SPIES["XGBoost"],
            early_stopping=True,
            n_iter_no_change=2,
            random_state=random_state,
        )
        return ranker.fit(X, Y, qid=QID).estimator_.held_X_.tolist()

    assert held_out(3) == held_out(3)
    assert held_out(3) != held_out(4)


def test_the_estimator_that_was_given_is_left_alone():
    model = clone(SPIES["XGBoost"])
    QueryRanker(model, early_stopping=True, n_iter_no_change=2).fit(X, Y, qid=QID)
    assert model.early_stopping_rounds is None
    assert model.eval_metric is None


@pytest.mark.parametrize(
    "model",
    [
        XGBRanker(early_stopping_rounds=7),
        LGBMRanker(early_stopping_round=7),
        CatBoostRanker(early_stopping_rounds=7),
    ],
    ids=["XGBoost", "LightGBM", "CatBoost"],
)
def test_a_library_that_would_look_for_its_evaluation_set_is_refused(model):
    with pytest.raises(
        ValueError,
        match=r"QueryRanker\(\.\.\., early_stopping=True, n_iter_no_change=7\)",
    ):
        QueryRanker(model).fit(X, Y, qid=QID)


def test_an_estimator_that_cannot_stop_by_queries_is_refused():
    with pytest.raises(ValueError, match=r"evaluation set with its queries.*Got Ridge"):
        QueryRanker(Ridge(), early_stopping=True, n_iter_no_change=2).fit(X, Y, qid=QID)
