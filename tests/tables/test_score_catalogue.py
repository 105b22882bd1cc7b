"""Scores of all lists of a table are those of its rows as arrays."""

# SPDX-License-Identifier: BSD-3-Clause

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

from skrank.metrics import catalogue_scores
from skrank.tables import score_catalogue, stream

NAMES = {"qid": "user", "item": "product", "y_score": "score"}


def draw(kind="text", n_users=300):
    """Return rows in any order, with ties, ragged queries and a mask."""
    rng = np.random.default_rng(0)
    sizes = rng.integers(1, 30, size=n_users)
    user = np.repeat(rng.permutation(n_users), sizes)
    item = np.concatenate([rng.choice(80, size, replace=False) for size in sizes])
    if kind == "text":
        user = np.array([f"user {id}" for id in user], dtype=object)
        item = np.array([f"item {id}" for id in item], dtype=object)
    frame = pd.DataFrame({"user": user, "product": item})
    frame["score"] = rng.integers(0, 6, size=len(frame)).astype(float)
    frame["other"] = rng.standard_normal(len(frame))
    frame["shown"] = rng.random(len(frame)) < 0.8
    return frame.sample(frac=1, random_state=0).reset_index(drop=True)


def of_arrays(frame, y_score="score", **options):
    rows = {"qid": frame["user"], "item": frame["product"]}
    return catalogue_scores(frame[y_score], **rows, **options)


def assert_equal(found, expected):
    assert found.summary() == expected.summary()
    assert found.counts == expected.counts
    assert found.n_lists == expected.n_lists
    assert found.intervals().rows == expected.intervals().rows


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "ties", "batch"),
    [
        *(("text", "expected", 100), ("text", "first", 300_000)),
        *(("numbers", "first", 100), ("numbers", "expected", 300_000)),
    ],
)
def test_a_file_has_the_scores_of_its_rows(kind, ties, batch, tmp_path, monkeypatch):
    monkeypatch.setattr(stream, "BATCH", batch)
    frames = {"any": draw(kind), "sorted": draw(kind).sort_values("user")}
    for name, frame in frames.items():
        path = tmp_path / f"{name}.parquet"
        frame.to_parquet(path)
        options = {"k": 5, "items": 100, "ties": ties}
        found = score_catalogue(path, **NAMES, **options)
        assert_equal(found, of_arrays(frame, **options))


@pytest.mark.slow
def test_a_frame_may_have_several_rankers_and_a_mask():
    frame = draw()
    ids = sorted({*frame["product"], "never"})
    names = NAMES | {"y_score": ["score", "other"]}
    found = score_catalogue(frame, **names, returned="shown", k=5, items=ids)
    for ranker in ("score", "other"):
        alone = of_arrays(frame, ranker, k=5, items=ids, returned=frame["shown"])
        assert found.summary()[ranker] == alone.summary()
        assert found.counts[ranker] == alone.counts
    differences = found.intervals(baseline="other")["score"]
    assert differences["coverage"].n_queries == 300


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["text", "numbers"])
def test_a_frame_of_dask_has_them_too(kind):
    frame = draw(kind)
    of_dask = dd.from_pandas(frame, npartitions=3)
    found = score_catalogue(of_dask, returned="shown", k=5, items=100, **NAMES)
    assert_equal(found, of_arrays(frame, k=5, items=100, returned=frame["shown"]))


@pytest.mark.slow
def test_what_a_table_does_not_have_is_an_error():
    frame = draw()
    with pytest.raises(ValueError, match="at least the number of different items"):
        score_catalogue(frame, k=5, items=3, **NAMES)
    with pytest.raises(ValueError, match="Got no item 'item"):
        score_catalogue(frame, k=5, items=range(100), **NAMES)
    with pytest.raises(ValueError, match="'item' parameter of score_catalogue"):
        score_catalogue(frame, k=5, items=100, item=["product"])
    with pytest.raises(ValueError, match="product_id"):
        score_catalogue(frame, k=5, items=100, **NAMES | {"item": "product_id"})
    of_dask = dd.from_pandas(frame, npartitions=1)
    with pytest.raises(ValueError, match="keeps the order of the rows"):
        score_catalogue(of_dask, k=5, items=100, ties="first", **NAMES)
    frame.loc[3, "product"] = None
    with pytest.raises(ValueError, match="'product' has 1 missing value"):
        score_catalogue(frame, k=5, items=100, **NAMES)
