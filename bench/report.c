#include "harness.h"

#include <math.h>
#include <stdio.h>

static double points(const bench_case *w) { return (double)w->n * (double)w->n_vectors; }

// Of what has to be read and written at least.
static double least_bytes(const comparison *c, int number) {
    const bench_case *w = &c->options->cases[number];
    return (double)case_bytes(w, false) * (c->bench->operation == OPERATION_CONVOLUTION ? 2 : 1) + (double)case_bytes(w, true);
}

static double operations(const comparison *c, int number) {
    const bench_case *w = &c->options->cases[number];
    double transforms = 5 * points(w) * log2((double)w->n) / (w->is_real ? 2 : 1);
    return c->bench->operation == OPERATION_FFT ? transforms : 3 * transforms + 6 * points(w);
}

// "r2c 512x512", "c2c 1000 columns"
static void case_name(const bench_case *w, char name[CASE_TEXT]) {
    const char *kinds = w->is_double ? "z2z\0d2z\0z2d" : "c2c\0r2c\0c2r";
    int length = snprintf(name, CASE_TEXT, "%s ", kinds + (w->is_real ? (w->inverse ? 8 : 4) : 0));
    for (int k = 0; k < w->rank; k++)
        length += snprintf(name + length, (size_t)(CASE_TEXT - length), "%s%zu", k > 0 ? "x" : "", w->shape[k]);
    snprintf(name + length, (size_t)(CASE_TEXT - length), "%s%s", w->columns ? " columns" : "",
             w->inverse && !w->is_real ? " inverse" : "");
}

// The time of a peer over Mastaba's: above 1 where Mastaba is faster. 0: one of the two has none.
static double ratio(const comparison *c, int number, int peer) {
    const bench_result *ours = &c->results[number][0], *theirs = &c->results[number][peer];
    return ours->done && theirs->done && !ours->wrong && !theirs->wrong ? theirs->seconds / ours->seconds : 0;
}

typedef struct summary {
    int n;
    double mean, least; // geometric
    int least_at;       // the case
} summary;

static summary summarize(const comparison *c, int peer) {
    summary s = {0, 0, INFINITY, 0};
    for (int l = 0; l < c->n_done; l++) {
        double r = ratio(c, l, peer);
        if (r <= 0)
            continue;
        s.n++;
        s.mean += log(r);
        if (r < s.least) {
            s.least = r;
            s.least_at = l;
        }
    }
    s.mean = s.n ? exp(s.mean / s.n) : 0;
    return s;
}

static const char *type_name(const bench_case *w) { return w->is_double ? "complex128" : "complex64"; }

static const char *place_name(const comparison *c) {
    return c->bench->operation == OPERATION_CONVOLUTION ? "" : c->options->cases[0].in_place ? ", in place" : ", out of place";
}

void report_heading(const comparison *c) {
    const mst_device_info *d = mst_context_device(c->context);
    printf("%s%s\n\n", c->bench->what, place_name(c));
    printf("  device     %s (%s, %s, driver %s)\n", d->name, d->platform_name, d->device_version, d->driver_version);
    printf("  host       %s, %d threads for FFTW\n", c->processor, c->options->n_threads);
    printf("  copy rate  %.1f GB/s, read and written\n", c->copy_rate * 1e-9);
    printf("  launch     %.2f us, an empty kernel, one after the other\n", c->launch_seconds * 1e6);
    printf("  date       %s\n", c->date);
    printf("  time       median of %d rounds of at least %d ms, after a warm-up, the peers in turns\n", c->options->rounds,
           c->options->sample_ms);
    printf("  GB/s       (bytes of the input%s + bytes of the output) / time\n",
           c->bench->operation == OPERATION_CONVOLUTION ? "s" : "");
    printf("  ratio      time of the peer / time of Mastaba\n");
    printf("  error      worst of the checked vectors, relative L2, against FFTW in double\n"
           "  plan       time to make the plan, FFTW's measurements and cold caches of kernels included\n\n");
    for (int p = 0; p < c->n_peers; p++) {
        char version[PEER_TEXT];
        c->peers[p]->version(version);
        printf("  %-18s %s\n", c->peers[p]->name, version);
    }
    for (const peer_entry *e = c->bench->entries; e->name; e++)
        if (!e->peer)
            printf("  %-18s missing: this program was built without %s\n", e->name, e->package);
    printf("\n%-22s %8s  %-18s %10s %8s %8s %8s %8s %9s %8s\n", "case", "arrays", "peer", "ms", "GB/s", "of copy", "GFLOP/s",
           "ratio", "error", "plan, s");
    fflush(stdout);
}

void report_case(const comparison *c, int number) {
    const bench_case *w = &c->options->cases[number];
    char name[CASE_TEXT];
    case_name(w, name);
    for (int p = 0; p < c->n_peers; p++) {
        const bench_result *r = &c->results[number][p];
        double r_time = ratio(c, number, p);
        if (p == 0)
            printf("%-22s %8zu  ", name, w->n_vectors);
        else
            printf("%33s", "");
        printf("%-18s ", c->peers[p]->name);
        if (!r->done) {
            printf("%10s  %s\n", "-", r->why);
            continue;
        }
        double rate = least_bytes(c, number) / r->seconds;
        printf("%10.4f %8.1f %8.3f %8.1f ", r->seconds * 1e3, rate * 1e-9, rate / c->copy_rate,
               operations(c, number) / r->seconds * 1e-9);
        if (p > 0 && r_time > 0)
            printf("%8.3f", r_time);
        else
            printf("%8s", p > 0 ? "-" : "");
        printf(" %9.1e %8.3f%s\n", r->error, r->create_seconds, r->wrong ? " WRONG" : "");
    }
    fflush(stdout);
}

// The geometric mean of Mastaba's rate over the copy rate.
static double copy_share(const comparison *c) {
    double sum = 0;
    int n = 0;
    for (int l = 0; l < c->n_done; l++)
        if (c->results[l][0].done && !c->results[l][0].wrong) {
            sum += log(least_bytes(c, l) / c->results[l][0].seconds / c->copy_rate);
            n++;
        }
    return n ? exp(sum / n) : 0;
}

void report_summary(const comparison *c) {
    if (copy_share(c) > 0)
        printf("\nMastaba reaches %.3f of the copy rate (geometric mean).", copy_share(c));
    printf("\nGeometric means of the ratios:\n\n");
    printf("  %-18s %8s %15s %8s\n", "peer", "cases", "geometric mean", "least");
    for (int p = 1; p < c->n_peers; p++) {
        summary s = summarize(c, p);
        char name[CASE_TEXT];
        case_name(&c->options->cases[s.least_at], name);
        if (s.n)
            printf("  %-18s %8d %15.3f %8.3f at %s, %zu\n", c->peers[p]->name, s.n, s.mean, s.least, name,
                   c->options->cases[s.least_at].n_vectors);
        else
            printf("  %-18s %8d %15s %8s\n", c->peers[p]->name, 0, "-", "-");
    }
}

static json_t *text(const char *value) { // a driver's strings may be anything
    json_t *string = json_string(value);
    return string ? string : json_string("?");
}

static json_t *result_object(const comparison *c, int number, int peer) {
    const bench_result *r = &c->results[number][peer];
    double r_time = ratio(c, number, peer);
    if (!r->done)
        return json_pack("{s:o}", "failed", text(r->why));
    return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:b, s:o}", "seconds", r->seconds, "least_seconds", r->least,
                     "most_seconds", r->most, "create_seconds", r->create_seconds, "bytes_per_second",
                     least_bytes(c, number) / r->seconds, "flops", operations(c, number) / r->seconds, "error", r->error, "wrong",
                     r->wrong, "ratio", r_time > 0 ? json_real(r_time) : json_null());
}

static json_t *case_object(const comparison *c, int number) {
    const bench_case *w = &c->options->cases[number];
    char name[CASE_TEXT];
    json_t *results = json_object();
    case_name(w, name);
    for (int p = 0; p < c->n_peers; p++)
        json_object_set_new(results, c->peers[p]->name, result_object(c, number, p));
    return json_pack("{s:s, s:I, s:I, s:s, s:b, s:o}", "name", name, "n", (json_int_t)w->n, "vectors", (json_int_t)w->n_vectors,
                     "type", type_name(w), "in_place", w->in_place, "results", results);
}

static json_t *peers_object(const comparison *c) {
    json_t *peers = json_object();
    for (int p = 0; p < c->n_peers; p++) {
        char version[PEER_TEXT];
        c->peers[p]->version(version);
        json_object_set_new(peers, c->peers[p]->name, json_pack("{s:o}", "version", text(version)));
    }
    return peers;
}

static json_t *summary_object(const comparison *c) {
    json_t *summaries = json_object();
    for (int p = 1; p < c->n_peers; p++) {
        summary s = summarize(c, p);
        char name[CASE_TEXT];
        case_name(&c->options->cases[s.least_at], name);
        if (s.n)
            json_object_set_new(
                summaries, c->peers[p]->name,
                json_pack("{s:i, s:f, s:f, s:s}", "cases", s.n, "geometric_mean", s.mean, "least", s.least, "least_at", name));
    }
    return summaries;
}

bool report_json(const comparison *c, const char *path) {
    const mst_device_info *d = mst_context_device(c->context);
    const bench_options *o = c->options;
    json_t *cases = json_array();
    for (int l = 0; l < c->n_done; l++)
        json_array_append_new(cases, case_object(c, l));
    json_t *root = json_pack("{s:s, s:s, s:{s:o, s:o, s:o, s:o, s:b}, s:f, s:f, s:i, s:i, s:i, s:o, s:o, s:o, s:o}", "benchmark",
                             c->bench->name, "date", c->date, "device", "name", text(d->name), "platform", text(d->platform_name),
                             "driver", text(d->driver_version), "version", text(d->device_version), "gpu", c->is_gpu,
                             "copy_bytes_per_second", c->copy_rate, "launch_seconds", c->launch_seconds, "rounds", o->rounds,
                             "sample_ms", o->sample_ms, "fftw_threads", o->n_threads, "processor", text(c->processor), "peers",
                             peers_object(c), "cases", cases, "summary", summary_object(c));
    bool done = root && json_dump_file(root, path, JSON_INDENT(1) | JSON_REAL_PRECISION(6)) == 0;

    json_decref(root);
    if (!done)
        fprintf(stderr, "%s: cannot be written\n", path);
    return done;
}
