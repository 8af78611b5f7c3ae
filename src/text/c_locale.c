#include "c_locale.h"

#include <stdio.h>

bool mst_c_locale_enter(mst_c_locale *c) {
    c->locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    c->before = c->locale ? uselocale(c->locale) : (locale_t)0;
    return c->locale;
}

void mst_c_locale_leave(mst_c_locale *c) {
    if (!c->locale)
        return;
    uselocale(c->before);
    freelocale(c->locale);
    *c = (mst_c_locale){0};
}

int mst_vprint(char *out, size_t size, const char *format, va_list arguments) {
    mst_c_locale c;
    if (size > 0)
        out[0] = '\0';
    int length = mst_c_locale_enter(&c) ? vsnprintf(out, size, format, arguments) : -1;
    mst_c_locale_leave(&c);
    return length;
}
