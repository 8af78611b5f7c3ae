from typing import NamedTuple

from . import Array

class UniqueAll(NamedTuple):
    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array

class UniqueCounts(NamedTuple):
    values: Array
    counts: Array

class UniqueInverse(NamedTuple):
    values: Array
    inverse_indices: Array
