// Which build of the libraries this process has.
#ifndef MST_MPI_BUILD_H
#define MST_MPI_BUILD_H

#include <stdint.h>

// A number that builds of other sources, or by other compilers, do not have.
uint64_t mst_mpi_build(void);

#endif
