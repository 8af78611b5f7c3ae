"""Problems of finite differences, as dictionaries with the keys of problem files (docs/stencils.md), as descriptions of the C library."""
import math
import operator
import pathlib
import re

import numpy as np

from . import _arrays, errors
from ._library import c_text, check, describe, ffi, lib, per_thread
from ._materials import frequencies, hold, masks, materials, runs
from ._materials import problem_error as _wrong

_AXES = "xyz"
_FACES = {"dirichlet": lib.MST_BOUNDARY_DIRICHLET, "neumann": lib.MST_BOUNDARY_NEUMANN, "mirror": lib.MST_BOUNDARY_NEUMANN,
          "antimirror": lib.MST_BOUNDARY_ANTIMIRROR, "periodic": lib.MST_BOUNDARY_PERIODIC, "sponge": lib.MST_BOUNDARY_SPONGE,
          "absorb": lib.MST_BOUNDARY_ABSORB}
_REDUCTIONS = {"sum": lib.MST_STENCIL_SUM, "max": lib.MST_STENCIL_MAX, "min": lib.MST_STENCIL_MIN, "mean": lib.MST_STENCIL_MEAN,
               "norm": lib.MST_STENCIL_NORM}
_KEYS = {"grid", "precision", "storage", "subnormals", "parameters", "spacing", "time_step_limit", "time_step", "fields", "let", "boundary", "update",
         "sources", "receivers", "monitors", "until", "output", "steps", "materials", "mask", "runs", "spectra"}
_SCHEDULES = {ffi.string(lib.mst_stencil_schedule_name(k)).decode(): k for k in range(lib.MST_STENCIL_SKEWED_SWEEPS + 1)}
_EXCHANGES = {None: lib.MST_STENCIL_EXCHANGE_AUTO, "waits": lib.MST_STENCIL_EXCHANGE_WAITS, "beside": lib.MST_STENCIL_EXCHANGE_BESIDE}
_SUBNORMALS = {"keep": lib.MST_STENCIL_SUBNORMALS_KEEP, "flush": lib.MST_STENCIL_SUBNORMALS_FLUSH}
_STORES = {None: lib.MST_STENCIL_STORE_AUTO, "pinned": lib.MST_STENCIL_STORE_PINNED, "memory": lib.MST_STENCIL_STORE_MEMORY}
_SAFETY = 0.95  # of the largest stable time step, as the program takes


def _keys(entry, key, known):
    if not isinstance(entry, dict):
        raise _wrong(key, f"expected a dictionary, not {entry!r}")
    for name in entry:
        if name not in known:
            raise _wrong(f"{key}.{name}", f"no such key; these are {', '.join(sorted(known))}")
    return entry


def _truth(value, key):
    if isinstance(value, str) and value in ("true", "false"):
        return value == "true"
    if not isinstance(value, (bool, np.bool_)):
        raise _wrong(key, f"expected true or false, not {value!r}")
    return bool(value)


def read(problem):
    """A problem as a dictionary: that dictionary, the text of a YAML file, or what the file of a name holds."""
    if isinstance(problem, dict):
        return dict(problem), pathlib.Path()
    folder = pathlib.Path()
    if not isinstance(problem, str) or "\n" not in problem:
        folder = pathlib.Path(problem).parent
        problem = pathlib.Path(problem).read_text(encoding="utf-8")
    try:
        import yaml
    except ImportError:
        raise errors.Error("problem files need PyYAML: pip install pyyaml, or give a dictionary") from None
    try:
        known = yaml.load(problem, yaml.BaseLoader)  # all scalars as text: whole expressions are what is wanted
    except yaml.YAMLError as error:
        raise errors.FormatError("the problem is no YAML: " + " ".join(str(error).split())) from None
    if not isinstance(known, dict):
        raise errors.FormatError("the problem is no mapping of keys to values")
    return known, folder


class Problem:
    """A description with all that it points to."""

    def __init__(self, problem, overrides):
        entries, self.folder = read(problem)
        entries.update(overrides)
        _keys(entries, "problem", _KEYS)
        for key in ("grid", "fields", "update"):
            if key not in entries:
                raise _wrong(key, "missing")
        self.entries, self.kept, self.symbols, self.varying = entries, [], {}, set()
        self.steps = int(entries["steps"]) if "steps" in entries else None
        self.desc = describe("mst_stencil_desc", time_step=1.0, file=-1)
        for kind in ("parameter", "field", "update", "source", "receiver", "boundary", "monitor", "spectrum", "definition"):
            setattr(self.desc, kind + "_size", ffi.sizeof("mst_stencil_" + kind))
        self._read_grid()
        self._read_fields()
        self._read_boundary(entries.get("boundary", {}))
        self._read_updates()
        self._read_places()
        self._read_monitors()
        self._choose_step()
        self._read_spectra()

    def plan_as(self, steps, schedule="auto", depth=0, fuse=0, block=0, overlap=True, store=None, shares=None, exchange=None, exchange_every=0, check=True):
        """How it is to be solved, as Solver says it; `steps` are those that are expected."""
        desc = self.desc
        for name, value, known in (("schedule", schedule, _SCHEDULES), ("store", store, _STORES), ("exchange", exchange, _EXCHANGES)):
            if value not in known:
                raise _wrong(name, f"{value!r} is none of {', '.join(str(k) for k in known if k)}")
            setattr(desc, name, known[value])
        for name, value in (("depth", depth), ("fuse", fuse), ("block", block), ("exchange_every", exchange_every), ("expected_steps", steps or 0)):
            try:
                setattr(desc, name, operator.index(value))
            except OverflowError:
                raise _wrong(name, f"{value} is no number of these") from None
        desc.no_overlap, desc.check_every = not overlap, 2**64 - 1 if check else 0  # where a run ends
        if shares is not None:
            values = np.ascontiguousarray(shares, float).ravel()
            desc.shares, desc.n_shares = ffi.cast("double *", self.keep(values).ctypes.data), values.size

    # ---- Memory and numbers

    def keep(self, value):
        self.kept.append(value)
        return value

    def _text(self, text, key):
        if not isinstance(text, (str, int, float, np.number)):
            raise _wrong(key, f"expected an expression, not {text!r}")
        return self.keep(c_text(text if isinstance(text, str) else repr(float(text))))

    def _list(self, kind, entries):
        return self.keep(ffi.new(f"mst_stencil_{kind}[]", entries)) if entries else ffi.NULL

    def number(self, value, key):
        """A number, or the text of a constant expression."""
        if not isinstance(value, str):
            try:
                return float(value)
            except TypeError:
                raise _wrong(key, f"expected a number or an expression, not {value!r}") from None
        varying = self.varying.intersection(re.findall(r"[A-Za-z_]\w*", value))
        if varying:
            raise _wrong(key, f"{sorted(varying)[0]} differs from run to run, and this must not")
        names = [c_text(name) for name in self.symbols]
        table = ffi.new("mst_symbol[]", [(name, 0, 0, number) for name, number in zip(names, self.symbols.values())])
        out = ffi.new("double *")
        check(lib.mst_expression_value(c_text(value), c_text(key), table, len(names), out, per_thread.error))
        return out[0]

    def _list_given(self, key):
        given = self.entries.get(key, [])
        if not isinstance(given, (list, tuple)):
            raise _wrong(key, f"expected a list, not {given!r}")
        return given

    def _mapping(self, key):
        given = self.entries.get(key, {})
        if not isinstance(given, dict):
            raise _wrong(key, f"expected a dictionary, not {given!r}")
        return given

    # ---- The grid and its fields

    def _read_grid(self):
        entries, desc = self.entries, self.desc
        if not isinstance(entries["grid"], (list, tuple, np.ndarray)):
            raise _wrong("grid", f"expected a list, not {entries['grid']!r}")
        self.grid = tuple(int(n) for n in entries["grid"])
        if not 1 <= len(self.grid) <= 3 or min(self.grid) < 1:
            raise _wrong("grid", f"{entries['grid']!r}: one to three numbers of nodes, slowest axis first")
        desc.rank = len(self.grid)
        names = _AXES[:desc.rank][::-1]
        for k, n in enumerate(self.grid):
            desc.grid[k] = n
            self.symbols["n" + names[k]] = float(n)
        self.type = np.dtype(entries.get("precision", "float32"))
        if self.type.char not in "fd":
            raise _wrong("precision", f"float32 or float64, not {self.type}")
        desc.precision = _arrays.TYPES[self.type]
        subnormals = entries.get("subnormals", "keep")
        if subnormals not in _SUBNORMALS:
            raise _wrong("subnormals", f"keep or flush, not {subnormals!r}")
        desc.subnormals = _SUBNORMALS[subnormals]
        self.n_runs, self.arrays_shape = 0, self.grid
        if "runs" in entries:
            self._read_runs()
        for name, value in self._mapping("parameters").items():
            if name not in self.varying:
                self.symbols[name] = self.number(value, "parameters." + name)
        parameters = [(self._text(name, "parameters"), value) for name, value in self.symbols.items()]
        desc.parameters, desc.n_parameters = self._list("parameter", parameters), len(parameters)
        spacing = entries.get("spacing", 1.0)
        spacing = [spacing] * desc.rank if isinstance(spacing, (str, int, float)) else spacing
        if len(spacing) != desc.rank:
            raise _wrong("spacing", f"{len(spacing)} numbers, but the grid has {desc.rank} axes")
        for k, value in enumerate(spacing):
            desc.spacing[k] = self.number(value, "spacing")
        for k in range(desc.rank):
            self.symbols["d" + names[k]] = desc.spacing[k]
        self._read_step()

    def _read_runs(self):
        desc, parameters = self.desc, self._mapping("parameters")
        values = runs(self, self.entries["runs"], parameters)
        names = [name for name, column in zip(parameters, values.T) if (column != column[0]).any()]
        table = np.ascontiguousarray(values[:, [name in names for name in parameters]])
        self.symbols = {**self.symbols, **dict(zip(parameters, values[-1]))}
        self.varying, self.n_runs, self.arrays_shape = set(names), len(values), (len(values), *self.grid)
        desc.n_runs, desc.n_run_parameters = len(values), len(names)
        desc.run_parameters = self.keep(ffi.new("char *[]", [self._text(name, "runs") for name in names]))
        desc.run_values = ffi.cast("double *", self.keep(table).ctypes.data)

    def _read_step(self):
        step, self.safety = self.entries.get("time_step", 1.0), 0.0
        if "time_step_limit" in self.entries:
            self.symbols["time_step_limit"] = self.number(self.entries["time_step_limit"], "time_step_limit")
        if isinstance(step, str) and step.split()[:1] == ["auto"]:
            self.safety = self.number(step.split(None, 1)[1], "time_step") if len(step.split()) > 1 else _SAFETY
        else:
            self.desc.time_step = self.number(step, "time_step")
        self.symbols.pop("time_step_limit", None)

    def _initial(self, value, key):
        """An expression, an array, or the file of one."""
        if isinstance(value, str) and value.endswith(".npy"):
            value = np.load(self.folder / value, mmap_mode="r")
        if isinstance(value, (str, int, float)):
            return {"expression": self._text(value, key)}
        array = np.asarray(value)
        if array.shape not in (self.grid, self.arrays_shape):
            raise _wrong(key, f"an array of shape {array.shape}, the grid has {self.grid}")
        array = self.keep(array if _arrays.fits(array) else array.astype(array.dtype.newbyteorder("=")))
        return {"layout": _arrays.layout(array), "data": _arrays.location(array)}

    def _field(self, name, entry, table=None):
        key = "fields." + name
        if not isinstance(entry, dict):
            entry = {"initial": entry}
        _keys(entry, key, {"levels", "coefficient", "constant", "initial", "previous", "storage"})
        storage = entry.get("storage", self.entries.get("storage", "float32"))
        if storage not in ("float16", "float32"):
            raise _wrong(key + ".storage", f"float16 or float32, not {storage!r}")
        field = {"name": self._text(name, key), "levels": int(entry.get("levels", 1)), "storage_bytes": 2 if storage == "float16" else 0,
                 "coefficient": _truth(entry.get("coefficient", entry.get("constant", False)), key)}
        for level in ("initial", "previous"):
            if level in entry:
                field[level] = self._initial(entry[level], f"{key}.{level}")
        if table is not None:
            field["table"], field["n_table"] = ffi.cast("double *", self.keep(table).ctypes.data), table.size
        return field

    def _read_fields(self):
        desc = self.desc
        storage = self.entries.get("storage", "float32")
        self.masks, of_masks = masks(self, self.entries["mask"]) if "mask" in self.entries else ([], [])
        given = [*self._mapping("fields").items()]
        given += [*materials(self, self.entries["materials"], storage)] if "materials" in self.entries else []
        names = [name for name, *_ in (*given, *of_masks)]
        if len(set(names)) != len(names):
            raise _wrong("fields", f"two of {', '.join(names)} have one name")
        fields = [self._field(*each) for each in (*given, *of_masks)]
        self.fields = {name: field["levels"] for name, field in zip(names, fields)}
        self.coefficients = {name for name, field in zip(self.fields, fields) if field["coefficient"]}
        desc.fields, desc.n_fields = self._list("field", fields), len(fields)
        definitions = [(self._text(name, "let"), self._text(text, "let." + name)) for name, text in self._mapping("let").items()]
        desc.definitions, desc.n_definitions = self._list("definition", definitions), len(definitions)

    # ---- Faces

    def _layer(self, entry, key):
        _keys(entry, key, {"absorb", "speed", "reflection", "order", "kappa", "alpha"})
        face = {"kind": lib.MST_BOUNDARY_ABSORB, "width": int(self.number(entry["absorb"], key))}
        for name in ("speed", "reflection", "order", "kappa", "alpha"):
            if name in entry:
                face[name] = self.number(entry[name], f"{key}.{name}")
        if face.get("alpha") == 0:
            face["alpha"] = -1.0  # where 0 is the default
        return face

    def _face(self, text, key):
        word, _, rest = str(text).strip().partition(" ")
        rest = rest.strip()
        if word not in _FACES:
            raise _wrong(key, f"expected dirichlet VALUE, neumann, mirror, antimirror, periodic, sponge N or absorb N, not {text!r}")
        if word in ("sponge", "absorb"):
            return {"kind": _FACES[word], "width": int(self.number(rest, key))}
        if word == "dirichlet":
            return {"kind": _FACES[word], "value": self._text(rest, key) if rest else ffi.NULL}
        if rest == "node" and "mirror" in word:
            return {"kind": lib.MST_BOUNDARY_MIRROR_NODE if word == "mirror" else lib.MST_BOUNDARY_ANTIMIRROR_NODE}
        if rest and (rest != "half" or "mirror" not in word):
            raise _wrong(key, f"{word!r} takes nothing behind it, not {rest!r}")
        return {"kind": _FACES[word]}

    def _face_entry(self, entry, key):
        """(what is there for all fields or None, what is there for some)"""
        if not isinstance(entry, dict):
            return self._face(entry, key), {}
        if "absorb" in entry:
            return self._layer(entry, key), {}
        for name in entry:
            if name not in self.fields or name in self.coefficients:
                raise _wrong(f"{key}.{name}", "a coefficient field, which is mirrored at all faces" if name in self.fields else "no such field")
        return None, {name: self._face(text, f"{key}.{name}") for name, text in entry.items()}

    def _read_boundary(self, given):
        rank, zero = self.desc.rank, {"kind": lib.MST_BOUNDARY_DIRICHLET}
        faces = [f"{_AXES[rank - 1 - k]}{side}" for k in range(rank) for side in "-+"]
        known = {**{face: (None, {}) for face in faces}, **{face[0]: (None, {}) for face in faces}}
        _keys(given, "boundary", set(known))
        known.update({name: self._face_entry(entry, "boundary." + name) for name, entry in given.items()})
        all_fields = [known[face][0] or known[face[0]][0] or zero for face in faces]
        self.desc.boundaries = self._list("boundary", all_fields)
        for k, name in enumerate(self.fields):
            own = []
            for face, general in zip(faces, all_fields):
                one, both = known[face], known[face[0]]
                own.append(one[1].get(name) or (both[1].get(name) if one[0] is None else None) or general)
            if own != all_fields and name not in self.coefficients:
                self.desc.fields[k].boundaries = self._list("boundary", own)

    # ---- What happens

    def _read_updates(self):
        updates = []
        for substep, entry in enumerate(self._list_given("update") if not isinstance(self.entries["update"], dict) else [self.entries["update"]]):
            updates += [(name, str(text), substep) for name, text in _keys(entry, "update", set(self.fields)).items()]
        updates = [(self._text(name, "update"), self._text(text, "update." + name), substep)
                   for name, text, substep in hold(self.masks, updates, self.fields, self.coefficients)]
        self.desc.updates, self.desc.n_updates = self._list("update", updates), len(updates)

    def _place(self, numbers, scale, key):
        if not isinstance(numbers, (list, tuple, np.ndarray)):
            numbers = [numbers]
        if len(numbers) != self.desc.rank:
            raise _wrong(key, f"{len(numbers)} numbers, but the grid has {self.desc.rank} axes")
        return [self.number(value, key) / (self.desc.spacing[k] if scale else 1) for k, value in enumerate(numbers)]

    def _interpolation(self, entry, key):
        word = str(entry.get("interpolation", "sinc 4")).split()
        if word == ["linear"]:
            return {"interpolation": lib.MST_STENCIL_INTERPOLATION_LINEAR}
        if len(word) != 2 or word[0] != "sinc" or not word[1].isdigit():
            raise _wrong(key + ".interpolation", "sinc N, N from 1 to 10, or linear")
        return {"interpolation": lib.MST_STENCIL_INTERPOLATION_SINC, "radius": int(word[1])}

    def _field_of(self, entry, key):
        if entry.get("field") not in self.fields:
            raise _wrong(key + ".field", f"{entry.get('field')!r}: no such field; these are {', '.join(self.fields)}")
        return self._text(entry["field"], key)

    def _range(self, value, k, key):
        """The nodes [first, last) of a slice, of the text "a:b", or of one node."""
        n = self.grid[k]
        ends = (value.start, value.stop) if isinstance(value, slice) else str(value).split(":") if ":" in str(value) else None
        if ends is None:
            first = int(self.number(value, key))
            ends = first, first + 1
        first, last = (default if end is None or str(end).strip() == "" else int(self.number(end, key)) for end, default in zip(ends, (0, n)))
        if not 0 <= first < last <= n or isinstance(value, slice) and value.step not in (None, 1):
            raise _wrong(key, f"the range {value!r} has no nodes; a:b are the nodes a to b - 1, of 0 to {n - 1}")
        return first, last

    def _place_of_source(self, entry, key):
        at = entry.get("at")
        at = at if isinstance(at, (list, tuple)) else [at]
        if "at" in entry and ("amplitude" in entry or "delay" in entry or any(isinstance(v, slice) or isinstance(v, str) and ":" in v and "?" not in v for v in at)):
            if len(at) != self.desc.rank:
                raise _wrong(key, f"{len(at)} numbers, but the grid has {self.desc.rank} axes")
            ranges = [self._range(value, k, key + ".at") for k, value in enumerate(at)]
            region = {"start": [first for first, _ in ranges], "step": [1] * len(at), "count": [last - first for first, last in ranges]}
            texts = {name: self._text(entry[name], f"{key}.{name}") for name in ("amplitude", "delay") if name in entry}
            return {"region": self.keep(ffi.new("mst_stencil_region *", region)), **texts}
        place = self._place(entry.get("at", entry.get("position")), "position" in entry, key)
        if all(value == math.floor(value) and value >= 0 for value in place):
            return {"point": [int(value) for value in place]}
        return {"position": self.keep(ffi.new("double[]", place))}

    def _source(self, entry):
        key = "sources"
        _keys(entry, key, {"field", "at", "position", "interpolation", "series", "amplitude", "delay"})
        if ("at" in entry) == ("position" in entry) or "series" not in entry:
            raise _wrong(key, "a source has a field, a series, and either at or position")
        if "position" in entry and ("amplitude" in entry or "delay" in entry):
            raise _wrong(key, "amplitude and delay go with nodes and ranges of them, not with a place between nodes")
        source = {"field": self._field_of(entry, key), **self._interpolation(entry, key), **self._place_of_source(entry, key)}
        series = entry["series"]
        if isinstance(series, str) and not series.endswith(".npy"):
            source["series"] = self._text(series, key)
            return source
        samples = np.ascontiguousarray(np.load(self.folder / series) if isinstance(series, str) else series, float)
        if samples.ndim != 1:
            raise _wrong(key + ".series", f"an array of {samples.ndim} axes: one value a step")
        source["samples"] = ffi.cast("double *", self.keep(samples).ctypes.data)
        source["n_samples"] = samples.size
        return source

    def _receiver(self, entry):
        key = "receivers"
        _keys(entry, key, {"field", "at", "position", "line", "interpolation", "file", "colors", "range", "spectrum"})
        where = [name for name in ("at", "position", "line") if name in entry]
        if len(where) != 1:
            raise _wrong(key, "a receiver has a field, and either at, position or line")
        if where == ["line"]:
            if not isinstance(entry["line"], (list, tuple)) or len(entry["line"]) != 3:
                raise _wrong(key + ".line", f"{entry['line']!r}: first place, last place, and how many")
            first, last = (np.array(self._place(end, False, key)) for end in entry["line"][:2])
            n = int(self.number(entry["line"][2], key))
            places = [first + (last - first) * k / max(n - 1, 1) for k in range(n)]
            places = places if "interpolation" in entry else [np.floor(np.abs(place) + 0.5) for place in places]
        else:
            places = [self._place(place, where == ["position"], key) for place in entry[where[0]]]
        places = [[float(value) for value in place] for place in places]
        whole = all(value == math.floor(value) and value >= 0 for place in places for value in place)
        kind, name = ("size_t[][3]", "points") if whole else ("double[][3]", "positions")
        table = self.keep(ffi.new(kind, [[int(v) if whole else v for v in place] for place in places]))
        return {"field": self._field_of(entry, key), "n_points": len(places), name: table, **self._interpolation(entry, key)}, len(places)

    def _read_places(self):
        desc = self.desc
        sources = [self._source(entry) for entry in self._list_given("sources")]
        desc.sources, desc.n_sources = self._list("source", sources), len(sources)
        receivers = [self._receiver(entry) for entry in self._list_given("receivers")]
        desc.receivers, desc.n_receivers = self._list("receiver", [entry for entry, _ in receivers]), len(receivers)
        self.receiver_points = [n for _, n in receivers]

    def _region(self, given, key):
        names = _AXES[:self.desc.rank][::-1]
        region = {"start": [0] * self.desc.rank, "step": [1] * self.desc.rank, "count": list(self.grid)}
        for name, value in _keys(given, key, set(names)).items():
            k = names.index(name)
            given = list(value) if isinstance(value, (list, tuple)) else [value, value]
            first, last, step = [int(self.number(v, key)) for v in given + [1]][:3] if len(given) in (2, 3) else (0, -1, 1)
            if step < 1 or not 0 <= first <= last < self.grid[k]:
                raise _wrong(f"{key}.{name}", f"expected a node, or [FIRST, LAST] or [FIRST, LAST, STEP], within 0 to {self.grid[k] - 1}, not {value!r}")
            region["start"][k], region["step"][k], region["count"][k] = first, step, (last - first) // step + 1
        return region

    def _monitor(self, entry):
        key = "monitors"
        _keys(entry, key, {"name", "expression", "reduce", "every", "region", "file"})
        if not {"name", "expression"} <= entry.keys() or entry.get("reduce", "sum") not in _REDUCTIONS:
            raise _wrong(key, f"a monitor has a name, an expression, and reduce, one of {', '.join(_REDUCTIONS)}")
        return {"name": self._text(entry["name"], key), "expression": self._text(entry["expression"], key),
                "reduction": _REDUCTIONS[entry.get("reduce", "sum")], "every": int(entry.get("every", 0)),
                "region": self._region(entry.get("region", {}), key + ".region")}

    def _read_monitors(self):
        desc, given = self.desc, self._list_given("monitors")
        monitors = [self._monitor(entry) for entry in given]
        self.monitors = {entry["name"]: (k, int(entry.get("every", 0))) for k, entry in enumerate(given)}
        desc.monitors, desc.n_monitors = self._list("monitor", monitors), len(monitors)
        until = self.entries.get("until")
        if until is not None:
            until = until if isinstance(until, dict) else {"condition": until}
            _keys(until, "until", {"condition", "every"})
            desc.until, desc.until_every = self._text(until.get("condition"), "until"), int(until.get("every", 100))

    def _read_spectra(self):
        desc, given = self.desc, self._list_given("spectra")
        spectra, self.spectra = [], []
        for k, entry in enumerate(given):
            key = f"spectra.{k}"
            _keys(entry, key, {"field", "frequencies", "every", "region", "file"})
            if not {"field", "frequencies"} <= entry.keys():
                raise _wrong(key, "a spectrum has a field, or an expression of fields, and frequencies")
            f = self.keep(frequencies(self, entry["frequencies"], key + ".frequencies"))
            every = int(entry["every"]) if "every" in entry else max(1, math.floor(1 / max(10 * np.abs(f).max() * desc.time_step, 1e-300)))
            region = self._region(entry.get("region", {}), key + ".region")
            spectra.append({"expression": self._text(entry["field"], key + ".field"), "n_frequencies": f.size,
                            "frequencies": ffi.cast("double *", f.ctypes.data), "every": every, "region": region})
            self.spectra.append((f, tuple(region["count"])))
        desc.spectra, desc.n_spectra = self._list("spectrum", spectra), len(spectra)

    def stability(self):
        found = describe("mst_stencil_stability")
        check(lib.mst_stencil_time_step_limit(self.desc, found, per_thread.error))
        return found

    def _choose_step(self):
        if not self.safety:
            return
        limit = self.stability().time_step_limit
        if not 0 < limit < math.inf:
            raise _wrong("time_step", f"auto: the scheme is stable at {'no' if limit == 0 else 'any'} time step")
        self.desc.time_step = self.safety * limit
