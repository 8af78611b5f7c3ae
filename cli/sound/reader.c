// Sound files in, through libsndfile.
#include "sound.h"

#include "core/cli.h"

#include <sndfile.h>
#include <stdlib.h>
#include <string.h>

bool cli_is_sound(const char *path) {
    SF_INFO info = {0};
    SNDFILE *sound = sf_open(path, SFM_READ, &info);
    if (!sound)
        return false;
    sf_close(sound);
    return true;
}

enum { FIRST_SAMPLES = 1 << 14 }; // that memory is taken for at first, whatever the channels

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
    if (sf_error(sound) != SF_ERR_NO_ERROR) {
        cli_error(command, "%s: %s after %zu frames; the file is damaged", path, sf_strerror(sound), count);
        return CLI_INPUT_OUTPUT;
    }
    if (info->frames > 0 && info->frames < SF_COUNT_MAX && (uint64_t)info->frames != count) {
        cli_error(command, "%s: holds %zu of the %lld frames that it claims; the file is truncated", path, count,
                  (long long)info->frames);
        return CLI_INPUT_OUTPUT;
    }
    return CLI_DONE;
}

int cli_sound_read(const char *command, const char *path, cli_sound *out) {
    SF_INFO info = {0};
    size_t frames = 0;
    SNDFILE *sound = sf_open(path, SFM_READ, &info);
    if (!sound) {
        bool unknown = sf_error(NULL) == SF_ERR_UNRECOGNISED_FORMAT;
        cli_error(command, "%s: neither a .npy file nor a sound%s%s", path, unknown ? " that libsndfile knows" : ": ",
                  unknown ? "" : sf_strerror(NULL));
        return CLI_INPUT_OUTPUT;
    }
    int code = read_samples(command, path, sound, &info, &out->samples, &frames);
    sf_close(sound);
    if (code != CLI_DONE)
        return code;
    out->sample_rate = info.samplerate;
    out->layout = (mst_layout){MST_FLOAT32, 2, {(size_t)info.channels, frames}, {1, info.channels}};
    return CLI_DONE;
}
