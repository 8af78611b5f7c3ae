// What the commands of the program share. A command is one function in cmd_NAME.c of the room it belongs to; main.c lists them.
#ifndef MASTABA_CLI_H
#define MASTABA_CLI_H

#include <jansson.h>
#include <limits.h>
#include <mastaba/mastaba.h>
#include <popt.h>
#include <stdio.h>

// Exit codes of the program.
enum {
    CLI_DONE = 0,
    CLI_FAILED = 1,       // the work failed: too little memory, a driver's error, a missing feature
    CLI_USAGE = 2,        // an option or operand that the command does not take
    CLI_NO_DEVICE = 3,    // no OpenCL platform or device, or none that --device means
    CLI_INPUT_OUTPUT = 4, // a file could not be read or written, is damaged, or holds data of the wrong shape
    CLI_TOLERANCE = 5,    // a result missed the accuracy asked for
    CLI_INTERRUPTED = 130 // SIGINT, SIGTERM or SIGHUP
};

// The commands. argv[0] is the command's name. Each returns an exit code.
int cmd_devices(int argc, const char **argv);
int cmd_fft(int argc, const char **argv);
int cmd_convolve(int argc, const char **argv);
int cmd_map(int argc, const char **argv);
int cmd_filter(int argc, const char **argv);
int cmd_integrate(int argc, const char **argv);
int cmd_solve(int argc, const char **argv);
int cmd_tune(int argc, const char **argv);
int cmd_bench(int argc, const char **argv);

// ---- options.c: the command line

// The options that commands share, in groups that a command can leave out.
enum { CLI_DEVICE = 1, CLI_MEMORY = 2, CLI_NO_CACHE = 4, CLI_FORCE = 8, CLI_JSON = 16, CLI_VERBOSE = 32 };

typedef struct cli_options {
    char *device;                        // NULL: MASTABA_DEVICE, else the default
    uint64_t device_memory, host_memory; // 0: the library's default
    int no_cache, force, json, verbose;  // 0 or 1
    char *device_memory_text, *host_memory_text;
} cli_options;

enum { CLI_MANY = INT_MAX }; // operands without limit

typedef struct cli_usage {
    const char *command;              // "convolve"
    const char *synopsis;             // "X Y -o Z [options]"
    const char *summary;              // one line, as `mastaba --help` has it
    const char *details;              // printed after the options: what is done, and an example; ends with a newline
    unsigned leave_out;               // groups of shared options that would do nothing here; 0: the command has them all
    const struct poptOption *options; // the command's own, ending in POPT_TABLEEND
    int min_operands, max_operands;
} cli_usage;

// What cli_parse read. The operands are NULL after the last one.
typedef struct cli_arguments {
    cli_options common;
    const char **operands;
    int n_operands;
    poptContext popt; // owns the operands' text
} cli_arguments;

// Parses a command line, options before or after operands. Returns false if the command is to end with *exit_code: --help was
// printed, or an error. cli_free follows in any case. String options in usage->options are malloc'ed and the command's.
bool cli_parse(const cli_usage *usage, int argc, const char **argv, cli_arguments *arguments, int *exit_code);
void cli_free(cli_arguments *arguments);

// Bytes in "4096", "512M", "1.5GiB" (powers of 1024) or "64KB" (of 1000: KB MB GB TB), in any case. False if it is no size.
bool cli_size(const char *text, uint64_t *bytes);

// The numbers of --axes, as in "-2,-1": at most `most`. Returns CLI_DONE, or CLI_USAGE after printing the error.
int cli_axes(const char *command, const char *text, int most, int *axes, int *n_axes);

// ---- report.c: messages, results, exit codes

// Prints "mastaba COMMAND: MESSAGE" as one line on stderr, control characters replaced. command may be NULL.
void cli_error(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

// The message of this thread's last cli_error, "" before the first, for reports that go elsewhere as well.
const char *cli_last_error(void);

// Prints a library's error, after "SUBJECT: " if subject is not NULL, and returns the exit code that belongs to it.
int cli_fail(const char *command, const char *subject, const mst_error *error);

// The same where the arguments came from the input: an MST_ERROR_ARGUMENT ends with CLI_INPUT_OUTPUT, not CLI_USAGE.
int cli_fail_input(const char *command, const char *subject, const mst_error *error);

// Makes a context as the options ask. Returns CLI_DONE, or an exit code after printing the error. With --verbose the
// library's log goes to stderr, else only its warnings. `profile`: mst_report gets the times of upload, compute and download.
int cli_context(const char *command, const cli_options *options, bool profile, mst_context **out);

// Prints an object or array on stdout and drops the reference. object NULL: out of memory. Returns an exit code.
int cli_print_json(const char *command, json_t *object);
int cli_print_json_digits(const char *command, json_t *object, unsigned digits); // instead of 9 significant ones

// A number for JSON: null for NaN and infinity, which JSON cannot express.
json_t *cli_json_real(double value);

// Bytes of the character in UTF-8 that stands there, 0 if none does: names of drivers and files may be anything.
size_t cli_utf8_length(const char *text);

// Text for JSON: what is not UTF-8, as a file's name may not be, becomes '?'.
json_t *cli_json_text(const char *text);

// Flushes stdout and checks it: a full disk or closed pipe is an error, reported here. Returns an exit code.
int cli_flush(const char *command);

// "1.50 GiB" in text (at least 32 bytes); returns text.
char *cli_size_text(uint64_t bytes, char *text);

// "1.50 s", "20.1 ms" or "7 us" in text (at least 32 bytes); returns text.
char *cli_time_text(double seconds, char *text);

// "[3, 4096]" in text (at least 200 bytes); returns text.
char *cli_shape_text(const mst_layout *layout, char *text);

// ---- nearest.c

// The name in a table that was probably meant, at most two slips away or beginning so; NULL if none is. The table has n entries
// of `stride` bytes, each of which begins with a const char *.
const char *cli_nearest(const char *name, const void *table, size_t n, size_t stride);

// ---- interrupt.c

// From here on SIGINT, SIGTERM and SIGHUP set a flag, SIGPIPE and SIGXFSZ become write errors. A second signal more than a second
// after the first ends the program at once.
void cli_catch_interrupts(void);
bool cli_interrupted(void);

// Says that the work was interrupted; returns CLI_INTERRUPTED.
int cli_fail_interrupted(const char *command);

// ---- progress.c

// A bar on stderr, if that is a terminal. No colours.
typedef struct cli_progress {
    const char *label;
    double bytes; // of the whole work, for the rate; 0: the rate is in items
    bool visible, drawn;
    double start, last; // seconds
} cli_progress;

cli_progress cli_progress_start(const char *label, double bytes);

// An mst_progress_fn; user is the cli_progress. False once the program was interrupted.
bool cli_progress_update(uint64_t done, uint64_t total, void *user);
void cli_progress_end(cli_progress *progress); // wipes the bar

// Seconds on a clock that only goes forward.
double cli_now(void);

#endif
