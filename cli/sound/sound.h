// Sound files, through libsndfile, read and written whole.
#ifndef MASTABA_CLI_SOUND_H
#define MASTABA_CLI_SOUND_H

#include "core/whole_file.h"

// ---- reader.c

// Whether libsndfile is there and knows the format of an open file.
bool cli_is_sound(int file);

typedef struct cli_sound {
    mst_layout layout; // float32, shape (channels, frames), interleaved as libsndfile has it
    int sample_rate;   // in Hz
    float *samples;    // malloc'ed, also where reading failed; NULL: they were not read
} cli_sound;

// Reads the sound in an open file, whole; or only as much as says its layout: the header, where that tells the frames. `out`
// began as zeros, and `path` is for messages. Returns an exit code.
int cli_sound_read(const char *command, const char *path, int file, bool only_layout, cli_sound *out);

// ---- writer.c

typedef struct cli_sound_writer cli_sound_writer;

// Whether the path's extension is one of a sound format that can be written.
bool cli_is_sound_path(const char *path);

// Begins a sound in an open file, which stays the caller's and is closed after the sound, and takes memory for its samples. Warns
// where the file system has no room for them. Returns an exit code. cli_sound_close follows in any case.
int cli_sound_begin(cli_whole_file *whole, const mst_layout *result, int sample_rate, cli_sound_writer **out);
mst_layout cli_sound_layout(const cli_sound_writer *writer);
mst_location cli_sound_location(const cli_sound_writer *writer);

// Writes the samples to the file. Warns if some had to be clipped. Returns an exit code.
int cli_sound_write(cli_sound_writer *writer);
void cli_sound_close(cli_sound_writer *writer);

#endif
