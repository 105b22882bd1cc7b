"""A slow reference: every metric as a loop over one order of one query.

A query is a list of documents in rank order, each its grade if it is relevant, else
None. A metric returns None where it is undefined. What tied scores give is read off
the list of all their orders.
"""

# SPDX-License-Identifier: BSD-3-Clause

import inspect
import itertools
import math
import statistics
from functools import partial

import numpy as np

from skrank._engine.names import listed_names, parse_name
from skrank._engine.request import METRICS, metric_of
from skrank.metrics import evaluate, score_queries


def is_defined(docs):
    return any(grade is not None for grade in docs)


def cut(docs, k):
    return docs if k is None else docs[:k]


def hit_count(docs):
    return sum(grade is not None for grade in docs)


def first_rank(docs):
    for rank, grade in enumerate(docs, 1):
        if grade is not None:
            return rank
    return None


def reciprocal_rank(docs, k=None):
    rank = first_rank(docs)
    if rank is None:
        return None
    return 1 / rank if k is None or rank <= k else 0.0


def hits(docs, k=None):
    rank = first_rank(docs)
    if rank is None:
        return None
    return float(k is None or rank <= k)


def precision(docs, k=None, normalize="k"):
    if not is_defined(docs):
        return None
    places = len(docs) if k is None else k
    if normalize == "length":
        places = min(places, len(docs))
    return hit_count(cut(docs, k)) / places


def recall(docs, k=None):
    if not is_defined(docs):
        return None
    return hit_count(cut(docs, k)) / hit_count(docs)


def capped_recall(docs, k=None):
    if not is_defined(docs):
        return None
    return hit_count(cut(docs, k)) / min(k, hit_count(docs))


def f1(docs, k=None, beta=1.0, normalize="k"):
    if not is_defined(docs):
        return None
    p, r = precision(docs, k, normalize), recall(docs, k)
    return (1 + beta**2) * p * r / (beta**2 * p + r) if p else 0.0


def r_precision(docs):
    return precision(docs, hit_count(docs)) if is_defined(docs) else None


def average_precision(docs, k=None, normalize="relevant"):
    if not is_defined(docs):
        return None
    ranks = [i for i, grade in enumerate(cut(docs, k), 1) if grade is not None]
    divisor = hit_count(docs)
    if normalize == "achievable" and k is not None:
        divisor = min(divisor, k)
    if normalize == "k":
        divisor = len(docs) if k is None else k
    return sum(precision(docs, rank) for rank in ranks) / divisor


def mean_precision(docs, k=None):
    if not is_defined(docs):
        return None
    last = len(cut(docs, k))
    return sum(precision(docs, j) for j in range(1, last + 1)) / last


def pairs_lost(docs):
    won = query_auc(docs)
    return None if won is None else 1 - won


def length(docs):
    return float(len(docs))


def relevant_count(docs):
    return float(hit_count(docs))


def cumulative_gain(docs, k=None):
    return float(sum(grade for grade in cut(docs, k) if grade is not None))


def gain_of(grade, gain):
    if grade is None:
        return 0.0
    if callable(gain):
        return float(gain(np.array([grade], dtype=float))[0])
    return 2.0**grade - 1 if gain == "exponential" else float(grade)


def discount_of(rank, discount):
    if callable(discount):
        return float(discount(np.array([rank]))[0])
    return 1 / (math.log2(rank + 1) if discount == "log2" else math.log(rank + 1))


def dcg(docs, k=None, gain="exponential", discount="log2"):
    ranked = enumerate(cut(docs, k), 1)
    return sum(gain_of(g, gain) * discount_of(rank, discount) for rank, g in ranked)


def ndcg(docs, k=None, gain="exponential", discount="log2"):
    best_first = sorted(docs, key=lambda grade: -gain_of(grade, gain))
    ideal = dcg(best_first, k, gain, discount)
    return dcg(docs, k, gain, discount) / ideal if ideal else None


def err(docs, k=None, max_grade=1):
    if not is_defined(docs):
        return None
    value, still_reading = 0.0, 1.0
    for rank, grade in enumerate(cut(docs, k), 1):
        stop = (2.0 ** (grade or 0) - 1) / 2.0**max_grade
        value += still_reading * stop / rank
        still_reading *= 1 - stop
    return value


def rbp(docs, k=None, p=0.8, max_grade=1):
    if not is_defined(docs):
        return None
    return (1 - p) * sum(
        (grade or 0) / max_grade * p**place for place, grade in enumerate(cut(docs, k))
    )


def q_measure(docs, beta=1.0, gain="exponential"):
    if not is_defined(docs):
        return None
    own = [gain_of(grade, gain) for grade in docs]
    ideal = sorted(own, reverse=True)
    ratios = [
        (hit_count(docs[:rank]) + beta * sum(own[:rank]))
        / (rank + beta * sum(ideal[:rank]))
        for rank, grade in enumerate(docs, 1)
        if grade is not None
    ]
    return sum(ratios) / len(ratios)


def bpref(docs):
    if not is_defined(docs):
        return None
    n_relevant = hit_count(docs)
    bound = min(n_relevant, len(docs) - n_relevant)
    value, others = 0.0, 0
    for grade in docs:
        if grade is None:
            others += 1
        else:
            value += 1 - min(others, n_relevant) / bound if others else 1
    return value / n_relevant


def judged(docs, k=None):
    return 1.0


def first_ranks_by_chance(docs):
    """Return the first rank at all places that the relevant documents may take."""
    places = itertools.combinations(range(1, len(docs) + 1), hit_count(docs))
    return list(map(min, places))


def chance_of_first_rank(docs):
    return statistics.fmean(first_ranks_by_chance(docs))


def adjusted_mean_rank(docs):
    if not is_defined(docs):
        return None
    return first_rank(docs) / chance_of_first_rank(docs)


def adjusted_mean_rank_index(docs):
    if not is_defined(docs) or chance_of_first_rank(docs) == 1:
        return None
    return 1 - (first_rank(docs) - 1) / (chance_of_first_rank(docs) - 1)


def grade_places(docs):
    """Return for each document the places that its grade may take by grade."""
    by_grade = sorted((grade or 0 for grade in docs), reverse=True)
    return [
        [place for place, other in enumerate(by_grade, 1) if other == (grade or 0)]
        for grade in docs
    ]


def spearman(docs):
    if len({grade or 0 for grade in docs}) < 2:
        return None
    shared = [statistics.fmean(places) for places in grade_places(docs)]
    return statistics.correlation(range(1, len(docs) + 1), shared)


def rbo(docs, p=0.9):
    if len({grade or 0 for grade in docs}) < 2:
        return None
    places = grade_places(docs)
    value = p ** len(docs)
    for depth in range(1, len(docs) + 1):
        shared = sum(
            sum(place <= depth for place in own) / len(own) for own in places[:depth]
        )
        value += (1 - p) * p ** (depth - 1) * shared / depth
    return value


def query_auc(docs):
    pairs = list(itertools.combinations(docs, 2))
    right = sum(upper is not None and lower is None for upper, lower in pairs)
    wrong = sum(upper is None and lower is not None for upper, lower in pairs)
    return right / (right + wrong) if right + wrong else None


def rank_correlation(docs, weights="uniform", gain="exponential", discount="log2"):
    by_grade = sorted(docs, key=lambda grade: -(grade or 0))
    shared = {
        grade: np.mean(
            [
                discount_of(rank, discount)
                for rank, other in enumerate(by_grade, 1)
                if other == grade
            ]
        )
        for grade in docs
    }
    won = total = 0.0
    for upper, lower in itertools.combinations(docs, 2):
        if (upper or 0) == (lower or 0):
            continue
        if weights == "gain":
            weight = abs(gain_of(upper, gain) - gain_of(lower, gain))
        elif weights == "discount":
            weight = abs(shared[upper] - shared[lower])
        elif callable(weights):
            low, high = sorted([float(upper or 0), float(lower or 0)])
            weight = float(weights(np.array([high]), np.array([low]))[0])
        else:
            weight = 1.0
        won += weight * ((upper or 0) > (lower or 0))
        total += weight
    return won / total if total else None


REFERENCE = {
    "mrr": reciprocal_rank,
    "hits": hits,
    "mean_rank": first_rank,
    "adjusted_mean_rank": adjusted_mean_rank,
    "adjusted_mean_rank_index": adjusted_mean_rank_index,
    "precision": precision,
    "recall": recall,
    "recall_cap": capped_recall,
    "f1": f1,
    "r_precision": r_precision,
    "bpref": bpref,
    "judged": judged,
    "map": average_precision,
    "gm_map": average_precision,
    "lrap": average_precision,
    "ranking_loss": pairs_lost,
    "num_ret": length,
    "num_rel": relevant_count,
    "num_rel_ret": relevant_count,
    "mean_precision": mean_precision,
    "cg": cumulative_gain,
    "dcg": dcg,
    "ndcg": ndcg,
    "q_measure": q_measure,
    "err": err,
    "rbp": rbp,
    "query_auc": query_auc,
    "rank_correlation": rank_correlation,
    "spearman": spearman,
    "rbo": rbo,
}

LESS_IS_BETTER = {name for name, metric in METRICS.items() if metric.full_name != name}


def summary_of(function):
    return lambda ranks, chance, k=None: function(ranks)


def inverse_of(function):
    return lambda ranks, chance, k=None: 1 / function(ranks)


def index_of(value):
    """Return the summary (M - E) / (B - E) of values of first ranks."""

    def summary(ranks, chance, **own):
        level = statistics.fmean(value(rank, **own) for rank in chance)
        gain = statistics.fmean(value(rank, **own) for rank in ranks) - level
        best = value(1, **own)
        return gain / (best - level) if abs(best - level) > 1e-12 else None

    return summary


def inverse_within(rank, k=None):
    return 1 / rank if k is None or rank <= k else 0.0


def is_within(rank, k):
    return float(rank <= k)


# What the first ranks of equally likely orders give, where it is not the mean of the
# values of each: of these ranks, those by chance and k.
SUMMARIES = {
    "median_rank": summary_of(statistics.fmean),
    "geometric_mean_rank": summary_of(statistics.geometric_mean),
    "harmonic_mean_rank": summary_of(statistics.harmonic_mean),
    "inverse_mean_rank": inverse_of(statistics.fmean),
    "inverse_geometric_mean_rank": inverse_of(statistics.geometric_mean),
    "inverse_median_rank": inverse_of(statistics.fmean),
    "adjusted_mrr": index_of(inverse_within),
    "adjusted_hits": index_of(is_within),
}
REFERENCE |= dict.fromkeys(SUMMARIES, first_rank)

# Their highest grade is by default that of all queries.
READS_ALL_GRADES = {"err", "rbp"}


def relevant_grades(grades, threshold=0.0):
    """Return the grade of each relevant document, None for the others."""
    if threshold == "max":
        top = max(grades)
        return [g if g == top and g > 0 else None for g in grades]
    return [g if g > threshold else None for g in grades]


def input_order(docs, scores):
    """Return the documents by falling score, tied ones in input order."""
    order = sorted(range(len(docs)), key=lambda i: scores[i], reverse=True)
    return [docs[i] for i in order]


def all_orders(docs, scores):
    """Yield the documents in every order in which the scores may put them."""
    ranked = sorted(range(len(docs)), key=lambda i: scores[i], reverse=True)
    classes = [
        [docs[i] for i in tied]
        for _, tied in itertools.groupby(ranked, key=lambda i: scores[i])
    ]
    for arrangement in itertools.product(*map(itertools.permutations, classes)):
        yield list(itertools.chain.from_iterable(arrangement))


def at_realistic_rank(name, docs, scores, k=None):
    """Return the metric at the mean of the best and the worst first rank."""
    if not is_defined(docs):
        return None
    ranks = [first_rank(order) for order in all_orders(docs, scores)]
    rank = (min(ranks) + max(ranks)) / 2
    if name in SUMMARIES:
        own = {} if k is None else {"k": k}
        return SUMMARIES[name]([rank], first_ranks_by_chance(docs), **own)
    within = k is None or rank <= k
    if name in ("mrr", "hits"):
        return {"mrr": within / rank, "hits": float(within)}[name]
    if not name.startswith("adjusted"):
        return rank
    chance = chance_of_first_rank(docs)
    if name == "adjusted_mean_rank":
        return rank / chance
    return 1 - (rank - 1) / (chance - 1) if chance > 1 else None


def query_value(name, grades, scores, ties="expected", threshold=0.0, **own):
    """Return the metric of one query, None where it is undefined.

    `name` is that of a scorer without ``neg_``.
    """
    name, _, k = name.partition("@")
    own = own | ({"k": int(k)} if k else {})
    docs = relevant_grades(list(grades), threshold)
    scores = list(scores)
    if ties == "realistic":
        return at_realistic_rank(name, docs, scores, **own)
    orders = all_orders(docs, scores)
    if ties == "first":
        orders = [input_order(docs, scores)]
    if name in SUMMARIES:
        return summary_value(name, docs, orders, ties, **own)
    metric = REFERENCE[name]
    values = [metric(order, **own) for order in orders]
    if values[0] is None:
        return None
    if ties in ("expected", "first"):
        return statistics.fmean(values)
    best_is_least = name in LESS_IS_BETTER
    return min(values) if (ties == "optimistic") is best_is_least else max(values)


def summary_value(name, docs, orders, ties, **own):
    """Return what SUMMARIES says of the first ranks of some orders."""
    if not is_defined(docs):
        return None
    ranks = [first_rank(order) for order in orders]
    if ties in ("optimistic", "pessimistic"):
        ranks = [min(ranks) if ties == "optimistic" else max(ranks)]
    return SUMMARIES[name](ranks, first_ranks_by_chance(docs), **own)


def query_values(name, y_true, y_score, qid, **params):
    """Return the value of every query, in the order of the sorted ids; or NaN."""
    y_true, y_score, qid = map(np.asarray, (y_true, y_score, qid))
    if name.partition("@")[0] in READS_ALL_GRADES:
        params = {"max_grade": max(y_true.max(), 1)} | params
    values = []
    for query in np.unique(qid):
        rows = qid == query
        grades, scores = y_true[rows].tolist(), y_score[rows].tolist()
        value = query_value(name, grades, scores, **params)
        values.append(math.nan if value is None else value)
    return np.array(values)


# They have tests of their own, with their columns.
OF_COLUMNS = sorted(name for name, metric in METRICS.items() if metric.columns)
# The listed names of the others.
LISTED = [name for name in listed_names() if not parse_name(name).metric.columns]


def forms_of(metric):
    """Return the scorer names of a row of the table, without ``neg_``."""
    cuts = {"never": [""], "optional": ["", "@3"], "required": ["@3"]}[metric.cutoff]
    return [metric.name + cut for cut in cuts]


NAMES = sorted(
    form
    for metric in METRICS.values()
    if not metric.columns
    for form in forms_of(metric)
)

# Those of metrics that take `adjusted`, and are not adjusted by their name already.
ADJUSTABLE = sorted(
    form
    for metric in METRICS.values()
    if "adjusted" in metric.defaults and not metric.adjusted
    for form in forms_of(metric)
)


def full_name(name):
    """Return a scorer name with the prefix ``neg_`` that it lacks."""
    return METRICS[name.partition("@")[0]].full_name.replace(
        name.partition("@")[0], name
    )


def by_query(y_true, y_score, metrics, **params):
    """Return the values of the queries by metric, and the query ids as "qid"."""
    scores = score_queries(y_true, y_score, metrics, **params)
    values = dict(zip(scores.metrics, scores.values[0], strict=True))
    return values | {"qid": scores.keys["qid"]}


def evaluated(y_true, y_score, metrics, **params):
    """Return what `evaluate` does, or with ``average=None`` what `by_query` does."""
    if params.get("average", "macro") is not None:
        return evaluate(y_true, y_score, metrics, **params)
    del params["average"]
    return by_query(y_true, y_score, metrics, **params)


def call(name, y_true, y_score, **params):
    """Call the metric behind a scorer name that lacks ``neg_``.

    Its function, or `evaluate` if the name has no function of its own, or that does not
    take one of `params`.
    """
    _, metric, k, sign, _ = parse_name(full_name(name))
    has_none = metric.fixed or metric.inverse or metric.function is None
    if has_none:
        asked = full_name(name)
        return sign * evaluated(y_true, y_score, asked, **params)[asked]
    if not params.keys() <= inspect.signature(metric.function).parameters.keys():
        return evaluated(y_true, y_score, name, **params)[name]
    return metric.function(y_true, y_score, **params, **({"k": k} if k else {}))


def masked(function, y_true, y_score, k=None, **params):
    """Call a metric function with masks, which are parameters of `evaluate`."""
    if isinstance(function, partial):
        function, params = function.func, function.keywords | params
    name = metric_of(function).name
    return call(f"{name}@{k}" if k else name, y_true, y_score, **params)


# The metrics that have a function of their own.
WITH_FUNCTION = sorted(
    name
    for name, metric in METRICS.items()
    if metric.function is not None
    and not (metric.fixed or metric.inverse or metric.columns)
)


def exempt(*metrics):
    """Return the forms of metrics, with a cutoff and without, or single forms."""
    return {name for name in NAMES if {name, name.partition("@")[0]} & set(metrics)}


# What is measured by its chance.
INDICES = {
    "adjusted_hits@3",
    "adjusted_mean_rank_index",
    "adjusted_mrr",
    "adjusted_mrr@3",
}
# Undefined also where the first three cannot but hold a relevant document.
CANNOT_MISS = {"adjusted_hits@3"}
COUNTS = {"num_rel", "num_rel_ret", "num_ret"}
INVERSES = {"inverse_geometric_mean_rank", "inverse_mean_rank", "inverse_median_rank"}
# Nothing below 0 can be averaged as a rank.
TAKES_NO_NEGATIVE = INVERSES | {"geometric_mean_rank", "harmonic_mean_rank"}

# Exemptions. `test_an_exempt_metric_needs_its_exemption` holds that each is one.
NOT_ONE_WHEN_PERFECT = exempt(
    "adjusted_mean_rank",
    "f1@3",
    "map@3",
    "mean_precision",
    "precision@3",
    "recall@3",
    *COUNTS,
    # And where the docstring says that the best value is another one.
    *[
        name
        for name in WITH_FUNCTION
        if "best value is 1.0" not in " ".join(METRICS[name].function.__doc__.split())
    ],
)
NOT_BETWEEN_ZERO_AND_ONE = exempt(
    *[
        name
        for name, metric in METRICS.items()
        if metric.adjusted or (metric.limits != (0, 1) and not metric.inverse)
    ]
)
NEVER_UNDEFINED = {"cg", "cg@3", "dcg", "dcg@3", "judged@3"} | COUNTS
UNDEFINED_WHEN_ALL_ARE_RELEVANT = {
    "query_auc",
    "rank_correlation",
    "ranking_loss",
    "rbo",
    "spearman",
    *INDICES,
}
# As 0 would be the best value, or better than chance.
NAN_BY_DEFAULT = exempt(*LESS_IS_BETTER, *INVERSES, *UNDEFINED_WHEN_ALL_ARE_RELEVANT)
MAY_FALL = {"q_measure"}
NOT_THE_MEAN_OF_THE_QUERIES = {
    "adjusted_mean_rank",
    "geometric_mean_rank",
    "gm_map",
    "harmonic_mean_rank",
    "median_rank",
    *COUNTS,
    *INDICES,
    *INVERSES,
}
# The least value of a list of at most seven documents, where the limits say nothing.
LEAST = {
    **dict.fromkeys(INDICES, -6),
    # Four of seven are relevant: one of 35 orders has none of them in the first three.
    "adjusted_hits@3": -34,
}
# What has a value without relevant documents, if it is not 0.
OF_NOTHING = {"judged@3": 1, "num_ret": 2}
