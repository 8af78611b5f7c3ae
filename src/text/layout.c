#include "layout.h"

#include <string.h>

// What the layout needs to know of a line.
typedef struct line_shape {
    size_t code; // letters before a comment at its end, without the spaces between
    int braces, parens, leading_closers;
    char last; // letter of the code, 0 if there is none
    bool is_head, is_directive;
} line_shape;

static bool starts_with(const char *line, const char *word) {
    size_t n = strlen(word);
    return strncmp(line, word, n) == 0 && (line[n] == ' ' || line[n] == '(' || line[n] == '\0');
}

// Of a statement that follows: if, else, for, while, without a brace of its own.
static bool is_head(const char *line, const line_shape *s) {
    while (*line == '}' || *line == ' ')
        line++;
    bool opens = starts_with(line, "if") || starts_with(line, "for") || starts_with(line, "while") || starts_with(line, "else");
    return opens && (s->last == ')' || (s->last == 'e' && starts_with(line, "else")));
}

// Where a literal in quotes that begins here ends.
static size_t skip_quoted(const char *line, size_t i) {
    char quote = line[i++];
    while (line[i] && line[i] != quote)
        i += line[i] == '\\' && line[i + 1] ? 2 : 1;
    return line[i] ? i : i - 1;
}

static line_shape shape_of(const char *line) {
    line_shape s = {.is_directive = line[0] == '#'};
    bool leading = true;
    for (size_t i = 0; line[i]; i++) {
        char c = line[i];
        if (c == '/' && line[i + 1] == '/')
            break;
        if (c == '"' || c == '\'')
            i = skip_quoted(line, i);
        s.braces += (c == '{') - (c == '}');
        s.parens += (c == '(' || c == '[') - (c == ')' || c == ']');
        leading = leading && (c == '}' || c == ' ');
        s.leading_closers += leading && c == '}';
        if (c != ' ') {
            s.code = i + 1;
            s.last = line[i];
        }
    }
    s.is_head = is_head(line, &s);
    return s;
}

// Heads whose statement is a block in braces give their indentation but once.
static int units_of_heads(const mst_text *t, bool is_block) { return is_block && t->heads > 0 ? t->heads - 1 : t->heads; }

static size_t indent_of(const mst_text *t, const char *line, const line_shape *s) {
    int units = units_of_heads(t, line[0] == '{'), still_open = t->n_open - s->leading_closers;
    for (int k = 0; k < still_open && k < MST_TEXT_DEPTH; k++)
        units += t->units[k];
    if (s->leading_closers > 0 && still_open >= 0 && still_open < MST_TEXT_DEPTH) // as far as the line that opened it
        units += t->units[still_open] - 1;
    if (line[0] != '{' && line[0] != '}' && (t->parens > 0 || (t->goes_on && t->n_open > 0)))
        units++;
    if (units > 0 && (starts_with(line, "case") || strncmp(line, "default:", 8) == 0))
        units--;
    return (size_t)units * MST_TEXT_INDENT;
}

static void note_braces(mst_text *t, const char *line, const line_shape *s) {
    int opened = s->braces + s->leading_closers, units = 1 + units_of_heads(t, line[0] == '{');
    t->n_open -= s->leading_closers;
    if (s->leading_closers > 0 && t->n_open >= 0 && t->n_open < MST_TEXT_DEPTH) // } else {
        units = t->units[t->n_open];
    for (int k = 0; k < opened; k++, units = 1) {
        if (t->n_open >= 0 && t->n_open < MST_TEXT_DEPTH)
            t->units[t->n_open] = (unsigned char)units;
        t->n_open++;
    }
    if (opened < 0)
        t->n_open += opened;
    if (t->n_open < 0)
        t->n_open = 0;
}

static void note_open(mst_text *t, const char *line, const line_shape *s) {
    if (s->last == 0) // nothing but a comment
        return;
    note_braces(t, line, s);
    t->parens += s->parens;
    if (t->parens > 0)
        return;
    if (s->last == '{' && strstr(line, "= {"))
        t->list = t->n_open;
    else if (t->n_open < t->list)
        t->list = 0;
    bool ends = strchr(";{}:", s->last) || (s->last == ',' && t->list > 0);
    t->goes_on = !ends && !s->is_head;
    if (ends)
        t->heads = 0;
    else if (s->is_head)
        t->heads++;
}

// The place to break a line of n letters within `room`: of the blanks that lie in as few parentheses as any in the last two
// thirds of the room, the last one. 0: there is none.
static size_t break_at(const char *line, size_t n, size_t room) {
    size_t best = 0;
    int depth = 0, best_depth = 0;
    for (size_t i = 0; i < n && i <= room; i++) {
        char c = line[i];
        if (c == '"' || c == '\'')
            i = skip_quoted(line, i);
        depth += (c == '(' || c == '[' || c == '{') - (c == ')' || c == ']' || c == '}');
        bool before_operator = c == ' ' && i + 1 < n && strchr("+-*/%&|?:<>=^", line[i + 1]) != NULL;
        bool behind_comma = c == ' ' && i > 0 && (line[i - 1] == ',' || line[i - 1] == ';');
        bool is_place = (before_operator && line[i + 1] != '=') || behind_comma;
        if (is_place && i >= room / 3 && (best == 0 || depth <= best_depth)) {
            best = i;
            best_depth = depth;
        }
    }
    return best;
}

typedef void appender(mst_text *t, const char *letters, size_t n);

static void append_spaces(mst_text *t, size_t n, appender *append) {
    static const char spaces[] = "                                ";
    for (; n > 0; n -= n < sizeof spaces - 1 ? n : sizeof spaces - 1)
        append(t, spaces, n < sizeof spaces - 1 ? n : sizeof spaces - 1);
}

// Adds n letters of code or, after "// ", of a comment, broken into as many lines as they take.
static void append_broken(mst_text *t, const char *line, size_t n, size_t indent, bool is_directive, appender *append) {
    bool is_comment = n >= 2 && line[0] == '/' && line[1] == '/';
    size_t margin = is_directive ? 2 : 0, begin = indent;
    append_spaces(t, indent, append);
    while (begin + n + margin > MST_TEXT_COLUMNS) {
        size_t room = begin + margin + MST_TEXT_COLUMNS / 3 < MST_TEXT_COLUMNS ? MST_TEXT_COLUMNS - begin - margin : 0, at = 0;
        for (size_t i = 4; is_comment && i < n && i <= room; i++)
            at = line[i] == ' ' ? i : at;
        if (!is_comment)
            at = break_at(line, n, room);
        if (at == 0)
            break;
        append(t, line, at);
        append(t, " \\\n", is_directive ? 3 : 0);
        append(t, "\n", is_directive ? 0 : 1);
        line += at + 1;
        n -= at + 1;
        begin = is_comment ? indent : indent + 2 * MST_TEXT_INDENT;
        append_spaces(t, begin, append);
        append(t, "// ", is_comment ? 3 : 0);
        begin += is_comment ? 3 : 0;
    }
    append(t, line, n);
    append(t, "\n", 1);
}

void mst_text_lay_out_line(mst_text *t, const char *line, appender *append) {
    size_t n = strlen(line);
    while (n > 0 && line[n - 1] == ' ')
        n--;
    if (t->directive_goes_on) { // as it is
        append(t, line, n);
        append(t, "\n", 1);
        t->directive_goes_on = n > 0 && line[n - 1] == '\\';
        return;
    }
    while (*line == ' ' && n > 0) {
        line++;
        n--;
    }
    line_shape s = shape_of(line);
    if (s.is_directive) {
        t->directive_goes_on = line[n - 1] == '\\';
        append_broken(t, line, n, 0, true, append);
        return;
    }
    size_t indent = n == 0 ? 0 : indent_of(t, line, &s);
    bool comment_apart = s.code > 0 && s.code < n && indent + n > MST_TEXT_COLUMNS;
    if (comment_apart) { // a comment at the end of a line that is too long goes before it
        const char *comment = line + s.code + strspn(line + s.code, " ");
        append_broken(t, comment, n - (size_t)(comment - line), indent, false, append);
        n = s.code;
    }
    append_broken(t, line, n, indent, false, append);
    note_open(t, line, &s);
}
