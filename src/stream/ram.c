#include "ram.h"

#include "runtime/numbers.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define LONGEST_PATH 4096

// Where a version of control groups says what it allows a group, and what that takes now.
typedef struct group_version {
    const char *line, *mount; // in /proc/self/cgroup, and where the groups are
    const char *limit, *used;
    const char *cached[2]; // in memory.stat: what is of files
} group_version;

static const group_version versions[] = {
    {"0::", "/sys/fs/cgroup", "memory.max", "memory.current", {"inactive_file", "active_file"}},
    {"memory:",
     "/sys/fs/cgroup/memory",
     "memory.limit_in_bytes",
     "memory.usage_in_bytes",
     {"total_inactive_file", "total_active_file"}}};

// The number behind a word at the beginning of a line ("": the first line) of a file; false if there is none.
static bool read_number(const char *path, const char *word, uint64_t *number) {
    char line[256];
    unsigned long long value;
    bool found = false;
    FILE *file = fopen(path, "re");
    while (file && !found && fgets(line, sizeof line, file)) {
        const size_t length = strlen(word);
        found = strncmp(line, word, length) == 0 && sscanf(line + length, " %llu", &value) == 1;
    }
    if (file)
        fclose(file);
    if (found)
        *number = value;
    return found;
}

static uint64_t machine_bytes(const char *root, const char *word) {
    char path[LONGEST_PATH];
    uint64_t kib;
    snprintf(path, sizeof path, "%s/proc/meminfo", root);
    return read_number(path, word, &kib) ? kib << 10 : UINT64_MAX;
}

// The path of the process's group; false if it is in none of this version.
static bool find_group(const char *root, const group_version *v, char *group, size_t room) {
    char path[LONGEST_PATH], line[LONGEST_PATH];
    bool found = false;
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    FILE *file = fopen(path, "re");
    while (file && !found && fgets(line, sizeof line, file)) {
        const char *at = strstr(line, v->line);
        found = at && (at == line || at[-1] == ':' || at[-1] == ',');
        at = found ? strchr(at, '/') : NULL;
        found = at && strlen(at) < room;
        if (found)
            snprintf(group, room, "%.*s", (int)strcspn(at, "\n"), at);
    }
    if (file)
        fclose(file);
    return found;
}

// What one group allows; in all, or now.
static uint64_t group_bytes(const char *root, const group_version *v, const char *group, bool now) {
    char path[2 * LONGEST_PATH];
    uint64_t limit, used = 0, cached[2] = {0};
    snprintf(path, sizeof path, "%s%s%s/%s", root, v->mount, group, v->limit);
    if (!read_number(path, "", &limit))
        return UINT64_MAX;
    if (!now)
        return limit;
    snprintf(path, sizeof path, "%s%s%s/%s", root, v->mount, group, v->used);
    read_number(path, "", &used);
    snprintf(path, sizeof path, "%s%s%s/memory.stat", root, v->mount, group);
    for (int k = 0; k < 2; k++)
        read_number(path, v->cached[k], &cached[k]);
    used -= mst_smaller(used, cached[0] + cached[1]);
    return limit - mst_smaller(used, limit);
}

// The least that a group or one around it allows. In a container, the path may be that outside, of which nothing is seen but the
// mount itself, which is the container's group then.
static uint64_t groups_bytes(const char *root, bool now) {
    uint64_t least = UINT64_MAX;
    char group[LONGEST_PATH];
    for (size_t k = 0; k < MST_COUNT(versions); k++) {
        if (!find_group(root, &versions[k], group, sizeof group))
            continue;
        for (char *end = group + strlen(group); end; end = strrchr(group, '/')) {
            *end = 0;
            least = mst_smaller(least, group_bytes(root, &versions[k], group, now));
        }
    }
    return least;
}

uint64_t mst_ram_bytes(const char *root) { return mst_smaller(machine_bytes(root, "MemTotal:"), groups_bytes(root, false)); }

uint64_t mst_ram_available(const char *root) {
    return mst_smaller(machine_bytes(root, "MemAvailable:"), groups_bytes(root, true));
}
