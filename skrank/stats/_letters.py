"""Letters for rankers that do not differ significantly."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from itertools import islice
from string import ascii_letters

# Letters that nobody can compare are not shown.
MOST_RANKERS = 26
LONGEST_LABEL = 12


def letters(rankers, is_different):
    """Return the letters of each ranker; two share one if they are not different.

    Parameters
    ----------
    rankers : list of str
        The rankers, the best first.
    is_different : callable
        Whether two rankers differ significantly.

    Returns
    -------
    letters : dict of str to str, or None
        None if there are more than 26 rankers, or one would have more than 12 letters.
    """
    if len(rankers) > MOST_RANKERS:
        return None
    alike = {
        one: {
            other for other in rankers if other != one and not is_different(one, other)
        }
        for one in rankers
    }
    groups = islice(_cliques(set(), set(alike), alike), len(ascii_letters) + 1)
    groups = sorted(sorted(map(rankers.index, group)) for group in groups)
    found = dict.fromkeys(rankers, "")
    for name, group in zip(ascii_letters, groups, strict=False):
        for place in group:
            found[rankers[place]] += name
    is_short = max(map(len, found.values())) <= LONGEST_LABEL
    return found if is_short and len(groups) <= len(ascii_letters) else None


def _cliques(group, candidates, alike, seen=frozenset()):
    """Yield the largest groups in which all are alike.

    C. Bron, J. Kerbosch, "Algorithm 457", Communications of the ACM 16 (1973). A group
    holds the pivot or one that is not like it, so that not all need to be tried.
    """
    candidates, seen = set(candidates), set(seen)
    if not candidates:
        if not seen:
            yield group
        return
    pivot = max(candidates | seen, key=lambda one: len(alike[one] & candidates))
    for one in sorted(candidates - alike[pivot]):
        near = alike[one]
        yield from _cliques(group | {one}, candidates & near, alike, seen & near)
        candidates.remove(one)
        seen.add(one)
