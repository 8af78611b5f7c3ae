// The parent's part of mastaba devices --check.
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

char **cli_environment_copy(void) {
    size_t n = 0;
    while (environ[n])
        n++;
    char **copy = calloc(n + 1, sizeof *copy);
    for (size_t i = 0; i < n && copy; i++)
        if (!(copy[i] = strdup(environ[i]))) {
            cli_environment_free(copy);
            copy = NULL;
        }
    return copy;
}

void cli_environment_free(char **environment) {
    for (size_t i = 0; environment && environment[i]; i++)
        free(environment[i]);
    free(environment);
}

// Starts this program again as the child, with the pipe as its descriptor 3.
static int start_child(size_t index, char *const *environment, bool verbose, const int ends[2], pid_t *child) {
    char number[32];
    posix_spawn_file_actions_t actions;
    snprintf(number, sizeof number, "--check-child=%zu", index);
    char *arguments[] = {(char[]){"mastaba"}, (char[]){"devices"}, number, NULL};
    int code = posix_spawn_file_actions_init(&actions);
    if (code != 0)
        return code;
    code = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (code == 0 && !verbose)
        code = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (code == 0)
        code = posix_spawn_file_actions_adddup2(&actions, ends[1], 3);
    if (code == 0)
        code = posix_spawn(child, "/proc/self/exe", &actions, NULL, arguments, environment);
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

// Reads the child's line, up to a deadline. False if none came in time.
static bool read_line(int file, double deadline, char *line, size_t size) {
    size_t used = 0;
    while (used + 1 < size) {
        double left = deadline - cli_now();
        struct pollfd wanted = {.fd = file, .events = POLLIN};
        int ready = left > 0 ? poll(&wanted, 1, (int)(left * 1000) + 1) : 0;
        if (ready < 0 && errno == EINTR)
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

// Waits for the end up to a deadline. False if it did not come.
static bool reap(pid_t child, double deadline, int *status) {
    const struct timespec pause = {0, 2000000};
    for (;;) {
        pid_t ended = waitpid(child, status, WNOHANG);
        if (ended == child)
            return true;
        if ((ended < 0 && errno != EINTR) || cli_now() > deadline)
            return false;
        nanosleep(&pause, NULL);
    }
}

static void judge(const char *line, int status, cli_check *check) {
    int ok = 0, used = 0;
    bool reported = sscanf(line, "%d %lf %lf %n", &ok, &check->seconds, &check->copy_rate, &used) == 3 && used > 0;
    check->ok = false;
    if (WIFSIGNALED(status))
        snprintf(check->problem, sizeof check->problem, "the driver crashed%s (signal %d, %s)", reported ? " while closing" : "",
                 WTERMSIG(status), strsignal(WTERMSIG(status)));
    else if (!reported)
        snprintf(check->problem, sizeof check->problem, "the driver ended the program (exit code %d)", WEXITSTATUS(status));
    else if (!ok)
        snprintf(check->problem, sizeof check->problem, "%s", line + used);
    else if (WEXITSTATUS(status) != 0)
        snprintf(check->problem, sizeof check->problem, "passed, but the driver ended the program with exit code %d",
                 WEXITSTATUS(status));
    else
        check->ok = true;
}

void cli_check_device(size_t index, char *const *environment, int timeout, bool verbose, cli_check *check) {
    int ends[2], status = 0;
    pid_t child;
    char line[1024] = "";
    memset(check, 0, sizeof *check);
    int code = pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno;
    if (code == 0) {
        code = start_child(index, environment, verbose, ends, &child);
        close(ends[1]);
        if (code != 0)
            close(ends[0]);
    }
    if (code != 0) {
        snprintf(check->problem, sizeof check->problem, "cannot start a process for the check: %s", strerror(code));
        return;
    }
    double deadline = cli_now() + timeout;
    bool in_time = read_line(ends[0], deadline, line, sizeof line) && reap(child, deadline, &status);
    close(ends[0]);
    if (in_time) {
        judge(line, status, check);
        return;
    }
    kill(child, SIGKILL);
    bool ended = reap(child, cli_now() + 2, &status);
    snprintf(check->problem, sizeof check->problem, "the driver hangs: no answer in %d s%s", timeout,
             ended ? "" : ", and its process cannot be ended");
}
