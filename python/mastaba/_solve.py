"""Explicit finite differences on grids of any size."""
import inspect
import operator
import os
import shutil
import uuid
import warnings
import zipfile
import zlib

import numpy as np

from . import _arrays, errors
from ._contexts import begin, current
from ._library import check, describe, execution, ffi, lib, per_thread
from ._problem import Problem


_HOW = {*inspect.signature(Problem.plan_as).parameters} - {"self", "steps"}


def _host(array):
    return _arrays.location(array)


def _arrays_of(path):
    """The arrays of an .npz file."""
    try:
        with open(path, "rb") as file:
            state = np.load(file, allow_pickle=False)
            return {key: np.asarray(state[key]) for key in state.files}
    except (AttributeError, EOFError, RuntimeError, ValueError, zipfile.BadZipFile, zlib.error):
        raise errors.FormatError(f"{path}: no state that save wrote, or a damaged one") from None


class Solver:
    """A problem, and the state that it has reached. `solver["u"]` reads a field, `solver["u"] = array` sets it; `"u.prev"` is a field of
    two levels one step before. It works on the device, or the devices, and the budget that it was made with.

    `overrides` are keys that replace the problem's. How it is solved, which changes no bit of the results, may be said besides: `schedule`, a
    name as `mastaba solve --schedule` takes it, `depth`, steps a trip through the device, `fuse`, steps a kernel, `block`, nodes of a block,
    `overlap`, whether transfers go beside kernels, `store`, where a state lies that does not stay on the device, "pinned" or "memory";
    of several devices `shares`, of the grid for each, `exchange`, "waits" or "beside", and `exchange_every`, steps. A run whose fields become
    infinite or NaN ends with a DivergedError, and can still be read; with check=False nothing looks.

    >>> import numpy as np, mastaba
    >>> solver = mastaba.Solver({"grid": [100], "fields": {"u": "x == 50"}, "update": [{"u": "u + 0.25*(u[-1] - 2*u + u[1])"}]})
    >>> solver.run(10).step, round(float(solver["u"].sum()), 6)
    (10, 1.0)
    """

    def __init__(self, problem, *, expected_steps=None, **overrides):
        planned = {name: overrides.pop(name) for name in _HOW & overrides.keys()}
        self.problem = Problem(problem, overrides)
        self.problem.plan_as(self.problem.steps if expected_steps is None else expected_steps, **planned)
        self.context = current()
        self._handle = self.context.prepared(lambda context: context.create("stencil", self.problem.desc))
        self.fields = tuple(self.problem.fields)

    def __reduce__(self):
        raise TypeError("a Solver is on a device: save(path) keeps its state, and load(path) of another one of the same problem goes on")

    @property
    def handle(self):
        begin()
        return self._handle

    @property
    def step(self):
        """The number of steps that were done."""
        return lib.mst_stencil_step(self.handle)

    @property
    def time(self):
        return self.step * self.problem.desc.time_step

    @property
    def time_step(self):
        return self.problem.desc.time_step

    def run(self, steps=None, callback=None, every=None):
        """Advances by `steps` steps, by default those of the problem that are left, or until its condition holds. Returns itself.

        `callback(solver)` is called after each `every` steps, by default a hundredth of them; where it returns False the run ends.
        An interrupt leaves the state of a step reached before.
        """
        if steps is None:
            if self.problem.steps is None:
                raise errors.ArgumentError("the problem has no steps: give their number")
            steps = max(self.problem.steps - self.step, 0)
        if callback is not None and not callable(callback):
            raise errors.ArgumentError(f"the callback {callback!r} is no function")
        steps, every = operator.index(steps), max(steps // 100, 1) if every is None else operator.index(every)
        if every < 1 or steps < 0:
            raise errors.ArgumentError(f"{steps} steps, a callback each {every}: steps count from 0, those between callbacks from 1")
        every = steps if callback is None else every
        report, end = describe("mst_stencil_report"), self.step + steps
        while self.step < end:
            check(lib.mst_stencil_run(self.handle, min(every, end - self.step), execution, report, per_thread.error))
            if (callback is not None and callback(self) is False) or report.ended:
                break
        return self

    def plan(self, steps=None):
        """What was chosen, and what the model predicts for so many steps: a dictionary. Of several devices it has the planes of each, too."""
        plan = describe("mst_stencil_plan")
        check(lib.mst_stencil_describe(self.handle, self.problem.steps or 1 if steps is None else steps, plan, per_thread.error))
        names = ("depth", "fuse", "block", "state_bytes", "device_bytes", "host_bytes", "seconds", "upload_bytes", "download_bytes", "duplicated")
        parts = {"parts": list(plan.part_planes[0:plan.n_parts]), "exchange_every": plan.part_steps, "exchange": "beside" if plan.part_beside else "waits"}
        return {"schedule": ffi.string(lib.mst_stencil_schedule_name(plan.schedule)).decode(), **{name: getattr(plan, name) for name in names},
                **(parts if plan.n_parts else {})}

    # ---- The state

    def _level(self, name):
        field, _, level = name.partition(".")
        if field not in self.problem.fields or level not in ("", "prev"):
            raise KeyError(f"{name}: the fields are {', '.join(self.fields)}")
        return field.encode(), 1 if level else 0

    def read(self, name, out=None):
        """A field's values, into `out` if given: an array of the grid's shape, or (runs, ...), and the problem's precision."""
        shape = self.problem.arrays_shape
        if out is None:
            out = np.empty(shape, self.problem.type)
        if out.shape != shape or out.dtype != self.problem.type or not out.flags.c_contiguous or not out.flags.writeable:
            raise errors.ArgumentError(f"out must be a writable {self.problem.type} array of shape {shape} in C order")
        check(lib.mst_stencil_read(self.handle, *self._level(name), ffi.NULL, _host(out), per_thread.error))
        return out

    __getitem__ = read

    def __setitem__(self, name, values):
        values = np.ascontiguousarray(np.broadcast_to(values, self.problem.arrays_shape), self.problem.type)
        check(lib.mst_stencil_write(self.handle, *self._level(name), _host(values), per_thread.error))

    def to_xarray(self):
        """The fields as an xarray.Dataset with coordinates."""
        import xarray
        names = "xyz"[:len(self.problem.grid)][::-1]
        coordinates = {name: np.arange(n) * self.problem.desc.spacing[k] for k, (name, n) in enumerate(zip(names, self.problem.grid))}
        names = (("run",) if self.problem.n_runs else ()) + tuple(names)
        return xarray.Dataset({name: (names, self[name]) for name in self.fields}, coordinates, {"step": self.step, "time": self.time})

    # ---- What was recorded

    def receiver(self, k=0, first=1):
        """What receiver k recorded after the steps from `first` on: an array (steps, points), or (runs, steps, points), of float64."""
        if not 0 <= k < len(self.problem.receiver_points):
            raise IndexError(f"receiver {k} of {len(self.problem.receiver_points)}")
        count, n_runs = max(self.step - first + 1, 0), max(self.problem.n_runs, 1)
        values = np.empty((count, n_runs, self.problem.receiver_points[k]))
        if count:
            check(lib.mst_stencil_read_receiver(self.handle, k, first, count, ffi.cast("double *", values.ctypes.data), per_thread.error))
        return np.ascontiguousarray(values.transpose(1, 0, 2)) if self.problem.n_runs else values[:, 0]

    def spectrum(self, k=0):
        """The sums of spectrum k so far: an array (frequencies, ...) of complex64 or complex128, with the axes of its region, behind that of
        runs if there are several."""
        if not 0 <= k < len(self.problem.spectra):
            raise IndexError(f"spectrum {k} of {len(self.problem.spectra)}")
        f, region = self.problem.spectra[k]
        values = np.empty((f.size, *self.problem.arrays_shape[:-len(self.problem.grid)], *region), np.result_type(self.problem.type, np.complex64))
        check(lib.mst_stencil_read_spectrum(self.handle, k, _host(values), per_thread.error))
        return values

    def _monitor(self, name):
        if name not in self.problem.monitors:
            raise KeyError(f"{name}: the monitors are {', '.join(self.problem.monitors) or 'none'}")
        return self.problem.monitors[name]

    def measure(self, name):
        """A monitor's value of the state as it is; of several runs an array."""
        values = np.empty(max(self.problem.n_runs, 1))
        check(lib.mst_stencil_measure(self.handle, self._monitor(name)[0], ffi.cast("double *", values.ctypes.data), per_thread.error))
        return values if self.problem.n_runs else float(values[0])

    def monitor(self, name, first=1):
        """What a monitor recorded, after the steps first * every, (first + 1) * every and on: an array of float64, or (runs, looks)."""
        k, every = self._monitor(name)
        values = np.empty((max(self.step // every - first + 1, 0) if every else 0, max(self.problem.n_runs, 1)))
        if values.size:
            check(lib.mst_stencil_read_monitor(self.handle, k, first, len(values), ffi.cast("double *", values.ctypes.data), per_thread.error))
        return np.ascontiguousarray(values.T) if self.problem.n_runs else values[:, 0]

    # ---- Checkpoints

    def _memory(self):
        """The memory variables of absorbing layers: names and shapes."""
        found, k = describe("mst_stencil_memory"), 0
        while True:
            check(lib.mst_stencil_find_memory(self.problem.desc, k, found, per_thread.error))
            if k >= found.n:
                return
            shape = tuple(found.shape)[:len(self.problem.arrays_shape)]
            if len(self.problem.arrays_shape) > len(shape):  # the planes of all runs, one run behind the other
                shape = (self.problem.n_runs, shape[0] // self.problem.n_runs, *shape[1:])
            yield ffi.string(found.name), shape
            k += 1

    def _parts(self):
        for name, levels in self.problem.fields.items():
            for level in range(levels):
                yield name.encode(), level, self.problem.arrays_shape
        for name, shape in self._memory():
            yield name, 0, shape

    def save(self, path):
        """Writes the whole state to a file (.npz) of that name, which is replaced only when the new one is complete, and keeps its mode."""
        state = {"step": np.uint64(self.step), "grid": np.array(self.problem.grid), "time_step": np.float64(self.time_step)}
        if self.problem.desc.subnormals == lib.MST_STENCIL_SUBNORMALS_FLUSH:
            state["flushed"] = np.bool_(True)
        state.update({f"{name.decode()}.{level}": self._read_part(name, level, shape) for name, level, shape in self._parts()})
        state.update({f"spectrum {k}": self.spectrum(k) for k in range(len(self.problem.spectra))})
        new = os.path.join(os.path.dirname(os.path.abspath(path)), f".{uuid.uuid4().hex}.npz")  # no longer than file systems take
        with open(new, "xb") as file:  # with the mode that files get, unlike those of tempfile
            try:
                np.savez(file, **state)
                file.flush()
                os.fsync(file.fileno())
                if os.path.exists(path):
                    shutil.copymode(path, new)
                os.replace(new, path)
            except BaseException:
                os.unlink(new)
                raise

    def load(self, path):
        """Goes on from a state that `save` wrote, of the same grid, fields, precision and time step. Returns itself. Where it fails the
        state is the one before."""
        state = _arrays_of(path)
        was_flushed = "flushed" in state
        state.pop("flushed", None)
        parts = [(name, level, shape, f"{name.decode()}.{level}") for name, level, shape in self._parts()]
        sums = [f"spectrum {k}" for k in range(len(self.problem.spectra))]
        wanted = {"step", "grid", "time_step", *(key for *_, key in parts), *sums}
        if state.keys() != wanted or not np.array_equal(state["grid"], self.problem.grid) or not np.array_equal(state["time_step"], self.time_step):
            raise errors.FormatError(f"{path}: the state of another problem")
        arrays = [np.ascontiguousarray(state[key]) for *_, key in parts]
        if any(a.shape != part[2] or a.dtype != self.problem.type for a, part in zip(arrays, parts)):
            raise errors.FormatError(f"{path}: the state of another grid or precision")
        if state["step"].shape or state["step"].dtype != np.uint64:
            raise errors.FormatError(f"{path}: its step is no whole number")
        step, sums = int(state["step"]), [np.ascontiguousarray(state[key]) for key in sums]
        runs = self.problem.arrays_shape[:-len(self.problem.grid)]
        if any(a.shape != (f.size, *runs, *region) or a.dtype != np.result_type(self.problem.type, np.complex64)
               for a, (f, region) in zip(sums, self.problem.spectra)):
            raise errors.FormatError(f"{path}: the sums of another spectrum")
        if was_flushed != (self.problem.desc.subnormals == lib.MST_STENCIL_SUBNORMALS_FLUSH):
            ways = ("flushed", "keeps") if was_flushed else ("kept", "flushes")
            warnings.warn(f"{path}: its run {ways[0]} subnormal numbers, this one {ways[1]} them", stacklevel=2)
        before = self._whole_state()
        try:
            self._set(arrays, sums, step)
        except BaseException:  # an interrupt, too
            self._set(*before)
            raise
        return self

    def _read_part(self, name, level, shape):
        array = np.empty(shape, self.problem.type)
        check(lib.mst_stencil_read(self.handle, name, level, ffi.NULL, _host(array), per_thread.error))
        return array

    def _whole_state(self):
        return [self._read_part(*part) for part in self._parts()], [self.spectrum(k) for k in range(len(self.problem.spectra))], self.step

    def _set(self, arrays, sums, step):
        for array, (name, level, *_) in zip(arrays, self._parts()):
            check(lib.mst_stencil_write(self.handle, name, level, _host(array), per_thread.error))
        for k, values in enumerate(sums):
            check(lib.mst_stencil_write_spectrum(self.handle, k, _host(values), per_thread.error))
        check(lib.mst_stencil_set_step(self.handle, step, per_thread.error))


def solve(problem, steps=None, callback=None, every=None, **overrides):
    """Solves a problem: a dictionary with the keys of problem files (docs/stencils.md), the name of such a file, or its text. Returns a Solver.

    Initial values and series may be arrays. `overrides` are keys that replace the problem's, and what a Solver takes besides. Keys that name
    outputs are taken and write nothing: the Solver has the arrays. `callback(solver)` is called after each `every` steps and may end the run.

    >>> import mastaba
    >>> solver = mastaba.solve({"grid": [64, 64], "fields": {"u": "exp(-((x-32)^2 + (y-32)^2)/20)"}, "time_step": "auto",
    ...                         "update": [{"u": "u + dt*laplace(u)"}], "boundary": {"x": "periodic", "y": "neumann"}}, steps=20)
    >>> solver["u"].shape, bool(solver["u"].max() < 1)
    ((64, 64), True)
    """
    return Solver(problem, expected_steps=steps, **overrides).run(steps, callback, every)


def time_step_limit(problem, **overrides):
    """The largest stable time step of a linear problem, by von Neumann's analysis: inf if any is, 0 if none is.

        >>> import mastaba
        >>> round(mastaba.time_step_limit({"grid": [64], "fields": {"u": 0}, "update": [{"u": "u + dt*laplace(u)"}]}), 3)
        0.5
    """
    return Problem(problem, overrides).stability().time_step_limit
