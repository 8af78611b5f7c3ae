// What `mastaba tune` tunes.
#ifndef MASTABA_CLI_TUNE_H
#define MASTABA_CLI_TUNE_H

#include "core/cli.h"

extern const cli_command cmd_tune;

// The array that a case has: a batch of vectors whose elements are neighbours in memory (rows) or lie apart (columns), or one
// square or cube.
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

// compare.c: over all problems, how fast the values that were found are beside those of an untuned device and the safe ones.
typedef struct tune_ratios {
    int n;                // problems
    int left_out;         // others: nothing was found for them, or it cannot be timed
    double least_gain;    // of the untuned times to the tuned ones
    double untuned, safe; // sums of the logarithms of speeds, the tuned one being 1
    double copy_rate;     // bytes a second; 0: not known
    double least_map;     // of the rates of maps, the copy rate being 1; 0: none
} tune_ratios;

void tune_add(tune_ratios *ratios, const tune_case *c, const mst_tuning_result *result);
void tune_print_ratios(const tune_ratios *ratios);
json_t *tune_ratios_json(const tune_ratios *ratios); // NULL when out of memory

#endif
