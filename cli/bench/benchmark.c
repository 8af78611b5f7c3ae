// Runs a benchmark: what is the same for all of them.
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double bench_between(double low, double value, double high) { return fmin(fmax(value, low), high); }

bool bench_is_time(const bench_run *run, const char *name, double seconds) {
    if (seconds > 0 && seconds <= 3600)
        return true;
    cli_error(run->command, "--%s %g: not a time; give up to 3600 seconds", name, seconds);
    return false;
}

int bench_choose_arrays(const bench_run *run, const bench_arrays_request *request, bench_arrays *arrays) {
    if (request->mebibytes < 1 || request->mebibytes > BENCH_MOST_MEBIBYTES) {
        cli_error(run->command, "--mebibytes %d: give 1 to %d", request->mebibytes, BENCH_MOST_MEBIBYTES);
        return CLI_USAGE;
    }
    if (request->rounds < 1 || request->rounds > BENCH_MOST_ROUNDS) {
        cli_error(run->command, "--rounds %d: give 1 to %d", request->rounds, BENCH_MOST_ROUNDS);
        return CLI_USAGE;
    }
    *arrays = (bench_arrays){.bytes = (size_t)request->mebibytes << 20, .rounds = request->rounds};
    return CLI_DONE;
}

void bench_choose_arrays_within(const bench_run *run, bool quick, size_t n_arrays, bench_arrays *arrays) {
    uint64_t budget = run->options->device_memory;
    *arrays = (bench_arrays){.bytes = (size_t)(quick ? 16 : 64) << 20, .rounds = quick ? 3 : 11};
    while (arrays->bytes > 1 << 16 && budget && n_arrays * arrays->bytes > budget)
        arrays->bytes /= 2;
}

static void find_processor(char text[128]) {
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    snprintf(text, 128, "the host's processor");
    while (file && fgets(line, sizeof line, file)) {
        char *name = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !name)
            continue;
        name += 1 + strspn(name + 1, " ");
        name[strcspn(name, "\n")] = '\0';
        snprintf(text, 128, "%.127s", name);
        break;
    }
    if (file)
        fclose(file);
}

int bench_open(unsigned contexts, bench_run *run) {
    int code = CLI_DONE;
    for (int k = 0; k < BENCH_N_CONTEXTS && code == CLI_DONE; k++) {
        if (contexts >> k & 1)
            code = cli_context(run->command, run->options, k == BENCH_PROFILED, &run->contexts[k]);
        if (run->contexts[k])
            run->device = mst_context_device(run->contexts[k]);
    }
    time_t now = time(NULL);
    struct tm utc;
    strftime(run->date, sizeof run->date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    find_processor(run->processor);
    return code;
}

void bench_close(bench_run *run) {
    for (int k = 0; k < BENCH_N_CONTEXTS; k++) {
        mst_context_destroy(run->contexts[k]);
        run->contexts[k] = NULL;
    }
}

static int measure(const benchmark *b, void *results) {
    bench_run *run = results;
    if (run->print && b->heading)
        b->heading(results);
    int code = run->print && b->heading ? cli_flush(run->command) : CLI_DONE;
    if (code == CLI_DONE)
        code = b->measure(results);
    if (code == CLI_DONE && run->options->json)
        code = cli_print_json(run->command, b->json(results));
    else if (code == CLI_DONE && b->table)
        b->table(results);
    return code;
}

int bench_run_alone(const benchmark *b, const cli_arguments *arguments, const void *request) {
    const char *directory = ((const bench_request *)request)->plot;
    bench_run *run = calloc(1, b->result_bytes);
    if (!run)
        return cli_out_of_memory(b->command.name, NULL);
    run->command = b->command.name;
    run->options = &arguments->common;
    run->until = INFINITY;
    run->print = !arguments->common.json;
    cli_plot picture = b->plot(run);
    cli_pictures pictures = {0};
    int code = b->choose(request, run);
    if (code == CLI_DONE && directory)
        code = cli_plot_open(run->command, directory, &picture, run->options->force, &pictures);
    if (code == CLI_DONE)
        code = bench_open(b->contexts, run);
    if (code == CLI_DONE)
        code = measure(b, run);
    if (code == CLI_DONE && directory && !run->interrupted)
        code = cli_plot_draw(run->command, &pictures, &picture);
    if (code == CLI_DONE)
        code = cli_flush(run->command);
    if (code == CLI_DONE && run->interrupted)
        code = CLI_INTERRUPTED;
    else if (code == CLI_DONE && b->check)
        code = b->check(run);
    cli_plot_close(&pictures);
    bench_close(run);
    free(run);
    return code;
}
