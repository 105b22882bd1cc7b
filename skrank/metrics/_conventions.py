"""The rules by which other libraries compute the metrics of the same name."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import difflib
import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from skrank.metrics._names import METRICS

# Relevant from grade 1 on: a threshold is exceeded, so it lies just below.
FROM_ONE = math.nextafter(1, 0)

_OF_FIRST_RANKS = {
    name: {"ties": "realistic"}
    for name, metric in METRICS.items()
    if metric.reads_first_rank
}

_ENTRIES = {
    # dcg_score, ndcg_score, top_k_accuracy_score (the later of two tied columns
    # first) and, query by query, roc_auc_score.
    "sklearn": {
        "dcg": {"gain": "linear"},
        "ndcg": {"gain": "linear"},
        "hits": {"ties": "first", "doc_order": "descending"},
        "map": (
            "average_precision_score and label_ranking_average_precision_score let "
            "tied documents enter together and read the precision at the end of "
            "their class, which is the value of none of their orders, nor the mean; "
            "without ties both are map_score"
        ),
    },
    # Ids are compared as text, scores in single precision. Levels of relevance are
    # integers, and NDCG reads them all: give it no threshold (trec_eval -l).
    "trec_eval": {
        "*": {
            "ties": "first",
            "doc_order": "descending",
            "score_dtype": "float32",
            "threshold": FROM_ONE,
            "judged_from": 0.0,
        },
        "dcg": {"gain": "linear"},
        "ndcg": {"gain": "linear"},
        "rbp": {"p": 0.9},
    },
    # Its sort is not stable, so that ties in lists of more than 16 documents have no
    # order to speak of. gain="exponential" is its ndcg_burges.
    "ranx": {
        "*": {"ties": "first", "threshold": FROM_ONE},
        "dcg": {"gain": "linear"},
        "ndcg": {"gain": "linear"},
    },
    # replace_undefined_by=0.0 is its "ndcg@10-".
    "xgboost": {
        "*": {"ties": "first", "score_dtype": "float32"},
        "map": {"k": 32, "normalize": "achievable", "replace_undefined_by": 1.0},
        "ndcg": {"k": 32, "replace_undefined_by": 1.0},
        "precision": {"normalize": "length"},
    },
    "lightgbm": {
        "*": {"ties": "first"},
        "map": {
            "normalize": "achievable",
            "replace_undefined_by": 1.0,
            "threshold": 0.5,
        },
        "ndcg": {"replace_undefined_by": 1.0},
    },
    # gain="exponential" is its type=Exp.
    "catboost": {
        "*": {"ties": "pessimistic"},
        "dcg": {"gain": "linear"},
        "ndcg": {"gain": "linear", "replace_undefined_by": 1.0},
        "mrr": {"threshold": 0.5},
        "map": {"normalize": "achievable", "threshold": 0.5},
        "precision": {"normalize": "length", "threshold": 0.5},
        "recall": {"replace_undefined_by": 1.0, "threshold": 0.5},
        "query_auc": {"ties": "expected", "replace_undefined_by": 0.0},
        "err": (
            "CatBoost takes the grade itself for the chance that a reader stops, "
            "err_score (2 ** grade - 1) / 2 ** max_grade"
        ),
    },
    "rax": {
        "*": {"ties": "first", "score_dtype": "float32", "threshold": FROM_ONE},
        "dcg": {"threshold": 0.0},
        "ndcg": {"threshold": 0.0},
        "precision": {"normalize": "length"},
        # Its ordered pair accuracy: a pair of equal scores is wrong.
        "rank_correlation": {
            "ties": "pessimistic",
            "replace_undefined_by": 0.0,
            "threshold": 0.0,
        },
    },
    # Its sort is not stable either, and all but NDCG leave documents with scores of
    # 0 or less out: shift the scores above 0.
    "torchmetrics": {
        "*": {"ties": "first", "score_dtype": "float32"},
        "ndcg": {"gain": "linear", "ties": "expected"},
        "query_auc": {"ties": "expected", "replace_undefined_by": 0.0},
        "map@k": (
            "torchmetrics divides by the number of relevant documents among the "
            "first k, which depends on the order itself; without k it is map_score"
        ),
    },
    "matchzoo": {
        "*": {"ties": "first"},
        "dcg": {"k": 1, "discount": "ln"},
        "ndcg": {"k": 1},
        # What it calls average precision; its threshold is not read.
        "mean_precision": {"threshold": 0.0},
    },
    "pykeen": _OF_FIRST_RANKS,
    # hits@k of the sets evaluated by Hits@K, where a positive has to beat the k-th
    # negative; the lists of hits beside its MRR have ties="realistic".
    "ogb": {"mrr": {"ties": "realistic"}, "hits": {"ties": "pessimistic"}},
    "msmarco": {
        "*": {"ties": "first", "doc_order": "ascending", "threshold": FROM_ONE},
        "mrr": {"k": 10},
    },
    # What counts is whether an item is in the ground truth.
    "replay": {
        "*": {"ties": "first", "doc_order": "descending"},
        "map": {"normalize": "achievable"},
        "dcg": {"gain": np.ones_like},
        "ndcg": {"gain": np.ones_like},
    },
    # The ids are the columns of its matrices; that the last of tied ones comes first
    # holds for short lists alone. Users without a true item are dropped.
    "recpack": {
        "*": {
            "ties": "first",
            "doc_order": "descending",
            "replace_undefined_by": math.nan,
        },
        "dcg": {"gain": np.ones_like},
        "ndcg": {"gain": np.ones_like},
        "hits": (
            "recpack's HitK is the number of relevant documents among the first k, "
            "which is k * precision@k"
        ),
    },
    # It compares scores in thousandths, cut to integers.
    "ampligraph": {
        "*": (
            "AmpliGraph ranks the entities of triples only: pass the convention to "
            "evaluate_link_prediction"
        )
    },
}

# The ties of ranks in link prediction, by metric.
_RANKS = {
    "pykeen": {"*": "realistic"},
    "ogb": {"*": "realistic", "hits": "pessimistic"},
    "ampligraph": {"*": "pessimistic"},
}


class Convention(NamedTuple):
    """The rules by which another library computes metrics.

    Attributes
    ----------
    rules : Mapping of str to Mapping
        The parameters that make a metric that of the library, by the name of the
        metric, or "name@k" if they hold for the name with a cutoff; "*" holds for all
        metrics.
    refused : Mapping of str to str
        The metrics that no parameters make the library's, and why.
    ranks : Mapping of str to str, or None
        The policy of ties in link prediction, by metric; "*" holds for the others.
        None if the library does not evaluate link prediction.
    """

    rules: Mapping
    refused: Mapping
    ranks: Mapping | None = None


def _frozen(library, entries):
    refused = {name: why for name, why in entries.items() if isinstance(why, str)}
    rules = {
        name: MappingProxyType(dict(entry))
        for name, entry in entries.items()
        if name not in refused
    }
    ranks = _RANKS.get(library)
    ranks = None if ranks is None else MappingProxyType(ranks)
    return Convention(MappingProxyType(rules), MappingProxyType(refused), ranks)


CONVENTIONS = MappingProxyType(
    {library: _frozen(library, entries) for library, entries in _ENTRIES.items()}
)

# The libraries whose rules hold for the ranks of link prediction.
OF_RANKS = frozenset(name for name, one in CONVENTIONS.items() if one.ranks)


class NoNumber(ValueError):
    """A convention cannot be followed for a metric, for a reason."""

    def __init__(self, metric, convention, reason):
        super().__init__(f"{metric!r} has no convention={convention!r}: {reason}.")
        self.reason = reason


def check_convention(convention, caller):
    """Return `convention` if it is None or a name in CONVENTIONS."""
    if convention is None or (
        isinstance(convention, str) and convention in CONVENTIONS
    ):
        return convention
    near = difflib.get_close_matches(str(convention).lower(), CONVENTIONS, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise ValueError(
        f"The 'convention' parameter of {caller} must be a str among "
        f"{{{', '.join(map(repr, sorted(CONVENTIONS)))}}} or None. "
        f"Got {convention!r} instead.{hint}"
    )


def rules_of(convention, metric, has_cutoff):
    """Return the parameters that a convention gives to a metric.

    Parameters
    ----------
    convention : str or None
        A name in CONVENTIONS; None sets no rules.
    metric : str or None
        The name of the metric, without ``@k``; None for a definition of the user.
    has_cutoff : bool
        Whether the metric was asked for with ``@k``.

    Returns
    -------
    rules : dict or str
        The parameters; or the reason why there are none that give the number of the
        library.
    """
    rules = {}
    if convention is None:
        return rules
    for key in ("*", metric, f"{metric}@k" if has_cutoff else None):
        if key in CONVENTIONS[convention].refused:
            return CONVENTIONS[convention].refused[key]
        rules |= CONVENTIONS[convention].rules.get(key, {})
    return rules


_MEANING = {
    "ties": "what tied documents give",
    "ties='expected'": "tied documents give the expectation over their orders",
    "ties='first'": "tied documents stand in input order",
    "ties='pessimistic'": "tied documents stand in their worst order",
    "ties='realistic'": "a tied document has the mean of its ranks",
    "doc_order": "tied documents stand by their ids",
    "score_dtype": "scores that differ by less are tied",
    "judged_from": "lower grades stand for no judgement",
    "threshold": "relevant are the grades above it",
    f"threshold={FROM_ONE}": "relevant are the grades from 1 on",
    "gain": "what a grade is worth",
    "gain='linear'": "a grade is worth itself, not 2 ** grade - 1",
    "gain=ones_like": "every relevant document is worth 1",
    "discount": "what a rank is worth",
    "k": "the list ends there",
    "normalize": "what is divided by",
    "normalize='achievable'": "over min(k, relevant), not all relevant documents",
    "normalize='length'": "over min(k, length of the list), not k",
    "replace_undefined_by": "what an undefined query scores",
    "replace_undefined_by=nan": "an undefined query is left out",
    "p": "how likely the reader goes on",
}


def grouped(rules):
    """Split rules into those that can be followed alone.

    An order of the ids says how ``ties="first"`` is meant, and goes with it.
    """
    together = ("ties", "doc_order") if rules.get("doc_order") else ()
    order = {name: rules[name] for name in together if name in rules}
    alone = [{name: rules[name]} for name in rules if name not in together]
    return [order, *alone] if order else alone


def in_words(rules):
    """Return rules that go together as they are written, and what they say."""
    written = [
        f"{name}={getattr(value, '__name__', repr(value))}"
        for name, value in rules.items()
    ]
    meaning = _MEANING.get(written[-1], _MEANING[[*rules][-1]])
    return ", ".join(written), meaning
