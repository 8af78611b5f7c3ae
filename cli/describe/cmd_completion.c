// mastaba completion: what a shell needs to complete command lines.
#include "describe.h"

#include <string.h>

static const char command[] = "completion";

static const char details[] = "Prints what the shell needs to complete commands, options and names of files.\n"
                              "Packages install it; otherwise:\n"
                              "\n"
                              "  bash   source <(mastaba completion bash)        in ~/.bashrc\n"
                              "  zsh    source <(mastaba completion zsh)         in ~/.zshrc, after compinit\n"
                              "  fish   mastaba completion fish | source         in ~/.config/fish/config.fish\n"
                              "\n"
                              "Example:\n"
                              "  mastaba completion bash > ~/.local/share/bash-completion/completions/mastaba\n";

// Text within single quotes: a quote in it would end them. zsh takes brackets and colons in descriptions as its own.
static void print_quoted(const char *text, const char *escaped) {
    for (const char *c = text; *c; c++)
        if (*c == '\'')
            fputs("'\\''", stdout);
        else
            printf("%s%c", strchr(escaped, *c) ? "\\" : "", *c);
}

// "fft", or "bench filter": the words that come before the options.
static const char *path_of(const cli_command *c) { return c->name ? c->name : ""; }

static void print_option_words(const cli_command *c) {
    const cli_option *option;
    for (size_t i = 0; (option = describe_option(c, i)); i++) {
        if (option->letter)
            printf(" -%c", option->letter);
        if (option->name)
            printf(" --%s%s", option->name, option->argument ? "=" : "");
    }
}

static void print_bash_words(const cli_command *c) {
    printf("        '%s') words='", path_of(c));
    for (size_t i = 0; i < c->n_commands; i++)
        printf(" %s", cli_command_name(c->commands[i]));
    print_option_words(c);
    puts("' ;;");
    for (size_t i = 0; i < c->n_commands; i++)
        print_bash_words(c->commands[i]);
}

// The groups of commands, as a pattern of `case`: their names are followed by another name.
static void print_groups(const cli_command *c) {
    for (size_t i = 0; i < c->n_commands; i++)
        if (c->commands[i]->commands) {
            printf("%s", path_of(c->commands[i]));
            print_groups(c->commands[i]);
        }
}

static void print_bash(void) {
    fputs("_mastaba() {\n"
          "    local current=${COMP_WORDS[COMP_CWORD]} path= words= i\n"
          "    [ $COMP_CWORD -gt 1 ] && path=${COMP_WORDS[1]}\n"
          "    case $path in ",
          stdout);
    print_groups(&cli_root);
    puts(") [ $COMP_CWORD -gt 2 ] && path+=\" ${COMP_WORDS[2]}\" ;; esac\n"
         "    case $path in");
    print_bash_words(&cli_root);
    puts("    esac\n"
         "    COMPREPLY=()\n"
         "    if [[ $current == -* || -z $path || $words != *' -'* ]]; then\n"
         "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
         "        [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace\n"
         "    fi\n"
         "}\n"
         "complete -o default -F _mastaba mastaba");
}

static void print_zsh_options(const cli_command *c) {
    const cli_option *option;
    for (size_t i = 0; (option = describe_option(c, i)); i++) {
        const char *repeated = option->kind == CLI_TEXTS ? "*" : "";
        for (int form = 0; form < 2; form++) {
            if (form == 0 ? !option->name : !option->letter)
                continue;
            printf(" \\\n            '%s", repeated);
            if (form == 0)
                printf("--%s%s", option->name, option->argument ? "=" : "");
            else
                printf("-%c%s", option->letter, option->argument ? "+" : "");
            printf("[");
            print_quoted(option->help, "[]:\\");
            printf("]");
            if (option->argument) {
                printf(":");
                print_quoted(option->argument, "[]:\\");
                printf(":_files");
            }
            printf("'");
        }
    }
}

static void print_zsh_command(const cli_command *c, void *depth) {
    (void)depth;
    printf("        '%s')\n        _arguments -s", path_of(c));
    print_zsh_options(c);
    puts(" \\\n            '*:file:_files' ;;");
}

static void print_zsh_list(const cli_command *group) {
    printf("        '%s')\n        list=(", path_of(group));
    for (size_t i = 0; i < group->n_commands; i++) {
        printf("\n            '%s:", cli_command_name(group->commands[i]));
        print_quoted(group->commands[i]->summary, "");
        printf("'");
    }
    puts("\n        )\n        _describe command list ;;");
    for (size_t i = 0; i < group->n_commands; i++)
        if (group->commands[i]->commands)
            print_zsh_list(group->commands[i]);
}

// Not `path`, which in zsh is the list of $PATH.
static void print_zsh(void) {
    fputs("#compdef mastaba\n"
          "_mastaba() {\n"
          "    local where='' skip=1\n"
          "    local -a list\n"
          "    (( CURRENT > 2 )) && where=$words[2] skip=2\n"
          "    case $where in ",
          stdout);
    print_groups(&cli_root);
    puts(") (( CURRENT > 3 )) && where+=\" $words[3]\" skip=3 ;; esac\n"
         "    shift $((skip - 1)) words\n"
         "    (( CURRENT -= skip - 1 ))\n"
         "    case $where in");
    print_zsh_list(&cli_root);
    describe_each(&cli_root, print_zsh_command, NULL);
    puts("    esac\n"
         "}\n"
         "if [ \"${funcstack[1]}\" = _mastaba ]; then _mastaba \"$@\"; else compdef _mastaba mastaba; fi");
}

// The condition under which fish offers what belongs to a command: all words of its path were given.
static void print_fish_condition(const cli_command *c) {
    const char *path = path_of(c), *space = strchr(path, ' ');
    printf("complete -c mastaba -n '");
    if (!*path)
        printf("__fish_use_subcommand");
    else if (space)
        printf("__fish_seen_subcommand_from %.*s; and __fish_seen_subcommand_from %s", (int)(space - path), path, space + 1);
    else
        printf("test (count (commandline -opc)) -gt 1; and test (commandline -opc)[2] = %s", path);
    printf("'");
}

static void print_fish_list(const cli_command *group) {
    for (size_t i = 0; i < group->n_commands; i++) {
        print_fish_condition(group);
        printf(" -f -a %s -d '", cli_command_name(group->commands[i]));
        print_quoted(group->commands[i]->summary, "");
        puts("'");
        if (group->commands[i]->commands)
            print_fish_list(group->commands[i]);
    }
}

static void print_fish_command(const cli_command *c, void *data) {
    (void)data;
    const cli_option *option;
    for (size_t i = 0; (option = describe_option(c, i)); i++) {
        print_fish_condition(c);
        if (option->letter)
            printf(" -s %c", option->letter);
        if (option->name)
            printf(" -l %s", option->name);
        printf("%s -d '", option->argument ? " -r" : "");
        print_quoted(option->help, "");
        puts("'");
    }
}

static void print_fish(void) {
    print_fish_list(&cli_root);
    describe_each(&cli_root, print_fish_command, NULL);
}

static int run(const cli_arguments *arguments, void *values) {
    (void)values;
    const char *shell = arguments->operands[0];
    if (strcmp(shell, "bash") == 0) {
        print_bash();
    } else if (strcmp(shell, "zsh") == 0) {
        print_zsh();
    } else if (strcmp(shell, "fish") == 0) {
        print_fish();
    } else {
        cli_error(command, "%s: no such shell here; give bash, zsh or fish", shell);
        return CLI_USAGE;
    }
    return cli_flush(command);
}

const cli_command cmd_completion = {
    .name = command,
    .summary = "what bash, zsh or fish need to complete commands",
    .title = "Prints what a shell needs to complete the commands of this program.",
    .synopsis = "bash|zsh|fish",
    .details = details,
    .min_operands = 1,
    .max_operands = 1,
    .leave_out = CLI_DEVICE | CLI_MEMORY | CLI_NO_CACHE | CLI_FORCE | CLI_JSON | CLI_VERBOSE | CLI_KERNELS,
    .run = run,
};
