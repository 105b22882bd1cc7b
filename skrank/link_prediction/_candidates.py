"""The entities among which the right one is ranked."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import warnings
from numbers import Integral

import numpy as np
from sklearn.utils import check_random_state

from skrank._ranking.count import count_around_target
from skrank.link_prediction._sampled_negatives import (
    count_negatives,
    draw_negatives,
)
from skrank.link_prediction._triple_ids import (
    HEAD,
    RELATION,
    SIDES,
    TAIL,
    as_ids,
    read_triples,
)


class SampledNegatives:
    """Rank each right entity among a sample of the other candidates only.

    Passed as `candidates` to :func:`evaluate_link_prediction`. With m negatives of n
    candidates a rank r among the sample is taken for 1 + (n - 1) (r - 1) / m, which is
    the rank among all candidates in expectation.

    Parameters
    ----------
    negatives : int, array-like or dict, default=50
        How many to draw for each triple and side, uniformly and with replacement; or
        the entities themselves, of shape (n_triples, n_negatives), or a dict of such
        arrays with the keys "head" and "tail". Known answers among them, and the right
        one, are left out.
    estimate : bool, default=True
        Whether to estimate the rank among all candidates. With False the sample is all
        there is, as in the leader boards of OGB.
    random_state : int, RandomState instance or None, default=None
        The seed of the draws. Pass an int to draw the same negatives at each call.

    Warns
    -----
    UserWarning
        When ranks are computed: metrics of a sample can put two models in the order
        opposite to that of the same metrics over all candidates [1]_.

    See Also
    --------
    evaluate_link_prediction : Where it is used.
    type_constraints : Fewer candidates, but none left to chance.

    Notes
    -----
    The estimate of the rank is unbiased, and so is the mean rank. The mean of any other
    function of the rank is not: MRR and Hits@k of estimated ranks are biased still,
    though far less than those of the ranks in the sample.

    References
    ----------
    .. [1] W. Krichene and S. Rendle, "On Sampled Metrics for Item Recommendation",
       KDD 2020.

    Examples
    --------
    >>> import warnings
    >>> from skrank.datasets import load_nations
    >>> from skrank.link_prediction import PopularityPredictor, SampledNegatives
    >>> from skrank.link_prediction import evaluate_link_prediction
    >>> nations = load_nations()
    >>> model = PopularityPredictor().fit(nations.train)
    >>> sample = SampledNegatives(5, random_state=0)
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     scores = evaluate_link_prediction(
    ...         model, nations.test, metrics=["neg_mean_rank"], candidates=sample
    ...     )
    >>> -3.5 < scores["neg_mean_rank"] < -2.5
    True
    """

    def __init__(self, negatives=50, *, estimate=True, random_state=None):
        self.negatives = negatives
        self.estimate = estimate
        self.random_state = random_state

    def __repr__(self):
        drawn = isinstance(self.negatives, Integral)
        shown = self.negatives if drawn else "..."
        return f"SampledNegatives({shown}, estimate={self.estimate})"


def type_constraints(X):
    """Return which entities each relation was seen with, at the head and at the tail.

    Parameters
    ----------
    X : array-like of shape (n_triples, 3)
        Triples, those of training as a rule.

    Returns
    -------
    candidates : dict
        ``{"head": {relation: entities}, "tail": {relation: entities}}``, in the form
        that :func:`evaluate_link_prediction` takes as `candidates`.

    See Also
    --------
    evaluate_link_prediction : Where it is used.

    Examples
    --------
    >>> from skrank.link_prediction import type_constraints
    >>> seen = type_constraints([["anna", "likes", "tea"], ["bert", "likes", "tea"]])
    >>> {side: seen[side]["likes"].tolist() for side in seen}
    {'head': ['anna', 'bert'], 'tail': ['tea']}
    """
    triples = read_triples(X)
    found = {}
    for side, column in (("head", HEAD), ("tail", TAIL)):
        pairs = np.unique(triples[:, [RELATION, column]], axis=0)
        relations, first = np.unique(pairs[:, 0], return_index=True)
        parts = np.split(pairs[:, 1], first[1:])
        found[side] = dict(zip(relations.tolist(), parts, strict=True))
    return found


class AllEntities:
    """Every entity is a candidate."""

    n_negatives = None

    def count(self, scores, batch, relation, target, out_row, out_column):
        """Return (above, tied, n_candidates, n_negatives) of a batch of rows."""
        return *count_around_target(scores, target, out_row, out_column), None


class EntitySets:
    """Each relation has its candidates.

    Parameters
    ----------
    allowed : ndarray of bool of shape (n_entities,), or dict of int to ndarray of int
        The candidates of all relations, or the columns of those of each.
    """

    def __init__(self, allowed):
        self.allowed = allowed

    def count(self, scores, batch, relation, target, out_row, out_column):
        """Return (above, tied, n_candidates, n_negatives) of a batch of rows."""
        allowed = self.allowed
        if isinstance(allowed, dict):
            kinds, kind = np.unique(relation, return_inverse=True)
            columns = [self.allowed[one] for one in kinds.tolist()]
            allowed = np.zeros((len(kinds), scores.shape[1]), dtype=bool)
            allowed[
                np.repeat(np.arange(len(kinds)), list(map(len, columns))),
                np.concatenate(columns),
            ] = True
            allowed = allowed[kind.reshape(-1)]
        return *count_around_target(scores, target, out_row, out_column, allowed), None


class Sample:
    """Some candidates of each row.

    Parameters
    ----------
    negatives : int or ndarray of shape (n_triples, n_negatives)
        How many to draw, or their columns.
    estimate : bool
        Whether the sample stands for all candidates.
    rng : RandomState
        What draws them.
    """

    def __init__(self, negatives, estimate, rng):
        self.negatives = negatives
        self.estimate = estimate
        self.rng = rng

    def count(self, scores, batch, relation, target, out_row, out_column):
        """Return (above, tied, n_candidates, n_negatives) of a batch of rows."""
        out = out_row, out_column
        if isinstance(self.negatives, int):
            size = scores.shape[1]
            negatives = draw_negatives(self.rng, self.negatives, target, *out, size)
        else:
            negatives = self.negatives[batch]
        above, tied, n_candidates, n_negatives = count_negatives(
            scores, target, *out, negatives
        )
        if not self.estimate:
            return above, tied, n_negatives + 1, None
        return above, tied, n_candidates, n_negatives


def read_candidates(candidates, sides, entities, relations, relation, n_triples):
    """Return what counts the candidates of each side, by side.

    Parameters
    ----------
    candidates : None, array-like, dict or SampledNegatives
        As in :func:`evaluate_link_prediction`.
    sides : list of str
        The sides that are evaluated.
    entities, relations : Vocabulary
        The ids that the model knows.
    relation : ndarray of shape (n_triples,)
        The relation of each triple that is evaluated.
    n_triples : int
        How many these are.
    """
    if candidates is None:
        return {side: AllEntities() for side in sides}
    if isinstance(candidates, SampledNegatives):
        return _read_sample(candidates, sides, entities, n_triples)
    return {
        side: _read_sets(_of_side(candidates, side), entities, relations, relation)
        for side in sides
    }


def _of_side(given, side):
    """Return what is given for a side, if sides are told apart."""
    if not isinstance(given, dict):
        return given
    if not set(given) <= set(SIDES) or side not in given:
        raise ValueError(
            "A dict of candidates must have the keys 'head' and 'tail', one for each "
            f"side that is evaluated. Got {sorted(map(str, given))} for {side!r}."
        )
    return given[side]


def _read_sets(given, entities, relations, relation):
    if not isinstance(given, dict):
        columns = _columns(given, entities, ndim=1)
        if not len(columns):
            raise ValueError(
                f"{len(relation)} triples have no candidates: the 'candidates' "
                "parameter is empty."
            )
        allowed = np.zeros(len(entities), dtype=bool)
        allowed[columns] = True
        return EntitySets(allowed)
    allowed = {}
    for name, ids in given.items():
        (code,) = relations.encode(as_ids([name], "candidates"), "candidates").tolist()
        allowed[code] = _columns(ids, entities, ndim=1)
    asked, n_asked = np.unique(relation, return_counts=True)
    empty = [not len(allowed.get(code, ())) for code in asked.tolist()]
    if any(empty):
        names = relations.ids[asked[empty]][:5].tolist()
        raise ValueError(
            f"{n_asked[empty].sum()} triples have no candidates: the 'candidates' "
            f"parameter has none for {sum(empty)} of their relations, such as "
            f"{', '.join(map(repr, names))}."
        )
    return EntitySets(allowed)


def _columns(ids, entities, ndim):
    ids = np.asarray(ids) if np.size(ids) == 0 else as_ids(ids, "candidates")
    if ids.ndim != ndim:
        shape = "(n_candidates,)" if ndim == 1 else "(n_triples, n_negatives)"
        raise ValueError(
            "The 'candidates' parameter must hold entities, an array of shape "
            f"{shape}. Got shape {ids.shape}."
        )
    if not ids.size:
        return np.zeros(ids.shape, dtype=np.intp)
    return entities.encode_all(ids, "candidates")


def _read_sample(sample, sides, entities, n_triples):
    negatives = sample.negatives
    rng = check_random_state(sample.random_state)
    drawn = isinstance(negatives, Integral) and not isinstance(negatives, bool)
    if drawn and negatives < 1:
        raise ValueError(f"negatives == {negatives}, must be >= 1.")
    found = {}
    for side in sides:
        columns = int(negatives) if drawn else _of_side(negatives, side)
        if not drawn:
            columns = _columns(columns, entities, ndim=2)
            if len(columns) != n_triples or not columns.size:
                raise ValueError(
                    "Negatives must be an array of shape (n_triples, n_negatives) with "
                    f"{n_triples} rows. Got shape {columns.shape}."
                )
        found[side] = Sample(columns, sample.estimate, rng)
    what = (
        "Ranks are estimated from a sample of the candidates: the mean rank is "
        "unbiased, MRR and Hits@k are not."
        if sample.estimate
        else "Ranks are those among a sample of the candidates."
    )
    warnings.warn(
        f"{what} Metrics of a sample can put two models in the opposite order. Rank "
        "all candidates where that matters (candidates=None).",
        UserWarning,
        stacklevel=5,
    )
    return found
