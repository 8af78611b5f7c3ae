// Which devices a text asks for: "0", "GeForce", "0,2", "all", "kind:gpu", "cpu/2" and lists of these.
#include "device.h"
#include "error.h"
#include "text/letters.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CHOSEN = 256, MOST_ITEM = 256, MOST_CUTS = 16 };

typedef struct selection {
    mst_device_info *list; // all there are
    size_t count;
    char names[320]; // "0: name, 1: name", for messages
    mst_device_info *chosen;
    size_t n;
} selection;

static bool starts_ignoring_case(const char *text, const char *part) {
    size_t k = 0;
    while (part[k] && text[k] && mst_lower(text[k]) == mst_lower(part[k]))
        k++;
    return !part[k];
}

static bool contains_ignoring_case(const char *text, const char *part) {
    for (; *text; text++)
        if (starts_ignoring_case(text, part))
            return true;
    return false;
}

static void list_names(selection *s) {
    size_t used = 0;
    for (size_t i = 0; i < s->count && used < sizeof s->names; i++) {
        int wrote = snprintf(s->names + used, sizeof s->names - used, "%s%zu: %s", i ? ", " : "", i, s->list[i].name);
        used += wrote > 0 ? (size_t)wrote : 0;
    }
}

static mst_status add(selection *s, const mst_device_info *device, mst_error *error) {
    if (s->n == MOST_CHOSEN)
        return mst_fail(error, MST_ERROR_ARGUMENT, "a group of more than %d devices is asked for", (int)MOST_CHOSEN);
    s->chosen[s->n++] = *device;
    return MST_OK;
}

// The parts of a device as they were first made. They stay as long as the process: a thread of PoCL may still be ending a command
// of PoCL's own, as copies between memories are, when all else of a context has been released, and PoCL (to version 7 at least)
// then looks into the part, for which that command holds no reference.
typedef struct cut {
    cl_device_id device;
    unsigned n;
    cl_device_id parts[MOST_CHOSEN];
} cut;

static struct {
    pthread_mutex_t mutex;
    size_t n;
    cut made[MOST_CUTS]; // with more of them than have place here, parts are made anew for each context
} cuts = {.mutex = PTHREAD_MUTEX_INITIALIZER};

// Finds the parts of a device, or makes them, with numbers of compute units that differ by one at most.
static mst_status find_parts(cut *wanted, const mst_device_info *device, mst_error *error) {
    mst_status status = MST_OK;
    cl_device_partition_property counts[MOST_CHOSEN + 3] = {CL_DEVICE_PARTITION_BY_COUNTS};
    pthread_mutex_lock(&cuts.mutex);
    for (size_t k = 0; k < cuts.n; k++) {
        if (cuts.made[k].device != wanted->device || cuts.made[k].n != wanted->n)
            continue;
        *wanted = cuts.made[k];
        goto fail;
    }
    for (unsigned k = 0; k < wanted->n; k++)
        counts[1 + k] =
            (cl_device_partition_property)(device->compute_units / wanted->n + (k < device->compute_units % wanted->n));
    counts[1 + wanted->n] = CL_DEVICE_PARTITION_BY_COUNTS_LIST_END;
    MST_TRY_CL(clCreateSubDevices(device->device, counts, wanted->n, wanted->parts, NULL),
               "cannot cut device %zu (%s) into %u parts", device->index, device->name, wanted->n);
    if (cuts.n < MOST_CUTS)
        cuts.made[cuts.n++] = *wanted;
fail:
    pthread_mutex_unlock(&cuts.mutex);
    return status;
}

static mst_status add_parts(selection *s, const mst_device_info *device, unsigned parts, mst_error *error) {
    mst_status status = MST_OK;
    cut wanted = {.device = device->device, .n = parts};
    MST_REQUIRE(parts >= 1 && parts <= MOST_CHOSEN && parts <= device->compute_units, MST_ERROR_ARGUMENT,
                "device %zu (%s) has %u compute units; they do not make %u parts", device->index, device->name,
                (unsigned)device->compute_units, parts);
    MST_TRY(find_parts(&wanted, device, error));
    for (unsigned k = 0; k < parts; k++) {
        mst_device_info info;
        MST_TRY(mst_device_describe(wanted.parts[k], &info, error));
        info.index = device->index;
        MST_TRY(add(s, &info, error));
    }
fail:
    return status;
}

static mst_status add_whole_or_parts(selection *s, const mst_device_info *device, unsigned parts, mst_error *error) {
    for (size_t i = 0; i < s->n; i++)
        if (s->chosen[i].index == device->index)
            return mst_fail(error, MST_ERROR_ARGUMENT, "device %zu (%s) is asked for twice", device->index, device->name);
    if (!device->available)
        return mst_fail(error, MST_ERROR_NO_DEVICE, "device %zu (%s) is not available, or has no compiler", device->index,
                        device->name);
    return parts == 1 ? add(s, device, error) : add_parts(s, device, parts, error);
}

// Of several, those that are available.
static mst_status add_kind(selection *s, cl_device_type kind, const char *text, unsigned parts, mst_error *error) {
    bool found = false;
    for (size_t i = 0; i < s->count; i++) {
        if (!(s->list[i].type & kind) || !s->list[i].available)
            continue;
        mst_status status = add_whole_or_parts(s, &s->list[i], parts, error);
        if (status != MST_OK)
            return status;
        found = true;
    }
    return found ? MST_OK : mst_fail(error, MST_ERROR_NO_DEVICE, "no device is available as %.80s (%s)", text, s->names);
}

// The best device whose name contains a text.
static const mst_device_info *named(const selection *s, const char *text) {
    const mst_device_info *found = NULL;
    for (size_t i = 0; i < s->count; i++)
        if (contains_ignoring_case(s->list[i].name, text) && (!found || mst_device_score(&s->list[i]) > mst_device_score(found)))
            found = &s->list[i];
    return found;
}

static mst_status add_item(selection *s, const char *text, unsigned parts, mst_error *error) {
    static const struct {
        const char *text;
        cl_device_type kind;
    } kinds[] = {{"all", CL_DEVICE_TYPE_ALL},
                 {"kind:gpu", CL_DEVICE_TYPE_GPU},
                 {"kind:cpu", CL_DEVICE_TYPE_CPU},
                 {"kind:accelerator", CL_DEVICE_TYPE_ACCELERATOR}};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        if (strcmp(text, kinds[k].text) == 0)
            return add_kind(s, kinds[k].kind, text, parts, error);
    if (strspn(text, "0123456789") == strlen(text)) {
        unsigned long index = strtoul(text, NULL, 10);
        if (!*text)
            return mst_fail(error, MST_ERROR_ARGUMENT, "a list of devices has an empty place; there are %s", s->names);
        if (index >= s->count)
            return mst_fail(error, MST_ERROR_NO_DEVICE, "there is no device %.40s; there are %s", text, s->names);
        return add_whole_or_parts(s, &s->list[index], parts, error);
    }
    const mst_device_info *found = named(s, text);
    if (!found)
        return mst_fail(error, MST_ERROR_NO_DEVICE, "no device's name contains '%.80s'; there are %s", text, s->names);
    return add_whole_or_parts(s, found, parts, error);
}

// One item of a list, NAME or NAME/PARTS.
static mst_status add_text(selection *s, char *item, mst_error *error) {
    char *slash = strrchr(item, '/');
    unsigned long parts = 1;
    if (slash && slash[1] && strspn(slash + 1, "0123456789") == strlen(slash + 1) && !named(s, item)) {
        parts = strtoul(slash + 1, NULL, 10);
        *slash = '\0';
    }
    return add_item(s, item, parts > MOST_CHOSEN ? MOST_CHOSEN + 1 : (unsigned)parts, error);
}

// A list, or a name with commas in it.
static mst_status add_list(selection *s, const char *text, mst_error *error) {
    mst_status status = MST_OK;
    char item[MOST_ITEM];
    if (strchr(text, ',') && named(s, text))
        return add_item(s, text, 1, error);
    for (const char *end; status == MST_OK; text = end + 1) {
        end = text + strcspn(text, ",");
        snprintf(item, sizeof item, "%.*s", (int)(end - text < MOST_ITEM ? end - text : MOST_ITEM - 1), text);
        status = add_text(s, item, error);
        if (!*end)
            break;
    }
    return status;
}

static mst_status add_default(selection *s, mst_error *error) {
    const char *text = getenv("MASTABA_DEVICE");
    if (text && *text)
        return add_list(s, text, error);
    for (size_t i = 0; i < s->count; i++)
        if (s->list[i].is_default)
            return add_whole_or_parts(s, &s->list[i], 1, error);
    return mst_fail(error, MST_ERROR_NO_DEVICE, "no OpenCL device is available (%s)", s->names);
}

mst_status mst_devices_choose(const char *const *wanted, size_t n_wanted, mst_device_info **chosen, size_t *n, mst_error *error) {
    mst_status status = MST_OK;
    selection s = {.list = NULL};
    MST_TRY(mst_devices_describe(&s.list, &s.count, error));
    list_names(&s);
    MST_REQUIRE(s.chosen = calloc(MOST_CHOSEN, sizeof *s.chosen), MST_ERROR_HOST_MEMORY, "out of memory choosing devices");
    for (size_t k = 0; k < n_wanted; k++)
        MST_TRY(wanted[k] && *wanted[k] ? add_list(&s, wanted[k], error) : add_default(&s, error));
    *chosen = s.chosen;
    *n = s.n;
    s.chosen = NULL;
fail:
    free(s.chosen);
    free(s.list);
    return status;
}
