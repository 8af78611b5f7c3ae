"""The C library: where it is, and how its calls report."""
import contextlib
import os
import pathlib
import threading

from . import errors
from ._declarations import ffi


def _open():
    own = pathlib.Path(__file__).with_name("libmastaba.so")  # wheels have one; a system's package leaves it to the system's linker
    path = os.environ.get("MASTABA_LIBRARY") or (str(own) if own.exists() else "libmastaba.so.1")
    try:
        return ffi.dlopen(path)
    except OSError as error:
        if "libOpenCL" in str(error):
            raise ImportError(f"{error}; install an OpenCL loader and a driver: on Debian and Ubuntu, apt install "
                              "ocl-icd-libopencl1 pocl-opencl-icd") from None
        raise ImportError(f"{error}; MASTABA_LIBRARY may name another libmastaba.so") from None


lib = _open()


class _PerThread(threading.local):
    """What a call writes its error to, and what a signal handler raised during a call."""

    def __init__(self):
        self.error = ffi.new("mst_error *")
        self.raised = None
        self.report = None  # what progress() was given
        self.watch = None  # what is told of iterations of a deconvolution
        self.done = None  # the plans that were executed, where somebody wants to know


per_thread = _PerThread()


def check(status):
    """Raises what the last call of this thread reported, if it failed."""
    raised = per_thread.raised
    if not status and raised is None:
        return
    per_thread.raised = None
    if raised is not None:
        raise raised
    error = per_thread.error
    message, excerpt = (ffi.string(text).decode(errors="replace") for text in (error.message, error.excerpt))
    kind = errors.BY_STATUS.get(ffi.string(lib.mst_status_name(status)).decode(), errors.Error)
    problem = kind(message + ("\n" + excerpt if excerpt else ""))
    problem.opencl_code = error.opencl_code
    raise problem


def interrupted(exception, value, traceback):
    """Keeps what a signal handler raised (KeyboardInterrupt) until the call that it interrupts has ended."""
    per_thread.raised = value
    return False


# Running Python at all, now and then, is what lets a signal's handler run during a long call.
@ffi.callback("bool(uint64_t, uint64_t, void *)", error=False, onerror=interrupted)
def progressed(done, total, user):
    report = per_thread.report
    return report is None or report(done, total) is not False


execution = ffi.new("mst_execution *", {"struct_size": ffi.sizeof("mst_execution"), "progress": progressed})


def describe(kind, /, **members):
    """A description of the C API, its size set."""
    return ffi.new(kind + " *", {"struct_size": ffi.sizeof(kind), **members})


def c_text(text):
    """A text as the library takes it."""
    encoded = text.encode()
    if 0 in encoded:  # which would end it there
        raise errors.ArgumentError(f"{text!r} has a character of the code 0")
    return ffi.new("char[]", encoded)


@contextlib.contextmanager
def progress(report=None):
    """Within the `with` block, calls of this thread tell report(done, total) now and then how far they are; where it returns False they
    end with a CancelledError. Without a function, a bar of tqdm is drawn for calls that take longer than half a second.

        >>> import numpy as np, mastaba
        >>> seen = []
        >>> with mastaba.progress(lambda done, total: seen.append(done / total)):
        ...     z = mastaba.fft.fft(np.ones((10, 100)))
        >>> seen == sorted(seen)
        True
    """
    bar = None
    if report is None:
        report = bar = _Bar()
    before, per_thread.report = per_thread.report, report
    try:
        yield
    finally:
        per_thread.report = before
        if bar is not None:
            bar.close()


class _Bar:
    """A bar for each call: one whose work is less than before, or other in size, is a new one."""

    def __init__(self):
        try:
            from tqdm.auto import tqdm
        except ImportError:
            raise errors.Error("progress bars need tqdm: pip install tqdm, or give progress() a function") from None
        self.tqdm, self.bar = tqdm, None

    def __call__(self, done, total):
        if self.bar is None or total != self.bar.total or done < self.bar.n:
            self.close()
            self.bar = self.tqdm(total=total, unit_scale=True, delay=0.5, leave=False)
        self.bar.update(done - self.bar.n)

    def close(self):
        if self.bar is not None:
            self.bar.close()


def version():
    """The version of the C library.

        >>> import mastaba
        >>> mastaba.version().count(".")
        2
    """
    return ffi.string(lib.mst_version()).decode()
