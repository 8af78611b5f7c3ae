// Elementary functions of our own, in place of a device's where these are slower. Which ones are taken depends on the device and
// its driver alone, so that every kernel of a device, compiled or byte code, in vectors or not, computes the same bits.
#ifndef MST_EXPR_ELEMENTARY_H
#define MST_EXPR_ELEMENTARY_H

#include "runtime/program.h"
#include "tree.h"

typedef struct mst_elementary mst_elementary;

// Those of a device; NULL: it computes all functions by its own. NULL for NULL.
const mst_elementary *mst_elementary_of(const mst_device_info *device);

// Whether an operation is one of them. Kernels call it own_NAME_TYPE, "own_sin_float8".
bool mst_elementary_has(const mst_elementary *own, mst_expr_operation operation);

// Puts before a program's text what it calls of them, made of the sections of elementary_single.cl and elementary_double*.cl. A
// section begins with a line "//: NAME SECTIONS": its name and the sections that it needs. They are templates: $d is double or a
// vector of them, $f, $l and $u the same of float, long and ulong, $w the width, $any the function `any` of vectors.
mst_status mst_elementary_define(mst_context *context, mst_text *text, mst_error *error);

#endif
