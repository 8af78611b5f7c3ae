#include "support.h"

#include <ftw.h>
#include <math.h>
#include <time.h>
#include <unistd.h>

// The tests are single programs with one group each; their shared state is here.
static struct {
    uint64_t random, seed;
    char directory[256];
    mst_context *context;
} group;

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *where) {
    (void)info, (void)kind, (void)where;
    return remove(path);
}

void test_remove_tree(const char *path) { nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS); }

const char *test_directory(void) {
    if (!group.directory[0]) {
        const char *base = getenv("TMPDIR");
        snprintf(group.directory, sizeof group.directory, "%s/mastaba-test-XXXXXX", base ? base : "/tmp");
        CHECK(mkdtemp(group.directory), "cannot make %s", group.directory);
    }
    return group.directory;
}

int test_file(size_t bytes) {
    char path[300];
    snprintf(path, sizeof path, "%s/data-XXXXXX", test_directory());
    int file = mkstemp(path);
    CHECK(file >= 0 && unlink(path) == 0 && ftruncate(file, (off_t)bytes) == 0, "cannot make a file of %zu bytes", bytes);
    return file;
}

bool test_watching(uint64_t done, uint64_t total, void *watch) {
    test_watch *w = watch;
    w->wrong = w->wrong || done < w->last || done > total || (w->calls && total != w->total);
    w->last = done;
    w->total = total;
    return ++w->calls != w->stop_at;
}

mst_context *test_context_with_budget(uint64_t device_memory, uint64_t host_memory) {
    mst_context_desc desc = MST_CONTEXT_DESC_INIT;
    desc.device_memory = device_memory;
    desc.host_memory = host_memory;
    return test_context(&desc);
}

mst_context *test_context(const mst_context_desc *given) {
    mst_context_desc desc = MST_CONTEXT_DESC_INIT;
    mst_context *context = NULL;
    mst_error e;
    if (given)
        desc = *given;
    if (!desc.device && !desc.opencl_context)
        desc.device = getenv("MASTABA_TEST_DEVICE");
    desc.no_cache = !desc.cache_directory;
    OK(mst_context_create(&desc, &context, &e));
    return context;
}

mst_context *test_context_cached(void) {
    mst_context_desc desc = MST_CONTEXT_DESC_INIT;
    desc.cache_directory = test_directory();
    return test_context(&desc);
}

static bool at_night(void) { return getenv("MASTABA_NIGHTLY") != NULL; }

static bool in_short(void) { return getenv("MASTABA_SHORT") != NULL && !at_night(); }

static void seed_group(void) {
    const char *given = getenv("MASTABA_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL) * 1000003u + (uint64_t)getpid();
    group.random = group.seed = seed;
    test_quick_builds = !at_night();
    setenv("MASTABA_HOST_ARRAYS", seed % 2 ? "copy" : "", 0); // each way every other time
    print_message("seed %llu (MASTABA_SEED=%llu repeats it)\n", (unsigned long long)seed, (unsigned long long)seed);
}

static int open_group(void **state, mst_context *context) {
    *state = group.context = context;
    print_message("device %s\n", mst_context_device(context)->name);
    return 0;
}

int test_setup(void **state) {
    seed_group();
    return open_group(state, test_context(NULL));
}

int test_setup_cached(void **state) {
    seed_group();
    return open_group(state, test_context_cached());
}

int test_teardown(void **state) {
    (void)state;
    uint64_t left = mst_context_device_memory_used(group.context) + test_close_cpu();
    mst_context_destroy(group.context);
    test_remove_tree(group.directory);
    if (left)
        print_error("%llu bytes of device memory are still held\n", (unsigned long long)left);
    return left != 0;
}

int test_enter_directory(void **state) {
    (void)state;
    seed_group();
    return chdir(test_directory());
}

int test_leave_directory(void **state) {
    (void)state;
    if (chdir("/") != 0)
        return -1;
    test_remove_tree(test_directory());
    return 0;
}

bool test_next_number(const char **text, uint64_t *number) {
    char *end;
    const char *at = *text + strcspn(*text, "0123456789");
    if (!*at)
        return false;
    *number = strtoull(at, &end, 10);
    *text = end;
    return true;
}

void test_seed(uint64_t seed) { group.random = seed; }

// splitmix64 (Steele, Lea, Flood 2014)
uint64_t test_random(void) {
    uint64_t z = group.random += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

enum { SHORT = 4 }; // of so many cases the short form takes one

int test_many(int n) { return at_night() ? 25 * n : in_short() ? (n + SHORT - 1) / SHORT : n; }

bool test_turn_of(const char *file, int line, size_t k, size_t period) {
    static unsigned turns[1024]; // of places in the source
    if (at_night() || (k + group.seed) % period != 0)
        return at_night();
    return !in_short() || turns[(strlen(file) + (size_t)line) % 1024]++ % SHORT == 0;
}

bool test_spared(size_t k, size_t period) { return in_short() && (k + group.seed) % period != 0; }

size_t test_between(size_t low, size_t high) { return low + (size_t)(test_random() % (high - low + 1)); }

double test_uniform(void) { return (double)(test_random() >> 11) * 0x1p-52 - 1.0; }

void test_note(const mst_tuning_result *result, void *told) {
    test_told *t = told;
    t->result = *result;
    t->n++;
}

// ---- arrays ----

static ptrdiff_t element_offset(const mst_layout *layout, size_t linear) {
    ptrdiff_t offset = 0;
    for (int k = layout->rank - 1; k >= 0; k--) {
        offset += (ptrdiff_t)(linear % layout->shape[k]) * layout->strides[k];
        linear /= layout->shape[k];
    }
    return offset;
}

test_array test_array_new(const mst_layout *layout) {
    test_array array = {.layout = *layout, .elements = 1};
    size_t width = mst_type_bytes(layout->type);
    ptrdiff_t low = 0, high = 0;
    for (int k = 0; k < layout->rank; k++)
        array.elements *= layout->shape[k];
    for (int k = 0; k < layout->rank && array.elements > 0; k++) {
        ptrdiff_t reach = (ptrdiff_t)(layout->shape[k] - 1) * layout->strides[k];
        low += reach < 0 ? reach : 0;
        high += reach > 0 ? reach : 0;
    }
    size_t span = array.elements ? (size_t)(high - low) + 1 : 0;
    array.bytes = (span + 10) * width;
    array.origin = (5 + (size_t)-low) * width;
    array.image = malloc(array.bytes);
    CHECK(array.image, "no memory for %zu bytes", array.bytes);
    memset(array.image, 0xff, array.bytes);
    return array;
}

test_array test_array_random(const mst_layout *layout) {
    test_array array = test_array_new(layout);
    size_t width = mst_type_bytes(layout->type);
    for (size_t i = 0; i < array.elements; i++) {
        if (layout->type == MST_BOOL) {
            *(uint8_t *)test_array_at(&array, i) = test_random() & 1;
        } else if (layout->type >= MST_INT8) {
            uint64_t bits = test_random();
            memcpy(test_array_at(&array, i), &bits, width);
        } else {
            double re = test_uniform(), im = test_uniform();
            test_array_set(&array, i, test_complex(re, im));
        }
    }
    return array;
}

void test_array_free(test_array *array) {
    free(array->image);
    array->image = NULL;
}

void *test_array_at(const test_array *array, size_t linear) {
    ptrdiff_t bytes = element_offset(&array->layout, linear) * (ptrdiff_t)mst_type_bytes(array->layout.type);
    return array->image + (ptrdiff_t)array->origin + bytes;
}

test_wide test_array_get(const test_array *array, size_t linear) {
    const void *p = test_array_at(array, linear);
    switch (array->layout.type) {
    case MST_FLOAT32:
        return *(const float *)p;
    case MST_FLOAT64:
        return *(const double *)p;
    case MST_COMPLEX64:
        return test_complex(((const float *)p)[0], ((const float *)p)[1]);
    case MST_COMPLEX128:
        return test_complex(((const double *)p)[0], ((const double *)p)[1]);
    case MST_INT8:
        return *(const int8_t *)p;
    case MST_UINT8:
    case MST_BOOL:
        return *(const uint8_t *)p;
    case MST_INT16:
        return *(const int16_t *)p;
    case MST_UINT16:
        return *(const uint16_t *)p;
    case MST_INT32:
        return *(const int32_t *)p;
    case MST_UINT32:
        return *(const uint32_t *)p;
    case MST_INT64: // as NumPy converts them: rounded to double first
        return (double)*(const int64_t *)p;
    case MST_UINT64:
        return (double)*(const uint64_t *)p;
    case MST_FLOAT16: // nothing that tests compute with
        break;
    }
    fail_msg("no such type");
    return 0;
}

void test_array_set(test_array *array, size_t linear, test_wide value) {
    void *p = test_array_at(array, linear);
    switch (array->layout.type) {
    case MST_FLOAT32:
        *(float *)p = (float)creall(value);
        return;
    case MST_FLOAT64:
        *(double *)p = (double)creall(value);
        return;
    case MST_COMPLEX64:
        ((float *)p)[0] = (float)creall(value);
        ((float *)p)[1] = (float)cimagl(value);
        return;
    case MST_COMPLEX128:
        ((double *)p)[0] = (double)creall(value);
        ((double *)p)[1] = (double)cimagl(value);
        return;
    default:
        fail_msg("test_array_set takes floating-point arrays");
    }
}

test_wide *test_array_values(const test_array *array) {
    test_wide *values = malloc((array->elements + 1) * sizeof *values);
    CHECK(values, "no memory for %zu values", array->elements);
    for (size_t i = 0; i < array->elements; i++)
        values[i] = test_array_get(array, i);
    return values;
}

bool test_array_gaps_intact(const test_array *array) {
    size_t width = mst_type_bytes(array->layout.type);
    unsigned char *copy = malloc(array->bytes);
    bool intact = copy != NULL;
    if (copy)
        memcpy(copy, array->image, array->bytes);
    for (size_t i = 0; copy && i < array->elements; i++)
        memset(copy + ((unsigned char *)test_array_at(array, i) - array->image), 0xff, width);
    for (size_t i = 0; intact && i < array->bytes; i++)
        intact = copy[i] == 0xff;
    free(copy);
    return intact;
}

bool test_array_same(const test_array *a, const test_array *b) {
    size_t width = mst_type_bytes(a->layout.type);
    if (a->elements != b->elements || a->layout.type != b->layout.type)
        return false;
    for (size_t i = 0; i < a->elements; i++)
        if (memcmp(test_array_at(a, i), test_array_at(b, i), width) != 0)
            return false;
    return true;
}

bool test_layout_is_double(const mst_layout *layout) { return layout->type == MST_FLOAT64 || layout->type == MST_COMPLEX128; }

mst_layout test_layout_random(mst_type type, int rank, const size_t *shape, bool broadcast) {
    mst_layout layout = {.type = type, .rank = rank};
    int order[MST_MAX_RANK] = {0};
    ptrdiff_t stride = (ptrdiff_t)test_between(1, 2);
    for (int k = 0; k < rank; k++) {
        int at = (int)test_between(0, (size_t)k);
        order[k] = order[at];
        order[at] = k;
    }
    for (int i = 0; i < rank; i++) {
        int k = order[i];
        layout.shape[k] = shape[k];
        if (broadcast && test_between(0, 5) == 0)
            continue;
        layout.strides[k] = test_between(0, 3) == 0 ? -stride : stride;
        stride = stride * (ptrdiff_t)(shape[k] ? shape[k] : 1) + (ptrdiff_t)test_between(0, 2);
    }
    return layout;
}

const char *test_layout_text(const mst_layout *layout) {
    static char text[4][256];
    static unsigned turn;
    char *out = text[turn++ % 4];
    size_t used = (size_t)snprintf(out, 256, "%s (", mst_type_name(layout->type));
    for (int k = 0; k < layout->rank; k++)
        used += (size_t)snprintf(out + used, 256 - used, "%zu%s", layout->shape[k], k + 1 < layout->rank ? "," : ")/(");
    for (int k = 0; k < layout->rank; k++)
        used += (size_t)snprintf(out + used, 256 - used, "%td%s", layout->strides[k], k + 1 < layout->rank ? "," : ")");
    return out;
}

// ---- placement ----

const char *test_place_name(mst_place place) {
    return place == MST_PLACE_HOST ? "host" : place == MST_PLACE_DEVICE ? "device" : "file";
}

// What comes before the image makes addresses as awkward as the contract allows: host data aligned to the real type only,
// device data to the element (by the guard of five), files not at all.
test_placed test_place(mst_context *context, mst_place place, const test_array *array) {
    test_placed placed = {.place = place, .context = context};
    size_t width = mst_type_bytes(array->layout.type);
    if (place == MST_PLACE_HOST) {
        placed.lead = array->layout.type == MST_COMPLEX64 || array->layout.type == MST_COMPLEX128 ? width / 2 : width;
        placed.memory = malloc(placed.lead + array->bytes);
        CHECK(placed.memory, "no memory for %zu bytes", array->bytes);
        memcpy((char *)placed.memory + placed.lead, array->image, array->bytes);
        placed.at = mst_at_host((char *)placed.memory + placed.lead + array->origin);
    } else if (place == MST_PLACE_DEVICE) {
        cl_int code;
        cl_mem buffer = clCreateBuffer(mst_context_opencl(context), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, array->bytes,
                                       array->image, &code);
        CHECK(code == CL_SUCCESS, "clCreateBuffer of %zu bytes: %d", array->bytes, code);
        placed.at = mst_at_device(buffer, array->origin);
    } else {
        placed.lead = 13;
        int file = test_file(placed.lead + array->bytes);
        for (size_t done = 0; done < array->bytes;) {
            ssize_t n = pwrite(file, array->image + done, array->bytes - done, (off_t)(placed.lead + done));
            CHECK(n > 0, "cannot write a temporary file");
            done += (size_t)n;
        }
        placed.at = mst_at_file(file, placed.lead + array->origin);
    }
    return placed;
}

void test_collect(test_placed *placed, test_array *array) {
    if (placed->place == MST_PLACE_HOST) {
        memcpy(array->image, (char *)placed->memory + placed->lead, array->bytes);
        free(placed->memory);
    } else if (placed->place == MST_PLACE_DEVICE) {
        cl_int code = clEnqueueReadBuffer(mst_context_queue(placed->context), placed->at.buffer, CL_TRUE, 0, array->bytes,
                                          array->image, 0, NULL, NULL);
        CHECK(code == CL_SUCCESS, "clEnqueueReadBuffer: %d", code);
        clReleaseMemObject(placed->at.buffer);
    } else {
        for (size_t done = 0; done < array->bytes;) {
            ssize_t n = pread(placed->at.file, array->image + done, array->bytes - done, (off_t)(placed->lead + done));
            CHECK(n > 0, "cannot read a temporary file");
            done += (size_t)n;
        }
        close(placed->at.file);
    }
}

void test_collect_input(test_placed *placed, const test_array *input) {
    test_array after = *input;
    after.image = malloc(input->bytes);
    CHECK(after.image, "no memory for %zu bytes", input->bytes);
    test_collect(placed, &after);
    CHECK(memcmp(after.image, input->image, input->bytes) == 0, "an input in %s changed", test_place_name(placed->place));
    free(after.image);
}

void test_collect_output(test_placed *placed, test_array *output) {
    test_collect(placed, output);
    CHECK(test_array_gaps_intact(output), "bytes outside the elements of %s in %s were written",
          test_layout_text(&output->layout), test_place_name(placed->place));
}
