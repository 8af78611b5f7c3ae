// In place of libFuzzer, for every compiler: gives a target the files of a directory, which it once failed with or which show it
// what is accepted.
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

static void run_file(const char *path) {
    enum { MOST = 1 << 20 };
    uint8_t *data = malloc(MOST);
    FILE *file = fopen(path, "rb");
    FUZZ_CHECK(data && file);
    size_t size = fread(data, 1, MOST, file);
    FUZZ_CHECK(size < MOST && !ferror(file));
    fclose(file);
    uint8_t *exact = realloc(data, size ? size : 1); // so that a sanitizer sees what is read beyond the end
    FUZZ_CHECK(exact && LLVMFuzzerTestOneInput(exact, size) == 0);
    free(exact);
}

int main(int argc, char **argv) {
    struct dirent **entries = NULL;
    char path[4096];
    int n = argc == 2 ? scandir(argv[1], &entries, NULL, alphasort) : -1, n_files = 0;
    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%s/%s", argv[1], entries[i]->d_name);
        if (entries[i]->d_name[0] != '.') {
            printf("%s\n", path);
            fflush(stdout);
            run_file(path);
            n_files++;
        }
        free(entries[i]);
    }
    free(entries);
    return n_files > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
