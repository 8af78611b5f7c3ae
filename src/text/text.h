// Text that grows, for writing kernels.
#ifndef MST_TEXT_TEXT_H
#define MST_TEXT_TEXT_H

#include "runtime/error.h"

typedef struct mst_text {
    char *text; // NULL while empty
    size_t length, capacity;
    bool failed; // out of memory: further additions are ignored
} mst_text;

void mst_text_add(mst_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void mst_text_release(mst_text *t);

#endif
