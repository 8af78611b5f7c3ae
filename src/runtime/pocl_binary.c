#include "pocl_binary.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// How PoCL writes a binary (lib/CL/pocl_binary.c there), numbers in little-endian order: this; in versions from 10 on, the bytes
// of the program's own variables; the length of the program's files and these; kernels with theirs. A file is its name and its
// content, each behind its length.
enum {
    VERSION_AT = 16, // 32 bits
    FLAGS_AT = 24,   // 64 bits
    N_FILES_AT = 32, // 32 bits: files of the program
    DIRECTORY_AT = 36,
    DIRECTORY_LENGTH = 40, // in PoCL's cache, where files are unpacked that are not there: "AB/CDEF...", in A to P
    HEADER_BYTES = 77
};
enum { POCL_3 = 9, POCL_4_TO_7 = 11, HAS_VARIABLES = 2 };

static const char magic[8] = "poclbin", code[] = "/program.bc", nothing[] = "/no-bitcode";
enum { NAME_LENGTH = sizeof code - 1 };
_Static_assert(sizeof nothing == sizeof code, "one is written over the other");

static uint32_t read_32(const unsigned char *at) {
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static uint64_t read_64(const unsigned char *at) {
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

// Where the length of the program's files is, if the binary is one that is known, with one file, its code, and without variables.
static size_t find_files(const unsigned char *binary, size_t size) {
    size_t at = HEADER_BYTES;
    if (size < HEADER_BYTES + 24 + NAME_LENGTH || memcmp(binary, magic, sizeof magic) != 0)
        return 0;
    const uint32_t version = read_32(binary + VERSION_AT);
    if ((version != POCL_3 && version != POCL_4_TO_7) || read_32(binary + N_FILES_AT) != 1)
        return 0;
    if (read_64(binary + FLAGS_AT) & HAS_VARIABLES) {
        if (read_64(binary + at) != 0)
            return 0;
        at += 8;
    }
    uint64_t length = read_64(binary + at), left = size - at - 8;
    bool known = length > 8 + NAME_LENGTH && length <= left && read_32(binary + at + 8) == NAME_LENGTH &&
                 memcmp(binary + at + 12, code, NAME_LENGTH) == 0 &&
                 read_32(binary + at + 12 + NAME_LENGTH) == length - 8 - NAME_LENGTH;
    return known ? at : 0;
}

// Another directory, as in that of the whole binary PoCL would find the code.
static bool change_directory(unsigned char *directory) {
    bool changed = false;
    for (size_t k = 0; k < DIRECTORY_LENGTH; k++)
        if (directory[k] >= 'A' && directory[k] <= 'P') {
            directory[k] = (unsigned char)('A' + 'P' - directory[k]);
            changed = true;
        }
    return changed;
}

size_t mst_pocl_drop_code(unsigned char *binary, size_t size) {
    size_t at = find_files(binary, size);
    if (at == 0 || !change_directory(binary + DIRECTORY_AT))
        return size;
    size_t end = at + 8 + (size_t)read_64(binary + at);
    const uint64_t length = 9 + NAME_LENGTH; // of a file of one byte, since PoCL wants one
    const uint32_t one = 1;
    memcpy(binary + at, &length, sizeof length);
    memcpy(binary + at + 12, nothing, NAME_LENGTH);
    memcpy(binary + at + 12 + NAME_LENGTH, &one, sizeof one);
    at += 8 + (size_t)length;
    memmove(binary + at, binary + end, size - end);
    return at + size - end;
}
