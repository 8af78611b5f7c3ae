#include "steps.h"

#include "description.h"

#include <string.h>

static bool is_complex(mst_type type) { return type == MST_COMPLEX64 || type == MST_COMPLEX128; }

mst_type mst_mpi_complex_of(mst_type type) {
    return type == MST_FLOAT32 ? MST_COMPLEX64 : type == MST_FLOAT64 ? MST_COMPLEX128 : type;
}

static mst_type real_of(mst_type type) {
    return type == MST_COMPLEX64 ? MST_FLOAT32 : type == MST_COMPLEX128 ? MST_FLOAT64 : type;
}

// ---- The description

mst_status mst_mpi_fft_desc_read(const mst_mpi_fft_desc *given, mst_mpi_fft_desc *desc, mst_error *error) {
    return mst_mpi_description_read(MST_MPI_DESCRIPTION(mst_mpi_fft_desc, "desc", MST_MPI_FFT_DESC_INIT, direction), given, desc,
                                    error);
}

static mst_status check_types(const mst_mpi_fft_desc *d, mst_error *error) {
    mst_status status = MST_OK;
    bool real_in = d->input == MST_FLOAT32 || d->input == MST_FLOAT64;
    bool real_out = d->output == MST_FLOAT32 || d->output == MST_FLOAT64;
    REQUIRE(real_in || is_complex(d->input), MST_ERROR_ARGUMENT,
            "input is %s; float32, float64, complex64 or complex128 are taken", mst_type_name(d->input));
    REQUIRE(d->direction == MST_FFT_FORWARD || d->direction == MST_FFT_INVERSE, MST_ERROR_ARGUMENT,
            "direction is %d; take MST_FFT_FORWARD or MST_FFT_INVERSE", (int)d->direction);
    REQUIRE(!d->output || real_out || is_complex(d->output), MST_ERROR_ARGUMENT, "output is %s; leave it 0, or take a real type",
            mst_type_name(d->output));
    REQUIRE(!d->output || mst_mpi_complex_of(d->output) == mst_mpi_complex_of(d->input), MST_ERROR_ARGUMENT,
            "input is %s and output %s; they must have one precision", mst_type_name(d->input), mst_type_name(d->output));
    REQUIRE(d->kind >= MST_FFT_FOURIER && d->kind <= MST_FFT_DST4, MST_ERROR_ARGUMENT, "there is no transform of kind %d",
            (int)d->kind);
    if (d->kind != MST_FFT_FOURIER) {
        REQUIRE(real_in && (!d->output || real_out), MST_ERROR_ARGUMENT, "cosine and sine transforms are of real numbers");
        return MST_OK;
    }
    REQUIRE(!real_in || (d->direction == MST_FFT_FORWARD && !real_out), MST_ERROR_ARGUMENT,
            "real input is for forward transforms with complex output");
    REQUIRE(!real_out || d->direction == MST_FFT_INVERSE, MST_ERROR_ARGUMENT, "real output is for inverse transforms");
fail:
    return status;
}

static mst_status check_shape(const mst_mpi_fft_desc *d, mst_error *error) {
    mst_status status = MST_OK;
    size_t bytes = 2 * mst_type_bytes(mst_mpi_complex_of(d->input));
    REQUIRE(d->rank >= 1 && d->rank <= MST_MAX_RANK, MST_ERROR_ARGUMENT, "rank is %d; 1 to %d are taken", d->rank, MST_MAX_RANK);
    for (int k = 0; k < d->rank; k++)
        REQUIRE(!__builtin_mul_overflow(bytes, d->shape[k] ? d->shape[k] : 1, &bytes) && bytes <= PTRDIFF_MAX, MST_ERROR_ARGUMENT,
                "the array has more than 2^63 bytes");
    TRY(mst_mpi_check_timeout(d->timeout, error));
    REQUIRE(d->transposed_input >= 0 && d->transposed_input <= MST_MPI_AS_IT_IS && d->transposed_output >= 0 &&
                d->transposed_output <= MST_MPI_AS_IT_IS,
            MST_ERROR_ARGUMENT, "transposed_input is %d and transposed_output %d; give 0, 1 or MST_MPI_AS_IT_IS",
            d->transposed_input, d->transposed_output);
    for (int i = 0; i < 2; i++)
        REQUIRE(d->ranks[i] >= 0, MST_ERROR_ARGUMENT, "ranks[%d] is %d; give how many, or 0", i, d->ranks[i]);
fail:
    return status;
}

// The axes from 0 on, into `axes`, and a bit for each.
static mst_status check_axes(const mst_mpi_fft_desc *d, int *axes, unsigned *bits, mst_error *error) {
    mst_status status = MST_OK;
    unsigned seen = 0;
    REQUIRE(d->n_axes >= 1 && d->n_axes <= MST_MAX_AXES, MST_ERROR_ARGUMENT, "n_axes is %d; 1 to %d are taken", d->n_axes,
            MST_MAX_AXES);
    for (int i = 0; i < d->n_axes; i++) {
        int axis = d->axes[i] < 0 ? d->axes[i] + d->rank : d->axes[i];
        REQUIRE(axis >= 0 && axis < d->rank, MST_ERROR_ARGUMENT, "axes[%d] is %d, and the array has %d", i, d->axes[i], d->rank);
        REQUIRE(!(seen & 1u << axis), MST_ERROR_ARGUMENT, "axis %d is given twice", axis);
        REQUIRE(d->shape[axis] >= 1, MST_ERROR_ARGUMENT, "axis %d is transformed and has no elements", axis);
        seen |= 1u << axis;
        axes[i] = axis;
    }
    *bits = seen;
fail:
    return status;
}

// Whether one side is real and the other complex, of half its length along the last of the axes.
static bool halves(const mst_mpi_fft_desc *d) {
    return d->kind == MST_FFT_FOURIER && (!is_complex(d->input) || (d->output && !is_complex(d->output)));
}

// ---- How ranks share the array

// p0 x p1 ranks, as square as the number allows, with no more along an axis than it has indices if that can be had.
static void choose_ranks(const mst_mpi_fft_desc *d, int n_ranks, int *ranks) {
    ranks[0] = n_ranks;
    ranks[1] = 1;
    for (int p = 1; p <= n_ranks; p++) {
        int q = n_ranks / p;
        if (n_ranks % p || q > p)
            continue;
        ranks[0] = (size_t)p <= d->shape[0] ? p : q;
        ranks[1] = n_ranks / ranks[0];
        return;
    }
}

static mst_status choose_grid(const mst_mpi_fft_desc *d, int n_ranks, mst_mpi_grid *grid, mst_error *error) {
    mst_status status = MST_OK;
    size_t along_1 = d->rank > 1 ? d->shape[1] / (d->rank == 2 && halves(d) ? 2 : 1) : 1;
    bool enough = (size_t)n_ranks <= d->shape[0] && (size_t)n_ranks <= along_1;
    bool pencils = d->cut == MST_MPI_CUT_PENCILS || (d->cut == MST_MPI_CUT_AUTO && d->rank >= 3 && !enough);
    *grid = (mst_mpi_grid){{0, 1}, {n_ranks, 1}};
    REQUIRE((int)d->cut >= 0 && d->cut <= MST_MPI_CUT_PENCILS, MST_ERROR_ARGUMENT, "cut is %d; take a value of mst_mpi_cut",
            (int)d->cut);
    if (!pencils)
        return MST_OK;
    REQUIRE(d->rank >= 3, MST_ERROR_ARGUMENT, "pencils are of arrays of three axes at least; this one has %d", d->rank);
    if (d->ranks[0] || d->ranks[1]) {
        int p0 = d->ranks[0] ? d->ranks[0] : n_ranks / d->ranks[1], p1 = d->ranks[1] ? d->ranks[1] : n_ranks / d->ranks[0];
        REQUIRE((int64_t)p0 * p1 == n_ranks, MST_ERROR_ARGUMENT, "%d x %d ranks are asked for, and there are %d", d->ranks[0],
                d->ranks[1], n_ranks);
        grid->ranks[0] = p0;
        grid->ranks[1] = p1;
    } else {
        choose_ranks(d, n_ranks, grid->ranks);
    }
fail:
    return status;
}

// ---- The steps of a forward transform, from the natural cut on

typedef struct walk {
    const mst_mpi_fft_desc *desc;
    int axes[MST_MAX_AXES], real; // the axis that is halved; -1: none
    unsigned left;                // to transform, a bit for each axis
    mst_mpi_grid grid;
    mst_mpi_side side; // what the array is now
    mst_mpi_steps *steps;
} walk;

// Adds a step where the array is now, with all transforms that can be done there.
static void add_step(walk *w) {
    mst_mpi_step *s = &w->steps->step[w->steps->n++];
    *s = (mst_mpi_step){.grid = w->grid, .in = w->side};
    bool waits = w->real >= 0 && (w->left & 1u << w->real);
    for (int i = 0; i < w->desc->n_axes; i++) {
        int axis = w->axes[i];
        if ((w->left & 1u << axis) && !mst_mpi_is_cut(&w->grid, axis) && !(waits && mst_mpi_is_cut(&w->grid, w->real))) {
            s->axes[s->n_axes++] = axis; // the real one, the last of all, is the last here, too
            w->left &= ~(1u << axis);
        }
    }
    if (waits && !(w->left & 1u << w->real)) {
        w->side.type = mst_mpi_complex_of(w->side.type);
        w->side.shape[w->real] = w->side.shape[w->real] / 2 + 1;
    }
    s->out = w->side;
}

// Lets the ranks that share an axis share another one, which is whole so far; false: there is none.
static bool move_slot(walk *w, int slot) {
    for (int k = 0; k < w->desc->rank; k++)
        if (k != w->grid.axis[slot] && !mst_mpi_is_cut(&w->grid, k)) {
            w->grid.axis[slot] = k;
            return true;
        }
    return false;
}

// The slot to move next: that of the axis to be halved if it is cut, else the inner one before the outer one.
static int next_slot(const walk *w) {
    for (int slot = 1; slot >= 0; slot--)
        if (w->grid.ranks[slot] > 1 && w->grid.axis[slot] == w->real && (w->left & 1u << w->real))
            return slot;
    return w->grid.ranks[1] > 1 && (w->left & 1u << w->grid.axis[1]) ? 1 : 0;
}

static mst_status walk_forward(walk *w, mst_error *error) {
    add_step(w);
    while (w->left) {
        if (!move_slot(w, next_slot(w)))
            return mst_mpi_fail(error, MST_ERROR_UNSUPPORTED,
                                "an array of %d ax%s has none left to cut while another is transformed; give it one more, or use "
                                "one rank",
                                w->desc->rank, w->desc->rank == 1 ? "is" : "es");
        add_step(w);
    }
    return MST_OK;
}

// ---- The whole

static void reverse(mst_mpi_steps *s) {
    for (int i = 0; i < s->n; i++) {
        mst_mpi_side in = s->step[i].in;
        s->step[i].in = s->step[i].out;
        s->step[i].out = in;
    }
    for (int i = 0, k = s->n - 1; i < k; i++, k--) {
        mst_mpi_step step = s->step[i];
        s->step[i] = s->step[k];
        s->step[k] = step;
    }
}

// Takes away the steps at both ends that transform nothing.
static void strip(mst_mpi_steps *s) {
    while (!s->step[s->n - 1].n_axes)
        s->n--;
    int empty = 0;
    while (!s->step[empty].n_axes)
        empty++;
    s->n -= empty;
    memmove(s->step, s->step + empty, (size_t)s->n * sizeof s->step[0]);
}

// Takes away what the last step transforms. Returns its axes, a bit for each.
static unsigned leave_last(mst_mpi_steps *s) {
    mst_mpi_step *last = &s->step[s->n - 1];
    unsigned left = 0;
    for (int i = 0; i < last->n_axes; i++)
        left |= 1u << last->axes[i];
    last->n_axes = 0;
    last->out = last->in;
    return left;
}

// A step that transforms nothing, before (at 0) or behind all others.
static void add_empty(mst_mpi_steps *s, int at, const mst_mpi_grid *grid) {
    mst_mpi_side side = at == 0 ? s->step[0].in : s->step[s->n - 1].out;
    memmove(&s->step[at + 1], &s->step[at], (size_t)(s->n - at) * sizeof s->step[0]);
    s->step[at] = (mst_mpi_step){.grid = *grid, .in = side, .out = side};
    s->n++;
}

static void put_order(const mst_mpi_steps *s, const mst_mpi_grid *first, const mst_mpi_grid *not_in, int *order) {
    int n = 0;
    for (int i = 0; i < 2; i++)
        if (first->ranks[i] > 1 && !(not_in && mst_mpi_is_cut(not_in, first->axis[i])))
            order[n++] = first->axis[i];
    int n_first = n;
    for (int k = 0; k < s->rank; k++) {
        bool there = false;
        for (int i = 0; i < n_first; i++)
            there |= order[i] == k;
        if (!there)
            order[n++] = k;
    }
}

// A part that the library owns lies so that what other ranks send can be received in place: the axes that become whole are the
// slowest. Where the receiver's part is the caller's, the sender's lies so that its messages are sent in place: the axes that are
// cut next are the slowest.
static void choose_orders(mst_mpi_steps *s, const mst_mpi_grid *natural) {
    const mst_mpi_grid none = {{0, 0}, {1, 1}};
    for (int i = 0; i < s->n; i++) {
        mst_mpi_step *a = &s->step[i], *b = &s->step[i + 1];
        put_order(s, &none, NULL, a->out.order);
        if (i == 0)
            put_order(s, mst_mpi_same_grid(&a->grid, natural) ? &none : &a->grid, NULL, a->in.order);
        if (i == s->n - 1) {
            put_order(s, mst_mpi_same_grid(&a->grid, natural) ? &none : &a->grid, NULL, a->out.order);
        } else if (i + 1 == s->n - 1 && b->n_axes == 0) {
            put_order(s, &b->grid, &a->grid, s->message_order[i]);
            memcpy(a->out.order, s->message_order[i], sizeof a->out.order);
        } else {
            put_order(s, &a->grid, &b->grid, s->message_order[i]);
            memcpy(b->in.order, s->message_order[i], sizeof b->in.order);
        }
    }
    if (s->step[0].n_axes == 0) // one part, the caller's
        memcpy(s->step[0].out.order, s->step[0].in.order, sizeof s->step[0].in.order);
    if (s->step[s->n - 1].n_axes == 0)
        memcpy(s->step[s->n - 1].in.order, s->step[s->n - 1].out.order, sizeof s->step[0].in.order);
}

// The caller works along the axes that it is left, and has them the fastest: then the exchange transposes, which takes less than
// transforms that write or read columns.
static void keep_order(mst_mpi_steps *s, unsigned left) {
    const mst_mpi_grid none = {{0, 0}, {1, 1}};
    for (int end = 0; end < 2 && s->n > 1; end++) {
        mst_mpi_step *callers = &s->step[end ? s->n - 1 : 0];
        if (callers->n_axes)
            continue;
        put_order(s, &none, NULL, end ? s->step[s->n - 2].out.order : s->step[1].in.order);
        for (int fast = 0, n = 0; fast < 2; fast++)
            for (int k = 0; k < s->rank; k++)
                if ((left >> k & 1) == (unsigned)fast)
                    callers->in.order[n++] = k;
        memcpy(callers->out.order, callers->in.order, sizeof callers->in.order);
    }
}

// One rank cuts nothing, but its transposed sides lie in memory as those of several slabs do: FFTW's programs rely on it.
static void order_as_slabs(const mst_mpi_fft_desc *d, mst_mpi_steps *s) {
    mst_mpi_fft_desc slabs = *d;
    mst_mpi_steps two;
    slabs.cut = MST_MPI_CUT_SLABS;
    if (mst_mpi_steps_make(&slabs, false, 2, &two, NULL) != MST_OK)
        return; // of one axis
    if (d->transposed_input == 1)
        memcpy(s->step[0].in.order, two.step[0].in.order, sizeof two.step[0].in.order);
    if (d->transposed_output == 1)
        memcpy(s->step[s->n - 1].out.order, two.step[two.n - 1].out.order, sizeof two.step[0].in.order);
}

mst_status mst_mpi_steps_make(const mst_mpi_fft_desc *d, bool partly, int n_ranks, mst_mpi_steps *s, mst_error *error) {
    mst_status status = MST_OK;
    walk w = {.desc = d, .real = -1, .steps = s};
    const bool real = halves(d);
    unsigned left = 0;
    *s = (mst_mpi_steps){.rank = d->rank, .n_ranks = n_ranks};
    TRY(check_types(d, error));
    TRY(check_shape(d, error));
    TRY(check_axes(d, w.axes, &w.left, error));
    TRY(choose_grid(d, n_ranks, &w.grid, error));
    const mst_mpi_grid natural = w.grid;
    w.real = real ? w.axes[d->n_axes - 1] : -1;
    w.side.type = real ? real_of(d->input) : d->input;
    memcpy(w.side.shape, d->shape, sizeof w.side.shape);
    TRY(walk_forward(&w, error));
    const mst_mpi_grid transposed = w.grid;
    strip(s);
    if (partly)
        left = leave_last(s);
    if (real ? d->direction == MST_FFT_INVERSE : d->transposed_input == 1)
        reverse(s);
    const mst_mpi_grid *first = d->transposed_input ? &transposed : &natural,
                       *last = d->transposed_output ? &transposed : &natural;
    if (d->transposed_input != MST_MPI_AS_IT_IS && !mst_mpi_same_grid(first, &s->step[0].grid))
        add_empty(s, 0, first);
    if (d->transposed_output != MST_MPI_AS_IT_IS && !mst_mpi_same_grid(last, &s->step[s->n - 1].grid))
        add_empty(s, s->n, last);
    choose_orders(s, &natural);
    if (partly)
        keep_order(s, left);
    if (n_ranks == 1)
        order_as_slabs(d, s);
    memcpy(s->strides[0], d->input_strides, sizeof s->strides[0]);
    memcpy(s->strides[1], d->output_strides, sizeof s->strides[1]);
fail:
    return status;
}

// ---- What a rank has

mst_mpi_box mst_mpi_step_box(const mst_mpi_steps *s, int step, bool out, int rank) {
    const mst_mpi_step *t = &s->step[step];
    return mst_mpi_box_of(&t->grid, rank, s->rank, out ? t->out.shape : t->in.shape);
}

mst_layout mst_mpi_step_layout(const mst_mpi_steps *s, int step, bool out, int rank) {
    const mst_mpi_step *t = &s->step[step];
    const mst_mpi_side *side = out ? &t->out : &t->in;
    mst_mpi_box box = mst_mpi_step_box(s, step, out, rank);
    mst_layout layout = {.type = side->type, .rank = s->rank};
    bool ends[2] = {step == 0 && (!out || !t->n_axes), step == s->n - 1 && (out || !t->n_axes)}, given = false;
    for (int i = 0; i < 2 && !given; i++) {
        for (int k = 0; k < s->rank; k++)
            given |= ends[i] && s->strides[i][k] != 0;
        memcpy(layout.strides, s->strides[i], sizeof layout.strides);
    }
    memcpy(layout.shape, box.count, sizeof layout.shape);
    if (!given)
        mst_mpi_dense(&box, s->rank, side->order, layout.strides);
    return layout;
}
