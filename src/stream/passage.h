// One block on its way through the device: up, computed, down and where it belongs.
#ifndef MST_STREAM_PASSAGE_H
#define MST_STREAM_PASSAGE_H

#include "files.h"
#include "ring.h"
#include "trays.h"

typedef struct mst_passage {
    const mst_stream_desc *desc;
    mst_ring *ring;
    const mst_location *where; // of each port
    mst_trays *trays;          // NULL: panels have none
    const mst_files *files;
    const mst_stream_watch *watch; // asked while inputs wait for a tray, and by blocks that take long; NULL: nobody is
    bool shares;                   // launches, with the other parts of a processor, which have no blocks of their own
} mst_passage;

// Reads a block's inputs into the slot that its description is in, and sends them to the device; with the first block of an
// execution the fixed arrays, too. Adds what is moved to *bytes.
mst_status mst_block_upload(const mst_passage *s, mst_slot *slot, uint64_t *bytes, mst_error *error);

// Enqueues the computation of a block behind its uploads, and the downloads behind that. With `carries`, slot->computed is for
// the user, and tells of all errors.
mst_status mst_block_compute(const mst_passage *s, mst_slot *slot, bool carries, mst_error *error);

// Waits for the results of a block and writes them where they belong. Adds times and downloaded bytes to the report, and releases
// the slot's events.
mst_status mst_block_finish(const mst_passage *s, mst_slot *slot, mst_report *report, mst_error *error);

// Accepts NULL events, and sets those that it releases to NULL.
void mst_slot_release_events(mst_slot *slot);

#endif
