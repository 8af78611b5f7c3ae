// The program `mastaba`.
#include "describe/describe.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

// A closed standard descriptor would be given to the first file that is opened, and messages would be written into it.
static void fill_standard_descriptors(void) {
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 1 ? O_RDONLY : O_RDWR) < 0) // so that writing results fails
            _exit(CLI_INPUT_OUTPUT);
}

int main(int argc, char **argv) {
    fill_standard_descriptors();
    if (argc > 1 && strcmp(argv[1], "--version") == 0) {
        printf("mastaba %s\n", mst_version());
        return cli_flush(NULL);
    }
    return cli_run_command(&cli_root, argc, (const char **)argv);
}
