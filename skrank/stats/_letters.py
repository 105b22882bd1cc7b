"""Letters for rankers that a comparison does not tell apart."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from itertools import count
from string import ascii_letters


def letters(rankers, is_different):
    """Return the letters of each ranker; two share one if they are not different.

    Parameters
    ----------
    rankers : list of str
        The rankers, the best first.
    is_different : callable
        Whether two rankers are told apart.

    Returns
    -------
    letters : dict of str to str
    """
    alike = {
        one: {
            other for other in rankers if other != one and not is_different(one, other)
        }
        for one in rankers
    }
    groups = sorted(
        sorted(map(rankers.index, group))
        for group in _cliques(set(), set(alike), alike)
    )
    # After a, ..., Z come a1, ..., Z1, a2 and so on, which no two letters look like.
    names = (letter + f"{i or ''}" for i in count() for letter in ascii_letters)
    found = dict.fromkeys(rankers, "")
    for name, group in zip(names, groups, strict=False):
        for place in group:
            found[rankers[place]] += name
    return found


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
