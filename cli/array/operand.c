// Inputs. How a file is read depends on what it holds, not on its name.
#include "operand.h"

#include "core/file.h"
#include "core/report.h"
#include "core/text.h"
#include "sound/sound.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int begins_as_npy(const char *command, const char *path, bool *npy) {
    struct stat info;
    char magic[6];
    int file = cli_open_input(command, path, &info), code = CLI_DONE;
    if (file < 0)
        return CLI_INPUT_OUTPUT;
    if (!S_ISREG(info.st_mode)) {
        cli_error(command, "%s: %s; give a .npy or sound file", path,
                  S_ISDIR(info.st_mode) ? "is a directory" : "is a pipe or device, which cannot be read at any place");
        code = CLI_INPUT_OUTPUT;
    }
    *npy = pread(file, magic, sizeof magic, 0) == (ssize_t)sizeof magic && memcmp(magic, "\x93NUMPY", sizeof magic) == 0;
    close(file);
    return code;
}

static int read_sound(const char *command, const char *path, cli_operand *operand) {
    cli_sound sound = {0};
    int code = cli_sound_read(command, path, &sound);
    operand->samples = sound.samples;
    operand->layout = sound.layout;
    operand->sample_rate = sound.sample_rate;
    operand->location = mst_at_host(sound.samples);
    return code;
}

int cli_operand_open(const char *command, const char *path, cli_operand *operand) {
    mst_error error;
    bool npy;
    int code = begins_as_npy(command, path, &npy);
    if (code != CLI_DONE)
        return code;
    operand->path = path;
    // A file that has the name of a .npy file but not its content is opened as one, for the message that says what is wrong.
    if (!npy && (cli_is_sound(path) || !cli_has_extension(path, ".npy")))
        return read_sound(command, path, operand);
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
