// A pass: a batch of transforms of one length, each read once from memory and written once. A plan is a list of passes; long axes
// take several (Bailey's four-step method, generalised). The kernels of transforms, convolutions and filters are all passes. How
// one is written as OpenCL C is in write.h, its tables are in pass_tables.h, and device_pass.h has what it needs to run.
#ifndef MST_FFT_PASS_H
#define MST_FFT_PASS_H

#include "runtime/error.h"

#include <mastaba/device.h>

#include "even_maps.cl"

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
    mst_element element; // real: an imaginary part of zero, or dropped; Hermitian, in: conjugates beyond axis_length / 2
    size_t axis_length;  // Hermitian: of the whole transform; of even or odd data: of these
    size_t mirror_length, residues; // out: positions beyond half of this as conjugates, not those 0 or r / 2 mod r; 0: not so
    size_t length;                  // positions from here on are zero on load and not stored; 0: all are there
    bool multiply;                  // by a table, at the position
    bool swap;                      // exchange real and imaginary part: a forward transform between two swaps is an inverse one
    int even;  // real: of cosine or sine transforms (even.h), EVEN_SPREAD or another of even_maps.cl; EVEN_NONE: not
    bool sine; // the latter
} mst_pass_op;

// A pass may convolve its lines cyclically with a spectrum: the transform, the product and the inverse, in natural order or, as a
// transform of n + 1 points, in Rader's.
typedef enum mst_pass_convolution { MST_PASS_TRANSFORM, MST_PASS_CHIRP, MST_PASS_RADER } mst_pass_convolution;

// Transforms of 2 n real numbers as n complex ones, their parts: the results are combined to n + 1 numbers of the spectrum;
// or such numbers are split before an inverse transform. cpu: where n takes several passes, a pass of its own does that.
typedef enum mst_pass_half {
    MST_HALF_NONE,
    MST_HALF_COMBINE,
    MST_HALF_SPLIT,
    MST_HALF_EVEN, // a cosine or sine transform (even.h) in one pass, by the parts of n complex numbers; n of its numbers, if odd
    MST_HALF_PAIRS, // real elements are pairs of numbers, and no more
    MST_HALF_COMBINE_ALONE,
    MST_HALF_SPLIT_ALONE,
    MST_HALF_EVEN_COMBINE_ALONE, // the same of cosine and sine transforms of types II and III
    MST_HALF_EVEN_SPLIT_ALONE
} mst_pass_half;
#define MST_PASS_HALF_RUN 256 // results k, and as many opposite ones, that are a line of a pass which combines or splits alone

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
    mst_pass_half half;
    // Values leave multiplied by exp(-2 pi i c e / twiddle_n) for element e of the line with column c; 0: not.
    // c = l_k for the dimension k = twiddle_dim of the source.
    size_t twiddle_n;
    int twiddle_dim;
    size_t twiddle_outer;   // gpu: columns are so much more for each step of the dimension before; 0: they go by one dimension
    bool twiddle_by_column; // gpu: tables in the order of columns (pass_tables.h): neighbours read neighbours
    bool twiddle_split;     // gpu: the same for many columns, in blocks, with tables for those in a block and for the blocks
    bool twiddle_on_load;   // they were left out before, and values are multiplied by their conjugates while they are loaded

    // gpu: a line is a box of so many axes, all of them transformed, with these lengths, whose product is n; the radices are
    // those of one axis after the other. 0: one axis.
    int n_box;
    size_t box[MST_MAX_AXES];
    unsigned pad_shift; // of boxes: in local memory there is a gap behind every 2^pad_shift numbers

    bool is_double;
    size_t n; // length of the transforms
    int n_radices;
    unsigned radices[MST_PASS_RADICES];

    bool cpu, primes;       // shape; cpu: the last radix may be a prime above MST_PASS_MAX_PRIME (prime.h)
    bool wide_elements;     // gpu, fused: an element of a line is two complex numbers, side by side in memory
    bool fused;             // written by mst_pass_write_fusion: a line stays with its work-items
    unsigned lanes;         // cpu: transforms a work-item works on at once, in vectors
    unsigned threads;       // gpu: work-items a transform
    unsigned lines;         // gpu: transforms a work-group
    size_t row, row_there;  // gpu: of each so many lines only the first are there; 0: all are
    unsigned load_run, run; // gpu: neighbouring work-items that share a line while it is loaded, and from the first exchange on:
                            // `threads` where the line's elements are neighbours in memory, 1 where lines are
    bool staged_load, staged_store; // gpu: lines pass through local memory on their way, so that neighbours read neighbours
    unsigned exchange_parts;        // gpu: what goes through local memory at a time: 1: real and imaginary parts; 2: real, then
                                    // imaginary ones; 4: those of the elements before the middle, then of those behind it
    bool two_operands;              // gpu, fused: two are transformed,
    bool whole_exchange;            // gpu, fused: whole numbers lie in local memory by the rules of exchange.c,
    unsigned areas;                 // exchanges in turns in so many areas of it: with two, a barrier for each is enough
    bool few_twiddles;              // gpu: products of two entries of a step's table (step_table.c)
} mst_pass;

// The pass that goes back from where the GPU-shaped one leaves its results: radices backwards, splitting where this one combines.
mst_pass mst_pass_back(const mst_pass *pass);

// Radices for a length, of choice.radix (0: by rule); false if it has a prime factor above MST_PASS_MAX_PRIME.
bool mst_pass_factor(size_t n, bool cpu, unsigned radix, unsigned *radices, int *n_radices);

// The radices of a pass whose choice, views, length, precision and shape (`cpu`) are set; false if there are none. Its tables
// depend on them: kernels of the same pass for other views keep them.
bool mst_pass_choose_radices(mst_pass *pass);

// The number of work-items, at most `limit`, that wastes the fewest in rounds that are not full, if each holds at most so many
// numbers at once (or the largest radix, or twice, four times as many up to `most_held`); 0: there is none.
unsigned mst_pass_choose_threads(const mst_pass *pass, unsigned held, unsigned most_held, size_t limit);

// Decides lanes, work-items and work-groups of a pass with radices.
mst_status mst_pass_shape(mst_pass *pass, const mst_device_info *device, mst_error *error);

// Up to which length one pass takes every transform on a device, in either shape; whether it takes one of length n that is not
// fused with others; and the shape that suits the device.
size_t mst_pass_local_limit(const mst_device_info *device); // bytes of local memory that passes use
size_t mst_pass_longest(const mst_device_info *device, bool cpu, bool is_double);
bool mst_pass_takes(const mst_device_info *device, bool cpu, bool is_double, size_t n);
bool mst_pass_suits_cpu(const mst_device_info *device);
unsigned mst_pass_lanes(bool is_double); // of CPU-shaped passes, by rule

// How a launch shares out so many lines, one or more: GPU-shaped passes in work-groups; CPU-shaped ones in work-items, which are
// few and take so many tiles each.
typedef struct mst_pass_launch {
    size_t items, group;
    cl_uint tiles_an_item;
} mst_pass_launch;
mst_pass_launch mst_pass_share_out(const mst_pass *pass, const mst_device_info *device, uint64_t n_lines);

// Joins dimensions that continue one another, and drops those of count 1 (twiddle_dim follows).
void mst_view_merge(mst_view *view, int *keep_dim);

#endif
