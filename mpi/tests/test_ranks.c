// Ranks whose work takes longer than others may be waited for, as the program has them: one that makes progress is waited for,
// one that is silent ends the job (`silent`).
#include "core/progress.h"
#include "core/team.h"
#include "ranks.h"

#include <string.h>
#include <time.h>

int main(int argc, char **argv) {
    static const struct timespec tick = {.tv_nsec = 50000000};
    const double timeout = 1.5, seconds = 4;
    int code = CLI_DONE;
    if (!ranks_begin(&argc, &argv))
        return 1;
    const bool is_silent = argc > 1 && strcmp(argv[1], "silent") == 0;
    ranks_watch("test", timeout);
    for (int turn = 0; turn < 2; turn++) {
        mst_report report = MST_REPORT_INIT;
        cli_progress progress = cli_progress_start("test", 0);
        const double began = cli_work_begin();
        while (ranks_number() == 1 && turn == 0 && cli_now() - began < seconds) {
            nanosleep(&tick, NULL);
            if (!is_silent)
                cli_progress_update(0, 1, &progress);
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
