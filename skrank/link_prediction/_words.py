"""The words that the docstrings of evaluation share."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from functools import partial

from skrank.metrics import _words

PARAMETERS = _words.read_entries("""
model : object
    Has the methods ``score_tails(X)`` and ``score_heads(X)``, which return scores of
    shape (n_triples, n_entities), larger is better. Its attribute `entities_` holds the
    ids of the columns; without it the ids are the column numbers. `relations_` (the
    ids) and `triples_` (the training triples) are read if the model has them.
X : array-like of shape (n_triples, 3)
    The triples to evaluate: head, relation and tail, all integers or all text.
known : "auto", None, array-like of shape (n_known, 3) or list of them, default="auto"
    The triples whose entities are filtered out: another entity that completes a known
    triple is no candidate. "auto" takes the evaluated triples and those that the model
    was trained on; triples given here are added to them. If None, nothing is filtered
    (the raw setting).
sides : {"head", "tail"} or sequence of them, default=("head", "tail")
    Whether heads, tails or both are predicted.
metrics : str, callable or list of them, \
    default=("mrr", "neg_mean_rank", "hits@1", "hits@3", "hits@10")
    Scorer names such as "mrr", "z_hits@10" or "neg_rank_standard_deviation"; PyKEEN's
    names; or definitions of your own, as in :func:`skrank.metrics.evaluate`.
ties : {"expected", "optimistic", "pessimistic", "realistic"}, default=None
    How ties are resolved. "expected" is the exact expectation over all orderings of the
    tied entities; "optimistic" and "pessimistic" take the best and the worst rank,
    "realistic" their mean. If None, the rule of `convention`, or "expected".
average : {"rank", "question"}, default="rank"
    Whether each rank has the same weight, or each question, the pair (h, r) or (r, t):
    the weight of a rank is then one over the number of evaluated triples with its
    question.
by : {"side", "relation", "category"}, default=None
    Evaluate each side, relation or category of relations separately. The categories are
    "1-1", "1-n", "n-1" and "n-n".
candidates : array-like, dict or SampledNegatives, default=None
    The entities that the target is ranked with: an array of shape (n_candidates,) for
    all triples; a dict with the keys "head" and "tail" of such arrays, or of dicts with
    an array for each relation, as :func:`type_constraints` makes; or a sample. If None,
    all entities.
batch_size : int or "auto", default="auto"
    How many triples the model scores at once. "auto" gives their scores 64 MiB.
convention : {"pykeen", "ogb", "ampligraph"}, default=None
    Follow the rules of a library for ties.
progress : bool, default=False
    Whether to show a progress bar, which needs the package tqdm.
""")

RAISES = """
Raises
------
ValueError
    If a parameter has an invalid value, the shapes of the inputs do not match, a triple
    holds an entity or a relation that the model does not know, or the score of a
    candidate is NaN.
TypeError
    If a parameter has the wrong type.
"""


def _describe(name, default):
    return PARAMETERS[name]


share_words = partial(_words.share_words, describe=_describe, raises=RAISES)
