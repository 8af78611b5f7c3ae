// WAV as it comes from a pipe and goes into one: no place in it is reached twice, and its length may be unknown.
#ifndef MASTABA_CLI_WAVE_H
#define MASTABA_CLI_WAVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Interleaved samples, little-endian.
typedef struct cli_wave {
    unsigned channels, sample_rate; // rate 0: raw samples without a header
    unsigned bytes;                 // of a sample: 2, 3 or 4, or 8
    bool is_float;                  // float32 or float64, else whole numbers
    uint64_t left;                  // bytes of samples that are still to come; UINT64_MAX: until the end
} cli_wave;

// Reads bytes from a descriptor until they are all there. Returns how many there were.
size_t cli_read_stream(int file, void *data, size_t bytes);

// Reads a header up to the first sample. Returns an exit code after printing the error.
int cli_wave_begin(const char *command, int file, cli_wave *wave);

// n samples as float32, or `wide`, as float64; of whole numbers, as parts of the largest.
void cli_wave_decode(const cli_wave *wave, const unsigned char *bytes, size_t n, bool wide, void *samples);

enum { CLI_WAVE_HEADER = 44 };
// The header of samples of float32 or float64 (`bytes`) whose number is not known.
void cli_wave_header(const cli_wave *wave, unsigned char header[CLI_WAVE_HEADER]);

#endif
