// Text of kernels that lays itself out while it is written. A writer adds lines as they come; each line that is complete is
// indented by the braces, parentheses and heads of `if` and `for` that are open before it, and broken at 120 columns. What a
// writer puts before a line in the way of spaces does not matter. Lines that begin with # start at the first column.
#ifndef MST_TEXT_TEXT_H
#define MST_TEXT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

enum { MST_TEXT_COLUMNS = 120, MST_TEXT_INDENT = 4, MST_TEXT_DEPTH = 32 };

typedef struct mst_text {
    char *text; // NULL while empty; NUL-terminated
    size_t length, capacity;
    bool failed;                         // further additions are ignored;
    char missing[64];                    // the name without a value because of which it failed, or empty: out of memory
    size_t line;                         // where the line begins that is not complete yet
    int n_open;                          // braces that are open before it,
    unsigned char units[MST_TEXT_DEPTH]; // by so many units of indentation each
    int parens;                          // that are open before it
    int list;                            // of these braces, those up to an initialiser's, whose lines end at commas; or 0
    int heads;                           // of if, for and the like before it, whose statement it is
    bool goes_on;                        // it is the rest of a statement
    bool directive_goes_on;              // it is the rest of a directive whose last line ended with a backslash
} mst_text;

// Adds by printf's rules. Long texts read better as templates.
void mst_text_add(mst_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Adds complete lines as they stand, which leave nothing open.
void mst_text_add_verbatim(mst_text *t, const char *lines);

// A value for `$name` in templates: whole numbers and texts.
typedef struct mst_text_value {
    const char *name;
    enum { MST_TEXT_STRING, MST_TEXT_SIGNED, MST_TEXT_UNSIGNED } kind;
    const char *string;
    long long number; // of unsigned ones the bits
} mst_text_value;

// MST_SET(radix, pass->radices[0]) is the value of `$radix`.
#define MST_SET(name, value)                                                                                                     \
    _Generic((value), char *                                                                                                     \
             : mst_text_string, const char *                                                                                     \
             : mst_text_string, unsigned                                                                                         \
             : mst_text_unsigned, unsigned long                                                                                  \
             : mst_text_unsigned, unsigned long long                                                                             \
             : mst_text_unsigned, default                                                                                        \
             : mst_text_signed)(#name, value)

static inline mst_text_value mst_text_string(const char *name, const char *value) {
    return (mst_text_value){name, MST_TEXT_STRING, value, 0};
}
static inline mst_text_value mst_text_unsigned(const char *name, unsigned long long value) {
    return (mst_text_value){name, MST_TEXT_UNSIGNED, NULL, (long long)value};
}
static inline mst_text_value mst_text_signed(const char *name, long long value) {
    return (mst_text_value){name, MST_TEXT_SIGNED, NULL, value};
}

// Adds a template with its values in place of `$name` or `${name}`; `$$` is a dollar sign. What a value brings along is not
// looked into for names again. A name without a value fails the text.
//     mst_text_put(out, "const uint j = t + i * ${threads}u;\n", MST_SET(threads, pass->threads));
#define mst_text_put(t, ...) MST_TEXT_PUT_(t, __VA_ARGS__, {0})
#define MST_TEXT_PUT_(t, template, ...) mst_text_put_values(t, template, (const mst_text_value[]){__VA_ARGS__})

// The same with values that several templates share: an array that ends with {0}.
void mst_text_put_values(mst_text *t, const char *template, const mst_text_value *values);

void mst_text_release(mst_text *t);

#endif
