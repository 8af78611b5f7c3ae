#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static bool reserve(mst_text *t, size_t more) {
    if (t->length + more < t->capacity)
        return true;
    size_t capacity = 2 * (t->length + more) + 1024;
    char *grown = realloc(t->text, capacity);
    if (!grown)
        return false;
    t->text = grown;
    t->capacity = capacity;
    return true;
}

void mst_text_add(mst_text *t, const char *format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    t->failed = t->failed || length < 0 || !reserve(t, (size_t)length + 1);
    if (!t->failed) {
        vsnprintf(t->text + t->length, (size_t)length + 1, format, again);
        t->length += (size_t)length;
    }
    va_end(again);
    va_end(arguments);
}

void mst_text_release(mst_text *t) {
    free(t->text);
    *t = (mst_text){0};
}
