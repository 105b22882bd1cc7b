"""Scores of all lists together are those of other libraries, as recorded or asked."""

# SPDX-License-Identifier: BSD-3-Clause

import json

import pytest

from skrank.metrics import catalogue_scores
from tests.other_libraries.catalogue import (
    FILE,
    LIBRARIES,
    N_ITEMS,
    K,
    installed,
    lists,
)

RECORDED = json.loads(FILE.read_text("utf-8"))


def scores():
    frame = lists()
    return catalogue_scores(
        -frame["rank"],
        qid=frame["user_id"],
        item=frame["item_id"],
        k=K,
        items=range(N_ITEMS),
    ).summary()


@pytest.mark.parametrize("library", LIBRARIES)
def test_recorded_numbers_agree(library):
    for metric, value in RECORDED[library]["values"].items():
        assert scores()[metric] == pytest.approx(value, rel=0, abs=1e-12), metric


@pytest.mark.filterwarnings("ignore")  # which are of the library
@pytest.mark.parametrize("library", LIBRARIES)
def test_an_installed_library_still_has_the_recorded_numbers(library):
    if library not in installed():
        pytest.skip(f"needs {library}")
    found = LIBRARIES[library](lists())
    assert found == pytest.approx(RECORDED[library]["values"], rel=0, abs=1e-12)
