"""The docstring of `split`, which the splitters of queries share."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import inspect
import re

SPLIT = """\
Generate the rows of each training and test set.

Parameters
----------
{parameters}

Yields
------
train : ndarray of int
    The rows of the training set, in ascending order.
test : ndarray of int
    The rows of the test set, in ascending order.
"""

PARAMETERS = """\
X : array-like of shape (n_samples, n_features)
    The data. Only the number of rows is used and, in a table, the columns and the index
    that hold what is not passed.
y : array-like of shape (n_samples,), default=None
    The relevance of each row, used only by splitters that stratify. Its index may hold
    what is not passed, such as the query ids.
groups : array-like of shape (n_samples,), default=None
    The query ids, under the name that scikit-learn has for them.
qid : array-like of shape (n_samples,), default=None
    The query ids. Without `qid` and `groups` they are taken from the column ``"qid"``
    of `X` or from the index of `y` or `X` of that name.
time : array-like of shape (n_samples,), default=None
    The time of each row: numbers or dates. Without it, the parameter `time` of the
    splitter says where the times are.
item : array-like of shape (n_samples,), default=None
    The item of each row. Without it, the parameter `item` of the splitter says where
    the items are; the users are the query ids."""


def describe_split(split):
    """Give a method `split` its docstring, with the parameters that it has."""
    names = inspect.signature(split).parameters
    entries = re.split(r"\n(?=\w)", PARAMETERS)
    described = [entry for entry in entries if entry.partition(" ")[0] in names]
    split.__doc__ = SPLIT.format(parameters="\n".join(described))
    return split
