"""What a comparison found, in a sentence for readers without statistics."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank.stats.inference import is_at_most
from skrank.stats.paired_tests import is_two_sided

# Of more claims the others are counted.
MOST_NAMED = 3


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
        return f"It was not shown that {_claims(comparison, others)}."
    text = _claims(comparison, found)
    if others:
        where = f"{len(others):,} of {len(rows):,} comparisons"
        if len({(row.ranker, row.baseline) for row in rows}) == 1:
            where = _listed([_place(comparison, row) for row in others])
        text += "; no difference was found" if is_of_any else "; it was not shown"
        text += f" in {where}"
    return f"{text}."


def _claims(comparison, rows):
    """Return what is claimed of some rows: of the best rankers first."""
    best_first = [
        row.ranker for rows in comparison.intervals._best_first.values() for row in rows
    ]
    claims = {}
    for row in rows:
        one, words, other, number = _claim(comparison, row)
        place = best_first.index(one), -best_first.index(other)
        key = place, f"{one} {words} {other}" if other else one
        claims.setdefault(key, []).append(f"{_place(comparison, row)} ({number})")
    named = [f"{claim} in {_listed(claims[_, claim])}" for _, claim in sorted(claims)]
    text = "; ".join(named[:MOST_NAMED])
    if len(named) > MOST_NAMED:
        text += f"; and {_listed([f'{len(named) - MOST_NAMED} other pairs'])}"
    return text


def _claim(comparison, row):
    """Return the one ranker, what is claimed of it and another, and the numbers."""
    margin, difference, ends = comparison.margin, row.difference, [row.low, row.high]
    pair = [row.ranker, row.baseline]
    sign = {"greater": 1, "less": -1}.get(comparison.alternative, 0)
    if not sign and margin:
        words = f"differs by less than {margin:g} from"
    elif sign and margin:
        side = "worse" if sign * comparison._direction(row.metric) > 0 else "better"
        words = f"is not {side} by {margin:g} or more than"
    else:
        gain = comparison._direction(row.metric) * (sign or difference)
        if gain < 0 and comparison.baseline is None and not sign:  # the better first
            pair, difference, gain = pair[::-1], -difference, -gain
            ends = [-end for end in reversed(ends)]
        words = "is better than" if gain > 0 else "is worse than"
    return pair[0], words, pair[1], _numbers(difference, *ends)


def _numbers(difference, low, high):
    """Return a difference and its interval, with the digits that are known."""
    width = min(abs(difference - low), abs(high - difference))
    digits = 2
    if width > 0 and np.isfinite(width):
        digits = max(-int(np.floor(np.log10(width))), 0)
    ends = f"{low:.{digits}f} to {high:.{digits}f}"
    if not np.isfinite(low):
        ends = f"at most {high:.{digits}f}" if np.isfinite(high) else "unknown"
    elif not np.isfinite(high):
        ends = f"at least {low:.{digits}f}"
    return f"{difference:+.{digits}f}, {ends}"


def _place(comparison, row):
    """Return the metric of a row, and its segment."""
    values = [f"{name} {row[name]}" for name in comparison.segment_names]
    return f"{row.metric} of {', '.join(values)}" if values else row.metric


def _what_would_be(comparison):
    """Return which difference would be found, and what a smaller one takes."""
    first, n = comparison.rows[0].metric, comparison.n_units
    units = "queries" if comparison.clusters is None else "clusters of queries"
    least = max(row.detectable for row in comparison.rows if row.metric == first)
    if not 0 < least < np.inf:
        return f"{n:,} {units} are too few for any"
    # The next round number, 1, 2 or 5 times a power of 10, below a half of it.
    power = 10.0 ** np.floor(np.log10(least / 2))
    smaller = max(one * power for one in (1, 2, 5) if one * power <= least / 2)
    needed = float(f"{n * (least / smaller) ** 2:.1e}")
    digits = max(1 - int(np.floor(np.log10(least))), 0)
    return (
        f"with {n:,} {units} one of {least:.{digits}f} in {first} would be, and one of "
        f"{smaller:g} needs about {needed:,.0f}"
    )


def _listed(words):
    """Return words as a list in a sentence."""
    words = list(dict.fromkeys(words))
    if len(words) > MOST_NAMED + 1:
        words = [*words[:MOST_NAMED], f"{len(words) - MOST_NAMED} more"]
    return " and ".join([", ".join(words[:-1]), words[-1]] if words[1:] else words)
