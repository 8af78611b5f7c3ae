#include "large_pages.h"

#include <stdlib.h>
#include <sys/mman.h>

#ifdef MADV_HUGEPAGE

#define PAGE ((size_t)2 << 20)
#define LEAST_BYTES (2 * PAGE)

typedef struct own_memory {
    void *address;
    size_t bytes;
} own_memory;

static void CL_CALLBACK give_back(cl_mem buffer, void *user) {
    own_memory *p = user;
    (void)buffer;
    munmap(p->address, p->bytes);
    free(p);
}

// A part of the address space that begins with a page and ends with one, its first `large` bytes in large pages: what lies behind
// the buffer would take memory that no budget counts.
static void *take(size_t bytes, size_t large) {
    unsigned char *taken = mmap(NULL, bytes + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (taken == MAP_FAILED)
        return NULL;
    const size_t before = (PAGE - (uintptr_t)taken % PAGE) % PAGE;
    if (before > 0)
        munmap(taken, before);
    if (before < PAGE)
        munmap(taken + before + bytes, PAGE - before);
    madvise(taken + before, large, MADV_HUGEPAGE); // a wish
    return taken + before;
}

cl_mem mst_large_pages_create(cl_context context, cl_mem_flags flags, uint64_t bytes) {
    own_memory *p = bytes < LEAST_BYTES || bytes > SIZE_MAX - 2 * PAGE ? NULL : malloc(sizeof *p);
    cl_mem buffer = NULL;
    if (!p)
        return NULL;
    p->bytes = ((size_t)bytes + PAGE - 1) / PAGE * PAGE;
    p->address = take(p->bytes, (size_t)bytes / PAGE * PAGE);
    if (p->address)
        buffer = clCreateBuffer(context, flags | CL_MEM_USE_HOST_PTR, (size_t)bytes, p->address, NULL);
    if (buffer && clSetMemObjectDestructorCallback(buffer, give_back, p) == CL_SUCCESS)
        return buffer;
    if (buffer)
        clReleaseMemObject(buffer);
    if (p->address)
        munmap(p->address, p->bytes);
    free(p);
    return NULL;
}

#else

cl_mem mst_large_pages_create(cl_context context, cl_mem_flags flags, uint64_t bytes) {
    (void)context, (void)flags, (void)bytes;
    return NULL;
}

#endif
