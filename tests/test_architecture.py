"""Who may know whom: the imports of every room, read from its source."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import ast
import inspect
import sys
from pathlib import Path

import pytest

import skrank
from skrank.metrics._names import METRICS

ROOT = Path(skrank.__file__).parent

# A room may import from the floors below its own.
FLOORS = [
    {"_validation", "_qid", "_panels", "exceptions"},
    {"_segments", "_keys", "_groups"},
    {"_lists"},
    {"_candidates", "_long", "_blocks"},
    {"_read", "_runs"},
    {"_ranking", "_positions"},
    {"_rank"},
    {"metrics._first_ranks"},
    {"metrics._weights", "metrics._measure", "metrics._options"},
    {
        "metrics._pairs",
        "metrics._overlap",
        "metrics._chance",
        "metrics._rank_pools",
    },
    {
        "metrics._ranks",
        "metrics._rank_summaries",
        "metrics._binary",
        "metrics._graded",
        "metrics._cascade",
        "metrics._judged",
        "metrics._q_measure",
        "metrics._agreement",
        "metrics._order",
    },
    {"metrics._adjusted_ranks", "metrics._adjusted_hits", "metrics._precision"},
    {"metrics._inverse_ranks", "metrics._rank_spread"},
    {"metrics._adjusted_geometric", "metrics._z_scores"},
    {"metrics._names"},
    {"metrics._conventions"},
    {"metrics._evaluate", "metrics._table"},
    {"metrics._explain", "metrics._tie_report"},
    {"metrics._response", "metrics._fitted", "metrics._own_queries"},
    {"metrics._scorer"},
    {"metrics._registry"},
    {"metrics"},
    {"base"},
    {"rankers._clone", "rankers._columns", "rankers._rows", "rankers._pairs"},
    {"rankers._response", "rankers._grades", "rankers._early_stopping"},
    {"rankers._families"},
    {"rankers._fit", "rankers._base"},
    {"rankers._query_ranker", "rankers._pairwise"},
    {"rankers"},
    {"link_prediction._triples"},
    {"link_prediction._known", "link_prediction._count", "link_prediction._progress"},
    {"link_prediction._candidates", "link_prediction._model"},
    {"link_prediction._summaries"},
    {"link_prediction._ranks"},
    {"link_prediction._rank"},
    {"link_prediction._evaluate"},
    {"link_prediction._base", "link_prediction._scorer"},
    {
        "link_prediction._complex",
        "link_prediction._popularity",
        "link_prediction._pykeen",
    },
    {"link_prediction"},
]
FLOOR = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}

# Packages that stand aside: they know themselves and these rooms.
WINGS = {"model_selection": {"_qid"}, "datasets": set()}

PRIVATE = "metrics._registry"

# Its name is that of a private, but scikit-learn documents it for users.
DOCUMENTED = {"sklearn.utils._safe_indexing"}
REQUIRED = {"numpy", "scipy", "sklearn"}
HEADER = [
    "# Authors: The skrank developers",
    "# SPDX-License-Identifier: BSD-3-Clause",
]


def rooms():
    """Map the name of every module, without the package's, to its file."""
    found = {}
    for file in sorted(ROOT.rglob("*.py")):
        parts = file.relative_to(ROOT).with_suffix("").parts
        found[".".join(part for part in parts if part != "__init__")] = file
    return found


ROOMS = rooms()


def tree_of(room):
    return ast.parse(ROOMS[room].read_text("utf-8"))


def imports_of(room):
    """Return the full names of all that a room imports, also within functions."""
    found = set()
    for node in ast.walk(tree_of(room)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{room} imports relatively"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def known_rooms(room):
    """Return the rooms of skrank that a room imports from."""
    known = set()
    for name in imports_of(room):
        package, _, rest = name.partition(".")
        if package != "skrank":
            continue
        # The last part may be a room or something in one.
        known.add(rest if rest in ROOMS else rest.rpartition(".")[0])
    return known


def wing_of(room):
    return room.partition(".")[0]


@pytest.mark.parametrize("room", sorted(set(ROOMS) - {""}))
def test_a_room_knows_only_the_floors_below(room):
    known = known_rooms(room)
    if wing_of(room) in WINGS:
        allowed = WINGS[wing_of(room)]
        assert {r for r in known if wing_of(r) != wing_of(room)} <= allowed
        return
    assert room in FLOOR, f"{room} has no floor yet"
    above = {other for other in known if FLOOR.get(other, 99) >= FLOOR[room]}
    assert above == set()


def test_every_floor_is_a_room():
    assert set(FLOOR) <= set(ROOMS)
    assert set(WINGS) <= set(ROOMS)


def test_the_package_itself_imports_nothing_but_the_registry():
    assert known_rooms("") == {PRIVATE}


def attribute_path(node):
    """Return ``["sklearn", "metrics", ...]`` for the attributes of a name."""
    path = []
    while isinstance(node, ast.Attribute):
        path.append(node.attr)
        node = node.value
    return [node.id, *path[::-1]] if isinstance(node, ast.Name) else []


@pytest.mark.parametrize("room", sorted(set(ROOMS) - {PRIVATE}))
def test_only_the_registry_touches_what_is_private_in_scikit_learn(room):
    names = [name.split(".") for name in imports_of(room)]
    names += [attribute_path(node) for node in ast.walk(tree_of(room))]
    private = {
        ".".join(path)
        for path in names
        if path[:1] == ["sklearn"]
        and any(part.startswith("_") and not part.endswith("__") for part in path)
    }
    assert private <= DOCUMENTED


@pytest.mark.parametrize("room", sorted(ROOMS))
def test_only_the_required_packages_are_imported(room):
    packages = {name.partition(".")[0] for name in imports_of(room)}
    assert packages <= REQUIRED | {"skrank"} | sys.stdlib_module_names


@pytest.mark.parametrize("room", sorted(ROOMS))
def test_a_room_has_a_docstring_a_header_and_at_most_400_lines(room):
    lines = ROOMS[room].read_text("utf-8").splitlines()
    assert len(lines) <= 400
    docstring = ast.get_docstring(tree_of(room))
    assert docstring.splitlines()[0].endswith(".")
    end = tree_of(room).body[0].end_lineno
    assert [line for line in lines[end:] if line][:2] == HEADER


@pytest.mark.parametrize("name", sorted(METRICS))
def test_a_definition_is_short_and_loops_over_nothing(name):
    function = ast.parse(inspect.getsource(METRICS[name].definition)).body[0]
    start = function.body[0].end_lineno  # behind the docstring
    assert function.end_lineno - start <= 15
    loops = (ast.For, ast.While, ast.ListComp, ast.GeneratorExp)
    assert not any(isinstance(node, loops) for node in ast.walk(function))


@pytest.mark.parametrize("room", sorted(ROOMS))
def test_users_input_is_never_asserted(room):
    assert not any(isinstance(node, ast.Assert) for node in ast.walk(tree_of(room)))
