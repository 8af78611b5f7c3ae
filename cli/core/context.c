#include "context.h"

#include "report.h"
#include "team.h"

#include <stdio.h>
#include <unistd.h>

void cli_log_line(mst_log_level level, const char *line, void *user) {
    (void)user;
    static const char *const prefixes[] = {"debug: ", "info: ", "warning: "};
    char text[4096];
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr); // the progress bar
    snprintf(text, sizeof text, "%s", line);
    cli_print_line(prefixes[level], text);
}

static void log_warning(mst_log_level level, const char *line, void *user) {
    if (level >= MST_LOG_WARNING)
        cli_log_line(level, line, user);
}

// Prints a program for --show-kernels.
static void show_program(const char *name, const char *text, void *user) {
    (void)user;
    printf("// ---- %s\n\n%s\n", name, text);
}

int cli_context(const char *command, const cli_options *options, bool profile, mst_context **out) {
    mst_context_desc desc = MST_CONTEXT_DESC_INIT;
    mst_error error;
    desc.device = options->device;
    desc.device_memory = options->device_memory;
    desc.host_memory = options->host_memory;
    desc.no_cache = options->no_cache != 0;
    desc.profile = profile;
    desc.on_program = options->show_kernels ? show_program : NULL;
    desc.log = options->verbose ? cli_log_line : log_warning;
    int code = cli_create_context(&desc, out, &error) == MST_OK ? CLI_DONE : cli_fail(command, NULL, &error);
    return cli_agree(command, code);
}

const char *cli_device_text(const mst_context *context, char text[static 320]) {
    const char *name = mst_context_device(context)->name;
    size_t n = mst_context_n_devices(context);
    if (n == 1)
        snprintf(text, 320, "%s", name);
    else
        snprintf(text, 320, "%s and %zu more", name, n - 1);
    return text;
}
