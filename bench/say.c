#include "say.h"

#include <errno.h>
#include <stdio.h>

bool bench_say(const char *what, const mst_error *error) {
    fprintf(stderr, "%s: %s%s%s\n", program_invocation_short_name, what ? what : "", what ? ": " : "", error->message);
    return false;
}

bool bench_opencl(cl_int code, const char *what) {
    if (code != CL_SUCCESS)
        fprintf(stderr, "%s: %s: OpenCL error %d\n", program_invocation_short_name, what, (int)code);
    return code == CL_SUCCESS;
}
