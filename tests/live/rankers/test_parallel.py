"""The same search in this process, in others, and on a cluster."""

# SPDX-License-Identifier: BSD-3-Clause

import sys
import warnings

import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
from distributed import Client, LocalCluster
from joblib.externals.loky import get_reusable_executor
from lightgbm import LGBMRanker
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import skrank  # noqa: F401  (its names are known to scikit-learn from here on)
from skrank.datasets import make_ranking
from skrank.model_selection import QueryKFold
from skrank.rankers import PairwiseRanker, QueryRanker
from tests import processes

X, Y, QID = make_ranking(
    30, n_documents=(5, 9), n_features=3, n_informative=2, n_grades=3, random_state=4
)
INDEXED = pd.Series(Y, index=pd.Index(QID, name="qid"))
LIGHTGBM = LGBMRanker(n_estimators=20, min_child_samples=3, num_threads=1, verbose=-1)
SEARCHES = {
    "LightGBM": (
        QueryRanker(
            make_pipeline(StandardScaler(), LIGHTGBM),
            n_iter_no_change=2,
            random_state=0,
        ),
        {"estimator__lgbmranker__num_leaves": [3, 7], "early_stopping": [False, True]},
    ),
    "PairwiseRanker": (
        PairwiseRanker(max_pairs=5, random_state=0),
        {"estimator": [Ridge(), Ridge(10.0)]},
    ),
}
backend = pytest.mark.parametrize("backend", ["loky", "dask"])
routing = pytest.mark.parametrize("routing", [True, False], ids=["routing", "plain"])

# A cluster leaves an event loop and sockets to the garbage collector.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(scope="module")
def cluster():
    """Two worker processes; they and this one stand for a cluster."""
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.fixture
def parallel(backend, request):
    """Let joblib use the backend."""
    if backend == "dask":
        request.getfixturevalue("cluster")
    with joblib.parallel_config(backend=backend, n_jobs=2):
        yield


def run(name, routing):
    """Return the scores of each candidate and fold."""
    ranker, grid = SEARCHES[name]
    search = GridSearchCV(
        ranker,
        grid,
        scoring=["ndcg@10", "mrr"],
        refit="mrr",
        cv=QueryKFold(3),
        error_score="raise",
    )
    with sklearn.config_context(enable_metadata_routing=routing):
        if routing:
            search.fit(X, Y, qid=QID)
        else:
            search.fit(X, INDEXED)
    return {
        name: np.asarray(values).tolist()
        for name, values in search.cv_results_.items()
        if "test_" in name or name == "params"
    }


EXPECTED = {}


def expected(name, routing):
    if (name, routing) not in EXPECTED:
        with joblib.parallel_config(backend="sequential"):
            EXPECTED[name, routing] = run(name, routing)
    return EXPECTED[name, routing]


@backend
@routing
@pytest.mark.parametrize("name", SEARCHES)
def test_a_search_gives_the_same_numbers_everywhere(name, routing, backend, request):
    wanted = expected(name, routing)
    request.getfixturevalue("parallel")
    found = run(name, routing)
    # Candidates may be estimators, which are equal only to themselves.
    assert str(found.pop("params")) == str(wanted["params"])
    assert found == {key: wanted[key] for key in found}
    assert {f"split{fold}_test_mrr" for fold in range(3)} < set(found)


@backend
@routing
@pytest.mark.usefixtures("parallel")
def test_a_nested_search_by_names_runs_in_workers(routing, backend):
    ranker, grid = SEARCHES["PairwiseRanker"]
    search = GridSearchCV(ranker, grid, scoring="ndcg@7", cv=QueryKFold(2))
    data = {"y": Y, "params": {"qid": QID}} if routing else {"y": INDEXED}
    with sklearn.config_context(enable_metadata_routing=routing):
        scores = cross_val_score(
            search, X, scoring="mrr", cv=QueryKFold(3), error_score="raise", **data
        )
        with joblib.parallel_config(backend="sequential"):
            wanted = cross_val_score(search, X, scoring="mrr", cv=QueryKFold(3), **data)
    assert scores.tolist() == wanted.tolist()


# A worker that nothing brings skrank to knows none of its names. Each runs in an
# interpreter of its own, for the workers of loky are used again.
NESTED = """
import importlib
import joblib
import numpy as np
import pandas as pd
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
import skrank

qid = np.repeat(range(12), 3)
y = pd.Series(np.tile([0, 1, 2], 12), index=pd.Index(qid, name="qid"))
X = np.random.default_rng(0).normal(size=(36, 2))
folds = list(GroupKFold(3).split(X, y, qid))
inner = [(np.arange(12), np.arange(12, 24))]
search = GridSearchCV(Ridge(), {"alpha": [1.0, 2.0]}, scoring="ndcg@7", cv=inner)
if __name__ == "__main__":
    with joblib.parallel_config("loky", n_jobs=2, **OPTIONS):
        scores = cross_val_score(
            search, X, y, scoring="r2", cv=folds, error_score="raise"
        )
    print(len(scores))
"""


@pytest.mark.parametrize("cured", [False, True])
def test_names_within_that_nothing_brings_along_need_an_initializer(cured, tmp_path):
    options = "{}"
    if cured:
        options = "{'initializer': importlib.import_module, 'initargs': ('skrank',)}"
    script = tmp_path / "nested.py"
    script.write_text(NESTED.replace("OPTIONS", options), "utf-8")
    done = processes.run([sys.executable, str(script)])
    assert (done.returncode == 0) is cured, done.stderr
    assert ("The 'scoring' parameter" in done.stderr) is not cured


def test_a_search_shows_one_warning_in_each_process(capfd):
    get_reusable_executor().shutdown()  # new processes write where this test reads
    folds, grid = KFold(3, shuffle=True, random_state=0), {"alpha": np.arange(1.0, 7.0)}
    search = GridSearchCV(Ridge(), grid, scoring="mrr", cv=folds, n_jobs=2)
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        search.fit(X, INDEXED)
    shown = capfd.readouterr().err.count("QuerySplitWarning: Pass cv=QueryKFold(5)")
    assert shown in (1, 2)
