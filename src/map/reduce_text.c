// Reductions as they stand in an expression's text.
#include "reduce.h"

#include "text/letters.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    mst_map_reduction_kind kind;
} names[] = {
    {"sum", MST_MAP_SUM},
    {"prod", MST_MAP_PRODUCT},
    {"mean", MST_MAP_MEAN},
    {"min", MST_MAP_LEAST},
    {"amin", MST_MAP_LEAST},
    {"max", MST_MAP_LARGEST},
    {"amax", MST_MAP_LARGEST},
    {"any", MST_MAP_ANY},
    {"all", MST_MAP_ALL},
    {"argmin", MST_MAP_WHERE_LEAST},
    {"argmax", MST_MAP_WHERE_LARGEST},
    {"var", MST_MAP_VARIANCE},
    {"std", MST_MAP_DEVIATION},
    {"count", MST_MAP_COUNT},
    {"count_nonzero", MST_MAP_COUNT},
};
enum { N_NAMES = sizeof names / sizeof names[0] };

static size_t skip_spaces(const char *text, size_t at) { return at + strspn(text + at, " \t\r\n"); }

size_t mst_map_find_end(const char *text, size_t at, int *commas) {
    int depth = 1;
    for (*commas = 0; text[at]; at++) {
        if (text[at] == '(')
            depth++;
        else if (text[at] == ')' && --depth == 0)
            return at;
        else if (text[at] == ',' && depth == 1)
            (*commas)++;
    }
    return at;
}

// The one whose name is text[begin .. end - 1]: min and max of two arguments are functions of elements.
static bool read_call(const char *text, size_t begin, size_t end, mst_map_call *call) {
    const size_t open = skip_spaces(text, end);
    for (int k = 0; k < N_NAMES && text[open] == '('; k++) {
        int commas;
        if (strlen(names[k].name) != end - begin || memcmp(names[k].name, text + begin, end - begin) != 0)
            continue;
        const size_t close = mst_map_find_end(text, open + 1, &commas);
        const bool is_of_elements = (names[k].kind == MST_MAP_LEAST || names[k].kind == MST_MAP_LARGEST) && commas > 0;
        *call = (mst_map_call){names[k].kind, begin, open + 1, close - open - 1, text[close] ? close + 1 : 0};
        return !is_of_elements;
    }
    return false;
}

bool mst_map_next_reduction(const char *text, size_t from, mst_map_call *call) {
    for (size_t at = from; text[at];) {
        size_t end = at;
        while (mst_is_in_name(text[end]))
            end++;
        if (end > at && mst_is_letter(text[at]) && read_call(text, at, end, call))
            return true;
        at = end > at ? end : at + 1;
    }
    return false;
}

mst_status mst_map_reduce_find(mst_map *plan, const mst_map_desc *desc, mst_error *error) {
    mst_status status = MST_OK;
    int n = 0;
    mst_map_call call;
    for (int k = 0; k < plan->n_outputs; k++)
        n += mst_map_next_reduction(mst_map_expression(desc, k), 0, &call);
    if (n == 0)
        return MST_OK;
    for (int k = 0; k < plan->n_outputs; k++)
        MST_REQUIRE(mst_map_next_reduction(mst_map_expression(desc, k), 0, &call), MST_ERROR_ARGUMENT,
                    "'%.60s' has an element for each of the arrays', others are reduced; compute them apart",
                    mst_map_expression(desc, k));
    MST_REQUIRE(plan->reduce = calloc(1, sizeof *plan->reduce), MST_ERROR_HOST_MEMORY, "out of memory making a plan");
fail:
    return status;
}
