#include "values.h"

#include "count.h"
#include "report.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool cli_size(const char *text, uint64_t *bytes) {
    static const struct {
        const char *suffix;
        double factor;
    } units[] = {
        {"", 1},         {"B", 1},      {"K", 0x1p10},   {"KiB", 0x1p10}, {"M", 0x1p20}, {"MiB", 0x1p20}, {"G", 0x1p30},
        {"GiB", 0x1p30}, {"T", 0x1p40}, {"TiB", 0x1p40}, {"KB", 1e3},     {"MB", 1e6},   {"GB", 1e9},     {"TB", 1e12},
    };
    if (text[strspn(text, "0123456789.")] != '\0' && strchr("KMGTBkmgtb", text[strspn(text, "0123456789.")]) == NULL)
        return false; // strtod would take "0x10", "inf" and "1e3"
    char *end;
    double number = strtod(text, &end);
    if (end == text)
        return false;
    for (size_t i = 0; i < CLI_COUNT(units); i++)
        if (strcasecmp(end, units[i].suffix) == 0) {
            double product = number * units[i].factor;
            if (!(product >= 1 && product < 0x1p63))
                return false;
            *bytes = (uint64_t)product;
            return true;
        }
    return false;
}

int cli_axes(const char *command, const char *text, int most, int *axes, int *n_axes) {
    const char *at = text;
    *n_axes = 0;
    for (;;) {
        char *end;
        errno = 0;
        long axis = strtol(at, &end, 10);
        if (end == at || errno != 0 || axis < -MST_MAX_RANK || axis >= MST_MAX_RANK || (*end != ',' && *end != '\0')) {
            cli_error(command, "--axes %s: not a list of axes; give numbers such as -1 or -2,-1", text);
            return CLI_USAGE;
        }
        if (*n_axes == most) {
            cli_error(command, "--axes %s: more than %d axes", text, most);
            return CLI_USAGE;
        }
        axes[(*n_axes)++] = (int)axis;
        if (*end == '\0')
            return CLI_DONE;
        at = end + 1;
    }
}

int cli_choose(const char *command, const char *option, const char *text, const cli_choice *choices, size_t n,
               const char *expected, int *value) {
    for (size_t i = 0; i < n; i++)
        if (strcmp(text, choices[i].name) == 0) {
            *value = choices[i].value;
            return CLI_DONE;
        }
    return cli_wrong_option(command, option, text, expected);
}

int cli_number(const char *command, const char *option, const char *text, uint64_t *count) {
    const char *last = text; // number in the text
    char *end;
    if (!text)
        return CLI_DONE;
    double value = strtod(text, &end);
    if (end != text && *end == '^') {
        last = end + 1;
        value = pow(value, strtod(last, &end));
    }
    if (end == last || *end || !(value >= 1 && value <= 0x1p50) || value != (double)(uint64_t)value)
        return cli_wrong_option(command, option, text, "not a count; write 1000000, 1e6 or 2^20");
    *count = (uint64_t)value;
    return CLI_DONE;
}

int cli_compile_from(const char *command, const char *text, uint64_t *count) {
    if (!text || strcmp(text, "inf") != 0)
        return cli_number(command, "--compile-from", text, count);
    *count = UINT64_MAX;
    return CLI_DONE;
}

int cli_precision(const char *command, const char *text, const char *expected, mst_type *type) {
    static const cli_choice types[] = {{"float32", MST_FLOAT32}, {"float64", MST_FLOAT64}};
    int value = 0, code = text ? cli_choose(command, "--precision", text, types, CLI_COUNT(types), expected, &value) : CLI_DONE;
    *type = (mst_type)value;
    return code;
}
