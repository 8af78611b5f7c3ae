#include "token.h"

#include "text/letters.h"
#include "tree.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const mst_expr_constant mst_expr_constants[] = {{"pi", M_PI}, {"e", M_E}, {"inf", INFINITY}, {"nan", NAN}, {NULL, 0}};

mst_status mst_tokens_begin(mst_tokens *t, const char *text, const char *what, mst_error *error) {
    mst_status status = MST_OK;
    *t = (mst_tokens){.text = text, .what = what, .start = text};
    MST_REQUIRE(strlen(text) <= MST_EXPR_MAX_TEXT, MST_ERROR_ARGUMENT, "%s has %zu letters; %d are the most", what, strlen(text),
                MST_EXPR_MAX_TEXT);
    MST_REQUIRE(mst_c_locale_enter(&t->locale), MST_ERROR_HOST_MEMORY, "out of memory reading %s", what);
    mst_tokens_next(t);
fail:
    return status;
}

void mst_tokens_end(mst_tokens *t) { mst_c_locale_leave(&t->locale); }

// Digits, a point, an exponent; strtod alone would take "0x10", "nan" and "infinity".
static size_t number_length(const char *s) {
    size_t n = strspn(s, "0123456789");
    if (s[n] == '.')
        n += 1 + strspn(s + n + 1, "0123456789");
    if (s[n] == 'e' || s[n] == 'E') {
        size_t sign = s[n + 1] == '+' || s[n + 1] == '-' ? 1 : 0;
        size_t digits = strspn(s + n + 1 + sign, "0123456789");
        if (digits > 0)
            n += 1 + sign + digits;
    }
    return n;
}

void mst_tokens_next(mst_tokens *t) {
    static const char *const pairs[] = {"<=", ">=", "==", "!=", "&&", "||", "**", "//", "<<", ">>"};
    const char *s = t->start + t->length;
    s += strspn(s, " \t\r\n");
    t->start = s;
    t->length = 1;
    t->kind = MST_TOKEN_SIGN;
    if (*s == '\0') {
        t->kind = MST_TOKEN_END;
        t->length = 0;
    } else if (mst_is_digit(*s) || (*s == '.' && mst_is_digit(s[1]))) {
        t->kind = MST_TOKEN_NUMBER;
        t->length = number_length(s);
        t->value = strtod(s, NULL);
    } else if (mst_is_letter(*s)) {
        t->kind = MST_TOKEN_NAME;
        while (mst_is_in_name(s[t->length]))
            t->length++;
    }
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0] && t->kind == MST_TOKEN_SIGN; i++)
        if (strncmp(s, pairs[i], 2) == 0)
            t->length = 2;
}

bool mst_token_is(const mst_tokens *t, const char *text) {
    return strlen(text) == t->length && strncmp(t->start, text, t->length) == 0;
}

mst_status mst_tokens_fail(const mst_tokens *t, mst_error *error, const char *format, ...) {
    char message[300];
    size_t at = (size_t)(t->start - t->text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    mst_fail(error, MST_ERROR_ARGUMENT, "%s, column %zu: %s", t->what, at + 1, message);
    mst_error_point(error, t->text, at);
    return MST_ERROR_ARGUMENT;
}

// Letters to change, add or drop to make one name of the other; MST_EXPR_MAX_NAME if one is longer than that.
static size_t distance(const char *a, size_t n, const char *b, size_t m) {
    size_t row[MST_EXPR_MAX_NAME + 1];
    if (n > MST_EXPR_MAX_NAME || m > MST_EXPR_MAX_NAME)
        return MST_EXPR_MAX_NAME;
    for (size_t j = 0; j <= m; j++)
        row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t best = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            best = best < row[j] + 1 ? best : row[j] + 1;
            row[j] = best < row[j - 1] + 1 ? best : row[j - 1] + 1;
        }
    }
    return row[m];
}

mst_nearest mst_nearest_begin(const mst_tokens *t) { return (mst_nearest){{NULL, 0}, t->length < 3 ? 2 : 3}; }

void mst_nearest_offer(mst_nearest *nearest, const mst_tokens *t, mst_token_text name) {
    size_t d = distance(t->start, t->length, name.start, name.length);
    if (d < nearest->least && d < name.length)
        *nearest = (mst_nearest){name, d};
}
