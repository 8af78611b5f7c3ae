// Random expressions, their text, and an interpreter that shares nothing with the library's: what docs/expressions.md says.
#ifndef MST_TESTS_SUPPORT_EXPRESSION_H
#define MST_TESTS_SUPPORT_EXPRESSION_H

#include "support_choices.h"

enum { TEST_MAX_NODES = 120, TEST_MAX_EXPRESSION = 4000 };

typedef struct test_node {
    int operation, n_operands, operands[3]; // indices of nodes, which stand behind this one
    size_t leaf;
    const char *number;
    bool parentheses; // more than needed
    bool constant;    // is `value`
    double value;
} test_node;

// Node 0 is the whole.
typedef struct test_expression {
    const char *const *leaves;
    int n_nodes;
    test_node nodes[TEST_MAX_NODES];
} test_expression;

typedef struct test_expression_kind {
    const char *const *leaves; // how they are written
    size_t n_leaves;
    int most_nodes;
    bool integers;   // what integers have, and now and then what they have not
    bool arithmetic; // nothing that a device need not compute to the last bit
} test_expression_kind;

test_expression test_expression_choose(const test_expression_kind *kind);
void test_expression_write(const test_expression *e, int node, char text[TEST_MAX_EXPRESSION]);

// A function of expressions, or a division. The error that OpenCL 1.2 allows it, in units in the last place of float and double.
typedef struct test_function {
    const char *name;
    int arity;
    double ulps[2];
    double (*of_double)(double, double);
    float (*of_float)(float, float);
    long double (*precise)(long double, long double);
} test_function;

// Whether that node is a function of numbers that are not constant; *function is which.
bool test_expression_calls(const test_expression *e, int node, const test_function **function);

// The value in double or float. `call` gives that of a function's node where it must not be the host's own; NULL: the host's own.
typedef struct test_evaluation {
    const test_expression *expression;
    bool is_double;
    const double *leaves;
    double (*call)(void *user, int node, const test_function *function, double a, double b);
    void *user;
    bool *is_open; // NULL, or becomes true where the value may depend on which of two zeros min and max give
} test_evaluation;
double test_expression_value(const test_evaluation *how, int node);

// The value in integers of `bytes`, which wrap around; and whether integers have all that the expression does.
int64_t test_expression_integer(const test_expression *e, unsigned bytes, const int64_t *leaves, int node);
bool test_expression_is_integer(const test_expression *e, unsigned bytes, int node);

bool test_same(double a, double b); // equal, or both NaN

#endif
