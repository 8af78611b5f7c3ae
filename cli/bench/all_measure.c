// Measures the parts in a process of its own, which is ended where it stands when a part's time is up: between two measurements a
// part sees the time itself, but a compiler or a driver may be busy for as long as other work on the machine makes it. What was
// measured by then is in memory that both processes share, and another process goes on with the next part.
#include "all.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const double SHARED_OUT = 0.9; // of what is left, so that the last part, too, may end what it has begun
static const double OVERTIME = 0.25;  // of the time of those after it, in which a part may do so
static const double GRACE = 0.5;      // seconds that a process has to leave, and then to be gone

static void *share(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

all_bench *all_open(void) {
    all_bench *bench = share(sizeof *bench);
    bool whole = bench;
    for (int k = 0; k < ALL_N_PARTS && whole; k++)
        whole = (bench->parts[k].run = share(all_benchmarks[k]->result_bytes));
    if (whole)
        return bench;
    all_close(bench);
    return NULL;
}

void all_close(all_bench *bench) {
    for (int k = 0; bench && k < ALL_N_PARTS; k++)
        if (bench->parts[k].run)
            munmap(bench->parts[k].run, all_benchmarks[k]->result_bytes);
    if (bench)
        munmap(bench, sizeof *bench);
}

// ---- The process that measures

// Every part gets its share of what is left; what one leaves over is the others'.
static void begin(all_bench *bench, int k) {
    all_part *part = &bench->parts[k];
    double weights = 0;
    for (int i = k; i < ALL_N_PARTS; i++)
        weights += all_benchmarks[i]->weight;
    part->begun = cli_now();
    memset(part->run, 0, all_benchmarks[k]->result_bytes); // of a process that was stopped in it too soon
    *part->run = bench->run;
    part->run->until = part->begun + SHARED_OUT * fmax(bench->end - part->begun, 0) * all_benchmarks[k]->weight / weights;
    part->deadline = k == ALL_N_PARTS - 1 ? bench->end : part->run->until + OVERTIME * (bench->end - part->run->until);
    all_benchmarks[k]->choose_within(bench->quick, part->run);
    bench->begun = k + 1;
}

static void measure(all_bench *bench, int k) {
    const benchmark *b = all_benchmarks[k];
    all_part *part = &bench->parts[k];
    begin(bench, k);
    int code = b->measure(part->run);
    if (code == CLI_DONE && b->check)
        code = b->check(part->run);
    if (code)
        snprintf(part->message, sizeof part->message, "%s", cli_last_error());
    part->code = code;
    part->seconds = cli_now() - part->begun;
    bench->ended = k + 1;
}

static int work(all_bench *bench, int first) {
    memset(bench->run.contexts, 0, sizeof bench->run.contexts); // those of the process before
    int code = bench_open(1 << BENCH_PLAIN | 1 << BENCH_PROFILED, &bench->run);
    if (code == CLI_DONE && !bench->opened) {
        bench->device = *bench->run.device;
        bench->end = cli_now() + bench->budget;
        bench->opened = true;
    }
    bench->run.device = &bench->device;
    for (int k = first; k < ALL_N_PARTS && code == CLI_DONE; k++)
        measure(bench, k);
    bench_close(&bench->run);
    return code;
}

static pid_t start(all_bench *bench, int first) {
    const pid_t parent = getpid();
    fflush(stdout);
    const pid_t worker = fork();
    if (worker != 0)
        return worker;
    cli_leave_on_interrupts();
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(CLI_INTERRUPTED);
    close(fileno(bench->file.file)); // the page is the other process's
    _exit(work(bench, first));
}

// ---- The process that waits for it

static bool reap(pid_t worker, double deadline, int *status) {
    const struct timespec pause = {0, 2000000};
    for (;;) {
        const pid_t ended = waitpid(worker, status, WNOHANG);
        if (ended == worker || (ended < 0 && errno != EINTR))
            return true;
        if (cli_now() > deadline)
            return false;
        nanosleep(&pause, NULL);
    }
}

static void stop(pid_t worker) {
    int status;
    kill(worker, SIGTERM);
    if (reap(worker, cli_now() + GRACE, &status))
        return;
    kill(worker, SIGKILL);
    reap(worker, cli_now() + GRACE, &status);
}

const char *all_left_out(const all_bench *bench, int part, char text[64]) {
    int done, wanted;
    text[0] = '\0';
    all_benchmarks[part]->count(bench->parts[part].run, &done, &wanted);
    if (bench->parts[part].run->cut_short)
        snprintf(text, 64, ", enough for %d of %d measurements", done, wanted);
    return text;
}

static void tell(const all_bench *bench, int k) {
    char text[64];
    if (!bench->run.options->json)
        printf("%-13s %6.1f s%s%s\n", all_benchmarks[k]->name, bench->parts[k].seconds, all_left_out(bench, k, text),
               bench->parts[k].code ? ", failed" : "");
    fflush(stdout);
}

// The part that did not end: its time was up, or its process ended of itself, with a status.
static void leave_out(all_bench *bench, int k, bool late, int status) {
    all_part *part = &bench->parts[k];
    if (bench->begun <= k)
        begin(bench, k);
    part->seconds = cli_now() - part->begun;
    part->run->cut_short = late;
    if (!late) {
        part->code = CLI_FAILED;
        snprintf(part->message, sizeof part->message, "its process ended: %s",
                 WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "the driver called exit");
        cli_error(bench->run.command, "%s: %s", all_benchmarks[k]->name, part->message);
    }
    bench->ended = k + 1;
}

// Whether the part that is being measured has to end.
static bool is_late(const all_bench *bench) {
    const int begun = bench->begun, ended = bench->ended; // in this order: a part that ends meanwhile is not late
    return cli_now() > (begun > ended ? bench->parts[begun - 1].deadline : bench->end);
}

// Waits for a process that measures from a part on, until all is measured or one part's time is up; tells of those that ended.
static int wait_for(all_bench *bench, pid_t worker, int first) {
    int status = 0, told = first;
    bool gone = false, late = false;
    while (!gone && !late) {
        gone = reap(worker, cli_now() + 0.01, &status);
        if (!gone && cli_interrupted()) {
            stop(worker);
            return cli_fail_interrupted(bench->run.command);
        }
        late = !gone && bench->opened && is_late(bench);
        if (late)
            stop(worker);
        for (; told < bench->ended; told++)
            tell(bench, told);
    }
    if (gone && !bench->opened)
        return WIFEXITED(status) && WEXITSTATUS(status) ? WEXITSTATUS(status) : CLI_FAILED;
    if (told < ALL_N_PARTS && (gone || is_late(bench))) {
        leave_out(bench, told, late, status);
        tell(bench, told);
    }
    return CLI_DONE;
}

int all_measure(all_bench *bench) {
    const double start_time = cli_now();
    int code = CLI_DONE;
    while (bench->ended < ALL_N_PARTS && code == CLI_DONE) {
        const int next = bench->ended;
        if (bench->opened && cli_now() > bench->end) {
            leave_out(bench, next, true, 0);
            tell(bench, next);
            continue;
        }
        const pid_t worker = start(bench, next);
        if (worker < 0) {
            cli_error(bench->run.command, "cannot start a process: %s", strerror(errno));
            return CLI_FAILED;
        }
        code = wait_for(bench, worker, next);
    }
    bench->seconds = cli_now() - start_time;
    return code;
}
