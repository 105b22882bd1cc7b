"""Exposure and propensities by the code of others, which no package index has.

The numbers in `exposure.json` are those of the TREC fair ranking tracks of 2021 and
2022 (github.com/fair-trec/trec2021-fair-public and trec2022-fair-public) and of pyxclib
(github.com/kunaldahiya/pyxclib). With clones of all three on the path, and xarray and
numba installed, ``python -m tests.other_libraries.exposure_peers`` draws the cases and
writes them again. The tracks compute discounts in single precision: their numbers are
recorded as they are, and with discounts in double precision.
"""

# SPDX-License-Identifier: BSD-3-Clause

import itertools
import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np

FILE = Path(__file__).with_name("exposure.json")

# Of the lists in which EE-L is measured, in each track.
LENGTHS = {"2021": 50, "2022": 20}
KS = (1, 3, 5)


def draw_lists():
    """Yield lists with soft memberships, some documents of unknown groups, and ties."""
    rng = np.random.default_rng(0)
    for place in range(16):
        n, n_groups = int(rng.integers(2, 9)), int(rng.integers(2, 5))
        parts = rng.dirichlet(np.ones(n_groups), size=n).round(3)
        parts[:, 0] = (1 - parts[:, 1:].sum(axis=1)).round(3)
        is_known = rng.random(n) < (0.8 if place < 15 else 0)
        scores = np.sort(rng.integers(0, 5, size=n))[::-1]
        yield {
            "scores": scores.tolist() if place % 2 else list(range(n, 0, -1)),
            "grades": rng.integers(0, 2, size=n).tolist(),
            "group": (parts * is_known[:, np.newaxis]).tolist(),
            "target": rng.dirichlet(np.ones(n_groups)).round(3).tolist(),
        }


def draw_matrices():
    """Yield true labels and scores, without ties, and the propensities of labels."""
    rng = np.random.default_rng(1)
    for n_queries, n_labels in [(6, 8), (12, 10), (20, 30)]:
        counts = rng.integers(0, 60, size=n_labels)
        yield {
            "labels": (rng.random((n_queries, n_labels)) < 0.2).astype(int).tolist(),
            "scores": rng.permuted(
                np.tile(np.arange(1, n_labels + 1), (n_queries, 1)), axis=1
            ).tolist(),
            "counts": counts.tolist(),
        }  # fmt: skip


def orders(scores):
    """Return all orders in which the scores may put the documents."""
    ranked = sorted(range(len(scores)), key=lambda row: -scores[row])
    tied = [
        list(group)
        for _, group in itertools.groupby(ranked, key=lambda row: scores[row])
    ]
    found = itertools.product(*map(itertools.permutations, tied))
    return [list(itertools.chain.from_iterable(order)) for order in found]


def in_double_precision(ranks):
    """Return the discounts of the tracks, of the ranks up to a number."""
    return 1 / np.log2(np.maximum(np.arange(1.0, ranks + 1), 2))


def trec_2021(case, discount=None):
    import metrics
    import pandas as pd

    if discount is not None:
        metrics.discount = discount
    n = len(case["scores"])
    align = pd.DataFrame(case["group"], index=range(n))
    target = pd.Series(case["target"])
    sequence = runs_of(case)
    sequence.name = 0
    targets = SimpleNamespace(loc={0: target})
    found = metrics.Task2Metric(None, align, None, targets)(sequence)
    first = np.array(orders(case["scores"])[0])
    return {"awrf": metrics.qr_awrf(first, align, target), **found.to_dict()}


def trec_2022(case, discount=None):
    import pandas as pd
    import xarray as xr
    from wptrec.metrics import awrf, eel
    from wptrec.metrics.awrf import AWRFMetric
    from wptrec.metrics.eel import EELMetric

    if discount is not None:
        awrf.discount = eel.discount = discount
    n, n_groups = len(case["scores"]), len(case["target"])
    aligned = xr.DataArray(
        case["group"], dims=["page", "group"],
        coords={"page": range(n), "group": range(n_groups)},
    )  # fmt: skip
    frame = pd.DataFrame(case["group"], index=range(n))
    dimension = SimpleNamespace(page_align_df=frame, page_align_xr=aligned)
    targets = xr.DataArray(
        [case["target"]], dims=["topic_id", "group"],
        coords={"topic_id": [0], "group": range(n_groups)},
    )  # fmt: skip
    qrels = pd.DataFrame({"page_id": np.flatnonzero(case["grades"])})
    qrels.index = np.zeros(len(qrels), dtype=int)
    sequence = runs_of(case)
    sequence.name = 0
    measure = EELMetric(qrels, [dimension], targets, target_len=LENGTHS["2022"])
    measure.qrels = SimpleNamespace(loc={0: qrels})
    found = measure(sequence)
    one = AWRFMetric(None, [dimension], targets)
    first = np.array(orders(case["scores"])[0])
    return {"awrf": float(one.qr_awrf(first, targets.loc[0])), **found.to_dict()}


def runs_of(case):
    """Return a ranking for each order of tied documents, all equally likely."""
    import pandas as pd

    return pd.concat(
        [
            pd.DataFrame({"seq_no": place, "page_id": order})
            for place, order in enumerate(orders(case["scores"]))
        ],
        ignore_index=True,
    )


def pyxclib(case):
    from scipy import sparse
    from xclib.evaluation import xc_metrics

    truth = sparse.csr_matrix(np.array(case["labels"], dtype=float))
    scores = np.array(case["scores"], dtype=float)
    train = np.zeros((100, len(case["counts"])))
    for label, count in enumerate(case["counts"]):
        train[:count, label] = 1
    inverse = xc_metrics.compute_inv_propesity(sparse.csr_matrix(train), 0.55, 1.5)
    psp = xc_metrics.psprecision(scores, truth, inverse, k=max(KS))
    psndcg = xc_metrics.psndcg(scores, truth, inverse, k=max(KS))
    values = {f"psp@{k}": psp[k - 1] for k in KS}
    values |= {f"psndcg@{k}": psndcg[k - 1] for k in KS}
    # It stores the sums of NDCG in single precision; here they are in double precision.
    xc_metrics.np = SimpleNamespace(**vars(np) | {"float32": np.float64})
    psndcg = xc_metrics.psndcg(scores, truth, inverse, k=max(KS))
    xc_metrics.np = np
    values |= {f"psndcg@{k}, double": psndcg[k - 1] for k in KS}
    return values | {"inverse": inverse.tolist()}


def read():
    """Return the recorded cases, each with what was said of it."""
    return json.loads(FILE.read_text("utf-8"))


def write():
    """Draw the cases and ask for their numbers."""
    lists, matrices = list(draw_lists()), list(draw_matrices())
    for name, discount in [("single", None), ("double", in_double_precision)]:
        for case in lists:
            case[f"2021, {name}"] = plain(trec_2021(case, discount))
            case[f"2022, {name}"] = plain(trec_2022(case, discount))
    found = {
        "lists": lists,
        "matrices": [case | {"pyxclib": plain(pyxclib(case))} for case in matrices],
    }
    rows = (
        f'"{name}": [\n' + ",\n".join(map(json.dumps, cases)) + "\n]"
        for name, cases in found.items()
    )
    FILE.write_text("{\n" + ",\n".join(rows) + "\n}\n", "utf-8")


def plain(values):
    """Return floats that JSON can hold, None for NaN."""
    return {
        name: value if isinstance(value, list) else _number(float(value))
        for name, value in values.items()
    }


def _number(value):
    return None if np.isnan(value) else value


if __name__ == "__main__":
    write()
