// Which array is where, as numbers.
#include "runtime/numbers.h"
#include "write_sweep.h"

int mst_sweeps_n_slots(const mst_sweeps *s) { return s->problem->n_arrays + s->problem->n_coefficients + s->n_spares; }

bool mst_sweeps_is_half_slot(const mst_sweeps *s, int slot) {
    const mst_problem *p = s->problem;
    const int spare = slot - p->n_arrays - p->n_coefficients;
    if (spare >= 0)
        return s->spare_kinds[spare] == MST_SWEEPS_HALF;
    for (int f = 0; f < p->n_fields; f++) {
        const int first = p->fields[f].array + (p->fields[f].coefficient ? p->n_arrays : 0);
        if (slot >= first && slot < first + p->fields[f].levels)
            return p->fields[f].is_half;
    }
    return false;
}

int mst_sweeps_target(const mst_sweeps *s, int update, mst_spare_turn *turn) {
    return s->in_place[update] ? mst_sweeps_replaced(s->problem, update)
                               : s->problem->n_arrays + s->problem->n_coefficients + mst_sweeps_next_spare(s, update, turn);
}

void mst_sweeps_rotate(const mst_sweeps *s, int k, int arrays[MST_SWEEPS_SLOTS]) {
    const mst_problem *p = s->problem;
    mst_spare_turn turn = {.taken = {0, 0}};
    for (int u = s->first[k]; u < s->first[k + 1]; u++) {
        const mst_problem_field *field = &p->fields[p->updates[u].field];
        const int oldest = field->array + field->levels - 1, target = mst_sweeps_target(s, u, &turn), newest = arrays[target];
        arrays[target] = arrays[oldest];
        for (int array = oldest; array > field->array; array--)
            arrays[array] = arrays[array - 1];
        arrays[field->array] = newest;
    }
}

int mst_sweep_slots(const mst_sweeps *s, int k, int slots[MST_SWEEPS_SLOTS]) {
    const mst_problem *p = s->problem;
    mst_spare_turn turn = {.taken = {0, 0}};
    int n = 0;
    for (int f = 0; f < p->n_fields; f++)
        for (int level = 0; level < p->fields[f].levels; level++)
            if (mst_sweep_reads(s, k, f, level))
                slots[n++] = p->fields[f].array + level + (p->fields[f].coefficient ? p->n_arrays : 0);
    for (int u = s->first[k]; u < s->first[k + 1]; u++)
        slots[n++] = mst_sweeps_target(s, u, &turn);
    return n;
}

// Bytes of the arguments of a kernel of tiles: every slot, two tables, five vectors of eight longs, and for points their list,
// the records, and vectors of four longs, one a field.
static size_t argument_bytes(const mst_sweeps *s) {
    size_t bytes = ((size_t)mst_sweeps_n_slots(s) + 2) * sizeof(cl_mem) + 5 * sizeof(cl_long8), fields = 0;
    for (int f = 0; f < s->problem->n_fields; f++)
        fields += s->points_of[f];
    return bytes + (fields > 0 ? 2 * sizeof(cl_mem) + (1 + fields) * sizeof(cl_long4) : 0);
}

enum { MOST_BYTES = 1024 }; // of arguments that every device has (OpenCL 1.2, table 4.3)

bool mst_sweeps_can_tile(const mst_sweeps *s) {
    const mst_problem *p = s->problem;
    return s->shape == MST_STENCIL_SHAPE_CPU && p->rank > 1 && p->n_regions == 0 && s->margins_change == s->copies_margins &&
           !s->in_parts && argument_bytes(s) <= MOST_BYTES;
}

bool mst_sweeps_split_rows(const mst_sweeps *s) { return mst_problem_periodic(s->problem, ROWS) && !mst_sweeps_has_points(s); }
