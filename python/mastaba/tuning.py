"""Tuning: finding by test runs which kernels are fastest on a device, and remembering it (docs/tuning.md).

    with mastaba.tuning.search(seconds=20) as found:
        mastaba.fft.fft(x)                              # and what else is to be fast

What is found is kept beside the compiled kernels, and taken by plans made from then on, by other processes, too. Results stay as they are.
"""
import contextlib
import os

from . import errors
from ._contexts import current
from ._library import c_text, check, describe, ffi, lib, per_thread, progressed

__all__ = ["load", "reset", "results", "save", "search"]


@ffi.callback("mst_tuning_fn")
def _report(result, user):
    text = lambda value: None if value == ffi.NULL else ffi.string(value).decode(errors="replace")  # noqa: E731
    names = "size", "seconds", "before_seconds", "safe_seconds", "tried", "candidates", "wrong", "elements", "search_seconds"
    ffi.from_handle(user).append({
        "capability": text(result.capability), "variant": text(result.variant), "source": text(lib.mst_tuning_source_name(result.source)),
        "values": {text(value.name): value.value for value in result.values[0:result.n_values]},
        **{name: getattr(result, name) for name in names}, "driver": text(result.driver), "date": text(result.date)})


@contextlib.contextmanager
def search(seconds=20.0, *, again=False, compare=False, seed=1, threads=0):
    """Within the `with` block, plans of this thread are made by searching, for about so many `seconds` each, where nothing is known of their
    very problem; with `again` where it is, too. With `compare` nothing is searched: what is known is timed beside what there would be without.
    What was chosen for each plan comes into the list that is given. `threads` compile candidates at once, by default as many as suit the device.
    Plans that were there before are made anew. Ctrl-C and the function of `progress` end a search.

        >>> import mastaba
        >>> with mastaba.tuning.search(0.1, compare=True) as found:
        ...     pass
        >>> found
        []
    """
    context, found = current(), []
    if context.searches:
        raise errors.ArgumentError("a search within a search on the same device")
    handle = ffi.new_handle(found)
    how = describe("mst_tuning", seconds=float(seconds), seed=seed, again=bool(again), compare=bool(compare), threads=threads,
                   progress=progressed, report=_report, user=handle)
    check(lib.mst_tuning_begin(context.handle, how, per_thread.error))
    context.searches = True
    context.forget()
    try:
        yield found
    finally:
        lib.mst_tuning_end(context.handle)
        context.searches = False


def results():
    """What was found on the device that calls work on now: a dictionary for each problem.

        >>> import mastaba
        >>> all(entry["values"] for entry in mastaba.tuning.results())
        True
    """
    found = []
    check(lib.mst_tuning_list(current().handle, _report, ffi.new_handle(found), per_thread.error))
    return found


def save(path):
    """Writes what was found on the device to a JSON file.

        >>> import mastaba, os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     mastaba.tuning.save(os.path.join(folder, "tuned.json"))
        ...     mastaba.tuning.load(os.path.join(folder, "tuned.json")) == len(mastaba.tuning.results())
        True
    """
    check(lib.mst_tuning_export(current().handle, c_text(os.fspath(path)), per_thread.error))


def load(path):
    """Adds what such a file has to what is known of the device that it names; how many problems these are.

        >>> import mastaba
        >>> mastaba.tuning.load("/no/such/file")
        Traceback (most recent call last):
        mastaba.errors.FileError: /no/such/file: No such file or directory
    """
    count = ffi.new("size_t *")
    check(lib.mst_tuning_import(current().handle, c_text(os.fspath(path)), count, per_thread.error))
    return count[0]


def reset():
    """Forgets all that was found on the device.

        >>> import mastaba
        >>> before = mastaba.tuning.results()
        >>> if not before:
        ...     mastaba.tuning.reset()
    """
    check(lib.mst_tuning_reset(current().handle, per_thread.error))
