// Checkpoints, as solve --resume reads them. Digests keep changes from what stands behind them, so the bits of the first byte put
// right: 1 the digest of the problem, 2 the length that the header gives, 4 the digest at the end.
#include "fuzz.h"

#include "solve/solve.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

enum { NX = 3, NY = 4, POINTS = 2, STEPS = 5, PROBLEM = 16, LENGTH = 40, HEADER = 48, DIGEST = 16, MOST = 1 << 16 };

static const char text[] = "grid: [4, 3]\ntime_step: 1\nfields: {u: {initial: 0, levels: 2}, c: {initial: 1, coefficient: true}, "
                           "h: {storage: float16}}\n"
                           "update: [{u: u + c, h: u}]\nreceivers: [{field: u, at: [[1, 2], [3, 0]], file: t.npy}]\nsteps: 5\n";

// In place of a solver: what a state may hold is none of the reader's business, but it must be in the file.
static uint64_t file_bytes, taken_step;
static int n_taken;

mst_status mst_stencil_write_whole(mst_stencil *solver, const char *field, int level, mst_type type, mst_location from,
                                   mst_error *error) {
    const bool is_half = n_taken == 2;
    (void)solver, (void)error;
    FUZZ_CHECK(strcmp(field, is_half ? "h" : "u") == 0 && level == (is_half ? 0 : n_taken));
    FUZZ_CHECK(type == MST_FLOAT32 || (type == MST_FLOAT16 && is_half));
    FUZZ_CHECK(from.offset <= file_bytes && NX * NY * mst_type_bytes(type) <= file_bytes - from.offset);
    n_taken++;
    return MST_OK;
}

mst_status mst_stencil_set_step(mst_stencil *solver, uint64_t step, mst_error *error) {
    (void)solver, (void)error;
    taken_step = step;
    return MST_OK;
}

mst_status mst_stencil_read_as(mst_stencil *solver, const char *field, int level, const mst_stencil_region *region, mst_type type,
                               mst_location to, mst_error *error) {
    (void)solver, (void)field, (void)level, (void)error;
    memset(to.host, 0, region->count[0] * region->count[1] * mst_type_bytes(type));
    return MST_OK;
}

mst_status mst_stencil_read_whole(mst_stencil *solver, const char *field, int level, mst_type type, mst_location to,
                                  mst_error *error) {
    (void)solver, (void)field, (void)level, (void)type, (void)to, (void)error;
    FUZZ_CHECK(false); // only ranks write one file
    return MST_OK;
}

uint64_t mst_stencil_step(const mst_stencil *solver) {
    (void)solver;
    return 1;
}

// A run with a good checkpoint, of which only the digest of the problem is needed.
typedef struct setting {
    solve_options options;
    solve_run run;
    uint8_t problem[DIGEST];
} setting;

static void make_good(setting *s) {
    const problem_overrides none = {.steps = -1};
    cli_place place = {0};
    s->run = (solve_run){.options = &s->options, .scratch = -1};
    FUZZ_CHECK(problem_open("fuzz", fuzz_file((const uint8_t *)text, sizeof text - 1), &none, &s->run.problem) == CLI_DONE);
    s->run.traces = calloc(1, sizeof *s->run.traces);
    FUZZ_CHECK(s->run.traces && (s->run.traces[0] = calloc(STEPS * POINTS, sizeof(double))));
    FUZZ_CHECK(solve_list_state(&s->run) == CLI_DONE);
    s->options.checkpoint = "good";
    FUZZ_CHECK(cli_place_open("fuzz", "good", &place) == CLI_DONE);
    s->run.checkpoint_place = place;
    FUZZ_CHECK(solve_write_checkpoint(&s->run) == CLI_DONE);
    FILE *good = fopen("good", "rb");
    FUZZ_CHECK(good && fseek(good, PROBLEM, SEEK_SET) == 0 && fread(s->problem, DIGEST, 1, good) == 1);
    fclose(good);
    cli_place_close(&s->run.checkpoint_place);
}

static const char *mended_file(const setting *s, uint8_t bits, uint8_t *data, size_t size) {
    const uint64_t length = size;
    XXH128_canonical_t digest;
    if (bits & 1 && size >= HEADER)
        memcpy(data + PROBLEM, s->problem, DIGEST);
    if (bits & 2 && size >= HEADER)
        memcpy(data + LENGTH, &length, sizeof length);
    if (bits & 4 && size >= HEADER + DIGEST) {
        XXH128_canonicalFromHash(&digest, XXH3_128bits(data, size - DIGEST));
        memcpy(data + size - DIGEST, &digest, DIGEST);
    }
    return fuzz_file(data, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static setting s;
    if (size == 0 || size > MOST)
        return 0;
    if (!s.run.traces)
        make_good(&s);
    uint8_t *copy = malloc(size);
    FUZZ_CHECK(copy);
    memcpy(copy, data + 1, size - 1);
    file_bytes = size - 1;
    n_taken = 0;
    s.options.checkpoint = mended_file(&s, data[0], copy, size - 1);
    int code = solve_open_checkpoint(&s.run);
    FUZZ_CHECK(code == CLI_DONE || code == CLI_INPUT_OUTPUT);
    if (code == CLI_DONE) {
        FUZZ_CHECK(s.run.resumed_step <= STEPS && solve_take_checkpoint(&s.run) == CLI_DONE);
        FUZZ_CHECK(n_taken == 3 && taken_step <= STEPS && s.run.traced == taken_step);
    }
    if (s.run.resumed)
        fclose(s.run.resumed);
    s.run.resumed = NULL;
    free(copy);
    return 0;
}
