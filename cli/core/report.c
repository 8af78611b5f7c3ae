// Messages, results and exit codes, and the context that the options describe.
#include "cli.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// One line whatever the text holds: file names may contain newlines and escape sequences.
static void print_line(const char *prefix, char *text) {
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            *c = '?';
    fprintf(stderr, "%s%s\n", prefix, text);
}

static _Thread_local char last_error[512];

const char *cli_last_error(void) { return last_error; }

void cli_error(const char *command, const char *format, ...) {
    char prefix[64], text[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    snprintf(last_error, sizeof last_error, "%.511s", text);
    snprintf(prefix, sizeof prefix, "mastaba%s%s: ", command ? " " : "", command ? command : "");
    print_line(prefix, text);
}

int cli_fail(const char *command, const char *subject, const mst_error *error) {
    if (error->status == MST_ERROR_CANCELLED)
        return cli_fail_interrupted(command);
    cli_error(command, "%s%s%s", subject ? subject : "", subject ? ": " : "", error->message);
    if (error->excerpt[0])
        fprintf(stderr, "%s\n", error->excerpt);
    switch (error->status) {
    case MST_ERROR_ARGUMENT:
        return CLI_USAGE;
    case MST_ERROR_NO_DEVICE:
        return CLI_NO_DEVICE;
    case MST_ERROR_IO:
    case MST_ERROR_FORMAT:
        return CLI_INPUT_OUTPUT;
    default:
        return CLI_FAILED;
    }
}

int cli_fail_input(const char *command, const char *subject, const mst_error *error) {
    int code = cli_fail(command, subject, error);
    return code == CLI_USAGE ? CLI_INPUT_OUTPUT : code;
}

static void log_line(mst_log_level level, const char *line, void *user) {
    (void)user;
    static const char *const prefixes[] = {"debug: ", "info: ", "warning: "};
    char text[4096];
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr); // the progress bar
    snprintf(text, sizeof text, "%s", line);
    print_line(prefixes[level], text);
}

static void log_warning(mst_log_level level, const char *line, void *user) {
    if (level >= MST_LOG_WARNING)
        log_line(level, line, user);
}

int cli_context(const char *command, const cli_options *options, bool profile, mst_context **out) {
    mst_context_desc desc = MST_CONTEXT_DESC_INIT;
    mst_error error;
    desc.device = options->device;
    desc.device_memory = options->device_memory;
    desc.host_memory = options->host_memory;
    desc.no_cache = options->no_cache != 0;
    desc.profile = profile;
    desc.log = options->verbose ? log_line : log_warning;
    if (mst_context_create(&desc, out, &error) == MST_OK)
        return CLI_DONE;
    return cli_fail(command, NULL, &error);
}

int cli_flush(const char *command) {
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return CLI_DONE;
    cli_error(command, "standard output: %s", errno ? strerror(errno) : "write error");
    return CLI_INPUT_OUTPUT;
}

int cli_print_json(const char *command, json_t *object) { return cli_print_json_digits(command, object, 9); }

int cli_print_json_digits(const char *command, json_t *object, unsigned digits) {
    int dumped = object ? json_dumpf(object, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(digits)) : -1;
    json_decref(object);
    if (dumped != 0 && !ferror(stdout)) {
        cli_error(command, "out of memory while writing JSON");
        return CLI_FAILED;
    }
    putchar('\n');
    return cli_flush(command);
}

json_t *cli_json_real(double value) { return isfinite(value) ? json_real(value) : json_null(); }

size_t cli_utf8_length(const char *text) {
    const unsigned char *c = (const unsigned char *)text;
    size_t length = c[0] < 0x80 ? 1 : c[0] < 0xc2 ? 0 : c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : c[0] < 0xf5 ? 4 : 0;
    for (size_t i = 1; i < length; i++) // ends at the text's end, too
        if ((c[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xf0 && c[1] < 0x90);
    bool none = (c[0] == 0xed && c[1] > 0x9f) || (c[0] == 0xf4 && c[1] > 0x8f); // halves of pairs, and beyond the last one
    return overlong || none ? 0 : length;
}

json_t *cli_json_text(const char *text) {
    json_t *string = json_string(text);
    if (string)
        return string;
    char *plain = strdup(text);
    for (char *c = plain; c && *c; c++)
        if ((unsigned char)*c >= 0x80)
            *c = '?';
    string = plain ? json_string(plain) : NULL;
    free(plain);
    return string;
}

char *cli_size_text(uint64_t bytes, char *text) {
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = (double)bytes;
    int unit = 0;
    for (; value >= 1024 && unit < 6; unit++)
        value /= 1024;
    snprintf(text, 32, unit && value != floor(value) ? "%.2f %s" : "%.0f %s", value, units[unit]);
    return text;
}

char *cli_time_text(double seconds, char *text) {
    if (seconds >= 1)
        snprintf(text, 32, "%.2f s", seconds);
    else if (seconds >= 1e-3)
        snprintf(text, 32, "%.1f ms", 1e3 * seconds);
    else
        snprintf(text, 32, "%.0f us", 1e6 * seconds);
    return text;
}

char *cli_shape_text(const mst_layout *layout, char *text) {
    size_t used = (size_t)snprintf(text, 200, "[");
    for (int k = 0; k < layout->rank && k < MST_MAX_RANK; k++)
        used += (size_t)snprintf(text + used, 200 - used, "%s%zu", k ? ", " : "", layout->shape[k]);
    snprintf(text + used, 200 - used, "]");
    return text;
}
