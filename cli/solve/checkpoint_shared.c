// Checkpoints by a team (core/team.h), each of which has a part of the grid. What it has of the arrays is written by each, all
// else by the first.
#include "checkpoint.h"
#include "core/shared_file.h"
#include "core/team.h"
#include "digest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_first(void) { return cli_get_team()->number == 0; }

static int put_header(const solve_run *run, const digested_file *f, char *buffer, checkpoint_header *header) {
    const mst_location at = mst_at_file(fileno(f->file), 0);
    int code = checkpoint_make_header(run, f, buffer, header);
    if (code == CLI_DONE && !cli_write_bytes(&at, 0, header, sizeof *header))
        code = checkpoint_bad_file(f->path, strerror(errno));
    return code;
}

static int put_parts(const solve_run *run, const char *path, int file, uint64_t offset) {
    mst_error error;
    for (size_t i = 0; run->solver && i < run->n_state; i++) {
        const solve_array *array = &run->state[i];
        if (mst_stencil_read_whole(run->solver, array->name, array->level, array->type, mst_at_file(file, offset), &error) !=
            MST_OK)
            return cli_fail(solve_command, path, &error);
        offset += array->bytes;
    }
    return CLI_DONE;
}

static int put_digest(const digested_file *f, uint64_t bytes, char *buffer) {
    XXH128_canonical_t canonical;
    const mst_location at = mst_at_file(fileno(f->file), bytes - sizeof canonical);
    int code = checkpoint_digest(f, bytes - sizeof canonical, buffer);
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(f->digest));
    if (code == CLI_DONE && !cli_write_bytes(&at, 0, &canonical, sizeof canonical))
        code = checkpoint_bad_file(f->path, strerror(errno));
    return code;
}

int solve_write_shared_checkpoint(solve_run *run) {
    cli_whole_file whole = {0};
    checkpoint_header header = {.step = 0};
    digested_file f = {run->options->checkpoint, NULL, XXH3_createState()};
    char *buffer = malloc(SOLVE_CHUNK_BYTES);
    uint64_t offset = sizeof header;
    int file = -1, code = f.digest && buffer ? CLI_DONE : cli_out_of_memory(solve_command, "a checkpoint");
    if (code == CLI_DONE && is_first())
        code = cli_whole_open(solve_command, &run->checkpoint_place, f.path, !run->first_checkpoint, &whole);
    f.file = whole.file;
    if (code == CLI_DONE && is_first())
        code = put_header(run, &f, buffer, &header);
    code = cli_agree(solve_command, code);
    if (code == CLI_DONE)
        code = cli_shared_open(solve_command, &whole, &offset, &file);
    if (code == CLI_DONE)
        code = cli_shared_end(solve_command, put_parts(run, f.path, file, offset), file, true);
    if (code == CLI_DONE && is_first())
        code = put_digest(&f, header.bytes, buffer);
    if (code == CLI_DONE && is_first())
        code = cli_whole_commit(&whole, true);
    code = cli_agree(solve_command, code);
    run->first_checkpoint = run->first_checkpoint && code != CLI_DONE;
    if (file >= 0)
        close(file);
    cli_whole_close(&whole);
    XXH3_freeState(f.digest);
    free(buffer);
    return code;
}

// The first has read all of it; the others are to find the same file.
int solve_open_shared_checkpoint(solve_run *run) {
    checkpoint_header header = {.step = 0};
    uint64_t bytes;
    int code = cli_agree(solve_command, is_first() ? solve_open_checkpoint(run) : CLI_DONE);
    if (code != CLI_DONE)
        return code;
    cli_tell(&run->resumed_step, sizeof run->resumed_step, 0);
    if (!is_first()) {
        struct stat info;
        int descriptor = cli_open_input(solve_command, run->options->checkpoint, &info);
        run->resumed = descriptor < 0 ? NULL : fdopen(descriptor, "r");
        if (descriptor >= 0 && !run->resumed)
            close(descriptor);
        code = run->resumed ? CLI_DONE : CLI_INPUT_OUTPUT;
    }
    if (code == CLI_DONE) {
        const digested_file f = {run->options->checkpoint, run->resumed, NULL};
        rewind(f.file);
        code = checkpoint_read_header(run, &f, &header, &bytes);
    }
    code = cli_agree(solve_command, code);
    if (code == CLI_DONE && !cli_same(XXH3_64bits(&header, sizeof header)))
        code = checkpoint_bad_file(run->options->checkpoint, "is not the same file for all ranks; put it where all hosts see it");
    return code;
}
