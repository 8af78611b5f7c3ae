// Derivatives that absorbing layers stretch, in expressions of schemes.
#ifndef MST_EXPR_STRETCH_H
#define MST_EXPR_STRETCH_H

#include "expr.h"

// stretch_x(argument, shift), and y and z: a derivative that an absorbing layer may stretch. Known where there are fields. shift
// is -0.5, 0 (if it is missing) or 0.5: how many nodes along the axis behind the node the derivative is. Evaluated, it is its
// argument; what takes its place in a scheme is decided by mst_expr_expand.
typedef struct mst_expr_stretch {
    const mst_expr *expr; // the expression that it stands in
    unsigned argument;    // a node of it
    int axis;             // in offsets
    double shift;
} mst_expr_stretch;

// What reads the memory variable of a stretch, its decay b and gain a, and the scale 1/kappa, which is 0 outside layers.
typedef struct mst_expr_layer {
    bool exists; // else the stretch is its argument everywhere
    mst_expr_leaf memory, decay, gain, scale;
} mst_expr_layer;

bool mst_expr_has_stretch(const mst_expr *expr);

typedef mst_status mst_expr_find_layer(void *user, const mst_expr_stretch *stretch, mst_expr_layer *layer, mst_error *error);

// Copies an expression of a scheme with scale != 0 ? argument * scale + (decay * memory + gain * argument) : argument in place of
// every stretch, inner ones first. `find` is asked once for each. *out is the caller's; NULL on failure. MST_ERROR_ARGUMENT: too
// long; MST_ERROR_HOST_MEMORY; what `find` returns.
mst_status mst_expr_expand(const mst_expr *expr, const char *what, mst_expr_find_layer *find, void *user, mst_expr **out,
                           mst_error *error);
// The same for the new value of the memory variable of a stretch, moved by `offset` nodes along its axis; 0 outside layers.
mst_status mst_expr_expand_memory(const mst_expr_stretch *stretch, int offset, const char *what, mst_expr_find_layer *find,
                                  void *user, mst_expr **out, mst_error *error);

// How many nodes along its axis a stretch lies behind the node: that of what it reads on either side is the middle, but for the
// shift. 0 for one that cannot be moved, as it depends on plain values, coordinates say, or on a stretch along another axis.
int mst_expr_stretch_offset(const mst_expr_stretch *stretch);

// Whether b, an expression of the same symbols, is a moved by *offset nodes along the axis. A shift is moved with its argument,
// or says where that is now.
bool mst_expr_is_same_stretch(const mst_expr_stretch *a, const mst_expr_stretch *b, int *offset);

#endif
