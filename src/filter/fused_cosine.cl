// What the mask does to a column of a cosine transform (fused.h): the column, turned by w = exp(-2 pi i l / 4Q), is
// columns l and Q - l of the rows' cosine transforms, as the parts of one complex column.
real2 turn_of(uint l) {
    const real angle = (real)l / (2 * Q);
    return (real2)(cospi(angle), -sinpi(angle));
}

real2 turn_back(real2 turn, real2 value) { return complex_multiply((real2)(turn.x, -turn.y), value); }

// Of the spectrum r of a real column, at k: with v = exp(-2 pi i k / 4P), the numbers k and P - k of its cosine
// transform are the parts of X[k] - i X[P-k] = 2 v r. These times the masks m and n there, turned back, are (m + n) r +
// (m - n) conj(v^2 r), and `root` is v^2.
real2 keep_cosines(real2 r, real m, real n, real2 root) {
    const real2 turned = complex_multiply(root, r);
    return (m + n) * r + (m - n) * (real2)(turned.x, -turned.y);
}

// Numbers k (a) and P - k (b) of the column's spectrum, which make those of its real and of its imaginary part.
void keep_mirrors(real *ar, real *ai, real *br, real *bi, uint k, __global const real2 *half_roots,
                  __global const real *mask, uint l, real2 turn) {
    const real2 a = complex_multiply(turn, (real2)(*ar, *ai)), b = complex_multiply(turn, (real2)(*br, *bi));
    const real2 root = half_roots[k];
    const real2 near = keep_cosines((real2)(a.x + b.x, a.y - b.y), mask_at(mask, k, l), mask_at(mask, P - k, l), root);
    const real2 far =
        keep_cosines((real2)(a.y + b.y, b.x - a.x), mask_at(mask, k, Q - l), mask_at(mask, P - k, Q - l), root);
    const real2 at = turn_back(turn, (real2)(near.x - far.y, near.y + far.x)) * (SCALE / 4);
    const real2 opposite = turn_back(turn, (real2)(near.x + far.y, far.x - near.y)) * (SCALE / 4);
    *ar = at.x, *ai = at.y;
    *br = opposite.x, *bi = opposite.y;
}

// Number k = 0 or P / 2, where both parts' spectra are real.
void keep_own(real *re, real *im, uint k, __global const real *mask, uint l, real2 turn) {
    const real2 a = complex_multiply(turn, (real2)(*re, *im));
    const real2 kept = turn_back(turn, (real2)(a.x * mask_at(mask, k, l), a.y * mask_at(mask, k, Q - l))) * SCALE;
    *re = kept.x, *im = kept.y;
}
