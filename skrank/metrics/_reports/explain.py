"""Explanations why a metric differs between libraries."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from skrank._text_tables import table
from skrank.metrics._answer import Arrays, answer
from skrank.metrics._conventions import NoNumber, check_convention, grouped, in_words
from skrank.metrics._evaluate import read_requests, split_params
from skrank.metrics._words import share_words

OURS = "skrank"


class Rule(NamedTuple):
    """One rule of a convention and its effect alone.

    Attributes
    ----------
    parameters : dict
        The parameters of skrank that express the rule.
    effect : float
        The change of the metric from skrank's default if only this rule is followed.
    n_queries : int
        The number of queries whose value changes.
    """

    parameters: dict
    effect: float
    n_queries: int

    def __str__(self):
        return "{} ({})".format(*in_words(self.parameters))


@dataclass(frozen=True, repr=False)
class Explanation:
    """A metric under several conventions, and the rules by which they differ.

    Printed, it is a table.

    Attributes
    ----------
    metric : str
        The name of the metric.
    values : dict of str to float
        The metric by skrank's default, under "skrank", and by each convention. NaN
        if the convention does not support it, for a reason in `refused`.
    rules : dict of str to list of Rule
        The rules of each convention that change a query here, the largest effect first.
        Rules may interact: their effects need not add up.
    refused : dict of str to str
        Why a convention does not support the metric.
    qid : ndarray of shape (n_shown,)
        The queries that differ most.
    by_query : dict of str to ndarray of shape (n_shown,)
        The values of these queries, under the names in `values`.
    n_differing : int
        The number of queries whose values differ between conventions.
    """

    metric: str
    values: dict
    rules: dict
    refused: dict
    qid: np.ndarray
    by_query: dict
    n_differing: int

    def __repr__(self):
        rows = [
            [name, f"{value:.6f}", self._difference(name)]
            for name, value in self.values.items()
        ]
        parts = [table([self.metric, "value", "difference"], rows)]
        parts += [self._why(name) for name in self.values if name != OURS]
        if self.n_differing:
            rows = [
                [str(id), *(f"{values[row]:.6f}" for values in self.by_query.values())]
                for row, id in enumerate(self.qid)
            ]
            queries = table(["query", *self.by_query], rows, indent="  ")
            parts.append(f"Queries that differ most, of {self.n_differing}\n{queries}")
        return "\n\n".join(parts)

    def _difference(self, name):
        if name == OURS or name in self.refused:
            return ""
        return f"{self.values[name] - self.values[OURS]:+.6f}"

    def _why(self, convention):
        if convention in self.refused:
            return f"{convention} has no number here: {self.refused[convention]}"
        rules = self.rules[convention]
        if not rules and not self.n_differing:
            return f"{convention}: none of its rules makes a difference here"
        if not rules:
            return f"{convention}: none of its rules makes a difference alone"
        rows = [
            [f"  {rule}", f"{rule.effect:+.6f}", str(rule.n_queries)] for rule in rules
        ]
        return table([f"{convention} differs by", "effect", "queries"], rows)


@share_words
def explain(
    y_true,
    y_score,
    metric,
    conventions=("lightgbm", "trec_eval"),
    *,
    qid=None,
    doc_id=None,
    n_queries=5,
    **params,
):
    """Explain why a metric has a different value in another library.

    Each rule of a convention is followed alone, starting from skrank's default, to show
    its effect.

    Parameters
    ----------
    metric : str or callable
        One metric, as in :func:`evaluate`.
    conventions : str or list of str, default=("lightgbm", "trec_eval")
        Names in ``skrank.metrics.CONVENTIONS``.
    doc_id : array-like of shape (n_samples,), default=None
        Document ids, for conventions that order tied documents by them.
    n_queries : int, default=5
        The number of queries to show, those that differ most.
    **params
        Further parameters of :func:`evaluate`, which apply to every convention.

    Returns
    -------
    explanation : Explanation
        It prints as a table. Its attributes are `values`, a dict of conventions to
        values with skrank's default under "skrank"; `rules`, a dict of conventions to
        the rules that make a difference, each with its `parameters`, its `effect` on
        the metric if it alone is followed, and the number `n_queries` of queries that
        it changes; `refused`, why a convention does not support the metric;
        `n_differing`, the number of queries that differ; and `qid` and `by_query`, the
        queries that differ most and their values.

    Raises
    ------
    ValueError
        If a name is unknown, a parameter has an invalid value, or the input shapes do
        not match.
    TypeError
        If `convention` or `average` is given, or the metric lacks one of `params`.

    See Also
    --------
    evaluate : Returns the values only.
    tie_report : Reports how much ties can change a metric.

    Examples
    --------
    >>> from skrank.metrics import explain
    >>> y_true, y_score = [0, 2, 1, 0, 1, 0], [2, 2, 1, 3, 1, 1]
    >>> explain(y_true, y_score, "ndcg", ["lightgbm", "torchmetrics"], qid=[3] * 6)
    ndcg             value  difference
    skrank        0.600079
    lightgbm      0.561019   -0.039061
    torchmetrics  0.611135   +0.011056
    <BLANKLINE>
    lightgbm differs by                                      effect  queries
      ties='first' (tied documents keep the input order)  -0.039061        1
    <BLANKLINE>
    torchmetrics differs by                                           effect  queries
      gain='linear' (every gain is the grade, not 2 ** grade - 1)  +0.011056        1
    <BLANKLINE>
    Queries that differ most, of 1
      query    skrank  lightgbm  torchmetrics
      3      0.600079  0.561019      0.611135
    """
    for name in ("convention", "average"):
        if name in params:
            raise TypeError(f"explain sets {name!r} itself. Got {name!r}.")
    conventions = [conventions] if isinstance(conventions, str) else list(conventions)
    for name in conventions:
        check_convention(name, "explain")
    data, params = split_params(y_true, y_score, qid, {**params, "doc_id": doc_id})
    asked = Asked(metric, params, data)
    base = asked.request()
    per_query = {OURS: asked.per_query(base)}
    values, rules, refused = {OURS: answer(base, data)}, {}, {}
    for name in conventions:
        request, reason = asked.follow(name)
        if reason:
            values[name], refused[name] = float("nan"), reason
            continue
        values[name], per_query[name] = answer(request, data), asked.per_query(request)
        rules[name] = asked.rules(base, request)
    shown, n_differing = _most_different(per_query, n_queries)
    _, ranking = next(iter(data.rankings.values()))
    ids = ranking.ids
    by_query = {name: found[shown] for name, found in per_query.items()}
    return Explanation(
        base.key, values, rules, refused, ids[shown], by_query, n_differing
    )


class Asked(NamedTuple):
    """The metric to explain, the user's parameters and the data."""

    metric: object
    params: dict
    data: Arrays

    def request(self, **more):
        """Return the request for the metric; the user's parameters take precedence."""
        return read_requests([self.metric], {**more, **self.params}, "explain")[0]

    def per_query(self, request):
        """Return the values of the queries."""
        each = request._replace(options=request.options | {"average": None})
        return answer(each, self.data)

    def follow(self, convention):
        """Return the request under a convention and None, or None and the reason."""
        try:
            request = self.request(convention=convention)
        except NoNumber as error:
            return None, error.reason
        if request.options["doc_order"] and self.data.doc_id is None:
            if self._moves_with_ties(request):
                return None, "it orders tied documents by their ids; pass `doc_id`"
            request = request._replace(options=request.options | {"doc_order": None})
        return request, None

    def _moves_with_ties(self, request):
        """Return True if the order of tied documents matters to any query."""
        bounds = [
            self.per_query(
                request._replace(
                    options=request.options | {"ties": ties, "doc_order": None}
                )
            )
            for ties in ("pessimistic", "optimistic")
        ]
        return _differs(*bounds).any()

    def rules(self, base, request):
        """Return the effect of each rule of the request if it is followed alone."""
        changed = {
            name: value
            for name, value in request.options.items()
            if value != base.options[name]
        }
        before, value = self.per_query(base), answer(base, self.data)
        found = []
        for parameters in grouped(changed):
            alone = base._replace(options=base.options | parameters)
            moved = int(_differs(before, self.per_query(alone)).sum())
            if moved:
                effect = answer(alone, self.data) - value
                found.append(Rule(parameters, effect, moved))
        return sorted(found, key=lambda rule: -abs(rule.effect))


def _differs(one, other):
    """Return True for values that differ by more than rounding; NaN equals NaN."""
    close = np.isclose(one, other, rtol=1e-9, atol=1e-12, equal_nan=True)
    return ~close


def _most_different(per_query, n_shown):
    """Return the queries that differ most, and how many differ at all."""
    first, *others = per_query.values()
    differs = np.zeros(len(first), dtype=bool)
    for other in others:
        differs |= _differs(first, other)
    values = np.array(list(per_query.values()))
    unknown = np.isnan(values)
    spread = np.where(unknown, -np.inf, values).max(axis=0)
    spread = spread - np.where(unknown, np.inf, values).min(axis=0)
    # Queries that only some conventions define differ most.
    spread[unknown.any(axis=0)] = np.inf
    order = np.argsort(-spread, kind="stable")
    order = order[differs[order]]
    return order[:n_shown], len(order)
