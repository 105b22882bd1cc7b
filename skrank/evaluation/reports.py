"""Reports: why a metric differs between libraries, and how far it can move."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skrank._engine.answer import answer, answer_all
from skrank._engine.conventions import NoNumber, check_convention, grouped, in_words
from skrank._engine.names import read_requests
from skrank._input.checks import check_listed
from skrank._ranking.lists import Candidates, read_lists
from skrank._ranking.rank import rank_lists
from skrank._text.docs import MatrixLike, MetricLike, MetricsLike, share_words
from skrank._text.tables import PrintedResult, Table
from skrank.evaluation.evaluate import split_params, with_columns

OURS = "skrank"


class Rule(NamedTuple):
    """One rule of a convention, with its effect if it alone is followed."""

    parameters: dict
    effect: float
    n_queries: int

    def __str__(self):
        return "{} ({})".format(*in_words(self.parameters))


@dataclass(frozen=True, repr=False, kw_only=True)
class Explanation(PrintedResult):
    """A metric under several conventions, and the rules by which they differ.

    Made by :func:`explain`.

    Parameters
    ----------
    metric : str
        The name of the metric.
    values : dict of str to float
        The value by each convention, and by skrank's default under "skrank".
    rules : dict of str to list of Rule
        The rules of each convention that make a difference, the largest first. Each has
        its `parameters`, its `effect` on the metric if it alone is followed, and the
        number `n_queries` of queries that it changes.
    refused : dict of str to str
        Why a convention does not support the metric.
    qid : ndarray
        The ids of the queries that differ most.
    by_query : dict of str to ndarray
        Their values by each convention.
    n_differing : int
        The number of queries that differ.

    See Also
    --------
    explain : Makes it.

    Examples
    --------
    >>> from skrank.metrics import explain
    >>> found = explain([0, 1, 0], [2, 2, 1], "mrr", "ranx")
    >>> found.values
    {'skrank': 0.75, 'ranx': 0.5}
    """

    metric: str
    values: dict[str, float]
    rules: dict[str, list[Rule]]
    refused: dict[str, str]
    qid: NDArray[Any]
    by_query: dict[str, NDArray[np.float64]]
    n_differing: int

    def _contents(self):
        ours, rows = self.values[OURS], []
        for name, value in self.values.items():
            is_compared = name != OURS and name not in self.refused
            difference = f"{value - ours:+.6f}" if is_compared else ""
            rows.append([name, f"{value:.6f}", difference])
        parts = [Table([self.metric, "value", "difference"], rows, [self.metric])]
        parts += [self._why(name) for name in self.values if name != OURS]
        if self.n_differing:
            columns = self.by_query.values()
            rows = [
                [f"  {id}", *(f"{values[row]:.6f}" for values in columns)]
                for row, id in enumerate(self.qid)
            ]
            title = f"Queries that differ most, of {self.n_differing}"
            header = ["  query", *self.by_query]
            parts.append(Table(header, rows, header[:1], title))
        return "", parts

    def _why(self, convention):
        if convention in self.refused:
            return f"{convention} has no number here: {self.refused[convention]}"
        rules = self.rules[convention]
        if not rules:
            where = "alone" if self.n_differing else "here"
            return f"{convention}: none of its rules makes a difference {where}"
        rows = [
            [f"  {rule}", f"{rule.effect:+.6f}", str(rule.n_queries)] for rule in rules
        ]
        header = [f"{convention} differs by", "effect", "queries"]
        return Table(header, rows, header[:1])


@share_words
def explain(
    y_true: MatrixLike,
    y_score: ArrayLike,
    metric: MetricLike,
    conventions: str | Sequence[str] = ("lightgbm", "trec_eval"),
    *,
    qid: ArrayLike | None = None,
    doc_id: ArrayLike | None = None,
    **params: Any,
) -> Explanation:
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
    **params
        Further parameters of :func:`evaluate`, which apply to every convention.

    Returns
    -------
    explanation : Explanation
        The values, the rules that make a difference, and the five queries that differ
        most.
        It prints as a table.

    Raises
    ------
    ValueError
        If a name is unknown, a parameter has an invalid value, or the input shapes do
        not match.
    TypeError
        If `convention` or `average` is given, or the metric lacks one of `params`.

    See Also
    --------
    tie_report : Reports how much ties can change a metric.
    skrank.tables.read_rows : Reads the arguments from a file or a table.

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
    conventions = check_listed(conventions, "conventions", "explain")
    for name in conventions:
        check_convention(name, "explain")
    data, params = split_params(y_true, y_score, qid, {**params, "doc_id": doc_id})

    def read(**more):
        """Return the request; the parameters of the user take precedence."""
        return read_requests([metric], {**more, **params}, "explain")[0]

    base = read()
    data = with_columns(data, [base], params, "explain")
    per_query = {OURS: _values_by_query(base, data)}
    values, rules, refused = {OURS: answer(base, data)}, {}, {}
    for name in conventions:
        try:
            request = read(convention=name)
        except NoNumber as error:
            values[name], refused[name] = float("nan"), error.reason
            continue
        if request.options.doc_order and doc_id is None:
            if _reads_ids(request, data):
                reason = "it orders tied documents by their ids; pass `doc_id`"
                values[name], refused[name] = float("nan"), reason
                continue
            request = request.changed(doc_order=None)
        values[name] = answer(request, data)
        per_query[name] = _values_by_query(request, data)
        rules[name] = _rules_alone(base, request, data, values[OURS], per_query[OURS])
    shown, n_differing = _most_different(per_query)
    _, ranking = next(iter(data.rankings.values()))
    return Explanation(
        metric=base.key,
        values=values,
        rules=rules,
        refused=refused,
        qid=ranking.ids[shown],
        by_query={name: found[shown] for name, found in per_query.items()},
        n_differing=n_differing,
    )


def _values_by_query(request, data):
    """Return the values of the queries."""
    return answer(request.changed(average=None), data)


def _reads_ids(request, data):
    """Return True if the order of tied documents, by their ids, matters to a query."""
    if request.options.own.get("ideal") == "greedy":
        return True  # ids also order what is tied for a step of a greedy ideal ranking
    orders = "pessimistic", "optimistic"
    if request.metric.columns:  # there is no best order
        orders = "first", "expected"
    bounds = [
        _values_by_query(request.changed(ties=ties, doc_order=None), data)
        for ties in orders
    ]
    return _differs(*bounds).any()


def _rules_alone(base, request, data, value, values):
    """Return the effect of each rule of a request if it alone is followed.

    `value` and `values`, by query, are those of the request `base` without any rule.
    """
    of_base = base.options.by_name()
    changed = {
        name: option
        for name, option in request.options.by_name().items()
        if option != of_base[name]
    }
    found = []
    for parameters in grouped(changed):
        alone = base.changed(**parameters)
        moved = int(_differs(values, _values_by_query(alone, data)).sum())
        if moved or alone.divides_sums != base.divides_sums:
            found.append(Rule(parameters, answer(alone, data) - value, moved))
    return sorted(found, key=lambda rule: -abs(rule.effect))


def _differs(one, other):
    """Return True for values that differ by more than rounding; NaN equals NaN."""
    close = np.isclose(one, other, rtol=1e-9, atol=1e-12, equal_nan=True)
    return ~close


def _most_different(per_query):
    """Return the five queries that differ most, and how many differ at all."""
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
    return order[:5], len(order)


BOUNDS = ("pessimistic", "expected", "optimistic")


@dataclass(frozen=True, repr=False, kw_only=True)
class TieReport(PrintedResult):
    """How many documents are tied, and how much that can change metrics.

    Made by :func:`tie_report`. It prints as a table.

    Parameters
    ----------
    n_queries : int
        The number of queries.
    n_documents : int
        The number of documents.
    n_tied_queries : int
        The number of queries with tied documents.
    n_tied_documents : int
        The number of documents whose score is equal to that of another document of
        their query.
    values : dict of str to tuple of float
        The values of each metric: pessimistic, expected and optimistic.

    See Also
    --------
    tie_report : Makes it.

    Examples
    --------
    >>> from skrank.metrics import tie_report
    >>> report = tie_report([1, 0, 0], [2, 2, 1], "mrr")
    >>> report.n_tied_documents, report.values
    (2, {'mrr': (0.5, 0.75, 1.0)})
    """

    n_queries: int
    n_documents: int
    n_tied_queries: int
    n_tied_documents: int
    values: dict[str, tuple[float, float, float]]

    def _contents(self):
        counts = [
            (self.n_tied_queries, self.n_queries, "queries"),
            (self.n_tied_documents, self.n_documents, "documents"),
        ]
        text = "\n".join(
            f"{part} of {whole} {noun} are tied ({part / max(whole, 1):.1%})"
            for part, whole, noun in counts
        )
        rows = [
            [name, *(f"{value:.6f}" for value in (*bounds, bounds[2] - bounds[0]))]
            for name, bounds in self.values.items()
        ]
        return "", [text, Table(["", *BOUNDS, "span"], rows, [""])]


@share_words
def tie_report(
    y_true: MatrixLike,
    y_score: ArrayLike,
    metrics: MetricsLike = ("mrr", "ndcg@10", "map"),
    *,
    qid: ArrayLike | None = None,
    **params: Any,
) -> TieReport:
    """Report how many documents are tied, and how much that can change metrics.

    Parameters
    ----------
    metrics : str, callable, list or dict, default=("mrr", "ndcg@10", "map")
        The metrics, as in :func:`evaluate`.
    **params
        Further parameters of :func:`evaluate` other than `ties`.

    Returns
    -------
    report : TieReport
        The counts, and the values of each metric. It prints as a table.

    Raises
    ------
    ValueError
        If a parameter has an invalid value, or the input shapes do not match.
    TypeError
        If `ties` is given, or none of the metrics has one of
        `params`.

    See Also
    --------
    explain : Explains why a metric differs between conventions.

    Notes
    -----
    Any library that breaks ties by some order (of the input, of ids, of its sort)
    reports a value between the pessimistic and the optimistic one. If all scores are
    equal, the expected value is the chance level of the metric.

    Examples
    --------
    >>> from skrank.metrics import tie_report
    >>> tie_report([1, 0, 0, 1], [2, 2, 1, 3], ["mrr", "precision@1"], qid=[7, 7, 8, 8])
    1 of 2 queries are tied (50.0%)
    2 of 4 documents are tied (50.0%)
    <BLANKLINE>
                 pessimistic  expected  optimistic      span
    mrr             0.750000  0.875000    1.000000  0.250000
    precision@1     0.500000  0.750000    1.000000  0.500000
    """
    if "ties" in params:
        raise TypeError("tie_report sets 'ties' itself. Got 'ties'.")
    arrays, params = split_params(y_true, y_score, qid, params)
    for request in read_requests(metrics, params, "tie_report"):
        if request.metric.columns:
            raise ValueError(
                "tie_report orders tied documents by their grades. Got "
                f"{request.key!r}, which reads {' and '.join(request.metric.columns)}."
            )
    asked = {
        ties: read_requests(metrics, {**params, "ties": ties}, "tie_report")
        for ties in BOUNDS
    }
    bounds = [answer_all(requests, arrays) for requests in asked.values()]
    values = {name: tuple(scores[name] for scores in bounds) for name in bounds[0]}
    counts = count_ties(arrays, params.get("score_dtype"))
    return TieReport(**counts, values=values)


def count_ties(arrays, score_dtype=None):
    """Return the counts of a :class:`TieReport`, by name."""
    y_score = arrays.scores(score_dtype) if score_dtype else arrays.y_score
    names = ("qid", "exclude", "judged", "returned")
    given = {name: getattr(arrays, name) for name in names}
    lists = rows = read_lists(arrays.y_true, y_score, **given)
    if isinstance(lists, Candidates):
        is_shown = np.ones(lists.y_score.shape, dtype=bool)
        if lists.exclude is not None:
            is_shown[lists.exclude.nonzero()] = False
            is_shown[lists.ids, lists.target] = True
        query, _ = is_shown.nonzero()
        rows = read_lists(np.zeros(len(query)), lists.y_score[is_shown], qid=query)
    # With every document relevant, these are all tie groups.
    ranking = rank_lists(rows.by_row(), "expected")
    tied = ranking.size > 1
    return {
        "n_queries": len(lists.ids),
        "n_documents": int(lists.n_documents().sum()),
        "n_tied_queries": np.count_nonzero(np.bincount(ranking.query[tied])),
        "n_tied_documents": int(ranking.size[tied].sum()),
    }
