// PNG. Chunks end with a check sum that a change spoils, so it is computed anew.
#include "fuzz_image.h"

#include <stdlib.h>
#include <string.h>

enum { SIGNATURE = 8, AROUND = 12 }; // a chunk: length, name, content, check sum

static uint32_t read_32(const uint8_t *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static uint32_t crc(const uint8_t *data, size_t size) {
    uint32_t sum = ~(uint32_t)0;
    for (size_t i = 0; i < size; i++) {
        sum ^= data[i];
        for (int bit = 0; bit < 8; bit++)
            sum = sum >> 1 ^ (sum & 1 ? 0xedb88320u : 0);
    }
    return ~sum;
}

static void mend_sums(uint8_t *data, size_t size) {
    for (size_t at = SIGNATURE; at < size && size - at >= AROUND;) {
        size_t length = read_32(data + at);
        if (length > size - at - AROUND)
            return;
        uint32_t sum = crc(data + at + 4, length + 4);
        for (int k = 0; k < 4; k++)
            data[at + 8 + length + (size_t)k] = (uint8_t)(sum >> (24 - 8 * k));
        at += AROUND + length;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint8_t *copy = malloc(size + 1);
    FUZZ_CHECK(copy);
    if (size > 0)
        memcpy(copy, data, size);
    mend_sums(copy, size);
    fuzz_image(&cli_png, copy, size);
    free(copy);
    return 0;
}
