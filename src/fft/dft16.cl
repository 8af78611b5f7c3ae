// Four transforms of every fourth element, twiddles, four of neighbours.
void dft16(vreal *re, vreal *im) {
    const real h = REAL(0.70710678118654752440), c = REAL(0.92387953251128675613), s = REAL(0.38268343236508977173);
    dft4_of(re, im, 0, 4, 8, 12);
    dft4_of(re, im, 1, 5, 9, 13);
    dft4_of(re, im, 2, 6, 10, 14);
    dft4_of(re, im, 3, 7, 11, 15);
    rotate_by(re, im, 5, c, s);
    rotate_by(re, im, 6, h, h);
    rotate_by(re, im, 7, s, c);
    rotate_by(re, im, 9, h, h);
    turn(re, im, 10);
    rotate_by(re, im, 11, -h, h);
    rotate_by(re, im, 13, s, c);
    rotate_by(re, im, 14, -h, h);
    rotate_by(re, im, 15, -c, -s);
    dft4_of(re, im, 0, 1, 2, 3);
    dft4_of(re, im, 4, 5, 6, 7);
    dft4_of(re, im, 8, 9, 10, 11);
    dft4_of(re, im, 12, 13, 14, 15);
    exchange_two(re, im, 1, 4);
    exchange_two(re, im, 2, 8);
    exchange_two(re, im, 3, 12);
    exchange_two(re, im, 6, 9);
    exchange_two(re, im, 7, 13);
    exchange_two(re, im, 11, 14);
}
