// The state of a run where a team has it: each process its nodes, the files being the first one's.
#include "solve.h"

#include "core/shared_file.h"
#include "core/team.h"

#include <stdlib.h>
#include <unistd.h>

bool solve_is_first(void) { return cli_get_team()->number == 0; }

uint64_t solve_step(const solve_run *run) {
    return run->shared ? run->shared->step(run->shared->solver) : mst_stencil_step(run->solver);
}

// How many nodes of the region along an axis come before one of the grid.
static size_t nodes_before(const mst_stencil_region *region, int k, size_t node) {
    const size_t start = region->start[k], step = region->step[k], n = node <= start ? 0 : (node - start + step - 1) / step;
    return n < region->count[k] ? n : region->count[k];
}

// The nodes of the region that the brick has, and how many come before them along each axis. False: none.
static bool cut(const mst_stencil_brick *brick, int rank, mst_stencil_region *region, size_t before[MST_MAX_AXES]) {
    bool any = true;
    for (int k = 0; k < rank; k++) {
        const size_t from = nodes_before(region, k, brick->first[k]),
                     to = nodes_before(region, k, brick->first[k] + brick->count[k]);
        before[k] = from;
        region->start[k] += from * region->step[k];
        region->count[k] = to - from;
        any = any && to > from;
    }
    return any;
}

// What a process has of a region, on its way to the file.
typedef struct own_region {
    solve_run *run;
    const char *path, *field;
    int file, rank;
    mst_type type;
    uint64_t offset, element; // of the region's first node; bytes
    const mst_stencil_region *whole;
    mst_stencil_region own;
    size_t before[MST_MAX_AXES];
} own_region;

static int fail(const own_region *o, const mst_error *error) { return cli_fail(solve_command, o->path, error); }

// Some of its planes, which do not lie one behind the other in the file, but the rows of one do where it has all columns.
static int put_rows(const own_region *o, size_t plane, size_t planes, void *buffer) {
    mst_error error;
    mst_stencil_region some = o->own;
    const size_t rows = o->rank == 3 ? o->own.count[1] : 1, columns = o->own.count[o->rank - 1];
    const size_t all_rows = o->rank == 3 ? o->whole->count[1] : 1, before = o->rank == 3 ? o->before[1] : 0;
    const size_t adjoining = columns == o->whole->count[o->rank - 1] ? rows : 1;
    some.start[0] += plane * some.step[0];
    some.count[0] = planes;
    if (mst_stencil_read_as(o->run->solver, o->field, 0, &some, o->type, mst_at_host(buffer), &error) != MST_OK)
        return fail(o, &error);
    for (size_t i = 0; i < planes * rows; i += adjoining) {
        const uint64_t line = (o->before[0] + plane + i / rows) * all_rows + before + i % rows;
        const mst_location at =
            mst_at_file(o->file, o->offset + (line * o->whole->count[o->rank - 1] + o->before[o->rank - 1]) * o->element);
        if (!cli_write_bytes(&at, 0, (const char *)buffer + i * columns * o->element, adjoining * columns * o->element))
            return cli_fail_file(solve_command, o->path, "cannot be written");
    }
    return CLI_DONE;
}

static int put_planes(const own_region *o) {
    enum { AT_ONCE = 1 << 23 };
    size_t plane = o->element, planes;
    int code = CLI_DONE;
    for (int k = 1; k < o->rank; k++)
        plane *= o->own.count[k];
    const size_t most = plane < AT_ONCE ? AT_ONCE / plane : 1;
    void *buffer = malloc(plane * (most < o->own.count[0] ? most : o->own.count[0]));
    if (!buffer)
        return cli_out_of_memory(solve_command, "a field");
    for (size_t i = 0; i < o->own.count[0] && code == CLI_DONE; i += planes) {
        planes = o->own.count[0] - i < most ? o->own.count[0] - i : most;
        code = put_rows(o, i, planes, buffer);
    }
    free(buffer);
    return code;
}

int solve_put_own(solve_run *run, const char *path, int file, uint64_t offset, const char *field,
                  const mst_stencil_region *region, mst_type type) {
    mst_error error;
    size_t shape[MST_MAX_AXES];
    own_region o = {run, path,   field,   file, problem_region_shape(&run->problem.desc, shape), type, offset,
                    0,   region, *region, {0}};
    o.element = mst_type_bytes(type ? type : run->problem.desc.precision);
    if (!run->solver || (run->shared && !cut(&run->shared->brick, o.rank, &o.own, o.before)))
        return CLI_DONE;
    uint64_t before = o.before[0];
    bool is_whole = true;
    for (int k = 1; k < o.rank; k++) {
        is_whole = is_whole && o.own.count[k] == region->count[k];
        before *= region->count[k];
    }
    if (!is_whole)
        return put_planes(&o);
    const mst_location to = mst_at_file(file, offset + before * o.element);
    return mst_stencil_read_as(run->solver, field, 0, &o.own, type, to, &error) == MST_OK ? CLI_DONE : fail(&o, &error);
}

int solve_put(solve_run *run, const cli_whole_file *whole, uint64_t offset, const char *field, const mst_stencil_region *region,
              mst_type type) {
    int file = -1;
    if (!run->shared)
        return solve_put_own(run, whole->path, fileno(whole->file), offset, field, region, type);
    int code = cli_shared_open(solve_command, whole, &offset, &file);
    cli_take_time();
    if (code == CLI_DONE)
        code = cli_shared_end(solve_command, solve_put_own(run, field, file, offset, field, region, type), file, false);
    if (file >= 0)
        close(file);
    return code;
}
