// Running sums and products of an output along one axis, in place: elements [outer][length][inner] in C order, of which
// a block has those from `first` to `end`. A tile is TILE elements along the axis, in one of `inner` lanes; SPAN tiles
// are a group. An element becomes (all groups before its own) + (all tiles of the group before its own) + (its tile up
// to it), each of which goes from one to the next. So the order of operations depends on the shape alone. What a block
// leaves open of a lane, its tile, its group and its line up to `end`, goes on in the next one by `carried` and
// `carry`.
//
// TYPE is what memory holds, SUM what is computed with; HALF, PRODUCT and COMPLEX are 0 or 1.
#if HALF
#define TAKEN(k) vload_half(k, out)
#define STORED(value, k) vstore_half(value, k, out)
#else
#define TAKEN(k) out[k]
#define STORED(value, k) out[k] = value
#endif

SUM together(SUM a, SUM b) {
#if PRODUCT && COMPLEX
    return (SUM)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
#elif PRODUCT
    return a * b;
#else
    return a + b;
#endif
}

// The first row of a lane from element `element` on, counted over all lines.
ulong row_from(ulong element, ulong inner, ulong lane) { return (element + inner - 1 - lane) / inner; }

// Parts of a line of `size` rows each: which one a row is in, and the row behind one.
ulong part_of(ulong row, ulong length, ulong parts, ulong size) { return row / length * parts + row % length / size; }
ulong part_end(ulong part, ulong length, ulong parts, ulong size) {
    return part / parts * length + min((part % parts + 1) * size, length);
}

// Where element k of the block lies; `row` is the length of the last axis of an array with gaps, else 0.
long place_of(__constant const long *lines, ulong row, ulong k) {
    return row == 0 ? (long)k : line_offset(lines, k / row) + (long)(k % row) * axis_stride(lines);
}

__kernel void scan_tiles(__global const TYPE *out, long base, __constant const long *lines, ulong row, ulong first_item,
                         ulong first, ulong end, ulong length, ulong inner, ulong first_tile,
                         __global const SUM *carried, __global SUM *totals, ulong n) {
    const ulong i = get_global_id(0), lane = i % inner, tile = first_tile + i / inner;
    const ulong tiles = (length - 1) / TILE + 1, begin = tile / tiles * length + tile % tiles * TILE;
    const ulong from = max(begin, row_from(first, inner, lane));
    const ulong to = min(part_end(tile, length, tiles, TILE), row_from(end, inner, lane));
    if (i >= n || from >= to)
        return;
    out += base;
    SUM sum = from > begin ? carried[lane] : TAKEN(place_of(lines, row, from * inner + lane - first + first_item));
    for (ulong r = from > begin ? from : from + 1; r < to; r++)
        sum = together(sum, TAKEN(place_of(lines, row, r * inner + lane - first + first_item)));
    totals[i] = sum;
}

// Parts of `size` rows, whose totals become what lies before them in their whole, of `of` parts: tiles of a group,
// groups of a line. The totals of wholes are kept if anything needs them.
__kernel void scan_parts(ulong first, ulong end, ulong length, ulong inner, ulong size, ulong of, ulong first_part,
                         ulong first_whole, ulong level, __global const SUM *carried, __global SUM *carry,
                         __global SUM *totals, __global SUM *wholes, uint keeps, ulong n) {
    const ulong i = get_global_id(0), lane = i % inner, whole = first_whole + i / inner;
    const ulong from = row_from(first, inner, lane), to = row_from(end, inner, lane);
    if (i >= n || from >= to)
        return;
    const ulong parts = (length - 1) / size + 1, n_wholes = (parts - 1) / of + 1;
    const ulong begin = whole / n_wholes * parts + whole % n_wholes * of;
    const ulong last = min(begin + of, (whole / n_wholes + 1) * parts);
    const ulong a = max(begin, part_of(from, length, parts, size));
    const ulong b = min(last, part_of(to - 1, length, parts, size) + 1);
    if (a >= b)
        return;
    bool any = a > begin;
    SUM sum = carried[level * inner + lane];
    for (ulong part = a; part < b; part++) {
        __global SUM *total = &totals[(part - first_part) * inner + lane];
        const SUM own = *total;
        *total = sum;
        if (part_end(part, length, parts, size) <= to) {
            sum = any ? together(sum, own) : own;
            any = true;
        }
    }
    if (keeps)
        wholes[i] = sum;
    if (to < part_end(last - 1, length, parts, size))
        carry[level * inner + lane] = sum;
}

__kernel void scan_write(__global TYPE *out, long base, __constant const long *lines, ulong row, ulong first_item,
                         ulong first, ulong end, ulong length, ulong inner, ulong first_tile, ulong first_group,
                         uint levels, __global const SUM *carried, __global SUM *carry, __global const SUM *totals,
                         __global const SUM *wholes, ulong n) {
    const ulong i = get_global_id(0), lane = i % inner, tile = first_tile + i / inner;
    const ulong tiles = (length - 1) / TILE + 1, line = tile / tiles, begin = line * length + tile % tiles * TILE;
    const ulong of_lane = row_from(first, inner, lane), end_of_lane = row_from(end, inner, lane);
    if (i >= n)
        return;
    if (of_lane >= end_of_lane) { // a block of less than a row
        for (uint level = 0; i < inner && level < levels; level++)
            carry[level * inner + lane] = carried[level * inner + lane];
        return;
    }
    const ulong from = max(begin, of_lane), last = part_end(tile, length, tiles, TILE), to = min(last, end_of_lane);
    if (from >= to)
        return;
    const ulong group = line * ((tiles - 1) / SPAN + 1) + tile % tiles / SPAN;
    const bool behind_tiles = tile % tiles % SPAN != 0, behind_groups = tile % tiles >= SPAN;
    SUM before = 0, sum = carried[lane];
    if (behind_groups)
        before = wholes[(group - first_group) * inner + lane];
    if (behind_tiles)
        before = behind_groups ? together(before, totals[i]) : totals[i];
    out += base;
    for (ulong r = from; r < to; r++) {
        const long k = place_of(lines, row, r * inner + lane - first + first_item);
        const SUM own = TAKEN(k);
        sum = r == begin ? own : together(sum, own);
        STORED(behind_tiles || behind_groups ? together(before, sum) : sum, k);
    }
    if (to < last)
        carry[lane] = sum;
}
