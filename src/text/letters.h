// Kinds of letters, which in ctype.h depend on the program's locale.
#ifndef MST_TEXT_LETTERS_H
#define MST_TEXT_LETTERS_H

#include <stdbool.h>

static inline bool mst_is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static inline bool mst_is_digit(char c) { return c >= '0' && c <= '9'; }
static inline char mst_lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

// What names begin with, and what they go on with.
static inline bool mst_is_letter(char c) { return (mst_lower(c) >= 'a' && mst_lower(c) <= 'z') || c == '_'; }
static inline bool mst_is_in_name(char c) { return mst_is_letter(c) || mst_is_digit(c); }

#endif
