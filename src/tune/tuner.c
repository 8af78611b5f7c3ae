// What a context knows of tuning: its database, read once, and whether plans search.
#include "database.h"
#include "defaults.h"

#include "runtime/description.h"
#include "text/c_locale.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct mst_tuner {
    pthread_mutex_t mutex;
    json_t *database, *shipped; // shipped: NULL where there is none for devices of this kind
    mst_tuning how;
    bool on;
    bool searching; // plans made meanwhile look up
};

// ---- life

static json_t *find_shipped(const mst_device_info *device) {
    mst_c_locale c;
    json_t *found = NULL;
    bool entered = mst_c_locale_enter(&c);
    for (size_t i = 0; i < mst_n_tuning_defaults && entered && !found; i++) {
        json_error_t why;
        if (!mst_tuning_names_kind(mst_tuning_defaults[i].text, device))
            continue;
        found = json_loads(mst_tuning_defaults[i].text, 0, &why);
        if (!found || !mst_tuning_is_valid(found) || !mst_tuning_same_kind(found, device)) {
            json_decref(found);
            found = NULL;
        }
    }
    mst_c_locale_leave(&c);
    return found;
}

static void destroy(struct mst_tuner *tuner) {
    if (!tuner)
        return;
    json_decref(tuner->database);
    json_decref(tuner->shipped);
    pthread_mutex_destroy(&tuner->mutex);
    free(tuner);
}

// Whose tuner a context goes by: a further device of a group takes what its lead has found, or found just now, if it is of the
// same make, so that both compute alike.
static mst_context *keeper(mst_context *context) {
    const mst_device_info *a = &context->device, *b = &context->lead->device;
    bool alike = strcmp(a->name, b->name) == 0 && strcmp(a->vendor, b->vendor) == 0 &&
                 strcmp(a->platform_name, b->platform_name) == 0 && strcmp(a->driver_version, b->driver_version) == 0;
    return alike ? context->lead : context;
}

// The context's tuner, made when it is first needed; NULL when out of memory.
static struct mst_tuner *tuner_of(mst_context *asking) {
    mst_context *context = keeper(asking);
    pthread_mutex_lock(&context->tuner_mutex);
    struct mst_tuner *tuner = context->tuner;
    if (!tuner && (tuner = calloc(1, sizeof *tuner))) {
        pthread_mutex_init(&tuner->mutex, NULL);
        tuner->database = mst_tuning_load(context);
        tuner->shipped = find_shipped(&context->device);
        if (!tuner->database) {
            destroy(tuner);
            tuner = NULL;
        }
        context->tuner = tuner;
        context->tuner_destroy = destroy;
    }
    pthread_mutex_unlock(&context->tuner_mutex);
    return tuner;
}

// ---- choosing

static mst_tuning_result result_of(const mst_tune_problem *problem, const int64_t *values, mst_tuning_source source,
                                   const json_t *entry) {
    mst_tuning_result r = {.struct_size = sizeof r,
                           .capability = problem->capability,
                           .variant = problem->variant,
                           .size = problem->size,
                           .source = source,
                           .n_values = problem->n_parameters};
    for (int k = 0; k < problem->n_parameters; k++)
        r.values[k] = (mst_tuning_value){problem->parameters[k].name, values[k]};
    if (entry && source <= MST_TUNING_OTHER_DRIVER) { // times of another size say nothing
        mst_tuning_result found = mst_tuning_describe(entry, "");
        r.seconds = found.seconds;
        r.safe_seconds = found.safe_seconds;
        r.driver = found.driver;
        r.date = found.date;
    }
    return r;
}

// The values of a device where nothing was tuned: shipped or safe ones.
static mst_tuning_source look_up_untuned(struct mst_tuner *tuner, const mst_context *context, const mst_tune_problem *problem,
                                         mst_tuning_source failed, int64_t *values) {
    mst_tuning_source unused;
    for (int k = 0; k < problem->n_parameters; k++)
        values[k] = problem->parameters[k].safe;
    if (failed < MST_TUNING_SHIPPED &&
        mst_tuning_find(tuner->shipped, problem, context->device.driver_version, 0, values, &unused))
        return MST_TUNING_SHIPPED;
    return MST_TUNING_SAFE;
}

static mst_tuning_result look_up(struct mst_tuner *tuner, const mst_context *context, const mst_tune_problem *problem,
                                 int64_t *values) {
    mst_tuning_source failed = problem->chain ? problem->chain->failed : 0;
    mst_tuning_source source = look_up_untuned(tuner, context, problem, failed, values);
    const json_t *entry = mst_tuning_find(tuner->database, problem, context->device.driver_version, failed, values, &source);
    return result_of(problem, values, source, entry);
}

// Keeps what was found. If it cannot be written to disk, that is no failure.
static void keep(struct mst_tuner *tuner, mst_context *context, const mst_tune_problem *problem, const mst_tune_found *found) {
    json_t *news = mst_tuning_new(&context->device), *entries = json_object_get(news, "entries");
    mst_error why;
    if (json_array_append_new(entries, mst_tuning_entry(problem, found, context->device.driver_version)) == 0) {
        mst_tuning_merge(tuner->database, entries, true);
        if (context->cache_directory && mst_tuning_store(context, news, MST_TUNING_ADD_FOUND_NOW, &why) != MST_OK)
            mst_log(context, MST_LOG_WARNING, "tuning: %s", why.message);
    }
    json_decref(news);
}

mst_tune_parameter *mst_tune_add(mst_tune_problem *problem, const char *name, int64_t safe, int n, const int64_t *values) {
    mst_tune_parameter *p = &problem->parameters[problem->n_parameters++];
    *p = (mst_tune_parameter){.name = name, .n = n, .safe = safe};
    memcpy(p->values, values, (size_t)n * sizeof *values);
    return p;
}

bool mst_tune_is_on(mst_context *context) {
    struct mst_tuner *tuner = tuner_of(context);
    if (!tuner)
        return false;
    pthread_mutex_lock(&tuner->mutex);
    bool on = tuner->on && !tuner->searching;
    pthread_mutex_unlock(&tuner->mutex);
    return on;
}

static void add_found(mst_tuning_result *result, const mst_tune_problem *problem, const mst_tune_found *found) {
    result->elements = problem->elements;
    result->seconds = found->seconds;
    result->before_seconds = found->before_seconds;
    result->safe_seconds = found->safe_seconds;
    result->tried = found->tried;
    result->candidates = found->candidates;
    result->wrong = found->wrong;
    result->search_seconds = found->search_seconds;
}

// Searches, starting from the values that were looked up, which a search has to beat; from then on its own values are found
// first.
static mst_status search(struct mst_tuner *tuner, mst_context *context, const mst_tune_problem *problem, const mst_tuning *how,
                         const int64_t *untuned, int64_t *values, mst_tuning_result *result, mst_error *error) {
    mst_tune_found found;
    mst_status status = mst_tune_search(problem, how, values, untuned, &found, error);
    if (status != MST_OK)
        return status;
    pthread_mutex_lock(&tuner->mutex);
    keep(tuner, context, problem, &found);
    pthread_mutex_unlock(&tuner->mutex);
    memcpy(values, found.values, (size_t)problem->n_parameters * sizeof *values);
    *result = result_of(problem, values, MST_TUNING_SEARCHED, NULL);
    add_found(result, problem, &found);
    return MST_OK;
}

static mst_status compare(const mst_tune_problem *problem, const mst_tuning *how, const int64_t *untuned, const int64_t *values,
                          mst_tuning_result *result, mst_error *error) {
    mst_tune_found found;
    mst_status status = mst_tune_compare(problem, how, untuned, values, &found, error);
    if (status == MST_OK)
        add_found(result, problem, &found);
    return status;
}

// PoCL compiles one program at a time, whoever asks (docs/tuning.md), and candidates take memory.
static unsigned threads_for(const mst_device_info *device) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return device->type & CL_DEVICE_TYPE_CPU || cores < 2 ? 1 : cores < 4 ? (unsigned)cores : 4;
}

mst_status mst_tune_choose(mst_context *context, const mst_tune_problem *problem, bool forced, int64_t *values,
                           mst_error *error) {
    mst_status status = MST_OK;
    struct mst_tuner *tuner = tuner_of(context);
    mst_tuning how = MST_TUNING_INIT;
    int64_t untuned[MST_TUNING_MAX_VALUES];
    if (!tuner)
        return mst_fail(error, MST_ERROR_HOST_MEMORY, "out of memory for results of tuning");
    pthread_mutex_lock(&tuner->mutex);
    json_t *database = json_incref(tuner->database); // `result` points into it, and an import may put another in its place
    mst_tuning_result result = look_up(tuner, context, problem, values);
    look_up_untuned(tuner, context, problem, 0, untuned);
    if (tuner->on)
        how = tuner->how;
    if (how.threads == 0)
        how.threads = threads_for(&context->device);
    bool peer = context->lead != context, nested = tuner->searching, can = problem->work && !nested && !peer,
         compares = can && tuner->on && how.compare && !forced;
    bool asked = forced || (tuner->on && (how.again || result.source != MST_TUNING_EXACT));
    bool searches = can && asked && !compares && !(problem->chain && problem->chain->searched);
    tuner->searching = nested || searches || compares; // whoever sets it clears it
    pthread_mutex_unlock(&tuner->mutex);
    if (compares)
        status = compare(problem, &how, untuned, values, &result, error);
    else if (searches)
        status = search(tuner, context, problem, &how, untuned, values, &result, error);
    if (searches || compares) {
        pthread_mutex_lock(&tuner->mutex);
        tuner->searching = false;
        pthread_mutex_unlock(&tuner->mutex);
    }
    if (status != MST_OK)
        goto fail;
    if (problem->chain) {
        problem->chain->used = result.source;
        problem->chain->searched |= searches;
    }
    mst_log(context, MST_LOG_DEBUG, "tuning: %s %s %llu: %s", result.capability, result.variant, (unsigned long long)result.size,
            mst_tuning_source_name(result.source));
    if (how.report && !nested && !peer)
        how.report(&result, how.user);
fail:
    pthread_mutex_lock(&tuner->mutex);
    json_decref(database);
    pthread_mutex_unlock(&tuner->mutex);
    return status;
}

// The failures that other values may avoid.
static bool may_be_values(mst_status status) {
    return status == MST_ERROR_BUILD || status == MST_ERROR_OPENCL || status == MST_ERROR_UNSUPPORTED ||
           status == MST_ERROR_DEVICE_MEMORY || status == MST_ERROR_BUDGET;
}

bool mst_tune_goes_on(mst_context *context, mst_tune_chain *chain, mst_status status, mst_error *error) {
    bool goes_on = chain->used == MST_TUNING_SEARCHED || chain->used > chain->failed; // to a later place
    if (chain->used == 0 || chain->used == MST_TUNING_SAFE || !goes_on || !may_be_values(status)) {
        if (status != MST_OK && error)
            *error = chain->why;
        return false;
    }
    mst_log(context, chain->used <= MST_TUNING_OTHER_DRIVER ? MST_LOG_WARNING : MST_LOG_DEBUG,
            "tuning: values (%s) do not work, the next ones are taken: %s", mst_tuning_source_name(chain->used),
            chain->why.message);
    chain->failed = chain->used == MST_TUNING_SEARCHED ? MST_TUNING_EXACT : chain->used; // what was searched was kept
    chain->used = 0;
    return true;
}

// ---- the public functions

const char *mst_tuning_source_name(mst_tuning_source source) {
    static const char *const names[] = {"",        "searched", "found before", "found with another driver", "nearest size",
                                        "shipped", "safe"};
    return source >= MST_TUNING_SEARCHED && source <= MST_TUNING_SAFE ? names[source] : "unknown source";
}

mst_status mst_tuning_begin(mst_context *context, const mst_tuning *how, mst_error *error) {
    mst_status status = MST_OK;
    struct mst_tuner *tuner;
    mst_tuning full;
    MST_REQUIRE(context && how, MST_ERROR_ARGUMENT, "context and how must not be NULL");
    MST_TRY(mst_description_read(MST_DESCRIPTION(mst_tuning, MST_TUNING_INIT, seconds), how, &full, error));
    MST_REQUIRE(full.seconds >= 0, MST_ERROR_ARGUMENT,
                "how->seconds is %g; give a time, or 0 for nothing but the values there are", full.seconds);
    MST_REQUIRE(tuner = tuner_of(context), MST_ERROR_HOST_MEMORY, "out of memory for results of tuning");
    if (full.seconds > 0 && !full.compare)
        MST_TRY(mst_tuning_check_store(context, error));
    pthread_mutex_lock(&tuner->mutex);
    tuner->how = full;
    tuner->on = true;
    pthread_mutex_unlock(&tuner->mutex);
fail:
    return status;
}

void mst_tuning_end(mst_context *context) {
    struct mst_tuner *tuner = context ? tuner_of(context) : NULL;
    if (!tuner)
        return;
    pthread_mutex_lock(&tuner->mutex);
    tuner->on = false;
    pthread_mutex_unlock(&tuner->mutex);
}

mst_status mst_tuning_list(mst_context *context, mst_tuning_fn report, void *user, mst_error *error) {
    mst_status status = MST_OK;
    json_t *database = NULL;
    MST_REQUIRE(context && report, MST_ERROR_ARGUMENT, "context and report must not be NULL");
    MST_REQUIRE(database = mst_tuning_load(context), MST_ERROR_HOST_MEMORY, "out of memory for results of tuning");
    const json_t *entries = json_object_get(database, "entries");
    for (size_t i = 0; i < json_array_size(entries); i++) {
        const mst_tuning_result r = mst_tuning_describe(json_array_get(entries, i), context->device.driver_version);
        report(&r, user);
    }
fail:
    json_decref(database);
    return status;
}

mst_status mst_tuning_export(mst_context *context, const char *path, mst_error *error) {
    mst_status status = MST_OK;
    json_t *database = NULL;
    MST_REQUIRE(context && path, MST_ERROR_ARGUMENT, "context and path must not be NULL");
    MST_REQUIRE(database = mst_tuning_load(context), MST_ERROR_HOST_MEMORY, "out of memory for results of tuning");
    MST_TRY(mst_tuning_write(path, database, false, error));
fail:
    json_decref(database);
    return status;
}

// After the file has changed: the context reads it again when it is next needed.
static void read_again(mst_context *context) {
    struct mst_tuner *tuner = tuner_of(context);
    json_t *database = tuner ? mst_tuning_load(context) : NULL;
    if (!database)
        return;
    pthread_mutex_lock(&tuner->mutex);
    json_decref(tuner->database);
    tuner->database = database;
    pthread_mutex_unlock(&tuner->mutex);
}

mst_status mst_tuning_import(mst_context *context, const char *path, size_t *count, mst_error *error) {
    mst_status status = MST_OK;
    json_t *database = NULL;
    MST_REQUIRE(context && path, MST_ERROR_ARGUMENT, "context and path must not be NULL");
    MST_TRY(mst_tuning_read(path, &database, error));
    MST_TRY(mst_tuning_store(context, database, MST_TUNING_ADD, error));
    if (count)
        *count = json_array_size(json_object_get(database, "entries"));
    read_again(context);
fail:
    json_decref(database);
    return status;
}

mst_status mst_tuning_reset(mst_context *context, mst_error *error) {
    mst_status status = MST_OK;
    json_t *database = NULL;
    MST_REQUIRE(context, MST_ERROR_ARGUMENT, "context must not be NULL");
    MST_REQUIRE(database = mst_tuning_new(&context->device), MST_ERROR_HOST_MEMORY, "out of memory for results of tuning");
    MST_TRY(mst_tuning_store(context, database, MST_TUNING_FORGET, error));
    read_again(context);
fail:
    json_decref(database);
    return status;
}
