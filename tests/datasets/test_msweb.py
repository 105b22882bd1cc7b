"""The visits to a web site, and what other libraries say of two recommenders on it.

The recommenders are made from the training visits alone: by popularity, where many
areas have equal scores, and by the cosine of the areas that a visitor has been to.
Areas with equal scores are in the order of their numbers, as in the lists that the
libraries were given: the best 20 areas of each visitor that are not training visits.
"""

# SPDX-License-Identifier: BSD-3-Clause

from functools import cache

import numpy as np
import pytest
from scipy import sparse

from skrank.datasets import load_msweb
from skrank.metrics import evaluate, of_items

MSWEB = load_msweb()
USERS, N_AREAS = np.unique(MSWEB.test[:, 0]), len(MSWEB.areas)
N_VISITS = np.bincount(MSWEB.train[:, 1], minlength=N_AREAS)


def visits_of_users(visits):
    """Return a matrix with 1 where a visitor of the test has been to an area."""
    users, areas = visits.T
    shape = users.max() + 1, N_AREAS
    return sparse.csr_matrix((np.ones(len(users)), (users, areas)), shape)


def by_popularity():
    return np.tile(N_VISITS, (len(USERS), 1))


def by_cosine():
    visits = visits_of_users(MSWEB.train)
    both = (visits.T @ visits).toarray()
    length = np.sqrt(np.maximum(N_VISITS, 1))
    cosine = both / np.outer(length, length)
    np.fill_diagonal(cosine, 0)
    return visits[USERS] @ cosine


@cache
def lists_of(model):
    """Return the best 20 areas of each visitor of the test, as flat input."""
    scores = model().astype(float)
    scores[visits_of_users(MSWEB.train)[USERS].toarray() > 0] = -1
    shown = np.argsort(-scores, axis=1, kind="stable")[:, :20]
    is_true = visits_of_users(MSWEB.test)[USERS].toarray()
    found = np.take_along_axis(is_true, shown, axis=1)
    missed = is_true.sum(axis=1) - found.sum(axis=1)
    # Two more documents stand for the true areas that are not among the 20.
    found = np.hstack([found, missed[:, None] >= [1, 2]])
    returned = np.tile(np.arange(22) < 20, len(USERS))
    area = np.hstack([shown, np.zeros((len(USERS), 2), dtype=int)])
    return {
        "y_true": found.ravel(),
        "y_score": -np.tile(np.arange(22), len(USERS)),
        "qid": np.repeat(USERS, 22),
        "returned": returned,
        "area": area.ravel(),
    }


# The means over 2,500 visitors by ranx 0.3.21, pytrec_eval-terrier 0.5.11 and RecTools
# 0.19.0. A name of skrank, and the figures of by_popularity and by_cosine.
RANX = {
    "precision@5": (0.178, 0.19984),
    "precision@10": (0.116, 0.13768),
    "recall@10": (0.58, 0.6884),
    "recall@20": (0.706, 0.8076),
    "hits@10": (0.816, 0.8932),
    "map@10": (0.28949277777777777, 0.3660646825396825),
    "map": (0.30352051426128046, 0.38080272873411434),
    "mrr@10": (0.40563158730158727, 0.508693492063492),
    "ndcg@5": (0.3444691076050361, 0.4141450403822133),
    "ndcg@10": (0.39909027604789055, 0.48959356929487197),
    "ndcg@20": (0.4382367421305025, 0.5268012080399369),
    "f1@10": (0.19333333333333336, 0.2294666666666667),
    "r_precision": (0.2098, 0.284),
}
TREC_EVAL = {
    "map": (0.3035205142612805, 0.3808027287341142),
    "r_precision": (0.2098, 0.284),
    "mrr": (0.41277781545080305, 0.5129675584494625),
    "precision@100": (0.01412, 0.016152),
    "recall@15": (0.6532, 0.7622),
    "ndcg": (0.4382367421305025, 0.5268012080399369),
    "ndcg@15": (0.4229442250341464, 0.5136551156289794),
    "map@5": (0.2612833333333333, 0.3245866666666667),
    "map@15": (0.29882671051171045, 0.376231216006216),
    "hits@1": (0.2344, 0.3384),
    "hits@5": (0.6816, 0.7512),
}
RECTOOLS = {
    "precision@20": (0.0706, 0.08076),
    "recall@5": (0.445, 0.4996),
    "hits@20": (0.9176, 0.9524),
    "f1@5": (0.25428571428571434, 0.2854857142857143),
    "mrr@5": (0.3864466666666667, 0.4890133333333333),
    "map@20": (0.3035205142612805, 0.3808027287341142),
    "neg_popularity@5": (-6328.705199999999, -4301.849279999999),
    "neg_popularity@10": (-4258.65916, -3479.07264),
    "ndcg@20": (0.4382367421305025, 0.5268012080399369),  # divide_by_achievable
    "neg_popularity@20": (-2606.58938, -2305.5411),
}
MIUF = {
    "novelty@5": (2.490978300971397, 3.4848243052272854),
    "novelty@10": (3.249575140405757, 4.029755006337633),
    "novelty@20": (4.194248020526034, 4.801519916270113),
}


@pytest.mark.slow
def test_every_visit_is_in_one_part_and_every_visitor_in_the_training_part():
    visits = np.vstack([MSWEB.train, MSWEB.test])
    assert len(np.unique(visits, axis=0)) == len(visits) == 98_653
    assert set(MSWEB.train[:, 0]) == set(range(32_710))
    assert set(visits[:, 1]) == set(range(len(set(MSWEB.areas)))) == set(range(285))


def test_the_test_part_has_two_of_five_or_more_visits_of_2500_visitors():
    assert len(USERS) == 2_500
    assert set(np.bincount(MSWEB.test[:, 0])[USERS]) == {2}
    assert np.bincount(MSWEB.train[:, 0])[USERS].min() == 3


def test_titles_belong_to_the_numbers_of_the_areas():
    # Counted in the original files by sort and uniq.
    n_visits = np.bincount(np.vstack([MSWEB.train, MSWEB.test])[:, 1])
    top = np.argsort(-n_visits)[:3]
    assert n_visits[top].tolist() == [10835, 9383, 8463]
    expected = ["Free Downloads", "Internet Explorer", "Microsoft.com Search"]
    assert MSWEB.areas[top].tolist() == expected


def test_the_description_names_authors_and_licence():
    assert "J. S. Breese, D. Heckerman and C. M. Kadie" in MSWEB.DESCR
    assert "https://creativecommons.org/licenses/by/4.0/" in MSWEB.DESCR
    assert "93653 to train on and 5000 to test" in MSWEB.DESCR


@pytest.mark.slow
@pytest.mark.parametrize("recorded", [RANX, TREC_EVAL, RECTOOLS, MIUF])
@pytest.mark.parametrize("model", [by_popularity, by_cosine])
def test_the_numbers_of_other_libraries(model, recorded):
    place = [by_popularity, by_cosine].index(model)
    expected = {name: values[place] for name, values in recorded.items()}
    rows = dict(lists_of(model))
    area = rows.pop("area")
    if recorded is RECTOOLS:
        rows["popularity"] = of_items(N_VISITS, area)
    if recorded is MIUF:  # an area that nobody visited counts as one visit
        n_visitors = MSWEB.train[:, 0].max() + 1
        rows["popularity"] = of_items(np.maximum(N_VISITS, 1) / n_visitors, area)
    got = evaluate(metrics=list(recorded), **rows)
    assert got == pytest.approx(expected, rel=1e-12)
