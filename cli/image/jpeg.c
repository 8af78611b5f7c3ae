// JPEG, through libjpeg-turbo: grey and colour of 8 bits.
#include "core/interrupt.h"
#include "core/report.h"
#include "format.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#include <jerror.h>

#define MOST_SIDE 65500u // libjpeg's own limit
#define MOST_SCANS 500   // of a progressive file; each passes over all pixels
#define MARKER 65533u    // bytes of a marker at most
#define WORK ((uint64_t)16 << 20)
#define PIXELS_A_BIT 64u // no block of 8 x 8 in Huffman's code takes less than a bit
#define QUALITY 92

static const char exif_begins[] = "Exif\0"; // and the 0 that ends it
static const char xmp_begins[] = "http://ns.adobe.com/xap/1.0/";
static const char photoshop_begins[] = "Photoshop 3.0";

// libjpeg reports an error by a jump; its message is kept for the caller.
typedef struct report {
    struct jpeg_error_mgr base;
    jmp_buf jump;
    char message[JMSG_LENGTH_MAX];
    int exit_code;
} report;

static void on_error(j_common_ptr jpeg) {
    report *r = (report *)jpeg->err;
    r->base.format_message(jpeg, r->message);
    longjmp(r->jump, 1);
}

// Pixels that libjpeg makes up for ones that are missing or damaged are an error; what does not touch pixels is let through.
static void on_message(j_common_ptr jpeg, int level) {
    int code = jpeg->err->msg_code;
    bool harmless = code == JWRN_EXTRANEOUS_DATA || code == JWRN_ADOBE_XFORM || code == JWRN_JFIF_MAJOR ||
                    code == JWRN_BOGUS_PROGRESSION || code == JWRN_BOGUS_ICC;
    if (level < 0 && !harmless)
        on_error(jpeg);
}

static void begin_report(report *r) {
    jpeg_std_error(&r->base);
    r->base.error_exit = on_error;
    r->base.emit_message = on_message;
    r->message[0] = '\0';
}

// ---- Reading

static void on_progress(j_common_ptr jpeg) {
    report *r = (report *)jpeg->err;
    if (((j_decompress_ptr)jpeg)->input_scan_number > MOST_SCANS) {
        snprintf(r->message, sizeof r->message, "it has more than %d scans", MOST_SCANS);
        longjmp(r->jump, 1);
    }
}

static bool begins_with(const struct jpeg_marker_struct *m, const char *text, size_t bytes) {
    return m->data_length >= bytes && memcmp(m->data, text, bytes) == 0;
}

static void keep_marker(const struct jpeg_marker_struct *m, cli_metadata *to) {
    static const struct {
        const char *begins;
        size_t bytes;
        cli_block_kind kind;
    } kinds[] = {{exif_begins, sizeof exif_begins, CLI_EXIF},
                 {xmp_begins, sizeof xmp_begins, CLI_XMP},
                 {photoshop_begins, sizeof photoshop_begins, CLI_PHOTOSHOP}};
    if (m->marker == JPEG_COM)
        cli_metadata_remark(to, false, "Comment", (const char *)m->data, m->data_length, NULL, NULL);
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        if (m->marker == JPEG_APP0 + (kinds[k].kind == CLI_PHOTOSHOP ? 13 : 1) &&
            begins_with(m, kinds[k].begins, kinds[k].bytes) &&
            (kinds[k].kind == CLI_PHOTOSHOP || !to->blocks[kinds[k].kind].bytes))
            cli_metadata_add(to, kinds[k].kind, m->data + kinds[k].bytes, m->data_length - kinds[k].bytes);
}

static void keep_metadata(j_decompress_ptr jpeg, cli_metadata *to) {
    JOCTET *profile = NULL;
    unsigned bytes = 0;
    double metre = jpeg->density_unit == 1 ? CLI_INCHES_A_METRE : jpeg->density_unit == 2 ? 100 : 0;
    for (const struct jpeg_marker_struct *m = jpeg->marker_list; m; m = m->next)
        keep_marker(m, to);
    if (jpeg_read_icc_profile(jpeg, &profile, &bytes))
        cli_metadata_add(to, CLI_PROFILE, profile, bytes);
    free(profile);
    to->across = metre * jpeg->X_density;
    to->down = metre * jpeg->Y_density;
    cli_metadata_read_orientation(to);
}

static int describe(const cli_image_file *f, j_decompress_ptr jpeg, cli_image *image) {
    if (jpeg->num_components == 4)
        return cli_image_damaged(f, "is CMYK; convert it, by 'magick IN -colorspace sRGB OUT', say");
    if (jpeg->num_components != 1 && jpeg->num_components != 3)
        return cli_image_damaged(
            f, "is a JPEG file of other colours than grey and RGB; convert it, by 'magick IN -colorspace sRGB OUT', say");
    jpeg->out_color_space = jpeg->num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
    image->width = jpeg->image_width;
    image->height = jpeg->image_height;
    image->channels = (size_t)jpeg->num_components;
    image->type = MST_UINT8;
    image->white = 255;
    bool any_length = jpeg->arith_code && !jpeg->progressive_mode; // arithmetic codes take parts of bits
    if (!any_length && image->width / PIXELS_A_BIT * image->height / 8 > f->bytes)
        return cli_image_damaged(f, "is shorter than its header says");
    return cli_image_allocate(f, image);
}

static int read_rows(const cli_image_file *f, j_decompress_ptr jpeg, cli_image *image) {
    uint64_t work = f->max_bytes < INT64_MAX / 8 ? 4 * f->max_bytes + WORK : INT64_MAX;
    jpeg->mem->max_memory_to_use = (long)work; // progressive files are kept whole, as coefficients
    jpeg_stdio_src(jpeg, f->file);
    jpeg_save_markers(jpeg, JPEG_COM, MARKER);
    for (int app = 1; app <= 13; app += app == 1 ? 1 : 11) // EXIF and XMP, ICC, Photoshop's
        jpeg_save_markers(jpeg, JPEG_APP0 + app, MARKER);
    jpeg_read_header(jpeg, TRUE);
    int code = describe(f, jpeg, image);
    if (code != CLI_DONE)
        return code;
    keep_metadata(jpeg, &image->metadata);
    jpeg_start_decompress(jpeg);
    for (size_t y = 0; y < image->height; y++) {
        JSAMPROW row = (JSAMPROW)image->pixels + y * image->width * image->channels;
        if (cli_interrupted())
            return CLI_INTERRUPTED;
        jpeg_read_scanlines(jpeg, &row, 1);
    }
    jpeg_finish_decompress(jpeg);
    return CLI_DONE;
}

static int read_jpeg(const cli_image_file *f, cli_image *image) {
    struct jpeg_decompress_struct jpeg = {0};
    struct jpeg_progress_mgr progress = {.progress_monitor = on_progress};
    report r;
    int code;
    begin_report(&r);
    jpeg.err = &r.base;
    if (setjmp(r.jump)) {
        cli_error(f->command, "%s: is a damaged JPEG file: %s", f->path, r.message);
        code = CLI_INPUT_OUTPUT;
    } else {
        jpeg_create_decompress(&jpeg);
        jpeg.progress = &progress;
        code = read_rows(f, &jpeg, image);
    }
    jpeg_destroy_decompress(&jpeg);
    return code;
}

// ---- Writing

// A marker that begins with some text. What is longer than one can be is left out.
static void write_block(j_compress_ptr jpeg, int app, const char *begins, size_t bytes, const cli_block *block) {
    if (!block->bytes || block->size > MARKER - bytes)
        return;
    jpeg_write_m_header(jpeg, JPEG_APP0 + app, (unsigned)(bytes + block->size));
    for (size_t i = 0; i < bytes; i++)
        jpeg_write_m_byte(jpeg, begins[i]);
    for (size_t i = 0; i < block->size; i++)
        jpeg_write_m_byte(jpeg, block->bytes[i]);
}

// IPTC's records from a TIFF file are an image resource of Photoshop's: number 0x404, without a name.
static cli_metadata wrap_iptc(const cli_block *iptc) {
    const unsigned char head[] = {'8',
                                  'B',
                                  'I',
                                  'M',
                                  4,
                                  4,
                                  0,
                                  0,
                                  (unsigned char)(iptc->size >> 24),
                                  (unsigned char)(iptc->size >> 16),
                                  (unsigned char)(iptc->size >> 8),
                                  (unsigned char)iptc->size};
    cli_metadata resource = {0};
    cli_metadata_add(&resource, CLI_PHOTOSHOP, head, sizeof head);
    cli_metadata_add(&resource, CLI_PHOTOSHOP, iptc->bytes, iptc->size);
    if (iptc->size % 2)
        cli_metadata_add(&resource, CLI_PHOTOSHOP, "", 1);
    return resource;
}

// Of what is longer than a marker, as by a text of another format, the orientation.
static void write_exif(j_compress_ptr jpeg, const cli_metadata *m) {
    cli_metadata rest = {.orientation = m->orientation};
    if (m->blocks[CLI_EXIF].size > MARKER - sizeof exif_begins)
        cli_metadata_write_orientation(&rest);
    write_block(jpeg, 1, exif_begins, sizeof exif_begins, &(rest.blocks[CLI_EXIF].bytes ? &rest : m)->blocks[CLI_EXIF]);
    cli_metadata_free(&rest);
}

static void write_metadata(j_compress_ptr jpeg, const cli_metadata *m) {
    const cli_block *iptc = &m->blocks[CLI_IPTC];
    write_exif(jpeg, m);
    write_block(jpeg, 1, xmp_begins, sizeof xmp_begins, &m->blocks[CLI_XMP]);
    if (!m->blocks[CLI_PHOTOSHOP].bytes && iptc->bytes && iptc->size < MARKER) {
        cli_metadata resource = wrap_iptc(iptc);
        write_block(jpeg, 13, photoshop_begins, sizeof photoshop_begins, &resource.blocks[CLI_PHOTOSHOP]);
        cli_metadata_free(&resource);
    } else {
        write_block(jpeg, 13, photoshop_begins, sizeof photoshop_begins, &m->blocks[CLI_PHOTOSHOP]);
    }
    if (m->blocks[CLI_PROFILE].size > 0 && m->blocks[CLI_PROFILE].size < UINT32_MAX)
        jpeg_write_icc_profile(jpeg, m->blocks[CLI_PROFILE].bytes, (unsigned)m->blocks[CLI_PROFILE].size);
    for (size_t i = 0; i < m->n_remarks; i++)
        if (strcmp(m->remarks[i].key, "Comment") == 0 && strlen(m->remarks[i].value) <= MARKER)
            jpeg_write_marker(jpeg, JPEG_COM, (const JOCTET *)m->remarks[i].value, (unsigned)strlen(m->remarks[i].value));
}

static UINT16 density(double per_metre) { return (UINT16)fmin(rint(per_metre / CLI_INCHES_A_METRE), UINT16_MAX); }

static void write_all(const cli_whole_file *w, j_compress_ptr jpeg, const cli_image *image) {
    int quality = image->quality ? image->quality : QUALITY;
    jpeg_stdio_dest(jpeg, w->file);
    jpeg->image_width = (JDIMENSION)image->width;
    jpeg->image_height = (JDIMENSION)image->height;
    jpeg->input_components = (int)image->channels;
    jpeg->in_color_space = image->channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(jpeg);
    jpeg_set_quality(jpeg, quality, TRUE);
    if (quality >= 90) // colours in full resolution
        jpeg->comp_info[0].h_samp_factor = jpeg->comp_info[0].v_samp_factor = 1;
    if (density(image->metadata.across) > 0 && density(image->metadata.down) > 0) {
        jpeg->density_unit = 1;
        jpeg->X_density = density(image->metadata.across);
        jpeg->Y_density = density(image->metadata.down);
    }
    jpeg_start_compress(jpeg, TRUE);
    write_metadata(jpeg, &image->metadata);
    for (size_t y = 0; y < image->height; y++) {
        JSAMPROW row = (JSAMPROW)image->pixels + y * image->width * image->channels;
        jpeg_write_scanlines(jpeg, &row, 1);
    }
    jpeg_finish_compress(jpeg);
}

static int write_jpeg(const cli_whole_file *w, const cli_image *image) {
    struct jpeg_compress_struct jpeg = {0};
    report r;
    int code;
    begin_report(&r);
    jpeg.err = &r.base;
    errno = 0;
    if (setjmp(r.jump)) {
        cli_error(w->command, "%s: cannot be written: %s", w->path, errno ? strerror(errno) : r.message);
        code = CLI_INPUT_OUTPUT;
    } else {
        jpeg_create_compress(&jpeg);
        write_all(w, &jpeg, image);
        code = fflush(w->file) == 0 ? CLI_DONE : cli_whole_failed(w, errno);
    }
    jpeg_destroy_compress(&jpeg);
    return code;
}

static bool begins_jpeg(const unsigned char magic[8]) { return magic[0] == 0xff && magic[1] == 0xd8 && magic[2] == 0xff; }

static const char *cannot_hold(const cli_image *image) {
    if (image->type != MST_UINT8)
        return "JPEG holds 8 bits; write .png, .tif or .npy";
    if (image->alpha)
        return "JPEG has no opacity; write .png or .tif";
    return image->width > MOST_SIDE || image->height > MOST_SIDE ? "JPEG holds up to 65500 pixels a side; write .png or .tif"
                                                                 : NULL;
}

const cli_image_codec cli_jpeg = {
    .extensions = {".jpg", ".jpeg", ".jpe"},
    .begins = begins_jpeg,
    .read = read_jpeg,
    .cannot_hold = cannot_hold,
    .full_range = true,
    .lossy = true,
    .needs = CLI_LIBJPEG,
    .write = write_jpeg,
};
