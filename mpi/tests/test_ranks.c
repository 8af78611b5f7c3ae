// Ranks whose work takes longer than others may be waited for, as the program has them: one that makes progress is waited for,
// at the end and where all meet in between; one that is silent ends the job (`silent`).
#include "core/team.h"
#include "ranks.h"

#include <string.h>
#include <time.h>

// Longer than the timeout.
static void work(bool is_silent) {
    static const struct timespec tick = {.tv_nsec = 50000000};
    const double began = cli_now();
    while (cli_now() - began < 8) {
        nanosleep(&tick, NULL);
        if (!is_silent)
            cli_work_goes_on();
    }
}

int main(int argc, char **argv) {
    const double timeout = 6; // a machine may have others to serve
    int code = CLI_DONE;
    if (!ranks_begin(&argc, &argv))
        return 1;
    const bool is_silent = argc > 1 && strcmp(argv[1], "silent") == 0;
    ranks_watch("test", timeout);
    for (int turn = 0; turn < 2; turn++) {
        mst_report report = MST_REPORT_INIT;
        const double began = cli_work_begin();
        for (int number = 0; number < 2 && turn == 0; number++) { // the first one, as the one that writes
            if (ranks_number() == number)
                work(is_silent && number == 1);
            if (cli_work_meet("test", CLI_DONE) != CLI_DONE)
                return 1;
        }
        if (turn == 1 && ranks_number() == 1) {
            cli_error("test", "as it should");
            code = CLI_FAILED;
        }
        code = cli_work_end("test", code, began, &report);
        if (code != (turn == 1 ? CLI_FAILED : CLI_DONE))
            return 1;
    }
    ranks_end();
    return 0;
}
