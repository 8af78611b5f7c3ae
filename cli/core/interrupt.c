// Ctrl-C: signals set a flag that the progress callback reads, so that work stops between blocks and cleans up. Compilers and
// drivers read no flag, so the thread that waits for signals ends the program if it has not ended by itself.
#include "interrupt.h"

#include "clock.h"
#include "count.h"
#include "report.h"

#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double GRACE = 0.8; // seconds that a command has to end by itself
static const double SAME = 0.1;  // a signal so soon is the same request, sent to the process and to its group, as timeout(1) does

static atomic_bool interrupted, over;
static _Atomic(const char *) held; // what an interrupted command still does, NULL: it ends
static atomic_bool held_firmly;
static atomic_ullong released; // milliseconds, when that was last so
static const char *command;    // for messages; NULL in a program of one command
static sem_t waiting;          // posted by the thread that waits for signals once it has started

static unsigned long long milliseconds(void) { return (unsigned long long)(cli_now() * 1000); }

// Not by stdio, whose lock a thread that waits for a reader may hold.
static void say(const char *what, const char *more) {
    char line[PATH_MAX + 200];
    const char *wipe = isatty(STDERR_FILENO) ? "\r\033[K" : "";
    struct pollfd out = {.fd = STDERR_FILENO, .events = POLLOUT};
    const char *blank = command ? " " : "", *name = command ? command : "";
    int length = snprintf(line, sizeof line, "%s%s%s%s: %s%s\n", wipe, cli_program(), blank, name, what, more);
    length = length < (int)sizeof line ? length : (int)sizeof line - 1;
    if (poll(&out, 1, 100) == 1 && write(STDERR_FILENO, line, (size_t)length) < 0)
        return; // nobody can be told
}

// The names that the program and the library give to files that are not whole yet: outputs, cached kernels, results of tuning.
static bool is_temporary(const char *path) {
    char exported[32];
    snprintf(exported, sizeof exported, "*.%ld-*", (long)getpid());
    const char *const patterns[] = {".mastaba-*", "????????????????????????????????.bin.*", "*.json.new", exported};
    const char *slash = strrchr(path, '/');
    for (size_t i = 0; slash && i < CLI_COUNT(patterns); i++)
        if (fnmatch(patterns[i], slash + 1, 0) == 0)
            return true;
    return false;
}

static bool is_written(int file) {
    const int flags = fcntl(file, F_GETFL);
    return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
}

// Removes the temporary files that are open for writing, whoever opened them.
static void remove_temporaries(void) {
    static const char directory[] = "/proc/self/fd";
    DIR *open = opendir(directory);
    const struct dirent *entry;
    while (open && (entry = readdir(open))) {
        char link[sizeof directory + sizeof entry->d_name], path[PATH_MAX];
        snprintf(link, sizeof link, "%s/%s", directory, entry->d_name);
        ssize_t length = readlink(link, path, sizeof path - 1);
        path[length > 0 ? length : 0] = '\0';
        if (is_temporary(path) && is_written(atoi(entry->d_name)))
            unlink(path);
    }
}

static void leave(bool silent) {
    remove_temporaries();
    if (!silent)
        say("interrupted; files that were not whole yet are removed", "");
    _exit(CLI_INTERRUPTED);
}

// After the first signal. The program's own end ends this, too.
static void count_down(const sigset_t *signals) {
    const double first = cli_now();
    const struct timespec pause = {0, 20000000};
    const char *promise = held;
    if (promise)
        say("interrupted; ", promise);
    const unsigned said = cli_errors();
    for (;;) {
        int signal = sigtimedwait(signals, NULL, &pause);
        const double now = cli_now(), free_since = held ? now : (double)released / 1000;
        if ((signal > 0 && now > first + SAME && !(held && held_firmly)) ||
            now > (free_since > first ? free_since : first) + GRACE)
            leave(over || cli_errors() != said);
    }
}

static void *wait_for_signals(void *user) {
    const sigset_t *signals = user;
    int number;
    sem_post(&waiting);
    while (sigwait(signals, &number) != 0)
        ;
    interrupted = true;
    count_down(signals);
    return NULL;
}

static void *wait_to_leave(void *user) {
    int number;
    sem_post(&waiting);
    while (sigwait(user, &number) != 0)
        ;
    leave(true);
    return NULL;
}

static sigset_t signals; // that are waited for

// In a thread of its own, which has started when this returns: the program may fork, and what a thread that is starting holds
// (the lock of a sanitizer's allocator) nobody would release in the child.
static void wait_in(void *(*body)(void *)) {
    pthread_t thread;
    sem_init(&waiting, 0, 0);
    if (pthread_create(&thread, NULL, body, &signals) == 0) {
        pthread_detach(thread);
        while (sem_wait(&waiting) != 0) // interrupted by a signal that is not waited for
            ;
    } else {
        pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
    }
}

void cli_leave_on_interrupts(void) { wait_in(wait_to_leave); }

// There are no handlers, since LLVM, in PoCL and other drivers, puts its own in their place. Signals that every thread blocks
// reach only the thread that waits for them. The threads of the driver start later and inherit the mask.
void cli_block_interrupts(void) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction old;
    sigemptyset(&signals);
    for (size_t i = 0; i < CLI_COUNT(numbers); i++) // one that is ignored stays so: nohup, background jobs
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaddset(&signals, numbers[i]);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
}

void cli_catch_interrupts(const char *name) {
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    command = name;
    cli_block_interrupts();
    wait_in(wait_for_signals);
    sigaction(SIGPIPE, &ignore, NULL);
    // LLVM has a handler for this one, too, but not where it is blocked.
    sigset_t too_large;
    sigemptyset(&too_large);
    sigaddset(&too_large, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &too_large, NULL);
}

bool cli_interrupted(void) { return interrupted; }

void cli_end_interrupts(void) { over = true; }

void cli_hold_interrupts(const char *promise, bool firmly) {
    held_firmly = firmly;
    held = promise;
}

void cli_release_interrupts(void) {
    released = milliseconds();
    held = NULL;
}
