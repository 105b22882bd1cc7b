"""Select and evaluate a link predictor on the knowledge graph Nations.

GridSearchCV selects the parameters of an embedding by filtered MRR. This model and a
baseline that counts triples are then compared on the test triples: for each way to
resolve ties, and for each relation.
"""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import sklearn
from sklearn.model_selection import GridSearchCV

import skrank
from skrank.datasets import load_nations
from skrank.link_prediction import ComplEx, PopularityPredictor, rank_triples
from skrank.model_selection import TripleShuffleSplit

TIES = ["optimistic", "expected", "realistic", "pessimistic"]
METRICS = ["mrr", "hits@1", "hits@10", "adjusted_mean_rank_index", "z_mrr"]


def choose(triples):
    """Search for the parameters with the best filtered MRR."""
    grid = {"n_components": [10, 40], "alpha": [0.003, 0.01, 0.1]}
    model = ComplEx(max_iter=40, random_state=0)
    cv = TripleShuffleSplit(3, test_size=0.1, random_state=0)
    return GridSearchCV(model, grid, scoring="mrr", cv=cv).fit(triples)


def main():
    """Search, evaluate and print."""
    nations = load_nations()
    print(f"skrank {skrank.__version__}, scikit-learn {sklearn.__version__}")
    print(f"{len(nations.entities)} nations, {len(nations.relations)} relations\n")

    search = choose(nations.train)
    print("Filtered MRR of the parameters, 3 folds of triples")
    results = search.cv_results_
    for params, mean in zip(results["params"], results["mean_test_score"], strict=True):
        print(f"  {params!s:<42}{mean:.4f}")

    models = {
        "popularity": PopularityPredictor().fit(nations.train),
        "ComplEx": search.best_estimator_,
    }
    ranks = {
        name: rank_triples(model, nations.test, known=nations.valid)
        for name, model in models.items()
    }
    print("\nTest triples, both sides, filtered")
    print(f"  {'':<26}" + "".join(f"{name:>12}" for name in models))
    values = {name: ranked.evaluate(METRICS) for name, ranked in ranks.items()}
    for metric in METRICS:
        row = "".join(f"{values[name][metric]:12.4f}" for name in models)
        print(f"  {metric:<26}{row}")

    print("\nMRR by `ties`: the baseline has many ties, the embedding none")
    for ties in TIES:
        row = [ranked.evaluate("mrr", ties=ties)["mrr"] for ranked in ranks.values()]
        print(f"  {ties:<26}" + "".join(f"{mrr:12.4f}" for mrr in row))

    print("\nMRR and number of test triples of each relation")
    tables = {name: one.evaluate("mrr", by="relation") for name, one in ranks.items()}
    for relation in tables["ComplEx"]:
        row = "".join(f"{tables[name][relation]['mrr']:12.4f}" for name in models)
        n_triples = (nations.test[:, 1] == relation).sum()
        print(f"  {relation:<26}{row}{n_triples:6}")


if __name__ == "__main__":
    main()
