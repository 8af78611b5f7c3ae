// The .cl files of src/, embedded at build time.
#ifndef MST_RUNTIME_KERNELS_H
#define MST_RUNTIME_KERNELS_H

#include <stddef.h>

typedef struct mst_kernel_file {
    const char *name; // "paper.cl"
    const char *text; // NUL-terminated
    size_t length;
} mst_kernel_file;

extern const mst_kernel_file mst_kernel_files[];
extern const size_t mst_n_kernel_files;

#endif
