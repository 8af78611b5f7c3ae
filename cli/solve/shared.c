// The state of a run where a team has it: each process its planes, the files being the first one's.
#include "solve.h"

#include "core/shared_file.h"
#include "core/team.h"

#include <unistd.h>

bool solve_is_first(void) { return cli_get_team()->number == 0; }

uint64_t solve_step(const solve_run *run) {
    return run->shared ? run->shared->step(run->shared->solver) : mst_stencil_step(run->solver);
}

// How many planes of the region come before a plane of the grid.
static size_t planes_before(const mst_stencil_region *region, size_t plane) {
    const size_t start = region->start[0], step = region->step[0], n = plane <= start ? 0 : (plane - start + step - 1) / step;
    return n < region->count[0] ? n : region->count[0];
}

// The planes of the region that the part has, and how many come before them.
static uint64_t cut(const mst_stencil_part *part, mst_stencil_region *region) {
    const size_t from = planes_before(region, part->first), to = planes_before(region, part->first + part->planes);
    region->start[0] += from * region->step[0];
    region->count[0] = to - from;
    return from;
}

int solve_put_own(solve_run *run, const char *path, int file, uint64_t offset, const char *field,
                  const mst_stencil_region *region, mst_type type) {
    mst_error error;
    mst_stencil_region own = *region;
    size_t shape[MST_MAX_AXES];
    const int rank = problem_shape(&run->problem.desc, shape);
    uint64_t before = run->shared ? cut(&run->shared->part, &own) : 0;
    for (int k = 1; k < rank; k++)
        before *= own.count[k];
    offset += before * mst_type_bytes(type ? type : run->problem.desc.precision);
    if (!run->solver || own.count[0] == 0 ||
        mst_stencil_read_as(run->solver, field, 0, &own, type, mst_at_file(file, offset), &error) == MST_OK)
        return CLI_DONE;
    return cli_fail(solve_command, path, &error);
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
