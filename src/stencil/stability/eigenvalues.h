// The eigenvalue of largest modulus of a complex matrix.
#ifndef MST_STENCIL_EIGENVALUES_H
#define MST_STENCIL_EIGENVALUES_H

#include <complex.h>
#include <stdbool.h>

enum { MST_EIGEN_MAX_ORDER = 64 };

// Of a matrix a[row * n + column]. Rounding tears a multiple eigenvalue that lacks eigenvectors, as waves of no frequency have,
// apart by a root of the machine's precision, but leaves the mean of the parts; so eigenvalues that lie within 1e-4 of each other
// count as their mean. False if a value is not finite, or the iteration does not end.
bool mst_eigen_largest(int n, const double complex *a, double complex *largest);

#endif
