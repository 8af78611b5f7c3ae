// With c a colour, a the opacity (1 if there is none), L the curve of light and F the filter: F(a L(c)) / F(a) where opacity
// weighs (Porter and Duff, SIGGRAPH 1984: colours are added up multiplied by it), else F(L(c)); and L's inverse of that.
#include "tone.h"

#include "core/layout.h"

#include <math.h>
#include <stdlib.h>

#define CLEAR 1e-6 // opacity below which rounding is all that a colour has

static size_t colours_of(const cli_image *image) { return image->channels - (image->alpha ? 1 : 0); }

static bool is_multiplied(const cli_image *image) { return image->alpha && image->opacity == CLI_OPACITY_MULTIPLIED; }

static double divided(double colour, double opacity) { return opacity > CLEAR ? colour / opacity : 0; }

// A colour is the file's, or that multiplied by the opacity, whichever the file has.
static double to_light(const cli_tone *tone, size_t c, double colour) {
    return tone->linear ? cli_curve_light(&tone->curves[c], colour) : colour;
}

static double from_light(const cli_tone *tone, size_t c, double light) {
    return tone->linear ? cli_curve_value(&tone->curves[c], light) : light;
}

static void begin_pixel(const cli_tone *tone, const cli_image *image, size_t at, float *light) {
    size_t colours = colours_of(image);
    bool multiplied = is_multiplied(image);
    double opacity = image->alpha ? cli_real_at(image->type, image->pixels, at + colours) / tone->white : 1;
    for (size_t c = 0; c < colours; c++) {
        double colour = cli_real_at(image->type, image->pixels, at + c) / tone->white;
        double value = to_light(tone, c, multiplied ? divided(colour, opacity) : colour);
        light[at + c] = (float)(multiplied || tone->weigh ? value * opacity : value);
    }
    if (image->alpha)
        light[at + colours] = (float)opacity;
}

cli_image cli_tone_kind(const cli_tone *tone, const cli_image *image) {
    return (cli_image){.width = image->width,
                       .height = image->height,
                       .channels = image->channels,
                       .pages = image->pages,
                       .part = image->part,
                       .type = MST_FLOAT32,
                       .white = 1,
                       .alpha = image->alpha && !tone->weigh};
}

int cli_tone_begin(const char *command, const char *path, const cli_image *image, cli_tone *tone, cli_image *light) {
    const cli_image own = cli_image_own(image);
    const size_t values = cli_image_values(&own);
    int code = tone->linear ? cli_curves_of(command, path, image, tone->curves) : CLI_DONE;
    if (code != CLI_DONE)
        return code;
    tone->white = image->white;
    *light = cli_tone_kind(tone, image);
    code = cli_pixels_take(command, path, values * sizeof(float), light);
    if (code != CLI_DONE)
        return code;
    for (size_t at = 0; at < values; at += image->channels)
        begin_pixel(tone, image, at, light->pixels);
    return CLI_DONE;
}

// A value that integers hold is from 0 to 1.
static void store(cli_image *image, size_t at, double value) {
    double level = rint(value * image->white);
    if (image->type == MST_UINT8)
        ((uint8_t *)image->pixels)[at] = (uint8_t)level;
    else if (image->type == MST_UINT16)
        ((uint16_t *)image->pixels)[at] = (uint16_t)level;
    else
        ((float *)image->pixels)[at] = (float)value;
}

// Integers are shorter than what they are made of, and are written no further than that was read.
static void end_pixel(const cli_tone *tone, bool raw, cli_image *result, size_t at) {
    size_t colours = colours_of(result);
    float pixel[CLI_MOST_COLOURS + 1] = {0};
    bool multiplied = is_multiplied(result);
    for (size_t c = 0; c < result->channels; c++)
        pixel[c] = ((const float *)result->pixels)[at + c];
    double opacity = result->alpha ? fmin(fmax((double)pixel[colours], 0), 1) : 1;
    for (size_t c = 0; c < colours; c++) {
        double light = (double)pixel[c];
        light = multiplied || tone->weigh ? divided(light, opacity) : light;
        double value = raw ? light * tone->white : from_light(tone, c, light);
        if (result->type != MST_FLOAT32)
            value = fmin(fmax(value, 0), 1);
        store(result, at + c, multiplied ? value * opacity : value);
    }
    if (result->alpha)
        store(result, at + colours, raw ? opacity * tone->white : opacity);
}

void cli_tone_end(const cli_tone *tone, bool raw, cli_image *result) {
    size_t values = cli_image_values(result);
    for (size_t at = 0; at < values; at += result->channels)
        end_pixel(tone, raw, result, at);
}

void cli_tone_free(cli_tone *tone) { cli_curves_free(tone->curves); }
