"""Sets of integrals, and how they become few plans: those that differ in numbers alone are one, with the numbers as parameters."""
import math

import numpy as np

from . import errors
from ._contexts import current
from ._library import c_text, describe, execution, ffi, lib, per_thread
from ._trace import Exponent, Node

RECORD = np.dtype([("value", "f8"), ("error", "f8"), ("evaluations", "u8"), ("status", "i4"), ("", "i4")])
_KNOWN = ["value", "error", "evaluations", "status"]  # all but what fills up the record
_MOST_PARAMETERS = 64
MOST_COMPONENTS = lib.MST_INTEGRAL_MAX_COMPONENTS
ADAPTIVE, TANH_SINH, OSCILLATORY = lib.MST_INTEGRAL_ADAPTIVE, lib.MST_INTEGRAL_TANH_SINH, lib.MST_INTEGRAL_OSCILLATORY
CONVERGED, SPENT, ROUND_OFF, NON_FINITE = range(4)
_BETWEEN = "\0"  # the texts of an integral


class Integral:
    """What to integrate: Nodes or numbers, over [(name, from, to)], outer variables first; and where to cut a single one.

    A list of them is a vector-valued integrand, of up to MOST_COMPONENTS, with the same nodes for all.
    """

    __slots__ = ("integrands", "ranges", "cuts")

    def __init__(self, integrand, ranges, cuts=()):
        whole = integrand if isinstance(integrand, list) else [integrand]
        self.integrands = [one[()] if isinstance(one, np.ndarray) else one for one in whole]
        self.ranges, self.cuts = ranges, cuts

    def pieces(self):
        """All its texts, and its numbers between them: what two integrals must share, and where they may differ."""
        texts, values = [""], []
        for value in (*self.integrands, *(end for _, *ends in self.ranges for end in ends), *self.cuts):
            for part in value.parts if isinstance(value, Node) else (float(value),):
                if isinstance(part, str):
                    texts[-1] += part
                elif math.isfinite(part):
                    values.append(part)
                    texts.append("")
                else:
                    texts[-1] += "(inf-inf)" if math.isnan(part) else "inf" if part > 0 else "-inf"
            texts[-1] += _BETWEEN
        return tuple(texts), values


def _literal(value):
    text = str(int(value)) if value == int(value) and abs(value) < 1e15 and not (value == 0 and math.copysign(1, value) < 0) else repr(float(value))
    return f"({text})" if text.startswith("-") else text


def _is_simple(value):
    """Whether a number belongs into the text: whole powers are products there."""
    return isinstance(value, Exponent) and (value == int(value) and abs(value) <= 16 or abs(value) == 0.5)


def are_parameters(rows, further):
    """Whether the numbers in which integrals of one kind differ, and so many further ones, can be parameters of one plan."""
    return sum(len(set(column)) > 1 for column in zip(*rows)) + further <= _MOST_PARAMETERS


def _with_parameters(texts, rows):
    """The texts of integrals that differ in numbers alone, and the parameters that they are left with."""
    columns = list(zip(*rows))
    same = [all(value == column[0] for value in column) for column in columns]
    literal = [same[k] and _is_simple(column[0]) for k, column in enumerate(columns)]
    for k in range(len(columns)):  # more than there may be
        if len(columns) - sum(literal) > _MOST_PARAMETERS and same[k]:
            literal[k] = True
    varying = [k for k in range(len(columns)) if not literal[k]]
    if len(varying) > _MOST_PARAMETERS:
        raise errors.ArgumentError(f"integrals that differ in {len(varying)} numbers: there are {_MOST_PARAMETERS} parameters at most")
    place = {k: f"_{i}" for i, k in enumerate(varying)}
    whole = texts[0] + "".join((place[k] if k in place else _literal(columns[k][0])) + text for k, text in enumerate(texts[1:]))
    return whole.split(_BETWEEN)[:-1], [place[k] for k in varying], np.array([columns[k] for k in varying], float).T


def plan(texts, n_components, names, parameters, options, cut_variables=()):
    def make(context):
        kept = [c_text(text) for text in (*texts, *names, *parameters)]
        n, begin, end = len(names), n_components, len(texts)
        ranges = ffi.new("mst_integral_range[]", [(kept[end + k], kept[begin + 2 * k], kept[begin + 1 + 2 * k]) for k in range(n)])
        given, cuts = ffi.new("char *[]", kept[end + n:]), ffi.new("char *[]", kept[begin + 2 * n:end])
        components, cut = ffi.new("char *[]", kept[:begin]), ffi.new("int[]", cut_variables)
        return context.create("integral", describe(
            "mst_integral_desc", n_components=begin, components=components, n_variables=n, ranges=ranges, range_size=ffi.sizeof("mst_integral_range"),
            n_parameters=len(parameters), parameters=given, n_breakpoints=len(cuts), breakpoints=cuts,
            breakpoint_variables=cut if cut_variables else ffi.NULL,
            result_size=ffi.sizeof("mst_integral_result"), **dict(options)))

    return ("integral", n_components, *texts, None, *names, None, *parameters, options, tuple(cut_variables)), make


def _compute_alike(texts, n_components, rows, names, options):
    texts, parameters, values = _with_parameters(texts, rows)
    values = np.ascontiguousarray(values)
    results = np.zeros((len(rows), n_components), RECORD)
    given = ffi.cast("double *", values.ctypes.data) if parameters else ffi.NULL
    place = ffi.cast("mst_integral_result *", results.ctypes.data)
    current().execute(*plan(texts, n_components, names, parameters, options), lambda plan: lib.mst_integral_execute(
        plan, given, len(rows), place, execution, per_thread.error))
    return results


def compute(integrals, rule=ADAPTIVE, epsabs=0.0, epsrel=0.0, most=0):
    """A record (value, error, evaluations, status) of each integral; where they are vector-valued a row of so many, all of a length."""
    n_components = len(integrals[0].integrands) if integrals else 1
    results = np.zeros((len(integrals), n_components), RECORD)
    alike = {}
    for k, integral in enumerate(integrals):
        texts, values = integral.pieces()
        if any(start == end for _, start, end in integral.ranges if not isinstance(start, Node) and not isinstance(end, Node)):
            continue  # an empty range, infinite ones too: 0
        if any(end != end for _, *ends in integral.ranges for end in ends if not isinstance(end, Node)):
            results[_KNOWN][k] = math.nan, math.inf, 0, NON_FINITE
            continue
        alike.setdefault((texts, tuple(name for name, *_ in integral.ranges)), []).append((k, values))
    if epsabs <= 0 and epsrel <= 0:
        epsrel = np.finfo(float).eps  # 0 asks the library for its default
    options = (("rule", rule), ("relative_tolerance", float(epsrel)), ("absolute_tolerance", float(epsabs)), ("max_evaluations", int(most)))
    for (texts, names), members in alike.items():
        results[[k for k, _ in members]] = _compute_alike(texts, n_components, [values for _, values in members], names, options)
    return results if n_components > 1 else results[:, 0]
