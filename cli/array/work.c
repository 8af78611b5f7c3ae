// The report of a command that wrote a file: the result, the time, and the share of the device's memory bandwidth.
#include "work.h"

#include "core/context.h"
#include "core/json.h"
#include "core/layout.h"
#include "core/report.h"
#include "core/team.h"
#include "core/text.h"

#include <math.h>
#include <stdio.h>

// Bytes per second while the device computed; 0 if it did not.
static double device_rate(const cli_work *work) {
    return work->report->compute_seconds > 0 ? (double)work->bytes / work->report->compute_seconds : 0;
}

static int print_json(const cli_work *work, uint64_t bytes, const char *device, double copy_rate) {
    const mst_report *r = work->report;
    json_t *object = json_object();
    int failed = !object;
    failed |= json_object_set_new(object, "output", cli_json_text(work->path));
    failed |= json_object_set_new(object, "shape", cli_json_sizes(work->result->shape, work->result->rank));
    failed |= json_object_set_new(object, "type", json_string(mst_type_name(work->result->type)));
    if (work->fallback_from)
        failed |= json_object_set_new(
            object, "fallback", json_pack("{s:s, s:s}", "from", work->fallback_from, "to", mst_type_name(work->result->type)));
    if (work->algorithm) {
        failed |= json_object_set_new(object, "algorithm", json_string(work->algorithm));
        if (work->why && *work->why)
            failed |= json_object_set_new(object, "why", json_string(work->why));
        failed |= json_object_set_new(object, "padded_length", json_integer((json_int_t)work->padded_length));
    }
    failed |= json_object_set_new(object, "device", cli_json_text(work->on_host ? "host" : device));
    if (cli_get_team()->count > 1)
        failed |= json_object_set_new(object, "ranks", json_integer(cli_get_team()->count));
    failed |= json_object_set_new(object, "seconds", cli_json_real(r->seconds));
    failed |= json_object_set_new(object, "upload_seconds", cli_json_real(r->upload_seconds));
    failed |= json_object_set_new(object, "compute_seconds", cli_json_real(r->compute_seconds));
    failed |= json_object_set_new(object, "download_seconds", cli_json_real(r->download_seconds));
    failed |= json_object_set_new(object, "bytes", json_integer((json_int_t)bytes));
    failed |= json_object_set_new(object, "upload_bytes", json_integer((json_int_t)r->upload_bytes));
    failed |= json_object_set_new(object, "download_bytes", json_integer((json_int_t)r->download_bytes));
    failed |= json_object_set_new(object, "blocks", json_integer((json_int_t)r->blocks));
    failed |= json_object_set_new(object, "bytes_per_second", cli_json_real((double)bytes / r->seconds));
    failed |= json_object_set_new(object, "device_bytes_per_second", cli_json_real(device_rate(work)));
    failed |= json_object_set_new(object, "copy_bytes_per_second", cli_json_real(copy_rate));
    failed |= json_object_set_new(object, "bandwidth_share", cli_json_real(device_rate(work) / copy_rate));
    return cli_print_json(work->command, cli_json_complete(object, failed));
}

static void print_text(const cli_work *work, uint64_t bytes, const char *device) {
    char shape[200], time[32], padded[64] = "", speed[32] = "", ranks[32] = "";
    const mst_report *r = work->report;
    if (work->algorithm && work->padded_length)
        snprintf(padded, sizeof padded, " by %s, padded to %zu,", work->algorithm, work->padded_length);
    else if (work->algorithm && cli_layout_bytes(work->result) > 0)
        snprintf(padded, sizeof padded, " by %s,", work->algorithm);
    if (bytes > 0 && r->seconds > 0) // else there was nothing to compute
        snprintf(speed, sizeof speed, ", %.2f GB/s", 1e-9 * (double)bytes / r->seconds);
    if (cli_get_team()->count > 1)
        snprintf(ranks, sizeof ranks, " by %d ranks", cli_get_team()->count);
    printf("%s: %s %s%s%s on %s in %s%s\n", work->path, cli_shape_text(work->result, shape), mst_type_name(work->result->type),
           padded, ranks, work->on_host ? "the host" : device, cli_time_text(r->seconds, time), speed);
}

// The rates of several devices at once are not one device's.
static void print_details(const cli_work *work, double copy_rate, bool several) {
    char up[32], down[32], times[3][32];
    const mst_report *r = work->report;
    printf("upload %s in %s, compute in %s, download %s in %s, %llu block%s", cli_size_text(r->upload_bytes, up),
           cli_time_text(r->upload_seconds, times[0]), cli_time_text(r->compute_seconds, times[1]),
           cli_size_text(r->download_bytes, down), cli_time_text(r->download_seconds, times[2]), (unsigned long long)r->blocks,
           r->blocks == 1 ? "" : "s");
    if (device_rate(work) > 0 && !several)
        printf("; while computing %.2f GB/s, %.1f%% of the %.1f GB/s of a copy on the device", 1e-9 * device_rate(work),
               100 * device_rate(work) / copy_rate, 1e-9 * copy_rate);
    putchar('\n');
}

int cli_report_work(const cli_work *work, const cli_options *options, mst_context *context) {
    mst_error error;
    double copy_rate = NAN;
    char names[320];
    const char *device = cli_device_text(context, names);
    uint64_t bytes = work->bytes;
    cli_sum(&bytes, 1);
    if ((options->json || options->verbose) && !work->on_host && mst_context_copy_rate(context, &copy_rate, &error) != MST_OK)
        return cli_fail(work->command, "the result is written, but the device's copy rate cannot be measured", &error);
    if (options->json)
        return print_json(work, bytes, device, copy_rate);
    print_text(work, bytes, device);
    if (options->verbose && work->why && *work->why)
        printf("%s was chosen: %s\n", work->algorithm, work->why);
    if (options->verbose && !work->on_host)
        print_details(work, copy_rate, mst_context_n_devices(context) > 1);
    return cli_flush(work->command);
}
