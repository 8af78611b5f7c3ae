// Compiled kernels on disk, and what was measured with them. A file is verified before any driver sees it (some accept damaged
// binaries), and any doubt means building from source. Without a directory the context keeps what is stored, until it ends.
#ifndef MST_RUNTIME_CACHE_H
#define MST_RUNTIME_CACHE_H

#include "context.h"

typedef struct mst_cache_key {
    uint64_t low, high;
} mst_cache_key;

// The directory to use: `wanted`, else $XDG_CACHE_HOME/mastaba, else $HOME/.cache/mastaba; *out is NULL if there is none.
mst_status mst_cache_directory(const char *wanted, char **out, mst_error *error);

// A descriptor of $MASTABA_SYSTEM_CACHE, or of where the library was built to look, if root alone can write in it and in what is
// above it, no link among these; -1 otherwise, which the log tells where there is such a directory.
int mst_cache_system_directory(mst_context *context);

// mkdir -p, private from the first directory that did not exist.
bool mst_cache_make_directory(const char *path);

// XXH3-128 of the source, the options, the library's version and what the device and its driver call themselves. False
// without memory.
bool mst_cache_make_key(const mst_context *context, const char *source, size_t length, const char *options, mst_cache_key *key);

// The payload stored under a key, of programs also in the directory for all users, which comes first; the caller's to free, or
// NULL. Never fails: what is wrong goes to the log.
unsigned char *mst_cache_load_program(mst_context *context, mst_cache_key key, size_t *size);
unsigned char *mst_cache_load(mst_context *context, mst_cache_key key, size_t *size);

// Stores a payload whole or not at all. Never fails: what is wrong goes to the log.
void mst_cache_store(mst_context *context, mst_cache_key key, const unsigned char *payload, size_t size);

// One at a time holds the lock of a cache's directory, of all threads and processes. Without a directory, or where it has no
// locks, there is nothing to hold.
int mst_cache_lock(const mst_context *context);
void mst_cache_unlock(int lock);

// Forgets what the context keeps itself.
void mst_cache_destroy(struct mst_kept *kept);

#endif
