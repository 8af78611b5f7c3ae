#include "arguments.h"

#include "names.h"

static const char *input_type(bool half) { return half ? "__global const half *restrict" : "__global const real *restrict"; }

void mst_arguments_describe(const mst_problem *problem, mst_stencil_shape shape, const char *kernel, mst_signature *s) {
    mst_name name;
    mst_signature_begin(s, kernel);
    for (int a = 0; a < problem->n_arrays; a++) {
        mst_name_state(problem, a, name);
        mst_signature_add(s, input_type(mst_problem_is_half(problem, a)), "%s_in", name);
    }
    for (int a = 0; a < problem->n_arrays; a++) {
        mst_name_state(problem, a, name);
        mst_signature_add(s, mst_problem_is_half(problem, a) ? "__global half *restrict" : "__global real *restrict", "%s_out",
                          name);
    }
    for (int f = 0; f < problem->n_fields; f++)
        if (problem->fields[f].coefficient)
            mst_signature_add(s, input_type(problem->fields[f].is_half), "%s_coefficient", problem->fields[f].name);
    mst_signature_add(s, "__global const real *", "damping");
    mst_signature_add(s, "__global const real *", "table");
    mst_signature_add(s, "__global real *", "records");
    mst_signature_add(s, "__global const long4 *", "points");
    mst_signature_add(s, "long8", "from");
    mst_signature_add(s, "long8", "to");
    mst_signature_add(s, "long8", "coefficients");
    mst_signature_add(s, "long8", "box");
    mst_signature_add(s, "long8", "launch");
    if (shape == MST_STENCIL_SHAPE_GPU)
        mst_signature_add(s, "long8", "sides");
}
