"""FFTs, convolutions and more on any OpenCL device, with the signatures of SciPy.

    >>> import numpy as np, mastaba.fft
    >>> mastaba.fft.fft(np.ones(4)).real.tolist()
    [4.0, 0.0, 0.0, 0.0]
"""
from . import errors
from ._contexts import budget, devices, set_cache, use
from ._library import progress, version
from ._device import Array, asarray, empty, from_cl_mem, from_dlpack, from_pyopencl
from ._arrays import pinned
from ._forecast import forecast
from ._map import evaluate
from ._solve import Solver, solve, time_step_limit
from ._spread import Spread
from .errors import Error

__version__ = version()
__all__ = ["Array", "Error", "Solver", "Spread", "asarray", "budget", "devices", "empty", "errors", "evaluate", "fft", "forecast", "from_cl_mem",
           "from_dlpack", "from_pyopencl", "integrate", "ndimage", "pinned", "progress", "restoration", "set_cache", "signal", "solve",
           "time_step_limit", "tuning", "use", "version", "xp"]


from . import xp  # noqa: E402, F401  its functions are the operators of Array


def __getattr__(name):
    if name in ("fft", "integrate", "ndimage", "restoration", "signal", "tuning"):
        import importlib
        return importlib.import_module("." + name, __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
