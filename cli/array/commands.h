#ifndef MASTABA_CLI_COMMANDS_H
#define MASTABA_CLI_COMMANDS_H

#include "core/command.h"

extern const cli_command cmd_fft, cmd_convolve, cmd_map;

#endif
