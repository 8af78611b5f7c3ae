// The command `prepare`.
#ifndef MASTABA_CLI_PREPARE_H
#define MASTABA_CLI_PREPARE_H

#include "core/cli.h"

extern const cli_command cmd_prepare;

#endif
