"""The pictures and tables of the page "Is it really better?"."""

# SPDX-License-Identifier: BSD-3-Clause

import io

import matplotlib as mpl
import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import Ridge

from skrank.datasets import load_digits_retrieval
from skrank.metrics import query_report, score_queries
from skrank.model_selection import query_train_test_split
from skrank.plot import ComparisonDisplay, MetricAtKDisplay, QueryDifferenceDisplay
from skrank.rankers import QueryRanker
from skrank.stats import compare_rankers, confidence_interval


def make_scores():
    """Return the grades, the runs and the scores of the page, by digit."""
    digits = load_digits_retrieval(n_queries=400)
    digit = load_digits().target[digits.query_index]
    X_train, X, y_train, y, qid_train, qid, _, digit = query_train_test_split(
        digits.data, digits.target, digits.qid, digit,
        qid=digits.qid, test_size=0.5, random_state=0,
    )  # fmt: skip
    ridge = QueryRanker(Ridge(1e4)).fit(X_train, y_train, qid=qid_train)
    trees = QueryRanker(HistGradientBoostingRegressor(random_state=0))
    trees.fit(X_train, y_train, qid=qid_train)
    runs = {
        "pixels": -X.sum(axis=1),
        "ridge": ridge.predict(X),
        "trees": trees.predict(X),
    }
    names = ["ndcg@10", "mrr"]
    return y, runs, qid, score_queries(y, runs, names, qid=qid, by={"digit": digit})


def svg(display):
    """Return the figure of a display as a small SVG without dates."""
    file = io.BytesIO()
    metadata = {"Date": None}
    display.figure_.savefig(file, format="svg", bbox_inches="tight", metadata=metadata)
    return file.getvalue()


def make_texts(y, runs, qid, scores):
    """Return the tables of the page by the names of their files."""
    pair_of_runs = {name: runs[name] for name in ("ridge", "trees")}
    few = np.isin(qid, np.unique(qid)[:20])
    of_few = {name: run[few] for name, run in pair_of_runs.items()}
    pilot = score_queries(y[few], of_few, "mrr", qid=qid[few])
    pair = compare_rankers(scores["ndcg@10"][["ridge", "trees"]])
    return {
        "pair": str(pair),
        "worst": pair.worst_queries(3).to_string(index=False),
        "query": str(query_report(y, pair_of_runs, 282, qid=qid, k=5)),
        "family": str(compare_rankers(scores)),
        "clusters": str(compare_rankers(scores, clusters="digit")),
        "data_sets": str(compare_rankers(of_data_sets(y, pair_of_runs, qid, scores))),
        "few": str(compare_rankers(pilot)),
        "segments": str(confidence_interval(scores["trees"]["ndcg@10"], by="digit")),
        "paper": compare_rankers(scores).to_latex(),
    }


def of_data_sets(y, runs, qid, scores):
    """Return scores of three data sets that count alike."""
    of_query = dict(zip(scores.keys["qid"], scores.keys["digit"], strict=True))
    digit = np.array([of_query[one] for one in qid])
    dataset = np.select([digit == 8, digit == 1], ["eights", "ones"], "others")
    by = {"dataset": dataset}
    return score_queries(y, runs, "ndcg@10", qid=qid, by=by).balanced("dataset")


def files():
    """Return all tables and pictures."""
    mpl.use("agg")
    style = {
        "figure.figsize": (6.4, 3.6), "svg.fonttype": "none", "svg.hashsalt": "skrank"
    }  # fmt: skip
    y, runs, qid, scores = make_scores()
    texts = make_texts(y, runs, qid, scores)
    difference = {"ranker": "trees", "baseline": "ridge", "metric": "ndcg@10"}
    cutoffs = {"ks": [1, 2, 3, 5, 7, 10, 15, 20], "qid": qid}
    family = compare_rankers(scores)
    with mpl.rc_context(style):
        displays = {
            "differences": QueryDifferenceDisplay.from_scores(scores, **difference),
            "comparison": ComparisonDisplay.from_comparison(family),
            "means": ComparisonDisplay.from_comparison(family, kind="means"),
            "cutoffs": MetricAtKDisplay.from_predictions(y, runs, "ndcg", **cutoffs),
            "cutoffs_of_differences": MetricAtKDisplay.from_predictions(
                y, runs, "ndcg", **cutoffs, baseline="ridge"
            ),
        }
        pictures = {name: svg(display) for name, display in displays.items()}
    return {f"is_it_better/{name}.txt": f"{text}\n" for name, text in texts.items()} | {
        f"is_it_better/{name}.svg": picture for name, picture in pictures.items()
    }
