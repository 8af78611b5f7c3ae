// The sizes of a fused filter as the kernel for any sizes reads them: in OpenCL C, where `cell` is long, and in C
// (any.h), where it is cl_long.
enum { FILTER_DISCS = 128 }; // of a mask

// Passes, and types of pixels.
enum { ANY_ROWS, ANY_COLUMNS, ANY_BACK };
enum { ANY_UCHAR, ANY_USHORT, ANY_FLOAT };

typedef struct filter_sizes {
    any_steps along[2];                                          // the width, the height
    cell height, width, channels, colours, q, j, columns, pitch; // fused_write.c
    cell mirror, levels, ranged, clips, cosine;                  // true or false
    cell input, output;                                          // types of pixels
    cell kind, rolloff, order, n_discs, disc_size, mask_columns; // of the mask (mask.c)
} filter_sizes;
