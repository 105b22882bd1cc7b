"""Write the types of the metric functions, as a stub beside `skrank.metrics`.

    python -m tests.typing.make_stub

All metric functions share most of their parameters, whose types stand here once. All
other public names have their types in the source.
"""

# SPDX-License-Identifier: BSD-3-Clause

import ast
import inspect
import textwrap
from pathlib import Path

from skrank import metrics
from skrank._engine.request import metric_of
from skrank._text.docs import variant

SOURCE = Path(metrics.__file__)
STUB = SOURCE.with_suffix(".pyi")

HEADER = """\
# Types of skrank.metrics, written by tests/typing/make_stub.py.

# SPDX-License-Identifier: BSD-3-Clause
# fmt: off

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
"""

# The types of parameters, by the names of their entries in `skrank/_text/docs.py`.
# Without such an entry it is the name of the parameter, after that of the function if
# another metric has a parameter with this name and another type.
TYPES = {
    "y_true": "MatrixLike",
    "y_true_or_none": "MatrixLike | None",
    "y_true_sometimes": "MatrixLike | None",
    "y_score": "ArrayLike",
    "qid": "ArrayLike | None",
    "k": "int | None",
    "k_required": "int",
    "threshold": 'float | Literal["max"]',
    "threshold_every_grade": 'float | Literal["max"] | None',
    "ties": "Ties",
    "ties_first_rank": 'Ties | Literal["realistic"]',
    "ties_midrank": 'Ties | Literal["midrank"]',
    "replace_undefined_by": "float",
    "average": "Average",
    "adjusted": 'bool | Literal["ratio"]',
    "sample_weight": "ArrayLike | None",
    "judged": "ArrayLike | None",
    "returned": "ArrayLike | None",
    "gain": "Gain",
    "discount": 'Literal["log2", "ln", "reciprocal"] | Callable[..., Any]',
    "discount_of_exposure": (
        'Literal["rbp", "log2", "ln", "reciprocal"] | Callable[..., Any]'
    ),
    "max_grade": "float | None",
    "expected": "MatrixLike | ItemColumn",
    "n_items": "int | None",
    "beta": "float",
    "features": "MatrixLike | ItemColumn",
    "group": "MatrixLike | ItemColumn",
    "group_or_none": "MatrixLike | ItemColumn | None",
    "target": "str | Mapping[Any, float] | ArrayLike",
    "empty": 'Literal["undefined", "uniform"]',
    "only_relevant": "bool",
    "subtopics": "MatrixLike | ItemColumn | Sequence[Collection[str]]",
    "alpha": "float",
    "ideal": 'Literal["greedy", "ideal-ideal"] | None',
    "distance": 'Literal["cosine", "jaccard", "euclidean"] | Callable[..., Any]',
    "ties_of_columns": 'Literal["expected", "first"]',
    "normalize": 'Literal["k", "length"]',
    "psp_score.normalize": 'Literal["query", "total", "k", "self"]',
    "psndcg_score.normalize": 'Literal["query", "total", "self"] | None',
    "clip": "float",
    "recall_at_k_score.normalize": 'Literal["relevant", "achievable"]',
    "map_score.normalize": 'Literal["relevant", "achievable", "k"]',
    "p": "float",
    "tied_together": "bool",
    "weights": 'Literal["uniform", "gain", "discount"] | Callable[..., Any]',
}


def stub():
    """Return the stub of `skrank.metrics`; raise if a type is missing."""
    functions = {
        name: metric
        for name in metrics.__all__
        if (metric := metric_of(getattr(metrics, name)))
    }
    imports = ["from skrank._text.docs import Average, Gain, MatrixLike, Ties"]
    for node in ast.parse(SOURCE.read_text("utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.module.startswith("skrank"):
            names = [alias for alias in node.names if alias.name not in functions]
            if names:
                line = ast.unparse(ast.ImportFrom(node.module, names, 0))
                if len(line) > 88:
                    start, _, rest = line.partition("import ")
                    line = f"{start}import (\n    {rest},\n)".replace(", ", ",\n    ")
                imports.append(line)
    for name, module in metrics._EXTENSIONS.items():
        imports.append(f"from {module} import {name} as {name}")
    names = [f'"{name}"' for name in metrics.__all__]
    lines = [HEADER, *sorted(imports), "", *wrapped("__all__ = [", names, "]"), ""]
    for name, metric in functions.items():
        for average, result in [(None, "float"), ("None", "NDArray[np.float64]")]:
            parameters = parameters_of(name, metric, average)
            end = f") -> {result}: ..."
            lines += ["@overload", *wrapped(f"def {name}(", parameters, end)]
    return "\n".join([*lines, ""])


def parameters_of(name, metric, average):
    """Yield the parameters of a metric function, `average` with this type if given."""
    is_star_due = True
    for one in inspect.signature(metric.function).parameters.values():
        if one.kind is one.KEYWORD_ONLY and is_star_due:
            is_star_due = False
            yield "*"
        key = variant(one.name, one.default, metric)
        key = f"{name}.{key}" if f"{name}.{key}" in TYPES else key
        type_ = TYPES.get(key)
        if type_ is None and one.name in metric.columns:
            type_ = "ArrayLike | ItemColumn"
        if type_ is None:
            raise ValueError(
                f"Add the type of {key!r}, a parameter of {name}, to TYPES of "
                "tests/typing/make_stub.py."
            )
        if one.name == "average" and average:
            yield f"average: {average}"
        else:
            default = repr(one.default).replace("'", '"').replace("nan", "...")
            end = "" if one.default is one.empty else f" = {default}"
            yield f"{one.name}: {type_}{end}"


def wrapped(begin, parts, end):
    """Return the lines of a list in parentheses, which break between its parts."""
    text = ", ".join(part.replace(" ", "\0") for part in parts)
    lines = textwrap.wrap(text, 84, break_long_words=False, break_on_hyphens=False)
    lines = [f"    {line}" for line in lines]
    return [line.replace("\0", " ") for line in [begin, *lines, end]]


if __name__ == "__main__":
    STUB.write_text(stub(), encoding="utf-8")
