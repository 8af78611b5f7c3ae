// Results: .npy files and sounds that appear under their name only when they are whole.
#ifndef MASTABA_CLI_OUTPUT_H
#define MASTABA_CLI_OUTPUT_H

#include "sound/sound.h"

typedef struct cli_output {
    const char *path;  // the caller's
    mst_layout layout; // what the plan is to write
    mst_location location;
    mst_npy *npy;
    cli_sound_writer *sound;
} cli_output;

// Refuses, before any work: an extension that is neither .npy nor, with `sounds`, one of a sound format; a path that exists
// (without force), is not a regular file, or is one of the inputs (NULL-ended). Returns an exit code.
int cli_output_check(const char *command, const char *path, bool sounds, bool force, const char *const *inputs);

// The same, whatever the extension.
int cli_output_available(const char *command, const char *path, bool force, const char *const *inputs);

// Creates the file for a result, under a temporary name: a sound if the path's extension is one of a sound format (at
// sample_rate Hz), else .npy. Returns an exit code. cli_output_close follows in any case, on an output that began as zeros.
int cli_output_create(const char *command, const char *path, const mst_layout *result, int sample_rate, bool force,
                      cli_output *output);

// Writes an array that lies in memory without gaps. Returns an exit code.
int cli_output_write(const char *command, const char *path, const mst_layout *layout, const void *data, bool force);

// Puts the whole file in place. Returns an exit code.
int cli_output_commit(const char *command, cli_output *output);
void cli_output_close(cli_output *output);

#endif
