"""Arrays that lie on several devices at once."""
import math
import threading

import numpy as np

from . import _arrays, errors
from ._contexts import begin, current
from ._library import check, describe, execution, ffi, lib, per_thread
from ._transforms import COMPLEX, as_numbers, scale_of

_ORDERS = {lib.MST_SPREAD_NATURAL: "natural", lib.MST_SPREAD_TRANSPOSED: "transposed"}


class Spread:
    """A copy of an array of complex numbers with one to three axes on all devices that are in use, a part on each, so that it may be larger than
    any of them. It is transformed there, along all axes, in place. One thread at a time works on it: others wait.

    >>> import numpy as np, mastaba
    >>> x = np.random.default_rng(1).standard_normal((8, 12)) + 0j
    >>> with mastaba.use("all"):
    ...     a = mastaba.Spread(x)
    >>> bool(np.allclose(a.fft().numpy(), np.fft.fft2(x)) and np.allclose(a.ifft().numpy(), x))
    True
    """

    def __init__(self, values):
        values = as_numbers(values)
        self.shape, self.dtype = values.shape, COMPLEX[values.dtype.char]
        if not 1 <= len(self.shape) <= lib.MST_MAX_AXES or 0 in self.shape:
            raise errors.ArgumentError(f"an array of shape {self.shape}: one to {lib.MST_MAX_AXES} axes of at least one element are spread")
        self._context, self._lock = current(), threading.Lock()
        self._handle = self._context.prepared(lambda context: context.create("spread", self._described("mst_spread_desc")))
        self.set(values)

    def __reduce__(self):
        raise TypeError("a spread array is on devices: numpy() has its values")

    def _described(self, kind, **members):
        return describe(kind, type=_arrays.TYPES[self.dtype], rank=len(self.shape), shape=self.shape, **members)

    @property
    def devices(self):
        """How many devices have a part."""
        return lib.mst_context_n_devices(self._context.handle)

    def set(self, values):
        """Copies the values of an array of its shape to the devices. Returns itself."""
        values = np.ascontiguousarray(np.broadcast_to(_arrays.of(values), self.shape), self.dtype)
        begin()
        with self._lock:
            check(lib.mst_spread_upload(self._handle, _arrays.address(values), per_thread.error))
        return self

    def numpy(self, out=None):
        """Its values on the host, in `out` if given."""
        out = np.empty(self.shape, self.dtype) if out is None else out
        if not isinstance(out, np.ndarray) or out.shape != self.shape or out.dtype != self.dtype or not out.flags.c_contiguous or not out.flags.writeable:
            raise errors.ArgumentError(f"out must be a writable array of {self.dtype} and shape {self.shape} in C order")
        begin()
        with self._lock:
            check(lib.mst_spread_download(self._handle, _arrays.address(out), per_thread.error))
        return out

    def __array__(self, dtype=None, copy=None):
        if copy is False:
            raise ValueError("an array on devices is not on the host without a copy")
        return self.numpy().astype(dtype or self.dtype, copy=False)

    def _part(self, device):
        part = describe("mst_spread_part")
        check(lib.mst_spread_describe_part(self._handle, device, part, per_thread.error))
        return part

    def parts(self):
        """What each device has, for kernels of one's own: the number of its `cl_mem`, which belongs to that device's own OpenCL context, the
        shape of the part there, the axis that is cut, the part's first index along it, and the order. It holds until the next transform."""
        begin()
        with self._lock:
            found = [self._part(device) for device in range(self.devices)]
        return [{"int_ptr": int(ffi.cast("uintptr_t", part.buffer)), "shape": tuple(part.layout.shape[0:part.layout.rank]), "axis": part.axis,
                 "start": part.start, "order": _ORDERS[part.order]} for part in found]

    def _transform(self, forward, norm, transposed):
        direction = lib.MST_FFT_FORWARD if forward else lib.MST_FFT_INVERSE
        after = lib.MST_SPREAD_TRANSPOSED if transposed else lib.MST_SPREAD_NATURAL
        scale = scale_of(norm, [math.prod(self.shape)], forward)
        begin()
        with self._lock:
            before = self._part(0).order
            self._context.execute(
                ("spread_fft", self.dtype.char, self.shape, direction, scale, before, after),
                lambda context: context.create("spread_fft", self._described(
                    "mst_spread_fft_desc", direction=direction, scale=scale, input=before, output=after)),
                lambda plan: lib.mst_spread_fft_execute(plan, self._handle, execution, per_thread.error))
        return self

    def fft(self, norm=None, *, transposed=False):
        """scipy.fft.fftn of it, in its place. With `transposed` the devices keep the columns that the last step left them with, which saves an
        exchange; `ifft` takes it from there, and `numpy` gives the usual order in any case. Returns itself."""
        return self._transform(True, norm, transposed)

    def ifft(self, norm=None, *, transposed=False):
        """scipy.fft.ifftn of it, the same way."""
        return self._transform(False, norm, transposed)
