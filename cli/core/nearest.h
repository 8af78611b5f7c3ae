#ifndef MASTABA_CLI_NEAREST_H
#define MASTABA_CLI_NEAREST_H

#include <stddef.h>

// The name in a table that was probably meant, at most two slips away or beginning so; NULL if none is. The table has n entries
// of `stride` bytes, each of which begins with a const char *.
const char *cli_nearest(const char *name, const void *table, size_t n, size_t stride);

#endif
