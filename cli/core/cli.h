// What the commands of the program share. A command is described in cmd_NAME.c of the room it belongs to; main.c lists them.
#ifndef MASTABA_CLI_H
#define MASTABA_CLI_H

#include "clock.h"
#include "command.h"
#include "context.h"
#include "interrupt.h"
#include "json.h"
#include "nearest.h"
#include "options.h"
#include "progress.h"
#include "report.h"
#include "team.h"
#include "text.h"
#include "values.h"

#include <stdio.h>

#endif
