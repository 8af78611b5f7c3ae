// Reading .npy files: what NumPy writes is taken, everything else is refused, damage never reads past the end. Needs no OpenCL
// device.
#include "support.h"

#include <sys/stat.h>
#include <unistd.h>

// In a new file: some file systems write one that was cut to nothing to the disk when it is closed.
static void write_bytes(const char *path, const void *bytes, size_t length) {
    unlink(path);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, length, f), length);
    assert_int_equal(fclose(f), 0);
}

// A file of the given version and dictionary, padded as NumPy does, with that many bytes of data.
static size_t make_file(unsigned char *file, int version, const char *dictionary, size_t data_bytes) {
    size_t prefix = version == 1 ? 10 : 12, text = strlen(dictionary) + 1;
    size_t total = (prefix + text + 63) / 64 * 64;
    memset(file, ' ', total);
    memcpy(file, "\x93NUMPY", 6);
    file[6] = (unsigned char)version;
    file[7] = 0;
    file[8] = (unsigned char)((total - prefix) & 0xff);
    file[9] = (unsigned char)((total - prefix) >> 8);
    if (version > 1)
        file[10] = file[11] = 0;
    memcpy(file + prefix, dictionary, text - 1);
    file[total - 1] = '\n';
    memset(file + total, 7, data_bytes);
    return total + data_bytes;
}

static mst_npy *opened; // by open_text

static mst_status open_text(int version, const char *dictionary, size_t data_bytes, mst_error *error) {
    unsigned char file[4096];
    write_bytes("t.npy", file, make_file(file, version, dictionary, data_bytes));
    return mst_npy_open("t.npy", &opened, error);
}

static void accepted(void **state) {
    (void)state;
    static const struct {
        int version;
        const char *text;
        size_t data_bytes;
        mst_type type;
        int rank;
        size_t shape[MST_MAX_RANK];
    } known[] = {
        {1, "{'descr': '<f4', 'fortran_order': False, 'shape': (), }", 4, MST_FLOAT32, 1, {1}},
        {1, "{'descr': '<f4', 'fortran_order': True, 'shape': (3,), }", 12, MST_FLOAT32, 1, {3}},
        {1, "{'descr': '<f4', 'fortran_order': True, 'shape': (1, 3, 1), }", 12, MST_FLOAT32, 3, {1, 3, 1}},
        {1, "{'descr': '<f4', 'fortran_order': True, 'shape': (0, 3, 2), }", 0, MST_FLOAT32, 3, {0, 3, 2}},
        {2, "{'descr': '<c8', 'fortran_order': False, 'shape': (2, 1), }", 16, MST_COMPLEX64, 2, {2, 1}},
        {3, "{'descr': '<c16', 'fortran_order': False, 'shape': (1,), }", 16, MST_COMPLEX128, 1, {1}},
        {1, "{\"shape\":(2,3),\"descr\":\"=i2\",\"fortran_order\":False}", 12, MST_INT16, 2, {2, 3}},
        {1, "{'descr': '|u1', 'fortran_order': False, 'shape': (4L, 2L,)}", 8, MST_UINT8, 2, {4, 2}},
        {1, "{'descr': '>i1', 'fortran_order': False, 'shape': (2,)}", 2, MST_INT8, 1, {2}},
        {1, "{'descr': '<f2', 'fortran_order': False, 'shape': (3,)}", 6, MST_FLOAT16, 1, {3}},
        {1, "{'descr': 'f8', 'fortran_order': False, 'shape': (1,)}", 80, MST_FLOAT64, 1, {1}}, // more data than needed
    };
    mst_error e;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        OK(open_text(known[i].version, known[i].text, known[i].data_bytes, &e));
        mst_layout expected = mst_layout_dense(known[i].type, known[i].rank, known[i].shape);
        assert_memory_equal(mst_npy_layout(opened), &expected, sizeof expected);
        mst_npy_close(opened);
    }
}

static void kinds_refused(void **state) {
    (void)state;
    static const char *const known[][2] = {
        {"'|O'", "Python objects ('|O')"},
        {"[('a', '<f4'), ('b', '<i4')]", "several fields"},
        {"('<f4', (2,))", "several fields"},
        {"'<U8'", "holds strings ('<U8')"},
        {"'|S8'", "byte strings ('|S8')"},
        {"'<M8[ns]'", "dates and times"},
        {"'<m8[s]'", "time differences"},
        {"'|V16'", "raw bytes"},
        {"'<f16'", "long double values ('<f16'); convert with a.astype('float64')"},
        {"'<c32'", "a.astype('complex128')"},
        {"'x'", "'x' is no element type"},
        {"''", "'' is no element type"},
        {"'<'", "'<' is no element type"},
        {"'<f4x'", "long double"},
        {"f4", "'descr' is not a string"},
        {"'<f\\x34'", "'descr' is not a string"},
    };
    mst_error e;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        char text[256];
        snprintf(text, sizeof text, "{'descr': %s, 'fortran_order': False, 'shape': (2,), }", known[i][0]);
        REFUSED(MST_ERROR_FORMAT, known[i][1], open_text(1, text, 64, &e));
        assert_non_null(strstr(e.message, "t.npy: "));
        assert_null(opened);
    }
}

// Byte b of element i, so that elements, their parts and their bytes differ.
static unsigned char byte_of(size_t i, size_t b) { return (unsigned char)((i * 2654435761u >> 8 * (b % 4) ^ b * 37) & 0xff); }

// Where in C order the element is that is number `at` when the first axis is the fastest.
static size_t place_of(size_t at, int rank, const size_t *shape) {
    size_t index[MST_MAX_RANK] = {0}, place = 0;
    for (int k = 0; k < rank; k++) {
        index[k] = at % shape[k];
        at /= shape[k];
    }
    for (int k = 0; k < rank; k++)
        place = place * shape[k] + index[k];
    return place;
}

// A file in Fortran order, or with the bytes of each number turned round, or both; opened, it has what byte_of gives.
static void read_order(const char *descr, size_t bytes, size_t word, bool fortran, int rank, const size_t *shape) {
    const bool swapped = descr[0] == '>';
    char text[256];
    size_t n = 1, used = (size_t)snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': %s, 'shape': (", descr,
                                          fortran ? "True" : "False");
    mst_error e;
    for (int k = 0; k < rank; k++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%zu,", shape[k]);
        n *= shape[k];
    }
    snprintf(text + used, sizeof text - used, ")}");
    unsigned char *file = calloc(1, 4096 + n * bytes);
    assert_non_null(file);
    size_t head = make_file(file, 1, text, 0);
    for (size_t at = 0; at < n; at++)
        for (size_t b = 0, place = fortran ? place_of(at, rank, shape) : at; b < bytes; b++)
            file[head + at * bytes + (swapped ? b / word * word + word - 1 - b % word : b)] = byte_of(place, b);
    write_bytes("t.npy", file, head + n * bytes);
    free(file);
    OK(mst_npy_open("t.npy", &opened, &e));
    mst_layout dense = mst_layout_dense(mst_npy_layout(opened)->type, rank, shape);
    assert_memory_equal(mst_npy_layout(opened), &dense, sizeof dense);
    assert_int_equal(mst_npy_location(opened).place, MST_PLACE_HOST);
    const unsigned char *data = mst_npy_location(opened).host;
    for (size_t i = 0; i < n * bytes; i++)
        CHECK(data[i] == byte_of(i / bytes, i % bytes), "%s: byte %zu of element %zu is wrong", text, i % bytes, i / bytes);
    mst_npy_close(opened);
}

static void any_order(void **state) {
    (void)state;
    static const struct {
        const char *descr;
        size_t bytes, word;
    } types[] = {{"u1", 1, 1}, {"i2", 2, 2}, {"f4", 4, 4},   {"f8", 8, 8},
                 {"c8", 8, 4}, {"f2", 2, 2}, {"c16", 16, 8}, {"u8", 8, 8}};
    static const size_t shapes[][4] = {{2, 3},        {130, 70}, {70, 130}, {5, 1, 4, 3},
                                       {1, 67, 9, 2}, {2, 9001}, {9001, 2}, {9, 1000, 2}};
    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++)
        for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
            for (int order = types[t].word > 1 ? 3 : 1; order > 0; order--) {
                char descr[8];
                int rank = 0;
                while (rank < 4 && shapes[s][rank])
                    rank++;
                snprintf(descr, sizeof descr, "%c%s", order & 2 ? '>' : '<', types[t].descr);
                read_order(descr, types[t].bytes, types[t].word, order & 1, rank, shapes[s]);
            }
}

// Headers alone do not read arrays in other orders, and there may be no room for them.
static void orders_refused(void **state) {
    (void)state;
    static const char fortran[] = "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }";
    mst_error e;
    mst_layout layout;
    mst_location location;
    OK(open_text(1, fortran, 24, &e));
    mst_npy_close(opened);
    FILE *file = fopen("t.npy", "rb");
    assert_non_null(file);
    REFUSED(MST_ERROR_FORMAT, "numpy.ascontiguousarray", mst_npy_read_header(fileno(file), &layout, &location, &e));
    OK(mst_npy_open_file(fileno(file), &opened, &e));
    mst_npy_close(opened);
    OK(mst_npy_read_layout(fileno(file), &layout, &e));
    assert_true(layout.type == MST_FLOAT32 && layout.rank == 2 && layout.shape[0] == 2 && layout.shape[1] == 3);
    assert_true(layout.strides[0] == 3 && layout.strides[1] == 1);
    REFUSED(MST_ERROR_ARGUMENT, "layout", mst_npy_read_layout(fileno(file), NULL, &e));
    fclose(file);
    setenv("MASTABA_SCRATCH", "nowhere", 1);
    REFUSED(MST_ERROR_IO, "t.npy: no file for elements in C order can be made in nowhere", open_text(1, fortran, 24, &e));
    assert_null(opened);
    unsetenv("MASTABA_SCRATCH");
    OK(open_text(1, "{'descr': '>f4', 'fortran_order': False, 'shape': (0, 3), }", 0, &e));
    mst_npy_close(opened);
    REFUSED(MST_ERROR_ARGUMENT, "out", mst_npy_open_file(0, NULL, &e));
}

static void damaged(void **state) {
    (void)state;
    static const char *const known[][2] = {
        {"", "not a dictionary"},
        {"[]", "not a dictionary"},
        {"{", "a key"},
        {"{}", "its keys"},
        {"{'descr': '<f4', 'fortran_order': False}", "its keys"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'x': 1}", "its keys"},
        {"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", "its keys"},
        {"{'descr': '<f4' 'fortran_order': False, 'shape': (2,)}", "a comma"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)", "a comma"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} x", "something follows"},
        {"{'descr': '<f4', 'fortran_order': 1, 'shape': (2,)}", "neither True nor False"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': 2}", "'shape'"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2)}", "'shape'"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (,)}", "'shape'"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,,3)}", "'shape'"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2 3)}", "'shape'"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", "'shape'"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (02,)}", "'shape'"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1.5,)}", "'shape'"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}", "'shape'"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2", "'shape'"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1)}", "9 axes; at most 8"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", "larger than memory"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (0, 4294967296, 4294967296)}", "larger than memory"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1152921504606846976,)}", "larger than memory"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (17,)}", "192 bytes long, but its header needs 196"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1152921504606846976,)}", "truncated"},
    };
    mst_error e;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        REFUSED(MST_ERROR_FORMAT, known[i][1], open_text(1, known[i][0], strlen(known[i][0]) > 54 ? 64 : 128, &e));
        assert_null(opened);
    }
}

static void prefixes(void **state) {
    (void)state;
    static const char good[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
    unsigned char file[4096];
    mst_error e;
    mst_npy *npy;
    size_t length = make_file(file, 2, good, 8);

    for (size_t cut = 0; cut < length; cut++) { // every truncation
        write_bytes("t.npy", file, cut);
        REFUSED(MST_ERROR_FORMAT, cut < 6 ? "not a .npy file" : "truncated", mst_npy_open("t.npy", &npy, &e));
    }
    file[10] = 2; // 128 KiB
    write_bytes("t.npy", file, length);
    REFUSED(MST_ERROR_FORMAT, "not plausible", mst_npy_open("t.npy", &npy, &e));
    file[11] = 0xff;
    write_bytes("t.npy", file, length);
    REFUSED(MST_ERROR_FORMAT, "not plausible", mst_npy_open("t.npy", &npy, &e));
    for (int version = 0; version < 5; version++) {
        make_file(file, 1, good, 8);
        file[6] = (unsigned char)version;
        file[7] = version == 1;
        write_bytes("t.npy", file, length);
        if (version < 2 || version > 3)
            REFUSED(MST_ERROR_FORMAT, "is not known", mst_npy_open("t.npy", &npy, &e));
    }
    write_bytes("t.npy", "PK\3\4 a zip file, as .npz is", 27);
    REFUSED(MST_ERROR_FORMAT, "not a .npy file", mst_npy_open("t.npy", &npy, &e));
}

static void not_files(void **state) {
    (void)state;
    mst_error e;
    mst_npy *npy;
    char path[600];
    REFUSED(MST_ERROR_IO, "none.npy: cannot be opened: No such file or directory", mst_npy_open("none.npy", &npy, &e));
    REFUSED(MST_ERROR_IO, "is a directory", mst_npy_open(".", &npy, &e));
    REFUSED(MST_ERROR_IO, "/dev/zero: is not a regular file", mst_npy_open("/dev/zero", &npy, &e));
    assert_int_equal(mkfifo("pipe", 0600), 0);
    REFUSED(MST_ERROR_IO, "pipe: is not a regular file", mst_npy_open("pipe", &npy, &e)); // without waiting for a writer
    unlink("pipe");
    memset(path, 'a', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    REFUSED(MST_ERROR_IO, "File name too long", mst_npy_open(path, &npy, &e));
    assert_int_equal(mst_npy_open("none.npy", &npy, NULL), MST_ERROR_IO);
    mst_npy_close(NULL);
}

// ---- mutations: deterministic, the seed is printed

static uint64_t fuzz_state;

static uint32_t fuzz(uint32_t below) { // xorshift64*
    fuzz_state ^= fuzz_state >> 12;
    fuzz_state ^= fuzz_state << 25;
    fuzz_state ^= fuzz_state >> 27;
    return (uint32_t)((fuzz_state * 0x2545f4914f6cdd1dull) >> 33) % below;
}

static size_t mutate(unsigned char *file, size_t length, size_t most) {
    static const char *const words[] = {"'descr'",
                                        "'shape'",
                                        "True",
                                        "False",
                                        "(",
                                        ")",
                                        ",",
                                        "{",
                                        "}",
                                        "'",
                                        "<f4",
                                        ">f4",
                                        "<c16",
                                        "|O",
                                        "[",
                                        "0",
                                        "-1",
                                        "1L",
                                        "\"",
                                        "\\",
                                        "\n",
                                        "\0",
                                        "(2,)",
                                        ": ",
                                        "()",
                                        "(0, 5)",
                                        "u8",
                                        "|b1",
                                        "\xff",
                                        "\x93NUMPY",
                                        "18446744073709551615",
                                        "4611686018427387904",
                                        "9223372036854775807"};
    for (uint32_t n = 1 + fuzz(4); n > 0; n--) {
        size_t at = fuzz(4) ? 8 + fuzz(70) : fuzz((uint32_t)length + 1), part = 1 + fuzz(12);
        at = at > length ? length : at;
        const char *word = words[fuzz(sizeof words / sizeof words[0])];
        size_t word_length = *word ? strlen(word) : 1;
        switch (fuzz(5)) {
        case 0: // one byte
            if (at < length)
                file[at] = (unsigned char)fuzz(256);
            break;
        case 1: // a word over what is there
            if (at + word_length <= length)
                memcpy(file + at, word, word_length);
            break;
        case 2: // a word between
            if (length + word_length <= most) {
                memmove(file + at + word_length, file + at, length - at);
                memcpy(file + at, word, word_length);
                length += word_length;
            }
            break;
        case 3: // a part cut out
            if (at + part <= length) {
                memmove(file + at, file + at + part, length - at - part);
                length -= part;
            }
            break;
        default: // the end cut off
            if (fuzz(8) == 0)
                length = at;
        }
    }
    return length;
}

static void mutations(void **state) {
    (void)state;
    static const char *const dictionaries[] = {
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }",
        "{'descr': '<c16', 'fortran_order': True, 'shape': (1, 2, 1), }",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (), }",
        "{'shape': (4L, 2L), 'descr': 'i2', 'fortran_order': False}",
    };
    const char *rounds = getenv("MASTABA_FUZZ_ROUNDS"), *seed = getenv("MASTABA_SEED");
    long n_rounds = rounds ? atol(rounds) : 10000, taken = 0;
    fuzz_state = seed && strtoull(seed, NULL, 0) ? strtoull(seed, NULL, 0) : 20261121;
    print_message("MASTABA_SEED=%llu, %ld rounds\n", (unsigned long long)fuzz_state, n_rounds);
    for (long round = 0; round < n_rounds; round++) {
        unsigned char file[1024];
        size_t length = make_file(file, 1 + (int)fuzz(3), dictionaries[fuzz(4)], fuzz(64));
        length = mutate(file, length, sizeof file);
        write_bytes("m.npy", file, length);
        mst_error e = {.status = MST_OK};
        mst_npy *npy;
        if (mst_npy_open("m.npy", &npy, &e) != MST_OK) {
            CHECK(!npy && e.status == MST_ERROR_FORMAT && e.message[0] && !strpbrk(e.message, "\n\r"), "round %ld: %s", round,
                  e.message);
            continue;
        }
        const mst_layout *l = mst_npy_layout(npy);
        CHECK(l->rank >= 1 && l->rank <= MST_MAX_RANK && mst_type_bytes(l->type), "round %ld: rank %d", round, l->rank);
        mst_layout dense = mst_layout_dense(l->type, l->rank, l->shape);
        assert_memory_equal(l, &dense, sizeof dense);
        double need = (double)mst_type_bytes(l->type); // cannot wrap
        for (int k = 0; k < l->rank; k++)
            need *= (double)l->shape[k];
        CHECK(need + (double)mst_npy_location(npy).offset <= (double)length, "round %ld: reaches past the end", round);
        mst_npy_close(npy);
        taken++;
    }
    print_message("%ld mutants were still arrays\n", taken);
    unlink("m.npy");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepted),  cmocka_unit_test(kinds_refused),  cmocka_unit_test(damaged),
        cmocka_unit_test(prefixes),  cmocka_unit_test(not_files),      cmocka_unit_test(mutations),
        cmocka_unit_test(any_order), cmocka_unit_test(orders_refused),
    };
    return cmocka_run_group_tests(tests, test_enter_directory, test_leave_directory);
}
