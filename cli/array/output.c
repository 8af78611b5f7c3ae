// Results: files that appear under their name only when they are whole.
#include "output.h"

#include "core/file.h"
#include "core/layout.h"
#include "core/report.h"
#include "core/text.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

int cli_output_available(const char *command, const char *path, bool force, const char *const *inputs) {
    struct stat link, output, input;
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

int cli_output_check(const char *command, const char *path, bool sounds, bool force, const char *const *inputs) {
    if (!cli_has_extension(path, ".npy") && !(sounds && cli_is_sound_path(path))) {
        cli_error(command, "%s: the name of the output is to end in .npy%s", path,
                  sounds ? ", or for a sound in .wav, .flac, .ogg, .opus, .aiff, .au, .caf, .w64 or .rf64" : "");
        return CLI_USAGE;
    }
    return cli_output_available(command, path, force, inputs);
}

int cli_output_create(const char *command, const char *path, const mst_layout *result, int sample_rate, bool force,
                      cli_output *output) {
    mst_error error;
    output->path = path;
    if (cli_is_sound_path(path)) {
        int code = cli_sound_create(command, path, result, sample_rate, force, &output->sound);
        if (code != CLI_DONE)
            return code;
        output->layout = cli_sound_layout(output->sound);
        output->location = cli_sound_location(output->sound);
        return CLI_DONE;
    }
    if (mst_npy_create(path, result, force, &output->npy, &error) != MST_OK)
        return cli_fail(command, NULL, &error);
    output->layout = *mst_npy_layout(output->npy);
    output->location = mst_npy_location(output->npy);
    return CLI_DONE;
}

int cli_output_commit(const char *command, cli_output *output) {
    mst_error error;
    if (output->sound)
        return cli_sound_commit(output->sound);
    if (mst_npy_commit(output->npy, &error) != MST_OK)
        return cli_fail(command, NULL, &error);
    return CLI_DONE;
}

void cli_output_close(cli_output *output) {
    mst_npy_close(output->npy);
    cli_sound_close(output->sound);
    memset(output, 0, sizeof *output);
}

int cli_output_write(const char *command, const char *path, const mst_layout *layout, const void *data, bool force) {
    cli_output output = {0};
    int code = cli_output_create(command, path, layout, 0, force, &output);
    if (code == CLI_DONE && !cli_write_bytes(&output.location, 0, data, (size_t)cli_layout_bytes(layout)))
        code = cli_fail_file(command, path, "cannot be written");
    if (code == CLI_DONE)
        code = cli_output_commit(command, &output);
    cli_output_close(&output);
    return code;
}
