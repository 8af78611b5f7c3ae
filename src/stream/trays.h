// Trays: where panels' rows are too short to read a file or write it at full rate, panels that lie beside each other there share
// one tray in RAM, of which whole rows are read before the first of them is asked for, and written when the last one is there. A
// thread for each port reads the next tray, or writes the one before, while panels of another one move. Ports that share trays
// have one thread, which writes a tray and reads the next one in its place.
#ifndef MST_STREAM_TRAYS_H
#define MST_STREAM_TRAYS_H

#include "files.h"
#include "stream.h"

typedef struct mst_trays mst_trays;

// Takes trays for a run's files, if panels have any and the host's budget has room for them; else *out is NULL.
// MST_ERROR_HOST_MEMORY: threads cannot be started.
mst_status mst_trays_create(const mst_stream_desc *desc, const mst_location *where, const mst_files *files, mst_trays **out,
                            mst_error *error);
void mst_trays_destroy(mst_trays *trays); // stops first; accepts NULL

bool mst_trays_has(const mst_trays *trays, int port); // accepts NULL

// Waits for the tray that a panel is in, and takes it from there into packed memory, or puts it there. Each panel is moved once.
// Fails as reading or writing a tray does, after a stop, or when the watch (NULL: none) says so. Panels that follow are not
// waited for by those before them if threads ask for panels of inputs in the order in which they were given out.
mst_status mst_trays_carry(mst_trays *trays, int port, size_t item, bool write, const mst_stream_watch *watch, void *panel,
                           mst_error *error);

// Waits until all is written; and wakes all who wait, so that they fail.
mst_status mst_trays_finish(mst_trays *trays, const mst_stream_watch *watch, mst_error *error);
void mst_trays_stop(mst_trays *trays);

#endif
