#include "signature.h"

#include "letters.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void mst_signature_begin(mst_signature *s, const char *kernel) {
    *s = (mst_signature){.kernel = strdup(kernel)};
    s->failed = !s->kernel;
}

void mst_signature_release(mst_signature *s) {
    for (size_t k = 0; k < s->n_parameters; k++) {
        free(s->parameters[k].type);
        free(s->parameters[k].name);
    }
    free(s->parameters);
    free(s->kernel);
    *s = (mst_signature){0};
}

// Takes over both texts.
static void add(mst_signature *s, char *type, char *name) {
    mst_parameter *grown = NULL;
    if (!s->failed && type && name)
        grown = realloc(s->parameters, (s->n_parameters + 1) * sizeof *grown);
    if (!grown) {
        s->failed = true;
        free(type);
        free(name);
        return;
    }
    s->parameters = grown;
    s->parameters[s->n_parameters++] = (mst_parameter){type, name};
}

void mst_signature_add(mst_signature *s, const char *type, const char *name_format, ...) {
    char *name = NULL;
    va_list arguments;
    va_start(arguments, name_format);
    if (vasprintf(&name, name_format, arguments) < 0)
        name = NULL;
    va_end(arguments);
    add(s, strdup(type), name);
}

void mst_signature_write(const mst_signature *s, const char *attributes, mst_text *out) {
    out->failed = out->failed || s->failed;
    if (out->failed)
        return;
    mst_text_add(out, "__kernel %s%svoid %s(", attributes, *attributes ? " " : "", s->kernel);
    for (size_t k = 0; k < s->n_parameters; k++) {
        const mst_parameter *p = &s->parameters[k];
        bool is_pointer = *p->type && p->type[strlen(p->type) - 1] == '*';
        mst_text_add(out, "%s%s%s%s", k > 0 ? ", " : "", p->type, is_pointer ? "" : " ", p->name);
    }
    mst_text_add(out, ") {\n");
}

// Behind blanks and comments.
static const char *skip_blanks(const char *at) {
    for (;;) {
        if (mst_is_blank(*at)) {
            at++;
        } else if (at[0] == '/' && at[1] == '/') {
            at += strcspn(at, "\n");
        } else if (at[0] == '/' && at[1] == '*') {
            const char *end = strstr(at + 2, "*/");
            at = end ? end + 2 : at + strlen(at);
        } else {
            return at;
        }
    }
}

// Behind a word, if it stands here; else NULL.
static const char *skip_word(const char *at, const char *word) {
    size_t n = strlen(word);
    return strncmp(at, word, n) == 0 && !mst_is_in_name(at[n]) ? skip_blanks(at + n) : NULL;
}

// Where the parameters of `void KERNEL(...)` begin; NULL without such a function.
static const char *find_parameters(const char *source, const char *kernel) {
    for (const char *at = skip_blanks(source); *at; at = skip_blanks(at)) {
        const char *name = skip_word(at, "void"), *behind = name ? skip_word(name, kernel) : NULL;
        if (behind && *behind == '(')
            return skip_blanks(behind + 1);
        do
            at++;
        while (mst_is_in_name(at[-1]) && mst_is_in_name(*at));
    }
    return NULL;
}

// One parameter without its comments, each run of blanks a single one, the name apart from its type.
static void read_parameter(mst_signature *s, const char *from, const char *to) {
    size_t n = 0;
    char *type = malloc((size_t)(to - from) + 2);
    if (!type) {
        s->failed = true;
        return;
    }
    for (const char *at = from; at < to;) {
        const char *next = skip_blanks(at);
        if (next == at)
            type[n++] = *at++;
        else if (n > 0 && next < to)
            type[n++] = ' ';
        at = next > at ? next : at;
    }
    type[n] = '\0';
    size_t name = n;
    while (name > 0 && mst_is_in_name(type[name - 1]))
        name--;
    char *own = strdup(type + name);
    while (name > 0 && type[name - 1] == ' ')
        name--;
    type[name] = '\0';
    add(s, type, own);
}

bool mst_signature_read(const char *source, const char *kernel, mst_signature *s) {
    mst_signature_begin(s, kernel);
    const char *at = find_parameters(source, kernel);
    if (!at)
        return false;
    while (*at && *at != ')' && !s->failed) {
        const char *from = at;
        while (*at && *at != ',' && *at != ')') {
            const char *behind = skip_blanks(at);
            at = behind > at ? behind : at + 1;
        }
        read_parameter(s, from, at);
        at = *at == ',' ? skip_blanks(at + 1) : at;
    }
    return *at == ')' && !s->failed;
}
