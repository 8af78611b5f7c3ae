// Golub and Van Loan, Matrix Computations, chapter 7: the matrix is cut into irreducible blocks, each of which is balanced,
// brought to Hessenberg form by reflections, and reduced by QR steps with Wilkinson's shifts. Only eigenvalues are wanted, so
// that rows and columns of what is done already are left alone.
#include "eigenvalues.h"

#include <float.h>
#include <math.h>
#include <stdint.h>

enum { MOST_STEPS = 40 }; // for one eigenvalue
static const double CLUSTER = 1e-4;

#define A(i, j) a[(i)*n + (j)]

static double size(double complex z) { return fabs(creal(z)) + fabs(cimag(z)); }

// Parlett and Reinsch (1969): scales by powers of 2 until rows and columns are about as long as each other.
static void balance(int n, double complex *a) {
    for (bool again = true; again;) {
        again = false;
        for (int i = 0; i < n; i++) {
            double row = 0, column = 0, scale = 1;
            for (int j = 0; j < n; j++) {
                row += j == i ? 0 : size(A(i, j));
                column += j == i ? 0 : size(A(j, i));
            }
            if (row == 0 || column == 0)
                continue;
            const double before = row + column;
            for (; column < row / 2; column *= 2, row /= 2)
                scale *= 2;
            for (; column >= row * 2; column /= 2, row *= 2)
                scale /= 2;
            if (row + column >= 0.95 * before)
                continue;
            again = true;
            for (int j = 0; j < n; j++) {
                A(i, j) /= scale;
                A(j, i) *= scale;
            }
        }
    }
}

// A - 2 v v* A, from row `from` on, and the same from the right.
static void reflect(int n, double complex *a, int from, const double complex *v) {
    for (int j = 0; j < n; j++) {
        double complex sum = 0;
        for (int i = from; i < n; i++)
            sum += conj(v[i]) * A(i, j);
        for (int i = from; i < n; i++)
            A(i, j) -= 2 * v[i] * sum;
    }
    for (int i = 0; i < n; i++) {
        double complex sum = 0;
        for (int j = from; j < n; j++)
            sum += A(i, j) * v[j];
        for (int j = from; j < n; j++)
            A(i, j) -= 2 * sum * conj(v[j]);
    }
}

static void make_hessenberg(int n, double complex *a) {
    for (int k = 0; k + 2 < n; k++) {
        double complex v[MST_EIGEN_MAX_ORDER];
        double squares = 0, below = 0;
        for (int i = k + 1; i < n; i++) {
            v[i] = A(i, k);
            squares += creal(v[i] * conj(v[i]));
            below += i > k + 1 ? size(v[i]) : 0;
        }
        if (below == 0)
            continue;
        const double length = sqrt(squares), head = cabs(v[k + 1]);
        v[k + 1] += head > 0 ? v[k + 1] / head * length : length;
        const double norm = sqrt(2 * length * (length + head));
        for (int i = k + 1; i < n; i++)
            v[i] /= norm;
        reflect(n, a, k + 1, v);
    }
}

// The eigenvalue of [a b; c d] that is nearer to d.
static double complex wilkinson(double complex a, double complex b, double complex c, double complex d) {
    const double complex half = (a - d) / 2, root = csqrt(half * half + b * c);
    const double complex far = creal(half * conj(root)) >= 0 ? half + root : half - root;
    return far == 0 ? d : d - b * c / far;
}

// One QR step on rows and columns low..high of a Hessenberg matrix.
static void step(int n, double complex *a, int low, int high, double complex shift) {
    double cosines[MST_EIGEN_MAX_ORDER];
    double complex sines[MST_EIGEN_MAX_ORDER];
    for (int i = low; i <= high; i++)
        A(i, i) -= shift;
    for (int k = low; k < high; k++) { // rotations that make the matrix triangular
        const double length = hypot(cabs(A(k, k)), cabs(A(k + 1, k))), head = cabs(A(k, k));
        const double complex phase = head > 0 ? A(k, k) / head : 1;
        cosines[k] = length > 0 ? head / length : 1;
        sines[k] = length > 0 ? phase * conj(A(k + 1, k)) / length : 0;
        for (int j = k; j <= high; j++) {
            const double complex upper = A(k, j), lower = A(k + 1, j);
            A(k, j) = cosines[k] * upper + sines[k] * lower;
            A(k + 1, j) = cosines[k] * lower - conj(sines[k]) * upper;
        }
    }
    for (int k = low; k < high; k++) // and their inverses from the right
        for (int i = low; i <= k + 1; i++) {
            const double complex left = A(i, k), right = A(i, k + 1);
            A(i, k) = cosines[k] * left + conj(sines[k]) * right;
            A(i, k + 1) = cosines[k] * right - sines[k] * left;
        }
    for (int i = low; i <= high; i++)
        A(i, i) += shift;
}

static bool find_all(int n, double complex *a, double complex *values) {
    balance(n, a);
    make_hessenberg(n, a);
    for (int high = n - 1, steps = 0; high >= 0;) {
        int low = high;
        while (low > 0 && size(A(low, low - 1)) > DBL_EPSILON * (size(A(low - 1, low - 1)) + size(A(low, low))))
            low--;
        if (low == high) {
            values[high] = A(high, high);
            high--;
            steps = 0;
            continue;
        }
        if (++steps > MOST_STEPS)
            return false;
        step(n, a, low, high,
             steps % 10 == 0 ? A(high, high) + 0.75 * cabs(A(high, high - 1))
                             : wilkinson(A(high - 1, high - 1), A(high - 1, high), A(high, high - 1), A(high, high)));
    }
    return true;
}

// The mean of eigenvalue `first` and all that hang together with it, which are marked in `taken`.
static double complex cluster_mean(int n, const double complex *values, int first, uint64_t *taken) {
    double complex sum = 0;
    uint64_t members = (uint64_t)1 << first;
    int count = 0;
    for (bool grows = true; grows;) {
        grows = false;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n && !(members >> i & 1); j++)
                if (members >> j & 1 && cabs(values[i] - values[j]) < CLUSTER) {
                    members |= (uint64_t)1 << i;
                    grows = true;
                }
    }
    for (int i = 0; i < n; i++)
        if (members >> i & 1) {
            sum += values[i];
            count++;
        }
    *taken |= members;
    return sum / count;
}

static bool largest_of_block(int n, double complex *a, double complex *largest) {
    double complex values[MST_EIGEN_MAX_ORDER];
    uint64_t taken = 0;
    if (!find_all(n, a, values))
        return false;
    for (int i = 0; i < n; i++) {
        const double complex mean = taken >> i & 1 ? 0 : cluster_mean(n, values, i, &taken);
        if (cabs(mean) > cabs(*largest))
            *largest = mean;
    }
    return isfinite(cabs(*largest));
}

// reach[i] becomes the set of indices from which chains of values other than 0 lead to i, and i itself (Warshall 1962).
static bool find_reach(int n, const double complex *a, uint64_t *reach) {
    for (int i = 0; i < n; i++) {
        reach[i] = (uint64_t)1 << i;
        for (int j = 0; j < n; j++) {
            if (!isfinite(size(A(i, j))))
                return false;
            reach[i] |= A(i, j) != 0 ? (uint64_t)1 << j : 0;
        }
    }
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            if (reach[i] >> k & 1)
                reach[i] |= reach[k];
    return true;
}

bool mst_eigen_largest(int n, const double complex *a, double complex *largest) {
    double complex block[MST_EIGEN_MAX_ORDER * MST_EIGEN_MAX_ORDER];
    uint64_t reach[MST_EIGEN_MAX_ORDER], done = 0;
    *largest = 0;
    if (!find_reach(n, a, reach))
        return false;
    for (int first = 0; first < n; first++) {
        int members[MST_EIGEN_MAX_ORDER], m = 0;
        for (int i = first; i < n && !(done >> first & 1); i++)
            if (reach[first] >> i & 1 && reach[i] >> first & 1)
                members[m++] = i;
        for (int i = 0; i < m; i++) {
            done |= (uint64_t)1 << members[i];
            for (int j = 0; j < m; j++)
                block[i * m + j] = A(members[i], members[j]);
        }
        if (m > 0 && !largest_of_block(m, block, largest))
            return false;
    }
    return true;
}
