// Sound files, through libsndfile, read and written whole.
#ifndef MASTABA_CLI_SOUND_H
#define MASTABA_CLI_SOUND_H

#include <mastaba/mastaba.h>

// ---- reader.c

// Whether libsndfile knows the file's format.
bool cli_is_sound(const char *path);

typedef struct cli_sound {
    mst_layout layout; // float32, shape (channels, frames), interleaved as libsndfile has it
    int sample_rate;   // in Hz
    float *samples;    // malloc'ed, also where reading failed
} cli_sound;

// Reads a sound, which began as zeros, whole. Returns an exit code.
int cli_sound_read(const char *command, const char *path, cli_sound *out);

// ---- writer.c

typedef struct cli_sound_writer cli_sound_writer;

// Whether the path's extension is one of a sound format that can be written.
bool cli_is_sound_path(const char *path);

// Creates a sound file under a temporary name, and the memory for its samples. Returns an exit code.
int cli_sound_create(const char *command, const char *path, const mst_layout *result, int sample_rate, bool force,
                     cli_sound_writer **out);
mst_layout cli_sound_layout(const cli_sound_writer *writer);
mst_location cli_sound_location(const cli_sound_writer *writer);

// Writes the samples and renames the file. Warns if samples had to be clipped. Returns an exit code.
int cli_sound_commit(cli_sound_writer *writer);
void cli_sound_close(cli_sound_writer *writer);

#endif
