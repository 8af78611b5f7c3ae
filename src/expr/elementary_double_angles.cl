// Functions of angles, and their inverses, as in elementary_double.cl.

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
