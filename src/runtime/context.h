// What a context holds, for the library's own modules.
#ifndef MST_RUNTIME_CONTEXT_H
#define MST_RUNTIME_CONTEXT_H

#include "error.h"

#include <mastaba/context.h>
#include <pthread.h>

struct mst_kept;
struct mst_pool;
struct mst_program;
struct mst_pinned;
struct mst_tuner;

#define MST_DEFAULT_HOST_MEMORY ((uint64_t)1 << 30)

// The most bytes that may be taken, and those that are.
typedef struct mst_budget {
    uint64_t limit, used;
} mst_budget;

struct mst_context {
    mst_context *lead;   // of the group of devices (group.h): itself, unless it is a further one
    mst_context **peers; // a lead's: the contexts of the further devices
    size_t n_peers;
    mst_device_info device;
    cl_context opencl;
    // Each queue is in order; uploads, kernels and downloads overlap because each has a queue of its own.
    cl_command_queue upload, compute, download;
    // A lead's, of a group of all parts of one processor: that processor, which is in the same OpenCL context, and a queue on it,
    // which takes the launches of a queue that shares (queue.h). A peer has its own context beside.
    cl_device_id whole;
    cl_command_queue joint;
    unsigned units; // compute units of the device or, where there is one, of the whole, at least 1
    bool profile;
    bool is_limited;       // a memory budget was given
    cl_mem stamp;          // with `profile`: what mst_stamp fills
    struct mst_pool *pool; // the lead's
    unsigned copy_threads; // most that move data of the host; 0: as many as are good
    char *cache_directory; // NULL: nothing is kept on disk
    int system_cache;      // descriptor of a directory for all users, whose programs come first; -1: none
    char *kernel_directory;
    mst_log_fn log;
    void *log_user;
    mst_program_fn on_program;
    void *on_program_user;

    pthread_mutex_t mutex; // guards what follows
    mst_budget device_memory, host_memory;
    struct mst_program *programs;
    struct mst_kept *kept; // by src/runtime/cache.h, without a directory
    struct mst_pinned *pinned;
    pthread_mutex_t log_mutex; // the lead's: one call of log or on_program at a time; guards
    bool prelude_given;        // whether on_program has had prelude.cl

    pthread_mutex_t tuner_mutex; // guards the making of what src/tune keeps here
    struct mst_tuner *tuner;
    void (*tuner_destroy)(struct mst_tuner *);
};

// A context of a device, which is a part of `whole` if that is not NULL, or (`device` is NULL) of the OpenCL objects in the
// description. With a lead it is a further one of a group, and shares the lead's threads.
mst_status mst_context_make(const mst_context_desc *desc, const mst_device_info *device, cl_device_id whole, mst_context *lead,
                            mst_context **out, mst_error *error);

void mst_log(mst_context *context, mst_log_level level, const char *format, ...) __attribute__((format(printf, 3, 4)));

// Device memory under the budget. `what` names the buffer in messages. A zero-sized request gives one byte.
// MST_ERROR_BUDGET when the budget would be exceeded. Release accepts NULL and needs the bytes that were asked for.
mst_status mst_device_allocate(mst_context *context, cl_mem_flags flags, uint64_t bytes, const char *what, cl_mem *out,
                               mst_error *error);
void mst_device_release(mst_context *context, cl_mem buffer, uint64_t bytes);

// An in-order queue of the caller's like those of the context; it records times if the context profiles.
mst_status mst_opencl_queue_create(mst_context *context, cl_command_queue *queue, mst_error *error);

// What is left of a budget now; taking bytes of it (false: there are not that many), and giving them back.
uint64_t mst_budget_left(mst_context *context, const mst_budget *budget);
bool mst_budget_take(mst_context *context, mst_budget *budget, uint64_t bytes);
void mst_budget_give(mst_context *context, mst_budget *budget, uint64_t bytes);

// MST_ERROR_BUDGET, with the least that works, if so many bytes for `what` are more than is left.
mst_status mst_budget_require(mst_context *context, const mst_budget *budget, uint64_t bytes, const char *what, mst_error *error);

// The execution description a caller passed: NULL becomes the defaults; MST_ERROR_ARGUMENT when it is malformed.
mst_status mst_execution_read(const mst_execution *how, mst_execution *out, mst_error *error);

// Fills the report that the caller asked for, if any.
void mst_execution_report(const mst_execution *how, const mst_report *report);

// With `profile`: an event whose end is the moment at which the queue comes to it. It is that of a fill of four bytes, since
// drivers give markers no usable times. It waits for the events, too.
cl_int mst_stamp(const mst_context *context, cl_command_queue queue, cl_uint n_waits, const cl_event *waits, cl_event *event);

// The device's seconds between two stamps, or from the start of a command to its end, once they are over; 0 where these times are
// not known. Events may be NULL.
double mst_seconds_between(const mst_context *context, cl_event stamp, cl_event next);
double mst_command_seconds(const mst_context *context, cl_event command);

// Wall-clock seconds from an arbitrary start.
double mst_now(void);

// Waits for a change, for 50 ms at most, after which whoever waits reports progress; false if none came. Called and left with the
// mutex held.
bool mst_wait_a_while(pthread_cond_t *changed, pthread_mutex_t *mutex);

// The median of n times (the upper one if n is even). Sorts them.
double mst_median(double *seconds, int n);

#endif
