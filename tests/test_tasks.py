"""Tasks of a user's day, each in as few lines as the guide needs for it.

A task is a script in three parts. What stands above ``# task`` are imports and the
data; what stands below ``# result`` checks the result. The lines between them count, a
statement over several rows as one. Each script runs in an empty folder, with no names
but its own. It has to import skrank itself, since the process has done so before.
"""

# SPDX-License-Identifier: BSD-3-Clause

import importlib.util
import io
import re
import runpy
import tokenize
import warnings

import pytest

pytestmark = pytest.mark.slow

# The beginning of several tasks: a table with the query ids in a column.
RANKING = """\
import pandas as pd
import skrank
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from skrank.datasets import make_ranking
from skrank.model_selection import QueryKFold
from skrank.rankers import QueryRanker

X, y, qid = make_ranking(80, noise=1.0, random_state=0)
df = pd.DataFrame(X).add_prefix("f").assign(qid=qid)
grid = {"estimator__alpha": [1.0, 1e2, 1e4]}
"""

# Each task begins with its title, the most lines that it may have, and the packages
# that it needs. RANKING stands for the lines above.
SCRIPTS = r"""
### tune XGBRanker with a column user_id | 2 | xgboost
import pandas as pd
from sklearn.model_selection import GridSearchCV
from xgboost import XGBRanker
import skrank
from skrank.datasets import make_ranking
from skrank.model_selection import QueryKFold
from skrank.rankers import QueryRanker

X, y, user = make_ranking(60, random_state=0)
df = pd.DataFrame(X).add_prefix("f")
df["user_id"] = [f"user {number}" for number in user]
grid = {"estimator__max_depth": [2, 4], "estimator__n_estimators": [20]}
# task
search = GridSearchCV(
    QueryRanker(XGBRanker(n_jobs=1), qid_column="user_id"),
    grid,
    scoring="ndcg@10",
    cv=QueryKFold(3, qid_column="user_id"),
)
search.fit(df, y)
# result
assert list(search.best_estimator_.feature_names_in_) == [*df.columns[:-1]]
assert 0.6 < search.best_score_ < 1
### a ColumnTransformer pipeline | 5
RANKING
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

numbers, brand = list(df.columns[:-2]), ["brand"]
df["brand"] = pd.cut(df["f9"], 3, labels=["red", "green", "blue"]).astype(str)
grid = {"estimator__ridge__alpha": [1.0, 1e2, 1e4]}
# task
scaled = ("number", StandardScaler(), numbers)
one_hot = ("brand", OneHotEncoder(handle_unknown="ignore"), brand)
pipeline = make_pipeline(ColumnTransformer([scaled, one_hot]), Ridge())
search = GridSearchCV(QueryRanker(pipeline), grid, scoring="ndcg@10", cv=QueryKFold(5))
search.fit(df, y)
# result
fitted = search.best_estimator_.estimator_
assert fitted[0].get_feature_names_out()[-1] == "brand__brand_red"
assert "qid" not in "".join(fitted[0].get_feature_names_out())
assert 0.4 < search.best_score_ < 1
### a temporal recommender | 8
import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from sklearn.decomposition import NMF
from skrank.metrics import score_queries
from skrank.model_selection import TimeRangeSplit
from skrank.stats import compare_rankers

rng = np.random.default_rng(0)
shape = n_users, n_items = 300, 120
taste, genre = (rng.dirichlet([0.1] * 4, size) for size in shape)
wish = taste @ genre.T + 0.01
items = [rng.choice(n_items, 30, False, p=row / row.sum()) for row in wish]
log = pd.DataFrame({"user": np.repeat(np.arange(n_users), 30)})
log["item"] = np.concatenate(items)
hours = pd.to_timedelta(rng.integers(60 * 24, size=len(log)), unit="h")
log["time"] = pd.Timestamp("2024-01-01", tz="Europe/Paris") + hours
# task
((train, test),) = TimeRangeSplit(test_size="7D").split(log)
seen, future = (
    coo_array(
        (np.ones(len(rows), dtype=bool), log[["user", "item"]].values[rows].T), shape
    ).tocsr()
    for rows in (train, test)
)
tested = np.unique(log["user"].iloc[test])
nmf = NMF(4, random_state=0)
tables = {
    "factors": nmf.fit_transform(seen.astype(float))[tested] @ nmf.components_,
    "popularity": np.tile(seen.sum(axis=0), (len(tested), 1)),
}
scores = score_queries(future[tested], tables, "mrr", exclude=seen[tested])
comparison = compare_rankers(scores, baseline="popularity")
# result
last = log["time"].max() - pd.Timedelta("7D")
assert (log["time"].iloc[test] > last).all()
assert (log["time"].iloc[train] <= last).all()
(row,) = comparison.rows
assert row.difference > 0
assert row.low > 0
### two TREC files compared with a paired test | 2
from pathlib import Path
from skrank.stats import compare_rankers
from skrank.tables import score_runs

queries = range(40)
Path("qrels.txt").write_text("".join(f"{q} 0 d1 1\n" for q in queries))
for name, score in {"a": lambda q: 2, "b": lambda q: 2 - q % 2}.items():
    lines = [
        f"{q} Q0 d1 0 {score(q)} {name}\n{q} Q0 d2 0 1.5 {name}\n" for q in queries
    ]
    Path(f"{name}.run").write_text("".join(lines))
# task
scores = score_runs("qrels.txt", {"a": "a.run", "b": "b.run"}, "mrr")
print(compare_rankers(scores))
# result
(row,) = compare_rankers(scores).rows
# b has half of the documents at rank 2. All 20 differences have one sign.
assert {row.estimate, row.estimate_baseline} == {1.0, 0.75}
assert row.pvalue == 1 / 10_000  # none of 9,999 random signs is as large
### five rankers as picture and LaTeX | 3 | matplotlib
from pathlib import Path
import numpy as np
from skrank.datasets import make_ranking
from skrank.metrics import score_queries
from skrank.plot import ComparisonDisplay
from skrank.stats import compare_rankers

X, y, qid = make_ranking(100, random_state=0)
noise = np.random.default_rng(0).normal(size=(5, len(y)))
runs = {f"r{i}": y + (1 + i) * noise[i] for i in range(5)}
metrics = ["ndcg@10", "mrr"]
# task
comparison = compare_rankers(score_queries(y, runs, metrics, qid=qid))
ComparisonDisplay.from_comparison(comparison).figure_.savefig("rankers.pdf")
latex = comparison.to_latex()
# result
assert Path("rankers.pdf").stat().st_size > 1000
assert all(word in latex for word in ("tabular", "ndcg@10", "mrr", "r4"))
### debugging the worst query of two models | 2 | pandas
import numpy as np
from skrank.datasets import make_ranking
from skrank.metrics import query_report, score_queries
from skrank.stats import compare_rankers

X, y, qid = make_ranking(500, random_state=0)
noise = np.random.default_rng(0).normal(size=(2, len(y)))
runs = {"old": y + noise[0], "new": y + noise[1]}
scores = score_queries(y, runs, "ndcg@10", qid=qid)
# task
worst = compare_rankers(scores).worst_queries(1)
print(query_report(y, runs, worst["qid"][0], qid=qid))
# result
old, new = scores["old"].values[0, 0], scores["new"].values[0, 0]
assert worst["qid"][0] == scores.keys["qid"][np.argmin(new - old)]
### two runs to a tuned fusion | 4 | pandas
from pathlib import Path
import numpy as np
from sklearn.model_selection import GridSearchCV
from skrank.model_selection import QueryKFold
from skrank.rankers import FusionRanker
from skrank.tables import align, fuse, score_runs

rng = np.random.default_rng(0)
grade = rng.integers(2, size=(40, 30))
Path("qrels").write_text("".join(
    f"{q} 0 d{d} {grade[q, d]}\n" for q, d in np.ndindex(grade.shape)
))
for name, noise in {"bm25.run": 2.0, "dense.run": 1.0}.items():
    score = grade + noise * rng.normal(size=grade.shape)
    Path(name).write_text("".join(
        f"{q} Q0 d{d} 0 {score[q, d]} {name}\n"
        for q, d in np.ndindex(grade.shape) if score[q, d] > 0
    ))
# task
rows = align("qrels", {"bm25": "bm25.run", "dense": "dense.run"}, wide=True)
ranker = FusionRanker(method="sum", norm="min-max")
grid = {"weights": [(1, 0), (1, 1), (1, 3), (0, 1)]}
search = GridSearchCV(ranker, grid, scoring="ndcg@10", cv=QueryKFold(5)).fit(
    rows.data, rows.target
)
# result
assert 0 not in search.best_params_["weights"]
runs = {"bm25": "bm25.run", "dense": "dense.run"}
runs["tuned"] = fuse(runs, "sum", norm="min-max", **search.best_params_)
means = score_runs("qrels", runs, "ndcg@10").summary()
assert max(means, key=lambda name: means[name]["ndcg@10"]) == "tuned"
"""
PARTS = re.split("^### (.+)\n", SCRIPTS.replace("RANKING\n", RANKING), flags=re.M)
TASKS = dict(zip(PARTS[1::2], PARTS[2::2], strict=True))


def parts_of(code):
    """The data, the task and the check of a script."""
    data, _, rest = code.partition("\n# task\n")
    task, _, result = rest.partition("\n# result\n")
    assert task
    assert result
    return data, task, result


def count_lines(code):
    """The number of statements, those within others included."""
    tokens = tokenize.generate_tokens(io.StringIO(code).readline)
    return sum(token.type == tokenize.NEWLINE for token in tokens)


@pytest.mark.parametrize("task", TASKS)
def test_a_task_imports_skrank_and_has_no_more_lines_than_it_may(task):
    data, lines, _ = parts_of(TASKS[task])
    assert count_lines(lines) <= int(task.split(" | ")[1])
    assert re.search("^(import|from) skrank", data, re.MULTILINE)


def run_task(code, folder, monkeypatch):
    (folder / "task.py").write_text("\n".join(parts_of(code)), encoding="utf-8")
    monkeypatch.chdir(folder)
    with warnings.catch_warnings():
        # A warning of skrank would say that the task should be done in another way.
        warnings.simplefilter("ignore")
        warnings.filterwarnings("error", category=UserWarning, module="__main__")
        runpy.run_path("task.py", run_name="__main__")


@pytest.mark.parametrize("task", TASKS)
def test_a_task_runs_as_it_stands(task, tmp_path, monkeypatch):
    for package in task.split(" | ")[2:]:
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"needs {package}")
    run_task(TASKS[task], tmp_path, monkeypatch)


def test_a_task_fails_if_skrank_warns_of_it(tmp_path, monkeypatch):
    code = """
from skrank.metrics import mrr_score
# task
value = mrr_score([0, 0], [2, 1], replace_undefined_by=float("nan"))
# result
assert value != value
"""
    with pytest.raises(UserWarning, match="undefined"):
        run_task(code, tmp_path, monkeypatch)


def test_statements_are_counted_and_not_rows_of_text():
    assert count_lines("x = f(\n    1,\n)\n\n# a comment\n") == 1
    assert count_lines("class A:\n    def f(self):\n        return 1\n") == 3
    assert count_lines("x = 1; y = 2") == 1
