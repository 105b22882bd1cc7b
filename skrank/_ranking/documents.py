"""What ranked queries ask of their documents, and queries that have one target each."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from skrank._checks import check_weights


class Missing(NamedTuple):
    """Judged documents that the system did not return.

    The query and the grade of each relevant one, and the number of judged
    non-relevant ones of each query.
    """

    query: np.ndarray
    grade: np.ndarray
    n_others: np.ndarray


class Documents(Protocol):
    """What :class:`~skrank.metrics.RankedQueries` asks of the documents it ranks.

    Attributes
    ----------
    ids : ndarray of shape (n_queries,)
        The query ids. Arrays with one entry per query are in this order.

    judged : ndarray of bool or None
        Which documents have a grade; None if all have one.

    missing : Missing or None
        Judged documents that were not returned; None if there may be none.
    """

    ids: np.ndarray
    judged: np.ndarray | None
    missing: Missing | None

    def n_documents(self):
        """Return the number of documents of each query."""

    def n_relevant(self):
        """Return the number of relevant documents of each query."""

    def count_grades(self):
        """Count the relevant documents of each query by grade.

        Returns
        -------
        query, grade, count : ndarray
            In the order of `ids`, the highest grade of a query first.
        """

    def grade_range(self):
        """Return the lowest grade of the input and the highest relevant one.

        0 instead of the lowest if none is negative, and of the highest if there is no
        relevant document.
        """

    def judged_only(self):
        """Return the judged documents alone."""

    def returned_only(self):
        """Return the same documents, with none missing."""

    def by_judgement(self):
        """Return the same documents, the judged ones being the relevant ones."""

    def query_weights(self, sample_weight):
        """Return one weight per query."""


@dataclass(frozen=True, eq=False)
class OneTarget:
    """Queries that have one relevant document each, the target, of grade 1.

    All documents are judged, and none is missing.

    Attributes
    ----------
    ids : ndarray of shape (n_queries,)
        The positions of the queries.
    n_candidates : ndarray of shape (n_queries,)
        The number of documents of each query, the target included.
    """

    ids: np.ndarray
    n_candidates: np.ndarray
    judged = None
    missing = None

    def n_documents(self):
        """Return the number of documents of each query."""
        return self.n_candidates

    def n_relevant(self):
        """Return 1 for each query."""
        return np.ones(len(self.ids), dtype=np.intp)

    def count_grades(self):
        """Return (query, grade, count): one document of grade 1 for each query."""
        return self.ids, np.ones(len(self.ids)), self.n_relevant()

    def grade_range(self):
        """Return (0, 1), the grade of the targets and that of all others."""
        return 0, 1.0

    def judged_only(self):
        """Return the same documents."""
        return self

    returned_only = by_judgement = judged_only

    def query_weights(self, sample_weight):
        """Return one weight per query."""
        return check_weights(sample_weight, len(self.ids), "query")


@dataclass(frozen=True, eq=False)
class Candidates(OneTarget):
    """A row of candidates for each query, one of them the target.

    Attributes
    ----------
    y_score : ndarray of shape (n_queries, n_columns)
        The scores, not yet checked: they may be larger than the memory.
    target : ndarray of int of shape (n_queries,)
        The column of each target.
    exclude : csr_matrix of shape (n_queries, n_columns) or None
        The cells to leave out, unless they are targets.
    """

    y_score: np.ndarray
    target: np.ndarray
    exclude: object
