#ifndef MASTABA_CLI_CLOCK_H
#define MASTABA_CLI_CLOCK_H

// Seconds on a clock that only goes forward.
double cli_now(void);

// The median of n times, which are sorted.
double cli_median(double *seconds, int n);

#endif
