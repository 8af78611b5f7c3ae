// The command line, by popt's tables, and the text of --help.
#include "command.h"

#include "file.h"
#include "interrupt.h"
#include "nearest.h"
#include "report.h"
#include "team.h"
#include "values.h"

#include <errno.h>
#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_OPTIONS = 40, MOST_SHARED = 16, DEFAULT_TIMEOUT = 600 };

typedef struct shared_option {
    unsigned group;
    cli_option option;
} shared_option;

static const shared_option shared_options[] = {
    {CLI_DEVICE,
     {"device", 'd', CLI_TEXT, offsetof(cli_options, device),
      "an index of `mastaba devices`, a part of a name, a list 0,1, all, kind:gpu, or NAME/N: N parts of it (default: "
      "$MASTABA_DEVICE, else the marked one)",
      "DEVICE"}},
    {CLI_MEMORY,
     {"device-memory", 0, CLI_TEXT, offsetof(cli_options, device_memory_text),
      "most memory to take of the device (default: three quarters of it)", "SIZE"}},
    {CLI_MEMORY,
     {"host-memory", 0, CLI_TEXT, offsetof(cli_options, host_memory_text),
      "most memory for blocks on their way to and from the device (default: 1GiB)", "SIZE"}},
    {CLI_NO_CACHE,
     {"no-cache", 0, CLI_FLAG, offsetof(cli_options, no_cache), "neither read nor write compiled kernels on disk", NULL}},
    {CLI_FORCE, {"force", 'f', CLI_FLAG, offsetof(cli_options, force), "replace an output that exists", NULL}},
    {CLI_JSON, {"json", 0, CLI_FLAG, offsetof(cli_options, json), "print the result as JSON", NULL}},
    {CLI_KERNELS,
     {"show-kernels", 0, CLI_FLAG, offsetof(cli_options, show_kernels),
      "print the OpenCL C of all kernels; without -o nothing is computed", NULL}},
    {CLI_VERBOSE, {"verbose", 'v', CLI_FLAG, offsetof(cli_options, verbose), "say more, and log to standard error", NULL}},
    {CLI_TIMEOUT,
     {"timeout", 0, CLI_REAL, offsetof(cli_options, timeout),
      "end the job when a rank has waited so long; 0: never (default: 600)", "SECONDS"}},
};
enum { N_SHARED = CLI_COUNT(shared_options) };

static const cli_option help_option = {"help", 'h', CLI_FLAG, 0, "print this text", NULL};

// Only ranks wait for others.
static bool is_taken(const cli_command *command, unsigned group) {
    return !(command->leave_out & group) && (group != CLI_TIMEOUT || cli_get_team()->watch);
}

const cli_option *cli_shared_option(const cli_command *command, size_t i) {
    for (size_t k = 0; k < N_SHARED; k++)
        if (is_taken(command, shared_options[k].group) && i-- == 0)
            return &shared_options[k].option;
    return i == 0 ? &help_option : NULL;
}

// A command line while it is read. The tables point into the line and into each other, so it stays where it is.
typedef struct command_line {
    const cli_command *command;
    void *values;
    cli_arguments arguments;
    int help;
    char name[64];    // "mastaba convolve"
    poptContext popt; // owns the operands' text
    struct poptOption own[MOST_OPTIONS + 1], shared[MOST_SHARED + 1], all[3];
    int n_own, n_shared;
} command_line;

static struct poptOption popt_option(const cli_option *option, void *values, int number) {
    static const unsigned kinds[] = {
        [CLI_FLAG] = POPT_ARG_NONE,   [CLI_INT] = POPT_ARG_INT,     [CLI_LONG] = POPT_ARG_LONGLONG,
        [CLI_REAL] = POPT_ARG_DOUBLE, [CLI_TEXT] = POPT_ARG_STRING, [CLI_TEXTS] = POPT_ARG_ARGV,
    };
    unsigned hidden = option->help ? 0 : POPT_ARGFLAG_DOC_HIDDEN;
    return (struct poptOption){option->name, option->letter,  kinds[option->kind] | hidden, (char *)values + option->at, number,
                               option->help, option->argument};
}

// popt's tables of the command's own options and of the shared ones, numbered from 1.
static void fill_tables(command_line *line) {
    const cli_command *c = line->command;
    for (size_t i = 0; i < c->n_options && i < MOST_OPTIONS; i++, line->n_own++)
        line->own[i] = popt_option(&c->options[i], line->values, (int)i + 1);
    const cli_option *option;
    for (; (option = cli_shared_option(c, (size_t)line->n_shared)); line->n_shared++) {
        void *values = option == &help_option ? (void *)&line->help : &line->arguments.common;
        line->shared[line->n_shared] = popt_option(option, values, line->n_own + line->n_shared + 1);
    }
    int n = 0;
    if (line->n_own > 0)
        line->all[n++] = (struct poptOption){NULL, 0, POPT_ARG_INCLUDE_TABLE, line->own, 0, "Options:", NULL};
    line->all[n] = (struct poptOption){
        NULL, 0, POPT_ARG_INCLUDE_TABLE, line->shared, 0, line->n_own > 0 ? "Common options:" : "Options:", NULL};
}

// What the options of memory are given as, and the codes that commands end with.
#define EXIT_CODES                                                                                                               \
    "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 no such device, 4 input or output\n"                                         \
    "(a file cannot be read or written, or its data do not fit), 5 accuracy missed,\n"                                           \
    "6 diverged, 130 interrupted.\n"

const char *cli_command_notes(const cli_command *command) {
    if (command->leave_out & CLI_MEMORY)
        return EXIT_CODES;
    return "SIZE: bytes, or a number with K, M, G, T, KiB, MiB, GiB, TiB (powers of 1024) or\n"
           "KB, MB, GB, TB (powers of 1000).\n\n" EXIT_CODES;
}

static int print_help(const cli_command *c, poptContext popt) {
    printf("%s\n\n", c->title);
    poptPrintHelp(popt, stdout, 0);
    printf("\n%s\n%s", c->details, cli_command_notes(c));
    return cli_flush(c->name);
}

static const char in_parentheses[] = "; an expression that begins with - stands in parentheses";

static int refuse_option(const command_line *line, int code) {
    const char *bad = poptBadOption(line->popt, 0), *near = NULL;
    const bool is_unknown = code == POPT_ERROR_BADOPT, is_long = strncmp(bad, "--", 2) == 0;
    const char *names[MOST_OPTIONS + MOST_SHARED];
    char name[32] = "";
    size_t n = 0;
    for (int i = 0; i < line->n_own + line->n_shared; i++) {
        const struct poptOption *option = i < line->n_own ? &line->own[i] : &line->shared[i - line->n_own];
        if (option->longName)
            names[n++] = option->longName;
    }
    if (is_unknown && is_long)
        snprintf(name, sizeof name, "%.*s", (int)strcspn(bad + 2, "="), bad + 2);
    if (*name)
        near = cli_nearest(name, names, n, sizeof names[0]);
    cli_error(line->command->name, "%s: %s%s%s; `%s --help` lists the options%s", bad, poptStrerror(code),
              near ? ", did you mean --" : "", near ? near : "", line->name,
              is_unknown && !is_long && line->command->of_expressions ? in_parentheses : "");
    return CLI_USAGE;
}

// Reads the options. Of a text that is given twice the last one counts: popt overwrites the first, which is freed here.
static int read_options(command_line *line) {
    char *texts[MOST_OPTIONS + MOST_SHARED + 1] = {0};
    int code;
    while ((code = poptGetNextOpt(line->popt)) > 0) {
        const struct poptOption *option = code <= line->n_own ? &line->own[code - 1] : &line->shared[code - 1 - line->n_own];
        if ((option->argInfo & POPT_ARG_MASK) == POPT_ARG_STRING) {
            free(texts[code]);
            texts[code] = *(char **)option->arg;
        }
    }
    if (code == -1)
        return CLI_DONE;
    return refuse_option(line, code);
}

static int take_operands(command_line *line, int argc) {
    const cli_command *c = line->command;
    cli_arguments *a = &line->arguments;
    const char *operand;
    a->operands = calloc((size_t)argc + 1, sizeof *a->operands);
    if (!a->operands)
        return cli_out_of_memory(c->name, NULL);
    while ((operand = poptGetArg(line->popt)) != NULL) {
        if (a->n_operands == c->max_operands) {
            cli_error(c->name, "%s: one operand too many; usage: %s %s", operand, line->name, c->synopsis);
            return CLI_USAGE;
        }
        a->operands[a->n_operands++] = operand;
    }
    if (a->n_operands >= c->min_operands)
        return CLI_DONE;
    cli_error(c->name, "%d operand%s given, %d needed; usage: %s %s%s", a->n_operands, a->n_operands == 1 ? "" : "s",
              c->min_operands, line->name, c->synopsis, c->of_expressions ? in_parentheses : "");
    return CLI_USAGE;
}

static int read_size(const char *command, const char *option, const char *text, uint64_t *bytes) {
    if (!text || cli_size(text, bytes))
        return CLI_DONE;
    return cli_wrong_option(command, option, text,
                            "not a size; give bytes, or a number and K, M, G, T (powers of 1024) or KB, MB, GB, TB (of 1000)");
}

static int read_line(command_line *line, int argc) {
    const char *name = line->command->name;
    cli_options *common = &line->arguments.common;
    int code = read_options(line);
    if (code != CLI_DONE || line->help)
        return code;
    code = take_operands(line, argc);
    if (code == CLI_DONE && common->show_kernels && common->json) {
        cli_error(name, "--show-kernels prints text and --json JSON; leave out one of them");
        return CLI_USAGE;
    }
    if (code == CLI_DONE)
        code = read_size(name, "--device-memory", common->device_memory_text, &common->device_memory);
    if (code == CLI_DONE)
        code = read_size(name, "--host-memory", common->host_memory_text, &common->host_memory);
    if (code == CLI_DONE && cli_get_team()->watch)
        code = cli_get_team()->watch(name, common->timeout);
    return code;
}

static void free_texts(const struct poptOption *options, int n) {
    for (int i = 0; i < n; i++) {
        unsigned kind = options[i].argInfo & POPT_ARG_MASK;
        if (kind == POPT_ARG_STRING)
            free(*(char **)options[i].arg);
        if (kind != POPT_ARG_ARGV)
            continue;
        char **texts = *(char ***)options[i].arg;
        for (size_t k = 0; texts && texts[k]; k++)
            free(texts[k]);
        free(texts);
    }
}

// Reads the command line into popt's context, and does what it says.
static int read_and_run(command_line *line, int argc, const char **argv) {
    const cli_command *c = line->command;
    snprintf(line->name, sizeof line->name, "%s%s%s", cli_program(), c->name ? " " : "", c->name ? c->name : "");
    argv[0] = line->name; // what popt's usage line begins with
    line->popt = poptGetContext(NULL, argc, argv, line->all, 0);
    if (!line->popt)
        return cli_out_of_memory(c->name, NULL);
    poptSetOtherOptionHelp(line->popt, c->synopsis);
    int code = read_line(line, argc);
    if (code == CLI_DONE && line->help) {
        code = print_help(c, line->popt);
    } else if (code == CLI_DONE) {
        cli_catch_interrupts(c->name);
        code = c->run(&line->arguments, line->values);
    }
    poptFreeContext(line->popt);
    return code;
}

// PoCL shows no device where it cannot write its cache. With a home that is read-only it gets a directory for this user's code
// alone; one of that name which others made or can write is left alone, and that is said, as the device will be missing.
static void give_cache(void) {
    char path[4096];
    struct stat about;
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME"), *temporary = getenv("TMPDIR");
    if (getenv("POCL_CACHE_DIR") || (!base && !home))
        return;
    snprintf(path, sizeof path, base ? "%s/pocl/kcache" : "%s/.cache/pocl/kcache", base ? base : home);
    if (cli_can_make(path))
        return;
    snprintf(path, sizeof path, "%s/mastaba-pocl-%lu", temporary && *temporary ? temporary : "/tmp", (unsigned long)geteuid());
    if ((mkdir(path, 0700) != 0 && errno != EEXIST) || lstat(path, &about) != 0)
        return;
    if (S_ISDIR(about.st_mode) && about.st_uid == geteuid() && (about.st_mode & 077) == 0)
        setenv("POCL_CACHE_DIR", path, 0);
    else
        cli_error(NULL, "%s is not a directory of yours alone, so PoCL has no cache, and shows no device; set POCL_CACHE_DIR",
                  path);
}

// Before the first call into OpenCL. PoCL compiles a kernel in a general form when its binary is asked for, to be stored, and
// again for every size of work-groups and kind of grid when it is launched, which is no faster; so launches take the general
// form, unless the user says otherwise.
static void prepare_drivers(void) {
    setenv("POCL_WORK_GROUP_SPECIALIZATION", "0", 0);
    give_cache();
}

int cli_run_command(const cli_command *command, int argc, const char **argv) {
    if (command->commands)
        return cli_run_group(command, argc, argv);
    prepare_drivers();
    command_line line = {.command = command, .values = calloc(1, command->values_bytes + 1)};
    line.arguments.common.timeout = DEFAULT_TIMEOUT;
    if (!line.values)
        return cli_out_of_memory(command->name, NULL);
    if (command->defaults)
        memcpy(line.values, command->defaults, command->values_bytes);
    fill_tables(&line);
    int code = read_and_run(&line, argc, argv);
    free_texts(line.own, line.n_own);
    free_texts(line.shared, line.n_shared);
    free(line.arguments.operands);
    free(line.values);
    return code;
}
