// Colour maps for pictures of fields. They are drawn in Oklab (Ottosson, "A perceptual color space for image processing", 2020),
// where equal steps of lightness look equal, so a picture shows no edges that the data do not have.
#include "frames.h"

#include <math.h>

static bool to_srgb(double lightness, double chroma, double hue, uint8_t rgb[3]) {
    double a = chroma * cos(hue), b = chroma * sin(hue);
    double l = pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
    double m = pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
    double s = pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
    double linear[3] = {4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
                        -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
                        -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
    for (int k = 0; k < 3; k++) {
        if (linear[k] < 0 || linear[k] > 1)
            return false;
        double encoded = linear[k] <= 0.0031308 ? 12.92 * linear[k] : 1.055 * pow(linear[k], 1 / 2.4) - 0.055;
        rgb[k] = (uint8_t)lround(255 * encoded);
    }
    return true;
}

// The colour; if sRGB does not have it, the one of the same lightness and hue with the most chroma that sRGB has.
static void set_color(double lightness, double chroma, double degrees, uint8_t rgb[3]) {
    const double pi = 3.14159265358979323846;
    while (!to_srgb(lightness, chroma, degrees * pi / 180, rgb) && chroma > 0)
        chroma -= 0.001;
}

void frame_colors(bool diverging, uint8_t table[FRAME_N_COLORS][3]) {
    for (int i = 0; i < FRAME_N_COLORS; i++) {
        double t = (double)i / (FRAME_N_COLORS - 1);
        if (diverging) { // blue below the middle, red above, near white between
            double side = fabs(2 * t - 1);
            set_color(0.97 - 0.5 * side, 0.17 * side, t < 0.5 ? 258 : 28, table[i]);
        } else { // violet, blue, green, yellow: ever lighter
            set_color(0.2 + 0.74 * t, 0.092 + 0.06 * pow(2 * t - 1, 2), 310 - 205 * t, table[i]);
        }
    }
}
