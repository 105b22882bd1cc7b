"""Speed and memory of link prediction, as ratios to a matrix product in the same run.

Run ``python tests/benchmarks/bench_link_prediction.py``. The work has the size of
WN18RR: 40,943 entities, 3,134 test triples, both sides, filtered by 93,003 triples. The
scores are those of a random bilinear model in single precision. Three ways of ranking
are compared in turns: producing the scores by one matrix product a side (what no
evaluation can do without, though it holds all scores at once); skrank; a plain loop
with NumPy that scores one triple at a time, looks for its known answers in the array of
triples and sorts; and a careful loop that looks them up in a dict and counts. With
``--pykeen``, PyKEEN's own evaluator ranks a model of that size as well.
"""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import argparse
import statistics
import time
import tracemalloc
from collections import defaultdict

import numpy as np

from skrank.link_prediction import rank_triples

N_ENTITIES, N_RELATIONS = 40_943, 11
N_TRAIN, N_TEST = 89_869, 3_134


class Bilinear:
    """A model of random vectors that scores by one product a batch."""

    def __init__(self, rng, dim):
        shape = N_ENTITIES, dim
        self.entity = rng.standard_normal(shape, dtype=np.float32)
        shape = 2 * N_RELATIONS, dim
        self.relation = rng.standard_normal(shape, dtype=np.float32)

    def score_tails(self, X):
        query = self.entity[X[:, 0]] * self.relation[X[:, 1]]
        return query @ self.entity.T

    def score_heads(self, X):
        query = self.entity[X[:, 2]] * self.relation[X[:, 1] + N_RELATIONS]
        return query @ self.entity.T


def make_triples(rng):
    """Return training and test triples; a few entities are in most of them."""
    n_triples = N_TRAIN + N_TEST
    ends = (N_ENTITIES * rng.random((n_triples, 2)) ** 2).astype(np.int64)
    relation = rng.integers(N_RELATIONS, size=n_triples)
    triples = np.column_stack([ends[:, 0], relation, ends[:, 1]])
    return triples[:N_TRAIN], triples[N_TRAIN:]


def produce_scores(model, test):
    """Score everything, one matrix product a side."""
    for score in (model.score_tails, model.score_heads):
        score(test)


def questions(model, test):
    """Yield (side, the scores, given entity, relation, answer) of each question."""
    for side, score in (("head", model.score_heads), ("tail", model.score_tails)):
        for i, (h, r, t) in enumerate(test.tolist()):
            given, answer = (h, t) if side == "tail" else (t, h)
            yield side, score(test[i : i + 1])[0], given, r, answer


def rank_in_a_plain_loop(model, train, test):
    """Rank as one would at first: mask what is known, sort, look where it stands."""
    known = np.concatenate([train, test])
    ranks = []
    for side, scores, given, relation, answer in questions(model, test):
        asked, column = (0, 2) if side == "tail" else (2, 0)
        same = (known[:, asked] == given) & (known[:, 1] == relation)
        own = scores[answer]
        scores[known[same, column]] = -np.inf
        scores[answer] = own
        ranks.append(1 + np.flatnonzero(np.argsort(-scores) == answer)[0])
    return np.array(ranks)


def rank_in_a_careful_loop(model, train, test):
    """Rank one by one, with a dict of what is known, and count."""
    known = {side: defaultdict(list) for side in ("tail", "head")}
    for h, r, t in np.concatenate([train, test]).tolist():
        known["tail"][h, r].append(t)
        known["head"][t, r].append(h)
    ranks = []
    for side, scores, given, relation, answer in questions(model, test):
        own = scores[answer]
        scores[known[side][given, relation]] = np.nan
        scores[answer] = own
        best, worst = 1 + np.sum(scores > own), np.sum(scores >= own)
        ranks.append((best + worst) / 2)
    return np.array(ranks)


def make_pykeen_ranking(model, train, test):
    """Return a function that ranks the same scores by PyKEEN's evaluator."""
    import torch
    from pykeen.evaluation import RankBasedEvaluator
    from pykeen.models import DistMult
    from pykeen.triples import CoreTriplesFactory

    factory = CoreTriplesFactory(
        torch.as_tensor(train), num_entities=N_ENTITIES, num_relations=N_RELATIONS
    )
    theirs = DistMult(triples_factory=factory, embedding_dim=model.entity.shape[1])
    with torch.no_grad():
        theirs.entity_representations[0]._embeddings.weight.copy_(
            torch.as_tensor(model.entity)
        )
    batch_size = 2**25 // (8 * N_ENTITIES)

    def rank():
        RankBasedEvaluator(filtered=True).evaluate(
            model=theirs,
            mapped_triples=torch.as_tensor(test),
            additional_filter_triples=[torch.as_tensor(train)],
            batch_size=batch_size,
            use_tqdm=False,
        )

    return rank


def peak_memory(function):
    """Return the peak of the memory that `function` allocates, in MiB."""
    tracemalloc.start()
    function()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 2**20


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5, help="counted runs of each")
    parser.add_argument("--dim", type=int, default=200, help="components of a vector")
    parser.add_argument("--pykeen", action="store_true", help="run PyKEEN as well")
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    model = Bilinear(rng, options.dim)
    train, test = make_triples(rng)
    work = {
        "one product a side": lambda: produce_scores(model, test),
        "skrank": lambda: rank_triples(model, test, known=train),
        "plain loop": lambda: rank_in_a_plain_loop(model, train, test),
        "careful loop": lambda: rank_in_a_careful_loop(model, train, test),
    }
    if options.pykeen:
        work["PyKEEN"] = make_pykeen_ranking(model, train, test)
    # Products of another shape are rounded otherwise, which moves close scores.
    apart = np.abs(work["skrank"]().realistic - work["careful loop"]())
    print(
        f"NumPy {np.__version__}, {options.dim} components, medians of {options.runs}"
    )
    print(f"Ranks of skrank and of the loop differ by {apart.max():g} at most")
    times = {name: [] for name in work}
    for _ in range(options.runs):
        for name, function in work.items():
            start = time.perf_counter()
            function()
            times[name].append(time.perf_counter() - start)
    floor = statistics.median(times["one product a side"])
    for name, function in work.items():
        ratio = statistics.median(times[name]) / floor
        print(f"{name:<20}{ratio:>8.2f}x{peak_memory(function):>10.0f} MiB")


if __name__ == "__main__":
    main()
