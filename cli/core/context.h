#ifndef MASTABA_CLI_CONTEXT_H
#define MASTABA_CLI_CONTEXT_H

#include "options.h"

// Makes a context as the options ask. Returns CLI_DONE, or an exit code after printing the error. With --verbose the
// library's log goes to stderr, else only its warnings; with --show-kernels every program is printed on stdout once. `profile`:
// mst_report gets the times of upload, compute and download.
int cli_context(const char *command, const cli_options *options, bool profile, mst_context **out);

// An mst_log_fn: prints the line on stderr.
void cli_log_line(mst_log_level level, const char *line, void *user);

// "NAME", or "NAME and 2 more" of a group, in `text`.
const char *cli_device_text(const mst_context *context, char text[static 320]);

#endif
