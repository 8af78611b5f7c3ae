// Results: .npy files and sounds that appear under their name only when they are whole.
#ifndef MASTABA_CLI_OUTPUT_H
#define MASTABA_CLI_OUTPUT_H

#include "core/whole_file.h"
#include "sound/sound.h"

// All return an exit code after printing the error. cli_output_close follows in any case, on an output that began as zeros.
// Opening, beginning and committing are calls of a whole team (core/team.h): its first process makes the file, all write to it.
typedef struct cli_output {
    const char *command, *path; // the caller's
    mst_layout layout;          // what the plan is to write
    mst_location location;
    cli_whole_file whole;
    cli_sound_writer *sound;
    bool is_shared;
    int shared; // this process's descriptor of a file of several
} cli_output;

// Refuses what cannot be written to, before any work: a path that exists (without force), is not a regular file, or is one of the
// inputs (NULL-ended).
int cli_output_available(const char *command, const char *path, bool force, const char *const *inputs);

// Opens a file for the result, which has no name yet, so that work begins only where there can be one. Refuses besides what the
// function above does: an extension that is neither .npy nor, with `sounds`, one of a sound format.
int cli_output_open(const char *command, const char *path, bool sounds, bool force, const char *const *inputs,
                    cli_output *output);

// Makes of the open file one for this result, and takes its space: a sound if the path's extension is one of a sound format (at
// sample_rate Hz), else .npy.
int cli_output_begin(cli_output *output, const mst_layout *result, int sample_rate);

// The same of a .npy file that this process alone opened (as cli_whole_open does) and writes.
int cli_output_begin_own(cli_output *output, const mst_layout *result);

// Puts the whole file in place, when all have written.
int cli_output_commit(cli_output *output);
void cli_output_close(cli_output *output);

#endif
