"""The metrics of a model over triples."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from skrank._checks import check_choice
from skrank.link_prediction._link_ranks import METRICS
from skrank.link_prediction._rank_triples import rank_in_batches
from skrank.metrics._conventions import OF_RANKS

# AmpliGraph compares integers: the scores times 1000, truncated.
THOUSANDTHS = 1e3


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
    model : object
        Has the methods ``score_tails(X)`` and ``score_heads(X)``, which return scores
        of shape (n_triples, n_entities), larger is better. Its attribute `entities_`
        holds the ids of the columns; without it the ids are the column numbers.
        `relations_` (the ids) and `triples_` (the training triples) are read if the
        model has them.
    X : array-like of shape (n_triples, 3)
        The triples to evaluate: head, relation and tail, all integers or all text.
    known : "auto", None, array-like of shape (n_known, 3) or list of them, \
            default="auto"
        The triples whose entities are filtered out: another entity that completes a
        known triple is no candidate. "auto" takes the triples `X` and those that the
        model was trained on; triples given here are added to them. If None, nothing is
        filtered (the raw setting).
    sides : {"head", "tail"} or sequence of them, default=("head", "tail")
        Whether heads, tails or both are predicted.
    metrics : str, callable or list of them, \
            default=("mrr", "neg_mean_rank", "hits@1", "hits@3", "hits@10")
        Scorer names such as "mrr", "z_hits@10" or "neg_rank_standard_deviation";
        PyKEEN's names; or definitions of your own, as in
        :func:`skrank.metrics.evaluate`.
    ties : {"expected", "optimistic", "pessimistic", "realistic"}, default=None
        How ties are resolved. "expected" is the exact expectation over all orderings
        of the tied entities; "optimistic" and "pessimistic" take the best and the worst
        rank, "realistic" their mean. If None, the rule of `convention`, or "expected".
    average : {"rank", "question"}, default="rank"
        Whether each rank has the same weight, or each question, the pair (h, r) or
        (r, t): the weight of a rank is then one over the number of triples of `X` with
        its question.
    by : {"side", "relation", "category"}, default=None
        Evaluate each side, relation or category of relations separately. The
        categories are "1-1", "1-n", "n-1" and "n-n".
    candidates : array-like, dict or SampledNegatives, default=None
        The entities that the target is ranked with: an array of shape (n_candidates,)
        for all triples; a dict with the keys "head" and "tail" of such arrays, or of
        dicts with an array for each relation, as :func:`type_constraints` makes; or a
        sample. If None, all entities.
    batch_size : int or "auto", default="auto"
        How many triples the model scores at once. "auto" gives their scores 64 MiB.
    convention : {"pykeen", "ogb", "ampligraph"}, default=None
        Follow the rules of a library for ties.
    progress : bool, default=False
        Whether to show a progress bar, which needs the package tqdm.
    **params
        Further parameters of the metrics, such as ``adjusted=True``.

    Returns
    -------
    scores : dict of str to float, or dict of such dicts
        The value under each name, over the ranks of all sides. With `by`, one dict for
        each side, relation or category.

    Raises
    ------
    ValueError
        If a parameter has an invalid value, the shapes of the inputs do not match, a
        triple holds an entity or a relation that the model does not know, or the score
        of a candidate is NaN.
    TypeError
        If a parameter has the wrong type.

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
