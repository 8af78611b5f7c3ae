// The table of parameters of mastaba integrate.
#include "integrate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SETS = 1 << 28 };

typedef struct span {
    double first, last;
    size_t n;
    const char *list; // NULL, or n numbers with commas between them
} span;

// Takes `sign` and the number behind it.
static bool read_after(const char **text, char sign, double *value) {
    char *end = NULL;
    bool read = **text == sign;
    if (read)
        *value = strtod(*text + 1, &end);
    read = read && end != *text + 1;
    *text = read ? end : *text;
    return read;
}

// "2,0.5,1e3": how many numbers there are; 0 where it is none.
static size_t count_list(const char *text) {
    double value;
    size_t n = 1;
    char *at;
    strtod(text, &at);
    const char *rest = at;
    while (at != text && read_after(&rest, ',', &value))
        n++;
    return at != text && *rest == '\0' && n > 1 ? n : 0;
}

// Value j of a span.
static double value_of(const span *s, size_t j) {
    const double step = s->n > 1 ? (s->last - s->first) / (double)(s->n - 1) : 0;
    const char *at = s->list;
    if (!at)
        return j > 0 && j == s->n - 1 ? s->last : s->first + (double)j * step;
    while (j-- > 0)
        at = strchr(at, ',') + 1;
    return strtod(at, NULL);
}

// "a=0.1:10:1000", both ends included, "a=1,2,5", or "a=2".
static int read_span(const char *command, const char *text, char **name, span *s) {
    const char *at = strchr(text, '='), *rest = at;
    const size_t listed = at ? count_list(at + 1) : 0;
    double count = listed > 0 ? (double)listed : 1;
    bool good = at && read_after(&rest, '=', &s->first);
    s->last = s->first;
    s->list = listed > 0 ? at + 1 : NULL;
    if (listed > 0)
        rest += strlen(rest);
    else if (good && *rest)
        good = read_after(&rest, ':', &s->last) && read_after(&rest, ':', &count);
    if (good && !*rest && count > MOST_SETS) {
        cli_error(command, "--param %s: too many values; %d are the most", text, MOST_SETS);
        return CLI_USAGE;
    }
    if (good && !*rest && count > 1 && !s->list && !(isfinite(s->first) && isfinite(s->last))) {
        cli_error(command, "--param %s: the ends of a range have to be finite", text);
        return CLI_USAGE;
    }
    if (!good || *rest || !(count >= 1) || count != (double)(size_t)count) {
        cli_error(command, "--param %s: not a parameter; write NAME=VALUE, NAME=VALUE,VALUE,... or NAME=FIRST:LAST:COUNT", text);
        return CLI_USAGE;
    }
    s->n = (size_t)count;
    *name = strndup(text, (size_t)(at - text));
    return CLI_DONE;
}

static int out_of_memory(const char *command) { return cli_out_of_memory(command, "the parameters"); }

// The product of all spans, the last one fastest. A single value adds no axis.
static int fill_product(const char *command, const span *spans, integrate_parameters *p) {
    p->n_sets = 1;
    for (size_t k = 0; k < p->n; k++) {
        if (p->n_sets > MOST_SETS / spans[k].n || (spans[k].n > 1 && p->rank == MST_MAX_RANK - 1)) {
            cli_error(command, "--param: at most %d parameter sets along %d ranges", MOST_SETS, MST_MAX_RANK - 1);
            return CLI_USAGE;
        }
        p->n_sets *= spans[k].n;
        if (spans[k].n > 1)
            p->shape[p->rank++] = spans[k].n;
    }
    p->values = calloc(p->n_sets * p->n, sizeof *p->values);
    if (!p->values)
        return out_of_memory(command);
    for (size_t i = 0; i < p->n_sets; i++) {
        size_t rest = i;
        for (size_t k = p->n; k-- > 0;) {
            const span *s = &spans[k];
            p->values[i * p->n + k] = value_of(s, rest % s->n);
            rest /= s->n;
        }
    }
    return CLI_DONE;
}

static int read_spans(const char *command, char *const *texts, integrate_parameters *p) {
    span spans[INTEGRATE_MAX_PARAMETERS];
    for (; texts && *texts; texts++) {
        if (p->n == INTEGRATE_MAX_PARAMETERS) {
            cli_error(command, "--param: at most %d parameters", INTEGRATE_MAX_PARAMETERS);
            return CLI_USAGE;
        }
        int code = read_span(command, *texts, &p->names[p->n], &spans[p->n]);
        if (code != CLI_DONE)
            return code;
        if (!p->names[p->n++])
            return out_of_memory(command);
    }
    return fill_product(command, spans, p);
}

static int split_names(const char *command, const char *names, integrate_parameters *p) {
    while (*names) {
        size_t length = strcspn(names, ",");
        if (p->n == INTEGRATE_MAX_PARAMETERS) {
            cli_error(command, "--param-names: at most %d parameters", INTEGRATE_MAX_PARAMETERS);
            return CLI_USAGE;
        }
        p->names[p->n++] = strndup(names, length);
        if (!p->names[p->n - 1])
            return out_of_memory(command);
        names += length;
        names += *names == ',' && names[1] ? 1 : 0;
        if (*names == ',')
            break;
    }
    return CLI_DONE;
}

static int load_values(const char *command, const char *file, const mst_npy *npy, integrate_parameters *p) {
    const mst_location at = mst_npy_location(npy);
    p->values = malloc(p->n_sets * p->n * sizeof *p->values + 1);
    if (!p->values)
        return out_of_memory(command);
    if (!cli_read_doubles(&at, mst_npy_layout(npy)->type, p->values, p->n_sets * p->n))
        return cli_fail_file(command, file, "cannot be read");
    return CLI_DONE;
}

static int read_file(const char *command, const char *file, integrate_parameters *p) {
    mst_error error;
    mst_npy *npy = NULL;
    if (mst_npy_open(file, &npy, &error) != MST_OK)
        return cli_fail(command, NULL, &error);
    const mst_layout *layout = mst_npy_layout(npy);
    size_t columns = layout->rank > 1 ? layout->shape[layout->rank - 1] : 1;
    int code = CLI_INPUT_OUTPUT;
    if (layout->type != MST_FLOAT32 && layout->type != MST_FLOAT64 && layout->type != MST_INT32 && layout->type != MST_INT64)
        cli_error(command, "%s: holds %s; parameters are float32, float64, int32 or int64", file, mst_type_name(layout->type));
    else if (layout->rank == 1 && p->n != 1)
        cli_error(command, "%s: has one axis, so one value a set, but --param-names gives %zu names; rows of %zu make a set",
                  file, p->n, p->n);
    else if (columns != p->n)
        cli_error(command, "%s: the last axis has %zu values, but --param-names gives %zu names", file, columns, p->n);
    else {
        p->rank = layout->rank > 1 ? layout->rank - 1 : 1;
        p->n_sets = 1;
        for (int k = 0; k < p->rank; k++)
            p->n_sets *= p->shape[k] = layout->shape[k];
        code = load_values(command, file, npy, p);
    }
    mst_npy_close(npy);
    return code;
}

int integrate_parameters_read(const char *command, char *const *texts, const char *file, const char *names,
                              integrate_parameters *p) {
    if (!file && !names)
        return read_spans(command, texts, p);
    if (texts || !file || !names) {
        cli_error(command, "--params FILE.npy goes with --param-names A,B and without --param");
        return CLI_USAGE;
    }
    int code = split_names(command, names, p);
    return code == CLI_DONE ? read_file(command, file, p) : code;
}

void integrate_parameters_free(integrate_parameters *p) {
    for (size_t k = 0; k < p->n; k++)
        free(p->names[k]);
    free(p->values);
    memset(p, 0, sizeof *p);
}
