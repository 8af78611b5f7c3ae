// rank-rates: transforms and grids by all ranks of an MPI job, and the parts that a model puts their times together from.
#include "rank_rates.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LEAST_SECONDS 0.02 // of a sample
enum { MOST_REPEATS = 1000 };

typedef struct request {
    long long rounds, cores, plan;
    int links, peer, apart;
} request;

// ---- What the measurements share

void rank_sleep(void) {
    MPI_Request barrier;
    MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
    for (int done = 0; !done; MPI_Test(&barrier, &done, MPI_STATUS_IGNORE))
        nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL);
}

mst_status rank_time(MPI_Comm communicator, mst_status (*work)(void *user, mst_error *error), void *user, rank_timing *timing,
                     mst_error *error) {
    mst_status status = work(user, error); // which finds its data in caches then, as what is repeated often does
    double seconds = 0;
    for (int repeats = 1; status == MST_OK;) {
        MPI_Barrier(communicator);
        double start = MPI_Wtime();
        for (int i = 0; i < repeats && status == MST_OK; i++)
            status = work(user, error);
        seconds = MPI_Wtime() - start;
        MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, communicator);
        if (seconds >= LEAST_SECONDS || repeats >= MOST_REPEATS) {
            seconds /= repeats;
            break;
        }
        repeats = seconds * MOST_REPEATS < LEAST_SECONDS ? MOST_REPEATS : (int)(1.2 * LEAST_SECONDS / seconds * repeats) + 1;
    }
    if (status == MST_OK && timing->n < RANK_MOST_ROUNDS)
        timing->seconds[timing->n++] = seconds;
    return status;
}

double rank_median(const rank_timing *timing) {
    double sorted[RANK_MOST_ROUNDS];
    memcpy(sorted, timing->seconds, sizeof sorted);
    return cli_median(sorted, timing->n);
}

json_t *rank_seconds(const rank_timing *timing) {
    json_t *list = json_array();
    for (int i = 0; i < timing->n; i++)
        json_array_append_new(list, json_real(timing->seconds[i]));
    return list;
}

mst_status rank_fail(mst_error *error, mst_status status, const char *message) {
    *error = (mst_error){.status = status};
    snprintf(error->message, sizeof error->message, "%s", message);
    return status;
}

int rank_parse_shape(const char *text, size_t shape[3]) {
    for (int n = 0; n < 3; n++) {
        char *end;
        shape[n] = strtoull(text, &end, 10);
        if (end == text || shape[n] == 0)
            return 0;
        if (*end == '\0' || *end == ':')
            return n + 1;
        text = end + 1;
    }
    return 0;
}

// ---- The whole

static int hosts_apart; // MPI's own interface has no argument for it

// By MPI's profiling interface: no memory for several ranks, so that they exchange messages.
__attribute__((visibility("default"))) int MPI_Win_allocate_shared(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm communicator,
                                                                   void *base, MPI_Win *window) {
    return hosts_apart ? MPI_ERR_NO_MEM : PMPI_Win_allocate_shared(bytes, unit, info, communicator, base, window);
}

static json_t *describe(const rank_run *run) {
    char date[32], version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    time_t now = time(NULL);
    const mst_device_info *d = mst_context_device(run->context);
    MPI_Get_library_version(version, &length);
    version[strcspn(version, ",\n")] = '\0';
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    return json_pack("{s:i, s:b, s:i, s:i, s:s, s:o, s:o, s:s}", "ranks", run->count, "apart", run->apart, "active",
                     run->n_active, "rounds", run->rounds, "date", date, "mpi", cli_json_text(version), "device",
                     cli_json_text(d->name), "driver", d->driver_version);
}

static mst_status measure(rank_run *run, const cli_arguments *arguments, const request *r, json_t *all, mst_error *error) {
    mst_status status = r->links ? rank_measure_links(run, all, error) : MST_OK;
    if (status == MST_OK && !r->plan)
        status = rank_measure_words(run, all, error);
    json_t *cases = json_array();
    for (int i = 0; i < arguments->n_operands && status == MST_OK; i++) {
        const char *text = arguments->operands[i];
        json_t *one = json_pack("{s:s}", "case", text);
        if (strncmp(text, "fft:", 4) == 0 && r->plan)
            status = rank_plan_fft((int)r->plan, text + 4, one, error);
        else if (strncmp(text, "fft:", 4) == 0)
            status = rank_measure_fft(run, text + 4, one, error);
        else
            status = rank_measure_stencil(run, text + strlen("solve:"), one, error);
        json_array_append_new(cases, one);
    }
    json_object_set_new(all, "cases", cases);
    return status;
}

static int check_cases(const cli_arguments *arguments) {
    for (int i = 0; i < arguments->n_operands; i++) {
        const char *text = arguments->operands[i];
        if (strncmp(text, "fft:", 4) != 0 && strncmp(text, "solve:", 6) != 0) {
            cli_error(NULL, "%s: not a case; one begins with fft: or solve:", text);
            return CLI_USAGE;
        }
    }
    return CLI_DONE;
}

static int run_command(const cli_arguments *arguments, void *values) {
    const request *r = values;
    mst_context_desc device = MST_CONTEXT_DESC_INIT;
    mst_error error;
    rank_run run = {.rounds = (int)r->rounds, .peer = r->peer, .apart = r->apart, .active = MPI_COMM_NULL};
    long cores = r->cores > 0 ? (long)r->cores : sysconf(_SC_NPROCESSORS_ONLN);
    hosts_apart = r->apart;
    MPI_Comm_rank(MPI_COMM_WORLD, &run.number);
    MPI_Comm_size(MPI_COMM_WORLD, &run.count);
    run.n_active = cores < run.count ? (int)cores : run.count;
    if (r->rounds < 1 || r->rounds > RANK_MOST_ROUNDS || r->plan < 0 || r->plan > 1 << 20) {
        cli_error(NULL, "--rounds %lld, --plan %lld: give 1 to %d rounds, and up to 2^20 ranks", r->rounds, r->plan,
                  RANK_MOST_ROUNDS);
        return CLI_USAGE;
    }
    int code = check_cases(arguments);
    if (code != CLI_DONE)
        return code;
    MPI_Comm_split(MPI_COMM_WORLD, run.number < run.n_active ? 0 : MPI_UNDEFINED, 0, &run.active);
    device.device = arguments->common.device;
    if (mst_mpi_context_create(MPI_COMM_WORLD, &device, &run.context, &error) != MST_OK)
        return cli_fail(NULL, NULL, &error);
    json_t *all = describe(&run);
    if (measure(&run, arguments, r, all, &error) != MST_OK) {
        fprintf(stderr, "rank-rates: rank %d: %s\n", run.number, error.message);
        MPI_Abort(MPI_COMM_WORLD, CLI_FAILED); // others may be waiting
    }
    if (run.number == 0)
        code = cli_print_json(NULL, cli_json_complete(all, !all));
    else
        json_decref(all);
    mst_context_destroy(run.context);
    return code;
}

static const cli_option options[] = {
    {"rounds", 0, CLI_LONG, offsetof(request, rounds), "how often each is measured, in turns (default: 5)", "N"},
    {"cores", 0, CLI_LONG, offsetof(request, cores), "how many ranks measure links at once (default: those of the host)", "N"},
    {"links", 0, CLI_FLAG, offsetof(request, links), "measure messages and copies to the device, too", NULL},
    {"plan", 0, CLI_LONG, offsetof(request, plan), "only say what transforms by so many ranks would send", "RANKS"},
    {"apart", 0, CLI_FLAG, offsetof(request, apart), "messages of transforms also within a host", NULL},
    {"peer", 0, CLI_FLAG, offsetof(request, peer), "transforms also by FFTW-MPI, if this is built with it", NULL},
};
static const request defaults = {.rounds = 5};
static const cli_command command = {
    .title = "What ranks take, and what the parts take that a model puts together.",
    .synopsis = "[options] CASE...",
    .details = "CASE: fft:256x256x256:slabs (or pencils), complex64, transposed output, or solve:heat2d:2048x2048:200 (steps).\n"
               "Prints JSON. bench/scaling runs it and holds its own model against it.\n"
               "\nExample: four ranks\n  mpiexec -n 4 rank-rates --peer fft:128x128x128:slabs\n",
    .max_operands = CLI_MANY,
    .leave_out = ~(unsigned)CLI_DEVICE,
    .options = options,
    .n_options = CLI_COUNT(options),
    .values_bytes = sizeof(request),
    .defaults = &defaults,
    .run = run_command,
};

int main(int argc, char **argv) {
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    cli_set_program("rank-rates");
    int code = cli_run_command(&command, argc, (const char **)argv);
    MPI_Finalize();
    return code;
}
