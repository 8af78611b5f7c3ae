// The report of a command that wrote a file.
#ifndef MASTABA_CLI_WORK_H
#define MASTABA_CLI_WORK_H

#include "core/options.h"

typedef struct cli_work {
    const char *command, *path;
    const mst_layout *result;
    const char *algorithm;     // NULL: not given
    const char *why;           // it was chosen; NULL or empty: it was asked for
    size_t padded_length;      // printed with the algorithm
    const char *fallback_from; // the type whose place the result's took; NULL: none
    bool on_host;              // the device did nothing
    uint64_t bytes;            // of this process's inputs and output: what has to be moved at least
    const mst_report *report;
} cli_work;

// Prints the report on stdout: one line, more with --verbose, or JSON. For the last two it measures the device's copy rate. Bytes
// and their rate are those of the whole team, which calls this; what a device moved and computed is the first process's. Returns
// an exit code.
int cli_report_work(const cli_work *work, const cli_options *options, mst_context *context);

#endif
