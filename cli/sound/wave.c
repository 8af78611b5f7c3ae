#include "wave.h"

#include "core/report.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { PCM = 1, FLOAT = 3, EXTENSIBLE = 0xfffe, MOST_CHANNELS = 1024 };

size_t cli_read_stream(int file, void *data, size_t bytes) {
    size_t done = 0;
    while (done < bytes) {
        ssize_t n = read(file, (char *)data + done, bytes - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    return done;
}

static unsigned number(const unsigned char *at, int bytes) {
    unsigned value = 0;
    for (int k = bytes - 1; k >= 0; k--)
        value = value << 8 | at[k];
    return value;
}

static void put_number(unsigned char *at, unsigned value, int bytes) {
    for (int k = 0; k < bytes; k++)
        at[k] = (unsigned char)(value >> 8 * k);
}

// What programs that write into a pipe say of samples whose number they do not know: none, all that there is room for, or all
// up to about 2 GiB.
static bool is_unknown(unsigned bytes) {
    return bytes == 0 || bytes >= 0xfffff000u || (bytes >= 0x7fff0000u && bytes <= 0x80000000u);
}

static bool skip(int file, uint64_t bytes) {
    unsigned char away[4096];
    while (bytes > 0) {
        size_t some = bytes < sizeof away ? (size_t)bytes : sizeof away;
        if (cli_read_stream(file, away, some) != some)
            return false;
        bytes -= some;
    }
    return true;
}

// The chunk that says what samples are.
static bool read_format(int file, unsigned bytes, cli_wave *wave) {
    unsigned char format[40] = {0};
    size_t known = bytes < sizeof format ? bytes : sizeof format;
    if (bytes < 16 || cli_read_stream(file, format, known) != known || !skip(file, bytes - known + (bytes & 1)))
        return false;
    unsigned tag = number(format, 2), bits = number(format + 14, 2);
    if (tag == EXTENSIBLE && bytes >= 40)
        tag = number(format + 24, 2);
    wave->channels = number(format + 2, 2);
    wave->sample_rate = number(format + 4, 4);
    wave->bytes = bits / 8;
    wave->is_float = tag == FLOAT;
    bool known_type = tag == PCM ? bits == 16 || bits == 24 || bits == 32 : tag == FLOAT && (bits == 32 || bits == 64);
    bool packed = number(format + 12, 2) == wave->channels * wave->bytes; // 24 bits may stand in 4 bytes
    return known_type && packed && wave->channels >= 1 && wave->channels <= MOST_CHANNELS && wave->sample_rate > 0;
}

int cli_wave_begin(const char *command, int file, cli_wave *wave) {
    unsigned char head[12];
    *wave = (cli_wave){0};
    if (cli_read_stream(file, head, 12) != 12 || memcmp(head, "RIFF", 4) != 0 || memcmp(head + 8, "WAVE", 4) != 0) {
        cli_error(command, "standard input is no WAV; for raw samples say how many channels with --raw");
        return CLI_INPUT_OUTPUT;
    }
    while (cli_read_stream(file, head, 8) == 8) {
        unsigned bytes = number(head + 4, 4);
        if (memcmp(head, "data", 4) == 0 && wave->channels > 0) {
            wave->left = is_unknown(bytes) ? UINT64_MAX : bytes;
            return CLI_DONE;
        }
        bool is_format = memcmp(head, "fmt ", 4) == 0;
        if (is_format && !read_format(file, bytes, wave)) {
            cli_error(
                command,
                "standard input has samples that are not packed ones of 16, 24 or 32 bits, float32 or float64, or is damaged");
            return CLI_INPUT_OUTPUT;
        }
        if (!is_format && !skip(file, (uint64_t)bytes + (bytes & 1)))
            break;
    }
    cli_error(command, "standard input ends before its first sample");
    return CLI_INPUT_OUTPUT;
}

static double sample_at(const cli_wave *wave, const unsigned char *at) {
    double wide;
    float single;
    if (wave->is_float && wave->bytes == sizeof wide)
        return memcpy(&wide, at, sizeof wide), wide;
    if (wave->is_float)
        return memcpy(&single, at, sizeof single), (double)single;
    const int32_t value = (int32_t)(number(at, (int)wave->bytes) << (32 - 8 * wave->bytes)); // the upper bytes of 32 bits
    return (double)value * 0x1p-31;
}

void cli_wave_decode(const cli_wave *wave, const unsigned char *bytes, size_t n, bool wide, void *samples) {
    for (size_t k = 0; k < n; k++) {
        const double sample = sample_at(wave, bytes + k * wave->bytes);
        if (wide)
            ((double *)samples)[k] = sample;
        else
            ((float *)samples)[k] = (float)sample;
    }
}

void cli_wave_header(const cli_wave *wave, unsigned char header[CLI_WAVE_HEADER]) {
    static const char riff[] = "RIFF\xff\xff\xff\xffWAVEfmt ", data[] = "data\xff\xff\xff\xff";
    unsigned frame = wave->bytes * wave->channels;
    memcpy(header, riff, sizeof riff - 1);
    put_number(header + 16, 16, 4);
    put_number(header + 20, FLOAT, 2);
    put_number(header + 22, wave->channels, 2);
    put_number(header + 24, wave->sample_rate, 4);
    put_number(header + 28, wave->sample_rate * frame, 4);
    put_number(header + 32, frame, 2);
    put_number(header + 34, 8 * wave->bytes, 2);
    memcpy(header + 36, data, sizeof data - 1);
}
