// What the benchmarks say of where and when they ran.
#include "bench.h"

#include <string.h>
#include <time.h>

void bench_processor(char text[128]) {
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    snprintf(text, 128, "the host's processor");
    while (file && fgets(line, sizeof line, file)) {
        char *name = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !name)
            continue;
        name += 1 + strspn(name + 1, " ");
        name[strcspn(name, "\n")] = '\0';
        snprintf(text, 128, "%.127s", name);
        break;
    }
    if (file)
        fclose(file);
}

void bench_date(char text[32]) {
    time_t now = time(NULL);
    struct tm utc;
    strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
}
