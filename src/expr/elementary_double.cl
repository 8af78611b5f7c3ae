// Elementary functions of double, $d, vectors and scalars alike: without branches but where an argument is very large,
// with the same bits whatever the width. At most 2 units in the last place; special values as in C99, annex F. "minimax
// NAME" is a polynomial by scripts/minimax. A section begins with its name and those that it needs (elementary.h).
// The ends of sin, tan and asinh, where the sign of 0 is kept, are of those shapes that PoCL 6 of Debian 13 compiles:
// asked of x, "x == 0.0 ? x : y" ends the process there (docs/environment.md).

//: exp_parts
// The sum of *high and *low is e^r, |r| <= ln 2 / 2 and a little: 1 + r + r^2 P(r), P minimax exp_double.
INLINE void own_exp_parts_$d($d r, $d *high, $d *low) {
    $d p = ($d)(0x1.230e82e157856p-29);
    p = fma(p, r, ($d)(0x1.af41ba949832ap-26));
    p = fma(p, r, ($d)(0x1.27e2e97fc97a1p-22));
    p = fma(p, r, ($d)(0x1.71de0801e088cp-19));
    p = fma(p, r, ($d)(0x1.a01a025d2da1cp-16));
    p = fma(p, r, ($d)(0x1.a01a01aa32dfap-13));
    p = fma(p, r, ($d)(0x1.6c16c16bfb698p-10));
    p = fma(p, r, ($d)(0x1.111111111037ap-7));
    p = fma(p, r, ($d)(0x1.5555555555583p-5));
    p = fma(p, r, ($d)(0x1.5555555555557p-3));
    p = fma(p, r, ($d)(0x1.0000000000000p-1));
    const $d u = fma(r * r, p, r);
    *high = 1.0 + u;
    *low = (1.0 - *high) + u;
}

//: scale
// x 2^n, n = t - 0x1.8p52 from -1100 to 1100: by two factors, as 2^n may be beyond what double holds.
INLINE $d own_scale_$d($d x, $d t) {
    const $l n = as_$l(t), halved = as_$l((t - 0x1.8p52) * 0.5 + 0x1.8p52), one = as_$l(($d)(1.0));
    return x * as_$d(((n - halved) << ($l)(52)) + one) * as_$d((halved << ($l)(52)) + one);
}

//: exp_rest
// x = n ln 2 + r, where t becomes n + 0x1.8p52: numbers that end beyond the range of exp are taken for its ends.
INLINE $d own_exp_rest_$d($d x, $d *t) {
    x = x > 711.0 ? ($d)(711.0) : x;
    x = x < -760.0 ? ($d)(-760.0) : x;
    *t = fma(x, ($d)(0x1.71547652b82fep+0), ($d)(0x1.8p52));
    const $d n = *t - 0x1.8p52, r = fma(n, ($d)(-0x1.62e42fefa39efp-1), x);
    return fma(n, ($d)(-0x1.abc9e3b39803fp-56), r);
}

//: exp exp_parts scale exp_rest
INLINE $d own_exp_$d($d x) {
    $d t, high, low;
    const $d r = own_exp_rest_$d(x, &t);
    own_exp_parts_$d(r, &high, &low);
    return own_scale_$d(high + low, t);
}

//: exp2 exp_parts scale
INLINE $d own_exp2_$d($d x) {
    $d high, low;
    x = x > 1100.0 ? ($d)(1100.0) : x;
    x = x < -1100.0 ? ($d)(-1100.0) : x;
    const $d t = x + 0x1.8p52, r = x - (t - 0x1.8p52);
    own_exp_parts_$d(r * 0x1.62e42fefa39efp-1, &high, &low);
    low = fma(r, ($d)(0x1.abc9e3b39803fp-56), low);
    return own_scale_$d(high + low, t);
}

//: expm1_parts exp_rest
// e^x - 1 as the sum of *high and *low, halved; P is minimax expm1_double.
INLINE void own_expm1_parts_$d($d x, $d *high, $d *low) {
    $d t;
    x = x < -80.0 ? ($d)(-80.0) : x;
    const $d r = own_exp_rest_$d(x, &t), s = as_$d((as_$l(t) << ($l)(52)) + as_$l(($d)(0.5)));
    $d p = ($d)(0x1.23a4b2d8b8df1p-29);
    p = fma(p, r, ($d)(0x1.af309e668415fp-26));
    p = fma(p, r, ($d)(0x1.27e2bffb4aaf5p-22));
    p = fma(p, r, ($d)(0x1.71de10a599275p-19));
    p = fma(p, r, ($d)(0x1.a01a025805b85p-16));
    p = fma(p, r, ($d)(0x1.a01a01a756a71p-13));
    p = fma(p, r, ($d)(0x1.6c16c16c00388p-10));
    p = fma(p, r, ($d)(0x1.111111111092ap-7));
    p = fma(p, r, ($d)(0x1.5555555555572p-5));
    p = fma(p, r, ($d)(0x1.5555555555556p-3));
    p = fma(p, r, ($d)(0x1.0000000000000p-1));
    // s (r + r^2 P) + (s - 1/2), by the larger part first
    const $d u = r * r * p, c = s - 0.5, a = fma(s, r, c);
    const $d a_low = fma(s, r, c - a); // exact where |c| >= |s r|, and for c = 0
    *high = fma(s, u, a);
    *low = fma(s, u, a - *high) + a_low;
}

//: expm1 expm1_parts
INLINE $d own_expm1_$d($d x) {
    $d high, low;
    own_expm1_parts_$d(x, &high, &low);
    const $d y = (high + low) * 2.0;
    return fabs(x) < 0x1p-54 ? x : x > 710.0 ? ($d)(INFINITY) : y;
}

//: split
// x = 2^n m, m from sqrt(1/2) to sqrt(2); returns m. x > 0 and not infinite; 2^-n is *down.
INLINE $d own_split_$d($d x, $d *n, $d *down) {
    const $l tiny = as_$l(x) < as_$l(($d)(0x1p-1022)) ? ($l)(-1) : ($l)(0);
    x = tiny != 0 ? x * 0x1p54 : x;
    const $u bits = as_$u(as_$l(x)) + ($u)(0x00095f619980c433UL), e = bits >> ($u)(52);
    *n = as_$d(e | ($u)(0x4330000000000000UL)) - (tiny != 0 ? ($d)(0x1p52 + 1077.0) : ($d)(0x1p52 + 1023.0));
    *down = as_$d((($u)(2046UL) - e) << ($u)(52));
    return as_$d((bits & ($u)(0x000fffffffffffffUL)) + ($u)(0x3fe6a09e667f3bcdUL));
}

//: log_series
// The sum of *high and *low is half of the logarithm of (m + m_low), by 1 / (1 + m): s + s^3 (1/3 + s^2 P(s^2)) with
// s = (m - 1) / (m + 1), P minimax log_double.
INLINE void own_log_series_$d($d m, $d m_low, $d *high, $d *low) {
    const $d f = m - 1.0, d = m + 1.0, d_low = (m - (d - 1.0)) + m_low, inverse = 1.0 / d, s = f * inverse;
    const $d s_low = (fma(-s, d, f) + fma(-s, d_low, m_low)) * inverse;
    const $d z = s * s, z_low = fma(s + s, s_low, fma(s, s, -z));
    $d p = ($d)(0x1.0e42269655aefp-4);
    p = fma(p, z, ($d)(0x1.0f7ff7bcca17ep-4));
    p = fma(p, z, ($d)(0x1.3b1eeb733bdfdp-4));
    p = fma(p, z, ($d)(0x1.745ce9e68e74bp-4));
    p = fma(p, z, ($d)(0x1.c71c722d5d5cbp-4));
    p = fma(p, z, ($d)(0x1.2492492457dbfp-3));
    p = fma(p, z, ($d)(0x1.9999999999b30p-3));
    const $d w = z * p, q = 0x1.5555555555555p-2 + w, q_low = ((0x1.5555555555555p-2 - q) + w) + 0x1.5555555555555p-56;
    const $d c = s * z, c_low = fma(s, z, -c) + fma(s, z_low, s_low * z);
    const $d t = c * q, t_low = fma(c, q, -t) + fma(c, q_low, c_low * q);
    *high = s + t;
    *low = ((s - *high) + t) + (s_low + t_low);
}

//: log_ends
// A logarithm's values where it is not computed: at 0, infinity and NaN, and below 0.
INLINE $d own_log_ends_$d($d x, $d y) {
    y = x < INFINITY ? y : x;
    y = x == 0.0 ? ($d)(-INFINITY) : y;
    return x < 0.0 ? ($d)(NAN) : y;
}

//: log_sum log_ends split log_series
// The logarithm of x + x_low, and n more times that of 2.
INLINE $d own_log_sum_$d($d x, $d x_low, $d more) {
    $d n, down, high, low;
    const $d m = own_split_$d(x, &n, &down);
    own_log_series_$d(m, x_low * down, &high, &low);
    n += more;
    // ln 2 in two parts, whose first one times n is exact
    const $d a = n * 0x1.62e42fee00000p-1, y = fma(high, ($d)(2.0), a);
    const $d y_low = fma(high, ($d)(2.0), a - y) + fma(n, ($d)(0x1.a39ef35793c76p-33), low * 2.0);
    return own_log_ends_$d(x, y + y_low);
}

//: log_plain split
// x = 2^n m, the logarithm of m as *high + *low, in the way of fdlibm: f - (f^2 / 2 - s (f^2 / 2 + s^2 P(s^2))) with
// f = m - 1 and s = f / (2 + f), P minimax log_plain.
INLINE void own_log_plain_$d($d x, $d *n, $d *high, $d *low) {
    $d down;
    const $d f = own_split_$d(x, n, &down) - 1.0, s = f / (2.0 + f), z = s * s, h = f * f * 0.5;
    $d p = ($d)(0x1.2f0563fa812a7p-3);
    p = fma(p, z, ($d)(0x1.39a1bad3ac717p-3));
    p = fma(p, z, ($d)(0x1.74663ee59fe86p-3));
    p = fma(p, z, ($d)(0x1.c71c520973e6dp-3));
    p = fma(p, z, ($d)(0x1.24924941f0fc1p-2));
    p = fma(p, z, ($d)(0x1.999999997fdbbp-2));
    p = fma(p, z, ($d)(0x1.5555555555592p-1));
    *high = f - h;
    *low = fma(s, fma(z, p, h), (f - *high) - h);
}

//: log split log_ends
// In the way of fdlibm, the remainder of n ln 2 within the sum, which takes fewer operations than log_plain; P minimax
// log_plain.
INLINE $d own_log_$d($d x) {
    $d n, down;
    const $d f = own_split_$d(x, &n, &down) - 1.0, s = f / (2.0 + f), z = s * s, h = f * f * 0.5;
    $d p = ($d)(0x1.2f0563fa812a7p-3);
    p = fma(p, z, ($d)(0x1.39a1bad3ac717p-3));
    p = fma(p, z, ($d)(0x1.74663ee59fe86p-3));
    p = fma(p, z, ($d)(0x1.c71c520973e6dp-3));
    p = fma(p, z, ($d)(0x1.24924941f0fc1p-2));
    p = fma(p, z, ($d)(0x1.999999997fdbbp-2));
    p = fma(p, z, ($d)(0x1.5555555555592p-1));
    const $d rest = fma(s, fma(z, p, h), n * 0x1.a39ef35793c76p-33);
    return own_log_ends_$d(x, fma(n, ($d)(0x1.62e42fee00000p-1), f - (h - rest)));
}

//: log2 log_plain log_ends
INLINE $d own_log2_$d($d x) {
    $d n, high, low;
    own_log_plain_$d(x, &n, &high, &low);
    const $d a = high * 0x1.71547652b82fep+0, y = n + a;
    const $d a_low =
        fma(high, ($d)(0x1.71547652b82fep+0), -a) + fma(high, ($d)(0x1.777d0ffda0d24p-56), low * 0x1.71547652b82fep+0);
    return own_log_ends_$d(x, y + (((n - y) + a) + a_low));
}

//: log10 log_plain log_ends
INLINE $d own_log10_$d($d x) {
    $d n, high, low;
    own_log_plain_$d(x, &n, &high, &low);
    const $d a = high * 0x1.bcb7b1526e50ep-2;
    const $d a_low =
        fma(high, ($d)(0x1.bcb7b1526e50ep-2), -a) + fma(high, ($d)(0x1.95355baaafad3p-57), low * 0x1.bcb7b1526e50ep-2);
    // log10 2 in two parts, whose first one times n is exact
    const $d b = n * 0x1.34413509f6000p-2, y = b + a;
    return own_log_ends_$d(x, y + (((b - y) + a) + fma(n, ($d)(0x1.9fef311f12b36p-42), a_low)));
}

//: log1p log_sum
INLINE $d own_log1p_$d($d x) {
    const $d u = 1.0 + x, low = x > 1.0 ? 1.0 - (u - x) : x - (u - 1.0);
    const $d y = own_log_sum_$d(u, u < 0x1p60 ? low : ($d)(0.0), ($d)(0.0));
    return fabs(x) < 0x1p-54 ? x : y;
}

//: asinh log_sum
// log(a + sqrt(a^2 + 1)), half of it and 2 times that.
INLINE $d own_asinh_$d($d x) {
    const $d a = fabs(x);
    const $d b = a > 0x1p30 ? ($d)(1.0) : a, p = b * b, v = p + 1.0;
    const $d v_low = (b > 1.0 ? (p - v) + 1.0 : (1.0 - v) + p) + fma(b, b, -p);
    const $d q = sqrt(v), q_low = a > 0x1p30 ? ($d)(0.0) : (fma(-q, q, v) + v_low) / (q + q), root = a > 0x1p30 ? a : q;
    const $d high = fma(a, ($d)(0.5), root * 0.5), low = fma(a, ($d)(0.5), fma(root, ($d)(0.5), -high));
    const $d y = own_log_sum_$d(high, fma(q_low, ($d)(0.5), low), ($d)(1.0));
    return copysign(a < 0x1p-28 ? a : y, x);
}

//: acosh log_sum
INLINE $d own_acosh_$d($d x) {
    const $d b = x > 0x1p30 ? ($d)(2.0) : x, p = b * b, w = p - 1.0, w_low = ((p - w) - 1.0) + fma(b, b, -p);
    const $d v = w + w_low, v_low = (w - v) + w_low, q = sqrt(v), rest = (fma(-q, q, v) + v_low) / (q + q);
    const $d q_low = x > 0x1p30 || v <= 0.0 ? ($d)(0.0) : rest, root = x > 0x1p30 ? x : q;
    const $d high = fma(x, ($d)(0.5), root * 0.5), low = fma(root, ($d)(0.5), fma(x, ($d)(0.5), -high));
    const $d y = own_log_sum_$d(high, fma(q_low, ($d)(0.5), low), ($d)(1.0));
    return x < 1.0 ? ($d)(NAN) : y;
}

//: atanh log_sum
INLINE $d own_atanh_$d($d x) {
    const $d a = fabs(x), n = 1.0 + a, n_low = a - (n - 1.0), d = 1.0 - a, d_low = (1.0 - d) - a;
    const $d inverse = 1.0 / d, q = n * inverse, q_low = (fma(-q, d, n) + fma(-q, d_low, n_low)) * inverse;
    const $d high = q + q_low, low = (q - high) + q_low;
    const $d y = own_log_sum_$d(a < 1.0 ? high : n / d, a < 1.0 ? low : ($d)(0.0), ($d)(0.0)) * 0.5;
    return a < 0x1p-28 ? x : copysign(y, x);
}

//: halves exp_parts scale exp_rest
// e^a / 2 and e^-a / 2 for a >= 0.
INLINE $d own_halves_$d($d a, $d *other) {
    $d t, high, low;
    const $d r = own_exp_rest_$d(a, &t);
    own_exp_parts_$d(r, &high, &low);
    const $d y = own_scale_$d(high + low, t - 1.0);
    *other = 0.25 / y;
    return y;
}

//: sinh halves
// Below 1: x + x^3 P(x^2), P minimax sinh_double.
INLINE $d own_sinh_$d($d x) {
    $d other;
    const $d a = fabs(x), halved = own_halves_$d(a, &other), z = x * x;
    $d p = ($d)(0x1.9a7f5b6722b30p-49);
    p = fma(p, z, ($d)(0x1.ae75567821337p-41));
    p = fma(p, z, ($d)(0x1.61246b20cd43ep-33));
    p = fma(p, z, ($d)(0x1.ae645673db80ap-26));
    p = fma(p, z, ($d)(0x1.71de3a557431fp-19));
    p = fma(p, z, ($d)(0x1.a01a01a019fbdp-13));
    p = fma(p, z, ($d)(0x1.1111111111111p-7));
    p = fma(p, z, ($d)(0x1.5555555555555p-3));
    return a < 1.0 ? fma(x * z, p, x) : copysign(halved - other, x);
}

//: cosh halves
INLINE $d own_cosh_$d($d x) {
    $d other;
    const $d halved = own_halves_$d(fabs(x), &other);
    return halved + other;
}

//: tanh expm1_parts
// u / (u + 2) with u = e^2a - 1.
INLINE $d own_tanh_$d($d x) {
    $d high, low;
    const $d a = fabs(x);
    own_expm1_parts_$d(a > 20.0 ? ($d)(40.0) : a + a, &high, &low); // of u / 2
    const $d u = high + low, u_low = (high - u) + low, d = u + 1.0,
             d_low = (u > 1.0 ? (u - d) + 1.0 : (1.0 - d) + u) + u_low;
    const $d inverse = 1.0 / d, q = u * inverse, y = fma(fma(-q, d, u) + fma(-q, d_low, u_low), inverse, q);
    return a < 0x1p-28 || x != x ? x : copysign(y, x);
}

//: pow split log_series exp_parts scale
// 2^(y log2 |x|), the exponent as the sum of two numbers.
INLINE $d own_pow_$d($d x, $d y) {
    $d n, down, high, low;
    const $d a = fabs(x), m = own_split_$d(a, &n, &down);
    own_log_series_$d(m, ($d)(0.0), &high, &low);
    const $d c = high * 0x1.71547652b82fep+1;
    const $d c_low =
        fma(high, ($d)(0x1.71547652b82fep+1), -c) + fma(high, ($d)(0x1.777d0ffda0d24p-55), low * 0x1.71547652b82fep+1);
    $d l = n + c, l_low = ((n - l) + c) + c_low;
    l = a == 0.0 ? ($d)(-INFINITY) : a < INFINITY ? l : a;
    l_low = a > 0.0 && a < INFINITY ? l_low : ($d)(0.0);
    $d e = y * l, e_low = fma(y, l, -e) + y * l_low;
    const $l far = fabs(e) < 1100.0 ? ($l)(0) : ($l)(-1);
    e = e > 1100.0 ? ($d)(1100.0) : e < -1100.0 ? ($d)(-1100.0) : e;
    e_low = far != 0 ? ($d)(0.0) : e_low;
    const $d t = e + 0x1.8p52, r = (e - (t - 0x1.8p52)) + e_low;
    own_exp_parts_$d(r * 0x1.62e42fefa39efp-1, &high, &low);
    $d z = own_scale_$d(high + low, t);
    // special values
    const $d halved = y * 0.5;
    const $l whole = trunc(y) == y ? ($l)(-1) : ($l)(0), even = trunc(halved) == halved ? ($l)(-1) : ($l)(0);
    z = a == 1.0 && y == y ? ($d)(1.0) : z;
    z = x < 0.0 && a < INFINITY && whole == 0 ? ($d)(NAN) : z;
    z = whole != 0 && even == 0 ? copysign(z, x) : z;
    return y == 0.0 || x == 1.0 ? ($d)(1.0) : z;
}
