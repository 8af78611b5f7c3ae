"""The stubs name what the modules have, with the same parameters."""
import ast
import importlib
import inspect
import pathlib

import pytest

import mastaba

FOLDER = pathlib.Path(mastaba.__file__).parent


def stub(module):
    """The parameters of a stub's functions, and of its classes' methods."""
    found = {}
    for node in ast.parse((FOLDER / f"{module}.pyi").read_text()).body:
        for part, name in [(node, "")] if isinstance(node, ast.FunctionDef) else \
                [(part, node.name + ".") for part in node.body] if isinstance(node, ast.ClassDef) else []:
            if isinstance(part, ast.FunctionDef):
                a = part.args
                found[name + part.name] = [p.arg for p in (*a.posonlyargs, *a.args, *[a.vararg] * bool(a.vararg), *a.kwonlyargs, *[a.kwarg] * bool(a.kwarg))]
    return found


@pytest.mark.parametrize("module", ["__init__", "fft", "signal", "integrate", "ndimage", "restoration", "tuning", "xp", "linalg"])
def test_parameters(module):
    assert (FOLDER / "py.typed").exists()
    real, written = mastaba if module == "__init__" else importlib.import_module("mastaba." + module), stub(module)
    functions = {name for name in getattr(real, "__all__", [n for n in written if "." not in n])
                 if inspect.isfunction(getattr(real, name)) and getattr(real, name).__module__.startswith("mastaba")}
    again = {alias.name for node in ast.parse((FOLDER / f"{module}.pyi").read_text()).body if isinstance(node, ast.ImportFrom) for alias in node.names if alias.asname}
    assert functions <= set(written) | again
    for name, parameters in written.items():
        if "__" in name or name.startswith("Result."):
            continue
        owner = real
        for part in name.split("."):
            owner = getattr(owner, part)
        assert list(inspect.signature(owner).parameters) == parameters, name


@pytest.mark.parametrize("module", ["mastaba", "mastaba.fft", "mastaba.signal", "mastaba.integrate", "mastaba.ndimage", "mastaba.restoration", "mastaba.tuning"])
def test_examples(module):
    """Every function's documentation has an example, which doctest runs; that of pyopencl's arrays would need pyopencl."""
    functions = [getattr(importlib.import_module(module), name) for name in importlib.import_module(module).__all__]
    ours = [f for f in functions if inspect.isfunction(f) and f.__module__.startswith("mastaba")]
    assert ours and not [f.__name__ for f in ours if ">>>" not in (f.__doc__ or "") and f.__name__ != "from_pyopencl"]


@pytest.mark.parametrize("module", ["fft", "signal", "integrate", "ndimage"])
def test_signatures_of_scipy(module):
    """Functions of SciPy's names take SciPy's arguments, in order, with the same defaults; what they take besides is named."""
    real, theirs = importlib.import_module("mastaba." + module), pytest.importorskip("scipy." + module)
    compared = 0
    for name in set(real.__all__) & set(dir(theirs)):
        if not inspect.isfunction(getattr(real, name)):
            continue
        mine, wanted = (list(inspect.signature(getattr(m, name)).parameters.values()) for m in (real, theirs))
        besides = [p for p in mine if p.name not in [q.name for q in wanted]]
        assert all(p.kind is p.KEYWORD_ONLY or p.kind is p.VAR_KEYWORD for p in besides), name
        mine = {p.name: p for p in mine}
        for place, parameter in enumerate(wanted):
            same = mine[parameter.name]
            assert repr(same.default) == repr(parameter.default), (name, parameter.name)
            assert parameter.kind is parameter.KEYWORD_ONLY or list(mine).index(parameter.name) == place, (name, parameter.name)
            assert parameter.kind is parameter.KEYWORD_ONLY or same.kind is not same.KEYWORD_ONLY, (name, parameter.name)
        compared += 1
    assert compared >= 5
