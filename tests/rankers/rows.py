"""Rows of small queries, and a ranker that keeps what it was given."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator

from skrank.base import RankingEstimator
from skrank.datasets import make_ranking

SORTED = make_ranking(
    24, n_documents=(4, 8), n_features=3, n_informative=2, n_grades=3, random_state=0
)
# The same in any order, with ids that are text.
ROWS = np.random.default_rng(0).permutation(len(SORTED[1]))
X, Y, CODES = (values[ROWS] for values in SORTED)
QID = np.array([f"q{code:02}" for code in CODES])
NAMES = ["f0", "f1", "f2"]
FRAME = pd.DataFrame(X, columns=NAMES)


class Recorder(RankingEstimator, BaseEstimator):
    """A ranker that keeps what it was given, and ranks by the first feature."""

    def fit(self, X, y, *, qid=None, sample_weight=None):
        self.X_, self.y_, self.qid_, self.weight_ = X, y, qid, sample_weight
        return self

    def predict(self, X):
        return np.asarray(X)[:, 0]
