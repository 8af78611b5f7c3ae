// Nodes and weights.
#ifndef MST_INTEGRATE_NODES_H
#define MST_INTEGRATE_NODES_H

// Gauss-Legendre on [0, 1], rounded from long double: sum_i weights[i] f(nodes[i]).
void mst_gauss_legendre(int n, double *nodes, double *weights);

// QUADPACK's pair of 10 and 21 nodes on [-1, 1]: Kronrod weights, and Gauss weights that are 0 at the others' nodes.
enum { MST_KRONROD_POINTS = 21 };
void mst_gauss_kronrod(double *nodes, double *kronrod, double *gauss);

// Genz and Malik's pair of degree 7 and 5 on [-1, 1]^n, weights for a volume of 1, in the order that genz_malik.cl wants.
static inline unsigned mst_genz_malik_points(unsigned n) { return 1 + 4 * n + 2 * n * (n - 1) + (1u << n); }
void mst_genz_malik(unsigned n, double *positions, double *seven, double *five);

#endif
