#include "yaml_file.h"

#include "core/library.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FILE_LIMIT = 256 << 10, DEPTH_LIMIT = 16 };

static int failed(const cli_yaml *y, const char *message) {
    cli_error(y->command, "%s: %s", y->path, message);
    return CLI_INPUT_OUTPUT;
}

bool cli_yaml_error(const cli_yaml *y, const yaml_node_t *node, const char *format, ...) {
    char message[1000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    cli_error(y->command, "%s:%zu: %s%s%s", y->path, node->start_mark.line + 1, y->key, y->key[0] ? ": " : "", message);
    return false;
}

yaml_node_t *cli_yaml_root(cli_yaml *y) { return yaml_document_get_root_node(&y->document); }

yaml_node_t *cli_yaml_node(const cli_yaml *y, int index) {
    return yaml_document_get_node((yaml_document_t *)(uintptr_t)&y->document, index); // which it does not change
}

// What is wrong in most files with such an error: an expression that needs quotes.
static const char *advice_for(const yaml_parser_t *parser) {
    if (strstr(parser->problem, "mapping values are not allowed"))
        return "; an expression with ': ' in it needs quotes";
    if (strstr(parser->problem, "did not find expected ',' or"))
        return "; within braces and brackets an expression with commas, brackets or braces needs quotes";
    return "";
}

static int syntax_error(const cli_yaml *y, const yaml_parser_t *parser) {
    if (parser->error == YAML_MEMORY_ERROR)
        return failed(y, "out of memory");
    if (parser->error == YAML_READER_ERROR)
        cli_error(y->command, "%s: not a text file in UTF-8: %s at byte %zu", y->path, parser->problem, parser->problem_offset);
    else
        cli_error(y->command, "%s:%zu: not YAML: %s%s%s (column %zu)%s", y->path, parser->problem_mark.line + 1,
                  parser->context ? parser->context : "", parser->context ? ", " : "", parser->problem,
                  parser->problem_mark.column + 1, advice_for(parser));
    return CLI_INPUT_OUTPUT;
}

// What would make a small file take long: deep nesting, in which libyaml's time grows with the square, and aliases, of which a
// few lines make a tree of any size, or a ring.
static int check_event(const cli_yaml *y, const yaml_event_t *event, int *depth, int *documents) {
    const char *problem = NULL;
    bool start = event->type == YAML_SEQUENCE_START_EVENT || event->type == YAML_MAPPING_START_EVENT;
    bool end = event->type == YAML_SEQUENCE_END_EVENT || event->type == YAML_MAPPING_END_EVENT;
    *depth += start - end;
    *documents += event->type == YAML_DOCUMENT_START_EVENT;
    if (event->type == YAML_ALIAS_EVENT)
        problem = "aliases (* and &) are not taken here; write the value out, or put an expression in quotes";
    else if (*depth > DEPTH_LIMIT)
        problem = "lists and mappings are nested too deep for a problem";
    else if (*documents > 1)
        problem = "a second YAML document begins; a file holds one problem";
    if (!problem)
        return CLI_DONE;
    cli_error(y->command, "%s:%zu: %s", y->path, event->start_mark.line + 1, problem);
    return CLI_INPUT_OUTPUT;
}

static int check_events(const cli_yaml *y, yaml_parser_t *parser) {
    int code = CLI_DONE, depth = 0, documents = 0;
    for (bool more = true; more && code == CLI_DONE;) {
        yaml_event_t event;
        if (!yaml_parser_parse(parser, &event))
            return syntax_error(y, parser);
        code = check_event(y, &event, &depth, &documents);
        more = event.type != YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
    return code == CLI_DONE && documents == 0
               ? failed(y, "the file is empty; a problem has at least a grid, fields, an update and steps")
               : code;
}

static int load_document(cli_yaml *y, yaml_parser_t *parser) {
    y->loaded = yaml_parser_load(parser, &y->document);
    return y->loaded ? CLI_DONE : syntax_error(y, parser);
}

int cli_yaml_parse(const char *command, const char *path, const char *text, size_t bytes, cli_yaml *y) {
    int code = cli_library_open(command, path, CLI_LIBYAML);
    y->command = command;
    y->path = path;
    for (int pass = 0; pass < 2 && code == CLI_DONE; pass++) {
        yaml_parser_t parser;
        if (!yaml_parser_initialize(&parser))
            return failed(y, "out of memory");
        yaml_parser_set_input_string(&parser, (const unsigned char *)text, bytes);
        code = pass == 0 ? check_events(y, &parser) : load_document(y, &parser);
        yaml_parser_delete(&parser);
    }
    return code;
}

int cli_yaml_open(const char *command, const char *path, cli_yaml *y) {
    struct stat info;
    char *text = NULL;
    int code;
    y->command = command;
    y->path = path;
    FILE *file = fopen(path, "re");
    if (!file)
        return failed(y, strerror(errno));
    if (fstat(fileno(file), &info) == 0 && S_ISDIR(info.st_mode)) {
        code = failed(y, "is a directory");
    } else if (!(text = malloc(FILE_LIMIT + 1))) {
        code = failed(y, "out of memory");
    } else {
        size_t bytes = fread(text, 1, FILE_LIMIT + 1, file);
        if (ferror(file))
            code = failed(y, "cannot be read");
        else if (bytes > FILE_LIMIT)
            code = failed(y, "longer than 256 KiB, so no problem file");
        else
            code = cli_yaml_parse(command, path, text, bytes, y);
    }
    free(text);
    fclose(file);
    return code;
}

void cli_yaml_close(cli_yaml *y) {
    if (y->loaded)
        yaml_document_delete(&y->document);
    y->loaded = false;
}

// ---- Where the reader is, for messages: "fields.u", "sources[1].at".

static size_t enter(cli_yaml *y, const char *name, size_t index) {
    size_t length = strlen(y->key), room = sizeof y->key - length;
    if (name)
        snprintf(y->key + length, room, "%s%s", length ? "." : "", name);
    else
        snprintf(y->key + length, room, "[%zu]", index);
    return length;
}

static void leave(cli_yaml *y, size_t length) { y->key[length] = '\0'; }

static const char *kind(const yaml_node_t *node) {
    return node->type == YAML_SEQUENCE_NODE ? "a list" : node->type == YAML_MAPPING_NODE ? "a mapping" : "a single value";
}

const char *cli_yaml_text(const cli_yaml *y, const yaml_node_t *node, const char *expected) {
    if (node->type != YAML_SCALAR_NODE) {
        cli_yaml_error(y, node, "expected %s, not %s", expected, kind(node));
        return NULL;
    }
    const char *text = (const char *)node->data.scalar.value;
    if (strlen(text) != node->data.scalar.length || strlen(text) == 0) {
        cli_yaml_error(y, node, "expected %s, but %s", expected,
                       text[0] ? "there is a zero byte in the text" : "there is nothing");
        return NULL;
    }
    return text;
}

bool cli_yaml_count(cli_yaml *y, yaml_node_t *node, yaml_node_type_t type, const char *expected, size_t most, size_t *n) {
    if (node->type != type)
        return cli_yaml_error(y, node, "expected %s, not %s", expected, kind(node));
    *n = type == YAML_SEQUENCE_NODE ? (size_t)(node->data.sequence.items.top - node->data.sequence.items.start)
                                    : (size_t)(node->data.mapping.pairs.top - node->data.mapping.pairs.start);
    return *n <= most || cli_yaml_error(y, node, "%zu entries; at most %zu are taken", *n, most);
}

// What is behind a comma of an expression that lacks quotes: "{u: laplace(u, 4)}" has a key "4)".
static bool is_cut_off(const yaml_node_t *mapping, const yaml_node_t *key, const yaml_node_t *value) {
    return mapping->data.mapping.style == YAML_FLOW_MAPPING_STYLE && key->type == YAML_SCALAR_NODE &&
           value->type == YAML_SCALAR_NODE && value->data.scalar.length == 0 &&
           value->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
}

bool cli_yaml_entries(cli_yaml *y, yaml_node_t *mapping, cli_yaml_entry read, void *target) {
    const yaml_node_pair_t *start = mapping->data.mapping.pairs.start, *top = mapping->data.mapping.pairs.top;
    for (const yaml_node_pair_t *pair = start; pair < top; pair++)
        if (is_cut_off(mapping, cli_yaml_node(y, pair->key), cli_yaml_node(y, pair->value)))
            return cli_yaml_error(y, cli_yaml_node(y, pair->key),
                                  "nothing belongs to '%s'; a comma within {...} ends a value, unless quotes are around it",
                                  (const char *)cli_yaml_node(y, pair->key)->data.scalar.value);
    for (const yaml_node_pair_t *pair = start; pair < top; pair++) {
        const yaml_node_t *key = cli_yaml_node(y, pair->key);
        const char *name = cli_yaml_text(y, key, "a name as key");
        if (!name)
            return false;
        for (const yaml_node_pair_t *other = start; other < pair; other++)
            if (strcmp(name, (const char *)cli_yaml_node(y, other->key)->data.scalar.value) == 0)
                return cli_yaml_error(y, key, "'%s' stands here a second time; the first is on line %zu", name,
                                      cli_yaml_node(y, other->key)->start_mark.line + 1);
        size_t length = enter(y, name, 0);
        if (!read(y, name, cli_yaml_node(y, pair->value), (size_t)(pair - start), target))
            return false;
        leave(y, length);
    }
    return true;
}

bool cli_yaml_items(cli_yaml *y, yaml_node_t *list, cli_yaml_entry read, void *target) {
    const yaml_node_item_t *start = list->data.sequence.items.start;
    for (const yaml_node_item_t *item = start; item < list->data.sequence.items.top; item++) {
        size_t length = enter(y, NULL, (size_t)(item - start));
        if (!read(y, NULL, cli_yaml_node(y, *item), (size_t)(item - start), target))
            return false;
        leave(y, length);
    }
    return true;
}

// ---- Mappings with known keys: one pass sorts the values by key, one reads them.

enum { MOST_KEYS = 32 };

typedef struct known_keys {
    const cli_yaml_key *keys;
    size_t n;
    yaml_node_t *values[MOST_KEYS];
} known_keys;

// "grid, spacing, time_step"
static void list_names(const void *table, size_t n, size_t stride, char *text, size_t bytes) {
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < n && used < bytes; i++)
        used += (size_t)snprintf(text + used, bytes - used, "%s%s", i ? ", " : "",
                                 *(const char *const *)((const char *)table + i * stride));
}

static bool sort_key(cli_yaml *y, const char *name, yaml_node_t *value, size_t index, void *target) {
    known_keys *known = target;
    char names[600];
    (void)index;
    for (size_t k = 0; k < known->n; k++)
        if (strcmp(name, known->keys[k].name) == 0) {
            known->values[k] = value;
            return true;
        }
    const char *meant = cli_nearest(name, known->keys, known->n, sizeof *known->keys);
    list_names(known->keys, known->n, sizeof *known->keys, names, sizeof names);
    return meant ? cli_yaml_error(y, value, "no such key; did you mean '%s'?", meant)
                 : cli_yaml_error(y, value, "no such key; expected one of %s", names);
}

bool cli_yaml_keys(cli_yaml *y, yaml_node_t *node, const cli_yaml_key *keys, size_t n, void *target) {
    known_keys known = {keys, n, {NULL}};
    char names[600];
    size_t n_entries;
    list_names(keys, n, sizeof *keys, names, sizeof names);
    if (node->type != YAML_MAPPING_NODE)
        return cli_yaml_error(y, node, "expected a mapping with the keys %s, not %s", names, kind(node));
    if (!cli_yaml_count(y, node, YAML_MAPPING_NODE, "a mapping", 2 * MOST_KEYS, &n_entries) ||
        !cli_yaml_entries(y, node, sort_key, &known))
        return false;
    for (size_t k = 0; k < n; k++) {
        if (!known.values[k] && keys[k].required)
            return cli_yaml_error(y, node, "the key '%s' is missing", keys[k].name);
        if (!known.values[k])
            continue;
        size_t length = enter(y, keys[k].name, 0);
        if (!keys[k].read(y, known.values[k], target))
            return false;
        leave(y, length);
    }
    return true;
}

// ---- Scalars.

bool cli_yaml_number(const cli_yaml *y, const yaml_node_t *node, double *value) {
    const char *text = cli_yaml_text(y, node, "a number");
    char *end;
    if (!text)
        return false;
    *value = strtod(text, &end);
    if (*end || text[strspn(text, "+-.0123456789eE")] || !isfinite(*value))
        return cli_yaml_error(y, node, "expected a number, not '%s'", text);
    return true;
}

bool cli_yaml_integer(const cli_yaml *y, const yaml_node_t *node, uint64_t least, uint64_t most, uint64_t *value) {
    const char *text = cli_yaml_text(y, node, "a whole number");
    if (!text)
        return false;
    errno = 0;
    *value = strtoull(text, NULL, 10);
    if (text[strspn(text, "0123456789")] || errno || *value < least || *value > most)
        return cli_yaml_error(y, node, "expected a whole number from %" PRIu64 " to %" PRIu64 ", not '%s'", least, most, text);
    return true;
}

bool cli_yaml_bool(const cli_yaml *y, const yaml_node_t *node, bool *value) {
    const char *text = cli_yaml_text(y, node, "true or false");
    if (!text)
        return false;
    *value = strcmp(text, "true") == 0;
    return *value || strcmp(text, "false") == 0 || cli_yaml_error(y, node, "expected true or false, not '%s'", text);
}

int cli_yaml_choice(const cli_yaml *y, const yaml_node_t *node, const void *table, size_t n, size_t stride) {
    char names[600];
    list_names(table, n, stride, names, sizeof names);
    const char *text = cli_yaml_text(y, node, names), *meant;
    if (!text)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (strcmp(text, *(const char *const *)((const char *)table + i * stride)) == 0)
            return (int)i;
    meant = cli_nearest(text, table, n, stride);
    cli_yaml_error(y, node, "expected one of %s, not '%s'%s%s%s", names, text, meant ? "; did you mean '" : "",
                   meant ? meant : "", meant ? "'?" : "");
    return -1;
}
