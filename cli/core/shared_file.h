// A whole file of the first process of a team that all of it write to. Calls of all of the team, in the same order, that return
// an exit code after printing the error.
#ifndef MASTABA_CLI_SHARED_FILE_H
#define MASTABA_CLI_SHARED_FILE_H

#include "whole_file.h"

// Opens what the first process's `whole` is; *file is to be closed, unless it is
// -1, whatever is returned. *offset is the first one's for all.
int cli_shared_open(const char *command, const cli_whole_file *whole, uint64_t *offset, int *file);

// Says whether what this process wrote has arrived, as network file systems tell when a file is closed, with the exit code of its
// writing. `durable`: on the disk.
int cli_shared_end(const char *command, int code, int file, bool durable);

#endif
