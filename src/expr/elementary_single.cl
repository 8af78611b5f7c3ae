// Elementary functions of float, $f, by arithmetic in double, which leaves hardly more than the rounding at the end, so
// within 1 unit in the last place; the rest as in elementary_double.cl.

//: s_exp_parts
// e^r, |r| <= ln 2 / 2 and a little: 1 + r + r^2 P(r), P minimax exp_single.
INLINE $d own_s_exp_parts_$d($d r) {
    $d p = ($d)(0x1.9f08802ce3e8bp-13);
    p = fma(p, r, ($d)(0x1.6d8cf37ba9f94p-10));
    p = fma(p, r, ($d)(0x1.111270b444d1dp-7));
    p = fma(p, r, ($d)(0x1.55548dd9e974fp-5));
    p = fma(p, r, ($d)(0x1.5555544340620p-3));
    p = fma(p, r, ($d)(0x1.0000003a19522p-1));
    return fma(r * r, p, r) + 1.0;
}

//: s_exp s_exp_parts
// Of what is beyond the range of float by far less than that of double.
INLINE $d own_s_exp_$d($d x) {
    x = x > 600.0 ? ($d)(600.0) : x;
    x = x < -600.0 ? ($d)(-600.0) : x;
    const $d t = fma(x, ($d)(0x1.71547652b82fep+0), ($d)(0x1.8p52)),
             r = fma(t - 0x1.8p52, ($d)(-0x1.62e42fefa39efp-1), x);
    return own_s_exp_parts_$d(r) * as_$d((as_$l(t) << ($l)(52)) + as_$l(($d)(1.0)));
}

//: s_log
// The logarithm of a positive number: m from sqrt(1/2) to sqrt(2), s = (m - 1) / (m + 1), 2 (s + s^3 P(s^2)), P minimax
// log_single.
INLINE $d own_s_log_$d($d x, $d unit, $d two) {
    const $u bits = as_$u(x) + ($u)(0x00095f619980c433UL);
    const $d n = as_$d((bits >> ($u)(52)) | ($u)(0x4330000000000000UL)) - (0x1p52 + 1023.0);
    const $d m = as_$d((bits & ($u)(0x000fffffffffffffUL)) + ($u)(0x3fe6a09e667f3bcdUL));
    const $d s = (m - 1.0) / (m + 1.0), z = s * s;
    $d p = ($d)(0x1.e2f646813311dp-4);
    p = fma(p, z, ($d)(0x1.2438d85b9e5c0p-3));
    p = fma(p, z, ($d)(0x1.999a7a87ef8ddp-3));
    p = fma(p, z, ($d)(0x1.555554fd9e389p-2));
    return fma(n, two, fma(s * z, p, s) * unit);
}

//: s_log_ends
INLINE $d own_s_log_ends_$d($d x, $d y) {
    y = x < INFINITY ? y : x;
    y = x == 0.0 ? ($d)(-INFINITY) : y;
    return x < 0.0 ? ($d)(NAN) : y;
}

//: exp s_exp
INLINE $f own_exp_$f($f x) { return convert_$f(own_s_exp_$d(convert_$d(x))); }

//: exp2 s_exp
INLINE $f own_exp2_$f($f x) {
    $d y = convert_$d(x);
    y = y > 600.0 ? ($d)(600.0) : y;
    y = y < -600.0 ? ($d)(-600.0) : y;
    const $d t = y + 0x1.8p52, r = y - (t - 0x1.8p52);
    return convert_$f(own_s_exp_parts_$d(r * 0x1.62e42fefa39efp-1) * as_$d((as_$l(t) << ($l)(52)) + as_$l(($d)(1.0))));
}

//: expm1 s_exp
INLINE $f own_expm1_$f($f x) {
    const $d y = convert_$d(x), near = y * fma(y, ($d)(0.5), ($d)(1.0));
    return convert_$f(fabs(y) < 0x1p-20 ? near : own_s_exp_$d(y) - 1.0);
}

//: log s_log s_log_ends
INLINE $f own_log_$f($f x) {
    const $d y = convert_$d(x);
    return convert_$f(own_s_log_ends_$d(y, own_s_log_$d(y, ($d)(2.0), ($d)(0x1.62e42fefa39efp-1))));
}

//: log2 s_log s_log_ends
INLINE $f own_log2_$f($f x) {
    const $d y = convert_$d(x);
    return convert_$f(own_s_log_ends_$d(y, own_s_log_$d(y, ($d)(0x1.71547652b82fep+1), ($d)(1.0))));
}

//: log10 s_log s_log_ends
INLINE $f own_log10_$f($f x) {
    const $d y = convert_$d(x);
    return convert_$f(own_s_log_ends_$d(y, own_s_log_$d(y, ($d)(0x1.bcb7b1526e50ep-1), ($d)(0x1.34413509f79ffp-2))));
}

//: log1p s_log s_log_ends
INLINE $f own_log1p_$f($f x) {
    const $d y = convert_$d(x), u = y + 1.0, near = y * fma(y, ($d)(-0.5), ($d)(1.0));
    const $d far = own_s_log_ends_$d(u, own_s_log_$d(u, ($d)(2.0), ($d)(0x1.62e42fefa39efp-1)));
    return convert_$f(fabs(y) < 0x1p-18 ? near : far);
}

//: s_angle large_angle
INLINE $d own_s_angle_$d($d x, $l *n) {
    const $d t = fma(x, ($d)(0x1.45f306dc9c883p-1), ($d)(0x1.8p52)), k = t - 0x1.8p52;
    $d r = fma(k, ($d)(-0x1.1a62633145c07p-54), fma(k, ($d)(-0x1.921fb54442d18p+0), x));
    *n = as_$l(t);
    if ($any(!(fabs(x) < 0x1p28))) {
        $d from = x, rests = r;
        $l turns = *n;
        double low;
        for (int i = 0; i < $w; i++)
            if (!(fabs(((double *)&from)[i]) < 0x1p28))
                ((double *)&rests)[i] = own_large_angle(((double *)&from)[i], &low, &((long *)&turns)[i]);
        r = fabs(x) < INFINITY ? rests : ($d)(NAN);
        *n = turns;
    }
    return r;
}

//: s_sine
INLINE $d own_s_sine_$d($d r) {
    const $d z = r * r;
    $d p = ($d)(0x1.6cd87eff0603bp-19);
    p = fma(p, z, ($d)(-0x1.a00f9e48b69aep-13));
    p = fma(p, z, ($d)(0x1.11110897145e2p-7));
    p = fma(p, z, ($d)(-0x1.5555554cbafd2p-3));
    return fma(r * z, p, r);
}

//: s_cosine
INLINE $d own_s_cosine_$d($d r) {
    const $d z = r * r;
    $d p = ($d)(0x1.9a0264c9a9ea3p-16);
    p = fma(p, z, ($d)(-0x1.6c0c8be3ec80ep-10));
    p = fma(p, z, ($d)(0x1.55554ab44ca09p-5));
    return fma(z * z, p, fma(z, ($d)(-0.5), ($d)(1.0)));
}

//: sin s_angle s_sine s_cosine
INLINE $f own_sin_$f($f x) {
    $l n;
    const $d r = own_s_angle_$d(convert_$d(x), &n), y = (n & ($l)(1)) != 0 ? own_s_cosine_$d(r) : own_s_sine_$d(r);
    const $f z = convert_$f(as_$d(as_$l(y) ^ ((n & ($l)(2)) << ($l)(62))));
    return x == 0.0f ? x : z;
}

//: cos s_angle s_sine s_cosine
INLINE $f own_cos_$f($f x) {
    $l n;
    const $d r = own_s_angle_$d(convert_$d(x), &n), y = (n & ($l)(1)) != 0 ? own_s_sine_$d(r) : own_s_cosine_$d(r);
    return convert_$f(as_$d(as_$l(y) ^ (((n + ($l)(1)) & ($l)(2)) << ($l)(62))));
}

//: tan s_angle s_sine s_cosine
INLINE $f own_tan_$f($f x) {
    $l n;
    const $d r = own_s_angle_$d(convert_$d(x), &n), s = own_s_sine_$d(r), c = own_s_cosine_$d(r);
    const $d a = (n & ($l)(1)) != 0 ? -c : s, b = (n & ($l)(1)) != 0 ? s : c;
    const $f y = convert_$f(a / b);
    return x == 0.0f ? x : y;
}

//: s_asin
INLINE $d own_s_asin_$d($d s, $d z) {
    $d p = ($d)(0x1.1c33f2654d84bp-5);
    p = fma(p, z, ($d)(0x1.e98255d08ef8ap-8));
    p = fma(p, z, ($d)(0x1.9358a39b533ecp-6));
    p = fma(p, z, ($d)(0x1.ed53983e7eca8p-6));
    p = fma(p, z, ($d)(0x1.6ddb264cf9b29p-5));
    p = fma(p, z, ($d)(0x1.3332a80a87fbfp-4));
    p = fma(p, z, ($d)(0x1.5555560913199p-3));
    return fma(s * z, p, s);
}

//: asin s_asin
INLINE $f own_asin_$f($f x) {
    const $d y = convert_$d(x), a = fabs(y), z = a > 0.5 ? fma(a, ($d)(-0.5), ($d)(0.5)) : a * a,
             s = a > 0.5 ? sqrt(z) : a;
    const $d w = own_s_asin_$d(s, z);
    return convert_$f(copysign(a > 0.5 ? fma(w, ($d)(-2.0), ($d)(0x1.921fb54442d18p+0)) : w, y));
}

//: acos s_asin
INLINE $f own_acos_$f($f x) {
    const $d y = convert_$d(x), a = fabs(y), z = a > 0.5 ? fma(a, ($d)(-0.5), ($d)(0.5)) : a * a,
             s = a > 0.5 ? sqrt(z) : y;
    const $d w = own_s_asin_$d(s, z), right = w + w;
    return convert_$f(a > 0.5 ? (y > 0.0 ? right : 0x1.921fb54442d18p+1 - right) : 0x1.921fb54442d18p+0 - w);
}

//: s_atan
INLINE $d own_s_atan_$d($d q) {
    const $d z = q * q;
    $d p = ($d)(0x1.29806d99b891cp-10);
    p = fma(p, z, ($d)(-0x1.e6733c0e019e2p-8));
    p = fma(p, z, ($d)(0x1.74e7cd0dd1a72p-6));
    p = fma(p, z, ($d)(-0x1.7033862b13667p-5));
    p = fma(p, z, ($d)(0x1.14df3dd688798p-4));
    p = fma(p, z, ($d)(-0x1.6938511708b75p-4));
    p = fma(p, z, ($d)(0x1.c50710878bcc4p-4));
    p = fma(p, z, ($d)(-0x1.247502da256abp-3));
    p = fma(p, z, ($d)(0x1.9997fd017121dp-3));
    p = fma(p, z, ($d)(-0x1.5555515f967b7p-2));
    return fma(q * z, p, q);
}

//: atan s_atan
INLINE $f own_atan_$f($f x) {
    const $d y = convert_$d(x), a = fabs(y), w = own_s_atan_$d(a > 1.0 ? 1.0 / a : a);
    return convert_$f(copysign(a > 1.0 ? 0x1.921fb54442d18p+0 - w : w, y));
}

//: atan2 s_atan
INLINE $f own_atan2_$f($f u, $f v) {
    const $d y = convert_$d(u), x = convert_$d(v), a = fabs(y), b = fabs(x), least = a < b ? a : b,
             most = a < b ? b : a;
    $d q = least == most ? ($d)(1.0) : least / most;
    q = most == 0.0 ? ($d)(0.0) : q;
    $d w = own_s_atan_$d(q);
    w = a > b ? 0x1.921fb54442d18p+0 - w : w;
    w = as_$l(x) < ($l)(0) ? 0x1.921fb54442d18p+1 - w : w;
    return convert_$f(x != x || y != y ? x + y : copysign(w, y));
}

//: sinh s_exp
INLINE $f own_sinh_$f($f x) {
    const $d y = convert_$d(x), e = own_s_exp_$d(y), near = fma(y * y * y, ($d)(0x1.5555555555555p-3), y);
    return convert_$f(fabs(y) < 0x1p-9 ? near : (e - 1.0 / e) * 0.5);
}

//: cosh s_exp
INLINE $f own_cosh_$f($f x) {
    const $d e = own_s_exp_$d(convert_$d(x));
    return convert_$f((e + 1.0 / e) * 0.5);
}

//: tanh s_exp
INLINE $f own_tanh_$f($f x) {
    const $d y = convert_$d(x), a = y > 30.0 ? ($d)(30.0) : y, b = a < -30.0 ? ($d)(-30.0) : a, e = own_s_exp_$d(b + b);
    const $d near = fma(y * y * y, ($d)(-0x1.5555555555555p-2), y);
    return convert_$f(copysign(fabs(y) < 0x1p-9 ? near : (e - 1.0) / (e + 1.0), y));
}

//: asinh s_log
INLINE $f own_asinh_$f($f x) {
    const $d y = convert_$d(x), a = fabs(y), near = fma(y * y * y, ($d)(-0x1.5555555555555p-3), y);
    const $d u = a + sqrt(fma(a, a, ($d)(1.0)));
    const $d far = u < INFINITY ? own_s_log_$d(u, ($d)(2.0), ($d)(0x1.62e42fefa39efp-1)) : u;
    return convert_$f(copysign(a < 0x1p-9 ? near : far, y));
}

//: acosh s_log s_log_ends
INLINE $f own_acosh_$f($f x) {
    const $d y = convert_$d(x), u = y < 1.0 ? ($d)(NAN) : y + sqrt(fma(y, y, ($d)(-1.0)));
    return convert_$f(own_s_log_ends_$d(u, own_s_log_$d(u, ($d)(2.0), ($d)(0x1.62e42fefa39efp-1))));
}

//: atanh s_log s_log_ends
INLINE $f own_atanh_$f($f x) {
    const $d y = convert_$d(x), a = fabs(y), u = (1.0 + a) / (1.0 - a),
             near = fma(y * y * y, ($d)(0x1.5555555555555p-2), y);
    const $d far = own_s_log_ends_$d(u, own_s_log_$d(u, ($d)(1.0), ($d)(0x1.62e42fefa39efp-2)));
    return convert_$f(a < 0x1p-9 ? near : copysign(far, y));
}

//: s_erfc_tail s_exp
INLINE $d own_s_erfc_tail_$d($d a) {
    const $d b = a > 11.0 ? ($d)(11.0) : a, v = (b - 4.0) / (b + 4.0);
    $d p = ($d)(0x1.66cb23572f8e1p-14);
    p = fma(p, v, ($d)(-0x1.726ba89625617p-12));
    p = fma(p, v, ($d)(-0x1.ae7db3de9f0c7p-11));
    p = fma(p, v, ($d)(0x1.4dd7dec1de654p-8));
    p = fma(p, v, ($d)(-0x1.089621d135405p-6));
    p = fma(p, v, ($d)(0x1.306dc1c188373p-5));
    p = fma(p, v, ($d)(-0x1.0fbbaed0e95cdp-4));
    p = fma(p, v, ($d)(0x1.7fed8ec7a4a5cp-4));
    p = fma(p, v, ($d)(-0x1.9dda215294e4ap-4));
    p = fma(p, v, ($d)(0x1.16ed01cd3af2ep-4));
    p = fma(p, v, ($d)(0x1.f7f59bdd21df9p-7));
    p = fma(p, v, ($d)(-0x1.1df1ad45a4564p-3));
    p = fma(p, v, ($d)(0x1.3ba5916f5e1d5p+0));
    return own_s_exp_$d(-(b * b)) * p / fma(b, ($d)(2.0), ($d)(1.0));
}

//: s_erf
// erf x for |x| <= 1: x (2 / sqrt(pi) + x^2 P(x^2)), P minimax erf_single.
INLINE $d own_s_erf_$d($d x) {
    const $d z = x * x;
    $d p = ($d)(-0x1.4638814de57dep-17);
    p = fma(p, z, ($d)(0x1.d960ab807e9efp-14));
    p = fma(p, z, ($d)(-0x1.bcf72878e5de4p-11));
    p = fma(p, z, ($d)(0x1.562e0f3966c63p-8));
    p = fma(p, z, ($d)(-0x1.b82a25358045cp-6));
    p = fma(p, z, ($d)(0x1.ce2f0d99ff50fp-4));
    p = fma(p, z, ($d)(-0x1.8127467ea6627p-2));
    return x * fma(z, p, ($d)(0x1.20dd750429b6dp+0));
}

//: erf s_erf s_erfc_tail
INLINE $f own_erf_$f($f x) {
    const $d y = convert_$d(x), a = fabs(y);
    return convert_$f(a < 1.0 ? own_s_erf_$d(y) : copysign(1.0 - own_s_erfc_tail_$d(a), y));
}

//: erfc s_erf s_erfc_tail
INLINE $f own_erfc_$f($f x) {
    const $d y = convert_$d(x), a = fabs(y), tail = own_s_erfc_tail_$d(a);
    return convert_$f(a < 0.6 ? 1.0 - own_s_erf_$d(y) : y < 0.0 ? 2.0 - tail : tail);
}

//: cbrt
INLINE $f own_cbrt_$f($f x) {
    const $d w = convert_$d(x), a = fabs(w);
    const $u bits = as_$u(a);
    const $d biased = as_$d((bits >> ($u)(52)) | ($u)(0x4330000000000000UL)) - 0x1p52;
    const $d t = fma(biased, ($d)(0x1.5555555555555p-2), ($d)(-0.33)) + 0x1.8p52,
             left = fma(t - 0x1.8p52, ($d)(-3.0), biased);
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
    const $d root = m * y * y * as_$d((as_$l(t) << ($l)(52)) + as_$l(($d)(0x1p-341)));
    return convert_$f(a > 0.0 && a < INFINITY ? copysign(root, w) : w);
}

//: pow s_log s_exp_parts
INLINE $f own_pow_$f($f u, $f v) {
    const $d x = convert_$d(u), y = convert_$d(v), a = fabs(x), halved = y * 0.5;
    $d e = own_s_log_$d(a, ($d)(0x1.71547652b82fep+1), ($d)(1.0));
    e = (a == 0.0 ? ($d)(-INFINITY) : a < INFINITY ? e : a) * y;
    e = e > 600.0 ? ($d)(600.0) : e < -600.0 ? ($d)(-600.0) : e;
    const $d t = e + 0x1.8p52, r = e - (t - 0x1.8p52);
    $d z = own_s_exp_parts_$d(r * 0x1.62e42fefa39efp-1) * as_$d((as_$l(t) << ($l)(52)) + as_$l(($d)(1.0)));
    const $l whole = trunc(y) == y ? ($l)(-1) : ($l)(0), even = trunc(halved) == halved ? ($l)(-1) : ($l)(0);
    z = a == 1.0 && y == y ? ($d)(1.0) : z;
    z = x < 0.0 && a < INFINITY && whole == 0 ? ($d)(NAN) : z;
    z = whole != 0 && even == 0 ? copysign(z, x) : z;
    return convert_$f(y == 0.0 || x == 1.0 ? ($d)(1.0) : z);
}

//: tgamma
// The device's of vectors of 8, whatever the width: so the bits are the same, and one number after the other takes far
// longer.
INLINE $f own_tgamma_$f($f x) {
#if $w == 8
    return tgamma(x);
#elif $w == 16
    return ($f)(tgamma(x.lo), tgamma(x.hi));
#elif $w == 4
    return tgamma((float8)(x, x)).lo;
#elif $w == 2
    return tgamma((float8)(x, x, x, x)).lo.lo;
#else
    return tgamma((float8)(x)).s0;
#endif
}

//: lgamma
// The device's of vectors of 8, whatever the width: so the bits are the same, and one number after the other takes far
// longer.
INLINE $f own_lgamma_$f($f x) {
#if $w == 8
    return lgamma(x);
#elif $w == 16
    return ($f)(lgamma(x.lo), lgamma(x.hi));
#elif $w == 4
    return lgamma((float8)(x, x)).lo;
#elif $w == 2
    return lgamma((float8)(x, x, x, x)).lo.lo;
#else
    return lgamma((float8)(x)).s0;
#endif
}

//: hypot
INLINE $f own_hypot_$f($f u, $f v) {
    const $d x = convert_$d(u), y = convert_$d(v);
    const $f z = convert_$f(sqrt(fma(x, x, y * y)));
    return fabs(u) == INFINITY || fabs(v) == INFINITY ? ($f)(INFINITY) : z;
}
