// How much RAM there is, by trees of files as Linux has them: control groups of both versions, in containers and not, limits of
// groups around, what caches hold; and the machine's own.
#include "support.h"

#include "stream/ram.h"

#include <sys/stat.h>

#define NONE UINT64_MAX

// Files of a tree; one whose text is NULL is not there.
typedef struct tree {
    const char *what;
    const char *files[8][2];
    uint64_t bytes, available;
} tree;

#define MEMINFO                                                                                                                  \
    { "proc/meminfo", "MemTotal:       1000 kB\nMemFree: 1 kB\nMemAvailable:    600 kB\n" }
#define V1 "sys/fs/cgroup/memory"

static const tree trees[] = {
    {"nothing", {{NULL, NULL}}, NONE, NONE},
    {"no group", {MEMINFO}, 1024000, 614400},
    {"version 2, the group's limit",
     {MEMINFO,
      {"proc/self/cgroup", "0::/user/job\n"},
      {"sys/fs/cgroup/user/job/memory.max", "300000\n"},
      {"sys/fs/cgroup/user/job/memory.current", "250000\n"},
      {"sys/fs/cgroup/user/job/memory.stat", "anon 100000\ninactive_file 90000\nactive_file 10000\nslab 3\n"}},
     300000,
     150000},
    {"version 2, a limit around it",
     {MEMINFO,
      {"proc/self/cgroup", "3:cpu:/else\n0::/user/job\n"},
      {"sys/fs/cgroup/user/memory.max", "200000\n"},
      {"sys/fs/cgroup/user/memory.current", "250000\n"},
      {"sys/fs/cgroup/user/job/memory.max", "max\n"}},
     200000,
     0},
    {"version 2, no limit",
     {MEMINFO, {"proc/self/cgroup", "0::/\n"}, {"sys/fs/cgroup/memory.max", "max\n"}, {"sys/fs/cgroup/memory.current", "9\n"}},
     1024000,
     614400},
    {"version 1",
     {MEMINFO,
      {"proc/self/cgroup", "5:cpu,cpuacct:/x\n4:memory:/job\n"},
      {V1 "/job/memory.limit_in_bytes", "400000\n"},
      {V1 "/job/memory.usage_in_bytes", "100000\n"},
      {V1 "/job/memory.stat", "cache 5\ntotal_inactive_file 30000\ntotal_active_file 20000\n"}},
     400000,
     350000},
    {"version 1, in a container that sees another path",
     {MEMINFO,
      {"proc/self/cgroup", "4:memory:/docker/0123\n0::/\n"},
      {V1 "/memory.limit_in_bytes", "500000\n"},
      {V1 "/memory.usage_in_bytes", "100000\n"}},
     500000,
     400000},
    {"a group that allows more than there is",
     {MEMINFO, {"proc/self/cgroup", "0::/a\n"}, {"sys/fs/cgroup/a/memory.max", "99999999\n"}},
     1024000,
     614400}};

static void write_file(const char *root, const char *name, const char *text) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", root, name);
    for (char *at = strchr(path, '/'); at; at = strchr(at + 1, '/')) {
        *at = 0;
        mkdir(path, 0755);
        *at = '/';
    }
    FILE *file = fopen(path, "w");
    assert_true(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void groups(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof trees / sizeof *trees; k++) {
        char root[32];
        snprintf(root, sizeof root, "tree-%zu", k);
        for (size_t f = 0; f < 8 && trees[k].files[f][0]; f++)
            write_file(root, trees[k].files[f][0], trees[k].files[f][1]);
        const uint64_t bytes = mst_ram_bytes(root), available = mst_ram_available(root);
        CHECK(bytes == trees[k].bytes, "%s: %llu bytes", trees[k].what, (unsigned long long)bytes);
        CHECK(available == trees[k].available, "%s: %llu available", trees[k].what, (unsigned long long)available);
    }
}

static void the_machine(void **state) {
    (void)state;
    CHECK(mst_ram_bytes("") > mst_ram_available("") / 2 && mst_ram_available("") > 1 << 20, "%llu of %llu bytes",
          (unsigned long long)mst_ram_available(""), (unsigned long long)mst_ram_bytes(""));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(groups), cmocka_unit_test(the_machine)};
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
