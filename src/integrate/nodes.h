// Nodes and weights.
#ifndef MST_INTEGRATE_NODES_H
#define MST_INTEGRATE_NODES_H

// Gauss-Legendre on [0, 1], rounded from long double: sum_i weights[i] f(nodes[i]).
void mst_gauss_legendre(int n, double *nodes, double *weights);

// Kronrod's 21 nodes on [-1, 1] and edge_node close to each end, from 0 up: the weights of his rule, 0 for the last, and of null
// rules of degrees 14 to 19 on the 21 nodes, 20 and 21 on all. At the node opposite, Kronrod's and the rules of odd degree have
// the same weight, those of even degree the negative one.
enum { MST_KRONROD_SENTINELS = 2 }; // in float32, see kronrod.cl
enum { MST_KRONROD_NODES = 12, MST_KRONROD_POINTS = 2 * MST_KRONROD_NODES - 1, MST_NULL_RULES = 8 };
void mst_kronrod(double edge_node, double *nodes, double *kronrod, double (*null_rules)[MST_KRONROD_NODES]);

// Genz and Malik's pair of degree 7 and 5 on [-1, 1]^n, weights for a volume of 1, with edge_node close to each side of every
// axis and to the corners, and null rules on the seven points of an axis, in the order that genz_malik.cl wants. hidden: a null
// rule of degree 5, the mean of the points close to the corners less what points further inside make of it; from 5 variables on
// those at every other corner, of degree 4.
enum { MST_AXIS_POINTS = 7, MST_AXIS_NULL_RULES = 4 };
static inline unsigned mst_corner_points(unsigned n) { return 1u << (n < 5 ? n : n - 1); }
static inline unsigned mst_genz_malik_points(unsigned n) {
    return 1 + 6 * n + 2 * n * (n - 1) + (1u << n) + mst_corner_points(n);
}
void mst_genz_malik(unsigned n, double edge_node, double *positions, double *seven, double *five, double *hidden,
                    double (*nulls)[MST_AXIS_NULL_RULES]);

#endif
