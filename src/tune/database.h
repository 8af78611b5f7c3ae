// Results of searches, as JSON: an object with the device and an array of entries. In memory (database.c) and on disk (file.c).
#ifndef MST_TUNE_DATABASE_H
#define MST_TUNE_DATABASE_H

#include "tune.h"

#include <jansson.h>

// Every function that returns a json_t returns a new reference, or NULL when out of memory if nothing else is said.

// ---- database.c

enum { MST_TUNING_SCHEMA = 1 };

// {"schema": 1, "device": {...}, "entries": []} for a device.
json_t *mst_tuning_new(const mst_device_info *device);

// Whether a value has that form, so that the functions below may take it.
bool mst_tuning_is_valid(const json_t *database);

json_t *mst_tuning_entry(const mst_tune_problem *problem, const mst_tune_found *found, const char *driver);

// Adds entries to those of a database: of two for the same problem, kernel and driver the newer one stays, or the added one if
// it was found just now, whatever clocks were ahead; of too many, the oldest go. False when out of memory.
bool mst_tuning_merge(json_t *database, const json_t *entries, bool found_now);

// The entry that suits a problem best, of those that suit worse than `failed`, borrowed, its values and how well it suits; NULL
// if none does.
const json_t *mst_tuning_find(const json_t *database, const mst_tune_problem *problem, const char *driver,
                              mst_tuning_source failed, int64_t *values, mst_tuning_source *source);

// What is known of a problem from an entry. Strings are the entry's.
mst_tuning_result mst_tuning_describe(const json_t *entry, const char *driver);

// Whether a database is of a device of the same kind: both CPUs of one platform and architecture, or GPUs of one platform.
bool mst_tuning_same_kind(const json_t *database, const mst_device_info *device);
bool mst_tuning_names_kind(const char *text,
                           const mst_device_info *device); // a database's text; without reading it, which takes long

// ---- file.c

// The database of the context's device; an empty one if there is none on disk. One that is damaged is set aside, with a warning
// in the log.
json_t *mst_tuning_load(mst_context *context);

typedef enum mst_tuning_change { MST_TUNING_ADD, MST_TUNING_ADD_FOUND_NOW, MST_TUNING_FORGET } mst_tuning_change;

// Adds the entries of `database` to the file of the device that it names, or empties it.
mst_status mst_tuning_store(mst_context *context, const json_t *database, mst_tuning_change change, mst_error *error);

// Whether results of the context's device can be written; done where there is no cache directory for them.
mst_status mst_tuning_check_store(mst_context *context, mst_error *error);

// Any database's file; *out is the caller's.
mst_status mst_tuning_read(const char *path, json_t **out, mst_error *error);
mst_status mst_tuning_write(const char *path, const json_t *database, bool locked, mst_error *error); // locked: nobody else does

#endif
