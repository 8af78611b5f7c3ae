"""What goes wrong, a class for each kind of failure; the message is the library's, one line that says what to do."""


class Error(Exception):
    """Any failure of Mastaba. `opencl_code` is the code of OpenCL behind it, 0 if there is none."""

    opencl_code = 0


class ArgumentError(Error, ValueError):
    """A value, or a combination of values, that a call does not take."""


class ElementTypeError(Error, TypeError):
    """Elements of a type that the library has nothing like: objects, texts, dates, records."""


class TraceError(Error, TypeError):
    """A Python function that cannot be written as an expression."""


class NoDeviceError(Error):
    """No OpenCL platform, no device, or none that matches."""


class UnsupportedError(Error, NotImplementedError):
    """The device lacks a feature that the work needs, float64 say."""


class HostMemoryError(Error, MemoryError):
    """The host is out of memory."""


class DeviceMemoryError(Error, MemoryError):
    """The device is out of memory, or an allocation is larger than it allows."""


class BudgetError(Error, MemoryError):
    """A memory budget is too small for one block of the work; the message gives the least that works."""


class OpenCLError(Error):
    """Any other failure of OpenCL; `opencl_code` says which."""


class BuildError(OpenCLError):
    """A kernel did not build."""


class FileError(Error, OSError):
    """Reading or writing a file failed."""


class FormatError(Error, ValueError):
    """A file is not what it claims to be."""


class CancelledError(Error):
    """A progress function asked to stop."""


class DivergedError(Error, ArithmeticError):
    """A field of a finite-difference scheme has become infinite or NaN."""


BY_STATUS = {
    "MST_ERROR_ARGUMENT": ArgumentError,
    "MST_ERROR_NO_DEVICE": NoDeviceError,
    "MST_ERROR_UNSUPPORTED": UnsupportedError,
    "MST_ERROR_HOST_MEMORY": HostMemoryError,
    "MST_ERROR_DEVICE_MEMORY": DeviceMemoryError,
    "MST_ERROR_BUDGET": BudgetError,
    "MST_ERROR_OPENCL": OpenCLError,
    "MST_ERROR_BUILD": BuildError,
    "MST_ERROR_IO": FileError,
    "MST_ERROR_FORMAT": FormatError,
    "MST_ERROR_CANCELLED": CancelledError,
    "MST_ERROR_DIVERGED": DivergedError,
}
