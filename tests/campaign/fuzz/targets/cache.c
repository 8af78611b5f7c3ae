// Files of compiled kernels. What reaches a driver has the digest in its header, which no change keeps; where the first byte is
// odd the digest is put right, so that what stands behind that check is tried, too.
#include "fuzz.h"

#include "runtime/cache.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

enum { DIGEST = 32, PAYLOAD = 48 }; // where they lie

static const mst_cache_key key = {0x1122334455667788, 0x99aabbccddeeff00};

// The file of the key, in a directory of this process below the current one.
static int cache_file(char **directory) {
    static char name[] = "cache-XXXXXX";
    static int file = -1;
    char path[100];
    if (file < 0) {
        FUZZ_CHECK(mkdtemp(name));
        snprintf(path, sizeof path, "%s/%016llx%016llx.bin", name, (unsigned long long)key.high, (unsigned long long)key.low);
        file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        FUZZ_CHECK(file >= 0);
    }
    *directory = name;
    return file;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    mst_context context = {0};
    size_t loaded = 0;
    int file = cache_file(&context.cache_directory);
    bool mended = size > 1 + PAYLOAD && data[0] % 2 == 1;
    if (size == 0)
        return 0;
    data++;
    size--;
    FUZZ_CHECK(ftruncate(file, 0) == 0 && pwrite(file, data, size, 0) == (ssize_t)size);
    if (mended) {
        XXH128_hash_t hash = XXH3_128bits(data + PAYLOAD, size - PAYLOAD);
        const uint64_t digest[] = {hash.low64, hash.high64};
        FUZZ_CHECK(pwrite(file, digest, sizeof digest, DIGEST) == sizeof digest);
    }
    unsigned char *payload = mst_cache_load(&context, key, &loaded);
    if (payload)
        FUZZ_CHECK(loaded == size - PAYLOAD && memcmp(payload, data + PAYLOAD, loaded) == 0);
    free(payload);
    return 0;
}
