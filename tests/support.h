// What the tests share: random data, arrays with guards, placement on host, device or file, references in higher precision,
// and the accuracy gates of the project.
#ifndef MST_TESTS_SUPPORT_H
#define MST_TESTS_SUPPORT_H

#include <complex.h>
#include <mastaba/mastaba.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef long double complex test_wide;

static inline test_wide test_complex(long double re, long double im) { // re + im * I loses NaNs and signed zeros
    union {
        long double parts[2];
        test_wide value;
    } u = {{re, im}};
    return u.value;
}

// Fails the test with a message in printf's terms.
#define CHECK(condition, ...)                                                                                                    \
    do {                                                                                                                         \
        if (!(condition)) {                                                                                                      \
            print_error(__VA_ARGS__);                                                                                            \
            print_error("\n");                                                                                                   \
            fail();                                                                                                              \
        }                                                                                                                        \
    } while (0)

// A call of the library whose last argument is &e, with `mst_error e` declared by the caller.
#define OK(call) CHECK((call) == MST_OK, "%s:%d: %s: %s", __FILE__, __LINE__, #call, e.message)

// The call must fail with this status and a one-line message of some content that holds `part`.
#define REFUSED(expected, part, call)                                                                                            \
    do {                                                                                                                         \
        memset(&e, 0, sizeof e);                                                                                                 \
        mst_status got_ = (call);                                                                                                \
        CHECK(got_ == (expected) && e.status == (expected), "%s:%d: %s gave %s (%s), expected %s", __FILE__, __LINE__, #call,    \
              mst_status_name(got_), e.message, mst_status_name(expected));                                                      \
        CHECK(strlen(e.message) > 5 && !strchr(e.message, '\n') && strstr(e.message, (part)), "%s:%d: message '%s' lacks '%s'",  \
              __FILE__, __LINE__, e.message, (part));                                                                            \
    } while (0)

// ---- the group's state ----

// Seeds the generator (MASTABA_SEED, else the clock) and prints the seed, makes a private cache directory and a context on
// MASTABA_TEST_DEVICE (else the default device). *state becomes the context. The teardown checks that no memory is left.
int test_setup(void **state);
int test_setup_cached(void **state); // with test_context_cached
int test_teardown(void **state);

// For what is of CPUs alone, where the device under test is none: kernels of the shape cpu, which want private memory, and parts
// of devices. The first CPU of the machine takes its place; without any, the group or the test is skipped, which one line says.
int test_setup_on_cpu(void **state); // as test_setup; the CPU becomes the default device
mst_context *test_cpu(void **state); // the group's context if that is on a CPU, else one of a CPU beside it
uint64_t test_close_cpu(void);       // by test_teardown: the device memory that is still held there
const char *test_in_parts(const mst_context *context, unsigned n); // "0/2": its device in parts, good for two calls at a time;
                                                                   // NULL if it cannot be cut

// A context as test_setup makes it; desc may be NULL. The device is filled in where desc has none. Nothing is cached unless desc
// has a directory for it: to give a binary away, PoCL compiles every kernel once more, which would double the time of the tests.
mst_context *test_context(const mst_context_desc *desc);
mst_context *test_context_cached(void); // in test_directory
mst_context *test_context_with_budget(uint64_t device_memory, uint64_t host_memory);
const char *test_directory(void); // private, emptied and removed by test_teardown
void test_remove_tree(const char *path);
// A group's set-up and teardown where no device is needed: it runs in test_directory, which is removed.
int test_enter_directory(void **state);
int test_leave_directory(void **state);
int test_file(size_t bytes); // a new unnamed file of that many bytes (zeros)

// What tuning reports: test_note, given a test_told, counts and keeps the last one.
typedef struct test_told {
    mst_tuning_result result;
    int n;
} test_told;
void test_note(const mst_tuning_result *result, void *told);

// Whether there is another whole number in a text, which then begins behind it.
bool test_next_number(const char **text, uint64_t *number);

// ---- random numbers ----
void test_seed(uint64_t seed); // what follows depends on this alone
uint64_t test_random(void);
size_t test_between(size_t low, size_t high); // both included
double test_uniform(void);                    // [-1, 1)

// ---- what a run takes of all the cases, since compiling a kernel takes half a second of a processor ----
// At night (MASTABA_NIGHTLY=1, the test X_nightly beside X) a test takes all cases, and 25 times as many random ones. In the
// short form (MASTABA_SHORT=1, scripts/test) it takes a quarter of what it takes by day, but at least one of each walk.
int test_many(int n); // n, or as many more at night
// Whether it is the turn of case k: one in `period`, which ones by the seed; in the short form one in four of those, of each
// place in the source that asks, its first one included.
#define test_turn(k, period) test_turn_of(__FILE__, __LINE__, k, period)
bool test_turn_of(const char *file, int line, size_t k, size_t period);
bool test_spared(size_t k, size_t period); // in the short form, whether case k is left out: all but one in `period`, by the seed
extern bool test_quick_builds;             // kernels shaped for GPUs are built without optimisation, where the device is a CPU
extern bool test_all_quick_builds; // all kernels are by day, for tests of many that run for a short time; in the short form
                                   // all are, but for those that know no sizes and are compiled before the first test

// ---- arrays ----

// An image of memory that holds a layout, with a guard of five elements before and after it.
typedef struct test_array {
    mst_layout layout;
    size_t elements;
    size_t bytes;         // of the whole image
    size_t origin;        // where element [0]...[0] lies
    unsigned char *image; // 0xff wherever nothing was set
} test_array;

test_array test_array_new(const mst_layout *layout);
test_array test_array_random(const mst_layout *layout); // complex and real parts in [-1, 1); integers over their whole range
void test_array_free(test_array *array);
void *test_array_at(const test_array *array, size_t linear); // address of the element with that C-order number
test_wide test_array_get(const test_array *array, size_t linear);
void test_array_set(test_array *array, size_t linear, test_wide value);
test_wide *test_array_values(const test_array *array);          // dense, the caller's
bool test_array_gaps_intact(const test_array *array);           // every byte outside the elements is still 0xff
bool test_array_same(const test_array *a, const test_array *b); // elements bit for bit, whatever the strides
bool test_layout_is_double(const mst_layout *layout);           // float64 or complex128

// An array where a plan can reach it: copied there by test_place, back by test_collect (which also releases it).
typedef struct test_placed {
    mst_place place;
    mst_location at;
    void *memory; // MST_PLACE_HOST: from malloc
    mst_context *context;
    size_t lead; // bytes before the image
} test_placed;

test_placed test_place(mst_context *context, mst_place place, const test_array *array);
void test_collect(test_placed *placed, test_array *array);
void test_collect_input(test_placed *placed, const test_array *input); // and checks that it is unchanged
void test_collect_output(test_placed *placed, test_array *output);     // and checks that only elements were written
const char *test_place_name(mst_place place);

// A layout of that shape with a random order of axes, gaps and negative strides; with `broadcast`, some strides may be 0.
mst_layout test_layout_random(mst_type type, int rank, const size_t *shape, bool broadcast);

// "complex64 (3,8)/(8,1)" for messages; static storage, good for four calls at a time.
const char *test_layout_text(const mst_layout *layout);

// ---- running plans ----
// Each makes a plan, places the operands and a poisoned result, executes, and checks that inputs and the bytes between the
// result's elements are intact. `how` may be NULL. The result is the caller's.
mst_layout test_fft_output(const mst_fft_desc *desc); // of the result: desc->output, or what its absence means
test_array test_fft_run(mst_context *context, const mst_fft_desc *desc, const test_array *input, mst_place from, mst_place to,
                        const mst_execution *how);
// Makes a plan under budgets, executes it with both operands at `data` and the result `result` bytes behind, and requires that no
// device memory is held after it.
mst_status test_convolution_attempt(uint64_t device_memory, uint64_t host_memory, const mst_convolution_desc *desc, void *data,
                                    size_t result, mst_error *e);
test_array test_convolution_run(mst_context *context, const mst_convolution_desc *desc, const test_array *x, const test_array *y,
                                const mst_place places[3], const mst_execution *how);

// A full convolution of (bx, n) with (by, m) along the last axis.
mst_convolution_desc test_convolution_desc(mst_type tx, size_t bx, size_t n, mst_type ty, size_t by, size_t m);

// An execution's progress, for which test_watching is to be called: it says to stop at call number stop_at.
typedef struct test_watch {
    uint64_t calls, last, total, stop_at;
    bool wrong; // it went backwards, beyond the end, or to another end
} test_watch;
bool test_watching(uint64_t done, uint64_t total, void *watch);

// The same on random data, against the reference and the gate.
void test_fft_check(mst_context *context, const mst_fft_desc *desc, mst_place from, mst_place to);
void test_convolution_check(mst_context *context, const mst_convolution_desc *desc, const test_array *x, const test_array *y,
                            const mst_place places[3]);

// ---- references ----

// The transform of all values of desc->input, dense, in the shape of test_fft_output; single precision in double, double in long
// double. The caller's.
test_wide *test_fft_reference(const mst_fft_desc *desc, const test_array *input);

// The result of a convolution, dense, in the shape of mst_convolution_result; norms[b], if not NULL, gets ||x||*||y|| of
// vector b (numbered in C order without the axis). Sums are direct for short vectors, by FFTW for long ones, in long double
// (in double for a single-precision result). The caller's.
test_wide *test_convolution_reference(const mst_convolution_desc *desc, const test_array *x, const test_array *y,
                                      const mst_layout *z, long double *norms);

// The gates: relative L2 error of a transform of length n; a convolution of padded length n has twice that.
double test_gate(const mst_layout *layout, size_t n);
double test_fft_gate(const mst_fft_desc *desc); // of a transform; twice that where a cyclic convolution is a part of it

// The relative L2 error of a transform, and ||z - reference||2 / norm of a vector of a convolution, as the root of the mean
// square over the batch: single short vectors scatter (of FFTW's own, one in a thousand is above the gate at N = 8). A vector of
// norm 0 must be exact. `worst` is the vector that is furthest off.
double test_fft_error(const mst_fft_desc *desc, const test_array *output, const test_wide *reference);
double test_convolution_error(const test_array *z, int axis, const test_wide *reference, const long double *norms, size_t *worst);

// The vectors of an array along one axis: element k of vector b has the C-order number test_line(&l, b, k).
typedef struct test_lines {
    size_t length, inner, count;
} test_lines;
test_lines test_lines_of(const mst_layout *layout, int axis);
static inline size_t test_line(const test_lines *l, size_t b, size_t k) {
    return (b / l->inner) * l->length * l->inner + b % l->inner + k * l->inner;
}

// ---- data larger than the budget ----

// Makes x.npy and y.npy of random float32 (rows, n), convolves them (circular) with a device memory budget and without, each in
// a process of its own, and compares the results bit by bit, and some vectors with the reference. The process with the budget
// must stay below `most_resident` bytes of RAM. main has to call test_bigdata_child first, and return *result if it is true.
void test_bigdata(size_t rows, size_t n, uint64_t device_memory, uint64_t most_resident);
bool test_bigdata_child(int argc, char **argv, int *result);

#endif
