// Images that are read in part, as ranks read them: the same pixels as of the whole image, for random parts, among them empty
// ones, of all formats, of TIFF files in strips, in tiles and with channels apart; and of a large file no more than the part.
#include "core/cli.h"
#include "image/image.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char command[] = "test";

#define CHECK(condition, what)                                                                                                   \
    do {                                                                                                                         \
        if (!(condition)) {                                                                                                      \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, what);                                                            \
            exit(1);                                                                                                             \
        }                                                                                                                        \
    } while (0)

static size_t some(size_t n) { return n ? (size_t)random() % n : 0; }

static int choose_some(void *user, cli_image *image) {
    cli_image_part *p = &image->part;
    (void)user;
    p->first_page = some(image->pages);
    p->pages = image->pages > 1 ? some(image->pages - p->first_page + 1) : 1;
    p->first_row = some(image->height + 1);
    p->rows = some(image->height - p->first_row + 1);
    return CLI_DONE;
}

static int choose_row(void *user, cli_image *image) {
    image->part = (cli_image_part){.pages = 1, .first_row = *(const size_t *)user, .rows = 1};
    return CLI_DONE;
}

static void compare(const char *path, const cli_image *all, const cli_image *some_rows) {
    const cli_image_part *p = &some_rows->part;
    const size_t row = all->width * all->channels * mst_type_bytes(all->type);
    CHECK(all->height == some_rows->height && all->pages == some_rows->pages && all->type == some_rows->type, path);
    for (size_t n = 0; n < p->pages; n++)
        CHECK(memcmp((char *)some_rows->pixels + n * p->rows * row,
                     (char *)all->pixels + ((p->first_page + n) * all->height + p->first_row) * row, p->rows * row) == 0,
              path);
}

static void try_parts(const char *path) {
    cli_image all = {0};
    CHECK(cli_image_read(command, path, 1 << 30, &all) == CLI_DONE, path);
    for (int i = 0; i < 20; i++) {
        cli_image part = {0};
        CHECK(cli_image_read_part(command, path, 1 << 30, choose_some, NULL, &part) == CLI_DONE, path);
        compare(path, &all, &part);
        cli_image_free(&part);
    }
    cli_image_free(&all);
}

static void write_image(const char *path, cli_image_format format, mst_type type, size_t pages, size_t channels, bool variant) {
    cli_place place = {0};
    cli_image image = {.width = 1 + some(60),
                       .height = 1 + some(400),
                       .channels = channels,
                       .pages = pages,
                       .type = type,
                       .white = type == MST_UINT8    ? 255
                                : type == MST_UINT16 ? 65535
                                                     : 1,
                       .plain = variant,
                       .compressed = variant};
    const size_t bytes = cli_image_values(&image) * mst_type_bytes(type);
    CHECK(cli_pixels_take(command, path, bytes, &image) == CLI_DONE, path);
    for (size_t i = 0; i < bytes; i++)
        ((unsigned char *)image.pixels)[i] = (unsigned char)random();
    CHECK(cli_place_open(command, path, &place) == CLI_DONE, path);
    CHECK(cli_image_write(command, &place, path, format, true, &image) == CLI_DONE, path);
    cli_place_close(&place);
    cli_image_free(&image);
}

// ---- TIFF files of other kinds than are written

static void put(FILE *file, size_t value, int bytes) {
    for (int i = 0; i < bytes; i++)
        putc((int)(value >> 8 * i & 255), file);
}

static void field(FILE *file, size_t tag, int bytes, size_t count, size_t value) {
    put(file, tag, 2);
    put(file, bytes == 2 ? 3 : 4, 2);
    put(file, count, 4);
    put(file, value, 4);
}

// Three channels of 40 x 35, one behind the other: in strips of 4 rows, or in tiles.
static void write_apart(const char *path, bool tiled) {
    enum { WIDTH = 40, HEIGHT = 35, TILE = 16, ROWS = 4, LAST = 3 };
    const size_t a_channel = tiled ? 3 * 3 : (HEIGHT + ROWS - 1) / ROWS, n = 3 * a_channel;
    const size_t bytes = tiled ? TILE * TILE : ROWS * WIDTH, data = n * bytes, lists = 8 + data;
    FILE *file = fopen(path, "wb");
    CHECK(file, path);
    fputs("II*", file);
    put(file, 0, 1);
    put(file, lists + 8 * n + 6, 4);
    for (size_t i = 0; i < data; i++)
        put(file, (size_t)random(), 1);
    for (size_t i = 0; i < n; i++)
        put(file, 8 + i * bytes, 4);
    for (size_t i = 0; i < n; i++) // the last strip of a channel is shorter
        put(file, !tiled && i % a_channel == a_channel - 1 ? LAST * WIDTH : bytes, 4);
    for (int i = 0; i < 3; i++)
        put(file, 8, 2);
    put(file, tiled ? 11 : 10, 2);
    field(file, 256, 2, 1, WIDTH);
    field(file, 257, 2, 1, HEIGHT);
    field(file, 258, 2, 3, lists + 8 * n);
    field(file, 259, 2, 1, 1);
    field(file, 262, 2, 1, 2);
    if (!tiled)
        field(file, 273, 4, n, lists);
    field(file, 277, 2, 1, 3);
    if (!tiled) {
        field(file, 278, 2, 1, ROWS);
        field(file, 279, 4, n, lists + 4 * n);
    }
    field(file, 284, 2, 1, 2);
    if (tiled) {
        field(file, 322, 2, 1, TILE);
        field(file, 323, 2, 1, TILE);
        field(file, 324, 4, n, lists);
        field(file, 325, 4, n, lists + 4 * n);
    }
    put(file, 0, 4);
    CHECK(fclose(file) == 0, path);
}

// ---- How much is read

// Bytes that this process has read; 0 where the system does not say.
static unsigned long long bytes_read(void) {
    unsigned long long n = 0;
    FILE *file = fopen("/proc/self/io", "r");
    if (file && fscanf(file, "rchar: %llu", &n) != 1)
        n = 0;
    if (file)
        fclose(file);
    return n;
}

static void try_large(const char *path, cli_image_format format) {
    enum { SIDE = 1024 };
    cli_image image = {.width = SIDE, .height = SIDE, .channels = 1, .pages = 1, .type = MST_UINT16, .white = 65535};
    cli_place place = {0};
    CHECK(cli_pixels_take(command, path, 2 * SIDE * SIDE, &image) == CLI_DONE, path);
    memset(image.pixels, 1, 2 * SIDE * SIDE);
    CHECK(cli_place_open(command, path, &place) == CLI_DONE, path);
    CHECK(cli_image_write(command, &place, path, format, true, &image) == CLI_DONE, path);
    cli_place_close(&place);
    cli_image_free(&image);
    for (size_t row = 0; row < SIDE; row += 341) {
        cli_image part = {0};
        const unsigned long long before = bytes_read();
        CHECK(cli_image_read_part(command, path, 1 << 30, choose_row, &row, &part) == CLI_DONE, path);
        CHECK(bytes_read() - before < 2 * SIDE * SIDE / 16, path);
        cli_image_free(&part);
    }
}

int main(void) {
    const char *given = getenv("MASTABA_SEED");
    const unsigned seed = given ? (unsigned)strtoull(given, NULL, 10) : (unsigned)time(NULL);
    printf("seed %u (MASTABA_SEED=%u repeats it)\n", seed, seed);
    srandom(seed);
    for (int variant = 0; variant < 2; variant++)
        for (size_t channels = 1; channels <= 3; channels += 2) {
            write_image("a.pnm", CLI_PNM, MST_UINT8, 1, channels, variant);
            try_parts("a.pnm");
            write_image("a.pnm", CLI_PNM, MST_UINT16, 1, channels, variant);
            try_parts("a.pnm");
            write_image("a.png", CLI_PNG, MST_UINT16, 1, channels, variant);
            try_parts("a.png");
            write_image("a.tif", CLI_TIFF, MST_UINT8, 1, channels, variant);
            try_parts("a.tif");
            write_image("a.tif", CLI_TIFF, MST_UINT16, 1 + some(7), channels, variant);
            try_parts("a.tif");
            write_image("a.npy", CLI_NPY, MST_FLOAT32, 1 + some(7), channels, variant);
            try_parts("a.npy");
            write_apart("a.tif", variant);
            try_parts("a.tif");
        }
    try_large("large.npy", CLI_NPY);
    try_large("large.pgm", CLI_PNM);
    try_large("large.tif", CLI_TIFF);
    return 0;
}
