"""Convolution of streams."""
import operator
import threading

import numpy as np

from . import errors
from ._arrays import TYPES
from ._contexts import begin, current
from ._library import check, describe, ffi, lib, per_thread

_COUNT = ffi.typeof("size_t *")
# By type: a pointer's type, the member of mst_convolver_desc that has the kernel, and the functions that take and give samples.
_TYPES = {np.dtype(np.float32): (ffi.typeof("float *"), "kernel", lib.mst_convolver_push, lib.mst_convolver_pull),
          np.dtype(np.float64): (ffi.typeof("double *"), "kernel_double", lib.mst_convolver_push_double, lib.mst_convolver_pull_double)}


def _frames(values, channels, what, dtype):
    """Samples as frames (n, channels) of a type, dense."""
    values = np.asarray(values)
    if values.dtype.kind not in "biuf":
        raise errors.ArgumentError(f"{what} of {values.dtype}: streams are of real samples")
    values = np.ascontiguousarray(values, dtype)
    if values.ndim == 1 and channels in (1, None):
        values = values[:, None]
    if values.ndim != 2 or channels not in (None, values.shape[1]):
        wanted = f"{channels or 'n'} channels" if channels != 1 else "one"
        raise errors.ArgumentError(f"{what} of shape {values.shape}: a row a frame of {wanted}")
    return values


class Convolver:
    """Convolves a stream without an end, sound say, with a kernel of any length: blocks go in as they come, and results come out at most
    `latency` samples later. Memory and time are bounded (partitioned convolution: Gardner, J. Audio Eng. Soc. 43, 1995).

    `kernel` is one response (taps,), for all `channels`, or one a channel (taps, channels). `latency` is a power of two from 16 to 2^20,
    by default 256: short ones cost more. Samples are of `dtype`, float32 or float64, in which all is computed. It works on the device and in
    the budget that it was made in, for one thread at a time: others wait.

    >>> import numpy as np, mastaba
    >>> hall = mastaba.signal.Convolver([1.0, 0.0, 0.5], latency=16)
    >>> blocks = [hall.process(np.ones(20)), hall.process(np.ones(12)), hall.flush()]
    >>> [len(block) for block in blocks], np.concatenate(blocks)[[0, 2, 31, 32, 33]].tolist()
    ([16, 16, 2], [1.0, 1.5, 1.5, 0.5, 0.5])
    """

    def __init__(self, kernel, channels=None, *, latency=256, dtype=np.float32):
        self.dtype = np.dtype(dtype)
        if self.dtype not in _TYPES:
            raise errors.ArgumentError(f"a stream of {self.dtype}: it is computed in float32 or float64")
        self._pointer, its_kernel, self._push, self._pull = _TYPES[self.dtype]
        kernel = _frames(kernel, None if np.ndim(kernel) == 2 else 1, "a kernel", self.dtype)
        self.channels = operator.index(channels) if channels is not None else kernel.shape[1]
        self.latency, self.taps = operator.index(latency), kernel.shape[0]
        if kernel.shape[1] not in (1, self.channels) or self.channels < 1 or self.latency < 1:
            raise errors.ArgumentError(f"{kernel.shape[1]} kernels for {channels} channels, a latency of {latency}: give one kernel, or one a channel")

        def make(context):
            return context.create("convolver", describe(
                "mst_convolver_desc", channels=self.channels, kernel_channels=kernel.shape[1], taps=self.taps, latency=self.latency,
                type=TYPES[self.dtype], **{its_kernel: self._samples(kernel)}))

        self._handle, self._lock = current().prepared(make), threading.Lock()
        self._one = False  # whether the last block had no axis of channels

    def __reduce__(self):
        raise TypeError("a stream is on a device: make one of the same kernel where it is to go on")

    def _samples(self, frames):
        return ffi.cast(self._pointer, frames.ctypes.data)

    def _pulled(self):
        """What has come out."""
        blocks, given = [], ffi.new(_COUNT)
        while True:
            block = np.empty((self.latency, self.channels), self.dtype)
            check(self._pull(self._handle, self._samples(block), self.latency, given, per_thread.error))
            if not given[0]:
                return blocks
            blocks.append(block[:given[0]])

    def _joined(self, blocks, one):
        whole = np.concatenate(blocks) if blocks else np.empty((0, self.channels), self.dtype)
        return whole[:, 0] if one else whole

    def process(self, frames):
        """Takes a block of any length, (n, channels) or (n,) of one channel, and gives the results that are ready, in the same form: none
        to several blocks of `latency`. The results of a stream are those of all calls, and of flush, one behind the other."""
        one, frames = np.ndim(frames) == 1, _frames(frames, self.channels, "a block", self.dtype)
        self._one, blocks, taken = one, [], ffi.new(_COUNT)
        begin()
        with self._lock:
            while frames.shape[0]:
                check(self._push(self._handle, self._samples(frames), frames.shape[0], taken, per_thread.error))
                frames = frames[taken[0]:]
                blocks += self._pulled()
        return self._joined(blocks, one)

    def flush(self):
        """Says that the stream has ended, and gives what is left of its result, which has taps - 1 frames more than went in. `restart` begins
        another."""
        begin()
        with self._lock:
            check(lib.mst_convolver_flush(self._handle, per_thread.error))
            return self._joined(self._pulled(), self._one)

    def restart(self):
        """Forgets what went in, for another stream with the same kernel. Returns itself."""
        begin()
        with self._lock:
            check(lib.mst_convolver_restart(self._handle, per_thread.error))
        return self

    def stream(self, blocks):
        """The results of an iterable of blocks, as they come; the last one is what flush gives."""
        for block in blocks:
            ready = self.process(block)
            if len(ready):
                yield ready
        rest = self.flush()
        if len(rest):
            yield rest
