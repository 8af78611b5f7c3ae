// `mastaba convolve - KERNEL -o -`: sound from standard input to standard output, as it comes.
#ifndef MASTABA_CLI_STREAM_H
#define MASTABA_CLI_STREAM_H

#include "core/options.h"

#include <stdbool.h>

// Convolves until the input ends. `raw`: samples of so many channels come and go, 0: WAV. `wide`: raw samples are float64, and so
// is the result, as it is where samples or the kernel are; else float32. `latency` in samples, 0: the library's default. Returns
// an exit code.
int cli_convolve_stream(const char *command, const char *kernel, int raw, bool wide, int latency, const cli_options *options);

#endif
