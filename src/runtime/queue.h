// Queues whose commands are seen to end well, or not.
#ifndef MST_RUNTIME_QUEUE_H
#define MST_RUNTIME_QUEUE_H

#include "context.h"

// A queue of the context's as one plan uses it, by one thread at a time. OpenCL tells that a command ended with an error by the
// command's event only: clFinish and blocking calls succeed all the same, and so may the commands behind it. So the events of
// commands are kept here until they have been looked at.
//
// On a GPU an event takes 1.5 to 2 microseconds a launch (NVIDIA's driver on an H100) and is not needed: an error takes the
// queue with it, and everything behind fails. Elsewhere, where it takes a tenth of one, each launch has an event, and waits for
// the one before, or a kernel could run on what one that failed has left undone, on indices, say.
typedef struct mst_queue {
    mst_context *context;
    cl_command_queue opencl; // the context's or, if made by mst_queue_create, its own
    cl_event *events;        // of commands that have not been seen to end, in their order
    const char **names;      // what they are, for messages; static, or living as long as their commands run
    size_t n, room;
    cl_int failed; // the code of the first command that was seen to have failed, and what it was
    const char *failed_name;
    bool is_own;
    bool is_open;   // there are commands without an event, and none of those kept is behind them
    bool is_ending; // the next command is to have an event, wherever: it is the last one before a mark
    bool is_ended;  // the one whose event was kept last was that
    bool is_joined; // not every event that is kept waits for the one before: some are of other queues
    bool is_left;   // whoever uses it waits for all of it: no mark is wanted
    bool shares;    // launches go to all of the processor that the device is a part of, if it is one
} mst_queue;

#define MST_QUEUE(context, opencl)                                                                                               \
    { (context), (opencl), NULL, NULL, 0, 0, CL_SUCCESS, NULL, false, false, false, false, false, false, false }

// One beside the context's, in order like those.
mst_status mst_queue_create(mst_context *context, mst_queue *out, mst_error *error);

// Before a command is enqueued: fails if one is known to have failed, and says what it waits for (waits[0 .. *n_waits - 1]), and
// where it puts its event, which mst_queue_add takes then: *event is `own`, or NULL where no event is needed.
mst_status mst_queue_begin(mst_queue *queue, cl_uint *n_waits, const cl_event **waits, cl_event *own, cl_event **event,
                           mst_error *error);

// Says that the next command is the last one before a mark, so that its own event can be the mark.
static inline void mst_queue_expect_mark(mst_queue *queue) { queue->is_ending = !queue->is_left; }

// Keeps an event, which it owns from now on (NULL: there is none), until its command has ended. `copy`, if not NULL, gets it as
// well, for the caller to release. Fails if the copy cannot be had or, now and then, as mst_queue_check does.
mst_status mst_queue_add(mst_queue *queue, cl_event event, const char *name, cl_event *copy, mst_error *error);

// clWaitForEvents for one event or more of a caller's, which fails if one of them did: NVIDIA's succeeds for user events that
// did.
cl_int mst_wait_for_events(cl_uint n, const cl_event *events);

// Releases an event, which may be NULL, and forgets it.
void mst_event_drop(cl_event *event);

// Makes what is enqueued later wait for commands of other queues, whose errors become errors of this one.
mst_status mst_queue_barrier(mst_queue *queue, cl_uint n, const cl_event *events, const char *name, mst_error *error);

// An event behind all that was enqueued, the caller's: the last command's own, if it was said to be that and tells what is asked,
// else a marker's. NVIDIA's driver (580.159 on an H100) ends a marker of a queue of copies only when the kernels that run
// in other queues have ended, so copies beside kernels are to have their own events. With a context that profiles its end has
// usable times. With `carries` it is for a user, and tells of errors of all that was added, for which it may take a while: it
// waits for each of them.
mst_status mst_queue_mark(mst_queue *queue, bool carries, cl_event *event, mst_error *error);

// Copies between a buffer and the host. If a write does not block, `from` has to stay as it is until the queue is finished. A
// read finishes it.
mst_status mst_queue_write(mst_queue *queue, cl_bool blocks, cl_mem buffer, size_t at, size_t bytes, const void *from,
                           const char *name, mst_error *error);
mst_status mst_queue_read(mst_queue *queue, cl_mem buffer, size_t at, size_t bytes, void *to, const char *name, mst_error *error);
mst_status mst_queue_fill(mst_queue *queue, cl_mem buffer, cl_uint pattern, size_t bytes, const char *name, mst_error *error);

// Writes the first bytes of a buffer and waits until they are there, for the kernels of any queue: a blocking write alone may end
// when the data are only copied aside. `queue` is the context's one of uploads, or one whose commands are to be waited for.
mst_status mst_device_write(mst_context *context, cl_command_queue queue, cl_mem buffer, size_t bytes, const void *data,
                            const char *name, mst_error *error);

// Whether a command is known to have failed; and the same of all commands, when they have ended.
mst_status mst_queue_check(mst_queue *queue, mst_error *error);
mst_status mst_queue_finish(mst_queue *queue, mst_error *error);

// Leaves commands to whoever waits for the queue itself. Where only events tell of errors they are kept, for the next command.
void mst_queue_leave(mst_queue *queue);

// Forgets commands that a mark stands for; after a failure, when it has waited until none runs any more. Release forgets, too,
// and accepts one that is all 0.
void mst_queue_forget(mst_queue *queue);
void mst_queue_abandon(mst_queue *queue);
void mst_queue_release(mst_queue *queue);

#endif
