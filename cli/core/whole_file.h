// A file under a temporary name until it is whole.
#ifndef MASTABA_CLI_WHOLE_FILE_H
#define MASTABA_CLI_WHOLE_FILE_H

#include "report.h"

#include <stdio.h>

typedef struct cli_whole_file {
    const char *command, *path; // the caller's
    FILE *file;                 // for writing and reading
    char *temporary;
    bool force;
} cli_whole_file;

// All return an exit code after printing the error. cli_whole_close follows in any case, on a file that began as zeros.
int cli_whole_open(const char *command, const char *path, bool force, cli_whole_file *w);

// Gives the file its name, with the permissions of new files; replaces what has it with `force`, else refuses. `durable`: what is
// then under the name survives a crash of the machine.
int cli_whole_commit(cli_whole_file *w, bool durable);
void cli_whole_close(cli_whole_file *w);

// Says that a write failed for the reason in an errno value.
int cli_whole_failed(const cli_whole_file *w, int code);

#endif
