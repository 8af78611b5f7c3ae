#include "fuzz_image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_image(&cli_jpeg, data, size);
    return 0;
}
