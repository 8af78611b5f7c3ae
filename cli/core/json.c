#include "json.h"

#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_DIGITS = 9 };

int cli_print_json(const char *command, json_t *object) { return cli_print_json_digits(command, object, LEAST_DIGITS); }

int cli_print_json_digits(const char *command, json_t *object, unsigned digits) {
    int dumped = object ? json_dumpf(object, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(digits)) : -1;
    json_decref(object);
    if (dumped != 0 && !ferror(stdout)) {
        cli_error(command, "out of memory while writing JSON");
        return CLI_FAILED;
    }
    putchar('\n');
    return cli_flush(command);
}

unsigned cli_json_digits(double value) {
    char text[32];
    unsigned digits = LEAST_DIGITS;
    while (snprintf(text, sizeof text, "%.*g", (int)digits, value), digits < 17 && strtod(text, NULL) != value)
        digits++;
    return digits;
}

json_t *cli_json_real(double value) { return isfinite(value) ? json_real(value) : json_null(); }

json_t *cli_json_sizes(const size_t *sizes, int n) {
    json_t *list = json_array();
    bool failed = !list;
    for (int i = 0; i < n; i++)
        failed |= json_array_append_new(list, json_integer((json_int_t)sizes[i])) != 0;
    return cli_json_complete(list, failed);
}

json_t *cli_json_complete(json_t *object, bool failed) {
    if (!failed)
        return object;
    json_decref(object);
    return NULL;
}

json_t *cli_json_text(const char *text) {
    json_t *string = json_string(text);
    if (string)
        return string;
    char *plain = strdup(text);
    for (char *c = plain; c && *c; c++)
        if ((unsigned char)*c >= 0x80)
            *c = '?';
    string = plain ? json_string(plain) : NULL;
    free(plain);
    return string;
}
