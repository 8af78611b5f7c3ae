// Column l of the half planes and column Q - l, which lie side by side, hold the spectra of two real rows as one
// complex row.

// Element 0 of both columns.
__global real4 *find_columns(__global real2 *half_planes, ulong plane, uint l) {
    return (__global real4 *)half_planes + plane * ((ulong)J * (PITCH / 2)) + l;
}

// The spectra of the two rows, twice as large. A column that is `alone` is its own opposite.
void part_rows(real4 both, bool alone, real2 *upper, real2 *lower) {
    const real2 a = both.xy, b = alone ? both.xy : both.zw;
    *upper = (real2)(a.x + b.x, a.y - b.y);
    *lower = (real2)(a.y + b.y, b.x - a.x);
}

// And from them that of the complex row again.
real4 join_rows(real2 upper, real2 lower) {
    return (real4)(upper.x - lower.y, upper.y + lower.x, upper.x + lower.y, lower.x - upper.y);
}
