// A progress bar on a terminal: how far the work is, how fast it goes, and how long it will still take.
#include "progress.h"

#include "clock.h"
#include "interrupt.h"
#include "team.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

cli_progress cli_progress_start(const char *label, double bytes) {
    const char *terminal = getenv("TERM");
    bool visible = isatty(STDERR_FILENO) && terminal && strcmp(terminal, "dumb") != 0;
    double now = cli_now();
    return (cli_progress){.label = label, .bytes = bytes, .visible = visible, .start = now, .last = now};
}

static void draw(cli_progress *p, double fraction, double done, double now) {
    enum { WIDTH = 30 };
    char bar[WIDTH + 1], rate[32];
    int filled = (int)(fraction * WIDTH);
    for (int i = 0; i < WIDTH; i++)
        bar[i] = i < filled ? '#' : '.';
    bar[WIDTH] = '\0';
    double elapsed = now - p->start, per_second = (p->bytes > 0 ? fraction * p->bytes * 1e-9 : done) / elapsed;
    snprintf(rate, sizeof rate, p->bytes > 0 ? "%.2f GB/s" : "%.4g/s", per_second);
    long left = fraction > 0 ? (long)fmin(elapsed * (1 - fraction) / fraction, 1e6) : 0;
    fprintf(stderr, "\r%s [%s] %3.0f%%  %s  %ld:%02ld left%s\033[K", p->label, bar, 100 * fraction, rate, left / 60, left % 60,
            p->note);
    fflush(stderr);
    p->drawn = true;
}

bool cli_progress_update(uint64_t done, uint64_t total, void *user) {
    cli_progress *p = user;
    double now = cli_now();
    // Short work has no bar, and a bar is drawn ten times a second at most.
    if (p->visible && now - p->start > 0.5 && now - p->last > 0.1 && total > 0) {
        p->last = now;
        draw(p, (double)done / (double)total, (double)done, now);
    }
    cli_work_goes_on();
    return !cli_interrupted();
}

mst_execution cli_execution(cli_progress *progress, mst_report *report) {
    mst_execution how = MST_EXECUTION_INIT;
    how.progress = cli_progress_update;
    how.progress_user = progress;
    how.report = report;
    return how;
}

void cli_progress_end(cli_progress *p) {
    if (p->drawn)
        fputs("\r\033[K", stderr);
    p->drawn = false;
}
