// The parent's part of mastaba devices --check.
#include "check.h"

#include "child.h"

#include <string.h>

void cli_check_device(size_t index, char *const *environment, int timeout, bool verbose, cli_check *check) {
    char number[32];
    child_answer answer;
    int used = 0;
    snprintf(number, sizeof number, "--check-child=%zu", index);
    char *arguments[] = {(char[]){"mastaba"}, (char[]){"devices"}, number, NULL};
    memset(check, 0, sizeof *check);
    child c = child_start(arguments, environment, timeout, verbose);
    child_finish(&c, &answer);
    sscanf(answer.text, "%lf %lf%n", &check->seconds, &check->copy_rate, &used);
    check->ok = answer.ok && used > 0;
    if (!check->ok)
        snprintf(check->problem, sizeof check->problem, "%.*s", (int)sizeof check->problem - 1, answer.text);
}
