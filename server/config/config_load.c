// Reads the sources of settings: the command line, the environment, the file; see config.h. Main
// thread.
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/args/args.h"
#include "common/base/assert.h"
#include "common/base/suggest.h"
#include "server/config/config_file.h"
#include "server/config/config_options.h"
#include "server/fleet/agones.h"

enum { VALUE_MAX = CONFIG_LINE_BYTES_MAX };

// A folder of an installed program: PREFIX/share/carom/NAME for PREFIX/bin/caromd.
static void installed_folder(const char *name, char *out, size_t size)
{
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    const char *prefix = "/usr";
    if (length > 0) {
        self[length] = '\0';
        for (int up = 0; up < 2; up++) {
            char *slash = strrchr(self, '/');
            if (slash != NULL) {
                *slash = '\0';
            }
        }
        prefix = self;
    }
    int used = snprintf(out, size, "%s/share/carom/%s", prefix, name);
    if (used < 0 || (size_t)used >= size) {
        out[0] = '\0';
    }
}

// The installed site, or that of a build; none if there is no first page.
static void default_docs(char *out, size_t size)
{
    char page[PATH_MAX + sizeof "/index.html"];
    installed_folder("docs", out, size);
    (void)snprintf(page, sizeof page, "%s/index.html", out);
    if (access(page, R_OK) != 0) {
        out[0] = '\0';
    }
}

static void set_defaults(config *c)
{
    *c = (config){.host = "127.0.0.1",
                  .port = CONFIG_PORT_DEFAULT,
                  .http_host = "127.0.0.1",
                  .http_port = CONFIG_HTTP_PORT_DEFAULT,
                  .hz = 60.0,
                  .world_threads = 1,
                  .io_threads = 1,
                  .fleet_prefix = "/carom",
                  .agones_port = AGONES_PORT,
                  .log = LOG_INFO};
    c->limits = limits_default();
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    c->threads = processors <= 2                        ? 1
                 : processors - 1 <= CONFIG_THREADS_MAX ? (int)processors - 1
                                                        : CONFIG_THREADS_MAX;
    installed_folder("scenes", c->scenes, sizeof c->scenes);
    default_docs(c->docs, sizeof c->docs);
}

static status apply_variable(config *c, const config_option *o, const char *value, error *err)
{
    char items[VALUE_MAX];
    if (strlen(value) >= sizeof items) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "is longer than %d bytes", VALUE_MAX - 1);
    }
    memcpy(items, value, strlen(value) + 1);
    if (o->value == NULL && strcmp(value, "0") == 0) {
        return STATUS_OK;
    }
    if (o->value == NULL && strcmp(value, "1") != 0) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "must be 0 or 1, not '%s'", value);
    }
    if (!o->list) {
        return o->apply(c, items, err);
    }
    char *rest = items;
    for (char *item = strtok_r(items, ", ", &rest); item != NULL;
         item = strtok_r(NULL, ", ", &rest)) {
        status s = o->apply(c, item, err);
        if (s != STATUS_OK) {
            return s;
        }
    }
    return STATUS_OK;
}

// Ignores variables of options that the command line gives.
static status apply_environment(config *c, bool *given, config_getenv env, error *err)
{
    for (int i = 0; i < CONFIG_OPTION_COUNT; i++) {
        const config_option *o = &CONFIG_OPTIONS[i];
        const char *value = o->variable != NULL && !given[i] ? env(o->variable) : NULL;
        if (value == NULL || *value == '\0') {
            continue;
        }
        status s = apply_variable(c, o, value, err);
        if (s != STATUS_OK) {
            error_prefix(err, "%s", o->variable);
            return s;
        }
        given[i] = true;
        c->places[i] = -1;
    }
    return STATUS_OK;
}

// ---- the file

// Whether a file may set the option.
static bool is_setting(const config_option *o)
{
    return o->variable != NULL && strcmp(o->name, "config") != 0;
}

static status refuse_setting(const char *name, error *err)
{
    char hint[SUGGEST_TEXT_MAX];
    suggestion near;
    suggest_begin(&near, name, strlen(name));
    for (int i = 0; i < CONFIG_OPTION_COUNT; i++) {
        if (is_setting(&CONFIG_OPTIONS[i])) {
            suggest_offer(&near, CONFIG_OPTIONS[i].name, strlen(CONFIG_OPTIONS[i].name));
        }
    }
    return error_set(err, STATUS_INVALID_ARGUMENT, "no setting is called '%.64s'%s", name,
                     suggest_text(&near, hint));
}

typedef struct file_state {
    config *config;
    const bool *given;             // set by options and variables
    int lines[CONFIG_OPTIONS_MAX]; // line of each setting's first use, 0 for none
} file_state;

// Overridden settings are checked too, in a configuration that is dropped: so that every mistake in
// the file is reported.
static status apply_setting(void *context, const char *name, const char *value, int line,
                            error *err)
{
    file_state *state = context;
    const int i = config_option_find(name);
    if (i < 0 || !is_setting(&CONFIG_OPTIONS[i])) {
        return refuse_setting(name, err);
    }
    const config_option *o = &CONFIG_OPTIONS[i];
    if (state->lines[i] != 0 && !o->list) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "%s is already set in line %d", name,
                         state->lines[i]);
    }
    state->lines[i] = line;
    config dropped = {.limits = limits_default()};
    config *to = state->given[i] ? &dropped : state->config;
    to->line = to->places[i] = line;
    status s = STATUS_OK;
    if (o->value != NULL) {
        s = o->apply(to, value, err);
    } else if (strcmp(value, "1") == 0) {
        s = o->apply(to, value, err);
    } else if (strcmp(value, "0") != 0) {
        s = error_set(err, STATUS_INVALID_ARGUMENT, "must be 0 or 1, not '%s'", value);
    }
    config_deinit(&dropped);
    if (s != STATUS_OK) {
        error_prefix(err, "%s", name);
    }
    return s;
}

static status apply_file(config *c, const bool *given, error *err)
{
    if (*c->file == '\0') {
        return STATUS_OK;
    }
    file_state state = {.config = c, .given = given};
    status s = config_file_read(c->file, apply_setting, &state, err);
    c->line = 0;
    return s;
}

// ---- the command line

// CONFIG_OPTIONS as common/args reads them; the values are checked when they are applied.
static void list_options(args_option out[CONFIG_OPTIONS_MAX + 1])
{
    for (int i = 0; i < CONFIG_OPTION_COUNT; i++) {
        out[i] = (args_option){.name = CONFIG_OPTIONS[i].name,
                               .letter = strcmp(CONFIG_OPTIONS[i].name, "help") == 0 ? 'h' : 0,
                               .kind = CONFIG_OPTIONS[i].value != NULL ? ARGS_TEXT : ARGS_FLAG,
                               .value = CONFIG_OPTIONS[i].value};
    }
    out[CONFIG_OPTION_COUNT] = (args_option){0};
}

static status apply_given(config *c, const config_option *o, const char *value, error *err)
{
    status s = o->apply(c, value, err);
    if (s != STATUS_OK) {
        error_prefix(err, "--%s", o->name);
    }
    return s;
}

static status apply_arguments(config *c, int argc, const char *const *argv, bool *given, error *err)
{
    args_option rows[CONFIG_OPTIONS_MAX + 1];
    const args_grammar grammar = {.options = rows};
    args line;
    int at = 1;
    list_options(rows);
    ASSERT_MEMORY(args_init(&line, argc));
    status s = STATUS_OK;
    if (!args_read(&line, &grammar, false, argc, argv, &at) || !args_check(&line, &grammar)) {
        s = error_set(err, STATUS_INVALID_ARGUMENT, "%s", line.error);
    }
    for (size_t i = 0; s == STATUS_OK && i < line.given_count; i++) {
        const ptrdiff_t found = line.given[i].option - rows;
        s = apply_given(c, &CONFIG_OPTIONS[found], line.given[i].value, err);
        given[found] = true;
    }
    args_deinit(&line);
    return s;
}

void config_place(const config *c, const char *name, char out[CONFIG_PLACE_MAX])
{
    const int i = config_option_find(name);
    ASSERT(i >= 0);
    if (c->places[i] > 0) {
        snprintf(out, CONFIG_PLACE_MAX, "%s:%d: %s", c->file, c->places[i], name);
    } else if (c->places[i] < 0) {
        snprintf(out, CONFIG_PLACE_MAX, "%s", CONFIG_OPTIONS[i].variable);
    } else {
        snprintf(out, CONFIG_PLACE_MAX, "--%s", name);
    }
}

static status need(const config *c, const char *has, const char *needs, error *err)
{
    char place[CONFIG_PLACE_MAX];
    config_place(c, has, place);
    return error_set(err, STATUS_INVALID_ARGUMENT, "%s: needs --%s, too", place, needs);
}

// Options that mean nothing without each other.
static status check_fleet(const config *c, error *err)
{
    const bool fleet = *c->fleet != '\0';
    if (fleet && *c->node == '\0') {
        return need(c, "fleet", "node", err);
    }
    if (fleet && *c->advertise == '\0') {
        return need(c, "fleet", "advertise", err);
    }
    if (!fleet && (*c->node != '\0' || *c->advertise != '\0')) {
        return need(c, *c->node != '\0' ? "node" : "advertise", "fleet", err);
    }
    if (!fleet && *c->fleet_host != '\0') {
        return need(c, "fleet-listen", "fleet", err);
    }
    if (*c->fleet_host != '\0' && *c->data == '\0') {
        return need(c, "fleet-listen", "data", err);
    }
    if ((*c->fleet_host == '\0') != (*c->fleet_secret == '\0')) {
        const bool secret = *c->fleet_secret == '\0';
        return need(c, secret ? "fleet-listen" : "fleet-secret",
                    secret ? "fleet-secret" : "fleet-listen", err);
    }
    if (c->standby_told && *c->fleet_host == '\0') {
        return need(c, "fleet-standby", "fleet-listen", err);
    }
    if ((*c->fleet_cert == '\0') != (*c->fleet_key == '\0')) {
        const bool key = *c->fleet_key == '\0';
        return need(c, key ? "fleet-cert" : "fleet-key", key ? "fleet-key" : "fleet-cert", err);
    }
    if (fleet && *c->takeover != '\0') {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "--takeover: not in a fleet, where the running server has the name of "
                         "this one: stop it, then start this one");
    }
    return STATUS_OK;
}

// An origin is given for each relay, or for none.
static status check_origins(const config *c, const char *name, const config_texts *origins,
                            error *err)
{
    char place[CONFIG_PLACE_MAX];
    if (origins->count == 0 || origins->count == c->relays.count) {
        return STATUS_OK;
    }
    config_place(c, name, place);
    return error_set(err, STATUS_INVALID_ARGUMENT,
                     "%s: given %u times, and --relay %u: one for each, in their order", place,
                     origins->count, c->relays.count);
}

// Options about what a data directory holds.
static status check_data(const config *c, error *err)
{
    const bool socket = *c->takeover_socket != '\0' && strcmp(c->takeover_socket, "off") != 0;
    const char *without = *c->data != '\0'          ? NULL
                          : c->load_aside.count > 0 ? "load-aside"
                          : *c->takeover != '\0'    ? "takeover"
                          : socket                  ? "takeover-socket"
                                                    : NULL;
    return without != NULL ? need(c, without, "data", err) : STATUS_OK;
}

// Agones sets the variable in every container of its pods; only --agones makes it matter.
static status read_agones_port(config *c, config_getenv env, error *err)
{
    const char *text = env("AGONES_SDK_HTTP_PORT");
    if (!c->agones || text == NULL || *text == '\0') {
        return STATUS_OK;
    }
    char *end = NULL;
    const unsigned long port = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0' || port == 0 || port > UINT16_MAX) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "AGONES_SDK_HTTP_PORT: '%.20s' is not a port from 1 to 65535", text);
    }
    c->agones_port = (uint16_t)port;
    return STATUS_OK;
}

// A relay has no worlds of its own.
static status check_relay(const config *c, error *err)
{
    const struct {
        const char *name;
        bool given;
    } others[] = {{"fleet", *c->fleet != '\0'},   {"data", *c->data != '\0'},
                  {"world", c->worlds.count > 0}, {"template", c->templates.count > 0},
                  {"replay", *c->replay != '\0'}, {"takeover", *c->takeover != '\0'}};
    const struct {
        const char *name;
        bool given;
    } needs[] = {{"relay-token", *c->relay_token != '\0'},
                 {"relay-ca", *c->relay_ca != '\0'},
                 {"relay-origin", c->relay_origins.count > 0},
                 {"relay-origin-http", c->relay_origins_http.count > 0}};
    const bool relay = c->relays.count > 0;
    for (size_t i = 0; !relay && i < sizeof needs / sizeof *needs; i++) {
        if (needs[i].given) {
            return need(c, needs[i].name, "relay", err);
        }
    }
    for (size_t i = 0; relay && i < sizeof others / sizeof *others; i++) {
        if (others[i].given) {
            char place[CONFIG_PLACE_MAX];
            config_place(c, others[i].name, place);
            return error_set(err, STATUS_INVALID_ARGUMENT,
                             "%s: not with --relay: a relay serves another server's worlds alone",
                             place);
        }
    }
    if (c->relay_origins_http.count > 0 && c->relay_origins.count == 0) {
        return need(c, "relay-origin-http", "relay-origin", err);
    }
    const status s = check_origins(c, "relay-origin", &c->relay_origins, err);
    return s == STATUS_OK ? check_origins(c, "relay-origin-http", &c->relay_origins_http, err) : s;
}

status config_load(config *out, int argc, const char *const *argv, config_getenv env, error *err)
{
    bool given[CONFIG_OPTIONS_MAX] = {false};
    set_defaults(out);
    status s = apply_arguments(out, argc, argv, given, err);
    if (s == STATUS_OK) {
        s = apply_environment(out, given, env, err);
    }
    if (s == STATUS_OK) {
        s = apply_file(out, given, err);
    }
    if (s == STATUS_OK && (*out->tls_certificate == '\0') != (*out->tls_key == '\0')) {
        bool key = *out->tls_key == '\0';
        char place[CONFIG_PLACE_MAX];
        config_place(out, key ? "tls-cert" : "tls-key", place);
        s = error_set(err, STATUS_INVALID_ARGUMENT, "%s: needs --%s, too", place,
                      key ? "tls-key" : "tls-cert");
    }
    if (s == STATUS_OK) {
        s = check_fleet(out, err);
    }
    if (s == STATUS_OK) {
        s = check_relay(out, err);
    }
    if (s == STATUS_OK) {
        s = check_data(out, err);
    }
    if (s == STATUS_OK) {
        s = read_agones_port(out, env, err);
    }
    if (out->port == 0 && !out->http_given) {
        out->http_port = 0; // a server on a port chosen by the system may be one of many
    }
    return s;
}

bool config_misspelt(const char *entry, char name[VARIABLES_NAME_MAX], const char **meant)
{
    const char *known[CONFIG_OPTIONS_MAX];
    size_t count = 0;
    for (int i = 0; i < CONFIG_OPTION_COUNT; i++) {
        if (CONFIG_OPTIONS[i].variable != NULL) {
            known[count++] = CONFIG_OPTIONS[i].variable;
        }
    }
    return variables_misspelt(entry, known, count, name, meant);
}

static void free_texts(config_texts *texts)
{
    for (uint32_t i = 0; i < texts->count; i++) {
        free(texts->data[i]);
    }
    array_free(texts);
}

void config_deinit(config *c)
{
    free_texts(&c->origins);
    free_texts(&c->load_aside);
    free_texts(&c->viewer_servers);
    free_texts(&c->relays);
    free_texts(&c->relay_origins);
    free_texts(&c->relay_origins_http);
    array_free(&c->worlds);
    array_free(&c->templates);
}
