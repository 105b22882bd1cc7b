"""From names, functions and parameters to requests; metrics of users.

A name is ``["neg_"] name ["(" parameters ")"] ["@" k]``.
"""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import ast
import difflib
import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import sklearn.metrics

from skrank._engine.conventions import NoNumber, check_convention, rules_of
from skrank._engine.request import (
    DEFAULTS,
    INPUT,
    METRICS,
    OF_EVALUATE,
    SHARED,
    Metric,
    Options,
    Request,
    as_implied,
    metric_of,
)
from skrank._input.checks import (
    about,
    check_choice,
    check_options,
    meant_by,
    says_what_was_meant,
    shown,
)

ALIASES = {
    "hit": "hits",
    "hit_rate": "hits",
    "hr": "hits",
    "success": "hits",
    "p": "precision",
    "r": "recall",
    "gauc": "query_auc",
    "recip_rank": "mrr",
    "Rprec": "r_precision",
}

# The names of trec_eval that end in a cutoff, before "_10".
TREC_EVAL = {
    "ndcg_cut": "ndcg",
    "map_cut": "map",
    "P": "precision",
    "recall": "recall",
    "success": "hits",
}

# Names of other libraries, of metrics of skrank or of scorers of scikit-learn. They are
# not accepted; the error suggests the right one. "accuracy@" goes with a cutoff.
_WRITTEN_OUT = {
    "accuracy@": "hits",
    "alpha_dcg": "alpha_ndcg",
    "auc": "query_auc",
    "average_precision": "map",
    "capped_recall": "recall_cap",
    "r_cap": "recall_cap",
    "mean_average_precision": "map",
    "gmap": "gm_map",
    "label_ranking_average_precision": "lrap",
    "label_ranking_loss": "ranking_loss",
    "reciprocal_rank": "mrr",
    "s_recall": "subtopic_recall",
    "strec": "subtopic_recall",
    "mean_reciprocal_rank": "mrr",
    "cumulative_gain": "cg",
    "discounted_cumulative_gain": "dcg",
    "normalized_discounted_cumulative_gain": "ndcg",
    "expected_reciprocal_rank": "err",
    "rank_biased_precision": "rbp",
    "rank_biased_overlap": "rbo",
    "binary_preference": "bpref",
    "hit_ratio": "hits",
    **dict.fromkeys(
        ("rc", "kendall", "kendall_tau", "kendalltau", "tau", "somers_d"),
        "rank_correlation",
    ),
    "mae": "neg_mean_absolute_error",
    "mr": "mean_rank",
    "mse": "neg_mean_squared_error",
    "rmse": "neg_root_mean_squared_error",
    "roc": "roc_auc",
}

# The scores of all lists together, which are not means over queries.
CATALOGUE_SCORES = ("coverage", "gini", "entropy", "personalization")

# What they are called, also elsewhere.
_OF_CATALOGUES = {
    "catalog_coverage": "coverage",
    "catalogue_coverage": "coverage",
    "item_coverage": "coverage",
    "gini_index": "gini",
    "shannon_entropy": "entropy",
    "personalisation": "personalization",
    **{name: name for name in CATALOGUE_SCORES},
}

# The cutoffs that scikit-learn lists; names with any other cutoff are valid, too.
_LISTED_K = {"optional": (None, 10), "required": (1, 5, 10), "never": (None,)}

_GRAMMAR = re.compile(
    r"(?P<negative>neg_)?(?P<base>[A-Za-z0-9_]+?)(?:\((?P<params>.*)\))?"
    r"(?:(?:@|_at_)(?P<k>[1-9][0-9]{0,99}))?",
    re.ASCII,
)
_TREC_EVAL = re.compile(rf"({'|'.join(TREC_EVAL)})_([1-9][0-9]{{0,99}})", re.ASCII)
_K_WITHOUT_AT = re.compile(r"(?P<base>[a-z_]*[a-z])[-_ ]?(?P<k>[1-9][0-9]*)", re.ASCII)

# A name without a cutoff must be more similar than this to one of skrank's to count as
# a misspelling of it. "mae" and "map", with two of three letters equal, are not.
_CLEARLY_NEAR = 0.7

# Numbers without a literal in Python, as they are printed.
NOT_FINITE = {"nan", "inf", "-inf"}

# No text beyond this is compared with names.
_MAX_LENGTH = 60


class Asked(NamedTuple):
    """One metric as it is asked for, by its name, its function or a definition."""

    key: str  # its name in results
    metric: Metric
    k: int | None = None
    sign: int = 1
    params: tuple = ()  # of the names and values that its name contains


def listed_names(of_scorers=False):
    """Return the names to list, sorted; a scorer's only if it needs no parameter."""
    return sorted(
        metric.full_name + (f"@{k}" if k else "")
        for metric in [*METRICS.values()]  # a thread may add one
        for k in _LISTED_K[metric.cutoff]
        if not of_scorers or metric.defaults.get("max_grade", 0) is not None
    )


def is_metric(name, metrics=METRICS):
    """Return True if `name` is that of one of the metrics, for any k and parameters."""
    return _match_name(name, metrics) is not None


def is_name(name):
    """Return True if `name` is a scorer name: that of a metric, larger is better."""
    return _match_name(name, METRICS, is_scorer=True) is not None


def read_metric(metric, metrics=METRICS, *, is_scorer=False):
    """Return what a name in `metrics`, a metric function or a definition asks for.

    A metric of which smaller values are better has two names: "mean_rank" asks for its
    values, and "neg_mean_rank" for those of its scorer. The error of a misspelt name
    suggests the nearest one.
    """
    if isinstance(metric, str) or is_scorer:
        asked = _match_name(metric, metrics, is_scorer)
        if asked is None:
            raise ValueError(refusal(metric, is_scorer=is_scorer))
        if asked.params:
            asked = asked._replace(params=_read_params(metric, asked.params))
        return asked
    if (row := metric_of(metric)) is not None:
        return Asked(metric.__name__, row)
    if callable(metric) and takes_a_ranking(metric, or_unknown=True):
        name = getattr(metric, "__name__", type(metric).__name__)
        return Asked(name, own_metric(metric, name))
    raise ValueError(
        "Each metric must be a scorer name, a metric function of skrank, or a function "
        "that takes a RankedQueries as its only required argument. Got "
        f"{shown(metric)} of type {type(metric).__name__} instead."
    )


# Return what a scorer name asks for.
parse_name = partial(read_metric, is_scorer=True)


def read_requests(metrics, params, caller, *, read=read_metric, rules=rules_of):
    """Return the requests for `metrics`, each name once.

    Each request gets those of `params`, among them a `convention`, that its metric
    has. ``read(metric)`` returns its :class:`Asked`; ``rules(convention, metric, k)``
    the parameters that a convention sets, or the reason why it has no such metric.
    """
    params = dict(params)
    if "average" in params:  # the values of queries are those of `score_queries`
        check_choice(params["average"], ("macro", "weighted"), "average", caller)
    convention = params.pop("convention", None)
    if convention is not None:
        check_convention(convention, caller)
    asked = _read_all(metrics, caller, read)
    if params:
        _check_known(params, asked, caller)
    requests = []
    for one in asked:
        metric, followed = one.metric, None
        if one.params:
            _check_known(dict(one.params), [one], caller)
        if metric.cutoff == "required" and one.k is None:
            raise ValueError(
                f"The metric {one.key!r} needs a cutoff. Pass its scorer name with "
                f"one, such as '{metric.full_name}@10'. Got no cutoff."
            )
        if convention is not None:
            followed = rules(convention, None if metric.own else metric.name, one.k)
        if isinstance(followed, str):
            raise NoNumber(one.key, convention, followed)
        options = _options_of(one, params, followed, caller)
        if metric.columns and options["ties"] not in ("expected", "first"):
            reason = "it orders tied documents by grades, which are not read"
            raise NoNumber(one.key, convention, reason)
        options = Options().changed(options)
        requests.append(Request(one.key, metric, one.sign, options))
    _check_used(params, asked, requests)
    return requests


def _options_of(one, params, followed, caller):
    """Return the parameters of a metric; `followed` are those of a convention."""
    # Each of these overrides those above it:
    #
    #     the defaults of the metric
    #     what a convention sets
    #     what the scorer name fixes, such as `adjusted` of "adjusted_mrr"
    #     what the user passes, of what the name does not fix
    #     what stands in the name, as in "rbp(p=0.5)"
    metric = one.metric
    options = metric.defaults | OF_EVALUATE
    settable = options.keys() - metric.fixed.keys()
    if followed is None:
        options = as_implied(options)
    else:
        options |= {name: followed[name] for name in options if name in followed}
    options |= metric.fixed
    given = {} if one.k is None else {"k": one.k}
    given |= {name: params[name] for name in params if name in settable}
    options |= check_options(given | dict(one.params), metric.checks, caller)
    if options["ties"] != "first":
        options["doc_order"] = None
    return options


def _check_used(params, asked, requests):
    """Raise if no metric reads `doc_order`, which was passed."""
    orders = [dict(one.params).get("doc_order") for one in asked]
    order = next(filter(None, [params.get("doc_order"), *orders]), None)
    if order and not any(request.options.doc_order for request in requests):
        raise ValueError(
            f"doc_order={order!r} orders tied documents and requires ties='first'. Got "
            "another tie policy for every metric."
        )


def _check_known(params, asked, caller):
    """Raise if none of the metrics has one of the parameters."""
    known = set()
    for metric in (one.metric for one in asked):
        known |= (metric.defaults | OF_EVALUATE).keys() - metric.fixed.keys()
        known.update(metric.columns)
    unknown = sorted(set(params) - known)
    if unknown or "k" in params:
        if params.keys() & {"k", "top_k"}:
            hint = " Write k into the name: 'ndcg@10'."
        elif unknown[0] in INPUT:
            hint = (
                " It has an entry for each row: evaluate takes it, and the rows of "
                "judgements and a run are evaluate(**align(qrels, run), ...)."
            )
        else:
            given = INPUT, ("convention",), known
            hint = meant_by(unknown[0], chain.from_iterable(given))
        raise TypeError(
            f"{caller} got parameters that none of {sorted(one.key for one in asked)} "
            f"takes: {shown(unknown or ['k'])}.{hint}"
        )


def _read_all(metrics, caller, read):
    """Return the :class:`Asked` of each metric, each name once."""
    if isinstance(metrics, Mapping):
        for key in metrics:
            if not isinstance(key, str):
                raise ValueError(
                    f"The keys of the 'metrics' parameter of {caller} must be names of "
                    f"type str. Got {shown(key)} instead."
                )
        asked = {key: read(metric)._replace(key=key) for key, metric in metrics.items()}
    else:
        if isinstance(metrics, str) or callable(metrics):
            metrics = [metrics]
        if not np.iterable(metrics):
            raise TypeError(
                f"The 'metrics' parameter of {caller} must be a str, a callable, or a "
                f"list or dict of them. Got {shown(metrics)} instead."
            )
        named, asked = {}, {}
        for metric in metrics:
            one = read(metric)
            asked[one.key] = one
            if named.setdefault(one.key, metric) != metric:
                raise ValueError(
                    f"The 'metrics' parameter of {caller} must not contain different "
                    f"metrics of the same name. Got two metrics named {shown(one.key)}."
                )
    if not asked:
        raise ValueError(f"{caller} needs at least one metric. Got {shown(metrics)}.")
    return list(asked.values())


def check_ids_unneeded(requests, convention):
    """Raise if a metric breaks ties by document ids, without any ids."""
    for request in requests:
        if order := request.options.doc_order:
            who = f"convention={convention!r}" if convention else "evaluate"
            error = ValueError(
                f"{who} orders tied documents by their ids (doc_order={order!r}). "
                "Pass the ids as `doc_id`, or another rule such as ties='expected'. "
                "Got no document ids."
            )
            raise about(error, "convention", "doc_id", "ties")


def refusal(name, *, is_scorer=True):
    """Return the error of a name that is none, with the nearest valid one.

    A scorer needs the one of the two names of a metric with which larger is better.
    """
    score, near, parts, of_sklearn = _of_catalogue(name), None, (), None
    if isinstance(name, str):
        near, _ = _nearest_name(name)
        parts, of_sklearn = re.split(r",\s*(?![^(]*\))", name), _of_sklearn(name)
    if score is not None:
        advice = (
            f"{score.capitalize()} is a score of all lists together, not a mean over "
            "queries: call skrank.metrics.catalogue_scores(y_score, qid=qid, "
            "item=item, k=10, items=n_items)."
        )
    elif len(parts) > 1:
        advice = f"Pass a list: {shown(parts)}; on the command line, one -m for each."
    elif of_sklearn is not None:
        advice = (
            "That is a metric of scikit-learn: pass it to cross_validate, as "
            f"scoring={of_sklearn!r}."
        )
    elif near is not None:
        word, why, near = near.removeprefix("neg_"), "", repr(near)
        is_negative = name.strip().startswith("neg_")
        if is_negative and near == repr(word):
            why = f"Larger values of {word!r} are better already. "
        elif not (is_negative or is_scorer):
            near = repr(word)
        elif not is_negative and near != repr(word):
            near = f"scoring={near}"
            why = (
                "A scorer must return larger values for better models, but lower "
                f"values of {word!r} are better. "
            )
        advice = f"{why}Did you mean {near}?"
    else:
        advice = "Use skrank.metrics.get_scorer_names() to get valid options."
    return f"{shown(name)} is not a valid scoring value. {advice}"


def _of_catalogue(name):
    """Return the score of all lists that a name is meant for, or None."""
    if not isinstance(name, str):
        return None
    base = name.lower().removeprefix("neg_").partition("@")[0].partition("_at_")[0]
    return _OF_CATALOGUES.get(base)


def is_misspelt(name, others):
    """Return True if `name` is a misspelt scorer name, and not one of `others`.

    A name that is as near to one of the others, or is a word of one, as "auc" is of
    "roc_auc", may be meant for it. None of the others has a cutoff.
    """
    if not isinstance(name, str) or is_name(name):
        return False
    if _of_catalogue(name) is not None:
        return name not in others
    near, similarity = _nearest_name(name)
    if near is None:
        return False
    word = name.strip().lower()
    if "@" in word or "_at_" in word or "(" in word:
        return True
    others = {other for other in others if not is_name(other)}
    if any(word in (other, *other.split("_")) for other in others):
        return False
    near_other = difflib.get_close_matches(word, others, n=1, cutoff=similarity)
    return similarity > _CLEARLY_NEAR and not near_other


def _match_name(name, metrics, is_scorer=False):
    """Return what a name asks for, with its parameters as text, or None."""
    if not isinstance(name, str):
        return None
    key = name
    if match := _TREC_EVAL.fullmatch(name):
        name = f"{TREC_EVAL[match[1]]}@{match[2]}"
    match = _GRAMMAR.fullmatch(name)
    if match is None:
        return None
    negative, base, params, k = match.group("negative", "base", "params", "k")
    metric = metrics.get(ALIASES.get(base, base))
    if metric is None:
        return None
    has_two = metric.full_name.startswith("neg_")
    if (negative and not has_two) or (is_scorer and has_two and not negative):
        return None
    if (metric.cutoff == "never" and k) or (metric.cutoff == "required" and not k):
        return None
    sign = -1 if negative else 1
    return Asked(key, metric, int(k) if k else None, sign, params or ())


def _read_params(name, text):
    """Return the parameters of a scorer name, given between its parentheses."""
    try:
        call = ast.parse(f"f({text})", mode="eval").body
        if not isinstance(call.func, ast.Name) or call.args:
            raise ValueError("not only keywords")
        params = {one.arg: literal(ast.unparse(one.value)) for one in call.keywords}
        if len(params) < len(call.keywords) or None in params:
            raise ValueError("not all with names of their own")
    except (
        SyntaxError,
        ValueError,
        TypeError,
        AttributeError,
        RecursionError,  # of thousands of signs
        MemoryError,
    ):
        raise ValueError(
            "The parameters in a scorer name must be literals with their names, as in "
            "'rbp(p=0.5, max_grade=2)' or \"ndcg(gain='linear')@10\"; "
            "make_ranking_scorer takes all others. "
            f"Got {shown(name)} instead."
        ) from None
    if "average" in params:
        raise ValueError(
            "The parameter 'average' is the same for all metrics and does not stand in "
            f"a scorer name: pass it as a keyword. Got {shown(name)} instead."
        )
    return tuple(params.items())


def literal(text):
    """Return the value of a literal, or of a number that is printed as none."""
    return float(text) if text in NOT_FINITE else ast.literal_eval(text)


def _nearest_name(name):
    """Return the nearest valid name and how similar it is, or None and 0."""
    # "NDCG(gain='linear')_at_5" has the word "ndcg_at_5", the base "ndcg" and k "5".
    name = re.sub(r"\s*\n\s*", "", name[:_MAX_LENGTH])  # as YAML folds long ones
    name, params, rest = re.fullmatch(r"([^(]*)(\(.*\))?(.*)", name).groups("")
    word = (name + rest).strip().lower()
    base, at, k = word.replace("_at_", "@").partition("@")
    if (match := _K_WITHOUT_AT.fullmatch(base)) and _meaning(match["base"]):
        base, at, k = match["base"], "@", match["k"]
    base, k = re.sub("^(neg_)+", "", base), k.strip()
    found = _meaning(word) or _meaning(base + at) or _meaning(base)
    similarity = 1.0
    if found is None:
        # Other names of two letters are too near to all of three.
        known = [*ALIASES, *TREC_EVAL, *_WRITTEN_OUT]
        known = [one for one in known if len(one) > 2 and _meaning(one)] + [*METRICS]
        close = difflib.get_close_matches(base, known, n=1, cutoff=0.6)
        if not close:
            return None, 0.0
        found = _meaning(close[0])
        similarity = difflib.SequenceMatcher(None, close[0], base).ratio()
    metric = METRICS[found]
    k = int(k) if re.fullmatch("[0-9]{1,100}", k) and int(k) else 10
    with_k = metric.cutoff == "required" or (metric.cutoff == "optional" and at)
    return metric.full_name + params + (f"@{k}" if with_k else ""), similarity


def _of_sklearn(name):
    """Return the scorer name of scikit-learn that a name is meant for, or None."""
    word = name.partition("@")[0].strip().lower().removesuffix("_score")
    word = _WRITTEN_OUT.get(word, word)
    names = {word, f"neg_{word}"} & {*sklearn.metrics.get_scorer_names()}
    return next((one for one in names if not (_meaning(word) or is_name(one))), None)


def _meaning(word):
    """Return the metric of a name, an alias, a name written out, or a function."""
    for table in (ALIASES, TREC_EVAL, _WRITTEN_OUT):
        word = table.get(word, word)
    if word in METRICS:
        return word
    functions = (
        name
        for name, metric in [*METRICS.items()]
        if getattr(metric.function, "__name__", None) == word
    )
    return next(functions, None)


_EMPTY = inspect.Parameter.empty
_NAME = re.compile(r"(?!neg_)[a-z](?:[a-z0-9_]*[a-z0-9])?", re.ASCII)


@says_what_was_meant
def add_scorer(
    name: str,
    definition: Callable[..., Any],
    *,
    greater_is_better: bool = True,
    columns: str | Sequence[str] = (),
    replace: bool = False,
) -> None:
    """Name a metric of your own, for ``scoring=`` and for `evaluate`.

    Parameters
    ----------
    name : str
        The scorer name: lower-case letters, digits and underscores. If smaller values
        of the metric are better, the scorer name gets the prefix ``neg_``:
        ``add_scorer("depth", ..., greater_is_better=False)`` makes "neg_depth", and
        `evaluate` also takes "depth".
    definition : callable
        A function of a :class:`~skrank.metrics.RankedQueries` that returns an array of
        shape (n_queries,), in which NaN means undefined. If it has a keyword parameter
        `k`, names such as "name@5" are valid and pass the cutoff; without a default for
        `k`, a cutoff is required. Its other keyword parameters must have defaults and
        can be set like those of other metrics.
    greater_is_better : bool, default=True
        Whether larger values are better.
    columns : str or sequence of str, default=()
        The names of the columns that the metric reads of each document, as
        ``ranking.documents(k).column(name)``. `evaluate` and scorers get them under
        these names. Tied documents are not ordered by their grades then.
    replace : bool, default=False
        Whether to replace another metric of your own that has this name.

    Raises
    ------
    ValueError
        If `name` does not have this form, or is the name of another metric or of a
        scorer of scikit-learn.
    TypeError
        If `definition` is not a function with one required argument.

    See Also
    --------
    make_ranking_scorer : Makes a scorer with other parameters.

    Notes
    -----
    Every new Python process has to call this function again. Worker processes of
    scikit-learn's searches receive the metric with the scorer. Adding the same function
    under the same name again replaces it, and so does a new definition of it, as in a
    notebook.

    Examples
    --------
    The average reciprocal hit rank, the sum of 1 / rank over relevant documents:

    >>> from skrank.metrics import add_scorer, evaluate
    >>> def average_reciprocal_hit_rank(ranking, *, k=None):
    ...     reciprocal = ranking.mean_over_places(lambda rank: 1 / rank, k)
    ...     total = ranking.total(ranking.relevant * reciprocal)
    ...     return ranking.where_relevant(total)
    >>> add_scorer("my_arhr", average_reciprocal_hit_rank)
    >>> evaluate([1, 0, 1, 1], [4, 3, 2, 1], ["my_arhr", "my_arhr@3"])
    {'my_arhr': 1.58..., 'my_arhr@3': 1.33...}

    The mean price of the first k documents:

    >>> import numpy as np
    >>> def mean_price(ranking, *, k=None):
    ...     top = ranking.documents(k)
    ...     is_listed = top.mean_over_places(np.ones_like)
    ...     return top.total(is_listed * top.column("price")) / top.length
    >>> add_scorer("mean_price", mean_price, columns="price")
    >>> evaluate([1, 0, 1], [3, 2, 1], "mean_price@2", price=[10, 30, 80])
    {'mean_price@2': 20.0}
    """
    if not isinstance(name, str) or not _NAME.fullmatch(name) or "_at_" in name:
        raise ValueError(
            "The 'name' parameter of add_scorer must be a str of lower-case letters, "
            "digits and underscores that begins with a letter but not with 'neg_', and "
            f"does not contain '_at_'. Got {shown(name)} instead."
        )
    if not callable(definition) or not takes_a_ranking(definition):
        raise TypeError(
            "The 'definition' parameter of add_scorer must be a function of one "
            f"required argument, a RankedQueries. Got {shown(definition)} instead."
        )
    metric = own_metric(
        definition,
        name,
        greater_is_better=bool(greater_is_better),
        columns=_check_column_names(columns),
    )
    known = METRICS.get(name)
    is_own = known is not None and known.own is not None
    again = is_own and (replace or _is_the_same(known.own, definition))
    taken = (
        name in ALIASES
        or _TREC_EVAL.fullmatch(name)
        or metric.full_name in sklearn.metrics.get_scorer_names()
    )
    if (known is not None or taken) and not again:
        hint = ": pass replace=True if it is meant to replace that" if is_own else ""
        raise ValueError(
            "The 'name' parameter of add_scorer must be a name that no other scorer "
            f"has. Got {shown(name)}, which is taken{hint}."
        )
    METRICS[name] = metric


def _is_the_same(one, other):
    """Return True if one function redefines the other, as in a notebook.

    The names of lambdas, and of functions in functions, do not tell.
    """
    first, second = (
        [getattr(each, name, "<none>") for name in ("__module__", "__qualname__")]
        for each in (one, other)
    )
    return one is other or (first == second and "<" not in str(first))


def own_metric(definition, name, *, greater_is_better=True, columns=()):
    """Return the metric that a function of a ranking defines."""
    try:
        _, *parameters = inspect.signature(definition).parameters.values()
    except (TypeError, ValueError):  # of a callable written in C
        parameters = []
    variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    defaults = {p.name: p.default for p in parameters if p.kind not in variable}
    wrong = [p for p in defaults if p in SHARED]
    wrong += [p for p, default in defaults.items() if default is _EMPTY and p != "k"]
    if wrong:
        raise TypeError(
            f"The parameter {wrong[0]!r} of the metric {name!r} must have a default "
            "and a name other than those of the parameters that every metric has."
        )
    cutoff = "optional" if "k" in defaults else "never"
    if defaults.get("k") is _EMPTY:
        cutoff = "required"
        del defaults["k"]
    return Metric(
        name,
        partial(_one_value_per_query, definition, name),
        defaults=DEFAULTS | defaults,
        cutoff=cutoff,
        greater_is_better=greater_is_better,
        limits=(-np.inf, np.inf),
        own=definition,
        columns=columns,
    )


def _one_value_per_query(definition, name, ranking, **own):
    """Return the values of a user's definition; raise if they have another shape."""
    values = np.asarray(definition(ranking, **own), dtype=np.float64)
    if values.shape != (ranking.n_queries,):
        raise ValueError(
            f"The metric {name!r} must map a RankedQueries to one value per query, an "
            f"array of shape ({ranking.n_queries},). Got shape {values.shape} instead."
        )
    return values


def takes_a_ranking(function, or_unknown=False):
    """Return True if a callable has exactly one required argument, the ranking."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # some callables written in C have no signature
        return or_unknown
    positional = (
        inspect.Parameter.POSITIONAL_ONLY,
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
    )
    needed = [p for p in parameters if p.default is p.empty and p.kind in positional]
    return len(needed) == 1 or (or_unknown and not needed)


def _check_column_names(columns):
    """Return the names of columns as a tuple, if they can be keyword arguments."""
    columns = (columns,) if isinstance(columns, str) else tuple(columns)
    taken = {*INPUT, *SHARED, "metrics", "convention", "k", "by"}
    for name in columns:
        is_name = isinstance(name, str) and name.isidentifier()
        if not is_name or name in taken:
            raise ValueError(
                "The 'columns' parameter of add_scorer must hold names for keyword "
                "arguments that evaluate does not have. "
                f"Got {shown(name)}."
            )
    return columns
