// Inputs: what a file holds decides how it is read, not what it is called.
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

static int begins_as_npy(const char *command, const char *path, bool *npy) {
    struct stat info;
    char magic[6];
    *npy = false;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); // a pipe without a writer must not hang us
    if (file < 0 || fstat(file, &info) != 0) {
        cli_error(command, "%s: %s", path, strerror(errno));
        if (file >= 0)
            close(file);
        return CLI_INPUT_OUTPUT;
    }
    if (!S_ISREG(info.st_mode)) {
        cli_error(command, "%s: %s; give a .npy or sound file", path,
                  S_ISDIR(info.st_mode) ? "is a directory" : "is a pipe or device, which cannot be read at any place");
        close(file);
        return CLI_INPUT_OUTPUT;
    }
    *npy = pread(file, magic, sizeof magic, 0) == (ssize_t)sizeof magic && memcmp(magic, "\x93NUMPY", sizeof magic) == 0;
    close(file);
    return CLI_DONE;
}

bool cli_has_extension(const char *path, const char *extension) {
    size_t n = strlen(path), m = strlen(extension);
    return n >= m && strcasecmp(path + n - m, extension) == 0;
}

int cli_operand_open(const char *command, const char *path, cli_operand *operand) {
    mst_error error;
    bool npy;
    int code = begins_as_npy(command, path, &npy);
    if (code != CLI_DONE)
        return code;
    operand->path = path;
    // A file that is only called .npy is opened as one for the message that says what is wrong with it.
    if (!npy && (cli_is_sound(path) || !cli_has_extension(path, ".npy")))
        return cli_sound_read(command, path, operand);
    if (mst_npy_open(path, &operand->npy, &error) != MST_OK)
        return cli_fail_input(command, NULL, &error);
    operand->layout = *mst_npy_layout(operand->npy);
    operand->location = mst_npy_location(operand->npy);
    return CLI_DONE;
}

void cli_operand_close(cli_operand *operand) {
    mst_npy_close(operand->npy);
    free(operand->samples);
    memset(operand, 0, sizeof *operand);
}
