"""Integrals of one integrand for many parameters at a time."""
import collections.abc
import types

import numpy as np

from . import _arrays, errors
from ._contexts import current
from ._integrals import MOST_COMPONENTS, RECORD, plan
from ._library import execution, ffi, lib, per_thread
from ._trace import Node, trace, variables

_RULES = {ffi.string(lib.mst_integral_rule_name(k)).decode(): k for k in range(lib.MST_INTEGRAL_OSCILLATORY + 1)}
_STATUS = np.array([ffi.string(lib.mst_integral_status_name(k)).decode() for k in range(lib.MST_INTEGRAL_NON_FINITE + 1)])


class Result(types.SimpleNamespace):
    """What a function returns: attributes with names."""


def _text(value):
    """Of what is a text, a number, or a Node that was made of names."""
    if isinstance(value, str):
        return value
    if isinstance(value, Node):
        return "".join(part if isinstance(part, str) else f"({float(part)!r})" for part in value.parts)
    return repr(float(value))


def _components(integrand, names):
    """The texts of an integrand, and whether it is a list of them."""
    if callable(integrand):
        integrand = trace(integrand, *(variables([name], ()) for name in names))
        integrand = integrand.tolist() if integrand.shape else integrand[()]
    several = isinstance(integrand, (list, tuple))
    texts = [_text(part) for part in (integrand if several else [integrand])]
    if not 1 <= len(texts) <= MOST_COMPONENTS:
        raise errors.ArgumentError(f"an integrand of {len(texts)} components: there are 1 to {MOST_COMPONENTS}")
    return texts, several


def many(integrand, ranges, parameters=None, *, rule="adaptive", points=0, epsabs=0.0, epsrel=0.0, limit=0, breakpoints=(), dtype=None):
    """The integrals of one integrand for each set of parameters, thousands in one call.

    `integrand`: an expression, or a list of up to 32, or a function of the variables and then the parameters. `ranges`: of each variable, by
    its name, outer ones first, the bounds, numbers or expressions of the parameters and of the variables before it. `parameters`: numbers or
    arrays by their names, which are broadcast; results have their shape, and that of components last. `rule`, of one variable: "adaptive",
    "tanh-sinh", "oscillatory", or a fixed one with so many `points`, "rectangle", "midpoint", "trapezoid", "simpson", "gauss". Tolerances of 0
    are the library's (docs/integration.md). `limit`: the most evaluations of an integral; `breakpoints`: where to cut the range of the
    first variable, or of each by its name (up to 7 variables), expressions of the parameters. All is computed in `dtype`, float64 or float32.

    The result has value, error, evaluations, success, and status, the word for how each one ended.

        >>> import numpy as np, mastaba
        >>> a = np.array([1.0, 2.0, 4.0])
        >>> result = mastaba.integrate.many("exp(-a*x)", {"x": (0, "inf")}, {"a": a})
        >>> np.round(result.value, 9).tolist(), result.status.tolist()
        ([1.0, 0.5, 0.25], ['converged', 'converged', 'converged'])
        >>> mastaba.integrate.many("1", {"x": (0, 1), "y": (0, "x")}).value.round(9).item()
        0.5
    """
    if rule not in _RULES:
        raise ValueError(f"rule is {rule!r}: one of {', '.join(_RULES)}")
    parameters = {name: np.asarray(value, float) for name, value in (parameters or {}).items()}
    texts, several = _components(integrand, [*ranges, *parameters])
    for name, ends in ranges.items():
        if isinstance(ends, str) or len(ends) != 2:
            raise errors.ArgumentError(f"the range of {name} is {ends!r}: give two bounds")
    shape = np.broadcast_shapes(*(value.shape for value in parameters.values()))
    rows = np.stack([np.broadcast_to(value, shape).ravel() for value in parameters.values()], -1) if parameters else np.empty((1, 0))
    results = np.zeros((len(rows), len(texts)), RECORD)
    options = (("rule", _RULES[rule]), ("points", points), ("relative_tolerance", float(epsrel)), ("absolute_tolerance", float(epsabs)),
               ("max_evaluations", limit), ("type", _arrays.type_of(dtype)))
    names = [*ranges]
    if not isinstance(breakpoints, collections.abc.Mapping):
        breakpoints = {names[0]: breakpoints}
    if not {*breakpoints} <= {*names}:
        raise errors.ArgumentError(f"breakpoints of {sorted({*breakpoints} - {*names})[0]}, which is no variable")
    cuts = [(name, place) for name, places in breakpoints.items() for place in places]
    whole = [*texts, *(_text(end) for ends in ranges.values() for end in ends), *(_text(place) for _, place in cuts)]
    given = ffi.cast("double *", rows.ctypes.data) if parameters else ffi.NULL
    place = ffi.cast("mst_integral_result *", results.ctypes.data)
    if len(rows):
        current().execute(*plan(whole, len(texts), names, [*parameters], options, [names.index(name) for name, _ in cuts]), lambda made: lib.mst_integral_execute(
            made, given, len(rows), place, execution, per_thread.error))
    results = results.reshape(*shape, len(texts)) if several else results.reshape(shape)
    return Result(value=results["value"], error=results["error"], evaluations=results["evaluations"],
                  success=results["status"] == lib.MST_INTEGRAL_CONVERGED, status=_STATUS[results["status"]])
