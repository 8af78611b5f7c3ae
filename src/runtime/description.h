// How structs cross the library's border, so that programs built with older and newer headers work: see mastaba.h.
//
// A struct begins with its struct_size, which its INIT macro sets; an array comes with the size of its elements. What is read is
// copied into a full struct of this library's before anything else looks at it; of what is written, no more than was asked for.
#ifndef MST_RUNTIME_DESCRIPTION_H
#define MST_RUNTIME_DESCRIPTION_H

#include "runtime/error.h"

typedef struct mst_description {
    const char *init; // the macro that sets the size, as messages name it
    size_t least;     // bytes before the first member that may be missing
    size_t size;
    const void *defaults;
} mst_description;

// Of a struct with a struct_size; `optional` is the first member that may be missing.
#define MST_DESCRIPTION(type, init, optional)                                                                                    \
    (&(const mst_description){#init, offsetof(type, optional), sizeof(type), &(const type)init})

// Copies a caller's struct into `to`, which is full: members that are missing have their defaults. MST_ERROR_ARGUMENT: a size
// that no version of the struct has, or members set that this library does not know.
mst_status mst_description_read(const mst_description *kind, const void *from, void *to, mst_error *error);

// The same for the size alone, of a struct that will be written.
mst_status mst_description_check(const mst_description *kind, const void *given, mst_error *error);

// Fills a caller's struct, which was checked, with a full one but for struct_size, as far as it reaches.
void mst_description_write(const mst_description *kind, const void *from, void *to);

typedef struct mst_elements {
    const char *member, *init; // of the description that holds the elements' size, and its macro
    size_t least, size;        // bytes that must be there, and of this library's
} mst_elements;

#define MST_ELEMENTS(type, member, init, least) (&(const mst_elements){#member, #init, least, sizeof(type)})

// Copies n elements, `stride` bytes apart, into `to`, n full ones: members that are missing are 0. Errors as
// mst_description_read.
mst_status mst_elements_read(const mst_elements *kind, const void *from, size_t n, size_t stride, void *to, mst_error *error);

// The same into new memory, which is *to's owner's to free; NULL if n is 0.
mst_status mst_elements_copy(const mst_elements *kind, const void *from, size_t n, size_t stride, void **to, mst_error *error);

// Checks the size of elements that will be written, and writes number `i` of them.
mst_status mst_elements_check(const mst_elements *kind, size_t stride, mst_error *error);
void mst_elements_write(const mst_elements *kind, const void *from, size_t i, size_t stride, void *to);

#endif
