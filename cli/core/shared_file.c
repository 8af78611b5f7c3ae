#include "shared_file.h"

#include "team.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Where the first process's file is, for the others.
typedef struct shared_file {
    uint64_t offset;
    char path[4096];
} shared_file;

static int find_file(const char *command, const cli_whole_file *whole, uint64_t offset, shared_file *file) {
    char *path = cli_whole_path(whole);
    int code = CLI_DONE;
    file->offset = offset;
    if (path && strlen(path) < sizeof file->path)
        memcpy(file->path, path, strlen(path) + 1);
    else
        code = cli_out_of_memory(command, "the path of the result");
    free(path);
    return code;
}

int cli_shared_open(const char *command, const cli_whole_file *whole, uint64_t *offset, int *file) {
    shared_file shared = {0};
    int code = cli_get_team()->number == 0 ? find_file(command, whole, *offset, &shared) : CLI_DONE;
    *file = -1;
    code = cli_agree(command, code);
    if (code != CLI_DONE)
        return code;
    cli_tell(&shared, sizeof shared, 0);
    *offset = shared.offset;
    *file = open(shared.path, O_RDWR | O_CLOEXEC | O_NOCTTY);
    if (*file < 0) {
        cli_error(command, "%s: cannot be opened: %s; put the result where all hosts see it", shared.path, strerror(errno));
        code = CLI_INPUT_OUTPUT;
    }
    return cli_agree(command, code);
}

int cli_shared_end(const char *command, int code, int file, bool durable) {
    const int second = fcntl(file, F_DUPFD_CLOEXEC, 0);
    const bool arrived = (!durable || fsync(file) == 0) && second >= 0;
    if (((second >= 0 && close(second) != 0) || !arrived) && code == CLI_DONE) {
        cli_error(command, "the result cannot be written: %s", strerror(errno));
        code = CLI_INPUT_OUTPUT;
    }
    return cli_agree(command, code);
}
