// What the kernels of GPU-shaped passes are made of (write_gpu.c, write_fusion.c).
#ifndef MST_FFT_WRITE_GPU_H
#define MST_FFT_WRITE_GPU_H

#include "pass.h"

// What the arrays of registers and the table of a transform are called.
typedef struct mst_gpu_names {
    const char *re, *im, *table;
} mst_gpu_names;

// Local memory while a kernel is written: whether it is in use, and how many exchanges there were.
typedef struct mst_gpu_local {
    bool used;
    unsigned exchanges;
} mst_gpu_local;

// The kernel's head and what a work-item keeps.
void mst_gpu_write_head(const mst_pass *pass, const char *name_and_arguments, mst_text *out);
void mst_gpu_write_place(const mst_pass *pass, mst_text *out);

// Butterflies that a work-item computes in a step of radix r, loops over them, and numbers that it holds.
unsigned mst_gpu_butterflies(const mst_pass *pass, unsigned r);
void mst_gpu_open_butterflies(const mst_pass *pass, unsigned r, mst_text *out);
void mst_gpu_close_butterflies(mst_text *out);
unsigned mst_gpu_pass_registers(const mst_pass *pass);

// Loads an operand where `load` gives element e, in the places that the first step of `pass` reads, or the last one leaves.
void mst_gpu_write_operand(const mst_pass *pass, const char *load, bool for_first_step, mst_gpu_names n, mst_text *out);

// All steps of one or two transforms: elements j + q n/r of the first radix in, j + q n/r of the last one out.
void mst_gpu_write_steps(const mst_pass *pass, mst_gpu_local *local, const mst_gpu_names *n, int count, mst_text *out);

#endif
