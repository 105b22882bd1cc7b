"""
Folds of queries and folds of rows
==================================

How good will the ranker be for new queries? Cross-validation answers this if it holds
out whole queries. A splitter of rows, such as ``cv=5``, puts some documents of a query
into the training set and others into the test set, so the model is tested on queries
that it has seen. This example measures how wrong the answer then becomes.
"""

# SPDX-License-Identifier: BSD-3-Clause

# sphinx_gallery_thumbnail_path = "thumbnails/leak.svg"

# %%
# Users with different tastes
# ---------------------------
#
# Each query is a user, and its documents are items. What users like depends on the
# item, but also on a personal taste that no column explains. The last three columns
# describe the user: they are the same in all rows of a user, so they identify the user.
import textwrap
import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.neighbors import KNeighborsRegressor

from skrank.metrics import query_auc_score
from skrank.model_selection import QueryKFold
from skrank.rankers import QueryRanker


def make_users(n_users, random_state):
    rng = np.random.default_rng(random_state)
    user = np.repeat(np.arange(n_users), 30)
    item = rng.normal(size=(len(user), 4))
    profile = 3 * rng.normal(size=(n_users, 3))
    taste = rng.normal([1.0, 0.5, 0.0, 0.0], 1.0, size=(n_users, 4))
    noise = 0.5 * rng.normal(size=len(user))
    liked = (item * taste[user]).sum(axis=1) + noise > 1.5
    X = pd.DataFrame(np.hstack([item, profile[user]])).add_prefix("f")
    return X.assign(qid=user), liked.astype(int)


# %%
# Two estimates and the truth
# ---------------------------
#
# A search selects the number of nearest neighbours on 40 users, once with each kind of
# fold. In this example you can also measure the truth: the score of each candidate for
# 100 new users. The metric is the AUC within queries, because part of a list has the
# same AUC as the whole list on average. Most other metrics also change because the
# lists get shorter.
neighbours = [1, 5, 30, 300]
grid = {"estimator__n_neighbors": neighbours}
folds = {"rows": KFold(4, shuffle=True, random_state=0)}
folds["queries"] = QueryKFold(4)


def measure(columns, random_state):
    X, y = make_users(40, random_state)
    X_new, y_new = make_users(100, 1000 + random_state)
    X, X_new = X[columns], X_new[columns]
    ranker = QueryRanker(KNeighborsRegressor(algorithm="brute"))
    found = {}
    for name, cv in folds.items():
        search = GridSearchCV(ranker, grid, scoring="query_auc", cv=cv)
        search.fit(X, y)
        found[name] = search.cv_results_["mean_test_score"]
    found["truth"] = []
    for n in neighbours:
        y_score = ranker.set_params(estimator__n_neighbors=n).fit(X, y).predict(X_new)
        found["truth"].append(query_auc_score(y_new, y_score, qid=X_new["qid"]))
    return pd.DataFrame(found, index=neighbours)


items, users = ["f0", "f1", "f2", "f3"], ["f4", "f5", "f6"]
kinds = {
    "with columns of the user": [*items, *users, "qid"],
    "without them": [*items, "qid"],
}
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    runs = {
        kind: [measure(columns, seed) for seed in range(3)]
        for kind, columns in kinds.items()
    }

# %%
# skrank warns of folds of rows:
print(textwrap.fill(str(caught[0].message), 75))

# %%
# The leak, drawn
# ---------------
#
# Thin lines are three repetitions with new users, thick lines are their means, and a
# ring marks the best mean.
figure, axes = plt.subplots(1, 2, figsize=(8, 4.5), sharey=True)
figure.set_layout_engine("constrained")
looks = {"rows": ("C1", "s"), "queries": ("C0", "o"), "truth": ("black", "^")}
means = {kind: sum(tables) / len(tables) for kind, tables in runs.items()}
for ax, (kind, mean) in zip(axes, means.items(), strict=True):
    for name, (color, marker) in looks.items():
        for table in runs[kind]:
            ax.semilogx(table[name], color=color, alpha=0.3, linewidth=0.8)
        label = f"folds of {name}" if name in folds else "truth, new users"
        ax.semilogx(mean[name], color=color, marker=marker, label=label)
        best = mean[name].idxmax()
        ax.plot(best, mean[name][best], "o", c=color, ms=16, fillstyle="none")
    ax.set(title=kind, xlabel="number of neighbours")
    ax.set_xticks(neighbours, neighbours)
    ax.minorticks_off()
axes[0].set_ylabel("AUC within queries")
axes[1].legend(loc="lower right")
plt.show()

# %%
# On the left, the nearest few rows belong to the same user and reveal the user's taste.
# With folds of rows, such rows are in the training set, so the search selects few
# neighbours and promises a high score. For a new user there are no such rows. The table
# shows what each kind of fold selects, what it promises, and the truth:
rows = {}
for kind, mean in means.items():
    for name in folds:
        best = mean[name].idxmax()
        numbers = mean.loc[best, [name, "truth"]].round(3)
        rows[kind, f"folds of {name}"] = [f"{best}", *numbers]
columns = ["neighbours", "promised", "truth"]
pd.DataFrame.from_dict(rows, orient="index", columns=columns)

# %%
# Without the columns of the user there is little to remember, and little leaks: the two
# kinds of fold differ less than the repetitions do. But columns that are constant
# within a query are common, such as the age of a user, the length of a search text, or
# the price level of a search for hotels.

# sphinx_gallery_start_ignore
rows, queries, truth = means["with columns of the user"].to_numpy().T
assert rows.max() > truth.max() + 0.1
assert truth[rows.argmax()] < truth[queries.argmax()]
rows, queries, truth = means["without them"].to_numpy().T
spread = np.ptp([table["queries"] for table in runs["without them"]], axis=0)
assert (abs(rows - queries) < spread).all()
# sphinx_gallery_end_ignore
