"""What calls would take of the devices and of the host."""
from . import _contexts
from ._library import check, describe, ffi, lib, per_thread

# By kind of plan: the structure of a forecast and the function that fills it; others have none.
_ASKED = {"fft": ("mst_fft_needs", lib.mst_fft_plan_needs), "convolution": ("mst_convolution_forecast", lib.mst_convolution_predict),
          "deconvolution": ("mst_deconvolution_forecast", lib.mst_deconvolution_predict),
          "filter": ("mst_filter_forecast", lib.mst_filter_predict), "spread_fft": ("mst_spread_fft_needs", lib.mst_spread_fft_plan_needs)}


def _plain(value):
    return tuple(value) if isinstance(value, ffi.CData) else value


class _Forgetful(dict):
    """No call is known, so that all come to `execute`."""

    def __setitem__(self, key, value):
        pass


class _Forecaster(_contexts.Context):
    """Makes plans, and asks them instead of executing them."""

    def __init__(self, *settings):
        super().__init__(*settings)
        self.known, self.plain, self.seen = _Forgetful(), _Forgetful(), []

    def execute(self, key, make, call):
        plan, found = self.plan(key, make), {"kind": key[0]}
        if key[0] in _ASKED:
            structure, ask = _ASKED[key[0]]
            needs = describe(structure)
            check(ask(plan, needs, per_thread.error))
            found.update({name: _plain(getattr(needs, name)) for name, _ in ffi.typeof(structure).fields if name != "struct_size"})
        self.seen.append(found)


def forecast(function, *arguments, **options):
    """What function(*arguments, **options), one of this package's with arrays on the host or in files, would take: a dictionary for each plan that it
    executes, with its kind and, of transforms, convolutions, filters and deconvolutions, the bytes of the devices and of the host, the blocks,
    panels or bricks, and what moves between (docs/c-api.md has the names). Nothing is computed.

        >>> import numpy as np, mastaba
        >>> with mastaba.budget(device="1MiB"):
        ...     [needs] = mastaba.forecast(mastaba.fft.fft, np.zeros((1000, 1000), np.complex64))
        >>> needs["kind"], needs["passes"], needs["upload_bytes"]
        ('fft', 1, 8000000)
    """
    context = _Forecaster(*_contexts.settings())
    with _contexts.on(context):
        function(*arguments, **options)
    return context.seen
