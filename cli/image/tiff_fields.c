#include "tiff_fields.h"
#include "tiff_exif.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Fields that are bytes, and text.
static const struct {
    uint32_t tag;
    cli_block_kind kind;
} block_fields[] = {{TIFFTAG_ICCPROFILE, CLI_PROFILE},
                    {TIFFTAG_XMLPACKET, CLI_XMP},
                    {TIFFTAG_PHOTOSHOP, CLI_PHOTOSHOP},
                    {TIFFTAG_RICHTIFFIPTC, CLI_IPTC}};
static const struct {
    uint32_t tag;
    const char *key; // PNG's, where it has one
} text_fields[] = {{TIFFTAG_DOCUMENTNAME, "Title"}, {TIFFTAG_IMAGEDESCRIPTION, "Description"},
                   {TIFFTAG_MAKE, "Make"},          {TIFFTAG_MODEL, "Model"},
                   {TIFFTAG_SOFTWARE, "Software"},  {TIFFTAG_DATETIME, "Creation Time"},
                   {TIFFTAG_ARTIST, "Author"},      {TIFFTAG_COPYRIGHT, "Copyright"},
                   {TIFFTAG_HOSTCOMPUTER, "Source"}};

// IPTC's records are counted in numbers of 32 bits where they are said to be such, whose order libtiff has changed.
static bool is_swapped_iptc(TIFF *tiff, cli_block_kind kind, uint32_t *count, void *bytes) {
    const TIFFField *field = kind == CLI_IPTC ? TIFFFindField(tiff, TIFFTAG_RICHTIFFIPTC, TIFF_ANY) : NULL;
    if (!field || TIFFFieldDataType(field) != TIFF_LONG || *count > UINT32_MAX / 4)
        return false;
    if (TIFFIsByteSwapped(tiff))
        TIFFSwabArrayOfLong(bytes, *count);
    *count *= 4;
    return true;
}

static void keep_blocks(TIFF *tiff, cli_metadata *m) {
    for (size_t k = 0; k < sizeof block_fields / sizeof block_fields[0]; k++) {
        uint32_t count = 0;
        void *bytes = NULL;
        if (!TIFFGetField(tiff, block_fields[k].tag, &count, &bytes) || count == 0 || !bytes)
            continue;
        bool swapped = is_swapped_iptc(tiff, block_fields[k].kind, &count, bytes);
        cli_metadata_add(m, block_fields[k].kind, bytes, count);
        if (swapped && TIFFIsByteSwapped(tiff))
            TIFFSwabArrayOfLong(bytes, count / 4);
    }
}

static void keep_texts(TIFF *tiff, cli_metadata *m) {
    for (size_t k = 0; k < sizeof text_fields / sizeof text_fields[0]; k++) {
        const char *text = NULL;
        if (TIFFGetField(tiff, text_fields[k].tag, &text) && text)
            cli_metadata_remark(m, false, text_fields[k].key, text, strlen(text), NULL, NULL);
    }
}

void cli_tiff_keep_fields(TIFF *tiff, cli_metadata *m) {
    keep_blocks(tiff, m);
    keep_texts(tiff, m);
    cli_tiff_keep_exif(tiff, m);
}

static bool set_block(TIFF *tiff, uint32_t tag, const cli_block *block) {
    const TIFFField *field = TIFFFindField(tiff, tag, TIFF_ANY);
    if (!field || TIFFFieldDataType(field) != TIFF_LONG)
        return TIFFSetField(tiff, tag, (uint32_t)block->size, block->bytes);
    uint32_t count = (uint32_t)((block->size + 3) / 4), *numbers = calloc(count, sizeof *numbers);
    if (numbers)
        memcpy(numbers, block->bytes, block->size);
    bool done = numbers && TIFFSetField(tiff, tag, count, numbers);
    free(numbers);
    return done;
}

// A text of the metadata, or else of EXIF; what a picture is said to show may be its comment.
static bool set_text(TIFF *tiff, const cli_metadata *m, uint32_t tag, const char *key) {
    const char *text = cli_metadata_find(m, key);
    char *of_exif = text ? NULL : cli_exif_text(&m->blocks[CLI_EXIF], tag);
    if (!text)
        text = of_exif;
    if (!text && tag == TIFFTAG_IMAGEDESCRIPTION)
        text = cli_metadata_find(m, "Comment");
    bool done = !text || TIFFSetField(tiff, tag, text);
    free(of_exif);
    return done;
}

// Pixels a centimetre where those a metre are whole, as PNG has them, else an inch.
static bool set_resolution(TIFF *tiff, const cli_metadata *m) {
    bool metric = rint(m->across) == m->across && rint(m->down) == m->down;
    double unit = metric ? 100 : CLI_INCHES_A_METRE;
    return TIFFSetField(tiff, TIFFTAG_RESOLUTIONUNIT, metric ? RESUNIT_CENTIMETER : RESUNIT_INCH) &&
           TIFFSetField(tiff, TIFFTAG_XRESOLUTION, m->across / unit) && TIFFSetField(tiff, TIFFTAG_YRESOLUTION, m->down / unit);
}

bool cli_tiff_set_fields(TIFF *tiff, const cli_metadata *m) {
    bool done = true;
    if (m->orientation)
        done = TIFFSetField(tiff, TIFFTAG_ORIENTATION, (int)m->orientation);
    if (done && m->across > 0 && m->down > 0)
        done = set_resolution(tiff, m);
    for (size_t k = 0; k < sizeof block_fields / sizeof block_fields[0] && done; k++) {
        const cli_block *block = &m->blocks[block_fields[k].kind];
        if (block->bytes && block->size < UINT32_MAX - 4)
            done = set_block(tiff, block_fields[k].tag, block);
    }
    for (size_t k = 0; k < sizeof text_fields / sizeof text_fields[0] && done; k++)
        done = set_text(tiff, m, text_fields[k].tag, text_fields[k].key);
    return done && cli_tiff_set_exif(tiff, m);
}
