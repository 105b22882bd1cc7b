"""Evaluation of link predictors, and scorers for them."""

# SPDX-License-Identifier: BSD-3-Clause

from skrank._checks import check_choice, shown
from skrank._docs import share_link_words
from skrank.link_prediction.ranking import rank_in_batches
from skrank.link_prediction.ranks import METRICS, check_options, read_rank_requests
from skrank.metrics.conventions import OF_RANKS
from skrank.metrics.evaluation import check_direction

# AmpliGraph compares integers: the scores times 1000, truncated.
THOUSANDTHS = 1e3


@share_link_words
def evaluate_link_prediction(
    model,
    X,
    *,
    known="auto",
    sides=("head", "tail"),
    metrics=METRICS,
    ties=None,
    average="rank",
    by=None,
    candidates=None,
    batch_size="auto",
    convention=None,
    progress=False,
    **params,
):
    """Evaluate a model that predicts the missing entities of triples.

    For each triple (h, r, t) the model ranks all entities as the tail of (h, r, ?) and
    as the head of (?, r, t). The metrics summarize the ranks of the targets t and h.

    Parameters
    ----------
    **params
        Further parameters of the metrics, such as ``adjusted=True``.

    Returns
    -------
    scores : dict of str to float, or dict of such dicts
        The value under each name, over the ranks of all sides. With `by`, one dict for
        each side, relation or category.

    Warns
    -----
    UserWarning
        If `X` holds duplicate triples (each is counted), if the candidates are a
        sample, or if the model has no `triples_` and `known` probably does not hold its
        training triples either.

    See Also
    --------
    rank_triples : The ranks themselves.
    make_link_prediction_scorer : The same for model selection.
    skrank.metrics.evaluate : Metrics of given labels and scores.

    Notes
    -----
    One batch of scores is held at a time. The memory needed besides that of the model
    is ``batch_size * n_entities * (s + 1)`` bytes for scores of s bytes, with
    ``batch_size = max(1, 2 ** 26 // (8 * n_entities))`` if it is "auto", and at most
    128 bytes for each known triple.

    Duplicate triples of `X` each count, as in PyKEEN. The target is always a candidate,
    even if `known` or `candidates` leave it out.

    Examples
    --------
    >>> from skrank.datasets import load_nations
    >>> from skrank.link_prediction import PopularityPredictor
    >>> from skrank.link_prediction import evaluate_link_prediction
    >>> nations = load_nations()
    >>> model = PopularityPredictor().fit(nations.train)
    >>> evaluate_link_prediction(
    ...     model, nations.test, known=nations.valid, metrics=["mrr", "hits@10"]
    ... )
    {'mrr': 0.5644..., 'hits@10': 0.9653...}
    >>> evaluate_link_prediction(
    ...     model, nations.test, known=nations.valid, metrics="mrr", by="side"
    ... )
    {'head': {'mrr': 0.5723...}, 'tail': {'mrr': 0.5566...}}
    """
    caller = "evaluate_link_prediction"
    check_choice(convention, {*OF_RANKS, None}, "convention", caller)
    quantum = THOUSANDTHS if convention == "ampligraph" else None
    ranks = rank_in_batches(
        model, X, known, sides, candidates, batch_size, progress, quantum
    )
    options = {"ties": ties, "average": average, "by": by, "convention": convention}
    return ranks.evaluate(metrics, **options, **params)


CALLER = "make_link_prediction_scorer"


@share_link_words
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
