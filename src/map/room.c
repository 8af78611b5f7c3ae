#include "room.h"

#include "runtime/numbers.h"

#include <stdlib.h>

#define MOST_ROOM ((uint64_t)16 << 20) // more makes copies no faster

mst_status mst_map_room_take(mst_context *context, uint64_t wanted, mst_map_room *room, mst_error *error) {
    mst_status status = MST_OK;
    const uint64_t least = sizeof room->few, left = mst_budget_left(context, &context->host_memory);
    room->bytes = mst_smaller(mst_smaller(wanted, MOST_ROOM), left / least * least);
    room->data = room->few;
    if (room->bytes <= least || !mst_budget_take(context, &context->host_memory, room->bytes)) {
        room->bytes = least;
        return MST_OK;
    }
    room->data = malloc((size_t)room->bytes);
    MST_REQUIRE(room->data, MST_ERROR_HOST_MEMORY, "out of memory for results");
    return MST_OK;
fail:
    room->data = room->few;
    mst_budget_give(context, &context->host_memory, room->bytes);
    return status;
}

void mst_map_room_give(mst_context *context, mst_map_room *room) {
    if (room->data == room->few)
        return;
    free(room->data);
    mst_budget_give(context, &context->host_memory, room->bytes);
}
