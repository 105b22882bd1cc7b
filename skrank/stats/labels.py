"""Labels of people and of a machine for the same documents."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import cohen_kappa_score, confusion_matrix
from sklearn.utils import Bunch, check_scalar

from skrank._checks import check_choice, numeric_array, shown
from skrank._columns import unwrapped
from skrank._text_tables import as_html, as_text
from skrank.metrics import QueryScores, evaluate, score_queries
from skrank.stats.inference import difference


@dataclass(frozen=True, eq=False, repr=False)
class LabelAgreement:
    """How far a machine judges as people do.

    Made by :func:`label_agreement`. It prints as a table by grade, and one by ranker.

    Parameters
    ----------
    n_documents : int
        The number of documents that both judged.
    kappa, weighted_kappa : float
        Cohen's kappa of the grades, which is 0 for agreement by chance and 1 for the
        same grades; and the same with quadratic weights, where a larger distance of two
        grades counts more.
    kappa_relevant : float
        Cohen's kappa of relevant or not: whether the grade is above 0.
    grades : ndarray of shape (n_grades,)
        All grades that occur.
    confusion : ndarray of shape (n_grades, n_grades)
        The number of documents with each grade of people (the rows) and of the machine
        (the columns).
    mean_human, mean_judge : float
        The mean grades of these documents.
    by_ranker : dict of str to Bunch
        The same means of the documents in the top k of each ranker, `human` and
        `judge`, and `favour`: their difference less that of all documents. A machine
        that likes the documents of one ranker more than those of another one does not
        judge their difference fairly.

    See Also
    --------
    label_agreement : Makes it.

    Examples
    --------
    >>> from skrank.stats import label_agreement
    >>> agreement = label_agreement([3, 0, 1, 0, 2, 0], [3, 1, 1, 0, 2, 1])
    >>> round(agreement.kappa, 3)
    0.571
    >>> agreement.confusion[0]
    array([1, 2, 0, 0])
    """

    n_documents: int
    kappa: float
    weighted_kappa: float
    kappa_relevant: float
    grades: NDArray[Any]
    confusion: NDArray[Any]
    mean_human: float
    mean_judge: float
    by_ranker: dict[str, Bunch]

    def _tables(self):
        """Return the title and the tables."""
        title = (
            f"{self.n_documents:,} documents: kappa {self.kappa:.2f}, with quadratic "
            f"weights {self.weighted_kappa:.2f}, of relevant or not "
            f"{self.kappa_relevant:.2f}"
        )
        names = [f"{grade:g}" for grade in self.grades]
        header = ["grade", *(f"judge: {name}" for name in names), "same"]
        rows = []
        for i, (name, counts) in enumerate(zip(names, self.confusion, strict=True)):
            whole = counts.sum()
            same = f"{counts[i] / whole:.0%}" if whole else "-"
            rows.append([name, *(f"{count:,}" for count in counts), same])
        tables = [(header, rows)]
        if self.by_ranker:
            header = ["ranker", "human", "judge", "favour"]
            rows = [["all documents", self.mean_human, self.mean_judge, 0.0]]
            rows += [[name, *one.values()] for name, one in self.by_ranker.items()]
            rows = [
                [name, f"{human:.3f}", f"{judge:.3f}", f"{favour:+.3f}"]
                for name, human, judge, favour in rows
            ]
            tables.append((header, rows))
        return title, tables

    def __str__(self):
        """Return the tables as text."""
        return as_text(*self._tables(), left=("ranker", "grade"))

    __repr__ = __str__

    def _repr_html_(self):
        """Return the tables for a notebook."""
        return as_html(*self._tables())


def label_agreement(
    human: ArrayLike,
    judge: ArrayLike,
    y_score: Mapping[str, ArrayLike] | None = None,
    *,
    qid: ArrayLike | None = None,
    k: int = 10,
) -> LabelAgreement:
    """Compare the grades of people with those of a machine, by grade and by ranker.

    Parameters
    ----------
    human, judge : array-like of shape (n_samples,)
        The grades of the same documents. NaN, which has no judgement, is left out.
    y_score : dict of str to array-like of shape (n_samples,), default=None
        The scores of rankers, to see whose documents the machine favours.
    qid : array-like of shape (n_samples,), default=None
        The query ids, which rankers need. If None, all rows are one query.
    k : int, default=10
        The number of documents of each ranker and query that are compared. Of tied
        documents each one counts with the probability that it is among them.

    Returns
    -------
    agreement : LabelAgreement
        Cohen's kappa, the confusion matrix, and the mean grades by ranker.

    Raises
    ------
    ValueError
        If no document has both grades, or arrays have different lengths.

    See Also
    --------
    confidence_interval : With `judge`, the mean that people would find.
    score_sampled_labels : If people judged a few documents of each query.

    Notes
    -----
    Kappa is :func:`sklearn.metrics.cohen_kappa_score`, and the confusion matrix
    :func:`sklearn.metrics.confusion_matrix`.

    Examples
    --------
    >>> from skrank.stats import label_agreement
    >>> human = [3, 0, 1, 0, 2, 0, 0, 1]
    >>> judge = [3, 1, 1, 0, 2, 1, 0, 0]
    >>> label_agreement(human, judge, {"bm25": [8, 7, 6, 5, 4, 3, 2, 1]}, k=2)
    8 documents: kappa 0.45, with quadratic weights 0.82, of relevant or not 0.25
    <BLANKLINE>
    grade  judge: 0  judge: 1  judge: 2  judge: 3  same
    0             2         2         0         0   50%
    1             1         1         0         0   50%
    2             0         0         1         0  100%
    3             0         0         0         1  100%
    <BLANKLINE>
    ranker         human  judge  favour
    all documents  0.875  1.000  +0.000
    bm25           1.500  2.000  +0.375
    """
    check_scalar(k, "k", Integral, min_val=1)
    human, judge = _grades(human, "human"), _grades(judge, "judge")
    if len(human) != len(judge):
        raise ValueError(
            "The 'judge' parameter must have a grade for each of the "
            f"{len(human)} documents of 'human'. Got {len(judge)}."
        )
    known = ~(np.isnan(human) | np.isnan(judge))
    if not known.any():
        raise ValueError(
            "label_agreement needs documents with a grade of people and of the "
            f"machine. Got none, of {len(human)}."
        )
    one, other = human[known] + 0.0, judge[known] + 0.0  # no grade is -0
    grades, codes = np.unique(np.concatenate([one, other]), return_inverse=True)
    a, b = np.split(codes, 2)
    # scikit-learn warns of one label only.
    confusion = np.array([[len(a)]])
    if len(grades) > 1:
        confusion = confusion_matrix(a, b, labels=np.arange(len(grades)))
    usual, by_ranker = other.mean() - one.mean(), {}
    for name, scores in ({} if y_score is None else y_score).items():
        means = _means_of_top(scores, qid, k, known, human, judge)
        favour = means["judge"] - means["human"] - usual
        by_ranker[name] = Bunch(**means, favour=float(favour))
    return LabelAgreement(
        n_documents=int(known.sum()),
        kappa=_kappa(a, b),
        weighted_kappa=_kappa(a, b, weights="quadratic"),
        kappa_relevant=_kappa(one > 0, other > 0),
        grades=grades,
        confusion=confusion,
        mean_human=float(one.mean()),
        mean_judge=float(other.mean()),
        by_ranker=by_ranker,
    )


def _kappa(one, other, **options):
    """Return Cohen's kappa; 1 if all labels are one, which both use."""
    if len(np.unique(np.concatenate([one, other]))) == 1:
        return 1.0
    return float(cohen_kappa_score(one, other, **options))


def _grades(values, name):
    values = numeric_array(unwrapped(values), name).astype(np.float64)
    if values.ndim != 1 or np.isinf(values).any():
        raise ValueError(
            f"The {name!r} parameter must be an array of shape (n_samples,) of finite "
            f"grades, or NaN. Got shape {values.shape}."
        )
    return values


def _means_of_top(y_score, qid, k, known, human, judge):
    """Return the mean grades of the judged documents in the top k."""
    found = {}
    with_zeros = (np.where(known, values, 0.0) for values in (human, judge))
    labels = {"n": 1.0 * known} | dict(zip(("human", "judge"), with_zeros, strict=True))
    for name, values in labels.items():
        # CG is the sum of the grades in the top k, exactly also under ties.
        least = min(values.min(), 0.0)
        of_queries = evaluate(
            values - least, y_score, f"cg@{k}", qid=qid, replace_undefined_by=0.0
        )
        found[name] = of_queries[f"cg@{k}"]
        if least:
            ones = evaluate(np.ones(len(values)), y_score, f"cg@{k}", qid=qid)
            found[name] += least * ones[f"cg@{k}"]
    n = found.pop("n")
    return {name: float(x / n) if n else np.nan for name, x in found.items()}


# Metrics that are sums of gains times a discount of the rank.
_SUMS = ("cg", "dcg", "rbp")


def score_sampled_labels(
    human: ArrayLike,
    judge: ArrayLike,
    y_score: Any,
    metrics: str | list[str],
    *,
    probability: ArrayLike,
    qid: ArrayLike | None = None,
    **params: Any,
) -> QueryScores:
    r"""Score queries of which people judged a few documents, and a machine all.

    The values of the queries are unbiased whatever the machine does, for metrics that
    are sums over the documents: CG, DCG and RBP. Intervals and comparisons follow as
    for any other scores.

    Parameters
    ----------
    human : array-like of shape (n_samples,)
        The grades of people; NaN for documents that they did not judge.
    judge : array-like of shape (n_samples,)
        The grades of the machine, for all documents.
    y_score : array-like of shape (n_samples,) or dict of them by ranker
        The scores, as in :func:`skrank.metrics.score_queries`.
    metrics : str or list of str
        Among "cg@k", "dcg(gain='linear')@k" and "rbp", with `max_grade`. Precision@k is
        CG@k of grades that are 0 or 1, divided by k. Transform the grades first for
        another gain, such as ``2 ** grade - 1``.
    probability : float or array-like of shape (n_samples,)
        The probability with which each document was drawn for people: above 0 and at
        most 1. With 3 of 30 documents drawn at random it is 0.1.
    qid : array-like of shape (n_samples,), default=None
        The query ids.
    **params : dict
        Further parameters of :func:`skrank.metrics.score_queries`, such as `by`.

    Returns
    -------
    scores : QueryScores
        The values by ranker, metric and query. They may be outside of the range of the
        metric, and vary more than with all labels.

    Raises
    ------
    ValueError
        If a metric is not such a sum, a probability is not above 0 and at most 1, or
        arrays have different lengths.

    See Also
    --------
    label_agreement : How well the machine judges.
    confidence_interval : With `judge`, if people judged all documents of a few queries.

    Notes
    -----
    With the grades h of people and j of the machine, a document that was drawn with the
    probability p counts as

    .. math:: g = j + \frac{h - j}{p}

    if people judged it, and as j otherwise. Its expectation is h [1]_.

    References
    ----------
    .. [1] C. Cassel, C. Särndal, J. Wretman, "Some Results on Generalized Difference
       Estimation", Biometrika 63 (1976).

    Examples
    --------
    >>> import numpy as np
    >>> from skrank.stats import score_sampled_labels
    >>> human = [1, np.nan, np.nan, 0]
    >>> scores = score_sampled_labels(
    ...     human, [0, 1, 0, 1], [4, 3, 2, 1], "cg@2", probability=0.5
    ... )
    >>> scores.values[0, 0]
    array([3.])
    """
    human, judge = _grades(human, "human"), _grades(judge, "judge")
    probability = numeric_array(unwrapped(probability), "probability")
    probability = np.broadcast_to(probability.astype(np.float64), human.shape)
    if len(human) != len(judge) or np.isnan(judge).any():
        raise ValueError(
            "The 'judge' parameter of score_sampled_labels must have a grade for each "
            f"of the {len(human)} documents of 'human'. Got {len(judge)}, "
            f"{np.isnan(judge).sum()} of them NaN."
        )
    known = ~np.isnan(human)
    drawn = probability[known]
    if not ((drawn > 0) & (drawn <= 1)).all():
        wrong = drawn[~((drawn > 0) & (drawn <= 1))][0]
        raise ValueError(
            "The 'probability' parameter of score_sampled_labels must be above 0 and "
            f"at most 1. Got {shown(float(wrong))}."
        )
    metrics = [metrics] if isinstance(metrics, str) else list(metrics)
    for metric in metrics:
        name = metric.partition("@")[0].partition("(")[0]
        check_choice(name, _SUMS, "metrics", "score_sampled_labels")
    grade = judge.copy()
    grade[known] += (human[known] - judge[known]) / drawn
    # The metrics are linear in the grades, and read none below 0 or above the highest.
    scale = max(np.abs(grade).max() / (params.get("max_grade") or np.inf), 1.0)
    grade /= scale
    params = {"replace_undefined_by": 0.0, **params}
    above, below = (
        score_queries(part, y_score, metrics, qid=qid, **params)
        for part in (np.maximum(grade, 0), np.maximum(-grade, 0))
    )
    for request in above.table.requests:
        options, key = request.options.by_name(), request.key
        if options.get("gain", "linear") != "linear":
            raise ValueError(
                "score_sampled_labels needs metrics that are linear in the grades. Got "
                f"{key!r} with gain={options['gain']!r}: transform the grades, such as "
                "2 ** grade - 1, and pass gain='linear'."
            )
        if options.get("adjusted"):
            raise ValueError(
                "score_sampled_labels has no metrics that are adjusted for chance, "
                f"which depends on all grades. Got {key!r} with adjusted=True."
            )
        if "max_grade" in options and options["max_grade"] is None:
            raise ValueError(
                f"score_sampled_labels needs the parameter max_grade of {key!r}, since "
                "the highest grade of these labels is not that of the scale. Got None."
            )
    values = (scale * np.nan_to_num(part.values) for part in (above, below))
    return _with_values(above, difference(*values))


def _with_values(scores, values):
    """Return scores with other values by ranker, metric and query."""
    frame = {"ranker": [], **{name: [] for name in scores.keys}}
    frame |= {metric: [] for metric in scores.metrics}
    for ranker, of_ranker in zip(scores.rankers, values, strict=True):
        n = of_ranker.shape[1]
        frame["ranker"] += [ranker or "values"] * n
        for name, key in scores.keys.items():
            frame[name] += key.tolist()
        for metric, of_metric in zip(scores.metrics, of_ranker, strict=True):
            frame[metric] += of_metric.tolist()
    by, weight = [name for name in scores.keys if name != "qid"], None
    if scores.weight is not None:
        weight = "sample_weight"
        frame[weight] = np.tile(scores.weight, len(scores.rankers))
    return QueryScores.from_frame(frame, by=by, ranker="ranker", sample_weight=weight)
