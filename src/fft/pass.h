// A pass: a batch of transforms of one length, each read once from memory and written once. A plan is a list of passes; long axes
// take several (Bailey's four-step method, generalised). Planned in planner.c, written as OpenCL C in write*.c.
#ifndef MST_FFT_PASS_H
#define MST_FFT_PASS_H

#include "runtime/error.h"
#include "text/text.h"

#include <mastaba/device.h>

#define MST_PASS_DIMS (MST_MAX_RANK + 3)
#define MST_PASS_RADICES 16
#define MST_PASS_MAX_RADIX 32
#define MST_PASS_MAX_PRIME 31

// How the lines of one side lie. Line l is counted in C order over the dimensions; its element e lies at position
// p = sum_k l_k position[k] + e step along the axis, at sum_k l_k outer[k] + p axis_stride elements from the base.
typedef struct mst_view {
    int n_dims;
    size_t counts[MST_PASS_DIMS];
    int64_t outer[MST_PASS_DIMS];
    size_t position[MST_PASS_DIMS];
    int64_t axis_stride;
    size_t step;
} mst_view;

typedef enum mst_element { MST_ELEMENT_COMPLEX, MST_ELEMENT_REAL, MST_ELEMENT_HERMITIAN } mst_element;

// What happens to a value on its way in or out.
typedef struct mst_pass_op {
    mst_element element; // real: an imaginary part of zero, or dropped. Hermitian (only in): positions above axis_length / 2 are
                         // the conjugates of those at axis_length - p
    size_t axis_length;  // Hermitian: of the whole transform
    size_t length;       // positions from here on are zero on load and not stored; 0: all are there
    bool multiply;       // by a table, at the position
    bool swap;           // exchange real and imaginary part: a forward transform between two swaps is an inverse one
} mst_pass_op;

// A pass may convolve its lines cyclically with a spectrum: the transform, the product and the inverse, in natural order or, as a
// transform of n + 1 points, in Rader's.
typedef enum mst_pass_convolution { MST_PASS_TRANSFORM, MST_PASS_CHIRP, MST_PASS_RADER } mst_pass_convolution;

// What tuning may choose: no result depends on it but for rounding. 0: by rule.
typedef struct mst_pass_choice {
    unsigned radix; // cpu: powers of two by steps of at most this radix, 4, 8 or 16
    unsigned lanes; // cpu: 4 or 8
    unsigned group; // gpu: work-items of a work-group that small transforms share, a power of two
} mst_pass_choice;

typedef struct mst_pass {
    mst_pass_choice choice;
    mst_view source, target;
    mst_pass_op load, store;
    bool scale;
    mst_pass_convolution convolution; // gpu
    // Values leave multiplied by exp(-2 pi i c e / twiddle_n) for element e of the line with column c; 0: not.
    // c = l_k for the dimension k = twiddle_dim of the source.
    size_t twiddle_n;
    int twiddle_dim;
    bool twiddle_by_column; // gpu: tables in the order of columns (device_table.h): neighbours read neighbours

    bool is_double;
    size_t n; // length of the transforms
    int n_radices;
    unsigned radices[MST_PASS_RADICES];

    bool cpu;               // shape
    bool wide_elements;     // gpu, fused: an element of a line is two complex numbers, side by side in memory
    bool fused;             // written by mst_pass_write_fusion: a line stays with its work-items
    unsigned lanes;         // cpu: transforms a work-item works on at once, in vectors
    unsigned threads;       // gpu: work-items a transform
    unsigned lines;         // gpu: transforms a work-group
    unsigned load_run, run; // gpu: neighbouring work-items that share a line while it is loaded, and from the first exchange on:
                            // `threads` where the line's elements are neighbours in memory, 1 where lines are
    bool staged; // gpu: a work-item holds a whole line; lines pass through local memory so that neighbours read neighbours
    unsigned exchange_parts; // gpu: what goes through local memory at a time: 1: real and imaginary parts; 2: real, then
                             // imaginary ones; 4: those of the elements before the middle, then of those behind it
    bool two_operands;       // gpu, fused: two are transformed,
    bool whole_exchange;     // gpu, fused: whole numbers lie in local memory by the rules of exchange.c,
    unsigned areas;          // exchanges in turns in so many areas of it: with two, a barrier for each is enough
    bool few_twiddles;       // gpu: products of two entries of a step's table (tables.c)
} mst_pass;

// Reals of local memory that one transform of a GPU-shaped pass takes in each of its areas, and how many of them the real (or
// imaginary) parts that are there at a time take, unless the exchange is whole, where element i is number i + (i >> pad shift).
size_t mst_pass_own_reals(const mst_pass *pass);
size_t mst_pass_padded_reals(const mst_pass *pass);
unsigned mst_pass_pad_shift(const mst_pass *pass);

// In the whole exchange after a step, element i of a line is complex number i + i / block * gap of so many that the line takes,
// so that work-items that are neighbours use different banks of local memory.
typedef struct mst_exchange {
    size_t block, gap;
} mst_exchange;
mst_exchange mst_pass_exchange(const mst_pass *pass, int step);
size_t mst_pass_exchange_numbers(const mst_pass *pass);

// The pass that goes back from where the GPU-shaped one leaves its results: with the radices backwards.
mst_pass mst_pass_back(const mst_pass *pass);

// Radices for a length, of choice.radix (0: by rule); false if it has a prime factor above MST_PASS_MAX_PRIME.
bool mst_pass_factor(size_t n, bool cpu, unsigned radix, unsigned *radices, int *n_radices);

// The radices of a pass whose choice, views, length, precision and shape (`cpu`) are set; false if there are none. Its tables
// depend on them: kernels of the same pass for other views keep them.
bool mst_pass_choose_radices(mst_pass *pass);

// Decides lanes, work-items and work-groups of a pass with radices.
mst_status mst_pass_shape(mst_pass *pass, const mst_device_info *device, mst_error *error);

// Up to which length one pass takes every transform on a device, in either shape; whether it takes one of length n that is not
// fused with others; and the shape that suits the device.
size_t mst_pass_longest(const mst_device_info *device, bool cpu, bool is_double);
bool mst_pass_takes(const mst_device_info *device, bool cpu, bool is_double, size_t n);
bool mst_pass_suits_cpu(const mst_device_info *device);

// How a launch shares out so many lines, one or more: GPU-shaped passes in work-groups; CPU-shaped ones in work-items, which are
// few and take so many tiles each.
typedef struct mst_pass_launch {
    size_t items, group;
    cl_uint tiles_an_item;
} mst_pass_launch;
mst_pass_launch mst_pass_share_out(const mst_pass *pass, const mst_device_info *device, uint64_t n_lines);

// Joins dimensions that continue one another, and drops those of count 1 (twiddle_dim follows).
void mst_view_merge(mst_view *view, int *keep_dim);

// OpenCL C for the pass: a kernel `fft_pass`.
void mst_pass_write(const mst_pass *pass, mst_text *out);
// Parts of it: write_cpu.c, write_cpu_moves.c, write_gpu.c, write_convolution.c, butterfly.c.
void mst_pass_write_cpu(const mst_pass *pass, mst_text *out);
void mst_pass_write_cpu_rows(const mst_pass *pass, mst_text *out); // functions that the next two use (write_cpu_moves.c)
void mst_pass_write_cpu_load(const mst_pass *pass, mst_text *out);
void mst_pass_write_cpu_store(const mst_pass *pass, mst_text *out);
void mst_pass_write_gpu(const mst_pass *pass, mst_text *out);
void mst_pass_write_convolution(const mst_pass *pass, mst_text *out);
void mst_butterflies_write(const unsigned *radices, int n_radices, mst_text *out);

// A kernel around the steps of a pass, GPU-shaped (write_fusion.c): one or two operands are loaded and maybe transformed, two are
// multiplied, the result maybe transformed back, and stored. All texts are OpenCL C of the caller's.
typedef struct mst_fusion {
    const char *head;   // "name(arguments)"; among them ulong n_lines, and the tables `table` of the pass, `back_table` of `back`
    const char *locate; // statements that may use the line's number, `line` (beyond the end in work-items that are not `active`)
    const char *loads[2]; // expressions for element e, real2; the second NULL: one operand
    bool forward[2];      // operands to be transformed; else they are spectra, in natural order
    const char *change;   // a statement that changes `value`, element e of a single operand's spectrum; NULL: none
    bool backward;        // else the spectrum is stored
    const char *store;    // a statement for element e, `value`
    bool pairs; // elements e and e + n/2 go together, n and the first radix being even: loads[0] is a statement that sets `value`
                // and `partner`, and `store` takes both
    const char *finish; // statements at the end, in all work-items: `locate` leaves the line in local memory `own` (reals), loads
                        // read it there, and stores leave it there for these; NULL: none
} mst_fusion;

// `back` is mst_pass_back of the pass: so the product is taken where the last forward step leaves the spectra.
void mst_pass_write_fusion(const mst_pass *pass, const mst_pass *back, const mst_fusion *fusion, mst_text *out);

// CPU-shaped: the steps as functions for a kernel of the caller's. RE(i) and IM(i) are the parts of element i of `vreal v[2 n]`.
// void forward(v, table) leaves result k in element place(k); void backward(v, table) takes it from there and leaves the
// inverse transform, times n, in natural order.
void mst_pass_write_cpu_steps(const mst_pass *pass, bool backward, mst_text *out);

void mst_view_write(const mst_view *view, const char *side, mst_text *out);

// The table of twiddles inside the pass: entries of it, and its values (pairs of float or double; false: out of memory).
size_t mst_pass_table_count(const mst_pass *pass);
bool mst_pass_fill_table(const mst_pass *pass, void *table);

// A step's table has exp(-2 pi i k q / (span r)) for k < span, one row for each of these q in this order: 1 .. low - 1, then low,
// 2 low .. r - low, which with products make all from 1 to r - 1. low = r: all are there.
unsigned mst_pass_low_powers(const mst_pass *pass, unsigned r);
unsigned mst_pass_table_rows(const mst_pass *pass, unsigned r);

#endif
