// Sound files in, through libsndfile.
#include "sound.h"

#include "core/cli.h"
#include "core/file.h"
#include "core/library.h"

#include <errno.h>
#include <sndfile.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

// A sound as libsndfile reads it: from the one descriptor, whose own offset is left alone.
typedef struct sound_input {
    int file;
    sf_count_t at, length; // of the file when it was opened
    int read_error;        // errno of the first call that failed, which libsndfile takes for the end of the file
} sound_input;

static sf_count_t input_length(void *user) {
    sound_input *input = user;
    struct stat info;
    if (fstat(input->file, &info) == 0)
        return info.st_size;
    if (input->read_error == 0)
        input->read_error = errno;
    return -1;
}

static sf_count_t input_tell(void *user) { return ((sound_input *)user)->at; }

static sf_count_t input_seek(sf_count_t offset, int whence, void *user) {
    sound_input *input = user;
    input->at = offset + (whence == SEEK_CUR ? input->at : whence == SEEK_END ? input_length(user) : 0);
    return input->at;
}

// libsndfile takes fewer bytes than it asks for, from a file on a network, say, for the end of the file. A file that has become
// shorter since it was opened ends too early without an error of its own.
static sf_count_t input_read(void *data, sf_count_t bytes, void *user) {
    sound_input *input = user;
    const size_t got = cli_read_some(input->file, (uint64_t)input->at, data, (size_t)bytes);
    if (got < (size_t)bytes && input->read_error == 0)
        input->read_error = errno == 0 && input->at + (sf_count_t)got < input->length ? EIO : errno;
    input->at += (sf_count_t)got;
    return (sf_count_t)got;
}

static uint32_t number_at(const unsigned char *bytes, bool swapped) {
    uint32_t value = 0;
    for (int k = 0; k < 4; k++)
        value |= (uint32_t)bytes[k] << 8 * (swapped ? 3 - k : k);
    return value;
}

// Whether a list of a WAV file claims to go on far behind the file's end: libsndfile reads on there, four bytes at a time, for as
// long as the list claims, which takes minutes.
static bool has_endless_list(int file) {
    enum { MOST_CHUNKS = 10000, FEW_BYTES = 1 << 20 }; // a list that was cut is read in no time
    unsigned char head[12];
    struct stat info;
    if (fstat(file, &info) != 0 || cli_read_some(file, 0, head, 12) != 12 || memcmp(head + 8, "WAVE", 4) != 0)
        return false;
    const bool swapped = memcmp(head, "RIFX", 4) == 0;
    off_t at = 12;
    for (int k = 0; k < MOST_CHUNKS && cli_read_some(file, (uint64_t)at, head, 8) == 8; k++) {
        const off_t bytes = (off_t)number_at(head + 4, swapped);
        at += 8;
        if (memcmp(head, "LIST", 4) == 0 && bytes - (info.st_size - at) > FEW_BYTES)
            return true;
        at += bytes + (bytes & 1);
    }
    return false;
}

static SNDFILE *open_sound(sound_input *input, SF_INFO *info) {
    SF_VIRTUAL_IO io = {input_length, input_seek, input_read, NULL, input_tell};
    *info = (SF_INFO){0};
    input->length = input_length(input);
    return sf_open_virtual(&io, SFM_READ, info, input);
}

// Whether it has the first bytes of a common kind.
static bool begins_as_sound(int file) {
    static const char *const marks[] = {"RIFF", "RIFX", "RF64", "FORM", ".snd", "fLaC", "OggS", "caff"};
    unsigned char head[4];
    bool begins = false;
    if (cli_read_some(file, 0, head, sizeof head) != sizeof head)
        return false;
    for (size_t k = 0; k < CLI_COUNT(marks); k++)
        begins = begins || memcmp(head, marks[k], sizeof head) == 0;
    return begins;
}

bool cli_is_sound(int file) {
    SF_INFO info;
    if (has_endless_list(file))
        return true; // which cannot be read
    if (!cli_library_is_there(CLI_LIBSNDFILE))
        return begins_as_sound(file); // reading it names the library
    sound_input input = {.file = file};
    SNDFILE *sound = open_sound(&input, &info);
    if (!sound)
        return false;
    sf_close(sound);
    return true;
}

enum { FIRST_SAMPLES = 1 << 14 }; // that memory is taken for at first, whatever the channels

// Whether the header of WAV, AIFF or AU claims more bytes than there are, which libsndfile only notes in its log, as "data : 2000
// (should be 656)". Lengths near 2^31 and 2^32 stand for one that was not known when the header was written.
static bool is_cut(SNDFILE *sound) {
    enum { UNKNOWN = 0x7f000000 };
    char log[8192] = "", name[32], *rest;
    unsigned long claimed, there;
    sf_command(sound, SFC_GET_LOG_INFO, log, sizeof log);
    for (const char *line = strtok_r(log, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        if (sscanf(line, " %31[A-Za-z ]: %lu (should be %lu)", name, &claimed, &there) == 3 && claimed > there &&
            claimed < UNKNOWN && (strncasecmp(name, "data", 4) == 0 || strncmp(name, "SSND", 4) == 0))
            return true;
    return false;
}

static bool tells_frames(const SF_INFO *info) { return info->frames > 0 && info->frames < SF_COUNT_MAX; }

// Reads to the end. Memory grows with what is there, not with what the header claims.
static int read_samples(const char *command, const char *path, SNDFILE *sound, const SF_INFO *info, float **samples,
                        size_t *frames) {
    size_t channels = (size_t)info->channels, capacity = 0, count = 0;
    for (;;) {
        if (count == capacity) {
            capacity = capacity ? 2 * capacity : FIRST_SAMPLES / channels + 1;
            float *more = realloc(*samples, capacity * channels * sizeof(float));
            if (!more) {
                cli_error(command, "%s: out of memory after %zu frames; sounds are read whole, a .npy file is not", path, count);
                return CLI_FAILED;
            }
            *samples = more;
        }
        if (cli_interrupted())
            return cli_fail_interrupted(command);
        sf_count_t got = sf_readf_float(sound, *samples + count * channels, (sf_count_t)(capacity - count));
        if (got <= 0)
            break;
        count += (size_t)got;
    }
    *frames = count;
    return CLI_DONE;
}

// Whether a sound of so many frames has what it should.
static int check_frames(const char *command, const char *path, SNDFILE *sound, const SF_INFO *info, size_t frames) {
    if (is_cut(sound)) {
        cli_error(command, "%s: holds %zu frames, less than it claims; the file is truncated", path, frames);
        return CLI_INPUT_OUTPUT;
    }
    if (sf_error(sound) != SF_ERR_NO_ERROR) {
        cli_error(command, "%s: %s after %zu frames; the file is damaged", path, sf_strerror(sound), frames);
        return CLI_INPUT_OUTPUT;
    }
    if (tells_frames(info) && (uint64_t)info->frames != frames) {
        cli_error(command, "%s: holds %zu of the %lld frames that it claims; the file is truncated", path, frames,
                  (long long)info->frames);
        return CLI_INPUT_OUTPUT;
    }
    return CLI_DONE;
}

static int read_failed(const char *command, const char *path, const sound_input *input) {
    cli_error(command, "%s: cannot be read: %s", path, strerror(input->read_error));
    return CLI_INPUT_OUTPUT;
}

int cli_sound_read(const char *command, const char *path, int file, bool only_layout, cli_sound *out) {
    SF_INFO info;
    size_t frames = 0;
    sound_input input = {.file = file};
    if (has_endless_list(file)) {
        cli_error(command, "%s: is damaged: a list in it claims to be longer than the file", path);
        return CLI_INPUT_OUTPUT;
    }
    int code = cli_library_open(command, path, CLI_LIBSNDFILE);
    if (code != CLI_DONE)
        return code;
    SNDFILE *sound = open_sound(&input, &info);
    if (!sound && input.read_error != 0)
        return read_failed(command, path, &input);
    if (!sound) {
        bool unknown = sf_error(NULL) == SF_ERR_UNRECOGNISED_FORMAT;
        cli_error(command, "%s: neither a .npy file nor a sound%s%s", path, unknown ? " that libsndfile knows" : ": ",
                  unknown ? "" : sf_strerror(NULL));
        return CLI_INPUT_OUTPUT;
    }
    if (only_layout && tells_frames(&info))
        frames = (size_t)info.frames;
    else
        code = read_samples(command, path, sound, &info, &out->samples, &frames);
    if (code == CLI_DONE)
        code = check_frames(command, path, sound, &info, frames);
    sf_close(sound);
    if (code != CLI_INTERRUPTED && input.read_error != 0)
        return read_failed(command, path, &input);
    if (code != CLI_DONE)
        return code;
    out->sample_rate = info.samplerate;
    out->layout = (mst_layout){MST_FLOAT32, 2, {(size_t)info.channels, frames}, {1, info.channels}};
    return CLI_DONE;
}
