// mastaba doctor: is all here that Mastaba needs, does it work, and what is to be done about it?
#include "check.h"
#include "child.h"
#include "devices.h"
#include "drivers.h"
#include "self_test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char command[] = "doctor";

static const char details[] = "Looks at drivers, devices, the cache and the environment, checks every device as\n"
                              "`mastaba devices --check` does, and has one of them (--device) do a small piece of\n"
                              "work of every capability, whose results are known. Each check runs in a process of\n"
                              "its own: a driver that crashes or hangs is a line of the report. What is wrong is\n"
                              "followed by what to do about it. The exit code is 1 if anything is wrong.\n"
                              "\n"
                              "Where something fails, this report is what to send with a question.\n"
                              "\n"
                              "Example:\n"
                              "  mastaba doctor --device 1\n";

typedef struct request {
    int timeout;
    char *self_test; // not NULL: this is a child, which runs this test
} request;

static const request defaults = {.timeout = 60};

static const cli_option option_table[] = {
    {"timeout", 't', CLI_INT, offsetof(request, timeout), "how long a check may take (default: 60)", "SECONDS"},
    {"self-test", 0, CLI_TEXT, offsetof(request, self_test), NULL, NULL},
};

// One report. Every line is "LABEL  TEXT"; those of the same label leave it out.
typedef struct report {
    const cli_options *options;
    const request *request;
    char **environment;
    int problems;
    int drivers;       // that a file names and that are there
    const char *label; // of the line before
    json_t *json;      // what --json prints; NULL: text
} report;

static void print(report *r, const char *label, const char *format, ...) __attribute__((format(printf, 3, 4)));

static void print(report *r, const char *label, const char *format, ...) {
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (r->json) {
        json_t *lines = json_object_get(r->json, label);
        if (!lines)
            json_object_set_new(r->json, label, lines = json_array());
        json_array_append_new(lines, cli_json_text(text));
    } else {
        printf("%-12s %s\n", r->label && strcmp(r->label, label) == 0 ? "" : label, text);
        fflush(stdout);
    }
    r->label = label;
}

// A line for what is wrong, and one for what to do.
static void complain(report *r, const char *label, const char *problem, const char *advice) {
    r->problems++;
    print(r, label, "PROBLEM: %s", problem);
    print(r, label, "    %s", advice);
}

static void look_at_drivers(report *r) {
    driver_file files[DRIVERS_MOST];
    size_t n = drivers_list(files);
    for (size_t i = 0; i < n; i++)
        if (files[i].problem[0]) {
            char text[sizeof files[i].problem + sizeof files[i].path + 8];
            snprintf(text, sizeof text, "%s: %s", files[i].path, files[i].problem);
            complain(r, "drivers", text, "install the driver's package again, or remove the file");
        } else {
            print(r, "drivers", "%s: %s", files[i].path, files[i].library);
            r->drivers++;
        }
    if (n == 0)
        print(r, "drivers", "none is named in %s", drivers_place());
}

static void look_at_cache(report *r) {
    char place[4096], size[32];
    cache_look look;
    mst_error error;
    if (mst_system_cache(place, sizeof place, &error) == MST_OK) {
        cache_look_at(place, &look);
        print(r, "cache", "%s, of all users: %zu kernels, %s", place, look.kernels, cli_size_text(look.bytes, size));
    } else if (error.status != MST_ERROR_IO) {
        print(r, "cache", "%s", error.message);
    }
    if (!cache_place(place, sizeof place)) {
        complain(r, "cache", "none: neither HOME nor XDG_CACHE_HOME is set",
                 "kernels are compiled by every command anew; set HOME");
        return;
    }
    cache_look_at(place, &look);
    if (!look.writable) {
        const size_t used = strlen(place);
        snprintf(place + used, sizeof place - used, ": cannot be written");
        complain(r, "cache", place,
                 "kernels are compiled by every command anew; make it yours, or name another directory in XDG_CACHE_HOME");
    } else
        print(r, "cache", "%s: %zu kernels, %s", place, look.kernels, cli_size_text(look.bytes, size));
}

// Without the variable that every command sets for PoCL.
static void look_at_environment(report *r) {
    static const char *const prefixes[] = {"MASTABA_",     "OCL_ICD_",   "OPENCL_",        "POCL_",
                                           "CUDA_VISIBLE", "LD_PRELOAD", "LD_LIBRARY_PATH"};
    for (char **e = r->environment; *e; e++)
        for (size_t i = 0; i < CLI_COUNT(prefixes); i++)
            if (strncmp(*e, prefixes[i], strlen(prefixes[i])) == 0 && strcmp(*e, "POCL_WORK_GROUP_SPECIALIZATION=0") != 0)
                print(r, "environment", "%s", *e);
}

static void check_devices(report *r, mst_device_info *const *list, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const mst_device_info *d = list[i];
        char memory[32], text[2048];
        cli_check check;
        cli_check_device(d->index, r->environment, r->request->timeout, r->options->verbose, &check);
        if (cli_interrupted())
            return;
        snprintf(text, sizeof text, "%zu: %s%s, %s, %s, driver %s%s", d->index, d->name, d->is_default ? " (default)" : "",
                 d->platform_name, cli_size_text(d->memory_bytes, memory), d->driver_version, d->fp64 ? "" : ", no float64");
        print(r, "devices", "%s", text);
        if (check.ok) {
            print(r, "devices", "    works, copies %.1f GB/s", 1e-9 * check.copy_rate);
        } else {
            snprintf(text, sizeof text, "%zu: %s", d->index, check.problem);
            complain(r, "devices", text, "update its driver, or take another device by --device or MASTABA_DEVICE");
        }
    }
}

static child start_self_test(const report *r, const self_test *t) {
    const char *device = r->options->device ? r->options->device : "";
    char wanted[4096], name[64];
    snprintf(wanted, sizeof wanted, "--device=%s", device);
    snprintf(name, sizeof name, "--self-test=%s", t->name);
    char *arguments[] = {(char[]){"mastaba"}, (char[]){"doctor"}, name, *device ? wanted : NULL, NULL};
    return child_start(arguments, r->environment, r->request->timeout, r->options->verbose);
}

// Returns false if the others would say the same.
static bool report_self_test(report *r, const self_test *t, const child_answer *answer) {
    double seconds = 0, largest = 0;
    if (answer->ok && sscanf(answer->text, "%lf %lf", &seconds, &largest) == 2) {
        print(r, "self-test", "%-10s works: %.2f s, largest error %.1e", t->name, seconds, largest);
    } else if (answer->code == CLI_NO_DEVICE) {
        complain(r, "self-test", answer->text, "choose one of the devices above by --device or MASTABA_DEVICE");
        return false;
    } else {
        char text[sizeof answer->text + 32];
        snprintf(text, sizeof text, "%s: %s", t->name, answer->text);
        complain(r, "self-test", text,
                 "report it, with all of this; meanwhile take another device by --device or MASTABA_DEVICE");
    }
    return true;
}

// Two at a time: compilers, which take most of the time, keep one processor busy each.
static void run_self_tests(report *r) {
    const self_test *t;
    child_answer answer;
    bool matters = true;
    child now = start_self_test(r, self_test_at(0));
    for (size_t i = 0; (t = self_test_at(i)); i++) {
        const self_test *next = matters ? self_test_at(i + 1) : NULL;
        child meanwhile = next ? start_self_test(r, next) : (child){0};
        child_finish(&now, &answer);
        matters = matters && !cli_interrupted() && report_self_test(r, t, &answer);
        if (!next)
            return;
        now = meanwhile;
    }
}

static int finish(report *r) {
    if (cli_interrupted()) {
        json_decref(r->json);
        return cli_fail_interrupted(command);
    }
    if (r->problems == 0)
        print(r, "summary", "everything works");
    else
        print(r, "summary", "%d problem%s", r->problems, r->problems == 1 ? "" : "s");
    int code = r->json ? cli_print_json(command, r->json) : cli_flush(command);
    return code == CLI_DONE && r->problems > 0 ? CLI_FAILED : code;
}

static int run(const cli_arguments *arguments, void *values) {
    const request *q = values;
    mst_device_info **list = NULL;
    size_t count;
    mst_error error;
    if (q->self_test)
        return self_test_child(q->self_test, arguments->common.device);
    if (q->timeout < 1 || q->timeout > 86400) {
        cli_error(command, "--timeout %d: not a time; give seconds, at least 1", q->timeout);
        return CLI_USAGE;
    }
    report r = {.options = &arguments->common, .request = q, .environment = child_environment_copy()};
    if (!r.environment)
        return cli_out_of_memory(command, NULL);
    if (arguments->common.json && !(r.json = json_object())) {
        child_environment_free(r.environment);
        return cli_out_of_memory(command, NULL);
    }
    print(&r, "version", "mastaba %s", mst_version());
    look_at_drivers(&r);
    look_at_environment(&r);
    look_at_cache(&r);
    if (mst_devices_list(&list, &count, &error) == MST_OK) {
        check_devices(&r, list, count);
        run_self_tests(&r);
    } else {
        complain(&r, "devices", error.message,
                 r.drivers > 0
                     ? "a driver is installed and finds no device: a graphics card needs its kernel module, and you the right to "
                       "open /dev/dri/render* or /dev/nvidia*; PoCL has to be able to write ~/.cache/pocl, or $POCL_CACHE_DIR"
                     : "install an OpenCL driver: of the graphics card's maker, or for any processor PoCL (pocl-opencl-icd)");
    }
    mst_devices_free(list);
    child_environment_free(r.environment);
    return finish(&r);
}

const cli_command cmd_doctor = {
    .name = command,
    .summary = "look at drivers and devices, and test every capability",
    .title = "Says whether everything is here that Mastaba needs, and whether it works.",
    .synopsis = "[options]",
    .details = details,
    .leave_out = CLI_MEMORY | CLI_NO_CACHE | CLI_FORCE | CLI_KERNELS,
    .options = option_table,
    .n_options = CLI_COUNT(option_table),
    .values_bytes = sizeof(request),
    .defaults = &defaults,
    .run = run,
};
