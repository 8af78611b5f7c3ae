// Expressions as declarations in OpenCL C: what is read once and short stands within what reads it, the rest has names.
#ifndef MST_EXPR_WRITE_H
#define MST_EXPR_WRITE_H

#include "elementary.h"
#include "tree.h"

// How tightly an operation binds its operands; what binds less than its place asks for is put in parentheses.
enum {
    MST_EXPR_BINDS_CHOICE = 1,
    MST_EXPR_BINDS_OR,
    MST_EXPR_BINDS_AND,
    MST_EXPR_BINDS_EQUALITY,
    MST_EXPR_BINDS_COMPARISON,
    MST_EXPR_BINDS_SUM,
    MST_EXPR_BINDS_PRODUCT,
    MST_EXPR_BINDS_SIGN,
    MST_EXPR_BINDS_NAME // names, calls
};

// A node as its readers write it.
typedef struct mst_expr_part {
    char *text;
    int binds;
    char *wrapping; // integers: a sum or product that is not yet converted back from unsigned; NULL: none, or it has a name
    int wrapping_binds;
} mst_expr_part;

typedef struct mst_expr_writer mst_expr_writer;

struct mst_expr_writer {
    const mst_expr *expr;
    const char *const *leaves;
    const char *name;
    mst_text *out;
    char type[16], condition_type[16];
    unsigned width; // of vectors, for look_at
    const mst_elementary *own;

    // Adds the text of an operation, says how tightly it binds, and may set the node's `wrapping`.
    int (*write_operation)(mst_expr_writer *w, unsigned index, mst_text *out);
    // Adds a number, of w->type where that matters (`typed`), and says how tightly it binds.
    int (*write_literal)(const mst_expr_writer *w, double value, bool typed, mst_text *out);
    // NULL, or called before what follows for a node: sets the types above.
    void (*look_at)(mst_expr_writer *w, const mst_expr_node *node);
    // Whether operand k of a node must have a name: it stands in the node's text more than once, or where it would not be
    // computed every time.
    bool (*needs_name)(const mst_expr_writer *w, const mst_expr_node *node, int k);

    // NULL: the last node is the value, called `name`; else the names of nodes that are values, NULL for others.
    const char *const *values;

    unsigned n_readers[MST_EXPR_MAX_NODES]; // of each node; 0: the value does not depend on it
    mst_expr_part parts[MST_EXPR_MAX_NODES];
};

// Of the operation in the tree: 0 to 3 operands.
int mst_expr_arity(mst_expr_operation operation);

// The sign between two operands, and how tightly it binds; NULL (and 0) for other operations.
const char *mst_expr_sign_between(mst_expr_operation operation, int *binds);

// Makes a writer, the caller's to free by mst_expr_writer_destroy; NULL without memory.
mst_expr_writer *mst_expr_writer_create(const mst_expr *expr, const char *const *leaves, const char *name, mst_text *out);
void mst_expr_writer_destroy(mst_expr_writer *w);

// Counts the readers of all nodes; the writer's functions must be set. Then writes all declarations.
void mst_expr_writer_count(mst_expr_writer *w);
void mst_expr_writer_run(mst_expr_writer *w);

// The writer's functions of floating-point numbers (write_float.c) and integers (write_integer.c).
int mst_expr_write_float_operation(mst_expr_writer *w, unsigned index, mst_text *out);
int mst_expr_write_float_literal(const mst_expr_writer *w, double value, bool typed, mst_text *out);
bool mst_expr_float_needs_name(const mst_expr_writer *w, const mst_expr_node *node, int k);
int mst_expr_write_integer_operation(mst_expr_writer *w, unsigned index, mst_text *out);
int mst_expr_write_integer_literal(const mst_expr_writer *w, double value, bool typed, mst_text *out);
bool mst_expr_integer_needs_name(const mst_expr_writer *w, const mst_expr_node *node, int k);

// Adds operand k of a node, in parentheses where it binds less than `least`.
void mst_expr_write_operand(const mst_expr_writer *w, const mst_expr_node *node, int k, int least, bool typed, mst_text *out);

#endif
