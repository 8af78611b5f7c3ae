#ifndef MASTABA_CLI_CLOCK_H
#define MASTABA_CLI_CLOCK_H

// Seconds on a clock that only goes forward.
double cli_now(void);

#endif
