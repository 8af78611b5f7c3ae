// mastaba devices: what OpenCL devices there are, and whether they work.
#include "check.h"
#include "child.h"
#include "devices.h"

#include <stdlib.h>
#include <string.h>

static const char command[] = "devices";

static const char details[] = "Lists every device of every OpenCL platform with what matters for computing, and\n"
                              "marks the default, the one that is taken when neither --device nor MASTABA_DEVICE\n"
                              "says otherwise: GPUs before other accelerators before CPUs, then compute units times\n"
                              "clock. --device takes the number before the name or a part of the name.\n"
                              "\n"
                              "--check builds kernels, moves data, transforms impulses forth and back in every\n"
                              "precision that the device has, compares the results with the known ones, and\n"
                              "measures a copy on the device: one line a device. Each runs in a process of its own.\n"
                              "\n"
                              "Example:\n"
                              "  mastaba devices --check\n";

typedef struct request {
    char *device;
    int check, timeout, verbose, child; // child -1: this is no child
} request;

static const request defaults = {.timeout = 60, .child = -1};

static const cli_option option_table[] = {
    {"device", 'd', CLI_TEXT, offsetof(request, device), "only these: an index, or a part of the name", "DEVICE"},
    {"check", 'c', CLI_FLAG, offsetof(request, check), "try each device, and say in a line whether it works", NULL},
    {"timeout", 't', CLI_INT, offsetof(request, timeout), "with --check: how long a device may take (default: 60)", "SECONDS"},
    {"verbose", 'v', CLI_FLAG, offsetof(request, verbose), "with --check: show what the drivers print on standard error", NULL},
    {"check-child", 0, CLI_INT, offsetof(request, child), NULL, NULL},
};

static const char *type_name(cl_device_type type) {
    if (type & CL_DEVICE_TYPE_GPU)
        return "GPU";
    if (type & CL_DEVICE_TYPE_ACCELERATOR)
        return "accelerator";
    return type & CL_DEVICE_TYPE_CPU ? "CPU" : "other";
}

static void print_widths(const char *label, const uint32_t *widths) {
    static const char *const names[MST_N_WIDTHS] = {"char", "short", "int", "long", "float", "double"};
    printf("    %-20s", label);
    for (int k = 0; k < MST_N_WIDTHS; k++)
        printf("%s%s %u", k ? ", " : "", names[k], widths[k]);
    putchar('\n');
}

static void print_device(const mst_device_info *d) {
    char memory[32], largest[32], local[32];
    printf("%zu: %s%s%s\n", d->index, d->name, d->is_default ? " (default)" : "", d->available ? "" : " (not available)");
    printf("    %-20s%s, vendor %s\n", "platform", d->platform_name, d->vendor);
    printf("    %-20s%s; %s; driver %s\n", "version", d->device_version, d->c_version, d->driver_version);
    printf("    %-20s%s, %u compute unit%s at %u MHz\n", "type", type_name(d->type), d->compute_units,
           d->compute_units == 1 ? "" : "s", d->clock_mhz);
    printf("    %-20s%s%s, largest allocation %s\n", "memory", cli_size_text(d->memory_bytes, memory),
           d->unified_memory ? " shared with the host" : "", cli_size_text(d->max_allocation_bytes, largest));
    printf("    %-20s%s, %s\n", "local memory", cli_size_text(d->local_memory_bytes, local),
           d->local_memory_dedicated ? "dedicated" : "in ordinary memory");
    printf("    %-20s%zu items at most, %zu x %zu x %zu by dimension\n", "work-group", d->max_work_group_size,
           d->max_work_item_sizes[0], d->max_work_item_sizes[1], d->max_work_item_sizes[2]);
    print_widths("preferred widths", d->preferred_width);
    print_widths("native widths", d->native_width);
    printf("    %-20s%s\n", "float64", d->fp64 ? "yes" : "no");
}

static json_t *widths_json(const uint32_t *w) {
    return json_pack("{s:i, s:i, s:i, s:i, s:i, s:i}", "char", (int)w[MST_WIDTH_CHAR], "short", (int)w[MST_WIDTH_SHORT], "int",
                     (int)w[MST_WIDTH_INT], "long", (int)w[MST_WIDTH_LONG], "float", (int)w[MST_WIDTH_FLOAT], "double",
                     (int)w[MST_WIDTH_DOUBLE]);
}

static json_t *device_json(const mst_device_info *d) {
    const size_t *items = d->max_work_item_sizes;
    return json_pack(
        "{s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:I, s:I, s:I, s:b, s:b, s:I, s:I, s:I, s:[I, I, I], s:o, s:o, "
        "s:b, s:b, s:b}",
        "index", (json_int_t)d->index, "name", cli_json_text(d->name), "vendor", cli_json_text(d->vendor), "platform",
        cli_json_text(d->platform_name), "driver", cli_json_text(d->driver_version), "version", cli_json_text(d->device_version),
        "opencl_c", cli_json_text(d->c_version), "type", type_name(d->type), "memory_bytes", (json_int_t)d->memory_bytes,
        "max_allocation_bytes", (json_int_t)d->max_allocation_bytes, "local_memory_bytes", (json_int_t)d->local_memory_bytes,
        "local_memory_dedicated", (int)d->local_memory_dedicated, "unified_memory", (int)d->unified_memory, "compute_units",
        (json_int_t)d->compute_units, "clock_mhz", (json_int_t)d->clock_mhz, "max_work_group_size",
        (json_int_t)d->max_work_group_size, "max_work_item_sizes", (json_int_t)items[0], (json_int_t)items[1],
        (json_int_t)items[2], "preferred_widths", widths_json(d->preferred_width), "native_widths", widths_json(d->native_width),
        "fp64", (int)d->fp64, "available", (int)d->available, "default", (int)d->is_default);
}

static json_t *check_json(const cli_check *check) {
    if (check->ok)
        return json_pack("{s:b, s:o, s:o}", "ok", 1, "seconds", cli_json_real(check->seconds), "copy_bytes_per_second",
                         cli_json_real(check->copy_rate));
    return json_pack("{s:b, s:o}", "ok", 0, "problem", cli_json_text(check->problem));
}

static void print_check(const mst_device_info *d, const cli_check *check) {
    if (check->ok)
        printf("%zu: %s: ok in %.2f s, copies %.1f GB/s\n", d->index, d->name, check->seconds, 1e-9 * check->copy_rate);
    else
        printf("%zu: %s: FAILED: %s\n", d->index, d->name, check->problem);
}

// Whether --device means this one.
static bool is_wanted(const mst_device_info *d, const char *wanted) {
    if (!wanted || !*wanted)
        return true;
    if (wanted[strspn(wanted, "0123456789")] == '\0')
        return strtoull(wanted, NULL, 10) == d->index;
    return strcasestr(d->name, wanted) != NULL;
}

static int no_such_device(mst_device_info *const *list, size_t count, const char *wanted) {
    char names[1024] = "";
    for (size_t i = 0, used = 0; i < count && used < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%zu: %s", i ? ", " : "", i, list[i]->name);
    cli_error(command, "--device %s: no such device; there are %s", wanted, names);
    return CLI_NO_DEVICE;
}

// `environment` is that of the processes that check devices; NULL: there are no checks.
static int show(mst_device_info *const *list, size_t count, const request *r, bool json, char *const *environment) {
    json_t *devices = json ? json_array() : NULL;
    bool failed = false;
    size_t shown = 0;
    for (size_t i = 0; i < count; i++) {
        const mst_device_info *d = list[i];
        cli_check result;
        if (!is_wanted(d, r->device))
            continue;
        shown++;
        if (environment) {
            cli_check_device(d->index, environment, r->timeout, r->verbose, &result);
            if (cli_interrupted()) {
                json_decref(devices);
                return cli_fail_interrupted(command);
            }
            failed |= !result.ok;
        }
        if (json) {
            json_t *object = device_json(d);
            if (object && environment)
                json_object_set_new(object, "check", check_json(&result));
            json_array_append_new(devices, object);
        } else if (environment) {
            print_check(d, &result);
            fflush(stdout);
        } else {
            print_device(d);
        }
    }
    if (shown == 0) {
        json_decref(devices);
        return no_such_device(list, count, r->device);
    }
    int code = json ? cli_print_json(command, json_pack("{s:o}", "devices", devices)) : cli_flush(command);
    return code == CLI_DONE && failed ? CLI_FAILED : code;
}

static int run(const cli_arguments *arguments, void *values) {
    const request *r = values;
    mst_device_info **list = NULL;
    char **environment = NULL;
    size_t count;
    mst_error error;
    int code;
    if (r->child >= 0)
        return cli_check_child(r->child);
    if (r->timeout < 1 || r->timeout > 86400) {
        cli_error(command, "--timeout %d: not a time; give seconds, at least 1", r->timeout);
        return CLI_USAGE;
    }
    if (r->check && !(environment = child_environment_copy()))
        return cli_out_of_memory(command, NULL);
    if (mst_devices_list(&list, &count, &error) == MST_OK)
        code = show(list, count, r, arguments->common.json, environment);
    else
        code = cli_fail(command, NULL, &error);
    mst_devices_free(list);
    child_environment_free(environment);
    return code;
}

const cli_command cmd_devices = {
    .name = command,
    .summary = "list the OpenCL devices, or check them",
    .title = "Lists the OpenCL devices of this machine, or checks that they work.",
    .synopsis = "[options]",
    .details = details,
    .leave_out = CLI_DEVICE | CLI_MEMORY | CLI_NO_CACHE | CLI_FORCE | CLI_VERBOSE | CLI_KERNELS,
    .options = option_table,
    .n_options = CLI_COUNT(option_table),
    .values_bytes = sizeof(request),
    .defaults = &defaults,
    .run = run,
};
