// mastaba bench all: the parts (all.c) and the page that they make (all_page.c).
#ifndef MASTABA_BENCH_ALL_H
#define MASTABA_BENCH_ALL_H

#include "convolution.h"
#include "filter.h"
#include "integration.h"
#include "pyramid.h"
#include "vector_width.h"

typedef struct all_part {
    int code;          // the part's exit code
    char message[512]; // why it failed
    double seconds;
    bool cut_short;
} all_part;

enum { ALL_N_PARTS = 5 };
typedef struct all_bench {
    const cli_options *options;
    bool quick;
    double budget, seconds; // for all parts; taken
    char processor[128], date[32];
    const mst_device_info *device;
    mst_context *contexts[2]; // the second one profiles
    bench_run convolution;
    filter_bench filter;
    pyramid_bench pyramid;
    integration_bench integration;
    width_bench width;
    all_part parts[ALL_N_PARTS];
} all_bench;

// What the page needs to know of a part.
typedef struct all_kind {
    const char *name, *title;
    double weight; // its share of the time
    // Measures until that time of cli_now(), sets *cut_short if it was not enough; returns an exit code.
    int (*measure)(all_bench *bench, double until, bool *cut_short);
    void (*headline)(const all_bench *bench, char published[200], char here[200]);
    void (*write)(const page *p, const all_bench *bench);
    json_t *(*json)(const all_bench *bench); // NULL: out of memory
} all_kind;
extern const all_kind all_kinds[ALL_N_PARTS];

void all_page(const page *p, const all_bench *bench);

// all_page.c, headlines: the figure that a part is known by, published and here; "" where there is none.
void all_convolution_headline(const all_bench *bench, char published[200], char here[200]);
void all_filter_headline(const all_bench *bench, char published[200], char here[200]);
void all_pyramid_headline(const all_bench *bench, char published[200], char here[200]);
void all_integration_headline(const all_bench *bench, char published[200], char here[200]);
void all_width_headline(const all_bench *bench, char published[200], char here[200]);

#endif
