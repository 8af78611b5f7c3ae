// The direct kernel for GPUs. A work-group copies what of the signal its results need, with the zeros, and the taps to
// local memory. A work-item computes ITEM results that follow one another along the first axis, so that a number it has
// read serves as many of them as there are taps. Of two axes, neighbouring work-items are neighbours along the second
// one; of one axis, they are ITEM elements apart, and ITEM is odd so that they read from different banks. Large kernels
// go by blocks of at most BLOCK_ROWS by BLOCK_COLUMNS taps, with the sums in registers. Options: ITEM, GROUP.

// acc[d] += sum_i weight[i] at[(d + i) step] for K known taps; each number is read once.
#define SLIDE(K)                                                                                                       \
    {                                                                                                                  \
        real v[ITEM - 1 + K];                                                                                          \
        _Pragma("unroll") for (int i = 0; i < ITEM - 1 + K; i++) v[i] = at[i * step];                                  \
        _Pragma("unroll") for (int i = 0; i < K; i++) {                                                                \
            const real w = sign * weight[i];                                                                           \
            _Pragma("unroll") for (int d = 0; d < ITEM; d++) parts[d] = parts[d] + w * v[i + d];                       \
        }                                                                                                              \
    }

// The same for any number of taps: by eights, then the rest.
INLINE void slide(real *parts, __local const real *at, int step, __local const real *weight, int n, real sign) {
    if (n > 11) {
        real v[ITEM + 7];
#pragma unroll
        for (int i = 0; i < ITEM - 1; i++)
            v[i] = at[i * step];
        for (; n > 11; n -= 8) {
#pragma unroll
            for (int i = 0; i < 8; i++)
                v[ITEM - 1 + i] = at[(ITEM - 1 + i) * step];
#pragma unroll
            for (int i = 0; i < 8; i++) {
                const real w = sign * weight[i];
#pragma unroll
                for (int d = 0; d < ITEM; d++)
                    parts[d] = parts[d] + w * v[i + d];
            }
#pragma unroll
            for (int i = 0; i < ITEM - 1; i++)
                v[i] = v[i + 8];
            at += 8 * step;
            weight += 8;
        }
    }
    switch (n) {
    case 1:
        SLIDE(1) break;
    case 2:
        SLIDE(2) break;
    case 3:
        SLIDE(3) break;
    case 4:
        SLIDE(4) break;
    case 5:
        SLIDE(5) break;
    case 6:
        SLIDE(6) break;
    case 7:
        SLIDE(7) break;
    case 8:
        SLIDE(8) break;
    case 9:
        SLIDE(9) break;
    case 10:
        SLIDE(10) break;
    case 11:
        SLIDE(11) break;
    }
}

// A real number of a line of the signal; column c counts them from `column` elements on.
INLINE real load_number(__global const SIGNAL *from, long4 at, long n, long column, int c) {
    const long place = signal_place(column + c / PARTS, n);
    return place < 0 ? 0 : signal_part(from, place * at.COLUMN, c % PARTS);
}

#define BATCH 4 // numbers on their way at once

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
direct(__global const SIGNAL *restrict signal, long4 signal_at, __constant const long *signal_lines,
       __global const KERNEL *restrict taps, long4 taps_at, __constant const long *taps_lines,
       __global RESULT *restrict result, long4 result_at, __constant const long *result_lines, long8 sizes, long8 tiles,
       int8 tile, __local real *values, __local real *weights) {
    // tiles: lines, rows and columns of tiles; kernels. tile: log2 of the work-items side by side, pitch, the most rows
    // and columns of taps at once, and the room for the taps of one line.
    const int item = get_local_id(0), lanes = 1 << tile.s0, pitch = tile.s1;
    const int x = item & (lanes - 1), y = item >> tile.s0, height = GROUP >> tile.s0;
    const long group = get_group_id(0), tile_column = group % tiles.s2, tile_row = group / tiles.s2 % tiles.s1;
#if AXES == 2
    const long line = group / (tiles.s1 * tiles.s2), row = tile_row * height * ITEM;
    const long column = tile_column * lanes; // real numbers
    const int own = y * ITEM * pitch + x, step = pitch;
    const bool is_there = true;
#else
    const long line = group / tiles.s2 * height + y, column = tile_column * lanes * ITEM;
    const int own = y * pitch + x / PARTS * ITEM * PARTS + x % PARTS, step = PARTS;
    const bool is_there = line < tiles.s0;
    const int own_weights = tiles.s3 > 1 ? y * tile.s4 : 0;
#endif
    const long from_line = is_there ? line : tiles.s0 - 1;
    __global const SIGNAL *from =
        signal + PARTS_OF_SIGNAL * (signal_at.BASE + line_offset(signal_lines, signal_at.FIRST + from_line));
    __global const KERNEL *kernel_line =
        taps + PARTS_OF_KERNEL * (taps_at.BASE + line_offset(taps_lines, taps_at.FIRST + from_line));
    real sums[ITEM], parts[ITEM];
    int summed = 0;
#pragma unroll
    for (int d = 0; d < ITEM; d++)
        sums[d] = parts[d] = 0;
    for (long block_row = 0; block_row < KERNEL_ROWS; block_row += tile.s2)
        for (long block_column = 0; block_column < KERNEL_COLUMNS; block_column += tile.s3) {
            const int tap_rows = (int)min(KERNEL_ROWS - block_row, (long)tile.s2);
            const int tap_columns = (int)min(KERNEL_COLUMNS - block_column, (long)tile.s3);
            const long first_column = column / PARTS + OFFSET_COLUMN + block_column;
            barrier(CLK_LOCAL_MEM_FENCE);
#if AXES == 2
            // Taps that follow one another along the first axis lie side by side.
            for (int k = item; k < PLANES * tap_rows * tap_columns; k += GROUP) {
                const int p = k / (tap_rows * tap_columns), rest = k % (tap_rows * tap_columns);
                weights[k] = tap_part(kernel_line, taps_at, KERNEL_ROWS, KERNEL_COLUMNS, block_row + rest % tap_rows,
                                      block_column + rest / tap_rows, p);
            }
            const int rows = height * ITEM + tap_rows - 1, columns = lanes + (tap_columns - 1) * PARTS;
            const long first_row = row + OFFSET_ROW + block_row;
            for (int r = y; r < rows; r += BATCH * height)
                for (int c = x; c < columns; c += lanes) {
                    real v[BATCH];
#pragma unroll
                    for (int k = 0; k < BATCH; k++) {
                        const long place = signal_place(first_row + r + k * height, SIGNAL_ROWS);
                        v[k] = place < 0 || r + k * height >= rows
                                   ? 0
                                   : load_number(from + place * signal_at.ROW * PARTS_OF_SIGNAL, signal_at,
                                                 SIGNAL_COLUMNS, first_column, c);
                    }
#pragma unroll
                    for (int k = 0; k < BATCH; k++)
                        if (r + k * height < rows)
                            values[(r + k * height) * pitch + c] = v[k];
                }
#else
            if (tiles.s3 > 1 || y == 0)
                for (int k = x; k < PLANES * tap_columns; k += lanes)
                    weights[own_weights + k] = tap_part(kernel_line, taps_at, 1, KERNEL_COLUMNS, 0,
                                                        block_column + k % tap_columns, k / tap_columns);
            const int columns = lanes * ITEM + (tap_columns - 1) * PARTS;
            for (int c = x; c < columns; c += BATCH * lanes) {
                real v[BATCH];
#pragma unroll
                for (int k = 0; k < BATCH; k++)
                    v[k] = c + k * lanes < columns
                               ? load_number(from, signal_at, SIGNAL_COLUMNS, first_column, c + k * lanes)
                               : 0;
#pragma unroll
                for (int k = 0; k < BATCH; k++)
                    if (c + k * lanes < columns)
                        values[y * pitch + c + k * lanes] = v[k];
            }
#endif
            barrier(CLK_LOCAL_MEM_FENCE);
            for (int p = 0; p < PLANES; p++) {
                // Where the other part lies, and the sign of its product.
                const int other = p == 0 ? 0 : 1 - 2 * (x % PARTS);
                const real sign = p == 0 ? 1 : -other;
#if AXES == 2
                for (int j = 0; j < tap_columns; j++) {
                    slide(parts, values + own + other + j * PARTS, step, weights + (p * tap_columns + j) * tap_rows,
                          tap_rows, sign);
                    summed += tap_rows;
#else
                {
                    slide(parts, values + own + other, step, weights + own_weights + p * tap_columns, tap_columns,
                          sign);
                    summed += tap_columns;
#endif
                    if (summed >= CHUNK) {
                        summed = 0;
#pragma unroll
                        for (int d = 0; d < ITEM; d++) {
                            sums[d] += parts[d];
                            parts[d] = 0;
                        }
                    }
                }
            }
        }
#pragma unroll
    for (int d = 0; d < ITEM; d++)
        sums[d] += parts[d];
#if AXES == 2
    const long c = column + x;
    __global RESULT *to =
        result +
        PARTS * (result_at.BASE + line_offset(result_lines, result_at.FIRST + line) + c / PARTS * result_at.COLUMN) +
        c % PARTS;
    if (c < RESULT_COLUMNS * PARTS)
#pragma unroll
        for (int d = 0; d < ITEM; d++)
            if (row + y * ITEM + d < RESULT_ROWS)
                to[(row + y * ITEM + d) * result_at.ROW * PARTS] = sums[d];
#else
    // Through local memory, so that neighbours write neighbours.
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int d = 0; d < ITEM; d++)
        values[own + d * PARTS] = sums[d];
    barrier(CLK_LOCAL_MEM_FENCE);
    __global RESULT *to = result + PARTS * (result_at.BASE + line_offset(result_lines, result_at.FIRST + from_line));
    const int columns = is_there ? (int)min(RESULT_COLUMNS * PARTS - column, (long)lanes * ITEM) : 0;
    for (int c = x; c < columns; c += lanes)
        to[(column + c) / PARTS * result_at.COLUMN * PARTS + c % PARTS] = values[y * pitch + c];
#endif
}
