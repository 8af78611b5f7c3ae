// Transforms of 2 and 4 points, and what others are made of. Numbers are in two arrays of `vreal`: real parts and
// imaginary parts.
void dft2_of(vreal *re, vreal *im, int a, int b) {
    vreal r = re[a] - re[b], i = im[a] - im[b];
    re[a] += re[b];
    im[a] += im[b];
    re[b] = r;
    im[b] = i;
}

// Multiplies by -i.
void turn(vreal *re, vreal *im, int a) {
    vreal r = re[a];
    re[a] = im[a];
    im[a] = -r;
}

void exchange_two(vreal *re, vreal *im, int a, int b) {
    vreal r = re[a], i = im[a];
    re[a] = re[b];
    im[a] = im[b];
    re[b] = r;
    im[b] = i;
}

// Elements a, b, c, d in natural order.
void dft4_of(vreal *re, vreal *im, int a, int b, int c, int d) {
    dft2_of(re, im, a, c);
    dft2_of(re, im, b, d);
    turn(re, im, d);
    dft2_of(re, im, a, b);
    dft2_of(re, im, c, d);
    exchange_two(re, im, b, c);
}

// Multiplies by cos - i sin.
void rotate_by(vreal *re, vreal *im, int a, real c, real s) {
    vreal r = re[a] * c + im[a] * s;
    im[a] = im[a] * c - re[a] * s;
    re[a] = r;
}
