// Overlap-save of images in one kernel: a work-group transforms a tile of TILE x TILE points of the signal, multiplies
// by the spectrum of the small operand, the kernel, transforms back, and keeps the results that no end of the tile has
// spoilt. Of real images two tiles go together, as real and imaginary parts. After butterflies.cl, dft16.cl and
// direct.cl, whose options and notions these are.
//
// A work-item has 16 points. Forward: radix 16 along y; 4 along y and 4 along x; 16 along x. The spectrum is multiplied
// in the order that this leaves it in, and the same steps in the opposite order, with real and imaginary parts
// exchanged, lead back (Duhamel, Piron and Etcheto 1988).
#define TILE 64
#define GROUP 256
#define POINTS (TILE * TILE)

// Places in local memory between steps 1 and 2, and 2 and 3, such that neighbours meet in no bank.
#if PRECISION == 64 // half a complex number at once, so that a group of work-items goes over the banks twice
#define ROW_PLACE(row, column) ((row)*TILE + ((column) ^ (((row) >> 2 & 1) << 4)))
#define LINE_PLACE(line, i) (((line) ^ (((line) >> 2 ^ (line) >> 4) & 1)) * 16 + ((i) ^ ((line)&15)))
#else
#define ROW_PLACE(row, column) ((row)*TILE + (column))
#define LINE_PLACE(line, i) ((line)*16 + ((i) ^ ((line)&15)))
#endif
#define FIRST_PUT ROW_PLACE(q * 4 + t / TILE, t % TILE)
#define FIRST_GET ROW_PLACE(t / 16 * 4 + q / 4, t % 16 + q % 4 * 16)
#define SECOND_PUT LINE_PLACE((t / 16 + q / 4 * 16) * 4 + q % 4, t % 16)
#define SECOND_GET LINE_PLACE(t, q)

#if PRECISION == 64 // real and imaginary parts in turns, in the room of one of them
#define LOCAL_NUMBERS real
#define EXCHANGE_PART(part, put, get)                                                                                  \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                      \
    _Pragma("unroll") for (int q = 0; q < 16; q++) own[put] = part[q];                                                 \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                      \
    _Pragma("unroll") for (int q = 0; q < 16; q++) part[q] = own[get];
#define EXCHANGE(put, get)                                                                                             \
    {                                                                                                                  \
        EXCHANGE_PART(re, put, get)                                                                                    \
        EXCHANGE_PART(im, put, get)                                                                                    \
    }
#else
#define LOCAL_NUMBERS real2
#define EXCHANGE(put, get)                                                                                             \
    {                                                                                                                  \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                                  \
        _Pragma("unroll") for (int q = 0; q < 16; q++) own[put] = (real2)(re[q], im[q]);                               \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                                  \
        _Pragma("unroll") for (int q = 0; q < 16; q++) {                                                               \
            const real2 value = own[get];                                                                              \
            re[q] = value.x, im[q] = value.y;                                                                          \
        }                                                                                                              \
    }
#endif

INLINE void multiply(real *re, real *im, int q, real2 w) {
    const real r = re[q] * w.x - im[q] * w.y;
    im[q] = re[q] * w.y + im[q] * w.x;
    re[q] = r;
}

// Point q of a work-item is in row t / TILE + 4 q of column t % TILE; of the spectrum, in row t / 4 of column t % 4 + 4
// q.
INLINE void forward(real *re, real *im, __local LOCAL_NUMBERS *own, __global const real2 *restrict roots, int t) {
    dft16(re, im);
#pragma unroll
    for (int q = 1; q < 16; q++)
        multiply(re, im, q, roots[t / TILE * q]);
    EXCHANGE(FIRST_PUT, FIRST_GET)
#pragma unroll
    for (int p = 0; p < 4; p++)
        dft4_of(re, im, p, p + 4, p + 8, p + 12);
#pragma unroll
    for (int m = 0; m < 4; m++) {
        dft4_of(re, im, 4 * m, 4 * m + 1, 4 * m + 2, 4 * m + 3);
#pragma unroll
        for (int l = 1; l < 4; l++)
            multiply(re, im, 4 * m + l, roots[t % 16 * l]);
    }
    EXCHANGE(SECOND_PUT, SECOND_GET)
    dft16(re, im);
}

// With the parts exchanged, so that it is the inverse transform.
INLINE void backward(real *re, real *im, __local LOCAL_NUMBERS *own, __global const real2 *restrict roots, int t) {
    dft16(re, im);
    EXCHANGE(SECOND_GET, SECOND_PUT)
#pragma unroll
    for (int m = 0; m < 4; m++) {
#pragma unroll
        for (int l = 1; l < 4; l++)
            multiply(re, im, 4 * m + l, roots[t % 16 * l]);
        dft4_of(re, im, 4 * m, 4 * m + 1, 4 * m + 2, 4 * m + 3);
    }
#pragma unroll
    for (int p = 0; p < 4; p++)
        dft4_of(re, im, p, p + 4, p + 8, p + 12);
    EXCHANGE(FIRST_GET, FIRST_PUT)
#pragma unroll
    for (int q = 1; q < 16; q++)
        multiply(re, im, q, roots[t / TILE * q]);
    dft16(re, im);
}

// The spectra of the kernels, one a work-group, in the order of the work-items, over the number of points.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
kernel_spectrum(__global const KERNEL *restrict taps, long4 taps_at, __constant const long *taps_lines,
                __global const real2 *restrict roots, long8 sizes, __global real2 *restrict spectra) {
    __local LOCAL_NUMBERS own[POINTS];
    const int t = get_local_id(0);
    __global const KERNEL *from =
        taps + PARTS_OF_KERNEL * (taps_at.BASE + line_offset(taps_lines, taps_at.FIRST + get_group_id(0)));
    real re[16], im[16];
    for (int q = 0; q < 16; q++) {
        const long row = KERNEL_ROWS - 1 - t / TILE - 4 * q, column = KERNEL_COLUMNS - 1 - t % TILE;
        const bool there = row >= 0 && column >= 0;
        re[q] = there ? tap_part(from, taps_at, KERNEL_ROWS, KERNEL_COLUMNS, row, column, 0) : 0;
        im[q] = there ? tap_part(from, taps_at, KERNEL_ROWS, KERNEL_COLUMNS, row, column, 1) : 0;
    }
    forward(re, im, own, roots, t);
    spectra += (long)get_group_id(0) * POINTS + t;
#pragma unroll
    for (int q = 0; q < 16; q++)
        spectra[q * GROUP] = (real2)(re[q], im[q]) / POINTS;
}

// Where a tile begins, of the result and, by the offset, of the signal.
typedef struct tile_place {
    int row, column, signal_row, signal_column;
    bool inside; // all of it is of the signal, in its order
} tile_place;

INLINE tile_place place_of(int tile, int across, int valid_rows, int valid_columns, long8 sizes) {
    tile_place p = {tile / across * valid_rows, tile % across * valid_columns};
    p.signal_row = p.row + (int)OFFSET_ROW;
    p.signal_column = p.column + (int)OFFSET_COLUMN;
    p.inside = !TURN_SIGNAL && p.signal_row >= 0 && p.signal_row + TILE <= SIGNAL_ROWS && p.signal_column >= 0 &&
               p.signal_column + TILE <= SIGNAL_COLUMNS;
    return p;
}

#define NOWHERE INT_MIN

// The offset in the array of a row or column of the signal, or NOWHERE for a zero.
INLINE int place_along(int place, int n, int stride) {
#if CIRCULAR || TURN_SIGNAL
    place = (int)signal_place(place, n);
    return place < 0 ? NOWHERE : place * stride;
#else
    return (uint)place < (uint)n ? place * stride : NOWHERE;
#endif
}

INLINE real number_of(__global const SIGNAL *from, int row, int column, int part) {
    return row == NOWHERE || column == NOWHERE ? 0 : signal_part(from, row + column, part);
}

// The real parts of a tile, or with PARTS == 2 all of it.
INLINE void load_tile(real *re, real *im, const tile_place *p, __global const SIGNAL *from, long4 at, long8 sizes,
                      int t) {
    const int row = p->signal_row + t / TILE, column = p->signal_column + t % TILE;
    const int rows = (int)at.ROW, columns = (int)at.COLUMN;
    if (p->inside) {
        __global const SIGNAL *first = from + (row * rows + column * columns) * PARTS_OF_SIGNAL;
#pragma unroll
        for (int q = 0; q < 16; q++) {
            re[q] = (real)first[q * 4 * rows * PARTS_OF_SIGNAL];
#if PARTS == 2
            im[q] = SIGNAL_COMPLEX ? (real)first[q * 4 * rows * PARTS_OF_SIGNAL + SIGNAL_COMPLEX] : 0;
#endif
        }
        return;
    }
    const int along = place_along(column, (int)SIGNAL_COLUMNS, columns);
#pragma unroll
    for (int q = 0; q < 16; q++) {
        const int down = place_along(row + 4 * q, (int)SIGNAL_ROWS, rows);
        re[q] = number_of(from, down, along, 0);
#if PARTS == 2
        im[q] = number_of(from, down, along, 1);
#endif
    }
}

INLINE void store_tile(const real *values, int part, const tile_place *p, int valid_rows, int valid_columns,
                       __global RESULT *to, long4 at, long8 sizes, int t) {
    const int column = t % TILE - (int)(KERNEL_COLUMNS - 1);
    if (column < 0 || column >= valid_columns || p->column + column >= (int)RESULT_COLUMNS)
        return;
    const int first = t / TILE - (int)(KERNEL_ROWS - 1), rows = min(valid_rows, (int)RESULT_ROWS - p->row);
    const int apart = 4 * (int)at.ROW * PARTS;
    to += ((p->row + first) * (int)at.ROW + (p->column + column) * (int)at.COLUMN) * PARTS + part;
#pragma unroll
    for (int q = 0; q < 16; q++)
        if (first + 4 * q >= 0 && first + 4 * q < rows)
            to[q * apart] = values[q];
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
overlap_save(__global const SIGNAL *restrict signal, long4 signal_at, __constant const long *signal_lines,
             __global RESULT *restrict result, long4 result_at, __constant const long *result_lines, long8 sizes,
             __global const real2 *restrict spectra, __global const real2 *restrict roots,
             __global const real2 *restrict roots_back, int8 tiles) {
    // tiles: rows and columns of tiles; rows and columns of results of one; work-groups an image; kernels in all.
    // roots_back is roots: of one, compilers would keep numbers in registers from the way there for the way back.
    __local LOCAL_NUMBERS own[POINTS];
    const int t = get_local_id(0), valid_rows = tiles.s2, valid_columns = tiles.s3;
    const uint line = get_group_id(0) / (uint)tiles.s4, number = get_group_id(0) % (uint)tiles.s4;
    __global const SIGNAL *from =
        signal + PARTS_OF_SIGNAL * (signal_at.BASE + line_offset(signal_lines, signal_at.FIRST + line));
    __global RESULT *to = result + PARTS * (result_at.BASE + line_offset(result_lines, result_at.FIRST + line));
    spectra += (tiles.s5 > 1 ? (long)line * POINTS : 0) + t;
    real re[16], im[16];
#if RESULT_COMPLEX
    const tile_place p = place_of((int)number, tiles.s1, valid_rows, valid_columns, sizes);
    load_tile(re, im, &p, from, signal_at, sizes, t);
#else
    const tile_place p = place_of((int)number * 2, tiles.s1, valid_rows, valid_columns, sizes);
    tile_place second = place_of((int)number * 2 + 1, tiles.s1, valid_rows, valid_columns, sizes);
    load_tile(re, im, &p, from, signal_at, sizes, t);
    load_tile(im, re, &second, from, signal_at, sizes, t);
#endif
    forward(re, im, own, roots, t);
#pragma unroll
    for (int q = 0; q < 16; q++)
        multiply(re, im, q, spectra[q * GROUP]);
    backward(im, re, own, roots_back, t);
    store_tile(re, 0, &p, valid_rows, valid_columns, to, result_at, sizes, t);
#if RESULT_COMPLEX
    store_tile(im, 1, &p, valid_rows, valid_columns, to, result_at, sizes, t);
#else
    if ((int)number * 2 + 1 < tiles.s0 * tiles.s1)
        store_tile(im, 0, &second, valid_rows, valid_columns, to, result_at, sizes, t);
#endif
}
