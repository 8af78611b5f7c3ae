// Inputs. How a file is read depends on what it holds, not on its name.
#include "operand.h"

#include "core/file.h"
#include "core/report.h"
#include "core/team.h"
#include "core/text.h"
#include "sound/sound.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int open_regular(const char *command, const char *path, int *file) {
    struct stat info;
    *file = cli_open_input(command, path, &info);
    if (*file < 0)
        return CLI_INPUT_OUTPUT;
    if (S_ISREG(info.st_mode))
        return CLI_DONE;
    cli_error(command, "%s: %s; give a .npy or sound file", path,
              S_ISDIR(info.st_mode) ? "is a directory" : "is a pipe or device, which cannot be read at any place");
    return CLI_INPUT_OUTPUT;
}

static bool begins_as_npy(int file) {
    char magic[6];
    return cli_read_some(file, 0, magic, sizeof magic) == sizeof magic && memcmp(magic, "\x93NUMPY", sizeof magic) == 0;
}

static int read_sound(const char *command, cli_operand *operand) {
    cli_sound sound = {0};
    int code = cli_sound_read(command, operand->path, operand->file, operand->only_layout, &sound);
    operand->samples = sound.samples;
    operand->layout = sound.layout;
    operand->sample_rate = sound.sample_rate;
    operand->location = mst_at_host(sound.samples);
    return code;
}

static mst_status open_array(cli_operand *operand, mst_error *error) {
    if (operand->only_layout)
        return mst_npy_read_layout(operand->file, &operand->layout, error);
    mst_status status = mst_npy_open_file(operand->file, &operand->npy, error);
    if (status != MST_OK)
        return status;
    operand->layout = *mst_npy_layout(operand->npy);
    operand->location = mst_npy_location(operand->npy);
    return MST_OK;
}

// All is read by the one descriptor, so that what was checked is what is read.
int cli_operand_open(const char *command, const char *path, cli_operand *operand) {
    mst_error error;
    int code = open_regular(command, path, &operand->file);
    operand->path = path;
    operand->open = operand->file >= 0;
    if (code != CLI_DONE)
        return code;
    // A file that has the name of a .npy file but not its content is opened as one, for the message that says what is wrong.
    if (!begins_as_npy(operand->file) && (!cli_has_extension(path, ".npy") || cli_is_sound(operand->file)))
        return read_sound(command, operand);
    if (open_array(operand, &error) != MST_OK)
        return cli_fail_input(command, path, &error);
    if (operand->layout.type == MST_FLOAT16 && !operand->takes_float16) {
        cli_error(command, "%s: holds float16 values; convert with a.astype('float32')", path);
        return CLI_INPUT_OUTPUT;
    }
    return CLI_DONE;
}

// A number that hardly two layouts have in common (FNV-1a).
static uint64_t digest(const cli_operand *input) {
    uint64_t hash = 0xcbf29ce484222325,
             values[3 + MST_MAX_RANK] = {(uint64_t)input->layout.type, (uint64_t)input->layout.rank, input->location.offset};
    for (int k = 0; k < input->layout.rank; k++)
        values[3 + k] = input->layout.shape[k];
    for (size_t i = 0; i < sizeof values; i++)
        hash = (hash ^ ((const unsigned char *)values)[i]) * 0x100000001b3;
    return hash;
}

int cli_operands_agree(const char *command, const cli_operand *operands, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (cli_same(digest(&operands[i])))
            continue;
        cli_error(command, "%s: is not the same file for all ranks; put it where all hosts see it", operands[i].path);
        return CLI_INPUT_OUTPUT;
    }
    return CLI_DONE;
}

void cli_operand_close(cli_operand *operand) {
    mst_npy_close(operand->npy);
    if (operand->open)
        close(operand->file);
    free(operand->samples);
    memset(operand, 0, sizeof *operand);
}
