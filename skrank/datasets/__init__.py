"""Data sets without a download: a shop, digits, a knowledge graph, drawn lists."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from importlib import resources
from numbers import Real
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits
from sklearn.utils import Bunch, check_random_state, check_scalar

from skrank._input.checks import check_count
from skrank._text.docs import Seed
from skrank._text.tables import import_extra

__all__ = ["load_digits_retrieval", "load_nations", "load_shop", "make_ranking"]


def __dir__():
    return __all__


def make_ranking(
    n_queries: int = 100,
    *,
    n_documents: int | tuple[int, int] = (5, 40),
    n_features: int = 20,
    n_informative: int = 5,
    n_grades: int = 5,
    noise: float = 0.5,
    unanswered: float = 0.05,
    random_state: Seed | None = None,
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Generate graded lists of different lengths.

    Each document has standard normal features. Its utility is a linear combination
    of the informative ones plus noise. Its grade depends on how high its utility is
    among all documents: each grade is about half as frequent as the one below it.

    Parameters
    ----------
    n_queries : int, default=100
        Number of queries.
    n_documents : int or pair of int, default=(5, 40)
        Number of documents of each query, or the minimum and the maximum: then the
        lengths of the lists are drawn uniformly between the two, both included.
    n_features : int, default=20
        Number of features.
    n_informative : int, default=5
        Number of features that the utility depends on, at random positions.
    n_grades : int, default=5
        Number of grades, which are 0, 1, ..., `n_grades - 1`. With 2, relevance is
        binary.
    noise : float, default=0.5
        Standard deviation of the noise in the utility. The part explained by the
        features has a standard deviation of 1.
    unanswered : float, default=0.05
        Fraction of queries without a relevant document, rounded to a whole number of
        queries. All other queries have at least one.
    random_state : int, RandomState instance or None, default=None
        Determines the data. Pass an int for the same data in every call.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        The features.
    y : ndarray of shape (n_samples,)
        The grades, integers from 0 (not relevant) to `n_grades - 1`.
    qid : ndarray of shape (n_samples,)
        The query of each row, an integer from 0 to `n_queries - 1`. The rows of a
        query are consecutive.

    See Also
    --------
    load_digits_retrieval : Real queries and documents, with binary relevance.

    Examples
    --------
    >>> from skrank.datasets import make_ranking
    >>> X, y, qid = make_ranking(n_queries=3, n_documents=4, random_state=0)
    >>> X.shape
    (12, 20)
    >>> qid
    array([0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2])
    """
    n_queries = check_count(n_queries, "n_queries")
    n_features = check_count(n_features, "n_features")
    n_informative = check_count(n_informative, "n_informative", most=n_features)
    n_grades = check_count(n_grades, "n_grades", least=2)
    noise = _check_real(noise, "noise")
    unanswered = _check_real(unanswered, "unanswered", most=1.0)
    rng = check_random_state(random_state)

    lengths = draw_list_lengths(n_queries, n_documents, rng)
    qid = np.repeat(np.arange(n_queries), lengths)
    X = rng.standard_normal((len(qid), n_features))
    weights = np.zeros(n_features)
    drawn = rng.standard_normal(n_informative)
    weights[rng.permutation(n_features)[:n_informative]] = drawn
    # Weights of norm 1 explain a variance of 1.
    utility = X @ (weights / np.linalg.norm(weights))
    utility += noise * rng.standard_normal(len(qid))
    # Each grade is half as frequent as the one below.
    frequency = 0.5 ** np.arange(n_grades)
    fractions = np.cumsum(frequency[:-1]) / frequency.sum()
    y = np.searchsorted(np.quantile(utility, fractions), utility, side="left")

    # The best document of a query is relevant, even if its utility is low.
    starts = np.cumsum(lengths) - lengths
    best = np.lexsort((-utility, qid))[starts]
    y[best] = np.maximum(y[best], 1)
    empty = rng.permutation(n_queries)[: round(unanswered * n_queries)]
    y[np.isin(qid, empty)] = 0
    return X, y, qid


def _check_real(value, name, *, least=0.0, most=None):
    """Return `value` as a float between `least` and `most`, or raise."""
    if isinstance(value, bool):
        raise TypeError(f"{name} must be an instance of float, not bool.")
    value = float(check_scalar(value, name, Real, min_val=least, max_val=most))
    if value != value or value == float("inf"):
        raise ValueError(f"{name} must be finite. Got {value} instead.")
    return value


def draw_list_lengths(n_queries, n_documents, rng, *, most=None):
    """Return the number of documents of each query, of shape (n_queries,)."""
    if isinstance(n_documents, tuple | list):
        if len(n_documents) != 2:
            raise ValueError(
                "n_documents must be an int or a pair (minimum, maximum). "
                f"Got {n_documents!r} instead."
            )
        low, high = (check_count(n, "n_documents", most=most) for n in n_documents)
        if low > high:
            raise ValueError(
                "The minimum of n_documents must not exceed the maximum. "
                f"Got {n_documents!r} instead."
            )
    else:
        low = high = check_count(n_documents, "n_documents", most=most)
    # A fixed dtype draws the same lengths on every platform.
    return rng.randint(low, high + 1, size=n_queries, dtype=np.int64)


@overload
def load_digits_retrieval(
    *, n_queries: int = ..., n_documents: int | tuple[int, int] = ...,
    return_X_y: Literal[False] = ...,
) -> Bunch: ...  # fmt: skip
@overload
def load_digits_retrieval(
    *, n_queries: int = ..., n_documents: int | tuple[int, int] = ...,
    return_X_y: Literal[True],
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]: ...  # fmt: skip


def load_digits_retrieval(*, n_queries=200, n_documents=(20, 60), return_X_y=False):
    """Load handwritten digits as a retrieval task (query by example).

    Each query is an image of a digit and its documents are other images. A document
    is relevant if it shows the same digit, as one in ten does. The features of a row
    compare its two images pixel by pixel. They are small integers, so that scores made
    by counting or adding them have ties, as in real data. Everybody gets the same rows.

    Parameters
    ----------
    n_queries : int, default=200
        Number of queries, at most the 1797 images that scikit-learn bundles.
    n_documents : int or pair of int, default=(20, 60)
        Number of documents of each query, or the minimum and the maximum: then the
        lengths of the lists are drawn uniformly between the two, both included.
    return_X_y : bool, default=False
        If True, return `(data, target, qid)` instead of a Bunch.

    Returns
    -------
    dataset : :class:`~sklearn.utils.Bunch`
        Dictionary-like object with these attributes. The rows of a query are
        consecutive.

        data : ndarray of shape (n_samples, 64)
            The absolute differences of the pixels of query and document, integers
            from 0 to 16.
        target : ndarray of shape (n_samples,)
            1 for a relevant document, else 0.
        qid : ndarray of shape (n_samples,)
            The query of each row, an integer from 0 to `n_queries - 1`.
        feature_names : list of str
            The names of the 64 columns of `data`.
        target_names : ndarray of shape (2,)
            The meaning of the values 0 and 1 of `target`.
        query_index, document_index : ndarray of shape (n_samples,)
            The two images of each row, as indices into the arrays of
            :func:`sklearn.datasets.load_digits`.
        DESCR : str
            The description of these rows.
    (data, target, qid) : tuple if `return_X_y` is True
        The three row-aligned arrays described above.

    See Also
    --------
    make_ranking : Synthetic queries with graded relevance.

    Notes
    -----
    A query may have no relevant document among those drawn for it; with the default
    lengths about 3 % of the queries have none. `DESCR` states their number.

    Each image occurs in many lists. The rows of different queries are therefore less
    independent than those of different users would be.

    Examples
    --------
    >>> from skrank.datasets import load_digits_retrieval
    >>> digits = load_digits_retrieval(n_queries=50, n_documents=30)
    >>> digits.data.shape
    (1500, 64)
    >>> X, y, qid = load_digits_retrieval(n_queries=50, return_X_y=True)
    >>> X.shape[0] == y.shape[0] == qid.shape[0]
    True
    """
    images, digit = load_digits(return_X_y=True)
    images = images.astype(np.int64)
    n_images = images.shape[0]
    n_queries = check_count(n_queries, "n_queries", most=n_images)
    rng = check_random_state(0)
    lengths = draw_list_lengths(n_queries, n_documents, rng, most=n_images - 1)

    queries = rng.permutation(n_images)[:n_queries]
    order = rng.random_sample((n_queries, n_images))
    order[np.arange(n_queries), queries] = 1.0  # A query's own image comes last.
    order = np.argsort(order, axis=1)
    document_index = order[np.arange(n_images) < lengths[:, np.newaxis]]
    qid = np.repeat(np.arange(n_queries), lengths)
    query_index = queries[qid]

    data = np.abs(images[query_index] - images[document_index])
    target = (digit[query_index] == digit[document_index]).astype(np.int64)
    if return_X_y:
        return data, target, qid
    return Bunch(
        data=data,
        target=target,
        qid=qid,
        feature_names=[
            f"difference_{row}_{column}" for row in range(8) for column in range(8)
        ],
        target_names=np.array(["other digit", "same digit"]),
        query_index=query_index,
        document_index=document_index,
        DESCR=_description(
            "digits",
            n_queries=n_queries,
            n_empty=n_queries - len(np.unique(qid[target == 1])),
            n_rows=len(qid),
            least=lengths.min(),
            most=lengths.max(),
            n_relevant=target.sum(),
            fraction=target.mean(),
        ),
    )


def load_nations() -> Bunch:
    """Load the knowledge graph Nations, for link prediction.

    A small graph that is a standard benchmark of link prediction. A baseline takes a
    second, and every entity has many known answers, so that filtering matters.

    Returns
    -------
    dataset : :class:`~sklearn.utils.Bunch`
        Dictionary-like object with these attributes.

        train, valid, test : ndarray of str of shape (n_triples, 3)
            The usual split, of 1592, 199 and 201 triples: head, relation and tail.
        entities : ndarray of str of shape (14,)
            The names of the nations, sorted.
        relations : ndarray of str of shape (55,)
            The names of the relations, sorted.
        DESCR : str
            The description of the data, and its licence.

    See Also
    --------
    skrank.link_prediction : Models and evaluation of link prediction.

    Examples
    --------
    >>> from skrank.datasets import load_nations
    >>> nations = load_nations()
    >>> nations.train.shape, nations.valid.shape, nations.test.shape
    ((1592, 3), (199, 3), (201, 3))
    >>> nations.train[0].tolist()
    ['netherlands', 'militaryalliance', 'uk']
    """
    file = resources.files("skrank.datasets") / "data" / "nations.tsv"
    lines = file.read_text("utf-8").splitlines()
    rows = np.array([line.split("\t") for line in lines])
    parts = {name: rows[rows[:, 0] == name, 1:] for name in ("train", "valid", "test")}
    entities, relations = np.unique(rows[:, [1, 3]]), np.unique(rows[:, 2])
    return Bunch(
        **parts,
        entities=entities,
        relations=relations,
        DESCR=_description(
            "nations",
            n_entities=len(entities),
            n_relations=len(relations),
            **{f"n_{name}": len(triples) for name, triples in parts.items()},
        ),
    )


def load_shop() -> Bunch:
    """Load the log of a simulated shop: what each session was shown, and clicked.

    It has what real logs have: sessions of different lengths, some without a click,
    columns of text and dates, and items that many sessions see. A higher price goes
    with more clicks over all rows, and with fewer within a session, so that a ranker
    chosen by a metric of all rows ranks worse than one chosen by a ranking metric.

    Returns
    -------
    dataset : :class:`~sklearn.utils.Bunch`
        Dictionary-like object with these attributes.

        frame : DataFrame of shape (6565, 12)
            All columns: the session ``qid``, its ``day``, ``device`` and ``category``,
            the ``item`` and its ``brand``, five features, and ``clicked``.
        data : DataFrame of shape (6565, 6)
            The columns ``qid`` and the features: the ``price``, the mean ``rating``,
            how well the offer's words ``match`` the customer's, the days of the
            ``delivery``, and the ``age`` of the offer in days.
        target : Series of shape (6565,)
            The column ``clicked``: 1 or 0.
        DESCR : str
            The description of the data.

    See Also
    --------
    make_ranking : Drawn lists of any number and length, with graded relevance.

    Notes
    -----
    This needs pandas. The script ``docs/makers/shop.py`` of the repository wrote the
    file.

    Examples
    --------
    >>> from skrank.datasets import load_shop
    >>> shop = load_shop()
    >>> shop.data.columns.tolist()
    ['qid', 'price', 'rating', 'match', 'delivery', 'age']
    >>> shop.frame["qid"].nunique(), int(shop.target.sum())
    (600, 1563)
    """
    pandas = import_extra("pandas")
    file = resources.files("skrank.datasets") / "data" / "shop.csv"
    with file.open("rb") as lines:
        frame = pandas.read_csv(lines, parse_dates=["day"])
    clicks = frame.groupby("qid")["clicked"].sum()
    return Bunch(
        frame=frame,
        data=frame[["qid", "price", "rating", "match", "delivery", "age"]],
        target=frame["clicked"],
        DESCR=_description(
            "shop",
            n_rows=len(frame),
            n_sessions=len(clicks),
            n_empty=(clicks == 0).sum(),
            n_clicks=clicks.sum(),
        ),
    )


def _description(name, **figures):
    """Return the description of a data set, with its figures filled in."""
    file = resources.files("skrank.datasets") / "descr" / f"{name}.rst"
    return file.read_text("utf-8").format(**figures)
