#include "whole_file.h"

#include "standard.h"
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#ifndef O_PATH
#define O_PATH O_RDONLY
#endif

enum { TEMPORARY_BYTES = 40, LINK_BYTES = 48 };

static const char *name_in(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int failed(const char *command, const char *path, int code) {
    cli_error(command, "%s: cannot be written: %s", path, strerror(code));
    return CLI_INPUT_OUTPUT;
}

int cli_whole_failed(const cli_whole_file *w, int code) { return failed(w->command, w->path, code); }

// ---- Files without a name, and such with a temporary one

static void temporary_name(char name[TEMPORARY_BYTES]) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t unique = (uint64_t)now.tv_nsec << 32 ^ (uint64_t)now.tv_sec << 20 ^ (uint64_t)getpid();
    snprintf(name, TEMPORARY_BYTES, ".mastaba-%016" PRIx64 ".tmp", unique);
}

// What leads to an open file that has no name.
static void link_path(int file, char path[LINK_BYTES]) { snprintf(path, LINK_BYTES, "/proc/self/fd/%d", file); }

// A descriptor, or -1 where the system or the file system has no files without a name, or could give them none later.
static int open_nameless(int directory) {
    int file = -1;
#ifdef O_TMPFILE
    char path[LINK_BYTES];
    file = openat(directory, ".", O_RDWR | O_TMPFILE | O_CLOEXEC, 0666);
    link_path(file, path);
    if (file >= 0 && access(path, F_OK) != 0) {
        close(file);
        file = -1;
    }
#else
    (void)directory;
#endif
    return file;
}

// Without a name, or under `name`, which is empty in the first case. A descriptor, or -1 with errno.
static int open_file(int directory, char name[TEMPORARY_BYTES]) {
    int file = open_nameless(directory);
    name[0] = '\0';
    while (file < 0) {
        temporary_name(name);
        file = openat(directory, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0666);
        if (file < 0 && errno != EEXIST && errno != EINTR)
            break;
    }
    return file;
}

// ---- Places

static int open_directory(const char *path) {
    const char *slash = strrchr(path, '/');
    char *copy = strndup(slash ? path : ".", slash ? (size_t)(slash - path) + 1 : 1);
    if (!copy)
        return -1;
    int directory = open(copy, O_PATH | O_DIRECTORY | O_CLOEXEC);
    int code = errno;
    free(copy);
    errno = code;
    return directory;
}

static int take_directory(const char *command, const char *path, cli_place *place) {
    place->directory = open_directory(path);
    place->open = place->directory >= 0;
    return place->open ? CLI_DONE : failed(command, path, errno);
}

int cli_place_open(const char *command, const char *path, cli_place *place) {
    char name[TEMPORARY_BYTES];
    int code = take_directory(command, path, place);
    int file = code == CLI_DONE ? open_file(place->directory, name) : -1;
    if (code == CLI_DONE && file < 0)
        code = failed(command, path, errno);
    if (file >= 0) {
        close(file);
        if (name[0])
            unlinkat(place->directory, name, 0);
    }
    return code;
}

void cli_place_close(cli_place *place) {
    if (place->open)
        close(place->directory);
    *place = (cli_place){0};
}

int cli_place_expect(const char *command, const char *what, const cli_place *place, uint64_t bytes, bool must) {
    struct statvfs room;
    char needed[32], left[32];
    int here = openat(place->directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); // not every system tells by O_PATH
    bool known = here >= 0 && fstatvfs(here, &room) == 0;
    if (here >= 0)
        close(here);
    if (!known || room.f_bavail >= bytes / room.f_frsize + (bytes % room.f_frsize > 0))
        return CLI_DONE;
    cli_error(command, "%s%s: No space left: %s are to be written, the file system has %s", must ? "" : "warning: ", what,
              cli_size_text(bytes, needed), cli_size_text((uint64_t)room.f_bavail * room.f_frsize, left));
    return must ? CLI_INPUT_OUTPUT : CLI_DONE;
}

// ---- Whole files

int cli_whole_open(const char *command, const cli_place *place, const char *path, bool force, cli_whole_file *w) {
    char name[TEMPORARY_BYTES];
    *w = (cli_whole_file){.command = command, .path = path, .force = force};
    if (place) {
        w->place.directory = fcntl(place->directory, F_DUPFD_CLOEXEC, 0);
        w->place.open = w->place.directory >= 0;
    }
    int code = !place ? take_directory(command, path, &w->place) : w->place.open ? CLI_DONE : cli_whole_failed(w, errno);
    if (code != CLI_DONE)
        return code;
    int file = open_file(w->place.directory, name);
    if (file < 0)
        return cli_whole_failed(w, errno);
    if (name[0] && !(w->temporary = strdup(name)))
        unlinkat(w->place.directory, name, 0);
    else
        w->file = fdopen(file, "w+");
    if (w->file)
        return CLI_DONE;
    close(file);
    return cli_whole_failed(w, ENOMEM);
}

int cli_whole_open_standard(const char *command, cli_whole_file *w) {
    *w = (cli_whole_file){.command = command, .path = "standard output", .file = tmpfile()};
    return w->file ? CLI_DONE : cli_whole_failed(w, errno);
}

// A second name for the file. Where it has no first one, its descriptor leads to it.
static int link_file(const cli_whole_file *w, const char *to) {
    char path[LINK_BYTES];
    if (w->temporary)
        return linkat(w->place.directory, w->temporary, w->place.directory, to, 0);
    link_path(fileno(w->file), path);
    return linkat(AT_FDCWD, path, w->place.directory, to, AT_SYMLINK_FOLLOW);
}

static int rename_file(const cli_whole_file *w, const char *to) {
    return renameat(w->place.directory, w->temporary, w->place.directory, to);
}

// Gives the file its name unless something has it. Where there are no hard links, an empty file takes the name first.
static int name_new(const cli_whole_file *w, const char *to) {
    if (link_file(w, to) == 0) {
        if (w->temporary)
            (void)unlinkat(w->place.directory, w->temporary, 0);
        return 0;
    }
    if (errno == EEXIST || !w->temporary)
        return -1;
    int claim = openat(w->place.directory, to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (claim < 0)
        return -1;
    close(claim);
    if (rename_file(w, to) == 0)
        return 0;
    int code = errno;
    unlinkat(w->place.directory, to, 0);
    errno = code;
    return -1;
}

// Gives the file its name, whatever has it. Only a rename can replace, so a file without a name gets a temporary one for it.
static int name_over(cli_whole_file *w, const char *to) {
    char name[TEMPORARY_BYTES];
    if (w->temporary)
        return rename_file(w, to);
    if (link_file(w, to) == 0)
        return 0;
    while (errno == EEXIST) {
        temporary_name(name);
        if (link_file(w, name) != 0)
            continue;
        w->temporary = strdup(name);
        if (w->temporary)
            return rename_file(w, to);
        unlinkat(w->place.directory, name, 0);
        errno = ENOMEM;
    }
    return -1;
}

// Writes what is in memory still. Network file systems report failed writes when a file is closed; here it is a second
// descriptor, as the first one may be all that leads to the file.
static int flush(FILE *file, bool durable) {
    errno = 0;
    if (fflush(file) != 0 || ferror(file) || (durable && fsync(fileno(file)) != 0))
        return errno ? errno : EIO;
    int second = fcntl(fileno(file), F_DUPFD_CLOEXEC, 0);
    return second < 0 || close(second) != 0 ? errno : 0;
}

// The name itself is lost in a crash unless the directory is written too.
static int sync_directory(const cli_place *place) {
    int directory = openat(place->directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0)
        return errno == EACCES ? 0 : -1;                   // one that may be written to but not read
    int failed = fsync(directory) != 0 && errno != EINVAL; // some file systems cannot
    close(directory);
    return failed ? -1 : 0;
}

int cli_whole_commit(cli_whole_file *w, bool durable) {
    const char *name = name_in(w->path);
    if (!w->place.open)
        return cli_standard_output(w->command, w->file);
    int code = flush(w->file, durable);
    if (code)
        return cli_whole_failed(w, code);
    if (w->force ? name_over(w, name) : name_new(w, name))
        return cli_whole_failed(w, errno);
    free(w->temporary);
    w->temporary = NULL;
    return durable && sync_directory(&w->place) != 0 ? cli_whole_failed(w, errno) : CLI_DONE;
}

void cli_whole_close(cli_whole_file *w) {
    if (w->file)
        fclose(w->file);
    if (w->temporary)
        unlinkat(w->place.directory, w->temporary, 0);
    free(w->temporary);
    cli_place_close(&w->place);
    *w = (cli_whole_file){0};
}

char *cli_whole_path(const cli_whole_file *w) {
    char *path = NULL;
    int directory = (int)(name_in(w->path) - w->path);
    int length = w->temporary ? asprintf(&path, "%.*s%s", directory, w->path, w->temporary)
                              : asprintf(&path, "/proc/%ld/fd/%d", (long)getpid(), fileno(w->file));
    return length < 0 ? NULL : path;
}
