// PoCL's binaries of programs.
#ifndef MST_RUNTIME_POCL_BINARY_H
#define MST_RUNTIME_POCL_BINARY_H

#include <stddef.h>

// A copy of a binary without its LLVM code, the caller's to free, and how long it is. PoCL parses that code whenever it loads the
// binary, which takes longer than all else that a small command does, and compiles the launched kernels from it again for their
// work-group; without it, it launches the kernels' general form, and must not be asked for the binary of such a program. NULL
// of anything but a binary that is known to have machine code of each kernel in that form, or without memory.
unsigned char *mst_pocl_without_code(const unsigned char *binary, size_t size, size_t *length);

#endif
