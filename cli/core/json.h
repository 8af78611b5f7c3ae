#ifndef MASTABA_CLI_JSON_H
#define MASTABA_CLI_JSON_H

#include <jansson.h>
#include <stdbool.h>

// Prints an object or array on stdout and drops the reference. object NULL: out of memory. Returns an exit code.
int cli_print_json(const char *command, json_t *object);
int cli_print_json_digits(const char *command, json_t *object, unsigned digits); // instead of 9 significant ones

// The least number of significant digits, from those 9 on, from which a number is read back as it is.
unsigned cli_json_digits(double value);

// A number for JSON: null for NaN and infinity, which JSON cannot express.
json_t *cli_json_real(double value);

// An array of sizes; NULL when out of memory.
json_t *cli_json_sizes(const size_t *sizes, int n);

// The object; NULL, with the object dropped, if something of it could not be set.
json_t *cli_json_complete(json_t *object, bool failed);

// Text for JSON: what is not UTF-8, as a file's name may not be, becomes '?'.
json_t *cli_json_text(const char *text);

#endif
