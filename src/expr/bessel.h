#ifndef MST_EXPR_BESSEL_H
#define MST_EXPR_BESSEL_H

#include "build.h"

// The Bessel function of the first kind of x, of order 0 or 1, by operations that every device has.
unsigned mst_bessel_add(mst_expr *expr, int order, unsigned x);

#endif
