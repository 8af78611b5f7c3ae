// Values of options, from their text.
#ifndef MASTABA_CLI_VALUES_H
#define MASTABA_CLI_VALUES_H

#include <mastaba/mastaba.h>

// Bytes in "4096", "512M", "1.5GiB" (powers of 1024) or "64KB" (of 1000: KB MB GB TB), in any case. False if it is no size.
bool cli_size(const char *text, uint64_t *bytes);

// The functions below return CLI_DONE, or CLI_USAGE after printing the error.

// The numbers of --axes, as in "-2,-1": at most `most`.
int cli_axes(const char *command, const char *text, int most, int *axes, int *n_axes);

// A name that stands for a value.
typedef struct cli_choice {
    const char *name;
    int value;
} cli_choice;

// The value of one of n names; `expected` says in the error which there are.
int cli_choose(const char *command, const char *option, const char *text, const cli_choice *choices, size_t n,
               const char *expected, int *value);

// A count, written as digits, as 1e6, or as 2^30; what it was where text is NULL.
int cli_number(const char *command, const char *option, const char *text, uint64_t *count);

// --compile-from: a count, or "inf", which is UINT64_MAX; what it was where text is NULL.
int cli_compile_from(const char *command, const char *text, uint64_t *count);

// float32 or float64; 0 where text is NULL.
int cli_precision(const char *command, const char *text, const char *expected, mst_type *type);

#endif
