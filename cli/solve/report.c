// The report on a run, with what the model had predicted, and the plan that --dry-run prints.
#include "solve.h"

#include <math.h>

static const char *const stores[] = {[MST_STENCIL_STORE_AUTO] = "auto",
                                     [MST_STENCIL_STORE_PINNED] = "pinned",
                                     [MST_STENCIL_STORE_MEMORY] = "memory",
                                     [MST_STENCIL_STORE_FILE] = "file"};

static mst_layout grid_layout(const solve_run *run) { return problem_layout(&run->problem.desc); }

static double node_steps(const solve_run *run, uint64_t steps) {
    mst_layout layout = grid_layout(run);
    return (double)(cli_layout_bytes(&layout) / mst_type_bytes(layout.type)) * (double)steps;
}

// "skewed, n = 384, m = 12, blocks of 512"
static void print_choices(const mst_stencil_plan *plan) {
    printf("%s", mst_stencil_schedule_name(plan->schedule));
    if (!solve_in_core(plan))
        printf(", n = %zu", plan->depth);
    if (plan->schedule == MST_STENCIL_SWEEPS && plan->fuse > 1)
        printf(" around a middle of m = %u", plan->fuse);
    else if (plan->schedule != MST_STENCIL_SWEEPS && plan->schedule != MST_STENCIL_SKEWED_SWEEPS)
        printf(", m = %u", plan->fuse);
    if (!solve_in_core(plan))
        printf(", blocks of %zu, backing store in %s", plan->block,
               plan->store == MST_STENCIL_STORE_PINNED ? "pinned memory" : stores[plan->store]);
}

static void print_memory(const mst_stencil_plan *plan) {
    char state[32], device[32], host[32];
    printf("memory: state %s, on the device %s, on the host %s\n", cli_size_text(plan->state_bytes, state),
           cli_size_text(plan->device_bytes, device), cli_size_text(plan->host_bytes, host));
}

static json_t *plan_json(const solve_run *run, const mst_stencil_plan *plan) {
    mst_layout layout = grid_layout(run);
    json_t *object = json_object();
    int failed = !object;
    failed |= json_object_set_new(object, "problem", cli_json_text(run->options->name));
    failed |= json_object_set_new(object, "grid", cli_json_sizes(run->problem.desc.grid, run->problem.desc.rank));
    if (run->problem.desc.n_runs > 0)
        failed |= json_object_set_new(object, "runs", json_integer((json_int_t)run->problem.desc.n_runs));
    failed |= json_object_set_new(object, "precision", json_string(mst_type_name(layout.type)));
    failed |= json_object_set_new(object, "time_step", cli_json_real(run->problem.desc.time_step));
    failed |= json_object_set_new(object, "device", cli_json_text(mst_context_device(run->context)->name));
    failed |= json_object_set_new(object, "schedule", json_string(mst_stencil_schedule_name(plan->schedule)));
    failed |= json_object_set_new(object, "shape", json_string(plan->shape == MST_STENCIL_SHAPE_GPU ? "gpu" : "cpu"));
    failed |= json_object_set_new(object, "backing_store", json_string(stores[plan->store]));
    failed |= json_object_set_new(object, "depth", json_integer((json_int_t)plan->depth));
    failed |= json_object_set_new(object, "fuse", json_integer((json_int_t)plan->fuse));
    failed |= json_object_set_new(object, "block", json_integer((json_int_t)plan->block));
    failed |= json_object_set_new(object, "state_bytes", json_integer((json_int_t)plan->state_bytes));
    failed |= json_object_set_new(object, "device_bytes", json_integer((json_int_t)plan->device_bytes));
    failed |= json_object_set_new(object, "host_bytes", json_integer((json_int_t)plan->host_bytes));
    failed |= json_object_set_new(object, "duplicated", cli_json_real(plan->duplicated));
    if (plan->n_parts > 0) {
        const size_t n = mst_context_n_devices(run->context);
        failed |= json_object_set_new(object, "part_steps", json_integer((json_int_t)plan->part_steps));
        failed |= json_object_set_new(object, "part_beside", json_boolean(plan->part_beside != 0));
        failed |=
            json_object_set_new(object, "part_planes",
                                cli_json_sizes(plan->part_planes, (int)(n < MST_STENCIL_MAX_PARTS ? n : MST_STENCIL_MAX_PARTS)));
    }
    return cli_json_complete(object, failed);
}

static json_t *values_json(const double *values, size_t n) {
    json_t *array = json_array();
    int failed = !array;
    for (size_t i = 0; i < n; i++)
        failed |= json_array_append_new(array, cli_json_real(values[i]));
    return cli_json_complete(array, failed);
}

// The last value of each, or of several runs a list.
static json_t *monitors_json(const solve_run *run) {
    json_t *object = json_object();
    int failed = !object;
    for (size_t k = 0; k < run->problem.n_logs; k++) {
        const double *values = solve_last_values(run, k);
        const size_t runs = run->problem.desc.n_runs;
        if (values)
            failed |= json_object_set_new(object, run->problem.monitors[k].name,
                                          runs > 0 ? values_json(values, runs) : cli_json_real(values[0]));
    }
    return cli_json_complete(object, failed);
}

int solve_add_monitors(const solve_run *run, json_t *object) {
    int failed = 0;
    if (run->problem.n_logs > 0)
        failed |= json_object_set_new(object, "monitors", monitors_json(run));
    if (run->problem.desc.until)
        failed |= json_object_set_new(object, "until_holds", json_boolean(run->ended));
    return failed;
}

static int print_json(const solve_run *run, double predicted, uint64_t upload, uint64_t download) {
    const mst_stencil_report *done = &run->done;
    json_t *object = plan_json(run, &run->plan);
    int failed = !object;
    failed |= json_object_set_new(object, "steps", json_integer((json_int_t)run->problem.steps));
    failed |= json_object_set_new(object, "predicted_seconds", cli_json_real(predicted));
    failed |= json_object_set_new(object, "upload_bytes", json_integer((json_int_t)upload));
    failed |= json_object_set_new(object, "download_bytes", json_integer((json_int_t)download));
    if (!run->options->dry_run) {
        failed |= json_object_set_new(object, "first_step", json_integer((json_int_t)run->first));
        failed |= json_object_set_new(object, "seconds", cli_json_real(done->seconds));
        failed |= solve_add_monitors(run, object);
        failed |=
            json_object_set_new(object, "node_steps_per_second", cli_json_real(node_steps(run, done->steps) / done->seconds));
    }
    return cli_print_json_digits(solve_command, cli_json_complete(object, failed),
                                 cli_json_digits(run->problem.desc.time_step)); // a run can be repeated with it
}

static void print_head(const solve_run *run, uint64_t steps) {
    const mst_stencil_desc *desc = &run->problem.desc;
    const mst_layout layout = mst_layout_dense(desc->precision, desc->rank, desc->grid);
    char shape[200], runs[40] = "";
    if (desc->n_runs > 0)
        snprintf(runs, sizeof runs, "%zu runs of ", desc->n_runs);
    printf("%s: %s%s %s, %llu step%s on %s: ", run->options->name, runs, cli_shape_text(&layout, shape),
           mst_type_name(layout.type), (unsigned long long)steps, steps == 1 ? "" : "s", mst_context_device(run->context)->name);
    print_choices(&run->plan);
    putchar('\n');
}

static void print_moved(uint64_t upload, uint64_t download, double duplicated) {
    char up[32], down[32];
    printf("bus: %s up, %s down; duplicated work: %.1f%%\n", cli_size_text(upload, up), cli_size_text(download, down),
           100 * duplicated);
}

// Who has which planes.
static void print_parts(const solve_run *run) {
    const mst_stencil_plan *plan = &run->plan;
    size_t first = 0;
    for (size_t k = 0; plan->n_parts > 0 && k < MST_STENCIL_MAX_PARTS && k < mst_context_n_devices(run->context); k++) {
        const size_t planes = plan->part_planes[k];
        if (planes > 0)
            printf("device %zu of %zu, %s: %s %zu to %zu\n", k + 1, mst_context_n_devices(run->context),
                   mst_context_device_at(run->context, k)->name, run->problem.desc.n_runs > 0 ? "runs" : "planes", first,
                   first + planes - 1);
        first += planes;
    }
    if (plan->n_parts > 0 && run->problem.desc.n_runs == 0)
        printf("halos are exchanged every %llu step%s%s\n", (unsigned long long)plan->part_steps,
               plan->part_steps == 1 ? "" : "s", plan->part_beside ? ", beside the interior" : "");
}

int solve_print_plan(const solve_run *run) {
    const mst_stencil_plan *plan = &run->plan;
    char time[32];
    if (run->common->json)
        return print_json(run, plan->seconds, plan->upload_bytes, plan->download_bytes);
    print_head(run, run->problem.steps);
    printf("predicted: %s", cli_time_text(plan->seconds, time));
    if (run->problem.steps > 0)
        printf(", %.4g node-steps/s", node_steps(run, run->problem.steps) / plan->seconds);
    putchar('\n');
    print_parts(run);
    print_moved(plan->upload_bytes, plan->download_bytes, plan->duplicated);
    print_memory(plan);
    return cli_flush(solve_command);
}

void solve_print_found(const solve_run *run) {
    solve_print_monitors(run);
    if (run->problem.desc.until)
        printf(run->ended ? "ended after step %llu, where the condition `until` holds\n"
                          : "ended after step %llu; the condition `until` did not hold where it was looked at\n",
               (unsigned long long)run->problem.steps);
}

int solve_print_report(const solve_run *run) {
    const mst_stencil_report *done = &run->done;
    char time[32], predicted[32];
    if (run->common->json)
        return print_json(run, run->predicted, done->upload_bytes, done->download_bytes);
    print_head(run, done->steps);
    if (done->steps > 0)
        printf("measured: %s, %.4g node-steps/s; predicted: %s (%+.1f%%)\n", cli_time_text(done->seconds, time),
               node_steps(run, done->steps) / done->seconds, cli_time_text(run->predicted, predicted),
               100 * (run->predicted / done->seconds - 1));
    print_moved(done->upload_bytes, done->download_bytes, run->plan.duplicated);
    solve_print_found(run);
    if (run->common->verbose) {
        print_parts(run);
        print_memory(&run->plan);
    }
    return cli_flush(solve_command);
}
