// The caller's description of a scheme in full, with copies of its arrays.
#ifndef MST_STENCIL_DESCRIPTION_H
#define MST_STENCIL_DESCRIPTION_H

#include "stencil/scheme/observations.h"

typedef struct mst_scheme_description {
    mst_stencil_desc desc;
    // Of parameters, fields, updates, sources, receivers, monitors and spectra, and the points of an ensemble's receivers.
    void *arrays[9];
    mst_stencil_brick brick;
    mst_stencil_boundary boundaries[2 * MST_MAX_AXES];
    mst_stencil_boundary field_boundaries[MST_STENCIL_MAX_FIELDS][2 * MST_MAX_AXES];
} mst_scheme_description;

// Strings, initial data and the points of receivers stay the caller's, as do arrays that are too long. Release it whatever the
// status.
mst_status mst_scheme_description_read(const mst_stencil_desc *desc, mst_scheme_description *out, mst_error *error);
// Makes an ensemble's description one of a grid with the runs as its slowest axis, to which no field's offset belongs. Where the
// grid has three axes its rank is 4 and all else is that of a run.
mst_status mst_ensemble_expand(mst_scheme_description *description, mst_error *error);

void mst_scheme_description_release(mst_scheme_description *description);

#endif
