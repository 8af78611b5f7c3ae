// Results: files that appear under their name only when they are whole.
#include "output.h"

#include "core/file.h"
#include "core/layout.h"
#include "core/report.h"
#include "core/team.h"
#include "core/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int cli_output_available(const char *command, const char *path, bool force, const char *const *inputs) {
    struct stat link, output, input;
    if (!*path) {
        cli_error(command, "the name of an output is empty");
        return CLI_USAGE;
    }
    if (lstat(path, &link) != 0 && errno == ENOENT)
        return CLI_DONE;
    if (stat(path, &output) != 0) {
        cli_error(command, "%s: %s", path, strerror(errno));
        return CLI_INPUT_OUTPUT;
    }
    if (!S_ISREG(output.st_mode)) {
        cli_error(command, "%s: %s, not a file to write to", path,
                  S_ISDIR(output.st_mode) ? "is a directory" : "is a pipe or device");
        return CLI_INPUT_OUTPUT;
    }
    for (; *inputs; inputs++)
        if (stat(*inputs, &input) == 0 && input.st_dev == output.st_dev && input.st_ino == output.st_ino) {
            cli_error(command, "%s: is the input %s too; give another name", path, *inputs);
            return CLI_INPUT_OUTPUT;
        }
    if (!force) {
        cli_error(command, "%s: exists; give another name, or --force to replace it", path);
        return CLI_INPUT_OUTPUT;
    }
    return CLI_DONE;
}

static int open_whole(const char *command, const char *path, bool sounds, bool force, const char *const *inputs,
                      cli_output *output) {
    if (!cli_has_extension(path, ".npy") && !(sounds && cli_is_sound_path(path))) {
        cli_error(command, "%s: the name of the output is to end in .npy%s", path,
                  sounds ? ", or for a sound in .wav, .flac, .ogg, .opus, .aiff, .au, .caf, .w64 or .rf64" : "");
        return CLI_USAGE;
    }
    int code = cli_output_available(command, path, force, inputs);
    return code == CLI_DONE ? cli_whole_open(command, NULL, path, force, &output->whole) : code;
}

static bool is_first(void) { return cli_get_team()->number == 0; }

// A sound is written by one process, from its memory.
int cli_output_open(const char *command, const char *path, bool sounds, bool force, const char *const *inputs,
                    cli_output *output) {
    const bool alone = cli_get_team()->count == 1;
    output->command = command;
    output->path = path;
    return cli_agree(command, is_first() ? open_whole(command, path, sounds && alone, force, inputs, output) : CLI_DONE);
}

static int begin_npy(cli_output *output, const mst_layout *result) {
    mst_error error;
    if (mst_npy_write_header(fileno(output->whole.file), result, &output->location, &error) != MST_OK)
        return cli_fail(output->whole.command, output->path, &error);
    output->layout = mst_layout_dense(result->type, result->rank, result->shape);
    return CLI_DONE;
}

// Where the first process's file is, for the others.
typedef struct shared_file {
    uint64_t offset; // of the array
    char path[4096];
} shared_file;

static int find_file(const cli_output *output, shared_file *file) {
    char *path = cli_whole_path(&output->whole);
    int code = CLI_DONE;
    file->offset = output->location.offset;
    if (path && strlen(path) < sizeof file->path)
        memcpy(file->path, path, strlen(path) + 1);
    else
        code = cli_out_of_memory(output->command, "the path of the result");
    free(path);
    return code;
}

static int open_shared(const char *path, cli_output *output) {
    output->shared = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY);
    output->is_shared = output->shared >= 0;
    if (output->is_shared)
        return CLI_DONE;
    cli_error(output->command, "%s: cannot be opened: %s; put the result where all hosts see it", path, strerror(errno));
    return CLI_INPUT_OUTPUT;
}

static int begin_shared(cli_output *output, const mst_layout *result) {
    shared_file file = {0};
    int code = is_first() ? begin_npy(output, result) : CLI_DONE;
    if (code == CLI_DONE && is_first())
        code = find_file(output, &file);
    code = cli_agree(output->command, code);
    if (code != CLI_DONE)
        return code;
    cli_tell(&file, sizeof file, 0);
    code = cli_agree(output->command, open_shared(file.path, output));
    output->layout = mst_layout_dense(result->type, result->rank, result->shape);
    output->location = mst_at_file(output->shared, file.offset);
    return code;
}

// Network file systems tell of failed writes when a file is closed.
static int end_shared(cli_output *output) {
    int code = CLI_DONE, second = fcntl(output->shared, F_DUPFD_CLOEXEC, 0);
    if (second < 0 || close(second) != 0) {
        cli_error(output->command, "the result cannot be written: %s", strerror(errno));
        code = CLI_INPUT_OUTPUT;
    }
    code = cli_agree(output->command, code);
    if (code == CLI_DONE && is_first())
        code = cli_whole_commit(&output->whole, false);
    return cli_agree(output->command, code);
}

int cli_output_begin(cli_output *output, const mst_layout *result, int sample_rate) {
    if (cli_get_team()->count > 1)
        return begin_shared(output, result);
    if (!cli_is_sound_path(output->path))
        return begin_npy(output, result);
    int code = cli_sound_begin(&output->whole, result, sample_rate, &output->sound);
    if (code != CLI_DONE)
        return code;
    output->layout = cli_sound_layout(output->sound);
    output->location = cli_sound_location(output->sound);
    return CLI_DONE;
}

int cli_output_commit(cli_output *output) {
    if (output->is_shared)
        return end_shared(output);
    int code = output->sound ? cli_sound_write(output->sound) : CLI_DONE;
    return code == CLI_DONE ? cli_whole_commit(&output->whole, false) : code;
}

void cli_output_close(cli_output *output) {
    if (output->is_shared)
        close(output->shared);
    cli_sound_close(output->sound);
    cli_whole_close(&output->whole);
    memset(output, 0, sizeof *output);
}
