"""Metrics of the rank of the first relevant document."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank._engine.answer import ranking_metric
from skrank._engine.summary import (
    pooled_geometric_mean,
    pooled_harmonic_mean,
    pooled_median,
)


@ranking_metric(
    "mrr",
    reads_first_rank=True,
    adjustable=True,
    variants={
        "adjusted_mrr": {"adjusted": True},
    },
)
def mrr_score(ranking, *, k=None):
    r"""Mean reciprocal rank (MRR).

    The reciprocal rank of a query is one over the rank of its first relevant
    document. Larger is better.

    See Also
    --------
    mean_rank : The arithmetic mean of the same ranks.
    hits_at_k_score : The fraction of queries whose first relevant rank is at most k.
    map_score : Takes all relevant documents into account.

    Notes
    -----
    For a query whose first relevant document has rank :math:`r` [1]_,

    .. math:: RR@k = \frac{1}{r} \text{ if } r \le k \text{, else } 0.

    If r of n tied documents are relevant and t documents rank above them, the first
    relevant one has rank t + j with probability C(n - j, r - 1) / C(n, r), the negative
    hypergeometric law; the expectation is the sum over j [2]_. ``ties="realistic"``,
    PyKEEN's convention, is the reciprocal of the mean of the best and the worst rank
    instead. A query without a relevant document is undefined.

    As a scorer, ``"adjusted_mrr"`` (AMRR) is the metric with ``adjusted=True`` [3]_; it
    leaves out queries without a relevant document. For one relevant document among n
    the chance level is :math:`E = \frac{1}{n} \sum_{j=1}^{\min(k, n)} \frac{1}{j}`; it
    is averaged over the queries before the comparison.

    References
    ----------
    .. [1] E. M. Voorhees,
       "The TREC-8 Question Answering Track Report", TREC-8, 1999.
    .. [2] McSherry and Najork (2008)
    .. [3] Hoyt et al. (2022)

    Examples
    --------
    >>> from skrank.metrics import mrr_score
    >>> mrr_score([1, 0, 0, 0, 1, 0], [4, 3, 2, 1, 5, 9], qid=[7, 7, 7, 7, 8, 8])
    0.75
    >>> mrr_score([0, 0, 1], [3, 2, 1], k=2)
    0.0
    >>> mrr_score([0, 1], [1, 1])
    0.75
    """
    return ranking.expected_at_first(lambda rank: 1 / rank, k)


@ranking_metric(
    "hits",
    cutoff="required",
    reads_first_rank=True,
    adjustable=True,
    variants={
        "adjusted_hits": {"adjusted": True},
    },
)
def hits_at_k_score(ranking, *, k):
    r"""Fraction of queries with a relevant document in the top k (Hits@k).

    Also known as hit rate or success at k. Larger is better.

    See Also
    --------
    mrr_score : The mean of one over the rank of the first relevant document.
    recall_at_k_score : The fraction of the relevant documents in the top k.

    Notes
    -----
    For a query whose first relevant document has rank :math:`r` [1]_,

    .. math:: Hits@k = 1 \text{ if } r \le k \text{, else } 0.

    If r of n tied documents are relevant and j of their places are in the top k, the
    expectation is 1 - C(n - r, j) / C(n, j). Some libraries give this name to the
    number of relevant documents in the top k. A query without a relevant document is
    undefined.

    As a scorer, ``"adjusted_hits@k"`` (AH@k), for any k, is the metric with
    ``adjusted=True`` [2]_; it leaves out queries without a relevant document. For R
    relevant documents among n, :math:`E = 1 - \binom{n - k}{R} / \binom{n}{R}`.

    References
    ----------
    .. [1] A. Bordes, N. Usunier, A. Garcia-Duran, J. Weston and O. Yakhnenko,
       "Translating Embeddings for Modeling Multi-relational Data", NeurIPS 2013.
    .. [2] Hoyt et al. (2022)

    Examples
    --------
    >>> from skrank.metrics import hits_at_k_score
    >>> hits_at_k_score([0, 1, 0, 1], [2, 1, 1, 2], qid=[7, 7, 8, 8], k=1)
    0.5
    >>> hits_at_k_score([0, 1, 0], [1, 1, 1], k=2)
    0.6666666666666666
    """
    # 1 - C(n - r, j) / C(n, j) if r of n tied documents are relevant and j of their
    # places are in the top k: not all of these j documents are non-relevant.
    return ranking.expected_at_first(np.ones_like, k)


@ranking_metric(
    "mean_rank",
    cutoff="never",
    greater_is_better=False,
    limits=(1, np.inf),
    reads_first_rank=True,
    adjustable=True,
    variants={
        "adjusted_mean_rank": {"adjusted": "ratio"},
        "adjusted_mean_rank_index": {"adjusted": True},
    },
    inverse_name="inverse_mean_rank",
)
def mean_rank(ranking):
    r"""Mean rank of the first relevant document (MR).

    It depends mostly on the queries with the worst ranks. Smaller is better; as a
    scorer it is ``"neg_mean_rank"``.

    See Also
    --------
    mrr_score : The mean of one over that rank, which a single bad rank hardly changes.
    median_rank : The median of the same ranks.
    geometric_mean_rank : The geometric mean of the same ranks.

    Notes
    -----
    If r of n tied documents are relevant and t documents rank above them, the first
    relevant one has the expected rank

    .. math:: t + \frac{n + 1}{r + 1}.

    A query without a relevant document is undefined and left out of the mean.

    As scorers, ``"neg_adjusted_mean_rank"`` (AMR) is minus the metric with
    ``adjusted="ratio"``, MR / E; ``"adjusted_mean_rank_index"`` (AMRI) the metric with
    ``adjusted=True``, 1 - (MR - 1) / (E - 1) [1]_; ``"inverse_mean_rank"`` is 1 / MR,
    with the expected MR if there are ties. Larger is better for all three. For R
    relevant documents among n, :math:`E = (n + 1) / (R + 1)`.

    MR and E are averaged over the queries first. At chance level AMR is 1 and AMRI is
    0. AMRI is at least -1 with one relevant document per query. Queries that every
    ordering ranks alike do not change AMRI.

    References
    ----------
    .. [1] Berrendorf et al. (2020)
    .. [2] Hoyt et al. (2022)

    Examples
    --------
    >>> from skrank.metrics import mean_rank
    >>> mean_rank([0, 1, 0, 1], [2, 1, 1, 2], qid=[7, 7, 8, 8])
    1.5
    >>> mean_rank([1, 0, 0], [1, 1, 1])
    2.0
    """
    # t + (n + 1) / (r + 1) if r of n tied documents are relevant, below t others: the
    # mean of the negative hypergeometric law.
    return ranking.expected_at_first(np.asarray, missing=np.nan)


@ranking_metric(
    "median_rank",
    cutoff="never",
    greater_is_better=False,
    limits=(1, np.inf),
    pool=pooled_median,
    reads_first_rank=True,
    inverse_name="inverse_median_rank",
)
def median_rank(ranking):
    r"""Median rank of the first relevant document.

    It does not depend on how bad the worse half of the ranks is. Smaller is better; as
    a scorer it is ``"neg_median_rank"``.

    See Also
    --------
    mean_rank : The arithmetic mean of the same ranks.
    geometric_mean_rank : The geometric mean of the same ranks.

    Notes
    -----
    With the rank :math:`r_q` of the first relevant document of each query,

    .. math:: \operatorname{median}_q r_q

    or with `sample_weight` the rank up to which half of the weight is. The rank of a
    tied first relevant document is its expected rank, so the median is not its mean
    over all orders. A query without a relevant document is undefined and left out. As a
    scorer, ``"inverse_median_rank"`` is one over this median: larger is better.

    References
    ----------
    .. [1] Berrendorf et al. (2020)

    Examples
    --------
    >>> from skrank.metrics import median_rank
    >>> median_rank([[0, 1], [1, 0], [1, 0]], [[2, 1], [2, 1], [2, 1]])
    1.0
    >>> median_rank([0, 1, 0, 0], [1, 1, 1, 1])
    2.5
    """
    return mean_rank.definition(ranking)


@ranking_metric(
    "geometric_mean_rank",
    cutoff="never",
    greater_is_better=False,
    limits=(1, np.inf),
    pool=pooled_geometric_mean,
    reads_first_rank=True,
    inverse_name="inverse_geometric_mean_rank",
)
def geometric_mean_rank(ranking):
    r"""Geometric mean rank of the first relevant document (GMR).

    Doubling a rank has the same effect at the top of the list and far down. Smaller is
    better; as a scorer it is ``"neg_geometric_mean_rank"``.

    See Also
    --------
    mean_rank : The arithmetic mean of the same ranks.
    median_rank : The median of the same ranks.
    mrr_score : One over the harmonic mean of the same ranks.

    Notes
    -----
    .. math:: GMR = \exp \left(\frac{1}{Q} \sum_{q=1}^{Q} \ln r_q\right)

    over the ranks :math:`r_q` of the first relevant documents of Q queries [1]_. A tied
    first relevant document enters with all its possible ranks, weighted by their
    probabilities: :math:`\ln r_q` is replaced by its expectation, so GMR is not its
    mean over all orders. A query without a relevant document is undefined and left
    out. As a scorer, ``"inverse_geometric_mean_rank"`` is 1 / GMR, which is better if
    it is larger.

    References
    ----------
    .. [1] Berrendorf et al. (2020)

    Examples
    --------
    >>> from skrank.metrics import geometric_mean_rank
    >>> geometric_mean_rank([[0, 0, 0, 1], [1, 0, 0, 0]], [[4, 3, 2, 1], [4, 3, 2, 1]])
    2.0
    >>> geometric_mean_rank([0, 1], [1, 1])
    1.41421356237309...
    """
    return np.exp(ranking.expected_at_first(np.log, missing=np.nan))


@ranking_metric(
    "harmonic_mean_rank",
    cutoff="never",
    greater_is_better=False,
    limits=(1, np.inf),
    pool=pooled_harmonic_mean,
    reads_first_rank=True,
)
def harmonic_mean_rank(ranking):
    r"""Harmonic mean rank of the first relevant document (HMR).

    One over the MRR. It depends mostly on the queries with the best ranks. Smaller is
    better; as a scorer it is ``"neg_harmonic_mean_rank"``.

    See Also
    --------
    mrr_score : One over the harmonic mean.
    geometric_mean_rank : Between the harmonic and the arithmetic mean.
    mean_rank : The arithmetic mean of the same ranks.

    Notes
    -----
    .. math:: HMR = \left(\frac{1}{Q} \sum_{q=1}^{Q} \frac{1}{r_q}\right)^{-1}

    over the ranks :math:`r_q` of the first relevant documents of Q queries [1]_. A tied
    first relevant document enters with all its possible ranks, weighted by their
    probabilities: HMR is one over the expected MRR, which is not its mean over all
    orders. A query without a relevant document is undefined and left out.

    References
    ----------
    .. [1] Hoyt et al. (2022)

    Examples
    --------
    >>> from skrank.metrics import harmonic_mean_rank
    >>> harmonic_mean_rank([[1, 0, 0], [0, 0, 1]], [[3, 2, 1], [3, 2, 1]])
    1.5
    >>> harmonic_mean_rank([0, 1], [1, 1])
    1.3333333333333333
    """
    return 1 / ranking.expected_at_first(lambda rank: 1 / rank, missing=np.nan)
