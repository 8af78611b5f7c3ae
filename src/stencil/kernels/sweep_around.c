#include "sweep_around.h"

#include "arguments.h"
#include "runtime/numbers.h"

enum { COPY_BITS = 8, COPY_GROUP = 1 << COPY_BITS };

static bool is_empty(const mst_box *box) {
    return box->to[PLANES] <= box->from[PLANES] || box->to[ROWS] <= box->from[ROWS] || box->to[COLUMNS] <= box->from[COLUMNS];
}

// Below and above the hole along the planes, then of the planes between along the rows, then along the columns.
void mst_sweep_boxes(const mst_box *box, const mst_box *hole, mst_box out[MST_SWEEP_BOXES]) {
    mst_box rest = *box;
    for (int k = 0; k < MST_SWEEP_BOXES; k++)
        out[k] = (mst_box){{0}, {0}};
    if (is_empty(hole)) {
        out[0] = *box;
        return;
    }
    for (int axis = 0; axis < N_AXES; axis++) {
        mst_box *below = &out[2 * axis], *above = below + 1;
        *below = *above = rest;
        below->to[axis] = mst_smaller(hole->from[axis], rest.to[axis]);
        above->from[axis] = mst_larger(hole->to[axis], mst_larger(below->to[axis], rest.from[axis]));
        rest.from[axis] = mst_larger(rest.from[axis], below->to[axis]);
        rest.to[axis] = mst_smaller(rest.to[axis], above->from[axis]);
    }
}

// ---- Text

const char *mst_sweep_box_name(int k) {
    static const char *const names[MST_SWEEP_BOXES] = {"around0", "around1", "around2", "around3", "around4", "around5"};
    return names[k];
}

void mst_sweep_describe_boxes(mst_signature *signature) {
    for (int k = 0; k < MST_SWEEP_BOXES; k++)
        mst_signature_add(signature, "long8", "%s", mst_sweep_box_name(k));
}

void mst_sweep_write_box(const mst_writer *w, const char *number) {
    mst_text_put(w->out, "const long8 around = ");
    for (int k = 0; k < MST_SWEEP_BOXES - 1; k++)
        mst_text_put(w->out, "$number < $box.s6 ? $box : ", MST_SET(number, number), MST_SET(box, mst_sweep_box_name(k)));
    mst_text_put(w->out, "$box;\n", MST_SET(box, mst_sweep_box_name(MST_SWEEP_BOXES - 1)));
}

void mst_sweep_write_first(const mst_writer *w, const mst_sweeps *s) {
    if (!s->around)
        return;
    mst_sweep_write_box(w, "get_group_id(0)");
    mst_text_put(w->out, "{\nconst long8 plane_layers = (long8)(0, 0, 0, 0, 0, 0, around.s0, around.s1);\n"
                         "const long8 row_layers = (long8)(0, 0, 0, 0, 0, 0, around.s2, around.s3);\n"
                         "const long8 column_layers = (long8)(0, 0, 0, 0, 0, 0, around.s4, around.s5);\n");
}

static const char *const from_names[MST_SWEEP_COPIED] = {"from0", "from1", "from2", "from3", "from4", "from5"};
static const char *const to_names[MST_SWEEP_COPIED] = {"to0", "to1", "to2", "to3", "to4", "to5"};

// A work-group copies a piece of a line, or of several short ones. Its number counts with 32 bits, whose division is fast, and
// all that a work-item loads is on its way at once.
static void write_copy(const mst_writer *w, bool half) {
    mst_signature signature;
    mst_signature_begin(&signature, half ? "copy_around_half" : "copy_around");
    for (int k = 0; k < MST_SWEEP_COPIED; k++)
        mst_signature_add(&signature, half ? "__global const ushort *" : "__global const real *", "%s", from_names[k]);
    for (int k = 0; k < MST_SWEEP_COPIED; k++)
        mst_signature_add(&signature, half ? "__global ushort *" : "__global real *", "%s", to_names[k]);
    mst_signature_add(&signature, "long4", "from_layout");
    mst_signature_add(&signature, "long4", "to_layout");
    mst_sweep_describe_boxes(&signature);
    mst_text_put(w->out, "\n// What lies around a hole, a node a work-item, of from_layout.s3 arrays.\n");
    mst_signature_write(&signature, "", w->out);
    mst_sweep_write_box(w, "get_group_id(0)");
    mst_text_put(w->out,
                 "const uint planes = (uint)(around.s1 - around.s0), rows = (uint)(around.s3 - around.s2);\n"
                 "const uint columns = (uint)(around.s5 - around.s4), bits = min(32 - clz(columns - 1), ${bits}u);\n"
                 "const uint group = (uint)get_group_id(0) - (uint)around.s7, item = (uint)get_local_id(0);\n"
                 "const uint pieces = (columns + (1u << bits) - 1) >> bits;\n"
                 "const uint line = (group / pieces << (${bits} - bits)) + (item >> bits);\n"
                 "const uint along = (group % pieces << bits) + (item & ((1u << bits) - 1));\n"
                 "if (along >= columns || line >= planes * rows)\nreturn;\n"
                 "const long plane = around.s0 + line / rows, row = around.s2 + line % rows, column = around.s4 + along;\n"
                 "const long f = from_layout.s2 + plane * from_layout.s0 + row * from_layout.s1 + column;\n"
                 "const long t = to_layout.s2 + plane * to_layout.s0 + row * to_layout.s1 + column;\n",
                 MST_SET(bits, COPY_BITS));
    for (int k = 0; k < MST_SWEEP_COPIED; k++)
        mst_text_put(w->out, "const $type value$k = $k < from_layout.s3 ? from$k[f] : 0;\n",
                     MST_SET(type, half ? "ushort" : "real"), MST_SET(k, k));
    for (int k = 0; k < MST_SWEEP_COPIED; k++)
        mst_text_put(w->out, "if ($k < from_layout.s3)\nto$k[t] = value$k;\n", MST_SET(k, k));
    mst_text_put(w->out, "}\n");
    mst_signature_release(&signature);
}

void mst_sweep_write_copies_around(const mst_writer *w, const mst_sweeps *s) {
    for (int half = 0; half < 2; half++)
        if (mst_sweeps_has(s, half, false) || mst_sweeps_has(s, half, true))
            write_copy(w, half);
}

// ---- Launches

static cl_long8 argument_of(const mst_box *b, int64_t first, int64_t end) {
    return (cl_long8){{b->from[PLANES], b->to[PLANES], b->from[ROWS], b->to[ROWS], b->from[COLUMNS], b->to[COLUMNS], end, first}};
}

static int64_t groups_of(const mst_sweeps *s, const mst_box *box, int64_t length) {
    const int64_t items = mst_sweep_items(s, MST_SWEEP_OUTSIDE, false), across = mst_sweep_group(MST_SWEEP_OUTSIDE) / items;
    const int64_t columns = mst_divide_up(mst_box_side(box, COLUMNS), items * s->width);
    const int64_t rows = mst_box_side(box, ROWS), strips = mst_divide_up(mst_box_side(box, PLANES), length);
    if (is_empty(box))
        return 0;
    return s->problem->rank == MST_MAX_AXES ? columns * mst_divide_up(rows, across) * strips
                                            : columns * rows * mst_divide_up(strips, across);
}

int64_t mst_sweep_divide_around(const mst_sweeps *s, int k, const mst_sweep_part *part, int64_t units, cl_long8 *work,
                                cl_long8 boxes[MST_SWEEP_BOXES]) {
    mst_box all, hole = part->hole, around[MST_SWEEP_BOXES];
    int64_t planes = 0, groups = 0;
    hole.to[COLUMNS] -= hole.to[COLUMNS] % s->width; // behind it vectors begin
    for (int axis = 0; axis < N_AXES; axis++) {
        const bool is_planes = axis == PLANES;
        int64_t cuts[2];
        mst_sweep_cut(s, k, axis, is_planes ? part->from : 0, is_planes ? part->to : (int64_t)s->problem->grid[axis], cuts);
        all.from[axis] = cuts[0];
        all.to[axis] = cuts[1];
    }
    mst_sweep_boxes(&all, &hole, around);
    for (int i = 0; i < MST_SWEEP_BOXES; i++)
        planes += groups_of(s, &around[i], 1);
    *work = (cl_long8){{mst_sweep_strip(s, mst_divide_up(planes, units * MST_SWEEP_GROUPS_A_UNIT))}};
    for (int i = 0; i < MST_SWEEP_BOXES; i++) {
        const int64_t n = groups_of(s, &around[i], work->s[0]);
        boxes[i] = argument_of(&around[i], groups, groups + n);
        groups += n;
    }
    return groups;
}

static int64_t copy_groups_of(const mst_box *box) {
    const int64_t columns = mst_box_side(box, COLUMNS), lines = mst_box_side(box, PLANES) * mst_box_side(box, ROWS);
    int bits = 0;
    while (bits < COPY_BITS && (int64_t)1 << bits < columns)
        bits++;
    return is_empty(box) ? 0 : mst_divide_up(columns, (int64_t)1 << bits) * mst_divide_up(lines, (int64_t)COPY_GROUP >> bits);
}

mst_status mst_sweeper_copy(const mst_sweeper *s, mst_queue *queue, bool half, const mst_sweep_copy *copy, const mst_box *box,
                            const mst_box *hole, mst_error *error) {
    mst_box around[MST_SWEEP_BOXES];
    cl_long8 boxes[MST_SWEEP_BOXES];
    cl_long4 from_layout = copy->from_layout;
    mst_argument_list list = {.n = 0};
    int64_t groups = 0;
    from_layout.s[3] = copy->n;
    for (int k = 0; k < MST_SWEEP_COPIED; k++) // the last ones are not read
        list.values[list.n++] = MST_BIND_AS(from_names[k], copy->from[k < copy->n ? k : 0]);
    for (int k = 0; k < MST_SWEEP_COPIED; k++)
        list.values[list.n++] = MST_BIND_AS(to_names[k], copy->to[k < copy->n ? k : 0]);
    list.values[list.n++] = MST_BIND(from_layout, from_layout);
    list.values[list.n++] = MST_BIND(to_layout, copy->to_layout);
    mst_sweep_boxes(box, hole, around);
    for (int i = 0; i < MST_SWEEP_BOXES; i++) {
        const int64_t n = copy_groups_of(&around[i]);
        boxes[i] = argument_of(&around[i], groups, groups + n);
        groups += n;
        list.values[list.n++] = MST_BIND_AS(mst_sweep_box_name(i), boxes[i]);
    }
    if (groups == 0 || copy->n == 0)
        return MST_OK;
    return mst_kernel_launch(queue, s->copy_around[half], list.values, list.n, (size_t)groups * COPY_GROUP, COPY_GROUP, NULL,
                             error);
}
