// Files that appear under their name only when they are whole.
#include "whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int cli_whole_failed(const cli_whole_file *w, int code) {
    cli_error(w->command, "%s: cannot be written: %s", w->path, strerror(code));
    return CLI_INPUT_OUTPUT;
}

int cli_whole_open(const char *command, const char *path, bool force, cli_whole_file *w) {
    static const char pattern[] = ".mastaba-XXXXXX.tmp";
    const char *slash = strrchr(path, '/');
    size_t directory = slash ? (size_t)(slash - path) + 1 : 0, length = directory + sizeof pattern;
    *w = (cli_whole_file){.command = command, .path = path, .force = force, .temporary = malloc(length)};
    if (!w->temporary)
        return cli_whole_failed(w, ENOMEM);
    snprintf(w->temporary, length, "%.*s%s", (int)directory, path, pattern);
    int descriptor = mkostemps(w->temporary, 4, O_CLOEXEC);
    if (descriptor < 0) {
        int code = errno;
        free(w->temporary);
        w->temporary = NULL;
        return cli_whole_failed(w, code);
    }
    w->file = fdopen(descriptor, "w+");
    if (w->file)
        return CLI_DONE;
    close(descriptor);
    return cli_whole_failed(w, ENOMEM);
}

// Gives the file its name unless something has it. Where there are no hard links, an empty file takes the name first.
static int rename_no_replace(const char *from, const char *to) {
    if (link(from, to) == 0) {
        (void)unlink(from);
        return 0;
    }
    int claim = errno == EEXIST ? -1 : open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (claim < 0)
        return -1;
    close(claim);
    return rename(from, to);
}

// The name itself is lost in a crash unless the directory is written too.
static int sync_directory(const char *path) {
    char *copy = strdup(path);
    char *slash = copy ? strrchr(copy, '/') : NULL;
    if (slash)
        slash[1] = '\0';
    int directory = copy ? open(slash ? copy : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    free(copy);
    if (directory < 0)
        return -1;
    int failed = fsync(directory) != 0 && errno != EINVAL; // some file systems cannot
    close(directory);
    return failed ? -1 : 0;
}

int cli_whole_commit(cli_whole_file *w, bool durable) {
    mode_t mask = umask(0);
    umask(mask);
    FILE *file = w->file;
    errno = 0;
    bool failed = fflush(file) != 0 || ferror(file) || fchmod(fileno(file), 0666 & ~mask) != 0;
    failed = failed || (durable && fsync(fileno(file)) != 0);
    int code = errno ? errno : EIO;
    w->file = NULL; // network file systems report failed writes when a file is closed
    if (fclose(file) != 0 && !failed) {
        failed = true;
        code = errno;
    }
    if (failed)
        return cli_whole_failed(w, code);
    if (w->force ? rename(w->temporary, w->path) : rename_no_replace(w->temporary, w->path))
        return cli_whole_failed(w, errno);
    free(w->temporary);
    w->temporary = NULL;
    return durable && sync_directory(w->path) != 0 ? cli_whole_failed(w, errno) : CLI_DONE;
}

void cli_whole_close(cli_whole_file *w) {
    if (w->file)
        fclose(w->file);
    if (w->temporary)
        unlink(w->temporary);
    free(w->temporary);
    *w = (cli_whole_file){0};
}
