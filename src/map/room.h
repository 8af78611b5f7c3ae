// Memory of the host that results of reductions pass through.
#ifndef MST_MAP_ROOM_H
#define MST_MAP_ROOM_H

#include "runtime/context.h"

// Of what is left of the budget; or a page, where too little is.
typedef struct mst_map_room {
    unsigned char *data;
    uint64_t bytes; // a multiple of any element's
    unsigned char few[4096];
} mst_map_room;

// Give needs no room to have been taken if its data are `few`, as take leaves them when it fails. MST_ERROR_HOST_MEMORY.
mst_status mst_map_room_take(mst_context *context, uint64_t wanted, mst_map_room *room, mst_error *error);
void mst_map_room_give(mst_context *context, mst_map_room *room);

#endif
