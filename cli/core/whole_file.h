// Files that appear under their name only when they are whole, in directories that are held open from before the work.
#ifndef MASTABA_CLI_WHOLE_FILE_H
#define MASTABA_CLI_WHOLE_FILE_H

#include "report.h"

#include <stdio.h>

// Functions that return an int return an exit code after printing the error.

// The directory that files are to appear in. It stays the same one whatever becomes of its name. Begins as zeros.
typedef struct cli_place {
    bool open;
    int directory; // descriptor
} cli_place;

// Opens the directory of a path and finds out, by making a file that is gone at once, whether files can be made in it.
int cli_place_open(const char *command, const char *path, cli_place *place);
void cli_place_close(cli_place *place);

// Sees whether the file system has room for the bytes that are going to be written to `what`: a warning if it has not, or with
// `must` an error.
int cli_place_expect(const char *command, const char *what, const cli_place *place, uint64_t bytes, bool must);

// A file that is not seen until it is whole. Where the system can do so it has no name, so that nothing is left of it however the
// program ends; else a temporary one.
typedef struct cli_whole_file {
    const char *command, *path; // the caller's
    FILE *file;                 // for writing and reading; NULL: not open
    cli_place place;            // its own
    char *temporary;            // its name there; NULL: none
    bool force;
} cli_whole_file;

// Begins a file for a path, in a place that was opened for a path in the same directory, or in the path's directory where that is
// NULL. cli_whole_close follows in any case, on a file that began as zeros.
int cli_whole_open(const char *command, const cli_place *place, const char *path, bool force, cli_whole_file *w);

// Begins one that is to go to standard output when it is whole.
int cli_whole_open_standard(const char *command, cli_whole_file *w);

// Gives the file its name, with the permissions of new files; replaces what has it with `force`, else refuses. `durable`: what is
// then under the name survives a crash of the machine.
int cli_whole_commit(cli_whole_file *w, bool durable);
void cli_whole_close(cli_whole_file *w);

// A path by which another program can open the file meanwhile; malloc'ed, NULL when out of memory.
char *cli_whole_path(const cli_whole_file *w);

// Says that a write failed for the reason in an errno value.
int cli_whole_failed(const cli_whole_file *w, int code);

#endif
