#include "fft.h"

#include "description.h"
#include "exchange.h"
#include "numbers.h"
#include "part.h"
#include "view.h"

#include <stdlib.h>
#include <string.h>

// A step of the plan as a rank executes it.
typedef struct stage {
    mst_fft *fft;               // NULL: nothing to transform
    mst_mpi_view view;          // of it
    mst_mpi_exchange *exchange; // behind it; NULL: it is the last
} stage;

struct mst_mpi_fft {
    mst_mpi_team team;
    mst_context *context;
    mst_mpi_steps steps;
    stage stages[MST_MPI_MOST_STEPS];
    mst_mpi_work work;
    bool is_partly, is_guest; // it works in its owner's memory
};

// ---- What there is to know without MPI

#define PART MST_MPI_DESCRIPTION(mst_mpi_part, "a part", MST_MPI_PART_INIT, on_host)
#define NEEDS MST_MPI_DESCRIPTION(mst_mpi_needs, "needs", MST_MPI_NEEDS_INIT, sent_bytes)

static size_t layout_bytes(const mst_layout *l) {
    size_t bytes = mst_type_bytes(l->type);
    for (int k = 0; k < l->rank; k++)
        bytes *= l->shape[k];
    return bytes;
}

// Whether what an exchange sends lies in the work memory: else it is the caller's.
static bool sends_work(const mst_mpi_steps *s, bool partly, int step) { return s->step[step].n_axes || (partly && step == 0); }

// Work memory of a rank, at least as much as is given.
static void work_bytes(const mst_mpi_steps *s, bool partly, int rank, size_t bytes[MST_MPI_WORK]) {
    for (int i = 0; i < s->n; i++) {
        mst_layout in = mst_mpi_step_layout(s, i, false, rank), out = mst_mpi_step_layout(s, i, true, rank);
        bool caller_reads = i == s->n - 1 && !s->step[i].n_axes;
        if (i > 0 && !caller_reads)
            bytes[MST_MPI_BEFORE] = mst_mpi_larger(bytes[MST_MPI_BEFORE], layout_bytes(&in));
        if (i < s->n - 1 && sends_work(s, partly, i))
            bytes[MST_MPI_BEHIND] = mst_mpi_larger(bytes[MST_MPI_BEHIND], layout_bytes(&out));
        if (i < s->n - 1)
            bytes[MST_MPI_PACKED] = mst_mpi_larger(bytes[MST_MPI_PACKED], mst_mpi_exchange_bytes(s, i, rank));
    }
}

static mst_status read_steps(const mst_mpi_fft_desc *given, bool partly, int n_ranks, int rank, mst_mpi_steps *s,
                             mst_error *error) {
    mst_mpi_fft_desc desc;
    mst_status status = mst_mpi_fft_desc_read(given, &desc, error);
    if (status == MST_OK && (n_ranks < 1 || rank < 0 || rank >= n_ranks))
        status = mst_mpi_fail(error, MST_ERROR_ARGUMENT, "there is no rank %d of %d", rank, n_ranks);
    return status == MST_OK ? mst_mpi_steps_make(&desc, partly, n_ranks, s, error) : status;
}

mst_status mst_mpi_part_check(const mst_mpi_part *part, mst_error *error) {
    return part ? mst_mpi_description_check(PART, part, error) : MST_OK;
}

void mst_mpi_part_write(const mst_mpi_part *from, mst_mpi_part *to) {
    if (to)
        mst_mpi_description_write(PART, from, to);
}

mst_status mst_mpi_needs_check(const mst_mpi_needs *needs, mst_error *error) {
    return mst_mpi_description_check(NEEDS, needs, error);
}

void mst_mpi_needs_write(const mst_mpi_needs *from, mst_mpi_needs *to) { mst_mpi_description_write(NEEDS, from, to); }

static mst_mpi_part make_part(const mst_mpi_steps *s, bool out, int rank) {
    mst_mpi_part part = MST_MPI_PART_INIT;
    const int step = out ? s->n - 1 : 0;
    const mst_mpi_box box = mst_mpi_step_box(s, step, out, rank);
    part.layout = mst_mpi_step_layout(s, step, out, rank);
    memcpy(part.start, box.start, sizeof part.start);
    part.on_host = !s->step[step].n_axes;
    for (int i = 0; i < 2; i++) {
        part.cut_axes[i] = s->step[step].grid.axis[i];
        part.cut_ranks[i] = s->step[step].grid.ranks[i];
    }
    return part;
}

mst_status mst_mpi_fft_parts_of(const mst_mpi_fft_desc *desc, bool partly, int n_ranks, int rank, mst_mpi_part *input,
                                mst_mpi_part *output, mst_error *error) {
    mst_mpi_steps s;
    mst_status status = MST_OK;
    TRY(read_steps(desc, partly, n_ranks, rank, &s, error));
    TRY(mst_mpi_part_check(input, error));
    TRY(mst_mpi_part_check(output, error));
    const mst_mpi_part parts[] = {make_part(&s, false, rank), make_part(&s, true, rank)};
    mst_mpi_part_write(&parts[0], input);
    mst_mpi_part_write(&parts[1], output);
fail:
    return status;
}

mst_status mst_mpi_fft_parts(const mst_mpi_fft_desc *desc, int n_ranks, int rank, mst_mpi_part *input, mst_mpi_part *output,
                             mst_error *error) {
    return mst_mpi_fft_parts_of(desc, false, n_ranks, rank, input, output, error);
}

mst_status mst_mpi_fft_needs_of(const mst_mpi_fft_desc *desc, bool partly, int n_ranks, int rank, mst_mpi_needs *needs,
                                size_t bytes[MST_MPI_WORK], mst_error *error) {
    mst_mpi_steps s;
    mst_status status = MST_OK;
    TRY(read_steps(desc, partly, n_ranks, rank, &s, error));
    needs->exchanges += (uint64_t)s.n - 1;
    for (int i = 0; i + 1 < s.n; i++)
        mst_mpi_exchange_count(&s, i, rank, &needs->messages, &needs->sent_bytes);
    work_bytes(&s, partly, rank, bytes);
fail:
    return status;
}

mst_status mst_mpi_fft_needs(const mst_mpi_fft_desc *desc, int n_ranks, int rank, mst_mpi_needs *needs, mst_error *error) {
    size_t bytes[MST_MPI_WORK] = {0};
    mst_status status = MST_OK;
    mst_mpi_needs own = MST_MPI_NEEDS_INIT;
    TRY(mst_mpi_needs_check(needs, error));
    TRY(mst_mpi_fft_needs_of(desc, false, n_ranks, rank, &own, bytes, error));
    own.host_bytes = bytes[MST_MPI_BEFORE] + bytes[MST_MPI_BEHIND] + bytes[MST_MPI_PACKED];
    mst_mpi_needs_write(&own, needs);
fail:
    return status;
}

// ---- Making a plan

static mst_status make_transform(mst_mpi_fft *plan, const mst_mpi_fft_desc *d, int i, int rank, double scale, mst_error *error) {
    const mst_mpi_step *s = &plan->steps.step[i];
    mst_fft_desc desc = MST_FFT_DESC_INIT;
    desc.input = mst_mpi_step_layout(&plan->steps, i, false, rank);
    desc.output = mst_mpi_step_layout(&plan->steps, i, true, rank);
    desc.n_axes = s->n_axes;
    memcpy(desc.axes, s->axes, sizeof desc.axes);
    desc.direction = d->direction;
    desc.scale = scale;
    desc.kind = d->kind;
    mst_status status = mst_fft_create(plan->context, &desc, &plan->stages[i].fft, error);
    if (status == MST_OK)
        plan->stages[i].view = mst_mpi_view_make(plan->context, plan->stages[i].fft, &desc.input, &desc.output);
    return status;
}

// What needs no other rank.
typedef struct request {
    mst_context *context;
    const mst_mpi_fft_desc *given;
    mst_mpi_fft_desc desc; // as it was read
    bool partly;
    const mst_mpi_work *work; // NULL: its own
} request;

static mst_status prepare(void *half_made, void *given, mst_error *error) {
    mst_status status = MST_OK;
    mst_mpi_fft *plan = half_made;
    request *r = given;
    plan->context = r->context;
    plan->is_partly = r->partly;
    plan->is_guest = r->work != NULL;
    if (r->work)
        plan->work = *r->work;
    TRY(mst_mpi_fft_desc_read(r->given, &r->desc, error));
    REQUIRE(plan->context, MST_ERROR_ARGUMENT, "context must not be NULL");
    TRY(mst_mpi_steps_make(&r->desc, r->partly, plan->team.n_ranks, &plan->steps, error));
fail:
    return status;
}

// Results of steps are where the other ranks of the host see them, if they can be.
mst_status mst_mpi_work_make(mst_mpi_team *team, const size_t bytes[MST_MPI_WORK], mst_mpi_work *work, mst_error *error) {
    static const char *const what[] = {"what a step reads", "what a step writes", "messages"};
    mst_status status = mst_mpi_window_create(team->communicator, bytes[MST_MPI_BEHIND], &work->window, error);
    if (work->window)
        work->memory[MST_MPI_BEHIND] = work->window->own;
    for (int i = 0; i < MST_MPI_WORK && status == MST_OK; i++)
        if (!work->memory[i])
            status = mst_mpi_take(bytes[i], what[i], &work->memory[i], error);
    return mst_mpi_team_agree(team, status, error);
}

void mst_mpi_work_free(mst_mpi_work *work) {
    for (int i = 0; i < MST_MPI_WORK; i++)
        if (i != MST_MPI_BEHIND || !work->window)
            free(work->memory[i]);
    mst_mpi_window_destroy(work->window);
}

static mst_status fill_plan(mst_mpi_fft *plan, const mst_mpi_fft_desc *d, mst_error *error) {
    mst_status status = MST_OK;
    int last = 0;
    for (int i = 0; i < plan->steps.n; i++)
        last = plan->steps.step[i].n_axes ? i : last;
    for (int i = 0; i < plan->steps.n; i++) {
        const mst_mpi_window *window = sends_work(&plan->steps, plan->is_partly, i) ? plan->work.window : NULL;
        if (plan->steps.step[i].n_axes)
            TRY(make_transform(plan, d, i, plan->team.rank, i == last ? d->scale : 1, error));
        if (i + 1 < plan->steps.n)
            TRY(mst_mpi_exchange_create(plan->team.communicator, &plan->steps, i, window, plan->work.memory[MST_MPI_PACKED],
                                        plan->team.timeout, &plan->stages[i].exchange, error));
    }
fail:
    return status;
}

// How long others are waited for, whatever is wrong with the description.
static double timeout_of(const mst_mpi_fft_desc *d) {
    mst_mpi_fft_desc read = MST_MPI_FFT_DESC_INIT;
    bool has_one = mst_mpi_fft_desc_read(d, &read, NULL) == MST_OK && mst_mpi_check_timeout(read.timeout, NULL) == MST_OK;
    return has_one ? read.timeout : MST_MPI_DEFAULT_TIMEOUT;
}

static mst_status complete(void *half_made, void *given, mst_error *error) {
    mst_mpi_fft *plan = half_made;
    const request *r = given;
    mst_status status = MST_OK;
    size_t bytes[MST_MPI_WORK] = {0};
    work_bytes(&plan->steps, plan->is_partly, plan->team.rank, bytes);
    if (!plan->is_guest)
        TRY(mst_mpi_work_make(&plan->team, bytes, &plan->work, error));
    return mst_mpi_team_agree(&plan->team, fill_plan(plan, &r->desc, error), error);
fail:
    return status;
}

static void destroy(void *half_made) { mst_mpi_fft_destroy(half_made); }

static const mst_mpi_kind transform_kind = {sizeof(mst_mpi_fft), prepare, complete, destroy};

mst_status mst_mpi_fft_create(MPI_Comm communicator, mst_context *context, const mst_mpi_fft_desc *desc, mst_mpi_fft **out,
                              mst_error *error) {
    request r = {context, desc, MST_MPI_FFT_DESC_INIT, false, NULL};
    return mst_mpi_make(communicator, timeout_of(desc), &transform_kind, &r, out, NULL, error);
}

mst_status mst_mpi_fft_make(mst_mpi_team *owner, mst_context *context, const mst_mpi_fft_desc *desc, bool partly,
                            const mst_mpi_work *work, mst_mpi_fft **out, mst_error *error) {
    request r = {context, desc, MST_MPI_FFT_DESC_INIT, partly, work};
    return mst_mpi_make(owner->communicator, timeout_of(desc), &transform_kind, &r, out, &owner->broken, error);
}

void mst_mpi_fft_destroy(mst_mpi_fft *plan) {
    if (!plan)
        return;
    for (int i = 0; i < MST_MPI_MOST_STEPS; i++) {
        mst_fft_destroy(plan->stages[i].fft);
        mst_mpi_exchange_destroy(plan->stages[i].exchange);
    }
    if (!plan->team.broken) { // else MPI may still write there
        if (!plan->is_guest)
            mst_mpi_work_free(&plan->work);
        MPI_Comm_free(&plan->team.communicator);
    }
    free(plan);
}

// ---- Executing it

static mst_status check_places(const mst_mpi_fft *plan, mst_location input, mst_location output, mst_error *error) {
    const mst_mpi_steps *s = &plan->steps;
    if (!s->step[0].n_axes && input.place != MST_PLACE_HOST)
        return mst_mpi_fail(error, MST_ERROR_ARGUMENT, "input that is exchanged first must lie in host memory");
    if (!s->step[s->n - 1].n_axes && output.place != MST_PLACE_HOST)
        return mst_mpi_fail(error, MST_ERROR_ARGUMENT,
                            "output that is exchanged last must lie in host memory; ask for transposed output");
    return MST_OK;
}

// One step: what it reads lies at *at, which then is where its result lies.
static mst_status transform(mst_mpi_fft *plan, int i, mst_location *at, mst_location output, mst_error *error) {
    mst_location to = i == plan->steps.n - 1 ? output : mst_at_host(plan->work.memory[MST_MPI_BEHIND]);
    const mst_location both[] = {*at, to};
    if (!plan->stages[i].fft)
        return MST_OK;
    *at = to;
    return mst_mpi_view_execute(&plan->stages[i].view, both, error);
}

mst_status mst_mpi_fft_execute(mst_mpi_fft *plan, mst_location input, mst_location output, mst_error *error) {
    mst_status status, exchanged = MST_OK;
    mst_location at = input;
    if (!plan)
        return mst_mpi_fail(error, MST_ERROR_ARGUMENT, "plan must not be NULL");
    if (plan->team.broken)
        return mst_mpi_check_unbroken(plan->team.broken, error);
    status = mst_mpi_team_agree(&plan->team, check_places(plan, input, output, error), error);
    if (status != MST_OK)
        return status;
    for (int i = 0; i < plan->steps.n; i++) {
        bool to_caller = i + 2 == plan->steps.n && !plan->steps.step[i + 1].n_axes;
        if (status == MST_OK)
            status = transform(plan, i, &at, output, error);
        else
            at = mst_at_host(plan->work.memory[MST_MPI_BEHIND]);
        if (!plan->stages[i].exchange)
            continue;
        void *to = to_caller ? output.host : plan->work.memory[MST_MPI_BEFORE];
        // A rank that failed goes on sending, so that no other waits for it.
        exchanged = mst_mpi_exchange_run(plan->stages[i].exchange, at.host, to, status == MST_OK ? error : NULL);
        plan->team.broken = exchanged != MST_OK;
        if (plan->team.broken)
            return exchanged;
        at = mst_at_host(to);
    }
    return mst_mpi_team_agree(&plan->team, status, error);
}

int mst_mpi_fft_is_broken(const mst_mpi_fft *plan) { return plan && plan->team.broken; }

mst_status mst_mpi_fft_run(mst_mpi_team *owner, mst_mpi_fft *plan, void *input, void *output, mst_error *error) {
    const mst_status status = mst_mpi_fft_execute(plan, mst_at_host(input), mst_at_host(output), error);
    owner->broken = plan->team.broken;
    return status;
}

void mst_mpi_fft_drop(const mst_mpi_team *owner, mst_mpi_fft *plan) {
    if (plan)
        plan->team.broken = owner->broken;
    mst_mpi_fft_destroy(plan);
}
