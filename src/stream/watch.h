// Whom a thread asks, every 50 ms or few times that while something takes long, whether to go on: the caller's thread the caller,
// that of a further device whether all has stopped.
#ifndef MST_STREAM_WATCH_H
#define MST_STREAM_WATCH_H

#include <stdbool.h>

typedef struct mst_stream_watch {
    bool (*goes_on)(void *user);
    void *user;
} mst_stream_watch;

#endif
