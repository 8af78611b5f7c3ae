// What an FFT plan holds.
#ifndef MST_FFT_PLAN_H
#define MST_FFT_PLAN_H

#include "device_pass.h"
#include "runtime/turn.h"
#include "stream/stream.h"
#include "tune/tune.h"

#include <mastaba/fft.h>

#define MST_FFT_MAX_PASSES (MST_MAX_AXES * 8)

// Convolutions with a chirp up to this length have its spectrum from the host, in long double; longer ones, up to the second, of
// arrays on the device alone, from a transform of the plan's precision.
#define MST_FFT_LONGEST_CHIRP ((size_t)1 << 22)
#define MST_FFT_LONGEST_DEVICE_CHIRP ((size_t)1 << 28)

// The arrays that passes go between. Work arrays are dense; SPECTRUM holds a complex array on its way to real output.
enum { SOURCE, TARGET, WORK, PADDED, SPECTRUM, N_BUFFERS };

typedef struct mst_fft_pass {
    mst_device_pass device;          // ports: MST_FFT_SOURCE, MST_FFT_TARGET
    mst_view own_source, own_target; // of the caller's arrays, where they are SOURCE and TARGET
    int own_twiddle_dim;             // of own_source
    int axis;                        // of the arrays
    int from, to;                    // buffers
    size_t lines_an_item;
    size_t chirp_length; // the factors on store are the spectrum of a chirp of this length; 0: a chirp
    void *long_spectrum; // that spectrum, where it is longer than MST_FFT_LONGEST_CHIRP
} mst_fft_pass;

enum { MST_FFT_SOURCE = 1, MST_FFT_TARGET = 2 };

// CPU-shaped: a program for all sizes (any.h) but for a tuned choice, or kernels that are written for the plan's.
typedef enum mst_fft_kernels { MST_FFT_KERNELS_BY_RULE, MST_FFT_KERNELS_SPECIALISED } mst_fft_kernels;

struct mst_fft {
    mst_context *context;
    mst_turn *turn;
    mst_fft_desc desc; // axes 0-based, in the order in which they are transformed; output filled in
    int split;         // the axis at which items are cut
    bool is_double, cpu;
    bool long_chirps;        // lengths with large prime factors go by passes beyond MST_FFT_LONGEST_CHIRP, too: arrays are there
    mst_fft_kernels kernels; // which of them were asked for
    bool any_length;         // passes go by kernels that know no sizes (any.h)
    mst_pass_choice choice;
    mst_stream *stream;
    uint64_t table_bytes; // device memory of all tables
    uint64_t item_bytes[N_BUFFERS];
    cl_mem buffers[N_BUFFERS];
    uint64_t buffer_bytes[N_BUFFERS];
    int n_passes;
    mst_fft_pass passes[MST_FFT_MAX_PASSES];
    struct mst_any *any; // what those take; NULL: each pass has kernels of its own
    // Where one item exceeds the budgets: what arrays in host memory and files take (panels.h); the passes above are without
    // kernels then, and `whole`, made when it is asked for, is for arrays on the device.
    // The second for pinned arrays, the third for files, when there have been any; either may be the first.
    struct mst_fft_panels *panels, *crossing, *filed;
    void (*panels_destroy)(struct mst_fft_panels *panels);
    struct mst_fft_lines *lines; // where panels do not do, either: what such arrays take (lines.h)
    void (*lines_destroy)(struct mst_fft_lines *lines);
    bool only_panels;   // there are no passes for whole items
    bool lacks_staging; // it is the host's budget that an item exceeds, which pinned arrays do not need
    struct mst_fft *whole;
    mst_error refusal; // with a status: the budgets are too small for panels, too, which says the least that works
};

// Of a complex number of the plan's precision.
static inline uint64_t mst_fft_number_bytes(const mst_fft *plan) { return plan->is_double ? 16 : 8; }

// Device memory that an item of a block takes besides its input and output.
static inline uint64_t mst_fft_work_bytes(const mst_fft *plan) {
    uint64_t bytes = 0;
    for (int b = WORK; b < N_BUFFERS; b++)
        bytes += plan->item_bytes[b];
    return bytes;
}

// mst_fft_create with cpu and choice given (NULL: chosen by the description, tuning or rule).
typedef struct mst_fft_choice {
    bool cpu;
    mst_pass_choice pass;
    mst_fft_kernels kernels;
} mst_fft_choice;
mst_status mst_fft_create_as(mst_context *context, const mst_fft_desc *desc, const mst_fft_choice *choice, mst_fft **out,
                             mst_error *error);

// mst_fft_create, with what may be done before kernels are made: it may give the plan panels, which it is left with then. NULL:
// nothing. And a plan by rule that knows what it takes, and can do no more.
typedef mst_status (*mst_fft_hook)(mst_fft *plan, mst_error *error);
mst_status mst_fft_create_with(mst_context *context, const mst_fft_desc *desc, mst_fft_hook before, mst_fft **out,
                               mst_error *error);
mst_status mst_fft_create_planned(mst_context *context, const mst_fft_desc *desc, mst_fft **out, mst_error *error);

// Whole items through the stream of a plan without panels; and what that stream is.
mst_status mst_fft_run(mst_fft *plan, const mst_location *where, const mst_execution *how, mst_error *error);
mst_stream_desc mst_fft_describe_stream(const mst_fft *plan);
bool mst_fft_needs_of_whole(const mst_fft *plan, mst_fft_needs *out); // whether what is left of the budgets has room for an item

// lines.c: what mst_fft_create would make, for arrays in host memory or files; if nothing fits, the least.
mst_status mst_fft_look(mst_context *context, const mst_fft_desc *desc, mst_fft_needs *out, bool *fits, mst_error *error);

// tune.c: the choice for a plan whose description is read and `cpu` set by it or by the device.
mst_status mst_fft_tune(mst_fft *plan, mst_tune_chain *chain, mst_error *error);

// Reads and checks a description (description.c): axes from 0 on, in the order in which they are transformed; output filled in.
mst_status mst_fft_read(const mst_fft_desc *desc, mst_fft_desc *out, mst_error *error);

// Plans all passes: no OpenCL call yet. MST_ERROR_UNSUPPORTED for lengths that no sequence of passes covers.
mst_status mst_fft_plan_passes(mst_fft *plan, mst_error *error);

// Says in the title of a pass which of how many it is.
void mst_fft_name_pass(mst_fft *plan, int number);

// The values of a pass's table that does not follow from the pass alone, the caller's to free; NULL: out of memory.
void *mst_fft_factors(const mst_fft *plan, const mst_fft_pass *p, mst_table_kind kind);

// Makes what a planned pass needs, but no kernel for arrays with gaps.
mst_status mst_fft_make_pass(mst_fft *plan, mst_fft_pass *p, mst_error *error);

// Whether an axis, counted from 0, is among those of a description that is read.
bool mst_fft_transforms(const mst_fft_desc *d, int axis);

// Whether a buffer is a caller's array with gaps: whether kernels get it so, or packed, depends on where it lies.
bool mst_fft_has_gaps(const mst_fft *plan, int buffer);

// What a plan gives its stream, for those who put transforms into a stream of their own: work memory for up to n_items items
// (item_bytes says how much; 0 releases it), and enqueueing all passes of a block with ports 0 (input) and 1 (output). `user` is
// the plan.
mst_status mst_fft_prepare(void *user, size_t n_items, mst_error *error);
mst_status mst_fft_compute(void *user, const mst_block *block, mst_error *error);

// Bluestein's chirp exp(-+ pi i p^2 / n) for p < n (upper sign: forward), and the spectrum, of length m, that convolves with its
// conjugate; both as pairs of float or double, the caller's to free. NULL when out of memory.
void *mst_chirp(size_t n, bool inverse, bool is_double);
void *mst_chirp_spectrum(size_t n, size_t m, bool inverse, bool is_double);
void *mst_chirp_around(size_t n, size_t m, bool inverse, bool is_double); // what it is the spectrum of, times m

// Rader's order for a prime n: a generator's powers g^p mod n for p < n - 1, and the spectrum, of length n - 1, that convolves
// with exp(-2 pi i g^-p / n). As above.
uint32_t *mst_rader_order(size_t n);
void *mst_rader_spectrum(size_t n, bool is_double);

#endif
