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

    `numbers` maps the queries that were compared to (theirs, ours, ours by default).
    """

    verdict: str
    numbers: dict
    left_out: dict
    reasons: list


def split(name):
    """Return the metric of a name, without its parameters, and the cutoff or None."""
    base, _, k = name.partition("@")
    return base.partition("(")[0], int(k) if k else None


def number(library, query, name, **params):
    """Return what skrank says of one query, under a name without ``neg_``.

    Columns are those of the library.
    """
    base, _ = split(name)
    for column, of_item in peers.columns_of(library, base, query).items():
        params[column] = of_items(of_item, query.ids)
    sign = -1 if METRICS[base].full_name.startswith("neg_") else 1
    full_name = name if sign == 1 else f"neg_{name}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        got = evaluate(*query[:2], full_name, doc_id=query.names, **params)
    return sign * got[full_name]


@cache
def number_by_default(title, name, library):
    """Return a number under no convention: that of all libraries without columns."""
    return number(library, QUERIES[title], name)


def same(one, other, tolerance=1e-9):
    """Tell whether two numbers are equal, or both undefined."""
    return math.isclose(one, other, rel_tol=0, abs_tol=tolerance) or (
        math.isnan(one) and math.isnan(other)
    )


@cache
def cell(library, name):
    """Compare one metric of one library."""
    base, k = split(name)
    refused = rules_of(library, base, k)
    tolerance = TOLERANCE.get(library, 1e-9)
    numbers, left_out = {}, {}
    for (title, query), theirs in zip(
        QUERIES.items(), VALUES[library][name], strict=True
    ):
        if theirs is None:
            continue
        has_columns = peers.columns_of(library, base, query)
        default = number_by_default(title, name, library if has_columns else None)
        if isinstance(refused, str):
            left_out[title] = float(theirs), default, refused
            continue
        ours = number(library, query, name, convention=library)
        reason = exception(library, base, query)
        if reason is None:
            numbers[title] = float(theirs), ours, default
        else:
            left_out[title] = float(theirs), ours, reason
    reasons = list(dict.fromkeys(reason for _, _, reason in left_out.values()))
    if not numbers:
        return Cell("differs", numbers, left_out, reasons)
    by_default = all(same(t, d, tolerance) for t, _, d in numbers.values())
    by_rules = all(same(t, o, tolerance) for t, o, _ in numbers.values())
    verdict = "equal" if by_default else "by convention" if by_rules else "differs"
    return Cell(verdict, numbers, left_out, reasons)


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
