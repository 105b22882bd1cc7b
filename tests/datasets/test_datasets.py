"""The digits as retrieval by example, the shop, and the synthetic graded lists."""

# SPDX-License-Identifier: BSD-3-Clause

from importlib import resources

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.linear_model import LinearRegression
from sklearn.metrics import roc_auc_score

from docs.makers import shop
from skrank.datasets import load_digits_retrieval, load_shop, make_ranking


def lengths_of(qid):
    return np.bincount(qid)


@pytest.fixture(scope="module")
def digits():
    return load_digits_retrieval()


def test_digits_rows_compare_the_two_images_they_name(digits):
    images, digit = load_digits(return_X_y=True)
    for row in range(0, 4000, 97):
        query, document = digits.query_index[row], digits.document_index[row]
        difference = np.abs(images[query] - images[document])
        np.testing.assert_array_equal(digits.data[row], difference)
        assert digits.target[row] == (digit[query] == digit[document])


def test_digits_features_are_integers_from_0_to_16(digits):
    assert digits.data.dtype.kind == "i"
    assert digits.data.min() == 0
    assert digits.data.max() == 16
    assert digits.data.shape[1] == len(set(digits.feature_names)) == 64


def test_digits_feature_names_give_the_row_and_column_of_the_pixel(digits):
    images = load_digits().images
    query, document = digits.query_index[5], digits.document_index[5]
    column = digits.feature_names.index("difference_3_4")
    difference = abs(images[query][3, 4] - images[document][3, 4])
    assert digits.data[5, column] == difference


def test_digits_queries_are_uneven_within_the_bounds(digits):
    lengths = lengths_of(digits.qid)
    assert len(lengths) == 200
    assert lengths.min() == 20
    assert lengths.max() == 60


def test_digits_n_documents_as_int_makes_even_queries():
    qid = load_digits_retrieval(n_queries=7, n_documents=11).qid
    np.testing.assert_array_equal(qid, np.repeat(np.arange(7), 11))


def test_digits_no_query_meets_its_own_image_or_a_document_twice(digits):
    assert not np.any(digits.query_index == digits.document_index)
    pairs = np.column_stack([digits.qid, digits.document_index])
    assert len(np.unique(pairs, axis=0)) == len(pairs)


def test_digits_every_query_is_another_image(digits):
    images = np.unique(np.column_stack([digits.qid, digits.query_index]), axis=0)
    assert len(images) == len(np.unique(images[:, 1])) == 200


def test_digits_can_use_every_image_as_query_and_as_document():
    everything = load_digits_retrieval(n_queries=2, n_documents=1796)
    for q in range(2):
        rows = everything.qid == q
        seen = {everything.query_index[rows][0], *everything.document_index[rows]}
        assert seen == set(range(1797))


def test_digits_return_X_y_gives_the_arrays_of_the_bunch(digits):
    X, y, qid = load_digits_retrieval(return_X_y=True)
    np.testing.assert_array_equal(X, digits.data)
    np.testing.assert_array_equal(y, digits.target)
    np.testing.assert_array_equal(qid, digits.qid)


def test_digits_description_counts_these_rows():
    few = load_digits_retrieval(n_queries=40, n_documents=(2, 9))
    answered = {q for q, relevant in zip(few.qid, few.target, strict=True) if relevant}
    assert f"Queries: 40 ({40 - len(answered)} without a relevant" in few.DESCR
    assert f"Documents: {len(few.data)} rows" in few.DESCR
    assert f"Relevant: {sum(few.target)} rows" in few.DESCR


def test_the_shop_has_what_its_description_says():
    pytest.importorskip("pandas")
    loaded = load_shop()
    sizes = loaded.frame.groupby("qid").size()
    assert (sizes.min(), sizes.max()) == (6, 16)
    sessions = loaded.frame.groupby("qid")[["day", "device", "category"]].nunique()
    assert (sessions == 1).all(axis=None)
    assert not loaded.frame.duplicated(["qid", "item"]).any()
    assert not loaded.frame.isna().any(axis=None)
    empty = (loaded.target.groupby(loaded.data["qid"]).sum() == 0).sum()
    assert f"Sessions: {len(sizes)} ({empty} without a click)" in loaded.DESCR
    assert f"Clicks: {loaded.target.sum()} rows" in loaded.DESCR


def test_the_file_of_the_shop_is_what_its_script_writes():
    (text,) = shop.files().values()
    file = resources.files("skrank.datasets") / "data" / "shop.csv"
    assert file.read_text("utf-8") == text


def test_in_the_shop_a_higher_price_goes_with_more_clicks_and_fewer_in_a_session():
    pytest.importorskip("pandas")
    frame = load_shop().frame
    relative = frame["price"] / frame.groupby("qid")["price"].transform("mean")
    assert frame["price"].corr(frame["clicked"]) > 0.05
    assert relative.corr(frame["clicked"]) < -0.3


def test_synthetic_lists_are_uneven_within_the_bounds():
    _, _, qid = make_ranking(500, n_documents=(2, 6), random_state=0)
    assert set(lengths_of(qid)) == {2, 3, 4, 5, 6}
    assert len(lengths_of(qid)) == 500


@pytest.mark.slow
def test_synthetic_grades_halve_in_frequency():
    _, y, _ = make_ranking(2000, n_grades=4, unanswered=0.0, random_state=0)
    fractions = np.bincount(y) / len(y)
    # Promoting the best document of each query moves a few rows from grade 0 to 1.
    np.testing.assert_allclose(fractions, np.array([8, 4, 2, 1]) / 15, atol=0.02)
    assert y.dtype.kind == "i"


@pytest.mark.parametrize(
    ("unanswered", "expected"), [(0.0, 0), (0.05, 4), (0.5, 40), (1.0, 80)]
)
def test_synthetic_fraction_of_queries_without_relevant_documents(unanswered, expected):
    # Lists of one or two documents would often be all irrelevant if left to chance.
    _, y, qid = make_ranking(
        80, n_documents=(1, 2), unanswered=unanswered, random_state=0
    )
    assert np.sum(np.bincount(qid, weights=y) == 0) == expected


def test_synthetic_grades_depend_on_the_informative_features_only():
    X, y, _ = make_ranking(
        2000, n_features=6, n_informative=2, noise=0.0, random_state=0
    )
    weights = np.abs(LinearRegression().fit(X, y).coef_)
    assert np.sum(weights > 0.05) == 2
    assert np.sum(weights < 0.02) == 4


@pytest.mark.slow
def test_synthetic_noise_hides_what_the_features_say():
    def accuracy(noise):
        X, y, _ = make_ranking(noise=noise, n_grades=2, random_state=0)
        return roc_auc_score(y, LinearRegression().fit(X, y).predict(X))

    assert accuracy(0.0) > accuracy(1.0) > accuracy(5.0)


@pytest.mark.slow
def test_the_same_seed_gives_the_same_data_and_another_seed_other_data():
    def rows(random_state):
        return make_ranking(n_queries=20, random_state=random_state)

    for first, second in zip(rows(7), rows(np.random.RandomState(7)), strict=True):
        np.testing.assert_array_equal(first, second)
    assert not np.array_equal(rows(7)[1], rows(8)[1])


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"n_queries": 0}, r"n_queries == 0, must be >= 1\."),
        ({"n_queries": 1798}, r"n_queries == 1798, must be <= 1797\."),
        ({"n_documents": 1797}, r"n_documents == 1797, must be <= 1796\."),
        ({"n_documents": (0, 5)}, r"n_documents == 0, must be >= 1\."),
        ({"n_documents": (9, 5)}, r"minimum of n_documents .* Got \(9, 5\) instead\."),
        ({"n_documents": (1, 2, 3)}, r"a pair \(minimum, maximum\). Got \(1, 2, 3\)"),
    ],
)
def test_digits_refuse_sizes_out_of_range(kwargs, message):
    with pytest.raises(ValueError, match=message):
        load_digits_retrieval(**kwargs)


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"n_queries": 0}, r"n_queries == 0, must be >= 1\."),
        ({"n_documents": 0}, r"n_documents == 0, must be >= 1\."),
        ({"n_features": 0}, r"n_features == 0, must be >= 1\."),
        ({"n_features": 3, "n_informative": 4}, r"n_informative == 4, must be <= 3\."),
        ({"n_grades": 1}, r"n_grades == 1, must be >= 2\."),
        ({"noise": -1.0}, r"noise == -1.0, must be >= 0.0\."),
        ({"noise": np.nan}, r"noise must be finite\. Got nan instead\."),
        ({"noise": np.inf}, r"noise must be finite\. Got inf instead\."),
        ({"unanswered": 1.5}, r"unanswered == 1.5, must be <= 1.0\."),
    ],
)
def test_synthetic_data_refuse_values_out_of_range(kwargs, message):
    with pytest.raises(ValueError, match=message):
        make_ranking(**kwargs)


@pytest.mark.parametrize("load", [load_digits_retrieval, make_ranking])
@pytest.mark.parametrize("value", [2.5, "3", None, True, (2.5, 4)])
def test_sizes_that_are_no_integers_are_refused(load, value):
    with pytest.raises(TypeError, match="n_documents must be an instance of int"):
        load(n_documents=value)


@pytest.mark.parametrize("value", ["much", None, True])
def test_noise_that_is_no_number_is_refused(value):
    with pytest.raises(TypeError, match="noise must be an instance of float"):
        make_ranking(noise=value)
