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
                              "On a GPU integrals do so, the others are compiled for each size. Afterwards what is\n"
                              "rarer (other types, reductions and rules) and the first run of a scheme still wait\n"
                              "for a compiler. What is there already is not built again; after an update of the\n"
                              "driver or of Mastaba all is.\n"
                              "\n"
                              "--system, for root: they are kept for all users in $MASTABA_SYSTEM_CACHE, else\n"
                              "in " MST_SYSTEM_CACHE ", which every command reads before the user's own cache,\n"
                              "provided that the directory, those above it and the files are root's, nobody\n"
                              "else can write them, and no part of its path is a link.\n"
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

typedef struct tally {
    bool system, verbose;
    size_t built;
    bool is_of_files; // the problem
    char problem[4096 + 256];
} tally;

static void fail(tally *t, bool is_of_files, const char *message) {
    if (t->problem[0])
        return;
    t->is_of_files = is_of_files;
    snprintf(t->problem, sizeof t->problem, "%s", message);
}

// The library goes on without its cache, and tells its log alone, which prepare must not: what is not kept was built in vain.
static void listen(mst_log_level level, const char *line, void *user) {
    static const char of_cache[] = "cache: ";
    tally *t = user;
    t->built += strncmp(line, "kernels: ", 9) == 0 && strstr(line, " from source in ");
    if (strncmp(line, of_cache, sizeof of_cache - 1) == 0 &&
        (strstr(line, ": cannot write ") || (t->system && strstr(line, " is not used: "))))
        fail(t, true, line + sizeof of_cache - 1);
    if (t->verbose)
        cli_log_line(level, line, NULL);
}

// False: another child has the family, or the claim failed.
static bool claim(const char *claims, const family *f, tally *t) {
    char path[4096], message[4096 + 256];
    snprintf(path, sizeof path, "%s/%s", claims, f->name);
    if (mkdir(path, 0700) == 0)
        return true;
    snprintf(message, sizeof message, "%s: %s", path, strerror(errno));
    if (errno != EEXIST)
        fail(t, true, message);
    return false;
}

static void build(mst_context *context, const char *claims, tally *t) {
    const bool is_cpu = (mst_context_device(context)->type & CL_DEVICE_TYPE_CPU) != 0;
    mst_error error;
    const family *f;
    for (size_t k = 0; !t->problem[0] && (f = family_at(k)); k++)
        if ((is_cpu || f->everywhere) && claim(claims, f, t) && f->build(context, &error) != MST_OK)
            fail(t, false, error.message);
}

// Its answer is the number of programs that it built, and the device's name.
static int build_families(const char *claims, const cli_options *options, const char *cache) {
    mst_context_desc desc = MST_CONTEXT_DESC_INIT;
    mst_context *context = NULL;
    mst_error error;
    tally t = {.system = cache != NULL, .verbose = options->verbose != 0};
    char name[320], answer[sizeof name + 32];
    child_begin();
    desc.device = options->device;
    desc.cache_directory = cache;
    desc.log = listen;
    desc.log_user = &t;
    if (mst_context_create(&desc, &context, &error) != MST_OK) {
        int code = child_end(false, error.message);
        return code == CLI_DONE ? CLI_NO_DEVICE : code;
    }
    build(context, claims, &t);
    cli_device_text(context, name);
    mst_context_destroy(context);
    snprintf(answer, sizeof answer, "%zu %s", t.built, name);
    const int code = child_end(!t.problem[0], t.problem[0] ? t.problem : answer);
    return code == CLI_DONE && t.is_of_files ? CLI_INPUT_OUTPUT : code;
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
    size_t built;        // programs, by all of them
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

// The directory for all users, which is made only where commands would trust it.
static int make_system_place(char *place, size_t size) {
    mst_error error;
    if (geteuid() != 0) {
        cli_error(command, "--system: only root can prepare for all users; without --system it is done for you");
        return CLI_INPUT_OUTPUT;
    }
    const mst_status status = mst_system_cache(place, size, &error);
    if (status == MST_OK)
        return CLI_DONE;
    if (status != MST_ERROR_IO) {
        cli_error(command, "%s", error.message);
        return CLI_INPUT_OUTPUT;
    }
    const mode_t mask = umask(022);
    const int code = mkdir(place, 0755) == 0 || errno == EEXIST ? 0 : errno;
    umask(mask);
    if (code == 0)
        return CLI_DONE;
    cli_error(command, "%s: %s", place, strerror(code));
    return CLI_INPUT_OUTPUT;
}

static int find_place(work *w) {
    if (w->system)
        return make_system_place(w->place, sizeof w->place);
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

// What children that were ended have left half written.
static void remove_halves(const work *w, const child *children) {
    char pattern[80];
    DIR *directory = opendir(w->place);
    for (struct dirent *entry; directory && (entry = readdir(directory));)
        for (size_t k = 0; k < w->n_children; k++) {
            snprintf(pattern, sizeof pattern, "????????????????????????????????.bin.%ld-??????", (long)children[k].process);
            if (fnmatch(pattern, entry->d_name, 0) == 0)
                unlinkat(dirfd(directory), entry->d_name, 0);
        }
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
        if (answer.ok)
            w->built += strtoul(answer.text, NULL, 10);
        if (w->answer.ok)
            w->answer = answer;
    }
    remove_halves(w, children);
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
    cache_look look;
    const double start = cli_now();
    int code = set_out(w);
    if (code == CLI_DONE)
        code = find_place(w);
    if (code != CLI_DONE)
        return code;
    code = build_all(w);
    if (code != CLI_DONE)
        return code;
    cache_look_at(w->place, &look);
    const char *name = w->answer.text + strcspn(w->answer.text, " ");
    printf("%s: %zu programs for%s built in %s; %zu in all, %s\n", w->place, w->built, name,
           cli_time_text(cli_now() - start, time), look.kernels, cli_size_text(look.bytes, size));
    return cli_flush(command);
}

static int run(const cli_arguments *arguments, void *values) {
    const request *q = values;
    work w = {.options = &arguments->common, .system = q->system != 0};
    if (q->claims) {
        mst_error error; // whether it is trusted is heard from the log
        if (w.system)
            mst_system_cache(w.place, sizeof w.place, &error);
        return build_families(q->claims, w.options, w.system ? w.place : NULL);
    }
    cli_hold_interrupts("what is built by now is kept", true); // no driver in this process might not come back
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
