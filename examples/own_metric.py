"""A metric of one's own by name: the average reciprocal hit rank (ARHR)."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import sklearn
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV

from skrank.datasets import make_ranking
from skrank.metrics import add_scorer
from skrank.model_selection import QueryKFold


def average_reciprocal_hit_rank(ranking, *, k=None):
    reciprocal = ranking.mean_over_places(lambda rank: 1 / rank, k)
    return ranking.where_relevant(ranking.total(ranking.relevant * reciprocal))


if __name__ == "__main__":
    add_scorer("my_arhr", average_reciprocal_hit_rank)
    X, y, qid = make_ranking(200, random_state=0)
    search = GridSearchCV(
        Ridge(), {"alpha": [1.0, 100.0, 10000.0]}, scoring="my_arhr@5", cv=QueryKFold(5)
    )
    with sklearn.config_context(enable_metadata_routing=True):
        search.fit(X, y, qid=qid)
    print(f"ARHR@5 {search.best_score_:.4f} with {search.best_params_}")
