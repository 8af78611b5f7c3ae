#include "ranks.h"

#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { MOST_LETTERS = 600, MOST_SECONDS = 600, LONGEST_WATCH = 100000000 };

// Of the process, as MPI itself is.
static int number, count, spoken = STDERR_FILENO;
static double timeout;

static void be_silent(void) {
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    spoken = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    if (nowhere < 0)
        return;
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    close(nowhere);
}

int ranks_number(void) { return number; }
int ranks_count(void) { return count; }

// What SIGALRM prints before it ends the rank, and mpiexec with it the job.
static char last_words[300];

static void on_alarm(int signal) {
    (void)signal;
    ssize_t written = write(spoken, last_words, strlen(last_words));
    _exit(written < 0 ? CLI_INPUT_OUTPUT : CLI_FAILED);
}

// Whoever comes first speaks; the others are gone by then. 0: never.
static void set_alarm(double seconds) {
    double after = seconds > 0 ? fmax(seconds, 1e-3) + 0.2 * number : 0;
    struct itimerval timer = {.it_value = {(time_t)after, (suseconds_t)(1e6 * (after - floor(after)))}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

void ranks_watch(const char *command, double seconds) {
    timeout = seconds;
    snprintf(last_words, sizeof last_words,
             "%s %s: rank %d waited %g s for others, and ends the job; if they only need longer, give a longer --timeout\n",
             cli_program(), command, number, timeout);
    signal(SIGALRM, on_alarm);
    set_alarm(timeout);
}

void ranks_pause_watch(void) { set_alarm(0); }

void ranks_give_up(void) {
    set_alarm(1e-3);
    for (;;)
        pause();
}

// One that only yields takes half of a core from a rank that works on it; so it soon sleeps.
static void wait_for(MPI_Request *request) {
    static const double spun = 5e-5;
    static const struct timespec nap = {.tv_nsec = 200000};
    const double began = MPI_Wtime();
    int done;
    set_alarm(timeout);
    for (MPI_Test(request, &done, MPI_STATUS_IGNORE); !done; MPI_Test(request, &done, MPI_STATUS_IGNORE))
        if (MPI_Wtime() - began < spun)
            sched_yield();
        else
            nanosleep(&nap, NULL);
    set_alarm(timeout);
}

// A round, in which each rank says whether it works still; the next one begins when all have. So all have the same number of
// them: until nobody does.
static struct {
    MPI_Request request;
    int mine, any;
    double began;
} work = {.request = MPI_REQUEST_NULL};

static void begin_round(int works) {
    work.mine = works;
    work.began = MPI_Wtime();
    MPI_Iallreduce(&work.mine, &work.any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &work.request);
}

void ranks_go_on(void) {
    static const double often = 0.2; // seconds, and a part of the timeout
    int done;
    if (count == 1 || MPI_Wtime() - work.began < fmin(often, timeout > 0 ? often * timeout : often))
        return;
    MPI_Test(&work.request, &done, MPI_STATUS_IGNORE);
    if (done)
        begin_round(1);
}

static int agree(const char *command, int code) {
    int failing = code == CLI_DONE ? count : number, first = 0;
    struct {
        int code;
        char text[MOST_LETTERS];
    } told = {.code = code};
    MPI_Request request;
    MPI_Iallreduce(&failing, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD, &request);
    wait_for(&request);
    if (first == count)
        return CLI_DONE;
    if (number == first)
        snprintf(told.text, sizeof told.text, "%s", cli_last_error());
    MPI_Ibcast(&told, (int)sizeof told, MPI_BYTE, first, MPI_COMM_WORLD, &request);
    wait_for(&request);
    if (number == 0 && first > 0)
        cli_error(command, "rank %d: %s", first, told.text);
    return told.code;
}

int ranks_meet(const char *command, int code) {
    if (work.request != MPI_REQUEST_NULL)
        wait_for(&work.request);
    do {
        begin_round(0);
        wait_for(&work.request);
    } while (work.any);
    return cli_agree(command, code);
}

static void tell(void *data, size_t bytes, int from) {
    MPI_Request request;
    MPI_Ibcast(data, (int)bytes, MPI_BYTE, from, MPI_COMM_WORLD, &request);
    wait_for(&request);
}

void ranks_collect(void *data, size_t bytes, int from) {
    enum { MOST_BYTES = 1 << 30 }; // of one message
    MPI_Request request;
    if (from == 0 || (number != from && number != 0))
        return;
    for (size_t at = 0; at < bytes; at += MOST_BYTES) {
        const int n = (int)(bytes - at < MOST_BYTES ? bytes - at : MOST_BYTES);
        if (number == from)
            MPI_Isend((char *)data + at, n, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request);
        else
            MPI_Irecv((char *)data + at, n, MPI_BYTE, from, 0, MPI_COMM_WORLD, &request);
        wait_for(&request);
    }
}

static void sum(uint64_t *values, size_t n) {
    MPI_Request request;
    MPI_Iallreduce(MPI_IN_PLACE, values, (int)n, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD, &request);
    wait_for(&request);
}

static bool same(uint64_t value) {
    uint64_t both[2] = {value, ~value}, least[2];
    MPI_Request request;
    MPI_Iallreduce(both, least, 2, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD, &request);
    wait_for(&request);
    return least[0] == ~least[1];
}

static mst_status create(const mst_context_desc *desc, mst_context **out, mst_error *error) {
    set_alarm(timeout);
    return mst_mpi_context_create(MPI_COMM_WORLD, desc, out, error);
}

static int watch(const char *command, double seconds) {
    if (seconds >= 0 && seconds <= LONGEST_WATCH) {
        ranks_watch(command, seconds);
        return CLI_DONE;
    }
    cli_error(command, "--timeout %g: give seconds up to %d, or 0 for none", seconds, LONGEST_WATCH);
    return CLI_USAGE;
}

static cli_team team = {.agree = agree,
                        .same = same,
                        .tell = tell,
                        .sum = sum,
                        .create = create,
                        .watch = watch,
                        .pause = ranks_pause_watch,
                        .go_on = ranks_go_on,
                        .meet = ranks_meet,
                        .convolve = ranks_convolve,
                        .filter = ranks_filter,
                        .filter_part = ranks_filter_part,
                        .filter_plan = ranks_filter_plan};

void ranks_describe(void) { cli_set_team(&team); }

bool ranks_begin(int *argc, char ***argv) {
    int provided;
    ranks_watch("", MOST_SECONDS); // for those that never come
    if (MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS || provided < MPI_THREAD_FUNNELED)
        return false;
    MPI_Comm_rank(MPI_COMM_WORLD, &number);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    team.number = number;
    team.count = count;
    cli_set_team(&team);
    if (number > 0)
        be_silent();
    return true;
}

// All have agreed, so that nobody is waited for but MPI, which may take longer than ranks give one another.
void ranks_end(void) {
    ranks_watch("", timeout > 0 ? MOST_SECONDS : 0);
    cli_end_interrupts(); // mpiexec ends ranks that are later than the first one that failed
    MPI_Finalize();
}
