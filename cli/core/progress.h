// A progress bar on stderr, if that is a terminal. No colours.
#ifndef MASTABA_CLI_PROGRESS_H
#define MASTABA_CLI_PROGRESS_H

#include <mastaba/mastaba.h>

typedef struct cli_progress {
    const char *label;
    double bytes; // of the whole work, for the rate; 0: the rate is in items
    bool visible, drawn;
    double start, last; // seconds
    char note[80];      // what stands behind it; may be empty
} cli_progress;

cli_progress cli_progress_start(const char *label, double bytes);

// An mst_progress_fn; user is the cli_progress. False once the program was interrupted.
bool cli_progress_update(uint64_t done, uint64_t total, void *user);
// A description for executing a plan that draws this bar and fills in that report.
mst_execution cli_execution(cli_progress *progress, mst_report *report);

void cli_progress_end(cli_progress *progress); // wipes the bar

#endif
