#include "nodes.h"

#include <math.h>

// Newton's method on the Legendre polynomial, from Tricomi's approximation.
void mst_gauss_legendre(int n, double *nodes, double *weights) {
    const long double pi = 3.14159265358979323846264338327950288L;
    for (int i = 0; i < n; i++) {
        long double x = -cosl(pi * ((long double)i + 0.75L) / ((long double)n + 0.5L)), derivative = 1;
        for (int step = 0; step < 10; step++) {
            long double p = 1, before = 0;
            for (int k = 1; k <= n; k++) {
                long double next = ((2 * k - 1) * x * p - (k - 1) * before) / k;
                before = p;
                p = next;
            }
            derivative = n * (x * p - before) / (x * x - 1);
            x -= p / derivative;
        }
        nodes[i] = (double)((1 + x) / 2);
        weights[i] = (double)(1 / ((1 - x * x) * derivative * derivative));
    }
}

// The nodes from 0 up; those at odd k are Gauss's too.
static const double half_nodes[11] = {
    0.0,
    0.148874338981631210884826001129720,
    0.294392862701460198131126603103866,
    0.433395394129247190799265943165784,
    0.562757134668604683339000099272694,
    0.679409568299024406234327365114874,
    0.780817726586416897063717578345042,
    0.865063366688984510732096688423493,
    0.930157491355708226001207180059508,
    0.973906528517171720077964012084452,
    0.995657163025808080735527280689003,
};

static const double half_kronrod[11] = {
    0.149445554002916905664936468389821, 0.147739104901338491374841515972068, 0.142775938577060080797094273138717,
    0.134709217311473325928054001771707, 0.123491976262065851077958109585166, 0.109387158802297641899210590325805,
    0.093125454583697605535065465083366, 0.075039674810919952767043140916190, 0.054755896574351996031381300244580,
    0.032558162307964727478818972459390, 0.011694638867371874278064396062192,
};

static const double half_gauss[11] = {
    0.0, 0.295524224714752870173815619188769, 0.0, 0.269266719309996355091226921569469, 0.0, 0.219086362515982043995534934228163,
    0.0, 0.149451349150580593145863396957658, 0.0, 0.066671344308688137593568809893332, 0.0,
};

void mst_gauss_kronrod(double *nodes, double *kronrod, double *gauss) {
    for (int k = -10; k <= 10; k++) {
        int i = k < 0 ? -k : k;
        nodes[k + 10] = k < 0 ? -half_nodes[i] : half_nodes[i];
        kronrod[k + 10] = half_kronrod[i];
        gauss[k + 10] = half_gauss[i];
    }
}

static void put(unsigned n, double **positions, double **weights, unsigned k, double at_k, unsigned l, double at_l, double seven,
                double five) {
    for (unsigned i = 0; i < n; i++)
        (*positions)[i] = i == k ? at_k : i == l ? at_l : 0;
    *positions += n;
    *weights[0]++ = seven;
    *weights[1]++ = five;
}

void mst_genz_malik(unsigned n, double *positions, double *seven, double *five) {
    const double near = sqrt(9.0 / 70), far = sqrt(9.0 / 10), corner = sqrt(9.0 / 19), d = n;
    double *weights[] = {seven, five};
    put(n, &positions, weights, n, 0, n, 0, (12824 - 9120 * d + 400 * d * d) / 19683, (729 - 950 * d + 50 * d * d) / 729);
    for (unsigned k = 0; k < n; k++)
        for (int i = 0; i < 4; i++)
            put(n, &positions, weights, k, (i < 2 ? near : far) * (i % 2 ? 1 : -1), n, 0,
                i < 2 ? 980.0 / 6561 : (1820 - 400 * d) / 19683, i < 2 ? 245.0 / 486 : (265 - 100 * d) / 1458);
    for (unsigned k = 0; k < n; k++)
        for (unsigned l = 0; l < k; l++)
            for (int signs = 0; signs < 4; signs++)
                put(n, &positions, weights, k, signs & 1 ? far : -far, l, signs & 2 ? far : -far, 200.0 / 19683, 25.0 / 729);
    for (unsigned signs = 0; signs < 1u << n; signs++) {
        for (unsigned i = 0; i < n; i++)
            *positions++ = signs >> i & 1 ? corner : -corner;
        *weights[0]++ = 6859.0 / 19683 / (double)(1u << n);
        *weights[1]++ = 0;
    }
}
