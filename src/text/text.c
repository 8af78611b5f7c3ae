#include "text.h"

#include "c_locale.h"
#include "layout.h"
#include "letters.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool reserve(mst_text *t, size_t more) {
    if (t->failed || t->length + more < t->capacity)
        return !t->failed;
    size_t capacity = 2 * (t->length + more) + 1024;
    char *grown = realloc(t->text, capacity);
    t->failed = !grown;
    if (!grown)
        return false;
    t->text = grown;
    t->capacity = capacity;
    return true;
}

// Adds letters as they are.
static void append(mst_text *t, const char *letters, size_t n) {
    if (!reserve(t, n + 1))
        return;
    memcpy(t->text + t->length, letters, n);
    t->length += n;
    t->text[t->length] = '\0';
}

// Takes the complete lines behind the last one that was laid out, and puts them back laid out.
static void lay_out(mst_text *t) {
    while (!t->failed) {
        const char *start = t->text + t->line, *end = memchr(start, '\n', t->length - t->line);
        if (!end)
            return;
        size_t n_raw = t->length - t->line, n_line = (size_t)(end - start);
        char *raw = malloc(n_raw + 1);
        t->failed = !raw;
        if (!raw)
            return;
        memcpy(raw, start, n_raw + 1);
        raw[n_line] = '\0';
        t->length = t->line;
        mst_text_lay_out_line(t, raw, append);
        t->line = t->length;
        append(t, raw + n_line + 1, n_raw - n_line - 1);
        free(raw);
    }
}

void mst_text_add(mst_text *t, const char *format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = mst_vprint(NULL, 0, format, arguments);
    t->failed = t->failed || length < 0;
    if (!t->failed && reserve(t, (size_t)length + 1)) {
        mst_vprint(t->text + t->length, (size_t)length + 1, format, again);
        t->length += (size_t)length;
        lay_out(t);
    }
    va_end(again);
    va_end(arguments);
}

void mst_text_add_verbatim(mst_text *t, const char *lines) {
    append(t, lines, strlen(lines));
    t->line = t->length;
}

static void append_value(mst_text *t, const mst_text_value *value) {
    char number[32];
    if (value->kind == MST_TEXT_STRING) {
        append(t, value->string, strlen(value->string));
        return;
    }
    int n = snprintf(number, sizeof number, value->kind == MST_TEXT_SIGNED ? "%lld" : "%llu", value->number);
    append(t, number, (size_t)n);
}

// Adds the value of the name behind a dollar sign, and returns what follows it in the template.
static const char *append_named(mst_text *t, const char *name, const mst_text_value *values) {
    bool in_braces = *name == '{';
    size_t n = 0;
    name += in_braces;
    while (mst_is_in_name(name[n]))
        n++;
    const mst_text_value *v = values;
    while (v->name && !(strncmp(v->name, name, n) == 0 && v->name[n] == '\0'))
        v++;
    if (v->name && n > 0 && (!in_braces || name[n] == '}')) {
        append_value(t, v);
    } else if (!t->failed) {
        t->failed = true;
        snprintf(t->missing, sizeof t->missing, "%.*s", (int)n, n > 0 ? name : "?");
    }
    return name + n + (in_braces && name[n] == '}');
}

void mst_text_put_values(mst_text *t, const char *template, const mst_text_value *values) {
    while (*template && !t->failed) {
        size_t n = strcspn(template, "$");
        append(t, template, n);
        template += n;
        if (template[0] == '$' && template[1] == '$') {
            append(t, "$", 1);
            template += 2;
        } else if (template[0] == '$') {
            template = append_named(t, template + 1, values);
        }
    }
    if (!t->failed && t->text)
        lay_out(t);
}

void mst_text_release(mst_text *t) {
    free(t->text);
    *t = (mst_text){0};
}
