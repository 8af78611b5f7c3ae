// Mastaba: tuning, that is, finding by test runs which kernels are fastest on a device, and remembering it.
//
// Kernels have parameters that do not change results (vector widths, work-group sizes, how many steps are fused), and which
// values are best depends on the device. Nothing is tuned unless it is asked for: a plan looks its values up, in this order:
//     1. what was found on this device for this very problem
//     2. the same, found with another version of the driver
//     3. what was found on this device for the problem of the same kind whose size is nearest
//     4. what the library was shipped with for devices of the same kind
//     5. values that are right on any device
// Where values that were looked up do not work any more, the next place's are taken, with a warning in the log where they were
// 1. or 2. Values given in a description come before all of them. Results are kept in one JSON file a device, in the context's
// cache directory; a context without one keeps none, and begins at 4.
#ifndef MASTABA_TUNE_H
#define MASTABA_TUNE_H

#include <mastaba/context.h>

#ifdef __cplusplus
extern "C" {
#endif

// Where values come from; see above.
typedef enum mst_tuning_source {
    MST_TUNING_SEARCHED = 1, // just now
    MST_TUNING_EXACT = 2,
    MST_TUNING_OTHER_DRIVER = 3,
    MST_TUNING_NEAREST = 4,
    MST_TUNING_SHIPPED = 5,
    MST_TUNING_SAFE = 6
} mst_tuning_source;

enum { MST_TUNING_MAX_VALUES = 16 };

// A value of a parameter of kernels.
typedef struct mst_tuning_value {
    const char *name; // "width"
    int64_t value;
} mst_tuning_value;

// One problem and what was found for it.
typedef struct mst_tuning_result {
    size_t struct_size;     // the library's sizeof(mst_tuning_result)
    const char *capability; // "map"
    const char *variant;    // what else has to be the same: "float32", say
    uint64_t size;          // its meaning is the capability's: elements, points
    mst_tuning_source source;
    int n_values;
    mst_tuning_value values[MST_TUNING_MAX_VALUES];
    double seconds;             // of the work that was timed, with these values; 0: not known
    double before_seconds;      // with the values that the problem had without the search, or in a comparison those of a device
                                // where nothing was tuned; 0: neither was made
    double safe_seconds;        // with values that are right on any device; 0: not known
    unsigned tried, candidates; // by the search, of all that there are; 0 where none was made
    unsigned wrong;             // candidates that gave wrong results, and so did not count
    uint64_t elements;          // of the arrays that were timed, where `size` is rounded or was too large; 0: not known
    double search_seconds;      // compiling included; 0: nothing was searched
    const char *driver, *date;  // of the search; NULL: not known
} mst_tuning_result;

// What it points at is valid during the call only.
typedef void (*mst_tuning_fn)(const mst_tuning_result *result, void *user);

// How kernels are tuned on a context.
typedef struct mst_tuning {
    size_t struct_size;
    double seconds;           // budget of each problem's search, compiling included; that of candidates that were begun, and of
                              // the last comparison, may come on top
    uint64_t seed;            // of the order among candidates that seem equal, and of the data
    bool again;               // search where there is a result of 1. too
    bool compare;             // search nothing: time the values there are beside those of 4. and 5., in turns, for `seconds`;
                              // plans are refused with MST_ERROR_UNSUPPORTED where either do not work
    unsigned threads;         // that build candidates at once (up to 8), none of them while one is timed; 0: one on a CPU, which
                              // has nothing else to compile with, up to 4 on other devices
    mst_progress_fn progress; // candidates tried, and all there are; may be NULL; false ends with MST_ERROR_CANCELLED
    mst_tuning_fn report;     // called for every choice of values for plans made on the context; may be NULL
    void *user;
} mst_tuning;

// The time for a problem where none is given.
#define MST_TUNING_SECONDS 20.0

#define MST_TUNING_INIT                                                                                                          \
    { sizeof(mst_tuning), MST_TUNING_SECONDS, 1, false, false, 0, NULL, NULL, NULL }

// From here on until mst_tuning_end, plans made on the context search for their values, by test runs on the device, where there
// is no result of 1. for them, and keep what they find. Every candidate's results are compared with those of the safe values
// first. The values that the problem had without the search are replaced only by values that are at least 3 % faster in turns
// with them. Creating a plan blocks meanwhile. One thread makes plans while a context tunes. *how is copied. MST_ERROR_ARGUMENT,
// MST_ERROR_HOST_MEMORY; MST_ERROR_IO: there is a cache directory, but what a search finds could not be written there.
MST_API mst_status mst_tuning_begin(mst_context *context, const mst_tuning *how, mst_error *error);
MST_API void mst_tuning_end(mst_context *context);

// Calls `report` for each result of the context's device, in no order (source is MST_TUNING_EXACT or MST_TUNING_OTHER_DRIVER).
// MST_ERROR_ARGUMENT: report is NULL; MST_ERROR_HOST_MEMORY. Thread-safe.
MST_API mst_status mst_tuning_list(mst_context *context, mst_tuning_fn report, void *user, mst_error *error);

// Writes the results of the context's device to a JSON file, which appears whole or not at all; one that is there is replaced.
// Import adds the results of such a file, of which *count, if not NULL, gets the number, to those of the device that the file
// names: results of another device never mix with this one's. Newer results replace older ones. MST_ERROR_IO; MST_ERROR_FORMAT:
// the file is no such file; MST_ERROR_ARGUMENT: the context has no cache directory; MST_ERROR_HOST_MEMORY. Thread-safe, and safe
// beside other processes.
MST_API mst_status mst_tuning_export(mst_context *context, const char *path, mst_error *error);
MST_API mst_status mst_tuning_import(mst_context *context, const char *path, size_t *count, mst_error *error);

// Forgets all results of the context's device; contexts that exist elsewhere keep what they have read. Errors as of import.
MST_API mst_status mst_tuning_reset(mst_context *context, mst_error *error);

// "nearest size" and so on. Static storage. Thread-safe.
MST_API const char *mst_tuning_source_name(mst_tuning_source source);

#ifdef __cplusplus
}
#endif
#endif
