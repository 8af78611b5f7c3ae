// Initial values that are given as data: numbers of any real type, or rows of a table.
#ifndef MST_STENCIL_GIVEN_H
#define MST_STENCIL_GIVEN_H

#include "stream/transfer.h"

#include <mastaba/stencil.h>

typedef struct mst_given {
    mst_transfer from;
    const double *table; // NULL: the numbers themselves
    size_t n_table;
} mst_given;

// Whether data of the type may be given.
bool mst_given_is_real(mst_type type);

// Of a field's level: checks what is given. `what` names it in messages, and lives as long as `out`. A field that is given by an
// expression, or not at all, has a layout of rank 0.
mst_status mst_given_check(const mst_stencil_desc *desc, const mst_stencil_field *field, const mst_stencil_initial *initial,
                           const char *what, mst_given *out, mst_error *error);

// The values of n elements that were read, of which the first is element number `first`.
mst_status mst_given_values(const mst_given *given, const void *read, uint64_t first, size_t n, double *to, mst_error *error);

// Whether two fields are rows of tables of the same size by the same numbers.
bool mst_given_is_tied(const mst_stencil_field *a, const mst_stencil_field *b);

#endif
