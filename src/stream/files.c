#include "files.h"

#include "window.h"

#include "runtime/layout.h"
#include "runtime/pool.h"

static uint64_t bytes_of_files(const mst_stream_desc *desc, const mst_location *where) {
    uint64_t bytes = 0;
    for (int p = 0; p < desc->n_ports; p++) {
        const mst_layout *array = mst_port_array(desc, p);
        if (where[p].place == MST_PLACE_FILE)
            bytes += (uint64_t)mst_layout_count(array) * mst_type_bytes(array->type);
    }
    return bytes;
}

void mst_files_open(const mst_stream_desc *desc, const mst_location *where, mst_files *files) {
    const uint64_t bytes = bytes_of_files(desc, where);
    *files = (mst_files){.pool = desc->context->pool};
    if (bytes == 0 || !mst_direct_suits(bytes) || mst_pool_create(mst_direct_threads(desc->context), &files->own, NULL) != MST_OK)
        return;
    files->pool = files->own;
    for (int p = 0; p < desc->n_ports; p++)
        if (where[p].place == MST_PLACE_FILE)
            files->direct[p] = mst_direct_open(desc->context, where[p], desc->ports[p].kind == MST_PORT_OUTPUT);
}

void mst_files_close(mst_files *files) {
    for (int p = 0; p < MST_STREAM_MAX_PORTS; p++)
        mst_direct_close(files->direct[p]);
    mst_pool_destroy(files->own);
}
