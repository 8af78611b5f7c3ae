// `mastaba convolve - KERNEL -o -`: sound from standard input to standard output, as it comes.
#ifndef MASTABA_CLI_STREAM_H
#define MASTABA_CLI_STREAM_H

#include "core/options.h"

// Convolves until the input ends. `raw`: float32 samples of so many channels come and go, 0: WAV. `latency` in samples, 0: the
// library's default. Returns an exit code.
int cli_convolve_stream(const char *command, const char *kernel, int raw, int latency, const cli_options *options);

#endif
