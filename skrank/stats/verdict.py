"""What a comparison found, in a sentence for readers without statistics."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank._text.tables import counted
from skrank.stats.inference import is_at_most
from skrank.stats.paired_tests import is_two_sided

# Of more claims, or names in one of them, the others are counted.
MOST_CLAIMS = 3
# An end near 0 has at most so many digits more than are known.
MORE_DIGITS = 2


def verdict(comparison):
    """Return the sentence of a :class:`skrank.stats.RankerComparison`."""
    rows, level = comparison.rows, 1 - comparison.confidence_level
    found, others = [], []
    for row in rows:
        (found if is_at_most(row.p_adjusted, level) else others).append(row)
    is_of_any = is_two_sided(comparison.alternative, comparison.margin)
    if not found and is_of_any:
        return f"No difference was found: {_what_would_be(comparison)}."
    if not found:
        text = _claims(comparison, others, are_shown=False)
        return f"{text}." if comparison.margin else f"It was not shown that {text}."
    text = _claims(comparison, found)
    if others:
        where = f"{len(others):,} of {len(rows):,} comparisons"
        if len({(row.ranker, row.baseline) for row in rows}) == 1:
            where = _listed([_place(comparison, row) for row in others])
        text += "; no difference was found" if is_of_any else "; this was not shown"
        text += f" in {where}"
    return f"{text}."


def _claims(comparison, rows, are_shown=True):
    """Return what is claimed of some rows: of the best rankers first."""
    order = dict.fromkeys(
        row.ranker for rows in comparison.intervals._best_first.values() for row in rows
    )
    order, claims = [*order], {}
    for row in rows:
        *pair, words, numbers = _claim(comparison, row, are_shown)
        place, of_metric = tuple(map(order.index, pair)), _place(comparison, row)
        claims.setdefault((place, words), {})[of_metric] = f"{of_metric} ({numbers})"
    # Several pairs of which the same is claimed are one claim, without numbers.
    is_long, groups = len(claims) > MOST_CLAIMS, {}
    one_of = 1 if comparison.baseline is not None else 0  # of a pair, which names it
    for (place, words), of_metrics in sorted(claims.items(), key=lambda one: one[0]):
        key = (place[one_of] if is_long else place), words
        where = (*of_metrics,) if is_long else (*of_metrics.values(),)
        groups.setdefault((key, where), []).append(place)
    named = []
    for ((_, words), where), places in groups.items():
        one, other = ([order[i] for i in of] for of in zip(*places, strict=True))
        verb, verb_of_several, after = words
        verb = verb_of_several if len(set(one)) > 1 else verb
        text = f"{_listed(one)} {verb} {_listed(other)}{after}"
        named.append(f"{text} in {_listed(where)}")
    text = "; ".join(named[:MOST_CLAIMS])
    left = sum(map(len, [*groups.values()][MOST_CLAIMS:]))
    return text + (f"; and {counted(left, 'more pair')}" if left else "")


def _claim(comparison, row, are_shown):
    """Return two rankers, what is claimed of the first one, and the numbers."""
    margin, difference, ends = comparison.margin, row.difference, [row.low, row.high]
    pair = [row.ranker, row.baseline]
    sign = {"greater": 1, "less": -1}.get(comparison.alternative, 0)
    gain = comparison._direction(row.metric) * (sign or difference)
    after = f" by {margin:g} or more" if margin else ""
    if margin and not sign:
        words = ("may differ from",) * 2
        if are_shown:
            words, after = ("differs from", "differ from"), f" by less than {margin:g}"
    elif margin:
        side = f"{'worse' if gain > 0 else 'better'} than"
        words = (f"is not {side}", f"are not {side}")
        words = words if are_shown else (f"may be {side}",) * 2
    else:
        if gain < 0 and comparison.baseline is None and not sign:  # the better first
            pair, difference, gain = pair[::-1], -difference, -gain
            ends = [-end for end in reversed(ends)]
        side = f"{'better' if gain > 0 else 'worse'} than"
        words = f"is {side}", f"are {side}"
    words = *words, after
    return *pair, words, _with_ends(difference, *ends)


def _with_ends(difference, low, high):
    """Return a difference and its interval, with the digits that are known."""
    width = min(abs(difference - low), abs(high - difference))
    digits = 2
    if width > 0 and np.isfinite(width):
        digits = max(-int(np.floor(np.log10(width / 2.5))), 0)
    if low > 0 or high < 0:  # an end near 0 is not printed as 0, unless it nearly is
        nearest = min(abs(low), abs(high))
        more = -int(np.floor(np.log10(nearest)))
        digits = more if digits < more <= digits + MORE_DIGITS else digits
    # Without the sign of -0.0.
    difference, low, high = (round(x, digits) + 0.0 for x in (difference, low, high))
    ends = f"{low:.{digits}f} to {high:.{digits}f}"
    if not np.isfinite(low):
        ends = f"at most {high:.{digits}f}" if np.isfinite(high) else "unknown"
    elif not np.isfinite(high):
        ends = f"at least {low:.{digits}f}"
    return f"{difference:+.{digits}f}, {ends}"


def _place(comparison, row):
    """Return the metric of a row, and its segment."""
    values = [f"{name} {row[name]}" for name in comparison.segment_names]
    return f"{row.metric} for {', '.join(values)}" if values else row.metric


def _what_would_be(comparison):
    """Return which difference would be found, and what a smaller one takes."""
    first, names = comparison.rows[0].metric, ("query", "queries")
    if comparison.clusters is not None:
        names = "cluster of queries", "clusters of queries"
    rows = [row for row in comparison.rows if row.metric == first]
    # Some segments may have too few queries for any.
    row = max(
        (row for row in rows if 0 < row.detectable < np.inf),
        key=lambda row: row.detectable,
        default=None,
    )
    n = comparison.n_units
    if row is None:
        return f"{counted(n, *names)} {'is' if n == 1 else 'are'} too few for any"
    if comparison.by is not None and comparison.clusters is None:
        n = row.n_queries
    # The next round number, 1, 2 or 5 times a power of 10, below a half of it.
    least = row.detectable
    power = 10.0 ** np.floor(np.log10(least / 2))
    smaller = max(one * power for one in (1, 2, 5) if one * power <= least / 2)
    # What equal rankers may hide falls as 1 / n, a standard error as its root.
    is_tied = row.wins + row.losses == 0
    needed = float(f"{n * (least / smaller) ** (1 if is_tied else 2):.1e}")
    digits = max(1 - int(np.floor(np.log10(least))), 0)
    return (
        f"with {counted(n, *names)} one of {least:.{digits}f} in "
        f"{_place(comparison, row)} would be; a difference of {smaller:g} needs about "
        f"{needed:,.0f}"
    )


def _listed(words):
    """Return words as a list in a sentence."""
    words = list(dict.fromkeys(words))
    if len(words) > MOST_CLAIMS + 1:
        words = [*words[:MOST_CLAIMS], f"{len(words) - MOST_CLAIMS} more"]
    return " and ".join([", ".join(words[:-1]), words[-1]] if words[1:] else words)
