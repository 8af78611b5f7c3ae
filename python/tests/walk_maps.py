"""A random walk over maps, against NumPy: types, broadcasting, promotion, functions, reductions along axes, running sums; arrays of odd sizes,
empty ones, 0-d ones, of negative and other strides, of Fortran's order, of the other order of bytes.

    python3 python/tests/walk_maps.py SECONDS [SEED]

prints what differs, and fails where anything does.
"""
import os
import random
import sys
import time
import warnings

import mastaba
import numpy as np

TYPES = "? b B h H i I q Q e f d F D".split()
INTEGERS = "bBhHiIqQ"


class Unknown(Exception):
    """What NumPy does not do, or documented to be otherwise."""


def is_complex(v):
    return np.asarray(v).dtype.kind == "c"


def is_integer(v):
    return np.asarray(v).dtype.kind in "iub"


def is_bool(v):
    return np.asarray(v).dtype.kind == "b"


class Walk:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.pick = random.Random(seed)

    def array(self, kind, shape):
        rng = self.rng
        if kind == "?":
            a = rng.random(shape) > 0.5
        elif kind in INTEGERS:
            span = np.iinfo(kind)
            a = rng.integers(span.min, span.max, shape, np.dtype(kind), endpoint=True) if rng.random() < 0.3 else rng.integers(max(span.min, -9), 9, shape).astype(kind)
        else:
            a = np.asarray(rng.standard_normal(shape) * (1 if rng.random() < 0.7 else 20))
            if kind in "FD":
                a = a + 1j * rng.standard_normal(shape)
            a = np.asarray(a).astype(kind)
            if rng.random() < 0.15 and a.size:
                a = np.where(rng.random(shape) < 0.2, np.array([np.nan, np.inf, -np.inf, 0.0, -0.0], kind)[rng.integers(0, 5, shape)], a).astype(kind)
        return self.laid_out(np.asarray(a))

    def laid_out(self, a):
        """The same elements elsewhere in memory."""
        way = self.pick.randrange(7)
        if a.ndim == 0 or way < 2:
            return a
        if way == 2:
            return np.asfortranarray(a)
        if way == 3:
            axis = self.pick.randrange(a.ndim)
            return np.flip(np.flip(a, axis).copy(), axis)
        if way == 4:
            wide = np.zeros(tuple(2 * n for n in a.shape), a.dtype)
            view = wide[tuple(slice(None, None, 2) for _ in a.shape)]
            view[...] = a
            return view
        if way == 5:
            order = list(range(a.ndim))
            self.pick.shuffle(order)
            return np.transpose(np.transpose(a, order).copy(), np.argsort(order))
        return a.astype(a.dtype.newbyteorder())

    def shapes(self, n):
        whole = tuple(self.pick.choice([1, 1, 2, 3, 5, 7, 17, 31, 33, 64, 129, 300]) for _ in range(self.pick.randrange(4)))
        if self.pick.random() < 0.06 and whole:
            whole = whole[:-1] + (0,)
        if np.prod(whole) > 50000:
            whole = whole[-1:]
        out = []
        for _ in range(n):
            s = list(whole)
            for k in range(len(s)):
                if self.pick.random() < 0.2:
                    s[k] = 1
            while s and s[0] == 1 and self.pick.random() < 0.5:
                s.pop(0)
            out.append(tuple(s))
        return out

    def leaf(self, arrays):
        r = self.pick.random()
        if r < 0.75:
            name = self.pick.choice(list(arrays))
            return name, arrays[name]
        if r < 0.9:
            v = self.pick.choice([1, 2, 3, 5, 7])
            return str(v), v
        v = self.pick.choice([0.5, 1.5, 2.25, 1e-3])
        return repr(v), v

    def tree(self, arrays, depth):
        if depth == 0 or self.pick.random() < 0.15:
            return self.leaf(arrays)
        roll = self.pick.random()
        if roll < 0.45:
            return self.binary(*self.tree(arrays, depth - 1), *self.tree(arrays, depth - 1))
        if roll < 0.75:
            return self.unary(*self.tree(arrays, depth - 1))
        c, vc = self.tree(arrays, depth - 1)
        if is_complex(vc):
            raise Unknown
        a, va = self.tree(arrays, depth - 1)
        b, vb = self.tree(arrays, depth - 1)
        if isinstance(va, (int, float)) and isinstance(vb, (int, float)):
            raise Unknown
        return f"where({c}, {a}, {b})", np.where(np.asarray(vc) != 0, va, vb)

    def binary(self, a, va, b, vb):
        if isinstance(va, (int, float)) and isinstance(vb, (int, float)):
            raise Unknown
        op = self.pick.choice("+ - * / // % < <= == != maximum minimum & | xor << >> hypot arctan2 copysign pow2".split())
        kinds = np.result_type(va, vb)
        if kinds.kind == "c" and op in ("//", "%", "<", "<=", "maximum", "minimum", "hypot", "arctan2", "copysign"):
            raise Unknown
        if op in ("&", "|", "xor", "<<", ">>"):
            if kinds.kind not in "iub" or isinstance(va, float) or isinstance(vb, float) or (op in ("<<", ">>") and (is_bool(va) or is_bool(vb))):
                raise Unknown
            f = {"&": np.bitwise_and, "|": np.bitwise_or, "xor": np.bitwise_xor, "<<": np.left_shift, ">>": np.right_shift}[op]
            return (f"xor({a}, {b})" if op == "xor" else f"({a} {op} {b})"), f(va, vb)
        if op == "pow2":
            n = self.pick.choice([2, 3])
            if isinstance(va, (int, float)) or is_bool(va):
                raise Unknown
            return f"({a})^{n}", np.asarray(va) ** n
        if op in ("hypot", "arctan2", "copysign"):
            return f"{op}({a}, {b})", getattr(np, op)(va, vb)
        if op in ("maximum", "minimum"):
            return f"{op}({a}, {b})", getattr(np, op)(va, vb)
        if op == "-" and kinds.kind == "b":
            raise Unknown
        if op in ("//", "%") and kinds.kind == "b":
            raise Unknown
        f = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.true_divide, "//": np.floor_divide, "%": np.remainder, "<": np.less,
             "<=": np.less_equal, "==": np.equal, "!=": np.not_equal}[op]
        return f"({a} {op} {b})", f(va, vb)

    def unary(self, a, va):
        if isinstance(va, (int, float)):
            raise Unknown
        op = self.pick.choice("- abs sign floor rint trunc sqrt exp sin arctan tanh isnan isfinite signbit square logical_not real imag conj log1p cbrt expm1".split())
        va = np.asarray(va)
        kind = va.dtype.kind
        if op in ("-", "sign", "square") and kind == "b" or op in ("floor", "rint", "trunc") and kind in "b" or op == "rint" and kind in "iu":
            raise Unknown
        if op in ("real", "imag", "conj") and kind != "c":
            raise Unknown
        if kind == "c" and op not in ("-", "abs", "sqrt", "exp", "sin", "tanh", "real", "imag", "conj", "square"):
            raise Unknown
        if op == "signbit" and kind in "iub":
            raise Unknown
        if op == "-":
            return f"(-{a})", np.negative(va)
        return f"{op}({a})", getattr(np, op)(va)

    def reduced(self, text, value):
        value = np.asarray(value)
        op = self.pick.choice("sum prod mean min max any all argmin argmax var std count cumsum cumprod".split())
        if value.dtype.kind == "c" and op in ("min", "max", "argmin", "argmax"):
            raise Unknown
        if op in ("prod", "cumprod") and value.dtype.kind not in "iub":
            raise Unknown
        if value.size == 0 and op in ("min", "max", "argmin", "argmax"):
            raise Unknown
        n = value.ndim
        if op.startswith("cum"):
            if n == 0:
                raise Unknown
            axis = self.pick.randrange(n)
            return f"{op}({text})", getattr(np, op)(value, axis=axis), {"axis": axis}
        axis = None if n == 0 or self.pick.random() < 0.35 else self.pick.randrange(n)
        if n > 1 and op not in ("argmin", "argmax") and self.pick.random() < 0.25:
            axis = tuple(self.pick.sample(range(n), 2))
        keep = self.pick.random() < 0.3
        how = {"axis": axis, "keepdims": keep}
        wide = np.complex128 if value.dtype.kind == "c" else np.float64
        if op == "count":
            return f"count({text})", np.count_nonzero(value, axis=axis, keepdims=keep), how
        if op in ("mean", "var", "std", "sum") and value.dtype.kind in "fc":
            f = getattr(np, op)(value.astype(wide), axis=axis, keepdims=keep)
            of = np.dtype({"e": "e", "f": "f", "d": "d", "F": "f" if op in ("var", "std") else "F", "D": "d" if op in ("var", "std") else "D"}[value.dtype.char])
            return f"{op}({text})", np.asarray(f).astype(of), how
        return f"{op}({text})", getattr(np, op)(value, axis=axis, keepdims=keep), how


def tolerance(dtype, depth):
    eps = {"e": 2e-3, "f": 4e-6, "F": 4e-6, "d": 1e-13, "D": 1e-13}
    return eps.get(np.dtype(dtype).char, 0) * 4 ** depth


def narrowest(arrays, value):
    """The least precise type that is in it."""
    found = [np.asarray(v).dtype for v in arrays.values()] + [np.asarray(value).dtype]
    for kinds in ("e", "fF", "dD"):
        for t in found:
            if t.char in kinds:
                return t
            if t.char in "bB?" and kinds == "e" or t.char in "hH" and kinds == "fF":
                return np.dtype("e" if kinds == "e" else "f")
    return np.dtype("d")


def differs(got, want, arrays, depth):
    got, want = np.asarray(got), np.asarray(want)
    if got.dtype != want.dtype.newbyteorder("="):
        return f"type {got.dtype}, not {want.dtype}"
    if got.shape != want.shape:
        return f"shape {got.shape}, not {want.shape}"
    if want.dtype.kind in "iub":
        bad = got != want
    else:
        t = tolerance(narrowest(arrays, want), depth)
        wide = np.complex128 if want.dtype.kind == "c" else np.float64
        g, w = got.astype(wide), want.astype(wide)
        size = np.max(np.abs(w[np.isfinite(w)]), initial=0)
        with np.errstate(invalid="ignore"):
            bad = ~((np.abs(g - w) <= t * np.maximum(np.abs(w), 1e-3 * size + 1e-300)) | (g == w) | (np.isnan(g) & np.isnan(w)))
        if want.dtype.kind == "c":
            bad &= np.isfinite(w)
    if not np.any(bad):
        return None
    at = tuple(int(k[0]) for k in np.nonzero(bad)) if bad.ndim else ()
    return f"{int(np.sum(bad))} of {bad.size}, as {got[at]!r} for {want[at]!r} at {at}"


def show(text, arrays, how):
    return f"{text}  {how}  " + ", ".join(f"{k}: {v.dtype.str}{v.shape} strides {v.strides}" for k, v in arrays.items())


def step(walk):
    """None, or what differs."""
    n = walk.pick.randrange(1, 4)
    shapes = walk.shapes(n)
    arrays = {name: walk.array(walk.pick.choice(TYPES), s) for name, s in zip("abc", shapes)}
    depth, how = walk.pick.choice([1, 1, 2, 2, 3]), {}
    if any(a.dtype.char in "e?bB" for a in arrays.values()):
        depth = 1  # float16 within an expression is float32 here, so that comparisons and remainders of it may differ
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            text, want = walk.tree(arrays, depth)
            if isinstance(want, (int, float)):
                return None
            if walk.pick.random() < 0.4:
                text, want, how = walk.reduced(text, want)
        except (Unknown, TypeError, OverflowError, ValueError):
            return None
    used = {k: v for k, v in arrays.items() if k in text.replace("where", "").replace("tanh", "")}
    try:
        got = mastaba.evaluate(text, arrays, **how)
    except Exception as e:
        return f"{show(text, used, how)}: {type(e).__name__} {e}"
    what = differs(got, want, used, depth)
    return what and f"{show(text, used, how)}: {what}"


if __name__ == "__main__":
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else int(os.environ.get("MASTABA_SEED", time.time()))
    end, tried, failed, walk = time.time() + float(sys.argv[1]), 0, 0, Walk(seed)
    print("seed", seed)
    while time.time() < end:
        what = step(walk)
        tried += 1
        if what:
            failed += 1
            print(what)
    print(f"maps: {tried} tried, {failed} failed")
    sys.exit(failed > 0)
