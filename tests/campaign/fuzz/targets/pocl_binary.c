// PoCL's binaries of programs, from which the LLVM code is taken: never more than that.
#include "fuzz.h"

#include "runtime/pocl_binary.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    enum { DIRECTORY = 36, HEADER = 77, LEAST = 28 }; // where they begin, where they end, and the bytes of what replaces the code
    size_t length = 0, again;
    unsigned char *cut = mst_pocl_without_code(data, size, &length);
    if (cut) {
        FUZZ_CHECK(length >= HEADER + LEAST && length <= size);
        FUZZ_CHECK(memcmp(cut, data, DIRECTORY) == 0);
        const size_t files = HEADER + (data[24] & 2 ? 8 : 0) + LEAST;
        FUZZ_CHECK(memcmp(cut + files, data + size - (length - files), length - files) == 0);
        FUZZ_CHECK(!mst_pocl_without_code(cut, length, &again));
    }
    free(cut);
    return 0;
}
