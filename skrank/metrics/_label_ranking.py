"""The metrics that scikit-learn has for multilabel ranking: LRAP and ranking loss."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank._checks import check_flag
from skrank.metrics._agreement import query_auc
from skrank.metrics._average_precision import average_precision
from skrank.metrics._metric import ranking_metric


def label_ranking_average_precision(ranking, *, tied_together=False):
    """Return the average precision, of tied documents each or together."""
    if not check_flag(tied_together, "tied_together", "lrap_score"):
        return average_precision(ranking)
    # The precision at the last place of a tie group counts for its relevant documents.
    found = ranking._relevant_above + ranking.relevant
    precision = found / (ranking.above + ranking.size)
    total = ranking.total(ranking.relevant * precision)
    return ranking.where_relevant(total / np.maximum(ranking.n_relevant, 1))


@ranking_metric("lrap", label_ranking_average_precision, cutoff="never")
def lrap_score(
    y_true, y_score, *, qid=None, tied_together=False, threshold=0.0, ties="expected",
    replace_undefined_by=0.0, average="macro", adjusted=False, sample_weight=None,
    exclude=None, judged=None, returned=None,
):  # fmt: skip
    r"""Label ranking average precision (LRAP).

    The mean over the relevant documents of the fraction of relevant ones among the
    documents ranked at least as high. Without ties it is the average precision. Larger
    is better.

    Parameters
    ----------
    tied_together : bool, default=False
        Whether tied documents are ranked together, as in scikit-learn: each then has
        the precision at the last place of its tie group. It needs ``ties="expected"``;
        other policies leave no ties. `adjusted` then compares with the value with all
        documents tied.

    Returns
    -------
    score : float or ndarray of shape (n_queries,)
        Between 0 and 1. The best value is 1.0.

    See Also
    --------
    map_score : The same with cutoffs, and without `tied_together`.
    ranking_loss : The fraction of pairs in the wrong order.
    sklearn.metrics.label_ranking_average_precision_score : Of multilabel data.

    Notes
    -----
    With the score :math:`s_d` of document d, over the R relevant documents,

    .. math:: LRAP = \frac{1}{R} \sum_{d:\, l_d = 1}
        \frac{|\{e : l_e = 1, s_e \ge s_d\}|}{|\{e : s_e \ge s_d\}|}.

    scikit-learn uses this formula also for ties, where it is no expectation and can
    exceed the value of every ordering: pass ``tied_together=True``. It scores a query
    without a relevant document 1: pass ``replace_undefined_by=1.0``. Here such a query
    is undefined.

    Examples
    --------
    >>> from skrank.metrics import lrap_score
    >>> lrap_score([1, 0, 1], [3, 2, 1])
    0.8333333333333333
    >>> lrap_score([1, 0], [1, 1])
    0.75
    >>> lrap_score([1, 0], [1, 1], tied_together=True)
    0.5
    """


def pairs_lost(ranking):
    """Return the fraction of (relevant, non-relevant) pairs in the wrong order."""
    return 1 - query_auc(ranking)


@ranking_metric("ranking_loss", pairs_lost, cutoff="never", greater_is_better=False)
def ranking_loss(
    y_true, y_score, *, qid=None, threshold=0.0, ties="expected",
    replace_undefined_by=np.nan, average="macro", adjusted=False, sample_weight=None,
    exclude=None, judged=None, returned=None,
):  # fmt: skip
    r"""Ranking loss: the fraction of pairs in the wrong order.

    Of the pairs of a relevant and a non-relevant document. Smaller is better, so the
    scorer is named "neg_ranking_loss" and has a minus sign.

    Returns
    -------
    loss : float or ndarray of shape (n_queries,)
        Between 0 and 1. The best value is 0.0.

    See Also
    --------
    query_auc_score : One minus the ranking loss.
    lrap_score : For the relevant documents at the top.
    sklearn.metrics.label_ranking_loss : Of multilabel data.

    Notes
    -----
    With R relevant and N non-relevant documents,

    .. math:: \frac{1}{R N} \sum_{u, v} \left([s_u < s_v]
        + \tfrac{1}{2} [s_u = s_v]\right)

    over relevant u and non-relevant v. scikit-learn counts a tied pair as wrong: pass
    ``ties="pessimistic"``. It scores a query whose documents are all relevant, or all
    non-relevant, 0: pass ``replace_undefined_by=0.0``. Here such a query is undefined,
    and left out of the mean.

    Examples
    --------
    >>> from skrank.metrics import ranking_loss
    >>> ranking_loss([0, 1, 0], [3, 2, 1])
    0.5
    >>> ranking_loss([0, 1, 0], [2, 2, 1])
    0.25
    >>> ranking_loss([0, 1, 0], [2, 2, 1], ties="pessimistic")
    0.5
    """
