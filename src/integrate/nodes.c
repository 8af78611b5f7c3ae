#include "nodes.h"

#include <math.h>
#include <stdbool.h>

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
// they give 0 up to degree 2 n - 3 - lower (Berntsen and Espelid 1991). q, which is even or odd, comes from those below it, in
// x^2. The sizes of weights add up to 2.
static void make_null_rule(const double *nodes, int n, int lower, double *weights) {
    long double difference[MST_KRONROD_NODES], q[MST_KRONROD_NODES], below[MST_KRONROD_NODES] = {0}, norm_below = 1, sum = 0;
    for (int i = 0; i < n; i++) {
        long double x2 = (long double)nodes[i] * nodes[i], product = i == 0 ? 1 : 8 * x2; // of 2 (x_i - x_j) over all other nodes
        for (int j = 1; j < n; j++)
            product *= j == i ? 1 : 4 * (x2 - (long double)nodes[j] * nodes[j]);
        difference[i] = 1 / product;
        q[i] = lower % 2 == 0 ? 1 : (long double)nodes[i];
    }
    for (int step = 0; step < lower / 2; step++) {
        long double norm = 0, moment = 0;
        for (int i = 0; i < n; i++) {
            long double weight = (i == 0 ? 1 : 2) * difference[i] * difference[i] * q[i] * q[i];
            norm += weight;
            moment += weight * nodes[i] * nodes[i];
        }
        for (int i = 0; i < n; i++) {
            long double next = ((long double)nodes[i] * nodes[i] - moment / norm) * q[i] - norm / norm_below * below[i];
            below[i] = q[i];
            q[i] = next;
        }
        norm_below = norm;
    }
    for (int i = 0; i < n; i++)
        sum += (i == 0 ? 1 : 2) * fabsl(difference[i] *= q[i]);
    for (int i = 0; i < MST_KRONROD_NODES; i++)
        weights[i] = i < n ? (double)(2 * difference[i] / sum) : 0;
}

void mst_kronrod(double edge_node, double *nodes, double *kronrod, double (*null_rules)[MST_KRONROD_NODES]) {
    for (int i = 0; i < MST_KRONROD_NODES; i++) {
        nodes[i] = i < MST_KRONROD_NODES - 1 ? kronrod_nodes[i] : edge_node;
        kronrod[i] = i < MST_KRONROD_NODES - 1 ? kronrod_weights[i] : 0;
    }
    for (int lower = 0; lower < 2; lower++)
        make_null_rule(nodes, MST_KRONROD_NODES, lower, null_rules[7 - lower]);
    for (int lower = 0; lower < 6; lower++)
        make_null_rule(nodes, MST_KRONROD_NODES - 1, lower, null_rules[5 - lower]);
}

// Where the points of a rule on a box are written, and their weights.
typedef struct box_rule {
    double *positions, *seven, *five, *hidden;
} box_rule;

static void put(box_rule *r, unsigned n, unsigned k, double at_k, unsigned l, double at_l, const double weights[3]) {
    for (unsigned i = 0; i < n; i++)
        *r->positions++ = i == k ? at_k : i == l ? at_l : 0;
    *r->seven++ = weights[0];
    *r->five++ = weights[1];
    *r->hidden++ = weights[2];
}

static bool is_odd(unsigned bits) { return bits > 0 && is_odd(bits & (bits - 1)) == false; }

// n_corners is 2^n, or half of that: those with an even number of signs.
static void put_corners(box_rule *r, unsigned n, unsigned n_corners, double at, double seven, double hidden) {
    for (unsigned signs = 0; signs < 1u << n; signs++) {
        if (n_corners < 1u << n && is_odd(signs))
            continue;
        for (unsigned i = 0; i < n; i++)
            *r->positions++ = signs >> i & 1 ? at : -at;
        *r->seven++ = seven / n_corners;
        *r->five++ = 0;
        *r->hidden++ = hidden / n_corners;
    }
}

// Weights with which the center, the points near to it on axes, those far from it on axes and the corners give 1, x^2, x^4 and
// x^2 y^2 as the mean of the points at the edge does: the two sums over corners give x^2 y^2, that leaves two for x^2 and x^4.
static void predict_corners(unsigned n, double near, double far, double corner, double edge, double weights[4]) {
    const double e = edge * edge, l = near * near, m = far * far, k = corner * corner;
    weights[3] = e * e / (k * k);
    weights[1] = (e - e * e / k) / (2 * l * (1 - l / m));
    weights[2] = -weights[1] * l * l / (m * m);
    weights[0] = 1 - 2 * n * (weights[1] + weights[2]) - weights[3];
}

void mst_genz_malik(unsigned n, double edge_node, double *positions, double *seven, double *five, double *hidden,
                    double (*nulls)[MST_AXIS_NULL_RULES]) {
    const double near = sqrt(9.0 / 70), far = sqrt(9.0 / 10), corner = sqrt(9.0 / 19), d = n;
    const double axis[] = {0, near, far, edge_node};
    double null_rule[MST_KRONROD_NODES], inner[4];
    box_rule r = {positions, seven, five, hidden};
    predict_corners(n, near, far, corner, edge_node, inner);
    const double weights[5][3] = {
        {(12824 - 9120 * d + 400 * d * d) / 19683, (729 - 950 * d + 50 * d * d) / 729, -inner[0]},
        {980.0 / 6561, 245.0 / 486, -inner[1]},
        {(1820 - 400 * d) / 19683, (265 - 100 * d) / 1458, -inner[2]},
        {0, 0, 0},
        {200.0 / 19683, 25.0 / 729, 0},
    };
    put(&r, n, n, 0, n, 0, weights[0]);
    for (unsigned k = 0; k < n; k++)
        for (int i = 2; i < 8; i++)
            put(&r, n, k, i % 2 ? -axis[i / 2] : axis[i / 2], n, 0, weights[i / 2]);
    for (unsigned k = 0; k < n; k++)
        for (unsigned l = 0; l < k; l++)
            for (int signs = 0; signs < 4; signs++)
                put(&r, n, k, signs & 1 ? far : -far, l, signs & 2 ? far : -far, weights[4]);
    put_corners(&r, n, 1u << n, corner, 6859.0 / 19683, -inner[3]);
    put_corners(&r, n, mst_corner_points(n), edge_node, 0, 1);
    for (int rule = 0; rule < 4; rule++) {
        int lower = 1 - rule % 2;
        make_null_rule(axis, rule < 2 ? 3 : 4, lower, null_rule);
        nulls[0][rule] = null_rule[0];
        for (int i = 2; i < 8; i++)
            nulls[i - 1][rule] = (i % 2 && lower == 1 ? -1 : 1) * null_rule[i / 2];
    }
}
