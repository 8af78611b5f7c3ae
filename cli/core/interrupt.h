#ifndef MASTABA_CLI_INTERRUPT_H
#define MASTABA_CLI_INTERRUPT_H

#include <stdbool.h>

// From here on SIGINT, SIGTERM and SIGHUP set a flag, SIGPIPE and SIGXFSZ become write errors. A command that has not ended 0.8
// seconds after the first signal, as a compiler or a driver is busy, is ended where it stands, with CLI_INTERRUPTED; temporary
// files that it has open are removed. A second signal does so at once.
void cli_catch_interrupts(const char *command);

// Before it, where a library starts threads before a command does: they must not get these signals. Until it, they wait.
void cli_block_interrupts(void);
bool cli_interrupted(void);

// The same in a process that fork() made of one that catches them: any of them ends it at once and silently.
void cli_leave_on_interrupts(void);

// Between these the first signal only sets the flag and prints "interrupted; PROMISE", for work that is worth ending well. The
// text must live until the release, after which a command that was interrupted has 0.8 seconds. A second signal breaks the
// promise, unless they are held `firmly`, for ends that take no longer than that.
void cli_hold_interrupts(const char *promise, bool firmly);
void cli_release_interrupts(void);

// The command is over, and has said what there is to say: what interrupts its end does so silently.
void cli_end_interrupts(void);

#endif
