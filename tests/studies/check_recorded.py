"""Compare all ranks and metrics of recorded models with the recorded ones.

Run ``python -m tests.studies.check_recorded FOLDER ...``. A folder holds
``train.txt``, ``valid.txt`` and ``test.txt``, a head, a relation and a tail a line,
parted by tabs; and in ``reference`` for each model

- ``ranks_MODEL_SIDE.tsv``: a line a test triple, with the columns
  ``filtered_optimistic``, ``filtered_pessimistic``, ``n_candidates_filtered`` and
  perhaps ``filtered_realistic`` and ``raw_optimistic``;
- ``expected_MODEL.json``: the metrics by side, type of ranks and PyKEEN's name;
- ``scores_MODEL_SIDE.tsv.gz``: the scores, a row a test triple and a column an entity
  of ``entities.txt``. Without them the model is the popularity baseline.

It prints the largest differences and fails if one is above 1e-6.
"""

# SPDX-License-Identifier: BSD-3-Clause

import argparse
import csv
import json
import sys
from pathlib import Path

import numpy as np

from skrank.link_prediction import PopularityPredictor, rank_triples

SIDES = ("head", "tail")
TIES = ("optimistic", "pessimistic", "realistic")
TOLERANCE = 1e-6

# Its chance level was ln(C) / (C - 1) at the mean number C of candidates, when the
# metrics were published; now it is the mean of H(C) / C.
OTHER_CHANCE = "adjusted_inverse_harmonic_mean_rank"

# What skrank does not have.
LEFT_OUT = {"variance", "standard_deviation", "median_absolute_deviation"}


class Recorded:
    """A model whose scores of the test triples are in files."""

    def __init__(self, reference, name, test):
        self.entities_ = (reference / "entities.txt").read_text("utf-8").split()
        self.row = {tuple(triple): i for i, triple in enumerate(test.tolist())}
        self.scores = {
            side: np.loadtxt(
                reference / f"scores_{name}_{side}.tsv.gz", dtype=np.float32
            )
            for side in SIDES
        }

    def score_tails(self, X):
        return self._of("tail", X)

    def score_heads(self, X):
        return self._of("head", X)

    def _of(self, side, X):
        return self.scores[side][[self.row[tuple(triple)] for triple in X.tolist()]]


def read_triples(file):
    lines = file.read_text("utf-8").splitlines()
    return np.array([line.split("\t") for line in lines])


def read_columns(file):
    with file.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    names = set(rows[0]) - {"head", "relation", "tail"}
    return {name: np.array([float(row[name]) for row in rows]) for name in names}


def largest_difference_of_ranks(ranks, raw, reference, name):
    """Return how many numbers were compared, and how far they are apart."""
    found = {f"filtered_{ties}": getattr(ranks, ties) for ties in TIES}
    found["n_candidates_filtered"] = ranks.n_candidates
    found["raw_optimistic"] = raw.optimistic
    count, largest = 0, 0.0
    for side in SIDES:
        columns = read_columns(reference / f"ranks_{name}_{side}.tsv")
        for column, expected in columns.items():
            apart = np.abs(found[column][ranks.side == side] - expected)
            count, largest = count + len(apart), max(largest, apart.max())
    return count, largest


def largest_difference_of_metrics(ranks, expected, name):
    """Return how many metrics were compared, how far they are apart, and which."""
    count, worst = 0, (0.0, "")
    for side, by_ties in expected.items():
        part = ranks if side == "both" else ranks.select(ranks.side == side)
        for ties, values in by_ties.items():
            metrics = {name: values[name] for name in values if name not in LEFT_OUT}
            found = part.evaluate(list(metrics), ties=ties)
            if OTHER_CHANCE in metrics:
                mean = part.n_candidates.mean()
                chance = np.log(mean) / (mean - 1)
                mrr = found["inverse_harmonic_mean_rank"]
                found[OTHER_CHANCE] = (mrr - chance) / (1 - chance)
            for metric, value in metrics.items():
                apart = abs(found[metric] - value)
                count, worst = count + 1, max(worst, (apart, f"{side}.{ties}.{metric}"))
    return count, *worst


def check(folder):
    """Print the differences of all models of a folder and return the largest."""
    reference = folder / "reference"
    train, valid, test = (
        read_triples(folder / f"{part}.txt") for part in ("train", "valid", "test")
    )
    largest = 0.0
    for file in sorted(reference.glob("expected_*.json")):
        name = file.stem.removeprefix("expected_")
        if (reference / f"scores_{name}_head.tsv.gz").exists():
            model = Recorded(reference, name, test)
        else:
            ids = np.concatenate([train, valid, test])
            entities = np.unique(ids[:, [0, 2]])
            model = PopularityPredictor(entities=entities).fit(train)
        ranks = rank_triples(model, test, known=[train, valid])
        raw = rank_triples(model, test, known=None)
        n_ranks, ranks_apart = largest_difference_of_ranks(ranks, raw, reference, name)
        expected = json.loads(file.read_text("utf-8"))
        n_metrics, apart, which = largest_difference_of_metrics(ranks, expected, name)
        largest = max(largest, ranks_apart, apart)
        print(
            f"{folder.name:<14}{name:<12}{n_ranks:>6} ranks: {ranks_apart:.1e}"
            f"{n_metrics:>6} metrics: {apart:.1e} ({which})"
        )
    return largest


def main():
    """Check the folders."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="+")
    folders = parser.parse_args().folder
    if max(map(check, folders)) > TOLERANCE:
        sys.exit(f"The largest difference is above {TOLERANCE}.")


if __name__ == "__main__":
    main()
