// TIFF, through libtiff: grey and RGB of 8 and 16 bits, float32 and float64, with or without opacity, grey of fewer bits,
// palettes; in strips or tiles.
#include "core/interrupt.h"
#include "core/report.h"
#include "format.h"
#include "tiff_fields.h"
#include "tiff_map.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BIG ((uint64_t)4000000000u) // bytes beyond which a file needs 64-bit offsets
#define CODEC ((uint64_t)1 << 20)   // bytes that unpacking may take for itself, however small the image

// The first message of libtiff about a file.
typedef struct report {
    char message[200];
} report;

static int on_error(TIFF *tiff, void *user, const char *module, const char *format, va_list arguments) {
    report *r = user;
    (void)tiff, (void)module;
    if (!r->message[0])
        vsnprintf(r->message, sizeof r->message, format, arguments);
    return 1; // handled: nothing is printed
}

static int on_warning(TIFF *tiff, void *user, const char *module, const char *format, va_list arguments) {
    (void)tiff, (void)user, (void)module, (void)format, (void)arguments;
    return 1;
}

// A TIFF on a descriptor that it then owns; NULL when it cannot be opened.
static TIFF *open_tiff(int file, const char *path, const char *mode, uint64_t max_bytes, report *r) {
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    TIFF *tiff = NULL;
    if (options && file >= 0 && lseek(file, 0, SEEK_SET) == 0) { // libtiff begins where the descriptor is
        max_bytes = max_bytes < CODEC ? CODEC : max_bytes < INT64_MAX ? max_bytes : INT64_MAX;
        TIFFOpenOptionsSetMaxSingleMemAlloc(options, (tmsize_t)max_bytes);
        TIFFOpenOptionsSetErrorHandlerExtR(options, on_error, r);
        TIFFOpenOptionsSetWarningHandlerExtR(options, on_warning, NULL);
        tiff = TIFFFdOpenExt(file, path, mode, options);
    }
    if (options)
        TIFFOpenOptionsFree(options);
    if (!tiff && file >= 0)
        close(file);
    return tiff;
}

// How pixels lie in the file.
typedef struct tiff_kind {
    uint16_t photometric, planes;
    bool tiled, separate;
    cli_tiff_map map;
} tiff_kind;

static uint16_t number(TIFF *tiff, uint32_t tag) {
    uint16_t value = 0;
    return TIFFGetFieldDefaulted(tiff, tag, &value) ? value : 0;
}

static int describe_kind(const cli_image_file *f, TIFF *tiff, cli_image *image, tiff_kind *kind) {
    uint16_t bits = number(tiff, TIFFTAG_BITSPERSAMPLE), samples = number(tiff, TIFFTAG_SAMPLESPERPIXEL);
    uint16_t format = number(tiff, TIFFTAG_SAMPLEFORMAT);
    uint16_t photometric = 0, colours;
    kind->planes = 1;
    kind->tiled = TIFFIsTiled(tiff);
    if (cli_tiff_map_read(tiff, image, &kind->map)) {
        image->white = image->type == MST_UINT8 ? 255 : 65535;
        kind->photometric = image->channels == 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK;
        return CLI_DONE;
    }
    if (!TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &photometric) ||
        (photometric != PHOTOMETRIC_MINISBLACK && photometric != PHOTOMETRIC_MINISWHITE && photometric != PHOTOMETRIC_RGB))
        return cli_image_damaged(
            f, photometric == PHOTOMETRIC_SEPARATED
                   ? "is CMYK; convert it, by 'magick IN -colorspace sRGB OUT', say"
                   : "is a TIFF file of other colours than grey and RGB; convert it, by 'magick IN -colorspace sRGB OUT', say");
    colours = photometric == PHOTOMETRIC_RGB ? 3 : 1;
    if (samples != colours && samples != colours + 1)
        return cli_image_damaged(f, "is a TIFF file with more channels than grey or RGB and opacity; take its channels apart, by "
                                    "'magick IN -separate OUT', say");
    if (format == SAMPLEFORMAT_UINT && bits == 8)
        image->type = MST_UINT8;
    else if (format == SAMPLEFORMAT_UINT && bits == 16)
        image->type = MST_UINT16;
    else if (format == SAMPLEFORMAT_IEEEFP && (bits == 32 || bits == 64))
        image->type = bits == 32 ? MST_FLOAT32 : MST_FLOAT64;
    else
        return cli_image_damaged(
            f, "is a TIFF file of other numbers than 8 or 16 bits without sign, float32 and float64; convert it, in Python by "
               "tifffile.imwrite(OUT, tifffile.imread(IN).astype('float32')), say");
    if (photometric == PHOTOMETRIC_MINISWHITE && cli_image_is_real(image))
        return cli_image_damaged(
            f, "is a TIFF file of floating-point numbers whose 0 is white; convert it, by 'magick IN -negate OUT', say");
    image->channels = samples;
    image->alpha = samples > colours;
    image->white = image->type == MST_UINT8 ? 255 : image->type == MST_UINT16 ? 65535 : 1;
    kind->photometric = photometric;
    kind->separate = number(tiff, TIFFTAG_PLANARCONFIG) == PLANARCONFIG_SEPARATE && samples > 1;
    kind->planes = kind->separate ? samples : 1;
    return CLI_DONE;
}

static void keep_extras(TIFF *tiff, cli_image *image) {
    cli_metadata *m = &image->metadata;
    float across = 0, down = 0;
    uint16_t n_more = 0, *more = NULL;
    uint16_t unit = number(tiff, TIFFTAG_RESOLUTIONUNIT);
    double metre = unit == RESUNIT_CENTIMETER ? 100 : unit == RESUNIT_INCH ? CLI_INCHES_A_METRE : 0;
    image->compressed = number(tiff, TIFFTAG_COMPRESSION) != COMPRESSION_NONE;
    m->orientation = number(tiff, TIFFTAG_ORIENTATION);
    image->opacity = TIFFGetField(tiff, TIFFTAG_EXTRASAMPLES, &n_more, &more) && n_more == 1 ? *more : EXTRASAMPLE_UNSPECIFIED;
    if (TIFFGetField(tiff, TIFFTAG_XRESOLUTION, &across) && TIFFGetField(tiff, TIFFTAG_YRESOLUTION, &down)) {
        m->across = (double)across * metre;
        m->down = (double)down * metre;
    }
    cli_tiff_keep_fields(tiff, m);
}

// Puts a rectangle of the file's pixels in place, those rows that are read: all channels, or one of them.
static void place(cli_image *image, const tiff_kind *kind, uint16_t plane, const char *from, size_t pitch, size_t y, size_t rows,
                  size_t x, size_t columns) {
    size_t element = mst_type_bytes(image->type), pixel = image->channels * element;
    for (size_t r = 0; r < rows; r++) {
        char *to = cli_image_row(image, image->part.first_page, y + r);
        if (!to)
            continue;
        to += x * pixel;
        if (kind->map.bits > 0) {
            cli_tiff_map_row(&kind->map, image, from + r * pitch, columns, to);
            continue;
        }
        if (!kind->separate) {
            memcpy(to, from + r * pitch, columns * pixel);
            continue;
        }
        for (size_t c = 0; c < columns; c++)
            memcpy(to + c * pixel + plane * element, from + r * pitch + c * element, element);
    }
}

// A strip is read from its first row on, as it may be compressed.
static bool read_strips(TIFF *tiff, cli_image *image, const tiff_kind *kind, char *buffer, size_t pitch) {
    uint32_t high = 0;
    if (!TIFFGetFieldDefaulted(tiff, TIFFTAG_ROWSPERSTRIP, &high) || high == 0)
        return false;
    const size_t first = image->part.first_row, begin = first - first % high;
    for (uint16_t plane = 0; plane < kind->planes; plane++)
        for (size_t y = begin; y < first + image->part.rows; y++) {
            if (cli_interrupted() || TIFFReadScanline(tiff, buffer, (uint32_t)y, plane) != 1)
                return false;
            place(image, kind, plane, buffer, pitch, y, 1, 0, image->width);
        }
    return true;
}

static bool read_tiles(TIFF *tiff, cli_image *image, const tiff_kind *kind, char *buffer, size_t pitch, size_t wide,
                       size_t high) {
    const size_t first = image->part.first_row, begin = first - first % high;
    for (uint16_t plane = 0; plane < kind->planes; plane++)
        for (size_t y = begin; y < first + image->part.rows; y += high)
            for (size_t x = 0; x < image->width; x += wide) {
                if (cli_interrupted() || TIFFReadTile(tiff, buffer, (uint32_t)x, (uint32_t)y, 0, plane) < 0)
                    return false;
                place(image, kind, plane, buffer, pitch, y, image->height - y < high ? image->height - y : high, x,
                      image->width - x < wide ? image->width - x : wide);
            }
    return true;
}

// Grey whose 0 is white is turned over.
static void invert(cli_image *image) {
    size_t count = image->width * image->part.rows;
    for (size_t i = 0; i < count; i++) {
        size_t at = i * image->channels;
        if (image->type == MST_UINT8)
            ((uint8_t *)image->pixels)[at] ^= 0xff;
        else if (image->type == MST_UINT16)
            ((uint16_t *)image->pixels)[at] ^= 0xffff;
    }
}

static int read_pixels(const cli_image_file *f, TIFF *tiff, cli_image *image, const tiff_kind *kind, const report *r) {
    size_t bits = kind->map.bits > 0 ? kind->map.bits : 8 * (kind->separate ? 1 : image->channels) * mst_type_bytes(image->type);
    uint32_t wide = 0, high = 0;
    if (kind->tiled && (!TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &wide) || !TIFFGetField(tiff, TIFFTAG_TILELENGTH, &high)))
        return cli_image_damaged(f, "has tiles without sides");
    tmsize_t buffer_bytes = kind->tiled ? TIFFTileSize(tiff) : TIFFScanlineSize(tiff);
    size_t pitch = ((kind->tiled ? wide : image->width) * bits + 7) / 8;
    if (buffer_bytes <= 0 || (uint64_t)buffer_bytes > f->max_bytes ||
        (uint64_t)buffer_bytes != (uint64_t)pitch * (kind->tiled ? high : 1))
        return cli_image_damaged(f, "has rows or tiles of an unexpected length");
    char *buffer = malloc((size_t)buffer_bytes);
    if (!buffer) {
        cli_error(f->command, "%s: out of memory", f->path);
        return CLI_FAILED;
    }
    bool done =
        kind->tiled ? read_tiles(tiff, image, kind, buffer, pitch, wide, high) : read_strips(tiff, image, kind, buffer, pitch);
    free(buffer);
    if (!done && cli_interrupted())
        return CLI_INTERRUPTED;
    if (!done) {
        cli_error(f->command, "%s: is a damaged TIFF file: %s", f->path,
                  r->message[0] ? r->message : "its pixels cannot be read");
        return CLI_INPUT_OUTPUT;
    }
    if (kind->photometric == PHOTOMETRIC_MINISWHITE)
        invert(image);
    return CLI_DONE;
}

// A smaller copy of another page, or a mask for one.
static bool is_extra(TIFF *tiff) {
    uint32_t type = 0;
    return TIFFGetField(tiff, TIFFTAG_SUBFILETYPE, &type) && (type & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK)) != 0;
}

static int damaged_page(const cli_image_file *f, const report *r) {
    cli_error(f->command, "%s: is a damaged TIFF file: %s", f->path, r->message[0] ? r->message : "a page cannot be read");
    return CLI_INPUT_OUTPUT;
}

// Goes through all pages and back to the first.
static int count_pages(const cli_image_file *f, TIFF *tiff, cli_image *image, const report *r) {
    image->pages = 1;
    while (!TIFFLastDirectory(tiff)) {
        if (cli_interrupted())
            return CLI_INTERRUPTED;
        if (!TIFFReadDirectory(tiff))
            return damaged_page(f, r);
        image->pages += !is_extra(tiff);
    }
    return TIFFSetDirectory(tiff, 0) ? CLI_DONE : damaged_page(f, r);
}

static bool same_kind(TIFF *tiff, const cli_image *a, const tiff_kind *k, const cli_image *b, const tiff_kind *l) {
    uint32_t width = 0, height = 0;
    TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &width);
    TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &height);
    return width == a->width && height == a->height && a->channels == b->channels && a->alpha == b->alpha && a->type == b->type &&
           (k->photometric == PHOTOMETRIC_RGB) == (l->photometric == PHOTOMETRIC_RGB);
}

static int read_page(const cli_image_file *f, TIFF *tiff, const cli_image *image, const tiff_kind *kind, size_t n,
                     const report *r) {
    cli_image page = *image;
    tiff_kind own = {0};
    if (n > 0) {
        page.metadata = (cli_metadata){0};
        keep_extras(tiff, &page);
        image->later[n - 1] = page.metadata;
    }
    int code = describe_kind(f, tiff, &page, &own);
    if (code == CLI_DONE && !same_kind(tiff, image, kind, &page, &own))
        code = cli_image_damaged(f, "has pages of different sizes or kinds; split them, with tiffsplit say");
    page.part.first_page = n;
    page.part.pages = 1;
    page.pixels = cli_image_row(image, n, image->part.first_row);
    return code == CLI_DONE && page.pixels ? read_pixels(f, tiff, &page, &own, r) : code; // of others all but the pixels is seen
}

static int read_pages(const cli_image_file *f, TIFF *tiff, const cli_image *image, const tiff_kind *kind, const report *r) {
    int code = read_page(f, tiff, image, kind, 0, r);
    for (size_t n = 1; n < image->pages && code == CLI_DONE; n++) {
        do
            if (!TIFFReadDirectory(tiff))
                return damaged_page(f, r);
        while (is_extra(tiff));
        code = read_page(f, tiff, image, kind, n, r);
    }
    return code;
}

static int read_tiff(const cli_image_file *f, TIFF *tiff, cli_image *image, const report *r) {
    uint32_t width = 0, height = 0;
    tiff_kind kind = {0};
    TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &width);
    TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &height);
    image->width = width;
    image->height = height;
    int code = describe_kind(f, tiff, image, &kind);
    if (code == CLI_DONE && !TIFFIsCODECConfigured(number(tiff, TIFFTAG_COMPRESSION)))
        code = cli_image_damaged(f, "is compressed in a way that this libtiff does not know");
    if (code == CLI_DONE)
        keep_extras(tiff, image);
    if (code == CLI_DONE)
        code = count_pages(f, tiff, image, r);
    if (code == CLI_DONE)
        code = cli_image_allocate(f, image);
    if (code == CLI_DONE && image->pages > 1 && !(image->later = calloc(image->pages - 1, sizeof *image->later)))
        code = cli_out_of_memory(f->command, f->path);
    return code == CLI_DONE ? read_pages(f, tiff, image, &kind, r) : code;
}

static int read_file(const cli_image_file *f, cli_image *image) {
    report r = {""};
    TIFF *tiff = open_tiff(dup(fileno(f->file)), f->path, "rm", f->max_bytes, &r); // m: a mapping would die of SIGBUS
    if (!tiff) {
        cli_error(f->command, "%s: is a damaged TIFF file: %s", f->path, r.message[0] ? r.message : "it cannot be opened");
        return CLI_INPUT_OUTPUT;
    }
    int code = read_tiff(f, tiff, image, &r);
    TIFFClose(tiff);
    return code;
}

static bool set_fields(TIFF *tiff, const cli_image *image, const cli_metadata *metadata) {
    uint16_t alpha = (uint16_t)image->opacity;
    uint16_t colours = (uint16_t)(image->channels - (image->alpha ? 1 : 0));
    bool done = TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, (uint32_t)image->width) &&
                TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, (uint32_t)image->height) &&
                TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, (int)(8 * mst_type_bytes(image->type))) &&
                TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, (int)image->channels) &&
                TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, cli_image_is_real(image) ? SAMPLEFORMAT_IEEEFP : SAMPLEFORMAT_UINT) &&
                TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, colours == 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK) &&
                TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) &&
                TIFFSetField(tiff, TIFFTAG_COMPRESSION, image->compressed ? COMPRESSION_ADOBE_DEFLATE : COMPRESSION_NONE) &&
                TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, TIFFDefaultStripSize(tiff, 0));
    if (done && image->alpha)
        done = TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &alpha);
    return done && cli_tiff_set_fields(tiff, metadata);
}

static bool write_page(TIFF *tiff, const cli_image *image, size_t n, char *buffer, size_t row) {
    bool several = image->pages > 1;
    bool done = set_fields(tiff, image, n > 0 && image->later ? &image->later[n - 1] : &image->metadata);
    if (done && several)
        done = TIFFSetField(tiff, TIFFTAG_SUBFILETYPE, (uint32_t)FILETYPE_PAGE) &&
               TIFFSetField(tiff, TIFFTAG_PAGENUMBER, (int)(n & 0xffff), image->pages > 0xffff ? 0 : (int)image->pages);
    for (size_t y = 0; y < image->height && done; y++) {
        memcpy(buffer, (const char *)image->pixels + (n * image->height + y) * row, row);
        done = TIFFWriteScanline(tiff, buffer, (uint32_t)y, 0) == 1;
    }
    return done && (!several || TIFFWriteDirectory(tiff) == 1);
}

static int write_file(const cli_whole_file *w, const cli_image *image) {
    report r = {""};
    size_t row = image->width * image->channels * mst_type_bytes(image->type);
    bool big = (uint64_t)row * image->height * image->pages > BIG;
    errno = 0;
    TIFF *tiff = open_tiff(dup(fileno(w->file)), w->path, big ? "w8" : "w", INT64_MAX, &r);
    char *buffer = tiff ? malloc(row) : NULL; // the encoder may write into it
    bool done = buffer;
    for (size_t n = 0; n < image->pages && done; n++)
        done = write_page(tiff, image, n, buffer, row);
    done = done && (image->pages > 1 || TIFFFlush(tiff) == 1);
    if (tiff)
        TIFFClose(tiff);
    free(buffer);
    if (done && !r.message[0])
        return CLI_DONE;
    cli_error(w->command, "%s: cannot be written: %s", w->path, errno ? strerror(errno) : r.message);
    return CLI_INPUT_OUTPUT;
}

static bool begins_tiff(const unsigned char magic[8]) {
    return memcmp(magic, "II*\0", 4) == 0 || memcmp(magic, "MM\0*", 4) == 0 || memcmp(magic, "II+\0", 4) == 0 ||
           memcmp(magic, "MM\0+", 4) == 0;
}

const cli_image_codec cli_tiff = {
    .extensions = {".tif", ".tiff"},
    .several_pages = true,
    .by_parts = true,
    .begins = begins_tiff,
    .read = read_file,
    .full_range = true,
    .needs = CLI_LIBTIFF,
    .write = write_file,
};
