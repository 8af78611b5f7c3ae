#include "standard.h"

#include "interrupt.h"
#include "report.h"
#include "text.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 1 << 16 };

bool cli_is_standard(const char *path) { return strcmp(path, "-") == 0; }

const char *cli_input_name(const char *path) { return cli_is_standard(path) ? "standard input" : path; }

static int fail(const char *command, const char *stream, const char *what) {
    cli_error(command, "%s %s: %s", stream, what, strerror(errno ? errno : EIO));
    return CLI_INPUT_OUTPUT;
}

static int take(const char *command, uint64_t most, FILE *file) {
    char piece[PIECE], limit[32];
    uint64_t total = 0;
    for (;;) {
        ssize_t n = cli_interrupted() ? -1 : read(STDIN_FILENO, piece, sizeof piece);
        if (cli_interrupted())
            return CLI_INTERRUPTED;
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail(command, "standard input", "cannot be read");
        if (n == 0)
            return CLI_DONE;
        total += (uint64_t)n;
        if (total > most) {
            cli_error(command, "standard input: is longer than %s; give a file", cli_size_text(most, limit));
            return CLI_INPUT_OUTPUT;
        }
        if (fwrite(piece, 1, (size_t)n, file) != (size_t)n)
            return fail(command, "standard input", "cannot be kept in a temporary file");
    }
}

int cli_standard_input(const char *command, uint64_t most, FILE **file) {
    *file = tmpfile();
    if (!*file)
        return fail(command, "standard input", "cannot be kept in a temporary file");
    int code = take(command, most, *file);
    if (code == CLI_DONE && fflush(*file) != 0)
        code = fail(command, "standard input", "cannot be kept in a temporary file");
    rewind(*file);
    return code;
}

int cli_standard_output(const char *command, FILE *file) {
    char piece[PIECE];
    if (fflush(file) != 0 || fseeko(file, 0, SEEK_SET) != 0)
        return fail(command, "standard output", "cannot be written");
    for (size_t n; (n = fread(piece, 1, sizeof piece, file)) > 0;)
        if (fwrite(piece, 1, n, stdout) != n)
            return fail(command, "standard output", "cannot be written");
    return ferror(file) ? fail(command, "standard output", "cannot be written") : cli_flush(command);
}
