"""
============================
Why do two libraries differ?
============================

LightGBM and my own evaluation report different NDCGs for the same scores. Which of them
is right? Both may be. The name does not say what a grade is worth, how tied documents
are ordered or how a query without a relevant document counts. This example computes
NDCG by the rules of other libraries, and finds the rules that cause the difference.
"""

# SPDX-License-Identifier: BSD-3-Clause

# sphinx_gallery_thumbnail_path = "thumbnails/conventions.svg"

# %%
# One NDCG, many numbers
# ----------------------
#
# The data contain what libraries treat differently: five grades, rounded scores with
# ties, and queries without a relevant document. The rules of one library are a
# *convention* (see :doc:`/conventions`). Some conventions order tied documents by ids.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import ndcg_score

from skrank.datasets import make_ranking
from skrank.metrics import CONVENTIONS, evaluate, explain

rng = np.random.default_rng(0)
_, y_true, qid = make_ranking(200, unanswered=0.1, random_state=0)
y_score = (y_true + rng.normal(scale=1.5, size=len(y_true))).round()
doc_id = [f"d{i}" for i in rng.permutation(len(y_true))]

without_ndcg = ["ampligraph", "haystack", "llama_index"]
without_ndcg += ["msmarco", "ogb", "pykeen", "rectools"]
libraries = [name for name in CONVENTIONS if name not in without_ndcg]
ids = {"qid": qid, "doc_id": doc_id}
explained = explain(y_true, y_score, "ndcg@10", libraries, **ids)

# %%
# The left side shows the value by the rules of each library. The dotted line is
# skrank's default. The right side shows the effect of each rule by itself, compared
# with this default.
rules = {
    "gain": "gain",
    "discount": "discount",
    "ties": "ties",
    "replace_undefined_by": "undefined\nqueries",
}
names = sorted(explained.values, key=explained.values.get)
effects = np.full((len(names), len(rules)), np.nan)
for row, name in enumerate(names):
    for rule in explained.rules.get(name, []):
        column = list(rules).index(next(iter(rule.parameters)))
        effects[row, column] = rule.effect

figure, (left, right) = plt.subplots(1, 2, figsize=(8, 5), sharey=True)
figure.set_layout_engine("constrained")
left.plot([explained.values[name] for name in names], names, "o", markersize=8)
left.axvline(explained.values["skrank"], color="gray", linestyle=":")
left.set(title="The value", xlabel="NDCG@10")
left.grid(alpha=0.3)
limit = 2 * np.nanmax(np.abs(effects))
right.imshow(effects, cmap="PuOr", vmin=-limit, vmax=limit, aspect="auto")
for (row, column), effect in np.ndenumerate(effects):
    text = "" if np.isnan(effect) else f"{effect:+.3f}"
    right.text(column, row, text, ha="center", va="center")
right.set_xticks(range(len(rules)), rules.values())
right.set_title("The effect of each rule")
plt.show()

# %%
# Ask for the reasons
# -------------------
#
# :func:`~skrank.metrics.explain` prints the reasons, and the queries that differ most.
# The largest effect here has nothing to do with the model: LightGBM, XGBoost and
# CatBoost count a query without a relevant document as 1, and skrank counts it as 0.
print(explain(y_true, y_score, "ndcg@10", ["lightgbm", "sklearn"], qid=qid))

# %%
# Get the number of the other library
# -----------------------------------
#
# With the convention of a library, :func:`~skrank.metrics.evaluate` returns its number.
# Here the number is compared with the mean of scikit-learn's own values by query:
by_rules = evaluate(y_true, y_score, "ndcg@10", qid=qid, convention="sklearn")
by_sklearn = np.mean(
    [
        ndcg_score([y_true[qid == query]], [y_score[qid == query]], k=10)
        for query in np.unique(qid)
    ]
)
print(f"skrank by the rules of scikit-learn: {by_rules['ndcg@10']:.6f}")
print(f"scikit-learn:                        {by_sklearn:.6f}")

# sphinx_gallery_start_ignore
assert np.isclose(by_rules["ndcg@10"], by_sklearn)
largest = {name: explained.rules[name][0].parameters for name in libraries}
for name in ["lightgbm", "xgboost", "catboost"]:
    assert largest[name] == {"replace_undefined_by": 1.0}
assert np.nanmax(np.abs(effects)) == explained.rules["lightgbm"][0].effect
# sphinx_gallery_end_ignore
