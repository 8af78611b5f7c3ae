#include "map_outputs.h"

#include "core/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

// ---- Expressions

// The length of the name in `NAME = ...`, and where the = is; 0 for anything else: only a name and a single = are taken for that,
// so a comparison stays as it is.
static size_t named(const char *text, size_t *begin, size_t *equals) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_", digits[] = "0123456789";
    size_t at = *begin = strspn(text, " ");
    while (text[at] && (strchr(letters, text[at]) || (at > *begin && strchr(digits, text[at]))))
        at++;
    const size_t length = at - *begin;
    at += strspn(text + at, " ");
    *equals = at;
    return text[at] == '=' && text[at + 1] != '=' ? length : 0;
}

bool map_is_expression(const char *operand) {
    size_t begin, equals;
    const size_t length = named(operand, &begin, &equals);
    return length > 0 && equals > begin + length;
}

int map_outputs_add(const char *command, const char *expression, map_outputs *outputs) {
    size_t begin, equals;
    if (outputs->n == MST_MAP_MAX_OUTPUTS) {
        cli_error(command, "%s: more than %d expressions", expression, MST_MAP_MAX_OUTPUTS);
        return CLI_USAGE;
    }
    map_output *o = &outputs->all[outputs->n++];
    o->name_length = (int)named(expression, &begin, &equals);
    o->text = expression + (o->name_length ? begin : 0);
    o->expression = o->name_length ? expression + equals + 1 : expression;
    return CLI_DONE;
}

// ---- Where they go

int map_outputs_open(const char *command, char *const *paths, bool force, const char *const *inputs, map_outputs *outputs) {
    int n = 0, code = CLI_DONE;
    while (paths[n])
        n++;
    if (n != outputs->n) {
        cli_error(command, "%d expression%s, but -o %d time%s; give one file for each", outputs->n, outputs->n == 1 ? "" : "s", n,
                  n == 1 ? "" : "s");
        return CLI_USAGE;
    }
    outputs->in_files = true;
    for (int k = 0; k < n && code == CLI_DONE; k++) {
        for (int i = 0; i < k; i++)
            if (strcmp(paths[i], paths[k]) == 0) {
                cli_error(command, "%s: two results cannot go to one file", paths[k]);
                return CLI_USAGE;
            }
        code = cli_output_open(command, paths[k], false, force, inputs, &outputs->all[k].file);
    }
    return code;
}

int map_outputs_begin(const char *command, map_outputs *outputs, const mst_map *plan, const cli_share *share) {
    int code = CLI_DONE;
    for (int k = 0; k < outputs->n && code == CLI_DONE; k++) {
        map_output *o = &outputs->all[k];
        const mst_layout *layout = mst_map_output_of(plan, k);
        const bool is_number = layout->rank == 1 && layout->shape[0] == 1;
        if (!outputs->in_files && !(is_number && mst_map_reduces(plan))) {
            cli_error(command, "no output given; add -o OUT.npy");
            return CLI_USAGE;
        }
        mst_layout whole = cli_share_whole(share, layout);
        if (outputs->in_files)
            code = cli_output_begin(&o->file, &whole, 0);
        o->location = outputs->in_files ? o->file.location : mst_at_host(o->number.bytes);
        if (outputs->in_files && code == CLI_DONE)
            code = cli_share_cut(command, share, &whole, &o->location);
    }
    return code;
}

int map_outputs_commit(map_outputs *outputs) {
    int code = CLI_DONE;
    for (int k = 0; k < outputs->n && outputs->in_files && code == CLI_DONE; k++)
        code = cli_output_commit(&outputs->all[k].file);
    return code;
}

void map_outputs_close(map_outputs *outputs) {
    for (int k = 0; k < outputs->n; k++)
        cli_output_close(&outputs->all[k].file);
}

// ---- Numbers

static float half_value(uint16_t bits) {
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const float size = exponent == 31 ? (fraction ? NAN : INFINITY)
                       : exponent     ? ldexpf((float)(fraction + 1024), exponent - 25)
                                      : ldexpf((float)fraction, -24);
    return bits >> 15 ? -size : size;
}

static json_t *real_number(double value, int digits, char *text, size_t room) {
    snprintf(text, room, "%.*g", digits, isnan(value) ? NAN : value); // without a sign
    return isfinite(value) ? json_real(value) : json_string(text);
}

// As text, and the same for JSON.
static json_t *number_of(const unsigned char *bytes, mst_type type, char *text, size_t room) {
    int64_t whole = 0;
    char imaginary[40];
    switch (type) {
    case MST_FLOAT64:
        return real_number(*(const double *)(const void *)bytes, 17, text, room);
    case MST_FLOAT32:
        return real_number((double)*(const float *)(const void *)bytes, 9, text, room);
    case MST_FLOAT16:
        return real_number((double)half_value(*(const uint16_t *)(const void *)bytes), 5, text, room);
    case MST_COMPLEX64:
    case MST_COMPLEX128: {
        const mst_type part = type == MST_COMPLEX64 ? MST_FLOAT32 : MST_FLOAT64;
        json_t *pair = json_array();
        json_array_append_new(pair, number_of(bytes, part, text, room));
        json_array_append_new(pair, number_of(bytes + mst_type_bytes(part), part, imaginary, sizeof imaginary));
        snprintf(text + strlen(text), room - strlen(text), "%s%sj", imaginary[0] == '-' ? "" : "+", imaginary);
        return pair;
    }
    case MST_BOOL:
        snprintf(text, room, "%s", bytes[0] ? "true" : "false");
        return json_boolean(bytes[0]);
    case MST_UINT64:
        snprintf(text, room, "%" PRIu64, *(const uint64_t *)(const void *)bytes);
        return json_string(text);
    case MST_INT64:
        whole = *(const int64_t *)(const void *)bytes;
        break;
    case MST_INT32:
        whole = *(const int32_t *)(const void *)bytes;
        break;
    case MST_UINT32:
        whole = *(const uint32_t *)(const void *)bytes;
        break;
    case MST_INT16:
        whole = *(const int16_t *)(const void *)bytes;
        break;
    case MST_UINT16:
        whole = *(const uint16_t *)(const void *)bytes;
        break;
    case MST_INT8:
        whole = bytes[0] < 128 ? bytes[0] : bytes[0] - 256;
        break;
    case MST_UINT8:
        whole = bytes[0];
        break;
    }
    snprintf(text, room, "%" PRId64, whole);
    return json_integer(whole);
}

int map_outputs_print(const char *command, const map_outputs *outputs, const mst_map *plan, bool json) {
    json_t *results = json_array();
    int failed = !results;
    for (int k = 0; k < outputs->n; k++) {
        const map_output *o = &outputs->all[k];
        const int length = o->name_length ? o->name_length : (int)strlen(o->text);
        const mst_type type = mst_map_output_of(plan, k)->type;
        char text[100];
        json_t *value = number_of(o->number.bytes, type, text, sizeof text);
        if (!json && (outputs->n > 1 || o->name_length))
            printf("%.*s = %s\n", length, o->text, text);
        else if (!json)
            printf("%s\n", text);
        failed |= json_array_append_new(
            results, json_pack("{s:s%, s:s, s:o}", "name", o->text, (size_t)length, "type", mst_type_name(type), "value", value));
    }
    if (json)
        return cli_print_json_digits(command, cli_json_complete(json_pack("{s:o}", "results", results), failed), 17);
    json_decref(results);
    return cli_flush(command);
}
