#include "places.h"

#include "window.h"

#include "runtime/layout.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

// The addresses that an array spans; they can be compared with those of other arrays in the same memory.
typedef struct span {
    mst_place place;
    uint64_t memory[2]; // which buffer or file
    uint64_t begin, end;
} span;

// The lowest byte and the one behind the highest, if element [0]...[0] is at `origin`. False if the lowest is below 0.
static bool bytes_of(const mst_layout *layout, uint64_t origin, span *s) {
    int64_t low, high, element = (int64_t)mst_type_bytes(layout->type);
    mst_layout_extent(layout, &low, &high);
    if ((uint64_t)(-low * element) > origin)
        return false;
    s->begin = origin - (uint64_t)(-low * element);
    return !__builtin_add_overflow(origin, (uint64_t)(high * element), &s->end);
}

static mst_status check_device(const mst_stream_desc *desc, const mst_port *port, const mst_location *where, span *s,
                               mst_error *error) {
    mst_status status = MST_OK;
    cl_context owner = NULL;
    size_t size = 0, element = mst_type_bytes(port->layout.type);
    MST_REQUIRE(where->buffer, MST_ERROR_ARGUMENT, "%s: the cl_mem is NULL", port->name);
    MST_TRY_CL(clGetMemObjectInfo(where->buffer, CL_MEM_CONTEXT, sizeof owner, &owner, NULL), "%s: cannot query the cl_mem",
               port->name);
    MST_REQUIRE(owner == desc->context->opencl, MST_ERROR_ARGUMENT, "%s: the cl_mem belongs to another OpenCL context",
                port->name);
    MST_TRY_CL(clGetMemObjectInfo(where->buffer, CL_MEM_SIZE, sizeof size, &size, NULL), "%s: cannot query the cl_mem",
               port->name);
    MST_REQUIRE(where->offset % element == 0, MST_ERROR_ARGUMENT, "%s: offset %llu is not a multiple of the element's %zu bytes",
                port->name, (unsigned long long)where->offset, element);
    MST_REQUIRE(bytes_of(&port->layout, where->offset, s) && s->end <= size, MST_ERROR_ARGUMENT,
                "%s: the layout reaches outside the cl_mem of %zu bytes", port->name, size);
    s->memory[0] = (uint64_t)(uintptr_t)where->buffer;
fail:
    return status;
}

static mst_status check_file(const mst_port *port, const mst_location *where, span *s, mst_error *error) {
    mst_status status = MST_OK;
    struct stat st;
    int flags = fcntl(where->file, F_GETFL);
    MST_REQUIRE(flags >= 0 && fstat(where->file, &st) == 0, MST_ERROR_ARGUMENT, "%s: bad file descriptor %d: %s", port->name,
                where->file, strerror(errno));
    MST_REQUIRE(S_ISREG(st.st_mode), MST_ERROR_ARGUMENT, "%s: file descriptor %d is not a regular file", port->name, where->file);
    MST_REQUIRE((flags & O_ACCMODE) != (port->kind == MST_PORT_OUTPUT ? O_RDONLY : O_WRONLY), MST_ERROR_ARGUMENT,
                "%s: file descriptor %d is not open for %s", port->name, where->file,
                port->kind == MST_PORT_OUTPUT ? "writing" : "reading");
    MST_REQUIRE(port->kind != MST_PORT_OUTPUT || !(flags & O_APPEND), MST_ERROR_ARGUMENT,
                "%s: file descriptor %d is open for appending, where writing at an offset is ignored", port->name, where->file);
    MST_REQUIRE(bytes_of(&port->layout, where->offset, s) && s->end <= INT64_MAX, MST_ERROR_ARGUMENT,
                "%s: the layout reaches outside the file", port->name);
    MST_REQUIRE(port->kind == MST_PORT_OUTPUT || s->end <= (uint64_t)st.st_size, MST_ERROR_IO,
                "%s: the file holds %lld bytes; the data reach to byte %llu", port->name, (long long)st.st_size,
                (unsigned long long)s->end);
    s->memory[0] = (uint64_t)st.st_dev;
    s->memory[1] = (uint64_t)st.st_ino;
fail:
    return status;
}

static mst_status check_one(const mst_stream_desc *desc, const mst_port *port, const mst_location *where, span *s,
                            mst_error *error) {
    const size_t number = mst_type_bytes(port->layout.type) / (mst_type_is_complex(port->layout.type) ? 2 : 1);
    s->place = where->place;
    switch (where->place) {
    case MST_PLACE_HOST:
        if (!where->host)
            return mst_fail(error, MST_ERROR_ARGUMENT, "%s: the host pointer is NULL", port->name);
        if ((uintptr_t)where->host % number != 0)
            return mst_fail(error, MST_ERROR_ARGUMENT, "%s: the host pointer is not aligned to the %zu bytes of a number",
                            port->name, number);
        if (!bytes_of(&port->layout, (uint64_t)(uintptr_t)where->host, s))
            return mst_fail(error, MST_ERROR_ARGUMENT, "%s: the layout reaches outside the address space", port->name);
        return MST_OK;
    case MST_PLACE_DEVICE:
        return check_device(desc, port, where, s, error);
    case MST_PLACE_FILE:
        return check_file(port, where, s, error);
    }
    return mst_fail(error, MST_ERROR_ARGUMENT, "%s: no valid place (%d); use mst_at_host, mst_at_device or mst_at_file",
                    port->name, (int)where->place);
}

static bool overlap(const span *a, const span *b) {
    return a->place == b->place && a->memory[0] == b->memory[0] && a->memory[1] == b->memory[1] && a->begin < b->end &&
           b->begin < a->end;
}

mst_status mst_places_check(const mst_stream_desc *desc, const mst_location *where, mst_error *error) {
    mst_status status = MST_OK;
    span spans[MST_STREAM_MAX_PORTS] = {{0}};
    for (int p = 0; p < desc->n_ports; p++) {
        mst_port array = desc->ports[p];
        array.layout = *mst_port_array(desc, p);
        MST_TRY(check_one(desc, &array, &where[p], &spans[p], error));
    }
    for (int p = 0; p < desc->n_ports; p++) {
        if (desc->ports[p].kind != MST_PORT_OUTPUT)
            continue;
        for (int q = 0; q < desc->n_ports; q++) {
            bool same = desc->in_place && p == 1 && q == 0 && spans[p].begin == spans[q].begin &&
                        mst_layout_equal(&desc->ports[p].layout, &desc->ports[q].layout);
            MST_REQUIRE(p == q || same || !overlap(&spans[p], &spans[q]), MST_ERROR_ARGUMENT, "%s overlaps %s%s",
                        desc->ports[p].name, desc->ports[q].name,
                        desc->in_place ? "; in place needs the same location and equal layouts" : "");
        }
    }
fail:
    return status;
}

static mst_status completed_event(mst_context *context, cl_event *event, mst_error *error) {
    cl_int code;
    *event = clCreateUserEvent(context->opencl, &code);
    if (code == CL_SUCCESS && (code = clSetUserEventStatus(*event, CL_COMPLETE)) != CL_SUCCESS)
        clReleaseEvent(*event);
    if (code == CL_SUCCESS)
        return MST_OK;
    *event = NULL;
    return mst_fail_opencl(error, code, "cannot make an event");
}

mst_status mst_host_run_begin(const mst_stream_desc *ports, const mst_location *where, const mst_execution *how,
                              mst_execution *full, mst_error *error) {
    mst_status status = MST_OK;
    MST_TRY(mst_execution_read(how, full, error));
    MST_TRY(mst_places_check(ports, where, error));
    if (full->n_wait > 0)
        MST_TRY_CL(mst_wait_for_events(full->n_wait, full->wait_list), "waiting for how->wait_list failed");
fail:
    return status;
}

mst_status mst_host_run_end(mst_context *context, const mst_execution *full, const mst_report *report, mst_error *error) {
    mst_status status = MST_OK;
    if (full->event)
        MST_TRY(completed_event(context, full->event, error));
    mst_execution_report(full, report);
fail:
    return status;
}
