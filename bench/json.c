#include "json.h"

#include <stdio.h>
#include <time.h>

bool bench_write_json(const mst_context *context, const char *benchmark, json_t *results, const char *path) {
    const mst_device_info *d = mst_context_device(context);
    const time_t now = time(NULL);
    char date[32] = "";
    struct tm utc;
    if (gmtime_r(&now, &utc))
        strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    json_t *all = json_pack("{s:s, s:s, s:{s:s, s:s, s:s}}", "benchmark", benchmark, "date", date, "device", "name", d->name,
                            "platform", d->platform_name, "driver", d->driver_version);
    const bool done = all && results && json_object_update(all, results) == 0 &&
                      json_dump_file(all, path, JSON_INDENT(1) | JSON_REAL_PRECISION(6)) == 0;
    json_decref(all);
    json_decref(results);
    if (!done)
        fprintf(stderr, "%s: %s cannot be written\n", benchmark, path);
    return done;
}
