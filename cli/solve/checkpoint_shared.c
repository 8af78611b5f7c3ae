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

// What receivers and monitors found, by the first; and of spectra, each its part.
static int put_found(solve_run *run, const char *path, int file, uint64_t offset) {
    const mst_stencil_desc *desc = &run->problem.desc;
    const uint64_t step = solve_step(run);
    for (size_t i = 0; i < run->n_state; i++)
        offset += run->state[i].bytes;
    for (size_t i = 0; i < desc->n_receivers; i++) {
        const size_t bytes = (size_t)step * problem_recorded(desc, i) * sizeof(double);
        const mst_location at = mst_at_file(file, offset);
        if (solve_is_first() && bytes && !cli_write_bytes(&at, 0, run->traces[i], bytes))
            return checkpoint_bad_file(path, strerror(errno));
        offset += bytes;
    }
    void *rows = malloc(solve_rows_bytes(run) + 1);
    if (!rows)
        return cli_out_of_memory(solve_command, "a checkpoint");
    const size_t bytes = solve_copy_rows(run, rows);
    const mst_location at = mst_at_file(file, offset);
    const bool written = !solve_is_first() || cli_write_bytes(&at, 0, rows, bytes);
    free(rows);
    return written ? solve_read_spectra(run, mst_at_file(file, offset + bytes)) : checkpoint_bad_file(path, strerror(errno));
}

static int put_digest(const digested_file *f, uint64_t bytes, char *buffer) {
    XXH128_canonical_t canonical;
    int code = checkpoint_digest(f, bytes - sizeof canonical, buffer);
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(f->digest));
    if (code == CLI_DONE && solve_is_first()) {
        const mst_location at = mst_at_file(fileno(f->file), bytes - sizeof canonical);
        if (!cli_write_bytes(&at, 0, &canonical, sizeof canonical))
            code = checkpoint_bad_file(f->path, strerror(errno));
    }
    return code;
}

static int put_own(solve_run *run, const char *path, int file, uint64_t offset) {
    cli_take_time();
    const int code = put_parts(run, path, file, offset);
    return code == CLI_DONE ? put_found(run, path, file, offset) : code;
}

int solve_write_shared_checkpoint(solve_run *run) {
    cli_whole_file whole = {0};
    checkpoint_header header = {.step = 0};
    digested_file f = {run->options->checkpoint, NULL, XXH3_createState()};
    char *buffer = malloc(SOLVE_CHUNK_BYTES);
    uint64_t offset = sizeof header;
    int file = -1, code = f.digest && buffer ? CLI_DONE : cli_out_of_memory(solve_command, "a checkpoint");
    if (code == CLI_DONE && solve_is_first())
        code = cli_whole_open(solve_command, &run->checkpoint_place, f.path, !run->first_checkpoint, &whole);
    f.file = whole.file;
    if (code == CLI_DONE && solve_is_first())
        code = put_header(run, &f, buffer, &header);
    code = cli_agree(solve_command, code);
    if (code == CLI_DONE)
        code = cli_shared_open(solve_command, &whole, &offset, &file);
    if (code == CLI_DONE)
        code = cli_shared_end(solve_command, put_own(run, f.path, file, offset), file, true);
    cli_tell(&header, sizeof header, 0);
    if (code == CLI_DONE)
        code = put_digest(&f, header.bytes, buffer);
    if (code == CLI_DONE && solve_is_first())
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

// All have it open, of which the first reads all; they are to have found the same file.
int solve_open_shared_checkpoint(solve_run *run) {
    checkpoint_header header = {.step = 0};
    uint64_t bytes;
    int code = solve_open_checkpoint(run);
    if (code != CLI_DONE)
        return code;
    const digested_file f = {run->options->checkpoint, run->resumed, NULL};
    rewind(f.file);
    code = cli_agree(solve_command, checkpoint_read_header(run, &f, &header, &bytes));
    if (code == CLI_DONE && !cli_same(XXH3_64bits(&header, sizeof header)))
        code = checkpoint_bad_file(run->options->checkpoint, "is not the same file for all ranks; put it where all hosts see it");
    return code;
}
