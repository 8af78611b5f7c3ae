// How passes are written as OpenCL C. Kernels have two shapes. GPU: the work-items of a group hold their lines in registers and
// exchange numbers through local memory between the steps of a transform (write_gpu.c, write_steps.c, write_exchange.c). CPU: a
// work-item keeps a tile of lines in its cache and works on them with vectors (write_cpu.c, write_cpu_moves.c).
#ifndef MST_FFT_WRITE_H
#define MST_FFT_WRITE_H

#include "pass.h"
#include "runtime/context.h"
#include "text/signature.h"

// Writes a pass of a transform. `signature` has the parameters source and target, each with _base (the element where its data
// begin) and _first (its first line); `scale`, if values are scaled; and those of every pass (device_pass.h).
mst_status mst_pass_write(mst_context *context, const mst_pass *pass, const mst_signature *signature, mst_text *out,
                          mst_error *error);

const char *mst_element_type(mst_element element); // of the numbers in memory

// ---- Pieces for the kernels of others: butterflies, and where lines lie.

// "8 x 8 x 16"
void mst_pass_radices_text(const mst_pass *pass, char *out, size_t size);

// The type vreal, which is a number in GPU-shaped kernels and a vector of lanes in CPU-shaped ones, and for each radix r of the
// pass void dft<r>(vreal *re, vreal *im).
mst_status mst_butterflies_write(mst_context *context, const mst_pass *pass, mst_text *out, mst_error *error);

// long <side>_outer(ulong line) and uint <side>_position(ulong line): where a line of the view begins (mst_view).
void mst_view_write(const mst_view *view, const char *side, mst_text *out);

// real2 twiddle(low, high, t): exp(-2 pi i t / twiddle_n), from tables that are not by column (pass_tables.h).
void mst_twiddle_write(const mst_pass *pass, mst_text *out);

// What is done to results k and n - k of a GPU-shaped pass that combines (pass.h), which are together in a work-item.
typedef struct mst_mirrors {
    const char *pair; // void pair(real *ar, real *ai, real *br, real *bi, uint k, arguments): k (a), 0 < k < n/2, and n - k (b)
    const char *arguments; // each after a comma
    const char *zeroth;    // statements for k = 0, re[0] and im[0],
    const char *middle;    // and for k = n/2, re[e] and im[e]
} mst_mirrors;

// ---- GPU-shaped: a kernel around the steps of a pass (write_fusion.c). One or two operands are loaded and maybe transformed,
// two are multiplied, the result is maybe transformed back, and stored. All texts are OpenCL C of the caller's, without
// indentation.
// A pass of MST_HALF_SPLIT does it the other way round: the operand is n + 1 elements of the half spectrum of 2 n real numbers,
// `change` gets `value`, the numbers 2 e and 2 e + 1 times 2 n, and what it leaves is transformed `backward` to a half spectrum.
typedef struct mst_fusion {
    const mst_signature *signature; // with the parameters of every pass (device_pass.h)
    const char *locate; // statements that may use the line's number, `line` (beyond the end in work-items that are not `active`)
    const char *loads[2]; // expressions for element e, real2; the second NULL: one operand
    bool forward[2];      // operands to be transformed; else they are spectra, in natural order
    const char *change;   // statements that change `value`, element e of a single operand's spectrum, the last one without its
                          // semicolon; NULL: none
    const mst_mirrors *mirrors; // or what changes elements e and n - e together, of a pass that combines
    bool backward;              // else the spectrum is stored
    const char *store;          // statements for element e, `value`, the last one without its semicolon
    bool pairs;         // elements e and e + n/2 go together, n and the first radix being even: loads[0] is statements that set
                        // `value` and `partner`, and `store` takes both
    const char *finish; // statements at the end, in all work-items: `locate` leaves the line in local memory `own` (reals), loads
                        // read it there, and stores leave it there for these; NULL: none
} mst_fusion;
void mst_pass_write_fusion(const mst_pass *pass, const mst_fusion *fusion, mst_text *out);

// ---- CPU-shaped: the steps as functions for a kernel of the caller's, and LANES, their number. RE(i) and IM(i) are the parts of
// element i of `vreal v[2 n]`. void forward(v, step_twiddles) leaves result k in element place(k); void backward(v,
// step_twiddles) takes it from there and leaves the inverse transform, times n, in natural order.
void mst_pass_write_cpu_steps(const mst_pass *pass, bool backward, mst_text *out);

#endif
