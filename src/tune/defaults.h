// The databases that the library is shipped with (src/tune/defaults/*.json), embedded at build time.
#ifndef MST_TUNE_DEFAULTS_H
#define MST_TUNE_DEFAULTS_H

#include <stddef.h>

typedef struct mst_tuning_default {
    const char *name, *text;
    size_t length;
} mst_tuning_default;

extern const mst_tuning_default mst_tuning_defaults[];
extern const size_t mst_n_tuning_defaults;

#endif
