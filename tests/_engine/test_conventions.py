"""The rules of other libraries as data that nobody changes."""

# SPDX-License-Identifier: BSD-3-Clause

import pytest

from skrank import metrics


def test_the_conventions_cannot_be_changed():
    convention = metrics.CONVENTIONS["sklearn"]
    for mapping, key in (
        (metrics.CONVENTIONS, "sklearn"),
        (convention.rules, "ndcg"),
        (convention.rules["ndcg"], "gain"),
        (convention.refused, "map"),
        (metrics.CONVENTIONS["pykeen"].ranks, "*"),
    ):
        with pytest.raises(TypeError, match="does not support item"):
            mapping[key] = "linear"
        with pytest.raises(TypeError, match="does not support item"):
            del mapping[key]
    with pytest.raises(AttributeError):
        convention.rules = {}
