// Numbers for machines (kernels, JSON, expressions) are the same whatever the program's locale is: they are written and read in
// the locale "C", which a thread enters for as long as that takes, without calling anybody who may expect the program's own.
#ifndef MST_TEXT_C_LOCALE_H
#define MST_TEXT_C_LOCALE_H

#include <locale.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct mst_c_locale {
    locale_t locale, before;
} mst_c_locale;

// For the calling thread only. False when out of memory; leave may follow in any case, and takes a zero one, too.
bool mst_c_locale_enter(mst_c_locale *c);
void mst_c_locale_leave(mst_c_locale *c);

// vsnprintf in the locale "C"; also -1, and an empty text, when out of memory.
int mst_vprint(char *out, size_t size, const char *format, va_list arguments) __attribute__((format(printf, 3, 0)));

#endif
