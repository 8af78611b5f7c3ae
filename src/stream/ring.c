#include "ring.h"

#include "window.h"

#include "runtime/layout.h"
#include "runtime/numbers.h"
#include "runtime/pinned.h"

#include <string.h>

// A block with about this many bytes of its largest array keeps a bus or a memory busy for far longer than its launch takes.
#define BLOCK_BYTES ((uint64_t)16 << 20)
#define LEAST_BLOCK_BYTES ((uint64_t)1 << 20)
#define BLOCKS_A_RUN 16 // small arrays are cut finer, so that the stages overlap
// Work memory of a block. A device with memory of its own gets so much that a kernel runs far longer than it takes to fill and to
// drain the device, but no more than a part of what the budget leaves. A device that works in the host's memory gets little
// enough to stay in the caches from one kernel to the next.
#define WORK_BYTES ((uint64_t)1 << 30)
#define WORK_PART 4
#define UNIFIED_WORK_BYTES ((uint64_t)2 << 20)

uint64_t mst_port_item_bytes(const mst_stream_desc *desc, int p) {
    const mst_port *port = &desc->ports[p];
    uint64_t bytes = mst_type_bytes(port->layout.type);
    if (desc->panel)
        return desc->panel_bytes[p];
    for (int k = port->kind == MST_PORT_FIXED ? 0 : port->split; k < port->layout.rank; k++)
        bytes *= port->layout.shape[k];
    return bytes;
}

// What blocks cost, in bytes.
typedef struct costs {
    uint64_t staged, staged_host; // an item in one slot: all arrays, on the device and in RAM
    uint64_t largest;             // an item of the largest array, or of the largest piece of work memory
    uint64_t fixed, fixed_host;   // staged arrays that every block needs
} costs;

static costs costs_of(const mst_stream_desc *desc, const bool *staged, const bool *pinned) {
    costs c = {.largest = desc->item_work_piece};
    for (int p = 0; p < desc->n_ports; p++) {
        uint64_t bytes = mst_port_item_bytes(desc, p);
        if (!staged[p])
            continue;
        if (desc->ports[p].kind == MST_PORT_FIXED) {
            c.fixed += bytes;
            c.fixed_host += pinned[p] ? 0 : bytes;
            continue;
        }
        c.staged += bytes;
        c.staged_host += pinned[p] ? 0 : bytes;
        c.largest = mst_larger(bytes, c.largest);
    }
    return c;
}

// Windows are as large as suits them; on a device that works in the host's memory their values go from the one stage to the
// next through the caches.
static bool has_windows(const mst_stream_desc *desc) {
    for (int p = 0; p < desc->n_ports; p++)
        if (mst_port_has_windows(desc, p))
            return true;
    return false;
}

// The items of a block that keep every stage busy, if the budgets allow them.
static uint64_t wanted_items(const mst_stream_desc *desc, const costs *c) {
    uint64_t items = desc->n_items;
    if (desc->panel)
        return 1;
    if (c->staged > 0) {
        uint64_t bytes = c->largest * desc->n_items / (BLOCKS_A_RUN * mst_group_size(desc->context->lead));
        bool in_cache = desc->context->device.unified_memory && has_windows(desc);
        bytes = in_cache ? LEAST_BLOCK_BYTES : mst_larger(mst_smaller(bytes, BLOCK_BYTES), LEAST_BLOCK_BYTES);
        items = mst_smaller(items, bytes / c->largest);
    }
    if (desc->item_work_bytes > 0) {
        uint64_t left = mst_budget_left(desc->context, &desc->context->device_memory);
        uint64_t bytes = desc->context->device.unified_memory ? UNIFIED_WORK_BYTES : mst_smaller(WORK_BYTES, left / WORK_PART);
        items = mst_smaller(items, bytes / desc->item_work_bytes);
    }
    return items ? items : 1;
}

// The most items that a block may have for so many slots to fit the budgets.
static uint64_t items_that_fit(const mst_stream_desc *desc, const costs *c, uint64_t slots, uint64_t device, uint64_t host) {
    uint64_t item_device = desc->item_work_bytes + slots * c->staged, item_host = desc->item_host_bytes + slots * c->staged_host;
    uint64_t items = desc->n_items;
    uint64_t fixed_device = c->fixed + desc->fixed_work_bytes;
    if (device < fixed_device || host < c->fixed_host)
        return 0;
    if (item_device > 0)
        items = mst_smaller(items, (device - fixed_device) / item_device);
    if (item_host > 0)
        items = mst_smaller(items, (host - c->fixed_host) / item_host);
    if (c->largest > 0)
        items = mst_smaller(items, desc->context->device.max_allocation_bytes / c->largest);
    return items;
}

static mst_status device_budget_error(const mst_context *context, uint64_t least, mst_error *error) {
    return mst_fail(error, MST_ERROR_BUDGET,
                    "the device memory budget of %llu bytes is too small for one block; it takes at least %llu",
                    (unsigned long long)context->device_memory.limit, (unsigned long long)least);
}

mst_status mst_ring_check_budget(const mst_stream_desc *desc, mst_error *error) {
    bool all[MST_STREAM_MAX_PORTS], none[MST_STREAM_MAX_PORTS] = {false};
    memset(all, true, sizeof all);
    costs c = costs_of(desc, all, none);
    uint64_t left = mst_budget_left(desc->context, &desc->context->device_memory);
    uint64_t resident = desc->table_bytes + desc->fixed_work_bytes + desc->item_work_bytes;
    return resident <= left
               ? MST_OK
               : device_budget_error(desc->context, desc->context->device_memory.limit - left + resident + c.fixed + c.staged,
                                     error);
}

bool mst_ring_fits(const mst_stream_desc *desc, uint64_t *device, uint64_t *host) {
    bool all[MST_STREAM_MAX_PORTS], none[MST_STREAM_MAX_PORTS] = {false};
    memset(all, true, sizeof all);
    costs c = costs_of(desc, all, none);
    *device = desc->table_bytes + c.fixed + desc->fixed_work_bytes + desc->item_work_bytes + c.staged;
    *host = c.fixed_host + desc->item_host_bytes + c.staged_host;
    return *device <= mst_budget_left(desc->context, &desc->context->device_memory) &&
           *host <= mst_budget_left(desc->context, &desc->context->host_memory) &&
           c.largest <= desc->context->device.max_allocation_bytes;
}

// The fewest items that a block has room for.
static uint64_t least_items(const mst_stream_desc *desc) { return mst_smaller(mst_larger(desc->least_items, 1), desc->n_items); }

// The most slots for which a block of that many items or more fits, 0 if there are none; and the items.
static int slots_that_fit(const mst_stream_desc *desc, const costs *c, uint64_t device, uint64_t host, uint64_t *items) {
    int slots = c->staged ? MST_RING_SLOTS : 1;
    while (slots > 0 && (*items = items_that_fit(desc, c, (uint64_t)slots, device, host)) < least_items(desc))
        slots--;
    return slots;
}

static mst_status choose_blocks(mst_ring *ring, const mst_stream_desc *desc, mst_error *error) {
    mst_context *context = desc->context;
    costs c = costs_of(desc, ring->staged, ring->pinned);
    uint64_t device = mst_budget_left(context, &context->device_memory), host = mst_budget_left(context, &context->host_memory);
    uint64_t wanted = wanted_items(desc, &c), fit = 0;
    int slots =
        slots_that_fit(desc, &c, device, host / mst_group_size(context->lead), &fit); // the other devices' rings need some
    if (slots == 0)
        slots = slots_that_fit(desc, &c, device, host, &fit);
    if (slots == 0) {
        const uint64_t items = least_items(desc);
        uint64_t used = context->device_memory.limit - device,
                 least = used + c.fixed + desc->fixed_work_bytes + items * (desc->item_work_bytes + c.staged);
        if (items * c.largest > context->device.max_allocation_bytes)
            return mst_fail(error, MST_ERROR_DEVICE_MEMORY, "one block needs %llu bytes in one piece; %s allows %llu",
                            (unsigned long long)(items * c.largest), context->device.name,
                            (unsigned long long)context->device.max_allocation_bytes);
        if (least > context->device_memory.limit)
            return device_budget_error(context, least, error);
        return mst_fail(error, MST_ERROR_BUDGET,
                        "the host memory budget of %llu bytes is too small for one block; it takes at least %llu",
                        (unsigned long long)context->host_memory.limit,
                        (unsigned long long)(context->host_memory.limit - host + c.fixed_host +
                                             items * (desc->item_host_bytes + c.staged_host)));
    }
    ring->block_items = (size_t)mst_smaller(mst_larger(wanted, least_items(desc)), fit);
    size_t n_blocks = (mst_larger(desc->n_items, desc->most_items) - 1) / ring->block_items + 1;
    ring->n_slots = (size_t)slots < n_blocks ? slots : (int)n_blocks;
    ring->host_bytes = c.fixed_host + ring->block_items * (desc->item_host_bytes + (uint64_t)ring->n_slots * c.staged_host);
    return MST_OK;
}

static mst_status make_staging(mst_slot *slot, int p, const mst_stream_desc *desc, uint64_t bytes, bool pinned,
                               mst_error *error) {
    mst_context *context = desc->context;
    const char *name = desc->ports[p].name;
    bool unified = context->device.unified_memory;
    mst_status status = mst_device_allocate(context, CL_MEM_READ_WRITE | (unified ? CL_MEM_ALLOC_HOST_PTR : 0), bytes, name,
                                            &slot->ports[p].device, error);
    slot->ports[p].bytes = bytes;
    if (unified)
        slot->ports[p].staging = slot->ports[p].device;
    else if (status == MST_OK && !pinned)
        status = mst_pinned_map(context, bytes, name, &slot->ports[p].staging, &slot->ports[p].mapped, error);
    return status;
}

static mst_status make_slots(mst_ring *ring, const mst_stream_desc *desc, mst_error *error) {
    mst_status status = MST_OK;
    for (int p = 0; p < desc->n_ports; p++) {
        uint64_t bytes = mst_port_item_bytes(desc, p);
        if (!ring->staged[p])
            continue;
        if (desc->ports[p].kind == MST_PORT_FIXED) {
            ring->fixed.count = 1;
            MST_TRY(make_staging(&ring->fixed, p, desc, bytes, ring->pinned[p], error));
            continue;
        }
        for (int s = 0; s < ring->n_slots; s++)
            MST_TRY(make_staging(&ring->slots[s], p, desc, bytes * ring->block_items, ring->pinned[p], error));
    }
fail:
    return status;
}

static bool is_pinned(const mst_stream_desc *desc, int p, const mst_location *where) {
    return (!desc->panel || desc->panels_cross) && mst_pinned_holds_array(desc->context, mst_port_array(desc, p), *where);
}

mst_status mst_ring_configure(mst_ring *ring, const mst_stream_desc *desc, const mst_location *where, mst_error *error) {
    mst_status status = MST_OK;
    bool staged[MST_STREAM_MAX_PORTS] = {false}, pinned[MST_STREAM_MAX_PORTS] = {false};
    for (int p = 0; p < desc->n_ports; p++) {
        staged[p] = where[p].place != MST_PLACE_DEVICE;
        pinned[p] = is_pinned(desc, p, &where[p]);
    }
    if (ring->configured && memcmp(staged, ring->staged, sizeof staged) == 0 && memcmp(pinned, ring->pinned, sizeof pinned) == 0)
        return MST_OK;
    mst_ring_release(ring, desc->context);
    MST_TRY(desc->prepare(desc->user, 0, error));
    memcpy(ring->staged, staged, sizeof staged);
    memcpy(ring->pinned, pinned, sizeof pinned);
    for (int s = 0; s < MST_RING_SLOTS; s++)
        ring->slots[s].queue = (mst_queue)MST_QUEUE(desc->context, desc->context->compute);
    MST_TRY(choose_blocks(ring, desc, error));
    if (!mst_budget_take(desc->context, &desc->context->host_memory, ring->host_bytes)) {
        ring->host_bytes = 0;
        MST_REQUIRE(false, MST_ERROR_BUDGET, "another thread took the host memory budget just now; try again");
    }
    MST_TRY(desc->prepare(desc->user, ring->block_items, error));
    MST_TRY(make_slots(ring, desc, error));
    ring->configured = true;
    return MST_OK;
fail:
    mst_ring_release(ring, desc->context);
    desc->prepare(desc->user, 0, NULL);
    return status;
}

static void release_slot(mst_slot *slot, mst_context *context) {
    for (int p = 0; p < MST_STREAM_MAX_PORTS; p++) {
        if (slot->ports[p].staging != slot->ports[p].device)
            mst_pinned_unmap(context, slot->ports[p].staging, slot->ports[p].mapped);
        mst_device_release(context, slot->ports[p].device, slot->ports[p].bytes);
    }
    mst_queue_release(&slot->queue);
    memset(slot, 0, sizeof *slot);
}

void mst_ring_release(mst_ring *ring, mst_context *context) {
    for (int s = 0; s < MST_RING_SLOTS; s++)
        release_slot(&ring->slots[s], context);
    release_slot(&ring->fixed, context);
    mst_budget_give(context, &context->host_memory, ring->host_bytes);
    memset(ring, 0, sizeof *ring);
}

uint64_t mst_ring_device_bytes(const mst_ring *ring, const mst_stream_desc *desc) {
    if (!ring->configured)
        return 0;
    uint64_t bytes = desc->fixed_work_bytes + desc->item_work_bytes * ring->block_items;
    for (int p = 0; p < MST_STREAM_MAX_PORTS; p++) {
        bytes += ring->fixed.ports[p].bytes;
        for (int s = 0; s < ring->n_slots; s++)
            bytes += ring->slots[s].ports[p].bytes;
    }
    return bytes;
}
