// Files of results: what every one begins with.
#ifndef BENCH_JSON_H
#define BENCH_JSON_H

#include <mastaba/context.h>

#include <jansson.h>
#include <stdbool.h>

// Writes a benchmark's name, the date, the context's device and what `results` has, which is released. A file that cannot be
// written is an error that is printed.
bool bench_write_json(const mst_context *context, const char *benchmark, json_t *results, const char *path);

#endif
