#include "curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LAST = 65535, HEADER = 128, ENTRY = 12 }; // of tables; bytes of a profile's head, and of an entry in its list of tags

typedef struct bytes {
    const unsigned char *at;
    size_t size;
} bytes;

// Numbers of profiles have their highest byte first.
static uint32_t number_at(const unsigned char *at, int n) {
    uint32_t value = 0;
    for (int k = 0; k < n; k++)
        value = value << 8 | at[k];
    return value;
}

static double fixed_at(const unsigned char *at) { return (int32_t)number_at(at, 4) / 65536.0; }

// ---- Curves of profiles (ICC.1:2022, 10.6 and 10.18). A false result: damaged.

// The data of a tag; nothing where the profile has none of the name.
static bytes find_tag(const cli_block *profile, const char *name) {
    size_t size = profile->size, count = size >= HEADER + 4 ? number_at(profile->bytes + HEADER, 4) : 0;
    for (size_t i = 0; i < count && HEADER + 4 + (i + 1) * ENTRY <= size; i++) {
        const unsigned char *entry = profile->bytes + HEADER + 4 + i * ENTRY;
        size_t at = number_at(entry + 4, 4), length = number_at(entry + 8, 4);
        if (memcmp(entry, name, 4) == 0 && at <= size && length <= size - at)
            return (bytes){profile->bytes + at, length};
    }
    return (bytes){NULL, 0};
}

// 'curv': numbers between which lie straight lines; one number is an exponent, none the straight line from 0 to 1.
static bool read_samples(bytes tag, float *light) {
    size_t count = number_at(tag.at + 8, 4);
    if (count > (tag.size - 12) / 2)
        return false;
    double power = count == 1 ? number_at(tag.at + 12, 2) / 256.0 : 1;
    for (size_t i = 0; i <= LAST; i++) {
        double x = (double)i / LAST, place = count > 1 ? x * (double)(count - 1) : 0;
        size_t cell = place < (double)count - 2 ? (size_t)place : count > 1 ? count - 2 : 0;
        if (count <= 1) {
            light[i] = (float)pow(x, power);
            continue;
        }
        double left = number_at(tag.at + 12 + 2 * cell, 2), right = number_at(tag.at + 14 + 2 * cell, 2);
        light[i] = (float)((left + (place - (double)cell) * (right - left)) / 65535);
    }
    return true;
}

// 'para': (a x + b)^g + e from d on, below it c x + f; kinds 0 to 4 have more and more of these numbers.
static bool read_formula(bytes tag, float *light) {
    static const int counts[] = {1, 3, 4, 5, 7};
    unsigned kind = number_at(tag.at + 8, 2);
    double p[7] = {1, 1, 0, 0, 0, 0, 0}; // g a b c d e f
    if (kind > 4 || tag.size < 12 + 4 * (size_t)counts[kind])
        return false;
    for (int k = 0; k < counts[kind]; k++)
        p[k] = fixed_at(tag.at + 12 + 4 * k);
    double g = p[0], a = p[1], b = p[2], c = p[3], d = p[4], e = p[5], f = p[6];
    if (kind == 2) { // c is added everywhere
        e = f = c;
        c = 0;
    }
    if (kind == 1 || kind == 2) {
        c = 0;
        d = a != 0 ? -b / a : 0;
    }
    for (size_t i = 0; i <= LAST; i++) {
        double x = (double)i / LAST;
        light[i] = (float)(kind == 0 || x >= d ? pow(fmax(a * x + b, 0), g) + e : c * x + f);
    }
    return true;
}

// Values that do not fall, from a least to a greater one, so that each light has a value.
static bool is_rising(const float *light) {
    for (size_t i = 0; i < LAST; i++)
        if (!(light[i] <= light[i + 1]))
            return false;
    return isfinite(light[0]) && isfinite(light[LAST]) && light[0] < light[LAST];
}

static bool read_tag(bytes tag, float *light) {
    bool read = false;
    if (tag.size >= 12 && memcmp(tag.at, "curv", 4) == 0)
        read = read_samples(tag, light);
    else if (tag.size >= 12 && memcmp(tag.at, "para", 4) == 0)
        read = read_formula(tag, light);
    return read && is_rising(light);
}

// ---- Curves of images

static void fill_srgb(float *light) {
    for (size_t i = 0; i <= LAST; i++) {
        double x = (double)i / LAST;
        light[i] = (float)(x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4));
    }
}

static void fill_power(float *light, double power) {
    for (size_t i = 0; i <= LAST; i++)
        light[i] = (float)pow((double)i / LAST, power);
}

static bool fill(const cli_image *image, size_t colours, size_t c, float *light) {
    static const char *const names[] = {"rTRC", "gTRC", "bTRC"};
    const cli_block *profile = &image->metadata.blocks[CLI_PROFILE];
    double gamma = image->metadata.colours.gamma;
    if (profile->bytes)
        return read_tag(find_tag(profile, colours == 3 ? names[c] : "kTRC"), light);
    if (cli_image_is_real(image))
        fill_power(light, 1);
    else if (gamma > 0 && !image->metadata.colours.srgb)
        fill_power(light, 1 / gamma);
    else
        fill_srgb(light);
    return true;
}

int cli_curves_of(const char *command, const char *path, const cli_image *image, cli_curve curves[CLI_MOST_COLOURS]) {
    size_t colours = image->channels - (image->alpha ? 1 : 0);
    for (size_t c = 0; c < colours && c < CLI_MOST_COLOURS; c++) {
        curves[c].light = malloc((LAST + 1) * sizeof *curves[c].light);
        if (!curves[c].light)
            return cli_out_of_memory(command, path);
        if (!fill(image, colours, c, curves[c].light)) {
            cli_error(command, "%s: its colour profile has no curves that can be read; convert it to sRGB, or leave out --linear",
                      path);
            return CLI_INPUT_OUTPUT;
        }
    }
    return CLI_DONE;
}

void cli_curves_free(cli_curve curves[CLI_MOST_COLOURS]) {
    for (size_t c = 0; c < CLI_MOST_COLOURS; c++)
        free(curves[c].light);
}

double cli_curve_light(const cli_curve *curve, double value) {
    if (value <= 0)
        return (double)curve->light[0] + value;
    if (value >= 1)
        return (double)curve->light[LAST] + (value - 1);
    size_t cell = (size_t)(value * LAST);
    double left = (double)curve->light[cell], right = (double)curve->light[cell + 1];
    return left + (value * LAST - (double)cell) * (right - left);
}

double cli_curve_value(const cli_curve *curve, double light) {
    size_t low = 0, high = LAST; // light[low] <= light < light[high]
    if (light <= (double)curve->light[0])
        return light - (double)curve->light[0];
    if (light >= (double)curve->light[LAST])
        return 1 + (light - (double)curve->light[LAST]);
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if ((double)curve->light[middle] <= light)
            low = middle;
        else
            high = middle;
    }
    double left = (double)curve->light[low], right = (double)curve->light[high];
    return ((double)low + (light - left) / (right - left)) / LAST;
}
