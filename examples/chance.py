"""
===============================
Is an MRR of 0.3 a good result?
===============================

It depends on the lists. Random scores have an expected reciprocal rank of 0.46 on five
candidates and of 0.01 on 500, and the same model looks better on short lists than on
long ones. This example plots metrics against the length of the lists, both unadjusted
and adjusted for chance.
"""

# SPDX-License-Identifier: BSD-3-Clause

# sphinx_gallery_thumbnail_path = "thumbnails/chance.svg"

# %%
# The same model on shorter and longer lists
# ------------------------------------------
#
# Every list has one right candidate, the first one. On the left, all scores are random.
# On the right, the score of the right candidate is two standard deviations higher,
# whatever the number of other candidates.
import matplotlib.pyplot as plt
import numpy as np

from skrank.metrics import evaluate, mrr_score, score_queries
from skrank.stats import confidence_interval

rng = np.random.default_rng(0)
lengths = [5, 10, 20, 50, 100, 200, 500]
target = np.zeros(1000, dtype=int)


def score_lists(n_candidates, advantage):
    y_score = rng.normal(size=(len(target), n_candidates))
    y_score[:, 0] += advantage
    return y_score


looks = {
    "mrr": "C0o-",
    "hits@3": "C1s-",
    "adjusted_mrr": "C0o--",
    "adjusted_hits@3": "C1s--",
    "adjusted_mean_rank_index": "C2^--",
}
models = {"random scores": 0, "one model": 2}
figure, axes = plt.subplots(1, 2, figsize=(8, 4.8), sharey=True)
figure.set_layout_engine("constrained")
for ax, (title, advantage) in zip(axes, models.items(), strict=True):
    lists = [score_lists(n, advantage) for n in lengths]
    values = [evaluate(target, y_score, [*looks]) for y_score in lists]
    for metric, look in looks.items():
        ax.semilogx(lengths, [value[metric] for value in values], look)
    ax.set(title=title, xlabel="candidates per list")
    ax.set_xticks(lengths, lengths)
    ax.minorticks_off()
    ax.grid(alpha=0.3)
figure.legend(ax.lines, [*looks], loc="outside lower center", ncols=3)
plt.show()

# sphinx_gallery_start_ignore
adjusted = [value["adjusted_mrr"] for value in values]
assert np.ptp([value["adjusted_mean_rank_index"] for value in values]) < 0.05
assert adjusted[0] - adjusted[-1] > 0.3
# sphinx_gallery_end_ignore

# %%
# Adjusted metrics have the same two reference points on all lists: 0 on average for
# random scores, and 1 for a perfect ranking. They are :math:`(M - E) / (B - E)` for a
# metric :math:`M` with the expectation :math:`E` under random orders and the best value
# :math:`B`. Between these points, they may still depend on the length. It is harder to
# be among the first three of 500 than of five, so the MRR and the hits of the model
# still fall. The adjusted mean rank index (AMRI) depends on the fraction of the other
# candidates that rank below the right one, which stays the same.
#
# Is it more than chance?
# -----------------------
#
# A small number can be far above chance, and a large one may be pure chance.
# It is above chance if the confidence interval of the adjusted metric is above 0.
# Constant scores get the chance level itself.
print("scores  candidates  MRR    chance  adjusted  interval")
for name, advantage, n_candidates in [("random", 0, 5), ("weak", 0.3, 500)]:
    y_score = score_lists(n_candidates, advantage)
    mrr = mrr_score(target, y_score)
    chance = mrr_score(target, np.zeros_like(y_score))
    scores = score_queries(target, y_score, "adjusted_mrr")
    one = confidence_interval(scores)["adjusted_mrr"]
    numbers = f"{mrr:<7.3f}{chance:<8.3f}{one.estimate:<10.3f}"
    numbers += f"{one.low:.3f} to {one.high:.3f}"
    print(f"{name:<8}{n_candidates:<12}{numbers}")

# sphinx_gallery_start_ignore
assert one.low > 0
assert mrr < 0.1
# sphinx_gallery_end_ignore
