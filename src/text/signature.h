// A kernel's parameters, described once. A writer builds the description and writes the head of the kernel from it; of kernels in
// .cl files the text itself is the description. Launches are checked against what is read from the text.
#ifndef MST_TEXT_SIGNATURE_H
#define MST_TEXT_SIGNATURE_H

#include "text.h"

typedef struct mst_parameter {
    char *type, *name; // "__global const real *", "from"
} mst_parameter;

typedef struct mst_signature {
    char *kernel; // its name
    mst_parameter *parameters;
    size_t n_parameters;
    bool failed; // memory ran out; further additions are ignored
} mst_signature;

// Begins the description of a kernel without parameters. Texts are copied; mst_signature_release frees them, whether something
// failed or not.
void mst_signature_begin(mst_signature *s, const char *kernel);
void mst_signature_release(mst_signature *s);

// Adds a parameter, whose name is printed by printf's rules.
void mst_signature_add(mst_signature *s, const char *type, const char *name_format, ...) __attribute__((format(printf, 3, 4)));

// Adds `__kernel ATTRIBUTES void KERNEL(PARAMETERS) {` to the text. A signature that failed fails the text.
void mst_signature_write(const mst_signature *s, const char *attributes, mst_text *out);

// Finds the kernel in OpenCL C and reads its parameters, as they stand there before any macro is replaced. False without such a
// kernel, or when memory ran out. Begins the description.
bool mst_signature_read(const char *source, const char *kernel, mst_signature *s);

#endif
