// What `mastaba tune` tunes.
#ifndef MASTABA_CLI_TUNE_H
#define MASTABA_CLI_TUNE_H

#include "cli.h"

// What `make` makes of a size: a batch of vectors, neighbours in memory along or across, or one square or cube.
typedef enum tune_form { TUNE_ROWS, TUNE_COLUMNS, TUNE_SQUARE, TUNE_CUBE } tune_form;

// A problem of the fixed list. `make` makes its plan, which is where tuning takes place, and destroys it.
typedef struct tune_case {
    const char *capability;
    size_t size; // what --size replaces
    mst_status (*make)(const struct tune_case *c, mst_context *context, mst_error *error);
    mst_type type;
    tune_form form;
} tune_case;

extern const tune_case tune_cases[];
extern const size_t tune_n_cases;

#endif
