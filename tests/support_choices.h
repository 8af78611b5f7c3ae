// Campaigns of random cases, with the failing ones shrunk. A case is the list of the numbers that were chosen while it was made:
// any list is a case, 0 is the simplest choice, and zeros follow the end of a list; so a shorter list of smaller numbers is a
// simpler case, and one way of shrinking does for cases of every kind (MacIver and Donaldson, Test-case reduction via test-case
// generation, ECOOP 2020). Cases run in a process of their own: one fails by ending it (CHECK), by crashing it, or by hanging.
#ifndef MST_TESTS_SUPPORT_CHOICES_H
#define MST_TESTS_SUPPORT_CHOICES_H

#include "support.h"

// Choices of a case that is being made.
size_t test_choose(size_t n);                        // 0 .. n - 1
size_t test_choose_between(size_t low, size_t high); // both included; low is the simplest
bool test_choose_rarely(size_t one_in);              // true in one of so many cases
mst_place test_choose_place(void);
size_t test_choose_length(size_t most); // 1 and on; often short, a prime, a power or next to one
// Dense, or with axes in another order, gaps and negative strides; with `broadcast`, some strides may be 0.
mst_layout test_choose_layout(mst_type type, int rank, const size_t *shape, bool broadcast);

// All choices are made: random data, of test_random, depend on these alone from here on. The text describes the case. `things` is
// what it counts for among those tried.
void test_case_made(size_t things, const char *format, ...) __attribute__((format(printf, 2, 3)));

// What main does. make_and_try makes a case and tries it; a context is its own for some hundred cases.
//     PROGRAM SECONDS       tries random cases (MASTABA_SEED) and prints those that fail, then `NAME: N tried, M failed`
//     PROGRAM case CHOICES  tries the one of these choices, "3,0,17"
int test_choices_main(int argc, char **argv, const char *name, void (*make_and_try)(mst_context *context));

#endif
