"""The docstring of `split`, which the splitters of queries share."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import inspect

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

PARAMETERS = {
    "X": """\
X : array-like of shape (n_samples, n_features)
    The data. Only the number of rows is used and, in a table, the columns and the index
    that hold what is not passed.""",
    "y": """\
y : array-like of shape (n_samples,), default=None
    The relevance of each row, used only by splitters that stratify. Its index may hold
    what is not passed, such as the query ids.""",
    "groups": """\
groups : array-like of shape (n_samples,), default=None
    The query ids, under the name that scikit-learn has for them.""",
    "qid": """\
qid : array-like of shape (n_samples,), default=None
    The query ids. Without `qid` and `groups` they are taken from the column ``"qid"``
    of `X` or from the index of `y` or `X` of that name.""",
    "time": """\
time : array-like of shape (n_samples,), default=None
    The time of each row: numbers or dates. Without it, the parameter `time` of the
    splitter says where the times are.""",
    "item": """\
item : array-like of shape (n_samples,), default=None
    The item of each row. Without it, the parameter `item` of the splitter says where
    the items are; the users are the query ids.""",
}


def describe_split(split):
    """Give a method `split` its docstring, with the parameters that it has."""
    names = list(inspect.signature(split).parameters)[1:]
    parameters = "\n".join(PARAMETERS[name] for name in names)
    split.__doc__ = SPLIT.format(parameters=parameters)
    return split
