"""Compare rankers of several libraries by the same folds and the same metric.

    python examples/compare_rankers.py
    python examples/compare_rankers.py FOLDER

LGBMRanker, XGBRanker, CatBoostRanker and a pointwise Ridge are cross-validated by
NDCG@10. The table shows the mean of the folds ± their standard deviation, which is not
a confidence interval of the mean. The three libraries stop early, according to queries
that are held out of each training set. Libraries that are not installed are named and
left out.

Without a folder, the data are scikit-learn's digits. With a folder, they come from its
files `rank.train` (lines such as ``2 1:0.5 7:0.1``) and `rank.train.query` (the number
of rows of each query), and from `rank.test` and `rank.test.query` if these exist. This
is the format of LightGBM's example `lambdarank`.
"""

# SPDX-License-Identifier: BSD-3-Clause

import argparse
import importlib
import time
from pathlib import Path

import numpy as np
import pandas as pd
import sklearn
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import Ridge
from sklearn.model_selection import cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler

import skrank
from skrank.datasets import load_digits_retrieval
from skrank.metrics import ndcg_score
from skrank.model_selection import QueryKFold
from skrank.rankers import QueryRanker

# Each library with the class of its ranker and parameters, as similar as possible.
LIBRARIES = {
    "lightgbm": (
        "LGBMRanker",
        {"n_estimators": 300, "learning_rate": 0.1, "num_leaves": 15, "n_jobs": 2},
        {"verbose": -1, "random_state": 0},
    ),
    "xgboost": (
        "XGBRanker",
        {"n_estimators": 300, "learning_rate": 0.1, "max_depth": 4, "n_jobs": 2},
        {"random_state": 0},
    ),
    "catboost": (
        "CatBoostRanker",
        {"iterations": 300, "learning_rate": 0.1, "depth": 4, "thread_count": 2},
        {"verbose": False, "allow_writing_files": False, "random_seed": 0},
    ),
}


def rankers():
    """Return the rankers of installed libraries, and the libraries that are missing."""
    found, missing = {}, []
    for library, (name, params, quiet) in LIBRARIES.items():
        try:
            make = getattr(importlib.import_module(library), name)
        except ImportError:
            missing.append(library)
            continue
        found[name] = QueryRanker(
            make(**params, **quiet),
            early_stopping=True,
            n_iter_no_change=20,
            scoring="ndcg@10",
            validation_fraction=0.15,
            random_state=0,
        )
    ridge = make_pipeline(MaxAbsScaler(), Ridge(alpha=10.0))
    found["Ridge, pointwise"] = QueryRanker(ridge)
    return found, missing


def read(folder, part, n_features=None):
    """Read the rows of a part, with the numbers of their queries as a column."""
    X, y = load_svmlight_file(str(folder / f"rank.{part}"), n_features=n_features)
    sizes = np.loadtxt(folder / f"rank.{part}.query", dtype=int)
    return as_frame(X.toarray(), np.repeat(np.arange(len(sizes)), sizes)), y.astype(int)


def as_frame(features, qid):
    """Return features and query ids as a table."""
    return pd.DataFrame(features).add_prefix("f").assign(qid=qid)


def rounds(ranker):
    """Return the number of rounds, or None of an estimator without rounds."""
    model = ranker.estimator_
    if hasattr(model, "tree_count_"):
        return model.tree_count_
    if hasattr(model, "best_iteration_"):
        return model.best_iteration_
    return model.best_iteration + 1 if hasattr(model, "best_iteration") else None


def compare(X, y, test):
    """Cross-validate every ranker and print a line for each."""
    found, missing = rankers()
    heading = "" if test is None else f"{'test NDCG@10':>14}"
    print(f"{'':<18}{'NDCG@10':>18}{'rounds':>20}{'seconds':>9}{heading}")
    for name, ranker in found.items():
        start = time.perf_counter()
        result = cross_validate(
            ranker,
            X,
            y,
            scoring="ndcg@10",
            cv=QueryKFold(5, shuffle=True, random_state=0),
            return_estimator=True,
            error_score="raise",
        )
        seconds = time.perf_counter() - start
        scores = result["test_score"]
        kept = [str(rounds(one) or "-") for one in result["estimator"]]
        line = f"{name:<18}{scores.mean():10.4f} ± {scores.std():.3f}"
        line += f"{' '.join(kept):>20}{seconds:9.1f}"
        if test is not None:
            X_test, y_test = test
            y_score = ranker.fit(X, y).predict(X_test)
            line += f"{ndcg_score(y_test, y_score, qid=X_test['qid'], k=10):14.4f}"
        print(line, flush=True)
    for library in missing:
        print(f'{library} is not installed: pip install ".[rankers]" in a checkout')


def main():
    """Read the data and compare."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, help="with rank.train")
    folder = parser.parse_args().folder
    test = None
    if folder is None:
        X, y, qid = load_digits_retrieval(return_X_y=True)
        X = as_frame(X, qid)
    else:
        X, y = read(folder, "train")
        if (folder / "rank.test.query").exists():
            test = read(folder, "test", X.shape[1] - 1)
    print(f"skrank {skrank.__version__}, scikit-learn {sklearn.__version__}")
    n_queries, n_features = X["qid"].nunique(), X.shape[1] - 1
    print(f"{n_queries} queries, {len(y)} documents, {n_features} features\n")
    compare(X, y, test)


if __name__ == "__main__":
    main()
