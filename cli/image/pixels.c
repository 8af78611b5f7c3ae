// Memory for pixels: RAM, or a file that the system writes out as it needs its RAM.
#include "core/cli.h"
#include "image.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LEAST_MAPPED ((uint64_t)1 << 20) // bytes: fewer are not worth a file

// A file without a name; -1 if there is none.
static int open_scratch(const char *directory) {
    char path[4096];
#ifdef O_TMPFILE
    int file = open(directory, O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
    if (file >= 0)
        return file;
#endif
    if ((size_t)snprintf(path, sizeof path, "%s/mastaba-XXXXXX", directory) >= sizeof path)
        return -1;
    const int named = mkostemp(path, O_CLOEXEC);
    if (named >= 0)
        unlink(path);
    return named;
}

// The space is there before it is mapped: a full disk is an error here, and no signal later. A signal of the program's own may
// interrupt a reservation, which starts again then.
static int map_scratch(const char *command, const char *path, const char *directory, uint64_t bytes, cli_image *image) {
    char needed[32];
    const int file = open_scratch(directory);
    int problem = file < 0 ? errno : EINTR, code = CLI_INPUT_OUTPUT;
    while (file >= 0 && problem == EINTR)
        problem = posix_fallocate(file, 0, (off_t)bytes);
    if (problem == 0) {
        void *pixels = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (pixels == MAP_FAILED)
            problem = errno, code = CLI_FAILED;
        else
            image->pixels = pixels, image->mapped = bytes, code = CLI_DONE;
    }
    if (code != CLI_DONE)
        cli_error(command, "%s: %s %s for %s of pixels (MASTABA_SCRATCH): %s", path, directory,
                  file < 0 ? "takes no file" : "has no room", cli_size_text(bytes, needed), strerror(problem));
    if (file >= 0)
        close(file);
    return code;
}

int cli_pixels_take(const char *command, const char *path, uint64_t bytes, cli_image *image) {
    const char *directory = getenv("MASTABA_SCRATCH");
    char needed[32];
    if (directory && *directory && bytes >= LEAST_MAPPED)
        return map_scratch(command, path, directory, bytes, image);
    image->mapped = 0;
    image->pixels = malloc((size_t)bytes + 1);
    if (image->pixels)
        return CLI_DONE;
    cli_error(command, "%s: out of memory for %s of pixels; MASTABA_SCRATCH puts large ones into a directory", path,
              cli_size_text(bytes, needed));
    return CLI_FAILED;
}

void cli_pixels_free(cli_image *image) {
    if (image->mapped)
        munmap(image->pixels, (size_t)image->mapped);
    else
        free(image->pixels);
    image->pixels = NULL;
    image->mapped = 0;
}
