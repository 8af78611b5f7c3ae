// Inputs: .npy arrays stay on disk and stream through the device; sounds, and arrays in Fortran order or of foreign bytes, are
// read whole.
#ifndef MASTABA_CLI_OPERAND_H
#define MASTABA_CLI_OPERAND_H

#include <mastaba/mastaba.h>

typedef struct cli_operand {
    const char *path; // the caller's
    mst_layout layout;
    mst_location location;
    int sample_rate;    // in Hz; 0: not a sound
    bool takes_float16; // the caller's: other arrays of it are refused
    bool only_layout;   // the caller's: no number is read that the layout does not need, and there is no location
    bool open;
    int file; // descriptor
    mst_npy *npy;
    float *samples;
} cli_operand;

// Opens a .npy file or a sound, told apart by content. Returns an exit code, after printing the error. cli_operand_close follows
// in any case, on an operand that began as zeros.
int cli_operand_open(const char *command, const char *path, cli_operand *operand);
void cli_operand_close(cli_operand *operand);

// Whether all of a team (core/team.h) have opened the same files; an exit code.
int cli_operands_agree(const char *command, const cli_operand *operands, size_t n);

#endif
