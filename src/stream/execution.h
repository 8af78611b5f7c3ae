// One execution of a stream: what all files that take part in it know.
#ifndef MST_STREAM_EXECUTION_H
#define MST_STREAM_EXECUTION_H

#include "lent.h"
#include "passage.h"

struct mst_stream {
    mst_stream_desc desc;
    mst_ring ring;
    const mst_share_kind *kind; // of the twins
    void **twins;               // plans of the group's further devices
    size_t n_twins;
    double item_seconds; // what an item on the device took last; 0: not known
    mst_lent lent;       // of the run that goes on, if is_lent: the arrays as buffers of this device
    bool is_lent;
};

// How many items the block at `first` has, if it may have room for so many.
static inline size_t mst_stream_cut(const mst_stream_desc *desc, size_t first, size_t room) {
    const size_t left = desc->n_items - first, count = left < room ? left : room;
    return desc->cut && count > 0 && count < left ? desc->cut(desc->user, first, count) : count;
}

// Execution number k of a group's devices is by this stream: 0 the lead's own.
static inline mst_stream *mst_stream_member(mst_stream *lead, size_t k) {
    return k == 0 ? lead : lead->kind->stream_of(lead->twins[k - 1]);
}

// Where a member finds the arrays of a run.
static inline const mst_location *mst_stream_where(const mst_stream *member, const mst_location *where) {
    return member->is_lent ? member->lent.where : where;
}

// Host or file data: blocks from one queue of work to the devices, with reading, upload, compute, download and writing of
// different ones overlapped. The lead's ring is configured. `shared`: by all members whose rings are, if
// there is more than one block. Fills the report
// but for its seconds.
mst_status mst_stream_run_staged(mst_stream *lead, const mst_location *where, const mst_execution *how, bool shared,
                                 mst_report *report, mst_error *error);

#endif
