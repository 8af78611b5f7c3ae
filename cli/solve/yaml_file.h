// YAML files of a fixed shape, read through libyaml's document API: messages name file, line, key and what was expected.
#ifndef MASTABA_CLI_YAML_FILE_H
#define MASTABA_CLI_YAML_FILE_H

#include "core/cli.h"
#include <yaml.h>

typedef struct cli_yaml {
    const char *command, *path; // for messages; the caller's
    yaml_document_t document;
    bool loaded;
    char key[128]; // where the reader is: "fields.u.levels"
} cli_yaml;

// Reads a file, or a text in memory, of one document. Refused: more than 256 KiB, aliases, what is not YAML. Returns an exit
// code after printing the error. cli_yaml_close follows in any case, on a cli_yaml that began as zeros.
int cli_yaml_open(const char *command, const char *path, cli_yaml *y);
int cli_yaml_parse(const char *command, const char *path, const char *text, size_t bytes, cli_yaml *y);
void cli_yaml_close(cli_yaml *y);

// Strings that the functions below return live until cli_yaml_close.
yaml_node_t *cli_yaml_root(cli_yaml *y);
yaml_node_t *cli_yaml_node(const cli_yaml *y, int index); // as a mapping or a list has it

// Prints "FILE:LINE: KEY: MESSAGE" with the line of the node. Returns false, as do all readers that printed an error.
bool cli_yaml_error(const cli_yaml *y, const yaml_node_t *node, const char *format, ...) __attribute__((format(printf, 3, 4)));

typedef bool (*cli_yaml_reader)(cli_yaml *y, yaml_node_t *value, void *target);

// A key of a mapping and what reads its value.
typedef struct cli_yaml_key {
    const char *name;
    cli_yaml_reader read;
    bool required;
} cli_yaml_key;

// Reads a mapping with known keys, in the order of the table, not of the file. Refuses others.
bool cli_yaml_keys(cli_yaml *y, yaml_node_t *node, const cli_yaml_key *keys, size_t n, void *target);

// Calls `read` for each entry of a mapping whose keys are names of the user's, in the order of the file, or for each item of a
// list. cli_yaml_count comes first, so that the caller can make room: it checks the node's type and gives the number of entries.
typedef bool (*cli_yaml_entry)(cli_yaml *y, const char *name, yaml_node_t *value, size_t index, void *target);
bool cli_yaml_count(cli_yaml *y, yaml_node_t *node, yaml_node_type_t type, const char *expected, size_t most, size_t *n);
bool cli_yaml_entries(cli_yaml *y, yaml_node_t *mapping, cli_yaml_entry read, void *target);
bool cli_yaml_items(cli_yaml *y, yaml_node_t *list, cli_yaml_entry read, void *target);

// Scalars; `expected` says what the value should be: "a number above 0". cli_yaml_text gives NULL after printing the error.
const char *cli_yaml_text(const cli_yaml *y, const yaml_node_t *node, const char *expected);
bool cli_yaml_number(const cli_yaml *y, const yaml_node_t *node, double *value);
bool cli_yaml_integer(const cli_yaml *y, const yaml_node_t *node, uint64_t least, uint64_t most, uint64_t *value);
bool cli_yaml_bool(const cli_yaml *y, const yaml_node_t *node, bool *value);

// The index of a word in a table (as cli_nearest takes it); -1 after printing what there is and what was probably meant.
int cli_yaml_choice(const cli_yaml *y, const yaml_node_t *node, const void *table, size_t n, size_t stride);

#endif
