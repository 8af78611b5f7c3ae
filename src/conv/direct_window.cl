// The direct kernel for GPUs of images and small kernels of real taps, whose sizes are known when it is compiled. A
// work-item computes ITEM rows of V real numbers, in registers; what it reads of a row it holds at once, whole vectors.
// Options: V; SHIFT, where in a vector of the signal the first number that a result's takes lies; ITEM; LANES and
// GROUP, work-items side by side and in a work-group; TAP_ROWS, TAP_COLUMNS; TAP_ROW, TAP_COLUMN, how far taps are
// apart where they lie as they always do; LOCAL_TAPS, 1 to copy them to local memory; HOLD_ROWS, 1 to hold ITEM rows of
// the signal and go through the taps' rows, 0 to hold one row and go through the signal's; the vectors' types,
// SIGNAL_VECTOR and RESULT_VECTOR, with VLOAD and VSTORE.
#define REACH ((TAP_COLUMNS - 1) * PARTS)
#define VECTORS ((SHIFT + V + REACH + V - 1) / V)
#define WIDTH (VECTORS * V)

typedef struct window {
    __global const SIGNAL *from; // of the image
    int row, column, rows, columns, pitch;
    bool aligned, inside;
} window;

// One vector of a row of the window; all of it is of the signal, or nothing.
INLINE void load_vector(const window *w, int r, int c, real *v) {
    int row = w->row + r, column = w->column + c * V;
#if CIRCULAR
    if (!w->inside) {
        row = (int)signal_place(row, w->rows);
        column = (int)signal_place(column, w->columns);
    }
    const bool there = true;
#else
    const bool there = w->inside || ((uint)row < (uint)w->rows && (uint)column < (uint)w->columns);
#endif
    if (!there) {
#pragma unroll
        for (int e = 0; e < V; e++)
            v[e] = 0;
        return;
    }
    __global const SIGNAL *at = w->from + row * w->pitch + column;
#if V == 1
    v[0] = (real)*at;
#else
    SIGNAL numbers[V];
    if (w->aligned)
        VSTORE(*(__global const SIGNAL_VECTOR *)at, 0, numbers);
    else
        VSTORE(VLOAD(0, at), 0, numbers);
#pragma unroll
    for (int e = 0; e < V; e++)
        v[e] = (real)numbers[e];
#endif
}

INLINE void load_row(const window *w, int r, real *v) {
#pragma unroll
    for (int c = 0; c < VECTORS; c++)
        load_vector(w, r, c, v + c * V);
}

#define TAP_OF(from, i, j)                                                                                             \
    (real)(from)[(TURN_KERNEL ? TAP_ROWS - 1 - (i) : (i)) * TAP_ROW +                                                  \
                 (TURN_KERNEL ? TAP_COLUMNS - 1 - (j) : (j)) * TAP_COLUMN]

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
direct(__global const SIGNAL *restrict signal, __constant const long *signal_lines,
       __global const KERNEL *restrict taps, __constant const long *taps_lines, __global RESULT *restrict result,
       __constant const long *result_lines, direct_call call) {
    READ_CALL
    // tiles: lines, rows and columns of tiles; s5: the first of this launch.
    const int item = get_local_id(0), x = item % LANES, y = item / LANES;
    const uint group = (uint)(tiles.s5 + get_group_id(0)), across = (uint)tiles.s2, down = (uint)tiles.s1;
    const uint line = group / (across * down), tile_row = group / across % down, tile_column = group % across;
    const int row = (int)tile_row * (GROUP / LANES * ITEM) + y * ITEM, column = ((int)tile_column * LANES + x) * V;
    const int first_row = (int)OFFSET_ROW + row, first_column = column + (int)OFFSET_COLUMN * PARTS - SHIFT;
    window w = {signal + PARTS * (signal_at.BASE + line_offset(signal_lines, signal_at.FIRST + line)),
                first_row,
                first_column,
                (int)SIGNAL_ROWS,
                (int)SIGNAL_COLUMNS * PARTS,
                (int)signal_at.ROW * PARTS};
    w.aligned = ((ulong)w.from % (V * sizeof(SIGNAL))) == 0;
    const int group_row = first_row - y * ITEM, group_column = first_column - x * V;
    w.inside = group_row >= 0 && group_row + GROUP / LANES * ITEM + TAP_ROWS - 1 <= w.rows && group_column >= 0 &&
               group_column + (LANES - 1) * V + WIDTH <= w.columns;
    __global const KERNEL *kernel_line = taps + taps_at.BASE + line_offset(taps_lines, taps_at.FIRST + line);
#ifndef TAP_ROW // gaps, where the array lies
    const int TAP_ROW = (int)taps_at.ROW, TAP_COLUMN = (int)taps_at.COLUMN;
#endif
#if LOCAL_TAPS // rows of them by fours, each of which is one load
#define FOURS ((TAP_COLUMNS + 3) / 4)
    __local real4 weights[TAP_ROWS * FOURS];
    for (int k = item; k < TAP_ROWS * FOURS * 4; k += GROUP) {
        const int i = k / (4 * FOURS), j = k % (4 * FOURS);
        ((__local real *)weights)[k] = j < TAP_COLUMNS ? TAP_OF(kernel_line, i, j) : 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#define FOUR(i, j) weights[(i)*FOURS + (j) / 4]
#define TAP(i, j)                                                                                                      \
    ((j) % 4 == 0 ? FOUR(i, j).x : (j) % 4 == 1 ? FOUR(i, j).y : (j) % 4 == 2 ? FOUR(i, j).z : FOUR(i, j).w)
#else
#define TAP(i, j) TAP_OF(kernel_line, i, j)
#endif
    real sums[ITEM][V];
#pragma unroll
    for (int d = 0; d < ITEM; d++)
#pragma unroll
        for (int e = 0; e < V; e++)
            sums[d][e] = 0;
#if !HOLD_ROWS
#pragma unroll
    for (int r = 0; r < ITEM + TAP_ROWS - 1; r++) {
        real v[WIDTH];
        load_row(&w, r, v);
#pragma unroll
        for (int d = 0; d < ITEM; d++)
            if (r >= d && r - d < TAP_ROWS) {
#pragma unroll
                for (int j = 0; j < TAP_COLUMNS; j++) {
                    const real t = TAP(r - d, j);
#pragma unroll
                    for (int e = 0; e < V; e++)
                        sums[d][e] += t * v[SHIFT + e + j * PARTS];
                }
            }
    }
#else
    real v[ITEM][WIDTH]; // row r stands in slot r % ITEM
#pragma unroll
    for (int r = 0; r < ITEM - 1; r++)
        load_row(&w, r, v[r]);
#pragma unroll
    for (int i = 0; i < TAP_ROWS; i++) {
        load_row(&w, i + ITEM - 1, v[(i + ITEM - 1) % ITEM]);
#pragma unroll
        for (int j = 0; j < TAP_COLUMNS; j++) {
            const real t = TAP(i, j);
#pragma unroll
            for (int d = 0; d < ITEM; d++)
#pragma unroll
                for (int e = 0; e < V; e++)
                    sums[d][e] += t * v[(i + d) % ITEM][SHIFT + e + j * PARTS];
        }
    }
#endif
    const int apart = (int)result_at.ROW * PARTS, rows = (int)RESULT_ROWS - row;
    if (column >= RESULT_COLUMNS * PARTS)
        return;
    __global RESULT *to =
        result + PARTS * (result_at.BASE + line_offset(result_lines, result_at.FIRST + line)) + row * apart + column;
#if V == 1
#pragma unroll
    for (int d = 0; d < ITEM; d++)
        if (d < rows)
            to[d * apart] = sums[d][0];
#else
    const bool aligned = ((ulong)to % (V * sizeof(RESULT))) == 0;
#pragma unroll
    for (int d = 0; d < ITEM; d++)
        if (d < rows) {
            if (aligned)
                *(__global RESULT_VECTOR *)(to + d * apart) = VLOAD(0, sums[d]);
            else
                VSTORE(VLOAD(0, sums[d]), 0, to + d * apart);
        }
#endif
}
