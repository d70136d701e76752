// Calls, results and files; see cli.h.
#include "client/tool/cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <time.h>

#include "common/args/text.h"

static cli_exit call(cli *c, const char *method, carom_value *call_args, carom_value **result,
                     carom_error *error)
{
    if (call_args != NULL && !carom_value_ok(call_args)) {
        carom_value_free(call_args);
        return cli_out_of_memory();
    }
    cli_exit code = cli_connect(c, NULL);
    if (code == CLI_OK &&
        carom_call(c->client, method, call_args, c->timeout_ms, result, error) != CAROM_OK) {
        code = cli_fail(c, error);
    }
    carom_value_free(call_args);
    return code;
}

cli_exit cli_call(cli *c, const char *method, carom_value *call_args, carom_value **result)
{
    carom_error error = {0};
    return call(c, method, call_args, result, &error);
}

cli_exit cli_call_of_file(cli *c, const char *method, carom_value *call_args, const char *argument,
                          const char *path, carom_value **result)
{
    carom_error error = {0};
    const cli_exit code = call(c, method, call_args, result, &error);
    const size_t size = strlen(argument);
    if (code == CLI_REFUSED && strncmp(error.text, argument, size) == 0 &&
        error.text[size] == ':') {
        cli_hint("%s: the content of %s", argument, path);
    }
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

cli *cli_done(cli *c, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    (void)vsnprintf(c->done, sizeof c->done, format, values);
    va_end(values);
    return c;
}

carom_value *cli_world_args(const cli *c)
{
    return carom_set(carom_map(), "world", carom_str(args_word(&c->args, 0)));
}

static void print_tame(const char *format, va_list values)
{
    char *text = NULL;
    if (vasprintf(&text, format, values) >= 0) {
        text_tame(text);
        (void)fputs(text, stdout);
        free(text);
    }
}

void cli_print(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    print_tame(format, values);
    va_end(values);
}

void cli_print_line(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    print_tame(format, values);
    va_end(values);
    (void)putchar('\n');
}

// Control characters below 0x20 are escaped already, as JSON demands; the line ends of indented
// JSON are between its values. All others that act on a terminal have at most four hexadecimal
// digits.
static void print_escaped(const char *json)
{
    for (const char *at = json; *at != '\0';) {
        const char *begin = at;
        const uint32_t c = text_next(&at);
        if (c != '\n' && text_acts(c)) {
            (void)printf("\\u%04x", (unsigned)c);
        } else {
            (void)fwrite(begin, 1, (size_t)(at - begin), stdout);
        }
    }
}

static cli_exit print(const carom_value *value, bool indented)
{
    char *text = carom_json_print(value, indented, NULL);
    if (text == NULL) {
        cli_error("internal",
                  "the result cannot be printed: a text in it is not UTF-8, or memory has run out");
        return CLI_REFUSED;
    }
    print_escaped(text);
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

cli_exit cli_check_rate(const cli *c, const char *option)
{
    double rate = args_number(&c->args, option, 1.0);
    if (rate < CLI_RATE_MIN || rate > CLI_RATE_MAX) {
        return cli_usage(c, "--%s is from %g to %g a second, not %s", option, CLI_RATE_MIN,
                         CLI_RATE_MAX, args_text(&c->args, option, ""));
    }
    return CLI_OK;
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
            cli_error(CLI_CODE_FILE, "%s is larger than %zu MiB", path, CLI_FILE_MAX >> 20);
            return CLI_USAGE;
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
        cli_error(CLI_CODE_FILE, "cannot read %s: %s", path, strerror(errno));
        free(text);
        return CLI_USAGE;
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
        cli_error(CLI_CODE_FILE, "cannot read %s: %s", path, strerror(errno));
        return CLI_USAGE;
    }
    cli_exit code = read_all(file, path, out, size);
    (void)fclose(file);
    return code;
}

void cli_hint_swapped(const cli *c, const char *path, const char *world)
{
    if (world != NULL && access(path, F_OK) != 0 && access(world, R_OK) == 0) {
        cli_hint("FILE comes before WORLD: carom %s %s %s", c->command->name, world, path);
    }
}
