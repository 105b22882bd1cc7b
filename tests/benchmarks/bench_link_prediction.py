"""Speed and memory of link prediction, as ratios to a matrix product in the same run.

Run ``python -m tests.benchmarks.bench_link_prediction``; it takes about a minute. The
work has the size of WN18RR: 40,943 entities, 3,134 test triples, both sides, filtered
by 93,003 triples. The scores are those of a random bilinear model in single precision.
Ways of ranking take turns: producing the scores by one matrix product a side (what no
evaluation can do without, though it holds all scores at once); skrank; a plain loop
with NumPy that scores one triple at a time, looks for its known answers in the array of
triples and sorts; and a careful loop that looks them up in a dict and counts. With
``--pykeen``, PyKEEN's own evaluator ranks a model of that size as well.

The loops and PyKEEN rank a fixed sample of the test triples in each run. What they take
for it is multiplied by the number of test triples over that of the sample; what a loop
does once, before its first triple, is not.
"""

# SPDX-License-Identifier: BSD-3-Clause

import argparse
import statistics
import time
from collections import defaultdict

import numpy as np

from skrank.link_prediction import rank_triples
from skrank.link_prediction.rank_targets import BATCH_BYTES
from tests.benchmarks.speed.measuring import peak_memory

N_ENTITIES, N_RELATIONS = 40_943, 11
N_TRAIN, N_TEST = 89_869, 3_134

# The test triples that the slow ways rank in a run: every 24th, or every 12th.
EVERY = {"plain loop": 24, "careful loop": 12, "PyKEEN": 24}


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


def plain_loop(model, train, test):
    """Rank as one would at first: mask what is known, sort, look where it stands."""
    known = np.concatenate([train, test])

    def rank(sample):
        ranks = []
        for side, scores, given, relation, answer in questions(model, sample):
            asked, column = (0, 2) if side == "tail" else (2, 0)
            same = (known[:, asked] == given) & (known[:, 1] == relation)
            own = scores[answer]
            scores[known[same, column]] = -np.inf
            scores[answer] = own
            ranks.append(1 + np.flatnonzero(np.argsort(-scores) == answer)[0])
        return np.array(ranks)

    return rank


def careful_loop(model, train, test):
    """Rank one by one, with a dict of what is known, and count."""
    known = {side: defaultdict(list) for side in ("tail", "head")}
    for h, r, t in np.concatenate([train, test]).tolist():
        known["tail"][h, r].append(t)
        known["head"][t, r].append(h)

    def rank(sample):
        ranks = []
        for side, scores, given, relation, answer in questions(model, sample):
            own = scores[answer]
            scores[known[side][given, relation]] = np.nan
            scores[answer] = own
            best, worst = 1 + np.sum(scores > own), np.sum(scores >= own)
            ranks.append((best + worst) / 2)
        return np.array(ranks)

    return rank


def pykeen(model, train, test):
    """Rank the same scores by PyKEEN's evaluator."""
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
    batch_size = BATCH_BYTES // (8 * N_ENTITIES)

    def rank(sample):
        RankBasedEvaluator(filtered=True).evaluate(
            model=theirs,
            mapped_triples=torch.as_tensor(sample),
            additional_filter_triples=[torch.as_tensor(train), torch.as_tensor(test)],
            batch_size=batch_size,
            use_tqdm=False,
        )

    return rank


def seconds(function, *args):
    """Return the time of a call and what it returned."""
    start = time.perf_counter()
    result = function(*args)
    return time.perf_counter() - start, result


def seconds_of_a_sample(prepare, name, model, train, test):
    """Return the time that a way would take for all triples, by that for a sample."""
    before, rank = seconds(prepare, model, train, test)
    sample = test[:: EVERY[name]]
    during, _ = seconds(rank, sample)
    return before + during * len(test) / len(sample)


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
    slow = {"plain loop": plain_loop, "careful loop": careful_loop}
    if options.pykeen:
        slow["PyKEEN"] = pykeen

    def rank_all():
        return rank_triples(model, test, known=train)

    times = {name: [] for name in ("one product a side", "skrank", *slow)}
    for turn in range(options.runs + 1):
        now = {
            "one product a side": seconds(produce_scores, model, test)[0],
            "skrank": seconds(rank_all)[0],
        }
        for name, prepare in slow.items():
            now[name] = seconds_of_a_sample(prepare, name, model, train, test)
        if turn:  # the first one warms up
            for name, taken in now.items():
                times[name].append(taken)
    medians = {name: statistics.median(taken) for name, taken in times.items()}
    print(f"NumPy {np.__version__}, {options.dim} components, ", end="")
    print(f"medians of {options.runs} turns")
    print(f"{'':<20}{'seconds':>10}{'products':>10}{'skranks':>10}")
    for name, taken in medians.items():
        ratios = [taken / medians[of] for of in ("one product a side", "skrank")]
        shown = "".join(f"{ratio:>10.2f}" for ratio in ratios)
        every = EVERY.get(name)
        note = f"   of every {every}th triple, times {every}" if every else ""
        print(f"{name:<20}{taken:>10.2f}{shown}{note}")
    # Products of another shape are rounded otherwise, which moves close scores.
    every = EVERY["careful loop"]
    loop = careful_loop(model, train, test)(test[::every])
    ours = rank_all().realistic.reshape(2, -1)[:, ::every]
    apart = np.abs(ours.ravel() - loop).max()
    print(f"Ranks of skrank and of the careful loop differ by {apart:g} at most.")
    batch = max(1, BATCH_BYTES // (8 * N_ENTITIES)) * N_ENTITIES * 4 / 2**20
    peak = peak_memory(rank_all) / 2**20
    print(
        f"skrank needs {peak:.0f} MiB at most, {batch:.0f} of them for the scores of a"
    )
    print(f"batch and {peak - batch:.0f} beyond that.")


if __name__ == "__main__":
    main()
