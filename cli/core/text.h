// Numbers as text, and properties of texts.
#ifndef MASTABA_CLI_TEXT_H
#define MASTABA_CLI_TEXT_H

#include <mastaba/mastaba.h>

// Bytes of the character in UTF-8 that stands there, 0 if none does: names of drivers and files may be anything.
size_t cli_utf8_length(const char *text);

// Whether the path ends so, in any case: ".npy" say.
bool cli_has_extension(const char *path, const char *extension);

// "1.50 GiB" in text (at least 32 bytes); returns text.
char *cli_size_text(uint64_t bytes, char *text);

// "1.50 s", "20.1 ms" or "7 us" in text (at least 32 bytes); returns text.
char *cli_time_text(double seconds, char *text);

// "[3, 4096]" in text (at least 200 bytes); returns text.
char *cli_shape_text(const mst_layout *layout, char *text);

#endif
