"""The Nations knowledge graph."""

# SPDX-License-Identifier: BSD-3-Clause

from importlib import resources

import numpy as np
from sklearn.utils import Bunch

_DESCR = """\
Nations
-------
What 14 nations did to and with each other between 1950 and 1965.

Entities: {n_entities} nations
Relations: {n_relations}, such as "embassy", "exports3" and "militaryalliance"
Triples: {n_train} to train on, {n_valid} to validate and {n_test} to test

Collected by R. J. Rummel for the "Dimensionality of Nations" project; in the form of
triples it comes from C. Kemp, J. B. Tenenbaum, T. L. Griffiths, T. Yamada and N. Ueda,
"Learning Systems of Concepts with an Infinite Relational Model", AAAI 2006.

Triples and split are those of the package PyKEEN 1.11.1, which ships them under the MIT
licence:

{licence}"""

_LICENCE = """\
Copyright (c) 2019-2024 PyKEEN Project Team

Permission is hereby granted, free of charge, to any person obtaining a copy of this
software and associated documentation files (the "Software"), to deal in the Software
without restriction, including without limitation the rights to use, copy, modify,
merge, publish, distribute, sublicense, and/or sell copies of the Software, and to
permit persons to whom the Software is furnished to do so, subject to the following
conditions:

The above copyright notice and this permission notice shall be included in all copies
or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED,
INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR
PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE
LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT
OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR
OTHER DEALINGS IN THE SOFTWARE.
"""


def load_nations():
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
        DESCR=_DESCR.format(
            n_entities=len(entities),
            n_relations=len(relations),
            licence=_LICENCE,
            **{f"n_{name}": len(triples) for name, triples in parts.items()},
        ),
    )
