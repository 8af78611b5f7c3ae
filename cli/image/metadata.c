#include "metadata.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void cli_metadata_free(cli_metadata *m) {
    for (int k = 0; k < CLI_N_BLOCKS; k++)
        free(m->blocks[k].bytes);
    for (size_t i = 0; i < m->n_remarks; i++) {
        free(m->remarks[i].key);
        free(m->remarks[i].value);
        free(m->remarks[i].language);
        free(m->remarks[i].translation);
    }
    free(m->remarks);
    memset(m, 0, sizeof *m);
}

void cli_metadata_add(cli_metadata *m, cli_block_kind kind, const void *bytes, size_t size) {
    cli_block *b = &m->blocks[kind];
    unsigned char *longer = size > 0 ? realloc(b->bytes, b->size + size) : NULL;
    if (!longer)
        return;
    memcpy(longer + b->size, bytes, size);
    b->bytes = longer;
    b->size += size;
}

// ---- Remarks

static char *copy_text(bool latin, const char *text, size_t length) {
    char *copy = malloc(2 * length + 1);
    size_t at = 0;
    for (size_t i = 0; copy && i < length && text[i]; i++) {
        unsigned char c = (unsigned char)text[i];
        if (latin && c >= 0x80) {
            copy[at++] = (char)(0xc0 | c >> 6);
            copy[at++] = (char)(0x80 | (c & 0x3f));
        } else {
            copy[at++] = (char)c;
        }
    }
    if (copy)
        copy[at] = '\0';
    return copy;
}

void cli_metadata_remark(cli_metadata *m, bool latin, const char *key, const char *value, size_t length, const char *language,
                         const char *translation) {
    cli_remark *longer = realloc(m->remarks, (m->n_remarks + 1) * sizeof *longer);
    if (!longer)
        return;
    m->remarks = longer;
    cli_remark r = {.key = copy_text(latin, key, strlen(key)), .value = copy_text(latin, value, length)};
    if (language && *language)
        r.language = strdup(language);
    if (translation && *translation)
        r.translation = strdup(translation);
    if (r.key && r.value) {
        m->remarks[m->n_remarks++] = r;
        return;
    }
    free(r.key);
    free(r.value);
    free(r.language);
    free(r.translation);
}

const char *cli_metadata_find(const cli_metadata *m, const char *key) {
    for (size_t i = 0; i < m->n_remarks; i++)
        if (strcmp(m->remarks[i].key, key) == 0)
            return m->remarks[i].value;
    return NULL;
}

char *cli_latin_of(const char *text) {
    char *latin = malloc(strlen(text) + 1);
    size_t at = 0;
    for (const unsigned char *c = (const unsigned char *)text; latin && *c; c++) {
        bool two = (*c == 0xc2 || *c == 0xc3) && (c[1] & 0xc0) == 0x80;
        if (*c >= 0x80 && !two) {
            free(latin);
            return NULL;
        }
        latin[at++] = (char)(two ? (*c & 3) << 6 | (c[1] & 0x3f) : *c);
        c += two;
    }
    if (latin)
        latin[at] = '\0';
    return latin;
}

// ---- The orientation in EXIF (Exif 2.32, 4.5: a TIFF structure). Entries are of 12 bytes: tag, type, count, value.

enum { TAG_ORIENTATION = 0x112, TYPE_SHORT = 3 };

static uint32_t number_at(const cli_block *exif, size_t at, int bytes) {
    uint32_t value = 0;
    bool little = exif->bytes[0] == 'I';
    for (int k = 0; k < bytes; k++)
        value |= (uint32_t)exif->bytes[at + (size_t)k] << 8 * (little ? k : bytes - 1 - k);
    return value;
}

void cli_metadata_read_orientation(cli_metadata *m) {
    const cli_block *exif = &m->blocks[CLI_EXIF];
    if (m->orientation || exif->size < 14)
        return;
    size_t first = number_at(exif, 4, 4);
    if (first > exif->size - 2)
        return;
    size_t count = number_at(exif, first, 2), room = (exif->size - 2 - first) / 12;
    for (size_t i = 0; i < count && i < room; i++) {
        size_t at = first + 2 + 12 * i;
        if (number_at(exif, at, 2) != TAG_ORIENTATION || number_at(exif, at + 2, 2) != TYPE_SHORT)
            continue;
        uint32_t orientation = number_at(exif, at + 8, 2);
        m->orientation = orientation <= 8 ? orientation : 0;
    }
}

void cli_metadata_write_orientation(cli_metadata *m) {
    const unsigned char exif[] = {'I',
                                  'I',
                                  42,
                                  0,
                                  8,
                                  0,
                                  0,
                                  0,
                                  1,
                                  0,
                                  TAG_ORIENTATION & 0xff,
                                  TAG_ORIENTATION >> 8,
                                  TYPE_SHORT,
                                  0,
                                  1,
                                  0,
                                  0,
                                  0,
                                  (unsigned char)m->orientation,
                                  0,
                                  0,
                                  0,
                                  0,
                                  0,
                                  0,
                                  0};
    if (m->orientation > 1 && !m->blocks[CLI_EXIF].bytes)
        cli_metadata_add(m, CLI_EXIF, exif, sizeof exif);
}
