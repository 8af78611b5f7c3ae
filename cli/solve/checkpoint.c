// Checkpoints: the state, what receivers recorded, and a digest of the problem, in one file that is whole or not there. Fields of
// float16 take 2 bytes a value in files of version 2, 4 in those of version 1, which all others are. Versions 3 and 4 are 1 and 2
// of a run that flushed subnormal numbers.
//
//     header | each level of each updated field, in the order of the problem | each receiver's record | XXH3-128 of all before
#include "checkpoint.h"

#include "core/team.h"
#include "digest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

static const char magics[][8] = {"MSTSOLV1", "MSTSOLV2", "MSTSOLV3", "MSTSOLV4"};
enum { MAGIC_BYTES = sizeof magics[0], VERSIONS = CLI_COUNT(magics), FLUSHED = 2 }; // so many versions behind
static const uint64_t order = 0x0102030405060708;

int checkpoint_bad_file(const char *path, const char *why) {
    cli_error(solve_command, "%s: %s", path, why);
    return CLI_INPUT_OUTPUT;
}

// ---- What it holds

static void describe_array(const mst_stencil_desc *desc, const char *name, int level, const size_t shape[MST_MAX_AXES],
                           solve_array *array) {
    size_t grid[MST_MAX_AXES];
    array->name = name;
    array->level = level;
    array->rank = problem_region_shape(desc, grid);
    memcpy(array->shape, shape, sizeof array->shape);
}

// The types of a version's arrays, and their sizes.
static void set_version(solve_run *run, int version) {
    for (size_t i = 0; i < run->n_state; i++) {
        solve_array *array = &run->state[i];
        array->type = array->is_half && version % 2 == 0 ? MST_FLOAT16 : run->problem.desc.precision;
        const mst_layout layout = mst_layout_dense(array->type, array->rank, array->shape);
        array->bytes = cli_layout_bytes(&layout);
    }
}

static bool is_flushed(const solve_run *run) { return run->problem.desc.subnormals == MST_STENCIL_SUBNORMALS_FLUSH; }

static int own_version(const solve_run *run) {
    int version = is_flushed(run) ? 1 + FLUSHED : 1;
    for (size_t i = 0; i < run->n_state; i++)
        if (run->state[i].is_half)
            return version + 1;
    return version;
}

int solve_list_state(solve_run *run) {
    const mst_stencil_desc *desc = &run->problem.desc;
    mst_stencil_memory first = MST_STENCIL_MEMORY_INIT;
    mst_error error;
    size_t shape[MST_MAX_AXES], n = 0;
    problem_region_shape(desc, shape);
    if (mst_stencil_find_memory(desc, 0, &first, &error) != MST_OK)
        return cli_fail_input(solve_command, NULL, &error);
    for (size_t i = 0; i < desc->n_fields; i++)
        n += desc->fields[i].coefficient ? 0 : (size_t)desc->fields[i].levels;
    run->state = calloc(n + first.n, sizeof *run->state);
    if (!run->state)
        return cli_out_of_memory(solve_command, "a checkpoint");
    for (size_t i = 0; i < desc->n_fields; i++)
        for (int level = 0; level < desc->fields[i].levels && !desc->fields[i].coefficient; level++) {
            describe_array(desc, desc->fields[i].name, level, shape, &run->state[run->n_state]);
            run->state[run->n_state++].is_half = desc->fields[i].storage_bytes == 2;
        }
    for (size_t i = 0; i < first.n; i++) {
        solve_array *array = &run->state[run->n_state++];
        array->memory = (mst_stencil_memory)MST_STENCIL_MEMORY_INIT;
        if (mst_stencil_find_memory(desc, i, &array->memory, &error) != MST_OK)
            return cli_fail_input(solve_command, NULL, &error);
        describe_array(desc, array->memory.name, 0, array->memory.shape, array);
    }
    set_version(run, own_version(run));
    return CLI_DONE;
}

uint64_t solve_checkpoint_bytes(const solve_run *run, uint64_t step) {
    const mst_stencil_desc *desc = &run->problem.desc;
    uint64_t bytes = sizeof(checkpoint_header) + sizeof(XXH128_canonical_t);
    for (size_t i = 0; i < run->n_state; i++)
        bytes += run->state[i].bytes;
    for (size_t i = 0; i < desc->n_receivers; i++)
        bytes += step * problem_recorded(desc, i) * sizeof(double);
    return bytes + solve_found_bytes(&run->problem, step);
}

// ---- The file

static int put(digested_file *f, const void *data, size_t bytes) {
    XXH3_128bits_update(f->digest, data, bytes);
    return bytes == 0 || fwrite(data, bytes, 1, f->file) == 1 ? CLI_DONE : checkpoint_bad_file(f->path, strerror(errno));
}

// As many planes of the slowest axis go through the buffer at a time as it holds; of a plane that it does not hold, rows do.
static int put_array(solve_run *run, digested_file *f, const solve_array *array, char *buffer) {
    const size_t *grid = array->shape, node = mst_type_bytes(array->type);
    size_t start[MST_MAX_AXES] = {0}, block[MST_MAX_AXES] = {1, 1, 1}, room = SOLVE_CHUNK_BYTES / node;
    const int rank = array->rank;
    int code = CLI_DONE;
    for (int k = rank - 1; k >= 0; k--) { // whole axes from the fastest on, then a part of one
        block[k] = grid[k] < room ? grid[k] : room;
        room = block[k] == grid[k] ? room / block[k] : 1;
        room = room ? room : 1;
    }
    while (code == CLI_DONE && start[0] < grid[0]) {
        mst_stencil_region region = {.step = {1, 1, 1}};
        mst_error error;
        size_t bytes = node;
        for (int k = 0; k < rank; k++) {
            region.start[k] = start[k];
            region.count[k] = grid[k] - start[k] < block[k] ? grid[k] - start[k] : block[k];
            bytes *= region.count[k];
        }
        if (mst_stencil_read_as(run->solver, array->name, array->level, &region, array->type, mst_at_host(buffer), &error) !=
            MST_OK)
            return cli_fail(solve_command, f->path, &error);
        code = put(f, buffer, bytes);
        for (int k = rank - 1; k >= 0; k--) { // the next block, in C order
            start[k] += block[k];
            if (k == 0 || start[k] < grid[k])
                break;
            start[k] = 0;
        }
    }
    return code;
}

// What monitors and spectra found.
static int put_found(solve_run *run, digested_file *f) {
    const size_t bytes = (size_t)solve_found_bytes(&run->problem, mst_stencil_step(run->solver));
    void *found = malloc(bytes + 1);
    int code = found ? CLI_DONE : cli_out_of_memory(solve_command, "a checkpoint");
    if (code == CLI_DONE)
        code = solve_read_spectra(run, mst_at_host((char *)found + solve_copy_rows(run, found)));
    if (code == CLI_DONE)
        code = put(f, found, bytes);
    free(found);
    return code;
}

int checkpoint_make_header(const solve_run *run, const digested_file *f, char *buffer, checkpoint_header *header) {
    *header = (checkpoint_header){.order = order, .step = solve_step(run)};
    memcpy(header->magic, magics[own_version(run) - 1], MAGIC_BYTES);
    header->bytes = solve_checkpoint_bytes(run, header->step);
    return solve_digest_problem(&run->problem, UINT64_MAX, f->digest, buffer, header->problem);
}

static int put_all(solve_run *run, digested_file *f, char *buffer) {
    const mst_stencil_desc *desc = &run->problem.desc;
    checkpoint_header header;
    XXH128_canonical_t canonical;
    int code = checkpoint_make_header(run, f, buffer, &header);
    XXH3_128bits_reset(f->digest);
    if (code == CLI_DONE)
        code = put(f, &header, sizeof header);
    for (size_t i = 0; code == CLI_DONE && i < run->n_state; i++)
        code = put_array(run, f, &run->state[i], buffer);
    for (size_t i = 0; i < desc->n_receivers && code == CLI_DONE; i++)
        code = put(f, run->traces[i], (size_t)header.step * problem_recorded(desc, i) * sizeof(double));
    if (code == CLI_DONE)
        code = put_found(run, f);
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(f->digest));
    return code == CLI_DONE ? put(f, &canonical, sizeof canonical) : code;
}

int solve_write_checkpoint(solve_run *run) {
    cli_whole_file whole = {0};
    digested_file f = {run->options->checkpoint, NULL, XXH3_createState()};
    char *buffer = malloc(SOLVE_CHUNK_BYTES);
    int code = f.digest && buffer ? cli_whole_open(solve_command, &run->checkpoint_place, f.path, !run->first_checkpoint, &whole)
                                  : cli_out_of_memory(solve_command, "a checkpoint");
    f.file = whole.file;
    if (code == CLI_DONE)
        code = put_all(run, &f, buffer);
    if (code == CLI_DONE)
        code = cli_whole_commit(&whole, true);
    run->first_checkpoint = run->first_checkpoint && code != CLI_DONE;
    cli_whole_close(&whole);
    XXH3_freeState(f.digest);
    free(buffer);
    return code;
}

// ---- Resuming

static int check_header(const solve_run *run, const char *path, const checkpoint_header *header, uint64_t bytes,
                        const uint64_t wanted[2]) {
    if (memcmp(header->problem, wanted, sizeof header->problem) != 0)
        return checkpoint_bad_file(
            path, "a checkpoint of another problem: grid, time step, precision, parameters, fields with their initial "
                  "values, boundary, update, sources, receivers, monitors and spectra must be the same");
    if (header->step > run->problem.steps) {
        cli_error(solve_command, "%s: was taken at step %llu, but this run ends at step %llu", path,
                  (unsigned long long)header->step, (unsigned long long)run->problem.steps);
        return CLI_INPUT_OUTPUT;
    }
    if (bytes != header->bytes || bytes != solve_checkpoint_bytes(run, header->step))
        return checkpoint_bad_file(path, "damaged: its length is not what its header says");
    return CLI_DONE;
}

static int digest_some(const digested_file *f, uint64_t left, char *buffer) {
    while (left > 0) {
        size_t n = fread(buffer, 1, left < SOLVE_CHUNK_BYTES ? (size_t)left : SOLVE_CHUNK_BYTES, f->file);
        if (n == 0)
            return checkpoint_bad_file(f->path, ferror(f->file) ? strerror(errno) : "damaged: it ends early");
        XXH3_128bits_update(f->digest, buffer, n);
        left -= n;
    }
    return CLI_DONE;
}

// Of the first bytes of the file, into its digest. The first of a team reads, and tells the others now and then that it does.
int checkpoint_digest(const digested_file *f, uint64_t left, char *buffer) {
    const uint64_t at_once = 64 * SOLVE_CHUNK_BYTES;
    int code = CLI_DONE;
    XXH3_128bits_reset(f->digest);
    if (solve_is_first())
        rewind(f->file);
    for (uint64_t n; left > 0 && code == CLI_DONE; left -= n) {
        n = left < at_once ? left : at_once;
        code = cli_agree(solve_command, solve_is_first() ? digest_some(f, n, buffer) : CLI_DONE);
    }
    return code;
}

static int check_digest(const digested_file *f, uint64_t bytes, char *buffer) {
    XXH128_canonical_t stored;
    int code = checkpoint_digest(f, bytes - sizeof stored, buffer);
    if (code != CLI_DONE)
        return code;
    if (solve_is_first() && (fread(&stored, sizeof stored, 1, f->file) != 1 ||
                             !XXH128_isEqual(XXH128_hashFromCanonical(&stored), XXH3_128bits_digest(f->digest))))
        code = checkpoint_bad_file(f->path, "damaged: its digest is not that of its content");
    return cli_agree(solve_command, code);
}

static int take_all(solve_run *run, const digested_file *f) {
    const uint64_t step = run->resumed_step;
    const mst_stencil_desc *desc = &run->problem.desc;
    uint64_t offset = sizeof(checkpoint_header);
    mst_error error;
    for (size_t i = 0; i < run->n_state; i++) {
        const solve_array *array = &run->state[i];
        const mst_location from = mst_at_file(fileno(f->file), offset);
        if (run->solver && mst_stencil_write_whole(run->solver, array->name, array->level, array->type, from, &error) != MST_OK)
            return cli_fail(solve_command, f->path, &error);
        offset += array->bytes;
    }
    for (size_t i = 0; i < desc->n_receivers; i++) {
        size_t bytes = (size_t)step * problem_recorded(desc, i) * sizeof(double);
        if (bytes && (fseeko(f->file, (off_t)offset, SEEK_SET) != 0 || fread(run->traces[i], bytes, 1, f->file) != 1))
            return checkpoint_bad_file(f->path, ferror(f->file) ? strerror(errno) : "damaged: it ends early");
        offset += bytes;
    }
    run->traced = step;
    const int code = solve_take_found(run, fileno(f->file), offset);
    if (code != CLI_DONE)
        return code;
    return !run->solver || mst_stencil_set_step(run->solver, step, &error) == MST_OK ? CLI_DONE
                                                                                     : cli_fail(solve_command, f->path, &error);
}

// 0: none.
static int version_of(const checkpoint_header *header) {
    int version = VERSIONS;
    while (version > 0 && memcmp(header->magic, magics[version - 1], MAGIC_BYTES) != 0)
        version--;
    return version;
}

// Sets the types of what the file holds.
int checkpoint_read_header(solve_run *run, const digested_file *f, checkpoint_header *header, uint64_t *bytes) {
    struct stat info;
    if (fstat(fileno(f->file), &info) != 0)
        return checkpoint_bad_file(f->path, strerror(errno));
    *bytes = (uint64_t)info.st_size;
    if (!S_ISREG(info.st_mode) || fread(header, sizeof *header, 1, f->file) != 1)
        return checkpoint_bad_file(f->path, "not a checkpoint");
    const int version = version_of(header);
    if (version == 0 || header->order != order)
        return checkpoint_bad_file(f->path, "not a checkpoint of this program on such a machine");
    set_version(run, version);
    return CLI_DONE;
}

static void compare_flushing(const solve_run *run, const char *path, const checkpoint_header *header) {
    const bool was_flushed = version_of(header) > FLUSHED;
    if (was_flushed != is_flushed(run))
        cli_error(solve_command, "warning: %s: its run %s subnormal numbers, this one %s them", path,
                  was_flushed ? "flushed" : "kept", was_flushed ? "keeps" : "flushes");
}

// Its digest is read by all of a team.
static int check_file(solve_run *run, const digested_file *f) {
    checkpoint_header header = {.bytes = 0};
    uint64_t wanted[2], bytes;
    char *buffer = malloc(SOLVE_CHUNK_BYTES);
    int code = buffer && f->digest ? CLI_DONE : cli_out_of_memory(solve_command, "a checkpoint");
    if (code == CLI_DONE && solve_is_first())
        code = checkpoint_read_header(run, f, &header, &bytes);
    if (code == CLI_DONE && solve_is_first())
        code = solve_digest_problem(&run->problem, UINT64_MAX, f->digest, buffer, wanted);
    if (code == CLI_DONE && solve_is_first())
        code = check_header(run, f->path, &header, bytes, wanted);
    if (code == CLI_DONE && solve_is_first())
        compare_flushing(run, f->path, &header);
    code = cli_agree(solve_command, code);
    cli_tell(&header, sizeof header, 0);
    run->resumed_step = code == CLI_DONE ? header.step : 0;
    if (code == CLI_DONE)
        code = check_digest(f, header.bytes, buffer);
    free(buffer);
    return code;
}

int solve_open_checkpoint(solve_run *run) {
    const char *path = run->options->checkpoint;
    struct stat info;
    const int descriptor = cli_open_input(solve_command, path, &info);
    run->resumed = descriptor < 0 ? NULL : fdopen(descriptor, "r");
    if (descriptor >= 0 && !run->resumed)
        close(descriptor);
    int code = cli_agree(solve_command, run->resumed ? CLI_DONE : CLI_INPUT_OUTPUT);
    if (code != CLI_DONE)
        return code;
    digested_file f = {path, run->resumed, XXH3_createState()};
    code = check_file(run, &f);
    XXH3_freeState(f.digest);
    return code;
}

// All sizes are those that were checked, whatever became of the file since.
int solve_take_checkpoint(solve_run *run) {
    const digested_file f = {run->options->checkpoint, run->resumed, NULL};
    int code = take_all(run, &f);
    set_version(run, own_version(run));
    fclose(run->resumed);
    run->resumed = NULL;
    return code;
}
