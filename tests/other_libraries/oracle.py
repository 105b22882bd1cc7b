"""What skrank says beside what other libraries say, number by number.

The numbers of the libraries are in `peers.json`. Tests hold each of them, and the page
on conventions shows them as a table: `docs/makers/conventions.py`.
"""

# SPDX-License-Identifier: BSD-3-Clause

import math
import warnings
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from skrank._engine.conventions import rules_of
from skrank._engine.request import METRICS
from skrank.metrics import evaluate, of_items
from tests.other_libraries import peers

QUERIES, VALUES, VERSIONS = peers.read()

# Two libraries compute in single precision, and those of recommenders and of embeddings
# in double. Two others round to five digits.
TOLERANCE = {"ogb": 1e-6, "torchmetrics": 1e-6, "beir": 5.1e-6, "mteb": 5.1e-6}
TOLERANCE |= dict.fromkeys(
    ["elliot", "lenskit", "recommenders", "rectools", "sentence_transformers"], 1e-12
)


class LeftOut(NamedTuple):
    """Queries for which a library is not followed: a defect, or no rule at all."""

    library: str
    metrics: set | None
    applies: Callable
    reason: str


def is_tied(query):
    scores = np.array(query.scores, dtype=np.float32)
    return len(set(scores.tolist())) < len(scores)


EXCEPTIONS = [
    LeftOut(
        "ranx",
        None,
        lambda query: is_tied(query) and len(query.scores) > 16,
        "its sort is not stable: ties in lists of more than 16 documents have no order",
    ),
    LeftOut(
        "ranx",
        {"bpref"},
        lambda query: 0 not in query.grades,
        "it is NaN where no document is judged not relevant, and so is the mean",
    ),
    LeftOut(
        "ranx",
        {"rbp"},
        lambda query: max(query.grades) > 1,
        "it takes grades as they are, so that the metric may exceed 1",
    ),
    LeftOut(
        "torchmetrics",
        {"map", "mrr", "hits", "precision", "recall", "r_precision"},
        is_tied,
        "its sort is not stable: ties have no order",
    ),
    LeftOut(
        "torchmetrics",
        {"map", "mrr", "precision", "recall"},
        lambda query: min(query.scores) <= 0,
        "it leaves out documents with scores of 0 or less, such as logits",
    ),
    LeftOut(
        "recpack",
        None,
        lambda query: is_tied(query) and len(query.scores) > 5,
        "ties have no order: the last column comes first only in short lists",
    ),
    LeftOut(
        "lenskit",
        {"rbp"},
        lambda query: max(query.grades) > 1,
        "it reads whether an item is relevant and not its grade: pass y_true > 0",
    ),
]


class Cell(NamedTuple):
    """What was found for one metric of one library.

    `numbers` maps the queries that were compared to (theirs, ours), `left_out` the
    others to (theirs, ours, why). Ours is None if the metric is refused.
    """

    library: str
    name: str
    numbers: dict
    left_out: dict

    @property
    def reasons(self):
        return list(dict.fromkeys(why for _, _, why in self.left_out.values()))

    @property
    def verdict(self):
        tolerance = TOLERANCE.get(self.library, 1e-9)
        by_default = [
            (theirs, recorded(self.library, title, None)[self.name])
            for title, (theirs, _) in self.numbers.items()
        ]
        for verdict, pairs in (
            ("equal", by_default),
            ("by convention", self.numbers.values()),
        ):
            if pairs and all(same(*pair, tolerance) for pair in pairs):
                return verdict
        return "differs"


def split(name):
    """Return the metric of a name, without its parameters, and the cutoff or None."""
    base, _, k = name.partition("@")
    return base.partition("(")[0], int(k) if k else None


def numbers(library, query, names, convention):
    """Return what skrank says of one query, by names without ``neg_``.

    Columns are those of the library. Metrics without one are asked for together.
    """
    found, groups = {}, {}
    for name in names:
        base, k = split(name)
        if convention and isinstance(rules_of(convention, base, k), str):
            continue
        columns = peers.columns_of(library, base, query)
        groups.setdefault(base if columns else "", (columns, []))[1].append(name)
    for columns, of_group in groups.values():
        signed = {
            name: METRICS[base].full_name.removesuffix(base) + name
            for name in of_group
            for base, _ in [split(name)]
        }
        params = {key: of_items(items, query.ids) for key, items in columns.items()}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedMetricWarning)
            got = evaluate(
                *query[:2], [*signed.values()], doc_id=query.names,
                convention=convention, **params,
            )  # fmt: skip
        for name, full_name in signed.items():
            found[name] = got[full_name] if name == full_name else -got[full_name]
    return found


@cache
def recorded(library, title, convention):
    """Return what skrank says of a query of which a library has numbers."""
    place = list(QUERIES).index(title)
    names = [name for name, of in VALUES[library].items() if of[place] is not None]
    return numbers(library, QUERIES[title], names, convention)


def same(one, other, tolerance=1e-9):
    """Tell whether two numbers are equal, or both undefined."""
    return math.isclose(one, other, rel_tol=0, abs_tol=tolerance) or (
        math.isnan(one) and math.isnan(other)
    )


@cache
def cell(library, name):
    """Compare one metric of one library."""
    base, k = split(name)
    rules = rules_of(library, base, k)
    refused = rules if isinstance(rules, str) else None
    compared, left_out = {}, {}
    for title, theirs in zip(QUERIES, VALUES[library][name], strict=True):
        if theirs is None:
            continue
        ours = recorded(library, title, library).get(name)
        reason = refused or exception(library, base, QUERIES[title])
        if reason is None:
            compared[title] = float(theirs), ours
        else:
            left_out[title] = float(theirs), ours, reason
    return Cell(library, name, compared, left_out)


def exception(library, metric, query):
    """Return why a number is left out, or None."""
    for row in EXCEPTIONS:
        if (
            row.library == library
            and (row.metrics is None or metric in row.metrics)
            and row.applies(query)
        ):
            return row.reason
    return None


def cells():
    """Return every cell, by library and name."""
    return {
        (library, name): cell(library, name)
        for library, names in VALUES.items()
        for name in names
    }
