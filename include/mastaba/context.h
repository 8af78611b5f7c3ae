// Mastaba: a context holds a device or several, their queues, the program cache, the copy threads and the memory budgets.
//
// All state of the library hangs off a context or a plan made from it; two contexts share nothing. A context may be used
// by many threads at once; those that execute one plan take turns.
#ifndef MASTABA_CONTEXT_H
#define MASTABA_CONTEXT_H

#include <mastaba/device.h>

#ifdef __cplusplus
extern "C" {
#endif

// Devices with their queues, memory budgets and compiled kernels, which plans are made on.
typedef struct mst_context mst_context;

// How important a line of the log is.
typedef enum mst_log_level { MST_LOG_DEBUG = 0, MST_LOG_INFO = 1, MST_LOG_WARNING = 2 } mst_log_level;

// Called with one line without a newline, from any thread that uses the context or that searches start, one call at a
// time.
typedef void (*mst_log_fn)(mst_log_level level, const char *line, void *user);

// Called with a program's OpenCL C when the context first built it, also if it does not build, or took it from its cache on disk
// (by each of two threads that build the same one at once), from any thread that makes plans from the context, one call at a time
// and never while a log line is given. `name` says what the program is and how it is built ("copy rate [-D PRECISION=32]").
// Before the first program comes what stands in front of all of them ("prelude"), which `text` leaves out. Both texts are valid
// during the call, which must not use the context.
typedef void (*mst_program_fn)(const char *name, const char *text, void *user);

// Which devices a text names. An index of mst_devices_list, or a part of a device's name in any case (of several such devices the
// one with the highest score): one. "all", "kind:gpu", "kind:cpu", "kind:accelerator": all that are available, of that kind.
// Behind any of these "/N": each of them in N parts of about the same number of compute units, where the driver can do so (PoCL,
// say). Several of these with commas between: all of them. No device may be there twice.
//
// Several devices are a group: executions whose arrays lie in host memory or in files share their blocks out, each device taking
// the next one when it has room for it, and integrals their integrals. All else works on the first device, the lead, which is
// also the one that mst_context_device, mst_context_opencl and mst_context_queue give; a cl_mem belongs to its OpenCL context.
// Each device has an OpenCL context, queues and threads of its own. device_memory is what may be taken of each; without it, parts
// of one device share its three quarters. host_memory is one budget for all of them. If a device lacks what a plan
// needs (float64, memory), the plan works without it, which is logged as a warning. On devices of one kind, results have
// the same bits whatever their number; where kinds differ they are within what either gives.
typedef struct mst_context_desc {
    size_t struct_size;
    const char *device;        // which device or devices, as below; NULL: MASTABA_DEVICE, else the default
    cl_context opencl_context; // set these two, and maybe the queue, to work on the caller's objects: they are retained
    cl_device_id opencl_device;
    cl_command_queue opencl_queue; // kernels on device data go here; NULL: the context makes its own, in order
    uint64_t device_memory;        // most bytes that plans may take of the device; 0: three quarters of its memory
    uint64_t host_memory;          // most bytes for staging blocks in RAM; 0: 1 GiB
    unsigned copy_threads; // threads that move host data; 0: three quarters of the cores, at least 1, at most 16, and more that
                           // wait for files
    bool no_cache;         // neither read nor write compiled kernels on disk
    const char *cache_directory;  // NULL: $XDG_CACHE_HOME/mastaba, else $HOME/.cache/mastaba; without either, no cache
    const char *kernel_directory; // .cl files here override those built in; NULL: MASTABA_KERNEL_DIR, else none
    bool profile;                 // own queues record times of their commands, for mst_report
    mst_log_fn log;               // NULL: silent
    void *log_user;
    mst_program_fn on_program; // NULL: none
    void *on_program_user;
    const char *const *devices; // n_devices texts in place of `device`: the devices of all of them
    size_t n_devices;
} mst_context_desc;

#define MST_CONTEXT_DESC_INIT                                                                                                    \
    { sizeof(mst_context_desc), NULL, NULL, NULL, NULL, 0, 0, 0, false, NULL, NULL, false, NULL, NULL, NULL, NULL, NULL, 0 }

// Makes a context. desc may be NULL for the defaults. Strings are copied. *out is the caller's, freed by
// mst_context_destroy after every plan made from it; NULL on failure.
// MST_ERROR_NO_DEVICE: nothing matches `device` (the message lists what there is); MST_ERROR_ARGUMENT;
// MST_ERROR_OPENCL; MST_ERROR_HOST_MEMORY. Thread-safe.
MST_API mst_status mst_context_create(const mst_context_desc *desc, mst_context **out, mst_error *error);
// The directory of programs for all users ($MASTABA_SYSTEM_CACHE, or as the library was built) in path[size], and whether
// contexts read it: MST_OK; MST_ERROR_IO: it is not there; MST_ERROR_UNSUPPORTED: it is not trusted, and the message says why;
// MST_ERROR_ARGUMENT: the path does not fit. Thread-safe.
MST_API mst_status mst_system_cache(char *path, size_t size, mst_error *error);
// Waits for its queues; plans made from it, and its pinned memory, are destroyed before.
MST_API void mst_context_destroy(mst_context *context);

// What the context works on, of a group what its lead works on: valid as long as the context; not retained for the caller.
// Thread-safe.
MST_API const mst_device_info *mst_context_device(const mst_context *context);
MST_API cl_context mst_context_opencl(const mst_context *context);
MST_API cl_command_queue mst_context_queue(const mst_context *context);

// The devices of the context, the lead first: 1 if it has no others. mst_context_device_at gives NULL where there is none.
// Valid as long as the context. Thread-safe.
MST_API size_t mst_context_n_devices(const mst_context *context);
MST_API const mst_device_info *mst_context_device_at(const mst_context *context, size_t number);

// Bytes of device memory that the context's plans hold now, on all devices, and the budget of the lead. Thread-safe.
MST_API uint64_t mst_context_device_memory_used(mst_context *context);
MST_API uint64_t mst_context_device_memory_budget(const mst_context *context);

// Measures what a plain device copy reaches, in bytes per second, read and written bytes both counted: the ceiling that
// a memory-bound result is held against. Takes well under a second, blocks, at most 512 MiB of the budget. MST_ERROR_BUDGET;
// MST_ERROR_DEVICE_MEMORY; MST_ERROR_BUILD; MST_ERROR_OPENCL. Thread-safe.
MST_API mst_status mst_context_copy_rate(mst_context *context, double *bytes_per_second, mst_error *error);

// Host memory for arrays that the device reads and writes by itself: contiguous arrays in it skip the copy through staging
// memory, which ordinary memory needs. On a device that works in the host's memory it is ordinary, aligned memory. `bytes`, at
// least 1, must not exceed the device's largest allocation. Pinning takes time (0.35 s a GiB where measured) and keeps the
// pages in RAM, so make such arrays once; they count against no budget. *out is the caller's, freed by mst_pinned_destroy (which
// accepts NULL) before the context is; NULL on failure. MST_ERROR_ARGUMENT, MST_ERROR_HOST_MEMORY, MST_ERROR_DEVICE_MEMORY,
// MST_ERROR_OPENCL. Thread-safe; destroy blocks, and nothing may be using the memory.
MST_API mst_status mst_pinned_create(mst_context *context, uint64_t bytes, void **out, mst_error *error);
MST_API void mst_pinned_destroy(mst_context *context, void *memory);

// Called now and then during a long execution, from the thread that called it, with work done and work in all (in items of
// the capability: vectors, say). Return false to cancel: the execution stops soon with MST_ERROR_CANCELLED.
typedef bool (*mst_progress_fn)(uint64_t done, uint64_t total, void *user);

// What an execution did. Times of commands are sums over blocks, which overlap, and are 0 unless the context profiles.
typedef struct mst_report {
    size_t struct_size;
    double seconds; // wall clock, from the call to its return
    double upload_seconds;
    double compute_seconds;
    double download_seconds;
    uint64_t upload_bytes; // moved from host or file to the device, and back
    uint64_t download_bytes;
    uint64_t blocks;
} mst_report;

#define MST_REPORT_INIT                                                                                                          \
    { sizeof(mst_report), 0.0, 0.0, 0.0, 0.0, 0, 0, 0 }

// Adds what one execution did to a sum over several; both are from MST_REPORT_INIT. Thread-safe for sums of their own.
MST_API void mst_report_add(mst_report *sum, const mst_report *part);

// How to execute a plan. All fields optional; NULL in place of the struct means none.
typedef struct mst_execution {
    size_t struct_size;
    cl_uint n_wait; // the device work starts after these events
    const cl_event *wait_list;
    cl_event *event; // with every operand on the device: return at once, without progress, and give an event, the caller's to
                     // release; otherwise execution blocks, and an already completed event is given. If a command of the
                     // execution ends with an error, so does the event: clWaitForEvents fails, clFinish does not
    mst_progress_fn progress;
    void *progress_user;
    mst_report *report; // from MST_REPORT_INIT; filled when the call succeeds; not together with `event` or `queued`
    uint64_t queued; // 1: with every operand on the device, and no event: return when the commands are in mst_context_queue, in
                     // their order, without progress. They may wait there until that queue is flushed or finished. If one ends
                     // with an error, clFinish fails on a GPU; elsewhere it does not, and the plan's next execution does. For
                     // many small calls: an event takes up to twice the time of a launch. 0: as above
} mst_execution;

#define MST_EXECUTION_INIT                                                                                                       \
    { sizeof(mst_execution), 0, NULL, NULL, NULL, NULL, NULL, 0 }

#ifdef __cplusplus
}
#endif
#endif
