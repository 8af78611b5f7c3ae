// J0 and J1 by rational functions: up to 5 with their first two zeros as factors, beyond by Hankel's form
//     sqrt(2 / (pi x)) (P cos(x - t) - (5 / x) Q sin(x - t)),   t = pi/4 or 3 pi/4,
// with P and Q of (5 / x)^2. Coefficients: S. L. Moshier, Cephes Mathematical Library 2.8 (netlib.org/cephes), j0.c and j1.c;
// highest powers first. Cosine and sine of x - t are sums of those of x, so that no digit of a large x is lost.
#include "bessel.h"

#include <math.h>

#define BORDER 5.0
#define MOST_TERMS 9

typedef struct polynomial {
    int n_terms;
    double terms[MOST_TERMS];
} polynomial;

typedef struct order_terms {
    double squares_of_zeros[2];
    polynomial near[2], p[2], q[2]; // numerators and denominators
} order_terms;

static const order_terms orders[2] = {
    {{5.78318596294678452118E0, 3.04712623436620863991E1},
     {{4, {-4.79443220978201773821E9, 1.95617491946556577543E12, -2.49248344360967716204E14, 9.70862251047306323952E15}},
      {9,
       {1, 4.99563147152651017219E2, 1.73785401676374683123E5, 4.84409658339962045305E7, 1.11855537045356834862E10,
        2.11277520115489217587E12, 3.10518229857422583814E14, 3.18121955943204943306E16, 1.71086294081043136091E18}}},
     {{7,
       {7.96936729297347051624E-4, 8.28352392107440799803E-2, 1.23953371646414299388E0, 5.44725003058768775090E0,
        8.74716500199817011941E0, 5.30324038235394892183E0, 9.99999999999999997821E-1}},
      {7,
       {9.24408810558863637013E-4, 8.56288474354474431428E-2, 1.25352743901058953537E0, 5.47097740330417105182E0,
        8.76190883237069594232E0, 5.30605288235394617618E0, 1}}},
     {{8,
       {-1.13663838898469149931E-2, -1.28252718670509318512E0, -1.95539544257735972385E1, -9.32060152123768231369E1,
        -1.77681167980488050595E2, -1.47077505154951170175E2, -5.14105326766599330220E1, -6.05014350600728481186E0}},
      {8,
       {1, 6.43178256118178023184E1, 8.56430025976980587198E2, 3.88240183605401609683E3, 7.24046774195652478189E3,
        5.93072701187316984827E3, 2.06209331660327847417E3, 2.42005740240291393179E2}}}},
    {{1.46819706421238932572E1, 4.92184563216946036703E1},
     {{4, {-8.99971225705559398224E8, 4.52228297998194034323E11, -7.27494245221818276015E13, 3.68295732863852883286E15}},
      {9,
       {1, 6.20836478118054335476E2, 2.56987256757748830383E5, 8.35146791431949253037E7, 2.21511595479792499675E10,
        4.74914122079991414898E12, 7.84369607876235854894E14, 8.95222336184627338078E16, 5.32278620332680085395E18}}},
     {{7,
       {7.62125616208173112003E-4, 7.31397056940917570436E-2, 1.12719608129684925192E0, 5.11207951146807644818E0,
        8.42404590141772420927E0, 5.21451598682361504063E0, 1}},
      {7,
       {5.71323128072548699714E-4, 6.88455908754495404082E-2, 1.10514232634061696926E0, 5.07386386128601488557E0,
        8.39985554327604159757E0, 5.20982848682361821619E0, 9.99999999999999997461E-1}}},
     {{8,
       {5.10862594750176621635E-2, 4.98213872951233449420E0, 7.58238284132545283818E1, 3.66779609360150777800E2,
        7.10856304998926107277E2, 5.97489612400613639965E2, 2.11688757100572135698E2, 2.52070205858023719784E1}},
      {8,
       {1, 7.42373277035675149943E1, 1.05644886038262816351E3, 4.98641058337653607651E3, 9.56231892404756170795E3,
        7.99704160447350683650E3, 2.82619278517639096600E3, 3.36093607810698293419E2}}}}};

static unsigned number(mst_expr *expr, double value) { return mst_expr_add_decimal(expr, value); }

static unsigned times(mst_expr *expr, unsigned a, unsigned b) { return mst_expr_add_two(expr, MST_EXPR_MULTIPLY, a, b); }

// Horner's rule.
static unsigned value_of(mst_expr *expr, const polynomial *p, unsigned z) {
    unsigned sum = number(expr, p->terms[0]);
    for (int k = 1; k < p->n_terms; k++)
        sum = mst_expr_add_two(expr, MST_EXPR_ADD, times(expr, sum, z), number(expr, p->terms[k]));
    return sum;
}

static unsigned quotient(mst_expr *expr, const polynomial parts[2], unsigned z) {
    return mst_expr_add_two(expr, MST_EXPR_DIVIDE, value_of(expr, &parts[0], z), value_of(expr, &parts[1], z));
}

static unsigned near_zero(mst_expr *expr, const order_terms *terms, unsigned x) {
    unsigned z = times(expr, x, x), result = quotient(expr, terms->near, z);
    for (int k = 0; k < 2; k++)
        result = times(expr, result, mst_expr_add_two(expr, MST_EXPR_SUBTRACT, z, number(expr, terms->squares_of_zeros[k])));
    return result;
}

static unsigned far_from_zero(mst_expr *expr, int order, unsigned size) {
    unsigned w = mst_expr_add_two(expr, MST_EXPR_DIVIDE, number(expr, BORDER), size), z = times(expr, w, w);
    unsigned sine = mst_expr_add(expr, MST_EXPR_SIN, &size, 1), cosine = mst_expr_add(expr, MST_EXPR_COS, &size, 1);
    unsigned sum = mst_expr_add_two(expr, MST_EXPR_ADD, cosine, sine),
             difference = mst_expr_add_two(expr, MST_EXPR_SUBTRACT, sine, cosine);
    unsigned first = times(expr, quotient(expr, orders[order].p, z), order == 0 ? sum : difference);
    unsigned second = times(expr, times(expr, w, quotient(expr, orders[order].q, z)), order == 0 ? difference : sum);
    unsigned wave = mst_expr_add_two(expr, order == 0 ? MST_EXPR_SUBTRACT : MST_EXPR_ADD, first, second);
    unsigned height = times(expr, number(expr, acos(-1.0)), size);
    return mst_expr_add_two(expr, MST_EXPR_DIVIDE, wave, mst_expr_add(expr, MST_EXPR_SQRT, &height, 1));
}

// Close to 0 the quotient is 1 but for rounding, and 1 - x^2 / 4 is J0. That the square is compared refuses complex numbers.
static unsigned top(mst_expr *expr, unsigned x, unsigned close) {
    unsigned square = times(expr, x, x);
    unsigned series = mst_expr_add_two(expr, MST_EXPR_SUBTRACT, number(expr, 1), times(expr, square, number(expr, 0.25)));
    unsigned is_top = mst_expr_add_two(expr, MST_EXPR_LESS, square, number(expr, 1e-10));
    return mst_expr_add(expr, MST_EXPR_CHOOSE, (unsigned[]){is_top, series, close}, 3);
}

unsigned mst_bessel_add(mst_expr *expr, int order, unsigned x) {
    unsigned size = mst_expr_add(expr, MST_EXPR_ABS, &x, 1), away = far_from_zero(expr, order, size);
    unsigned is_near = mst_expr_add_two(expr, MST_EXPR_LESS, size, number(expr, BORDER)),
             close = near_zero(expr, &orders[order], x);
    if (order == 0) {
        close = top(expr, x, close);
    } else { // which is odd
        close = times(expr, close, x);
        away = times(expr, away, mst_expr_add_two(expr, MST_EXPR_COPYSIGN, number(expr, 1), x));
    }
    unsigned ends = mst_expr_add_two(expr, MST_EXPR_EQUAL, size, number(expr, INFINITY)); // where sines are NaN, it is 0
    away = mst_expr_add(expr, MST_EXPR_CHOOSE, (unsigned[]){ends, number(expr, 0), away}, 3);
    return mst_expr_add(expr, MST_EXPR_CHOOSE, (unsigned[]){is_near, close, away}, 3);
}
