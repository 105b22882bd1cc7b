"""Metrics of runs, beside relevance judgements."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from skrank.metrics import QueryScores, score_queries
from skrank.metrics._value_table import join_rankers
from skrank.tables._align import align, lowest_judged
from skrank.tables._forms import are_runs


def score_runs(qrels, run, metrics, columns, rules, params):
    """Return the QueryScores of one run, or of a dict of them.

    Parameters
    ----------
    qrels, run : path, table, dict or list
        As in :func:`align`.
    metrics : str, callable or list of them
        The metrics.
    columns : dict of str to str
        The names of the columns of tables, as arguments of :func:`align`.
    rules : dict of str to str
        The arguments `missing` and `unjudged` of :func:`align`.
    params : dict
        Further parameters of :func:`~skrank.metrics.score_queries`.
    """
    judged_from = params.get("judged_from")
    if judged_from is None:
        judged_from = lowest_judged(params.get("convention"))
    aligned = align(qrels, run, judged_from=judged_from, **columns, **rules)
    if not are_runs(run):
        return score_queries(metrics=metrics, **aligned, **params)
    tables = [
        score_queries(metrics=metrics, **one, **params).table
        for one in aligned.values()
    ]
    return QueryScores(join_rankers(tables, tuple(aligned)))
