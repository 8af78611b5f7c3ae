// Messages and exit codes.
#include "report.h"

#include "text.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

void cli_print_line(const char *prefix, char *text) {
    for (unsigned char *c = (unsigned char *)text; *c;) {
        size_t length = cli_utf8_length((const char *)c);
        bool control = *c < 0x20 || *c == 0x7f || (c[0] == 0xc2 && c[1] < 0xa0); // the last: those of 8 bits
        for (size_t i = 0; (control || length == 0) && i < (length ? length : 1); i++)
            c[i] = '?';
        c += length ? length : 1;
    }
    fprintf(stderr, "%s%s\n", prefix, text);
}

static const char *program = "mastaba";

void cli_set_program(const char *name) { program = name; }
const char *cli_program(void) { return program; }

static pthread_mutex_t last_error_lock = PTHREAD_MUTEX_INITIALIZER;
static char last_error[512];
static atomic_uint errors;

unsigned cli_errors(void) { return errors; }

const char *cli_last_error(void) { return last_error; }

void cli_error(const char *command, const char *format, ...) {
    char prefix[64], text[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    pthread_mutex_lock(&last_error_lock);
    snprintf(last_error, sizeof last_error, "%.511s", text);
    pthread_mutex_unlock(&last_error_lock);
    snprintf(prefix, sizeof prefix, "%s%s%s: ", program, command ? " " : "", command ? command : "");
    errors++;
    cli_print_line(prefix, text);
}

int cli_wrong_option(const char *command, const char *option, const char *text, const char *message) {
    cli_error(command, "%s %s: %s", option, text, message);
    return CLI_USAGE;
}

int cli_out_of_memory(const char *command, const char *what) {
    cli_error(command, "out of memory%s%s", what ? " for " : "", what ? what : "");
    return CLI_FAILED;
}

int cli_fail_interrupted(const char *command) {
    cli_error(command, "interrupted; nothing was written");
    return CLI_INTERRUPTED;
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
    case MST_ERROR_DIVERGED:
        return CLI_DIVERGED;
    default:
        return CLI_FAILED;
    }
}

int cli_fail_input(const char *command, const char *subject, const mst_error *error) {
    int code = cli_fail(command, subject, error);
    return code == CLI_USAGE ? CLI_INPUT_OUTPUT : code;
}

int cli_flush(const char *command) {
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return CLI_DONE;
    cli_error(command, "standard output: %s", errno ? strerror(errno) : "write error");
    return CLI_INPUT_OUTPUT;
}
