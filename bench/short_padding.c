#include "short_peers.h"

#include <string.h>

// The least length from n on whose factors are 2, 3, 5 and 7, and which is even.
static size_t fast_length(size_t n) {
    for (;; n++) {
        size_t rest = n;
        for (size_t factor = 2; factor <= 7; factor++)
            while (rest % factor == 0)
                rest /= factor;
        if (rest == 1 && n % 2 == 0)
            return n;
    }
}

// What goes round spoils places before the first result only.
short_padding short_padding_of(const short_case *c) {
    short_padding p = {.height = c->height ? c->height : 1};
    p.first_row = c->height ? (c->tap_rows - 1) / 2 : 0;
    p.first_column = (c->tap_columns - 1) / 2;
    p.rows = c->height ? fast_length(c->height + c->tap_rows - 1 - p.first_row) : 1;
    p.columns = fast_length(c->width + c->tap_columns - 1 - p.first_column);
    p.half = p.columns / 2 + 1;
    p.points = p.rows * p.columns;
    p.spectrum = p.rows * p.half;
    return p;
}

void short_pad_taps(const short_case *c, const short_padding *p, const float *taps, float *to) {
    memset(to, 0, p->points * sizeof *to);
    for (size_t i = 0; i < c->tap_rows; i++)
        for (size_t j = 0; j < c->tap_columns; j++)
            to[i * p->columns + j] = taps[i * c->tap_columns + j] / (float)p->points;
}
