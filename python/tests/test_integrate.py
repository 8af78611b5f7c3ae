"""Integrals: functions as expressions, and what SciPy's tests do not ask."""
import concurrent.futures
import itertools
import math

import numpy as np
import pytest

import mastaba
from mastaba import _logarithms, integrate
from mastaba._trace import Node, trace, variables


def text(function, *names):
    """The expression of a function, whose numbers are in it."""
    node = trace(function, *(variables([name], ()) for name in names)).reshape(())[()]
    return "".join(part if isinstance(part, str) else repr(float(part)) for part in node.parts)


OPERATIONS = [
    lambda x, y: 2 * x - (x - y) - 3 / (x / y), lambda x, y: -x**2 + (-x)**2 - x**-y, lambda x, y: (x**y)**2 + x**(y**2) - (x + y) * 2,
    lambda x, y: x % y + (-x) % y + x // y + np.fmod(-x, y), lambda x, y: np.hypot(x, y) - np.arctan2(-x, y) + np.maximum(x, y) * np.fmin(x, y),
    lambda x, y: np.where((x > y) & ~(x < 1) | (y == 0.75), x - y, 7.0), lambda x, y: np.exp(-x) * np.sqrt(y) + np.square(x) + np.reciprocal(y),
    lambda x, y: abs(np.exp(1j * x * y) / (x + 2j)) + np.real((x + 1j * y)**3), lambda x, y: np.heaviside(x - y, 0.5) + np.logaddexp(x, y),
    lambda x, y: np.sum(np.array([x, y, 1.5])**2) + np.prod(np.stack([x, y])) + np.dot(np.array([x, y]), [2, 3]),
    lambda x, y: np.clip(x, 0.9, 1.1) + np.deg2rad(y), lambda x, y: sum(x * y**k for k in range(4)) - (x if x > y else -y),
]


@pytest.mark.parametrize("k", range(len(OPERATIONS)))
def test_operations(k):
    """The text of each function has, in Python's own arithmetic, the values that the function has."""
    function = OPERATIONS[k]
    written = text(function, "x", "y")
    for x, y in ((1.3, 0.75), (0.6, 1.9), (2.5, 2.25)):
        symbols = mastaba._library.ffi.new("mst_symbol[]", 2)
        names = [mastaba._library.ffi.new("char[]", name) for name in (b"x", b"y")]
        symbols[0], symbols[1] = (names[0], 0, 0, x), (names[1], 0, 0, y)
        out = mastaba._library.ffi.new("double *")
        mastaba._library.check(mastaba._library.lib.mst_expression_value(
            written.encode(), b"it", symbols, 2, out, mastaba._library.per_thread.error))
        assert out[0] == pytest.approx(float(function(np.float64(x), np.float64(y))), rel=1e-14), written


def test_branches():
    def f(x):
        if 0 < x < 2.5:
            return np.sin(x)
        elif x <= 5:
            return np.exp(-x)
        return 0.0

    value, error = integrate.quad(f, 0, 10, points=[2.5, 5.0])
    assert abs(value - (1 - math.cos(2.5) + math.exp(-2.5) - math.exp(-5))) <= error < 1e-8


def endless(x):
    while x > 0:
        x = x - 1
    return x


@pytest.mark.parametrize("function, why", [
    (math.sin, "number"), (endless, "64 conditions"), (lambda x: [1, 2, 3][x], "index"), (lambda x: x.upper(), "AttributeError"),
    (np.frexp, "frexp is no function"), (lambda x: np.add(x, 1, where=[True]), "where"), (42, "neither"),
    (lambda x: None, "gives a NoneType and no number"), (lambda x: "x", "gives <U1 and no number"), (lambda x: [x, "y"], "gives a str and no number")])
def test_refusals(function, why):
    with pytest.raises(mastaba.errors.TraceError, match=why) as caught:
        integrate.quad(function, 0, 1)
    assert "\n" not in str(caught.value)


def test_bessel_functions():
    special = pytest.importorskip("scipy.special")
    value, error = integrate.quad(lambda x: special.j1(x) + 2 * special.j0(x) * special.j1(x), 0, 12)
    first, last = (-special.j0(x) - special.j0(x)**2 for x in (0.0, 12.0))
    assert abs(value - (last - first)) <= error + 1e-14 and error < 1e-8


def test_numbers_share_a_kernel():
    plans = mastaba._contexts.current().plans
    integrate.quad(lambda x, a: np.exp(-a * x), 0, 1, args=(2.5,))
    before = set(plans)
    for a, end in ((1.5, 2), (-3.25, 0.5)):
        value, error = integrate.quad(lambda x, a: np.exp(-a * x), 0, end, args=(a,))
        assert abs(value - -math.expm1(-a * end) / a) <= error < 1e-8
    assert set(plans) == before


def test_texts():
    value, error = integrate.quad("exp(-a*x)", 0, "inf", args={"a": 2})
    assert abs(value - 0.5) <= error
    value, error = integrate.dblquad("x*y", 0, 1, 0, "x")
    assert abs(value - 1 / 8) <= error < 1e-8
    with pytest.raises(mastaba.errors.ArgumentError, match="names"):
        integrate.quad("a*x", 0, 1, args=(2,))
    with pytest.raises(mastaba.errors.ArgumentError, match="sinn"):
        integrate.quad("sinn(x)", 0, 1)


def test_missed_tolerance_is_told():
    with pytest.warns(integrate.IntegrationWarning):
        integrate.quad("1/x", 0, 1)
    *_, message = integrate.quad("1/x", 0, 1, full_output=1)
    assert "\n" not in message


def test_weights():
    for wanted, parts in ((math.sqrt(math.pi / 2), (lambda x: x**-0.5, "cos")), (math.pi / 2, (lambda x: 1 / x, "sin"))):
        value, error = integrate.quad(parts[0], 0, math.inf, weight=parts[1], wvar=1)
        assert abs(value - wanted) <= error < 1e-8
    for weight, wvar, wanted in (("alg", (-0.5, 0.5), math.pi / 2), ("alg-loga", (0, 0), -1.0), ("sin", math.pi, 2 / math.pi)):
        value, error = integrate.quad(lambda x: 1.0, 0, 1, weight=weight, wvar=wvar)
        assert abs(value - wanted) <= max(error, 1e-12) and error < 1e-7
    for a, b in ((0, 3), (3, 0)):
        value, error = integrate.quad(lambda x: x, a, b, weight="cauchy", wvar=1)
        assert abs(value - (3 + math.log(2)) * (1 if a < b else -1)) <= max(error, 1e-12) and error < 1e-7
    value, error = integrate.quad("k*x", 0, 3, args={"k": 2}, weight="cauchy", wvar=1)  # a text moves to the pole, too
    assert abs(value - 2 * (3 + math.log(2))) <= max(error, 1e-12)
    with pytest.raises(mastaba.errors.ArgumentError, match="names"):
        integrate.quad("x", 0, 3, args=(2,), weight="cauchy", wvar=1)


def test_no_and_array_points():
    assert integrate.tanhsinh(lambda x: x, np.empty(0), 1.0).integral.shape == (0,)
    assert abs(integrate.cubature("x0+x1", [0, 0], [1, 1], points=np.array([[0.5, 0.5]])).estimate - 1) < 1e-12


def test_many_at_a_time():
    a = np.linspace(0.5, 3, 50)
    value, error = integrate.quad_vec(lambda x: np.exp(-a * x), 0, np.inf)
    assert np.linalg.norm(value - 1 / a) <= error < 1e-7
    result = integrate.tanhsinh(lambda x, p: x**p, 0, [1.0, 2.0], args=(np.array([[-0.5], [0.5]]),))
    assert result.success.all() and np.allclose(result.integral, [[2, 2 * math.sqrt(2)], [2 / 3, 2**1.5 * 2 / 3]], rtol=1e-12)
    result = integrate.cubature(lambda x, k: np.cos(k * x.sum(-1)), [0, 0], [1, 1], args=(2.0,))
    assert result.status == "converged" and abs(result.estimate - (2 * math.cos(2) - math.cos(4) - 1) / 4) <= result.error < 1e-7


def test_unlike_elements_share_nodes():
    functions = [lambda x: np.exp(x), lambda x: np.log(x), lambda x: np.abs(x - 0.3), lambda x: np.cos(x) * np.exp(x)]
    exact = np.array([math.expm1(1), -1, (0.09 + 0.49) / 2, (math.e * (math.sin(1) + math.cos(1)) - 1) / 2])
    value, error, told = integrate.quad_vec(lambda x: np.array([f(x) for f in functions]), 0, 1, epsrel=1e-9, full_output=True)
    alone = [integrate.quad_vec(f, 0, 1, epsrel=1e-9, full_output=True)[2].neval for f in functions]
    assert np.linalg.norm(value - exact) <= error < 1e-7 and told.success
    assert told.neval < sum(alone)
    value, error = integrate.quad_vec(lambda x: np.array([[x, 1j * np.exp(1j * x)], [np.cos(x), np.sin(x) * 2]]), 0, 1)  # complex ones, too
    assert np.allclose(value, [[0.5, np.exp(1j) - 1], [math.sin(1), 2 - 2 * math.cos(1)]], rtol=1e-12)
    sums = [lambda x, n=n: sum(x**k for k in range(1, n)) for n in range(2, 42)]  # more than 32
    many, _, told = integrate.quad_vec(lambda x: np.array([f(x) for f in sums]), 0, 1, full_output=True)
    assert np.allclose(many, [sum(1 / (k + 1) for k in range(1, n)) for n in range(2, 42)], rtol=1e-9)
    alone = [integrate.quad_vec(f, 0, 1, full_output=True)[2].neval for f in sums[::39]]
    assert max(alone) <= told.neval < sum(alone) * 10


def test_unlike_elements_of_boxes_share_nodes():
    functions = [lambda x: x[:, 0] * x[:, 1], lambda x: np.exp(x.sum(-1))]
    for points in (None, [[0.5, 0.5]]):
        options = {"a": [0, 0], "b": [1, 1], "points": points}
        result = integrate.cubature(lambda x: np.stack([f(x) for f in functions], axis=-1), **options)
        alone = [integrate.cubature(f, **options).evaluations for f in functions]
        assert result.status == "converged" and np.allclose(result.estimate, [0.25, math.expm1(1) ** 2], rtol=1e-8)
        assert max(alone) <= result.evaluations < sum(alone), points


def test_one_unlike_element_among_many():
    """Those that are alike are what they are alone, to the bit, and the other does not take their nodes."""
    a = np.linspace(2, 9, 100)
    others = lambda x: np.exp(a * x)  # noqa: E731
    value, _, told = integrate.quad_vec(lambda x: np.concatenate([others(x)[:50], [np.log(x)], others(x)[50:]]), 0, 1, full_output=True)
    alike, _, of_alike = integrate.quad_vec(others, 0, 1, full_output=True)
    alone, _, of_one = integrate.quad_vec(lambda x: np.log(x), 0, 1, full_output=True)
    assert np.array_equal(np.delete(value, 50), alike) and value[50] == alone
    assert told.neval == of_alike.neval + of_one.neval


def test_alike_elements_that_differ_in_too_many_numbers():
    rows = np.random.default_rng(1).random((2, 70))
    value = integrate.quad_vec(lambda x: np.array([sum(c * x for c in row) for row in rows]), 0, 1)[0]
    assert np.allclose(value, rows.sum(1) / 2, rtol=1e-12)


def test_empty_and_turned():
    assert integrate.quad(lambda x: 1 / x, 0, 0) == (0.0, 0.0)
    assert integrate.quad_vec(lambda x: np.zeros((0, 3)), 0, 1)[0].shape == (0, 3)
    assert integrate.quad("x", 2, 0)[0] == pytest.approx(-2)


def test_ends_that_are_no_numbers():
    for ends in ((np.nan, 1), (0, np.nan)):
        for log in (False, True):
            got = integrate.tanhsinh(lambda x: x, *ends, log=log)
            assert np.isnan(got.integral) and not got.success and got.status == -3
    some = integrate.tanhsinh(lambda x: x, [0, np.nan], 1)  # and the others are as they are alone
    assert np.allclose(some.integral, [0.5, np.nan], equal_nan=True)


def test_traces_of_threads_do_not_mix():
    found = {}

    def work(k):
        for _ in range(50):
            found.setdefault(k, set()).add(text(lambda x: np.where(x > k, k * x, x), "x"))

    with concurrent.futures.ThreadPoolExecutor(8) as threads:
        list(threads.map(work, range(2, 6)))
    assert all(len(texts) == 1 for texts in found.values()) and len(found) == 4
    with pytest.raises(mastaba.errors.TraceError, match="after"):
        bool(Node(("x",)))


def test_arguments_by_their_names():
    """tanhsinh's kwargs, as SciPy has them from 1.18 on."""
    b = np.array([1.0, 2.0])
    wanted = (np.exp(3 * b) - 1) / b
    for f, args in ((lambda x, a, b: np.exp(a * b * x), (3.0,)), ("exp(a*b*x)", {"a": 3.0})):
        assert np.allclose(integrate.tanhsinh(f, 0, 1, args=args, kwargs={"b": b}).integral, wanted / 3)
    with pytest.raises(ValueError, match="kwargs"):
        integrate.tanhsinh(lambda x: x, 0, 1, kwargs=(1,))


def test_points_that_depend_on_outer_variables():
    """SciPy's example: a step along t0 - t1 x1."""
    def f(x, y, c):
        return x * y + (1 if x + c * y > 0 else 0)

    value, error = integrate.nquad(f, [lambda y, c: [-1 - c, y + c], [0, 1]], args=(0.5,), opts=[lambda y, c: {"points": [-c * y]}, {}])
    # x from -1.5 to y + 0.5: x y, and 1 from -y/2 on
    wanted = (1 / 4 + 1 / 3 + 1 / 8) / 2 - 1.5**2 / 4 + (3 / 4 + 1 / 2)
    assert abs(value - wanted) <= max(error, 1e-12)


def test_texts_with_arguments_at_singular_ends():
    a = np.array([[0.25], [0.5]])
    got = integrate.tanhsinh("left^(a-1)*c", 0, 1, args={"a": a, "c": np.array([1.0, 3.0])})
    assert got.integral.shape == (2, 2) and np.allclose(got.integral, [1, 3] / a, rtol=1e-9)
    with pytest.raises(mastaba.errors.ArgumentError, match="order"):
        integrate.tanhsinh(lambda x, a: x * a, 0, 1, args={"a": 1})


def test_peaks_that_are_looked_at(monkeypatch):
    """At most 16 of an element, which are the highest, however many there are in the samples."""
    looked, closer = [], _logarithms._closer
    monkeypatch.setattr(_logarithms, "_closer", lambda x, k: looked.append(k.size) or closer(x, k))
    integrate.tanhsinh("-abs(sin(w*x))*3000", 0, 1, args={"w": np.array([99.0, 33.0, 0.5])}, log=True)
    assert 16 < max(looked) <= 3 * 16
    of, tops, places = np.repeat([1, 0], 40), np.concatenate([np.arange(40.0), -np.arange(40.0)]), np.arange(80.0)
    kept = _logarithms._highest(of, tops, places)
    assert kept.tolist() == [*range(24, 40), *range(40, 56)]
    again = np.concatenate([kept, kept])  # each place twice
    assert sorted(again[_logarithms._highest(of[again], tops[again], places[again])].tolist()) == kept.tolist()
    assert _logarithms._highest(of[:0], tops[:0], places[:0]).size == 0


def test_logarithms_of_integrands():
    """Of what would be infinite or 0 by itself, and of negative and complex values."""
    def normal(x, m):
        return -0.5 * (x - m)**2 - 0.5 * np.log(2 * np.pi) + 2000

    got = integrate.tanhsinh(normal, -np.inf, np.inf, args=(np.array([0.0, 1, 5]),), log=True)
    assert np.allclose(got.integral, 2000, rtol=1e-13) and np.all(got.error < 2000 - 20) and got.success.all() and got.integral.dtype == float
    got = integrate.tanhsinh("a*x", 0, 1, args={"a": np.array([-5000.0, 5000])}, log=True)
    assert np.allclose(got.integral, [-np.log(5000), 5000 - np.log(5000)], rtol=1e-13)
    turned = integrate.tanhsinh(lambda x: x, 1, 0, log=True).integral
    assert np.isclose(turned, np.log(np.expm1(1)) + 1j * np.pi)
    twisted = integrate.tanhsinh(lambda x: (1 + 2j) * x + 3000, 0, 1, log=True).integral
    assert np.isclose(np.exp(twisted - 3000), np.expm1(1 + 2j) / (1 + 2j))
    several = integrate.tanhsinh(lambda x: np.array([x, -700 * x]), 0, 1, log=True, preserve_shape=True)
    assert np.allclose(several.integral, [np.log(np.expm1(1)), -np.log(700)])
    loose = integrate.tanhsinh(lambda x: x - 3000, 0, 1, log=True, atol=0.0, rtol=1000.0)  # as numbers these would be infinite
    assert loose.success and np.isclose(loose.integral, np.log(np.expm1(1)) - 3000)
    for deviation in (1e-2, 1e-4, 1e-7):  # peaks between samples
        got = integrate.tanhsinh(lambda x, m: normal((x - m) / deviation, 0) - np.log(deviation), [-np.inf, 0, -2], [np.inf, 1, 9], args=(0.3123456,), log=True)
        assert np.allclose(got.integral, 2000, rtol=0, atol=1e-8) and np.all(got.error < 2000 - 3) and (deviation < 1e-5 or got.success.all())
    m, deviation = np.array([0.3, 0.123456, 17.3, 0.7, -4e5]), np.array([1e-5, 1e-8, 1e-5, 1e-5, 1e-2])  # which samples come near to, and miss
    got = integrate.tanhsinh(lambda x, m, d: normal((x - m) / d, 0) - np.log(d), -np.inf, np.inf, args=(m, deviation), log=True)
    assert np.allclose(got.integral, 2000, rtol=0, atol=1e-9) and np.all(got.error < 2000 - 18)
    for deviation, low, high in itertools.product((1e-3, 1e-5, 1e-8), (-np.inf, -2, 0), (np.inf, 1)):  # three peaks, two of a height
        def peak(x, m, deviation=deviation):
            return normal((x - m) / deviation, 0) - np.log(deviation)

        got = integrate.tanhsinh(lambda x, shift: np.maximum(np.maximum(peak(x, 0.3 + shift), peak(x, 0.7)), peak(x, 0.123456) - 3), low, high,
                                 args=(np.array([0.0, 0.2]),), log=True)
        assert np.allclose(got.integral, 2000 + np.log(2 + np.exp(-3)), rtol=0, atol=1e-8), (deviation, low, high)
    assert np.isclose(integrate.tanhsinh("-abs(sin(15*x))*3000", 0, 1, log=True).integral, np.log(2e-4), rtol=0, atol=1e-5)  # five, one at an end
    assert np.isclose(integrate.tanhsinh("-abs(sin(33*x))*3000", 0, 1, log=True).integral, np.log(21 / (3000 * 33)), rtol=0, atol=1e-5)  # eleven
    many = integrate.tanhsinh("-abs(sin(99*x))*3000", 0, 1, log=True)  # 32, which are more than are looked for
    assert not many.success and many.error == np.inf and np.isclose(many.integral, np.log(63 / (3000 * 99)), rtol=0, atol=1.5)
    for name in ("rtol", "atol"):
        with pytest.raises(ValueError, match="positive infinity"):
            integrate.tanhsinh(lambda x: x, 0, 1, log=True, **{name: np.inf})


def test_callbacks_of_tanhsinh():
    """Before the one call of the library, and after it; StopIteration before it stops."""
    seen = []
    result = integrate.tanhsinh(lambda x, p: x**p, 0, 1, args=(np.array([1.0, 2.0]),), callback=seen.append)
    assert np.allclose(result.integral, [1 / 2, 1 / 3]) and len(seen) == 2 and seen[1] is result
    assert seen[0].status.tolist() == [1, 1] and not seen[0].success.any() and np.isnan(seen[0].integral).all() and seen[0].nfev.tolist() == [0, 0]

    def stop(so_far):
        seen.append(so_far)
        raise StopIteration

    stopped = integrate.tanhsinh(lambda x: (1 + 1j) * x, np.float32(0), np.float32(1), callback=stop)
    assert stopped.status == -4 and not stopped.success and np.isnan(stopped.integral) and stopped.integral.dtype == np.complex64 and len(seen) == 3
    with pytest.raises(ValueError, match="callable"):
        integrate.tanhsinh(lambda x: x, 0, 1, callback=1)
    with pytest.raises(KeyError):
        integrate.tanhsinh(lambda x: x, 0, 1, callback=lambda so_far: {}["a"])
