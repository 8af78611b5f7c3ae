// How much RAM there is, by what Linux says: of the machine, and of the control groups (of a container, say) that the process is
// in, version 1 or 2. `root` is what stands before /proc and /sys: "" but in tests. UINT64_MAX: not known. Thread-safe.
#ifndef MST_STREAM_RAM_H
#define MST_STREAM_RAM_H

#include <stdint.h>

// What the process could have in all.
uint64_t mst_ram_bytes(const char *root);

// What it could be given now without swapping, what caches hold of files included.
uint64_t mst_ram_available(const char *root);

#endif
