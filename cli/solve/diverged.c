// The end of a run whose fields are no longer finite.
#include "solve.h"

#include <stdlib.h>
#include <string.h>

// "OUT.diverged.npy" for -o OUT.npy; without -o with the name of the checkpoint or of the frames. NULL: there is none of them, or
// no memory.
static char *state_path(const solve_run *run) {
    static const char extension[] = ".npy", end[] = ".diverged.npy";
    const solve_options *o = run->options;
    const char *name = o->output                ? o->output
                       : o->checkpoint          ? o->checkpoint
                       : run->problem.n_outputs ? run->problem.outputs[0].file
                                                : NULL;
    size_t length = name ? strlen(name) : 0;
    char *path = name ? malloc(length + sizeof end) : NULL;
    if (!path)
        return NULL;
    if (cli_has_extension(name, extension))
        length -= sizeof extension - 1;
    snprintf(path, length + sizeof end, "%.*s%s", (int)length, name, end);
    return path;
}

static void hint(const solve_run *run, char *text, size_t bytes) {
    const double step = run->problem.desc.time_step, limit = run->problem.step_limit;
    if (limit == 0)
        snprintf(text, bytes, "a --time-step below %.6g, within the scheme's Courant limit, may help", step);
    else if (step > limit)
        snprintf(text, bytes, "the time step %.6g is beyond the Courant limit %.6g", step, limit);
    else
        snprintf(text, bytes, "the time step %.6g is within the problem's limit %.6g: look at coefficients and sources", step,
                 limit);
}

int solve_fail_diverged(solve_run *run, const mst_error *error) {
    char text[160], *path = state_path(run);
    const bool written = path && solve_write_elsewhere(run, path) == CLI_DONE;
    hint(run, text, sizeof text);
    cli_error(solve_command, "%s; %s%s%s", error->message, text, written ? "; the state is in " : "", written ? path : "");
    free(path);
    return CLI_DIVERGED;
}
