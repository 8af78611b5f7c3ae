// Richardson-Lucy: what an iteration does to padded arrays between transforms, and the sums that judge it.

// 1 / a from a, and 0 where the detector sees less than `least` or, if only that is allowed, not within the image; as a
// mask 1 within the image and 0 outside. `dark`: what is beyond the image counts as seen, too, as far as bricks reach.
__kernel void make_gain(__global const real *seen, real least, int mask, int within, int dark, ulong first_item,
                        __constant const int *frame, uint depth, uint height, uint width, uint padded_z, uint padded_y,
                        uint padded_x, ulong n, __global real *gain) {
    const ulong i = get_global_id(0);
    if (i >= n)
        return;
    const uint at[3] = {(uint)(i / padded_x / padded_y % padded_z), (uint)(i / padded_x % padded_y),
                        (uint)(i % padded_x)};
    const uint window[3] = {depth, height, width};
    int origin[3];
    bool inside = true, covered = true;
    find_origin(frame, first_item + i / padded_x / padded_y / padded_z, origin);
    for (int a = 0; a < 3; a++) {
        inside = inside && at[a] < window[a] && is_among(frame, a, (int)at[a], origin[a], POINTS_OF_WHOLE);
        covered = covered && (at[a] < window[a] || !frame[FRAME_CUT + a]);
    }
    if (mask)
        gain[i] = dark ? covered : inside;
    else
        gain[i] = seen[i] >= least && (inside || !within) ? 1 / seen[i] : 0;
}

// The x to start from, flat or given, in the places of which the detector sees something; there may be two copies and
// the last step, 0. `checked`: what is given is nothing already where nothing is seen, which an item does not know of
// its window's outermost points.
__kernel void start_from(__global const real *scalars, real value, int given, int checked, __global const real *gain,
                         ulong gain_pitch, ulong n, ulong n_items, __global real *x, int both, __global real *before,
                         int steps, __global real *step) {
    const ulong i = get_global_id(0), item = i / n;
    if (item >= n_items)
        return;
    const real flat = value > 0 ? value : scalars[item * N_SCALARS + S_MEAN];
    const bool has = given && x[i] >= 0, sees = gain[i - item * n + item * gain_pitch] > 0;
    const real first = sees || (has && checked) ? (has ? x[i] : flat) : 0;
    x[i] = first;
    if (both)
        before[i] = first;
    if (steps)
        step[i] = 0;
}

__kernel void predict(__global const real *restrict x, __global const real *restrict before, __global real *restrict to,
                      __global const real *scalars, ulong n, ulong chunks, ulong n_items) {
    const ulong t = get_global_id(0) % chunks, item = get_global_id(0) / chunks;
    if (item >= n_items)
        return;
    const real alpha = scalars[item * N_SCALARS + S_ALPHA];
    const ulong end = item * n + chunk_end(t, n);
    for (ulong i = item * n + chunk_begin(t); i < end; i += LANES)
        to[i] = fmax(x[i] + alpha * (x[i] - before[i]), (real)0);
}

// w y / (h * x + b) in place of h * x, 0 where the model has nothing but rounding; `sums` get what it misses of y.
__kernel void take_ratio(__global real *restrict model, __global const real *restrict seen, int weighted,
                         __global const real *restrict weights, real background, __global const real *scalars,
                         int judges, ulong n, ulong chunks, ulong n_items, __global real *restrict sums) {
    const ulong t = get_global_id(0) % chunks, item = get_global_id(0) / chunks;
    if (item >= n_items)
        return;
    const real least = scalars[item * N_SCALARS + S_LEAST], unit = scalars[item * N_SCALARS + S_UNIT];
    const ulong begin = item * n + chunk_begin(t), end = item * n + chunk_end(t, n);
    if (judges) {
        real miss = 0, all = 0;
        ulong i = begin;
#if LANES == 1
        real8 misses = 0, alls = 0;
        for (; i + 8 <= end; i += 8) {
            const real8 y = vload8(0, seen + i), w = weighted ? vload8(0, weights + i) : (real8)1;
            const real8 d = (y - vload8(0, model + i) - background) * unit, value = y * unit;
            misses += y >= 0 ? w * d * d : (real8)0;
            alls += y >= 0 ? w * value * value : (real8)0;
        }
        const real4 m = misses.lo + misses.hi, a = alls.lo + alls.hi;
        miss = m.x + m.y + m.z + m.w;
        all = a.x + a.y + a.z + a.w;
#endif
        for (; i < end; i += LANES) {
            const real y = seen[i] * unit, w = weighted ? weights[i] : 1, d = (seen[i] - model[i] - background) * unit;
            miss += y >= 0 ? w * d * d : 0;
            all += y >= 0 ? w * y * y : 0;
        }
        sums[get_global_id(0) * N_SUMS + SUM_MISS] = miss;
        sums[get_global_id(0) * N_SUMS + SUM_SEEN] = all;
    }
    if (weighted)
        for (ulong i = begin; i < end; i += LANES) {
            const real v = model[i] + background, y = seen[i];
            model[i] = y > 0 && v > least ? weights[i] * y / v : 0;
        }
    else
        for (ulong i = begin; i < end; i += LANES) {
            const real v = model[i] + background, y = seen[i];
            model[i] = y > 0 && v > least ? y / v : 0;
        }
}

// What the model h * x misses of y, as take_ratio sums it, of the points that are a brick's own.
__kernel void miss_of_own(__global const real *restrict model, __global const real *restrict seen, int weighted,
                          __global const real *restrict weights, real background, __global const real *scalars,
                          __constant const int *frame, ulong first_item, uint padded_y, uint padded_x, ulong n,
                          ulong chunks, ulong n_items, __global real *restrict sums) {
    const ulong t = get_global_id(0) % chunks, item = get_global_id(0) / chunks;
    int origin[3];
    if (item >= n_items)
        return;
    find_origin(frame, first_item + item, origin);
    const real unit = scalars[item * N_SCALARS + S_UNIT];
    real miss = 0, all = 0;
    for (ulong k = chunk_begin(t); k < chunk_end(t, n); k += LANES) {
        const ulong row = k / padded_x, i = item * n + k;
        const int x = (int)(k - row * padded_x), z = (int)(row / padded_y), y = (int)(row % padded_y);
        const bool own = is_among(frame, 0, z, origin[0], POINTS_OWN) && is_among(frame, 1, y, origin[1], POINTS_OWN) &&
                         is_among(frame, 2, x, origin[2], POINTS_OWN);
        const real value = seen[i] * unit, d = (seen[i] - model[i] - background) * unit, w = weighted ? weights[i] : 1;
        miss += own && value >= 0 ? w * d * d : 0;
        all += own && value >= 0 ? w * value * value : 0;
    }
    sums[get_global_id(0) * N_SUMS + SUM_MISS] = miss;
    sums[get_global_id(0) * N_SUMS + SUM_SEEN] = all;
}

// The difference to the next point along each axis of a periodic array.
real4 differences(__global const real *x, uint z, uint y, uint i, uint padded_z, uint padded_y, uint padded_x) {
    const ulong row = ((ulong)z * padded_y + y) * padded_x;
    const real here = x[row + i];
    const uint next_z = z + 1 < padded_z ? z + 1 : 0, next_y = y + 1 < padded_y ? y + 1 : 0;
    return (real4)(x[row + (i + 1 < padded_x ? i + 1 : 0)] - here,
                   x[((ulong)z * padded_y + next_y) * padded_x + i] - here,
                   x[((ulong)next_z * padded_y + y) * padded_x + i] - here, 0);
}

real4 direction(real4 differences, real least, real unit) {
    const real4 d = differences * unit;
    return d / sqrt(d.x * d.x + d.y * d.y + d.z * d.z + least * least);
}

// Divides by 1 - lambda div(grad x / |grad x|).
__kernel void divide_by_variation(__global const real *x, __global real *to, real lambda, __global const real *scalars,
                                  uint padded_z, uint padded_y, uint padded_x, ulong n) {
    const ulong row = get_global_id(0) / LANES, planes = (ulong)padded_z * padded_y;
    if (row >= n)
        return;
    const ulong item = row / planes;
    const uint z = (uint)(row % planes / padded_y), y = (uint)(row % padded_y);
    const uint z1 = z > 0 ? z - 1 : padded_z - 1, y1 = y > 0 ? y - 1 : padded_y - 1;
    const real unit = scalars[item * N_SCALARS + S_UNIT],
               least = (real)1e-4 * scalars[item * N_SCALARS + S_MEAN] * unit;
    __global const real *from = x + item * planes * padded_x;
    for (uint i = get_global_id(0) % LANES; i < padded_x; i += LANES) {
        const uint i1 = i > 0 ? i - 1 : padded_x - 1;
        const real4 here = direction(differences(from, z, y, i, padded_z, padded_y, padded_x), least, unit);
        const real sum = here.x + here.y + here.z -
                         direction(differences(from, z, y, i1, padded_z, padded_y, padded_x), least, unit).x -
                         direction(differences(from, z, y1, i, padded_z, padded_y, padded_x), least, unit).y -
                         direction(differences(from, z1, y, i, padded_z, padded_y, padded_x), least, unit).z;
        to[row * padded_x + i] /= 1 - lambda * sum;
    }
}

// x in place, where nothing is summed and no neighbours are read.
__kernel void scale_x(__global real *restrict x, __global const real *restrict factor,
                      __global const real *restrict gain, ulong gain_pitch, ulong n, ulong chunks, ulong n_items) {
    const ulong t = get_global_id(0) % chunks, item = get_global_id(0) / chunks;
    if (item >= n_items)
        return;
    const ulong end = chunk_end(t, n);
    __global real *to = x + item * n;
    __global const real *from = factor + item * n, *g = gain + item * gain_pitch;
    for (ulong i = chunk_begin(t); i < end; i += LANES)
        to[i] = fmax(to[i] * from[i] * g[i], (real)0);
}

// The next x, in `to`, from `begun`, where the step began: x itself unless accelerated, which has the last step in
// `step`, too.
__kernel void update_x(__global const real *x, __global const real *begun, __global const real *restrict factor,
                       __global const real *restrict gain, ulong gain_pitch, __global real *restrict to,
                       int accelerated, __global real *restrict step, __global const real *scalars, ulong n,
                       ulong chunks, ulong n_items, __global real *restrict sums) {
    const ulong t = get_global_id(0) % chunks, item = get_global_id(0) / chunks;
    if (item >= n_items)
        return;
    const ulong begin = item * n + chunk_begin(t), end = item * n + chunk_end(t, n);
    __global const real *g = gain + item * gain_pitch - item * n;
    const real unit = scalars[item * N_SCALARS + S_UNIT];
    real steps = 0, square = 0, change = 0, all = 0;
    if (scalars[item * N_SCALARS + S_DONE] > 0)
        for (ulong i = begin; i < end; i += LANES)
            to[i] = x[i];
    else
        for (ulong i = begin; i < end; i += LANES)
            to[i] = fmax(begun[i] * factor[i] * g[i], (real)0);
    ulong i = begin;
#if LANES == 1
    real8 changes = 0, alls = 0, products = 0, squares = 0;
    for (; i + 8 <= end; i += 8) {
        const real8 next = vload8(0, to + i), value = next * unit, d = (next - vload8(0, x + i)) * unit;
        changes += d * d;
        alls += value * value;
        if (accelerated) {
            const real8 now = next - vload8(0, begun + i), last = vload8(0, step + i) * unit;
            products += now * unit * last;
            squares += last * last;
            vstore8(now, 0, step + i);
        }
    }
    const real4 c = changes.lo + changes.hi, a = alls.lo + alls.hi, p = products.lo + products.hi,
                q = squares.lo + squares.hi;
    change = c.x + c.y + c.z + c.w;
    all = a.x + a.y + a.z + a.w;
    steps = p.x + p.y + p.z + p.w;
    square = q.x + q.y + q.z + q.w;
#endif
    for (; i < end; i += LANES) {
        const real next = to[i], value = next * unit, d = (next - x[i]) * unit;
        change += d * d;
        all += value * value;
        if (accelerated) {
            const real now = next - begun[i], last = step[i] * unit;
            steps += now * unit * last;
            square += last * last;
            step[i] = now;
        }
    }
    __global real *s = sums + get_global_id(0) * N_SUMS;
    s[SUM_STEPS] = steps;
    s[SUM_STEP] = square;
    s[SUM_CHANGE] = change;
    s[SUM_X] = all;
}

// Sums over an item.

// Of y, of how many points saw something, and of y^2, which counts once the unit is known. With `any`, values may be
// negative; then of |y|.
__kernel void sum_seen(__global const real *seen, int any, int unit_known, __global const real *scalars, ulong n,
                       ulong chunks, ulong n_items, __global real *sums) {
    const ulong t = get_global_id(0) % chunks, item = get_global_id(0) / chunks;
    if (item >= n_items)
        return;
    const ulong end = item * n + chunk_end(t, n);
    const real unit = unit_known ? scalars[item * N_SCALARS + S_UNIT] : 1;
    real sum = 0, count = 0, squares = 0;
    for (ulong i = item * n + chunk_begin(t); i < end; i += LANES) {
        const real y = any ? fabs(seen[i]) : seen[i];
        sum += y >= 0 ? y : 0;
        count += y >= 0 ? 1 : 0;
        squares += y >= 0 ? y * unit * (y * unit) : 0;
    }
    vstore8((real8)(sum, count, squares, 0, 0, 0, 0, 0), get_global_id(0), sums);
}

// n_from sums of each item into n_to.
__kernel void reduce_sums(__global const real *from, ulong n_from, ulong n_to, ulong n, __global real *to) {
    const ulong t = get_global_id(0) % n_to, item = get_global_id(0) / n_to;
    if (get_global_id(0) >= n)
        return;
    real8 sum = 0;
    for (ulong k = t; k < n_from; k += n_to)
        sum += vload8(item * n_from + k, from);
    vstore8(sum, get_global_id(0), to);
}

// What follows from an item's sums: at the beginning (iteration 0) its mean, then how far it has come.
__kernel void judge(__global const real *sums, ulong n_from, int iteration, real tolerance, ulong n,
                    __global real *scalars) {
    const ulong item = get_global_id(0);
    if (item >= n)
        return;
    real8 sum = 0;
    for (ulong k = 0; k < n_from; k++)
        sum += vload8(item * n_from + k, sums);
    __global real *s = scalars + item * N_SCALARS;
    if (iteration == 0) {
        s[S_MEAN] = sum.s1 > 0 ? sum.s0 / sum.s1 : 0;
        s[S_UNIT] = s[S_MEAN] > 0 ? ldexp((real)1, -clamp(ilogb(s[S_MEAN]), -MOST_EXPONENT, MOST_EXPONENT)) : 1;
        s[S_LEAST] = sum.s1 > 0 ? ROUNDING * sqrt(sum.s2 / sum.s1) / s[S_UNIT] : 0;
        s[S_ALPHA] = s[S_DONE] = s[S_COUNT] = 0;
        s[S_CHANGE] = s[S_RESIDUAL] = 1;
        return;
    }
    if (s[S_DONE] > 0)
        return;
    s[S_RESIDUAL] = sum.s1 > 0 ? sqrt(sum.s0 / sum.s1) : 0;
    s[S_CHANGE] = sum.s5 > 0 ? sqrt(sum.s4 / sum.s5) : 0;
    s[S_ALPHA] = sum.s3 > 0 ? fmin(fmax(sum.s2 / sum.s3, (real)0), (real)1) : 0;
    s[S_COUNT] = iteration;
    s[S_DONE] = s[S_CHANGE] < tolerance;
}
