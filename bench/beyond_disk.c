// beyond-disk: the transform of a file larger than the host memory allowed, beside what it cannot go below: every pass reads and
// writes the whole, at the rates at which plain direct I/O reads and writes the same files, several requests in flight.
//
// The input is one block repeated, so that results are known: the spectrum is zero but for every q-th number, which is that of
// the block times q. Files go past the system's cache.
#include "core/cli.h"
#include "json.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_ROUNDS = 15, MOST_THREADS = 64 };
#define BLOCK ((size_t)1 << 18) // numbers that are repeated
#define PAGE ((size_t)4096)

typedef struct settings {
    char *json, *folder;
    long long points, piece;
    int threads, rounds;
} settings;

enum { INPUT, OUTPUT, N_FILES };

typedef struct bench {
    const settings *settings;
    mst_context *context;
    uint64_t bytes; // of a file
    int files[N_FILES], direct[N_FILES];
    mst_fft *fft;
    double passes, error;
} bench;

// Seconds of a round.
typedef struct times {
    double read, write, transform;
} times;

static bool said(const char *what) {
    fprintf(stderr, "beyond-disk: %s: %s\n", what, strerror(errno));
    return false;
}

static bool failed(const mst_error *e) {
    fprintf(stderr, "beyond-disk: %s\n", e->message);
    return false;
}

// ---- Plain direct I/O

typedef struct moving {
    const bench *bench;
    int file;
    bool writes;
    atomic_ullong next;
    atomic_int error;
} moving;

static void *move_pieces(void *user) {
    moving *m = user;
    const size_t piece = (size_t)m->bench->settings->piece;
    void *memory = NULL;
    if (posix_memalign(&memory, PAGE, piece) != 0) {
        m->error = ENOMEM;
        return NULL;
    }
    memset(memory, 1, piece);
    for (uint64_t at; m->error == 0 && (at = atomic_fetch_add(&m->next, piece)) < m->bench->bytes;) {
        const ssize_t n = m->writes ? pwrite(m->file, memory, piece, (off_t)at) : pread(m->file, memory, piece, (off_t)at);
        if (n != (ssize_t)piece)
            m->error = n < 0 ? errno : EIO;
    }
    free(memory);
    return NULL;
}

// Reads or writes the whole of a file; negative: it failed.
static double move_all(const bench *b, int which, bool writes) {
    pthread_t threads[MOST_THREADS];
    moving m = {.bench = b, .file = b->direct[which], .writes = writes};
    int n = 0;
    const double start = cli_now();
    while (n < b->settings->threads && pthread_create(&threads[n], NULL, move_pieces, &m) == 0)
        n++;
    for (int k = 0; k < n; k++)
        pthread_join(threads[k], NULL);
    errno = m.error;
    return n > 0 && m.error == 0 ? cli_now() - start : -1;
}

// ---- Files

// A file without a name, twice: for the transform, and for plain direct I/O.
static bool make_file(bench *b, int which) {
    char path[4096];
    snprintf(path, sizeof path, "%s/beyond-disk-XXXXXX", b->settings->folder ? b->settings->folder : ".");
    b->files[which] = mkstemp(path);
    if (b->files[which] < 0)
        return said(b->settings->folder);
    b->direct[which] = open(path, O_RDWR | O_DIRECT | O_CLOEXEC);
    unlink(path);
    errno = b->direct[which] < 0 ? errno : posix_fallocate(b->files[which], 0, (off_t)b->bytes);
    return errno == 0 || said(b->settings->folder);
}

static float number_of(size_t i) { return (float)(i * 2654435761u % 4294967291u) / 4294967296.0f - 0.5f; }

static bool fill_input(bench *b) {
    const size_t bytes = BLOCK * sizeof(float[2]);
    float *block = malloc(bytes);
    bool done = block != NULL;
    for (size_t i = 0; done && i < 2 * BLOCK; i++)
        block[i] = number_of(i);
    for (uint64_t at = 0; done && at < b->bytes; at += bytes)
        done = pwrite(b->files[INPUT], block, bytes, (off_t)at) == (ssize_t)bytes;
    free(block);
    return done && fsync(b->files[INPUT]) == 0 ? true : said("writing the input");
}

// Nothing of a file is left in the system's cache.
static bool forget(const bench *b, int which) {
    if (fsync(b->files[which]) != 0)
        return said("writing a file");
    posix_fadvise(b->files[which], 0, 0, POSIX_FADV_DONTNEED);
    return true;
}

// ---- The transform

static bool describe(const bench *b, size_t n, mst_fft **out) {
    mst_error e;
    mst_fft_desc d = MST_FFT_DESC_INIT;
    d.input = mst_layout_dense(MST_COMPLEX64, 1, &n);
    d.n_axes = 1;
    return mst_fft_create(b->context, &d, out, &e) == MST_OK || failed(&e);
}

static bool plan(bench *b) {
    mst_error e;
    mst_fft_needs needs = MST_FFT_NEEDS_INIT;
    if (!describe(b, (size_t)b->settings->points, &b->fft))
        return false;
    if (mst_fft_plan_needs(b->fft, &needs, &e) != MST_OK)
        return failed(&e);
    b->passes = (double)needs.passes;
    return true;
}

static bool transform(bench *b, double *seconds) {
    mst_error e;
    const double start = cli_now();
    mst_status status = mst_fft_execute(b->fft, mst_at_file(b->files[INPUT], 0), mst_at_file(b->files[OUTPUT], 0), NULL, &e);
    *seconds = cli_now() - start;
    return status == MST_OK || failed(&e);
}

// The largest difference to what the block alone gives, over the largest value.
static bool check(bench *b) {
    const size_t q = (size_t)b->settings->points / BLOCK;
    float(*block)[2] = malloc(BLOCK * sizeof *block), (*expected)[2] = malloc(BLOCK * sizeof *expected);
    mst_fft *fft = NULL;
    mst_error e;
    double most = 0, largest = 0;
    bool done = block && expected && describe(b, BLOCK, &fft) &&
                (pread(b->files[INPUT], block, BLOCK * sizeof *block, 0) > 0 || said("reading the input")) &&
                (mst_fft_execute(fft, mst_at_host(block), mst_at_host(expected), NULL, &e) == MST_OK || failed(&e));
    for (size_t first = 0; done && first < q * BLOCK; first += BLOCK) {
        const ssize_t bytes = (ssize_t)(BLOCK * sizeof *block);
        done =
            pread(b->files[OUTPUT], block, (size_t)bytes, (off_t)(first * sizeof *block)) == bytes || said("reading the output");
        for (size_t i = 0; done && i < 2 * BLOCK; i++) {
            const size_t k = first + i / 2;
            const double wanted = k % q == 0 ? (double)q * expected[k / q][i % 2] : 0, off = fabs(block[i / 2][i % 2] - wanted);
            most = off > most || isnan(off) ? off : most;
            largest = fmax(largest, fabs(wanted));
        }
    }
    b->error = most / largest;
    mst_fft_destroy(fft);
    free(block), free(expected);
    return done;
}

// ---- Rounds

static bool run_round(bench *b, times *t) {
    t->read = move_all(b, INPUT, false);
    t->write = t->read < 0 ? -1 : move_all(b, OUTPUT, true);
    return (t->write >= 0 || said("plain direct I/O")) && transform(b, &t->transform) && forget(b, OUTPUT);
}

static double floor_of(const bench *b, const times *t) { return b->passes * (t->read + t->write); }

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const double *values, int n) {
    double sorted[MOST_ROUNDS];
    memcpy(sorted, values, (size_t)n * sizeof *values);
    qsort(sorted, (size_t)n, sizeof *sorted, by_value);
    return sorted[n / 2];
}

static bool report(const bench *b, const times *t) {
    const int n = b->settings->rounds;
    double read[MOST_ROUNDS], write[MOST_ROUNDS], seconds[MOST_ROUNDS], ratio[MOST_ROUNDS], gb = 1e-9 * (double)b->bytes;
    for (int k = 0; k < n; k++) {
        read[k] = gb / t[k].read, write[k] = gb / t[k].write;
        seconds[k] = t[k].transform, ratio[k] = floor_of(b, &t[k]) / t[k].transform;
    }
    printf("%.3g GB, %.0f passes: reads %.2f GB/s, writes %.2f GB/s, transform %.2f s, of floor %.3f, error %.1e\n", gb,
           b->passes, median(read, n), median(write, n), median(seconds, n), median(ratio, n), b->error);
    return !b->settings->json ||
           bench_write_json(b->context, "beyond-disk",
                            json_pack("{s:i, s:f, s:f, s:f, s:i, s:f, s:f, s:f, s:f, s:f}", "rounds", n, "bytes",
                                      (double)b->bytes, "passes", b->passes, "piece", (double)b->settings->piece, "requests",
                                      b->settings->threads, "read_gb_per_second", median(read, n), "write_gb_per_second",
                                      median(write, n), "seconds", median(seconds, n), "of_floor", median(ratio, n), "error",
                                      b->error),
                            b->settings->json);
}

static bool measure(bench *b) {
    times t[MOST_ROUNDS], warm;
    bool done =
        make_file(b, INPUT) && make_file(b, OUTPUT) && fill_input(b) && forget(b, INPUT) && plan(b) && run_round(b, &warm);
    for (int k = 0; k < b->settings->rounds && done; k++) {
        done = run_round(b, &t[k]);
        if (done)
            printf("round %d: read %.2f s, write %.2f s, transform %.2f s, of floor %.3f\n", k + 1, t[k].read, t[k].write,
                   t[k].transform, floor_of(b, &t[k]) / t[k].transform);
        fflush(stdout);
    }
    return done && check(b) && report(b, t);
}

static int check_settings(const settings *s) {
    const bool sizes = s->points >= (long long)BLOCK && !(s->points & (s->points - 1)) && s->piece >= (long long)PAGE &&
                       !(s->piece & (s->piece - 1)) && s->piece <= s->points * 8;
    if (sizes && s->threads >= 1 && s->threads <= MOST_THREADS && s->rounds >= 1 && s->rounds <= MOST_ROUNDS)
        return CLI_DONE;
    cli_error(NULL, "powers of two are taken, points from %zu on and pieces from %zu bytes on; 1 to %d requests, 1 to %d rounds",
              BLOCK, PAGE, MOST_THREADS, MOST_ROUNDS);
    return CLI_USAGE;
}

static int run_command(const cli_arguments *arguments, void *values) {
    settings *s = values;
    bench b = {.settings = s, .bytes = (uint64_t)s->points * sizeof(float[2]), .files = {-1, -1}, .direct = {-1, -1}};
    int code = check_settings(s);
    if (code == CLI_DONE)
        code = cli_context(NULL, &arguments->common, true, &b.context);
    if (code == CLI_DONE && !measure(&b))
        code = CLI_FAILED;
    mst_fft_destroy(b.fft);
    for (int k = 0; k < N_FILES; k++) {
        if (b.files[k] >= 0)
            close(b.files[k]);
        if (b.direct[k] >= 0)
            close(b.direct[k]);
    }
    mst_context_destroy(b.context);
    return code;
}

static const cli_option options[] = {
    {"points", 0, CLI_LONG, offsetof(settings, points), "complex numbers of the file (default: 134217728, 1 GiB)", "N"},
    {"folder", 0, CLI_TEXT, offsetof(settings, folder), "where files are made (default: .)", "FOLDER"},
    {"piece", 0, CLI_LONG, offsetof(settings, piece), "bytes of a request of plain direct I/O (default: 2097152)", "BYTES"},
    {"requests", 0, CLI_INT, offsetof(settings, threads), "of it in flight, 1 to 64 (default: 8)", "N"},
    {"rounds", 'r', CLI_INT, offsetof(settings, rounds), "measured rounds, 1 to 15 (default: 7)", "N"},
    {"json", 0, CLI_TEXT, offsetof(settings, json), "write the results there too", "FILE"},
};
static const settings defaults = {.folder = NULL, .points = 1 << 27, .piece = 2 << 20, .threads = 8, .rounds = 7};
static const cli_command command = {
    .title = "The transform of a file larger than the host memory allowed, beside the disk's rate.",
    .synopsis = "[options]",
    .details = "Give --host-memory a quarter of the file. Every round reads one file and writes another by plain direct "
               "I/O,\nand transforms "
               "the one into the other.\n",
    .leave_out = ~(unsigned)(CLI_DEVICE | CLI_MEMORY),
    .options = options,
    .n_options = CLI_COUNT(options),
    .values_bytes = sizeof(settings),
    .defaults = &defaults,
    .run = run_command,
};

int main(int argc, const char **argv) {
    cli_set_program("beyond-disk");
    setenv("MASTABA_DIRECT_IO", "1", 0);
    return cli_run_command(&command, argc, argv);
}
