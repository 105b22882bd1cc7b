"""A metric that the decorator makes of a definition."""

# SPDX-License-Identifier: BSD-3-Clause

from skrank._engine.answer import ranking_metric


def power_score(ranking, *, k=None, power=1.0):
    """Power of the rank. Larger is better.

    Parameters
    ----------
    power : float, default=1.0
        The power of the reciprocal rank.

    Returns
    -------
    score : float
        The score.

    See Also
    --------
    mrr_score : Power 1.
    """
    return ranking.expected_at_first(lambda rank: rank**-power, k)


def decorated(name="power", function=power_score, **facts):
    return ranking_metric(name, **{"reads_first_rank": True, **facts})(function)
