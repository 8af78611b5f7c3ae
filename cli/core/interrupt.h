#ifndef MASTABA_CLI_INTERRUPT_H
#define MASTABA_CLI_INTERRUPT_H

#include <stdbool.h>

// From here on SIGINT, SIGTERM and SIGHUP set a flag, SIGPIPE and SIGXFSZ become write errors. A second signal more than a second
// after the first ends the program at once.
void cli_catch_interrupts(void);
bool cli_interrupted(void);

#endif
