// What the commands on arrays share.
#ifndef MASTABA_CLI_FILES_H
#define MASTABA_CLI_FILES_H

#include "core/cli.h"
#include "core/file.h"
#include "core/layout.h"
#include "core/whole_file.h"
#include "operand.h"
#include "output.h"
#include "rewrite.h"
#include "work.h"

#endif
