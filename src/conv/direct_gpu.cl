// The direct kernel for GPUs. A work-group copies what of the signal its results need, with the zeros, and the taps to
// local memory. A work-item computes ITEM results that follow one another along the first axis, so that a number it has
// read serves as many of them as there are taps. Of two axes, neighbouring work-items are neighbours along the second
// one; of one axis, they are ITEM elements apart, and ITEM is odd so that they read from different banks. Large kernels
// go by blocks of at most BLOCK_ROWS by BLOCK_COLUMNS taps, with the sums in registers. Options: ITEM, GROUP, BATCH,
// the numbers that a work-item has on their way at once.

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

// What a place of the signal holds, one of the parts of an element.
INLINE real part_of(__global const SIGNAL *from, int part) {
#if SIGNAL_COMPLEX
    return TURN_SIGNAL && part ? -(real)*from : (real)*from;
#else
    return PARTS == 2 && part ? 0 : (real)*from;
#endif
}

// Which of `n` places from the first one on lie within `length`.
#define FIRST_WITHIN(first, n) (CIRCULAR ? 0 : (int)clamp(-(first), 0L, (long)(n)))
#define END_WITHIN(first, length, n) (CIRCULAR ? (n) : (int)clamp((length) - (first), 0L, (long)(n)))

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
direct(__global const SIGNAL *restrict signal, __constant const long *signal_lines,
       __global const KERNEL *restrict taps, __constant const long *taps_lines, __global RESULT *restrict result,
       __constant const long *result_lines, direct_call call, __local real *values, __local real *weights) {
    READ_CALL
    // tiles: lines, rows and columns of tiles; kernels; s5: the first tile of this launch. tile: log2 of the work-items
    // side by side, pitch, the most rows and columns of taps at once, and the room for the taps of one line.
    const int item = get_local_id(0), lanes = 1 << tile.s0, pitch = tile.s1;
    const int x = item & (lanes - 1), y = item >> tile.s0, height = GROUP >> tile.s0;
    const long group = tiles.s5 + get_group_id(0);
    const long tile_column = group % tiles.s2, tile_row = group / tiles.s2 % tiles.s1;
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
            const int row_low = FIRST_WITHIN(first_row, rows), row_end = END_WITHIN(first_row, SIGNAL_ROWS, rows);
            const int column_low = FIRST_WITHIN(first_column, columns) * PARTS;
            const int column_end = END_WITHIN(first_column, SIGNAL_COLUMNS, columns) * PARTS;
            {
                const int c = x;
                const bool within = c >= column_low && c < column_end;
                const long place = signal_place(within ? first_column + c / PARTS : 0, SIGNAL_COLUMNS);
                __global const SIGNAL *at =
                    from + place * signal_at.COLUMN * PARTS_OF_SIGNAL + c % PARTS * SIGNAL_COMPLEX;
                __local real *to = values + y * pitch + c;
#if !CIRCULAR
                const long step = (TURN_SIGNAL ? -1 : 1) * signal_at.ROW * PARTS_OF_SIGNAL;
                at += (TURN_SIGNAL ? SIGNAL_ROWS - 1 : 0) * signal_at.ROW * PARTS_OF_SIGNAL + (first_row + y) * step;
#endif
                for (int r = y; r < rows; r += BATCH * height) {
                    real v[BATCH];
#pragma unroll
                    for (int k = 0; k < BATCH; k++) {
                        const int current = r + k * height;
                        const bool there = within && current >= row_low && current < row_end;
#if CIRCULAR
                        const long offset =
                            signal_place(first_row + current, SIGNAL_ROWS) * signal_at.ROW * PARTS_OF_SIGNAL;
#else
                        const long offset = k * (height * step);
#endif
                        v[k] = there ? part_of(at + offset, c % PARTS) : 0;
                    }
#if !CIRCULAR
                    at += BATCH * (height * step);
#endif
#pragma unroll
                    for (int k = 0; k < BATCH; k++)
                        if (r + k * height < rows)
                            to[k * height * pitch] = v[k];
                    to += BATCH * height * pitch;
                }
            }
            // The columns beyond, one after the other.
            const int beyond = (tap_columns - 1) * PARTS;
            for (int k = item; k < rows * beyond; k += GROUP) {
                const int r = k / beyond, c = lanes + k % beyond;
                const bool there = r >= row_low && r < row_end && c >= column_low && c < column_end;
                const long place_row = signal_place(there ? first_row + r : 0, SIGNAL_ROWS);
                const long place = signal_place(there ? first_column + c / PARTS : 0, SIGNAL_COLUMNS);
                __global const SIGNAL *at = from +
                                            (place_row * signal_at.ROW + place * signal_at.COLUMN) * PARTS_OF_SIGNAL +
                                            c % PARTS * SIGNAL_COMPLEX;
                values[r * pitch + c] = there ? part_of(at, c % PARTS) : 0;
            }
#else
            if (tiles.s3 > 1 || y == 0)
                for (int k = x; k < PLANES * tap_columns; k += lanes)
                    weights[own_weights + k] = tap_part(kernel_line, taps_at, 1, KERNEL_COLUMNS, 0,
                                                        block_column + k % tap_columns, k / tap_columns);
            const int columns = lanes * ITEM + (tap_columns - 1) * PARTS;
            const int low = FIRST_WITHIN(first_column, columns) * PARTS;
            const int end = END_WITHIN(first_column, SIGNAL_COLUMNS, columns) * PARTS;
            __local real *to = values + y * pitch + x;
#if !CIRCULAR
            const long ahead = (TURN_SIGNAL ? -1 : 1) * signal_at.COLUMN * PARTS_OF_SIGNAL * (lanes / PARTS);
            __global const SIGNAL *at =
                from + (TURN_SIGNAL ? SIGNAL_COLUMNS - 1 : 0) * signal_at.COLUMN * PARTS_OF_SIGNAL +
                (first_column + x / PARTS) * (TURN_SIGNAL ? -1 : 1) * signal_at.COLUMN * PARTS_OF_SIGNAL +
                x % PARTS * SIGNAL_COMPLEX;
#endif
            for (int c = x; c < columns; c += BATCH * lanes) {
                real v[BATCH];
#pragma unroll
                for (int k = 0; k < BATCH; k++) {
                    const int current = c + k * lanes;
                    const bool there = current >= low && current < min(end, columns);
#if CIRCULAR
                    __global const SIGNAL *one = from +
                                                 signal_place(first_column + current / PARTS, SIGNAL_COLUMNS) *
                                                     signal_at.COLUMN * PARTS_OF_SIGNAL +
                                                 x % PARTS * SIGNAL_COMPLEX;
#else
                    __global const SIGNAL *one = at + k * ahead;
#endif
                    v[k] = there ? part_of(one, x % PARTS) : 0;
                }
#if !CIRCULAR
                at += BATCH * ahead;
#endif
#pragma unroll
                for (int k = 0; k < BATCH; k++)
                    if (c + k * lanes < columns)
                        to[k * lanes] = v[k];
                to += BATCH * lanes;
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
    const int rows = (int)min(RESULT_ROWS - row - y * ITEM, (long)ITEM);
    const long apart = result_at.ROW * PARTS;
    __global RESULT *to =
        result +
        PARTS * (result_at.BASE + line_offset(result_lines, result_at.FIRST + line) + c / PARTS * result_at.COLUMN) +
        c % PARTS + (row + y * ITEM) * apart;
    if (c < RESULT_COLUMNS * PARTS)
#pragma unroll
        for (int d = 0; d < ITEM; d++)
            if (d < rows)
                to[d * apart] = sums[d];
#else
    // Through local memory, so that neighbours write neighbours.
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int d = 0; d < ITEM; d++)
        values[own + d * PARTS] = sums[d];
    barrier(CLK_LOCAL_MEM_FENCE);
    __global RESULT *to = result + PARTS * (result_at.BASE + line_offset(result_lines, result_at.FIRST + from_line));
    const int columns = is_there ? (int)min(RESULT_COLUMNS * PARTS - column, (long)lanes * ITEM) : 0;
    const long apart = result_at.COLUMN * (lanes / PARTS) * PARTS;
    to += (column + x) / PARTS * result_at.COLUMN * PARTS + x % PARTS;
    for (int c = x; c < columns; c += lanes, to += apart)
        *to = values[y * pitch + c];
#endif
}
