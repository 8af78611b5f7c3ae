#include "tiff_map.h"

static uint16_t number(TIFF *tiff, uint32_t tag) {
    uint16_t value = 0;
    return TIFFGetFieldDefaulted(tiff, tag, &value) ? value : 0;
}

static void make_greys(cli_tiff_map *map, bool white_first) {
    unsigned last = (1u << map->bits) - 1;
    for (unsigned k = 0; k <= last; k++)
        map->colours[k][0] = (uint16_t)((white_first ? last - k : k) * 255 / last);
}

// Palettes are to have 16 bits (TIFF 6.0, section 5); some have 8, in numbers below 256 or twice the same byte. Returns whether
// 8 bits are enough, and leaves these.
static bool take_colours(cli_tiff_map *map, uint16_t *const colours[3]) {
    size_t count = (size_t)1 << map->bits;
    bool small = true, twice = true;
    for (size_t k = 0; k < 3 * count; k++) {
        uint16_t value = map->colours[k / 3][k % 3] = colours[k % 3][k / 3];
        small = small && value < 256;
        twice = twice && value % 257 == 0;
    }
    for (size_t k = 0; k < 3 * count && twice && !small; k++)
        map->colours[k / 3][k % 3] /= 257;
    return small || twice;
}

bool cli_tiff_map_read(TIFF *tiff, cli_image *image, cli_tiff_map *map) {
    uint16_t photometric = PHOTOMETRIC_RGB, bits = number(tiff, TIFFTAG_BITSPERSAMPLE), *colours[3];
    bool has = TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &photometric) != 0;
    bool palette = photometric == PHOTOMETRIC_PALETTE;
    bool grey = (photometric == PHOTOMETRIC_MINISBLACK || photometric == PHOTOMETRIC_MINISWHITE) && bits < 8;
    map->bits = 0;
    if (!has || (!palette && !grey) || (bits != 1 && bits != 2 && bits != 4 && bits != 8) ||
        number(tiff, TIFFTAG_SAMPLESPERPIXEL) != 1 || number(tiff, TIFFTAG_SAMPLEFORMAT) != SAMPLEFORMAT_UINT ||
        (palette && !TIFFGetField(tiff, TIFFTAG_COLORMAP, &colours[0], &colours[1], &colours[2])))
        return false;
    map->bits = bits;
    if (grey)
        make_greys(map, photometric == PHOTOMETRIC_MINISWHITE);
    image->channels = palette ? 3 : 1;
    image->alpha = false;
    image->type = grey || take_colours(map, colours) ? MST_UINT8 : MST_UINT16;
    return true;
}

void cli_tiff_map_row(const cli_tiff_map *map, const cli_image *image, const void *from, size_t columns, void *to) {
    const unsigned char *bytes = from;
    unsigned char *narrow = to;
    uint16_t *wide = to;
    for (size_t c = 0; c < columns; c++) {
        size_t bit = c * map->bits;
        unsigned value = (unsigned)(bytes[bit / 8] >> (8 - map->bits - bit % 8)) & ((1u << map->bits) - 1);
        for (size_t k = 0; k < image->channels; k++)
            if (image->type == MST_UINT8)
                narrow[c * image->channels + k] = (unsigned char)map->colours[value][k];
            else
                wide[c * image->channels + k] = map->colours[value][k];
    }
}
