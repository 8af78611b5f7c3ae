#include "definition.h"

#include "text/letters.h"

#include <string.h>

static const char *skip_spaces(const char *s) { return s + strspn(s, " \t\r\n"); }

// The name that a text begins with, behind spaces; of no length if there is none.
static mst_token_text name_at(const char *s) {
    mst_token_text name = {skip_spaces(s), 0};
    if (mst_is_letter(*name.start))
        while (mst_is_in_name(name.start[name.length]))
            name.length++;
    return name;
}

static const char *behind(mst_token_text name) { return skip_spaces(name.start + name.length); }

static bool is_valid(mst_token_text name) { return name.length > 0 && name.length <= MST_EXPR_MAX_NAME; }

static mst_status read_arguments(const char *s, mst_definition_head *out, mst_error *error) {
    mst_status status = MST_OK;
    for (char separator = ','; separator == ','; separator = *s++) {
        MST_REQUIRE(out->n_arguments < MST_EXPR_MAX_ARGUMENTS, MST_ERROR_ARGUMENT, "'%.80s' has more than %d arguments",
                    out->text, MST_EXPR_MAX_ARGUMENTS);
        mst_token_text argument = name_at(s);
        s = behind(argument);
        MST_REQUIRE(is_valid(argument) && (*s == ',' || *s == ')'), MST_ERROR_ARGUMENT,
                    "'%.80s' is no name with arguments; write name(f, c), with names in parentheses", out->text);
        for (int k = 0; k < out->n_arguments; k++)
            MST_REQUIRE(!mst_token_text_is(&argument, &out->arguments[k]), MST_ERROR_ARGUMENT,
                        "'%.80s' has the argument %.*s twice", out->text, (int)argument.length, argument.start);
        MST_REQUIRE(!mst_token_text_is(&argument, &out->name), MST_ERROR_ARGUMENT, "'%.80s' has its own name as an argument",
                    out->text);
        out->arguments[out->n_arguments++] = argument;
    }
    MST_REQUIRE(*skip_spaces(s) == '\0', MST_ERROR_ARGUMENT, "'%.80s' has something behind its arguments", out->text);
fail:
    return status;
}

mst_status mst_definition_read_head(const char *text, mst_definition_head *out, mst_error *error) {
    mst_status status = MST_OK;
    *out = (mst_definition_head){.text = text, .name = name_at(text)};
    const char *s = behind(out->name);
    MST_REQUIRE(is_valid(out->name) && (*s == '(' || *s == '\0'), MST_ERROR_ARGUMENT,
                "'%.80s' is no name; use up to %d letters, digits and underscores, no digit first, as in lap or lap(f, c)", text,
                MST_EXPR_MAX_NAME);
    if (*s == '(')
        MST_TRY(read_arguments(s + 1, out, error));
fail:
    return status;
}
