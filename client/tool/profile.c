// Reads the file of profiles; see profile.h. Main thread only.
#include "client/tool/profile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/args/variables.h"

static const struct {
    const char *key, *variable;
} KEYS[PROFILE_KEYS] = {{"server", "CAROM_SERVER"},
                        {"ca", "CAROM_CA"},
                        {"tls-name", "CAROM_TLS_NAME"},
                        {"token-file", "CAROM_TOKEN_FILE"},
                        {"timeout", "CAROM_TIMEOUT"}};

static char *values[PROFILE_KEYS]; // values from the loaded profile

static int find_key(const char *key, size_t size)
{
    for (int i = 0; i < PROFILE_KEYS; i++) {
        if (strlen(KEYS[i].key) == size && memcmp(KEYS[i].key, key, size) == 0) {
            return i;
        }
    }
    return -1;
}

static const char *set_variable(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && *value != '\0' ? value : NULL;
}

void profile_check_environment(const cli *c)
{
    const char *known[PROFILE_KEYS + 2] = {"CAROM_PROFILE", "CAROM_TOKEN"};
    char name[VARIABLES_NAME_MAX];
    const char *meant = NULL;
    for (int i = 0; i < PROFILE_KEYS; i++) {
        known[i + 2] = KEYS[i].variable;
    }
    for (char **entry = environ; entry != NULL && *entry != NULL; entry++) {
        if (variables_misspelt(*entry, known, sizeof known / sizeof *known, name, &meant)) {
            cli_note(c, "%s has no effect; did you mean %s?", name, meant);
        }
    }
}

void profile_source(const cli *c, const char *key, char out[PROFILE_SOURCE_MAX])
{
    int i = find_key(key, strlen(key));
    if (args_text(&c->args, key, NULL) != NULL) {
        (void)snprintf(out, PROFILE_SOURCE_MAX, "--%s", key);
    } else if (i >= 0 && set_variable(KEYS[i].variable) != NULL) {
        (void)snprintf(out, PROFILE_SOURCE_MAX, "%s", KEYS[i].variable);
    } else {
        (void)snprintf(out, PROFILE_SOURCE_MAX, "%s of the profile", key);
    }
}

const char *profile_value(const char *key)
{
    int i = find_key(key, strlen(key));
    return i >= 0 ? values[i] : NULL;
}

const char *profile_setting(const cli *c, const char *key)
{
    int i = find_key(key, strlen(key));
    const char *value = args_text(&c->args, key, NULL);
    value = value != NULL || i < 0 ? value : set_variable(KEYS[i].variable);
    return value != NULL || i < 0 ? value : values[i];
}

// ---- the file

static bool file_path(char *out, size_t size)
{
    const char *config = set_variable("XDG_CONFIG_HOME");
    const char *home = set_variable("HOME");
    int used = config != NULL ? snprintf(out, size, "%s/carom/profiles", config)
               : home != NULL ? snprintf(out, size, "%s/.config/carom/profiles", home)
                              : -1;
    return used > 0 && (size_t)used < size;
}

static char *trim(char *text)
{
    text += strspn(text, " \t");
    size_t size = strlen(text);
    while (size > 0 && strchr(" \t\r", text[size - 1]) != NULL) {
        text[--size] = '\0';
    }
    return text;
}

typedef struct reading {
    const cli *c;
    const char *path, *wanted;
    int line;
    bool inside, found;
} reading;

static cli_exit take_setting(const reading *r, char *line)
{
    char *equals = strchr(line, '=');
    if (equals == NULL) {
        return cli_usage(r->c, "%s, line %d: expected [NAME] or KEY = VALUE, not '%.40s'", r->path,
                         r->line, line);
    }
    *equals = '\0';
    const char *key = trim(line);
    const char *value = trim(equals + 1);
    int i = find_key(key, strlen(key));
    if (i < 0 || *value == '\0') {
        return cli_usage(r->c,
                         "%s, line %d: '%.40s' %s: server, ca, tls-name, token-file or timeout, "
                         "each with a value",
                         r->path, r->line, key, i < 0 ? "is no setting" : "has no value");
    }
    if (r->inside) {
        free(values[i]);
        values[i] = strdup(value);
    }
    return r->inside && values[i] == NULL ? cli_out_of_memory() : CLI_OK;
}

static cli_exit take_line(reading *r, char *line)
{
    line = trim(line);
    size_t size = strlen(line);
    if (size == 0 || *line == '#') {
        return CLI_OK;
    }
    if (*line != '[') {
        return take_setting(r, line);
    }
    if (line[size - 1] != ']' || size < 3) {
        return cli_usage(r->c, "%s, line %d: a profile begins with [NAME]", r->path, r->line);
    }
    line[size - 1] = '\0';
    r->inside = strcmp(line + 1, r->wanted) == 0;
    r->found = r->found || r->inside;
    return CLI_OK;
}

static cli_exit take_lines(reading *r, char *text)
{
    cli_exit code = CLI_OK;
    while (text != NULL && code == CLI_OK) {
        char *next = strchr(text, '\n');
        if (next != NULL) {
            *next++ = '\0';
        }
        r->line++;
        code = take_line(r, text);
        text = next;
    }
    return code;
}

cli_exit profile_load(cli *c)
{
    char path[1024];
    const char *asked = args_text(&c->args, "profile", set_variable("CAROM_PROFILE"));
    if (!file_path(path, sizeof path)) {
        return asked == NULL ? CLI_OK
                             : cli_usage(c, "--profile: there is no HOME to look for profiles in");
    }
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return asked == NULL && errno == ENOENT
                   ? CLI_OK
                   : cli_usage(c, "profile '%.64s': %s: %s", asked != NULL ? asked : "default",
                               path, strerror(errno));
    }
    static char text[PROFILE_FILE_BYTES_MAX + 1];
    size_t size = fread(text, 1, sizeof text, file);
    bool failed = ferror(file) != 0;
    (void)fclose(file);
    if (failed || size > PROFILE_FILE_BYTES_MAX) {
        return cli_usage(c, "%s: %s", path, failed ? "cannot be read" : "has more than 64 KiB");
    }
    text[size] = '\0';
    reading r = {.c = c, .path = path, .wanted = asked != NULL ? asked : "default"};
    cli_exit code = take_lines(&r, text);
    if (code == CLI_OK && asked != NULL && !r.found) {
        return cli_usage(c, "%s has no profile [%.64s]", path, asked);
    }
    return code;
}
