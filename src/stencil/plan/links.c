#include "links.h"

uint64_t mst_link_bytes(const mst_problem *p, const mst_link_box *box) {
    uint64_t bytes = 0;
    for (int a = 0; a < p->n_arrays; a++) {
        uint64_t of_array = p->elements[a];
        for (int axis = 0; axis < N_AXES; axis++)
            of_array *= mst_part_along(p, a, axis, box->from[axis], box->to[axis]).count;
        bytes += of_array;
    }
    return bytes;
}

static bool is_there(const mst_problem *p, const mst_part *part, int axis, int side) {
    const int64_t n = mst_problem_length(p, axis);
    const bool is_ring = p->is_ring[axis] || mst_problem_periodic(p, axis);
    return side == 0 || (part->count < n && (is_ring || (side > 0 ? part->first + part->count < n : part->first > 0)));
}

// At a side, what the neighbour holds of this part's own nodes, and what this one holds of its.
static void find_boxes(const mst_part *part, const mst_halo *halo, uint64_t steps, int side, int axis, mst_link *link) {
    const int64_t first = part->first, end = first + part->count;
    const int64_t depth = side == 0 ? 0 : mst_halo_depth(halo, side < 0 ? 1 : 0, steps);
    link->given.from[axis] = side > 0 ? end - depth : first;
    link->given.to[axis] = side < 0 ? first + depth : end;
    link->taken.from[axis] = side < 0 ? part->held_first : side > 0 ? end : first;
    link->taken.to[axis] = side < 0 ? first : side > 0 ? part->held_first + part->held_count : end;
}

static mst_link make(const mst_problem *p, const mst_part part[N_AXES], const mst_halo halos[N_AXES], uint64_t steps,
                     int number) {
    mst_link link = {.side = {number / 9 - 1, number / 3 % 3 - 1, number % 3 - 1}};
    bool exists = true;
    for (int axis = 0; axis < N_AXES; axis++) {
        exists = exists && is_there(p, &part[axis], axis, link.side[axis]);
        find_boxes(&part[axis], &halos[axis], steps, link.side[axis], axis, &link);
    }
    link.given_bytes = exists ? mst_link_bytes(p, &link.given) : 0;
    link.taken_bytes = exists ? mst_link_bytes(p, &link.taken) : 0;
    if (!exists)
        link.given = link.taken = (mst_link_box){{0}, {0}};
    return link;
}

int mst_links_find(const mst_problem *p, const mst_part part[N_AXES], const mst_halo halos[N_AXES], uint64_t steps, bool below,
                   mst_link links[MST_MOST_LINKS]) {
    enum { SELF = 13, BELOW = 4, ABOVE = 22 };
    int n = 0;
    uint64_t given = 0, taken = 0;
    for (int number = 0; number <= MST_MOST_LINKS; number++) {
        const bool is_wanted = below && (number == BELOW || number == ABOVE);
        if (number == SELF || (below && !is_wanted))
            continue;
        mst_link link = make(p, part, halos, steps, number);
        if (!is_wanted && link.given_bytes + link.taken_bytes == 0)
            continue;
        link.given_at = given;
        link.taken_at = taken;
        given += link.given_bytes;
        taken += link.taken_bytes;
        links[n++] = link;
    }
    return n;
}
