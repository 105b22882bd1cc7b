"""Write the types of all public names, as stubs beside the modules.

    python tests/typing/make_stubs.py

Names, kinds and defaults of parameters are those of `inspect.signature`. Their types
are those of the docstrings, translated phrase by phrase, and are written nowhere else.
"""

# SPDX-License-Identifier: BSD-3-Clause

import ast
import builtins
import functools
import importlib
import inspect
import re
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path

from numpydoc.docscrape import ClassDoc, FunctionDoc

import skrank

HEADER = """\
# Types of {}, written by tests/typing/make_stubs.py.

# SPDX-License-Identifier: BSD-3-Clause
# fmt: off
"""

# The types of phrases in docstrings: of a parameter and, if it differs, of a result.
PHRASES = {
    "None": ["None"],
    "array-like": ["ArrayLike"],
    "bool": ["bool"],
    "callable": ["Callable[..., Any]", "Any"],
    "csr_matrix": ["csr_matrix"],
    "data frame": ["Any"],
    "dataframe": ["Any"],
    "dict": ["Mapping[Any, Any]", "dict[Any, Any]"],
    "dict of arrays": ["Mapping[str, ArrayLike]"],
    "dtype": ["DTypeLike"],
    "estimator instance": ["Any"],
    "estimator object": ["Any"],
    "float": ["float"],
    "int": ["int"],
    "iterable": ["Iterable[Any]"],
    "list": ["Sequence[Any]", "list[Any]"],
    "ndarray": ["NDArray[Any]"],
    "ndarray of bool": ["NDArray[np.bool_]"],
    "ndarray of float": ["NDArray[np.float64]"],
    "object": ["object", "Any"],
    "os.PathLike": ["PathLike[str]"],
    "path": ["str | PathLike[str]"],
    "RandomState instance": ["np.random.RandomState"],
    "scorer": ["Callable[..., Any]", "Any"],
    "slice": ["slice"],
    "sparse array": ["sparray"],
    "sparse matrix": ["spmatrix | sparray"],
    "splitter": ["Any"],
    "str": ["str"],
    "table": ["Any"],
    "tuple": ["tuple[Any, ...]"],
    "timedelta": ["timedelta | np.timedelta64"],
    ":class:`~sklearn.utils.Bunch`": ["Bunch"],
    "Bunch": ["Bunch"],
}
CONTAINERS = {
    "dict": ["Mapping[{}, {}]", "dict[{}, {}]"],
    "iterable": ["Iterable[{}]"],
    "list": ["Sequence[{}]", "list[{}]"],
    "pair": ["tuple[{0}, {0}]"],
    "sequence": ["Sequence[{}]"],
    "tuple": ["tuple[{}, ...]"],
}

# Results that depend on a parameter: its name, and its types with those of the result.
AVERAGE = 'Literal["macro", "weighted"]'
OVERLOADS = {
    "float or ndarray of shape (n_queries,)": (
        "average",
        {AVERAGE: "float", "None": "NDArray[np.float64]"},
    ),
    "dict of str to float or ndarray": (
        "average",
        {AVERAGE: "dict[str, float]", "None": "dict[str, NDArray[Any]]"},
    ),
    "dict of str to float, or dict of such dicts": (
        "by",
        {"None": "dict[str, float]", "str": "dict[Any, dict[str, float]]"},
    ),
    "tuple if `return_X_y` is True": (
        "return_X_y",
        {
            "Literal[False]": "Bunch",
            "Literal[True]": "tuple[NDArray[Any], NDArray[Any], NDArray[Any]]",
        },
    ),
    "Bunch or ConfidenceIntervals": (
        "scores",
        {"ArrayLike": "Bunch", "QueryScores": "ConfidenceIntervals"},
    ),
    # Data frames of Spark and Dask, which are lazy, are of type Any.
    "QueryScores or ClusterScores": (
        "source",
        {"str | PathLike[str] | None": "QueryScores", "Any": "Any"},
    ),
}

IMPORTS = {
    "collections.abc": ["Callable", "Iterable", "Iterator", "Mapping", "Sequence"],
    "datetime": ["timedelta"],
    "numpy.typing": ["ArrayLike", "DTypeLike", "NDArray"],
    "os": ["PathLike"],
    "scipy.sparse": ["csr_matrix", "sparray", "spmatrix"],
    "sklearn.base": ["BaseEstimator", "MetaEstimatorMixin", "RegressorMixin"],
    "sklearn.model_selection": ["BaseCrossValidator"],
    "sklearn.utils": ["Bunch"],
    "typing": ["Any", "Literal", "overload"],
    "typing_extensions": ["Self"],
}


def modules():
    """Return the names of the public modules."""
    names = [name for name in skrank.__all__ if inspect.ismodule(getattr(skrank, name))]
    return ["skrank", *(f"skrank.{name}" for name in names)]


def path_of(module):
    """Return the path of the stub of a module."""
    return Path(sys.modules[module].__file__).with_suffix(".pyi")


CLASSES = {
    name: module
    for module in modules()
    for name in importlib.import_module(module).__all__
    if inspect.isclass(getattr(sys.modules[module], name))
}


def stub(module):
    """Return the stub of a module; raise if types are missing."""
    contents, unknown = vars(sys.modules[module]), []
    body = []
    names = sorted(contents["__all__"])
    for name in names:
        thing = contents[name]
        if inspect.isclass(thing):
            body += lines_of_class(thing, unknown)
        elif inspect.isfunction(thing):
            body += lines_of_function(thing, thing, unknown)
        elif not inspect.ismodule(thing):
            is_table = isinstance(thing, Mapping)
            body.append(f"{name}: {'Mapping[str, Any]' if is_table else 'Any'}")
    if unknown:
        raise ValueError(
            f"The types of {module} cannot be written: {'; '.join(unknown)}. Describe "
            "each in the docstring by a phrase among PHRASES of "
            "tests/typing/make_stubs.py, or add the phrase there, or a base to IMPORTS."
        )
    listed = wrapped("__all__ = [", [f'"{name}"' for name in names], "]")
    body[:0] = [listed, ""]
    if module == "skrank":
        body.append("__version__: str")
    body = "\n".join(body).rstrip()
    found = imports(module, body)
    for name in contents.get("_DISPLAYS", ()):
        found += "\n" if "\nfrom skrank" in found else "\n\n"
        found += f"from skrank.plot import {name} as {name}"
    return "\n".join([HEADER.format(module), found, "", body, ""])


def lines_of_class(cls, unknown):
    """Yield the stub of a class."""
    bases = public_bases(cls)
    known = [
        *CLASSES,
        *vars(builtins),
        *(n for names in IMPORTS.values() for n in names),
    ]
    unknown += [f"the base {base}" for base in bases if base.__name__ not in known]
    names = ", ".join(
        "Mapping[str, Any]" if base is Mapping else base.__name__ for base in bases
    )
    yield f"class {cls.__name__}({names}):" if bases else f"class {cls.__name__}:"
    attributes = described(cls, "Attributes")
    members = dict(members_of(cls, attributes, unknown))
    kept = {}
    if cls.__init__ not in (object.__init__, *(base.__init__ for base in bases)):
        kept = {
            name: text
            for name, text in described(cls, "Parameters").items()
            if name in getattr(cls, "__dataclass_fields__", ())
            or f"self.{name} =" in inspect.getsource(cls.__init__)
        }
        members["__init__"] = lines_of_function(cls.__init__, cls, unknown, cls)
    defaults = inspect.signature(cls).parameters if kept else {}
    for name, text in (kept | attributes).items():
        if name not in members and not hasattr(BaseException, name):
            kind = type_of(text, f"{cls.__name__}.{name}", unknown, name not in kept)
            kind = "Any" if kind == "object" else kind
            may_be_none = name in defaults and defaults[name].default is None
            yield f"    {name}: {or_none(kind) if may_be_none else kind}"
    if not members and not attributes:
        yield "    ..."
    for name in sorted(members):
        yield from members[name]
    yield ""


def members_of(cls, attributes, unknown):
    """Yield the names and the stubs of the methods and properties of a class."""
    hidden = [base for base in cls.__mro__ if base is cls or is_hidden(base)]
    for name in {name for base in hidden for name in vars(base)}:
        value = inspect.getattr_static(cls, name)
        function = getattr(value, "__func__", value)
        if name.startswith("_") and not _is_described(name, function):
            continue
        if type(value).__name__ == "RequestMethod":  # of scikit-learn
            keys = [f"{key}: bool | str | None = ..." for key in value.keys]
            parts = ["self", "*", *keys]
            yield name, [wrapped(f"    def {name}(", parts, ") -> Self: ...")]
        elif isinstance(value, (property, functools.cached_property)):
            text = attributes.get(name) or "object"
            kind = type_of(text, f"{cls.__name__}.{name}", unknown, True)
            yield name, ["    @property", f"    def {name}(self) -> {kind}: ..."]
        elif inspect.isfunction(function):
            decorator = (
                [f"    @{type(value).__name__}"] if function is not value else []
            )
            lines = lines_of_function(function, getattr(cls, name), unknown, cls)
            yield name, [*decorator, *lines]


def _is_described(name, function):
    """Return True for special methods that say what they take or return."""
    if name == "__init__" or not name.endswith("__"):
        return False
    # Python 3.13 keeps docstrings without their indentation; getdoc removes it.
    return inspect.isfunction(function) and "\n----" in (inspect.getdoc(function) or "")


def lines_of_function(function, documented, unknown, cls=None):
    """Yield the stub of a function, or of a method of a class.

    `documented` has the docstring; it is the class for the method ``__init__``.
    """
    name = function.__name__
    where = f"{cls.__name__}.{name}" if cls else name
    indent = "    " if cls else ""
    parameter, cases = overloads_of(documented, where, unknown)
    types = described(documented, "Attributes", "Parameters")
    for case, result in cases.items():
        if len(cases) > 1:
            yield f"{indent}@overload"
        parts, is_star_due = [], True
        for one in inspect.signature(function).parameters.values():
            if one.kind in (one.KEYWORD_ONLY, one.VAR_POSITIONAL):
                parts += ["*"] * (is_star_due and one.kind is one.KEYWORD_ONLY)
                is_star_due = False
            if one.name in ("self", "cls"):
                parts.append(one.name)
            elif one.kind is one.VAR_KEYWORD:
                parts.append(f"**{one.name}: Any")
            elif one.name == parameter:
                # Its default is of the first of its types.
                default = default_of(one) if case == next(iter(cases)) else ""
                parts.append(f"{one.name}: {case}{default}")
            else:
                parts.append(typed(one, types, where, unknown))
        yield wrapped(f"{indent}def {name}(", parts, f") -> {result}: ...")


def typed(one, types, where, unknown):
    """Return a parameter with its type and default."""
    if one.name not in types:
        unknown.append(f"{one.name!r} of {where} is not in its docstring")
        return one.name
    kind = type_of(types[one.name], f"{one.name!r} of {where}", unknown)
    if one.kind is one.VAR_POSITIONAL:
        return f"*{one.name}: {kind.removeprefix('Sequence[').removesuffix(']')}"
    if one.default is None:
        kind = or_none(kind)
    return f"{one.name}: {kind}{default_of(one)}"


def default_of(one):
    """Return the default of a parameter as code; ``...`` for what is no literal."""
    if one.default is one.empty:
        return ""
    code = repr(one.default).replace("'", '"')
    try:
        ast.literal_eval(code)
    except (SyntaxError, ValueError):  # nan, types
        code = "..."
    return f" = {code}"


def overloads_of(documented, where, unknown):
    """Return the parameter on which the result depends, or None, and the results."""
    if inspect.isclass(documented):
        return None, {None: "None"}
    doc = docstring(documented)
    entries = doc["Returns"] + doc["Yields"]
    for entry in entries:
        if entry.type in OVERLOADS:
            return OVERLOADS[entry.type]
    if not entries:
        return None, {None: "None"}
    if entries[0].name == "self":
        return None, {None: "Self"}
    where = f"the result of {where}"
    types = [type_of(one.type, where, unknown, True) for one in entries]
    result = types[0] if len(types) == 1 else f"tuple[{', '.join(types)}]"
    return None, {None: f"Iterator[{result}]" if doc["Yields"] else result}


@functools.cache
def docstring(thing):
    if inspect.isclass(thing):
        return ClassDoc(thing, config={"show_class_members": False})
    return FunctionDoc(thing, doc=inspect.getdoc(thing) or "")  # it may be inherited


def described(thing, *sections):
    """Return the texts of types in sections of a docstring, by name."""
    return {
        name.strip(" *"): entry.type
        for section in sections
        for entry in docstring(thing)[section]
        for name in entry.name.split(",")
    }


def type_of(text, where, unknown, is_result=False):
    """Return the type that a docstring describes."""
    text = re.sub(r",? *default=.*", "", " ".join(text.split()))
    text = re.sub(
        r",? (of (shape )?)?\([^()]*\)( or \([^()]*\))*| of length .*", "", text
    )
    found = []
    # At "or" and commas outside of braces.
    for phrase in filter(None, re.split(r"(?:,? or |, )(?![^{]*})", text)):
        kind = type_of_phrase(phrase, found, is_result)
        if kind is None:
            unknown.append(f"{phrase!r}, the type of {where}, is unknown")
        found += [] if kind is None else kind.split(" | ")
    found = sorted(dict.fromkeys(found), key="None".__eq__)  # the last one
    return " | ".join(found)


def type_of_phrase(phrase, before, is_result):
    """Return the type of one phrase, None if it is unknown; `before` are others."""
    if phrase.removeprefix("two of ") == "them":
        return " | ".join(before)
    if phrase in PHRASES:
        return PHRASES[phrase][-is_result]
    if phrase.startswith("{"):
        options = phrase.partition("}")[0].strip("{").split(", ")
        if all(option.startswith('"') for option in options):
            return f"Literal[{', '.join(options)}]"
        return " | ".join(type_of_phrase(one, before, is_result) for one in options)
    if phrase.startswith('"'):
        return f"Literal[{phrase}]"
    container, _, content = phrase.partition(" of ")
    if container in ("array-like", "ndarray"):
        return PHRASES[container][0]
    if container in CONTAINERS and content:
        of = [type_of_phrase(one, before, is_result) for one in content.split(" to ")]
        form = CONTAINERS[container][-is_result]
        of = ["str", *of] if container == "dict" and len(of) == 1 else of
        return None if None in of else form.format(*of)
    if phrase in CLASSES:
        return phrase
    # Private classes, and those of packages that may not be installed.
    is_class = re.fullmatch(r"(\w+\.)*[A-Z]\w+", phrase)
    return "Any" if is_class else None


def or_none(kind):
    optional = {"None", "Any", "object"} & set(kind.split(" | "))
    return kind if optional else f"{kind} | None"


def is_hidden(cls):
    return cls.__module__.startswith("skrank") and cls.__name__ not in CLASSES


def public_bases(cls):
    """Return the bases of a class, for those that are private their public bases."""
    bases = []
    for base in cls.__bases__:
        bases += public_bases(base) if is_hidden(base) else [base]
    return [base for base in bases if base is not object]


def imports(module, body):
    """Return the imports of the names in a stub, as ruff sorts them."""
    used = set(re.findall(r"(?<![\w.\"])[A-Za-z]\w*", body))
    lines = ["import numpy as np"] if "np" in used else []
    homes = dict(IMPORTS)
    for name in CLASSES:
        if CLASSES[name] != module:
            homes[CLASSES[name]] = [*homes.get(CLASSES[name], []), name]
    for home, names in homes.items():
        if taken := sorted(used.intersection(names)):
            lines.append(f"from {home} import {', '.join(taken)}")
    if module == "skrank":
        submodules = [name.partition(".")[2] for name in modules()[1:]]
        lines += [f"from skrank import {name} as {name}" for name in submodules]
    groups = {}
    for line in sorted(lines, key=lambda line: (line.startswith("from"), line)):
        root = line.split()[1].partition(".")[0]
        order = 0 if root in sys.stdlib_module_names else 1 + (root == "skrank")
        groups.setdefault(order, []).append(line)
    return "\n\n".join("\n".join(groups[order]) for order in sorted(groups))


def wrapped(begin, parts, end):
    """Return a list in parentheses, on as few lines as it needs."""
    line = begin + ", ".join(parts) + end
    if len(line) <= 88:
        return line
    indent = " " * (len(begin) - len(begin.lstrip()))
    margin = indent + "    "
    # Lines break between parameters, within those that exceed a line anywhere.
    kept = (part if len(part) > 80 else part.replace(" ", "\0") for part in parts)
    lines = textwrap.wrap(
        ", ".join(kept), 87, initial_indent=margin, subsequent_indent=margin,
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
    return "\n".join([begin, *lines, indent + end]).replace("\0", " ")


if __name__ == "__main__":
    for name in modules():
        path_of(name).write_text(stub(name), encoding="utf-8")
