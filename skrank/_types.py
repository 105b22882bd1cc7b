"""The types that signatures share."""

# SPDX-License-Identifier: BSD-3-Clause

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import spmatrix

if TYPE_CHECKING:
    from scipy.sparse import sparray
    from typing_extensions import Self as Self
else:  # names that the lowest supported versions of SciPy and Python lack
    sparray, Self = spmatrix, Any

MatrixLike = ArrayLike | spmatrix | sparray
PathLike = str | os.PathLike[str]
Seed = int | np.random.RandomState

Average = Literal["macro", "weighted"]
Clusters = str | ArrayLike | Sequence[str | ArrayLike]
FrameKind = Literal["pandas", "polars", "pyarrow"]
# A file, a data frame, a dict of dicts or a list of rows.
Judgements = PathLike | Mapping[Any, Any] | Sequence[Any] | Any
MetricLike = str | Callable[..., Any]
MetricsLike = MetricLike | Sequence[MetricLike] | Mapping[str, MetricLike]
MissingQid = Literal["raise", "single"]
# Of a parameter, in a method such as set_fit_request.
MetadataRequest = bool | str | None
Ties = Literal["expected", "first", "optimistic", "pessimistic"]
Unjudged = Literal["nonrelevant", "condensed", "inferred", "lowest", "highest"]
# The rows of each training and test set.
Splits = Iterator[tuple[NDArray[Any], NDArray[Any]]]

# Of link prediction.
Known = Literal["auto"] | ArrayLike | Sequence[Literal["auto"] | ArrayLike]
LinkConvention = Literal["pykeen", "ogb", "ampligraph"]
LinkTies = Literal["expected", "optimistic", "pessimistic", "realistic"]
Side = Literal["head", "tail"]
