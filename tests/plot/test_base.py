"""What the displays share."""

# SPDX-License-Identifier: BSD-3-Clause

import sys

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge

from skrank.metrics import evaluate
from skrank.plot import MetricAtKDisplay, QueryDifferenceDisplay
from skrank.plot.base import COLORS, fit_text, line_styles
from skrank.rankers import QueryRanker

SMALL, LARGE = (3.2, 2.4), (12, 8)
LONG = "sentence-transformers/all-mpnet-base-v2, fine-tuned on $1 of data, epoch"


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    y_true, qid = rng.integers(0, 3, size=200), np.repeat(np.arange(20), 10)
    a, b = y_true + rng.normal(size=200), rng.normal(size=200).round()
    return pd.DataFrame({"qid": qid, "y": y_true, "a": a, "b": b})


def draw(name, n_rankers, data, ax=None):
    names = [f"_{LONG} {i}" for i in range(n_rankers)]
    runs = {name: data["a"] + i * data["b"] / 4 for i, name in enumerate(names)}
    display, options = {
        "differences": (QueryDifferenceDisplay, {"ranker": names[1], "n_worst": 5}),
        "cutoffs": (MetricAtKDisplay, {"ks": [1, 2, 3, 5, 10, 20, 50, 100]}),
        "cutoffs, baseline": (MetricAtKDisplay, {"ks": [1, 10], "baseline": names[0]}),
    }[name]
    options |= {"metric": "ndcg", "qid": data["qid"], "ax": ax}
    return display.from_predictions(data["y"], runs, **options)


def assert_text_fits(figure, axes, groups):
    """Axes are within the drawn figure, and no texts of a group overlap."""
    box = figure.bbox.padded(1)
    for ax in axes:
        found = ax.get_tightbbox()
        assert box.x0 <= found.x0 <= found.x1 <= box.x1
        assert box.y0 <= found.y0 <= found.y1 <= box.y1
    for texts in groups:
        boxes = [text.get_window_extent() for text in texts if text.get_text()]
        assert boxes or not texts
        for i, one in enumerate(boxes):
            assert not any(one.overlaps(other) for other in boxes[i + 1 :])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "n_rankers", "size"),
    [
        ("differences", 2, SMALL),
        ("differences", 12, SMALL),
        ("cutoffs", 12, SMALL),
        ("cutoffs", 4, LARGE),
        ("cutoffs, baseline", 12, SMALL),
    ],
)
def test_all_text_is_inside_of_the_figure_and_no_labels_overlap(
    name, n_rankers, size, data
):
    figure, ax = plt.subplots(figsize=size)
    display = draw(name, n_rankers, data, ax)
    assert display.ax_ is ax
    assert display.figure_ is figure
    figure.canvas.draw()
    legend = ax.get_legend().get_texts() if name.startswith("cutoffs") else []
    assert_text_fits(figure, [ax], [ax.get_xticklabels(), ax.get_yticklabels(), legend])
    # The data have place as well.
    assert ax.get_position().width > 0.3
    assert ax.get_position().height > 0.3


@pytest.mark.slow
def test_a_layout_engine_is_left_as_it_is(data):
    figure, ax = plt.subplots(layout="tight")
    engine = figure.get_layout_engine()
    draw("cutoffs", 2, data, ax)
    assert figure.get_layout_engine() is engine


@pytest.mark.slow
def test_axes_of_a_subfigure_are_drawn_on(data):
    figure = plt.figure()
    part = figure.subfigures(1, 2)[1]
    display = draw("cutoffs", 2, data, part.subplots())
    assert display.figure_ is part
    figure.canvas.draw()


def test_twelve_lines_look_different():
    styles = [tuple(style.values()) for style in line_styles(12)]
    assert len({(color, style) for color, _, style in styles}) == 12
    assert [color for color, *_ in styles[:7]] == list(COLORS)


def test_short_labels_are_written_whole():
    _, ax = plt.subplots()
    labels, size = fit_text(ax, ["bm25", "cost in $"])
    assert labels == ["bm25", r"cost in \$"]
    assert size == plt.rcParams["font.size"]
    (label,), size = fit_text(ax, [100 * "a" + 100 * "b"])
    assert len(label) < 100
    assert label[0] + label[-1] == "ab"
    assert "…" in label
    assert size == 5


@pytest.mark.slow
def test_fitted_estimators_are_ranked_by_their_predictions(data):
    X = data[["qid", "a", "b"]]
    rankers = {
        "both": QueryRanker(Ridge()).fit(X, data["y"]),
        "b": QueryRanker(Ridge()).fit(X.drop(columns="a"), data["y"]),
    }
    drawn = MetricAtKDisplay.from_estimator(rankers["both"], X, data["y"], "ndcg")
    assert drawn.rankers == ["QueryRanker"]
    scores = rankers["both"].predict(X)
    value = evaluate(data["y"], scores, "ndcg@20", qid=data["qid"])["ndcg@20"]
    assert drawn.estimate[0][-1] == pytest.approx(value, rel=1e-12)


@pytest.mark.slow
def test_estimators_can_have_query_ids_of_their_own_columns(data):
    X, y = data[["qid", "a"]], data["y"]
    renamed = X.rename(columns={"qid": "query"})
    ranker = QueryRanker(Ridge(), qid_column="query").fit(renamed, y)
    model = Ridge().fit(X[["a"]], y)
    display = MetricAtKDisplay.from_estimator(ranker, renamed, y, "mrr", ks=[3])
    value = evaluate(y, ranker.predict(renamed), "mrr@3", qid=data["qid"])["mrr@3"]
    assert display.estimate[0][0] == pytest.approx(value, rel=1e-12)
    with pytest.raises(ValueError, match="QueryDifferenceDisplay needs to know which"):
        QueryDifferenceDisplay.from_estimator({"one": model}, X[["a"]], y, "mrr")
    pair, given = {"one": model, "two": model}, (X[["a"]], y, "mrr")
    display = QueryDifferenceDisplay.from_estimator(pair, *given, qid=data["qid"])
    assert display.n_ties == 20


def test_a_missing_package_is_named_with_its_extra(monkeypatch):
    display = MetricAtKDisplay(k=[1, 2], estimate=[0.1, 0.2])
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r'pip install "\.\[plot\]"'):
        display.plot()


def test_scores_must_be_a_table_of_values():
    for display in (MetricAtKDisplay, QueryDifferenceDisplay):
        name = display.__name__
        message = f"parameter of {name} must be an instance of QueryScores. Got"
        with pytest.raises(TypeError, match=message):
            display.from_scores({"mrr": [0.5, 1.0]})
