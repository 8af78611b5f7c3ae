// Stages in the numbers of any_stage.cl: what stage_values.c and stage_text.c write as text.
#include "any.h"
#include "stage_text.h"

#include <limits.h>
#include <string.h>

// What the kernel computes with is type 0.
static cell type_of(const mst_stage *s, mst_type type) {
    mst_type parts = type == MST_COMPLEX64 ? MST_FLOAT32 : type == MST_COMPLEX128 ? MST_FLOAT64 : type;
    return parts == (s->device.pass.is_double ? MST_FLOAT64 : MST_FLOAT32) ? 0 : (cell)parts;
}

static int reversal_of(int array, const mst_padded_axis *a) { return array == Y ? a->reversal : 0; }

static void describe_work(const mst_stage *s, int port, stage_port *out) {
    const mst_stage_port *p = &s->ports[port];
    const mst_padded_axis *own = &s->g->axes[s->g->digits[s->digit].axis];
    size_t limit = mst_stage_load_limit(s, port);
    out->work = 1;
    out->parts = 2;
    out->axis_stride = out->contiguous = 1;
    out->extent = out->length = out->kept = (cell)s->device.pass.n;
    out->first_row = (cell)s->first_row;
    out->first_plane = (cell)s->first_plane;
    out->limit = port != TO && limit > 0 ? (cell)limit : LLONG_MAX;
    out->end = LLONG_MAX;
    if (port == TO && mst_stage_store_limited(s)) {
        out->from = (cell)own->start;
        out->end = (cell)(own->start + own->kept);
    }
    if (s->kind == MST_STAGE_FUSED && p->kept) { // a spectrum that serves several vectors
        cell blocks = (cell)s->g->n_blocks;
        bool one = mst_stage_one(s->plan, p->array), has_blocks = mst_stage_blocks(s->g, p->array) > 1;
        out->modulo = one ? (has_blocks ? blocks : 1) : 0;
        out->divide = !one && !has_blocks ? blocks : 1;
    }
}

static void describe_rows(const mst_stage *s, int array, const mst_layout *layout, const ptrdiff_t *strides, stage_port *out) {
    const mst_padded_axis *a = &s->g->axes[s->g->n_axes - 2];
    out->row_stride = (cell)strides[a->axis];
    out->row_length = (cell)layout->shape[a->axis];
    out->row_periodic = array == X && a->periodic;
    out->row_reversal = reversal_of(array, a);
    if (s->g->n_axes < 3)
        return;
    a = &s->g->axes[0];
    out->plane_stride = (cell)strides[a->axis];
    out->plane_length = (cell)layout->shape[a->axis];
    out->plane_periodic = array == X && a->periodic;
    out->plane_reversal = reversal_of(array, a);
}

static void describe_array(const mst_stage *s, int port, bool own, stage_port *out) {
    int array = s->ports[port].array;
    const mst_geometry *g = s->g;
    const mst_padded_axis *a = &g->axes[g->n_axes - 1];
    const mst_layout *layout = mst_convolution_layout(s->plan, array);
    const mst_layout packed = mst_layout_dense(layout->type, layout->rank, layout->shape);
    mst_view view = mst_stage_view(s, array, own);
    size_t blocks = s->kind == MST_STAGE_FORWARD ? mst_stage_blocks(g, array) : g->n_blocks;
    out->type = type_of(s, layout->type);
    out->parts = mst_type_is_complex(layout->type) ? 2 : 1;
    out->divide = (cell)blocks;
    out->n_dims = view.n_dims;
    for (int k = 0; k < view.n_dims; k++) {
        out->counts[k] = (cell)view.counts[k];
        out->outer[k] = view.outer[k];
    }
    if (array == g->blocked || array == Z) {
        out->blocks = (cell)blocks;
        out->block_step = (cell)g->blocks[0].step;
        out->block_offset = array == Z ? 0 : g->blocks[0].offset;
    }
    out->axis_stride = view.axis_stride;
    out->contiguous = mst_stage_tile_is_contiguous(s, port, own);
    out->extent = array == Z ? 0 : (cell)a->extent[array];
    out->length = (cell)layout->shape[a->axis];
    out->periodic = array == X && a->periodic;
    out->reversal = reversal_of(array, a);
    out->start = (cell)a->start;
    out->kept = (cell)a->kept;
    if (g->n_axes > 1)
        describe_rows(s, array, layout, own ? layout->strides : packed.strides, out);
}

static void describe_twiddles(const mst_stage *s, stage *out) {
    const mst_pass *pass = &s->device.pass;
    out->twiddled = pass->twiddle_n > 0;
    out->lanes_differ = s->column == 1;
    out->low_shift = mst_pass_log_low(pass);
    out->low_mask = ((cell)1 << out->low_shift) - 1;
}

// Lines that are rows, one after the other: of the same image, of one digit of the same row, or of vectors.
static void describe_next(const mst_stage *s, const stage *whole, stage_port *out) {
    bool vectors = whole->lines == 1, as_they_are = out->divide == 1 && out->modulo == 0;
    bool rows_in_order = !out->row_periodic && out->row_reversal != 2;
    out->every = 1;
    if (s->inner > 1 || (vectors && !as_they_are))
        return;
    if (!vectors && whole->row_lines > 1) { // of work memory
        out->every = whole->row_lines;
        out->next = whole->span;
    } else if (!vectors && (out->work || rows_in_order)) {
        out->every = whole->rows ? whole->rows : whole->lines;
        out->next = out->work ? whole->row_points : out->row_reversal ? -out->row_stride : out->row_stride;
    } else if (vectors && out->work) {
        out->every = LLONG_MAX;
        out->next = whole->points;
    } else if (vectors) {
        out->every = out->n_dims > 1 ? out->counts[out->n_dims - 1] : LLONG_MAX;
        out->next = out->n_dims > 0 ? out->outer[out->n_dims - 1] : 0;
    }
}

void mst_any_stage_describe(const mst_stage *s, stage *out) {
    static const cell kinds[] = {STAGE_FORWARD, STAGE_FUSED, STAGE_BACKWARD};
    const mst_digit *d = &s->g->digits[s->digit];
    memset(out, 0, sizeof *out);
    mst_any_describe_steps(&s->device.pass, 0, &out->steps);
    describe_twiddles(s, out);
    out->kind = kinds[s->kind];
    out->points = (cell)s->g->points;
    out->lines = (cell)mst_stage_lines(s);
    out->before = (cell)s->before;
    out->inner = (cell)s->inner;
    out->column = (cell)s->column;
    out->rest = (cell)d->rest;
    out->span = (cell)(d->n * s->inner);
    out->row_lines = out->before * out->inner;
    out->row_points = out->before * out->span;
    if (s->planes > 1 || s->first_plane > 0) {
        out->rows = (cell)s->rows;
        out->plane_rows = (cell)s->g->axes[d->axis - 1].n;
    }
    out->angle = s->g->right_angle ? (cell)s->g->axes[s->g->n_axes - 1].n : 0;
    for (int port = 0; port < N_STAGE_PORTS; port++)
        for (int own = 0; own < 2 && mst_stage_has_port(s, port); own++) {
            stage_port *p = &out->ports[2 * port + own];
            p->divide = 1;
            p->spectrum = port == TO ? s->kind != MST_STAGE_FUSED : !s->ports[port].forward;
            if (s->ports[port].work)
                describe_work(s, port, p);
            else
                describe_array(s, port, own, p);
            describe_next(s, out, p);
        }
}
