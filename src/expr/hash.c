#include "write.h"

#include <xxhash.h>

uint64_t mst_expr_hash(const mst_expr *expr) {
    uint64_t hash = expr->n_nodes;
    for (unsigned i = 0; i < expr->n_nodes; i++) {
        const mst_expr_node *node = &expr->nodes[i];
        const mst_expr_leaf *leaf = node->operation == MST_EXPR_LEAF ? &expr->leaves[node->operands[0]] : NULL;
        int64_t numbers[4] = {node->operation};
        for (int k = 0; k < mst_expr_arity(node->operation); k++)
            numbers[1 + k] = node->operands[k];
        if (leaf) {
            numbers[1] = (int64_t)leaf->symbol;
            numbers[2] = leaf->level;
            hash = XXH3_64bits_withSeed(leaf->offsets, sizeof leaf->offsets, hash);
        }
        hash = XXH3_64bits_withSeed(numbers, sizeof numbers, hash);
        hash = XXH3_64bits_withSeed(&node->value, sizeof node->value, hash);
        if (node->type)
            hash = XXH3_64bits_withSeed(&node->type, sizeof node->type, hash);
    }
    return hash;
}
