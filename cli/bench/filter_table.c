// The figures of `mastaba bench filter` as text and as JSON.
#include "filter.h"

const char *filter_row_name(int row) {
    return row < PAPER_N_STAGES ? paper_stages[row].name : row == PAPER_N_STAGES ? "(to complex)" : "(from complex)";
}

static void print_row(const char *name, const double *seconds, const bool *missing, double factor) {
    printf("%-18s", name);
    for (int g = 0; g < PAPER_N_GROUPS; g++) {
        if (missing && missing[g])
            printf("%9s", "-");
        else
            printf("%9.3f", seconds[g] * factor);
    }
    putchar('\n');
}

static void print_table(const filter_table *t) {
    printf("\n%zu x %zu, ms by work-group size\n%-18s", t->n, t->n, "");
    for (int g = 0; g < PAPER_N_GROUPS; g++)
        printf("%9zu", paper_groups[g]);
    putchar('\n');
    for (int s = 0; s < PAPER_N_STAGES; s++) {
        print_row(paper_stages[s].name, t->paper[s], t->missing, 1e3);
        if (t->n == 512)
            print_row("  paper", paper_stages[s].milliseconds, NULL, 1);
    }
    for (int s = PAPER_N_STAGES; s < FILTER_N_ROWS; s++)
        print_row(filter_row_name(s), t->paper[s], t->missing, 1e3);
}

static void print_fused(const filter_table *t, double copy_rate) {
    double rate = filter_rate(t);
    printf("fused, on the device: %.3f ms, %.1f GB/s at 24 bytes a point, %.2f of a copy (%.1f GB/s)\n", 1e3 * t->fused,
           1e-9 * rate, rate / copy_rate, 1e-9 * copy_rate);
}

void filter_print(const filter_table *t, double copy_rate) {
    print_table(t);
    print_fused(t, copy_rate);
}

static json_t *table_json(const filter_table *t, double copy_rate) {
    json_t *object =
        json_pack("{s:I, s:f, s:f}", "n", (json_int_t)t->n, "fused_seconds", t->fused, "copy_bytes_per_second", copy_rate);
    json_t *groups = json_array();
    int failed = !object || !groups;
    for (int g = 0; g < PAPER_N_GROUPS && !failed; g++) {
        json_t *column = json_pack("{s:I}", "work_group", (json_int_t)paper_groups[g]);
        for (int s = 0; s < PAPER_N_STAGES && !t->missing[g]; s++)
            failed |= json_object_set_new(column, paper_stages[s].name, cli_json_real(t->paper[s][g]));
        failed |= json_array_append_new(groups, column);
    }
    failed |= json_object_set_new(object, "paper_algorithm", groups);
    if (!failed)
        return object;
    json_decref(object);
    return NULL;
}

json_t *filter_json(const filter_bench *bench) {
    json_t *list = json_array();
    int failed = !list;
    for (int i = 0; i < bench->n_tables; i++)
        failed |= json_array_append_new(list, table_json(&bench->tables[i], bench->copy_rate));
    if (!failed)
        return json_pack("{s:s, s:o, s:o}", "benchmark", "filter", "device", cli_json_text(bench->device->name), "sizes", list);
    json_decref(list);
    return NULL;
}
