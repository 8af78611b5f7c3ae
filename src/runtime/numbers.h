// Small arithmetic on whole numbers that several modules need.
#ifndef MST_RUNTIME_NUMBERS_H
#define MST_RUNTIME_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

// Elements of an array (not of a pointer).
#define MST_COUNT(array) (sizeof(array) / sizeof((array)[0]))

// For int, unsigned, int64_t and uint64_t (which size_t is); both arguments are converted to their common type.
//     mst_smaller(a, b), mst_larger(a, b)
//     mst_divide_up(a, b)  a / b, rounded up to a whole number;
//     mst_round_up(a, b)   the least multiple of b that is not below a. Both need a >= 0 and b > 0; the result must fit the type.
#define mst_smaller(a, b) MST_NUMBERS_CHOOSE_(mst_smaller, a, b)
#define mst_larger(a, b) MST_NUMBERS_CHOOSE_(mst_larger, a, b)
#define mst_divide_up(a, b) MST_NUMBERS_CHOOSE_(mst_divide_up, a, b)
#define mst_round_up(a, b) MST_NUMBERS_CHOOSE_(mst_round_up, a, b)

#define MST_NUMBERS_CHOOSE_(name, a, b)                                                                                          \
    _Generic((a) + (b), int : name##_int, unsigned : name##_unsigned, long : name##_long, unsigned long : name##_ulong)(a, b)

#define MST_NUMBERS_DEFINE_(suffix, type)                                                                                        \
    static inline type mst_smaller_##suffix(type a, type b) { return a < b ? a : b; }                                            \
    static inline type mst_larger_##suffix(type a, type b) { return a > b ? a : b; }                                             \
    static inline type mst_divide_up_##suffix(type a, type b) { return a / b + (a % b != 0); }                                   \
    static inline type mst_round_up_##suffix(type a, type b) { return mst_divide_up_##suffix(a, b) * b; }

MST_NUMBERS_DEFINE_(int, int)
MST_NUMBERS_DEFINE_(unsigned, unsigned)
MST_NUMBERS_DEFINE_(long, long)
MST_NUMBERS_DEFINE_(ulong, unsigned long)

#endif
