// The program's files: .npy arrays stay on disk and stream through the device; sounds are read and written whole.
#ifndef MASTABA_CLI_FILES_H
#define MASTABA_CLI_FILES_H

#include "core/cli.h"
#include "core/whole_file.h"

// ---- operand.c

// Whether the path ends so, in any case: ".npy" say.
bool cli_has_extension(const char *path, const char *extension);

typedef struct cli_operand {
    const char *path; // the caller's
    mst_layout layout;
    mst_location location;
    int sample_rate; // in Hz; 0: not a sound
    mst_npy *npy;
    float *samples;
} cli_operand;

// Opens a .npy file or a sound, told apart by content. Returns an exit code, after printing the error. cli_operand_close follows
// in any case, on an operand that began as zeros.
int cli_operand_open(const char *command, const char *path, cli_operand *operand);
void cli_operand_close(cli_operand *operand);

// ---- output.c

typedef struct cli_sound_writer cli_sound_writer;

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

// The same without a look at the extension.
int cli_output_available(const char *command, const char *path, bool force, const char *const *inputs);

// Creates the file for a result, under a temporary name: a sound if the path's extension is one of a sound format (at
// sample_rate Hz), else .npy. Returns an exit code. cli_output_close follows in any case, on an output that began as zeros.
int cli_output_create(const char *command, const char *path, const mst_layout *result, int sample_rate, bool force,
                      cli_output *output);

// Puts the whole file in place. Returns an exit code.
int cli_output_commit(const char *command, cli_output *output);
void cli_output_close(cli_output *output);

// ---- rewrite.c: passes over a whole file, in 64 MiB of memory, with a progress bar

typedef struct cli_array {
    const char *command, *path; // for messages
    mst_layout layout;          // dense
    mst_location location;      // a file
} cli_array;

// Copies an array to another of the same type, or from real numbers to float64 or complex; of the same shape, or longer along one
// axis, padded with zeros. Returns an exit code.
int cli_convert(const cli_array *from, const cli_array *to);

// NumPy's fftshift in place, along each axis k with bit k in `axes`: what was at 0 comes to n / 2. `back`: ifftshift. Returns an
// exit code.
int cli_shift(const cli_array *array, unsigned axes, bool back);

// ---- work.c: what a command that made a file says of it

typedef struct cli_work {
    const char *command, *path;
    const mst_layout *result;
    const char *algorithm;     // NULL: not given
    size_t padded_length;      // printed with the algorithm
    const char *fallback_from; // the type whose place the result's took; NULL: none
    bool on_host;              // the device did nothing
    uint64_t bytes;            // of inputs and output: what has to be moved at least
    const mst_report *report;
} cli_work;

uint64_t cli_layout_bytes(const mst_layout *layout);

// Prints it on stdout: a line, two with --verbose, or JSON. Returns an exit code. Measures the device's copy rate for the latter
// two.
int cli_report_work(const cli_work *work, const cli_options *options, mst_context *context);

// ---- sound/reader.c

// Whether libsndfile knows the file's format.
bool cli_is_sound(const char *path);

// Reads a sound whole: float32, shape (channels, frames), interleaved as libsndfile has it. Returns an exit code.
int cli_sound_read(const char *command, const char *path, cli_operand *operand);

// ---- sound/writer.c

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
