// Tables of the rules on regions.
#include "integrand.h"
#include "nodes.h"

#include <math.h>

// As kronrod.cl has them: slopes between the four nodes next to an end; the nodes that it looks at there; Legendre's
// coefficients, and the last of them that logarithms are taken off.
enum { SLOPES = 3, NEAR = 5, TERMS = 16, LAST_BESIDE = 6 };

// The nodes close to the ends lie far enough from them to be told apart after rounding.
static double edge_node(const mst_integral *plan) { return plan->is_double ? 1 - 0x1p-18 : 1 - 0x1p-11; }

// Legendre's coefficients, but for k + 1/2, of log(v) and of log(v) (2 v - 1) through Kronrod's nodes, made orthogonal over the
// last ones; and how those are made of these: factors of log(v) in both, and of log(v) (2 v - 1) in the second.
static void make_logarithms(const double *nodes, const double *kronrod, double logs[2][TERMS], double of_logs[3]) {
    long double terms[2][TERMS] = {{0}}, norms[2] = {0}, common = 0;
    for (int i = -(MST_KRONROD_NODES - 2); i <= MST_KRONROD_NODES - 2; i++) {
        const long double z = i < 0 ? -(long double)nodes[-i] : (long double)nodes[i];
        long double part = (long double)kronrod[i < 0 ? -i : i] * logl((1 + z) / 2), before = 0, legendre = 1;
        for (int k = 0; k < TERMS; k++) {
            const long double next = ((2 * k + 1) * z * legendre - k * before) / (k + 1);
            terms[0][k] += part * legendre;
            terms[1][k] += part * z * legendre;
            before = legendre;
            legendre = next;
        }
    }
    for (int j = 0; j < 2; j++) {
        for (int k = TERMS - LAST_BESIDE; k < TERMS; k++)
            norms[j] += terms[j][k] * terms[j][k];
        norms[j] = sqrtl(norms[j]);
        for (int k = 0; k < TERMS; k++)
            logs[j][k] = (double)(terms[j][k] /= norms[j]);
        for (int k = TERMS - LAST_BESIDE; k < TERMS && j == 0; k++)
            common += terms[0][k] * terms[1][k];
        for (int k = 0; k < TERMS && j == 0; k++)
            terms[1][k] -= common * terms[0][k];
    }
    of_logs[0] = (double)(1 / norms[0]);
    of_logs[1] = (double)(-common / (norms[0] * norms[1]));
    of_logs[2] = (double)(1 / norms[1]);
}

void mst_integral_write_kronrod(const mst_integral *plan, mst_text *out) {
    static const char *const names[MST_NULL_RULES] = {"NULL_14", "NULL_15", "NULL_16", "NULL_17",
                                                      "NULL_18", "NULL_19", "NULL_20", "NULL_21"};
    double nodes[MST_KRONROD_NODES], kronrod[MST_KRONROD_NODES], null_rules[MST_NULL_RULES][MST_KRONROD_NODES];
    double all[MST_KRONROD_POINTS] = {0}, gaps[MST_KRONROD_POINTS] = {1}, logs[2][MST_KRONROD_NODES], ends[NEAR], log_ends[NEAR],
           slopes[SLOPES], means[SLOPES], bends[SLOPES - 1], log_terms[2][TERMS], of_logs[3];
    mst_kronrod(edge_node(plan), nodes, kronrod, null_rules);
    for (int k = 1; k < MST_KRONROD_NODES; k++) {
        all[2 * k - 1] = -nodes[k];
        all[2 * k] = nodes[k];
        gaps[2 * k - 1] = gaps[2 * k] = 1 - nodes[k];
    }
    for (int k = 0; k < NEAR; k++)
        log_ends[k] = log(ends[k] = (1 - nodes[MST_KRONROD_NODES - 1 - k]) / 2);
    for (int k = 0; k < SLOPES; k++) {
        slopes[k] = 1 / log(ends[k + 1] / ends[k]);
        means[k] = (ends[k + 1] - ends[k]) * slopes[k];
    }
    for (int k = 0; k < SLOPES - 1; k++)
        bends[k] = 2 / (log_ends[k + 2] - log_ends[k]);
    make_logarithms(nodes, kronrod, log_terms, of_logs);
    mst_text_add(out, "#define EDGE REAL(%.17g)\n", 1 - nodes[MST_KRONROD_NODES - 2]);
    for (int k = 0; k < MST_KRONROD_NODES; k++) {
        logs[0][k] = log((1 - nodes[k]) / 2);
        logs[1][k] = log((1 + nodes[k]) / 2);
    }
    mst_integral_write_table(plan, "GAPS", gaps, MST_KRONROD_POINTS, out);
    mst_integral_write_table(plan, "LOG_NEAR", logs[0], MST_KRONROD_NODES, out);
    mst_integral_write_table(plan, "LOG_FAR", logs[1], MST_KRONROD_NODES, out);
    mst_integral_write_table(plan, "DISTANCES", ends, NEAR, out);
    mst_integral_write_table(plan, "LOG_DISTANCES", log_ends, NEAR, out);
    mst_text_add(out, "#define BEND_OF_LOG REAL(%.17g)\n",
                 ((log_ends[2] - log_ends[1]) / (ends[2] - ends[1]) - (log_ends[1] - log_ends[0]) / (ends[1] - ends[0])) /
                     (ends[2] - ends[0]));
    mst_integral_write_table(plan, "SLOPES", slopes, SLOPES, out);
    mst_integral_write_table(plan, "MEANS", means, SLOPES, out);
    mst_integral_write_table(plan, "BENDS", bends, SLOPES - 1, out);
    mst_integral_write_table(plan, "LOGS", log_terms[0], 2 * TERMS, out);
    mst_integral_write_table(plan, "OF_LOGS", of_logs, 3, out);
    mst_integral_write_table(plan, "NODES", all, MST_KRONROD_POINTS, out);
    mst_integral_write_table(plan, "KRONROD", kronrod, MST_KRONROD_NODES, out);
    for (int k = 0; k < MST_NULL_RULES; k++)
        mst_integral_write_table(plan, names[k], null_rules[k], MST_KRONROD_NODES, out);
}

void mst_integral_write_genz_malik(const mst_integral *plan, unsigned n_points, mst_text *out) {
    enum { MOST_POINTS = 512, MOST_AXES = 7 };
    double positions[MOST_POINTS * MOST_AXES], seven[MOST_POINTS], five[MOST_POINTS], hidden[MOST_POINTS];
    double nulls[MST_AXIS_POINTS][MST_AXIS_NULL_RULES];
    unsigned d = (unsigned)plan->desc.n_variables;
    mst_genz_malik(d, edge_node(plan), positions, seven, five, hidden, nulls);
    mst_text_add(out, "#define AT_EDGE REAL(%.17g)\n", (1 - edge_node(plan)) / 2);
    mst_integral_write_table(plan, "POSITIONS", positions, n_points * d, out);
    mst_integral_write_table(plan, "SEVEN", seven, n_points, out);
    mst_integral_write_table(plan, "FIVE", five, n_points, out);
    mst_integral_write_table(plan, "HIDDEN", hidden, n_points, out);
    mst_integral_write_table(plan, "NULLS", nulls[0], MST_AXIS_POINTS * MST_AXIS_NULL_RULES, out);
}
