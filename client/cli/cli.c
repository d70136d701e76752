// See cli.h.
#include "client/cli/cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { HOST_MAX = 256, MESSAGE_MAX = 2048 };

static void print_line(const char *before, const char *format, va_list values)
{
    char text[MESSAGE_MAX];
    (void)vsnprintf(text, sizeof text, format, values);
    for (char *at = text; *at != '\0'; at++) {
        if (((unsigned char)*at < 0x20 && *at != '\n') || *at == 0x7f) {
            *at = '?';
        }
    }
    (void)fflush(stdout);
    (void)fprintf(stderr, "%s%s\n", before, text);
}

void cli_error(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    print_line("carom: ", format, values);
    va_end(values);
}

void cli_hint(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    print_line("  ", format, values);
    va_end(values);
}

cli_exit cli_usage(const cli *c, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    print_line("carom: ", format, values);
    va_end(values);
    if (c->command != NULL) {
        cli_hint("carom %s --help shows how it is used", c->command->name);
    } else {
        cli_hint("carom --help lists what there is");
    }
    return CLI_USAGE;
}

cli_exit cli_out_of_memory(void)
{
    cli_error("memory has run out");
    return CLI_REFUSED;
}

static void hint_unreachable(const cli *c)
{
    char host[HOST_MAX];
    uint16_t port = 0;
    if (carom_address_parse(c->server, host, sizeof host, &port, NULL) != CAROM_OK) {
        return;
    }
    bool here =
        strncmp(host, "127.", 4) == 0 || strcmp(host, "localhost") == 0 || strcmp(host, "::1") == 0;
    if (here) {
        cli_hint("no server there? start one: caromd --listen %s:%d --world demo:demo", host, port);
    } else {
        cli_hint("is a server running there, and is the port open to you?");
    }
    cli_hint("another address: --server HOST:PORT, or CAROM_SERVER in the environment");
}

// What may help after an answer of the server.
static void hint_refused(const cli *c, const carom_error *error)
{
    switch (error->status) {
    case CAROM_NOT_FOUND:
        if (strstr(error->text, "world") != NULL) {
            cli_hint("'carom worlds' lists those there are, 'carom create NAME' makes one");
        } else if (strstr(error->text, "body") != NULL) {
            cli_hint("'carom bodies WORLD' lists those there are");
        } else if (strstr(error->text, "joint") != NULL) {
            cli_hint("'carom joint list WORLD' lists those there are");
        }
        break;
    case CAROM_ALREADY_EXISTS:
        cli_hint("choose another name, or remove it first: carom destroy NAME");
        break;
    case CAROM_UNKNOWN_METHOD:
        cli_hint("'carom methods' lists those that this client knows; the server's version may be "
                 "another");
        break;
    case CAROM_UNAUTHENTICATED:
    case CAROM_PERMISSION_DENIED:
        cli_hint("the server wants a token with more rights: CAROM_TOKEN in the environment");
        break;
    case CAROM_INVALID_ARGUMENT:
        if (c->command != NULL) {
            cli_hint("'carom %s --help' has examples, 'carom methods' the arguments of each call",
                     c->command->name);
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
    if (error->from_server) {
        cli_error("%s: %s", carom_status_name(error->status), error->text);
        hint_refused(c, error);
        return CLI_REFUSED;
    }
    cli_error("%s", error->text);
    if (error->status == CAROM_UNAVAILABLE) {
        return CLI_LOST;
    }
    return error->status == CAROM_INVALID_ARGUMENT ? CLI_USAGE : CLI_REFUSED;
}

cli_exit cli_lost(const cli *c, const carom_error *error)
{
    cli_error("the connection to %s is lost: %s", c->server, error->text);
    return CLI_LOST;
}

cli_exit cli_world_closed(const char *world, const carom_value *params)
{
    cli_error("'%s' cannot be listened to any more: %s", world,
              carom_get_str(params, "reason", "no reason told"));
    bool gone = strcmp(carom_get_str(params, "code", ""), "unavailable") == 0;
    return gone ? CLI_LOST : CLI_REFUSED;
}

cli_exit cli_open(const cli *c, const carom_options *options, carom_client **out)
{
    char host[HOST_MAX];
    uint16_t port = 0;
    carom_error error = {0};
    if (carom_address_parse(c->server, host, sizeof host, &port, &error) != CAROM_OK) {
        return cli_usage(c, "--server: %s", error.text);
    }
    carom_options chosen = options != NULL ? *options : carom_options_default();
    chosen.name = "carom/" CAROM_VERSION;
    chosen.token = getenv("CAROM_TOKEN");
    carom_status status = carom_connect(host, port, c->timeout_ms, &chosen, out, &error);
    if (status == CAROM_OK) {
        return CLI_OK;
    }
    if (status == CAROM_UNAVAILABLE && !error.from_server) {
        cli_error("%s", error.text);
        hint_unreachable(c);
        return CLI_LOST;
    }
    return cli_fail(c, &error);
}

cli_exit cli_connect(cli *c, const carom_handlers *handlers)
{
    if (c->client != NULL) {
        return CLI_OK;
    }
    carom_options options = carom_options_default();
    if (handlers != NULL) {
        options.handlers = *handlers;
    }
    return cli_open(c, &options, &c->client);
}

cli_exit cli_call(cli *c, const char *method, carom_value *call_args, carom_value **result)
{
    if (call_args != NULL && !carom_value_ok(call_args)) {
        carom_value_free(call_args);
        return cli_out_of_memory();
    }
    cli_exit code = cli_connect(c, NULL);
    carom_error error = {0};
    if (code == CLI_OK &&
        carom_call(c->client, method, call_args, c->timeout_ms, result, &error) != CAROM_OK) {
        code = cli_fail(c, &error);
    }
    carom_value_free(call_args);
    return code;
}

cli_exit cli_call_show(cli *c, const char *method, carom_value *call_args,
                       void (*show)(cli *c, const carom_value *result))
{
    carom_value *result = NULL;
    cli_exit code = cli_call(c, method, call_args, &result);
    if (code == CLI_OK && c->json) {
        code = cli_print_json(result);
    } else if (code == CLI_OK && show != NULL) {
        show(c, result);
    }
    carom_value_free(result);
    return code;
}

carom_value *cli_world_args(const cli *c)
{
    return carom_set(carom_map(), "world", carom_str(args_word(&c->args, 0)));
}

static cli_exit print(const carom_value *value, bool indented)
{
    size_t size = 0;
    char *text = carom_json_print(value, indented, &size);
    if (text == NULL) {
        cli_error("the result cannot be printed: a text in it is not UTF-8, or memory has run out");
        return CLI_REFUSED;
    }
    (void)fwrite(text, 1, size, stdout);
    (void)fputc('\n', stdout);
    carom_free_text(text);
    return CLI_OK;
}

cli_exit cli_print_json(const carom_value *value)
{
    return print(value, false);
}

cli_exit cli_print_pretty(const carom_value *value)
{
    return print(value, true);
}

double cli_now(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static cli_exit read_all(FILE *file, const char *path, char **out, size_t *size)
{
    size_t room = 65536;
    size_t used = 0;
    char *text = malloc(room + 1);
    while (text != NULL) {
        used += fread(text + used, 1, room - used, file);
        if (used < room) {
            break;
        }
        if (room >= CLI_FILE_MAX) {
            free(text);
            cli_error("%s is larger than %zu MiB", path, CLI_FILE_MAX >> 20);
            return CLI_REFUSED;
        }
        room *= 2;
        char *larger = realloc(text, room + 1);
        if (larger == NULL) {
            free(text);
        }
        text = larger;
    }
    if (text == NULL) {
        return cli_out_of_memory();
    }
    if (ferror(file)) {
        cli_error("cannot read %s: %s", path, strerror(errno));
        free(text);
        return CLI_REFUSED;
    }
    text[used] = '\0';
    *out = text;
    *size = used;
    return CLI_OK;
}

cli_exit cli_read_file(const char *path, char **out, size_t *size)
{
    if (strcmp(path, "-") == 0) {
        return read_all(stdin, "standard input", out, size);
    }
    FILE *file = fopen(path, "rbe");
    if (file == NULL) {
        cli_error("cannot read %s: %s", path, strerror(errno));
        return CLI_REFUSED;
    }
    cli_exit code = read_all(file, path, out, size);
    (void)fclose(file);
    return code;
}
