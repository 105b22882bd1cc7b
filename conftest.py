"""What every test and doctest shares."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import pytest
import sklearn


@pytest.fixture(autouse=True)
def _leave_the_sklearn_config_as_found():
    # Examples switch metadata routing on as a user would; the next one starts anew.
    with sklearn.config_context():
        yield
