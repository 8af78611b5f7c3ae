// The direct kernel for CPUs. A work-item takes tiles of the result, TILE_ROWS by TILE_COLUMNS real numbers; one at a
// time it copies what of the signal the tile needs to local memory, which is the cache, with its zeros, and computes
// eight vectors at once: of eight rows, or along one. Large kernels go by blocks of at most BLOCK_ROWS by BLOCK_COLUMNS
// taps, with the sums kept in local memory between them. Options: LANES, VECTOR, VLOAD, VSTORE.
#define N_SUMS 8

typedef struct tile_place {
    long line, row, column; // the first of the result; columns count real numbers
    int rows, columns;
} tile_place;

// Where the signal's numbers lie in local memory: a row is `pitch` long.
INLINE void load_row(__global const SIGNAL *from, long4 at, long n, long column, int width, __local real *to) {
    int c = 0;
#if !CIRCULAR && !TURN_SIGNAL && SIGNAL_COMPLEX == RESULT_COMPLEX
    const long first = column < 0 ? 0 : column, end = column + width < n ? column + width : n;
    if (at.COLUMN == 1 && first < end) {
        const int begin = (int)(first - column) * PARTS, filled = (int)(end - first) * PARTS;
        from += first * PARTS;
        for (; c < begin; c++)
            to[c] = 0;
        to += begin;
        for (int k = 0; k < filled; k++)
            to[k] = (real)from[k];
        to += filled;
        for (c = begin + filled; c < width * PARTS; c++)
            *to++ = 0;
        return;
    }
#endif
    for (; c < width; c++) {
        const long place = signal_place(column + c, n);
        for (int part = 0; part < PARTS; part++)
            to[c * PARTS + part] = place < 0 ? 0 : signal_part(from, place * at.COLUMN, part);
    }
}

// The second plane, for imaginary parts of taps.
INLINE void rotate_row(__local const real *from, int width, __local real *to) {
    for (int c = 0; c < width; c++) {
        to[2 * c] = -from[2 * c + 1];
        to[2 * c + 1] = from[2 * c];
    }
}

INLINE void store_sums(const VECTOR *sums, __global RESULT *to, long4 at, int a, int columns) {
    if (columns >= LANES && at.COLUMN == 1) {
        VSTORE(sums[a], 0, to);
        return;
    }
    real values[LANES];
    VSTORE(sums[a], 0, values);
    for (int c = 0; c < LANES && c < columns; c++)
        to[c / PARTS * at.COLUMN * PARTS + c % PARTS] = values[c];
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
direct(__global const SIGNAL *restrict signal, long4 signal_at, __constant const long *signal_lines,
       __global const KERNEL *restrict taps, long4 taps_at, __constant const long *taps_lines,
       __global RESULT *restrict result, long4 result_at, __constant const long *result_lines, long8 sizes, long8 tiles,
       int8 tile, __local real *values, __local real *weights, __local real *totals) {
    // tiles: lines, rows and columns of tiles, tiles a work-item, all of them. tile: rows and columns (real numbers) of
    // one, pitch, rows of local memory; the most rows and columns of taps at once.
    const long first = get_global_id(0) * tiles.s3, end = min(first + tiles.s3, tiles.s4);
    const int pitch = tile.s2, plane = pitch * tile.s3;
    const int sum_step = AXES == 2 ? pitch : LANES;
    const int step_rows = AXES == 2 ? N_SUMS : 1, step_columns = AXES == 2 ? LANES : N_SUMS * LANES;
    for (long t = first; t < end; t++) {
        const long line = t / (tiles.s1 * tiles.s2);
        const long row = t / tiles.s2 % tiles.s1 * tile.s0, column = t % tiles.s2 * tile.s1;
        const int rows = (int)min(RESULT_ROWS - row, (long)tile.s0);
        const int columns = (int)min(RESULT_COLUMNS * PARTS - column, (long)tile.s1);
        __global const SIGNAL *from =
            signal + PARTS_OF_SIGNAL * (signal_at.BASE + line_offset(signal_lines, signal_at.FIRST + line));
        __global const KERNEL *kernel_line =
            taps + PARTS_OF_KERNEL * (taps_at.BASE + line_offset(taps_lines, taps_at.FIRST + line));
        __global RESULT *to = result + PARTS * (result_at.BASE + line_offset(result_lines, result_at.FIRST + line) +
                                                row * result_at.ROW + column / PARTS * result_at.COLUMN);
        for (long block_row = 0; block_row < KERNEL_ROWS; block_row += tile.s4)
            for (long block_column = 0; block_column < KERNEL_COLUMNS; block_column += tile.s5) {
                const int tap_rows = (int)min(KERNEL_ROWS - block_row, (long)tile.s4);
                const int tap_columns = (int)min(KERNEL_COLUMNS - block_column, (long)tile.s5);
                const bool is_first = block_row == 0 && block_column == 0;
                const bool is_last =
                    block_row + tap_rows == KERNEL_ROWS && block_column + tap_columns == KERNEL_COLUMNS;
                // The taps.
                int n = 0;
                for (int p = 0; p < PLANES; p++)
                    for (int i = 0; i < tap_rows; i++)
                        for (int j = 0; j < tap_columns; j++)
                            weights[n++] = tap_part(kernel_line, taps_at, KERNEL_ROWS, KERNEL_COLUMNS, block_row + i,
                                                    block_column + j, p);
                // The signal.
                const int height = (rows + step_rows - 1) / step_rows * step_rows + tap_rows - 1;
                const int width = (columns + step_columns - 1) / step_columns * step_columns / PARTS + tap_columns - 1;
                for (int r = 0; r < height; r++) {
                    const long place = signal_place(row + OFFSET_ROW + block_row + r, SIGNAL_ROWS);
                    __local real *own = values + r * pitch;
                    if (place < 0)
                        for (int c = 0; c < width * PARTS; c++)
                            own[c] = 0;
                    else
                        load_row(from + place * signal_at.ROW * PARTS_OF_SIGNAL, signal_at, SIGNAL_COLUMNS,
                                 column / PARTS + OFFSET_COLUMN + block_column, width, own);
#if PLANES == 2
                    rotate_row(own, width, own + plane);
#endif
                }
                // The sums.
                for (int r = 0; r < rows; r += step_rows)
                    for (int c = 0; c < columns; c += step_columns) {
                        __local const real *corner = values + r * pitch + c;
                        __local const real *weight = weights;
                        __local real *total = totals + r * tile.s1 + c * (AXES == 2 ? N_SUMS : 1);
                        VECTOR sums[N_SUMS], parts[N_SUMS];
                        int summed = 0;
#pragma unroll
                        for (int a = 0; a < N_SUMS; a++) {
                            sums[a] = is_first ? (VECTOR)(0) : VLOAD(a, total);
                            parts[a] = (VECTOR)(0);
                        }
                        for (int p = 0; p < PLANES; p++)
                            for (int i = 0; i < tap_rows; i++) {
                                __local const real *at = corner + p * plane + i * pitch;
                                for (int j = 0; j < tap_columns; j++, at += PARTS) {
                                    const real w = *weight++;
#pragma unroll
                                    for (int a = 0; a < N_SUMS; a++)
                                        parts[a] = parts[a] + w * VLOAD(0, at + a * sum_step);
                                }
                                summed += tap_columns;
                                if (summed >= CHUNK) {
                                    summed = 0;
#pragma unroll
                                    for (int a = 0; a < N_SUMS; a++) {
                                        sums[a] += parts[a];
                                        parts[a] = (VECTOR)(0);
                                    }
                                }
                            }
#pragma unroll
                        for (int a = 0; a < N_SUMS; a++) {
                            sums[a] += parts[a];
                            if (!is_last)
                                VSTORE(sums[a], a, total);
                        }
                        if (is_last)
                            for (int a = 0; a < N_SUMS; a++) {
                                if (AXES == 2 && r + a < rows)
                                    store_sums(sums,
                                               to + ((r + a) * result_at.ROW + c / PARTS * result_at.COLUMN) * PARTS,
                                               result_at, a, columns - c);
                                if (AXES == 1)
                                    store_sums(sums, to + (c + a * LANES) / PARTS * result_at.COLUMN * PARTS, result_at,
                                               a, columns - c - a * LANES);
                            }
                    }
            }
    }
}
