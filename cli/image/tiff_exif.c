#include "tiff_exif.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_FIELDS = 200, MOST_BYTES = 1 << 20, TYPE_ASCII = 2, TYPE_LONG = 4, TYPE_PLACE = 13, TAG_INTEROPERABILITY = 0xa005 };

// By type (TIFF 6.0, section 2): bytes of a value, and of the numbers in it whose bytes have an order.
static const unsigned char value_bytes[] = {0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4};
static const unsigned char number_bytes[] = {0, 1, 1, 2, 4, 4, 1, 1, 2, 4, 4, 4, 8, 4};

// The byte order, and whether offsets have 64 bits.
typedef struct form {
    bool little, big;
} form;

// Where directories are read: a file, or bytes.
typedef struct source {
    int file;
    const cli_block *block; // NULL: the file
    form form;
} source;

typedef struct field {
    unsigned tag, type;
    uint32_t count;
    size_t at, size; // of the directory's bytes
} field;

typedef struct directory {
    field fields[MOST_FIELDS];
    size_t n;
    cli_metadata values; // the bytes of one block, in the order of the source
    bool little;
} directory;

static const cli_block *values_of(const directory *d) { return &d->values.blocks[CLI_EXIF]; }

static uint64_t get(bool little, const unsigned char *bytes, int n) {
    uint64_t value = 0;
    for (int k = 0; k < n; k++)
        value |= (uint64_t)bytes[k] << 8 * (little ? k : n - 1 - k);
    return value;
}

static void put(bool little, unsigned char *bytes, int n, uint64_t value) {
    for (int k = 0; k < n; k++)
        bytes[k] = (unsigned char)(value >> 8 * (little ? k : n - 1 - k));
}

// ---- Reading

static bool fetch(const source *s, uint64_t at, void *to, size_t bytes) {
    if (!s->block)
        return at < INT64_MAX && pread(s->file, to, bytes, (off_t)at) == (ssize_t)bytes;
    if (at > s->block->size || bytes > s->block->size - at)
        return false;
    memcpy(to, s->block->bytes + at, bytes);
    return true;
}

static void add_field(directory *d, unsigned tag, unsigned type, uint32_t count, const void *bytes) {
    const size_t size = (size_t)count * value_bytes[type], before = values_of(d)->size;
    if (d->n == MOST_FIELDS || before + size > MOST_BYTES)
        return;
    cli_metadata_add(&d->values, CLI_EXIF, bytes, size);
    if (values_of(d)->size == before + size)
        d->fields[d->n++] = (field){tag, type, count, before, size};
}

// Adds what an entry of a directory says, where its type is known and its value can be read.
static void read_entry(const source *s, const unsigned char *entry, directory *d) {
    const int wide = s->form.big ? 8 : 4;
    const unsigned type = (unsigned)get(s->form.little, entry + 2, 2);
    const uint64_t count = get(s->form.little, entry + 4, wide);
    if (type == 0 || type >= sizeof value_bytes || count == 0 || count > MOST_BYTES / 8)
        return;
    const size_t size = (size_t)count * value_bytes[type];
    unsigned char *bytes = malloc(size);
    const unsigned char *place = entry + 4 + wide;
    bool done = bytes;
    if (done && size <= (size_t)wide)
        memcpy(bytes, place, size);
    else if (done)
        done = fetch(s, get(s->form.little, place, wide), bytes, size);
    if (done)
        add_field(d, (unsigned)get(s->form.little, entry, 2), type, (uint32_t)count, bytes);
    free(bytes);
}

// The fields of a directory that `is_wanted`.
static void read_directory(const source *s, uint64_t at, bool (*is_wanted)(unsigned tag), directory *d) {
    unsigned char head[8], entry[20];
    const int counting = s->form.big ? 8 : 2, long_entry = s->form.big ? 20 : 12;
    d->little = s->form.little;
    if (!fetch(s, at, head, (size_t)counting))
        return;
    const uint64_t n = get(s->form.little, head, counting);
    for (uint64_t i = 0; i < n && i < MOST_FIELDS; i++) {
        if (!fetch(s, at + (uint64_t)counting + i * (uint64_t)long_entry, entry, (size_t)long_entry))
            return;
        if (is_wanted((unsigned)get(s->form.little, entry, 2)))
            read_entry(s, entry, d);
    }
}

// What a page and a picture of a camera have in common: texts, orientation, resolution.
static bool is_of_page(unsigned tag) {
    static const unsigned tags[] = {TIFFTAG_IMAGEDESCRIPTION, TIFFTAG_MAKE,        TIFFTAG_MODEL,    TIFFTAG_ORIENTATION,
                                    TIFFTAG_XRESOLUTION,      TIFFTAG_YRESOLUTION, TIFFTAG_SOFTWARE, TIFFTAG_DATETIME,
                                    TIFFTAG_RESOLUTIONUNIT,   TIFFTAG_ARTIST,      TIFFTAG_COPYRIGHT};
    for (size_t k = 0; k < sizeof tags / sizeof tags[0]; k++)
        if (tags[k] == tag)
            return true;
    return false;
}

static bool is_place(unsigned tag) { return tag == TIFFTAG_EXIFIFD || tag == TIFFTAG_GPSIFD; }

// One more directory hangs on one of these tags, which is left out with it.
static bool is_inside(unsigned tag) { return tag != TAG_INTEROPERABILITY; }

// ---- Writing

static size_t long_head(const directory *d, form f) { return f.big ? 16 + 20 * d->n : 6 + 12 * d->n; }

static size_t directory_bytes(const directory *d, form f) {
    size_t bytes = long_head(d, f);
    for (size_t i = 0; i < d->n; i++)
        bytes += d->fields[i].size > (f.big ? 8 : 4) ? d->fields[i].size + d->fields[i].size % 2 : 0;
    return bytes;
}

static void put_value(const directory *d, const field *v, form f, unsigned char *to) {
    const unsigned char *from = values_of(d)->bytes + v->at;
    const int bytes = number_bytes[v->type];
    for (size_t k = 0; k < v->size; k += (size_t)bytes)
        put(f.little, to + k, bytes, get(d->little, from + k, bytes));
}

// The directory as it lies at `at` of a file; `to` has directory_bytes of zeros.
static void put_directory(const directory *d, form f, uint64_t at, unsigned char *to) {
    const int wide = f.big ? 8 : 4, counting = f.big ? 8 : 2;
    size_t tail = long_head(d, f);
    unsigned char *entry = to + counting;
    put(f.little, to, counting, d->n);
    for (size_t i = 0; i < d->n; i++, entry += 4 + 2 * wide) {
        const field *v = &d->fields[i];
        put(f.little, entry, 2, v->tag);
        put(f.little, entry + 2, 2, v->type);
        put(f.little, entry + 4, wide, v->count);
        if (v->size <= (size_t)wide) {
            put_value(d, v, f, entry + 4 + wide);
            continue;
        }
        put(f.little, entry + 4 + wide, wide, at + tail);
        put_value(d, v, f, to + tail);
        tail += v->size + v->size % 2;
    }
}

// ---- From a page to a block

static void add_place(directory *first, unsigned tag, uint32_t at) {
    unsigned char bytes[4];
    put(first->little, bytes, 4, at);
    add_field(first, tag, TYPE_LONG, 1, bytes);
}

enum { FIRST, EXIF, POSITIONS, DIRECTORIES };

// What the directories, of which the last two may be empty, are as a block.
static void make_block(directory *d, cli_metadata *m) {
    static const unsigned places[] = {0, TIFFTAG_EXIFIFD, TIFFTAG_GPSIFD};
    const form f = {d[FIRST].little, false};
    size_t at = 8 + directory_bytes(&d[FIRST], f);
    for (int k = EXIF; k < DIRECTORIES; k++)
        at += d[k].n > 0 ? 12 : 0; // of the first one's fields that say where
    for (int k = EXIF; k < DIRECTORIES; k++)
        if (d[k].n > 0) {
            add_place(&d[FIRST], places[k], (uint32_t)at);
            at += directory_bytes(&d[k], f);
        }
    unsigned char *bytes = calloc(at, 1);
    if (bytes) {
        bytes[0] = bytes[1] = f.little ? 'I' : 'M';
        put(f.little, bytes + 2, 2, 42);
        put(f.little, bytes + 4, 4, 8);
        at = 8;
        for (int k = FIRST; k < DIRECTORIES; k++)
            if (d[k].n > 0) {
                put_directory(&d[k], f, at, bytes + at);
                at += directory_bytes(&d[k], f);
            }
        cli_metadata_add(m, CLI_EXIF, bytes, at);
    }
    free(bytes);
}

static bool has_text(const directory *d) {
    for (size_t i = 0; i < d->n; i++)
        if (d->fields[i].type == TYPE_ASCII)
            return true;
    return false;
}

void cli_tiff_keep_exif(TIFF *tiff, cli_metadata *m) {
    directory *d = calloc(DIRECTORIES, sizeof *d);
    source s = {.file = TIFFFileno(tiff)};
    unsigned char head[4];
    uint64_t at = 0;
    if (!d || !fetch(&s, 0, head, sizeof head))
        goto done;
    s.form.little = head[0] == 'I';
    s.form.big = get(s.form.little, head + 2, 2) == 43;
    read_directory(&s, TIFFCurrentDirOffset(tiff), is_of_page, &d[FIRST]);
    if (TIFFGetField(tiff, TIFFTAG_EXIFIFD, &at))
        read_directory(&s, at, is_inside, &d[EXIF]);
    if (TIFFGetField(tiff, TIFFTAG_GPSIFD, &at))
        read_directory(&s, at, is_inside, &d[POSITIONS]);
    if (has_text(&d[FIRST]) || d[EXIF].n > 0 || d[POSITIONS].n > 0)
        make_block(d, m);
done:
    for (int k = FIRST; d && k < DIRECTORIES; k++)
        cli_metadata_free(&d[k].values);
    free(d);
}

// ---- From a block to a page

// The first directory of a block, of the tags that are wanted.
static source open_block(const cli_block *exif, bool (*is_wanted)(unsigned tag), directory *first) {
    source s = {.block = exif};
    if (exif->size >= 8) {
        s.form.little = exif->bytes[0] == 'I';
        read_directory(&s, get(s.form.little, exif->bytes + 4, 4), is_wanted, first);
    }
    return s;
}

// Writes a directory behind what the file has; where, or 0.
static uint64_t append(TIFF *tiff, const directory *d) {
    const form f = {!TIFFIsBigEndian(tiff), TIFFIsBigTIFF(tiff)};
    const size_t bytes = directory_bytes(d, f);
    struct stat now;
    if (fstat(TIFFFileno(tiff), &now) != 0)
        return 0;
    const uint64_t at = ((uint64_t)now.st_size + 1) / 2 * 2;
    unsigned char *text = calloc(bytes, 1);
    bool done = text;
    if (done) {
        put_directory(d, f, at, text);
        done = pwrite(TIFFFileno(tiff), text, bytes, (off_t)at) == (ssize_t)bytes;
    }
    free(text);
    return done ? at : 0;
}

bool cli_tiff_set_exif(TIFF *tiff, const cli_metadata *m) {
    directory *first = calloc(1, sizeof *first), *inside = calloc(1, sizeof *inside);
    bool done = first && inside;
    if (!done)
        goto done;
    source s = open_block(&m->blocks[CLI_EXIF], is_place, first);
    for (size_t i = 0; i < first->n && done; i++) {
        const field *v = &first->fields[i];
        if ((v->type != TYPE_LONG && v->type != TYPE_PLACE) || v->count != 1)
            continue;
        cli_metadata_free(&inside->values);
        inside->n = 0;
        read_directory(&s, get(first->little, values_of(first)->bytes + v->at, 4), is_inside, inside);
        uint64_t at = inside->n > 0 ? append(tiff, inside) : 0;
        done = inside->n == 0 || (at > 0 && TIFFSetField(tiff, v->tag, at));
    }
done:
    if (first)
        cli_metadata_free(&first->values);
    if (inside)
        cli_metadata_free(&inside->values);
    free(first);
    free(inside);
    return done;
}

char *cli_exif_text(const cli_block *exif, uint32_t tag) {
    directory *first = calloc(1, sizeof *first);
    char *text = NULL;
    if (!first)
        return NULL;
    open_block(exif, is_of_page, first);
    for (size_t i = 0; i < first->n && !text; i++)
        if (first->fields[i].tag == tag && first->fields[i].type == TYPE_ASCII)
            text = strndup((const char *)values_of(first)->bytes + first->fields[i].at, first->fields[i].size);
    cli_metadata_free(&first->values);
    free(first);
    return text;
}
