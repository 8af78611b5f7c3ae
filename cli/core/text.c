#include "text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

size_t cli_utf8_length(const char *text) {
    const unsigned char *c = (const unsigned char *)text;
    size_t length = c[0] < 0x80 ? 1 : c[0] < 0xc2 ? 0 : c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : c[0] < 0xf5 ? 4 : 0;
    for (size_t i = 1; i < length; i++) // ends at the text's end, too
        if ((c[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xf0 && c[1] < 0x90);
    bool none = (c[0] == 0xed && c[1] > 0x9f) || (c[0] == 0xf4 && c[1] > 0x8f); // halves of pairs, and beyond the last one
    return overlong || none ? 0 : length;
}

char *cli_size_text(uint64_t bytes, char *text) {
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = (double)bytes;
    int unit = 0;
    for (; value >= 1024 && unit < 6; unit++)
        value /= 1024;
    snprintf(text, 32, unit && value != floor(value) ? "%.2f %s" : "%.0f %s", value, units[unit]);
    return text;
}

char *cli_time_text(double seconds, char *text) {
    if (seconds >= 1)
        snprintf(text, 32, "%.2f s", seconds);
    else if (seconds >= 1e-3)
        snprintf(text, 32, "%.1f ms", 1e3 * seconds);
    else
        snprintf(text, 32, "%.0f us", 1e6 * seconds);
    return text;
}

char *cli_shape_text(const mst_layout *layout, char *text) {
    size_t used = (size_t)snprintf(text, 200, "[");
    for (int k = 0; k < layout->rank && k < MST_MAX_RANK; k++)
        used += (size_t)snprintf(text + used, 200 - used, "%s%zu", k ? ", " : "", layout->shape[k]);
    snprintf(text + used, 200 - used, "]");
    return text;
}

bool cli_has_extension(const char *path, const char *extension) {
    size_t n = strlen(path), m = strlen(extension);
    return n >= m && strcasecmp(path + n - m, extension) == 0;
}
