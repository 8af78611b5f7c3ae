// Memory for pixels: RAM, or a file that the system writes out as it needs its RAM.
#include "core/cli.h"
#include "image.h"

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

// The space is there before it is mapped: a full disk is an error here, and no signal later.
static void *map_scratch(const char *directory, uint64_t bytes) {
    const int file = open_scratch(directory);
    void *pixels = MAP_FAILED;
    if (file >= 0 && posix_fallocate(file, 0, (off_t)bytes) == 0)
        pixels = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file >= 0)
        close(file);
    return pixels == MAP_FAILED ? NULL : pixels;
}

bool cli_pixels_take(cli_image *image, uint64_t bytes) {
    const char *directory = getenv("MASTABA_SCRATCH");
    const bool mapped = directory && *directory && bytes >= LEAST_MAPPED;
    image->pixels = mapped ? map_scratch(directory, bytes) : malloc((size_t)bytes);
    image->mapped = mapped && image->pixels ? bytes : 0;
    return image->pixels;
}

int cli_pixels_lack(const char *command, const char *path, uint64_t bytes) {
    const char *directory = getenv("MASTABA_SCRATCH");
    char needed[32];
    cli_error(command, "%s: out of memory for %s of pixels%s%s", path, cli_size_text(bytes, needed),
              directory ? ", or no room in " : "; MASTABA_SCRATCH puts them into a directory", directory ? directory : "");
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
