// Errors, hints and notes of a command, for people or as JSON; see cli.h.
//
// For people each line is printed at once. With --json an error waits for the hints that follow it,
// so that one line has all of it; cli_error_flush prints the last one. Main thread only.
#include "client/tool/cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "client/tool/json_line.h"
#include "common/args/text.h"

#define GIVE_TOKEN ": --token-file FILE, or CAROM_TOKEN in the environment"

enum {
    MESSAGE_MAX = 2048,
    HINTS_MAX = 8,
    CODE_MAX = 32,
    NAMES_MAX = 256,         // worlds searched for a similar name: the server's limit
    NAME_BYTES_MAX = 65,     // name of a world or scene
    LIST_BYTES = 400,        // names in a hint
    SUGGEST_TIMEOUT_MS = 500 // time for listing the worlds after an error
};

// The error that waits for its hints.
static struct {
    bool as_json, waiting;
    size_t hint_count;
    char code[CODE_MAX];
    char text[MESSAGE_MAX];
    char hints[HINTS_MAX][MESSAGE_MAX];
} pending;

static const char *program_name = "carom";
static const char *program_called; // NULL: "carom COMMAND"

void cli_program_is(const char *name, const char *called)
{
    program_name = name;
    program_called = called;
}

const char *cli_program(void)
{
    return program_name;
}

void cli_called(const cli_command *command, char out[CLI_CALLED_MAX])
{
    if (program_called != NULL) {
        (void)snprintf(out, CLI_CALLED_MAX, "%s", program_called);
    } else {
        (void)snprintf(out, CLI_CALLED_MAX, "carom %s", command->name);
    }
}

static void format_clean(char out[MESSAGE_MAX], const char *format, va_list values)
{
    (void)vsnprintf(out, MESSAGE_MAX, format, values);
    text_tame(out);
}

static bool hushed;

void cli_errors_hush(bool on)
{
    hushed = on;
}

static void print_line(const char *before, const char *text)
{
    if (hushed) {
        return;
    }
    (void)fflush(stdout);
    (void)fprintf(stderr, "%s%s\n", before, text);
}

// Prints the program's name, then the text.
static void print_named(const char *before, const char *text)
{
    char start[CLI_CALLED_MAX];
    (void)snprintf(start, sizeof start, "%s: %s", program_name, before);
    print_line(start, text);
}

void cli_errors_as_json(void)
{
    pending.as_json = true;
}

void cli_error_flush(void)
{
    if (!pending.waiting) {
        return;
    }
    pending.waiting = false;
    carom_value *hints = carom_array();
    for (size_t i = 0; i < pending.hint_count; i++) {
        hints = carom_push(hints, carom_str(pending.hints[i]));
    }
    carom_value *error = carom_set(carom_map(), "code", carom_str(pending.code));
    carom_set(error, "text", carom_str(pending.text));
    carom_set(error, "hints", hints);
    carom_value *line = carom_set(carom_map(), "error", error);
    char *text = carom_json_print(line, false, NULL);
    // Without the text (no memory, or not UTF-8) the code by itself is still valid JSON.
    if (text != NULL) {
        print_line("", text);
    } else {
        (void)fprintf(stderr, "{\"error\":{\"code\":\"%s\"}}\n", pending.code);
    }
    carom_free_text(text);
    carom_value_free(line);
}

static void tell_error(const char *code, const char *format, va_list values)
{
    char text[MESSAGE_MAX];
    format_clean(text, format, values);
    if (!pending.as_json) {
        print_named("", text);
        return;
    }
    if (hushed) {
        return;
    }
    cli_error_flush();
    pending.waiting = true;
    pending.hint_count = 0;
    (void)snprintf(pending.code, sizeof pending.code, "%s", code);
    (void)snprintf(pending.text, sizeof pending.text, "%s", text);
}

void cli_error(const char *code, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    tell_error(code, format, values);
    va_end(values);
}

void cli_hint(const char *format, ...)
{
    char text[MESSAGE_MAX];
    va_list values;
    va_start(values, format);
    format_clean(text, format, values);
    va_end(values);
    if (!pending.as_json) {
        print_line("  ", text);
    } else if (pending.waiting && pending.hint_count < HINTS_MAX) {
        (void)snprintf(pending.hints[pending.hint_count++], MESSAGE_MAX, "%s", text);
    }
}

void cli_note(const cli *c, const char *format, ...)
{
    char text[MESSAGE_MAX];
    if (c->json) {
        return;
    }
    va_list values;
    va_start(values, format);
    format_clean(text, format, values);
    va_end(values);
    print_named("note: ", text);
}

cli_exit cli_usage(const cli *c, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    tell_error(CLI_CODE_USAGE, format, values);
    va_end(values);
    if (c->command != NULL) {
        char called[CLI_CALLED_MAX];
        cli_called(c->command, called);
        if (c->command->hint != NULL) {
            cli_hint("%s", c->command->hint);
        }
        cli_hint("'%s --help' shows how it is used", called);
    } else {
        cli_hint("'carom --help' lists the commands");
    }
    return CLI_USAGE;
}

cli_exit cli_out_of_memory(void)
{
    cli_error("internal", "memory has run out");
    return CLI_REFUSED;
}

// ---- names that may have been meant

// The first word between quotes after `before`: demmo for "world 'demmo'".
static bool quoted_after(const char *text, const char *before, char out[NAME_BYTES_MAX])
{
    const char *at = strstr(text, before);
    const char *start = at == NULL ? NULL : at + strlen(before);
    const char *end = start == NULL ? NULL : strchr(start, '\'');
    if (end == NULL || end == start || end - start >= NAME_BYTES_MAX) {
        return false;
    }
    (void)snprintf(out, NAME_BYTES_MAX, "%.*s", (int)(end - start), start);
    return true;
}

static void hint_worlds(const cli *c, const char *name)
{
    carom_value *list = NULL;
    const char *names[NAMES_MAX];
    char told[LIST_BYTES];
    size_t count = 0;
    if (c->client == NULL || carom_client_state(c->client) != CAROM_OPEN ||
        carom_call(c->client, "world.list", NULL, SUGGEST_TIMEOUT_MS, &list, NULL) != CAROM_OK) {
        cli_hint("'carom worlds' lists the worlds, 'carom create NAME' makes one");
        return;
    }
    while (count < NAMES_MAX && count < carom_value_count(list)) {
        names[count] = carom_get_str(carom_value_at(list, count), "world", "");
        count++;
    }
    const char *meant = text_suggest(name, names, count);
    text_list(names, count, "and", told, sizeof told);
    if (meant != NULL) {
        cli_hint("did you mean '%s'? 'carom worlds' lists all of them", meant);
    } else if (count > 0) {
        cli_hint("the server has %s ('carom worlds'); 'carom create %s' makes one", told, name);
    } else {
        cli_hint("the server has no worlds; 'carom create %s' makes one", name);
    }
    carom_value_free(list);
}

// Hints at existing scenes. The server's own text lists them: "… there are a, b, c".
static void hint_scenes(const char *text, const char *name)
{
    static const char before[] = "there are ";
    char words[NAMES_MAX][NAME_BYTES_MAX];
    const char *names[NAMES_MAX];
    size_t count = 0;
    const char *at = strstr(text, before);
    for (at = at == NULL ? "" : at + strlen(before); *at != '\0' && count < NAMES_MAX;) {
        size_t size = strcspn(at, ", ");
        (void)snprintf(words[count], NAME_BYTES_MAX, "%.*s", size < NAME_BYTES_MAX ? (int)size : 0,
                       at);
        names[count] = words[count];
        count += size > 0;
        at += size;
        at += strspn(at, ", ");
    }
    const char *meant = text_suggest(name, names, count);
    if (meant != NULL) {
        cli_hint("did you mean '%s'?", meant);
    }
    cli_hint("'carom scenes' lists the server's scenes; 'carom apply FILE' takes one of yours");
}

static void hint_not_found(const cli *c, const char *text)
{
    char name[NAME_BYTES_MAX];
    if (quoted_after(text, "world '", name)) {
        hint_worlds(c, name);
    } else if (quoted_after(text, "scene '", name)) {
        hint_scenes(text, name);
    } else if (strstr(text, "body") != NULL) {
        cli_hint("'carom bodies WORLD' lists the bodies");
    } else if (strstr(text, "joint") != NULL) {
        cli_hint("'carom joints WORLD' lists the joints");
    } else if (strstr(text, "shape") != NULL) {
        cli_hint("'carom get WORLD BODY' lists a body's shapes");
    }
}

// ---- errors of libcarom and of the server

// Prints a hint that may help after an error that the server sent.
static void hint_refused(const cli *c, const carom_error *error)
{
    switch (error->status) {
    case CAROM_NOT_FOUND:
        hint_not_found(c, error->text);
        break;
    case CAROM_ALREADY_EXISTS:
        cli_hint("choose another name, or remove it first: carom destroy NAME");
        break;
    case CAROM_UNKNOWN_METHOD:
        cli_hint("'carom methods' lists the methods that this client knows; the server may be of "
                 "another version");
        break;
    case CAROM_UNAUTHENTICATED:
        if (!error->from_server) {
            cli_hint("--ca FILE names the certificates to trust, --tls-name the name in the "
                     "server's own");
            break;
        }
        cli_hint("the server wants a token" GIVE_TOKEN);
        break;
    case CAROM_PERMISSION_DENIED:
        cli_hint("the server wants a token with more rights" GIVE_TOKEN);
        break;
    case CAROM_INVALID_ARGUMENT:
        if (c->command != NULL) {
            char called[CLI_CALLED_MAX];
            cli_called(c->command, called);
            cli_hint("'%s --help' has examples, 'carom methods' the arguments of each call",
                     called);
        }
        break;
    case CAROM_OK:
    case CAROM_LIMIT_EXCEEDED:
    case CAROM_UNAVAILABLE:
    case CAROM_MOVED:
    case CAROM_INTERNAL:
    case CAROM_OUT_OF_MEMORY:
    case CAROM_STATUS_COUNT:
        break;
    }
}

cli_exit cli_fail(const cli *c, const carom_error *error)
{
    const char *code = carom_status_name(error->status);
    if (error->from_server) {
        if (c->json) {
            cli_error(code, "%s", error->text);
        } else {
            cli_error(code, "%s: %s", code, error->text);
        }
        hint_refused(c, error);
        return CLI_REFUSED;
    }
    cli_error(code, "%s", error->text);
    if (error->status == CAROM_UNAVAILABLE) {
        return CLI_LOST;
    }
    return error->status == CAROM_INVALID_ARGUMENT ? CLI_USAGE : CLI_REFUSED;
}

cli_exit cli_lost(const cli *c, const carom_error *error)
{
    cli_error("unavailable", "the connection to %s is lost: %s", c->server, error->text);
    return CLI_LOST;
}

cli_exit cli_world_closed(const char *world, const carom_value *params)
{
    const char *code = carom_get_str(params, "code", "unavailable");
    const char *named = carom_get_str(params, "world", "");
    cli_error(code, "the subscription to '%s' ended: %s", named[0] != '\0' ? named : world,
              carom_get_str(params, "reason", "the server gave no reason"));
    return strcmp(code, "unavailable") == 0 ? CLI_LOST : CLI_REFUSED;
}

cli_exit cli_file_fault(const char *code, const char *path, const char *text, const char *error)
{
    const char *file = strcmp(path, "-") == 0 ? "standard input" : path;
    int line = 0;
    int used = 0;
    if (sscanf(error, "line %d%n", &line, &used) == 1) {
        cli_error(code, "%s:%d%s", file, line, error + used);
        return CLI_USAGE;
    }
    line = json_line(text, error);
    if (line > 0) {
        cli_error(code, "%s:%d: %s", file, line, error);
    } else {
        cli_error(code, "%s: %s", file, error);
    }
    return CLI_USAGE;
}
