// Indices of elements as values: i0, i1 ...
#include "bind.h"
#include "write.h"

#include <stdio.h>

static bool reads_index(const mst_map *plan, int axis) {
    for (size_t i = 0; i < mst_expr_n_leaves(plan->expression); i++) {
        const mst_expr_leaf *leaf = &mst_expr_leaves(plan->expression)[i];
        if (!mst_map_is_array(plan, leaf) && !mst_map_is_number(plan, leaf) && mst_map_index_axis(plan, leaf) == axis)
            return true;
    }
    return false;
}

void mst_map_write_index_functions(unsigned width, mst_text *t) {
    mst_text_put(
        t, "// Where elements stand along an axis, of `extent`, along which `stride` elements of the block have one place.\n"
           "long index_of_1(ulong element, ulong stride, ulong extent, ulong begin) {\n"
           "return (long)(begin + element / stride % extent);\n"
           "}\n\n");
    if (width > 1)
        mst_text_put(t,
                     "long$n index_of_$n(ulong element, ulong stride, ulong extent, ulong begin) {\n"
                     "const ulong$n lane = ${lane};\n"
                     "if ((stride == 1 ? extent : stride) < $n) { // many steps in one vector\n"
                     "const ulong$n all = element + lane;\n"
                     "return convert_long$n(all / stride % extent + begin);\n"
                     "}\n"
                     "const ulong at = element / stride % extent, rest = element % stride;\n"
                     "const ulong$n steps = stride == 1 ? lane : as_ulong$n(rest + lane >= stride) & 1;\n"
                     "const ulong$n index = at + steps;\n"
                     "return convert_long$n((index >= extent ? index - extent : index) + begin);\n"
                     "}\n\n",
                     MST_SET(n, width),
                     MST_SET(lane, width == 2   ? "(ulong2)(0, 1)"
                                   : width == 4 ? "(ulong4)(0, 1, 2, 3)"
                                   : width == 8 ? "(ulong8)(0, 1, 2, 3, 4, 5, 6, 7)"
                                                : "(ulong16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)"));
}

void mst_map_write_indices(const mst_map *plan, unsigned width, const char *element, mst_text *t) {
    for (int axis = 0; axis < plan->shape.rank; axis++)
        if (reads_index(plan, axis))
            mst_text_put(t, "const long$n index_$axis = index_of_$width($element, stride_$axis, extent_$axis, begin_$axis);\n",
                         MST_SET(n, mst_map_lanes(width)), MST_SET(axis, axis), MST_SET(width, width), MST_SET(element, element));
}

size_t mst_map_bind_indices(const mst_map *plan, const size_t *begin, const size_t *shape, mst_map_index_binding *b,
                            mst_argument *arguments) {
    size_t a = 0;
    uint64_t stride = 1;
    for (int axis = plan->shape.rank - 1; axis >= 0; axis--) {
        b->stride[axis] = stride;
        stride *= b->extent[axis] = shape[axis];
        b->begin[axis] = begin ? begin[axis] : 0;
    }
    for (int axis = 0; axis < plan->shape.rank; axis++) {
        if (!reads_index(plan, axis))
            continue;
        snprintf(b->words[axis][0], sizeof b->words[axis][0], "stride_%d", axis);
        snprintf(b->words[axis][1], sizeof b->words[axis][1], "extent_%d", axis);
        snprintf(b->words[axis][2], sizeof b->words[axis][2], "begin_%d", axis);
        arguments[a++] = MST_BIND_AS(b->words[axis][0], b->stride[axis]);
        arguments[a++] = MST_BIND_AS(b->words[axis][1], b->extent[axis]);
        arguments[a++] = MST_BIND_AS(b->words[axis][2], b->begin[axis]);
    }
    return a;
}

void mst_map_add_indices(const mst_map *plan, mst_signature *s) {
    for (int axis = 0; axis < plan->shape.rank; axis++)
        if (reads_index(plan, axis)) {
            mst_signature_add(s, "ulong", "stride_%d", axis);
            mst_signature_add(s, "ulong", "extent_%d", axis);
            mst_signature_add(s, "ulong", "begin_%d", axis);
        }
}
