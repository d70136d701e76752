// See man.h. Texts of the tables are plain: they are filled as paragraphs, except for lines that
// begin with spaces, which are kept unchanged. Main thread only.
#include "client/cli/man.h"

#include <ctype.h>
#include <string.h>

#include "client/cli/commands.h"
#include "client/load/command.h"

// Prints text within a line: escapes characters that are special to roff.
static void put_escaped(const char *text, size_t size, FILE *out)
{
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '\\') {
            (void)fputs("\\e", out);
        } else if (text[i] == '-') {
            (void)fputs("\\-", out);
        } else if (text[i] == '\'') {
            (void)fputs("\\(aq", out);
        } else {
            (void)fputc(text[i], out);
        }
    }
}

// Writes a line; a dot at its beginning would be a request, so it is escaped.
static void put_line(const char *text, size_t size, FILE *out)
{
    if (size > 0 && text[0] == '.') {
        (void)fputs("\\&", out);
    }
    put_escaped(text, size, out);
    (void)fputc('\n', out);
}

static void put_text(const char *text, FILE *out)
{
    bool kept = false;
    for (const char *at = text; *at != '\0';) {
        size_t size = strcspn(at, "\n");
        bool indented = at[0] == ' ';
        if (indented != kept) {
            (void)fputs(indented ? ".PP\n.nf\n" : ".fi\n.PP\n", out);
            kept = indented;
        }
        if (size > 0) {
            put_line(at, size, out);
        } else if (at[1] != ' ' && at[1] != '\0' && !kept) {
            (void)fputs(".PP\n", out);
        }
        at += size + (at[size] == '\n' ? 1 : 0);
    }
    if (kept) {
        (void)fputs(".fi\n", out);
    }
}

// Prints the text unchanged, line by line.
static void put_block(const char *text, FILE *out)
{
    (void)fputs(".PP\n.nf\n", out);
    for (const char *at = text; *at != '\0';) {
        size_t size = strcspn(at, "\n");
        put_line(at, size, out);
        at += size + (at[size] == '\n' ? 1 : 0);
    }
    (void)fputs(".fi\n", out);
}

static void put_options(const args_option *options, FILE *out)
{
    for (; options != NULL && options->name != NULL; options++) {
        (void)fputs(".TP\n", out);
        if (options->letter != 0) {
            (void)fprintf(out, "\\fB\\-%c\\fR, ", options->letter);
        }
        (void)fputs("\\fB\\-\\-", out);
        put_escaped(options->name, strlen(options->name), out);
        (void)fputs("\\fR", out);
        if (options->value != NULL) {
            (void)fputs(" \\fI", out);
            put_escaped(options->value, strlen(options->value), out);
            (void)fputs("\\fR", out);
        }
        (void)fputc('\n', out);
        put_line(options->help, strlen(options->help), out);
    }
}

static void put_details(const cli_command *command, FILE *out)
{
    if (command->details != NULL) {
        (void)fputs(".PP\n", out);
        put_text(command->details, out);
    }
}

static void put_command(const cli_command *command, FILE *out)
{
    (void)fprintf(out, ".SS %s", command->name);
    if (command->alias != NULL) {
        (void)fprintf(out, " (%s)", command->alias);
    }
    (void)fprintf(out, "\n\\fBcarom %s\\fR", command->name);
    for (const args_operand *o = command->operands; o != NULL && o->name != NULL; o++) {
        (void)fprintf(out, o->required ? " \\fI%s\\fR%s" : " [\\fI%s\\fR%s]", o->name,
                      o->repeated ? "..." : "");
    }
    bool options = command->options != NULL && command->options->name != NULL;
    (void)fputs(options ? " [options]\n.PP\n" : "\n.PP\n", out);
    (void)fputc(toupper((unsigned char)command->summary[0]), out);
    put_escaped(command->summary + 1, strlen(command->summary + 1), out);
    (void)fputs(".\n", out);
    put_details(command, out);
    put_options(command->options, out);
    put_block(command->examples, out);
}

// Prints the end of both programs' pages.
static void put_end(const char *see_also, FILE *out)
{
    (void)fputs(
        ".SH ENVIRONMENT\n"
        ".TP\n\\fBCAROM_SERVER\\fR\nHOST:PORT of the server, where \\-\\-server is not given.\n"
        ".TP\n\\fBCAROM_TOKEN\\fR\nThe token that the server is given, for servers with keys.\n"
        ".TP\n\\fBCAROM_TOKEN_FILE\\fR\nA file with the token, where CAROM_TOKEN is not set.\n"
        ".TP\n\\fBCAROM_CA\\fR, \\fBCAROM_TLS_NAME\\fR, \\fBCAROM_PROFILE\\fR\nAs the options "
        "\\-\\-ca, \\-\\-tls\\-name and \\-\\-profile.\n"
        ".TP\n\\fBCAROM_TIMEOUT\\fR\nHow long to wait for an answer, where \\-\\-timeout is not "
        "given: 5s, 250ms.\n"
        ".TP\n\\fBNO_COLOR\\fR\nAny value: no colours.\n"
        ".SH EXIT STATUS\n"
        ".TP\n0\nThe command worked.\n"
        ".TP\n1\nThe server refused it.\n"
        ".TP\n2\nThe command line or a local file is wrong.\n"
        ".TP\n3\nThere is no connection, no caromd at the address, or no answer in time.\n"
        ".TP\n4\nA \\-\\-fail\\-if of bench came true.\n",
        out);
    (void)fprintf(out, ".SH SEE ALSO\n.BR %s\n", see_also);
}

void man_print(FILE *out)
{
    (void)fprintf(
        out,
        ".TH CAROM 1 \"\" \"carom %s\" \"User Commands\"\n"
        ".SH NAME\n"
        "carom \\- physics worlds on a server, from the command line\n"
        ".SH SYNOPSIS\n"
        ".B carom\n[\\fIoptions\\fR] \\fICOMMAND\\fR [...]\n"
        ".SH DESCRIPTION\n"
        "carom speaks with caromd, a server of 2D physics worlds. It creates worlds, fills "
        "them, looks at them, acts on them, and measures the server. Results are tables "
        "for people or, with \\-\\-json, values for programs.\n"
        ".SH OPTIONS\n"
        "These are allowed anywhere in the command line.\n",
        CAROM_VERSION);
    put_options(cli_globals, out);
    (void)fputs(".SH COMMANDS\n", out);
    for (size_t i = 0; i < cli_command_count; i++) {
        put_command(cli_commands[i], out);
    }
    (void)fputs(".SH TOPICS\n", out);
    for (size_t i = 0; help_topic_name(i) != NULL; i++) {
        (void)fprintf(out, ".SS %s\n", help_topic_name(i));
        put_block(help_topic_text(help_topic_name(i)), out);
    }
    put_end("caromd (8), carom\\-load (1)", out);
}

void man_print_load(FILE *out)
{
    (void)fprintf(out,
                  ".TH CAROM\\-LOAD 1 \"\" \"carom %s\" \"User Commands\"\n"
                  ".SH NAME\n"
                  "carom\\-load \\- measure a server of physics worlds with many connections\n"
                  ".SH SYNOPSIS\n"
                  ".B carom\\-load\n[\\fIoptions\\fR]\n.br\n"
                  ".B carom bench\n[\\fIoptions\\fR]\n"
                  ".SH DESCRIPTION\n",
                  CAROM_VERSION);
    put_details(&command_bench, out);
    (void)fputs(".SH OPTIONS\n", out);
    put_options(command_bench.options, out);
    put_options(cli_globals, out);
    (void)fputs(".SH EXAMPLES\n", out);
    put_block(command_bench.examples, out);
    put_end("carom (1), caromd (8)", out);
}
