// Takes the token from an option, a file or the environment; see credentials.h.
#include "client/tool/credentials.h"

#include <stdlib.h>
#include <string.h>

#include "client/tool/profile.h"

static char *hidden; // value of --token; lives as long as the process

// The value of --token in argv[*at]; if the value is the next word, *at moves to it. NULL for other
// words.
static char *find_value(int argc, char **argv, int *at)
{
    if (strncmp(argv[*at], "--token=", 8) == 0) {
        return argv[*at] + 8;
    }
    if (strcmp(argv[*at], "--token") == 0 && *at + 1 < argc) {
        return argv[++*at];
    }
    return NULL;
}

void credentials_hide(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        char *value = find_value(argc, argv, &i);
        if (value != NULL && *value != '\0') {
            credentials_wipe(hidden);
            hidden = strdup(value);
            memset(value, '*', strlen(value));
        }
    }
}

bool credentials_hand_on(const cli *c)
{
    return args_has(&c->args, "token") && hidden != NULL && setenv("CAROM_TOKEN", hidden, 1) == 0;
}

void credentials_wipe(char *token)
{
    if (token != NULL) {
        explicit_bzero(token, strlen(token));
        free(token);
    }
}

// Whether a token was given by mistake where a file's name belongs: it must not appear in an
// error's text. (A header in JSON begins with eyJ in base64url, whatever its content.)
static bool is_token(const char *path)
{
    const char *dot = strchr(path, '.');
    return strncmp(path, "eyJ", 3) == 0 && dot != NULL && strchr(dot + 1, '.') != NULL &&
           strchr(path, '/') == NULL;
}

cli_exit credentials_read_file(const char *path, char **token)
{
    size_t size = 0;
    *token = NULL;
    if (is_token(path)) {
        cli_error(CLI_CODE_FILE, "expected the name of a file with a token, not the token itself");
        cli_hint("- reads one from standard input, CAROM_TOKEN in the environment is one");
        return CLI_USAGE;
    }
    cli_exit code = cli_read_file(path, token, &size);
    if (code == CLI_OK) {
        (*token)[strcspn(*token, "\r\n")] = '\0';
    }
    return code;
}

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && *value != '\0' ? value : NULL;
}

cli_exit credentials_token(const cli *c, char **token)
{
    const char *text = args_has(&c->args, "token") ? hidden : NULL;
    const char *path = text == NULL ? args_text(&c->args, "token-file", NULL) : NULL;
    if (text == NULL && path == NULL) {
        text = variable("CAROM_TOKEN");
        path = text == NULL ? variable("CAROM_TOKEN_FILE") : NULL;
        path = path == NULL && text == NULL ? profile_value("token-file") : path;
    }
    *token = NULL;
    if (path != NULL) {
        cli_exit code = credentials_read_file(path, token);
        char source[PROFILE_SOURCE_MAX];
        profile_source(c, "token-file", source);
        if (code != CLI_OK) {
            cli_hint("%s names the file", source);
        }
        return code;
    }
    *token = text != NULL ? strdup(text) : NULL;
    return text != NULL && *token == NULL ? cli_out_of_memory() : CLI_OK;
}
