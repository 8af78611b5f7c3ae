#include "pocl_binary.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// How PoCL writes a binary (lib/CL/pocl_binary.c there), numbers in little-endian order: this; in versions from 10 on, the bytes
// of the program's own variables; the length of the program's files and these; kernels, with theirs at the end of each. A file is
// its name and its content, each behind its length of 32 bits, as is a kernel's name.
enum {
    VERSION_AT = 16,   // 32 bits
    N_KERNELS_AT = 20, // 32 bits
    FLAGS_AT = 24,     // 64 bits
    N_FILES_AT = 32,   // 32 bits: files of the program
    DIRECTORY_AT = 36,
    DIRECTORY_LENGTH = 40, // in PoCL's cache, where files are unpacked that are not there: "AB/CDEF...", in A to P
    HEADER_BYTES = 77
};
// Of a kernel, at its begin: its bytes in all and those of its files, 64 bits each, and those of its arguments.
enum { KERNEL_FILES_AT = 8, KERNEL_NAME_AT = 20 };
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

// Bytes of a binary that are left to be read.
typedef struct unread {
    const unsigned char *at;
    uint64_t left;
} unread;

static bool take(unread *from, uint64_t bytes, unread *out) {
    if (bytes > from->left)
        return false;
    *out = (unread){from->at, bytes};
    from->at += bytes;
    from->left -= bytes;
    return true;
}

static bool take_string(unread *from, unread *out) {
    unread length;
    return take(from, 4, &length) && take(from, read_32(length.at), out);
}

static bool take_text(unread *from, const char *text, size_t length) {
    unread part;
    return take(from, length, &part) && memcmp(part.at, text, length) == 0;
}

// Whether a file is where PoCL looks for the machine code that takes any work-group: "/NAME/0-0-0/NAME.so".
static bool is_general_form(unread file, unread name) {
    static const char any_size[] = "/0-0-0/", end[] = ".so";
    const char *text = (const char *)name.at;
    return take_text(&file, "/", 1) && take_text(&file, text, name.left) && take_text(&file, any_size, sizeof any_size - 1) &&
           take_text(&file, text, name.left) && take_text(&file, end, sizeof end - 1) && file.left == 0;
}

static bool take_kernel(unread *from) {
    unread kernel = *from, begin, name, file, content;
    bool found = false;
    if (from->left < KERNEL_NAME_AT || !take(from, read_64(from->at), &kernel) || !take(&kernel, KERNEL_NAME_AT, &begin) ||
        !take_string(&kernel, &name) || read_64(begin.at + KERNEL_FILES_AT) > kernel.left)
        return false;
    const uint64_t before = kernel.left - read_64(begin.at + KERNEL_FILES_AT);
    kernel.at += before;
    kernel.left -= before;
    while (kernel.left > 0) {
        if (!take_string(&kernel, &file) || !take_string(&kernel, &content))
            return false;
        found = found || (is_general_form(file, name) && content.left > 0);
    }
    return found;
}

// Where the length of the program's files is, if the binary is one that is known, with one file, its code, without variables, and
// with what all of its kernels need to be launched: else 0.
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
    unread kernels = {binary + at + 8, size - at - 8}, files, name, content;
    if (!take(&kernels, read_64(binary + at), &files) || !take_string(&files, &name) || !take_text(&name, code, NAME_LENGTH) ||
        name.left > 0 || !take_string(&files, &content) || content.left == 0 || files.left > 0)
        return 0;
    for (uint32_t k = read_32(binary + N_KERNELS_AT); k > 0; k--)
        if (!take_kernel(&kernels))
            return 0;
    return kernels.left == 0 ? at : 0;
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

unsigned char *mst_pocl_without_code(const unsigned char *binary, size_t size, size_t *length) {
    const size_t at = find_files(binary, size);
    if (at == 0)
        return NULL;
    const uint64_t files = 4 + NAME_LENGTH + 4 + 1; // one of one byte, since PoCL wants one
    const uint32_t lengths[] = {NAME_LENGTH, 1};
    const size_t end = at + 8 + (size_t)read_64(binary + at), begin = at + 8 + (size_t)files;
    unsigned char *out = malloc(begin + size - end);
    if (!out)
        return NULL;
    memcpy(out, binary, at);
    memcpy(out + at, &files, 8);
    memcpy(out + at + 8, &lengths[0], 4);
    memcpy(out + at + 12, nothing, NAME_LENGTH);
    memcpy(out + at + 12 + NAME_LENGTH, &lengths[1], 4);
    out[begin - 1] = 0;
    memcpy(out + begin, binary + end, size - end);
    *length = begin + size - end;
    if (change_directory(out + DIRECTORY_AT))
        return out;
    free(out);
    return NULL;
}
