#include "elements.h"

static void set_elements(mst_problem *p) {
    for (int f = 0; f < p->n_fields; f++) {
        const mst_problem_field *field = &p->fields[f];
        for (int level = 0; level < field->levels; level++) {
            const size_t bytes = field->is_half ? 2 : p->element;
            p->elements[field->array + level + (field->coefficient ? p->n_arrays : 0)] = bytes;
            if (!field->coefficient)
                p->layer_axes[field->array + level] = field->is_memory ? field->layer_axis : -1;
            *(field->coefficient ? &p->coefficient_node_bytes : &p->state_node_bytes) += bytes;
        }
    }
}

mst_status mst_problem_read_elements(const mst_stencil_desc *desc, mst_problem *p, mst_error *error) {
    mst_status status = MST_OK;
    for (size_t f = 0; f < desc->n_fields; f++) { // memory variables are as the precision is
        const mst_stencil_field *from = &desc->fields[f];
        mst_problem_field *to = &p->fields[f];
        to->is_half = from->storage_bytes == 2;
        MST_REQUIRE(from->storage_bytes == 0 || to->is_half || from->storage_bytes == p->element, MST_ERROR_ARGUMENT,
                    "field %s is stored in %zu bytes; 0, 2 and %zu are supported", from->name, from->storage_bytes, p->element);
        MST_REQUIRE(!to->is_half || !p->is_double, MST_ERROR_ARGUMENT,
                    "field %s is stored as float16, but the precision is float64; it must be float32", from->name);
    }
    set_elements(p);
fail:
    return status;
}

bool mst_problem_has_half_state(const mst_problem *p) {
    for (int a = 0; a < p->n_arrays; a++)
        if (mst_problem_is_half(p, a))
            return true;
    return false;
}
