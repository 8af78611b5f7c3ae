// What the two ways of writing checkpoints share: by one process as a stream, and by a team (core/team.h), each its part.
#ifndef MASTABA_CLI_CHECKPOINT_H
#define MASTABA_CLI_CHECKPOINT_H

#include "solve.h"

#include <xxhash.h>

typedef struct checkpoint_header {
    char magic[8];
    uint64_t order; // of bytes
    uint64_t problem[2];
    uint64_t step;
    uint64_t bytes; // of the file
} checkpoint_header;

// A file that is read or written while its digest is computed.
typedef struct digested_file {
    const char *path;
    FILE *file;
    XXH3_state_t *digest;
} digested_file;

// An array of the state: a level of a field that is updated, or a memory variable of absorbing layers.
struct solve_array {
    const char *name;
    int level, rank;
    size_t shape[MST_MAX_AXES];
    bool is_half; // it is stored as float16
    mst_type type;
    uint64_t bytes;
    mst_stencil_memory memory;
};

// These return an exit code after printing the error. A file that is not as it is to be:
int checkpoint_bad_file(const char *path, const char *why);

// The first bytes of the file, into its digest, through a buffer of SOLVE_CHUNK_BYTES.
int checkpoint_digest(const digested_file *f, uint64_t bytes, char *buffer);

// The header of the state as it is; and that of a file, by which the types of its arrays are set.
int checkpoint_make_header(const solve_run *run, const digested_file *f, char *buffer, checkpoint_header *header);
int checkpoint_read_header(solve_run *run, const digested_file *f, checkpoint_header *header, uint64_t *bytes);

#endif
