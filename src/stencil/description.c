#include "description.h"

#include "runtime/description.h"
#include "runtime/layout.h"

#include <stdlib.h>

// Replaces one of the arrays by a copy with elements of this library's size, if it has no more elements than are taken.
#define TAKE(number, type, array, count, most, stride, least)                                                                    \
    do {                                                                                                                         \
        MST_REQUIRE(d->array || d->count == 0, MST_ERROR_ARGUMENT, "desc->" #array " must not be NULL");                         \
        if (d->count > (most))                                                                                                   \
            break;                                                                                                               \
        MST_TRY(mst_elements_copy(MST_ELEMENTS(type, stride, MST_STENCIL_DESC_INIT, least), d->array, d->count, d->stride,       \
                                  &out->arrays[number], error));                                                                 \
        d->array = out->arrays[number];                                                                                          \
        d->stride = sizeof(type);                                                                                                \
    } while (0)

// The same of boundaries, of all fields or of one; grids of other ranks are refused later.
static mst_status take_boundaries(const mst_stencil_desc *d, const mst_stencil_boundary **given, mst_stencil_boundary *to,
                                  mst_error *error) {
    mst_status status = MST_OK;
    if (!*given || d->rank < 1 || d->rank > MST_MAX_AXES)
        return MST_OK;
    MST_TRY(mst_elements_read(
        MST_ELEMENTS(mst_stencil_boundary, boundary_size, MST_STENCIL_DESC_INIT, offsetof(mst_stencil_boundary, value)), *given,
        2 * (size_t)d->rank, d->boundary_size, to, error));
    *given = to;
fail:
    return status;
}

mst_status mst_scheme_description_read(const mst_stencil_desc *desc, mst_scheme_description *out, mst_error *error) {
    mst_status status = MST_OK;
    mst_stencil_desc *d = &out->desc;
    *out = (mst_scheme_description){.arrays = {NULL}};
    MST_TRY(mst_description_read(MST_DESCRIPTION(mst_stencil_desc, MST_STENCIL_DESC_INIT, schedule), desc, d, error));
    TAKE(0, mst_stencil_parameter, parameters, n_parameters, MST_STENCIL_MAX_PARAMETERS, parameter_size,
         sizeof(mst_stencil_parameter));
    TAKE(1, mst_stencil_field, fields, n_fields, MST_STENCIL_MAX_FIELDS, field_size, offsetof(mst_stencil_field, levels));
    TAKE(2, mst_stencil_update, updates, n_updates, MST_STENCIL_MAX_FIELDS, update_size, offsetof(mst_stencil_update, substep));
    TAKE(3, mst_stencil_source, sources, n_sources, SIZE_MAX, source_size, offsetof(mst_stencil_source, samples));
    TAKE(4, mst_stencil_receiver, receivers, n_receivers, SIZE_MAX, receiver_size, offsetof(mst_stencil_receiver, positions));
    TAKE(5, mst_stencil_monitor, monitors, n_monitors, MST_STENCIL_MAX_MONITORS, monitor_size, sizeof(mst_stencil_monitor));
    TAKE(6, mst_stencil_spectrum, spectra, n_spectra, MST_STENCIL_MAX_SPECTRA, spectrum_size, sizeof(mst_stencil_spectrum));
    TAKE(8, mst_stencil_definition, definitions, n_definitions, MST_STENCIL_MAX_DEFINITIONS, definition_size,
         sizeof(mst_stencil_definition));
    MST_TRY(take_boundaries(d, &d->boundaries, out->boundaries, error));
    for (size_t k = 0; k < d->n_fields && out->arrays[1]; k++)
        MST_TRY(take_boundaries(d, &((mst_stencil_field *)out->arrays[1])[k].boundaries, out->field_boundaries[k], error));
    d->boundary_size = sizeof(mst_stencil_boundary);
    if (d->brick)
        MST_TRY(mst_description_read(MST_DESCRIPTION(mst_stencil_brick, MST_STENCIL_BRICK_INIT, bricks), d->brick, &out->brick,
                                     error));
    d->brick = d->brick ? &out->brick : NULL;
    if (d->n_runs > 0)
        MST_TRY(mst_ensemble_expand(out, error));
fail:
    return status;
}

void mst_scheme_description_release(mst_scheme_description *description) {
    for (size_t k = 0; k < sizeof description->arrays / sizeof description->arrays[0]; k++)
        free(description->arrays[k]);
}
