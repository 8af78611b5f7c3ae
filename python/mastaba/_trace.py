"""Python functions as expressions: a function is called once with stand-ins for its variables, and what NumPy does to them is written down.

A stand-in (Node) is a piece of text in the language of docs/expressions.md in which numbers are still numbers, so that integrals which
differ in numbers alone share one kernel. Arrays of them (Traced) are NumPy's own, of objects: reshaping, indexing, sums and products are
NumPy's; its functions of elements come back here by __array_ufunc__. Where a function asks whether a condition on a variable is true, it
is called once more for the other answer, and both results are joined as `condition ? one : other`.
"""
import contextvars
import math
import numbers

import numpy as np

from . import errors

_MOST_CALLS = 64
_CHOICE, _OR, _AND, _COMPARED, _SUM, _PRODUCT, _SIGN, _POWER, _ATOM = range(9)  # how tightly the operators of a text bind

_answers = contextvars.ContextVar("mastaba_answers", default=None)


def _refuse(why):
    raise errors.TraceError(f"the function cannot be traced: {why}; write it with NumPy's functions, or as text")


class Exponent(float):
    """A number that a power is taken to: small whole ones are better left in the text."""


class Node:
    """An expression: its parts, text and numbers by turns, and how tightly its outermost operator binds."""

    __slots__ = ("parts", "level")

    def __init__(self, parts, level=_ATOM):
        self.parts, self.level = parts, level

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        return Traced.__array_ufunc__(None, ufunc, method, *inputs, **options)

    def __bool__(self):
        answers = _answers.get()
        if answers is None:
            _refuse("a condition is asked for after the call")
        return answers.of(self)

    def _number(self, *_):
        _refuse("it turns a variable into a number (functions of math do)")

    __float__ = __int__ = __index__ = __complex__ = _number

    def __iter__(self):
        raise TypeError("a variable is a number, not a sequence")

    __hash__ = None
    real = property(lambda self: self)
    imag = property(lambda self: 0.0)

    def conjugate(self):
        return self

    def item(self):
        return self


class Complex:
    """A complex expression: its two parts, each a Node or a number."""

    __slots__ = ("real", "imag")
    __array_ufunc__ = Node.__array_ufunc__
    __hash__ = None

    def __init__(self, real, imag):
        self.real, self.imag = real, imag

    def conjugate(self):
        return Complex(self.real, _negative(self.imag))

    def __bool__(self):
        _refuse("it compares complex numbers")


# ---- Operations on numbers and Nodes

def _parts(value, level):
    """Those of an operand in a place where an operator of this level stands."""
    if not isinstance(value, Node):
        return (value if isinstance(value, Exponent) else float(value),)
    return value.parts if value.level >= level else ("(", *value.parts, ")")


def _call(name, *values):
    parts = [name + "("]
    for k, value in enumerate(values):
        parts += [", "] * (k > 0) + [*_parts(value, _CHOICE)]
    return Node((*parts, ")"))


def _binary(sign, level, right=1):
    """The operator of a sign: from the left, so what stands right of it binds tighter."""
    def operate(x, y):
        return Node((*_parts(x, level), sign, *_parts(y, level + right)), level)

    return operate


_sum, _difference, _product, _quotient = (_binary(sign, level) for sign, level in (("+", _SUM), ("-", _SUM), ("*", _PRODUCT), ("/", _PRODUCT)))


def _is(value, number):
    return not isinstance(value, Node) and value == number


def _add(x, y):
    return y if _is(x, 0) else x if _is(y, 0) else _sum(x, y)


def _subtract(x, y):
    return x if _is(y, 0) else _negative(y) if _is(x, 0) else _difference(x, y)


def _multiply(x, y):
    return y if _is(x, 1) else x if _is(y, 1) else _product(x, y)


def _divide(x, y):
    return x if _is(y, 1) else _quotient(x, y)


def _negative(x):
    return Node(("-", *_parts(x, _SIGN)), _SIGN) if isinstance(x, Node) else -x


def _power(x, y):
    if _is(y, 0) or _is(y, 1):
        return 1.0 if y == 0 else x
    y = y if isinstance(y, Node) else Exponent(y)
    return Node((*_parts(x, _ATOM), "^", *_parts(y, _POWER)), _POWER)


def choose(condition, x, y):
    if isinstance(x, Complex) or isinstance(y, Complex) or np.iscomplexobj(x) or np.iscomplexobj(y):
        return Complex(choose(condition, x.real, y.real), choose(condition, x.imag, y.imag))
    if not isinstance(condition, Node):
        return x if condition else y
    return Node((*_parts(condition, _OR), " ? ", *_parts(x, _OR), " : ", *_parts(y, _CHOICE)), _CHOICE)


def _logical_not(x):
    return Node(("!", *_parts(x, _ATOM)), _SIGN)


def _heaviside(x, middle):
    return choose(_LESS(x, 0.0), 0.0, choose(_EQUAL(x, 0.0), middle, 1.0))


def _remainder(x, y):
    """NumPy's has the sign of y."""
    return _subtract(x, _multiply(y, _call("floor", _divide(x, y))))


def _logaddexp(x, y):
    return _add(_call("max", x, y), _call("log1p", _call("exp", _negative(_call("abs", _subtract(x, y))))))


def _named(*pairs):
    return {ours: (lambda *values, name=name: _call(name, *values)) for ours, name in pairs}


_LESS, _EQUAL = _binary("<", _COMPARED), _binary("==", _COMPARED)
_REAL = {
    **_named(*((name, name) for name in ("sign", "floor", "ceil", "trunc", "sqrt", "cbrt", "exp", "exp2", "expm1", "log", "log2", "log10",
                                         "log1p", "sin", "cos", "tan", "sinh", "cosh", "tanh", "erf", "erfc", "gamma", "hypot", "j0", "j1"))),
    **_named(*(("arc" + name, "a" + name) for name in ("sin", "cos", "tan", "tan2", "sinh", "cosh", "tanh"))),
    **_named(("absolute", "abs"), ("fabs", "abs"), ("minimum", "min"), ("fmin", "min"), ("maximum", "max"), ("fmax", "max"),
             ("fmod", "mod"), ("gammaln", "lgamma"), ("loggamma", "lgamma")),
    "add": _add, "subtract": _subtract, "multiply": _multiply, "divide": _divide, "true_divide": _divide, "negative": _negative,
    "positive": lambda x: x, "conjugate": lambda x: x, "power": _power, "float_power": _power, "remainder": _remainder,
    "floor_divide": lambda x, y: _call("floor", _divide(x, y)), "square": lambda x: _power(x, 2.0), "reciprocal": lambda x: _divide(1.0, x),
    "radians": lambda x: _multiply(x, math.pi / 180), "deg2rad": lambda x: _multiply(x, math.pi / 180),
    "degrees": lambda x: _multiply(x, 180 / math.pi), "rad2deg": lambda x: _multiply(x, 180 / math.pi),
    "less": _LESS, "less_equal": _binary("<=", _COMPARED), "greater": _binary(">", _COMPARED), "greater_equal": _binary(">=", _COMPARED),
    "equal": _EQUAL, "not_equal": _binary("!=", _COMPARED), "logical_and": _binary(" && ", _AND), "logical_or": _binary(" || ", _OR),
    "bitwise_and": _binary(" && ", _AND), "bitwise_or": _binary(" || ", _OR), "logical_not": _logical_not, "invert": _logical_not,
    "isnan": lambda x: _binary("!=", _COMPARED)(x, x), "isinf": lambda x: _EQUAL(_call("abs", x), math.inf),
    "isfinite": lambda x: _LESS(_call("abs", x), math.inf), "heaviside": _heaviside, "signbit": lambda x: _LESS(_call("copysign", 1.0, x), 0.0), "logaddexp": _logaddexp,
    "expit": lambda x: _divide(1.0, _add(1.0, _call("exp", _negative(x)))),
    "xlogy": lambda x, y: choose(_EQUAL(x, 0.0), 0.0, _multiply(x, _call("log", y))),
    "exprel": lambda x: choose(_EQUAL(x, 0.0), 1.0, _divide(_call("expm1", x), x)),
}


# ---- Complex numbers, by their parts

def _of(name, *values):
    """A function of real values, some of which may be plain numbers."""
    if any(isinstance(value, Node) for value in values):
        return _REAL[name](*values)
    value = getattr(np, name)(*map(float, values))
    return float(value)


def within(value, start, end):
    """A value moved between two ends in either order; each of them a Node or a number."""
    return _of("maximum", _of("minimum", start, end), _of("minimum", _of("maximum", start, end), value))


def _square_of_absolute(z):
    return _of("add", _of("multiply", z.real, z.real), _of("multiply", z.imag, z.imag))


def _complex_product(x, y):
    return Complex(_of("subtract", _of("multiply", x.real, y.real), _of("multiply", x.imag, y.imag)),
                   _of("add", _of("multiply", x.real, y.imag), _of("multiply", x.imag, y.real)))


def _complex_quotient(x, y):
    if _is(y.imag, 0):
        return Complex(_of("divide", x.real, y.real), _of("divide", x.imag, y.real))
    z, size = _complex_product(x, Complex(y.real, _of("negative", y.imag))), _square_of_absolute(y)
    return Complex(_of("divide", z.real, size), _of("divide", z.imag, size))


def _complex_exponential(z):
    size = _of("exp", z.real)
    return Complex(_of("multiply", size, _of("cos", z.imag)), _of("multiply", size, _of("sin", z.imag)))


def _complex_logarithm(z):
    return Complex(_of("log", _of("hypot", z.real, z.imag)), _of("arctan2", z.imag, z.real))


def _complex_power(x, y):
    if not isinstance(y, Complex) and float(y) == int(y) and 0 < y <= 16:
        z = x
        for _ in range(int(y) - 1):
            z = _complex_product(z, x)
        return z
    return _complex_exponential(_complex_product(y if isinstance(y, Complex) else Complex(y, 0.0), _complex_logarithm(x)))


_COMPLEX = {
    "add": lambda x, y: Complex(_of("add", x.real, y.real), _of("add", x.imag, y.imag)),
    "subtract": lambda x, y: Complex(_of("subtract", x.real, y.real), _of("subtract", x.imag, y.imag)),
    "multiply": _complex_product, "divide": _complex_quotient, "true_divide": _complex_quotient, "power": _complex_power,
    "negative": lambda z: Complex(_of("negative", z.real), _of("negative", z.imag)), "positive": lambda z: z,
    "conjugate": lambda z: z.conjugate(), "absolute": lambda z: _of("hypot", z.real, z.imag), "square": lambda z: _complex_product(z, z),
    "reciprocal": lambda z: _complex_quotient(Complex(1.0, 0.0), z), "exp": _complex_exponential, "log": _complex_logarithm,
    "sin": lambda z: Complex(_of("multiply", _of("sin", z.real), _of("cosh", z.imag)), _of("multiply", _of("cos", z.real), _of("sinh", z.imag))),
    "cos": lambda z: Complex(_of("multiply", _of("cos", z.real), _of("cosh", z.imag)),
                             _of("negative", _of("multiply", _of("sin", z.real), _of("sinh", z.imag)))),
    "sqrt": lambda z: _complex_power(z, 0.5),
}


def _operand(value):
    if isinstance(value, (Node, Complex)):
        return value
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return _operand(value[()])
    if isinstance(value, numbers.Real) or isinstance(value, np.bool_):
        return float(value)
    if isinstance(value, numbers.Complex):
        return Complex(value.real, value.imag)
    _refuse(f"it computes with a {type(value).__name__}")


def _apply(name):
    """The function of elements behind a ufunc's name."""
    def apply(*values):
        values = [_operand(value) for value in values]
        if any(isinstance(value, Complex) for value in values):
            if name not in _COMPLEX:
                _refuse(f"{name} of complex numbers is no function of expressions")
            return _COMPLEX[name](*values)
        if name not in _REAL:
            _refuse(f"{name} is no function of expressions")
        if hasattr(np, name) and not any(isinstance(value, Node) for value in values):
            return getattr(np, name)(*values)
        return _REAL[name](*values)

    return apply


def _operator(name, turned=False):
    call = _apply(name)
    return (lambda x, y, *_: _elements(call, y, x)) if turned else (lambda x, *y: _elements(call, x, *y[:1]))


def _elements(call, *values):
    """A function of elements of arrays, too."""
    if any(isinstance(value, np.ndarray) and value.ndim for value in values):
        return traced(np.frompyfunc(call, len(values), 1)(*(np.asarray(value, object) for value in values)))
    if not all(isinstance(value, (Node, Complex, numbers.Number, np.bool_, np.ndarray)) for value in values):
        return NotImplemented
    return call(*values)


for _kind in (Node, Complex):
    for _method, _name in (("add", "add"), ("sub", "subtract"), ("mul", "multiply"), ("truediv", "divide"), ("pow", "power"),
                           ("mod", "remainder"), ("floordiv", "floor_divide"), ("and", "bitwise_and"), ("or", "bitwise_or")):
        setattr(_kind, f"__{_method}__", _operator(_name))
        setattr(_kind, f"__r{_method}__", _operator(_name, True))
    for _method, _name in (("neg", "negative"), ("pos", "positive"), ("abs", "absolute"), ("invert", "invert"), ("floor", "floor"), ("ceil", "ceil"),
                           ("trunc", "trunc"), ("lt", "less"), ("le", "less_equal"), ("gt", "greater"), ("ge", "greater_equal"),
                           ("eq", "equal"), ("ne", "not_equal")):
        setattr(_kind, f"__{_method}__", _operator(_name))
    for _name in {**_REAL, **_COMPLEX}:  # what NumPy calls for each element of an array of objects
        if not hasattr(_kind, _name):
            setattr(_kind, _name, _operator(_name))


# ---- Arrays

class Traced(np.ndarray):
    """An array of Nodes, which says that it is one of float64."""

    dtype = property(lambda self: np.dtype(float))
    real = property(lambda self: traced(np.frompyfunc(lambda z: z.real, 1, 1)(self.view(np.ndarray))))
    imag = property(lambda self: traced(np.frompyfunc(lambda z: z.imag, 1, 1)(self.view(np.ndarray))))

    def astype(self, *_, **__):
        return self.copy()

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **options):
        if options.get("where", True) is not True:
            _refuse(f"numpy.{ufunc.__name__} is called with `where`; use numpy.where")
        values = [np.asarray(value).view(np.ndarray) if isinstance(value, (np.ndarray, list, tuple)) else value for value in inputs]
        if method == "__call__" and ufunc.signature is None:
            arrays = [np.asarray(value, object) for value in values]
            result = np.frompyfunc(_apply(ufunc.__name__), len(arrays), 1)(*arrays)
        else:  # reductions, and products of matrices
            options.pop("dtype", None)
            result = getattr(ufunc, method)(*values, **options)
        if out is None:
            return traced(result)
        if not isinstance(out[0], Traced):
            _refuse(f"numpy.{ufunc.__name__} writes a variable into an array of numbers")
        out[0].view(np.ndarray)[...] = result
        return out[0]

    def __array_function__(self, function, types, arguments, options):
        types = [kind for kind in types if kind is not Traced] + [np.ndarray]
        try:
            return traced(super().__array_function__(function, types, arguments, options))
        except errors.TraceError:
            raise
        except TypeError as error:
            _refuse(f"numpy.{function.__name__} does not take it ({error})")


def traced(value):
    """An array, or the one element, of objects that holds Nodes as one that NumPy's functions come back from."""
    if isinstance(value, (Node, Complex)):
        array = np.empty((), object)
        array[()] = value
        return array.view(Traced)
    if isinstance(value, np.ndarray) and np.ndarray.dtype.__get__(value) == object:
        return value.view(Traced)
    return value


def variables(names, shape=()):
    """Stand-ins for variables, an array of a shape: of one name without axes, which counts as a number."""
    array = np.empty(len(names), object)
    array[:] = [Node((name,)) for name in names]
    return array.reshape(shape).view(Traced)


# ---- Calls

class _Answers:
    """The answers that one call of a function gets to conditions: those given, then always yes."""

    def __init__(self, given):
        self.given, self.conditions, self.known = given, [], {}

    def of(self, condition):
        answer = self.known.get(condition.parts)
        if answer is None:
            if len(self.conditions) == _MOST_CALLS:
                _refuse(f"it asks for more than {_MOST_CALLS} conditions on variables")
            answer = self.given[len(self.conditions)] if len(self.conditions) < len(self.given) else True
            self.conditions.append(condition)
            self.known[condition.parts] = answer
        return answer


def _joined(condition, x, y):
    x, y = np.broadcast_arrays(x, y)
    joined = np.empty(x.shape, object)
    for place in np.ndindex(x.shape):
        joined[place] = choose(condition, x[place], y[place])
    return joined


def _unwrapped(array):
    """The same with the elements of arrays without axes, of which a list makes elements."""
    kind = np.ndarray.dtype.__get__(array)
    if kind == object:
        array = array.view(np.ndarray)
        for place in np.ndindex(array.shape):
            if isinstance(array[place], np.ndarray) and not array[place].ndim:
                array[place] = array[place][()]
            if not isinstance(array[place], (Node, Complex, numbers.Number, np.bool_)):
                _refuse(f"it gives a {type(array[place]).__name__} and no number")
    elif kind.kind not in "biufc":
        _refuse(f"it gives {kind} and no number")
    return array


def trace(function, *arguments):
    """What the function makes of arguments that hold variables: an array of Nodes, Complexes and numbers."""
    if not callable(function):
        raise errors.TraceError(f"a {type(function).__name__} is neither a Python function nor the text of an expression")
    calls = [0]

    def follow(given):
        calls[0] += 1
        if calls[0] > _MOST_CALLS:
            _refuse(f"its conditions on variables have more than {_MOST_CALLS} outcomes")
        answers = _Answers(given)
        token = _answers.set(answers)
        try:
            result = _unwrapped(np.asarray(function(*arguments)))
        except errors.TraceError:
            raise
        except Exception as error:
            text = str(error).splitlines()[0] if str(error) else ""
            raise errors.TraceError(f"the function cannot be traced: called with a variable it raised {type(error).__name__}"
                                    f"{': ' + text if text else ''}; write it with NumPy's functions, or as text") from error
        finally:
            _answers.reset(token)
        taken = list(answers.known.values())
        for k in reversed(range(len(given), len(answers.conditions))):
            other = follow(taken[:k] + [False])
            result = _joined(answers.conditions[k], result, other)
        return result

    return follow([])
