// Sound files out, through libsndfile, under a temporary name until they are whole.
#include "sound.h"

#include "core/cli.h"
#include "core/library.h"
#include "core/whole_file.h"

#include <errno.h>
#include <math.h>
#include <sndfile.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct sound_format {
    const char *extension;
    int format;        // for float32
    int double_format; // for float64
    bool clips;        // holds only -1 to 1
    bool large;        // may exceed 4 GiB
} sound_format;

static const sound_format formats[] = {
    {".wav", SF_FORMAT_WAV | SF_FORMAT_FLOAT, SF_FORMAT_WAV | SF_FORMAT_DOUBLE, false, false},
    {".rf64", SF_FORMAT_RF64 | SF_FORMAT_FLOAT, SF_FORMAT_RF64 | SF_FORMAT_DOUBLE, false, true},
    {".w64", SF_FORMAT_W64 | SF_FORMAT_FLOAT, SF_FORMAT_W64 | SF_FORMAT_DOUBLE, false, true},
    {".caf", SF_FORMAT_CAF | SF_FORMAT_FLOAT, SF_FORMAT_CAF | SF_FORMAT_DOUBLE, false, true},
    {".aiff", SF_FORMAT_AIFF | SF_FORMAT_FLOAT, SF_FORMAT_AIFF | SF_FORMAT_DOUBLE, false, false},
    {".au", SF_FORMAT_AU | SF_FORMAT_FLOAT, SF_FORMAT_AU | SF_FORMAT_DOUBLE, false, false},
    {".flac", SF_FORMAT_FLAC | SF_FORMAT_PCM_24, SF_FORMAT_FLAC | SF_FORMAT_PCM_24, true, true},
    {".ogg", SF_FORMAT_OGG | SF_FORMAT_VORBIS, SF_FORMAT_OGG | SF_FORMAT_VORBIS, true, true},
    {".opus", SF_FORMAT_OGG | SF_FORMAT_OPUS, SF_FORMAT_OGG | SF_FORMAT_OPUS, true, true},
};

struct cli_sound_writer {
    const char *command, *path;
    const sound_format *format;
    cli_whole_file *whole; // the caller's
    int write_error;       // errno of the first call on the file that failed
    bool is_double;
    SF_INFO info;
    SNDFILE *sound;
    size_t frames;
    void *samples; // frames x channels, interleaved
};

static const sound_format *find_format(const char *path) {
    for (size_t i = 0; i < CLI_COUNT(formats); i++)
        if (cli_has_extension(path, formats[i].extension))
            return &formats[i];
    return NULL;
}

bool cli_is_sound_path(const char *path) { return find_format(path) != NULL; }

static int descriptor(void *user) { return fileno(((cli_sound_writer *)user)->whole->file); }

// libsndfile does not always report a call that failed, least of all from sf_close, so files are written by these. Where it does
// not get the length it writes a header for one that is not known.
static sf_count_t noted(cli_sound_writer *w, sf_count_t result) {
    if (result < 0 && !w->write_error)
        w->write_error = errno;
    return result;
}

static sf_count_t file_length(void *user) {
    struct stat info;
    return noted(user, fstat(descriptor(user), &info)) == 0 ? info.st_size : -1;
}

static sf_count_t file_seek(sf_count_t offset, int whence, void *user) {
    return noted(user, lseek(descriptor(user), offset, whence));
}

static sf_count_t file_tell(void *user) { return noted(user, lseek(descriptor(user), 0, SEEK_CUR)); }

static sf_count_t file_read(void *data, sf_count_t bytes, void *user) {
    return noted(user, read(descriptor(user), data, (size_t)bytes));
}

static sf_count_t file_write(const void *data, sf_count_t bytes, void *user) {
    cli_sound_writer *w = user;
    sf_count_t written = 0;
    while (written < bytes) {
        ssize_t n = write(descriptor(w), (const char *)data + written, (size_t)(bytes - written));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            if (!w->write_error)
                w->write_error = n < 0 ? errno : EIO;
            break;
        }
        written += n;
    }
    return written;
}

// Whether the result can be a sound that this format can hold.
static int check_result(const cli_sound_writer *w, const mst_layout *result) {
    const char *extension = w->format->extension;
    uint64_t bytes = (uint64_t)w->frames * (uint64_t)w->info.channels * mst_type_bytes(result->type);
    char shape[200];
    if ((result->type != MST_FLOAT32 && result->type != MST_FLOAT64) || result->rank > 2 || result->shape[0] == 0) {
        cli_error(w->command,
                  "%s: the result, %s of shape %s, is not a sound (real, frames or channels x frames); write a .npy file",
                  w->path, mst_type_name(result->type), cli_shape_text(result, shape));
        return CLI_INPUT_OUTPUT;
    }
    if (w->info.samplerate <= 0) {
        cli_error(w->command, "%s: no input is a sound, so there is no sample rate; write a .npy file", w->path);
        return CLI_USAGE;
    }
    if (!w->format->large && bytes > UINT32_MAX - 65536) {
        cli_error(w->command, "%s: the result is larger than the 4 GiB of a %s file; write .w64, .rf64, .caf or .npy", w->path,
                  extension + 1);
        return CLI_INPUT_OUTPUT;
    }
    if (!sf_format_check(&w->info)) {
        cli_error(w->command, "%s: %s cannot hold %d channels at %d Hz; write .wav or .npy", w->path, extension + 1,
                  w->info.channels, w->info.samplerate);
        return CLI_INPUT_OUTPUT;
    }
    return CLI_DONE;
}

static int open_sound(cli_sound_writer *w) {
    SF_VIRTUAL_IO io = {file_length, file_seek, file_read, file_write, file_tell};
    w->sound = sf_open_virtual(&io, SFM_WRITE, &w->info, w);
    if (w->sound)
        return CLI_DONE;
    if (w->write_error)
        return cli_whole_failed(w->whole, w->write_error);
    cli_error(w->command, "%s: %s (%d channels at %d Hz)", w->path, sf_strerror(NULL), w->info.channels, w->info.samplerate);
    return CLI_INPUT_OUTPUT;
}

int cli_sound_begin(cli_whole_file *whole, const mst_layout *result, int sample_rate, cli_sound_writer **out) {
    size_t channels = result->rank == 2 ? result->shape[0] : 1, bytes;
    cli_sound_writer *w = calloc(1, sizeof *w);
    *out = w;
    if (!w)
        return cli_out_of_memory(whole->command, NULL);
    w->command = whole->command;
    w->path = whole->path;
    w->whole = whole;
    w->format = find_format(w->path);
    w->is_double = result->type == MST_FLOAT64;
    w->frames = result->shape[result->rank - 1];
    w->info.channels = channels < 1 << 20 ? (int)channels : 1 << 20; // beyond any format's limit
    w->info.samplerate = sample_rate;
    w->info.format = w->is_double ? w->format->double_format : w->format->format;
    int code = cli_library_open(w->command, w->path, CLI_LIBSNDFILE);
    if (code == CLI_DONE)
        code = check_result(w, result);
    if (code != CLI_DONE)
        return code;
    if (__builtin_mul_overflow(w->frames * channels, mst_type_bytes(result->type), &bytes) ||
        !(w->samples = malloc(bytes ? bytes : 1))) {
        cli_error(w->command, "%s: out of memory for the samples; a .npy file needs none", w->path);
        return CLI_FAILED;
    }
    if (!w->format->clips) // those that clip are compressed, too
        code = cli_place_expect(w->command, w->path, &whole->place, bytes, true);
    return code == CLI_DONE ? open_sound(w) : code;
}

mst_layout cli_sound_layout(const cli_sound_writer *w) {
    mst_type type = w->is_double ? MST_FLOAT64 : MST_FLOAT32;
    return (mst_layout){type, 2, {(size_t)w->info.channels, w->frames}, {1, w->info.channels}};
}

mst_location cli_sound_location(const cli_sound_writer *w) { return mst_at_host(w->samples); }

// Finds what the format would change silently: NaN, which is refused, and values beyond 1.
static int check_range(const cli_sound_writer *w, double *peak) {
    size_t n = w->frames * (size_t)w->info.channels;
    for (size_t i = 0; i < n; i++) {
        double value = fabs(w->is_double ? ((const double *)w->samples)[i] : (double)((const float *)w->samples)[i]);
        if (!isfinite(value)) {
            cli_error(w->command, "%s: the result holds NaN or infinity, which %s cannot express; write .wav or .npy", w->path,
                      w->format->extension + 1);
            return CLI_INPUT_OUTPUT;
        }
        *peak = value > *peak ? value : *peak;
    }
    return CLI_DONE;
}

static int write_samples(cli_sound_writer *w) {
    enum { CHUNK = 4096 }; // the Vorbis encoder takes what it is given onto the stack
    size_t channels = (size_t)w->info.channels;
    for (size_t done = 0; done < w->frames && !w->write_error; done += CHUNK) {
        size_t n = w->frames - done < CHUNK ? w->frames - done : CHUNK;
        sf_count_t written = w->is_double
                                 ? sf_writef_double(w->sound, (const double *)w->samples + done * channels, (sf_count_t)n)
                                 : sf_writef_float(w->sound, (const float *)w->samples + done * channels, (sf_count_t)n);
        if (written != (sf_count_t)n && !w->write_error) {
            cli_error(w->command, "%s: %s", w->path, sf_strerror(w->sound));
            return CLI_INPUT_OUTPUT;
        }
    }
    int code = sf_close(w->sound); // writes what is left, and the header
    w->sound = NULL;
    if (w->write_error)
        return cli_whole_failed(w->whole, w->write_error);
    if (code != 0) {
        cli_error(w->command, "%s: %s", w->path, sf_error_number(code));
        return CLI_INPUT_OUTPUT;
    }
    return CLI_DONE;
}

int cli_sound_write(cli_sound_writer *w) {
    double peak = 0;
    int code = CLI_DONE;
    if (w->format->clips) {
        sf_command(w->sound, SFC_SET_CLIPPING, NULL, SF_TRUE);
        code = check_range(w, &peak);
    }
    if (code == CLI_DONE)
        code = write_samples(w);
    if (code == CLI_DONE && peak > 1)
        cli_error(w->command, "warning: %s: clipped: the peak is %.4g and %s holds no more than 1; write .wav to keep it",
                  w->path, peak, w->format->extension + 1);
    return code;
}

void cli_sound_close(cli_sound_writer *w) {
    if (!w)
        return;
    if (w->sound)
        sf_close(w->sound);
    free(w->samples);
    free(w);
}
