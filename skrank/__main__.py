"""The command line: evaluate and compare runs and tables of predictions."""

# SPDX-License-Identifier: BSD-3-Clause

import argparse
import math
import sys
import warnings

import skrank
from skrank._engine.answer import Arrays
from skrank._engine.columns import columns_of
from skrank._engine.conventions import FROM_ONE
from skrank._progress import progress_bar
from skrank._shell import files, output
from skrank._shell.arguments import make_parser
from skrank.evaluation.evaluate import read_requests, score_requests
from skrank.evaluation.query_report import query_report
from skrank.evaluation.reports import explain, tie_report
from skrank.tables import read_rows, score_table

# How a column that metrics read is named.
SUBTOPICS = "subtopics"
HOW = "Name it by --column {name}=COLUMN, of one table with a row for each document."


def main(arguments=None):
    """Run a command and return its exit status.

    It is 0, 2 for bad input, or 130 after an interrupt by the keyboard. That of a gate
    is its decision.

    Parameters
    ----------
    arguments : list of str, default=None
        The arguments of the command line; if None, those of the process.
    """
    options = argparse.Namespace(status=0)
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        for of_developers in (DeprecationWarning, ResourceWarning):
            warnings.simplefilter("ignore", of_developers)
        warnings.showwarning = lambda message, *_, **__: output.say(
            f"warning: {message}", options
        )
        try:
            make_parser(_COMMANDS).parse_args(arguments, options)
            output.write(f"{options.command(options)}\n", sys.stdout)
        except KeyboardInterrupt:
            return 130
        except Exception as error:  # a traceback helps nobody at a terminal
            is_known = isinstance(error, (ImportError, OSError, TypeError, ValueError))
            kind = "" if is_known and str(error) else f"{type(error).__name__}: "
            output.say(f"{kind}{error}", options)
            return 2
    return options.status


def _evaluate(options):
    output.check_writable(options.by_query)
    output.check_writable(options.save, "--save")
    scored, *_ = _score(options)
    if options.save is not None:
        output.save(options.save, scored)
    metrics = next(iter(scored.values())).metrics
    if options.sort is not None:
        scored = _best_first(scored, options.sort or metrics[0])
    by_query, form = options.by_query, options.form
    if by_query == output.STDOUT:
        header, rows = output.rows_of_queries(scored)
        if form != "json":
            return output.printed(form, header, rows)
        found = {name: {} for name in scored}
        for name, qid, *values in rows:
            found[name][qid] = dict(zip(metrics, values, strict=True))
        return output.as_json(found)
    if by_query is not None:
        output.write_queries(by_query, scored)
    means = {name: scores.table.summaries()[0] for name, scores in scored.items()}
    if form == "json":
        return output.as_json(
            {name: dict(zip(metrics, one, strict=True)) for name, one in means.items()}
        )
    rows = [[name, *one] for name, one in means.items()]
    return output.printed(form, ["ranker", *metrics], rows)


def _best_first(scored, metric):
    """Return the scores of runs in the order of a metric, the undefined ones last."""
    requests = next(iter(scored.values())).table.requests
    names = [request.key for request in requests]
    if metric not in names:
        raise ValueError(f"--sort must be a metric among {names}. Got {metric!r}.")
    place = names.index(metric)

    def key(name):
        value = requests[place].direction * scored[name].table.summaries()[0][place]
        return math.inf if math.isnan(value) else -value

    return {name: scored[name] for name in sorted(scored, key=key)}


def _compare(options):
    rankers = files.runs_of(options) if options.run else options.y_score or ()
    if len(rankers) < 2:
        options.fail(
            "two runs are required, or a table and --y-score for two columns"
            + files.same_twice(options)
        )
    scored, paths, tags = _score(options)
    baseline = options.baseline
    if baseline is not None:
        baseline = files.find_run(baseline, list(scored), paths, tags)
    comparison = skrank.stats.compare_rankers(  # which is loaded when it is used
        scored,
        baseline=baseline,
        test=options.test,
        correction=None if options.correction == "none" else options.correction,
        alternative=options.alternative,
        margin=options.margin,
        confidence_level=options.confidence_level,
    )
    if options.form == "json":
        rankers, rows = map(list, (comparison.intervals.rows, comparison.rows))
        return output.as_json({"rankers": rankers, "differences": rows})
    if options.form == "csv":
        rows = comparison.rows
        return output.printed("csv", list(rows[0]), [row.values() for row in rows])
    forms = {"markdown": comparison.to_markdown, "latex": comparison.to_latex}
    return forms.get(options.form, comparison.__str__)()


def _gate(options):
    if files.has_scores(options):
        scored = files.saved_scores(options)
    else:
        scored, *_ = _score(options)
    if len(scored) != 2:
        options.fail(
            "two runs are required, the baseline and the candidate, or two files of "
            "evaluate --save" + files.same_twice(options)
        )
    found = skrank.stats.gate(  # which is loaded when it is used
        scored,
        baseline=next(iter(scored)),
        margin=options.margin,
        test=options.test,
        confidence_level=options.confidence_level,
    )
    options.status = found.status
    if options.form == "json":
        about = {"decision": found.decision, "status": found.status}
        return output.as_json(about | vars(found))
    return found.to_markdown() if options.form == "markdown" else str(found)


def _score(options):
    """Return the scores of each run by its name, the paths of the runs and their tags.

    Each run has a QueryScores of its own, since their queries may be different.
    """
    requests = _requests(options)  # wrong names are found before large files are read
    columns = _columns(options, requests)
    if files.has_rows(options):
        return _score_rows(options, **columns)
    if not options.run:
        options.fail("the following arguments are required: RUN")
    paths = files.runs_of(options)
    found, tags = [], []
    with _bar(options, paths) as advance:
        # Half of the time is for reading, about.
        truth = files.read_judgements(
            options,
            lambda n_bytes: advance(n_bytes / 2),
            subtopics=SUBTOPICS in columns,
        )
        advance(files.size_of(options.qrels) / 2)
        for path in paths:  # one at a time: they may be large
            result = files.read_run(options, path, lambda n_bytes: advance(n_bytes / 2))
            aligned = _aligned(options, truth, result, options.convention)
            columns = {name: aligned.pop(name) for name in columns}
            arrays = Arrays(**aligned, columns=columns)
            scores = score_requests(requests, arrays, {None: aligned.y_score})
            found.append(scores)
            tags.append(result.tag)
            advance(files.size_of(path) / 2)
    names = files.names_of_runs(paths, tags, options.names)
    return dict(zip(names, found, strict=True)), paths, tags


def _bar(options, paths):
    """Return a progress bar in bytes of the judgements and runs."""
    n_bytes = sum(map(files.size_of, [options.qrels, *paths]))
    return progress_bar(n_bytes or None, "auto", "B", unit_scale=True)


def _metrics(options):
    return files.metrics_of(options.metric or options.default_metrics)


def _params(options):
    """Return the parameters of metrics that were given."""
    threshold = options.threshold
    if options.relevance_level is not None:
        threshold = math.nextafter(options.relevance_level, -math.inf)
    given = {
        "convention": options.convention,
        "ties": options.ties,
        "threshold": threshold,
    }
    return {name: value for name, value in given.items() if value is not None}


def _requests(options):
    """Return the requests for the metrics."""
    params = _params(options)
    requests = read_requests(_metrics(options), params, "evaluate")
    if options.relevance_level is None or options.convention != "trec_eval":
        return requests
    # Its NDCG reads all grades, whatever the level.
    return [
        one.changed(threshold=FROM_ONE) if one.metric.name in ("dcg", "ndcg") else one
        for one in requests
    ]


def _columns(options, requests):
    """Return the columns of a table that the requested metrics read, by their names."""
    given = {}
    for text in options.column or ():
        name, _, column = text.partition("=")
        if not (name and column):
            raise ValueError(
                "--column must be NAME=COLUMN, such as popularity=n_ratings. Got "
                f"{text!r}."
            )
        if not files.has_rows(options):
            raise ValueError(f"--column goes with one table. Got runs and {text!r}.")
        given[name] = column
    of_judgements = {}
    if not files.has_rows(options) and files.has_subtopics(options):
        of_judgements[SUBTOPICS] = options.qrels
    found = columns_of(requests, given | of_judgements, "skrank", how=HOW)
    for name in given.keys() - found.keys():
        names = [request.key for request in requests]
        raise ValueError(f"None of {names} reads the column {name!r} of --column.")
    if files.has_rows(options) and not any(one.reads_grades for one in requests):
        found["y_true"] = options.y_true
    return found


def _score_rows(options, **columns):
    """Return what :func:`_score` does, for a table with a row for each document."""
    scores = _of_rows(
        options,
        score_table,
        metrics=_metrics(options),
        progress="auto",
        **columns,
        **_judged_from(options),
        **_params(options),
    )
    names = scores.rankers
    if names == (None,):
        return {options.qrels: scores}, [options.qrels], [None]
    return {name: scores[name] for name in names}, names, [None] * len(names)


def _of_rows(options, function, **more):
    """Call a function with a table of rows and the names of its columns."""
    level = getattr(options, "relevance_level", None)
    for option, is_given in {
        "-M": options.depth is not None,
        "--missing-queries": options.missing_queries is not None,
        # Its NDCG needs requests of its own.
        "-l of trec_eval": options.convention == "trec_eval" and level is not None,
    }.items():
        if is_given:
            raise ValueError(f"{option} goes with runs. Got a table, {options.qrels}.")
    given = more | {
        name: getattr(options, name)
        for name in ("qid", "y_true", "y_score", "doc_id")
        if getattr(options, name) is not None
    }
    if len(options.y_score or ()) == 1:
        (given["y_score"],) = options.y_score
    with files.columns_named_by_options("Without RUN this is a table of rows: name"):
        return function(options.qrels, **given)


def _judged_from(options):
    """Return the lowest grade of a judgement as a parameter of metrics, if given."""
    lowest = options.judged_from
    return {} if lowest is None else {"judged_from": lowest}


def _aligned(options, truth, result, convention=None):
    """Return judgements and a run as :func:`~skrank.tables.align` does."""
    aligned, said = files.aligned(options, truth, result, convention)
    for sentence in said:
        output.say(sentence, options)
    return aligned


def _explain(options):
    conventions = {"conventions": options.convention} if options.convention else {}
    columns = _columns(options, read_requests([options.metric], {}, "explain"))
    return explain(metric=options.metric, **_one_run(options, **columns), **conventions)


def _ties(options):
    return tie_report(
        metrics=_metrics(options),
        convention=options.convention,
        **_one_run(options, options.convention),
    )


def _show(options):
    request, *more = _requests(options)
    if more:
        raise ValueError(f"skrank show takes one metric. Got {more[0].key!r} too.")
    if files.has_rows(options):
        given = _of_rows(options, read_rows) | _judged_from(options)
        ids = given["qid"]
    else:
        given = _runs(options, SUBTOPICS in request.metric.columns)
        ids = next(iter(given["qid"].values()))
    ids = dict.fromkeys(ids.tolist())
    params = _params(options)
    if "threshold" in request.metric.defaults:
        params["threshold"] = request.options.threshold
    return query_report(
        query=next((id for id in ids if str(id) == options.query), options.query),
        metric=request.key,
        k=options.ranks,
        **params,
        **given,
    )


def _runs(options, subtopics):
    """Return the judgements and the runs, aligned, each a dict of the runs."""
    if not options.run:
        options.fail("the following arguments are required: RUN")
    truth = files.read_judgements(options, subtopics=subtopics)
    paths = files.runs_of(options)
    results = [files.read_run(options, path) for path in paths]
    names = files.names_of_runs(paths, [one.tag for one in results], options.names)
    found = [_aligned(options, truth, one, options.convention) for one in results]
    return {
        argument: dict(zip(names, (one[argument] for one in found), strict=True))
        for argument in found[0]
    }


def _one_run(options, convention=None, **columns):
    """Return the judgements and the one run of a command, aligned, or its table."""
    if files.has_rows(options):
        if len(options.y_score or ()) > 1:
            one, *more = options.y_score
            raise ValueError(f"One --y-score is read. Got {one} and {more[0]}.")
        return _of_rows(options, read_rows, **columns) | _judged_from(options)
    if not options.run:
        options.fail("the following arguments are required: RUN")
    path, *more = files.runs_of(options)
    if more:
        options.fail(f"one RUN is read, got {path} and {more[0]} too")
    with _bar(options, [path]) as advance:
        truth = files.read_judgements(options, advance, subtopics=SUBTOPICS in columns)
        result = files.read_run(options, path, advance)
    return _aligned(options, truth, result, convention)


_COMMANDS = {
    "evaluate": _evaluate,
    "compare": _compare,
    "gate": _gate,
    "show": _show,
    "explain": _explain,
    "ties": _ties,
}


if __name__ == "__main__":
    sys.exit(main())
