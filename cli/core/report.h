// Messages and exit codes.
#ifndef MASTABA_CLI_REPORT_H
#define MASTABA_CLI_REPORT_H

#include <mastaba/mastaba.h>

// Exit codes of the program.
enum {
    CLI_DONE = 0,
    CLI_FAILED = 1,       // the work failed: too little memory, a driver's error, a missing feature
    CLI_USAGE = 2,        // an option or operand that the command does not take
    CLI_NO_DEVICE = 3,    // no OpenCL platform or device, or none that --device means
    CLI_INPUT_OUTPUT = 4, // a file could not be read or written, is damaged, or holds data of the wrong shape
    CLI_TOLERANCE = 5,    // a result missed the accuracy asked for
    CLI_DIVERGED = 6,     // a field of a scheme became infinite or NaN
    CLI_INTERRUPTED = 130 // SIGINT, SIGTERM or SIGHUP
};

// Prints prefix and text as one line on stderr. What might steer a terminal becomes '?': control characters, of 8 bits too, and
// bytes that are not UTF-8. Names of files may contain them.
void cli_print_line(const char *prefix, char *text);

// What messages begin with in place of "mastaba": for other programs with this command line.
void cli_set_program(const char *name);
const char *cli_program(void);

// Prints "mastaba COMMAND: MESSAGE" as one line on stderr, control characters replaced. command may be NULL.
void cli_error(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Prints "OPTION TEXT: MESSAGE"; returns CLI_USAGE.
int cli_wrong_option(const char *command, const char *option, const char *text, const char *message);

// Says that there is no memory, for `what` if that is not NULL; returns CLI_FAILED.
int cli_out_of_memory(const char *command, const char *what);

// Messages that cli_error has printed so far, in all threads.
unsigned cli_errors(void);

// The message of the last cli_error of any thread, "" before the first, for reports that go elsewhere as well. No other thread
// may fail meanwhile.
const char *cli_last_error(void);

// Prints a library's error, after "SUBJECT: " if subject is not NULL, and returns the exit code that belongs to it.
int cli_fail(const char *command, const char *subject, const mst_error *error);

// The same where the arguments came from the input: an MST_ERROR_ARGUMENT ends with CLI_INPUT_OUTPUT, not CLI_USAGE.
int cli_fail_input(const char *command, const char *subject, const mst_error *error);

// Says that the work was interrupted; returns CLI_INTERRUPTED.
int cli_fail_interrupted(const char *command);

// Flushes stdout and checks it: a full disk or closed pipe is an error, reported here. Returns an exit code.
int cli_flush(const char *command);

#endif
