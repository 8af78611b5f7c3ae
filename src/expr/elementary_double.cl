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

//: angle_table
// 2 / pi, 64 bits a word, the first of them of weight 1/2 to 2^-64.
__constant const ulong own_two_over_pi[20] = {
    0xa2f9836e4e441529UL, 0xfc2757d1f534ddc0UL, 0xdb6295993c439041UL, 0xfe5163abdebbc561UL, 0xb7246e3a424dd2e0UL,
    0x06492eea09d1921cUL, 0xfe1deb1cb129a73eUL, 0xe88235f52ebb4484UL, 0xe99c7026b45f7e41UL, 0x3991d639835339f4UL,
    0x9c845f8bbdf9283bUL, 0x1ff897ffde05980fUL, 0xef2f118b5a0a6d1fUL, 0x6d367ecf27cb09b7UL, 0x4f463f669e5fea2dUL,
    0x7527bac7ebe5f17bUL, 0x3d0739f78a5292eaUL, 0x6bfb5fb11f8d5d08UL, 0x56033046fc7b6babUL, 0xf0cfbc209af4361dUL,
};

//: large_angle angle_table
// x less the nearest multiple of pi / 2, of which the last two bits go to *quadrant (Payne and Hanek 1983): the
// product of the digits of x, an integer of 53 bits, with those 192 bits of 2 / pi that matter. |x| >= 2^28; 0 for
// infinity and NaN.
double own_large_angle(double x, double *low, long *quadrant) {
    const ulong bits = as_ulong(x) & 0x7fffffffffffffffUL,
                digits = (bits & 0x000fffffffffffffUL) | 0x0010000000000000UL;
    const int e = (int)(bits >> 52) - 1075; // x = digits 2^e
    *low = 0.0;
    *quadrant = 0;
    if (e >= 972)
        return 0.0;
    // bits of 2 / pi before number `first` give whole turns; bit number k has the weight 2^(-1 - k)
    const int first = e - 2 < 0 ? 0 : e - 2, word = first / 64, shift = first % 64;
    ulong w[3];
    for (int k = 0; k < 3; k++)
        w[k] = shift == 0 ? own_two_over_pi[word + k]
                          : own_two_over_pi[word + k] << shift | own_two_over_pi[word + k + 1] >> (64 - shift);
    // the product's 256 bits, of which the low 192 are p[0], p[1], p[2]
    const ulong low2 = digits * w[2], high2 = mul_hi(digits, w[2]), low1 = digits * w[1], high1 = mul_hi(digits, w[1]);
    const ulong low0 = digits * w[0], high0 = mul_hi(digits, w[0]);
    ulong p[4];
    p[3] = low2;
    p[2] = low1 + high2;
    ulong carry = p[2] < low1;
    p[1] = low0 + high1;
    const ulong carry1 = p[1] < low0;
    p[1] += carry;
    p[0] = high0 + carry1 + (p[1] < carry);
    // The lowest bit of the product has the weight 2^(e - first - 192), so this many bits stand before the point.
    const int whole = 256 - (192 + first - e);
    const int at = whole - 2; // the last two of them and all behind
    ulong f[3];
    for (int k = 0; k < 3; k++) {
        const int from = at + 64 * k, own = from / 64, by = from % 64;
        const ulong next = own + 1 < 4 ? p[own + 1] : 0;
        f[k] = by == 0 ? p[own] : p[own] << by | next >> (64 - by);
    }
    ulong turns = f[0] >> 62, high = f[0] << 2 | f[1] >> 62, rest = f[1] << 2 | f[2] >> 62;
    const bool down = high >> 63 != 0; // beyond a half: from the next one downwards
    if (down) {
        turns++;
        high = ~high;
        rest = ~rest;
    }
    // (high 2^-64 + rest 2^-128) pi / 2
    const int zeros = high == 0 ? 63 : (int)clz(high);
    const ulong top = zeros == 0 ? high : high << zeros | rest >> (64 - zeros),
                below = zeros == 0 ? rest : rest << zeros;
    const double scale = as_double((ulong)(1023 - 64 - zeros) << 52), a = (double)(top >> 11 << 11),
                 b = (double)(top & 2047UL) + (double)(below >> 11) * 0x1p-53;
    const double u = a * 0x1.921fb54442d18p+0,
                 u_low = fma(a, 0x1.921fb54442d18p+0, -u) + fma(a, 0x1.1a62633145c07p-54, b * 0x1.921fb54442d18p+0);
    const double y = u + u_low, sign = down != (x < 0.0) ? -scale : scale;
    *low = ((u - y) + u_low) * sign;
    *quadrant = x < 0.0 ? -(long)turns : (long)turns;
    return y * sign;
}

//: angle large_angle
// x less the nearest multiple n of pi / 2, as the sum of what is returned and *low; *n has the last two bits of n.
INLINE $d own_angle_$d($d x, $d *low, $l *n) {
    const $d t = fma(x, ($d)(0x1.45f306dc9c883p-1), ($d)(0x1.8p52)), k = t - 0x1.8p52;
    const $d a = fma(k, ($d)(-0x1.921fb54442d18p+0), x), b = k * 0x1.1a62633145c07p-54;
    const $d b_low = fma(k, ($d)(0x1.1a62633145c07p-54), -b), r = a - b, other = a - r;
    *low = ((a - (r + other)) + (other - b)) - fma(k, ($d)(-0x1.f1976b7ed8fbcp-110), b_low);
    *n = as_$l(t);
    $d result = r;
    if ($any(!(fabs(x) < 0x1p28))) {
        $d from = x, rests = r, lows = r;
        $l turns = *n;
        for (int i = 0; i < $w; i++)
            ((double *)&rests)[i] = own_large_angle(((double *)&from)[i], &((double *)&lows)[i], &((long *)&turns)[i]);
        const $l large = fabs(x) < 0x1p28 ? ($l)(0) : ($l)(-1);
        result = large != 0 ? rests : result;
        *low = large != 0 ? lows : *low;
        *n = large != 0 ? turns : *n;
        result = fabs(x) < INFINITY ? result : ($d)(NAN);
    }
    return result;
}

//: sine_parts
// sin(r + low) as *high + *rest: r + r^3 P(r^2), P minimax sin_double.
INLINE void own_sine_parts_$d($d r, $d low, $d *high, $d *rest) {
    const $d z = r * r;
    $d p = ($d)(0x1.5d932ed17c536p-33);
    p = fma(p, z, ($d)(-0x1.ae5e66d3b8171p-26));
    p = fma(p, z, ($d)(0x1.71de357873b70p-19));
    p = fma(p, z, ($d)(-0x1.a01a019c126bfp-13));
    p = fma(p, z, ($d)(0x1.111111110f881p-7));
    p = fma(p, z, ($d)(-0x1.5555555555549p-3));
    *rest = fma(r * z, p, fma(z * -0.5, low, low));
    *high = r;
}

//: cosine_parts
// cos(r + low) as *high + *rest: 1 - r^2 / 2 + r^4 P(r^2), P minimax cos_double.
INLINE void own_cosine_parts_$d($d r, $d low, $d *high, $d *rest) {
    const $d z = r * r;
    $d p = ($d)(-0x1.8faecf852bf1ap-37);
    p = fma(p, z, ($d)(0x1.1ee9ec4889916p-29));
    p = fma(p, z, ($d)(-0x1.27e4f80a77e28p-22));
    p = fma(p, z, ($d)(0x1.a01a019cb2718p-16));
    p = fma(p, z, ($d)(-0x1.6c16c16c15184p-10));
    p = fma(p, z, ($d)(0x1.555555555554cp-5));
    *high = fma(z, ($d)(-0.5), ($d)(1.0));
    *rest = fma(z, ($d)(-0.5), 1.0 - *high) + fma(z * z, p, -(r * low) - 0.5 * fma(r, r, -z));
}

//: sin angle sine_parts cosine_parts
INLINE $d own_sin_$d($d x) {
    $d low, sine, sine_low, cosine, cosine_low;
    $l n;
    const $d r = own_angle_$d(x, &low, &n);
    own_sine_parts_$d(r, low, &sine, &sine_low);
    own_cosine_parts_$d(r, low, &cosine, &cosine_low);
    const $d y = (n & ($l)(1)) != 0 ? cosine + cosine_low : sine + sine_low;
    const $d z = as_$d(as_$l(y) ^ ((n & ($l)(2)) << ($l)(62)));
    return z == 0.0 ? x : z;
}

//: cos angle sine_parts cosine_parts
INLINE $d own_cos_$d($d x) {
    $d low, sine, sine_low, cosine, cosine_low;
    $l n;
    const $d r = own_angle_$d(x, &low, &n);
    own_sine_parts_$d(r, low, &sine, &sine_low);
    own_cosine_parts_$d(r, low, &cosine, &cosine_low);
    const $d y = (n & ($l)(1)) != 0 ? sine + sine_low : cosine + cosine_low;
    return as_$d(as_$l(y) ^ (((n + ($l)(1)) & ($l)(2)) << ($l)(62)));
}

//: tan angle sine_parts cosine_parts
INLINE $d own_tan_$d($d x) {
    $d low, sine, sine_low, cosine, cosine_low;
    $l n;
    const $d r = own_angle_$d(x, &low, &n);
    own_sine_parts_$d(r, low, &sine, &sine_low);
    own_cosine_parts_$d(r, low, &cosine, &cosine_low);
    const $d s = sine + sine_low, s_low = (sine - s) + sine_low, c = cosine + cosine_low,
             c_low = (cosine - c) + cosine_low;
    const $l odd = (n & ($l)(1)) != 0 ? ($l)(-1) : ($l)(0);
    const $d a = odd != 0 ? -c : s, a_low = odd != 0 ? -c_low : s_low, b = odd != 0 ? s : c,
             b_low = odd != 0 ? s_low : c_low;
    const $d inverse = 1.0 / b, q = a * inverse;
    const $d y = fma(fma(-q, b, a) + fma(-q, b_low, a_low), inverse, q);
    return y == 0.0 ? x : y;
}

//: asin_series
// asin(s) - s for s = sqrt(z), z <= 1/4: s^3 P(z), P minimax asin_double.
INLINE $d own_asin_series_$d($d s, $d z) {
    $d p = ($d)(0x1.0bb05ae4fa31ep-5);
    p = fma(p, z, ($d)(-0x1.59546dea6bfb7p-6));
    p = fma(p, z, ($d)(0x1.6492a42f7a9a8p-6));
    p = fma(p, z, ($d)(0x1.e2bea79a9d69cp-9));
    p = fma(p, z, ($d)(0x1.6173f25398f57p-7));
    p = fma(p, z, ($d)(0x1.757b7a5d51c54p-7));
    p = fma(p, z, ($d)(0x1.ca20cdfd8d3e9p-7));
    p = fma(p, z, ($d)(0x1.1c49e2bcd11abp-6));
    p = fma(p, z, ($d)(0x1.6e8bdfa64b849p-6));
    p = fma(p, z, ($d)(0x1.f1c71a8dc559ep-6));
    p = fma(p, z, ($d)(0x1.6db6db722602cp-5));
    p = fma(p, z, ($d)(0x1.333333332df80p-4));
    p = fma(p, z, ($d)(0x1.5555555555578p-3));
    return s * z * p;
}

//: asin asin_series
// Beyond 1/2: asin x = pi / 2 - 2 asin sqrt((1 - x) / 2).
INLINE $d own_asin_$d($d x) {
    const $d a = fabs(x), z = a > 0.5 ? fma(a, ($d)(-0.5), ($d)(0.5)) : a * a, s = a > 0.5 ? sqrt(z) : a;
    const $d rest = own_asin_series_$d(s, z), s_low = z > 0.0 ? fma(-s, s, z) / (s + s) : ($d)(0.0);
    const $d high = fma(s, ($d)(-2.0), ($d)(0x1.921fb54442d18p+0)),
             high_low = fma(s, ($d)(-2.0), 0x1.921fb54442d18p+0 - high);
    const $d large = high + (high_low + fma(rest + s_low, ($d)(-2.0), ($d)(0x1.1a62633145c07p-54)));
    return copysign(a > 0.5 ? large : s + rest, x);
}

//: acos asin_series
INLINE $d own_acos_$d($d x) {
    const $d a = fabs(x), z = a > 0.5 ? fma(a, ($d)(-0.5), ($d)(0.5)) : a * a, s = a > 0.5 ? sqrt(z) : x;
    const $d rest = own_asin_series_$d(s, z), s_low = z > 0.0 ? fma(-s, s, z) / (s + s) : ($d)(0.0);
    const $d right = 2.0 * (s + (rest + s_low));
    const $d left = fma(s, ($d)(-2.0), ($d)(0x1.921fb54442d18p+1)),
             left_low = fma(s, ($d)(-2.0), 0x1.921fb54442d18p+1 - left);
    const $d far = left + (left_low + fma(rest + s_low, ($d)(-2.0), ($d)(0x1.1a62633145c07p-53)));
    const $d middle = 0x1.921fb54442d18p+0 - s, middle_low = (0x1.921fb54442d18p+0 - middle) - s;
    const $d near = middle + (middle_low + (0x1.1a62633145c07p-54 - rest));
    return a > 0.5 ? (x > 0.0 ? right : far) : near;
}

//: atan_series
// atan q - q for 0 <= q <= 1: q^3 P(q^2), P minimax atan_double.
INLINE $d own_atan_series_$d($d q) {
    const $d z = q * q;
    $d p = ($d)(0x1.c4a1807ea7faep-17);
    p = fma(p, z, ($d)(-0x1.44a2ee2f5d353p-13));
    p = fma(p, z, ($d)(0x1.ba3b9a9ce40f0p-11));
    p = fma(p, z, ($d)(-0x1.7ea594ab971efp-9));
    p = fma(p, z, ($d)(0x1.dc03a4693aaabp-8));
    p = fma(p, z, ($d)(-0x1.ca970141ba55cp-7));
    p = fma(p, z, ($d)(0x1.69d829088076dp-6));
    p = fma(p, z, ($d)(-0x1.eb48e69fd1476p-6));
    p = fma(p, z, ($d)(0x1.2c9803754966fp-5));
    p = fma(p, z, ($d)(-0x1.59d7e667110f5p-5));
    p = fma(p, z, ($d)(0x1.82eeaaa378107p-5));
    p = fma(p, z, ($d)(-0x1.ae644be26116fp-5));
    p = fma(p, z, ($d)(0x1.e1bcf7657ab64p-5));
    p = fma(p, z, ($d)(-0x1.110e6d8bb09cdp-4));
    p = fma(p, z, ($d)(0x1.3b136a164b12ep-4));
    p = fma(p, z, ($d)(-0x1.745d11fb11be6p-4));
    p = fma(p, z, ($d)(0x1.c71c7184259bdp-4));
    p = fma(p, z, ($d)(-0x1.24924923922f6p-3));
    p = fma(p, z, ($d)(0x1.9999999995ae5p-3));
    p = fma(p, z, ($d)(-0x1.555555555552ap-2));
    return q * z * p;
}

//: atan atan_series
INLINE $d own_atan_$d($d x) {
    const $d a = fabs(x), q = a > 1.0 ? 1.0 / a : a, rest = own_atan_series_$d(q);
    const $d high = 0x1.921fb54442d18p+0 - q, low = (0x1.921fb54442d18p+0 - high) - q;
    return copysign(a > 1.0 ? high + (low + (0x1.1a62633145c07p-54 - rest)) : q + rest, x);
}

//: atan2 atan_series
INLINE $d own_atan2_$d($d y, $d x) {
    const $d a = fabs(y), b = fabs(x), least = a < b ? a : b, most = a < b ? b : a;
    $d q = least == most ? ($d)(1.0) : least / most;
    q = most == 0.0 ? ($d)(0.0) : q;
    const $d rest = own_atan_series_$d(q);
    // what q is taken from: 0, pi / 2 or pi
    const $d sign = a > b ? ($d)(-1.0) : ($d)(1.0), base = a > b ? ($d)(0x1.921fb54442d18p+0) : ($d)(0.0);
    const $d base_low = a > b ? ($d)(0x1.1a62633145c07p-54) : ($d)(0.0);
    const $l left = as_$l(x) < ($l)(0) ? ($l)(-1) : ($l)(0);
    const $d first = left != 0 ? 0x1.921fb54442d18p+1 - base : base,
             first_low = left != 0 ? 0x1.1a62633145c07p-53 - base_low : base_low;
    const $d turned = left != 0 ? -sign : sign, s = turned * q, high = first + s,
             low = first == 0.0 ? ($d)(0.0) : (first - high) + s;
    const $d angle = high + fma(turned, rest, low + first_low);
    return x != x || y != y ? x + y : copysign(angle, y);
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

//: erf_series
// erf x - 2 x / sqrt(pi) for |x| <= 1: x^3 P(x^2), P minimax erf_double.
INLINE $d own_erf_series_$d($d x) {
    const $d z = x * x;
    $d p = ($d)(0x1.069a61abd2d2cp-34);
    p = fma(p, z, ($d)(-0x1.38d8f53e25a5bp-30));
    p = fma(p, z, ($d)(0x1.f7c8fac599716p-27));
    p = fma(p, z, ($d)(-0x1.5f20c6cc05614p-23));
    p = fma(p, z, ($d)(0x1.b9df61c4e9b77p-20));
    p = fma(p, z, ($d)(-0x1.f4d1e862e9348p-17));
    p = fma(p, z, ($d)(0x1.f9a32221faf91p-14));
    p = fma(p, z, ($d)(-0x1.c02db3dda3f17p-11));
    p = fma(p, z, ($d)(0x1.565bcd0dcca84p-8));
    p = fma(p, z, ($d)(-0x1.b82ce312856aap-6));
    p = fma(p, z, ($d)(0x1.ce2f21a042b55p-4));
    p = fma(p, z, ($d)(-0x1.812746b0379e6p-2));
    return fma(z, p, ($d)(0x1.1ae3a914fed80p-56)) * x;
}

//: erfc_tail exp_parts scale exp_rest
// erfc a for a >= 1/2: e^(-a^2) P((a - 4) / (a + 4)) / (1 + 2 a) (Shepherd and Laframboise 1981), P minimax
// erfc_double.
INLINE $d own_erfc_tail_$d($d a) {
    $d t, high, low;
    const $d b = a > 28.0 ? ($d)(28.0) : a, square = b * b, square_low = fma(b, b, -square);
    const $d r = own_exp_rest_$d(-square, &t), v = (b - 4.0) / (b + 4.0);
    own_exp_parts_$d(r - square_low, &high, &low);
    $d p = ($d)(0x1.4a4e7b8e88c58p-30);
    p = fma(p, v, ($d)(0x1.ce9517252468cp-30));
    p = fma(p, v, ($d)(-0x1.e3e9a7d0c3203p-27));
    p = fma(p, v, ($d)(-0x1.2c8890239f31ap-26));
    p = fma(p, v, ($d)(0x1.d9f5a74d5ee5ap-24));
    p = fma(p, v, ($d)(0x1.3e75b59693acep-24));
    p = fma(p, v, ($d)(-0x1.bb71f69ff508dp-21));
    p = fma(p, v, ($d)(0x1.3bcf4fa373afap-22));
    p = fma(p, v, ($d)(0x1.7f3487c5932dcp-18));
    p = fma(p, v, ($d)(-0x1.788d9b21c656fp-17));
    p = fma(p, v, ($d)(-0x1.995acf58cafe5p-16));
    p = fma(p, v, ($d)(0x1.3be06abca7b5dp-13));
    p = fma(p, v, ($d)(-0x1.a1df161b8aecap-13));
    p = fma(p, v, ($d)(-0x1.8d4a9c392be1ap-11));
    p = fma(p, v, ($d)(0x1.49c6726f1b441p-8));
    p = fma(p, v, ($d)(-0x1.09623882b4c37p-6));
    p = fma(p, v, ($d)(0x1.3079edf6d4572p-5));
    p = fma(p, v, ($d)(-0x1.0fb06dfe54a11p-4));
    p = fma(p, v, ($d)(0x1.7fee004e0fe36p-4));
    p = fma(p, v, ($d)(-0x1.9ddb23c3e89c4p-4));
    p = fma(p, v, ($d)(0x1.16ecefcfa54a3p-4));
    p = fma(p, v, ($d)(0x1.f7f5df66fd6dcp-7));
    p = fma(p, v, ($d)(-0x1.1df1ad154a28fp-3));
    const $d inner = p;
    p = fma(inner, v, ($d)(0x1.3ba5916e9fd7fp+0));
    const $d p_low = fma(inner, v, 0x1.3ba5916e9fd7fp+0 - p);
    const $d d = fma(b, ($d)(2.0), ($d)(1.0)), d_low = 1.0 - fma(b, ($d)(-2.0), d), inverse = 1.0 / d, q = p * inverse;
    const $d q_low = fma(-q, d_low, fma(-q, d, p) + p_low) * inverse;
    return own_scale_$d(fma(high, q, fma(high, q_low, low * q)), t);
}

//: erf erf_series erfc_tail
INLINE $d own_erf_$d($d x) {
    const $d a = fabs(x), tail = own_erfc_tail_$d(a), near = fma(x, ($d)(0x1.20dd750429b6dp+0), own_erf_series_$d(x));
    return x != x ? x : a < 1.0 ? near : copysign(1.0 - tail, x);
}

//: erfc erf_series erfc_tail
INLINE $d own_erfc_$d($d x) {
    const $d a = fabs(x), tail = own_erfc_tail_$d(a), series = own_erf_series_$d(x);
    const $d near = fma(x, ($d)(-0x1.20dd750429b6dp+0), ($d)(1.0));
    const $d near_low = fma(x, ($d)(-0x1.20dd750429b6dp+0), 1.0 - near) - series;
    return x != x ? x : a < 0.6 ? near + near_low : x < 0.0 ? 2.0 - tail : tail;
}

//: cbrt
// By Newton's steps to m^(-1/3), m from 1 to 8; they begin at P(m), P minimax cbrt.
INLINE $d own_cbrt_$d($d x) {
    const $d a = fabs(x), b = a < 0x1p-1022 ? a * 0x1p54 : a;
    const $u bits = as_$u(b), e = bits >> ($u)(52);
    // exponent + 1023 = 3 third + left, where third has 341 more than the result
    const $d biased = as_$d(e | ($u)(0x4330000000000000UL)) - 0x1p52,
             t = fma(biased, ($d)(0x1.5555555555555p-2), ($d)(-0.33)) + 0x1.8p52, third = t - 0x1.8p52;
    const $d left = fma(third, ($d)(-3.0), biased);
    const $d m = as_$d((bits & ($u)(0x000fffffffffffffUL)) | ($u)(0x3ff0000000000000UL)) * (left > 1.5   ? ($d)(4.0)
                                                                                            : left > 0.5 ? ($d)(2.0)
                                                                                                         : ($d)(1.0));
    $d y = ($d)(0x1.4d1573f37b6f2p-15);
    y = fma(y, m, ($d)(-0x1.3bb85170a57e3p-10));
    y = fma(y, m, ($d)(0x1.e72040abaf439p-7));
    y = fma(y, m, ($d)(-0x1.8b3488fd41db2p-4));
    y = fma(y, m, ($d)(0x1.6e2b0151ee727p-2));
    y = fma(y, m, ($d)(-0x1.9568664e40c15p-1));
    y = fma(y, m, ($d)(0x1.8419f5c7ec717p+0));
    y = y * fma(m * y, y * y * -0x1.5555555555555p-2, ($d)(0x1.5555555555555p+0));
    y = y * fma(m * y, y * y * -0x1.5555555555555p-2, ($d)(0x1.5555555555555p+0));
    y = y * fma(m * y, y * y * -0x1.5555555555555p-2, ($d)(0x1.5555555555555p+0));
    const $d c = m * y * y, w = c * c, w_low = fma(c, c, -w), rest = fma(c, w, -m) + c * w_low;
    const $d root = fma(rest * y * y, ($d)(-0x1.5555555555555p-2), c);
    const $d scaled = root * as_$d((as_$l(t) << ($l)(52)) + as_$l(a < 0x1p-1022 ? ($d)(0x1p-359) : ($d)(0x1p-341)));
    return a > 0.0 && a < INFINITY ? copysign(scaled, x) : x;
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

//: tgamma
// The device's of vectors of 8, whatever the width: so the bits are the same, and one number after the other takes far
// longer.
INLINE $d own_tgamma_$d($d x) {
#if $w == 8
    return tgamma(x);
#elif $w == 16
    return ($d)(tgamma(x.lo), tgamma(x.hi));
#elif $w == 4
    return tgamma((double8)(x, x)).lo;
#elif $w == 2
    return tgamma((double8)(x, x, x, x)).lo.lo;
#else
    return tgamma((double8)(x)).s0;
#endif
}

//: lgamma
// The device's of vectors of 8, whatever the width: so the bits are the same, and one number after the other takes far
// longer.
INLINE $d own_lgamma_$d($d x) {
#if $w == 8
    return lgamma(x);
#elif $w == 16
    return ($d)(lgamma(x.lo), lgamma(x.hi));
#elif $w == 4
    return lgamma((double8)(x, x)).lo;
#elif $w == 2
    return lgamma((double8)(x, x, x, x)).lo.lo;
#else
    return lgamma((double8)(x)).s0;
#endif
}

//: hypot
// sqrt(a^2 + b^2), a >= b, less what rounding added to it: of the squares and of the root (Borges 2020). Scaled where
// squares would leave the range.
INLINE $d own_hypot_$d($d x, $d y) {
    const $d p = fabs(x), q = fabs(y), large = p > q ? p : q, small = p > q ? q : p;
    const $d scale = large > 0x1p500 ? ($d)(0x1p-600) : large < 0x1p-500 ? ($d)(0x1p600) : ($d)(1.0);
    const $d back = large > 0x1p500 ? ($d)(0x1p600) : large < 0x1p-500 ? ($d)(0x1p-600) : ($d)(1.0);
    const $d a = large * scale, b = small * scale, s = a * a, h = sqrt(fma(a, a, b * b)), t = h * h;
    const $d more = fma(-b, b, t - s) + fma(h, h, -t) - fma(a, a, -s);
    const $d z = h > 0.0 ? (h - more / (h + h)) * back : p + q;
    return p == INFINITY || q == INFINITY ? ($d)(INFINITY) : z;
}
