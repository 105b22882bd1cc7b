"""The rules by which other libraries compute the metrics of the same name."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import difflib
import math

import numpy as np

# Relevant from grade 1 on: a threshold is exceeded, so it lies just below.
FROM_ONE = math.nextafter(1, 0)

_BY_MEAN_RANK = {"ties": "realistic"}

CONVENTIONS = {
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
        },
        "dcg": {"gain": "linear"},
        "ndcg": {"gain": "linear"},
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
        "map": {"threshold": 0.5},
        "precision": {"normalize": "length", "threshold": 0.5},
        "recall": {"replace_undefined_by": 1.0, "threshold": 0.5},
        "query_auc": {"ties": "expected", "replace_undefined_by": 0.0},
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
    # Its sort is not stable either. Of documents with scores of 0 or less it drops
    # some before it counts: shift the scores above 0.
    "torchmetrics": {
        "*": {"ties": "first"},
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
    "pykeen": {
        "mrr": _BY_MEAN_RANK,
        "hits": _BY_MEAN_RANK,
        "mean_rank": _BY_MEAN_RANK,
        "median_rank": _BY_MEAN_RANK,
        "geometric_mean_rank": _BY_MEAN_RANK,
        "adjusted_mean_rank": _BY_MEAN_RANK,
        "adjusted_mean_rank_index": _BY_MEAN_RANK,
    },
    # hits@k of the sets evaluated by Hits@K, where a positive has to beat the k-th
    # negative; the lists of hits beside its MRR have ties="realistic".
    "ogb": {"mrr": _BY_MEAN_RANK, "hits": {"ties": "pessimistic"}},
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
    # The ids are the columns of its matrices. Users without a true item are dropped.
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
}


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


def rules_of(convention, metric, is_cut):
    """Return the parameters that a convention gives to a metric.

    Parameters
    ----------
    convention : str or None
        A name in CONVENTIONS; None has no rules.
    metric : str or None
        The name of the metric, without ``@k``; None for a definition of the user.
    is_cut : bool
        Whether the metric was asked for with ``@k``.

    Returns
    -------
    rules : dict or str
        The parameters; or the reason why there are none that give the number of the
        library.
    """
    entries = CONVENTIONS.get(convention, {})
    rules = {}
    for key in ("*", metric, f"{metric}@k" if is_cut else None):
        found = entries.get(key, {})
        if isinstance(found, str):
            return found
        rules |= found
    return rules
