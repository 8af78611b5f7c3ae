// PoCL's binaries of programs.
#ifndef MST_RUNTIME_POCL_BINARY_H
#define MST_RUNTIME_POCL_BINARY_H

#include <stddef.h>

// Takes the LLVM code out of a binary that has machine code of all kernels in their general form, and returns how long it is
// then. PoCL parses that code whenever it loads the binary, which takes longer than all else that a small command does, and
// compiles the launched kernels from it again for their work-group; without it, it launches the general form, and must not be
// asked for the binary of such a program. Anything but a binary of which all this is known stays as it is.
size_t mst_pocl_drop_code(unsigned char *binary, size_t size);

#endif
