// What shims share: calls are counted by entry point, and one of them is to fail (run has the protocol).
#ifndef FAULTS_FAULT_H
#define FAULTS_FAULT_H

#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The shim's; the first one is "" and stands for no fault, and NULL is behind the last one.
static const char *const kind_names[];

typedef struct entry {
    const char *name;
    unsigned kinds; // bits: those it may fail in
    unsigned calls;
    struct entry *next;
} entry;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; // guards what follows
static entry *entries;

__attribute__((destructor)) static void report(void) {
    char line[200];
    const char *path = getenv("FAULT_COUNTS");
    int file = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
    for (const entry *e = entries; e && file >= 0; e = e->next)
        for (unsigned k = 1; kind_names[k]; k++)
            if (e->kinds >> k & 1) {
                int length = snprintf(line, sizeof line, "%s %s %u\n", e->name, kind_names[k], e->calls);
                if (write(file, line, (size_t)length) != length)
                    abort();
            }
    if (file >= 0)
        close(file);
}

// The kind of fault that is wanted of this call, FAULT being ENTRY:KIND:NUMBER; 0: none.
static unsigned wanted(const entry *e) {
    const char *fault = getenv("FAULT"), *reached = getenv("FAULT_REACHED");
    size_t length = strlen(e->name);
    if (!fault || strncmp(fault, e->name, length) != 0 || fault[length] != ':')
        return 0;
    const char *number = strrchr(fault, ':'), *name = fault + length + 1;
    if (strtoul(number + 1, NULL, 10) != e->calls)
        return 0;
    if (reached)
        close(open(reached, O_CREAT | O_WRONLY, 0666));
    for (unsigned k = 1; kind_names[k]; k++)
        if (strlen(kind_names[k]) == (size_t)(number - name) && strncmp(name, kind_names[k], (size_t)(number - name)) == 0)
            return k;
    return 0;
}

// Counts a call. Under the mutex.
static unsigned count_call(entry *e, const char *name, unsigned kinds) {
    if (e->calls++ == 0) {
        e->name = name, e->kinds = kinds, e->next = entries;
        entries = e;
    }
    return wanted(e);
}

#endif
