#include "drivers.h"

#include "core/file.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *drivers_place(void) {
    static const char *const variables[] = {"OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH"};
    for (int i = 0; i < 2; i++) {
        const char *value = getenv(variables[i]);
        if (value && *value)
            return value;
    }
    return "/etc/OpenCL/vendors";
}

// Of a library with a path only whether it is there can be told; others are looked for by the system's linker.
static void read_driver(const char *path, driver_file *file) {
    snprintf(file->path, sizeof file->path, "%s", path);
    file->library[0] = file->problem[0] = '\0';
    FILE *f = fopen(path, "re");
    if (!f || !fgets(file->library, sizeof file->library, f))
        snprintf(file->problem, sizeof file->problem, "%s", f && !ferror(f) ? "is empty" : strerror(errno));
    if (f)
        fclose(f);
    file->library[strcspn(file->library, "\r\n")] = '\0';
    if (!file->problem[0] && !file->library[0])
        snprintf(file->problem, sizeof file->problem, "names no library in its first line");
    if (!file->problem[0] && strchr(file->library, '/') && access(file->library, R_OK) != 0)
        snprintf(file->problem, sizeof file->problem, "names %.400s: %s", file->library, strerror(errno));
}

static int is_driver_file(const struct dirent *entry) {
    const char *end = strrchr(entry->d_name, '.');
    return end && strcmp(end, ".icd") == 0;
}

size_t drivers_list(driver_file files[DRIVERS_MOST]) {
    const char *place = drivers_place();
    struct dirent **entries = NULL;
    struct stat about;
    size_t n = 0;
    if (stat(place, &about) == 0 && S_ISREG(about.st_mode)) { // one file, as ocl-icd takes it
        read_driver(place, &files[0]);
        return 1;
    }
    int found = scandir(place, &entries, is_driver_file, alphasort);
    for (int i = 0; i < found; i++) {
        char path[512];
        if (n < DRIVERS_MOST && snprintf(path, sizeof path, "%s/%s", place, entries[i]->d_name) < (int)sizeof path)
            read_driver(path, &files[n++]);
        free(entries[i]);
    }
    free(entries);
    return n;
}

bool cache_place(char *place, size_t size) {
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (base && base[0] == '/')
        snprintf(place, size, "%s/mastaba", base);
    else if (home && home[0] == '/')
        snprintf(place, size, "%s/.cache/mastaba", home);
    else
        return false;
    return true;
}

void cache_look_at(const char *place, cache_look *look) {
    memset(look, 0, sizeof *look);
    look->writable = cli_can_make(place);
    DIR *directory = opendir(place);
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        const char *end = strrchr(entry->d_name, '.');
        struct stat about;
        if (end && strcmp(end, ".bin") == 0 && fstatat(dirfd(directory), entry->d_name, &about, 0) == 0) {
            look->kernels++;
            look->bytes += (uint64_t)about.st_size;
        }
    }
    if (directory)
        closedir(directory);
}
