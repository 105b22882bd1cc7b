"""The numbers of other libraries, in the parameters of skrank.

`golden.json` holds what nine libraries give for nine small queries. A row of the table
says how skrank is asked for the same number; what it does not hold is named.
"""

# SPDX-License-Identifier: BSD-3-Clause

import json
from pathlib import Path

import pytest

from tests.brute_force import call

GOLDEN = json.loads(Path(__file__).with_name("golden.json").read_text("utf-8"))
CASES = list(GOLDEN["cases"])

FIRST = {"ties": "first"}
LINEAR = {"gain": "linear"}
BY_LENGTH = {"normalize": "length"}

# trec_eval puts the greater of two tied document ids first: the later one here.
LAST = {"ties": "last"}

ROWS = {
    "pytrec_eval": {
        "map": ("map", LAST),
        "map_cut_2": ("map@2", LAST),
        "map_cut_5": ("map@5", LAST),
        "recip_rank": ("mrr", LAST),
        "ndcg": ("ndcg", LAST | LINEAR),
        **{f"ndcg_cut_{k}": (f"ndcg@{k}", LAST | LINEAR) for k in (1, 2, 5)},
        **{f"P_{k}": (f"precision@{k}", LAST) for k in (1, 2, 5)},
        **{f"recall_{k}": (f"recall@{k}", LAST) for k in (2, 5)},
        **{f"success_{k}": (f"hits@{k}", LAST) for k in (1, 2)},
        "Rprec": ("r_precision", LAST),
        "bpref": ("bpref", LAST),
        "set_F": ("f1@100", LAST | BY_LENGTH),
        "infAP": ("map", LAST | {"unjudged": "inferred"}),
    },
    "ranx": {
        **{name: (name, FIRST) for name in ("map", "map@2", "map@5", "mrr", "mrr@2")},
        **{f"precision@{k}": (f"precision@{k}", FIRST) for k in (1, 2, 5)},
        "precision": ("precision@100", FIRST | BY_LENGTH),
        **{f"recall@{k}": (f"recall@{k}", FIRST) for k in (2, 5)},
        **{
            name: (name, FIRST | LINEAR)
            for name in ("ndcg", "ndcg@1", "ndcg@2", "ndcg@5", "dcg@5")
        },
        "ndcg_burges": ("ndcg", FIRST),
        "ndcg_burges@2": ("ndcg@2", FIRST),
        "dcg_burges@5": ("dcg@5", FIRST),
        **{f"hit_rate@{k}": (f"hits@{k}", FIRST) for k in (1, 2)},
        "r-precision": ("r_precision", FIRST),
        "bpref": ("bpref", FIRST),
        "f1@2": ("f1@2", FIRST),
        "rbp.80": ("rbp", FIRST | {"p": 0.8}),
    },
    # Its providers differ: RR@k is MSMARCO's, with the lesser document id first.
    "ir_measures": {
        "RR": ("mrr", LAST),
        "RR@1": ("mrr@1", FIRST),
        "RR@2": ("mrr@2", FIRST),
        "AP": ("map", LAST),
        "AP@2": ("map@2", LAST),
        "P@1": ("precision@1", LAST),
        "P@5": ("precision@5", LAST),
        "nDCG": ("ndcg", LAST | LINEAR),
        "nDCG@2": ("ndcg@2", LAST | LINEAR),
        "Success@1": ("hits@1", LAST),
        "Judged@2": ("judged@2", FIRST),
    },
    "sklearn": {
        "ndcg@None": ("ndcg", LINEAR),
        **{f"ndcg@{k}": (f"ndcg@{k}", LINEAR) for k in (1, 2, 5)},
        **{f"ndcg_ign@{k}": (f"ndcg@{k}", LINEAR) for k in (1, 2, 5)},
        "ndcg_ign@None": ("ndcg", LINEAR),
        "LRAP": ("map", {"replace_undefined_by": 1.0}),
        "average_precision": ("map", {}),
    },
    "lightgbm": {
        **{
            f"ndcg@{k}": (f"ndcg@{k}", FIRST | {"replace_undefined_by": 1.0})
            for k in (1, 2, 5)
        },
        **{
            f"map@{k}": (
                f"map@{k}",
                FIRST | {"normalize": "achievable", "replace_undefined_by": 1.0},
            )
            for k in (1, 2, 5)
        },
    },
    "xgboost": {
        **{
            name: (name, FIRST | {"replace_undefined_by": 1.0})
            for name in ("ndcg", "ndcg@1", "ndcg@2", "ndcg@5", "map")
        },
        **{
            f"map@{k}": (
                f"map@{k}",
                FIRST | {"normalize": "achievable", "replace_undefined_by": 1.0},
            )
            for k in (1, 2, 5)
        },
        "ndcg@5-": ("ndcg@5", FIRST),
        "map@5-": ("map@5", FIRST | {"normalize": "achievable"}),
        **{f"pre@{k}": (f"precision@{k}", FIRST | BY_LENGTH) for k in (1, 2, 5)},
        "ndcg@5(exp_gain=False)": (
            "ndcg@5",
            FIRST | LINEAR | {"replace_undefined_by": 1.0},
        ),
    },
    "torchmetrics": {
        "AP": ("map", FIRST),
        "AP@5": ("map@5", FIRST),
        "RR": ("mrr", FIRST),
        "P@1": ("precision@1", FIRST),
        "P@5": ("precision@5", FIRST),
        "P@5ad": ("precision@5", FIRST | BY_LENGTH),
        "R@2": ("recall@2", FIRST),
        "Rprec": ("r_precision", FIRST),
        "HR@1": ("hits@1", FIRST),
        "HR@2": ("hits@2", FIRST),
        "NDCG": ("ndcg", LINEAR),
        "NDCG@1": ("ndcg@1", LINEAR),
        "NDCG@2": ("ndcg@2", LINEAR),
        "AUROC": ("query_auc", {"replace_undefined_by": 0.0}),
    },
    "rax": {
        "MRR": ("mrr", FIRST),
        "AP": ("map", FIRST),
        "P": ("precision@100", FIRST | BY_LENGTH),
        "R": ("recall@100", FIRST),
        "NDCG": ("ndcg", FIRST),
        "DCG": ("dcg", FIRST),
        **{f"MRR@{k}": (f"mrr@{k}", FIRST) for k in (1, 2, 5)},
        **{f"AP@{k}": (f"map@{k}", FIRST) for k in (1, 2, 5)},
        **{f"P@{k}": (f"precision@{k}", FIRST | BY_LENGTH) for k in (1, 2, 5)},
        **{f"R@{k}": (f"recall@{k}", FIRST) for k in (1, 2, 5)},
        **{f"NDCG@{k}": (f"ndcg@{k}", FIRST) for k in (1, 2, 5)},
        **{f"DCG@{k}": (f"dcg@{k}", FIRST) for k in (1, 2, 5)},
        # Ordered pair accuracy: a pair of equal scores is wrong.
        "OPA": (
            "rank_correlation",
            {"ties": "pessimistic", "replace_undefined_by": 0.0},
        ),
    },
    "matchzoo_py": {
        "MRR": ("mrr", FIRST),
        "MRR>1": ("mrr", FIRST | {"threshold": 1}),
        "MAP": ("map", FIRST),
        "MAP(thr=1)": ("map", FIRST | {"threshold": 1}),
        # Its "average precision", which ignores its threshold.
        "AP(mz)": ("mean_precision", FIRST),
        "AP(mz,thr=1)": ("mean_precision", FIRST),
        **{f"P@{k}": (f"precision@{k}", FIRST) for k in (1, 2, 5)},
        **{f"DCG@{k}": (f"dcg@{k}", FIRST | {"discount": "ln"}) for k in (1, 2, 5)},
        **{f"NDCG@{k}": (f"ndcg@{k}", FIRST) for k in (1, 2, 5)},
        "NDCG@5(thr=1)": ("ndcg@5", FIRST | {"threshold": 1}),
    },
}

# Measures that skrank has not, and why.
NOT_HERE = {
    "no such metric": {
        ("ir_measures", "Compat"),
        ("torchmetrics", "fallout@2"),
    },
    "a count of documents, not a fraction of queries": {("ranx", "hits@2")},
    "the provider was not there": {
        ("ir_measures", "ERR@5"),
        ("ir_measures", "nDCG(dcg='exp-log2')@2"),
    },
    "over the relevant documents found, a random number under ties": {
        ("torchmetrics", "AP@2")
    },
}

TIED = {"tie01", "tie10", "tie5"}

# Numbers that are left out, case by case, and why.
LEFT_OUT = {
    # ignore_ties=True is a reversed sort that is not stable.
    **{("sklearn", f"ndcg_ign@{k}"): TIED for k in (None, 1, 2, 5)},
    # Tied documents enter at once there: precision is read at the end of the group.
    ("sklearn", "LRAP"): TIED,
    ("sklearn", "average_precision"): TIED,
    # Its sort is not stable; and documents with scores <= 0 are dropped.
    **{
        ("torchmetrics", name): {"tie5", "negscores"}
        for name in ("AP", "AP@5", "RR", "P@1", "P@5", "P@5ad", "R@2")
    },
    ("torchmetrics", "Rprec"): {"tie5"},
    # NaN where no document is judged not relevant; gains that are not scaled to 1.
    ("ranx", "bpref"): {"allrel"},
    ("ranx", "rbp.80"): {"graded"},
    ("torchmetrics", "HR@1"): {"tie5"},
    ("torchmetrics", "HR@2"): {"tie5"},
}

MEASURES = [(library, measure) for library, rows in ROWS.items() for measure in rows]


def test_every_measure_is_compared_or_named():
    listed = {(library, name) for library, rows in ROWS.items() for name in rows}
    absent = set().union(*NOT_HERE.values())
    assert not listed & absent
    assert listed | absent == {
        (library, name)
        for library, measures in GOLDEN["values"].items()
        for name in measures
    }
    assert set(LEFT_OUT) <= listed


@pytest.mark.slow_rows
@pytest.mark.parametrize(("library", "measure"), MEASURES)
def test_the_numbers_of_the_library(library, measure):
    name, params = ROWS[library][measure]
    is_reversed = params.get("ties") == "last"
    theirs, ours = {}, {}
    for case, number in zip(CASES, GOLDEN["values"][library][measure], strict=True):
        if case in LEFT_OUT.get((library, measure), ()):
            continue
        y_true, y_score = GOLDEN["cases"][case]["y"], GOLDEN["cases"][case]["s"]
        if is_reversed:
            y_true, y_score = y_true[::-1], y_score[::-1]
        theirs[case] = number
        ours[case] = call(
            name, y_true, y_score, **params | (FIRST if is_reversed else {})
        )
    # The numbers are rounded to six digits, rax computes in float32.
    assert ours == pytest.approx(theirs, abs=1.5e-6)
