// The direct kernel for CPUs. A work-item takes tiles of the result, TILE_ROWS by TILE_COLUMNS real numbers; one at a
// time it copies what of the signal the tile needs to local memory, which is the cache, with its zeros, and computes
// eight vectors at once: of eight rows, or along one. Large kernels go by blocks of at most BLOCK_ROWS by BLOCK_COLUMNS
// taps, with the sums kept in local memory between them. Along two axes a vector that was read serves as many rows as
// there are taps above each other. A kernel that is the product of a column and a row, but for rounding, goes along
// rows first and then along columns. Options: LANES, VECTOR, VLOAD, VSTORE; SEPARABLE, 1 to look for such kernels.
#define N_SUMS 8

// sums[a] += sum_i weight[i] at[(a + i) pitch] for K known taps.
#define SLIDE(K)                                                                                                       \
    {                                                                                                                  \
        real w[K];                                                                                                     \
        _Pragma("unroll") for (int i = 0; i < K; i++) w[i] = weight[i];                                                \
        _Pragma("unroll") for (int m = 0; m < N_SUMS - 1 + K; m++) {                                                   \
            const VECTOR v = VLOAD(0, at + m * pitch);                                                                 \
            _Pragma("unroll") for (int i = 0; i < K; i++) if (m >= i && m - i < N_SUMS) sums[m - i] =                  \
                sums[m - i] + w[i] * v;                                                                                \
        }                                                                                                              \
    }

// The same for any number of taps.
INLINE void slide(VECTOR *sums, __local const real *at, int pitch, __local const real *weight, int n) {
    for (; n > 8; n -= 8, at += 8 * pitch, weight += 8)
        SLIDE(8)
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
    }
}

#if SEPARABLE
#define LEAST_TAPS 25 // of a product: with fewer the second pass costs as much as it saves
#if PRECISION == 64
#define HALF_ULP 0x1p-53
#else
#define HALF_ULP 0x1p-24f
#endif

// Whether every tap is the product of one of `column` and one of `row`, which it finds from the row and the column of
// the largest tap, but for what rounds each tap, those of this row and column and their quotient.
INLINE bool is_product(__local const real *weights, int rows, int columns, __local real *column, __local real *row) {
    int largest = 0;
    for (int k = 1; k < rows * columns; k++)
        largest = fabs(weights[k]) > fabs(weights[largest]) ? k : largest;
    const int i0 = largest % rows, j0 = largest / rows;
    for (int i = 0; i < rows; i++)
        column[i] = weights[j0 * rows + i] / weights[largest];
    for (int j = 0; j < columns; j++) // as they are: sums along rows are no larger than those of the whole kernel
        row[j] = weights[j * rows + i0];
    bool is = weights[largest] != 0;
    for (int j = 0; j < columns && is; j++)
        for (int i = 0; i < rows; i++)
            is = is &&
                 fabs(fma(column[i], row[j], -weights[j * rows + i])) <= 5 * HALF_ULP * fabs(weights[j * rows + i]);
    return is;
}

// M vectors of sums along a row, over the numbers that they are sums of.
#define SUM_ALONG(M)                                                                                                   \
    {                                                                                                                  \
        VECTOR sums[M];                                                                                                \
        _Pragma("unroll") for (int a = 0; a < M; a++) sums[a] = (VECTOR)(0);                                           \
        for (int j = 0; j < n; j++) {                                                                                  \
            const real w = weight[j];                                                                                  \
            _Pragma("unroll") for (int a = 0; a < M; a++) sums[a] = sums[a] + w * VLOAD(a, at + j * PARTS);            \
        }                                                                                                              \
        _Pragma("unroll") for (int a = 0; a < M; a++) VSTORE(sums[a], a, at);                                          \
    }

INLINE void sum_along(__local real *at, int width, __local const real *weight, int n) {
    for (; width >= 4 * LANES; width -= 4 * LANES, at += 4 * LANES)
        SUM_ALONG(4)
    for (; width > 0; width -= LANES, at += LANES)
        SUM_ALONG(1)
}
#endif

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
direct(__global const SIGNAL *restrict signal, __constant const long *signal_lines,
       __global const KERNEL *restrict taps, __constant const long *taps_lines, __global RESULT *restrict result,
       __constant const long *result_lines, direct_call call, __local real *values, __local real *weights,
       __local real *totals) {
    READ_CALL
    // tiles: lines, rows and columns of tiles, tiles a work-item, the end and the first of this launch. tile: rows and
    // columns (real numbers) of one, pitch, rows of local memory; the most rows and columns of taps at once.
    const long first = tiles.s5 + get_global_id(0) * tiles.s3, end = min(first + tiles.s3, tiles.s4);
    const int pitch = tile.s2, plane = pitch * tile.s3;
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
                // The taps: those above each other side by side.
                int n = 0;
                for (int p = 0; p < PLANES; p++)
                    for (int j = 0; j < tap_columns; j++)
                        for (int i = 0; i < tap_rows; i++)
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
                bool product = false;
#if SEPARABLE
                __local real *column_taps = weights + n, *row_taps = column_taps + tap_rows;
                product = is_first && is_last && min(tap_rows, tap_columns) > 1 && n >= LEAST_TAPS &&
                          is_product(weights, tap_rows, tap_columns, column_taps, row_taps);
                for (int r = 0; r < height && product; r++)
                    sum_along(values + r * pitch, (columns + LANES - 1) / LANES * LANES, row_taps, tap_columns);
#endif
                const int steps = product ? 1 : tap_columns, first_weight = product ? n : 0;
                // The sums.
                for (int r = 0; r < rows; r += step_rows)
                    for (int c = 0; c < columns; c += step_columns) {
                        __local const real *corner = values + r * pitch + c;
                        __local const real *weight = weights + first_weight;
                        __local real *total = totals + r * tile.s1 + c * (AXES == 2 ? N_SUMS : 1);
                        VECTOR sums[N_SUMS], parts[N_SUMS];
                        int summed = 0;
#pragma unroll
                        for (int a = 0; a < N_SUMS; a++) {
                            sums[a] = is_first ? (VECTOR)(0) : VLOAD(a, total);
                            parts[a] = (VECTOR)(0);
                        }
                        for (int p = 0; p < PLANES; p++)
                            for (int j = 0; j < steps; j++) {
                                __local const real *at = corner + p * plane + j * PARTS;
#if AXES == 2
                                slide(parts, at, pitch, weight, tap_rows);
                                weight += tap_rows;
                                summed += tap_rows;
#else
                                const real w = *weight++;
#pragma unroll
                                for (int a = 0; a < N_SUMS; a++)
                                    parts[a] = parts[a] + w * VLOAD(0, at + a * LANES);
                                summed++;
#endif
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
