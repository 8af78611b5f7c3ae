"""Materials, masks, spectra and runs of problems: what becomes coefficient fields, other updates, or parameters that differ."""
import math
import re

import numpy as np

from . import errors

_MOST_MATERIALS = 1 << 16


def _list_of(given, key, what):
    if not isinstance(given, (list, tuple)) or not given:
        raise problem_error(key, f"expected {what}, not {given!r}")
    return given


def problem_error(key, message):
    return errors.ArgumentError(f"{key}: {message}")


def lay_over(where, value, less):
    """`value` where an expression is not 0, else `less`."""
    return f"({where}) != 0 ? ({value}) : {less}"


# ---- Materials

def _data(problem, given, key, kinds, what):
    """An array of the grid's shape, or that of a file."""
    array = np.load(problem.folder / given, mmap_mode="r") if isinstance(given, str) else np.asarray(given)
    if array.shape != problem.grid or array.dtype.kind not in kinds:
        raise problem_error(key, f"expected {what} of shape {problem.grid}, not {array.dtype} of {array.shape}")
    return array


def _by_number(problem, given, storage):
    """Parameters of an array of numbers, by a table."""
    numbers = _data(problem, given["file"], "materials.file", "biu", "whole numbers")
    table = given["table"]
    if not isinstance(table, dict) or not table:
        raise problem_error("materials.table", "expected a dictionary of the numbers of materials to their parameters")
    rows = {}
    for number, values in table.items():
        number = int(number) if re.fullmatch(r"\d{1,5}", str(number)) else -1
        if not 0 <= number < _MOST_MATERIALS or not isinstance(values, dict) or not values:
            raise problem_error("materials.table", f"expected numbers from 0 to {_MOST_MATERIALS - 1}, each with a dictionary of parameters")
        rows[number] = values
    names = list(next(iter(rows.values())))
    for number, values in rows.items():
        if set(values) != set(names):
            raise problem_error(f"materials.table.{number}", f"every material has the parameters of the first: {', '.join(names)}")
    unknown = set(np.unique(numbers).tolist()) - set(rows)
    if unknown:
        raise problem_error("materials.file", f"it has the number {sorted(unknown)[0]}, of which the table has no material")
    n = max(rows) + 1
    for name in names:
        values = np.full(n, math.nan)
        for number, row in rows.items():
            values[number] = problem.number(row[name], f"materials.table.{number}.{name}")
        yield name, {"coefficient": True, "initial": numbers, "storage": storage}, values


def _by_regions(regions, storage):
    """Parameters of expressions, of which later ones lie over earlier ones."""
    for region in _list_of(regions, "materials", "a list of regions"):
        if not isinstance(region, dict):
            raise problem_error("materials", f"expected a dictionary of 'where' and parameters, not {region!r}")
    first, *others = regions
    if "where" in first or not first:
        raise problem_error("materials", "the first region is everywhere: it has parameters and no 'where'")
    texts = {name: f"({value})" for name, value in first.items()}
    for region in others:
        if "where" not in region or not region.keys() - {"where"} <= texts.keys():
            raise problem_error("materials", f"expected 'where' and parameters of the first region, {', '.join(texts)}, not {', '.join(region)}")
        for name in region.keys() - {"where"}:
            texts[name] = lay_over(region["where"], region[name], texts[name])
    return [(name, {"coefficient": True, "initial": text, "storage": storage}) for name, text in texts.items()]


def materials(problem, given, storage):
    """(name, entry of a field) of each parameter, with the values by number if there is a table."""
    if isinstance(given, (list, tuple)):
        return _by_regions(given, storage)
    if not isinstance(given, dict) or given.keys() - {"storage"} not in ({"regions"}, {"file", "table"}):
        raise problem_error("materials", "expected a list of regions, or {'file': NUMBERS, 'table': {0: {PARAMETER: VALUE}}}")
    storage = given.get("storage", storage)
    return _by_regions(given["regions"], storage) if "regions" in given else _by_number(problem, given, storage)


# ---- Masks

def masks(problem, given):
    """[where, value, fields or None], and the coefficient fields that arrays make: the expression is a field's name then."""
    entries, fields = [], []
    for entry in [given] if isinstance(given, dict) else _list_of(given, "mask", "a dictionary or a list of them"):
        if not isinstance(entry, dict) or "where" not in entry or not entry.keys() <= {"where", "value", "fields"}:
            raise problem_error("mask", f"expected {{'where': EXPRESSION, 'fields': [..], 'value': 0}}, not {entry!r}")
        where, held = entry["where"], entry.get("fields")
        if not isinstance(where, str) or where.endswith(".npy"):
            array = _data(problem, where, "mask.where", "biuf", "numbers")
            where = f"mask_{len(fields) + 1}" if fields else "mask"
            half = array.dtype.itemsize == 1 and problem.type == np.float32
            fields.append((where, {"coefficient": True, "initial": array, "storage": "float16" if half else "float32"}))
        entries.append((where, str(entry.get("value", 0)), None if held is None else _list_of(held, "mask.fields", "a list of fields")))
    return entries, fields


def hold(entries, updates, fields, coefficients):
    """The updates [field, expression, sub-step] with masks before them."""
    for where, value, held in entries:
        for name in held or []:
            if name not in fields or name in coefficients:
                raise problem_error("mask.fields", f"{name!r} is no field that is updated")
        updates = [(name, lay_over(where, value, text) if held is None or name in held else text, substep) for name, text, substep in updates]
    return updates


# ---- Runs

def _rows(problem, given, known):
    """The parameters that each run names: dictionaries."""
    if isinstance(given, dict):
        if given.keys() != {"file", "parameters"}:
            raise problem_error("runs", "expected a list of runs, or {'file': TABLE, 'parameters': [NAMES]}")
        names = [str(name) for name in _list_of(given["parameters"], "runs.parameters", "a list of parameters, one a column")]
        table = np.load(problem.folder / given["file"]) if isinstance(given["file"], str) else np.asarray(given["file"])
        table = table[:, None] if table.ndim == 1 else table
        if table.ndim != 2 or table.shape[1] != len(names) or table.dtype.kind not in "iuf" or not np.isfinite(table).all() or not len(table):
            raise problem_error("runs.file", f"expected finite numbers of shape (runs, {len(names)}), a column a parameter")
        rows = [dict(zip(names, map(float, row))) for row in table]
    else:
        rows = [dict(row) if isinstance(row, dict) else None for row in _list_of(given, "runs", "a list of dictionaries of parameters")]
    for row in rows:
        if row is None or not row.keys() <= known:
            raise problem_error("runs", f"expected dictionaries of the parameters {', '.join(sorted(known)) or '(none)'}, not {row!r}")
    return rows


def runs(problem, given, parameters):
    """Values [run, name] of all parameters, each of them of those before it."""
    rows, before = _rows(problem, given, parameters.keys()), dict(problem.symbols)
    values = np.empty((len(rows), len(parameters)))
    for r, row in enumerate(rows):
        problem.symbols = dict(before)
        for k, (name, value) in enumerate(parameters.items()):
            values[r, k] = problem.symbols[name] = problem.number(row.get(name, value), f"runs.{name}")
    return values


# ---- Spectra

def frequencies(problem, given, key):
    """A list of numbers, or {from, to, count}."""
    if isinstance(given, dict):
        if given.keys() != {"from", "to", "count"}:
            raise problem_error(key, "expected a list of frequencies, or {'from': F, 'to': F, 'count': N}")
        low, high, n = (problem.number(given[name], f"{key}.{name}") for name in ("from", "to", "count"))
        if n < 2 or n != int(n):
            raise problem_error(key, f"{given['count']!r} frequencies: a whole number from 2")
        return np.linspace(low, high, int(n))
    array = np.array([problem.number(value, key) for value in np.atleast_1d(given).tolist()])
    if not array.size:
        raise problem_error(key, "a spectrum has at least one frequency")
    return array
