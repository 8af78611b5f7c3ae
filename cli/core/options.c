// The command line: popt's tables, sizes, and the text of --help.
#include "options.h"

#include "report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool cli_size(const char *text, uint64_t *bytes) {
    static const struct {
        const char *suffix;
        double factor;
    } units[] = {
        {"", 1},         {"B", 1},      {"K", 0x1p10},   {"KiB", 0x1p10}, {"M", 0x1p20}, {"MiB", 0x1p20}, {"G", 0x1p30},
        {"GiB", 0x1p30}, {"T", 0x1p40}, {"TiB", 0x1p40}, {"KB", 1e3},     {"MB", 1e6},   {"GB", 1e9},     {"TB", 1e12},
    };
    if (text[strspn(text, "0123456789.")] != '\0' && strchr("KMGTBkmgtb", text[strspn(text, "0123456789.")]) == NULL)
        return false; // strtod would take "0x10", "inf" and "1e3"
    char *end;
    double number = strtod(text, &end);
    if (end == text)
        return false;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcasecmp(end, units[i].suffix) == 0) {
            double product = number * units[i].factor;
            if (!(product >= 1 && product < 0x1p63))
                return false;
            *bytes = (uint64_t)product;
            return true;
        }
    return false;
}

int cli_axes(const char *command, const char *text, int most, int *axes, int *n_axes) {
    const char *at = text;
    *n_axes = 0;
    for (;;) {
        char *end;
        errno = 0;
        long axis = strtol(at, &end, 10);
        if (end == at || errno != 0 || axis < -MST_MAX_RANK || axis >= MST_MAX_RANK || (*end != ',' && *end != '\0')) {
            cli_error(command, "--axes %s: not a list of axes; give numbers such as -1 or -2,-1", text);
            return CLI_USAGE;
        }
        if (*n_axes == most) {
            cli_error(command, "--axes %s: more than %d axes", text, most);
            return CLI_USAGE;
        }
        axes[(*n_axes)++] = (int)axis;
        if (*end == '\0')
            return CLI_DONE;
        at = end + 1;
    }
}

enum { MOST_OPTIONS = 40 };

// The options that the command has, its own and the shared. The tables point into `common` and into each other, so the caller
// holds them. `numbered` lists all: popt returns n + 1 for numbered[n].
typedef struct tables {
    struct poptOption own[MOST_OPTIONS], shared[9], all[4];
    const struct poptOption *numbered[MOST_OPTIONS + 9];
    int n_numbered;
    int help;
} tables;

static void number_options(tables *t, struct poptOption *options) {
    for (; options->longName || options->shortName; options++) {
        t->numbered[t->n_numbered] = options;
        options->val = ++t->n_numbered;
    }
}

static void fill_tables(tables *t, const cli_usage *usage, cli_options *common) {
    const struct {
        unsigned group;
        struct poptOption option;
    } known[] = {
        {CLI_DEVICE,
         {"device", 'd', POPT_ARG_STRING, &common->device, 0,
          "an index of `mastaba devices` or a part of a name (default: $MASTABA_DEVICE, else the marked one)", "DEVICE"}},
        {CLI_MEMORY,
         {"device-memory", 0, POPT_ARG_STRING, &common->device_memory_text, 0,
          "most memory to take of the device (default: three quarters of it)", "SIZE"}},
        {CLI_MEMORY,
         {"host-memory", 0, POPT_ARG_STRING, &common->host_memory_text, 0,
          "most memory for blocks on their way to and from the device (default: 1GiB)", "SIZE"}},
        {CLI_NO_CACHE,
         {"no-cache", 0, POPT_ARG_NONE, &common->no_cache, 0, "neither read nor write compiled kernels on disk", NULL}},
        {CLI_FORCE, {"force", 'f', POPT_ARG_NONE, &common->force, 0, "replace an output that exists", NULL}},
        {CLI_JSON, {"json", 0, POPT_ARG_NONE, &common->json, 0, "print the result as JSON", NULL}},
        {CLI_VERBOSE, {"verbose", 'v', POPT_ARG_NONE, &common->verbose, 0, "say more, and log to standard error", NULL}},
    };
    size_t n = 0;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (!(usage->leave_out & known[i].group))
            t->shared[n++] = known[i].option;
    t->help = 0;
    t->shared[n++] = (struct poptOption){"help", 'h', POPT_ARG_NONE, &t->help, 0, "print this text", NULL};
    t->shared[n] = (struct poptOption)POPT_TABLEEND;
    t->own[0] = (struct poptOption)POPT_TABLEEND;
    for (size_t i = 0; usage->options && i + 1 < MOST_OPTIONS && (usage->options[i].longName || usage->options[i].shortName);
         i++) {
        t->own[i] = usage->options[i];
        t->own[i + 1] = (struct poptOption)POPT_TABLEEND;
    }
    t->n_numbered = 0;
    number_options(t, t->own);
    number_options(t, t->shared);
    n = 0;
    if (usage->options)
        t->all[n++] = (struct poptOption){NULL, 0, POPT_ARG_INCLUDE_TABLE, t->own, 0, "Options:", NULL};
    t->all[n++] =
        (struct poptOption){NULL, 0, POPT_ARG_INCLUDE_TABLE, t->shared, 0, usage->options ? "Common options:" : "Options:", NULL};
    t->all[n] = (struct poptOption)POPT_TABLEEND;
}

static int print_help(const cli_usage *usage, poptContext popt) {
    printf("%s\n\n", usage->summary);
    poptPrintHelp(popt, stdout, 0);
    printf("\n%s\n", usage->details);
    if (!(usage->leave_out & CLI_MEMORY))
        puts("SIZE: bytes, or a number with K, M, G, T, KiB, MiB, GiB, TiB (powers of 1024) or\n"
             "KB, MB, GB, TB (powers of 1000).\n");
    puts("Exit codes: 0 done, 1 failed, 2 wrong usage, 3 no such device, 4 input or output\n"
         "(a file cannot be read or written, or its data do not fit), 5 accuracy missed,\n"
         "130 interrupted.");
    return cli_flush(usage->command);
}

static bool read_size(const char *command, const char *option, const char *text, uint64_t *bytes) {
    if (!text || cli_size(text, bytes))
        return true;
    cli_error(command, "%s %s: not a size; give bytes, or a number and K, M, G, T (powers of 1024) or KB, MB, GB, TB (of 1000)",
              option, text);
    return false;
}

// Reads the options. Of one that is given twice the last counts: popt overwrites its text, so the first is freed here.
static int read_options(poptContext popt, const tables *t) {
    char *texts[MOST_OPTIONS + 9] = {0};
    int code;
    while ((code = poptGetNextOpt(popt)) > 0) {
        const struct poptOption *option = t->numbered[code - 1];
        if ((option->argInfo & POPT_ARG_MASK) == POPT_ARG_STRING) {
            free(texts[code - 1]);
            texts[code - 1] = *(char **)option->arg;
        }
    }
    return code;
}

static bool take_operands(const cli_usage *usage, cli_arguments *a, int argc) {
    const char *operand;
    a->operands = calloc((size_t)argc + 1, sizeof *a->operands);
    if (!a->operands) {
        cli_error(usage->command, "out of memory");
        return false;
    }
    while ((operand = poptGetArg(a->popt)) != NULL) {
        if (a->n_operands == usage->max_operands) {
            cli_error(usage->command, "%s: one operand too many; usage: mastaba %s %s", operand, usage->command, usage->synopsis);
            return false;
        }
        a->operands[a->n_operands++] = operand;
    }
    if (a->n_operands >= usage->min_operands)
        return true;
    cli_error(usage->command, "%d operand%s given, %d needed; usage: mastaba %s %s", a->n_operands, a->n_operands == 1 ? "" : "s",
              usage->min_operands, usage->command, usage->synopsis);
    return false;
}

bool cli_parse(const cli_usage *usage, int argc, const char **argv, cli_arguments *a, int *exit_code) {
    tables t;
    char name[64];
    memset(a, 0, sizeof *a);
    fill_tables(&t, usage, &a->common);
    snprintf(name, sizeof name, "mastaba %s", usage->command);
    argv[0] = name; // what popt's usage line begins with
    *exit_code = CLI_USAGE;
    a->popt = poptGetContext(NULL, argc, argv, t.all, 0);
    if (!a->popt) {
        cli_error(usage->command, "out of memory");
        *exit_code = CLI_FAILED;
        return false;
    }
    poptSetOtherOptionHelp(a->popt, usage->synopsis);
    int code = read_options(a->popt, &t);
    if (code < -1) {
        cli_error(usage->command, "%s: %s; `mastaba %s --help` lists the options", poptBadOption(a->popt, 0), poptStrerror(code),
                  usage->command);
        return false;
    }
    if (t.help) {
        *exit_code = print_help(usage, a->popt);
        return false;
    }
    return take_operands(usage, a, argc) &&
           read_size(usage->command, "--device-memory", a->common.device_memory_text, &a->common.device_memory) &&
           read_size(usage->command, "--host-memory", a->common.host_memory_text, &a->common.host_memory);
}

void cli_free(cli_arguments *a) {
    if (a->popt)
        poptFreeContext(a->popt);
    free(a->operands);
    free(a->common.device);
    free(a->common.device_memory_text);
    free(a->common.host_memory_text);
    memset(a, 0, sizeof *a);
}
