// The program `mastaba`: finds the command and runs it.
#include "cli.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

typedef struct command {
    const char *name;
    int (*run)(int argc, const char **argv);
    const char *summary;
} command;

static const command commands[] = {
    {"devices", cmd_devices, "list the OpenCL devices, or check them"},
    {"fft", cmd_fft, "Fourier transforms of arrays of any size"},
    {"convolve", cmd_convolve, "convolution and correlation of arrays and sounds"},
    {"bench", cmd_bench, "compare algorithms on this machine"},
};
enum { N_COMMANDS = sizeof commands / sizeof commands[0] };

static void print_help(FILE *out) {
    fputs("Usage: mastaba COMMAND [options]\n\n"
          "Batched FFTs and convolutions on any OpenCL device, for data of any size.\n\nCommands:\n",
          out);
    for (size_t i = 0; i < N_COMMANDS; i++)
        fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].summary);
    fputs("\n`mastaba COMMAND --help` describes a command; `mastaba --version` gives the version.\n\n"
          "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 no such device, 4 input or output,\n"
          "5 accuracy missed, 130 interrupted.\n",
          out);
}

// Letters to change, add, drop or swap to make a of b (optimal string alignment); names longer than the table are far.
static size_t distance(const char *a, const char *b) {
    enum { LONGEST = 16 };
    size_t n = strlen(a), m = strlen(b), d[LONGEST + 1][LONGEST + 1];
    if (n > LONGEST || m > LONGEST)
        return LONGEST;
    for (size_t i = 0; i <= n; i++) {
        for (size_t j = 0; j <= m; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            size_t best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            best = best < d[i - 1][j] + 1 ? best : d[i - 1][j] + 1;
            best = best < d[i][j - 1] + 1 ? best : d[i][j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && d[i - 2][j - 2] + 1 < best)
                best = d[i - 2][j - 2] + 1;
            d[i][j] = best;
        }
    }
    return d[n][m];
}

// The command that was probably meant, NULL if none is near.
static const char *suggestion(const char *name) {
    const char *nearest = NULL;
    size_t least = 3; // at most two slips
    for (size_t i = 0; i < N_COMMANDS; i++) {
        const char *candidate = commands[i].name;
        size_t length = strlen(name);
        size_t d = length >= 3 && strncmp(name, candidate, length) == 0 ? 0 : distance(name, candidate);
        if (d < least && d < strlen(candidate)) {
            least = d;
            nearest = candidate;
        }
    }
    return nearest;
}

// A closed standard descriptor would be given to the first file that is opened, and messages would be written into it.
static void fill_standard_descriptors(void) {
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 1 ? O_RDONLY : O_RDWR) < 0) // so that writing results fails
            _exit(CLI_INPUT_OUTPUT);
}

int main(int argc, char **argv) {
    fill_standard_descriptors();
    if (argc < 2) {
        print_help(stderr);
        return CLI_USAGE;
    }
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        print_help(stdout);
        return cli_flush(NULL);
    }
    if (strcmp(name, "--version") == 0) {
        printf("mastaba %s\n", mst_version());
        return cli_flush(NULL);
    }
    for (size_t i = 0; i < N_COMMANDS; i++)
        if (strcmp(name, commands[i].name) == 0)
            return commands[i].run(argc - 1, (const char **)argv + 1);
    const char *meant = suggestion(name);
    if (meant)
        cli_error(NULL, "%s: no such %s; did you mean `mastaba %s`?", name, name[0] == '-' ? "option" : "command", meant);
    else
        cli_error(NULL, "%s: no such %s; `mastaba --help` lists the commands", name, name[0] == '-' ? "option" : "command");
    return CLI_USAGE;
}
