#include "half.h"

#include <string.h>

enum { SIGN = 0x8000, INFINITE = 0x7c00, QUIET = 0x0200 };

static uint32_t bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint16_t half_of(float value) {
    const uint32_t bits = bits_of(value), size = bits & 0x7fffffff, sign = bits >> 16 & SIGN;
    if (size > 0x7f800000) // NaN
        return (uint16_t)(sign | INFINITE | QUIET | (size >> 13 & 0x3ff));
    if (size >= bits_of(65520))
        return (uint16_t)(sign | INFINITE);
    if (size < bits_of(0x1p-14f)) // numbers from 0.5 on have steps of 2^-24, as subnormal ones of float16 do
        return (uint16_t)(sign | (bits_of(float_of(size) + 0.5f) - bits_of(0.5f)));
    return (uint16_t)(sign | (((size + 0xfff + (size >> 13 & 1)) >> 13) - (112 << 10)));
}

static float float_of_half(uint16_t half) {
    const uint32_t sign = (uint32_t)(half & SIGN) << 16, size = half & 0x7fff;
    if (size >= INFINITE)
        return float_of(sign | 0x7f800000 | (size & 0x3ff) << 13);
    if (size < 1 << 10)
        return float_of(sign | bits_of((float)size * 0x1p-24f));
    return float_of(sign | ((size << 13) + (112 << 23)));
}

void mst_halves_of_floats(const float *from, size_t n, uint16_t *to) {
    for (size_t i = 0; i < n; i++)
        to[i] = half_of(from[i]);
}

void mst_floats_of_halves(const uint16_t *from, size_t n, float *to) {
    for (size_t i = 0; i < n; i++)
        to[i] = float_of_half(from[i]);
}
