#!/bin/sh
# run.sh MPIEXEC -n RANKS PROGRAM...: on the loopback only, more ranks than cores, as root where need be, a thread of PoCL's a rank.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl=self,vader,tcp
export OMPI_MCA_btl_tcp_if_include=lo OMPI_MCA_oob_tcp_if_include=lo OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_plm=isolated
export OMPI_MCA_btl_vader_single_copy_mechanism=none FI_PROVIDER=tcp HYDRA_IFACE=lo POCL_MAX_PTHREAD_COUNT=1
# Open MPI never frees what its plugins allocate, and has closed them when leaks are looked for.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
exec "$@"
