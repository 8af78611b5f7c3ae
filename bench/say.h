// What programs print on stderr where something fails, under their own names.
#ifndef BENCH_SAY_H
#define BENCH_SAY_H

#include <mastaba/status.h>

#include <CL/cl.h>
#include <stdbool.h>

// False. what: in which work; NULL: the message alone.
bool bench_say(const char *what, const mst_error *error);

// Whether the code is CL_SUCCESS; prints any other.
bool bench_opencl(cl_int code, const char *what);

#endif
