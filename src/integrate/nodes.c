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

// Kronrod's nodes from 0 up, and their weights.
static const double kronrod_nodes[MST_KRONROD_NODES - 1] = {
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

static const double kronrod_weights[MST_KRONROD_NODES - 1] = {
    0.149445554002916905664936468389821, 0.147739104901338491374841515972068, 0.142775938577060080797094273138717,
    0.134709217311473325928054001771707, 0.123491976262065851077958109585166, 0.109387158802297641899210590325805,
    0.093125454583697605535065465083366, 0.075039674810919952767043140916190, 0.054755896574351996031381300244580,
    0.032558162307964727478818972459390, 0.011694638867371874278064396062192,
};

// Null rules on the first n nodes from 0 up and those opposite. The weights of a divided difference give 0 for all polynomials
// of degree 2 n - 3; times polynomials q of degree `lower` that are orthogonal to one another under the squares of those weights,
// they give 0 up to degree 2 n - 3 - lower (Berntsen and Espelid 1991). The sizes of weights add up to 2.
static void make_null_rule(const double *nodes, int n, int lower, double *weights) {
    long double difference[MST_KRONROD_NODES], moments[2] = {0}, sum = 0, shift = 0;
    for (int i = 0; i < n; i++) {
        long double x2 = (long double)nodes[i] * nodes[i], product = i == 0 ? 1 : 8 * x2; // of 2 (x_i - x_j) over all other nodes
        for (int j = 1; j < n; j++)
            product *= j == i ? 1 : 4 * (x2 - (long double)nodes[j] * nodes[j]);
        difference[i] = 1 / product;
        long double weight = (i == 0 ? 1 : 2) * difference[i] * difference[i] * (lower % 2 == 0 ? 1 : x2);
        moments[0] += weight;
        moments[1] += weight * x2;
    }
    if (lower >= 2)
        shift = moments[1] / moments[0];
    for (int i = 0; i < n; i++) {
        long double x = nodes[i], q = (lower % 2 == 0 ? 1 : x) * (lower < 2 ? 1 : x * x - shift);
        difference[i] *= q;
        sum += (i == 0 ? 1 : 2) * fabsl(difference[i]);
    }
    for (int i = 0; i < MST_KRONROD_NODES; i++)
        weights[i] = i < n ? (double)(2 * difference[i] / sum) : 0;
}

void mst_kronrod(double edge_node, double *nodes, double *kronrod, double (*null_rules)[MST_KRONROD_NODES]) {
    for (int i = 0; i < MST_KRONROD_NODES; i++) {
        nodes[i] = i < MST_KRONROD_NODES - 1 ? kronrod_nodes[i] : edge_node;
        kronrod[i] = i < MST_KRONROD_NODES - 1 ? kronrod_weights[i] : 0;
    }
    for (int lower = 0; lower < 2; lower++)
        make_null_rule(nodes, MST_KRONROD_NODES, lower, null_rules[5 - lower]);
    for (int lower = 0; lower < 4; lower++)
        make_null_rule(nodes, MST_KRONROD_NODES - 1, lower, null_rules[3 - lower]);
}

static void put(unsigned n, double **positions, double **weights, unsigned k, double at_k, unsigned l, double at_l, double seven,
                double five) {
    for (unsigned i = 0; i < n; i++)
        (*positions)[i] = i == k ? at_k : i == l ? at_l : 0;
    *positions += n;
    *weights[0]++ = seven;
    *weights[1]++ = five;
}

void mst_genz_malik(unsigned n, double edge_node, double *positions, double *seven, double *five,
                    double (*nulls)[MST_AXIS_NULL_RULES]) {
    const double near = sqrt(9.0 / 70), far = sqrt(9.0 / 10), corner = sqrt(9.0 / 19), d = n;
    const double axis[] = {0, near, far, edge_node};
    const double sevens[] = {0, 980.0 / 6561, (1820 - 400 * d) / 19683, 0}, fives[] = {0, 245.0 / 486, (265 - 100 * d) / 1458, 0};
    double *weights[] = {seven, five}, null_rule[MST_KRONROD_NODES];
    put(n, &positions, weights, n, 0, n, 0, (12824 - 9120 * d + 400 * d * d) / 19683, (729 - 950 * d + 50 * d * d) / 729);
    for (unsigned k = 0; k < n; k++)
        for (int i = 2; i < 8; i++)
            put(n, &positions, weights, k, i % 2 ? -axis[i / 2] : axis[i / 2], n, 0, sevens[i / 2], fives[i / 2]);
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
    for (int rule = 0; rule < 4; rule++) {
        int lower = 1 - rule % 2;
        make_null_rule(axis, rule < 2 ? 3 : 4, lower, null_rule);
        nulls[0][rule] = null_rule[0];
        for (int i = 2; i < 8; i++)
            nulls[i - 1][rule] = (i % 2 && lower == 1 ? -1 : 1) * null_rule[i / 2];
    }
}
