#include "database.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

enum { MOST_ENTRIES = 4096 };

// Texts from such files are printed, and must not steer a terminal. So they may hold no control characters, nor those of 8 bits,
// which are C2 80 to C2 9F in UTF-8.
static bool has_control(const char *string) {
    for (const unsigned char *c = (const unsigned char *)string; *c; c++)
        if (*c < 0x20 || *c == 0x7f || (c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0))
            return true;
    return false;
}

// JSON is UTF-8, which a driver's strings need not be.
static json_t *text(const char *string) {
    json_t *out = has_control(string) ? NULL : json_string(string);
    char plain[512];
    size_t n = 0;
    if (out)
        return out;
    for (; string[n] && n + 1 < sizeof plain; n++)
        plain[n] = string[n] >= 0x20 && string[n] < 0x7f ? string[n] : '?';
    plain[n] = '\0';
    return json_string(plain);
}

// What devices with the same defaults have in common.
static void kind_of(const mst_device_info *device, char *kind, size_t size) {
    struct utsname machine = {.machine = ""};
    bool cpu = (device->type & CL_DEVICE_TYPE_CPU) != 0;
    if (cpu)
        uname(&machine);
    const char *type = cpu ? "CPU " : (device->type & CL_DEVICE_TYPE_GPU) ? "GPU" : "other";
    snprintf(kind, size, "%s%s, %s", type, machine.machine, device->platform_name);
}

json_t *mst_tuning_new(const mst_device_info *device) {
    char kind[256];
    kind_of(device, kind, sizeof kind);
    return json_pack("{s:i, s:{s:o, s:o, s:o, s:I, s:o}, s:[]}", "schema", MST_TUNING_SCHEMA, "device", "name",
                     text(device->name), "vendor", text(device->vendor), "platform", text(device->platform_name), "compute_units",
                     (json_int_t)device->compute_units, "kind", text(kind), "entries");
}

static bool is_text(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    return json_is_string(value) && json_string_length(value) < 512 &&
           strlen(json_string_value(value)) == json_string_length(value) && !has_control(json_string_value(value));
}

static bool is_time(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) && json_number_value(value) >= 0;
}

static bool is_entry(const json_t *entry) {
    const json_t *values = json_object_get(entry, "values"), *size = json_object_get(entry, "size");
    const char *name;
    json_t *value;
    if (!is_text(entry, "capability") || !is_text(entry, "variant") || !is_text(entry, "kernel") || !is_text(entry, "driver") ||
        !is_text(entry, "date") || !is_time(entry, "seconds") || !is_time(entry, "safe_seconds") || !json_is_integer(size) ||
        json_integer_value(size) < 0 || !json_is_object(values) || json_object_size(values) > MST_TUNING_MAX_VALUES)
        return false;
    json_object_foreach((json_t *)values, name, value) if (!json_is_integer(value) || has_control(name)) return false;
    return true;
}

bool mst_tuning_is_valid(const json_t *database) {
    const json_t *device = json_object_get(database, "device"), *entries = json_object_get(database, "entries");
    const json_t *schema = json_object_get(database, "schema");
    if (!json_is_integer(schema) || json_integer_value(schema) != MST_TUNING_SCHEMA || !is_text(device, "name") ||
        !is_text(device, "vendor") || !is_text(device, "platform") || !is_text(device, "kind") ||
        !json_is_integer(json_object_get(device, "compute_units")) || !json_is_array(entries))
        return false;
    for (size_t i = 0; i < json_array_size(entries); i++)
        if (!is_entry(json_array_get(entries, i)))
            return false;
    return true;
}

static void now_text(char *out, size_t size) {
    time_t now = time(NULL);
    struct tm utc;
    if (!gmtime_r(&now, &utc) || strftime(out, size, "%Y-%m-%dT%H:%M:%SZ", &utc) == 0)
        snprintf(out, size, "unknown");
}

static void kernel_text(const mst_tune_problem *problem, char *out, size_t size) {
    snprintf(out, size, "%016llx", (unsigned long long)problem->kernel);
}

json_t *mst_tuning_entry(const mst_tune_problem *problem, const mst_tune_found *found, const char *driver) {
    char kernel[20], date[32];
    json_t *values = json_object();
    kernel_text(problem, kernel, sizeof kernel);
    now_text(date, sizeof date);
    for (int k = 0; k < problem->n_parameters; k++)
        json_object_set_new(values, problem->parameters[k].name, json_integer(found->values[k]));
    return json_pack("{s:s, s:s, s:I, s:s, s:o, s:o, s:f, s:f, s:i, s:i, s:s}", "capability", problem->capability, "variant",
                     problem->variant, "size", (json_int_t)problem->size, "kernel", kernel, "driver", text(driver), "values",
                     values, "seconds", found->seconds, "safe_seconds", found->safe_seconds, "tried", (int)found->tried, "wrong",
                     (int)found->wrong, "date", date);
}

static const char *string_of(const json_t *entry, const char *key) { return json_string_value(json_object_get(entry, key)); }

static bool same_text(const json_t *a, const json_t *b, const char *key) {
    return strcmp(string_of(a, key), string_of(b, key)) == 0;
}

static bool same_problem(const json_t *a, const json_t *b) {
    return same_text(a, b, "capability") && same_text(a, b, "variant") && same_text(a, b, "kernel") &&
           same_text(a, b, "driver") && json_equal(json_object_get(a, "size"), json_object_get(b, "size"));
}

// ISO dates are in order as texts.
static bool is_newer(const json_t *a, const json_t *b) { return strcmp(string_of(a, "date"), string_of(b, "date")) > 0; }

bool mst_tuning_merge(json_t *database, const json_t *entries, bool found_now) {
    json_t *own = json_object_get(database, "entries");
    for (size_t i = 0; i < json_array_size(entries); i++) {
        json_t *entry = json_array_get(entries, i);
        size_t at = 0;
        while (at < json_array_size(own) && !same_problem(json_array_get(own, at), entry))
            at++;
        if (at < json_array_size(own)) {
            if (!found_now && is_newer(json_array_get(own, at), entry))
                continue;
            json_array_remove(own, at); // the oldest ones come first
        }
        if (json_array_append(own, entry) != 0)
            return false;
    }
    while (json_array_size(own) > MOST_ENTRIES)
        json_array_remove(own, 0);
    return true;
}

// The values of an entry, if the problem takes them.
static bool read_values(const json_t *entry, const mst_tune_problem *problem, int64_t *values) {
    const json_t *found = json_object_get(entry, "values");
    for (int k = 0; k < problem->n_parameters; k++) {
        const mst_tune_parameter *p = &problem->parameters[k];
        const json_t *value = json_object_get(found, p->name);
        bool legal = false;
        values[k] = json_integer_value(value);
        for (int i = 0; i < p->n && value; i++)
            legal = legal || p->values[i] == values[k];
        if (!legal)
            return false;
    }
    return !problem->cost || !isinf(problem->cost(problem->user, values));
}

// How far an entry is from a problem: 0 for an exact one, INFINITY for one that does not count.
static double distance(const json_t *entry, const mst_tune_problem *problem, const char *kernel, const char *driver,
                       mst_tuning_source *source) {
    double size = (double)json_integer_value(json_object_get(entry, "size"));
    bool same_kernel = strcmp(string_of(entry, "kernel"), kernel) == 0;
    bool same_driver = strcmp(string_of(entry, "driver"), driver) == 0;
    bool exact = same_kernel && (uint64_t)size == problem->size;
    *source = !exact ? MST_TUNING_NEAREST : same_driver ? MST_TUNING_EXACT : MST_TUNING_OTHER_DRIVER;
    double away = fabs(log2(size + 1) - log2((double)problem->size + 1));
    if (problem->most_times > 0 && away > log2((double)problem->most_times))
        return INFINITY;
    return (exact ? 0 : 1 + away) + (same_kernel ? 0 : 0.25) + (same_driver ? 0 : 0.125);
}

const json_t *mst_tuning_find(const json_t *database, const mst_tune_problem *problem, const char *driver,
                              mst_tuning_source failed, int64_t *values, mst_tuning_source *source) {
    const json_t *entries = json_object_get(database, "entries"), *best = NULL;
    double least = INFINITY;
    char kernel[20];
    kernel_text(problem, kernel, sizeof kernel);
    for (size_t i = 0; i < json_array_size(entries); i++) {
        const json_t *entry = json_array_get(entries, i);
        int64_t own[MST_TUNING_MAX_VALUES];
        mst_tuning_source how;
        if (strcmp(string_of(entry, "capability"), problem->capability) != 0 ||
            strcmp(string_of(entry, "variant"), problem->variant) != 0 || !read_values(entry, problem, own))
            continue;
        double away = distance(entry, problem, kernel, driver, &how);
        if (how <= failed || away >= least)
            continue;
        best = entry;
        least = away;
        *source = how;
        memcpy(values, own, (size_t)problem->n_parameters * sizeof *values);
    }
    return best;
}

mst_tuning_result mst_tuning_describe(const json_t *entry, const char *driver) {
    mst_tuning_result r = {.struct_size = sizeof r,
                           .capability = string_of(entry, "capability"),
                           .variant = string_of(entry, "variant"),
                           .size = (uint64_t)json_integer_value(json_object_get(entry, "size")),
                           .seconds = json_number_value(json_object_get(entry, "seconds")),
                           .safe_seconds = json_number_value(json_object_get(entry, "safe_seconds")),
                           .tried = (unsigned)json_integer_value(json_object_get(entry, "tried")),
                           .wrong = (unsigned)json_integer_value(json_object_get(entry, "wrong")),
                           .driver = string_of(entry, "driver"),
                           .date = string_of(entry, "date")};
    const char *name;
    json_t *value;
    r.source = strcmp(r.driver, driver) == 0 ? MST_TUNING_EXACT : MST_TUNING_OTHER_DRIVER;
    json_object_foreach(json_object_get(entry, "values"), name, value) if (r.n_values < MST_TUNING_MAX_VALUES)
        r.values[r.n_values++] = (mst_tuning_value){name, json_integer_value(value)};
    return r;
}

bool mst_tuning_names_kind(const char *text_of_it, const mst_device_info *device) {
    char kind[256];
    kind_of(device, kind, sizeof kind);
    return strstr(text_of_it, kind) != NULL;
}

bool mst_tuning_same_kind(const json_t *database, const mst_device_info *device) {
    char kind[256];
    kind_of(device, kind, sizeof kind);
    return strcmp(string_of(json_object_get(database, "device"), "kind"), kind) == 0;
}
