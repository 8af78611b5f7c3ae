// Where the functions of OpenCL come from: the loader that the library is linked to, or with MASTABA_LOAD_OPENCL the one that is
// found when the library is first used.
#ifndef MST_RUNTIME_LOADER_H
#define MST_RUNTIME_LOADER_H

#include <mastaba/status.h>

// Before the first call of OpenCL, by whatever thread makes it. MST_ERROR_NO_DEVICE: there is no loader; the message says what to
// install.
mst_status mst_opencl_load(mst_error *error);

#endif
