// Programs that know no sizes, in families: each is built by making plans of a few numbers that go by it.
#ifndef MASTABA_CLI_FAMILIES_H
#define MASTABA_CLI_FAMILIES_H

#include <mastaba/mastaba.h>

typedef struct family {
    const char *name;
    mst_status (*build)(mst_context *context, mst_error *error);
    bool everywhere; // not on CPUs only
} family;

// The family with the number, those that take longest first; NULL: there are no more.
const family *family_at(size_t number);

#endif
