// A question to a process of its own, so that a driver that crashes or hangs is an answer, too: this program runs again with
// other arguments, and writes a line to descriptor 3.
#ifndef MASTABA_CLI_CHILD_H
#define MASTABA_CLI_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

typedef struct child_answer {
    bool ok;
    int code;        // its exit code, where it answered
    char text[1024]; // what the child says; if not ok, the problem
} child_answer;

// A copy of this process's environment, for the children; NULL if out of memory. To be taken before the first call of OpenCL:
// Khronos's loader cuts OCL_ICD_FILENAMES up in place, so that a child would see only the first of its drivers.
char **child_environment_copy(void);
void child_environment_free(char **environment);

typedef struct child {
    pid_t process;
    int answer; // descriptor
    int failed; // an errno value: it could not be started
    int timeout;
    double deadline;
} child;

// Runs this program with the arguments, argv[0] among them and NULL last. With `verbose` what the driver prints on stderr is
// shown. The second, which follows in any case, waits for its answer, at most so many seconds from the start on. An interrupt of
// this program ends the child, and its answer means nothing then.
child child_start(char *const *arguments, char *const *environment, int timeout, bool verbose);
void child_finish(child *c, child_answer *answer);

// The child's side: first of all, and its answer, which returns the exit code.
void child_begin(void);
int child_end(bool ok, const char *text);

#endif
