// What makes two problems the same: all but the number of steps, the output, and how the state goes through the device.
#ifndef MASTABA_CLI_DIGEST_H
#define MASTABA_CLI_DIGEST_H

#include "problem.h"
#include <xxhash.h>

enum { SOLVE_CHUNK_BYTES = 8 << 20 };

// The problem's digest, with at most so many bytes of each file of values. The state is made new, and the buffer has room for a
// chunk. Returns an exit code after printing the error.
int solve_digest_problem(const problem *p, uint64_t most, XXH3_state_t *digest, char *buffer, uint64_t out[2]);

#endif
