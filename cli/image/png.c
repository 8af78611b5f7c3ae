// PNG, through libpng.
#include "core/report.h"
#include "format.h"

#include <errno.h>
#include <math.h>
#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SIDE (1u << 23)
#define MOST_CHUNKS 128u      // that are not pixels: further ones are left out
#define MOST_CHUNK (8u << 20) // bytes of such a one, unpacked
#define LONG_TEXT 1000u       // bytes of a text that is worth packing
#define DEFLATE_RATIO 1032u   // no deflated data are more than that often larger than they were

// Chunks that are not carried, but which libpng would take memory for at once, of the size that their headers claim.
static const png_byte unused_chunks[] = "sPLT\0pCAL\0sCAL";
enum { N_UNUSED_CHUNKS = sizeof unused_chunks / 5 };

// libpng reports an error by a jump; its message is kept for the caller.
typedef struct report {
    char message[200];
} report;

static void on_error(png_structp png, png_const_charp message) {
    report *r = png_get_error_ptr(png);
    snprintf(r->message, sizeof r->message, "%s", message);
    longjmp(png_jmpbuf(png), 1);
}

static void on_warning(png_structp png, png_const_charp message) { (void)png, (void)message; }

// Converts everything to 8 or 16 bits a channel, grey or colour, with opacity as a channel of its own.
static void set_transformations(png_structp png, png_infop info) {
    png_set_expand(png);
    if (png_get_bit_depth(png, info) == 16 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
        png_set_swap(png);
    png_set_interlace_handling(png);
    png_read_update_info(png, info);
}

static void keep_profile(png_structp png, png_infop info, cli_image *image) {
    png_charp name;
    png_bytep profile;
    png_uint_32 bytes;
    int method;
    if (png_get_iCCP(png, info, &name, &method, &profile, &bytes) != 0)
        cli_metadata_add(&image->metadata, CLI_PROFILE, profile, bytes);
}

static const char xmp_key[] = "XML:com.adobe.xmp";

static void keep_texts(png_structp png, png_infop info, cli_metadata *to) {
    png_textp texts;
    int count = png_get_text(png, info, &texts, NULL);
    for (int i = 0; i < count; i++) {
        const png_text *t = &texts[i];
        bool international = t->compression >= PNG_ITXT_COMPRESSION_NONE;
        size_t length = international ? t->itxt_length : t->text_length;
        if (strcmp(t->key, xmp_key) == 0 && !to->blocks[CLI_XMP].bytes)
            cli_metadata_add(to, CLI_XMP, t->text, length);
        else
            cli_metadata_remark(to, !international, t->key, t->text ? t->text : "", length, international ? t->lang : NULL,
                                international ? t->lang_key : NULL);
    }
}

static void keep_colours(png_structp png, png_infop info, cli_colours *to) {
    double *c = to->chromaticities;
    to->srgb = png_get_sRGB(png, info, &to->intent) != 0;
    if (png_get_gAMA(png, info, &to->gamma) == 0)
        to->gamma = 0;
    if (png_get_cHRM(png, info, &c[0], &c[1], &c[2], &c[3], &c[4], &c[5], &c[6], &c[7]) == 0)
        c[0] = 0;
}

// What may be in front of the pixels or behind them.
static void keep_metadata(png_structp png, png_infop info, cli_metadata *to) {
    keep_texts(png, info, to);
    keep_colours(png, info, &to->colours);
#ifdef PNG_eXIf_SUPPORTED
    png_uint_32 bytes;
    png_bytep exif;
    if (png_get_eXIf_1(png, info, &bytes, &exif) != 0)
        cli_metadata_add(to, CLI_EXIF, exif, bytes);
#endif
    cli_metadata_read_orientation(to);
}

static int describe(const cli_image_file *f, png_structp png, png_infop info, cli_image *image) {
    image->width = png_get_image_width(png, info);
    image->height = png_get_image_height(png, info);
    image->channels = png_get_channels(png, info);
    image->alpha = (png_get_color_type(png, info) & PNG_COLOR_MASK_ALPHA) != 0;
    image->opacity = CLI_OPACITY_APART;
    image->type = png_get_bit_depth(png, info) == 16 ? MST_UINT16 : MST_UINT8;
    image->white = image->type == MST_UINT16 ? 65535 : 255;
    image->metadata.across = png_get_x_pixels_per_meter(png, info);
    image->metadata.down = png_get_y_pixels_per_meter(png, info);
    // A pixel takes at least one bit before compression.
    if (image->width / 8 * image->height / DEFLATE_RATIO > f->bytes)
        return cli_image_damaged(f, "is shorter than its header says");
    keep_profile(png, info, image);
    return cli_image_allocate(f, image);
}

// Whether no chunk but pixels claims to be longer than the file: libpng takes memory for a text of the size that its header
// claims.
static bool chunks_are_there(const cli_image_file *f) {
    const long start = ftell(f->file);
    unsigned char head[8];
    uint64_t at = 8; // behind the signature
    bool there = true;
    while (there && fseeko(f->file, (off_t)at, SEEK_SET) == 0 && fread(head, 1, sizeof head, f->file) == sizeof head) {
        at += 12 + (uint64_t)png_get_uint_32(head);
        there = at <= f->bytes || memcmp(head + 4, "IDAT", 4) == 0;
    }
    return fseeko(f->file, start, SEEK_SET) == 0 && there;
}

// The file's pixels, row by row; *rows is the caller's to free. Errors of libpng jump.
static int read_rows(const cli_image_file *f, png_structp png, png_infop info, cli_image *image, png_bytep *volatile *rows) {
    if (!chunks_are_there(f))
        return cli_image_damaged(f, "damaged PNG: a chunk of it claims to be longer than the file");
    png_set_user_limits(png, MOST_SIDE, MOST_SIDE);
    png_set_chunk_cache_max(png, MOST_CHUNKS);
    png_set_chunk_malloc_max(png, MOST_CHUNK);
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, unused_chunks, N_UNUSED_CHUNKS);
    png_init_io(png, f->file);
    png_read_info(png, info);
    set_transformations(png, info);
    int code = describe(f, png, info, image);
    if (code != CLI_DONE)
        return code;
    size_t row = image->width * image->channels * mst_type_bytes(image->type);
    if (png_get_rowbytes(png, info) != row)
        return cli_image_damaged(f, "has rows of an unexpected length");
    *rows = malloc(image->height * sizeof **rows);
    if (!*rows) {
        cli_error(f->command, "%s: out of memory", f->path);
        return CLI_FAILED;
    }
    for (size_t y = 0; y < image->height; y++)
        (*rows)[y] = (png_bytep)image->pixels + y * row;
    png_read_image(png, *rows);
    png_read_end(png, info);
    keep_metadata(png, info, &image->metadata);
    return CLI_DONE;
}

static int read_png(const cli_image_file *f, cli_image *image) {
    report r = {""};
    png_bytep *volatile rows = NULL;
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &r, on_error, on_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    int code;
    if (!info) {
        cli_error(f->command, "%s: out of memory", f->path);
        code = CLI_FAILED;
    } else if (setjmp(png_jmpbuf(png))) {
        cli_error(f->command, "%s: is a damaged PNG file: %s", f->path, r.message);
        code = CLI_INPUT_OUTPUT;
    } else {
        code = read_rows(f, png, info, image, &rows);
    }
    png_destroy_read_struct(&png, &info, NULL);
    free(rows);
    return code;
}

static png_uint_32 resolution(double per_metre) { return (png_uint_32)rint(fmin(per_metre, PNG_UINT_31_MAX)); }

// A profile begins with its length (ICC.1:2022, 7.2.2). Some versions of libpng take one with another and fail when they write
// it.
static bool is_profile(const cli_block *profile) {
    return profile->size >= 132 && png_get_uint_32(profile->bytes) == profile->size;
}

// Whether any letter of a key is left when libpng has dropped blanks and what is no letter; it takes no key without one.
static bool is_key(const char *latin) {
    for (const unsigned char *c = (const unsigned char *)latin; *c; c++)
        if ((*c > 32 && *c < 127) || *c > 160)
            return true;
    return false;
}

// As tEXt where its letters are Latin-1, and as iTXt else; packed if it is long. libpng copies it.
static void write_text(png_structp png, png_infop info, const char *key, const cli_remark *r) {
    char *latin_key = cli_latin_of(key), *latin = r->language || r->translation ? NULL : cli_latin_of(r->value);
    bool is_long = strlen(r->value) > LONG_TEXT;
    png_text t = {.key = latin_key, .text = latin ? latin : r->value, .lang = r->language, .lang_key = r->translation};
    if (latin)
        t.compression = is_long ? PNG_TEXT_COMPRESSION_zTXt : PNG_TEXT_COMPRESSION_NONE;
    else
        t.compression = is_long ? PNG_ITXT_COMPRESSION_zTXt : PNG_ITXT_COMPRESSION_NONE;
    if (latin_key && is_key(latin_key))
        png_set_text(png, info, &t, 1);
    free(latin_key);
    free(latin);
}

static void write_colours(png_structp png, png_infop info, const cli_colours *colours) {
    const double *c = colours->chromaticities;
    if (colours->srgb)
        png_set_sRGB(png, info, colours->intent);
    if (colours->gamma > 0)
        png_set_gAMA(png, info, colours->gamma);
    if (c[0] > 0)
        png_set_cHRM(png, info, c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]);
}

static void write_xmp(png_structp png, png_infop info, const cli_block *xmp) {
    char *packet = xmp->bytes ? strndup((const char *)xmp->bytes, xmp->size) : NULL;
    png_text t = {.key = (png_charp)(uintptr_t)xmp_key, .text = packet, .compression = PNG_ITXT_COMPRESSION_NONE};
    if (packet)
        png_set_text(png, info, &t, 1);
    free(packet);
}

static void write_metadata(png_structp png, png_infop info, const cli_metadata *m) {
    const cli_block *profile = &m->blocks[CLI_PROFILE];
    if (m->across > 0 && m->down > 0)
        png_set_pHYs(png, info, resolution(m->across), resolution(m->down), PNG_RESOLUTION_METER);
    if (is_profile(profile))
        png_set_iCCP(png, info, "ICC profile", PNG_COMPRESSION_TYPE_BASE, profile->bytes, (png_uint_32)profile->size);
    write_colours(png, info, &m->colours);
#ifdef PNG_eXIf_SUPPORTED
    if (m->blocks[CLI_EXIF].bytes)
        png_set_eXIf_1(png, info, (png_uint_32)m->blocks[CLI_EXIF].size, m->blocks[CLI_EXIF].bytes);
#endif
    write_xmp(png, info, &m->blocks[CLI_XMP]);
    for (size_t i = 0; i < m->n_remarks; i++)
        write_text(png, info, m->remarks[i].key, &m->remarks[i]);
}

static void write_all(const cli_whole_file *w, png_structp png, png_infop info, const cli_image *image) {
    static const int colours[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA};
    size_t row = image->width * image->channels * mst_type_bytes(image->type);
    png_set_user_limits(png, MOST_SIDE, MOST_SIDE);
    png_set_benign_errors(png, 1); // a colour profile that libpng rejects is left out
    png_init_io(png, w->file);
    png_set_IHDR(png, info, (png_uint_32)image->width, (png_uint_32)image->height, image->type == MST_UINT16 ? 16 : 8,
                 colours[image->channels - 1], PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    write_metadata(png, info, &image->metadata);
    png_write_info(png, info);
    if (image->type == MST_UINT16 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
        png_set_swap(png);
    for (size_t y = 0; y < image->height; y++)
        png_write_row(png, (png_const_bytep)image->pixels + y * row);
    png_write_end(png, NULL);
}

static int write_png(const cli_whole_file *w, const cli_image *image) {
    report r = {""};
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &r, on_error, on_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    int code = CLI_DONE;
    errno = 0;
    if (!info) {
        code = cli_whole_failed(w, ENOMEM);
    } else if (setjmp(png_jmpbuf(png))) {
        cli_error(w->command, "%s: cannot be written: %s", w->path, errno ? strerror(errno) : r.message);
        code = CLI_INPUT_OUTPUT;
    } else {
        write_all(w, png, info, image);
        if (fflush(w->file) != 0)
            code = cli_whole_failed(w, errno);
    }
    png_destroy_write_struct(&png, &info);
    return code;
}

static bool begins_png(const unsigned char magic[8]) { return memcmp(magic, "\x89PNG\r\n\x1a\n", 8) == 0; }

static const char *cannot_hold(const cli_image *image) {
    if (image->channels > 4)
        return "PNG holds up to 4 channels";
    if (image->alpha && image->opacity == CLI_OPACITY_MULTIPLIED)
        return "PNG has no colours multiplied by the opacity; write .tif";
    return image->type == MST_FLOAT32 ? "the result is float32; write .tif or .npy" : NULL;
}

const cli_image_codec cli_png = {
    .extensions = {".png"},
    .begins = begins_png,
    .read = read_png,
    .cannot_hold = cannot_hold,
    .any_channels = true,
    .needs = CLI_LIBPNG,
    .full_range = true,
    .write = write_png,
};
