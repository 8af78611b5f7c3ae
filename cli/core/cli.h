// What the commands of the program share. A command is one function in cmd_NAME.c of the room it belongs to; main.c lists them.
#ifndef MASTABA_CLI_H
#define MASTABA_CLI_H

#include "clock.h"
#include "context.h"
#include "interrupt.h"
#include "json.h"
#include "nearest.h"
#include "options.h"
#include "progress.h"
#include "report.h"
#include "text.h"

#include <stdio.h>

// The commands. argv[0] is the command's name. Each returns an exit code.
int cmd_devices(int argc, const char **argv);
int cmd_fft(int argc, const char **argv);
int cmd_convolve(int argc, const char **argv);
int cmd_map(int argc, const char **argv);
int cmd_filter(int argc, const char **argv);
int cmd_integrate(int argc, const char **argv);
int cmd_solve(int argc, const char **argv);
int cmd_tune(int argc, const char **argv);
int cmd_bench(int argc, const char **argv);

#endif
