// The plan for images of a kind, and how one is filtered by it: by this process, or by all of a team together.
#include "core/standard.h"
#include "core/team.h"
#include "filter.h"

#include <math.h>
#include <string.h>

// ---- The plan

// In cycles per pixel.
static double cycles_per_pixel(const filter_job *job, const cli_frequency *f, const cli_image *image) {
    size_t shorter = image->width < image->height ? image->width : image->height;
    if (job->desc.volume && image->pages < shorter)
        shorter = image->pages;
    return f->nyquist ? f->value / 2 : f->value / (double)shorter;
}

static bool same_plan(const mst_filter_desc *a, const mst_filter_desc *b) {
    return a->input.type == b->input.type && a->input.rank == b->input.rank &&
           memcmp(a->input.shape, b->input.shape, (size_t)a->input.rank * sizeof(size_t)) == 0 && a->alpha == b->alpha &&
           a->white == b->white;
}

int filter_plan_image(filter_job *job, const char *path, const cli_image *image) {
    mst_filter_desc d = job->desc;
    mst_filter_frame frame = MST_FILTER_FRAME_INIT;
    mst_error error;
    if (d.volume && image->pages == 1) {
        cli_error(job->command, "%s: has one page; --volume is for stacks of them", path);
        return CLI_INPUT_OUTPUT;
    }
    d.input = cli_image_layout(image);
    d.alpha = image->alpha;
    d.white = cli_image_is_real(image) || d.output_as == MST_FILTER_RAW ? 0 : image->white;
    if (job->plan && same_plan(&d, &job->plan_desc))
        return CLI_DONE;
    d.radius = cycles_per_pixel(job, &job->radii[0], image);
    d.radius2 = cycles_per_pixel(job, &job->radii[1], image);
    d.notches = job->plan_notches;
    d.n_notches = job->n_notches;
    for (size_t i = 0; i < job->n_notches; i++)
        job->plan_notches[i] = (mst_filter_notch){.x = cycles_per_pixel(job, &job->notches[i].x, image),
                                                  .y = cycles_per_pixel(job, &job->notches[i].y, image),
                                                  .z = cycles_per_pixel(job, &job->notches[i].z, image),
                                                  .radius = cycles_per_pixel(job, &job->notches[i].radius, image)};
    mst_filter_destroy(job->plan);
    job->plan = NULL;
    job->plan_desc = d;
    mst_status status = mst_filter_describe(&d, &frame, &error);
    if (status == MST_OK && !job->together)
        status = mst_filter_create(job->context, &d, &job->plan, &error);
    job->result_type = frame.output;
    return status == MST_OK ? CLI_DONE : cli_fail_input(job->command, path, &error);
}

// Images of different sizes may go through different stages, so sums are kept by the names of the stages.
static void add_stage(filter_job *job, const mst_filter_stage *stage) {
    int i = 0;
    while (i < job->n_stages && strcmp(job->stage_sums[i].name, stage->name) != 0)
        i++;
    if (i == job->n_stages)
        job->stage_sums[job->n_stages++] = (mst_filter_stage){.name = stage->name};
    job->stage_sums[i].launches += stage->launches;
    job->stage_sums[i].seconds += stage->seconds;
}

static int add_tiles(filter_job *job, size_t pages) {
    mst_filter_forecast f = MST_FILTER_FORECAST_INIT;
    mst_error error;
    if (mst_filter_predict(job->plan, &f, &error) != MST_OK)
        return cli_fail(job->command, NULL, &error);
    job->n_tiles += f.tiles * (job->desc.volume ? 1 : pages);
    job->bound = fmax(job->bound, f.bound);
    return CLI_DONE;
}

static int add_stages(filter_job *job) {
    mst_filter_stage stages[MST_FILTER_MAX_STAGES];
    mst_error error;
    size_t count = 0;
    if (mst_filter_stages(job->plan, stages, MST_FILTER_MAX_STAGES, &count, &error) != MST_OK)
        return cli_fail(job->command, NULL, &error);
    for (size_t i = 0; i < count; i++)
        add_stage(job, &stages[i]);
    return CLI_DONE;
}

mst_layout filter_plan_result(const filter_job *job) {
    return mst_layout_dense(job->result_type, job->plan_desc.input.rank, job->plan_desc.input.shape);
}

// ---- Its execution

static int execute_alone(filter_job *job, const char *path, const cli_image *from, void *to) {
    mst_execution how = MST_EXECUTION_INIT;
    mst_report report = MST_REPORT_INIT;
    mst_error error;
    how.report = &report;
    if (mst_filter_execute(job->plan, mst_at_host(from->pixels), mst_at_host(to), &how, &error) != MST_OK)
        return cli_fail(job->command, path, &error);
    mst_report_add(&job->report, &report);
    const int code = add_tiles(job, from->pages);
    return code == CLI_DONE && job->stages ? add_stages(job) : code;
}

int filter_plan_execute(filter_job *job, const char *path, const cli_image *from, const cli_image *to, const cli_output *file) {
    if (!job->together)
        return execute_alone(job, path, from, to->pixels);
    const filter_together work = {job->command, path, job->context, &job->plan_desc, from->pixels,
                                  to->pixels,   file, to,           job->timeout};
    return cli_get_team()->filter(&work);
}

// ---- By all of a team

void filter_choose_team(filter_job *job) {
    const mst_filter_desc *d = &job->desc;
    const cli_team *team = cli_get_team();
    const bool one_by_one = d->kind == MST_FILTER_WIENER || d->algorithm == MST_FILTER_PAPER || job->stages || d->tiles > 0;
    job->together =
        team->count > 1 && job->n_inputs < (size_t)team->count && (job->output || job->dry_run) && !job->spectrum && !one_by_one;
    for (size_t i = 0; i < job->n_inputs; i++)
        job->together = job->together && !cli_is_standard(job->inputs[i]); // a stream has one reader
}

int filter_plan_part(const filter_job *job, const char *path, cli_image_part *part) {
    return cli_get_team()->filter_part(job->command, path, &job->plan_desc, part);
}

bool filter_has_result(const filter_job *job) { return !job->together || cli_get_team()->number == 0; }

int filter_agree(const filter_job *job, int code) { return job->together ? cli_agree(job->command, code) : code; }

int filter_agree_input(const filter_job *job, int code, const char *path, const cli_image *image) {
    if (!job->together)
        return code;
    code = cli_work_meet(job->command, code == CLI_INTERRUPTED ? cli_fail_interrupted(job->command) : code);
    const size_t numbers[] = {image->width, image->height, image->channels, image->alpha, image->type, image->pages};
    uint64_t all = 0;
    for (size_t i = 0; i < CLI_COUNT(numbers); i++)
        all = all * 1000003 + numbers[i];
    if (code != CLI_DONE || cli_same(all))
        return code;
    cli_error(job->command, "%s: is not the same image for all ranks", path);
    return cli_agree(job->command, CLI_INPUT_OUTPUT);
}
