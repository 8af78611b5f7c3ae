// The types of an expression's parts, as NumPy finds them, and the walk that makes operations of them. A part without a type of
// its own, as numbers are, is made anew in the type of whatever reads it.
#include "lower.h"
#include "write.h"

#include <math.h>
#include <stdlib.h>

enum { LARGEST_PRODUCT = 16, MOST_WORK = 200000 };

// ---- Types

static mst_type narrowed(const mst_lowering *l, mst_type type) {
    if (!l->typing->narrow)
        return type;
    return type == MST_FLOAT64 ? MST_FLOAT32 : type == MST_COMPLEX128 ? MST_COMPLEX64 : type;
}

static mst_type common_weak(mst_type strong, mst_type weak) {
    if (weak == MST_INT64)
        return strong == MST_BOOL ? MST_INT64 : strong;
    if (mst_type_has_parts(strong))
        return strong;
    if (weak == MST_FLOAT64)
        return mst_type_is_float(strong) ? strong : MST_FLOAT64;
    return strong == MST_FLOAT16 || strong == MST_FLOAT32 ? MST_COMPLEX64 : MST_COMPLEX128;
}

static mst_expr_kind common(mst_expr_kind a, mst_expr_kind b) {
    if (a.weak && b.weak)
        return a.type == MST_COMPLEX128 || b.type == MST_INT64 ? a : b;
    if (a.weak || b.weak)
        return (mst_expr_kind){.type = a.weak ? common_weak(b.type, a.type) : common_weak(a.type, b.type)};
    return (mst_expr_kind){.type = mst_type_common(a.type, b.type)};
}

// What a function of real numbers makes of integers: a type that holds them.
static mst_expr_kind real_kind(mst_expr_kind a) {
    if (mst_type_is_float(a.type) || mst_type_has_parts(a.type))
        return a;
    if (a.weak)
        return (mst_expr_kind){.type = MST_FLOAT64, .weak = true};
    return (mst_expr_kind){.type = mst_type_common(a.type, MST_FLOAT16)};
}

static mst_expr_kind part_kind(mst_expr_kind a) {
    if (a.type == MST_COMPLEX128)
        a.type = MST_FLOAT64;
    if (a.type == MST_COMPLEX64)
        a.type = MST_FLOAT32;
    return a;
}

static bool is_rounding(mst_expr_operation o) { return o >= MST_EXPR_SIGN && o <= MST_EXPR_TRUNC; }

// The type in which an operation's operands are taken, from their common one.
static mst_expr_kind operand_kind(mst_expr_operation o, mst_expr_kind c) {
    if (o == MST_EXPR_DIVIDE && !mst_type_is_float(c.type) && !mst_type_has_parts(c.type))
        return (mst_expr_kind){.type = MST_FLOAT64, .weak = c.weak};
    const bool counts = o == MST_EXPR_FLOOR_DIVIDE || o == MST_EXPR_REMAINDER || o == MST_EXPR_POW || o == MST_EXPR_MOD ||
                        o == MST_EXPR_SHIFT_LEFT || o == MST_EXPR_SHIFT_RIGHT || is_rounding(o);
    if (counts)
        return c.type == MST_BOOL ? (mst_expr_kind){.type = MST_INT8} : c;
    const bool is_exact = o < MST_EXPR_ABS || o == MST_EXPR_ABS || o == MST_EXPR_MIN || o == MST_EXPR_MAX;
    if (o == MST_EXPR_COMPLEX)
        return real_kind(part_kind(c));
    if (o == MST_EXPR_ARGUMENT && !mst_type_has_parts(c.type))
        return real_kind(c);
    return is_exact ? c : real_kind(c);
}

// The type of what it makes of them.
static mst_expr_kind result_kind(mst_expr_operation o, mst_expr_kind c) {
    if (o == MST_EXPR_COMPLEX)
        return (mst_expr_kind){.type = c.type == MST_FLOAT64 ? MST_COMPLEX128 : MST_COMPLEX64, .weak = c.weak};
    return o == MST_EXPR_REAL || o == MST_EXPR_IMAGINARY || o == MST_EXPR_ARGUMENT || o == MST_EXPR_ABS ? part_kind(c) : c;
}

// The common type of a node's operands but for a condition; those of functions of two real numbers become real one by one.
static mst_expr_kind kind_of_operands(const mst_lowering *l, const mst_expr_node *node) {
    const mst_expr_operation o = node->operation;
    const bool reals = o == MST_EXPR_ATAN2 || o == MST_EXPR_HYPOT || o == MST_EXPR_COPYSIGN || o == MST_EXPR_NEXTAFTER;
    const unsigned *x = node->operands + (o == MST_EXPR_CHOOSE ? 1 : 0), *end = node->operands + mst_expr_arity(o);
    mst_expr_kind c = l->kinds[*x];
    while (++x < end)
        c = reals ? common(real_kind(c), real_kind(l->kinds[*x])) : common(c, l->kinds[*x]);
    return c;
}

// The value of an operation on numbers alone; 0 of one that is not known here.
static double value_of_numbers(const mst_lowering *l, const mst_expr_node *node) {
    if (mst_expr_is_of_map(node->operation) || node->operation == MST_EXPR_CHOOSE)
        return 0;
    double x[3] = {0};
    for (int k = 0; k < mst_expr_arity(node->operation); k++)
        x[k] = l->kinds[node->operands[k]].value;
    return mst_expr_apply(node->operation, x[0], x[1], x[2]);
}

static mst_expr_kind kind_of(const mst_lowering *l, const mst_expr_node *node) {
    mst_expr_kind kind;
    if (node->operation == MST_EXPR_NUMBER)
        return (mst_expr_kind){.type = node->operands[0] ? MST_FLOAT64 : MST_INT64, .weak = true, .value = node->value};
    if (node->operation == MST_EXPR_LEAF)
        kind = l->typing->symbols[l->from->leaves[node->operands[0]].symbol];
    else if (node->operation == MST_EXPR_AS_NUMBER && l->typing->computed)
        kind = (mst_expr_kind){.type = l->typing->computed};
    else if (mst_expr_is_condition(node->operation) || node->operation == MST_EXPR_AS_NUMBER)
        kind = (mst_expr_kind){.type = MST_BOOL};
    else
        kind = result_kind(node->operation, operand_kind(node->operation, kind_of_operands(l, node)));
    if (!kind.weak)
        kind.type = narrowed(l, kind.type);
    else if (node->operation != MST_EXPR_LEAF)
        kind.value = value_of_numbers(l, node);
    return kind;
}

// ---- The walk

static mst_value make(mst_lowering *l, unsigned index, mst_type type);

// A node's value in a type.
static mst_value value_in(mst_lowering *l, unsigned index, mst_type type) {
    const mst_expr_kind *kind = &l->kinds[index];
    if (l->status != MST_OK)
        return mst_lower_value(type, 0);
    if (++l->work > MOST_WORK)
        mst_lower_fail(l, "too long: too many numbers within numbers");
    if (kind->weak && type != MST_BOOL)
        return make(l, index, type);
    if (type == MST_BOOL && l->from->nodes[index].operation == MST_EXPR_NUMBER) // whatever types would hold it
        return mst_lower_known(l, l->from->nodes[index].value != 0);
    if (!l->made[index].type)
        l->made[index] = make(l, index, kind->weak ? narrowed(l, kind->type) : kind->type);
    return mst_lower_convert(l, l->made[index], type, false);
}

static unsigned make_leaf(mst_lowering *l, const mst_expr_leaf *leaf, int part, mst_type type) {
    const bool is_number = l->typing->symbols[leaf->symbol].weak;
    mst_expr_leaf own = {.symbol = leaf->symbol, .level = part, .offsets = {(int)(is_number ? mst_type_held(type) : type)}};
    if (l->status != MST_OK)
        return 0;
    const unsigned k = mst_lower_keep(l, mst_expr_find_leaf(l->to, &own));
    return mst_lower_one(l, MST_EXPR_LEAF, mst_type_held(type), k);
}

static mst_value read_symbol(mst_lowering *l, const mst_expr_leaf *leaf, mst_type type) {
    const mst_expr_kind *kind = &l->typing->symbols[leaf->symbol];
    mst_value value = {type, {0, 0}};
    if (kind->weak && mst_type_is_integer(type))
        mst_lower_number(l, type, kind->value); // is refused where it does not fit
    for (int part = 0; part < (mst_type_has_parts(type) ? 2 : 1); part++)
        value.part[part] = make_leaf(l, leaf, part, type);
    if (kind->weak && mst_type_has_parts(type) && kind->type != MST_COMPLEX128)
        value.part[1] = mst_lower_number(l, mst_type_held(type), 0);
    if (type == MST_BOOL)
        value.part[0] = mst_lower_compare_number(l, MST_EXPR_NOT_EQUAL, MST_UINT8, value.part[0], 0);
    return value;
}

// Integers that differ in sign are compared as they are, not as the floats that NumPy would take otherwise.
static unsigned compare_signs(mst_lowering *l, mst_expr_operation o, mst_value a, mst_value b) {
    const bool first = mst_type_is_signed(a.type);
    const mst_value with_sign = first ? a : b;
    const unsigned negative = mst_lower_compare_number(l, MST_EXPR_LESS, with_sign.type, with_sign.part[0], 0);
    a = mst_lower_convert(l, a, MST_UINT64, false), b = mst_lower_convert(l, b, MST_UINT64, false);
    const unsigned plain = mst_lower_two(l, o, MST_UINT64, a.part[0], b.part[0]);
    const bool less = o == MST_EXPR_LESS || o == MST_EXPR_LESS_EQUAL, more = o == MST_EXPR_GREATER || o == MST_EXPR_GREATER_EQUAL;
    if (o == MST_EXPR_NOT_EQUAL || (first ? less : more))
        return mst_lower_and(l, MST_EXPR_OR, negative, plain);
    return mst_lower_and(l, MST_EXPR_AND, mst_lower_not(l, negative), plain);
}

static bool fits(const mst_lowering *l, unsigned index, mst_type type) {
    const double value = l->kinds[index].value;
    const int bits = 8 * (int)mst_type_bytes(type) - (mst_type_is_signed(type) ? 1 : 0);
    return !mst_type_is_integer(type) || (value < ldexp(1, bits) && value >= (mst_type_is_signed(type) ? -ldexp(1, bits) : 0));
}

// The type in which two are compared: that of one of them may not hold a number that the other one is.
static mst_type compared_type(const mst_lowering *l, const mst_expr_node *node) {
    const mst_expr_kind a = l->kinds[node->operands[0]], b = l->kinds[node->operands[1]], c = common(a, b);
    const bool fit = (!a.weak || fits(l, node->operands[0], c.type)) && (!b.weak || fits(l, node->operands[1], c.type));
    return narrowed(l, fit ? c.type : mst_type_bytes(c.type) < 8 ? MST_INT64 : MST_FLOAT64);
}

static unsigned compare(mst_lowering *l, const mst_expr_node *node) {
    const mst_expr_operation o = node->operation;
    const mst_expr_kind *a = &l->kinds[node->operands[0]], *b = &l->kinds[node->operands[1]];
    const mst_type type = compared_type(l, node), held = mst_type_held(type);
    if (!a->weak && !b->weak && mst_type_is_float(type) && mst_type_is_integer(a->type) && mst_type_is_integer(b->type))
        return compare_signs(l, o, value_in(l, node->operands[0], a->type), value_in(l, node->operands[1], b->type));
    mst_value x[2];
    for (int k = 0; k < 2; k++) {
        x[k] = value_in(l, node->operands[k], type);
        if (type == MST_BOOL)
            x[k] = mst_lower_convert(l, x[k], MST_UINT8, false);
    }
    const unsigned first = mst_lower_two(l, o, type == MST_BOOL ? MST_UINT8 : held, x[0].part[0], x[1].part[0]);
    if (!mst_type_has_parts(type))
        return first;
    if (o != MST_EXPR_EQUAL && o != MST_EXPR_NOT_EQUAL)
        return mst_lower_fail(l, "complex numbers have no order; compare abs(), real() or imag()");
    return mst_lower_and(l, o == MST_EXPR_EQUAL ? MST_EXPR_AND : MST_EXPR_OR, first,
                         mst_lower_two(l, o, held, x[0].part[1], x[1].part[1]));
}

static mst_value make_condition(mst_lowering *l, const mst_expr_node *node) {
    unsigned x[2] = {0};
    const mst_expr_operation o = node->operation;
    if (o != MST_EXPR_AS_CONDITION && o != MST_EXPR_NOT && o != MST_EXPR_AND && o != MST_EXPR_OR)
        return mst_lower_value(MST_BOOL, compare(l, node));
    for (int k = 0; k < mst_expr_arity(o); k++)
        x[k] = value_in(l, node->operands[k], MST_BOOL).part[0];
    if (o == MST_EXPR_NOT)
        x[0] = mst_lower_not(l, x[0]);
    return mst_lower_value(MST_BOOL, o == MST_EXPR_AND || o == MST_EXPR_OR ? mst_lower_and(l, o, x[0], x[1]) : x[0]);
}

static mst_value make_choice(mst_lowering *l, const mst_expr_node *node, mst_type type) {
    const unsigned condition = value_in(l, node->operands[0], MST_BOOL).part[0];
    const mst_type carried = type == MST_BOOL ? MST_UINT8 : type;
    const mst_value yes = mst_lower_convert(l, value_in(l, node->operands[1], type), carried, false);
    const mst_value no = mst_lower_convert(l, value_in(l, node->operands[2], type), carried, false);
    mst_value value = {carried, {0, 0}};
    for (int k = 0; k < 2; k++)
        value.part[k] = mst_lower_choose(l, mst_type_held(carried), condition, yes.part[k], no.part[k]);
    return mst_lower_convert(l, value, type, false);
}

// A power with a whole exponent up to 16 is a product, x^0.5 the root.
static mst_value make_power(mst_lowering *l, const mst_expr_node *node, mst_type type) {
    const mst_expr_node *exponent = &l->from->nodes[node->operands[1]];
    const double e = exponent->value;
    const bool is_known = exponent->operation == MST_EXPR_NUMBER, is_whole = is_known && e == floor(e);
    mst_value x[2] = {value_in(l, node->operands[0], type)};
    const double given = l->kinds[node->operands[1]].value;
    if (given < 0 && given == floor(given) && mst_type_is_integer(type))
        mst_lower_fail(l, "integers have no power %.17g; write %.17g with a point", given, given);
    if (is_known && e == 0.5 && !mst_type_has_parts(type))
        return mst_lower_value(type, mst_lower_one(l, MST_EXPR_SQRT, mst_type_held(type), x[0].part[0]));
    if (is_known && e == 0.5)
        return mst_lower_complex(l, MST_EXPR_SQRT, type, x);
    if (is_whole && e == 0)
        return mst_lower_real(l, type, 1);
    if (is_whole && fabs(e) <= LARGEST_PRODUCT && l->from->nodes[node->operands[0]].operation != MST_EXPR_NUMBER) {
        x[1] = mst_lower_product(l, x[0], (unsigned)fabs(e));
        x[0] = mst_lower_real(l, type, 1);
        if (e > 0)
            return x[1];
        if (mst_type_has_parts(type))
            return mst_lower_complex(l, MST_EXPR_DIVIDE, type, x);
        return mst_lower_value(type, mst_lower_two(l, MST_EXPR_DIVIDE, mst_type_held(type), x[0].part[0], x[1].part[0]));
    }
    x[1] = value_in(l, node->operands[1], type);
    if (mst_type_has_parts(type))
        return mst_lower_complex(l, MST_EXPR_POW, type, x);
    return mst_lower_value(type, mst_lower_two(l, MST_EXPR_POW, mst_type_held(type), x[0].part[0], x[1].part[0]));
}

static bool is_of_bits(mst_expr_operation o) { return o >= MST_EXPR_SHIFT_LEFT && o <= MST_EXPR_BIT_NOT; }

// Of one real type; floats have no bits.
static mst_value make_real(mst_lowering *l, mst_expr_operation o, mst_type type, const mst_value *x) {
    const mst_type held = mst_type_held(type);
    if (is_of_bits(o)) {
        mst_lower_fail(l, "%s has no bits to shift or combine; & | ~ xor << >> take integers", mst_type_name(type));
        return x[0];
    }
    switch (o) {
    case MST_EXPR_FLOOR_DIVIDE:
    case MST_EXPR_REMAINDER:
        return mst_lower_floor(l, o, type, x);
    case MST_EXPR_SIGN: // OpenCL's is 0 for a NaN, NumPy's a NaN
        return mst_lower_value(type,
                               mst_lower_choose(l, held, mst_lower_two(l, MST_EXPR_NOT_EQUAL, held, x[0].part[0], x[0].part[0]),
                                                x[0].part[0], mst_lower_one(l, o, held, x[0].part[0])));
    case MST_EXPR_REAL:
    case MST_EXPR_CONJUGATE:
        return x[0];
    case MST_EXPR_NEXTAFTER:
        return mst_lower_value(type, type == MST_FLOAT16 ? mst_lower_next_half(l, x[0].part[0], x[1].part[0])
                                                         : mst_lower_two(l, o, held, x[0].part[0], x[1].part[0]));
    case MST_EXPR_IMAGINARY:
        return mst_lower_value(type, mst_lower_number(l, held, 0));
    case MST_EXPR_ARGUMENT:
        return mst_lower_value(type, mst_lower_two(l, MST_EXPR_ATAN2, held, mst_lower_number(l, held, 0), x[0].part[0]));
    default:
        return mst_lower_value(type, mst_lower_two(l, o, held, x[0].part[0], mst_expr_arity(o) > 1 ? x[1].part[0] : 0));
    }
}

// What reads a complex number and gives one of its parts or the like.
static mst_value take_part(mst_lowering *l, mst_expr_operation o, mst_type type, mst_value x) {
    const mst_type part = mst_type_part(type);
    if (o == MST_EXPR_ABS)
        return mst_lower_value(part, mst_lower_magnitude(l, x));
    if (o == MST_EXPR_ARGUMENT)
        return mst_lower_value(part, mst_lower_angle(l, x));
    return mst_lower_value(part, x.part[o == MST_EXPR_IMAGINARY ? 1 : 0]);
}

// An operation whose operands are of one type; `type` is that of a result without a type of its own.
static mst_value make_operation(mst_lowering *l, const mst_expr_node *node, mst_type type) {
    const mst_expr_operation o = node->operation;
    const mst_expr_kind operands = operand_kind(o, kind_of_operands(l, node));
    const bool is_part = o == MST_EXPR_REAL || o == MST_EXPR_IMAGINARY || o == MST_EXPR_ARGUMENT || o == MST_EXPR_ABS;
    mst_type taken = narrowed(l, operands.type);
    mst_value x[2] = {{type, {0, 0}}, {type, {0, 0}}};
    if (operands.weak && o == MST_EXPR_COMPLEX)
        taken = mst_type_part(type);
    else if (operands.weak && !(is_part && mst_type_has_parts(operands.type)))
        taken = type;
    if (o == MST_EXPR_POW)
        return make_power(l, node, taken);
    for (int k = 0; k < mst_expr_arity(o); k++)
        x[k] = value_in(l, node->operands[k], taken);
    if (o == MST_EXPR_COMPLEX)
        return (mst_value){taken == MST_FLOAT64 ? MST_COMPLEX128 : MST_COMPLEX64, {x[0].part[0], x[1].part[0]}};
    l->written = node->written;
    if (mst_type_has_parts(taken))
        return is_part ? take_part(l, o, taken, x[0]) : mst_lower_complex(l, o, taken, x);
    if (taken == MST_BOOL)
        return mst_lower_truth(l, o, x);
    return mst_type_is_integer(taken) ? mst_lower_integer(l, o, taken, x) : make_real(l, o, taken, x);
}

static mst_value make(mst_lowering *l, unsigned index, mst_type type) {
    const mst_expr_node *node = &l->from->nodes[index];
    if (node->operation == MST_EXPR_NUMBER)
        return mst_lower_real(l, type, node->value);
    if (node->operation == MST_EXPR_LEAF)
        return read_symbol(l, &l->from->leaves[node->operands[0]], type);
    if (node->operation == MST_EXPR_AS_NUMBER)
        return mst_lower_convert(l, value_in(l, node->operands[0], MST_BOOL), type, false);
    if (mst_expr_is_condition(node->operation))
        return make_condition(l, node);
    if (node->operation == MST_EXPR_CHOOSE)
        return make_choice(l, node, type);
    return mst_lower_convert(l, make_operation(l, node, type), type, false);
}

// ---- Roots

static void make_root(mst_lowering *l, mst_expr_root *root) {
    const unsigned last = l->from->n_nodes - 1;
    const mst_expr_kind kind = l->kinds[last];
    const mst_type others = l->typing->computed ? l->typing->computed : l->typing->common;
    const mst_expr_kind whole = kind.weak ? common(kind, (mst_expr_kind){.type = others}) : kind;
    mst_type type = narrowed(l, whole.type);
    mst_value value = value_in(l, last, type);
    if (l->typing->computed) {
        type = narrowed(l, l->typing->computed);
        value = mst_lower_convert(l, value, type, false);
    }
    if (l->typing->converted) {
        type = narrowed(l, l->typing->converted);
        value = mst_lower_convert(l, value, type, true);
    }
    root->type = type;
    if (type == MST_BOOL)
        value = mst_lower_convert(l, value, MST_UINT8, false);
    root->nodes[0] = value.part[0];
    root->nodes[1] = value.part[1];
}

mst_expr *mst_expr_create_lowered(void) { return mst_expr_create(false, false); }

mst_status mst_expr_lower(const mst_expr *from, const mst_expr_typing *typing, mst_expr *to, mst_expr_root *root,
                          mst_error *error) {
    mst_status status = MST_OK;
    mst_lowering l = {.from = from, .typing = typing, .to = to, .error = error};
    MST_REQUIRE((l.kinds = calloc(from->n_nodes, sizeof *l.kinds)) && (l.made = calloc(from->n_nodes, sizeof *l.made)),
                MST_ERROR_HOST_MEMORY, "out of memory reading an expression");
    for (unsigned i = 0; i < from->n_nodes; i++)
        l.kinds[i] = kind_of(&l, &from->nodes[i]);
    make_root(&l, root);
    status = l.status;
fail:
    free(l.kinds);
    free(l.made);
    return status;
}

bool mst_expr_has_double(const mst_expr *lowered) {
    for (unsigned i = 0; i < lowered->n_nodes; i++)
        if (lowered->nodes[i].type == MST_FLOAT64)
            return true;
    return false;
}

unsigned mst_expr_largest(const mst_expr *lowered) {
    size_t largest = 1;
    for (unsigned i = 0; i < lowered->n_nodes; i++) {
        const size_t bytes = mst_type_bytes(lowered->nodes[i].type);
        largest = bytes > largest ? bytes : largest;
    }
    return (unsigned)largest;
}
