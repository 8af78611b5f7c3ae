// The direct kernel for GPUs of signals and short kernels of real numbers. A work-group copies what of the signal its
// results need, with the zeros, to local memory, and the taps turned round, with zeros before and behind them so that
// all come by fours. A work-item computes ITEM neighbouring results from a window in registers, which moves on by four
// numbers at a time; results go through local memory, so that neighbours write neighbours. Programs know no sizes but
// what divides them: V and W, how many numbers of a row of the signal and of the result are read and written at once;
// SHIFT, where among V numbers of the signal the first that a result takes lies. Options: V, W, SHIFT; ITEM; GROUP; the
// vectors' types, SIGNAL_VECTOR and RESULT_VECTOR, with their loads and stores.
#define AT(four) ((four) + (four) / 8) // gaps, so that neighbours read from different banks
#define FOURS (ITEM / 4)
#define TURN 4 // fours of taps in a turn of the loop

// V numbers of the signal; all of them are there, or none.
INLINE void load_numbers(__global const SIGNAL *from, long place, long n, bool aligned, real *v) {
#if CIRCULAR
    if (place < 0 || place >= n)
        place = signal_place(place, n);
#else
    if (place < 0 || place >= n) {
#pragma unroll
        for (int e = 0; e < V; e++)
            v[e] = 0;
        return;
    }
#endif
#if V == 1
    v[0] = (real)from[place];
#else
    SIGNAL numbers[V];
    if (aligned)
        SIGNAL_STORE(*(__global const SIGNAL_VECTOR *)(from + place), 0, numbers);
    else
        SIGNAL_STORE(SIGNAL_LOAD(0, from + place), 0, numbers);
#pragma unroll
    for (int e = 0; e < V; e++)
        v[e] = (real)numbers[e];
#endif
}

INLINE void keep_numbers(__local real4 *line, int c, const real *v) {
#if V == 4
    line[AT(c)] = (real4)(v[0], v[1], v[2], v[3]);
#else
#pragma unroll
    for (int e = 0; e < V; e++)
        ((__local real *)line)[AT(c * V / 4) * 4 + c * V % 4 + e] = v[e];
#endif
}

// Adds what the four numbers of taps from place q of the window on contribute.
INLINE void add_four(real *sums, real *v, int q, __local const real4 *line, int four, real4 taps) {
    const real4 next = line[AT(four)];
    v[ITEM + 4 * q] = next.x, v[ITEM + 4 * q + 1] = next.y, v[ITEM + 4 * q + 2] = next.z, v[ITEM + 4 * q + 3] = next.w;
    const real t[4] = {taps.x, taps.y, taps.z, taps.w};
#pragma unroll
    for (int e = 0; e < 4; e += PARTS)
#pragma unroll
        for (int d = 0; d < ITEM; d++)
            sums[d] += t[e] * v[4 * q + e + d];
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
direct(__global const SIGNAL *restrict signal, __constant const long *signal_lines,
       __global const KERNEL *restrict taps, __constant const long *taps_lines, __global RESULT *restrict result,
       __constant const long *result_lines, direct_call call, __local real4 *values, __local real4 *weights) {
    READ_CALL
    // tiles: lines, rows and columns of tiles; kernels; s5: the first tile of this launch. tile: log2 of the work-items
    // side by side; the pitch of a line and the room for taps, by fours.
    const int item = get_local_id(0), lanes = 1 << tile.s0, pitch = tile.s1, fours = tile.s4;
    const int x = item & (lanes - 1), y = item >> tile.s0, height = GROUP >> tile.s0;
    const long group = tiles.s5 + get_group_id(0), tile_column = group % tiles.s2, line = group / tiles.s2 * height + y;
    const bool is_there = line < tiles.s0;
    const long from_line = is_there ? line : tiles.s0 - 1, column = tile_column * lanes * ITEM; // real numbers
    __global const SIGNAL *from =
        signal + PARTS * (signal_at.BASE + line_offset(signal_lines, signal_at.FIRST + from_line));
    __global const KERNEL *kernel_line = taps + taps_at.BASE + line_offset(taps_lines, taps_at.FIRST + from_line);
    const bool own_taps = tiles.s3 > 1;
    __local real4 *own = values + y * pitch;
    __local const real4 *weight = weights + (own_taps ? y * fours : 0);

    for (int k = own_taps ? x : item; k < 4 * fours; k += own_taps ? lanes : GROUP) {
        const int tap = (k - SHIFT) / PARTS;
        const bool is_tap = k >= SHIFT && (k - SHIFT) % PARTS == 0 && tap < KERNEL_COLUMNS;
        ((__local real *)weight)[k] = is_tap ? tap_part(kernel_line, taps_at, 1, KERNEL_COLUMNS, 0, tap, 0) : 0;
    }
    const long first = column + OFFSET_COLUMN * PARTS - SHIFT, n = SIGNAL_COLUMNS * PARTS;
    const bool aligned = (ulong)from % (V * sizeof(SIGNAL)) == 0;
    real numbers[ITEM / V][V];
#pragma unroll
    for (int k = 0; k < ITEM / V; k++)
        load_numbers(from, first + (x + k * lanes) * V, n, aligned, numbers[k]);
#pragma unroll
    for (int k = 0; k < ITEM / V; k++)
        keep_numbers(own, x + k * lanes, numbers[k]);
    for (int c = x + ITEM / V * lanes; c < (lanes * FOURS + fours) * (4 / V); c += lanes) {
        load_numbers(from, first + c * V, n, aligned, numbers[0]);
        keep_numbers(own, c, numbers[0]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    const int place = x * FOURS;
    real sums[ITEM], v[ITEM + 4 * TURN];
#pragma unroll
    for (int d = 0; d < ITEM; d++)
        sums[d] = 0;
#pragma unroll
    for (int k = 0; k < FOURS; k++) {
        const real4 four = own[AT(place + k)];
        v[4 * k] = four.x, v[4 * k + 1] = four.y, v[4 * k + 2] = four.z, v[4 * k + 3] = four.w;
    }
    int s = 0;
    for (; s + TURN <= fours; s += TURN) {
#pragma unroll
        for (int q = 0; q < TURN; q++)
            add_four(sums, v, q, own, place + FOURS + s + q, weight[s + q]);
#pragma unroll
        for (int d = 0; d < ITEM; d++)
            v[d] = v[d + 4 * TURN];
    }
    if (s < fours) {
        add_four(sums, v, 0, own, place + FOURS + s, weight[s]);
        if (s + 1 < fours) {
            add_four(sums, v, 1, own, place + FOURS + s + 1, weight[s + 1]);
            if (s + 2 < fours)
                add_four(sums, v, 2, own, place + FOURS + s + 2, weight[s + 2]);
        }
    }

    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int k = 0; k < FOURS; k++)
        own[AT(place + k)] = (real4)(sums[4 * k], sums[4 * k + 1], sums[4 * k + 2], sums[4 * k + 3]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (!is_there)
        return;
    const int columns = (int)min(RESULT_COLUMNS * PARTS - column, (long)lanes * ITEM);
    __global RESULT *to =
        result + PARTS * (result_at.BASE + line_offset(result_lines, result_at.FIRST + line)) + column;
#if W > 1
    const bool to_aligned = (ulong)to % (W * sizeof(RESULT)) == 0;
#endif
    for (int c = x * W; c < columns; c += lanes * W) {
        __local const real *at = (__local const real *)own + AT(c / 4) * 4 + c % 4;
#if W == 1
        to[c] = *at;
#else
        if (to_aligned)
            *(__global RESULT_VECTOR *)(to + c) = RESULT_LOAD(0, at);
        else
            RESULT_STORE(RESULT_LOAD(0, at), 0, to + c);
#endif
    }
}
