// What the targets share. A target is LLVMFuzzerTestOneInput of targets/X.c: it gives the bytes of a hostile file to the reader
// of that format, and checks what was accepted. It keeps no state, so that every input can be repeated alone.
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// libFuzzer and replay.c call this one; 0: go on.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// The path of a file in memory that holds these bytes, until the next call.
const char *fuzz_file(const uint8_t *data, size_t size);

// What has to be true of every input. Else the process ends, for the fuzzer to keep the input.
#define FUZZ_CHECK(condition)                                                                                                    \
    do {                                                                                                                         \
        if (!(condition))                                                                                                        \
            fuzz_fail(__FILE__, __LINE__, #condition);                                                                           \
    } while (0)
void fuzz_fail(const char *file, int line, const char *condition) __attribute__((noreturn));

// Whether a message is there, and is one line of plain characters.
bool fuzz_is_message(const char *message);

#endif
