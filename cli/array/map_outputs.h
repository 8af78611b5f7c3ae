// The results of mastaba map: .npy files, or numbers that are printed.
#ifndef MASTABA_CLI_MAP_OUTPUTS_H
#define MASTABA_CLI_MAP_OUTPUTS_H

#include "files.h"

typedef struct map_output {
    const char *text, *expression; // as given, and behind its `NAME =`
    int name_length;               // of the name at the beginning of the text; 0: none is given
    cli_output file;
    union {
        unsigned char bytes[16];
        double aligned[2];
    } number;
    mst_location location;
} map_output;

typedef struct map_outputs {
    map_output all[MST_MAP_MAX_OUTPUTS];
    int n;
    bool in_files;
} map_outputs;

// All but the first two return an exit code after printing the error. map_outputs_close follows in any case.
bool map_is_expression(const char *operand); // `NAME = EXPRESSION` with blanks before the =
void map_outputs_close(map_outputs *outputs);
int map_outputs_add(const char *command, const char *expression, map_outputs *outputs);
// One file for each output.
int map_outputs_open(const char *command, char *const *paths, bool force, const char *const *inputs, map_outputs *outputs);
// Says where results go, this process's share of each; without files each must be one number.
int map_outputs_begin(const char *command, map_outputs *outputs, const mst_map *plan, const cli_share *share);
int map_outputs_commit(map_outputs *outputs);
int map_outputs_print(const char *command, const map_outputs *outputs, const mst_map *plan, bool json);

#endif
