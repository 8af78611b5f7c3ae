// Where an integrand of one variable jumps, bends or is singular within a region.
//
// Five points in a row, the middle three of which have second differences: the largest lies next to such a place, and
// what is about it becomes the next five points, half as far apart. While steps halve, second differences of a smooth
// integrand fall to a quarter, those of |x - c|^s only by 2^-s, those of a jump not at all: by that the two are told
// apart.
#define STILL 4                // steps after which second differences are looked at again
#define FALLEN REAL(0.0078125) // 2^(-1.75 STILL): lower ones are those of a smooth integrand
#define NO_NUMBER (PRECISION == 64 ? REAL(1e100) : REAL(1e30)) // stands for what is not finite

// Places in regions from `from` on where wanted > 0, in the component whose number and 1 that is; *found is 0 where
// there is none, *count what was evaluated.
realv find_place(realv from, realv length, realv wanted, given *in, realv *found, realv *count) {
    realv value[5], start = from, step = length / 4, place = from, earlier = 0, active = wanted;
    *found = 0;
    *count = 0;
#pragma unroll 1
    for (uint k = 0; k < MOST_SEARCHED && ANY(active > 0); k++) {
        const uint which = k < 3 ? 2 * k : k % 2 ? 1 : 3, halvings = (k - 3) / 2;
        const realv x = start + which * step, at_x = integrand(&x, in);
        realv f = at_x;
#pragma unroll 1
        for (uint c = 1; c < COMPONENTS; c++)
            f = wanted == (realv)(c + 1) ? further(in, c) : f;
        value[which] = fabs(f) < INFINITY ? f : (realv)NO_NUMBER;
        *count += active > 0 ? (realv)1 : (realv)0;
        if (k < 3 || which == 1)
            continue;
        const realv first = fabs((value[2] - value[1]) - (value[1] - value[0])),
                    second = fabs((value[3] - value[2]) - (value[2] - value[1])),
                    third = fabs((value[4] - value[3]) - (value[3] - value[2])),
                    largest = fmax(second, fmax(first, third));
        const realv scale = fmax(fabs(value[1]), fmax(fabs(value[2]), fabs(value[3])));
        const realv left = second < largest && first == largest ? (realv)1 : (realv)0,
                    right = second < largest && first < largest ? (realv)1 : (realv)0;
        const realv smooth = (halvings % STILL == 0 && largest < FALLEN * earlier) ? (realv)1 : (realv)0;
        earlier = halvings % STILL == 0 ? largest : earlier;
        value[0] = left > 0 ? value[0] : right > 0 ? value[2] : value[1];
        value[4] = left > 0 ? value[2] : right > 0 ? value[4] : value[3];
        value[2] = left > 0 ? value[1] : right > 0 ? value[3] : value[2];
        start = active > 0 ? (left > 0 ? start : right > 0 ? start + 2 * step : start + step) : start;
        step = active > 0 ? step / 2 : step;
        const realv middle = start + 2 * step;
        const realv ends = (largest <= 16 * EPSILON * scale || start + step == start || middle + step == middle ||
                            k + 2 >= MOST_SEARCHED)
                               ? (realv)1
                               : (realv)0;
        // A place that halving has made an end of the region is that end, to the last bit.
        const realv last = from + length;
        const realv nearest = start == from                                                                 ? from
                              : start + 4 * step == last || fabs(last - middle) <= 2 * EPSILON * fabs(last) ? last
                                                                                                            : middle;
        place = active > 0 ? nearest : place;
        *found = (active > 0 && ends > 0 && smooth == 0 && halvings >= STILL) ? (realv)1 : *found;
        active = (ends > 0 || smooth > 0) ? (realv)0 : active;
    }
    return place;
}

// Of regions that are to be split at such a place (SUSPECT), finds it; they lose that mark where there is none. Tiles
// of WIDTH regions, one to a lane.
__kernel void locate(uint n, uint tiles_an_item, uint capacity, __global const real *lo, __global const real *len,
                     __global const uint *id, __global const real *rows, __global const int *code,
                     __global const uint *n_split, __global uchar *marks, __global real *places, __global uint *state) {
    ulong tile = get_global_id(0) * (ulong)tiles_an_item;
    for (uint k = 0; k < tiles_an_item && tile * WIDTH < n; k++, tile++) {
        const uint first = (uint)(tile * WIDTH), count = min((uint)WIDTH, n - first);
        uint index[WIDTH], set[WIDTH], lead[WIDTH];
        real wanted[WIDTH], place[WIDTH], found[WIDTH], evaluated[WIDTH];
        bool any_wanted = false;
        given in;
        for (uint l = 0; l < WIDTH; l++) {
            index[l] = min(first + l, n - 1);
            set[l] = id[index[l]];
            lead[l] = l < count && n_split[set[l]] > 0 ? split_for(marks, capacity, index[l]) : COMPONENTS;
            const bool own = lead[l] < COMPONENTS && (marks[(ulong)lead[l] * capacity + index[l]] & SUSPECT);
            wanted[l] = own ? (real)(lead[l] + 1) : 0;
            any_wanted = any_wanted || own;
        }
        if (!any_wanted)
            continue;
        take_code(&in, code);
        for (uint a = 0; a < ROW_LENGTH(code); a++)
            in.row[a] = gather(rows, set, ROW_LENGTH(code), a);
        realv is_found, all;
        const realv at =
            find_place(gather(lo, index, 1, 0), gather(len, index, 1, 0), LOADV(wanted), &in, &is_found, &all);
        STOREV(at, place);
        STOREV(is_found, found);
        STOREV(all, evaluated);
        for (uint l = 0; l < count; l++) {
            if (wanted[l] == 0)
                continue;
            places[first + l] = place[l];
            marks[(ulong)lead[l] * capacity + first + l] &= (uchar)(found[l] > 0 ? 0xff : ~SUSPECT);
            atomic_add(&state[STATE * (ulong)set[l] + COMPONENTS], ((uint)evaluated[l] + N_POINTS - 1) / N_POINTS);
        }
    }
}
