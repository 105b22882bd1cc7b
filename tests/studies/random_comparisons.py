"""Draw comparisons of all kinds, and look for results that contradict each other.

    python -m tests.studies.random_comparisons [NUMBER [SEED]]

prints how many tables and rows were looked at, and each contradiction.
"""

# SPDX-License-Identifier: BSD-3-Clause

import sys
import warnings
from collections import Counter

import matplotlib.pyplot as plt
import numpy as np

from skrank.metrics import QueryScores
from skrank.plot import ComparisonDisplay
from tests.stats.pilot import comparison_of

NAMES = ("ndcg", "hits@1", "precision@5", "own", "rank")


def draw_values(rng, metric, n_rankers, n):
    """Return values by ranker and query, some of them nearly the same."""
    base, noise = rng.beta(2, 2, size=n), rng.choice([0.0, 0.02, 0.3])
    values = base + noise * rng.normal(size=(n_rankers, n))
    same = rng.random((n_rankers, n)) < rng.choice([0.0, 0.5, 0.95, 1.0])
    values = np.clip(np.where(same, base, values), 0, 1)
    if rng.random() < 0.1:
        values = np.clip(base, 0, 0.5) + 0.1 * np.arange(n_rankers)[:, None]
    if rng.random() < 0.1:
        values[:] = rng.choice([0.0, 0.5, 1.0])
    kinds = {
        "hits@1": lambda: (values > 0.5).astype(float),
        "precision@5": lambda: np.round(values * 5) / 5,
        "rank": lambda: np.ceil(10 * values) + 1,
    }
    return kinds.get(metric, lambda: values)()


def draw_comparison(rng):
    """Return the arguments of a comparison."""
    n, n_rankers = int(rng.integers(1, 61)), int(rng.integers(2, 6))
    rankers = [f"r{i}" for i in rng.permutation(n_rankers)]
    frame = {"qid": np.tile(np.arange(n), n_rankers), "ranker": np.repeat(rankers, n)}
    for name in rng.choice(NAMES, rng.integers(1, 4), replace=False).tolist():
        frame[name] = draw_values(rng, name, n_rankers, n).ravel()
    options, columns = {}, []
    if rng.random() < 0.3:
        frame["user"] = np.tile(rng.integers(max(n // 3, 1), size=n), n_rankers)
        options["clusters"], columns = "user", ["user"]
    if rng.random() < 0.2:
        frame["country"] = np.tile(rng.choice(["fr", "us"], n), n_rankers)
        options["by"], columns = "country", [*columns, "country"]
    weight = None
    if rng.random() < 0.2:
        frame["w"], weight = np.tile(rng.integers(1, 9, size=n), n_rankers), "w"
    scores = QueryScores.from_frame(
        frame, ranker="ranker", by=columns, sample_weight=weight
    )
    options["correction"] = [None, "max-t"][int(rng.random() < 0.7)]
    options["baseline"] = rankers[0] if rng.random() < 0.3 else None
    if rng.random() < 0.3:
        options["margin"] = float(rng.choice([0.01, 0.1]))
    return scores, options | {"n_resamples": 499, "confidence_level": 0.9}


def contradictions(scores, options):
    """Yield what is wrong with a comparison, and count its rows."""
    found = comparison_of(scores, **options)
    margin = options.get("margin", 0.0)
    any_found = False
    for row in found.rows:
        is_found = row.p_adjusted <= 0.1 + 1e-9
        any_found |= is_found
        above, below = row.low > -margin, row.high < margin
        excludes = above and below if margin else row.low > 0 or row.high < 0
        if excludes != is_found:
            yield "interval and p", row
        if not row.low <= row.difference <= row.high:
            yield "difference outside", row
        if not row.pvalue <= row.p_adjusted <= 1:
            yield "p and adjusted p", row
        if row.metric != "rank":
            if not row.low < row.high:
                yield "width 0", row
            ends = [end for end in (row.low, row.high) if np.isfinite(end)]
            if max(map(abs, ends), default=0) > 1:
                yield "beyond the range", row
            if len(ends) < 2:
                yield "no end", row
        if found.letters:
            shared = {*found._letters_of(row, row.ranker)} & {
                *found._letters_of(row, row.baseline)
            }
            if bool(shared) == is_found:
                yield "letters", row
    *_, sentence = str(found).split("\n\n")
    sentence = " ".join(sentence.split())
    says_nothing = sentence.startswith("No significant difference.")
    says_nothing |= " may differ from" in sentence
    if says_nothing == any_found:
        yield "sentence", sentence
    if found.letters and any_found:
        yield from wrong_winners(found, sentence)
    drawn = ComparisonDisplay.from_comparison(found)
    plt.close(drawn.figure_)
    for row, is_shown in zip(found.rows, drawn.is_shown, strict=True):
        if is_shown != (row.p_adjusted <= 0.1 + 1e-9):
            yield "picture", row
    for row in found.intervals.rows:
        if row.metric == "rank":
            continue
        if not 0 <= row.low <= row.estimate <= row.high <= 1 or row.low == row.high:
            yield "interval of a mean", row


def wrong_winners(found, sentence):
    """Yield the winners of a sentence that are not those of the means and letters."""
    for row in found.intervals.rows:
        where = f"{row.metric} for country {row.country}" if found.by else row.metric
        of_metric = [
            one
            for one in found.intervals.rows
            if (one.metric, one.get("country")) == (row.metric, row.get("country"))
        ]
        sign = -1 if row.metric in found.scores.table.smaller else 1
        best = max(sign * one.estimate for one in of_metric)
        is_best = f"{row.ranker} is best in {where}" in sentence
        if is_best and sign * row.estimate < best:
            yield "winner", (sentence, row)
        own = {*found._letters_of(row, row.ranker)}
        alike = [
            one.ranker
            for one in of_metric
            if one is not row and own & {*found._letters_of(one, one.ranker)}
        ]
        if is_best and len(alike) == len(of_metric) - 1:
            yield "no winner", (sentence, row)
        if is_best and alike:
            after = sentence.split(f"{row.ranker} is best in {where}; ")[-1]
            named, _, _ = after.partition(" may be as good")
            if {*named.replace(" and ", ", ").split(", ")} != {*alike}:
                yield "as good", (sentence, row)


def main(number=10_000, seed=0):
    """Look at so many comparisons."""
    counts, n_rows = Counter(), 0
    for i in range(int(number)):
        rng = np.random.default_rng([int(seed), i])
        scores, options = draw_comparison(rng)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            for what, row in contradictions(scores, options):
                counts[what] += 1
                if counts[what] <= 3:
                    print(i, what, options, row, flush=True)
        n_rows += len(scores.rankers) * len(scores.metrics)
    print(f"{number} tables, {n_rows} means: {dict(counts) or 'no contradiction'}")


if __name__ == "__main__":
    main(*sys.argv[1:])
