"""The page with all metrics at a glance: name, function, what it reads, best value."""

# SPDX-License-Identifier: BSD-3-Clause

import math

from skrank._engine.request import METRICS

NONE = "\N{EN DASH}"
AT_MOST_1 = "\N{LESS-THAN OR EQUAL TO} 1"

TOP = """\
===========
Cheat sheet
===========

All metrics at a glance, on two printed sides. ``@k`` is any cutoff from 1; in brackets
it may be left out. ``neg_`` is a minus sign, where smaller is better; only scorers need
it. A best value of \N{LESS-THAN OR EQUAL TO} 1 depends on the query. Parameters stand
in front of the cutoff, as in ``precision(threshold=1)@5``.

.. rst-class:: cheat-sheet

.. list-table::
   :header-rows: 1
   :widths: 44 56

   * - I want to
     - Write
   * - tune by a metric
     - ``GridSearchCV(..., scoring="ndcg@10", cv=QueryKFold(5))``
   * - score, one metric or several
     - ``evaluate(y, y_score, ["mrr", "ndcg@10"], qid=qid)``
   * - keep the value of each query
     - ``score_queries(y, {"old": a, "new": b}, "mrr", qid=qid)``
   * - an interval, a comparison
     - ``confidence_interval(scores)``, ``compare_rankers(scores)``
   * - the numbers of another library
     - ``evaluate(..., convention="trec_eval")``
   * - Kaggle's MAP@12 (mapk, apk)
     - ``evaluate(..., "map@12", normalize="achievable")``
"""

# For each family: its page, what its metrics read, and when to use each of them.
FAMILIES = {
    "First relevant document": (
        "metrics_first_relevant",
        "relevant or not",
        {
            "mrr": "one right answer per query",
            "hits": "only the first k places are shown",
            "mean_rank": "MR, the place on average; bad queries decide",
            "median_rank": "the place of the middle query",
            "geometric_mean_rank": "ratios of ranks count",
            "harmonic_mean_rank": "1 / MRR",
            "inverse_mean_rank": "1 / mean rank",
            "inverse_median_rank": "1 / median rank",
            "inverse_geometric_mean_rank": "1 / geometric mean rank",
        },
    ),
    "Relevant or not": (
        "metrics_binary",
        "relevant or not",
        {
            "precision": "a page of k results",
            "recall": "what was missed; documents for an LLM",
            "recall_cap": "recall, where k may be less than what is relevant",
            "f1": "both of them",
            "r_precision": "queries with few and with many relevant documents",
            "map": "all relevant documents matter, the top more",
            "gm_map": "MAP, where poor queries count more",
            "lrap": "MAP with ties as in scikit-learn",
            "mean_precision": "the numbers of MatchZoo",
            "bpref": "few documents are judged",
            "judged": "whether other metrics can be trusted",
            "num_ret": "documents returned",
            "num_rel": "relevant documents",
            "num_rel_ret": "relevant documents returned",
        },
    ),
    "Graded": (
        "metrics_graded",
        "grades",
        {
            "ndcg": "the usual metric for grades",
            "dcg": "the amount of gain; base e, as in MatchZoo: discount='ln'",
            "cg": "the sum of the grades of the top k",
            "q_measure": "average precision with grades",
        },
    ),
    "User models": (
        "metrics_cascade",
        "grades",
        {
            "err": "users stop at a good document",
            "rbp": "users read on with some patience",
        },
    ),
    "Agreement": (
        "metrics_agreement",
        "grades",
        {
            "query_auc": "all pairs, two grades; GAUC",
            "ranking_loss": "AUC - 1",
            "rank_correlation": "RC, all pairs, more grades; Kendall",
            "spearman": "distances of ranks count",
            "rbo": "overlap, the top counts more",
        },
    ),
    "Adjusted for chance": (
        "metrics_adjusted",
        "relevant or not",
        {
            "adjusted_mrr": "0 for random scores, 1 for the best",
            "adjusted_hits": "the same of Hits@k",
            "adjusted_mean_rank_index": "lists of different lengths",
            "adjusted_mean_rank": "the mean rank over its expectation",
        },
    ),
    "Popularity, novelty, diversity": (
        "metrics_beyond_relevance",
        "",
        {
            "popularity": "only what everybody knows?",
            "novelty": "surprise, in bits",
            "serendipity": "relevant and not expected",
            "group_share": "the share of a group, such as the long tail",
            "ild": "how different the documents are",
        },
    ),
    "Subtopics": (
        "metrics_subtopics",
        "",
        {
            "subtopic_recall": "how many facts or meanings are covered",
            "alpha_ndcg": "new facts early, little repetition",
            "err_ia": "a user with one of the meanings",
            "nrbp": "the same, with patience",
            "precision_ia": "precision of the average meaning",
            "map_ia": "MAP of the average meaning",
        },
    ),
    "Exposure and propensity": (
        "metrics_exposure",
        "",
        {
            "awrf": "attention of groups, against a target",
            "eel": "equal attention for equal grades",
            "eed": "its first part, the disparity",
            "eer": "its second part, the relevance",
            "psp": "rare labels are often missing; clicks",
            "psndcg": "the same, with ranks",
        },
    ),
}

# What single metrics read.
READS = {"judged": "``judged``", "num_ret": "``returned``"}
# The ideal ranking of many queries has less than 1.
BELOW_1 = {"err", "rbp", "err_ia", "nrbp", "precision_ia", "map_ia"}


def named(metric):
    """Return how the name of a metric is written, with its cutoff."""
    cutoff = {"required": "@k", "optional": "[@k]", "never": ""}[metric.cutoff]
    name = f"``{metric.full_name}``"
    return name if not cutoff else f"{name} {cutoff}"


def best(metric):
    """Return the best value of a metric, as a scorer has it."""
    low, high = metric.limits
    is_better = metric.is_better_when_greater(metric.adjusted)
    if metric.inverse or metric.adjusted is True:
        return "1"
    value = high if is_better else -low
    if metric.adjusted or not math.isfinite(value):
        return NONE
    if metric.full_name in BELOW_1:
        return AT_MOST_1
    return f"{value + 0:g}"  # without the sign of -0


def row(name, reads, when):
    """Return a row of the table."""
    metric = METRICS[name]
    function = metric.function
    called = f":func:`~skrank.metrics.{function.__name__}`" if function else NONE
    columns = ", ".join(f"``{column}``" for column in metric.columns)
    if metric.reads_grades and not reads:
        columns = f"{columns}, grades" if columns else "grades"
    reads = READS.get(name, reads or columns)
    cells = [named(metric), called, reads, best(metric), when]
    return "   " + ", ".join(f'"{cell}"' for cell in cells)


def files():
    """Return the page; a metric without a row is an error."""
    lines = [TOP]
    for title, (page, reads, rows) in FAMILIES.items():
        lines += [title, "=" * len(title), "", f"See :doc:`{page}`.", ""]
        lines += [".. csv-table::", "   :class: cheat-sheet", "   :header-rows: 1"]
        lines += ["   :widths: 27 27 18 7 35", ""]
        lines += ["   Name, Function, Reads, Best, When"]
        lines += [row(name, reads, when) for name, when in rows.items()] + [""]
    missing = METRICS.keys() - {name for *_, rows in FAMILIES.values() for name in rows}
    if missing:
        raise ValueError(f"docs/makers/cheat_sheet.py has no row for {sorted(missing)}")
    return {"cheat_sheet.rst": "\n".join(lines)}
