"""Simulate machine judges: what their labels alone say, and what people add.

It takes about ten minutes. Two rankers order 30 documents of each query, with grades
from 0 to 3. A machine judges all documents of 1,000 queries, and people those of n of
them.
"""

# SPDX-License-Identifier: BSD-3-Clause

from functools import partial

import numpy as np
from sklearn.metrics import cohen_kappa_score

from skrank.metrics import score_queries
from skrank.stats import confidence_interval
from tests.stats.pilot import comparison_of
from tests.studies.experiments import covers, percent
from tests.studies.populations import query_scores
from tests.studies.tables import FOLDER, Row, Table

DOCS_TABLE = FOLDER / "judges.rst"
N_POOL, N_JUDGED, N_DOCUMENTS, NS = 8000, 1000, 30, (20, 50, 200)
METRICS = ["ndcg@10", "precision@10", "mrr"]
COLUMNS = [
    "the machine alone",
    *(f"with people, n = {n}" for n in NS),
    "width, %",
    "worth",
]


def judged(rng, kind):
    """Return the machine's grades, those of people and the scores of two rankers."""
    difficulty = rng.normal(-0.8, 0.7, size=(N_POOL, 1))
    relevance = difficulty + rng.normal(size=(N_POOL, N_DOCUMENTS))
    grades = np.digitize(relevance, [0.3, 1.0, 1.7])
    errors = rng.normal(size=(2, N_POOL, N_DOCUMENTS))
    noise = rng.normal(size=grades.shape)
    opinion = rng.normal(size=(N_POOL, 1))
    machine = {
        "noise": grades + 0.5 * noise,
        "lenient": grades + 0.45 * noise + 0.15,
        "opinions": grades + 0.5 * noise + 0.4 * opinion,
        "shared errors": grades + 0.45 * noise + 0.35 * errors[1],
    }[kind]
    rankers = relevance + 1.2 * errors[0], relevance + 1.1 * errors[1]
    return np.clip(np.rint(machine), 0, 3), grades, *rankers


def scored(labels, one, other, metrics=METRICS):
    qid = np.repeat(np.arange(len(labels)), labels.shape[1])
    runs = {"one": one.ravel(), "other": other.ravel()}
    return score_queries(labels.ravel(), runs, metrics, qid=qid)


def some(scores, rows):
    """Return the scores of some queries, which have distinct ids."""
    values = np.nan_to_num(scores.values[..., rows])
    return query_scores(values, list(scores.metrics), rows)


def of_judge(values, n_samples, kind, metric, level):
    """Return the coverage of a mean, or of the difference, with one judge."""
    rng, found = np.random.default_rng(0), {}
    machine, grades, one, other = judged(rng, kind)
    by_people, by_machine = (
        scored(labels, one, other, metric) for labels in (grades, machine)
    )
    means = np.nan_to_num(by_people.values[:, 0]).mean(axis=1)
    truth = means[1] - means[0] if level == "difference" else means[0]
    alone, widths, worth = [], [], []
    for n in NS:
        covered = []
        for _ in range(n_samples):
            rows = rng.choice(N_POOL, N_JUDGED, replace=False)
            machine_scores, human = some(by_machine, rows), some(by_people, rows[:n])
            with_both = interval_of(human, level, judge=machine_scores)
            only_people = interval_of(human, level)
            covered.append(covers(with_both.low, with_both.high, truth))
            width, of_people = (x.high - x.low for x in (with_both, only_people))
            widths.append(width / of_people)
            worth.append(with_both.worth)
            if n == NS[0]:
                of_machine = interval_of(machine_scores, level)
                alone.append(covers(of_machine.low, of_machine.high, truth))
        found[f"with people, n = {n}"] = [percent(covered)]
    return {
        "the machine alone": [percent(alone)],
        **found,
        "width, %": [float(100 * np.median(widths))],
        "worth": [float(np.median(worth))],
    }


def interval_of(scores, level, judge=None):
    """Return the interval of the first mean, or of the difference."""
    if level == "mean":
        method = "t" if judge is None else "auto"
        return confidence_interval(scores, judge=judge, method=method).rows[0]
    return comparison_of(scores, judge=judge, n_resamples=999).rows[0]


KINDS = ("noise", "lenient", "opinions", "shared errors")


TABLES = {
    "queries": Table(
        "People judge n of 1,000 queries: coverage in %, the width compared with the "
        "labels of people alone, and what one of their queries is worth",
        COLUMNS,
        [
            Row(
                f"{kind}: {metric}, {level}",
                partial(of_judge, kind=kind, metric=metric, level=level),
                {f"with people, n = {n}": (91, 98) for n in NS},
            )
            for level in ("mean", "difference")
            for kind in KINDS
            for metric in METRICS
        ],
    )
}


def print_kappas():
    """Print the kappa of relevant or not of each judge."""
    for kind in KINDS:
        machine, grades, *_ = judged(np.random.default_rng(0), kind)
        kappa = cohen_kappa_score(grades.ravel() > 0, machine.ravel() > 0)
        print(f"{kind:44}kappa {kappa:.2f}")


if __name__ == "__main__":
    print_kappas()
