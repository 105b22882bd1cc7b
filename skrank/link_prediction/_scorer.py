"""Scorers for link predictors, with options of their own."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from skrank._checks import shown
from skrank.link_prediction._evaluate import evaluate_link_prediction
from skrank.link_prediction._link_ranks import check_options
from skrank.link_prediction._summaries import read_rank_requests
from skrank.link_prediction._words import share_words
from skrank.metrics._evaluate import check_direction

CALLER = "make_link_prediction_scorer"


@share_words
def make_link_prediction_scorer(
    metric,
    *,
    known="auto",
    sides=("head", "tail"),
    ties=None,
    average="rank",
    candidates=None,
    batch_size="auto",
    convention=None,
    **params,
):
    """Make a scorer of link predictors.

    A scorer has the signature ``scorer(estimator, X, y=None)`` and is taken wherever
    scikit-learn takes `scoring`; larger is always better. Names alone, as in
    ``scoring="mrr"``, score link predictors as well: this function is for the options.

    Parameters
    ----------
    metric : str or list of str
        A name, as in :func:`evaluate_link_prediction`. The scorer of a list returns a
        dict with a value per name, all from one scoring.
    **params
        Further parameters of the metrics, such as ``adjusted=True``.

    Returns
    -------
    scorer : callable
        The scorer.

    Raises
    ------
    ValueError
        If a name or the value of a parameter is not known.
    TypeError
        If `metric` is no name and no list of names.

    See Also
    --------
    evaluate_link_prediction : The same metrics without an estimator's folds.
    skrank.model_selection.TripleShuffleSplit : Folds for it.

    Examples
    --------
    >>> from sklearn.model_selection import cross_val_score
    >>> from skrank.datasets import load_nations
    >>> from skrank.link_prediction import PopularityPredictor
    >>> from skrank.link_prediction import make_link_prediction_scorer
    >>> from skrank.model_selection import TripleShuffleSplit
    >>> cv = TripleShuffleSplit(2, random_state=0)
    >>> X = load_nations().train
    >>> tails = make_link_prediction_scorer("mrr", sides="tail", ties="realistic")
    >>> cross_val_score(PopularityPredictor(), X, cv=cv, scoring=tails)
    array([0.5..., 0.5...])
    """
    named = [metric] if isinstance(metric, str) else metric
    is_list = isinstance(named, (list, tuple)) and len(named)
    if not is_list or not all(isinstance(name, str) for name in named):
        raise TypeError(
            f"The 'metric' parameter of {CALLER} must be a str or a list of str. "
            f"Got {shown(metric)} instead."
        )
    check_options(CALLER, ties=ties, average=average, convention=convention)
    for request in read_rank_requests(list(named), params, CALLER):
        check_direction(request)
    options = {
        "known": known,
        "sides": sides,
        "ties": ties,
        "average": average,
        "candidates": candidates,
        "batch_size": batch_size,
        "convention": convention,
        **params,
    }
    return LinkPredictionScorer(metric, options)


class LinkPredictionScorer:
    """A scorer that ranks the heads and tails of triples."""

    def __init__(self, metric, options):
        self.metric = metric
        self.options = options

    def __call__(self, estimator, X, y=None):
        """Return the score of a fitted link predictor, or a dict of several scores."""
        scores = evaluate_link_prediction(
            estimator, X, metrics=self.metric, **self.options
        )
        return scores[self.metric] if isinstance(self.metric, str) else scores

    def __repr__(self):
        shown = "".join(
            f", {name}={value!r}"
            for name, value in self.options.items()
            if value is not None and name in ("ties", "average", "convention")
        )
        return f"{CALLER}({self.metric!r}{shown})"
