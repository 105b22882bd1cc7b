"""The metrics of a model over triples."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from skrank._checks import check_choice
from skrank.link_prediction._link_ranks import METRICS
from skrank.link_prediction._rank_triples import rank_in_batches
from skrank.link_prediction._words import share_words
from skrank.metrics._conventions import OF_RANKS

# AmpliGraph compares integers: the scores times 1000, truncated.
THOUSANDTHS = 1e3


@share_words
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
        If `X` holds duplicate triples (each is counted), or the candidates are a
        sample.

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
