// Error functions, roots and gamma functions, as in elementary_double.cl.

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
