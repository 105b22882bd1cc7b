"""Metrics of exposure: how much attention the ranking gives to groups of documents."""

# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from scipy.special import rel_entr

from skrank._engine.answer import ranking_metric
from skrank._engine.columns import numbers
from skrank._input.checks import check_choice, check_flag, check_number, shown
from skrank._ranking.ids import encode_qid, is_missing
from skrank._ranking.queries import sum_over_places
from skrank.metrics.gains import discount_function


class Exposure(NamedTuple):
    """The expected exposure of the groups of each query, one after the other."""

    query: np.ndarray
    group: np.ndarray  # a position in `labels`
    exposure: np.ndarray
    target: np.ndarray  # what it should be
    labels: np.ndarray | None  # of one label per document; None otherwise
    n_queries: int
    n_groups: int

    def total(self, values):
        """Return the sum of the entries of each query."""
        total = np.bincount(self.query, values, self.n_queries)
        return total.astype(np.float64, copy=False)  # of no entries: of integers

    def shares(self, values):
        """Return the fraction of each entry in the sum of its query; NaN of 0."""
        total = self.total(values)[self.query]
        return np.divide(
            values, total, out=np.full(len(values), np.nan), where=total > 0
        )

    def by_group(self, place, n_groups):
        """Return the exposure as an array of shape (n_queries, n_groups).

        Group i of the entries has the column ``place[i]``.
        """
        exposure = np.zeros((self.n_queries, n_groups))
        exposure[self.query, place[self.group]] = self.exposure
        return exposure


def expected_exposure(ranking, weight, k, *, target=None, only_relevant=False):
    """Return the expected :class:`Exposure` of the groups of each query.

    `weight` maps ranks to exposure. ``target(rows)`` returns a number of each document,
    and is summed as exposure is. Then all documents of a query are read, and not those
    of the top k alone.
    """
    top = ranking.documents(k)
    seen = top.mean_over_places(weight)
    if only_relevant:
        seen = seen * top.relevant
    if target is None:
        query, row, wanted = top.query, top.row, np.zeros(len(seen))
    else:
        query, row, wanted = ranking.rows.query, ranking.rows.row, target(ranking.rows)
        of_all = np.zeros(len(row))
        of_all[top.place] = seen
        seen = of_all
    if "group" in ranking.columns:
        values = ranking.columns["group"].take(row)
        labels, n_groups, document, group, part = _memberships(values)
    else:  # each document is a group of its own
        labels, n_groups, document, group, part = None, 0, np.arange(len(row)), row, 1.0
    key = query[document] * max(n_groups, row.max(initial=0) + 1) + group
    seen, wanted = seen[document] * part, wanted[document] * part
    # Tied documents come in any order, which must not matter to the last bit.
    order = np.lexsort((wanted, seen, key))
    first = np.flatnonzero(np.diff(key[order], prepend=-1))
    if 0 < len(first) < len(order):
        seen = np.add.reduceat(seen[order], first)
        wanted = np.add.reduceat(wanted[order], first)
    else:
        seen, wanted = seen[order], wanted[order]
    query, group = query[document][order][first], group[order][first]
    if not n_groups:
        order = np.lexsort((wanted, seen, query))
        query, group, seen, wanted = (
            values[order] for values in (query, group, seen, wanted)
        )
    return Exposure(query, group, seen, wanted, labels, ranking.n_queries, n_groups)


def _memberships(values):
    """Return which documents belong to which groups, and how far.

    Returns the labels or None, the number of groups, and of each membership the
    document, the group and how far the document belongs to it.
    """
    n = len(values)
    if values.ndim == 2:
        if values.shape[1] == 1:
            raise ValueError(
                "The column 'group' must hold one label per row, or numbers of shape "
                "(n_samples, n_groups) for two groups or more. Got one column of shape "
                f"{values.shape}: pass it as an array of shape ({n},)."
            )
        values = numbers(values, "group", low=0, n_columns=("n_groups",))
        document, group = np.nonzero(values)
        share = values[document, group]
        return None, values.shape[1], document, group, share
    if values.ndim != 1:
        raise ValueError(
            "The column 'group' must hold one label per row, or numbers of shape "
            f"(n_samples, n_groups). Got {values.ndim} dimensions."
        )
    is_part = values.dtype.kind == "f" and (values != np.round(values)).any()
    if is_part or (values.dtype.kind in "OM" and any(map(is_missing, values))):
        raise ValueError(
            "The column 'group' must hold one label per row. Give documents without a "
            "group a label of their own, or pass how far each document belongs to each "
            "group, of shape (n_samples, n_groups). Got fractions or missing values."
        )
    labels, group = encode_qid(values, name="group")
    return labels, max(len(labels), 1), np.arange(n), group, 1.0


def compared(ranking, weight, k, target, targets, caller, *, only_relevant=False):
    """Return the :class:`Exposure` of groups and what a target says of them.

    `target` is one of the names in `targets`, which maps them to functions of rows, or
    holds a number for each group.
    """
    if isinstance(target, str):
        check_choice(target, targets, "target", caller)
        of_rows = {"target": targets[target], "only_relevant": only_relevant}
        return expected_exposure(ranking, weight, k, **of_rows)
    if "group" not in ranking.columns:
        raise ValueError(
            f"The 'target' parameter of {caller} has numbers for groups, which needs "
            f"the column 'group'. Got no such column, and {shown(target)}."
        )
    exposure = expected_exposure(ranking, weight, k, only_relevant=only_relevant)
    place, shares = _shares_of(target, targets, exposure, caller)
    n, n_groups = exposure.n_queries, len(shares)
    return exposure._replace(
        query=np.repeat(np.arange(n), n_groups),
        group=np.tile(np.arange(n_groups), n),
        exposure=exposure.by_group(place, n_groups).ravel(),
        target=np.tile(shares, n),
    )


def _shares_of(target, targets, exposure, caller):
    """Return the place of each group in a target, and the fractions of the target."""
    labels, is_dict = exposure.labels, isinstance(target, Mapping)
    if is_dict is (labels is None) or not (is_dict or np.ndim(target) == 1):
        kind = "an array of shape (n_groups,)" if labels is None else "a dict of labels"
        raise ValueError(
            f"The 'target' parameter of {caller} must be a str among "
            f"{{{', '.join(map(repr, sorted(targets)))}}} or, with this column "
            f"'group', {kind}. Got {shown(target)} instead."
        )
    shares = np.asarray([*target.values()] if is_dict else target, dtype=np.float64)
    n_groups = shares.size if is_dict else exposure.n_groups
    is_good = shares.size == n_groups and np.isfinite(shares).all()
    if not is_good or (shares < 0).any() or not shares.sum() > 0:
        raise ValueError(
            f"The 'target' parameter of {caller} must have one finite number of 0 or "
            f"more for each of {n_groups} groups, not all 0. Got {shown(target)} "
            "instead."
        )
    if not is_dict:
        return np.arange(n_groups), shares / shares.sum()
    place = {label: place for place, label in enumerate(target)}
    for label in labels.tolist():
        if label not in place:
            raise ValueError(
                f"The 'target' parameter of {caller} must have a number for every "
                f"group. Got none for {shown(label)}: give it one, which may be 0."
            )
    places = np.array([place[label] for label in labels.tolist()], dtype=np.intp)
    return places, shares / shares.sum()


TARGETS = {
    "candidates": lambda rows: np.ones(len(rows.row)),
    "equal": lambda rows: np.ones(len(rows.row)),
    "relevant": lambda rows: rows.relevant.astype(np.float64),
}


@ranking_metric(
    "awrf",
    columns=("group",),
    reads_grades=lambda own: (
        isinstance(own["target"], str) and own["target"] == "relevant"
    ),
    limits=(float(1 - np.log(2)), 1.0),
    replace_undefined_by=np.nan,
)
def awrf_score(
    ranking, *, k=None, discount="log2", target="candidates", empty="undefined"
):
    r"""Agreement of the exposure of groups with a target (AWRF@k).

    Documents near the top are seen more often. AWRF compares the fraction of this
    exposure that each group of documents gets with the fraction that it should get.
    Larger is closer to the target.

    Parameters
    ----------
    target : {"candidates", "equal", "relevant"}, dict or array, default="candidates"
        What each group should get: its fraction of all documents of the query,
        returned or not; the same for all groups that have a document in the query; its
        fraction of the relevant documents; or numbers in proportion to what it should
        get, as a dict by label, or an array if `group` has a column for each group.
    empty : {"undefined", "uniform"}, default="undefined"
        The exposure of a query of whose list no document belongs to a group: none, so
        that the metric is undefined, or the same for all groups.

    Returns
    -------
    score : float or ndarray of shape (n_queries,)
        Between 1 - ln 2 = 0.307 and 1. The best value is 1.0.

    See Also
    --------
    eel_score : The squared distance from a target, which sees the amount of exposure.
    group_share_score : The share of the list that belongs to one group.

    Notes
    -----
    The exposure of a document is the discount of its rank, 0 beyond k, and that of a
    group the sum over its documents. With the fraction :math:`p_g` of the exposure that
    group g gets, and the fraction :math:`q_g` that it should get, AWRF is 1 less the
    Jensen-Shannon divergence with natural logarithms [1]_ [2]_:

    .. math:: AWRF@k = 1 - \frac{1}{2} \sum_g \left(
        p_g \ln \frac{2 p_g}{p_g + q_g} + q_g \ln \frac{2 q_g}{p_g + q_g} \right).

    Under ties, p is made of the expected exposure over all orderings: the metric is the
    value of the expected exposure, and not the mean of its values over the orderings.
    Pass ``ties="first"`` for the value of one ordering.
    The TREC fair ranking track discounts rank 1 as rank 2, and takes the exposure
    as uniform if there is none: ``convention="trec_fair"``.

    References
    ----------
    .. [1] P. Sapiezynski, W. Zeng, R. E. Robertson, A. Mislove and C. Wilson,
       "Quantifying the Impact of User Attention on Fair Group Representation in Ranked
       Lists", WWW 2019 Companion.
    .. [2] A. Raj and M. D. Ekstrand, "Measuring Fairness in Ranked Results: An
       Analytical and Empirical Comparison", SIGIR 2022.

    Examples
    --------
    >>> from skrank.metrics import awrf_score
    >>> group = ["a", "b", "b"]
    >>> awrf_score(None, [3, 2, 1], group=group)
    0.99...
    >>> awrf_score(None, [1, 1, 1], group=group)
    1.0
    >>> awrf_score(None, [3, 2, 1], group=group, k=1, target={"a": 1, "b": 0})
    1.0
    """
    check_choice(empty, ("undefined", "uniform"), "empty", "awrf_score")
    weight = discount_function(discount, "awrf_score")
    exposure = compared(ranking, weight, k, target, TARGETS, "awrf_score")
    is_equal = isinstance(target, str) and target == "equal"
    wanted = np.sign(exposure.target) if is_equal else exposure.target
    share, wanted = exposure.shares(exposure.exposure), exposure.shares(wanted)
    if empty == "uniform":
        even = exposure.shares(np.ones_like(share))
        share = np.where(np.isnan(share), even, share)
    middle = (share + wanted) / 2
    terms = rel_entr(share, middle) + rel_entr(wanted, middle)
    divergence = np.maximum(exposure.total(terms), 0) / 2
    is_defined = exposure.total(np.ones_like(terms)) > 0
    return np.where(is_defined, 1 - divergence, np.nan)


def _toward_ideal(ranking, k, discount, p, target, only_relevant, caller):
    """Return the :class:`Exposure`, its target that of the ideal ranking, or given."""
    check_flag(only_relevant, "only_relevant", caller)
    weight = _exposure_of_ranks(discount, p, caller)

    def ideal(rows):
        wanted = _ideal_exposure(rows, weight, k)
        return wanted * rows.relevant if only_relevant else wanted

    targets = {"ideal": ideal}
    exposure = compared(
        ranking, weight, k, target, targets, caller, only_relevant=only_relevant
    )
    if isinstance(target, str):
        return exposure
    n = ranking.n_queries
    length = (
        np.bincount(ranking.rows.query, minlength=n) if k is None else np.full(n, k)
    )
    available = sum_over_places(weight, np.zeros_like(length), length)
    return exposure._replace(target=exposure.target * available[exposure.query])


def _exposure_of_ranks(discount, p, caller):
    """Return the function that maps ranks to exposure."""
    p = check_number(p, "p", caller, low=0.0, high=1.0, ends="()")
    by_persistence = {"rbp": lambda rank: p ** (np.asarray(rank) - 1.0)}
    return discount_function(discount, caller, **by_persistence)


def _ideal_exposure(rows, weight, k):
    """Return the exposure of documents in the ideal ranking, with equal grades tied."""
    if not len(rows.row):
        return np.zeros(0)
    grade = np.where(rows.relevant, rows.grade, -np.inf)
    order = np.lexsort((-grade, rows.query))
    query, grade = rows.query[order], grade[order]
    is_new = np.diff(query, prepend=-1) != 0
    start = np.flatnonzero(is_new | np.append(True, grade[1:] != grade[:-1]))
    size = np.diff(start, append=len(order))
    above = start - np.maximum.accumulate(np.where(is_new[start], start, 0))
    mean = sum_over_places(weight, above, above + size, k) / size
    wanted = np.empty(len(order))
    wanted[order] = np.repeat(mean, size)
    return wanted


def _where_defined(ranking, values, target="ideal"):
    """Return values, NaN without an ideal ranking if it is read."""
    is_read = isinstance(target, str)
    return np.where(ranking.n_relevant > 0, values, np.nan) if is_read else values


def _reads_grades(own):
    return own["only_relevant"] or isinstance(own["target"], str)


@ranking_metric(
    "eel",
    columns=("group",),
    optional=("group",),
    reads_grades=_reads_grades,
    greater_is_better=False,
    limits=(0.0, np.inf),
)
def eel_score(
    ranking, *, k=None, discount="rbp", p=0.8, target="ideal", only_relevant=False
):
    r"""Distance of exposure from its target: the expected exposure loss (EE-L).

    Documents of equal grades deserve equal exposure. The loss is the squared distance
    between the exposure that documents, or groups of them, are expected to get and that
    in the ideal ranking with equal grades tied. Smaller is better, so the scorer name
    is "neg_eel".

    Parameters
    ----------
    target : "ideal", dict or array-like of shape (n_groups,), default="ideal"
        The exposure that is aimed at: that of the ideal ranking, or numbers in
        proportion to that of the groups, as a dict by label, or an array if `group` has
        a column for each group. They share the exposure of `k` ranks, or of as many as
        the query has documents.

    Returns
    -------
    score : float or ndarray of shape (n_queries,)
        0 or more. The best value is 0.0.

    See Also
    --------
    eed_score : How unequal the exposure is: its first term.
    eer_score : How well it agrees with the target: its second term.
    awrf_score : The divergence of fractions of exposure.

    Notes
    -----
    With the expected exposure :math:`\epsilon_g` of a document or group, and its target
    :math:`\epsilon_g^*`, [1]_

    .. math:: EEL = \sum_g (\epsilon_g - \epsilon_g^*)^2
        = EED - 2 \, EER + \sum_g (\epsilon_g^*)^2.

    No ranking without ties has a loss of 0 if several documents have equal grades. The
    expectation is over the orderings of tied documents, and the metric is the value of
    the expected exposure, and not the mean of its values over the orderings. Of a
    ranker that draws its rankings, it is the loss if these orderings are what it draws
    from. A query without a relevant document has no ideal ranking to compare with, and
    is undefined. Not returned documents have no exposure and are part of the target.

    References
    ----------
    .. [1] Diaz et al. (2020)

    Examples
    --------
    The first of two equally relevant documents gets an exposure of 1, the second one of
    0.5; both deserve 0.75. With a tie, they get it:

    >>> from skrank.metrics import eel_score
    >>> eel_score([1, 1], [2, 1], p=0.5)
    0.125
    >>> eel_score([1, 1], [1, 1], p=0.5)
    0.0
    >>> eel_score([1, 1], [2, 1], p=0.5, group=["a", "a"])
    0.0
    """
    own = k, discount, p, target, only_relevant
    exposure = _toward_ideal(ranking, *own, "eel_score")
    loss = exposure.total((exposure.exposure - exposure.target) ** 2)
    return _where_defined(ranking, loss, target)


@ranking_metric(
    "eed",
    columns=("group",),
    optional=("group",),
    reads_grades=lambda own: own["only_relevant"],
    greater_is_better=False,
    limits=(0.0, np.inf),
)
def eed_score(ranking, *, k=None, discount="rbp", p=0.8, only_relevant=False):
    r"""Disparity of expected exposure (EE-D): how unequal the exposure is.

    The sum of the squared exposures that documents, or groups of them, are expected to
    get. Smaller is more equal, so the scorer name is "neg_eed".

    Returns
    -------
    score : float or ndarray of shape (n_queries,)
        0 or more.

    See Also
    --------
    eel_score : The distance of the exposure from its target.
    eer_score : How well the exposure agrees with its target.

    Notes
    -----
    With the expected exposure :math:`\epsilon_g` of a document or group, [1]_

    .. math:: EED = \sum_g \epsilon_g^2.

    The expectation is over the orderings of tied documents, and the metric is the value
    of the expected exposure, and not the mean of its values over the orderings. A
    ranker that ties all documents has the least disparity of documents, and is of no
    use: look at EE-R as well. Grades are only read with ``only_relevant=True``.

    References
    ----------
    .. [1] Diaz et al. (2020)

    Examples
    --------
    >>> from skrank.metrics import eed_score
    >>> eed_score(None, [2, 1], p=0.5)  # 1 + 0.25
    1.25
    >>> eed_score(None, [1, 1], p=0.5)  # 0.75 ** 2 + 0.75 ** 2
    1.125
    >>> eed_score(None, [1, 1], p=0.5, group=["a", "a"])  # 1.5 ** 2
    2.25
    """
    check_flag(only_relevant, "only_relevant", "eed_score")
    weight = _exposure_of_ranks(discount, p, "eed_score")
    exposure = expected_exposure(ranking, weight, k, only_relevant=only_relevant)
    return exposure.total(exposure.exposure**2)


@ranking_metric(
    "eer",
    columns=("group",),
    optional=("group",),
    reads_grades=_reads_grades,
    limits=(0.0, np.inf),
    replace_undefined_by=np.nan,
)
def eer_score(
    ranking, *, k=None, discount="rbp", p=0.8, target="ideal", only_relevant=False
):
    r"""Relevance of expected exposure (EE-R): agreement of exposure with a target.

    The sum over documents, or groups of them, of the exposure that they are expected to
    get times the exposure that they get in the ideal ranking with equal grades tied.
    Larger is better.

    Parameters
    ----------
    target : "ideal", dict or array-like of shape (n_groups,), default="ideal"
        The exposure that is aimed at, as in :func:`eel_score`.

    Returns
    -------
    score : float or ndarray of shape (n_queries,)
        0 or more. The best value depends on the query.

    See Also
    --------
    eel_score : The distance of the exposure from its target.
    eed_score : How unequal the exposure is.

    Notes
    -----
    With the expected exposure :math:`\epsilon_g` of a document or group, and its target
    :math:`\epsilon_g^*`, [1]_

    .. math:: EER = \sum_g \epsilon_g \epsilon_g^*.

    It is linear in the exposure, so that it is also the mean over the orderings of tied
    documents. A query without a relevant document has no ideal ranking to compare with,
    and is undefined.

    References
    ----------
    .. [1] Diaz et al. (2020)

    Examples
    --------
    >>> from skrank.metrics import eer_score
    >>> eer_score([1, 0], [2, 1], p=0.5)  # 1 * 1 + 0.5 * 0.5
    1.25
    >>> eer_score([1, 0], [1, 2], p=0.5)  # 0.5 * 1 + 1 * 0.5
    1.0
    """
    own = k, discount, p, target, only_relevant
    exposure = _toward_ideal(ranking, *own, "eer_score")
    value = exposure.total(exposure.exposure * exposure.target)
    return _where_defined(ranking, value, target)
