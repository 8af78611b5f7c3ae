// Passes of the program over a whole file, in memory of a fixed size: copies that convert, and NumPy's fftshift.
#include "rewrite.h"

#include "core/file.h"
#include "core/layout.h"
#include "core/progress.h"
#include "core/report.h"

#include <stdlib.h>
#include <string.h>

#define BUFFER_BYTES ((size_t)32 << 20) // there are two

typedef struct rewrite {
    const cli_array *from, *to;
    char *buffers[2];
    cli_progress progress;
    uint64_t done, total; // bytes written, and to be written
} rewrite;

static int begin(rewrite *r, const cli_array *from, const cli_array *to, uint64_t total) {
    *r = (rewrite){.from = from, .to = to, .total = total, .buffers = {malloc(BUFFER_BYTES), malloc(BUFFER_BYTES)}};
    r->progress = cli_progress_start(to->command, (double)total);
    if (r->buffers[0] && r->buffers[1])
        return CLI_DONE;
    cli_error(to->command, "out of memory for a buffer of %zu bytes", BUFFER_BYTES);
    return CLI_FAILED;
}

static void end(rewrite *r) {
    cli_progress_end(&r->progress);
    free(r->buffers[0]);
    free(r->buffers[1]);
}

// `offset` counts from the first element.
static int load(const cli_array *array, void *data, size_t bytes, uint64_t offset) {
    if (cli_read_bytes(&array->location, offset, data, bytes))
        return CLI_DONE;
    return cli_fail_file(array->command, array->path, "cannot be read");
}

static int store(rewrite *r, const void *data, size_t bytes, uint64_t offset) {
    if (!cli_write_bytes(&r->to->location, offset, data, bytes))
        return cli_fail_file(r->to->command, r->to->path, "cannot be written");
    r->done += bytes;
    if (!cli_progress_update(r->done < r->total ? r->done : r->total, r->total, &r->progress))
        return cli_fail_interrupted(r->to->command);
    return CLI_DONE;
}

// ---- conversion

static void convert(mst_type from, const void *values, mst_type to, void *results, size_t count) {
    if (from == to) {
        memcpy(results, values, count * mst_type_bytes(to));
        return;
    }
    size_t parts = to == MST_COMPLEX64 || to == MST_COMPLEX128 ? 2 : 1;
    memset(results, 0, count * mst_type_bytes(to));
    for (size_t i = 0; i < count; i++) {
        double value = cli_real_at(from, values, i);
        if (to == MST_COMPLEX64)
            ((float *)results)[parts * i] = (float)value;
        else
            ((double *)results)[parts * i] = value;
    }
}

// The axis of `to` that is longer than that of `from`: after each `run` elements of `from` come zeros, until `pitch` elements of
// `to` are full.
typedef struct padding {
    uint64_t run, pitch;
} padding;

static padding padding_of(const mst_layout *from, const mst_layout *to) {
    padding p = {1, 1};
    for (int k = to->rank - 1; k >= 0; k--) {
        p.run *= from->shape[k];
        p.pitch *= to->shape[k];
        if (p.run != p.pitch)
            break;
    }
    return p;
}

// How many elements of `from` come before element `at` of `to`.
static uint64_t before(padding p, uint64_t at) {
    uint64_t within = at % p.pitch;
    return at / p.pitch * p.run + (within < p.run ? within : p.run);
}

// Makes elements [at, at + n) of `to` from the elements of `from` that belong there, and zeros.
static void fill(const rewrite *r, padding p, uint64_t at, size_t n) {
    mst_type from = r->from->layout.type, to = r->to->layout.type;
    if (p.run < p.pitch)
        memset(r->buffers[1], 0, n * mst_type_bytes(to));
    for (uint64_t i = at, left; i < at + n; i += left) {
        uint64_t within = i % p.pitch, end = within < p.run ? p.run : p.pitch;
        left = end - within < at + n - i ? end - within : at + n - i;
        if (within < p.run)
            convert(from, r->buffers[0] + (before(p, i) - before(p, at)) * mst_type_bytes(from), to,
                    r->buffers[1] + (i - at) * mst_type_bytes(to), (size_t)left);
    }
}

int cli_convert(const cli_array *from, const cli_array *to) {
    const padding p = padding_of(&from->layout, &to->layout);
    size_t from_bytes = mst_type_bytes(from->layout.type), to_bytes = mst_type_bytes(to->layout.type);
    uint64_t count = cli_layout_bytes(&to->layout) / to_bytes;
    size_t most = BUFFER_BYTES / (from_bytes > to_bytes ? from_bytes : to_bytes);
    rewrite r;
    int code = begin(&r, from, to, count * to_bytes);
    for (uint64_t at = 0; at < count && code == CLI_DONE; at += most) {
        size_t n = count - at < most ? (size_t)(count - at) : most;
        uint64_t first = before(p, at);
        code = load(from, r.buffers[0], (size_t)(before(p, at + n) - first) * from_bytes, first * from_bytes);
        if (code == CLI_DONE) {
            fill(&r, p, at, n);
            code = store(&r, r.buffers[1], n * to_bytes, at * to_bytes);
        }
    }
    end(&r);
    return code;
}

// ---- shift: along an axis, the first `left` bytes of each run of `bytes` contiguous ones change places with the rest

typedef struct turn {
    uint64_t bytes, left;
} turn;

static turn turn_of(const mst_layout *layout, int axis, bool back) {
    uint64_t inner = mst_type_bytes(layout->type), n = layout->shape[axis];
    for (int k = axis + 1; k < layout->rank; k++)
        inner *= layout->shape[k];
    return (turn){n * inner, (back ? n / 2 : n - n / 2) * inner};
}

static void turn_memory(char *run, const turn *t, char *spare) {
    memcpy(spare, run, t->left);
    memmove(run, run + t->left, t->bytes - t->left);
    memcpy(run + t->bytes - t->left, spare, t->left);
}

// Takes all turns whose runs fit the buffer in one pass. turns[0] has the longest runs, and the runs of the others divide them.
static int turn_small(rewrite *r, const turn *turns, int n_turns, uint64_t total) {
    int code = CLI_DONE;
    uint64_t most = BUFFER_BYTES / turns[0].bytes * turns[0].bytes;
    for (uint64_t at = 0; at < total && code == CLI_DONE; at += most) {
        size_t bytes = (size_t)(total - at < most ? total - at : most);
        code = load(r->to, r->buffers[0], bytes, at);
        for (int k = 0; k < n_turns; k++)
            for (size_t run = 0; run < bytes; run += turns[k].bytes)
                turn_memory(r->buffers[0] + run, &turns[k], r->buffers[1]);
        if (code == CLI_DONE)
            code = store(r, r->buffers[0], bytes, at);
    }
    return code;
}

static int exchange(rewrite *r, uint64_t a, uint64_t b, uint64_t bytes) {
    int code = CLI_DONE;
    for (uint64_t done = 0; done < bytes && code == CLI_DONE; done += BUFFER_BYTES) {
        size_t n = (size_t)(bytes - done < BUFFER_BYTES ? bytes - done : BUFFER_BYTES);
        code = load(r->to, r->buffers[0], n, a + done);
        if (code == CLI_DONE)
            code = load(r->to, r->buffers[1], n, b + done);
        if (code == CLI_DONE)
            code = store(r, r->buffers[0], n, b + done);
        if (code == CLI_DONE)
            code = store(r, r->buffers[1], n, a + done);
    }
    return code;
}

// Moves bytes within the file; as with memmove, the two places may overlap.
static int move(rewrite *r, uint64_t to, uint64_t from, uint64_t bytes) {
    int code = CLI_DONE;
    for (uint64_t done = 0; done < bytes && code == CLI_DONE;) {
        size_t n = (size_t)(bytes - done < BUFFER_BYTES ? bytes - done : BUFFER_BYTES);
        uint64_t at = to < from ? done : bytes - done - n;
        code = load(r->to, r->buffers[0], n, from + at);
        if (code == CLI_DONE)
            code = store(r, r->buffers[0], n, to + at);
        done += n;
    }
    return code;
}

// One long run: a bytes and b bytes change places. Equal parts are exchanged until the rest of one fits the second buffer and
// the other can move past it (Gries and Mills, Swapping sections, 1981).
static int turn_large(rewrite *r, uint64_t at, uint64_t a, uint64_t b) {
    int code = CLI_DONE;
    while (a > BUFFER_BYTES && b > BUFFER_BYTES && code == CLI_DONE) {
        uint64_t part = a < b ? a : b;
        code = exchange(r, at, at + (a < b ? b : a), part);
        if (a < b) {
            b -= part;
        } else {
            a -= part;
            at += part;
        }
    }
    if (code != CLI_DONE || a == 0 || b == 0)
        return code;
    bool first = a <= BUFFER_BYTES;
    size_t kept = (size_t)(first ? a : b);
    code = load(r->to, r->buffers[1], kept, first ? at : at + a);
    if (code == CLI_DONE)
        code = first ? move(r, at, at + a, b) : move(r, at + b, at, a);
    return code == CLI_DONE ? store(r, r->buffers[1], kept, first ? at + b : at) : code;
}

int cli_shift(const cli_array *array, unsigned axes, bool back) {
    turn turns[MST_MAX_RANK];
    int n_turns = 0, n_large = 0;
    uint64_t total = cli_layout_bytes(&array->layout);
    rewrite r;
    for (int k = 0; k < array->layout.rank && total > 0; k++)
        if (axes & 1u << k && array->layout.shape[k] > 1) {
            turns[n_turns] = turn_of(&array->layout, k, back);
            n_large += turns[n_turns++].bytes > BUFFER_BYTES;
        }
    if (n_turns == 0)
        return CLI_DONE;
    int code = begin(&r, array, array, total * (uint64_t)(n_large + (n_large < n_turns)));
    for (int k = 0; k < n_large; k++)
        for (uint64_t at = 0; at < total && code == CLI_DONE; at += turns[k].bytes)
            code = turn_large(&r, at, turns[k].left, turns[k].bytes - turns[k].left);
    if (code == CLI_DONE && n_large < n_turns)
        code = turn_small(&r, turns + n_large, n_turns - n_large, total);
    end(&r);
    return code;
}
