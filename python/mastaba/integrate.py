"""Integrals with the signatures of scipy.integrate, on an OpenCL device.

An integrand is the text of an expression, or a Python function that NumPy's functions make up: it is called once, with stand-ins for
its variables, and what it does to them becomes the expression (`if`s and numpy.where, too). Functions that ask for a variable's value,
as those of `math` do, are refused.

    >>> import numpy as np, mastaba
    >>> value, error = mastaba.integrate.quad(lambda x: np.exp(-x**2), -np.inf, np.inf)
    >>> abs(value - np.sqrt(np.pi)) <= error < 1e-7
    True
    >>> value, error = mastaba.integrate.quad("sin(a*x)", 0, np.pi, args={"a": 3})
    >>> round(value, 12)
    0.666666666667

Each integral comes with an error that holds more often than QUADPACK's (docs/integration.md). Many of one kind, with other bounds or
arguments, are computed together: quad_vec, cubature and tanhsinh with arrays.
"""
import inspect
import itertools
import math
import warnings

import numpy as np

from . import errors
from ._integrals import ADAPTIVE, CONVERGED, MOST_COMPONENTS, NON_FINITE, OSCILLATORY, SPENT, TANH_SINH, Integral, are_parameters, compute
from ._logarithms import check_tolerances, heights, logarithm, tolerance
from ._many import Result, many
from ._trace import Complex, Node, trace, variables, within

__all__ = ["IntegrationWarning", "cubature", "dblquad", "many", "nquad", "quad", "quad_vec", "tanhsinh", "tplquad"]

_MESSAGES = {CONVERGED: "Target precision reached.", SPENT: "The evaluations, or the device's memory, were spent before the tolerance was met.",
             NON_FINITE: "The integrand is infinite or not a number inside the range."}
_ROUNDED = "More evaluations do not help: rounding, a divergent integral, or a singularity inside the range."
_NODES = 42  # of a region that is halved


class IntegrationWarning(UserWarning):
    """An integral did not meet its tolerance; its error says by how much it may be wrong."""


# ---- Integrands

def _arguments(args):
    return args if isinstance(args, tuple) else (args,)


def _text(function, args):
    """The expression of a text, with the numbers and Nodes that its arguments name."""
    if "\0" in function:
        raise errors.ArgumentError(f"{function!r} has a character of the code 0")
    if args and not isinstance(args, dict):
        raise errors.ArgumentError("the arguments of a text have names: args={'a': 1}")
    node = Node((function,), 0)
    if not args:
        return node
    import re
    parts, numbers = [], {name: value if isinstance(value, Node) else float(value) for name, value in args.items()}
    for part in re.split(r"(?<![\w.])([A-Za-z_]\w*)(?!\w*\s*\()", function):
        value = numbers.get(part, part)
        parts += ["(", *value.parts, ")"] if isinstance(value, Node) else [value]
    return Node(tuple(part for part in parts if not isinstance(part, str) or part), 0)


def _integrand(function, args, *stand_ins):
    """The Node, Complex or number, or an array of them, that a function gives for its variables."""
    if isinstance(function, str):
        array = np.empty((), object)
        array[()] = _text(function, args)
        return array
    return trace(function, *stand_ins, *_arguments(args))


def _scalar(array, what):
    if array.size != 1:
        raise errors.ArgumentError(f"{what} gives {array.size} values: quad_vec and cubature take such")
    return array.reshape(())[()]


def _product(*factors):
    product = factors[0]
    for factor in factors[1:]:
        product = product * factor
    return product


# ---- One variable

def _weighted(function, args, a, b, weight, wvar):
    """Integrals that add up to the one of function times weight, the rule for them, and a number to add."""
    x = Node(("x",))
    value = _scalar(_integrand(function, args, variables(["x"], ())), "the function")
    if weight is None:
        return value, ADAPTIVE
    if weight in ("sin", "cos"):
        wave = getattr(np, weight)(x * float(wvar))
        return value * wave, ADAPTIVE if np.isfinite([a, b]).all() else OSCILLATORY
    if weight in ("alg", "alg-loga", "alg-logb", "alg-log"):
        if not np.isfinite([a, b]).all():
            raise ValueError("an algebraic weight is for finite bounds")
        left, right = (Node((name,)) for name in (("left", "right") if a <= b else ("right", "left")))
        factors = [left**float(wvar[0]), right**float(wvar[1])]
        factors += [np.log(end) for end, name in ((left, "a"), (right, "b")) if weight in ("alg-log" + name, "alg-log")]
        return _product(value, *factors), TANH_SINH
    raise ValueError(f"{weight} not a recognized weighting function.")


def _principal_value(function, args, a, b, pole, options):
    """The integral of f(x) / (x - pole): around the pole that of (f(pole + t) - f(pole - t)) / t, and what is left on one side."""
    low, high = min(a, b), max(a, b)
    if not low < pole < high:
        raise ValueError("Parameter 'wvar' must not equal integration limits." if pole in (a, b) else "the pole is not between the bounds")
    reach = min(pole - low, high - pole)
    t = variables(["x"], ())
    whole = _scalar(_integrand(function, args, t), "the function")

    def shifted(x):
        if isinstance(function, str):
            return _text(function, {**dict(args), "x": x[()]})
        return _scalar(_integrand(function, args, x), "the function")

    above, below = shifted(pole + t), shifted(pole - t)
    parts = [Integral((above - below) / Node(("x",)), [("x", 0.0, reach)])]
    rest = (low, pole - reach) if pole - low > reach else (pole + reach, high)
    if rest[0] < rest[1]:
        parts.append(Integral(whole / (Node(("x",)) - pole), [("x", *map(float, rest))]))
    results = compute(parts, **options)
    return (1 if a < b else -1) * results["value"].sum(), results["error"].sum(), results


def _parts(value):
    """The real and the imaginary part of an integrand."""
    if isinstance(value, Complex):
        return [value.real, value.imag]
    return [value, 0.0] if isinstance(value, Node) else [float(np.real(value)), float(np.imag(value))]


def _status(results):
    return int(results["status"].max())


def _warn(results):
    status = _status(results)
    if status != CONVERGED:
        warnings.warn(_MESSAGES.get(status, _ROUNDED), IntegrationWarning, stacklevel=3)


def _information(results):
    return {"neval": int(results["evaluations"].sum())}


def _regions(result, a, b, limit):
    """QUADPACK's table of regions, of which there is one, the whole range: none if that is empty."""
    table = {"neval": int(result["evaluations"]), "last": int(a != b), "alist": np.full(limit, np.nan), "blist": np.full(limit, np.nan),
             "rlist": np.zeros(limit), "elist": np.zeros(limit), "iord": np.zeros(limit, np.int32)}
    if a != b:
        table["alist"][0], table["blist"][0], table["rlist"][0], table["elist"][0], table["iord"][0] = a, b, result["value"], result["error"], 1
    return table


def quad(func, a, b, args=(), full_output=0, epsabs=1.49e-8, epsrel=1.49e-8, limit=50, points=None, weight=None, wvar=None, wopts=None,
         maxp1=50, limlst=50, complex_func=False):
    """The integral of func from a to b, and an estimate of its error.

    `func`: a function of x, or the text of an expression of x; `args`: further arguments, or numbers with names for a text. `points`:
    where the integrand jumps or bends. `weight` and `wvar`: "sin", "cos", "alg", "alg-loga", "alg-logb", "alg-log", "cauchy" as in SciPy.
    `limit` bounds the evaluations, 42 for each region beyond 50. `wopts`, `maxp1` and `limlst` have no meaning here. With
    `full_output` QUADPACK's dictionary follows, with the whole range as its one region, and a message if the tolerance was not met; else
    that is a warning.

        >>> import numpy as np, mastaba
        >>> value, error = mastaba.integrate.quad(lambda x: np.exp(-x), 0, np.inf)
        >>> round(value, 9), error < 1e-7
        (1.0, True)
    """
    a, b = float(a), float(b)
    most = 0 if limit <= 50 else _NODES * int(limit)
    options = {"epsabs": epsabs, "epsrel": epsrel, "most": most}
    if weight == "cauchy":
        value, error, results = _principal_value(func, args, a, b, float(wvar), options)
        return (value, error, _information(results)) if full_output else (float(value), float(error))
    value, rule = _weighted(func, args, a, b, weight, wvar)
    low, high = min(a, b), max(a, b)
    cuts = [float(p) for p in sorted(set(np.ravel(points)))] if points is not None else []
    cuts = [p for p in cuts if low < p < high]
    if not complex_func and isinstance(value, Complex):
        raise errors.TraceError("the function gives complex numbers: say complex_func=True")
    parts = _parts(value) if complex_func else [value]
    results = compute([Integral(part, [("x", a, b)], cuts) for part in parts], rule, **options)
    value, error = (results[name][0] + 1j * results[name][1] if complex_func else float(results[name][0]) for name in ("value", "error"))
    if not full_output:
        _warn(results)
        return value, error
    told = [_regions(result, a, b, max(int(limit), 1)) for result in results]
    told = {"real": told[0], "imag": told[1]} if complex_func else told[0]
    return (value, error, told) if _status(results) == CONVERGED else (value, error, told, _MESSAGES.get(_status(results), _ROUNDED))


# ---- Several variables

def _bound(bound, names, args):
    """A bound: a number, a text, or a function of the variables outside, which are arguments in SciPy's order."""
    if isinstance(bound, str):
        return _text(bound, args if isinstance(args, dict) else {})
    if callable(bound):
        return _scalar(trace(bound, *(variables([name], ()) for name in names)), "a bound")
    return float(bound)


def _box(function, names, ends, args, epsabs, epsrel, points=None):
    """Over names[0] (innermost) to names[-1], with ends[k] = (from, to)."""
    stand_ins = [variables([name], ()) for name in names]
    value = _scalar(_integrand(function, args, *stand_ins), "the function")
    if isinstance(value, Complex):
        raise errors.TraceError("the function gives complex numbers: integrate its parts")
    ranges = [(name, *pair) for name, pair in zip(names, ends)][::-1]
    boxes = [ranges]
    for cut in points or []:
        boxes = [box for old in boxes for box in _halves(old, *cut)]
    share = 1 / len(names)  # nested rules meet the tolerance at each level
    return compute([Integral(value, box) for box in boxes], epsabs=epsabs * share / len(boxes), epsrel=epsrel * share)


def _halves(ranges, name, point):
    """A box cut where a variable is `point`, which may depend on the variables outside."""
    k = [name for name, *_ in ranges].index(name)
    _, low, high = ranges[k]
    if any(isinstance(value, Node) for value in (low, high, point)):
        point = within(point, low, high)
    elif not min(low, high) < point < max(low, high):
        return [ranges]
    return [[*ranges[:k], (name, *pair), *ranges[k + 1:]] for pair in ((low, point), (point, high))]


def dblquad(func, a, b, gfun, hfun, args=(), epsabs=1.49e-8, epsrel=1.49e-8):
    """The integral of func(y, x) for x from a to b and y from gfun(x) to hfun(x), and its error.

    Texts are expressions of x and y; gfun and hfun may be numbers, functions or texts.

        >>> import mastaba
        >>> round(mastaba.integrate.dblquad(lambda y, x: x * y, 0, 1, 0, lambda x: 2 * x)[0], 12)
        0.5
    """
    ends = [(_bound(gfun, ["x"], args), _bound(hfun, ["x"], args)), (float(a), float(b))]
    results = _box(func, ["y", "x"], ends, args, epsabs, epsrel)
    _warn(results)
    return float(results["value"].sum()), float(results["error"].sum())


def tplquad(func, a, b, gfun, hfun, qfun, rfun, args=(), epsabs=1.49e-8, epsrel=1.49e-8):
    """The integral of func(z, y, x) for x from a to b, y from gfun(x) to hfun(x) and z from qfun(x, y) to rfun(x, y), and its error.

        >>> import mastaba
        >>> round(mastaba.integrate.tplquad("x*y*z", 0, 1, 0, 1, 0, "x")[0], 12)
        0.0625
    """
    ends = [(_bound(qfun, ["x", "y"], args), _bound(rfun, ["x", "y"], args)), (_bound(gfun, ["x"], args), _bound(hfun, ["x"], args)),
            (float(a), float(b))]
    results = _box(func, ["z", "y", "x"], ends, args, epsabs, epsrel)
    _warn(results)
    return float(results["value"].sum()), float(results["error"].sum())


def _range_of(given, names, args):
    """(from, to) of one variable: a pair, or a function of the variables outside and of args that gives one."""
    if callable(given):
        pair = trace(given, *(variables([name], ()) for name in names), *args)
        if pair.shape != (2,):
            raise errors.ArgumentError("a range is a pair of bounds")
        return tuple(value if isinstance(value, Node) else float(value) for value in pair)
    low, high = given
    return _bound(low, names, {}), _bound(high, names, {})


def _options_of(given, names, args):
    if callable(given):
        given = given(*(variables([name], ()) for name in names), *args)
    unknown = set(given) - {"epsabs", "epsrel", "limit", "points"}
    if unknown:
        raise errors.ArgumentError(f"option {sorted(unknown)[0]!r} is for one variable: nquad takes epsabs, epsrel, limit and points")
    return given


def _cuts_of(options, name):
    for point in options.get("points") or []:
        yield name, point[()] if isinstance(point, np.ndarray) else point if isinstance(point, Node) else float(point)


def nquad(func, ranges, args=None, opts=None, full_output=False):
    """The integral of func(x0, x1, ...) over ranges[0] of x0, the innermost, to the last, and its error.

    A range is a pair of numbers, or a function of the variables behind its own and `args` that gives one. `opts`: a dictionary, or one
    a variable, or functions that give them, with epsabs, epsrel (the least of all is what is met) and points.

        >>> import mastaba
        >>> round(mastaba.integrate.nquad(lambda x, y: x * y, [lambda y: (0, 1 - y), (0, 1)])[0], 12)
        0.041666666667
    """
    args = () if args is None else args if isinstance(args, dict) else _arguments(args)
    names = [f"x{k}" for k in range(len(ranges))]
    further = () if isinstance(args, dict) else args
    ends = [_range_of(given, names[k + 1:], further) for k, given in enumerate(ranges)]
    opts = [{}] * len(ranges) if opts is None else [opts] * len(ranges) if isinstance(opts, dict) or callable(opts) else list(opts)
    options = [_options_of(given, names[k + 1:], further) for k, given in enumerate(opts)]
    tolerances = [min((option[key] for option in options if key in option), default=1.49e-8) for key in ("epsabs", "epsrel")]
    cuts = [cut for option, name in zip(options, names) for cut in _cuts_of(option, name)]
    results = _box(func, names, ends, args, *tolerances, cuts)
    if not full_output:
        _warn(results)
    value = float(results["value"].sum()), float(results["error"].sum())
    return (*value, _information(results)) if full_output else value


# ---- Many at a time

def _elements(array):
    """The real integrands of an array's elements, the shape of the values, and how values become such an array."""
    flat = array.ravel()
    if any(isinstance(value, (Complex, complex, np.complexfloating)) for value in flat):
        parts = [part for value in flat for part in _parts(value)]
        return parts, lambda values: (values[0::2] + 1j * values[1::2]).reshape(array.shape)
    return list(flat), lambda values: values.reshape(array.shape)


def _compute_elements(parts, ranges, cuts=(), **options):
    """Records of all parts over all ranges, and the evaluations: parts that differ in numbers alone are integrals of one kind, each
    with nodes of its own; others are components of integrands, with the same nodes for up to MOST_COMPONENTS."""
    kinds, alike, others = {}, [], []
    for k, part in enumerate(parts):
        texts, numbers = Integral(part, ranges[0], cuts).pieces()
        kinds.setdefault(texts, []).append((k, numbers))
    for members in kinds.values():
        many = len(members) > 1 and are_parameters([numbers for _, numbers in members], 0 if len(ranges) == 1 else 2 * len(ranges[0]))
        (alike if many else others).extend(k for k, _ in members)
    others.sort()
    results = [compute([Integral(parts[k], box, cuts) for box in ranges for k in alike], **options).reshape(len(ranges), -1)]
    evaluations = results[0]["evaluations"].sum()
    for begin in range(0, len(others), MOST_COMPONENTS):
        group = [parts[k] for k in others[begin:begin + MOST_COMPONENTS]]
        results.append(compute([Integral(group, box, cuts) for box in ranges], **options).reshape(len(ranges), -1))
        evaluations += results[-1]["evaluations"][:, 0].sum()
    return np.concatenate(results, axis=1)[:, np.argsort(alike + others)], int(evaluations)


_NORMS = {"max": lambda e: e.max(initial=0.0), "2": lambda e: math.sqrt((e**2).sum())}


def quad_vec(f, a, b, epsabs=1e-200, epsrel=1e-8, norm="2", cache_size=100e6, limit=10000, workers=1, points=None, quadrature=None,
             full_output=False, *, args=()):
    """The integrals of all elements of the array f(x) from a to b, and the norm ("2" or "max") of their errors.

    Elements that differ in numbers alone, as those of x**numpy.arange(9), have nodes of their own; others are evaluated at the same
    nodes, up to 32 of them, what they have in common once. Each comes to epsrel of itself or its share of epsabs. `cache_size`,
    `workers` and `quadrature` have no meaning here. The information has success, status, message, neval, and the whole range as the one
    entry of intervals, integrals and errors.

        >>> import numpy as np, mastaba
        >>> values, error = mastaba.integrate.quad_vec(lambda x: x**np.arange(4), 0, 1)
        >>> np.round(values, 9).tolist()
        [1.0, 0.5, 0.333333333, 0.25]
    """
    if norm not in _NORMS:
        raise ValueError(f"invalid norm {norm!r}: 'max' or '2'")
    if quadrature not in (None, "gk15", "gk21", "trapezoid"):
        raise ValueError(f"unknown quadrature {quadrature!r}")
    a, b = float(a), float(b)
    parts, joined = _elements(_integrand(f, args, variables(["x"], ())))
    low, high = min(a, b), max(a, b)
    cuts = [float(p) for p in sorted(set(points)) if low < p < high] if points is not None else []
    share = epsabs / (1 if norm == "max" else math.sqrt(len(parts) or 1))
    results, evaluations = _compute_elements(parts, [[("x", a, b)]], cuts, epsabs=share, epsrel=epsrel, most=_NODES * int(limit))
    results = results[0]
    value, error = joined(results["value"])[()], _NORMS[norm](results["error"])
    if not full_output:
        return value, error
    status = 0 if not len(parts) else _status(results)
    told = Result(success=status == CONVERGED, status=status, message=_MESSAGES.get(status, _ROUNDED), neval=evaluations,
                  intervals=np.array([[a, b]]), integrals=np.asarray(value)[None], errors=np.array([error]))
    return value, error, told


def _cut_boxes(a, b, points):
    """The parts of a box between points, as SciPy cuts it: at all of a point's coordinates."""
    boxes = [(a, b)]
    for point in points:
        point = np.ravel(point)
        cut = []
        for low, high in boxes:
            inside = np.all((np.minimum(low, high) <= point) & (point <= np.maximum(low, high)))
            if not inside or np.all(point == low) or np.all(point == high):
                cut.append((low, high))
                continue
            sides = [[(l, p), (p, h)] if l != p != h else [(l, h)] for l, p, h in zip(low, point, high)]
            cut += [tuple(np.array(ends) for ends in zip(*choice)) for choice in itertools.product(*sides)]
        boxes = cut
    return boxes


def cubature(f, a, b, *, rule="gk21", rtol=1e-8, atol=0, max_subdivisions=10000, args=(), workers=1, points=None):
    """The integrals of all elements of f(x) over the box from a to b; f gets x of shape (points, variables), gives (points, ...).

    The result has estimate, error, status ("converged" or "not_converged"), rtol, atol and evaluations. The library's own adaptive rules
    (1 variable: Kronrod; 2 to 7: Genz and Malik; more: lattices) take the place of `rule`, whose name is checked.

        >>> import numpy as np, mastaba
        >>> result = mastaba.integrate.cubature(lambda x: np.exp(-np.sum(x**2, axis=-1)), [-np.inf] * 2, [np.inf] * 2)
        >>> bool(abs(result.estimate - np.pi) < 1e-7), result.status
        (True, 'converged')
    """
    if not isinstance(rule, str):
        raise errors.ArgumentError("rule: the library has rules of its own; give a name")
    if rule not in ("gauss-kronrod", "genz-malik", "gk21", "gk15"):
        raise ValueError(f"unknown rule {rule!r}")
    kinds = [np.asarray(value).dtype for value in (a, b, *_arguments(args)) if isinstance(value, (np.ndarray, np.generic))]
    kind = np.result_type(np.float32, *kinds) if kinds and all(k == np.float32 for k in kinds) else np.dtype(float)
    a, b = (np.asarray(value, float) for value in (a, b))
    if a.ndim != 1 or b.ndim != 1:
        raise ValueError("`a` and `b` must be 1D arrays")
    if not a.size or not b.size:
        raise ValueError("`a` and `b` must be nonempty")
    names = [f"x{k}" for k in range(a.size)]
    whole = _integrand(f, args, variables(names, (1, a.size)))
    array = whole if isinstance(f, str) else whole.reshape(whole.shape[1:])
    parts, joined = _elements(array)
    boxes = _cut_boxes(a, b, [] if points is None else points)
    ranges = [[(name, float(low[k]), float(high[k])) for k, name in enumerate(names)] for low, high in boxes]
    results, evaluations = _compute_elements(parts, ranges, epsabs=atol / len(boxes), epsrel=rtol)
    value, error = (joined(results[name].sum(0)) for name in ("value", "error"))
    good = np.all(results["status"] == CONVERGED) or np.all(np.abs(error) <= atol + rtol * np.abs(value))
    value = value.astype(np.result_type(kind, value.dtype) if np.iscomplexobj(value) else kind)
    return Result(estimate=value[()], error=error[()], status="converged" if good else "not_converged", rtol=rtol, atol=atol,
                  evaluations=evaluations, subdivisions=None, regions=None)


# ---- Singular ends

def _check_flag(value, name):
    if value not in (True, False):
        raise ValueError(f"`{name}` must be True or False.")


def _check_tolerance(value, name):
    if value is None:
        return
    value = np.asarray(value)
    if value.dtype.kind not in "biuf":
        raise ValueError(f"`{name}` must be real numbers.")
    if np.any(value < 0) or not np.all(np.isfinite(value)):
        raise ValueError(f"`{name}` must be non-negative and finite.")


def _check_level(value, name):
    if value is None:
        return
    if not np.issubdtype(np.asarray(value).dtype, np.integer):
        raise ValueError(f"`{name}` must be integers.")
    if value < 0:
        raise ValueError(f"`{name}` must be non-negative.")


def _ends(a, b):
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype.kind not in "biuf" or b.dtype.kind not in "biuf":
        raise ValueError("`a` and `b` must be real numbers.")
    kind = np.result_type(a, b)
    return a, b, kind if kind.kind == "f" else np.dtype(float)


def _texts_of_elements(text, args, shape):
    """A text with each element's own arguments, which have names."""
    flat = {name: np.broadcast_to(np.asarray(arg, float), shape).ravel() for name, arg in args.items()}
    return [_text(text, {name: values[k] for name, values in flat.items()}) for k in range(math.prod(shape))]


def _integrands_of_elements(f, args, shape):
    """f of each element's own arguments, traced once: the arguments of all are stand-ins, too."""
    args = [np.broadcast_to(np.asarray(arg, float), shape) for arg in args]
    names = [f"a{k}" for k in range(len(args))]
    if isinstance(f, str):
        return [_text(f, ())] * math.prod(shape)
    node = _scalar(trace(f, variables(["x"], ()), *(variables([name], ()) for name in names)), "the function")
    places = {name: arg.ravel() for name, arg in zip(names, args)}

    def of(part, k):
        if not isinstance(part, Node):
            return part
        return Node(tuple(places[p][k] if p in places else p for p in part.parts), part.level)

    return [Complex(of(node.real, k), of(node.imag, k)) if isinstance(node, Complex) else of(node, k) for k in range(math.prod(shape))]


def _cut_at(peaks, parts, low, high, tolerances):
    """The integrals of parts, those with peaks in pieces that end there, where the rule is fine enough for it."""
    ends = [[s, *sorted(set(p), reverse=bool(s > e)), e] for s, p, e in zip(low, peaks, high)]
    pieces = compute([Integral(part, [("x", s, e)]) for part, cuts in zip(parts, ends) for s, e in zip(cuts, cuts[1:])], TANH_SINH, **tolerances)
    results, first = np.zeros(len(ends), pieces.dtype), 0
    for result, cuts in zip(results, ends):
        some, first = pieces[first:first + len(cuts) - 1], first + len(cuts) - 1
        for name in ("value", "error", "evaluations"):
            result[name] = some[name].sum()
        result["status"] = some["status"].max()
    return results


def _all_of(shape, value, status, kind, kind_of_errors):
    """A result of tanhsinh whose integrals are all the same."""
    return Result(integral=np.full(shape, value, kind)[()], error=np.full(shape, value, kind_of_errors)[()], success=np.zeros(shape, bool)[()],
                  status=np.full(shape, status, np.int32)[()], nfev=np.zeros(shape, np.int32)[()])


def _stops(callback, result):
    try:
        callback(result)
    except StopIteration:
        return True
    return False


def _with_names(f, args, kwargs):
    """A function of arguments in an order, and all of these: those that have names behind the others. A text's arguments have names in any case."""
    if not isinstance(kwargs, dict):
        raise ValueError("`kwargs` must be a dictionary of arguments by their names.")
    if isinstance(f, str):
        return f, {**(args or {}), **kwargs}
    args = _arguments(args)
    n, names = len(args), list(kwargs)
    return lambda x, *given: f(x, *given[:n], **dict(zip(names, given[n:]))), (*args, *kwargs.values())


def tanhsinh(f, a, b, *, args=(), kwargs=None, log=False, maxlevel=None, minlevel=2, atol=None, rtol=None, preserve_shape=False, callback=None):
    """The integrals of f(x, *args) from a to b, arrays that are broadcast: for integrands that are singular at the ends.

    `kwargs` are arguments by their names. The result has integral, error, success, status (0: converged, -2: not, -3: not finite, -4: stopped by
    `callback`) and nfev. In texts, whose arguments have names, args={"a": 2}, `left` and `right` are the distances from the ends, which lose no digits there. With `log` f gives the logarithm of the
    integrand, and integral, error, atol and rtol are logarithms. `minlevel` and `maxlevel` are checked, and the library halves steps as it
    sees fit: all levels are computed in one call, so `callback` is called twice, before it, with NaNs and status 1, where StopIteration
    stops, and with the result.

        >>> import numpy as np, mastaba
        >>> result = mastaba.integrate.tanhsinh(lambda x: np.log(x), 0, 1)
        >>> round(float(result.integral), 12), bool(result.success)
        (-1.0, True)
    """
    if not callable(f) and not isinstance(f, str):
        raise ValueError("`f` must be callable.")
    _check_flag(log, "log")
    _check_flag(preserve_shape, "preserve_shape")
    a, b, kind = _ends(a, b)
    if callback is not None and not callable(callback):
        raise ValueError("`callback` must be callable.")
    if log:
        check_tolerances(atol=atol, rtol=rtol)
    else:
        for value, name in ((atol, "atol"), (rtol, "rtol")):
            _check_tolerance(value, name)
    for value, name in ((maxlevel, "maxlevel"), (minlevel, "minlevel")):
        _check_level(value, name)
    if kwargs is not None:
        f, args = _with_names(f, args, kwargs)
    names = list(args) if isinstance(args, dict) else None
    args = tuple(args.values()) if names is not None else _arguments(args)
    shape = np.broadcast_shapes(a.shape, b.shape, *(np.shape(arg) for arg in args))
    if names is not None and isinstance(f, str):
        integrands = _texts_of_elements(f, dict(zip(names, args)), shape)
    elif names is not None:
        raise errors.ArgumentError("the arguments of a function have an order: args=(1, 2); those of a text have names")
    elif preserve_shape:
        array = trace(f, variables(["x"] * math.prod(shape), shape) if shape else variables(["x"], ()), *args)
        shape = np.broadcast_shapes(array.shape, shape)
        integrands = list(np.broadcast_to(array, shape).ravel())
    else:
        integrands = _integrands_of_elements(f, args, shape)
    low, high = (np.broadcast_to(end, shape).ravel().astype(float) for end in (a, b))
    peaks = [[]] * low.size
    if log:
        each_own = [np.broadcast_to(arg, shape).ravel() for arg in args] if not preserve_shape else args
        height, peaks = heights(f, low, high, each_own, names, shape if preserve_shape else None)
        integrands = [np.asarray(np.exp(integrand - h), object)[()] for integrand, h in zip(integrands, height)]
        atol, rtol = tolerance(atol, max(height, default=0.0)), tolerance(rtol)
    flat = np.empty(len(integrands), object)
    flat[:] = integrands
    parts, joined = _elements(flat)
    each = len(parts) // len(integrands) if integrands else 1
    low, high, peaks = np.repeat(low, each), np.repeat(high, each), [p for p in peaks for _ in range(each)]
    if callback is not None:
        begun = _all_of(shape, math.nan, 1, np.result_type(kind, np.complex64) if each > 1 else kind, kind)
        if _stops(callback, begun):
            return _all_of(shape, math.nan, -4, begun.integral.dtype, kind)
    tolerances = {"epsabs": 0.0 if atol is None else float(atol), "epsrel": float(np.finfo(kind).eps**0.75) if rtol is None else float(rtol)}
    results = _cut_at(peaks, parts, low, high, tolerances)
    status = results["status"].reshape(-1, each).max(1, initial=0).reshape(shape)
    value, error = (joined(results[name]).reshape(shape) for name in ("value", "error"))
    error = np.abs(error)
    if log:
        value, error = logarithm(value, height.reshape(shape)), logarithm(error, height.reshape(shape))
    error = error.astype(kind)
    codes = np.array([0, -2, -2, -3], np.int32)[status]
    nfev = results["evaluations"].reshape(-1, each).sum(1).reshape(shape).astype(np.int32)
    value = value.astype(np.result_type(kind, np.complex64) if np.iscomplexobj(value) else kind)
    result = Result(integral=value[()], error=error[()], success=(codes == 0)[()], status=codes[()], nfev=nfev[()])
    if callback is not None:
        _stops(callback, result)
    return result
