// What the tests of ranks share.
#ifndef MST_MPI_TESTS_SUPPORT_H
#define MST_MPI_TESTS_SUPPORT_H

#include <mastaba/mpi.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

extern int test_rank, test_n_ranks;

// Ends the job with a message in printf's terms.
#define CHECK(condition, ...)                                                                                                    \
    do {                                                                                                                         \
        if (!(condition)) {                                                                                                      \
            fprintf(stderr, "%s:%d: rank %d of %d: ", __FILE__, __LINE__, test_rank, test_n_ranks);                              \
            fprintf(stderr, __VA_ARGS__);                                                                                        \
            fputc('\n', stderr);                                                                                                 \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                                                        \
        }                                                                                                                        \
    } while (0)

// A call of the library whose last argument is &e, with `mst_error e` declared by the caller.
#define OK(call) CHECK((call) == MST_OK, "%s: %s", #call, e.message)

// A number of 0 .. n - 1, the same on all ranks that asked as often; and one for an index, in -1 .. 1.
size_t test_random(size_t n);
double test_value(size_t index);

// The place of element n of a part in the whole array.
size_t test_place_of(const mst_mpi_part *part, const mst_layout *whole, size_t n);

// MPI_Init_thread, the seed from MASTABA_SEED or of the first rank, which prints it; and a context of the ranks.
mst_context *test_begin(int *argc, char ***argv);
void test_end(mst_context *context);

extern bool test_quick_builds; // kernels are compiled without optimisation

// Messages and bytes that this rank sent by MPI_Isend and persistent requests since the last call; messages without bytes do not
// count, nor those by which monitors pass a cut.
enum { TEST_LOOK = 27 }; // their tag
void test_sent(unsigned long long *messages, unsigned long long *bytes);

// From now on it counts how often a device is lent the host's memory there. How often that was since the last call, of what was
// given then. Memory that is lent may not be lent a second time meanwhile, which ends the job.
int test_lent(const void *memory);

// Communicators that plans of transforms and convolutions have now.
int test_communicators(void);

// From now on each rank is as if on a host of its own: MPI has no memory for several.
void test_part_hosts(int apart);

// From now on this rank does not find the memory of the others of its host.
void test_close_windows(int closed);

// From now on this rank is told that there is no memory for it and the others of its host.
void test_lose_windows(int lost);

#endif
