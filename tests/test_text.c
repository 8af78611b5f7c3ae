// The text layer: templates, indentation, and lines that are broken. Expected texts are written out.
#include "support.h"

#include "text/signature.h"
#include "text/text.h"

#include <string.h>

static void expect(mst_text *t, const char *expected) {
    assert_false(t->failed);
    assert_string_equal(t->text, expected);
    mst_text_release(t);
}

static void test_templates(void **state) {
    (void)state;
    mst_text t = {0};
    const mst_text_value shared[] = {MST_SET(re, "re"), MST_SET(n, 12u), {0}};
    mst_text_put(&t, "const $type x = $value + ${value}u, y = $$;\n", MST_SET(type, "real2"), MST_SET(value, -7));
    mst_text_put_values(&t, "$re[${n}] = $n;\n", shared);
    mst_text_put(&t, "const ulong z = ${large}ul;\n", MST_SET(large, (size_t)-1));
    expect(&t, "const real2 x = -7 + -7u, y = $;\nre[12] = 12;\nconst ulong z = 18446744073709551615ul;\n");
}

static void test_missing_names(void **state) {
    (void)state;
    mst_text t = {0};
    mst_text_put(&t, "x = $radices;\n", MST_SET(radix, 4));
    assert_true(t.failed);
    assert_string_equal(t.missing, "radices");
    mst_text_add(&t, "more\n");
    assert_true(t.failed);
    mst_text_release(&t);
    mst_text_put(&t, "x = ${radix;\n", MST_SET(radix, 4));
    assert_true(t.failed);
    mst_text_release(&t);
}

static void test_indentation(void **state) {
    (void)state;
    mst_text t = {0};
    mst_text_add(&t, "real f(real a)\n{\nif (a > 0)\nfor (int i = 0; i < 3; i++)\na += i;\n#pragma unroll\nfor (;;) {\n// why\n"
                     "if (a)\nwhile (b) {\nc();\n} else {\nd = e +\nf;\n}\n}\n      g(h,\ni);\nswitch (x) {\ncase 1:\n");
    mst_text_add(&t, "y();"); // in pieces
    mst_text_add(&t, "\n}\nreturn '{';\n}\n");
    expect(&t, "real f(real a)\n"
               "{\n"
               "    if (a > 0)\n"
               "        for (int i = 0; i < 3; i++)\n"
               "            a += i;\n"
               "#pragma unroll\n"
               "    for (;;) {\n"
               "        // why\n"
               "        if (a)\n"
               "            while (b) {\n"
               "                c();\n"
               "            } else {\n"
               "                d = e +\n"
               "                    f;\n"
               "            }\n"
               "    }\n"
               "    g(h,\n"
               "        i);\n"
               "    switch (x) {\n"
               "    case 1:\n"
               "        y();\n"
               "    }\n"
               "    return '{';\n"
               "}\n");
}

static void test_initialiser(void **state) {
    (void)state;
    mst_text t = {0};
    mst_text_add(&t, "__constant int table[] = {\n1, 2, // one\n3, 4,\n};\n{\nint a,\nb;\n}\n");
    expect(&t, "__constant int table[] = {\n    1, 2, // one\n    3, 4,\n};\n{\n    int a,\n        b;\n}\n");
}

static void test_verbatim(void **state) {
    (void)state;
    mst_text t = {0};
    mst_text_add_verbatim(&t, "void f(int a,\n       int b) {\n  g();\n}\n");
    mst_text_add(&t, "void h()\n{\nf();\n}\n");
    expect(&t, "void f(int a,\n       int b) {\n  g();\n}\nvoid h()\n{\n    f();\n}\n");
}

// Broken lines hold the same letters but for blanks, and none is too long.
static void test_long_lines(void **state) {
    (void)state;
    mst_text t = {0};
    char line[700] = "    value = ", flat[700], *to = flat;
    for (int k = 0; k < 40; k++)
        sprintf(line + strlen(line), "%sf%d(a, b)", k ? " + " : "", k);
    mst_text_add(&t, "{\n%s; // and why\n#define X %s\n}\n", line, line);
    const char *rest = t.text;
    while (*rest) {
        size_t n = strcspn(rest, "\n");
        assert_true(n <= MST_TEXT_COLUMNS);
        rest += n + 1;
    }
    assert_non_null(strstr(t.text, "    // and why\n    value = "));
    assert_non_null(strstr(t.text, " \\\n"));
    const char *define = strstr(t.text, "#define");
    for (const char *c = strstr(t.text, "value"); c < define; c++)
        if (*c != ' ' && *c != '\n')
            *to++ = *c;
    *to = '\0';
    char wanted[700], *w = wanted;
    for (const char *c = line; *c; c++)
        if (*c != ' ')
            *w++ = *c;
    memcpy(w, ";", 2);
    assert_string_equal(flat, wanted);
    mst_text_release(&t);
}

static void expect_parameter(const mst_signature *s, size_t k, const char *type, const char *name) {
    assert_true(k < s->n_parameters);
    assert_string_equal(s->parameters[k].type, type);
    assert_string_equal(s->parameters[k].name, name);
}

static void test_signatures(void **state) {
    (void)state;
    mst_signature written, got;
    mst_text t = {0};
    mst_signature_begin(&written, "advance");
    mst_signature_add(&written, "__global const real *", "%s_prev", "u");
    mst_signature_add(&written, "long", "first_%d", 2);
    mst_signature_write(&written, "__attribute__((reqd_work_group_size(4, 1, 1)))", &t);
    mst_text_add(&t, "}\n");
    assert_string_equal(t.text, "__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void advance("
                                "__global const real *u_prev, long first_2) {\n}\n");
    assert_true(mst_signature_read(t.text, "advance", &got));
    assert_int_equal(got.n_parameters, 2);
    expect_parameter(&got, 0, "__global const real *", "u_prev");
    expect_parameter(&got, 1, "long", "first_2");
    mst_signature_release(&written);
    mst_signature_release(&got);
    mst_text_release(&t);
}

// As people write them: comments, blanks of every kind, other functions of similar names.
static void test_signatures_of_files(void **state) {
    (void)state;
    mst_signature s;
    static const char source[] = "void sum_of(int n) {}\n/* void sum(int wrong) */\nint avoid; void sum_it(void);\n"
                                 "__kernel SIZED void\nsum (__global real2*a,// a, b\n\t__local  uint * restrict b ,\n"
                                 "uint /* how many */ n\n) { sum_of(n); }\n__kernel void none() {}\n__kernel void torn(int a";
    assert_true(mst_signature_read(source, "sum", &s));
    assert_int_equal(s.n_parameters, 3);
    expect_parameter(&s, 0, "__global real2*", "a");
    expect_parameter(&s, 1, "__local uint * restrict", "b");
    expect_parameter(&s, 2, "uint", "n");
    mst_signature_release(&s);
    assert_true(mst_signature_read(source, "none", &s));
    assert_int_equal(s.n_parameters, 0);
    mst_signature_release(&s);
    assert_false(mst_signature_read(source, "torn", &s) || s.failed);
    mst_signature_release(&s);
    assert_false(mst_signature_read(source, "su", &s));
    mst_signature_release(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_templates),   cmocka_unit_test(test_missing_names),
        cmocka_unit_test(test_indentation), cmocka_unit_test(test_initialiser),
        cmocka_unit_test(test_verbatim),    cmocka_unit_test(test_long_lines),
        cmocka_unit_test(test_signatures),  cmocka_unit_test(test_signatures_of_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
