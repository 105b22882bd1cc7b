"""skops: a ranker is saved and loaded as the page on production shows it."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pandas as pd
import skops.io
from lightgbm import LGBMRanker

from skrank.datasets import make_ranking
from skrank.rankers import QueryRanker
from tests.page_code import run_code


def test_skops_loads_a_ranker_by_the_types_that_the_page_names(tmp_path):
    X, y, qid = make_ranking(60, random_state=0)
    frame = pd.DataFrame(X).add_prefix("f").assign(qid=qid)
    fitted = QueryRanker(LGBMRanker(n_estimators=5, n_jobs=1, verbose=-1)).fit(frame, y)
    names = run_code(
        "production.rst", "Save and load the model",
        skops=skops, ranker=fitted, path=tmp_path / "ranker.skops",
    )  # fmt: skip
    types = [name.rpartition(".")[2] for name in names["types"]]
    assert sorted(types) == ["Booster", "LGBMRanker", "OrderedDict", "QueryRanker"]
    assert names["ranker"] is not fitted
    np.testing.assert_array_equal(names["ranker"].predict(frame), fitted.predict(frame))
