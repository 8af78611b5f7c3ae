// mastaba tune: searches for the fastest kernels of this device, and looks after what was found.
#include "array/files.h"
#include "tune.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define LIST_SECONDS 480 // that all problems of the list may take together where no budget is given

static const char command[] = "tune";

static const char details[] = "Finds the values of kernels' parameters (vector widths, work-group sizes and the like)\n"
                              "that are fastest on the device, by test runs of a fixed list of problems, and keeps them\n"
                              "in the cache directory, where every later plan finds them. No values change a result\n"
                              "beyond its promised accuracy: those that would are refused. Nothing else tunes.\n"
                              "\n"
                              "A problem that has its values already is not searched again, unless with --again. A plan\n"
                              "of another size takes what was found for the nearest one.\n"
                              "\n"
                              "--compare searches nothing: it times what was found beside what an untuned device has,\n"
                              "and beside values that are right on any device, in turns, and sums up.\n"
                              "\n"
                              "--list, --export, --import and --reset work on what was found, and tune nothing. Results\n"
                              "of another device, in an imported file, are kept apart from this one's.\n"
                              "\n"
                              "Example:\n"
                              "  mastaba tune --capability map --budget 5\n";

typedef struct request {
    char *capability, *export, *import;
    long long size;
    double budget; // infinite: none was given
    int seed, threads, again, compare, list, reset;
} request;

static const request defaults = {.budget = INFINITY, .seed = 1};

static const cli_option option_table[] = {
    {"capability", 'c', CLI_TEXT, offsetof(request, capability), "only this one's problems", "NAME"},
    {"size", 's', CLI_LONG, offsetof(request, size), "this size instead of the list's", "N"},
    {"budget", 'b', CLI_REAL, offsetof(request, budget),
     "most time for a problem's search, compiling included (default: 20, less where all would take more than 8 minutes)",
     "SECONDS"},
    {"seed", 0, CLI_INT, offsetof(request, seed), "of the data, and of the order where nothing else decides (default: 1)", "N"},
    {"threads", 0, CLI_INT, offsetof(request, threads), "compile so many candidates at once (default: 1 on a CPU, else up to 4)",
     "N"},
    {"again", 'a', CLI_FLAG, offsetof(request, again), "search where there is a result already", NULL},
    {"compare", 0, CLI_FLAG, offsetof(request, compare), "time what was found beside what an untuned device has", NULL},
    {"list", 'l', CLI_FLAG, offsetof(request, list), "print what was found on this device", NULL},
    {"export", 0, CLI_TEXT, offsetof(request, export), "write what was found on this device to a JSON file", "FILE"},
    {"import", 0, CLI_TEXT, offsetof(request, import), "add what such a file holds", "FILE"},
    {"reset", 0, CLI_FLAG, offsetof(request, reset), "forget what was found on this device", NULL},
};

typedef struct job {
    const cli_options *options;
    const request *request;
    json_t *results; // NULL: a line each
    bool failed;     // out of memory
    size_t shown, imported;
    const tune_case *now;
    tune_ratios ratios;
} job;

// ---- one result

static json_t *result_json(const mst_tuning_result *r) {
    json_t *values = json_object(), *object = json_object();
    int failed = !values || !object;
    for (int k = 0; k < r->n_values; k++)
        failed |= json_object_set_new(values, r->values[k].name, json_integer(r->values[k].value));
    failed |= json_object_set_new(object, "capability", json_string(r->capability));
    failed |= json_object_set_new(object, "variant", cli_json_text(r->variant));
    failed |= json_object_set_new(object, "size", json_integer((json_int_t)r->size));
    failed |= json_object_set_new(object, "source", json_string(mst_tuning_source_name(r->source)));
    failed |= json_object_set_new(object, "values", values);
    failed |= json_object_set_new(object, "elements", json_integer((json_int_t)r->elements));
    failed |= json_object_set_new(object, "seconds", cli_json_real(r->seconds));
    failed |= json_object_set_new(object, "before_seconds", cli_json_real(r->before_seconds));
    failed |= json_object_set_new(object, "safe_seconds", cli_json_real(r->safe_seconds));
    failed |= json_object_set_new(object, "tried", json_integer(r->tried));
    failed |= json_object_set_new(object, "candidates", json_integer(r->candidates));
    failed |= json_object_set_new(object, "wrong", json_integer(r->wrong));
    failed |= json_object_set_new(object, "search_seconds", cli_json_real(r->search_seconds));
    failed |= json_object_set_new(object, "driver", r->driver ? cli_json_text(r->driver) : json_null());
    failed |= json_object_set_new(object, "date", r->date ? cli_json_text(r->date) : json_null());
    return cli_json_complete(object, failed);
}

static void print_result(const mst_tuning_result *r) {
    char time[3][32];
    printf("%s %s %llu:", r->capability, r->variant, (unsigned long long)r->size);
    for (int k = 0; k < r->n_values; k++)
        printf(" %s %lld", r->values[k].name, (long long)r->values[k].value);
    printf("; %s", mst_tuning_source_name(r->source));
    if (r->source == MST_TUNING_SEARCHED)
        printf(" in %s, %u of %u candidates tried", cli_time_text(r->search_seconds, time[0]), r->tried, r->candidates);
    if (r->wrong > 0)
        printf(", %u with wrong results", r->wrong);
    if (r->seconds > 0)
        printf("; takes %s", cli_time_text(r->seconds, time[0]));
    if (r->before_seconds > 0)
        printf(", %s %s", r->source == MST_TUNING_SEARCHED ? "before" : "untuned", cli_time_text(r->before_seconds, time[1]));
    if (r->safe_seconds > 0)
        printf(", with safe values %s", cli_time_text(r->safe_seconds, time[2]));
    putchar('\n');
    fflush(stdout);
}

static void show(const mst_tuning_result *r, void *user) {
    job *j = user;
    if (j->request->capability && strcmp(r->capability, j->request->capability) != 0)
        return;
    j->shown++;
    if (j->now)
        tune_add(&j->ratios, j->now, r);
    if (j->results)
        j->failed |= json_array_append_new(j->results, result_json(r)) != 0;
    else
        print_result(r);
}

static bool go_on(uint64_t done, uint64_t total, void *user) {
    (void)done, (void)total, (void)user;
    return !cli_interrupted();
}

// ---- what can be asked for

static bool is_wanted(const request *r, const tune_case *c) {
    return !r->capability || strcmp(c->capability, r->capability) == 0;
}

static int tune_all(job *j, mst_context *context) {
    mst_tuning how = MST_TUNING_INIT;
    mst_error error;
    double end = cli_now() + LIST_SECONDS;
    size_t left = 0;
    how.seed = (uint64_t)j->request->seed;
    how.threads = (unsigned)j->request->threads;
    how.again = j->request->again != 0;
    how.compare = j->request->compare != 0;
    how.progress = go_on;
    how.report = show;
    how.user = j;
    if (how.compare && mst_context_copy_rate(context, &j->ratios.copy_rate, &error) != MST_OK)
        return cli_fail(command, NULL, &error);
    for (size_t i = 0; i < tune_n_cases; i++)
        left += is_wanted(j->request, &tune_cases[i]);
    for (size_t i = 0; i < tune_n_cases; i++) {
        tune_case c = tune_cases[i];
        if (!is_wanted(j->request, &c))
            continue;
        how.seconds = j->request->budget;
        if (isinf(how.seconds))
            how.seconds = fmax(0, fmin(MST_TUNING_SECONDS, (end - cli_now()) / (double)left));
        left--;
        if (mst_tuning_begin(context, &how, &error) != MST_OK)
            return cli_fail(command, NULL, &error);
        if (j->request->size > 0)
            c.size = (size_t)j->request->size;
        j->now = &c;
        mst_status status = c.make(&c, context, &error);
        j->now = NULL;
        if (status == MST_ERROR_UNSUPPORTED) { // float64, say
            cli_error(command, "%s left out: %s", c.capability, error.message);
            j->ratios.left_out++;
        } else if (status == MST_ERROR_CANCELLED || cli_interrupted()) {
            cli_error(command, "interrupted; what was found is kept");
            return CLI_INTERRUPTED;
        } else if (status != MST_OK)
            return cli_fail(command, c.capability, &error);
    }
    mst_tuning_end(context);
    if (how.compare && !j->results)
        tune_print_ratios(&j->ratios);
    return CLI_DONE;
}

// Whether --export FILE can be written.
static int check_export(const request *r, bool force) {
    const char *none[] = {NULL};
    cli_place place = {0};
    int code = r->export ? cli_output_available(command, r->export, force, none) : CLI_DONE;
    if (code == CLI_DONE && r->export)
        code = cli_place_open(command, r->export, &place);
    cli_place_close(&place);
    return code;
}

static int do_request(job *j, mst_context *context) {
    const request *r = j->request;
    mst_error error;
    if (r->export)
        return mst_tuning_export(context, r->export, &error) == MST_OK ? CLI_DONE : cli_fail(command, NULL, &error);
    if (r->import) {
        if (mst_tuning_import(context, r->import, &j->imported, &error) != MST_OK)
            return cli_fail(command, NULL, &error);
        if (!j->results)
            printf("%s: %zu result%s\n", r->import, j->imported, j->imported == 1 ? "" : "s");
        return CLI_DONE;
    }
    if (r->reset)
        return mst_tuning_reset(context, &error) == MST_OK ? CLI_DONE : cli_fail(command, NULL, &error);
    if (!r->list)
        return tune_all(j, context);
    if (mst_tuning_list(context, show, j, &error) != MST_OK)
        return cli_fail(command, NULL, &error);
    if (j->shown == 0 && !j->results)
        printf("nothing%s%s has been tuned on %s\n", r->capability ? " of " : "", r->capability ? r->capability : "",
               mst_context_device(context)->name);
    return CLI_DONE;
}

static int tune(const cli_options *options, const request *r) {
    job j = {.options = options, .request = r, .results = options->json ? json_array() : NULL};
    mst_context *context = NULL;
    int code = check_export(r, options->force != 0);
    if (code == CLI_DONE)
        code = cli_context(command, options, false, &context);
    if (code == CLI_DONE)
        code = do_request(&j, context);
    if (code == CLI_DONE && options->json)
        code = cli_print_json(command, j.failed ? NULL
                                                : json_pack("{s:o, s:O, s:o*, s:o*}", "device",
                                                            cli_json_text(mst_context_device(context)->name), "results",
                                                            j.results, "ratios", r->compare ? tune_ratios_json(&j.ratios) : NULL,
                                                            "imported", r->import ? json_integer((json_int_t)j.imported) : NULL));
    json_decref(j.results);
    mst_context_destroy(context);
    return code == CLI_DONE ? cli_flush(command) : code;
}

static int check(const request *r) {
    bool known = !r->capability;
    for (size_t i = 0; i < tune_n_cases && !known; i++)
        known = strcmp(tune_cases[i].capability, r->capability) == 0;
    if (!known) {
        cli_error(command, "--capability %s: nothing to tune there; choose map, fft, convolution, filter, integral or stencil",
                  r->capability);
        return CLI_USAGE;
    }
    if (r->list + r->reset + (r->export != NULL) + (r->import != NULL) + r->compare > 1) {
        cli_error(command, "--compare, --list, --export, --import and --reset exclude one another");
        return CLI_USAGE;
    }
    if (r->capability && (r->reset || r->export || r->import)) {
        cli_error(command, "--capability %s: --export, --import and --reset are of all capabilities", r->capability);
        return CLI_USAGE;
    }
    if (!(r->budget > 0 && (r->budget <= 86400 || isinf(r->budget)))) {
        cli_error(command, "--budget %g: not a time; give seconds, up to 86400", r->budget);
        return CLI_USAGE;
    }
    if (r->threads < 0 || r->threads > 8) {
        cli_error(command, "--threads %d: give 1 to 8, or 0 for what suits the device", r->threads);
        return CLI_USAGE;
    }
    if (r->size > 0 && r->list) {
        cli_error(command, "--size %lld: --list prints all sizes", r->size);
        return CLI_USAGE;
    }
    if (r->size < 0 || r->size > (1LL << 40) || (r->size > 0 && !r->capability)) {
        cli_error(command, "--size %lld: %s", r->size,
                  r->size > 0 && !r->capability ? "give --capability too" : "not a size; give 1 to 2^40");
        return CLI_USAGE;
    }
    return CLI_DONE;
}

static int run(const cli_arguments *arguments, void *values) {
    int code = check(values);
    return code == CLI_DONE ? tune(&arguments->common, values) : code;
}

const cli_command cmd_tune = {
    .name = command,
    .summary = "find the fastest kernels by test runs, and remember them",
    .title = "The fastest kernels of a device, by test runs.",
    .synopsis = "[options]",
    .details = details,
    .leave_out = CLI_NO_CACHE | CLI_KERNELS,
    .options = option_table,
    .n_options = CLI_COUNT(option_table),
    .values_bytes = sizeof(request),
    .defaults = &defaults,
    .run = run,
};
