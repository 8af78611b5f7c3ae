// A pass on a device: its tables, its kernels and their launch. A transform, a fused convolution and a fused filter are each a
// list of these.
#ifndef MST_FFT_DEVICE_PASS_H
#define MST_FFT_DEVICE_PASS_H

#include "pass_tables.h"
#include "runtime/kernel.h"

enum {
    MST_PASS_PORTS = 3,
    MST_PASS_LAYOUTS = 1 << MST_PASS_PORTS,
    MST_PASS_OWN_ARGUMENTS = 12, // of a kernel, at most, beside those that all passes have
    MST_PASS_MAX_ARGUMENTS = MST_PASS_OWN_ARGUMENTS + MST_N_TABLES + 2
};

// A kernel, for a pass as it is shaped for the layouts of its arrays.
typedef struct mst_pass_kernel {
    mst_pass pass;
    mst_text text; // NULL text: not written yet
    mst_kernel *kernel;
} mst_pass_kernel;

// Which of a pass's arrays, its ports, are packed and which lie as the caller says is known at execution only. So a pass has a
// kernel for each set of ports that are the caller's: a number with their bits, 0 for packed arrays. Kernels are made when first
// needed.
typedef struct mst_device_pass {
    mst_context *context;
    mst_pass pass;                        // for packed arrays
    char name[48], title[160];            // fft_1024; "fft: pass 1 of 2, radix 8 x 8 x 16, 1024 points along axis 1"
    mst_pass_tables tables;               // that its kernels take; planned, made and filled by the owner,
    const struct mst_device_pass *shared; // unless this other pass has made them
    // Writes the kernel for a set of ports. *pass is a copy of the pass, which may be changed to suit them.
    mst_status (*write)(void *owner, unsigned ports, mst_pass *pass, mst_text *out, mst_error *error);
    void *owner;
    mst_pass_kernel kernels[MST_PASS_LAYOUTS];
} mst_device_pass;

// Makes a pass use the tables of another with the same length, radices and twiddles, if those cover its own.
void mst_device_pass_share(mst_device_pass *d, const mst_device_pass *with);

// Bytes of the tables that are the pass's own; and makes those of them that follow from the pass.
uint64_t mst_device_pass_table_bytes(const mst_device_pass *d);
mst_status mst_device_pass_make_tables(mst_device_pass *d, mst_error *error);

// Writes the text of a kernel; and makes the kernel.
mst_status mst_device_pass_write(mst_device_pass *d, unsigned ports, mst_error *error);
mst_status mst_device_pass_make(mst_device_pass *d, unsigned ports, mst_error *error);
void mst_device_pass_release(mst_device_pass *d);

// The parameters that kernels of all passes have behind their own: the number of lines, the tables and how tiles are shared out.
// mst_device_pass_enqueue gives them their values, behind the `arguments` for the kernel's own parameters. `event` is the
// caller's to release; NULL: none.
void mst_device_pass_add_parameters(const mst_device_pass *d, mst_signature *signature);
mst_status mst_device_pass_enqueue(mst_device_pass *d, unsigned ports, mst_queue *queue, const mst_argument *arguments,
                                   size_t n_arguments, uint64_t n_lines, cl_event *event, mst_error *error);

#endif
