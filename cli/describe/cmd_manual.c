// mastaba manual: the page of the manual of a command, in the macros man(7).
#include "describe.h"

#include "core/report.h"

#include <string.h>

static const char command[] = "manual";

static const char details[] = "Prints the manual's page of a command, what --help says, for man to show.\n"
                              "Without COMMAND, the names of all commands.\n"
                              "\n"
                              "Example:\n"
                              "  mastaba manual fft | man -l -\n";

// troff takes backslashes as its own, and a full stop or a quote at the beginning of a line as a request; its "-" is a hyphen.
static void print_text(const char *text, size_t length) {
    if (length > 0 && (*text == '.' || *text == '\''))
        fputs("\\&", stdout);
    for (size_t i = 0; i < length; i++)
        if (text[i] == '\\')
            fputs("\\e", stdout);
        else if (text[i] == '-')
            fputs("\\-", stdout);
        else
            putchar(text[i]);
}

static void print_word(const char *text) { print_text(text, strlen(text)); }

// Paragraphs as --help has them: lines that begin with a space stay as they are, others are filled.
static void print_paragraphs(const char *text) {
    bool verbatim = false;
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        size_t length = strcspn(line, "\n");
        bool shown_as_is = length == 0 ? verbatim && line[1] == ' ' : *line == ' ';
        if (verbatim && !shown_as_is)
            puts(".fi");
        if (!verbatim && shown_as_is)
            puts(".nf");
        verbatim = shown_as_is;
        if (length == 0 && !verbatim)
            fputs(".PP", stdout);
        print_text(line, length);
        putchar('\n');
    }
    if (verbatim)
        puts(".fi");
}

static void print_option(const cli_option *option) {
    puts(".TP");
    if (option->letter)
        printf("\\fB\\-%c\\fR%s", option->letter, option->name ? ", " : "");
    if (option->name) {
        printf("\\fB\\-\\-");
        print_word(option->name);
        printf("\\fR");
    }
    if (option->argument) {
        printf("%s\\fI", option->name ? "=" : " ");
        print_word(option->argument);
        printf("\\fR");
    }
    putchar('\n');
    print_word(option->help);
    putchar('\n');
}

// "mastaba-bench-filter"
static void print_page_name(const char *name) {
    char page[96];
    snprintf(page, sizeof page, "%s-%s", cli_program(), name);
    for (char *c = page; *c; c++)
        if (*c == ' ')
            *c = '-';
    print_word(page);
}

static int print_page(const cli_command *c) {
    const cli_option *option;
    printf(".TH \"");
    print_page_name(c->name);
    printf("\" 1 \"\" \"mastaba %s\" \"Mastaba\"\n.SH NAME\n", mst_version());
    print_page_name(c->name);
    printf(" \\- ");
    print_word(c->summary);
    printf("\n.SH SYNOPSIS\n.B ");
    print_word(cli_program());
    putchar(' ');
    print_word(c->name);
    putchar('\n');
    print_word(c->synopsis);
    printf("\n.SH DESCRIPTION\n");
    print_word(c->title);
    printf("\n.PP\n");
    print_paragraphs(c->details);
    if (c->commands) {
        puts(".SH COMMANDS");
        for (size_t i = 0; i < c->n_commands; i++) {
            printf(".TP\n.B ");
            print_word(cli_command_name(c->commands[i]));
            putchar('\n');
            print_word(c->commands[i]->summary);
            putchar('\n');
        }
    } else {
        puts(".SH OPTIONS");
        for (size_t i = 0; (option = describe_option(c, i)); i++)
            print_option(option);
        puts(".SH NOTES");
        print_paragraphs(cli_command_notes(c));
    }
    printf(".SH SEE ALSO\n.BR ");
    print_word(cli_program());
    puts(" (1)");
    return cli_flush(command);
}

static const cli_command *find(const cli_command *group, const char *name) {
    for (size_t i = 0; i < group->n_commands; i++) {
        const cli_command *c = group->commands[i];
        if (strcmp(c->name, name) == 0)
            return c;
        const cli_command *below = c->commands ? find(c, name) : NULL;
        if (below)
            return below;
    }
    return NULL;
}

static void print_name(const cli_command *c, void *data) {
    (void)data;
    puts(c->name);
}

static int run(const cli_arguments *arguments, void *values) {
    (void)values;
    const char *const *words = arguments->operands;
    if (!words[0]) {
        describe_each(&cli_root, print_name, NULL);
        return cli_flush(command);
    }
    char name[64];
    snprintf(name, sizeof name, "%s%s%s", words[0], words[1] ? " " : "", words[1] ? words[1] : "");
    const cli_command *c = find(&cli_root, name);
    if (c)
        return print_page(c);
    cli_error(command, "%s: no such command; `%s --help` lists the commands", name, cli_program());
    return CLI_USAGE;
}

const cli_command cmd_manual = {
    .name = command,
    .summary = "the manual's page of a command",
    .title = "Prints the page of the manual of a command.",
    .synopsis = "[COMMAND]",
    .details = details,
    .max_operands = 2,
    .leave_out = CLI_DEVICE | CLI_MEMORY | CLI_NO_CACHE | CLI_FORCE | CLI_JSON | CLI_VERBOSE | CLI_KERNELS | CLI_TIMEOUT,
    .run = run,
};
