#include "npy_header.h"

#include <stdio.h>
#include <string.h>

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
static const char native_order = '<', foreign_order = '>';
#else
static const char native_order = '>', foreign_order = '<';
#endif

static const char magic[] = "\x93NUMPY";
enum { MAGIC_BYTES = 6 };

static const struct {
    char descr[4]; // without the byte order
    mst_type type;
} types[] = {
    {"f4", MST_FLOAT32}, {"f8", MST_FLOAT64}, {"c8", MST_COMPLEX64}, {"c16", MST_COMPLEX128}, {"i1", MST_INT8},
    {"u1", MST_UINT8},   {"i2", MST_INT16},   {"u2", MST_UINT16},    {"i4", MST_INT32},       {"u4", MST_UINT32},
    {"i8", MST_INT64},   {"u8", MST_UINT64},  {"b1", MST_BOOL},      {"f2", MST_FLOAT16},
};

// What is not taken, by how its descr begins (without the byte order).
static const struct {
    const char *descr, *what, *convert;
} refused[] = {
    {"O", "Python objects", "a.astype('float64')"},
    {"f", "long double values", "a.astype('float64')"},
    {"c", "complex long double values", "a.astype('complex128')"},
    {"S", "byte strings", "a.astype('float64')"},
    {"a", "byte strings", "a.astype('float64')"},
    {"U", "strings", "a.astype('float64')"},
    {"M", "dates and times", "a.astype('int64')"},
    {"m", "time differences", "a.astype('int64')"},
    {"V", "raw bytes of no type", "a.view('uint8')"},
};

mst_status mst_npy_prefix_read(const unsigned char *bytes, size_t available, size_t *text_offset, size_t *text_bytes,
                               mst_error *error) {
    mst_status status = MST_OK;

    MST_REQUIRE(available >= MAGIC_BYTES && !memcmp(bytes, magic, MAGIC_BYTES), MST_ERROR_FORMAT, "not a .npy file");
    MST_REQUIRE(available >= MST_NPY_PREFIX_BYTES, MST_ERROR_FORMAT, "truncated .npy file: it ends within the header");
    unsigned major = bytes[6], minor = bytes[7];
    MST_REQUIRE(major >= 1 && major <= 3 && minor == 0, MST_ERROR_FORMAT,
                ".npy version %u.%u is not known; 1.0, 2.0 and 3.0 are read", major, minor);
    size_t length = bytes[8] | (size_t)bytes[9] << 8;
    if (major >= 2)
        length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    MST_REQUIRE(length <= MST_NPY_TEXT_LIMIT, MST_ERROR_FORMAT,
                "a .npy header of %zu bytes is not plausible; at most %d are read", length, MST_NPY_TEXT_LIMIT);
    *text_offset = major == 1 ? 10 : 12;
    *text_bytes = length;
fail:
    return status;
}

// The part of a dictionary that is not read yet.
typedef struct text {
    const char *at, *end;
} text;

static void skip_space(text *t) {
    while (t->at < t->end && (*t->at == ' ' || *t->at == '\t' || *t->at == '\n' || *t->at == '\r'))
        t->at++;
}

static bool accept(text *t, const char *word) {
    size_t length = strlen(word);
    skip_space(t);
    if ((size_t)(t->end - t->at) < length || memcmp(t->at, word, length) != 0)
        return false;
    t->at += length;
    return true;
}

// A quoted string into *content, which points into the text; no escapes.
static bool accept_string(text *t, text *content) {
    skip_space(t);
    if (t->at == t->end || (*t->at != '\'' && *t->at != '"'))
        return false;
    const char *begin = t->at + 1;
    const char *end = memchr(begin, *t->at, (size_t)(t->end - begin));
    if (!end || memchr(begin, '\\', (size_t)(end - begin)))
        return false;
    *content = (text){begin, end};
    t->at = end + 1;
    return true;
}

static bool string_is(text s, const char *word) {
    return (size_t)(s.end - s.at) == strlen(word) && !memcmp(s.at, word, strlen(word));
}

// A decimal length; a trailing L, as Python 2 wrote, is allowed.
static bool accept_length(text *t, size_t *value) {
    skip_space(t);
    const char *begin = t->at;
    *value = 0;
    for (; t->at < t->end && *t->at >= '0' && *t->at <= '9'; t->at++)
        if (!mst_multiply(*value, 10, value) || !mst_add(*value, (size_t)(*t->at - '0'), value))
            return false;
    if (t->at == begin || (*begin == '0' && t->at - begin > 1))
        return false;
    accept(t, "L");
    return true;
}

#define REQUIRE_FORMAT(condition, ...) MST_REQUIRE(condition, MST_ERROR_FORMAT, __VA_ARGS__)

static mst_status read_descr(text *t, mst_type *type, bool *swapped, mst_error *error) {
    mst_status status = MST_OK;
    text s;

    skip_space(t);
    REQUIRE_FORMAT(t->at == t->end || (*t->at != '[' && *t->at != '('),
                   "holds records of several fields; save one field alone: numpy.save(file, a['name'])");
    REQUIRE_FORMAT(accept_string(t, &s), "damaged .npy header: 'descr' is not a string");
    int length = (int)(s.end - s.at) < 40 ? (int)(s.end - s.at) : 40; // of what a message shows
    const char *descr = s.at;
    char order = native_order;
    if (s.at < s.end && strchr("<>=|", *s.at))
        order = *s.at++;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (string_is(s, types[i].descr)) {
            *type = types[i].type;
            *swapped = order == foreign_order && mst_type_bytes(*type) > 1;
            return MST_OK;
        }
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        REQUIRE_FORMAT((size_t)(s.end - s.at) < strlen(refused[i].descr) ||
                           memcmp(s.at, refused[i].descr, strlen(refused[i].descr)) != 0,
                       "holds %s ('%.*s'); convert with %s", refused[i].what, length, descr, refused[i].convert);
    REQUIRE_FORMAT(false, "damaged .npy header: '%.*s' is no element type", length, descr);
fail:
    return status;
}

static mst_status read_shape(text *t, mst_layout *layout, mst_error *error) {
    mst_status status = MST_OK;
    static const char damaged[] = "damaged .npy header: 'shape' is not a tuple of lengths";
    bool comma = true; // a number may follow
    int rank = 0;

    REQUIRE_FORMAT(accept(t, "("), damaged);
    while (!accept(t, ")")) {
        size_t length;
        REQUIRE_FORMAT(comma && accept_length(t, &length), damaged);
        if (rank < MST_MAX_RANK)
            layout->shape[rank] = length;
        rank++;
        comma = accept(t, ",");
    }
    REQUIRE_FORMAT(rank != 1 || comma, damaged); // (3) is a number
    REQUIRE_FORMAT(rank <= MST_MAX_RANK, "has %d axes; at most %d are taken: reshape it", rank, MST_MAX_RANK);
    layout->rank = rank;
fail:
    return status;
}

bool mst_npy_data_bytes(const mst_layout *layout, size_t *data_bytes) {
    size_t bytes = mst_type_bytes(layout->type);
    bool empty = false;
    for (int k = 0; k < layout->rank; k++) {
        if (layout->shape[k] == 0)
            empty = true;
        else if (!mst_multiply(bytes, layout->shape[k], &bytes))
            return false;
    }
    *data_bytes = empty ? 0 : bytes;
    return bytes <= PTRDIFF_MAX;
}

// Column by column differs from row by row only if at least two axes are longer than 1.
static bool order_matters(const mst_layout *layout) {
    int longer = 0;
    for (int k = 0; k < layout->rank; k++) {
        if (layout->shape[k] == 0)
            return false;
        longer += layout->shape[k] > 1;
    }
    return longer > 1;
}

enum { KEY_DESCR = 1, KEY_ORDER = 2, KEY_SHAPE = 4, ALL_KEYS = 7 };

static mst_status read_entry(text *t, mst_layout *layout, mst_npy_order *order, int *keys, mst_error *error) {
    mst_status status = MST_OK;
    text key;

    REQUIRE_FORMAT(accept_string(t, &key) && accept(t, ":"), "damaged .npy header: a key of its dictionary is expected");
    int which = string_is(key, "descr")           ? KEY_DESCR
                : string_is(key, "fortran_order") ? KEY_ORDER
                : string_is(key, "shape")         ? KEY_SHAPE
                                                  : 0;
    REQUIRE_FORMAT(which && !(*keys & which), "damaged .npy header: its keys are not descr, fortran_order and shape, once each");
    *keys |= which;
    if (which == KEY_DESCR)
        MST_TRY(read_descr(t, &layout->type, &order->swapped, error));
    if (which == KEY_SHAPE)
        MST_TRY(read_shape(t, layout, error));
    if (which == KEY_ORDER) {
        order->fortran = accept(t, "True");
        REQUIRE_FORMAT(order->fortran || accept(t, "False"), "damaged .npy header: 'fortran_order' is neither True nor False");
    }
fail:
    return status;
}

mst_status mst_npy_text_read(const char *bytes, size_t n_bytes, mst_layout *layout, size_t *data_bytes, mst_npy_order *order,
                             mst_error *error) {
    mst_status status = MST_OK;
    text t = {bytes, bytes + n_bytes};
    mst_layout read = {0};
    bool comma = true;
    int keys = 0;

    REQUIRE_FORMAT(accept(&t, "{"), "damaged .npy header: it is not a dictionary");
    while (!accept(&t, "}")) {
        REQUIRE_FORMAT(comma, "damaged .npy header: a comma or a brace is expected");
        MST_TRY(read_entry(&t, &read, order, &keys, error));
        comma = accept(&t, ",");
    }
    skip_space(&t);
    REQUIRE_FORMAT(t.at == t.end, "damaged .npy header: something follows its dictionary");
    REQUIRE_FORMAT(keys == ALL_KEYS, "damaged .npy header: its keys are not descr, fortran_order and shape, once each");
    REQUIRE_FORMAT(mst_npy_data_bytes(&read, data_bytes), "damaged .npy header: its shape is larger than memory can be");
    order->fortran = order->fortran && order_matters(&read);
    order->swapped = order->swapped && *data_bytes > 0;
    if (read.rank == 0)
        read.shape[read.rank++] = 1;
    *layout = mst_layout_dense(read.type, read.rank, read.shape);
fail:
    return status;
}

// Of a header of so many bytes in all, that of the text behind the first ten.
static void write_length(char *header, size_t total) {
    header[8] = (char)((total - 10) & 0xff);
    header[9] = (char)((total - 10) >> 8);
}

size_t mst_npy_header_write(const mst_layout *layout, char header[MST_NPY_HEADER_BYTES]) {
    char order = mst_type_bytes(layout->type) == 1 ? '|' : native_order;
    char *at = header + 10, *end = header + MST_NPY_HEADER_BYTES;
    size_t i = 0;

    while (types[i].type != layout->type)
        i++;
    memcpy(header, magic, MAGIC_BYTES);
    at += snprintf(at, (size_t)(end - at), "{'descr': '%c%s', 'fortran_order': False, 'shape': (", order, types[i].descr);
    for (int k = 0; k < layout->rank; k++)
        at += snprintf(at, (size_t)(end - at), "%s%zu", k ? ", " : "", layout->shape[k]);
    // NumPy leaves room for the first length to grow to 21 digits, and then pads by 1 to 64 spaces.
    int digits = snprintf(NULL, 0, "%zu", layout->shape[0]);
    at += snprintf(at, (size_t)(end - at), "%s), }%*s", layout->rank == 1 ? "," : "", 21 - digits, "");
    size_t used = (size_t)(at - header) + 1, total = used + 64 - used % 64;
    memset(at, ' ', total - used);
    header[total - 1] = '\n';
    header[6] = 1;
    header[7] = 0;
    write_length(header, total);
    return total;
}

size_t mst_npy_header_pad(char header[MST_NPY_PAGE], size_t length) {
    memset(header + length - 1, ' ', MST_NPY_PAGE - length);
    header[MST_NPY_PAGE - 1] = '\n';
    write_length(header, MST_NPY_PAGE);
    return MST_NPY_PAGE;
}
