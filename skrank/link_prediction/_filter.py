"""The filter: the known answers to a question, the pair of an entity and a relation."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np


class KnownAnswers:
    """The entities that complete each pair of a given entity and a relation.

    They are kept in one sorted array, with the start of each pair, and found by
    bisection. All arguments are positions of ids.
    """

    def __init__(self, given, relation, answer, n_entities, n_relations):
        self._n_relations = n_relations
        self._pairs, pair = np.unique(
            given * n_relations + relation, return_inverse=True
        )
        key = np.unique(pair.reshape(-1) * n_entities + answer)
        pair, self._answers = np.divmod(key, n_entities)
        self._starts = np.searchsorted(pair, np.arange(len(self._pairs) + 1))

    def of(self, given, relation):
        """Return (row, answer): the known answers of each row, in ascending order."""
        asked = given * self._n_relations + relation
        if not len(self._pairs):
            return np.zeros(0, dtype=np.intp), self._answers
        place = np.searchsorted(self._pairs, asked)
        place = np.minimum(place, len(self._pairs) - 1)
        found = self._pairs[place] == asked
        start = self._starts[place]
        n_answers = np.where(found, self._starts[place + 1] - start, 0)
        row = np.repeat(np.arange(len(asked)), n_answers)
        first = np.cumsum(n_answers) - n_answers
        index = np.arange(len(row)) + np.repeat(start - first, n_answers)
        return row, self._answers[index]

    def per_pair(self):
        """Return the mean number of answers to the pairs of each relation."""
        relation = self._pairs % self._n_relations
        n_pairs = np.bincount(relation, minlength=self._n_relations)
        n_answers = np.bincount(
            relation, np.diff(self._starts), minlength=self._n_relations
        )
        return n_answers / np.maximum(n_pairs, 1)


def relation_categories(known):
    """Return the category of each relation: "1-1", "1-n", "n-1" or "n-n".

    A side is "n" if the pairs of an entity on the other side and the relation have 1.5
    or more different answers on average (Bordes et al. 2013). `known` holds the known
    answers of each side.
    """
    heads, tails = (
        np.where(known[side].per_pair() < 1.5, "1", "n") for side in ("head", "tail")
    )
    return np.char.add(np.char.add(heads, "-"), tails)
