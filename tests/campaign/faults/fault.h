// What shims share: calls are counted by entry point and by the stack of functions that led to them, and one of them is to fail
// (run has the protocol).
#ifndef FAULTS_FAULT_H
#define FAULTS_FAULT_H

#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The shim's; the first one is "" and stands for no fault, and NULL is behind the last one.
static const char *const kind_names[];

// Calls of one entry point by one stack.
typedef struct stack {
    uint32_t hash;
    unsigned calls;
    struct stack *next;
} stack;

typedef struct entry {
    const char *name;
    unsigned kinds; // bits: those it may fail in
    unsigned calls;
    stack *stacks;
    struct entry *next;
} entry;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; // guards what follows
static entry *entries;

// ---- who calls

static uintptr_t ranges[8][2]; // of the code of the program and of libmastaba
static int n_ranges;

static int add_object(struct dl_phdr_info *object, size_t size, void *user) {
    (void)size, (void)user;
    if (object->dlpi_name[0] && !strstr(object->dlpi_name, "libmastaba"))
        return 0;
    for (int k = 0; k < object->dlpi_phnum; k++)
        if (object->dlpi_phdr[k].p_type == PT_LOAD && object->dlpi_phdr[k].p_flags & PF_X && n_ranges < 8) {
            ranges[n_ranges][0] = object->dlpi_addr + object->dlpi_phdr[k].p_vaddr;
            ranges[n_ranges][1] = ranges[n_ranges][0] + object->dlpi_phdr[k].p_memsz;
            n_ranges++;
        }
    return 0;
}

__attribute__((constructor)) static void find_objects(void) {
    void *frame;
    backtrace(&frame, 1); // the first one takes memory
    dl_iterate_phdr(add_object, NULL);
}

// The number of the range that code is in, -1: another library's.
static int range_of(const void *code) {
    for (int k = 0; k < n_ranges; k++)
        if ((uintptr_t)code >= ranges[k][0] && (uintptr_t)code < ranges[k][1])
            return k;
    return -1;
}

// A hash (FNV-1a) of the places in the program and in libmastaba that calls return to, the same in every run of a build.
static uint32_t hash_stack(void) {
    void *frames[128];
    uint32_t hash = 2166136261u;
    int n = backtrace(frames, 128);
    for (int i = 0; i < n; i++) {
        int range = range_of(frames[i]);
        uint64_t place = range < 0 ? 0 : (uint64_t)((uintptr_t)frames[i] - ranges[range][0]) * 8 + (uint64_t)range;
        for (; place; place >>= 8)
            hash = (hash ^ (uint32_t)(place & 0xff)) * 16777619u;
    }
    return hash;
}

// ---- counting

__attribute__((destructor)) static void report(void) {
    char line[200];
    const char *path = getenv("FAULT_COUNTS");
    int file = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
    for (const entry *e = entries; e && file >= 0; e = e->next)
        for (const stack *s = e->stacks; s; s = s->next)
            for (unsigned k = 1; kind_names[k]; k++)
                if (e->kinds >> k & 1) {
                    int length = snprintf(line, sizeof line, "%s %s %08x %u\n", e->name, kind_names[k], s->hash, s->calls);
                    if (write(file, line, (size_t)length) != length)
                        abort();
                }
    if (file >= 0)
        close(file);
}

// Under the mutex.
static stack *find_stack(entry *e, uint32_t hash) {
    for (stack *s = e->stacks; s; s = s->next)
        if (s->hash == hash)
            return s;
    stack *s = malloc(sizeof *s); // the shim's own, which does not fail
    if (!s)
        abort();
    *s = (stack){hash, 0, e->stacks};
    return e->stacks = s;
}

// Whether FAULT, being ENTRY:KIND:NUMBER or ENTRY:KIND:NUMBER@STACK, is of this entry point.
static bool is_named(const entry *e, const char *fault) {
    size_t length = strlen(e->name);
    return fault && strncmp(fault, e->name, length) == 0 && fault[length] == ':';
}

// The kind of fault that is wanted of this call; 0: none.
static unsigned wanted(const entry *e, const stack *s, const char *fault) {
    const char *reached = getenv("FAULT_REACHED"), *name = fault + strlen(e->name) + 1, *number = strrchr(fault, ':');
    char *end;
    unsigned long n = strtoul(number + 1, &end, 10);
    if (*end == '@' ? n != s->calls || strtoul(end + 1, NULL, 16) != s->hash : n != e->calls)
        return 0;
    if (reached)
        close(open(reached, O_CREAT | O_WRONLY, 0666));
    for (unsigned k = 1; kind_names[k]; k++)
        if (strlen(kind_names[k]) == (size_t)(number - name) && strncmp(name, kind_names[k], (size_t)(number - name)) == 0)
            return k;
    return 0;
}

// Counts a call; the kind of fault that is wanted of it. Under the mutex.
static unsigned count_call(entry *e, const char *name, unsigned kinds) {
    const char *fault = getenv("FAULT");
    if (e->calls++ == 0) {
        e->name = name, e->kinds = kinds, e->next = entries;
        entries = e;
    }
    if (!is_named(e, fault) && !getenv("FAULT_COUNTS"))
        return 0; // following a stack takes microseconds
    stack *s = find_stack(e, hash_stack());
    s->calls++;
    return is_named(e, fault) ? wanted(e, s, fault) : 0;
}

#endif
