// The commands `devices` and `doctor`.
#ifndef MASTABA_CLI_DEVICES_H
#define MASTABA_CLI_DEVICES_H

#include "core/cli.h"

extern const cli_command cmd_devices, cmd_doctor;

#endif
