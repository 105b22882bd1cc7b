"""Numbers of other libraries that no convention gives, in the parameters of skrank.

`golden.json` holds what libraries give for nine small queries, by measures or options
that `peers.json` has not. A row of the table says how skrank is asked for the number.
"""

# SPDX-License-Identifier: BSD-3-Clause

import json
from pathlib import Path

import pytest

from tests.brute_force import call

GOLDEN = json.loads(Path(__file__).with_name("golden.json").read_text("utf-8"))

FIRST = {"ties": "first"}
LINEAR = {"gain": "linear"}
BY_LENGTH = {"normalize": "length"}

# trec_eval puts the greater of two tied document ids first: the later one here.
LAST = {"ties": "last"}

ROWS = {
    "pytrec_eval": {"set_F": ("f1@100", LAST | BY_LENGTH)},
    "ranx": {
        "precision": ("precision@100", FIRST | BY_LENGTH),
        "ndcg_burges": ("ndcg", FIRST),
        "ndcg_burges@2": ("ndcg@2", FIRST),
        "dcg_burges@5": ("dcg@5", FIRST),
    },
    # Its providers differ: RR@k is MSMARCO's, with the lesser document id first.
    "ir_measures": {
        "RR": ("mrr", LAST),
        "RR@1": ("mrr@1", FIRST),
        "RR@2": ("mrr@2", FIRST),
        "AP@2": ("map@2", LAST),
        "nDCG@2": ("ndcg@2", LAST | LINEAR),
        "Judged@2": ("judged@2", FIRST),
    },
    "sklearn": {
        "ndcg_ign@2": ("ndcg@2", LINEAR),
        "LRAP": ("map", {"replace_undefined_by": 1.0}),
        "average_precision": ("map", {}),
    },
    "xgboost": {
        "ndcg@5-": ("ndcg@5", FIRST),
        "map@5-": ("map@5", FIRST | {"normalize": "achievable"}),
        "ndcg@5(exp_gain=False)": (
            "ndcg@5",
            FIRST | LINEAR | {"replace_undefined_by": 1.0},
        ),
    },
    "torchmetrics": {"P@5ad": ("precision@5", FIRST | BY_LENGTH)},
    "rax": {"P": ("precision@100", FIRST | BY_LENGTH), "R": ("recall@100", FIRST)},
    "matchzoo_py": {
        "MRR>1": ("mrr", FIRST | {"threshold": 1}),
        "MAP(thr=1)": ("map", FIRST | {"threshold": 1}),
        # Its "average precision", which ignores its threshold.
        "AP(mz,thr=1)": ("mean_precision", FIRST),
        "DCG@2": ("dcg@2", FIRST | {"discount": "ln"}),
        "NDCG@5(thr=1)": ("ndcg@5", FIRST | {"threshold": 1}),
    },
}

TIED = {"tie01", "tie10", "tie5"}

# Numbers that are left out, case by case, and why.
LEFT_OUT = {
    # ignore_ties=True is a reversed sort that is not stable.
    ("sklearn", "ndcg_ign@2"): TIED,
    # Tied documents enter at once there: precision is read at the end of the group.
    ("sklearn", "LRAP"): TIED,
    ("sklearn", "average_precision"): TIED,
    # Its sort is not stable; and documents with scores <= 0 are dropped.
    ("torchmetrics", "P@5ad"): {"tie5", "negscores"},
}

MEASURES = [(library, measure) for library, rows in ROWS.items() for measure in rows]


def test_every_measure_is_compared():
    assert {library: {*rows} for library, rows in ROWS.items()} == {
        library: {*measures} for library, measures in GOLDEN["values"].items()
    }


@pytest.mark.parametrize(("library", "measure"), MEASURES)
def test_the_numbers_of_the_library(library, measure):
    name, params = ROWS[library][measure]
    is_reversed = params.get("ties") == "last"
    numbers = GOLDEN["values"][library][measure]
    theirs, ours = {}, {}
    for (title, case), number in zip(GOLDEN["cases"].items(), numbers, strict=True):
        if title in LEFT_OUT.get((library, measure), ()):
            continue
        step = -1 if is_reversed else 1
        rows = case["y"][::step], case["s"][::step]
        theirs[title] = number
        ours[title] = call(name, *rows, **params | (FIRST if is_reversed else {}))
    # The numbers are rounded to six digits, rax computes in float32.
    assert ours == pytest.approx(theirs, abs=1.5e-6)
