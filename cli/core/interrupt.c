// Ctrl-C: signals set a flag that the progress callback reads, so that work stops between blocks and cleans up.
#include "interrupt.h"

#include "clock.h"
#include "count.h"
#include "report.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_bool interrupted;

// A driver may hang, so a second signal ends the program where it stands; one that comes at once is the same request,
// sent to the process and to its group, as timeout(1) does.
static void *wait_for_signals(void *user) {
    const sigset_t *signals = user;
    double first = 0;
    int number;
    while (sigwait(signals, &number) == 0) {
        if (interrupted && cli_now() > first + 1)
            _exit(CLI_INTERRUPTED);
        if (!interrupted)
            first = cli_now();
        interrupted = true;
    }
    return NULL;
}

// There are no handlers, since LLVM, in PoCL and other drivers, puts its own in their place. Signals that every thread blocks
// reach only the thread that waits for them. The threads of the driver start later and inherit the mask.
void cli_catch_interrupts(void) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    static sigset_t signals;
    struct sigaction ignore = {.sa_handler = SIG_IGN}, old;
    pthread_t thread;
    sigemptyset(&signals);
    for (size_t i = 0; i < CLI_COUNT(numbers); i++) // one that is ignored stays so: nohup, background jobs
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaddset(&signals, numbers[i]);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    if (pthread_create(&thread, NULL, wait_for_signals, &signals) == 0)
        pthread_detach(thread);
    else
        pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
    sigaction(SIGPIPE, &ignore, NULL);
    sigaction(SIGXFSZ, &ignore, NULL);
}

bool cli_interrupted(void) { return interrupted; }
