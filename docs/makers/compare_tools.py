"""The table of what other tools say of the same queries.

It needs ``pip install ranx python-terrier trectools autorank``; of PyTerrier only its
table of results is called, which needs no Java. Three rankers score 50 synthetic
queries of 20 documents. ranx computes the metrics itself, the other tools get the
values of skrank. Every cell is what a tool returned, or said.
"""

# SPDX-License-Identifier: BSD-3-Clause

import contextlib
import io
import math
import warnings
from importlib import metadata

import numpy as np
import pandas as pd
from scipy.stats import permutation_test, ttest_rel, tukey_hsd

from skrank.metrics import score_queries
from skrank.stats import compare_rankers

METRICS = ["ndcg", "mrr"]
N_QUERIES, N_DOCUMENTS = 50, 20
QUESTIONS = {
    "two": "p of new and old, by nDCG",
    "three": "the same among three rankers, corrected",
    "family": "comparisons that a correction counts, of 6 (3 pairs, 2 metrics)",
    "interval": "interval of the difference",
    "clear": "p of a ranker that is better in each query",
    "equal": "p of two equal rankers",
    "short": "new without one of the queries",
    "again": "p by random resamples, twice",
}


def make_grades_and_runs():
    """Return the grades and the scores of three rankers, with a row per query.

    The rankers share most of their errors, which are large for difficult queries.
    """
    rng = np.random.RandomState(0)
    shape = N_QUERIES, N_DOCUMENTS
    grades = (rng.rand(*shape) < 0.2).astype(int)
    grades[np.arange(N_QUERIES), rng.randint(N_DOCUMENTS, size=N_QUERIES)] = 1
    shared = rng.gamma(1.5, 1.5, size=(N_QUERIES, 1)) * rng.randn(*shape)
    runs = {
        name: gain * grades + shared + rng.randn(*shape)
        for name, gain in {"old": 1.0, "new": 1.2, "other": 1.1}.items()
    }
    return grades, runs


GRADES, RUNS = make_grades_and_runs()
TWO = {name: RUNS[name] for name in ("old", "new")}
CLEAR = {"old": -GRADES, "new": GRADES}
EQUAL = {"old": RUNS["old"], "new": RUNS["old"]}
SHORT = {"old": RUNS["old"], "new": RUNS["new"][:-1]}


def values_of(runs):
    """Return the values of each ranker and query, as ``values[ranker][metric]``."""
    return {
        name: dict(
            zip(
                METRICS,
                score_queries(GRADES[: len(run)], run, METRICS).values[0],
                strict=True,
            )
        )
        for name, run in runs.items()
    }


def shown(p):
    return "0.0" if p == 0 else f"{p:.2g}"


def answer(function, *args, **options):
    """Return what a tool returns, with what it prints, or the start of its error."""
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said):
            found = function(*args, **options)
    except Exception as error:  # whatever a tool raises is its answer
        return f"{type(error).__name__}: " + str(error).split(". ")[0].rstrip(".")
    return (
        f"{found}; it prints: {said.getvalue().strip()}" if said.getvalue() else found
    )


def by_skrank():
    def compare(runs, metrics="ndcg", **options):
        parts = {
            name: score_queries(GRADES[: len(run)], run, metrics)
            for name, run in runs.items()
        }
        return compare_rankers(parts, baseline="old", **options).rows

    (two,), (equal,) = compare(TWO), compare(EQUAL)
    scores = score_queries(GRADES, RUNS, METRICS)
    three = compare_rankers(scores).rows
    seeds = [compare(TWO, random_state=seed)[0].pvalue for seed in (0, 0)]
    return {
        "two": shown(two.pvalue),
        "three": f"{shown(three[0].p_adjusted)} (max-T)",
        "family": str(len(three)),
        "interval": f"[{two.low:.3f}, {two.high:.3f}]",
        "clear": shown(compare(CLEAR)[0].pvalue),
        "equal": f"{shown(equal.pvalue)}, interval [{equal.low:g}, {equal.high:g}]",
        "short": answer(compare, SHORT),
        "again": ", ".join(map(shown, seeds)),
    }


def by_ranx():
    import numba
    import ranx

    def nested(matrix):
        return {
            f"q{i}": {f"d{j}": x for j, x in enumerate(row)}
            for i, row in enumerate(matrix.tolist())
        }

    relevant = {
        query: {document: grade for document, grade in grades.items() if grade}
        for query, grades in nested(GRADES).items()
    }

    def compare(runs, test="student"):
        runs = [
            ranx.Run(nested(matrix.astype(float)), name=name)
            for name, matrix in runs.items()
        ]
        return ranx.compare(ranx.Qrels(relevant), runs, METRICS, test, 9999).to_dict()

    def p(runs, test="student"):
        return shown(compare(runs, test)["old"]["comparisons"]["new"]["ndcg"])

    numba.set_num_threads(2)
    three = compare(RUNS, "tukey")
    n_pairs = math.comb(1 + len(three["old"]["comparisons"]), 2)
    return {
        "two": f"{p(TWO)} (t), {p(TWO, 'fisher')} (Fisher)",
        "three": f"{p(RUNS, 'tukey')} (Tukey, unpaired)",
        "family": str(n_pairs),
        "interval": no_interval(three["old"]),
        "clear": f"{p(CLEAR)} (t), {p(CLEAR, 'fisher')} (Fisher)",
        "equal": f"{p(EQUAL)} (t), {p(EQUAL, 'fisher')} (Fisher)",
        "short": answer(p, SHORT),
        "again": f"{p(TWO, 'fisher')}, {p(TWO, 'fisher')} (two threads, one seed)",
    }


def no_interval(names):
    """Return "none", unless a name of the result speaks of an interval."""
    found = [name for name in names if any(w in name for w in ("interval", "ci_"))]
    return ", ".join(found) or "none"


def by_pyterrier():
    from pyterrier._evaluation._rendering import RenderFromPerQuery

    def table(runs, correction="holm"):
        values = values_of(runs)
        render = RenderFromPerQuery(
            [*runs], baseline=0, test_fn=ttest_rel, correction=correction
        )
        for i, by_metric in enumerate(values.values()):
            rows = zip(*by_metric.values(), strict=True)
            by_query = {
                str(q): dict(zip(METRICS, row, strict=True))
                for q, row in enumerate(rows)
            }
            render.add_metrics(i, by_query, 0.0)
        return render.averages().set_index("name")

    def p(runs, column="ndcg p-value"):
        return shown(table(runs).loc["new", column])

    three = table(RUNS).drop(index="old")
    ratio = three["ndcg p-value corrected"] / three["ndcg p-value"]
    return {
        "two": f"{p(TWO)} (t)",
        "three": f"{p(RUNS, 'ndcg p-value corrected')} (Holm, baseline only)",
        "family": f"{ratio.max():.0f}",
        "interval": no_interval(three.columns),
        "clear": f"{p(CLEAR)} (t)",
        "equal": f"{p(EQUAL)} (t)",
        "short": answer(p, SHORT),
        "again": "no resampling",
    }


def by_trectools():
    from trectools import TrecRes

    def compare(runs):
        found = []
        for by_metric in values_of(runs).values():
            result = TrecRes()
            result.data = pd.concat(
                pd.DataFrame(
                    {
                        "metric": metric,
                        "query": np.arange(len(x)).astype(str),
                        "value": x,
                    }
                )
                for metric, x in by_metric.items()
            )
            found.append(result)
        return found[0].compare_with(found[1], metric="ndcg")

    def p(runs):
        return shown(compare(runs).pvalue)

    return {
        "two": f"{p(TWO)} (t)",
        "three": f"{p(TWO)} (none)",
        "family": str(np.size(compare(TWO).pvalue)),
        "interval": ends_of_t(compare(TWO)) + " (SciPy's result)",
        "clear": f"{p(CLEAR)} (t)",
        "equal": f"{p(EQUAL)} (t)",
        "short": answer(p, SHORT),
        "again": "no resampling",
    }


def ends_of_t(result):
    """Return the interval of a t test of old minus new, for new minus old."""
    low, high = result.confidence_interval()
    return f"[{-high:.3f}, {-low:.3f}]"


def by_scipy():
    def pair(runs):
        return [by_metric["ndcg"] for by_metric in values_of(runs).values()]

    def t(runs):
        with np.errstate(invalid="ignore"):
            return shown(ttest_rel(*pair(runs)).pvalue)

    def flips(runs):
        found = permutation_test(
            pair(runs), lambda a, b: np.mean(a - b), permutation_type="samples"
        )
        return shown(found.pvalue)

    tukey = tukey_hsd(*pair(RUNS)).pvalue
    return {
        "two": f"{t(TWO)} (t), {flips(TWO)} (permutation)",
        "three": f"{shown(tukey[0, 1])} (Tukey, unpaired)",
        "family": str(len(tukey[np.triu_indices_from(tukey, 1)])),
        "interval": ends_of_t(ttest_rel(*pair(TWO))) + " (t)",
        "clear": f"{t(CLEAR)} (t), {flips(CLEAR)} (permutation)",
        "equal": f"{t(EQUAL)} (t), {flips(EQUAL)} (permutation)",
        "short": answer(t, SHORT),
        "again": f"{flips(TWO)}, {flips(TWO)} (no seed)",
    }


def by_autorank():
    from autorank import autorank

    def rank(runs):
        values = {name: v["ndcg"] for name, v in values_of(runs).items()}
        frame = pd.DataFrame({name: pd.Series(v) for name, v in values.items()})
        with contextlib.redirect_stdout(io.StringIO()):  # it prints a table
            return autorank(frame, alpha=0.05, verbose=False)

    def p(runs):
        result = rank(runs)
        return f"{shown(result.pvalue)} ({result.omnibus})"

    three = rank(RUNS)
    intervals = rank(TWO).rankdf
    of_each = ", ".join(
        f"[{row.ci_lower:.3f}, {row.ci_upper:.3f}]"
        for row in intervals.loc[["new", "old"]].itertuples()
    )
    return {
        "two": p(TWO),
        "three": f"{p(RUNS)} of all, then {three.posthoc}",
        "family": str(math.comb(len(three.rankdf), 2)),
        "interval": f"of each: {of_each}",
        "clear": p(CLEAR),
        "equal": answer(p, EQUAL),
        "short": answer(p, SHORT),
        "again": "no resampling",
    }


TOOLS = {
    "skrank": ("skrank", by_skrank),
    "ranx": ("ranx", by_ranx),
    "PyTerrier": ("python-terrier", by_pyterrier),
    "trectools": ("trectools", by_trectools),
    "SciPy": ("scipy", by_scipy),
    "autorank": ("autorank", by_autorank),
}


def files():
    """Ask every tool."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        answers = {name: function() for name, (_, function) in TOOLS.items()}
    rows = [["", *TOOLS]]
    for key, question in QUESTIONS.items():
        rows.append([question, *(answers[name][key] for name in TOOLS)])
    lines = [".. list-table::", "   :header-rows: 1", "   :stub-columns: 1", ""]
    for cells in rows:
        lines += [
            f"   {' ' if i else '*'} - {cell}".rstrip() for i, cell in enumerate(cells)
        ]
    versions = [
        f"{name} {metadata.version(distribution)}"
        for name, (distribution, _) in TOOLS.items()
        if name != "skrank"
    ]
    text = "\n".join([*lines, "", ", ".join(versions) + ".", ""])
    return {"development/tables/compare_tools.rst": text}
