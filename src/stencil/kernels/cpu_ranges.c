#include "write_cpu.h"

#include <stdio.h>

mst_stencil_cpu_range mst_stencil_cpu_range_of(const mst_stencil_cpu_writer *c, int axis, bool outside) {
    static const char *const names[] = {"plane", "row", "column"};
    const char *name = names[axis];
    mst_stencil_cpu_range r;
    const size_t size = sizeof r.low;
    if (mst_problem_periodic(c->problem, axis)) {
        snprintf(r.low, size, "(%s_begin - low_%ss)", name, name);
        snprintf(r.high, size, "(%s_end + high_%ss)", name, name);
    } else if (outside) {
        snprintf(r.low, size, "max(%s_begin - low_%ss, (long)-before_%ss)", name, name, name);
        snprintf(r.high, size, "min(%s_end + high_%ss, n_%ss + behind_%ss)", name, name, name, name);
    } else {
        snprintf(r.low, size, "max(%s_begin - low_%ss, (long)0)", name, name);
        snprintf(r.high, size, "min(%s_end + high_%ss, n_%ss)", name, name, name);
    }
    return r;
}

void mst_stencil_cpu_write_row(const mst_stencil_cpu_writer *c) {
    mst_text_put(c->out, "__local real *ring_row = ring_plane + (int)(row - row_begin + $above) * $pitch + $left;\n",
                 MST_SET(above, c->rings.above), MST_SET(pitch, c->rings.pitch), MST_SET(left, c->rings.left));
}
