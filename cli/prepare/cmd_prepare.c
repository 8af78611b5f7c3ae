// mastaba prepare: builds what no size is needed for, so that no later command waits for a compiler.
#include "prepare.h"

#include "devices/child.h"
#include "devices/drivers.h"
#include "families.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <ftw.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char command[] = "prepare";

static const char details[] = "On a CPU, transforms, convolutions, filters, maps and integrals go by programs that\n"
                              "take sizes and formulas as data. Each is compiled when a command first needs it,\n"
                              "in one to three seconds, and kept; this builds all of them now, on all processors.\n"
                              "Afterwards what is rarer (other types, reductions and rules) and the first run of a\n"
                              "scheme still wait for a compiler. What is there already is not built again; after\n"
                              "an update of the driver or of Mastaba all is.\n"
                              "\n"
                              "--system, for root: they are kept for all users in $MASTABA_SYSTEM_CACHE, else\n"
                              "in " MST_SYSTEM_CACHE ", which every command reads before the user's own cache,\n"
                              "provided that the directory and the files are root's and nobody else can write\n"
                              "them.\n"
                              "\n"
                              "Examples:\n"
                              "  mastaba prepare\n"
                              "  sudo mastaba prepare --system\n";

enum { MOST_CHILDREN = 8, TIMEOUT = 1800 };

typedef struct request {
    int system;
    char *claims; // not NULL: this is a child, which builds families that no other has a directory of their name for in here
} request;

static const cli_option option_table[] = {
    {"system", 0, CLI_FLAG, offsetof(request, system), "for all users", NULL},
    {"claims", 0, CLI_TEXT, offsetof(request, claims), NULL, NULL},
};

// ---- A child.

static bool claim(const char *claims, const family *f) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", claims, f->name);
    return mkdir(path, 0700) == 0;
}

static mst_status build(mst_context *context, const char *claims, mst_error *error) {
    mst_status status = MST_OK;
    const family *f;
    for (size_t k = 0; status == MST_OK && (f = family_at(k)); k++)
        if (claim(claims, f))
            status = f->build(context, error);
    return status;
}

// Its answer is the device's name.
static int build_families(const char *claims, const cli_options *options, const char *cache) {
    mst_context_desc desc = MST_CONTEXT_DESC_INIT;
    mst_context *context = NULL;
    mst_error error;
    char name[320];
    child_begin();
    desc.device = options->device;
    desc.cache_directory = cache;
    desc.log = options->verbose ? cli_log_line : NULL;
    if (mst_context_create(&desc, &context, &error) != MST_OK) {
        int code = child_end(false, error.message);
        return code == CLI_DONE ? CLI_NO_DEVICE : code;
    }
    const bool is_cpu = (mst_context_device(context)->type & CL_DEVICE_TYPE_CPU) != 0;
    const bool ok = is_cpu && build(context, claims, &error) == MST_OK;
    cli_device_text(context, name);
    mst_context_destroy(context);
    if (!is_cpu)
        return child_end(false, "only CPUs have programs for all sizes; others compile for each, and keep that");
    return child_end(ok, ok ? name : error.message);
}

// ---- The parent.

typedef struct work {
    const cli_options *options;
    bool system;
    char place[4096];   // of the cache
    char scratch[4000]; // where children claim families, and have PoCL's caches, which do not stand several processes
    char **environments[MOST_CHILDREN];
    size_t n_children;
    child_answer answer; // of the last one, or of the first that failed
} work;

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *where) {
    (void)about, (void)where;
    return kind == FTW_DP ? rmdir(path) : unlink(path);
}

static void clean_up(work *w) {
    for (size_t k = 0; k < w->n_children; k++)
        child_environment_free(w->environments[k]);
    if (w->scratch[0])
        nftw(w->scratch, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static size_t processors(void) {
    cpu_set_t set;
    const int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return n < 1 ? 1 : n > MOST_CHILDREN ? MOST_CHILDREN : (size_t)n;
}

static int set_out(work *w) {
    const char *base = getenv("TMPDIR");
    char path[sizeof w->scratch + 32];
    snprintf(w->scratch, sizeof w->scratch, "%s/mastaba-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(w->scratch)) {
        cli_error(command, "%s: %s", w->scratch, strerror(errno));
        w->scratch[0] = '\0';
        return CLI_INPUT_OUTPUT;
    }
    for (size_t n = processors(); w->n_children < n; w->n_children++) {
        snprintf(path, sizeof path, "%s/pocl-%zu", w->scratch, w->n_children);
        if (mkdir(path, 0700) != 0 || setenv("POCL_CACHE_DIR", path, 1) != 0) {
            cli_error(command, "%s: %s", path, strerror(errno));
            return CLI_INPUT_OUTPUT;
        }
        if (!(w->environments[w->n_children] = child_environment_copy()))
            return cli_out_of_memory(command, NULL);
    }
    return CLI_DONE;
}

// The directory for all users: root's, and nobody else's to write.
static int make_system_place(const char *place) {
    struct stat about;
    const char *problem = NULL;
    if (geteuid() != 0)
        problem = "only root can prepare for all users; without --system it is done for you";
    else if (mkdir(place, 0755) == 0 ? chmod(place, 0755) != 0 : errno != EEXIST)
        problem = strerror(errno);
    else if (stat(place, &about) != 0)
        problem = strerror(errno);
    else if (!S_ISDIR(about.st_mode) || about.st_uid != 0 || (about.st_mode & 022) != 0)
        problem = "must be a directory of root's that nobody else can write, or no command trusts it";
    if (!problem)
        return CLI_DONE;
    cli_error(command, "%s: %s", place, problem);
    return CLI_INPUT_OUTPUT;
}

static int find_place(work *w) {
    if (w->system) {
        cache_system_place(w->place, sizeof w->place);
        return make_system_place(w->place);
    }
    cache_look look;
    if (cache_place(w->place, sizeof w->place)) {
        cache_look_at(w->place, &look);
        if (look.writable)
            return CLI_DONE;
        cli_error(command, "%s: cannot be written", w->place);
    } else {
        cli_error(command, "there is no place for a cache: neither HOME nor XDG_CACHE_HOME is set");
    }
    return CLI_INPUT_OUTPUT;
}

// What children that were ended have left half written; and what all users may read.
static void tidy_place(const work *w, bool interrupted) {
    DIR *directory = opendir(w->place);
    for (struct dirent *entry; directory && (entry = readdir(directory));)
        if (interrupted && fnmatch("*.bin.??????", entry->d_name, 0) == 0)
            unlinkat(dirfd(directory), entry->d_name, 0);
        else if (w->system && fnmatch("*.bin", entry->d_name, 0) == 0)
            fchmodat(dirfd(directory), entry->d_name, 0644, 0);
    if (directory)
        closedir(directory);
}

static child start_child(const work *w, size_t number) {
    char claims[sizeof w->scratch + 16], device[4096];
    snprintf(claims, sizeof claims, "--claims=%s", w->scratch);
    char of_all[] = "--system", verbose[] = "--verbose";
    char *arguments[7] = {(char[]){"mastaba"}, (char[]){"prepare"}, claims};
    size_t n = 3;
    if (w->options->device) {
        snprintf(device, sizeof device, "--device=%s", w->options->device);
        arguments[n++] = device;
    }
    if (w->system)
        arguments[n++] = of_all;
    if (w->options->verbose)
        arguments[n++] = verbose;
    return child_start(arguments, w->environments[number], TIMEOUT, w->options->verbose != 0);
}

// Until the child answers, ends or takes too long.
static void show_progress(const work *w, const child *c, cli_progress *progress) {
    struct pollfd wanted = {.fd = c->answer, .events = POLLIN};
    char path[sizeof w->scratch + 64];
    while (!c->failed && cli_now() < c->deadline && poll(&wanted, 1, 100) <= 0) {
        size_t total = 0, claimed = 0;
        for (; family_at(total); total++) {
            snprintf(path, sizeof path, "%s/%s", w->scratch, family_at(total)->name);
            claimed += access(path, F_OK) == 0;
        }
        if (!cli_progress_update(claimed > w->n_children ? claimed - w->n_children : 0, total, progress))
            return;
    }
}

// By a child for each processor, since PoCL compiles for one at a time of a process.
static int build_all(work *w) {
    child children[MOST_CHILDREN];
    child_answer answer;
    cli_progress progress = cli_progress_start(command, 0);
    for (size_t k = 0; k < w->n_children; k++)
        children[k] = start_child(w, k);
    w->answer.ok = true;
    for (size_t k = 0; k < w->n_children; k++) {
        show_progress(w, &children[k], &progress);
        child_finish(&children[k], &answer);
        if (w->answer.ok)
            w->answer = answer;
    }
    cli_progress_end(&progress);
    if (cli_interrupted())
        return CLI_INTERRUPTED; // which was said
    if (w->answer.ok)
        return CLI_DONE;
    cli_error(command, "%s", w->answer.text);
    return w->answer.code != CLI_DONE ? w->answer.code : CLI_FAILED;
}

static int prepare(work *w) {
    char time[32], size[32];
    cache_look before, after;
    const double start = cli_now();
    int code = set_out(w);
    if (code == CLI_DONE)
        code = find_place(w);
    if (code != CLI_DONE)
        return code;
    cache_look_at(w->place, &before);
    code = build_all(w);
    tidy_place(w, code == CLI_INTERRUPTED);
    if (code != CLI_DONE)
        return code;
    cache_look_at(w->place, &after);
    printf("%s: %zu programs for %s built in %s; %zu in all, %s\n", w->place, after.kernels - before.kernels, w->answer.text,
           cli_time_text(cli_now() - start, time), after.kernels, cli_size_text(after.bytes, size));
    return cli_flush(command);
}

static int run(const cli_arguments *arguments, void *values) {
    const request *q = values;
    work w = {.options = &arguments->common, .system = q->system != 0};
    if (q->claims) {
        cache_system_place(w.place, sizeof w.place);
        return build_families(q->claims, w.options, w.system ? w.place : NULL);
    }
    cli_hold_interrupts("what is built by now is kept"); // there is no driver in this process that might not come back
    int code = prepare(&w);
    clean_up(&w);
    cli_release_interrupts();
    return code;
}

const cli_command cmd_prepare = {
    .name = command,
    .summary = "build what commands would otherwise compile when first used",
    .title = "Builds what commands would otherwise compile when they are first used.",
    .synopsis = "[options]",
    .details = details,
    .leave_out = CLI_MEMORY | CLI_NO_CACHE | CLI_FORCE | CLI_JSON | CLI_KERNELS | CLI_TIMEOUT,
    .options = option_table,
    .n_options = CLI_COUNT(option_table),
    .values_bytes = sizeof(request),
    .run = run,
};
