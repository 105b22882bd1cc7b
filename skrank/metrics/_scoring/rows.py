"""The rows that scorers score, for the values of their queries."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from skrank._checks import shown
from skrank._columns import find_qid, require_qid
from skrank.metrics._answer import Arrays
from skrank.metrics._scoring.scored import RequestedMetrics
from skrank.metrics._scoring.scorer import RankingScorer, get_scorer


@dataclass(frozen=True)
class ReadScoring:
    """What some scorers score, and the metadata that they request.

    In the place of a scorer in cross-validation, it requests the same metadata and
    scores nothing.
    """

    requests: list
    scorer: RankingScorer

    def get_metadata_routing(self):
        """Return the requests for metadata."""
        return self.scorer.get_metadata_routing()

    def __call__(self, estimator, X, y, **metadata):
        """Return 0, whatever the estimator predicts."""
        return 0.0

    def metadata(self, params):
        """Return the metadata among `params`, by the names that scorers have for it."""
        asked = self.get_metadata_routing().score.requests
        names = {
            name: alias if isinstance(alias, str) else name
            for name, alias in asked.items()
            if alias
        }
        return {name: params[own] for name, own in names.items() if own in params}


def read_scoring(scoring, caller):
    """Return the :class:`ReadScoring` of scorer names and scorers of skrank.

    They are one of these, a list of them, or a dict by name. Errors name the `caller`.
    """
    if isinstance(scoring, Mapping):
        named = list(scoring.items())
    else:
        is_list = isinstance(scoring, (list, tuple))
        named = [(None, one) for one in (scoring if is_list else [scoring])]
    if not named:
        raise ValueError(f"{caller} needs at least one metric. Got {shown(scoring)}.")
    requests, scorers = [], []
    for name, one in named:
        scorer = get_scorer(one) if isinstance(one, str) else one
        scored = getattr(scorer, "_score_func", None)
        if not isinstance(scored, RequestedMetrics) or (name and scored.is_list):
            raise ValueError(
                f"The 'scoring' parameter of {caller} must be a scorer name of skrank, "
                "a scorer of make_ranking_scorer for such names or for a function of a "
                "ranking, or a list or dict of these. Only such scorers have a value "
                f"for each query. Got {shown(one)} instead."
            )
        scorers.append(scorer)
        lower = "neg_" if scorer._sign < 0 else ""
        requests += [
            request._replace(
                key=name or lower + request.key, sign=scorer._sign * request.sign
            )
            for request in scored.requests
        ]
    asked = [scorer.get_metadata_routing().score.requests for scorer in scorers]
    if any(other != asked[0] for other in asked):
        raise ValueError(
            f"All scorers of {caller} must request the same metadata, since the values "
            f"of a query have one weight. Got {asked}."
        )
    return ReadScoring(requests, scorers[0])


class RowScorer:
    """Returns what a scorer of skrank reads: the scores and query ids of rows.

    It warns as scorers do. Use one for all test sets of an estimator, so that it
    notices split queries.
    """

    def __init__(self, caller):
        self._scorer = RankingScorer(_Rows(caller))

    def __call__(self, estimator, X, y, **metadata):
        """Return the :class:`Arrays` of the rows; their `qid` is a :class:`Heads`."""
        return Arrays(**self._scorer(estimator, X, y, **metadata))


def predict_scores(estimator, X, y, qid, caller):
    """Return the scores by which fitted estimators rank, and the query ids of the rows.

    Parameters
    ----------
    estimator : estimator instance or dict of them
        Fitted estimators by name. One alone is named after its class.
    X, y, qid : array-like
        The rows, as a scorer takes them.
    caller : str
        The name that errors begin with.

    Returns
    -------
    y_score : dict of str to ndarray of shape (n_samples,)
        The scores by name.
    qid : ndarray of shape (n_samples,) or None
        The query ids; None without an estimator.
    """
    if not isinstance(estimator, Mapping):
        estimator = {type(estimator).__name__: estimator}
    y_score, found = {}, None
    for name, one in estimator.items():
        rows = RowScorer(caller)(one, X, y, qid=qid)
        found = rows.qid if found is None else found
        check_same_ids(found, rows.qid, name, caller)
        y_score[name] = rows.y_score
    return y_score, None if found is None else found.ids[found.of_rows()]


def check_same_ids(one, other, name, caller):
    """Raise if an estimator finds other query ids than the first one did."""
    if not np.array_equal(one.ids[one.of_rows()], other.ids[other.of_rows()]):
        raise ValueError(
            f"All estimators of {caller} must have the same query ids. Got other ids "
            f"for {name!r}, from a column that it reads: pass `qid`."
        )


class _Rows:
    """Rows in the place of a value, with the call of a scored metric."""

    reads_heads = True

    def __init__(self, caller):
        self.text = caller

    def __call__(self, y_true, y_score, *, qid=None, sample_weight=None):
        qid = require_qid(find_qid(qid, y=y_true), self.text)
        return {
            "y_true": y_true,
            "y_score": y_score,
            "qid": qid,
            "sample_weight": sample_weight,
        }
