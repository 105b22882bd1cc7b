"""Letters for rankers that a comparison does not tell apart."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from itertools import product
from string import ascii_lowercase


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
    names = [*ascii_lowercase, *map("".join, product(ascii_lowercase, repeat=2))]
    found = dict.fromkeys(rankers, "")
    for name, group in zip(names, groups, strict=False):
        for place in group:
            found[rankers[place]] += name
    return found


def _cliques(group, candidates, alike, seen=frozenset()):
    """Yield the largest groups in which all are alike.

    C. Bron, J. Kerbosch, "Algorithm 457", Communications of the ACM 16 (1973).
    """
    if not candidates and not seen:
        yield group
    candidates, seen = set(candidates), set(seen)
    for one in sorted(candidates):
        near = alike[one]
        yield from _cliques(group | {one}, candidates & near, alike, seen & near)
        candidates.remove(one)
        seen.add(one)
