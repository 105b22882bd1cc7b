"""Queries that are documents themselves: the numbers of BEIR and MTEB.

As in ArguAna, each query is one of the documents that are searched, and found first.
"""

# SPDX-License-Identifier: BSD-3-Clause

import copy

import numpy as np
import pytest
from sklearn.datasets import load_digits

from skrank.tables import align, score_runs

NAMES = ["ndcg@10", "map@10", "recall@10", "precision@10", "mrr@10"]
# Of `search`, by evaluate and evaluate_custom of BEIR 2.2.0 and by the
# RetrievalEvaluator of MTEB 2.26.24, which both round: with ignore_identical_ids=True,
# the default of BEIR, and with False, that of MTEB.
THEIRS = {
    True: [0.83461, 0.78153, 0.83083, 0.405, 0.9125],
    False: [0.63905, 0.53885, 0.82083, 0.4, 0.46],
}
DEFAULTS = {"beir": True, "mteb": False}


def search(n_documents=60, n_queries=20):
    """Return judgements and a run: the first images look for those of their digit."""
    digits = load_digits()
    data, digit = digits.data[:n_documents], digits.target[:n_documents]
    cosine = data @ data.T / np.linalg.norm(data, axis=1)
    qrels, run = {}, {}
    for query in range(n_queries):
        others = np.flatnonzero(digit == digit[query])
        qrels[f"i{query}"] = {f"i{other}": 1 for other in others if other != query}
        scores = cosine[query].tolist()
        run[f"i{query}"] = {f"i{other}": score for other, score in enumerate(scores)}
    return qrels, run


def by_beir(qrels, run, ignore):
    evaluation = pytest.importorskip("beir.retrieval.evaluation").EvaluateRetrieval
    parts = evaluation.evaluate(qrels, run, [10], ignore_identical_ids=ignore)
    parts = [*parts, evaluation.evaluate_custom(qrels, run, [10], "mrr")]
    return [value for part in parts for value in part.values()]


def by_mteb(qrels, run, ignore):
    name = "mteb._evaluators.retrieval_evaluator"
    evaluator = pytest.importorskip(name).RetrievalEvaluator
    found = evaluator.evaluate(None, qrels, run, [10], ignore_identical_ids=ignore)
    parts = found.ndcg, found.map, found.recall, found.precision, found.mrr
    return [value for part in parts for value in part.values()]


@pytest.mark.parametrize("convention", DEFAULTS)
def test_a_convention_does_what_the_library_does_by_default(convention):
    qrels, run = search()
    for flag in (None, True, False):
        scores = score_runs(
            qrels, run, NAMES, convention=convention, exclude_same_id=flag
        )
        expected = THEIRS[DEFAULTS[convention] if flag is None else flag]
        assert [*scores.summary().values()] == pytest.approx(expected, abs=5.1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("library", [by_beir, by_mteb])
def test_the_libraries_still_say_so(library):
    for flag, expected in THEIRS.items():
        found = library(*copy.deepcopy(search()), flag)
        assert found == pytest.approx(expected, abs=5.1e-6)


def test_the_run_is_scored_as_one_without_these_documents():
    qrels, run = search()
    others = {
        query: {document: one for document, one in found.items() if document != query}
        for query, found in run.items()
    }
    for rules in ({}, {"convention": "trec_eval"}):
        found = score_runs(qrels, run, NAMES, exclude_same_id=True, **rules)
        expected = score_runs(qrels, others, NAMES, **rules)
        np.testing.assert_array_equal(found.values, expected.values)
    plain = score_runs(qrels, run, NAMES).summary()
    assert plain != expected.summary()


def test_judgements_stay_and_a_query_that_found_only_itself_counts_0():
    qrels = {"a": {"a": 1, "b": 1}, "x": {"y": 1}}
    run = {"a": {"a": 2.0, "b": 1.0}, "x": {"x": 1.0}}
    # Recall@3 and P@3 of BEIR 2.2.0 are 0.25 and 0.16667, also with "drop".
    for missing in ("zero", "drop"):
        rules = {"convention": "beir", "missing_queries": missing}
        scores = score_runs(qrels, run, ["recall@3", "precision@3"], **rules)
        assert scores.keys["qid"].tolist() == ["a", "x"]
        assert scores.summary() == {"recall@3": 0.5 / 2, "precision@3": 1 / 3 / 2}


def test_ids_are_the_same_in_any_form_but_not_of_two_types():
    for a, b in ((7, 8), ("7", "a longer id")):
        aligned = align({a: {b: 1}}, {a: {a: 2.0, b: 1.0}}, exclude_same_id=True)
        assert aligned.returned.tolist() == [True]
    aligned = align({7: {"7": 1}}, {7: {"7": 2.0}}, exclude_same_id=True)
    assert aligned.returned.tolist() == [True]
    with pytest.raises(TypeError, match=r"'exclude_same_id'.*bool. Got 'yes'"):
        align({7: {8: 1}}, {7: [8]}, exclude_same_id="yes")
