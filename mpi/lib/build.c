#include "build.h"

#include <mastaba/mpi.h>

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>

typedef struct search {
    uintptr_t places[2]; // in what is looked for
    uint64_t hash;
} search;

static void add(search *s, const unsigned char *bytes, size_t n) {
    for (size_t i = 0; i < n; i++)
        s->hash = (s->hash ^ bytes[i]) * 0x100000001b3; // FNV-1a
}

static bool has_place(const struct dl_phdr_info *object, const search *s) {
    bool has = false;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        for (int k = 0; k < 2; k++)
            has = has || (part->p_type == PT_LOAD && s->places[k] - object->dlpi_addr - part->p_vaddr < part->p_memsz);
    }
    return has;
}

// The linker's digest of an object, where it has written one.
static void add_notes(search *s, const unsigned char *at, size_t bytes) {
    ElfW(Nhdr) note;
    while (bytes >= sizeof note) {
        memcpy(&note, at, sizeof note);
        const size_t name = (note.n_namesz + 3u) / 4 * 4, text = (note.n_descsz + 3u) / 4 * 4;
        if (bytes - sizeof note < name + text)
            return;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(at + sizeof note, "GNU", 4) == 0)
            add(s, at + sizeof note + name, note.n_descsz);
        at += sizeof note + name + text;
        bytes -= sizeof note + name + text;
    }
}

static int look(struct dl_phdr_info *object, size_t bytes, void *user) {
    search *s = user;
    (void)bytes;
    for (int i = 0; i < object->dlpi_phnum && has_place(object, s); i++)
        if (object->dlpi_phdr[i].p_type == PT_NOTE)
            add_notes(s, (const unsigned char *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr), object->dlpi_phdr[i].p_memsz);
    return 0;
}

uint64_t mst_mpi_build(void) {
    search s = {{(uintptr_t)&mst_mpi_build, (uintptr_t)mst_version()}, 0xcbf29ce484222325};
    add(&s, (const unsigned char *)mst_version(), strlen(mst_version()));
    dl_iterate_phdr(look, &s);
    return s.hash;
}
