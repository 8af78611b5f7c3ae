// Problem files: the YAML below them, the program's reader of problems, and the library's check of what it makes of one.
#include "fuzz.h"

#include "solve/problem.h"
#include "stencil/scheme/problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The same value from the number as it is printed.
static void read_number_again(double value) {
    cli_yaml y = {0};
    char text[40];
    double again = 0;
    int bytes = snprintf(text, sizeof text, "%.17g", value);
    FUZZ_CHECK(cli_yaml_parse("fuzz", "number", text, (size_t)bytes, &y) == CLI_DONE);
    FUZZ_CHECK(cli_yaml_number(&y, cli_yaml_root(&y), &again) && memcmp(&value, &again, sizeof value) == 0);
    cli_yaml_close(&y);
}

static void read_integer_again(uint64_t value) {
    cli_yaml y = {0};
    char text[40];
    uint64_t again = 0;
    int bytes = snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    FUZZ_CHECK(cli_yaml_parse("fuzz", "number", text, (size_t)bytes, &y) == CLI_DONE);
    FUZZ_CHECK(cli_yaml_integer(&y, cli_yaml_root(&y), 0, UINT64_MAX, &again) && value == again);
    cli_yaml_close(&y);
}

// The first values of a document, whatever it means.
static void try_values(const char *path) {
    enum { MOST = 8 };
    cli_yaml y = {0};
    if (cli_yaml_open("fuzz", path, &y) == CLI_DONE)
        for (int i = 1; i <= MOST; i++) {
            const yaml_node_t *node = cli_yaml_node(&y, i);
            double number;
            uint64_t integer;
            if (node && node->type == YAML_SCALAR_NODE && cli_yaml_number(&y, node, &number))
                read_number_again(number);
            if (node && node->type == YAML_SCALAR_NODE && cli_yaml_integer(&y, node, 0, UINT64_MAX, &integer))
                read_integer_again(integer);
        }
    cli_yaml_close(&y);
}

static void try_problem(const char *path) {
    static problem p;
    const problem_overrides none = {.steps = -1};
    mst_problem checked = {0};
    mst_error error;
    int code = problem_open("fuzz", path, &none, &p);
    FUZZ_CHECK(code == CLI_DONE || code == CLI_INPUT_OUTPUT);
    if (code == CLI_DONE) {
        FUZZ_CHECK(p.desc.rank >= 1 && p.desc.rank <= MST_MAX_AXES && p.desc.n_fields >= 1);
        mst_status status = mst_problem_read(&p.desc, &checked, &error);
        FUZZ_CHECK(status == MST_OK || (status == MST_ERROR_ARGUMENT && fuzz_is_message(error.message)));
        mst_problem_release(&checked);
    }
    problem_free(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *path = fuzz_file(data, size);
    try_values(path);
    try_problem(path);
    return 0;
}
