#include "harness.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char mixed_lengths[] = "6,15,60,105,210,243,360,625,1000,1331,2187,3125,5040,10000,46080,100000,17,211,1009,65537";

static bool refuse(const char *option, const char *text, const char *message) {
    cli_wrong_option(NULL, option, text, message);
    return false;
}

// "1000" or "2^10"; *end is what follows; 0 where there is none.
static size_t number(const char *text, char **end) {
    errno = 0;
    *end = (char *)text;
    unsigned long long value = *text >= '0' && *text <= '9' ? strtoull(text, end, 10) : 0;
    if (value == 2 && **end == '^') {
        unsigned long long power = strtoull(*end + 1, end, 10);
        value = power < 40 ? 1ull << power : 0;
    }
    return errno == 0 ? (size_t)value : 0;
}

static bool whole_number(const char *option, const char *text, size_t *value) {
    char *end;
    *value = number(text, &end);
    return (*value > 0 && *end == '\0') || refuse(option, text, "not a number, as 1000 or 2^10");
}

bool options_add(bench_options *o, const bench_case *w) {
    if (o->n_cases == MOST_CASES)
        return refuse("--lengths", "", "too many cases, 96 at most");
    o->cases[o->n_cases++] = *w;
    return true;
}

// A case as the options describe it, of a shape.
static bool add_described(bench_options *o, bench_case w) {
    w.is_double = o->is_double;
    w.is_real = o->is_real;
    w.inverse = o->inverse;
    w.columns = o->columns;
    w.n_vectors = o->single || w.n >= o->n_points ? 1 : o->n_points / w.n;
    w.in_place = o->bench->operation == OPERATION_FFT && !o->out_of_place && !w.is_real;
    return options_add(o, &w);
}

bool options_shape(bench_case *w, const char *text) {
    char *end = (char *)text;
    w->n = 1;
    for (w->rank = 0; w->rank < MST_MAX_AXES; text = end + 1) {
        size_t n = w->shape[w->rank++] = number(text, &end);
        if (n == 0 || n > ((size_t)1 << 40) / w->n)
            break;
        w->n *= n;
        if (*end == '\0')
            return true;
        if (*end != ',')
            break;
    }
    return refuse("--shape", text, "not one to three lengths, as 512,512");
}

static bool add_lengths(bench_options *o, const char *item) {
    char *end;
    size_t first = number(item, &end), last = first;
    if (strncmp(end, "..", 2) == 0)
        last = number(end + 2, &end);
    if (*end != '\0' || first == 0 || last == 0)
        return refuse("--lengths", item, "not a length or a range of them");
    for (size_t n = first; n <= last; n *= 2)
        if (!add_described(o, (bench_case){.rank = 1, .shape = {n}, .n = n}))
            return false;
    return true;
}

static bool add_list(bench_options *o, const char *text) {
    char *copy = strdup(text), *rest = copy;
    bool good = copy || refuse("--lengths", text, "out of memory");
    for (char *item = good ? strtok_r(copy, ",", &rest) : NULL; item && good; item = strtok_r(NULL, ",", &rest))
        good = strcmp(item, "mixed") == 0 ? add_list(o, mixed_lengths) : add_lengths(o, item);
    free(copy);
    return good;
}

bool options_has(const char *list, const char *name) {
    size_t length = strlen(name);
    for (const char *at = list; (at = strstr(at, name)) != NULL; at += length)
        if ((at == list || at[-1] == ',') && (at[length] == ',' || at[length] == '\0'))
            return true;
    return false;
}

static bool check_peers(const bench_program *bench, const char *list) {
    size_t known = 0, length = strlen(list) + 1;
    for (const peer_entry *e = bench->entries; e->name; e++)
        known += options_has(list, e->name) ? strlen(e->name) + 1 : 0;
    return known == length || refuse("--peers", list, "names what is none, or one twice");
}

static bool check_ranges(const bench_options *o) {
    if (o->rounds < 1 || o->rounds > MOST_ROUNDS)
        cli_error(NULL, "--rounds %d: 1 to %d are taken", o->rounds, MOST_ROUNDS);
    else if (o->sample_ms < 0)
        cli_error(NULL, "--sample-ms %d: 0 or more are taken", o->sample_ms);
    else if (o->n_threads < 1)
        cli_error(NULL, "--fftw-threads %d: 1 or more are taken", o->n_threads);
    else
        return true;
    return false;
}

int options_check(bench_options *o, const bench_program *bench) {
    if (!check_ranges(o) || (o->peers && !check_peers(bench, o->peers)))
        return CLI_USAGE;
    if (o->points && !whole_number("--points", o->points, &o->n_points))
        return CLI_USAGE;
    bool several = false;
    if (o->columns && (o->is_real || (o->shape && (several = strchr(o->shape, ',') != NULL)))) {
        cli_error(NULL, "--columns: of complex vectors only, without %s", several ? "a second axis" : "--real");
        return CLI_USAGE;
    }
    bench_options check = *o; // a wrong list is refused before a device is asked for
    check.n_points = 1;
    return options_cases(&check, true) ? CLI_DONE : CLI_USAGE;
}

bool options_cases(bench_options *o, bool is_gpu) {
    bool described = o->is_double || o->out_of_place || o->is_real || o->inverse || o->columns || o->single || o->points;
    bench_case w = {.rank = 0};
    o->n_cases = 0;
    if (o->shape && !(options_shape(&w, o->shape) && add_described(o, w)))
        return false;
    if (o->lengths)
        return add_list(o, o->lengths);
    if (o->shape)
        return true;
    if (o->bench->suite && !described)
        return o->bench->suite(o, is_gpu);
    return add_list(o, is_gpu ? o->bench->lengths_gpu : o->bench->lengths_cpu);
}
