#include "stream.h"

#include "core/cli.h"
#include "core/file.h"
#include "operand.h"
#include "sound/wave.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 1024, KERNEL_MOST = 1 << 30 }; // frames that are read at once at most

typedef struct stream {
    const char *command;
    cli_wave wave;     // what comes in
    unsigned channels; // of what goes out: those of the input, or of the kernel where one channel comes in
    cli_operand kernel;
    bool wide;  // computed in float64, as the stream or the kernel has it
    void *taps; // interleaved
    mst_context *context;
    mst_convolver *convolver;
    unsigned char *bytes; // a piece of the input, and room for a frame that is not whole
    void *in, *out;
} stream;

static size_t number_bytes(const stream *s) { return s->wide ? sizeof(double) : sizeof(float); }

static void put(const stream *s, void *samples, size_t at, double value) {
    if (s->wide)
        ((double *)samples)[at] = value;
    else
        ((float *)samples)[at] = (float)value;
}

// Frame by frame, whether the kernel is a sound or an array (channels, taps) or (taps).
static int read_kernel(stream *s, const char *path, size_t *channels, size_t *taps) {
    const mst_layout *l = &s->kernel.layout;
    int code = cli_operand_open(s->command, path, &s->kernel);
    if (code != CLI_DONE)
        return code;
    *taps = l->rank > 0 ? l->shape[l->rank - 1] : 0;
    *channels = l->rank == 2 ? l->shape[0] : 1;
    if ((l->type != MST_FLOAT32 && l->type != MST_FLOAT64) || l->rank < 1 || l->rank > 2 || *taps < 1 || *taps > KERNEL_MOST ||
        *channels < 1) {
        cli_error(s->command, "%s: the kernel of a stream is a sound, or float32 or float64 of shape (taps) or (channels, taps)",
                  path);
        return CLI_INPUT_OUTPUT;
    }
    const size_t n = *taps * *channels, bytes = mst_type_bytes(l->type);
    void *own = s->kernel.samples ? NULL : malloc(n * bytes);
    s->wide = s->wide || l->type == MST_FLOAT64;
    s->taps = malloc(n * number_bytes(s));
    if (!s->taps || (!s->kernel.samples && !own))
        code = cli_out_of_memory(s->command, "the kernel");
    else if (own && !cli_read_bytes(&s->kernel.location, 0, own, n * bytes))
        code = cli_fail_file(s->command, path, "cannot be read");
    const void *values = own ? own : s->kernel.samples;
    for (size_t t = 0; t < *taps && code == CLI_DONE; t++)
        for (size_t c = 0; c < *channels; c++) {
            const ptrdiff_t from = (ptrdiff_t)c * (l->rank == 2 ? l->strides[0] : 0) + (ptrdiff_t)t * l->strides[l->rank - 1];
            const double tap = l->type == MST_FLOAT64 ? ((const double *)values)[from] : (double)((const float *)values)[from];
            put(s, s->taps, t * *channels + c, tap);
        }
    free(own);
    return code;
}

static int make_convolver(stream *s, const char *path, int latency, const cli_options *options) {
    mst_convolver_desc desc = MST_CONVOLVER_DESC_INIT;
    mst_error error;
    int code = read_kernel(s, path, &desc.kernel_channels, &desc.taps);
    if (code == CLI_DONE && s->wave.sample_rate && s->kernel.sample_rate && (int)s->wave.sample_rate != s->kernel.sample_rate) {
        cli_error(s->command, "standard input is sampled at %u Hz and %s at %d Hz; resample one of them", s->wave.sample_rate,
                  path, s->kernel.sample_rate);
        return CLI_INPUT_OUTPUT;
    }
    if (code == CLI_DONE)
        code = cli_context(s->command, options, false, &s->context);
    s->channels = s->wave.channels > 1 || desc.kernel_channels > 1024 ? s->wave.channels : (unsigned)desc.kernel_channels;
    desc.channels = s->channels;
    desc.type = s->wide ? MST_FLOAT64 : MST_FLOAT32;
    desc.kernel = s->wide ? NULL : s->taps;
    desc.kernel_double = s->wide ? s->taps : NULL;
    desc.latency = (size_t)latency;
    if (code == CLI_DONE && mst_convolver_create(s->context, &desc, &s->convolver, &error) != MST_OK)
        code = cli_fail_input(s->command, NULL, &error);
    size_t samples = (size_t)PIECE * s->channels;
    s->bytes = malloc((size_t)PIECE * s->wave.channels * s->wave.bytes);
    s->in = malloc(samples * number_bytes(s));
    s->out = malloc(samples * number_bytes(s));
    return code == CLI_DONE && (!s->bytes || !s->in || !s->out) ? cli_out_of_memory(s->command, NULL) : code;
}

static int write_all(const stream *s, const void *data, size_t bytes) {
    for (size_t done = 0; done < bytes;) {
        ssize_t n = write(STDOUT_FILENO, (const char *)data + done, bytes - done);
        if (n < 0 && errno == EINTR && !cli_interrupted())
            continue;
        if (n <= 0) {
            cli_error(s->command, "standard output cannot be written: %s", strerror(errno));
            return CLI_INPUT_OUTPUT;
        }
        done += (size_t)n;
    }
    return CLI_DONE;
}

// Writes the results that are there.
static int drain(stream *s) {
    mst_error error;
    size_t given = 0;
    do {
        mst_status status = s->wide ? mst_convolver_pull_double(s->convolver, s->out, PIECE, &given, &error)
                                    : mst_convolver_pull(s->convolver, s->out, PIECE, &given, &error);
        if (status != MST_OK)
            return cli_fail(s->command, NULL, &error);
        int code = write_all(s, s->out, given * s->channels * number_bytes(s));
        if (code != CLI_DONE)
            return code;
    } while (given > 0);
    return CLI_DONE;
}

// One channel for all of the result's; backwards, as its samples lie where those of all channels go.
static void spread_channel(stream *s, size_t n) {
    for (size_t k = n; k-- > 0;)
        for (size_t c = s->channels; c-- > 0;)
            put(s, s->in, k * s->channels + c, s->wide ? ((double *)s->in)[k] : (double)((float *)s->in)[k]);
}

static int send_frames(stream *s, size_t n) {
    mst_error error;
    int code = CLI_DONE;
    cli_wave_decode(&s->wave, s->bytes, n * s->wave.channels, s->wide, s->in);
    if (s->channels > s->wave.channels)
        spread_channel(s, n);
    for (size_t done = 0, taken = 0; done < n && code == CLI_DONE; done += taken) {
        const void *from = (const char *)s->in + done * s->channels * number_bytes(s);
        mst_status status = s->wide ? mst_convolver_push_double(s->convolver, from, n - done, &taken, &error)
                                    : mst_convolver_push(s->convolver, from, n - done, &taken, &error);
        if (status != MST_OK)
            return cli_fail(s->command, NULL, &error);
        code = drain(s);
    }
    return code;
}

// What went out cannot be taken back.
static int fail_interrupted(const stream *s) {
    cli_error(s->command, "interrupted; standard output has the beginning of the result");
    return CLI_INTERRUPTED;
}

// Reads what there is, sends its whole frames, and keeps the rest.
static int pass_input(stream *s) {
    size_t frame = (size_t)s->wave.channels * s->wave.bytes, held = 0;
    while (s->wave.left > 0) {
        size_t room = PIECE * frame - held;
        ssize_t n = read(STDIN_FILENO, s->bytes + held, room < s->wave.left ? room : (size_t)s->wave.left);
        if (cli_interrupted())
            return fail_interrupted(s);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            cli_error(s->command, "standard input cannot be read: %s", strerror(errno));
            return CLI_INPUT_OUTPUT;
        }
        if (n == 0)
            break;
        s->wave.left -= s->wave.left == UINT64_MAX ? 0 : (uint64_t)n;
        held += (size_t)n;
        size_t whole = held / frame;
        int code = send_frames(s, whole);
        if (code != CLI_DONE)
            return code;
        held -= whole * frame;
        memmove(s->bytes, s->bytes + whole * frame, held);
    }
    if (held == 0 && (s->wave.left == 0 || s->wave.left == UINT64_MAX))
        return CLI_DONE;
    cli_error(s->command, "standard input ends %s", held ? "within a frame" : "before the samples that its header promises");
    return CLI_INPUT_OUTPUT;
}

// The header goes out with the first sample's; at the end comes what the kernel leaves.
static int run(stream *s) {
    unsigned char header[CLI_WAVE_HEADER];
    mst_error error;
    int code = CLI_DONE;
    if (s->wave.sample_rate) {
        cli_wave result = s->wave;
        result.channels = s->channels;
        result.bytes = (unsigned)number_bytes(s);
        cli_wave_header(&result, header);
        code = write_all(s, header, sizeof header);
    }
    if (code == CLI_DONE)
        code = pass_input(s);
    if (code != CLI_DONE)
        return code;
    if (mst_convolver_flush(s->convolver, &error) != MST_OK)
        return cli_fail(s->command, NULL, &error);
    return drain(s);
}

int cli_convolve_stream(const char *command, const char *kernel, int raw, bool wide, int latency, const cli_options *options) {
    const unsigned bytes = wide ? sizeof(double) : sizeof(float);
    stream s = {.command = command, .wave = {.channels = (unsigned)raw, .bytes = bytes, .is_float = true, .left = UINT64_MAX}};
    int code = raw > 0 ? CLI_DONE : cli_wave_begin(command, STDIN_FILENO, &s.wave);
    s.wide = wide || s.wave.bytes == sizeof(double);
    if (code == CLI_DONE)
        code = make_convolver(&s, kernel, latency, options);
    if (code == CLI_DONE)
        code = run(&s);
    mst_convolver_destroy(s.convolver);
    mst_context_destroy(s.context);
    cli_operand_close(&s.kernel);
    free(s.taps);
    free(s.bytes);
    free(s.in);
    free(s.out);
    return code;
}
