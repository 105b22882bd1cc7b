"""The names of other projects that the site links to: `docs/inventories`.

Sphinx finds the page of a name such as `numpy.ndarray` in the inventory of NumPy's
site. It would download these inventories whenever our site is built, so that a build
would need a network, and fail while another site is not available. These small
inventories hold only the names that are used here. Each name is looked up in the
installed package: one that does not exist is an error. A reference to a name that is
not here is an error when the site is built. Run `python docs/make.py inventories` after
adding a name.
"""

# SPDX-License-Identifier: BSD-3-Clause

import importlib
import inspect
import zlib

SITES = {
    "python": "https://docs.python.org/3/",
    "numpy": "https://numpy.org/doc/stable/",
    "scipy": "https://docs.scipy.org/doc/scipy/",
    "sklearn": "https://scikit-learn.org/stable/",
    "pandas": "https://pandas.pydata.org/docs/",
    "matplotlib": "https://matplotlib.org/stable/",
}

# The libraries that pages link by their names.
LIBRARIES = {
    "AmpliGraph": "docs.ampligraph.org/",
    "AutoGluon": "auto.gluon.ai/",
    "BEIR": "github.com/beir-cellar/beir",
    "CatBoost": "catboost.ai/docs/",
    "FLAML": "microsoft.github.io/FLAML/",
    "Haystack": "haystack.deepset.ai/",
    "Hugging Face": "huggingface.co/docs/transformers/",
    "Ignite": "docs.pytorch.org/ignite/",
    "Keras": "keras.io/",
    "LightGBM": "lightgbm.readthedocs.io/",
    "Lightning": "lightning.ai/docs/pytorch/stable/",
    "LlamaIndex": "docs.llamaindex.ai/",
    "MLflow": "mlflow.org/docs/latest/",
    "MTEB": "github.com/embeddings-benchmark/mteb",
    "OGB": "ogb.stanford.edu/",
    "ONNX": "onnx.ai/",
    "Optuna": "optuna.readthedocs.io/",
    "PyKEEN": "pykeen.readthedocs.io/",
    "PyTorch": "pytorch.org/",
    "SHAP": "shap.readthedocs.io/",
    "Spark": "spark.apache.org/docs/latest/api/python/",
    "TensorBoard": "www.tensorflow.org/tensorboard",
    "Weights & Biases": "docs.wandb.ai/",
    "XGBoost": "xgboost.readthedocs.io/",
    "imbalanced-learn": "imbalanced-learn.org/",
    "mljar-supervised": "supervised.mljar.com/",
    "pytrec_eval": "github.com/cvangysel/pytrec_eval",
    "ranx": "amenra.github.io/ranx/",
    "scikit-optimize": "scikit-optimize.github.io/",
    "sentence-transformers": "www.sbert.net/",
    "skops": "skops.readthedocs.io/",
    "skore": "docs.skore.probabl.ai/",
    "skrub": "skrub-data.org/",
    "torchmetrics": "lightning.ai/docs/torchmetrics/stable/",
}

# The page of a name that has a page of its own. It ends in an anchor of the same name.
OWN_PAGE = {
    "numpy": "reference/generated/{name}.html",
    "scipy": "reference/generated/{name}.html",
    "sklearn": "modules/generated/{name}.html",
    "pandas": "reference/api/{name}.html",
    "matplotlib": "api/_as_gen/{name}.html",
}
OWN_PAGES = """
numpy: argsort array asarray clip column_stack concatenate linspace log1p log2 mean
    median ndarray repeat unique where
numpy.linalg: norm
scipy.sparse: csr_array csr_matrix
scipy.stats: kendalltau spearmanr
sklearn: set_config
sklearn.base: BaseEstimator RegressorMixin clone is_regressor
sklearn.compose: ColumnTransformer make_column_transformer
sklearn.datasets: fetch_openml load_digits load_svmlight_file make_classification
    make_regression
sklearn.ensemble: GradientBoostingRegressor HistGradientBoostingClassifier
    HistGradientBoostingRegressor RandomForestClassifier RandomForestRegressor
    VotingRegressor
sklearn.exceptions: UndefinedMetricWarning
sklearn.inspection: partial_dependence permutation_importance
sklearn.linear_model: LinearRegression LogisticRegression Ridge SGDRegressor
sklearn.metrics: average_precision_score balanced_accuracy_score cohen_kappa_score
    confusion_matrix dcg_score fbeta_score get_scorer_names
    label_ranking_average_precision_score label_ranking_loss make_scorer ndcg_score
    roc_auc_score top_k_accuracy_score
sklearn.model_selection: GridSearchCV GroupKFold GroupShuffleSplit KFold
    RandomizedSearchCV RepeatedKFold ShuffleSplit StratifiedGroupKFold TimeSeriesSplit
    cross_val_predict cross_val_score cross_validate train_test_split
sklearn.neighbors: NearestNeighbors
sklearn.pipeline: Pipeline make_pipeline
sklearn.preprocessing: OneHotEncoder StandardScaler
sklearn.svm: LinearSVC
sklearn.tree: DecisionTreeRegressor
sklearn.utils: Bunch
sklearn.utils.estimator_checks: check_estimator
pandas: DataFrame Index MultiIndex Series concat read_parquet
matplotlib.axes: Axes
matplotlib.figure: Figure
matplotlib.pyplot: show subplots
"""

# Names that share a page, and the words of the glossaries.
SHARED_PAGES = """
python library/constants.html: False None True
python library/exceptions.html: TypeError ValueError
python library/functions.html: bool callable float int object print
python library/os.html: os.PathLike
python library/pathlib.html: pathlib.Path
python library/stdtypes.html: dict frozenset list range set str tuple
numpy reference/constants.html: numpy.inf numpy.nan
numpy reference/random/generator.html: numpy.random.Generator numpy.random.default_rng
numpy reference/random/legacy.html: numpy.random.RandomState
matplotlib api/collections_api.html: matplotlib.collections.LineCollection
"""
GLOSSARIES = """
python glossary.html: generator iterable mapping sequence
numpy glossary.html: array_like
sklearn glossary.html: estimator meta-estimator scorer
"""

# How types are written in docstrings, where numpydoc does not know them.
ALIASES = {
    "Axes": "matplotlib.axes.Axes",
    "Bunch": "sklearn.utils.Bunch",
    "DataFrame": "pandas.DataFrame",
    "Figure": "matplotlib.figure.Figure",
    "LineCollection": "matplotlib.collections.LineCollection",
    "array-like": ":term:`array-like <numpy:array_like>`",
    "bool": ":class:`python:bool`",
    "callable": ":obj:`callable <python:callable>`",
    "dataframe": "pandas.DataFrame",
    "estimator": ":term:`sklearn:estimator`",
    "mapping": ":term:`python:mapping`",
    "object": ":class:`python:object`",
    "os.PathLike": ":class:`python:os.PathLike`",
    "scorer": ":term:`sklearn:scorer`",
}


def lines_of(table):
    """Yield the heading and the names of each entry of a table."""
    for line in table.strip().replace("\n    ", " ").splitlines():
        heading, _, names = line.partition(": ")
        yield heading, names.split()


def look_up(name):
    """Return what the installed package has under a full name."""
    parts = name.split(".")
    for n in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:n]))
        except ImportError:
            continue
        for part in parts[n:]:
            found = getattr(found, part)
        return found
    return getattr(importlib.import_module("builtins"), name)


def role_of(found):
    """Return what Sphinx calls an object of Python."""
    if inspect.isclass(found):
        return "exception" if issubclass(found, BaseException) else "class"
    if callable(found):
        return "function"
    return "data"


def make_entries():
    """Return the lines of each inventory."""
    entries = {project: [] for project in SITES}
    for module, names in lines_of(OWN_PAGES):
        project = module.partition(".")[0]
        for name in [f"{module}.{name}" for name in names]:
            page = OWN_PAGE[project].format(name=name)
            role = role_of(look_up(name))
            entries[project].append(f"{name} py:{role} 1 {page}#$ -")
    for place, names in lines_of(SHARED_PAGES):
        project, page = place.split()
        for name in names:
            entries[project].append(f"{name} py:{role_of(look_up(name))} 1 {page}#$ -")
    for place, names in lines_of(GLOSSARIES):
        project, page = place.split()
        entries[project] += [f"{name} std:term -1 {page}#term-$ -" for name in names]
    return entries


def files():
    """Return the inventories in Sphinx's format, whose entries are compressed."""
    made = {}
    for project, lines in make_entries().items():
        header = "# Sphinx inventory version 2\n"
        header += f"# Project: {project}\n# Version: \n"
        header += "# The remainder of this file is compressed using zlib.\n"
        body = zlib.compress("".join(f"{line}\n" for line in lines).encode(), 9)
        made[f"inventories/{project}.inv"] = header.encode() + body
    return made
