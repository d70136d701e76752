// token: makes keys for a server, and tokens for its clients. Works only on files, without a
// server. Main thread only.
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "client/cli/commands.h"
#include "client/tool/credentials.h"
#include "client/cli/sign.h"
#include "common/args/text.h"

enum { KID_BYTES = 64, FOR_DEFAULT_S = 3600, LINE_BYTES = 64 };

// The server has the same limits (server/auth/limits.h).
enum { KID_BYTES_MAX = 128, SUBJECT_BYTES_MAX = 64, WORLD_BYTES_MAX = 64, WORLDS_MAX = 32 };
static const char WORLD_CHARACTERS[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";

// ---- files

// Writes a text to a file that only its owner can read, or to standard output for "-". An existing
// file is replaced by a rename, so that a server that reads it meanwhile sees the old one or the
// new one.
static cli_exit write_file(const char *path, const char *text, mode_t mode)
{
    char temporary[4096];
    if (strcmp(path, "-") == 0) {
        (void)printf("%s\n", text);
        return CLI_OK;
    }
    int length = snprintf(temporary, sizeof temporary, "%s.%ld.tmp", path, (long)getpid());
    int fd = length > 0 && (size_t)length < sizeof temporary
                 ? open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
                 : -1;
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    bool written = file != NULL && fprintf(file, "%s\n", text) > 0;
    written = file != NULL && fclose(file) == 0 && written;
    if (!written || rename(temporary, path) != 0) {
        cli_error(CLI_CODE_FILE, "cannot write %s: %s", path, strerror(errno));
        (void)unlink(temporary);
        return CLI_USAGE;
    }
    return CLI_OK;
}

// Refuses to replace a file, unless --force is given.
static cli_exit may_write(const cli *c, const char *path)
{
    if (strcmp(path, "-") == 0 || access(path, F_OK) != 0 || args_has(&c->args, "force")) {
        return CLI_OK;
    }
    cli_error(CLI_CODE_FILE, "%s exists already", path);
    cli_hint("--force replaces it");
    return CLI_USAGE;
}

static bool is_same_file(const char *a, const char *b)
{
    struct stat one;
    struct stat other;
    return strcmp(a, b) == 0 || (stat(a, &one) == 0 && stat(b, &other) == 0 &&
                                 one.st_dev == other.st_dev && one.st_ino == other.st_ino);
}

static cli_exit write_value(const char *path, const carom_value *value, mode_t mode)
{
    char *text = carom_json_print(value, true, NULL);
    cli_exit code = text != NULL ? write_file(path, text, mode) : cli_out_of_memory();
    carom_free_text(text);
    return code;
}

// Reads the keys of a JWK Set from a file; the caller frees *set.
static cli_exit read_set(const char *path, carom_value **set)
{
    char *text = NULL;
    size_t size = 0;
    carom_error error = {0};
    cli_exit code = cli_read_file(path, &text, &size);
    if (code != CLI_OK) {
        return code;
    }
    carom_status status = carom_json_parse(text, size, set, &error);
    explicit_bzero(text, size);
    free(text);
    if (status != CAROM_OK || carom_value_get(*set, "keys") == NULL) {
        cli_error(CLI_CODE_FILE, "%s is no JWK Set, an object with an array \"keys\"", path);
        return CLI_USAGE;
    }
    return CLI_OK;
}

// ---- keygen

static void invent_kid(char out[KID_BYTES])
{
    unsigned char random[4] = {0};
    struct tm day;
    time_t now = time(NULL);
    char date[16];
    (void)getrandom(random, sizeof random, 0);
    (void)strftime(date, sizeof date, "%Y-%m-%d", gmtime_r(&now, &day));
    (void)snprintf(out, KID_BYTES, "%s-%02x%02x%02x%02x", date, random[0], random[1], random[2],
                   random[3]);
}

// Copies the set's keys to a new set, without their private halves if `public_only`.
static carom_value *copy_keys(const carom_value *set, bool public_only)
{
    const carom_value *keys = carom_value_get(set, "keys");
    carom_value *copies = carom_array();
    for (size_t i = 0; i < carom_value_count(keys); i++) {
        const carom_value *key = carom_value_at(keys, i);
        carom_value *copy = public_only ? sign_public(key) : carom_value_clone(key);
        copies = copy != NULL ? carom_push(copies, copy) : copies;
    }
    return copies;
}

static cli_exit write_public(const cli *c, const carom_value *set)
{
    const char *path = args_text(&c->args, "public", NULL);
    if (path == NULL) {
        return CLI_OK;
    }
    carom_value *halves = carom_set(carom_map(), "keys", copy_keys(set, true));
    cli_exit code = write_value(path, halves, 0644);
    carom_value_free(halves);
    return code;
}

// Refuses a file that has more than public halves, which keygen would not write.
static cli_exit check_public(const char *path)
{
    carom_value *set = NULL;
    const cli_exit code = read_set(path, &set);
    if (code != CLI_OK) {
        return code;
    }
    const carom_value *keys = carom_value_get(set, "keys");
    bool is_public = true;
    for (size_t i = 0; i < carom_value_count(keys); i++) {
        const carom_value *key = carom_value_at(keys, i);
        is_public =
            is_public && carom_value_get(key, "d") == NULL && carom_value_get(key, "k") == NULL;
    }
    carom_value_free(set);
    if (!is_public) {
        cli_error(CLI_CODE_FILE, "%s exists already, and has private halves", path);
        cli_hint("--force replaces it");
    }
    return is_public ? CLI_OK : CLI_USAGE;
}

// Whether the public halves may be written. With --add their file has those of the keys before, if
// the file of the keys is `there`.
static cli_exit may_publish(const cli *c, const char *keys, bool there)
{
    const char *path = args_text(&c->args, "public", NULL);
    if (path == NULL || strcmp(path, "-") == 0) {
        return CLI_OK;
    }
    if (is_same_file(path, keys)) {
        return cli_usage(
            c, "--public: %s is the file of the keys, whose private halves would be lost", path);
    }
    if (!there || access(path, F_OK) != 0 || args_has(&c->args, "force")) {
        return may_write(c, path);
    }
    return check_public(path);
}

static cli_exit run_keygen(cli *c, const char *path)
{
    char invented[KID_BYTES];
    invent_kid(invented);
    const char *algorithm = args_text(&c->args, "alg", "eddsa");
    const char *kid = args_text(&c->args, "kid", invented);
    bool there = strcmp(path, "-") != 0 && access(path, F_OK) == 0;
    if (*kid == '\0' || strlen(kid) > KID_BYTES_MAX) {
        return cli_usage(c, "--kid: 1 to %d bytes", KID_BYTES_MAX);
    }
    carom_value *old = NULL;
    if (args_has(&c->args, "public") && strcmp(algorithm, "hs256") == 0) {
        return cli_usage(c, "--public: a secret for HS256 has no public half");
    }
    if (there && !args_has(&c->args, "add")) {
        return cli_usage(c, "%s exists; --add adds a key to it", path);
    }
    cli_exit code = may_publish(c, path, there);
    if (code == CLI_OK && there) {
        code = read_set(path, &old);
    }
    if (code != CLI_OK) {
        return code;
    }
    carom_value *keys = there ? copy_keys(old, false) : carom_array();
    carom_value_free(old);
    carom_value *set =
        carom_set(carom_map(), "keys", carom_push(keys, sign_generate(algorithm, kid)));
    code = carom_value_ok(set) ? write_value(path, set, 0600) : cli_out_of_memory();
    code = code == CLI_OK ? write_public(c, set) : code;
    carom_value_free(set);
    if (code == CLI_OK && strcmp(path, "-") != 0 && !c->json) {
        (void)printf("key %s\n", kid);
    }
    return code;
}

// ---- sign

// The key that --kid names, else the last one: a rotation appends its key.
static const carom_value *choose_key(const carom_value *set, const char *kid)
{
    const carom_value *keys = carom_value_get(set, "keys");
    for (size_t i = carom_value_count(keys); i > 0; i--) {
        const carom_value *key = carom_value_at(keys, i - 1);
        if (kid == NULL || strcmp(carom_get_str(key, "kid", ""), kid) == 0) {
            return key;
        }
    }
    return NULL;
}

static carom_value *split_worlds(const char *list)
{
    carom_value *worlds = carom_array();
    for (size_t size = 0; *list != '\0'; list += size + (list[size] == ',')) {
        char name[80];
        size = strcspn(list, ",");
        (void)snprintf(name, sizeof name, "%.*s",
                       (int)(size < sizeof name ? size : sizeof name - 1), list);
        worlds = carom_push(worlds, carom_str(name));
    }
    return worlds;
}

// Adds each --claim NAME=VALUE: VALUE is JSON, or a text if it is not valid JSON.
static carom_value *add_claims(const cli *c, carom_value *claims)
{
    for (size_t i = 0; i < c->args.given_count; i++) {
        const args_given *given = &c->args.given[i];
        const char *equals = given->value != NULL ? strchr(given->value, '=') : NULL;
        if (strcmp(given->option->name, "claim") != 0 || equals == NULL) {
            continue;
        }
        char name[64];
        carom_value *value = NULL;
        (void)snprintf(name, sizeof name, "%.*s", (int)(equals - given->value), given->value);
        if (carom_json_parse(equals + 1, strlen(equals + 1), &value, NULL) != CAROM_OK) {
            value = carom_str(equals + 1);
        }
        claims = carom_set(claims, name, value);
    }
    return claims;
}

static carom_value *make_claims(const cli *c)
{
    time_t now = time(NULL);
    double lasts = args_seconds(&c->args, "for", FOR_DEFAULT_S);
    const char *worlds = args_text(&c->args, "worlds", NULL);
    carom_value *claims = carom_set(carom_map(), "sub", carom_str(args_text(&c->args, "sub", "")));
    claims = carom_set(claims, "role", carom_str(args_text(&c->args, "role", "player")));
    claims = carom_set(claims, "aud", carom_str("carom"));
    claims = carom_set(claims, "iat", carom_int((int64_t)now));
    claims = carom_set(claims, "exp", carom_int((int64_t)((double)now + lasts)));
    claims = worlds != NULL ? carom_set(claims, "worlds", split_worlds(worlds)) : claims;
    return add_claims(c, claims);
}

// Whether it is a world's name, or the beginning of names and a *.
static bool is_world_or_prefix(const char *text)
{
    const size_t size = strlen(text);
    const size_t name = strspn(text, WORLD_CHARACTERS);
    return size >= 1 && size <= WORLD_BYTES_MAX && strcmp(text, ".") != 0 &&
           strcmp(text, "..") != 0 && (name == size || (name == size - 1 && text[name] == '*'));
}

static bool is_subject(const char *text)
{
    const size_t size = strlen(text);
    for (size_t i = 0; i < size; i++) {
        if ((unsigned char)text[i] < ' ' || text[i] == 0x7f) {
            return false;
        }
    }
    return size >= 1 && size <= SUBJECT_BYTES_MAX;
}

static cli_exit check_times(cli *c, const carom_value *claims)
{
    static const char *const TIMES[] = {"exp", "nbf", "iat"};
    for (size_t i = 0; i < sizeof TIMES / sizeof *TIMES; i++) {
        const carom_value *value = carom_value_get(claims, TIMES[i]);
        if (value != NULL && isnan(carom_as_real(value, (double)NAN))) {
            return cli_usage(c, "--claim %s: seconds since 1970, a number", TIMES[i]);
        }
    }
    return CLI_OK;
}

// Claims that every server refuses; those of --claim besides are the server's to judge.
static cli_exit check_claims(cli *c, const carom_value *claims)
{
    const carom_value *worlds = carom_value_get(claims, "worlds");
    const bool listed = args_has(&c->args, "worlds");
    if (!is_subject(carom_get_str(claims, "sub", ""))) {
        return cli_usage(c, "--sub: 1 to %d bytes without control characters", SUBJECT_BYTES_MAX);
    }
    if (listed && (carom_value_count(worlds) < 1 || carom_value_count(worlds) > WORLDS_MAX)) {
        return cli_usage(c, "--worlds: 1 to %d names or prefixes", WORLDS_MAX);
    }
    for (size_t i = 0; listed && i < carom_value_count(worlds); i++) {
        const char *name = carom_as_str(carom_value_at(worlds, i), NULL);
        if (name == NULL || !is_world_or_prefix(name)) {
            return cli_usage(c,
                             "--worlds: '%.80s' is no world's name (1 to %d of A-Z a-z 0-9 _ . -), "
                             "nor the beginning of names and a *",
                             name != NULL ? name : "", WORLD_BYTES_MAX);
        }
    }
    return check_times(c, claims);
}

static cli_exit run_sign(cli *c, const char *path)
{
    char error[SIGN_ERROR_MAX] = "";
    carom_value *set = NULL;
    if (!args_has(&c->args, "sub")) {
        return cli_usage(c, "--sub is missing: who the token is for");
    }
    if (args_seconds(&c->args, "for", FOR_DEFAULT_S) < 1.0) {
        return cli_usage(c, "--for is at least 1s");
    }
    const char *out = args_text(&c->args, "out", "-");
    if (is_same_file(out, path)) {
        return cli_usage(c, "--out: %s is the file of the keys", out);
    }
    cli_exit code = may_write(c, out);
    if (code == CLI_OK) {
        code = read_set(path, &set);
    }
    if (code != CLI_OK) {
        return code;
    }
    const char *kid = args_text(&c->args, "kid", NULL);
    const carom_value *key = choose_key(set, kid);
    carom_value *claims = make_claims(c);
    code = check_claims(c, claims);
    char *token = code == CLI_OK && key != NULL && carom_value_ok(claims)
                      ? sign_token(key, claims, error)
                      : NULL;
    if (code != CLI_OK) {
        // told
    } else if (key == NULL) {
        cli_error(CLI_CODE_FILE, "%s has no key '%s'", path, kid != NULL ? kid : "");
        code = CLI_USAGE;
    } else if (token == NULL) {
        cli_error(CLI_CODE_FILE, "%s: %s", path, error);
        code = CLI_USAGE;
    } else {
        code = write_file(out, token, 0600);
    }
    carom_value_free(claims);
    carom_value_free(set);
    free(token);
    return code;
}

// ---- show

#define TIME_MAX 253402300799.0 // the end of the year 9999 [s after 1970]

static void show_time(const carom_value *claims, const char *name, const char *label)
{
    const carom_value *value = carom_value_get(claims, name);
    if (value == NULL) {
        return;
    }
    char when[LINE_BYTES] = "?";
    char left[LINE_BYTES];
    struct tm utc;
    double at = carom_get_real(claims, name, 0.0);
    if (!(fabs(at) <= TIME_MAX)) {
        (void)printf("%-11s %.3g s after 1970\n", label, at);
        return;
    }
    time_t whole = (time_t)at;
    double until = at - (double)time(NULL);
    if (gmtime_r(&whole, &utc) != NULL) {
        (void)strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S UTC", &utc);
    }
    text_from_duration(until < 0 ? -until : until, left, sizeof left);
    (void)printf("%-11s %s (%s%s%s)\n", label, when, until > 0 ? "in " : "", left,
                 until > 0 ? "" : " ago");
}

static cli_exit show_parts(const carom_value *parts)
{
    static const char *const hidden[] = {"sub", "role", "exp", "nbf", "iat"};
    const carom_value *header = carom_value_get(parts, "header");
    const carom_value *claims = carom_value_get(parts, "claims");
    cli_print_line("%-11s %s", "key", carom_get_str(header, "kid", "(none)"));
    cli_print_line("%-11s %s", "algorithm", carom_get_str(header, "alg", "(none)"));
    cli_print_line("%-11s %s", "subject", carom_get_str(claims, "sub", "(none)"));
    cli_print_line("%-11s %s", "role", carom_get_str(claims, "role", "viewer"));
    show_time(claims, "iat", "made");
    show_time(claims, "nbf", "valid from");
    show_time(claims, "exp", "expires");
    for (size_t i = 0; i < carom_value_count(claims); i++) {
        size_t size = 0;
        const char *name = carom_value_key(claims, i, &size);
        bool told = false;
        for (size_t h = 0; h < sizeof hidden / sizeof *hidden; h++) {
            told = told || strcmp(hidden[h], name) == 0;
        }
        char *text = told ? NULL : carom_json_print(carom_value_at(claims, i), false, NULL);
        if (text != NULL) {
            cli_print_line("%-11s %s", name, text);
        }
        carom_free_text(text);
    }
    return CLI_OK;
}

static cli_exit run_show(cli *c, const char *path)
{
    char error[SIGN_ERROR_MAX] = "";
    char *token = NULL;
    cli_exit code =
        path != NULL ? credentials_read_file(path, &token) : credentials_token(c, &token);
    if (code != CLI_OK) {
        return code;
    }
    if (token == NULL) {
        return cli_usage(c, "no token: name a file, or set CAROM_TOKEN or CAROM_TOKEN_FILE");
    }
    carom_value *parts = sign_take_apart(token, error);
    credentials_wipe(token);
    if (parts == NULL) {
        cli_error(CLI_CODE_FILE, "%s %s", path != NULL ? path : "the token", error);
        return CLI_USAGE;
    }
    code = c->json ? cli_print_json(parts) : show_parts(parts);
    carom_value_free(parts);
    return code;
}

static cli_exit run_token(cli *c)
{
    const char *action = args_word(&c->args, 0);
    const char *path = args_word(&c->args, 1);
    if (strcmp(action, "show") == 0) {
        return run_show(c, path);
    }
    if (path == NULL) {
        return cli_usage(c, "FILE is missing: the keys");
    }
    return strcmp(action, "keygen") == 0 ? run_keygen(c, path) : run_sign(c, path);
}

const cli_command command_token = {
    .name = "token",
    .group = "Server",
    .summary = "make keys for a server, and tokens for its clients",
    .operands = (const args_operand[]){{"ACTION", ARGS_CHOICE, true, false, "keygen|sign|show"},
                                       {"FILE", ARGS_FILE, false, false, NULL},
                                       {0}},
    .options =
        (const args_option[]){
            {"alg", 0, ARGS_CHOICE, "ALG", "keygen: eddsa (default) or hs256", "eddsa|hs256"},
            {"kid", 0, ARGS_TEXT, "NAME",
             "id of the key to make, or to sign with (default the last)", NULL},
            {"public", 0, ARGS_FILE, "FILE", "keygen: the public halves, for the server", NULL},
            {"add", 0, ARGS_FLAG, NULL, "keygen: add the key to those in FILE", NULL},
            {"sub", 0, ARGS_TEXT, "NAME", "sign: who the token is for", NULL},
            {"role", 0, ARGS_CHOICE, "ROLE", "sign: viewer, player (default), referee or admin",
             "viewer|player|referee|admin"},
            {"for", 0, ARGS_SECONDS, "TIME", "sign: how long it is valid (default 1h)", NULL},
            {"worlds", 0, ARGS_TEXT, "LIST",
             "sign: names of worlds, or prefixes with a *: arena,lobby-*", NULL},
            {"claim", 0, ARGS_PAIR, "NAME=VALUE", "sign: any other claim; may be given again",
             NULL},
            {"out", 0, ARGS_FILE, "FILE", "sign: write the token there, for its owner alone", NULL},
            {"force", 0, ARGS_FLAG, NULL, "replace the FILE of --out or --public if it exists",
             NULL},
            {0}},
    .details =
        "  carom token keygen FILE [--public FILE] [--alg hs256] [--add]\n"
        "  carom token sign FILE --sub NAME [--role ROLE] [--for TIME] [--worlds LIST]\n"
        "  carom token show [FILE]\n\n"
        "FILE of keygen and sign is a JWK Set; \"-\" is standard input or output. 'caromd --keys "
        "FILE' reads\n"
        "the public halves, or the same file with hs256. show decodes a token without checking "
        "its\nsignature: that of a file, or the one that this command line would send.",
    .examples = "  carom token keygen signing.json --public keys.json\n"
                "  carom token sign signing.json --sub ada --role player --for 8h --out ada.token\n"
                "  carom --token-file ada.token worlds\n"
                "  carom token show ada.token\n"
                "  carom token keygen signing.json --add --public keys.json; kill -HUP \"$(pidof "
                "caromd)\"",
    .run = run_token,
};
