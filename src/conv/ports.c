#include "ports.h"
#include "panels.h"

#include "runtime/lines.h"

static int first_axis(const mst_convolution_desc *d) { return d->axes[0]; }
static int last_axis(const mst_convolution_desc *d) { return d->axes[d->n_axes - 1]; }

void mst_ports_plan(const mst_convolution *plan, mst_ports *ports) {
    const mst_convolution_desc *d = &plan->desc;
    ports->plan = plan;
    ports->lines_an_item = 1;
    for (int k = first_axis(d) + 1; k < d->z.rank; k++)
        if (k != last_axis(d))
            ports->lines_an_item *= d->z.shape[k];
}

mst_stream_desc mst_ports_stream(const mst_ports *ports) {
    const mst_convolution *plan = ports->plan;
    const mst_convolution_desc *d = &plan->desc;
    int split = first_axis(d);
    mst_stream_desc stream = {
        .context = plan->context,
        .n_items = plan->n_lines[Z] / ports->lines_an_item,
        .n_ports = N_ARRAYS,
        .ports = {{MST_PORT_INPUT, d->x, split, "x"}, {MST_PORT_INPUT, d->y, split, "y"}, {MST_PORT_OUTPUT, d->z, split, "z"}},
        .table_bytes = N_ARRAYS * MST_LINES_BYTES};
    for (int a = 0; a < N_ARRAYS; a++)
        if (!mst_layout_is_dense(mst_convolution_layout(plan, a)))
            stream.table_bytes += MST_LINES_BYTES;
    for (int a = X; a <= Y; a++)
        if (plan->n_lines[a] < plan->n_lines[Z])
            stream.ports[a].kind = MST_PORT_FIXED;
    mst_panel_put_windows(plan, &stream);
    return stream;
}

// The lines (images) of an array: along two axes, the first one does not count either.
static mst_status make_lines(const mst_convolution *plan, const mst_layout *layout, cl_mem *out, mst_error *error) {
    mst_layout rest = *layout;
    if (plan->desc.n_axes > 1)
        rest.shape[first_axis(&plan->desc)] = 1;
    return mst_lines_create(plan->context, &rest, last_axis(&plan->desc), out, error);
}

static mst_status make_array(const mst_convolution *plan, int a, mst_port_lines *array, mst_error *error) {
    mst_status status = MST_OK;
    const mst_convolution_desc *d = &plan->desc;
    const mst_layout *layout = mst_convolution_layout(plan, a);
    const mst_layout packed = mst_layout_dense(layout->type, layout->rank, layout->shape);
    array->has_gaps = !mst_layout_is_dense(layout);
    array->row = d->n_axes > 1 ? layout->strides[first_axis(d)] : 0;
    array->packed_row = d->n_axes > 1 ? packed.strides[first_axis(d)] : 0;
    array->column = layout->strides[last_axis(d)];
    array->packed_column = packed.strides[last_axis(d)];
    MST_TRY(make_lines(plan, &packed, &array->packed, error));
    if (array->has_gaps)
        MST_TRY(make_lines(plan, layout, &array->gaps, error));
fail:
    return status;
}

mst_status mst_ports_create(mst_ports *ports, mst_error *error) {
    mst_status status = MST_OK;
    for (int a = 0; a < N_ARRAYS; a++)
        MST_TRY(make_array(ports->plan, a, &ports->arrays[a], error));
fail:
    return status;
}

void mst_ports_release(mst_ports *ports) {
    for (int a = 0; a < N_ARRAYS && ports->plan; a++) {
        mst_lines_release(ports->plan->context, ports->arrays[a].packed);
        mst_lines_release(ports->plan->context, ports->arrays[a].gaps);
    }
}

mst_port_place mst_port_place_of(const mst_ports *ports, const mst_block *block, int a) {
    const mst_port_lines *array = &ports->arrays[a];
    const mst_block_port *port = &block->ports[a];
    bool packed = port->packed || !array->has_gaps;
    // With one line for all, line 0 is read for each: its table has no dimensions.
    return (mst_port_place){port->buffer,
                            packed ? array->packed : array->gaps,
                            {.s = {port->base, (cl_long)(port->first_item * ports->lines_an_item),
                                   packed ? array->packed_row : array->row, packed ? array->packed_column : array->column}}};
}
