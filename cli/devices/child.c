#include "child.h"

#include "core/clock.h"
#include "core/interrupt.h"
#include "core/report.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ANSWER_DESCRIPTOR = 3 };

char **child_environment_copy(void) {
    size_t n = 0;
    while (environ[n])
        n++;
    char **copy = calloc(n + 1, sizeof *copy);
    for (size_t i = 0; i < n && copy; i++)
        if (!(copy[i] = strdup(environ[i]))) {
            child_environment_free(copy);
            copy = NULL;
        }
    return copy;
}

void child_environment_free(char **environment) {
    for (size_t i = 0; environment && environment[i]; i++)
        free(environment[i]);
    free(environment);
}

// Starts this program again, with the pipe as its descriptor 3.
static int start(char *const *arguments, char *const *environment, bool verbose, const int ends[2], pid_t *process) {
    posix_spawn_file_actions_t actions;
    int code = posix_spawn_file_actions_init(&actions);
    if (code != 0)
        return code;
    code = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (code == 0 && !verbose)
        code = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (code == 0)
        code = posix_spawn_file_actions_adddup2(&actions, ends[1], ANSWER_DESCRIPTOR);
    if (code == 0)
        code = posix_spawn(process, "/proc/self/exe", &actions, NULL, arguments, environment);
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

// Reads the child's line, up to a deadline, and what had come by then also after it. False if none came in time, or the program
// was interrupted.
static bool read_line(int file, double deadline, char *line, size_t size) {
    size_t used = 0;
    while (used + 1 < size) {
        double left = deadline - cli_now();
        struct pollfd wanted = {.fd = file, .events = POLLIN};
        int ready = poll(&wanted, 1, left > 0.1 ? 100 : left > 0 ? (int)(left * 1000) + 1 : 0);
        if (cli_interrupted())
            return false;
        if ((ready < 0 && errno == EINTR) || (ready == 0 && left > 0))
            continue;
        if (ready <= 0)
            return false;
        ssize_t n = read(file, line + used, size - 1 - used);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        used += (size_t)n;
        if (line[used - 1] == '\n')
            break;
    }
    line[used] = '\0';
    line[strcspn(line, "\n")] = '\0';
    return true;
}

// Waits for the end up to a deadline or, if that `stops` it, an interrupt. False if it did not come.
static bool reap(pid_t process, double deadline, bool stops, int *status) {
    const struct timespec pause = {0, 2000000};
    for (;;) {
        pid_t ended = waitpid(process, status, WNOHANG);
        if (ended == process)
            return true;
        if ((ended < 0 && errno != EINTR) || cli_now() > deadline || (stops && cli_interrupted()))
            return false;
        nanosleep(&pause, NULL);
    }
}

// What the child's line and its end say: "1 TEXT" of success, "0 TEXT" of a problem.
static void judge(const char *line, int status, child_answer *answer) {
    bool reported = (line[0] == '0' || line[0] == '1') && line[1] == ' ';
    answer->ok = false;
    answer->code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    if (WIFSIGNALED(status))
        snprintf(answer->text, sizeof answer->text, "the driver crashed%s (signal %d, %s)", reported ? " while closing" : "",
                 WTERMSIG(status), strsignal(WTERMSIG(status)));
    else if (!reported)
        snprintf(answer->text, sizeof answer->text, "the driver ended the program (exit code %d)", WEXITSTATUS(status));
    else if (line[0] == '1' && WEXITSTATUS(status) != 0)
        snprintf(answer->text, sizeof answer->text, "passed, but the driver ended the program with exit code %d",
                 WEXITSTATUS(status));
    else {
        answer->ok = line[0] == '1';
        snprintf(answer->text, sizeof answer->text, "%s", line + 2);
    }
}

// What else a silence may mean: processes that wait for a processor, by far more than there are of these.
static void add_load(char *text, size_t size) {
    double load = 0;
    const long n = sysconf(_SC_NPROCESSORS_ONLN);
    const size_t used = strlen(text);
    if (getloadavg(&load, 1) == 1 && load > 2 * (double)n)
        snprintf(text + used, size - used,
                 "; or processors are too busy, with a load of %.0f on %ld: try again when they are not", load, n);
}

child child_start(char *const *arguments, char *const *environment, int timeout, bool verbose) {
    child c = {.timeout = timeout, .answer = -1};
    int ends[2];
    c.failed = pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno;
    if (c.failed)
        return c;
    c.failed = start(arguments, environment, verbose, ends, &c.process);
    close(ends[1]);
    if (c.failed)
        close(ends[0]);
    else
        c.answer = ends[0];
    c.deadline = cli_now() + timeout;
    return c;
}

void child_finish(child *c, child_answer *answer) {
    int status = 0;
    char line[sizeof answer->text + 2] = "";
    memset(answer, 0, sizeof *answer);
    if (c->failed) {
        snprintf(answer->text, sizeof answer->text, "cannot start a process: %s", strerror(c->failed));
        return;
    }
    bool in_time = read_line(c->answer, c->deadline, line, sizeof line) && reap(c->process, c->deadline, true, &status);
    close(c->answer);
    if (in_time) {
        judge(line, status, answer);
        return;
    }
    kill(c->process, SIGKILL);
    bool ended = reap(c->process, cli_now() + 2, false, &status);
    snprintf(answer->text, sizeof answer->text, "the driver hangs: no answer in %d s%s", c->timeout,
             ended ? "" : ", and its process cannot be ended");
    add_load(answer->text, sizeof answer->text);
}

void child_begin(void) {
    struct pollfd reader = {.fd = ANSWER_DESCRIPTOR};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (poll(&reader, 1, 0) == 1 && (reader.revents & POLLERR))
        _exit(CLI_INTERRUPTED);                    // whoever asked ended before that
    fcntl(ANSWER_DESCRIPTOR, F_SETFD, FD_CLOEXEC); // a compiler that the driver starts is not to hold it open
}

int child_end(bool ok, const char *text) {
    FILE *out = fdopen(ANSWER_DESCRIPTOR, "w");
    if (!out)
        return CLI_INPUT_OUTPUT;
    fprintf(out, "%d %s\n", ok, text);
    return fclose(out) == 0 ? CLI_DONE : CLI_INPUT_OUTPUT;
}
