#!/usr/bin/env python3
"""Writes the Python module through which the package calls the library: declarations.py INCLUDE OUTPUT.

The declarations are those of the public headers in INCLUDE/mastaba, read here, so that no structure is written down twice.
OUTPUT is a module with one name, `ffi`, of cffi's ABI mode: it needs no compiler, and serves every version of Python.
"""
import pathlib
import re
import sys

import cffi

OPENCL = """
typedef struct _cl_platform_id *cl_platform_id;
typedef struct _cl_device_id *cl_device_id;
typedef struct _cl_context *cl_context;
typedef struct _cl_command_queue *cl_command_queue;
typedef struct _cl_mem *cl_mem;
typedef struct _cl_event *cl_event;
typedef uint32_t cl_uint;
typedef uint64_t cl_device_type;
cl_mem clCreateBuffer(cl_context, uint64_t, size_t, void *, int32_t *);
int32_t clRetainMemObject(cl_mem);
int32_t clReleaseMemObject(cl_mem);
int32_t clGetMemObjectInfo(cl_mem, cl_uint, size_t, void *, size_t *);
int32_t clGetCommandQueueInfo(cl_command_queue, cl_uint, size_t, void *, size_t *);
int32_t clGetContextInfo(cl_context, cl_uint, size_t, void *, size_t *);
int32_t clEnqueueReadBuffer(cl_command_queue, cl_mem, cl_uint, size_t, size_t, void *, cl_uint, const cl_event *, cl_event *);
int32_t clEnqueueWriteBuffer(cl_command_queue, cl_mem, cl_uint, size_t, size_t, const void *, cl_uint, const cl_event *, cl_event *);
int32_t clEnqueueCopyBuffer(cl_command_queue, cl_mem, cl_mem, size_t, size_t, size_t, cl_uint, const cl_event *, cl_event *);
int32_t clFinish(cl_command_queue);
"""


def without_bodies(text):
    """Inline functions are for compilers."""
    while (start := text.find("static inline")) >= 0:
        end = text.index("{", start)
        depth = 1
        while depth:
            end += 1
            depth += (text[end] == "{") - (text[end] == "}")
        text = text[:start] + text[end + 1:]
    return text


def declarations(folder):
    """Those of all headers, each behind those that it includes."""
    texts, seen = [], set()

    def add(name):
        if name in seen:
            return
        seen.add(name)
        text = (folder / name).read_text()
        for included in re.findall(r"#include <mastaba/(.*)>", text):
            add(included)
        texts.append(text)

    add("mastaba.h")
    text = "\n".join(texts)
    constants = re.findall(r"^#define (MST_MAX_\w+|MST_\w+_MAX_\w+) (\d+)", text, re.MULTILINE)
    text = re.sub(r"//.*", "", text)
    text = re.sub(r"#ifdef __cplusplus\n.*?#endif\n", "", text, flags=re.DOTALL)
    text = re.sub(r"^#(?:.*\\\n)*.*\n", "", text, flags=re.MULTILINE)  # with the lines that continue it
    text = without_bodies(text).replace("MST_API ", "")
    return OPENCL + "".join(f"#define {name} {value}\n" for name, value in constants) + text


def main(include, output):
    ffi = cffi.FFI()
    ffi.cdef(declarations(pathlib.Path(include) / "mastaba"))
    ffi.set_source("mastaba._declarations", None)
    ffi.emit_python_code(output)


if __name__ == "__main__":
    main(*sys.argv[1:])
