// "did you mean": the name that was probably meant.
#include "nearest.h"

#include <string.h>

enum { LONGEST = 24 };

// How many letters have to be changed, added, dropped or swapped to make a of b (optimal string alignment). Names that are longer
// than the table are taken to be far apart.
static size_t distance(const char *a, const char *b) {
    size_t n = strlen(a), m = strlen(b), d[LONGEST + 1][LONGEST + 1];
    if (n > LONGEST || m > LONGEST)
        return LONGEST;
    for (size_t i = 0; i <= n; i++) {
        for (size_t j = 0; j <= m; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            size_t best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            best = best < d[i - 1][j] + 1 ? best : d[i - 1][j] + 1;
            best = best < d[i][j - 1] + 1 ? best : d[i][j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && d[i - 2][j - 2] + 1 < best)
                best = d[i - 2][j - 2] + 1;
            d[i][j] = best;
        }
    }
    return d[n][m];
}

const char *cli_nearest(const char *name, const void *table, size_t n, size_t stride) {
    const char *nearest = NULL;
    size_t least = 3; // at most two slips
    for (size_t i = 0; i < n; i++) {
        const char *candidate = *(const char *const *)((const char *)table + i * stride);
        size_t length = strlen(name);
        size_t d = length >= 3 && strncmp(name, candidate, length) == 0 ? 0 : distance(name, candidate);
        if (d < least && d < strlen(candidate)) {
            least = d;
            nearest = candidate;
        }
    }
    return nearest;
}
