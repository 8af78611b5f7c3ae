// Files for reading, and bytes at a place in a file.
#ifndef MASTABA_CLI_FILE_H
#define MASTABA_CLI_FILE_H

#include <mastaba/mastaba.h>
#include <sys/stat.h>

// Opens a file for reading, without waiting for a writer where it is a pipe, and describes it. Returns the descriptor, or -1
// after printing the error.
int cli_open_input(const char *command, const char *path, struct stat *info);

// Whether a directory can be written, or made where it is not there.
bool cli_can_make(const char *directory);

// As many bytes of a file from `offset` on as there are, up to `bytes`, however few come at a time. Fewer: errno is that of a
// failure, or 0 at the end of the file.
size_t cli_read_some(int file, uint64_t offset, void *data, size_t bytes);

// Move bytes between memory and the place `offset` bytes behind a location in a file. False if that failed; cli_fail_file says
// why, if it is called at once.
bool cli_read_bytes(const mst_location *from, uint64_t offset, void *data, size_t bytes);
bool cli_write_bytes(const mst_location *to, uint64_t offset, const void *data, size_t bytes);

// Reads n numbers of float32, float64, int32 or int64, in the same way.
bool cli_read_doubles(const mst_location *from, mst_type type, double *values, size_t n);

// Prints "PATH: WHAT: REASON", with the reason for which one of these failed. Returns CLI_INPUT_OUTPUT.
int cli_fail_file(const char *command, const char *path, const char *what);

#endif
