"""What is read of a model: scores, ids and the triples it was trained on."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from skrank._checks import shown
from skrank._ranking.ids import encode_qid
from skrank.link_prediction._triple_ids import (
    HEAD,
    RELATION,
    TAIL,
    Vocabulary,
    kind_of_ids,
    read_triples,
)


def model_scores(model, side, triples, n_entities=None):
    """Return the scores of a batch as a matrix of numbers.

    The number of entities is checked if it is known.
    """
    name = f"score_{side}s"
    scores = np.asarray(getattr(model, name)(triples))
    width = scores.shape[-1] if n_entities is None and scores.ndim else n_entities
    if scores.shape != (len(triples), width) or scores.dtype.kind not in "biuf":
        raise ValueError(
            f"{name} of the model must return one number for each triple and entity, "
            f"an array of shape ({len(triples)}, {n_entities or 'n_entities'}). "
            f"Got dtype {scores.dtype} and shape {scores.shape}."
        )
    return scores


def check_not_nan(scores, side, is_read):
    """Raise if a score is NaN that is read.

    The function `is_read` returns a mask of the scores that are read; it is called only
    if one is NaN.
    """
    if scores.dtype.kind != "f" or not scores.size or not np.isnan(scores.max()):
        return
    n_rows = np.count_nonzero((np.isnan(scores) & is_read()).any(axis=1))
    if n_rows:
        raise ValueError(
            f"score_{side}s of the model returned NaN for {n_rows} of {len(scores)} "
            "triples. Only entities that are no candidates may have NaN as their score."
        )


def check_methods(model, sides):
    """Raise if the model cannot predict a side."""
    for name in (f"score_{side}s" for side in sides):
        if callable(getattr(model, name, None)):
            continue
        raise TypeError(
            "The 'model' parameter must have the methods 'score_tails' and "
            f"'score_heads'. Got {type(model).__name__}, which has no {name!r}."
        )


def triples_of(model):
    """Return the triples that the model was trained on, if it has them."""
    trained = getattr(model, "triples_", None)
    return [] if trained is None else [read_triples(trained, "triples_")]


def read_known(known):
    """Return the known triples as a list of arrays."""
    if isinstance(known, str):
        if known == "auto":
            return []
        raise ValueError(
            "The 'known' parameter must be 'auto', None, triples or a list of arrays "
            f"of triples. Got {shown(known)} instead."
        )
    is_list = isinstance(known, (list, tuple))
    if is_list and (not known or np.ndim(known[0]) == 2):
        return [read_triples(part, "known") for part in known]
    return [read_triples(known, "known")]


def vocabularies(model, side, parts):
    """Return the ids of the columns of the model and of the relations."""
    ids = getattr(model, "entities_", None)
    if ids is None:
        triples = parts[0]
        if kind_of_ids(triples[:1], "X") != "i":
            if isinstance(model, BaseEstimator):
                check_is_fitted(model)
            raise ValueError(
                "The 'X' parameter must hold integers, the columns of the scores, "
                "unless the model has 'entities_', the ids of its columns. "
                f"Got strings and {type(model).__name__}, which has none."
            )
        ids = np.arange(model_scores(model, side, triples[:1]).shape[1])
    entities = Vocabulary(ids, "entities")
    ids = getattr(model, "relations_", None)
    if ids is None:
        kinds = [kind_of_ids(part[:1], "X") for part in parts]
        same = zip(parts, kinds, strict=True)
        same = [part[:, RELATION] for part, kind in same if kind == kinds[0]]
        ids, _ = encode_qid(np.concatenate(same))
    return entities, Vocabulary(ids, "relations")


def encode_known(triples, entities, relations):
    """Return the positions of known triples whose ids the model knows."""
    ends = entities.encode(triples[:, [HEAD, TAIL]], "known")
    relation = relations.encode(triples[:, RELATION], "known")
    kept = (ends >= 0).all(axis=1) & (relation >= 0)
    return ends[kept, 0], relation[kept], ends[kept, 1]
