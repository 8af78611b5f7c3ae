"""Arrays on the device."""
import ctypes
import math
import operator
import os
import sys
import threading

import numpy as np

from . import _contexts, errors
from ._library import describe, ffi

_READ_WRITE, _MEM_SIZE, _MEM_CONTEXT, _CONTEXT_DEVICES, _QUEUE_DEVICE = 1, 0x1102, 0x1106, 0x1081, 0x1091
_KINDS = {"b": 0, "i": 0, "u": 1, "f": 2, "c": 5}  # of DLPack; its bool is 6
_ON_HOST, _ON_OPENCL = 1, 4
_OPENCL = {}


def _opencl():
    _contexts.begin()
    if not _OPENCL:
        _OPENCL["library"] = ffi.dlopen(os.environ.get("MASTABA_OPENCL") or "libOpenCL.so.1")
    return _OPENCL["library"]


def _check(code, what):
    if code:
        error = errors.DeviceMemoryError if code in (-4, -6, -61) else errors.OpenCLError
        problem = error(f"{what} failed: OpenCL error {code}")
        problem.opencl_code = code
        raise problem


def _asked(function, handle, name, kind):
    value = ffi.new(kind + " *")
    _check(function(handle, name, ffi.sizeof(kind), value, ffi.NULL), "a question about an OpenCL object")
    return value[0]


class _Buffer:
    """A cl_mem that is held."""

    def __init__(self, handle, keep=None):
        self.handle, self.keep = _contexts.owned(handle, _opencl().clReleaseMemObject), keep


class _OwnBuffer:
    """One that was made here. Its memory serves another array of the size when it ends, unless others know of it, who may use it on."""

    __slots__ = ("handle", "keep", "size", "is_known")

    def __init__(self, handle, context, size):
        self.handle, self.keep, self.size, self.is_known = handle, context, size, False

    def __del__(self):
        spare = self.keep.spare
        if self.is_known:
            spare.release(self.handle)
        else:
            spare.put(self.size, self.handle)


def release(handle):
    """Gives a buffer back that was made here."""
    _opencl().clReleaseMemObject(handle)


def _new_buffer(context, size):
    _forget_unused()
    size = max(size, 1)
    handle = context.spare.take(size)
    if handle is None:
        handle = context.with_memory(lambda: _created(context, size))
    return _OwnBuffer(handle, context, size)


def _created(context, size):
    code = ffi.new("int32_t *")
    handle = _opencl().clCreateBuffer(context.opencl, _READ_WRITE, size, ffi.NULL, code)
    _check(code[0], f"a buffer of {size} bytes on {context.device}")
    return handle


def _type(dtype):
    """An element type that a buffer may hold: numbers and bool."""
    dtype = np.dtype(dtype)
    if dtype.kind not in "biufc" or dtype.char in "gG":
        raise (errors.UnsupportedError if dtype.kind in "fc" else errors.ElementTypeError)(f"no OpenCL device has {dtype}")
    return dtype


def dense(shape, itemsize):
    """The strides in bytes of an array in C order."""
    strides, step = [], itemsize
    for n in reversed(shape):
        strides.append(step)
        step *= max(n, 1)
    return tuple(reversed(strides))


class Array:
    """An array in the memory of an OpenCL device: functions of mastaba that get one give one, without a copy in between.

    `numpy.asarray(a)` copies it to the host. Slices, transposes and broadcast arrays are views. Arrays and masks as indices are NumPy's
    affair, on a copy on the host, but for places along one axis that are up to 16 runs of neighbours, and `a[mask] = number`. Operators and
    functions of elements are those of `mastaba.evaluate`.

    >>> import numpy as np, mastaba
    >>> a = mastaba.asarray(np.arange(6.0).reshape(2, 3))
    >>> b = 2*a[:, ::2] + 1
    >>> np.asarray(b)
    array([[ 1.,  5.],
           [ 7., 11.]])
    """

    __slots__ = ("buffer", "offset", "shape", "strides", "dtype", "context")
    __array_priority__ = 100
    __array_ufunc__ = None  # so that numpy's operators leave theirs to these
    __hash__ = None

    def __init__(self, context, buffer, offset, shape, strides, dtype):
        self.context, self.buffer, self.offset, self.shape, self.strides, self.dtype = context, buffer, offset, shape, strides, dtype

    # ---- What it is

    ndim = property(lambda self: len(self.shape))
    size = property(lambda self: math.prod(self.shape))
    itemsize = property(lambda self: self.dtype.itemsize)
    nbytes = property(lambda self: self.size * self.itemsize)
    device = property(lambda self: self.context.device)
    T = property(lambda self: self.transpose())
    mT = property(lambda self: self.__array_namespace__().matrix_transpose(self))

    @property
    def int_ptr(self):
        """The cl_mem, as a number."""
        if type(self.buffer) is _OwnBuffer:
            self.buffer.is_known = True
        return int(ffi.cast("uintptr_t", self.buffer.handle))

    def __len__(self):
        if not self.shape:
            raise TypeError("an array without axes has no length")
        return self.shape[0]

    def __contains__(self, value):
        """Whether an element is equal to a number, or to that of an array that is broadcast against this one."""
        return bool(self.__array_namespace__().any(self == value))

    def __repr__(self):
        return f"mastaba.Array(shape={self.shape}, dtype={self.dtype}, device={self.device!r})"

    def __bool__(self):
        return bool(self.numpy())

    def __float__(self):
        return float(self.numpy())

    def __int__(self):
        return int(self.numpy())

    def __complex__(self):
        return complex(self.numpy())

    def __index__(self):
        return operator.index(self.numpy()[()])

    @property
    def is_dense(self):
        return self.size <= 1 or all(n == 1 or s == t for n, s, t in zip(self.shape, self.strides, dense(self.shape, self.itemsize)))

    # ---- Copies

    def numpy(self, out=None):
        """Its values on the host, in `out` if given."""
        if out is not None and (out.shape != self.shape or out.dtype != self.dtype or not out.flags.writeable):
            raise errors.ArgumentError(f"out must be a writable array of {self.dtype} and shape {self.shape}")
        if not self.is_dense:
            first, last = self._extent()
            raw = np.empty(last - first, np.uint8)
            self._read(raw, self.offset + first)
            values = np.ndarray(self.shape, self.dtype, raw, -first, self.strides)
        else:
            values = out if out is not None and out.flags.c_contiguous else np.empty(self.shape, self.dtype)
            self._read(values, self.offset)
        if out is None:
            return values if self.is_dense else values.copy()
        if values is not out:
            out[...] = values
        return out

    def _extent(self):
        """The bytes, from its first element on, that a view lies in."""
        if not self.size:
            return 0, 0
        reach = [(n - 1) * s for n, s in zip(self.shape, self.strides)]
        return sum(r for r in reach if r < 0), sum(r for r in reach if r > 0) + self.itemsize

    def _read(self, to, offset):
        if to.size:
            _check(_opencl().clEnqueueReadBuffer(self.context.queue, self.buffer.handle, 1, offset, to.nbytes, ffi.cast("void *", to.ctypes.data),
                                                 0, ffi.NULL, ffi.NULL), "reading a buffer")

    def _write(self, values):
        values = np.ascontiguousarray(values, self.dtype)
        if values.size:
            self.context.with_memory(lambda: _check(_opencl().clEnqueueWriteBuffer(
                self.context.queue, self.buffer.handle, 1, self.offset, values.nbytes, ffi.cast("void *", values.ctypes.data), 0, ffi.NULL, ffi.NULL),
                "writing a buffer"))

    def __array__(self, dtype=None, copy=None):
        if copy is False:
            raise ValueError("an array on the device is not on the host without a copy")
        return self.numpy().astype(dtype or self.dtype, copy=False)

    def __reduce__(self):
        return asarray, (self.numpy(),)  # a copy on the device that is used where it is unpickled

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return self.copy()

    def copy(self):
        """A dense array with the same values."""
        if not self.is_dense and self.dtype.isnative:
            from ._map import evaluate
            return evaluate("a", {"a": self})
        if not self.is_dense:
            return asarray(self.numpy(), context=self.context)
        new = empty(self.shape, self.dtype, self.context)
        if self.nbytes:
            self.context.with_memory(lambda: self._copy_to(new))
        return new

    def _copy_to(self, new):
        _check(_opencl().clEnqueueCopyBuffer(self.context.queue, self.buffer.handle, new.buffer.handle, self.offset, 0, self.nbytes, 0,
                                             ffi.NULL, ffi.NULL), "copying a buffer")
        _check(_opencl().clFinish(self.context.queue), "copying a buffer")

    def astype(self, dtype):
        """Its values in another type."""
        dtype = np.dtype(dtype)
        if dtype == self.dtype:
            return self
        if self.dtype.isnative and dtype.isnative and (self.dtype.kind != "c" or dtype.kind == "c"):
            from ._map import evaluate
            return evaluate("a", {"a": self}, out_dtype=dtype)
        return asarray(self.numpy().astype(dtype), context=self.context)

    # ---- Views

    def _view(self, shape, strides, offset=0):
        return Array(self.context, self.buffer, self.offset + offset, tuple(shape), tuple(strides), self.dtype)

    def _part(self, k):
        size = self.itemsize // 2
        return Array(self.context, self.buffer, self.offset + k * size, self.shape, self.strides, np.dtype(f"{self.dtype.byteorder}f{size}"))

    @property
    def real(self):
        """The real parts, a view."""
        return self._part(0) if self.dtype.kind == "c" else self

    @property
    def imag(self):
        """The imaginary parts of complex numbers, a view."""
        if self.dtype.kind != "c":
            raise errors.ArgumentError(f"numbers of {self.dtype} have no imaginary parts")
        return self._part(1)

    def transpose(self, *axes):
        axes = axes[0] if len(axes) == 1 and isinstance(axes[0], (tuple, list)) else axes or range(self.ndim)[::-1]
        if sorted(axis % self.ndim for axis in axes) != list(range(self.ndim)):
            raise ValueError(f"axes {tuple(axes)} are no order of {self.ndim} axes")
        return self._view([self.shape[k] for k in axes], [self.strides[k] for k in axes])

    def reshape(self, *shape):
        """The same values in C order in another shape: a view of a dense array, else a copy."""
        shape = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        shape = np.broadcast_to(np.int8(0), self.shape).reshape(shape).shape
        whole = self if self.is_dense else self.copy()
        return whole._view(shape, dense(shape, self.itemsize))

    def broadcast_to(self, shape):
        shape = tuple(shape)
        if np.broadcast_shapes(self.shape, shape) != shape:
            raise ValueError(f"an array of shape {self.shape} is not broadcast to {shape}")
        lead = len(shape) - self.ndim
        return self._view(shape, [0] * lead + [s if n == m else 0 for s, n, m in zip(self.strides, self.shape, shape[lead:])])

    def __getitem__(self, index):
        index = index if isinstance(index, tuple) else (index,)
        from . import _ordered
        if not all(map(_ordered.is_view, index)):
            return _ordered.at(self, index)
        given = sum(item is not None and item is not Ellipsis for item in index)
        if given > self.ndim or sum(item is Ellipsis for item in index) > 1:
            raise IndexError(f"too many indices for an array of {self.ndim} axes")
        if not any(item is Ellipsis for item in index):
            index += (Ellipsis,)
        shape, strides, offset, axis = [], [], 0, 0
        for item in index:
            if item is Ellipsis:
                n = self.ndim - given
                shape, strides, axis = shape + list(self.shape[axis:axis + n]), strides + list(self.strides[axis:axis + n]), axis + n
            elif item is None:
                shape, strides = shape + [1], strides + [0]
            elif isinstance(item, slice):
                first, last, step = item.indices(self.shape[axis])
                n = len(range(first, last, step))
                offset += first * self.strides[axis] if n else 0
                shape, strides, axis = shape + [n], strides + [step * self.strides[axis]], axis + 1
            else:
                k = operator.index(item)
                if not -self.shape[axis] <= k < self.shape[axis]:
                    raise IndexError(f"index {k} of an axis of {self.shape[axis]}")
                offset, axis = offset + k % self.shape[axis] * self.strides[axis], axis + 1
        return self._view(shape, strides, offset)

    def __setitem__(self, index, values):
        """Writes numbers, or an array that is broadcast and converted to this one's type, to a view."""
        from . import _ordered
        from ._map import evaluate
        if not all(map(_ordered.is_view, index if isinstance(index, tuple) else (index,))):
            _ordered.set_at(self, index, values)
            return
        view = self[index]
        if not isinstance(values, Array):
            values = asarray(values, self.dtype, context=self.context)
        elif values.buffer is self.buffer:
            values = values.copy()
        if view.size:
            evaluate("a", {"a": values.broadcast_to(view.shape)}, out=view)

    # ---- Other libraries

    def __dlpack_device__(self):
        return _ON_OPENCL, 0

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        if dl_device is not None and tuple(dl_device)[0] == _ON_HOST:
            return self.numpy().__dlpack__()
        if not self.dtype.isnative:
            raise BufferError(f"DLPack has no {self.dtype}")
        return _capsule(self.copy() if copy else self)

    def to_device(self, device, /, *, stream=None):
        """Itself, or a copy on another device, named as `device` has it."""
        return self.__array_namespace__().asarray(self, device=device)

    def __array_namespace__(self, *, api_version=None):
        from . import xp
        return xp


# ---- Making them

def empty(shape, dtype=np.float64, context=None):
    """An array on the device whose values are not set.

        >>> import numpy as np, mastaba
        >>> mastaba.empty((2, 3), np.float32).nbytes
        24
    """
    context, dtype = context or _contexts.current(), _type(dtype)
    shape = (operator.index(shape),) if not isinstance(shape, (tuple, list)) else tuple(operator.index(n) for n in shape)
    if any(n < 0 for n in shape):
        raise errors.ArgumentError(f"an array of shape {shape}")
    return Array(context, _new_buffer(context, math.prod(shape) * dtype.itemsize), 0, shape, dense(shape, dtype.itemsize), dtype)


def asarray(values, dtype=None, *, context=None):
    """An array on the device: the same one, what pyopencl or DLPack have there, without a copy, or a copy of what NumPy makes an array of.

    `context` is for internal use.

        >>> import mastaba
        >>> a = mastaba.asarray([1.0, 2.0])
        >>> (a + 1).numpy().tolist()
        [2.0, 3.0]
    """
    values = adopted(values)
    if isinstance(values, Array):
        return values if dtype is None else values.astype(dtype)
    from ._arrays import whole
    values = np.asarray(whole(values), dtype)
    array = empty(values.shape, _type(values.dtype).newbyteorder("="), context)
    array._write(values)
    return array


def _of_file(path):
    """The array of a file, mapped into memory: what is not read stays in the file."""
    try:
        return np.lib.format.open_memmap(path, mode="r")
    except ValueError as error:
        raise errors.ArgumentError(f"'{os.fspath(path)}' is no .npy file that can be mapped ({str(error).splitlines()[0]}): "
                                   "give a file that numpy.save wrote, or an array") from None


def adopted(values):
    """What pyopencl or DLPack have on an OpenCL device, as an Array, where it lies; of a file's name its array; anything else as it is."""
    if isinstance(values, (Array, np.ndarray, list, tuple, float, int)):
        return values
    if isinstance(values, (str, os.PathLike)):
        return _of_file(values)
    if hasattr(values, "base_data") and hasattr(values, "queue"):
        return from_pyopencl(values)
    if hasattr(values, "__dlpack_device__") and values.__dlpack_device__()[0] == _ON_OPENCL:
        return from_dlpack(values)
    return values


def _device_of(opencl, queue):
    """The device of a queue, or the first one of a context, which may have several."""
    if queue != ffi.NULL:
        return _asked(_opencl().clGetCommandQueueInfo, queue, _QUEUE_DEVICE, "cl_device_id")
    size = ffi.new("size_t *")
    _check(_opencl().clGetContextInfo(opencl, _CONTEXT_DEVICES, 0, ffi.NULL, size), "a question about an OpenCL object")
    devices = ffi.new("cl_device_id[]", size[0] // ffi.sizeof("cl_device_id"))
    _check(_opencl().clGetContextInfo(opencl, _CONTEXT_DEVICES, size[0], devices, ffi.NULL), "a question about an OpenCL object")
    return devices[0]


def _context_of(handle, queue):
    """The context on the OpenCL context and queue that a buffer belongs to."""
    opencl = _asked(_opencl().clGetMemObjectInfo, handle, _MEM_CONTEXT, "cl_context")
    mine = _contexts.current()
    if queue == ffi.NULL and mine.opencl == opencl:
        return mine
    return _contexts.shared(opencl, _device_of(opencl, queue), queue)


def from_cl_mem(pointer, shape, dtype=np.float64, *, offset=0, strides=None, queue=None):
    """An array in a buffer that another library made, whose cl_mem is the number `pointer`; strides and offset are bytes. It is
    retained as long as the array. Work on it goes to `queue`, a cl_command_queue's number, if given.

        >>> import numpy as np, mastaba
        >>> a = mastaba.asarray(np.arange(4.0))
        >>> mastaba.from_cl_mem(a.int_ptr, (2,), a.dtype, offset=16).numpy().tolist()
        [2.0, 3.0]
    """
    handle = ffi.cast("cl_mem", operator.index(pointer))
    if handle == ffi.NULL:
        raise errors.ArgumentError("the cl_mem is 0")
    dtype, shape = _type(dtype), (shape,) if isinstance(shape, int) else tuple(shape)
    strides = dense(shape, dtype.itemsize) if strides is None else tuple(strides)
    context = _context_of(handle, ffi.NULL if queue is None else ffi.cast("cl_command_queue", operator.index(queue)))
    _check(_opencl().clRetainMemObject(handle), "taking a buffer")
    array = Array(context, _Buffer(handle, context), offset, shape, strides, dtype)
    first, last = array._extent()
    if offset + first < 0 or offset + last > _asked(_opencl().clGetMemObjectInfo, handle, _MEM_SIZE, "size_t"):
        raise errors.ArgumentError(f"an array of shape {shape} at byte {offset} reaches beyond its buffer")
    return array


def from_pyopencl(array):
    """A pyopencl.array.Array, where it lies, on its queue."""
    if not array.size:
        return empty(array.shape, array.dtype)
    if not hasattr(array.base_data, "int_ptr"):
        raise errors.UnsupportedError(f"an array in {type(array.base_data).__name__}, shared virtual memory: make it in a buffer")
    return from_cl_mem(array.base_data.int_ptr, array.shape, array.dtype, offset=array.offset, strides=array.strides,
                       queue=None if array.queue is None else array.queue.int_ptr)


# ---- DLPack

class _Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class _Managed(ctypes.Structure):
    pass


_DELETER = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Managed))
_Managed._fields_ = [("tensor", _Tensor), ("manager", ctypes.c_void_p), ("deleter", _DELETER)]
_NAME, _USED = b"dltensor", b"used_dltensor"
_api = ctypes.pythonapi
_api.PyCapsule_New.restype, _api.PyCapsule_New.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
_api.PyCapsule_IsValid.argtypes = (ctypes.py_object, ctypes.c_char_p)
_api.PyCapsule_GetPointer.restype, _api.PyCapsule_GetPointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
_api.PyCapsule_SetName.argtypes = (ctypes.py_object, ctypes.c_char_p)
_handed_out = {}  # by the address of a structure: its capsule, something that is held here alone, and what the structure points to
_looking = threading.Lock()


@_DELETER
def _delete(managed):
    _handed_out.pop(ctypes.addressof(managed.contents), None)


def _forget_unused():
    """Lets go of what was handed out and not taken: its capsule is held here alone. Capsules have no destructor of Python code for that:
    one that a consumer drops because it raises an exception would lose this. By one thread at a time, as a thread that looks holds what it
    looks at."""
    if _looking.acquire(blocking=False):
        try:
            for address, held in list(_handed_out.items()):
                if sys.getrefcount(held[0]) <= sys.getrefcount(held[1]) and _api.PyCapsule_IsValid(held[0], _NAME):
                    _handed_out.pop(address, None)
        finally:
            _looking.release()


def _capsule(array):
    managed, n, size = _Managed(), array.ndim, array.itemsize
    shape, strides = ((ctypes.c_int64 * max(n, 1))(*values) for values in (array.shape, [s // size for s in array.strides]))
    kind = 6 if array.dtype.kind == "b" else _KINDS[array.dtype.kind]
    managed.tensor = _Tensor(array.int_ptr, _ON_OPENCL, 0, n, kind, 8 * size, 1, shape, strides, array.offset)
    managed.deleter = _delete
    capsule = _api.PyCapsule_New(ctypes.addressof(managed), _NAME, None)
    _forget_unused()
    _handed_out[ctypes.addressof(managed)] = capsule, object(), managed, shape, strides, array
    return capsule


class _Borrowed:
    """A DLPack structure that its producer frees when the last array on it ends."""

    def __init__(self, managed):
        self.managed = managed

    def __del__(self):
        if self.managed.contents.deleter:
            self.managed.contents.deleter(self.managed)


def from_dlpack(producer):
    """An array of another library, without a copy if it lies on an OpenCL device, else copied there.

        >>> import mastaba
        >>> a = mastaba.asarray([1.0, 2.0])
        >>> mastaba.from_dlpack(a).int_ptr == a.int_ptr
        True
    """
    if producer.__dlpack_device__()[0] != _ON_OPENCL:
        return asarray(np.from_dlpack(producer))
    capsule = producer.__dlpack__()
    if not _api.PyCapsule_IsValid(capsule, _NAME):
        raise errors.ArgumentError("__dlpack__ gave no capsule that is named dltensor")
    managed = ctypes.cast(_api.PyCapsule_GetPointer(capsule, _NAME), ctypes.POINTER(_Managed))
    tensor = managed.contents.tensor
    kinds = {(_KINDS[np.dtype(kind).kind], 8 * np.dtype(kind).itemsize): kind[0] for kind in (
        "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16")}
    if tensor.lanes != 1 or (tensor.code, tensor.bits) not in {**kinds, (6, 8): "b"}:
        raise errors.UnsupportedError(f"elements of DLPack's type {tensor.code} with {tensor.bits} bits")
    dtype = np.dtype(bool if tensor.code == 6 else f"{kinds[tensor.code, tensor.bits]}{tensor.bits // 8}")
    shape = tuple(tensor.shape[k] for k in range(tensor.ndim))
    strides = [tensor.strides[k] * dtype.itemsize for k in range(tensor.ndim)] if tensor.strides else None
    array = from_cl_mem(tensor.data, shape, dtype, offset=tensor.byte_offset, strides=strides)
    _api.PyCapsule_SetName(capsule, _USED)
    array.buffer.keep = (array.buffer.keep, _Borrowed(managed))
    return array
