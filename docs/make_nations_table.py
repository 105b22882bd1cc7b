"""Make the table of Nations in the docs: published metrics and those of skrank.

Run ``python docs/make_nations_table.py`` to write ``docs/nations_table.inc``. The ranks
are those that PyKEEN's authors published with the metrics; they are kept, counted, with
the tests. With ``--scores FOLDER`` the ranks are made anew from matrices of scores,
``scores_MODEL_SIDE.tsv.gz`` with a row a test triple and a column an entity.
"""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import argparse
import json
from pathlib import Path

import numpy as np

from skrank.datasets import load_nations
from skrank.link_prediction import LinkRanks, rank_triples

DOCS = Path(__file__).parent
RECORDED = DOCS.parent / "tests" / "link_prediction" / "nations.json"
MODELS = {"transe": "TransE", "complex": "ComplEx", "rotate": "RotatE"}
METRICS = [
    "arithmetic_mean_rank",
    "median_rank",
    "geometric_mean_rank",
    "standard_deviation",
    "median_absolute_deviation",
    "inverse_harmonic_mean_rank",
    "hits_at_1",
    "hits_at_3",
    "hits_at_10",
    "adjusted_arithmetic_mean_rank",
    "adjusted_arithmetic_mean_rank_index",
    "adjusted_hits_at_3",
]


class Recorded:
    """A model whose scores of the test triples are in files."""

    def __init__(self, folder, name):
        nations = load_nations()
        self.entities_, self.relations_ = nations.entities, nations.relations
        self.triples_ = nations.train
        self.row = {tuple(triple): i for i, triple in enumerate(nations.test.tolist())}
        self.scores = {
            side: np.loadtxt(folder / f"scores_{name}_{side}.tsv.gz", dtype=np.float32)
            for side in ("head", "tail")
        }

    def _rows(self, X):
        return [self.row[tuple(triple)] for triple in X.tolist()]

    def score_tails(self, X):
        return self.scores["tail"][self._rows(X)]

    def score_heads(self, X):
        return self.scores["head"][self._rows(X)]


def counted_ranks(counted):
    """Return ranks from (rank, number of candidates, how often)."""
    rank, n_candidates, count = np.concatenate(list(counted.values())).T
    n_ranks = count.sum()
    same = np.zeros(n_ranks, dtype=int)
    return LinkRanks(
        side=same,
        triple=np.arange(n_ranks),
        relation=same,
        category=same,
        above=np.repeat(rank - 1, count),
        tied=same,
        n_candidates=np.repeat(n_candidates, count),
        weight=np.ones(n_ranks),
    )


def ranks_of(name, recorded, folder):
    """Return the ranks of a model."""
    if folder is None:
        return counted_ranks(recorded["ranks"][name])
    nations = load_nations()
    return rank_triples(Recorded(folder, name), nations.test, known=nations.valid)


def main():
    """Write the table and say how far the numbers are apart."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scores", type=Path, help="folder of matrices of scores")
    folder = parser.parse_args().scores
    recorded = json.loads(RECORDED.read_text("utf-8"))
    values, largest = {}, 0.0
    for name in MODELS:
        published = recorded["published"][name]["both"]
        found = ranks_of(name, recorded, folder).evaluate(METRICS, convention="pykeen")
        for metric in METRICS:
            values[name, metric] = published[metric], found[metric]
            largest = max(largest, abs(published[metric] - found[metric]))
    lines = [".. list-table::", "   :header-rows: 2", ""]
    rows = [["", *[cell for model in MODELS.values() for cell in (model, "")]]]
    rows += [["metric", *["published", "skrank"] * len(MODELS)]]
    for metric in METRICS:
        pairs = [values[name, metric] for name in MODELS]
        rows.append([metric, *[f"{value:.6f}" for pair in pairs for value in pair]])
    for row in rows:
        lines += [f"   {'-' if i else '*'} - {cell}" for i, cell in enumerate(row)]
    text = "\n".join(line.replace("   - - ", "     - ").rstrip() for line in lines)
    (DOCS / "nations_table.inc").write_text(text + "\n", "utf-8")
    print(f"The largest difference is {largest:.1e}.")


if __name__ == "__main__":
    main()
