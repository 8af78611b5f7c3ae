// mastaba filter --dry-run: which points of each image are transformed, and where a team filters images, who has what.
#include "core/report.h"
#include "core/standard.h"
#include "core/team.h"
#include "filter.h"

static int print_tiles(const filter_job *job, const char *path, json_t *object, int *failed) {
    mst_filter_forecast f = MST_FILTER_FORECAST_INIT;
    mst_error error;
    if (mst_filter_predict(job->plan, &f, &error) != MST_OK)
        return cli_fail(job->command, path, &error);
    if (object)
        *failed |= json_object_set_new(object, "tiles", json_integer((json_int_t)f.tiles));
    else if (f.tiles > 0)
        printf(", in %llu tiles within %.2g of the largest pixel", (unsigned long long)f.tiles, f.bound);
    return CLI_DONE;
}

static void print_rank(size_t n_inputs, size_t input, json_t *object, int *failed) {
    const int rank = (int)(input / cli_share_of(n_inputs, 0).count);
    if (object)
        *failed |= json_object_set_new(object, "rank", json_integer(rank));
    else
        printf(", by rank %d", rank);
}

static int print_ranks(const filter_job *job, const char *path, json_t *object, int *failed) {
    json_t *list = object ? json_array() : NULL;
    if (object)
        *failed |= json_object_set(object, "ranks", list);
    else
        printf(":\n");
    const int code = cli_get_team()->filter_plan(job->command, path, &job->plan_desc, list);
    json_decref(list);
    return code;
}

int filter_print_plan(const filter_job *job, size_t input, json_t *list) {
    const char *path = cli_input_name(job->inputs[input]);
    mst_filter_frame frame = MST_FILTER_FRAME_INIT;
    mst_error error;
    int failed = 0, code = CLI_DONE;
    if (mst_filter_describe(&job->plan_desc, &frame, &error) != MST_OK)
        return cli_fail_input(job->command, path, &error);
    json_t *object =
        list ? json_pack("{s:o, s:o}", "image", cli_json_text(path), "points", cli_json_sizes(frame.points, 3)) : NULL;
    if (!list)
        printf("%s: transformed at %zu x %zu x %zu points", path, frame.points[0], frame.points[1], frame.points[2]);
    if (job->together)
        code = print_ranks(job, path, object, &failed);
    else if (cli_get_team()->count > 1)
        print_rank(job->n_inputs, input, object, &failed);
    else
        code = print_tiles(job, path, object, &failed);
    if (!list && !job->together)
        printf("\n");
    if (list && json_array_append_new(list, cli_json_complete(object, failed)) != 0)
        code = cli_out_of_memory(job->command, "a plan");
    return code;
}
