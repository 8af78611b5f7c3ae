// Results: files that appear under their name only when they are whole.
#include "output.h"

#include "core/file.h"
#include "core/layout.h"
#include "core/report.h"
#include "core/shared_file.h"
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

int cli_output_begin_own(cli_output *output, const mst_layout *result) {
    mst_error error;
    if (mst_npy_write_header(fileno(output->whole.file), result, &output->location, &error) != MST_OK)
        return cli_fail(output->whole.command, output->path, &error);
    output->layout = mst_layout_dense(result->type, result->rank, result->shape);
    return CLI_DONE;
}

static int begin_shared(cli_output *output, const mst_layout *result) {
    int code = cli_agree(output->command, is_first() ? cli_output_begin_own(output, result) : CLI_DONE);
    if (code != CLI_DONE)
        return code;
    uint64_t offset = output->location.offset;
    code = cli_shared_open(output->command, &output->whole, &offset, &output->shared);
    output->is_shared = output->shared >= 0;
    output->layout = mst_layout_dense(result->type, result->rank, result->shape);
    output->location = mst_at_file(output->shared, offset);
    return code;
}

static int end_shared(cli_output *output) {
    int code = cli_shared_end(output->command, CLI_DONE, output->shared, false);
    if (code == CLI_DONE && is_first())
        code = cli_whole_commit(&output->whole, false);
    return cli_agree(output->command, code);
}

int cli_output_begin(cli_output *output, const mst_layout *result, int sample_rate) {
    if (cli_get_team()->count > 1)
        return begin_shared(output, result);
    if (!cli_is_sound_path(output->path))
        return cli_output_begin_own(output, result);
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
