// The tables of passes, one behind the other in two arrays: numbers, and where results lie.
#include "any.h"
#include "even.h"
#include "prime.h"
#include "twiddle.h"

#include "runtime/numbers.h"

#include <stdlib.h>
#include <string.h>

void mst_any_values_release(mst_any_values *v) {
    free(v->bytes);
    *v = (mst_any_values){0};
}

// Adds bytes, which the caller sets; NULL: out of memory.
static void *add(mst_any_values *v, size_t bytes) {
    size_t needed = v->length + bytes;
    if (needed > v->capacity && !v->failed) {
        size_t capacity = mst_larger(needed, 2 * v->capacity);
        unsigned char *grown = realloc(v->bytes, capacity);
        v->failed = !grown;
        v->bytes = grown ? grown : v->bytes;
        v->capacity = grown ? capacity : v->capacity;
    }
    if (v->failed)
        return NULL;
    v->length = needed;
    return v->bytes + needed - bytes;
}

static size_t real_bytes(const mst_fft *plan) { return plan->is_double ? sizeof(double) : sizeof(float); }

// Adds values that were made elsewhere, and frees them: returns where they lie.
static cell add_made(const mst_fft *plan, void *made, size_t bytes) {
    mst_any_values *v = &plan->any->number_values;
    cell at = (cell)(v->length / real_bytes(plan));
    void *to = made ? add(v, bytes) : NULL;
    if (to)
        memcpy(to, made, bytes);
    v->failed = v->failed || !made;
    free(made);
    return at;
}

static cell add_table(const mst_fft *plan, const mst_fft_pass *p, mst_table_kind kind) {
    size_t bytes = (size_t)p->device.tables.tables[kind].bytes;
    if (bytes == 0)
        return -1;
    void *values = kind <= MST_TABLE_LANES ? mst_pass_table_values(&p->device.pass, kind, bytes) : mst_fft_factors(plan, p, kind);
    return add_made(plan, values, bytes);
}

// exp(-2 pi i k step / n), or its conjugates, for k < count.
static cell add_roots(const mst_fft *plan, size_t n, size_t step, size_t count, bool conjugate) {
    size_t bytes = count * (size_t)mst_fft_number_bytes(plan);
    void *values = malloc(bytes);
    for (size_t k = 0; k < count && values; k++) {
        mst_root w = mst_twiddle(k * step % n, n);
        mst_table_put(values, plan->is_double, k, (mst_root){w.re, conjugate ? -w.im : w.im});
    }
    return add_made(plan, values, bytes);
}

cl_uint *mst_any_new_places(const mst_fft *plan, size_t count, cell *at) {
    mst_any_values *v = &plan->any->place_values;
    *at = (cell)(v->length / sizeof(cl_uint));
    return add(v, count * sizeof(cl_uint));
}

// Where the steps leave results; result n of two transforms in one lies behind the others.
static cell add_places(const mst_fft *plan, const mst_pass *pass) {
    cell at;
    cl_uint *places = mst_any_new_places(plan, pass->n + 1, &at);
    if (places) {
        mst_any_fill_places(pass, places);
        places[pass->n] = (cl_uint)pass->n;
    }
    return at;
}

static cell add_slots(const mst_fft *plan, const mst_fft_pass *p, cell places) {
    mst_any_values *v = &plan->any->place_values;
    cell at;
    cl_uint *slots = mst_any_new_places(plan, 2 * p->device.pass.load.axis_length, &at);
    if (slots)
        mst_even_slots(&p->device.pass, (const cl_uint *)v->bytes + places, slots);
    return at;
}

void mst_any_add_steps(const mst_fft *plan, const mst_fft_pass *p, size_t inner, any_pass *out) {
    const mst_pass *pass = &p->device.pass;
    cell table = add_table(plan, p, MST_TABLE_STEPS), apart = (cell)pass->n;
    for (int k = 0; k < pass->n_radices; k++) {
        cell at = out->n_steps++, radix = pass->radices[k];
        apart /= radix;
        out->radices[at] = radix;
        out->apart[at] = apart * (cell)inner;
        out->inner[at] = (cell)inner;
        if (apart > 1) {
            out->tables[at] = table;
            table += 2 * apart * (radix - 1);
        }
        if (radix > MST_ANY_RADIX && radix <= ANY_PRIME)
            out->odd[at] = add_roots(plan, (size_t)radix, 1, (size_t)radix, true);
    }
}

// Where the convolution leaves the results of the step, and Rader's order.
static void add_prime_places(const mst_fft *plan, const mst_prime *way, any_pass *out) {
    cell at;
    cl_uint *inner = mst_any_new_places(plan, way->inner.n, &at);
    if (inner)
        mst_any_fill_places(&way->inner, inner);
    out->prime_places = at - out->places;
    cl_uint *results = mst_any_new_places(plan, way->prime, &at);
    out->prime_results = at - out->places;
    uint32_t *order = way->rader ? mst_rader_order(way->prime) : NULL;
    plan->any->place_values.failed = plan->any->place_values.failed || (way->rader && !order);
    for (size_t k = 0; k < way->prime && results && !way->rader; k++)
        results[k] = (cl_uint)mst_any_place(&way->inner, k);
    if (results && order)
        results[0] = 0;                                           // the sum, which has a place of its own
    for (size_t q = 0; q < way->inner.n && results && order; q++) // result q is that of generator^-q
        results[order[(way->inner.n - q) % way->inner.n]] = (cl_uint)mst_any_place(&way->inner, q);
    cl_uint *ordered = order ? mst_any_new_places(plan, way->inner.n, &at) : NULL;
    out->prime_order = at - out->places;
    if (ordered)
        memcpy(ordered, order, way->inner.n * sizeof *order);
    free(order);
}

void mst_any_add_prime(const mst_fft *plan, any_pass *out) {
    mst_prime way;
    size_t prime = 0;
    for (cell k = 0; k < out->n_steps; k++)
        prime = out->radices[k] > ANY_PRIME ? (size_t)out->radices[k] : prime;
    if (prime == 0 || !mst_prime_find(prime, &way))
        return;
    mst_fft_pass inner = {.device.pass = way.inner};
    inner.device.pass.is_double = plan->is_double;
    mst_pass_tables_plan(&inner.device.tables, &inner.device.pass, false);
    out->prime_m = (cell)way.inner.n;
    add_prime_places(plan, &way, out);
    const size_t bytes = way.inner.n * (size_t)mst_fft_number_bytes(plan);
    out->chirp =
        way.rader ? -1 : add_made(plan, mst_chirp(prime, false, plan->is_double), prime * (size_t)mst_fft_number_bytes(plan));
    out->spectrum = add_made(plan,
                             way.rader ? mst_rader_spectrum(prime, plan->is_double)
                                       : mst_chirp_spectrum(prime, way.inner.n, false, plan->is_double),
                             bytes);
    const cell n_steps = out->n_steps;
    mst_any_add_steps(plan, &inner, 1, out);
    out->prime_steps = out->n_steps - n_steps;
    out->n_steps = n_steps;
}

// What results are multiplied by; no argument of the launch, as drivers copy each of those anew.
cell mst_any_add_scale(const mst_fft *plan) {
    void *values = malloc((size_t)mst_fft_number_bytes(plan));
    if (values)
        mst_table_put(values, plan->is_double, 0, (mst_root){plan->desc.scale, 0});
    return add_made(plan, values, (size_t)mst_fft_number_bytes(plan));
}

cell mst_any_add_half_roots(const mst_fft *plan, size_t n) { return add_roots(plan, 2 * n, 1, n / 2 + 1, false); }

void mst_any_add_tables(const mst_fft *plan, const mst_fft_pass *p, any_pass *out) {
    const mst_pass *pass = &p->device.pass;
    if (pass->n_radices > 0)
        out->places = add_places(plan, pass);
    mst_any_add_steps(plan, p, 1, out);
    mst_any_add_prime(plan, out);
    out->scale = pass->scale ? mst_any_add_scale(plan) : -1;
    out->low = add_table(plan, p, MST_TABLE_LOW);
    out->high = add_table(plan, p, MST_TABLE_HIGH);
    out->lanes = add_table(plan, p, MST_TABLE_LANES);
    out->low_shift = mst_pass_log_low(pass);
    out->low_mask = ((cell)1 << out->low_shift) - 1;
    out->source.factors = add_table(plan, p, MST_TABLE_LOAD_FACTORS);
    out->target.factors = add_table(plan, p, MST_TABLE_STORE_FACTORS);
    if (pass->half == MST_HALF_EVEN)
        out->slots = add_slots(plan, p, out->places);
    if ((pass->half == MST_HALF_EVEN && pass->n != pass->load.axis_length) || pass->half == MST_HALF_COMBINE ||
        pass->half == MST_HALF_SPLIT)
        out->end_roots = mst_any_add_half_roots(plan, pass->n);
    if (pass->half == MST_HALF_EVEN_COMBINE_ALONE || pass->half == MST_HALF_EVEN_SPLIT_ALONE) {
        cell *weights = pass->store.even ? &out->target.factors : &out->source.factors;
        *weights = add_made(plan, mst_even_end_weights(plan, pass), (size_t)mst_fft_number_bytes(plan));
        out->low = add_roots(plan, 8 * pass->n, 1, MST_PASS_HALF_RUN, false);
        out->high = add_roots(plan, 8 * pass->n, MST_PASS_HALF_RUN, pass->n / 2 / MST_PASS_HALF_RUN + 1, false);
    }
    if (pass->half >= MST_HALF_COMBINE_ALONE) {
        out->end_roots = add_roots(plan, 2 * pass->n, 1, MST_PASS_HALF_RUN, false);
        out->run_roots = add_roots(plan, 2 * pass->n, MST_PASS_HALF_RUN, pass->n / 2 / MST_PASS_HALF_RUN + 1, false);
    }
}
