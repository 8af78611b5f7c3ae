// The table that `mastaba bench convolution` prints beside its own results is the published one, and gives the paper's findings.
#include "support.h"

#include "../cli/bench/published/convolution.c"

static void table_is_the_csv(void **state) {
    (void)state;
    char path[1024], line[256], platform[16];
    const char *source = getenv("MASTABA_SOURCE_DIR");
    snprintf(path, sizeof path, "%s/bench/paper/convolution_speedups.csv", source ? source : ".");
    FILE *csv = fopen(path, "r");
    CHECK(csv, "%s cannot be read", path);
    CHECK(fgets(line, sizeof line, csv) && strcmp(line, "platform,N,MxJ,A,B,C,D,E\n") == 0, "heading: %s", line);
    int lines = 0, published = 0;
    while (fgets(line, sizeof line, csv)) {
        size_t n, side;
        int used = 0, p, c = 0;
        CHECK(sscanf(line, "%15[a-z],%zu,%zux%*u,%n", platform, &n, &side, &used) == 3 && used, "line: %s", line);
        for (p = 0; p < PAPER_N_PLATFORMS && strcmp(platform, paper_platforms[p]) != 0; p++)
            ;
        while (c < PAPER_N_CELLS && (paper_cells[c].n != n || paper_cells[c].side != side))
            c++;
        CHECK(p < PAPER_N_PLATFORMS && c < PAPER_N_CELLS, "not in the table: %s", line);
        char *at = line + used;
        for (int v = 0; v < PAPER_N_VARIANTS; v++) {
            char *end = at;
            double value = *at == ',' || *at == '\n' ? 0 : strtod(at, &end);
            CHECK(value == paper_cells[c].speedups[p][v], "%c is %g in the table: %s", 'A' + v, paper_cells[c].speedups[p][v],
                  line);
            at = *end == ',' ? end + 1 : end;
        }
        lines++;
    }
    fclose(csv);
    for (int c = 0; c < PAPER_N_CELLS; c++)
        for (int p = 0; p < PAPER_N_PLATFORMS; p++)
            published += paper_best(paper_cells[c].speedups[p]) >= 0;
    assert_int_equal(lines, 137);
    assert_int_equal(published, lines);
}

// "C is mostly best for N < 512 (46 of 56 cells), E mostly for N >= 512 (67 of 81)", and the best values.
static void findings(void **state) {
    (void)state;
    int cells[2] = {0}, best[2][PAPER_N_VARIANTS] = {{0}};
    double highest[PAPER_N_PLATFORMS] = {0};
    for (int c = 0; c < PAPER_N_CELLS; c++)
        for (int p = 0; p < PAPER_N_PLATFORMS; p++) {
            int v = paper_best(paper_cells[c].speedups[p]), large = paper_cells[c].n >= PAPER_SPLIT;
            if (v < 0)
                continue;
            cells[large]++;
            best[large][v]++;
            if (paper_cells[c].speedups[p][v] > highest[p])
                highest[p] = paper_cells[c].speedups[p][v];
        }
    assert_int_equal(cells[0], 56);
    assert_int_equal(best[0]['C' - 'A'], 46);
    assert_int_equal(cells[1], 81);
    assert_int_equal(best[1]['E' - 'A'], 67);
    assert_true(highest[0] == 56.226 && highest[1] == 229.012);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(table_is_the_csv), cmocka_unit_test(findings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
