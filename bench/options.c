#include "harness.h"

#include <errno.h>
#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char mixed_lengths[] = "6,15,60,105,210,243,360,625,1000,1331,2187,3125,5040,10000,46080,100000,17,211,1009,65537";

static void refuse(const char *message, const char *value) {
    fprintf(stderr, "%s: %s\n", message, value);
    exit(2);
}

// "1000" or "2^10"; *end is what follows.
static size_t number(const char *text, char **end) {
    errno = 0;
    unsigned long long value = *text >= '0' && *text <= '9' ? strtoull(text, end, 10) : 0;
    if (value == 2 && **end == '^') {
        unsigned long long power = strtoull(*end + 1, end, 10);
        value = power < 40 ? 1ull << power : 0;
    }
    if (value == 0 || errno != 0)
        refuse("not a number", text);
    return (size_t)value;
}

static size_t whole_number(const char *text) {
    char *end;
    size_t value = number(text, &end);
    if (*end != '\0')
        refuse("not a number", text);
    return value;
}

static void add_length(bench_options *o, size_t n) {
    if (o->n_lengths == MOST_LENGTHS)
        refuse("too many lengths", "64 at most");
    o->n[o->n_lengths++] = n;
}

static void add_lengths(bench_options *o, const char *item) {
    char *end;
    size_t first = number(item, &end), last = first;
    if (strncmp(end, "..", 2) == 0)
        last = number(end + 2, &end);
    if (*end != '\0')
        refuse("not a length or a range of them", item);
    for (size_t n = first; n <= last; n *= 2)
        add_length(o, n);
}

void options_lengths(bench_options *o, const char *text) {
    char *copy = strdup(text), *rest = copy;
    if (!copy)
        refuse("out of memory", text);
    for (char *item = strtok_r(copy, ",", &rest); item; item = strtok_r(NULL, ",", &rest)) {
        if (strcmp(item, "mixed") == 0)
            options_lengths(o, mixed_lengths);
        else
            add_lengths(o, item);
    }
    free(copy);
}

bool options_has(const char *list, const char *name) {
    size_t length = strlen(name);
    for (const char *at = list; (at = strstr(at, name)) != NULL; at += length)
        if ((at == list || at[-1] == ',') && (at[length] == ',' || at[length] == '\0'))
            return true;
    return false;
}

static void check_peers(const bench_program *bench, const char *list) {
    size_t known = 0, length = strlen(list) + 1;
    for (const peer_entry *e = bench->entries; e->name; e++)
        known += options_has(list, e->name) ? strlen(e->name) + 1 : 0;
    if (known != length)
        refuse("--peers names what is none, or one twice", list);
}

static void check_ranges(const bench_options *o) {
    if (o->rounds < 1 || o->rounds > MOST_ROUNDS)
        refuse("--rounds", "1 to 99");
    if (o->sample_ms < 0)
        refuse("--sample-ms", "0 or more");
    if (o->n_threads < 1)
        refuse("--fftw-threads", "1 or more");
}

bench_options options_parse(const bench_program *bench, int argc, const char **argv) {
    bench_options o = {.rounds = 7, .sample_ms = 20, .n_threads = (int)sysconf(_SC_NPROCESSORS_ONLN), .in_place = true};
    char names[256] = "take part, of";
    for (const peer_entry *e = bench->entries; e->name; e++)
        snprintf(names + strlen(names), sizeof names - strlen(names), " %s", e->name);
    struct poptOption fft_table[] = {
        {"out-of-place", 0, POPT_ARG_NONE, &o.out_of_place, 0, "from one array to another; default: in place", NULL},
        POPT_TABLEEND};
    struct poptOption table[] = {
        {"device", 'd', POPT_ARG_STRING, &o.device, 0, "an index of `mastaba devices` or a part of a name", "DEVICE"},
        {"lengths", 0, POPT_ARG_STRING, &o.lengths, 0, "as 16,1000,2^5..2^20 (each twice the last), or mixed", "LIST"},
        {"points", 0, POPT_ARG_STRING, &o.points, 0, "in all vectors; default: 2^26 on a GPU, 2^22 on a CPU", "N"},
        {"double", 0, POPT_ARG_NONE, &o.is_double, 0, "complex128; default: complex64", NULL},
        {NULL, 0, POPT_ARG_INCLUDE_TABLE, bench->operation == OPERATION_FFT ? fft_table : fft_table + 1, 0, NULL, NULL},
        {"peers", 0, POPT_ARG_STRING, &o.peers, 0, names, "LIST"},
        {"rounds", 0, POPT_ARG_INT, &o.rounds, 0, "samples of each peer; default: 7", "N"},
        {"sample-ms", 0, POPT_ARG_INT, &o.sample_ms, 0, "least time of a sample; default: 20", "MS"},
        {"fftw-threads", 0, POPT_ARG_INT, &o.n_threads, 0, "default: as many as cores", "N"},
        {"json", 0, POPT_ARG_STRING, &o.json, 0, "write all numbers there as well", "FILE"},
        POPT_AUTOHELP POPT_TABLEEND};
    poptContext context = poptGetContext(bench->name, argc, argv, table, 0);
    int code = poptGetNextOpt(context);

    if (code < -1)
        refuse(poptBadOption(context, 0), poptStrerror(code));
    if (poptPeekArg(context))
        refuse("not an option", poptPeekArg(context));
    check_ranges(&o);
    if (o.peers)
        check_peers(bench, o.peers);
    o.in_place = bench->operation == OPERATION_FFT && !o.out_of_place;
    o.n_points = o.points ? whole_number(o.points) : 0;
    if (o.lengths)
        options_lengths(&o, o.lengths);
    poptFreeContext(context);
    return o;
}

void options_free(bench_options *o) {
    free(o->device);
    free(o->lengths);
    free(o->peers);
    free(o->json);
    free(o->points);
}
