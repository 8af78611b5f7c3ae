void dft8(vreal *re, vreal *im) {
    const real h = REAL(0.70710678118654752440);
    dft2_of(re, im, 0, 4);
    dft2_of(re, im, 1, 5);
    dft2_of(re, im, 2, 6);
    dft2_of(re, im, 3, 7);
    vreal r = re[5], i = im[5];
    re[5] = (r + i) * h;
    im[5] = (i - r) * h;
    turn(re, im, 6);
    r = re[7], i = im[7];
    re[7] = (i - r) * h;
    im[7] = -(r + i) * h;
    dft4_of(re, im, 0, 1, 2, 3);
    dft4_of(re, im, 4, 5, 6, 7);
    // Even results are in the first half, odd ones in the second.
    exchange_two(re, im, 1, 4);
    exchange_two(re, im, 3, 6);
    exchange_two(re, im, 2, 4);
    exchange_two(re, im, 3, 5);
}
