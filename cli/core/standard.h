// Standard input and output for formats that have to be read and written at any place: by way of a temporary file.
#ifndef MASTABA_CLI_STANDARD_H
#define MASTABA_CLI_STANDARD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// Functions return an exit code after printing the error.

// Whether a path means standard input, or output: "-".
bool cli_is_standard(const char *path);

// What is called so in messages: the path, or for "-" the name of the stream.
const char *cli_input_name(const char *path);

// All of standard input as a file without a name, which fclose removes; more than `most` bytes are refused. Blocks until the
// input ends; with CLI_INTERRUPTED it prints no message.
int cli_standard_input(const char *command, uint64_t most, FILE **file);

// Writes a whole file to standard output.
int cli_standard_output(const char *command, FILE *file);

#endif
