// The options, one table row each, and the checks of their values; see config.h. config_load.c
// reads their sources. Main thread.
#include "server/config/config_options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/args/text.h"
#include "common/base/assert.h"
#include "common/physics/physics.h"
#include "proto/methods.h"
#include "server/config/config_file.h"
#include "server/config/config_fleet.h"
#include "server/http/origin.h"
#include "server/http/policy.h"
#include "server/session/placement/templates.h"

enum {
    VALUE_MAX = CONFIG_LINE_BYTES_MAX,
    ORIGINS_MAX = 64,
    LOAD_ASIDE_MAX = 64,      // worlds of --load-aside
    TAKEOVER_SOCKET_MAX = 103 // a socket's path may have 107, and ".new" is appended
};

bool config_name_valid(const char *name, size_t size)
{
    if (size == 0 || size > CONFIG_NAME_MAX) {
        return false;
    }
    for (size_t i = 0; i < size; i++) {
        char c = name[i];
        bool allowed = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '_' || c == '.' || c == '-';
        if (!allowed) {
            return false;
        }
    }
    bool dots = name[0] == '.' && (size == 1 || (size == 2 && name[1] == '.'));
    return !dots;
}

static bool parse_whole(const char *text, uint64_t largest, uint64_t *out)
{
    char *end = NULL;
    errno = 0;
    uint64_t value = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0' || errno != 0 || value > largest) {
        return false;
    }
    *out = value;
    return true;
}

status config_parse_address(const char *value, char out[CONFIG_HOST_MAX + 1], uint16_t *out_port,
                            const char *wanted, error *err)
{
    const char *colon = strrchr(value, ':');
    const char *host = value;
    size_t size = colon != NULL ? (size_t)(colon - value) : 0;
    bool bracketed = size >= 2 && host[0] == '[' && host[size - 1] == ']';
    if (bracketed) {
        host++;
        size -= 2;
    }
    uint64_t port = 0;
    bool plain = bracketed || memchr(host, ':', size) == NULL;
    if (size == 0 || size > CONFIG_HOST_MAX || !plain || !parse_whole(colon + 1, 65535, &port)) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "'%s' is not %s", value, wanted);
    }
    memcpy(out, host, size);
    out[size] = '\0';
    *out_port = (uint16_t)port;
    return STATUS_OK;
}

static status apply_listen(config *c, const char *value, error *err)
{
    c->listen_given = true;
    return config_parse_address(value, c->host, &c->port,
                                "HOST:PORT, as 127.0.0.1:22766 or [::1]:22766", err);
}

static status apply_http(config *c, const char *value, error *err)
{
    c->http_given = true;
    if (strcmp(value, "off") == 0) {
        c->http_host[0] = '\0';
        return STATUS_OK;
    }
    return config_parse_address(value, c->http_host, &c->http_port,
                                "off or HOST:PORT, as 127.0.0.1:22767 or [::1]:22767", err);
}

char *config_copy_of(const char *value)
{
    char *copy = strdup(value);
    ASSERT_MEMORY(copy != NULL);
    return copy;
}

static status apply_origin(config *c, const char *value, error *err)
{
    status s = origin_check(value, err);
    if (s == STATUS_OK && c->origins.count == ORIGINS_MAX) {
        s = error_set(err, STATUS_INVALID_ARGUMENT, "at most %d may be given", ORIGINS_MAX);
    }
    if (s == STATUS_OK) {
        array_push(&c->origins, config_copy_of(value));
    }
    return s;
}

static status apply_viewer_server(config *c, const char *value, error *err)
{
    status s = policy_check_server(value, err);
    if (s == STATUS_OK && c->viewer_servers.count == POLICY_SERVERS_MAX) {
        s = error_set(err, STATUS_INVALID_ARGUMENT, "at most %d may be given", POLICY_SERVERS_MAX);
    }
    if (s == STATUS_OK) {
        array_push(&c->viewer_servers, config_copy_of(value));
    }
    return s;
}

static status apply_proxy_from(config *c, const char *value, error *err)
{
    return proxy_peers_add(&c->proxies, value, err);
}

static status apply_hz(config *c, const char *value, error *err)
{
    double hz = 0.0;
    if (!text_to_number(value, &hz) || hz < PHYSICS_HZ_MIN || hz > PHYSICS_HZ_MAX) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "must be a number from %d to %d, not '%s'",
                         PHYSICS_HZ_MIN, PHYSICS_HZ_MAX, value);
    }
    c->hz = hz;
    return STATUS_OK;
}

static status parse_threads(const char *value, int *out, error *err)
{
    uint64_t threads = 0;
    if (!parse_whole(value, CONFIG_THREADS_MAX, &threads) || threads == 0) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "must be a whole number from 1 to %d, not '%s'", CONFIG_THREADS_MAX,
                         value);
    }
    *out = (int)threads;
    return STATUS_OK;
}

static status apply_threads(config *c, const char *value, error *err)
{
    return parse_threads(value, &c->threads, err);
}

static status apply_world_threads(config *c, const char *value, error *err)
{
    return parse_threads(value, &c->world_threads, err);
}

static status apply_io_threads(config *c, const char *value, error *err)
{
    return parse_threads(value, &c->io_threads, err);
}

// Parses bytes, with an optional K, M or G for 1024, 1024^2 and 1024^3.
static status apply_memory(config *c, const char *value, error *err)
{
    static const char UNITS[] = "KMG";
    char number[32] = "";
    const size_t size = strlen(value);
    const char *unit = size > 1 ? strchr(UNITS, value[size - 1]) : NULL;
    const size_t digits = unit != NULL ? size - 1 : size;
    const int shift = unit != NULL ? 10 * (int)(unit - UNITS + 1) : 0;
    uint64_t bytes = 0;
    if (digits > 0 && digits < sizeof number) {
        memcpy(number, value, digits);
    }
    if (!parse_whole(number, CONFIG_MEMORY_MAX >> shift, &bytes) ||
        bytes << shift < CONFIG_MEMORY_MIN) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "must be a number of bytes from 64M to 64T, with K, M or G behind it for "
                         "1024, 1024^2 and 1024^3, not '%s'",
                         value);
    }
    c->memory = bytes << shift;
    return STATUS_OK;
}

static status apply_world(config *c, const char *value, error *err)
{
    const char *colon = strchr(value, ':');
    size_t name = colon != NULL ? (size_t)(colon - value) : strlen(value);
    const char *scene = colon != NULL ? colon + 1 : "";
    bool valid = config_name_valid(value, name) &&
                 (colon == NULL || config_name_valid(scene, strlen(scene)));
    if (!valid) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "'%s' is not NAME or NAME:SCENE (1 to %d of A-Z a-z 0-9 _ . - each)",
                         value, CONFIG_NAME_MAX);
    }
    config_world world = {.line = c->line};
    memcpy(world.name, value, name);
    memcpy(world.scene, scene, strlen(scene));
    for (uint32_t i = 0; i < c->worlds.count; i++) {
        if (strcmp(c->worlds.data[i].name, world.name) == 0) {
            return error_set(err, STATUS_INVALID_ARGUMENT, "world '%s' is named twice", world.name);
        }
    }
    array_push(&c->worlds, world);
    return STATUS_OK;
}

static status apply_template(config *c, const char *value, error *err)
{
    const char *equals = strchr(value, '=');
    const size_t name = equals != NULL ? (size_t)(equals - value) : 0;
    config_template made = {.line = c->line};
    if (name == 0 || name > TEMPLATE_NAME_BYTES_MAX || !config_name_valid(value, name) ||
        equals[1] == '\0' || strlen(equals + 1) >= sizeof made.path) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "'%s' is not NAME=FILE (a name of 1 to %d of A-Z a-z 0-9 _ . -)", value,
                         TEMPLATE_NAME_BYTES_MAX);
    }
    memcpy(made.name, value, name);
    memcpy(made.path, equals + 1, strlen(equals + 1) + 1);
    for (uint32_t i = 0; i < c->templates.count; i++) {
        if (strcmp(c->templates.data[i].name, made.name) == 0) {
            return error_set(err, STATUS_INVALID_ARGUMENT, "template '%s' is named twice",
                             made.name);
        }
    }
    if (c->templates.count >= TEMPLATES_MAX) {
        return error_set(err, STATUS_LIMIT_EXCEEDED, "at most %d may be given", TEMPLATES_MAX);
    }
    array_push(&c->templates, made);
    return STATUS_OK;
}

// Checks that a folder exists and is readable. Options are checked when read, so that a mistake in
// any of them stops the start.
static status check_folder(const char *path, error *err)
{
    struct stat found;
    if (*path == '\0' || strlen(path) >= PATH_MAX) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "must be the path of a folder");
    }
    if (stat(path, &found) != 0) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "'%s': %s", path, strerror(errno));
    }
    if (!S_ISDIR(found.st_mode)) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "'%s' is not a folder", path);
    }
    if (access(path, R_OK | X_OK) != 0) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "'%s' cannot be read: %s", path,
                         strerror(errno));
    }
    return STATUS_OK;
}

static status apply_scenes(config *c, const char *value, error *err)
{
    status s = check_folder(value, err);
    if (s != STATUS_OK) {
        return s;
    }
    memcpy(c->scenes, value, strlen(value) + 1);
    return STATUS_OK;
}

static status apply_www(config *c, const char *value, error *err)
{
    status s = check_folder(value, err);
    if (s == STATUS_OK) {
        memcpy(c->www, value, strlen(value) + 1);
    }
    return s;
}

static status apply_docs(config *c, const char *value, error *err)
{
    if (strcmp(value, "off") == 0) {
        *c->docs = '\0';
        return STATUS_OK;
    }
    status s = check_folder(value, err);
    if (s == STATUS_OK) {
        memcpy(c->docs, value, strlen(value) + 1);
    }
    return s;
}

static status apply_data(config *c, const char *value, error *err)
{
    if (*value == '\0' || strlen(value) >= PATH_MAX) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "must be the path of a folder");
    }
    memcpy(c->data, value, strlen(value) + 1);
    return STATUS_OK;
}

static status apply_takeover(config *c, const char *value, error *err)
{
    if (*value == '\0' || strlen(value) >= sizeof c->takeover) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "must be the path of a running server's takeover socket");
    }
    memcpy(c->takeover, value, strlen(value) + 1);
    return STATUS_OK;
}

static status apply_takeover_socket(config *c, const char *value, error *err)
{
    if (*value == '\0' || strlen(value) > TAKEOVER_SOCKET_MAX) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "must be a path of at most %d bytes, or off",
                         TAKEOVER_SOCKET_MAX);
    }
    memcpy(c->takeover_socket, value, strlen(value) + 1);
    return STATUS_OK;
}

static status apply_load_aside(config *c, const char *value, error *err)
{
    if (!config_name_valid(value, strlen(value))) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "'%s' is not a name of a world (1 to %d of A-Z a-z 0-9 _ . -)", value,
                         CONFIG_NAME_MAX);
    }
    if (c->load_aside.count == LOAD_ASIDE_MAX) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "at most %d may be given", LOAD_ASIDE_MAX);
    }
    array_push(&c->load_aside, config_copy_of(value));
    return STATUS_OK;
}

static status apply_replay(config *c, const char *value, error *err)
{
    if (*value == '\0' || strlen(value) >= sizeof c->replay) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "must be the path of a recording");
    }
    memcpy(c->replay, value, strlen(value) + 1);
    return STATUS_OK;
}

static status apply_check_data(config *c, const char *value, error *err)
{
    c->check_data = true;
    return apply_data(c, value, err);
}

static status apply_log(config *c, const char *value, error *err)
{
    if (!log_level_parse(value, &c->log)) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "must be error, warn, info or debug, not '%s'", value);
    }
    return STATUS_OK;
}

static status apply_log_format(config *c, const char *value, error *err)
{
    bool json = strcmp(value, "json") == 0;
    if (!json && strcmp(value, "text") != 0) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "must be text or json, not '%s'", value);
    }
    c->log_format = json ? LOG_JSON : LOG_TEXT;
    return STATUS_OK;
}

static status apply_check_config(config *c, const char *value, error *err)
{
    (void)value;
    (void)err;
    c->check_config = true;
    return STATUS_OK;
}

static status apply_limit(config *c, const char *value, error *err)
{
    return limits_set(&c->limits, value, err);
}

status config_copy_path(char out[PATH_MAX], const char *value, error *err)
{
    if (*value == '\0' || strlen(value) >= PATH_MAX) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "must be the path of a file");
    }
    memcpy(out, value, strlen(value) + 1);
    return STATUS_OK;
}

static status apply_keys(config *c, const char *value, error *err)
{
    return config_copy_path(c->keys, value, err);
}

static status apply_tls_certificate(config *c, const char *value, error *err)
{
    return config_copy_path(c->tls_certificate, value, err);
}

static status apply_tls_key(config *c, const char *value, error *err)
{
    return config_copy_path(c->tls_key, value, err);
}

static status apply_guests(config *c, const char *value, error *err)
{
    role guests = ROLE_NONE;
    if (!role_parse(value, strlen(value), &guests) ||
        (guests != ROLE_VIEWER && guests != ROLE_PLAYER)) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "must be viewer or player, not '%s'", value);
    }
    c->guests = guests;
    return STATUS_OK;
}

static status apply_insecure(config *c, const char *value, error *err)
{
    (void)value;
    (void)err;
    c->insecure = true;
    return STATUS_OK;
}

static status apply_help(config *c, const char *value, error *err)
{
    (void)value;
    (void)err;
    c->help = true;
    return STATUS_OK;
}

static status apply_version(config *c, const char *value, error *err)
{
    (void)value;
    (void)err;
    c->version = true;
    return STATUS_OK;
}

static status apply_config(config *c, const char *value, error *err)
{
    return config_copy_path(c->file, value, err);
}

const config_option CONFIG_OPTIONS[] = {
    {"listen", "CAROM_LISTEN", "HOST:PORT", false, apply_listen,
     "where clients connect (127.0.0.1:22766), on all addresses of a name; port 0 takes a free "
     "one"},
    {"http", "CAROM_HTTP", "HOST:PORT", false, apply_http,
     "where browsers connect, over HTTP and WebSocket (127.0.0.1:22767); off for nowhere"},
    {"origin", "CAROM_ORIGIN", "ORIGIN", true, apply_origin,
     "allow pages of this origin to connect, and requests under its name, as https://play.example; "
     "may "
     "be given again; * for all"},
    {"viewer-server", "CAROM_VIEWER_SERVER", "URL", true, apply_viewer_server,
     "a server that the viewer may show too, as wss://b.example:22767; may be given again; * for "
     "all"},
    {"www", "CAROM_WWW", "DIR", false, apply_www,
     "serve a game's files: DIR/index.html is the page at /, and the viewer moves to /viewer/; "
     "changed files are read again"},
    {"docs", "CAROM_DOCS", "DIR", false, apply_docs,
     "serve the documentation in this folder at /docs/ (share/carom/docs beside the program, if it "
     "exists); off for none"},
    {"proxy-from", "CAROM_PROXY_FROM", "ADDRESS", true, apply_proxy_from,
     "connections from this address, as 10.0.0.5 or 10.0.0.0/8, begin with a PROXY header (version "
     "2), which names the client; may be given again"},
    {"hz", "CAROM_HZ", "HZ", false, apply_hz, "steps a second of worlds that set no rate (60)"},
    {"threads", "CAROM_THREADS", "COUNT", false, apply_threads,
     "simulation threads (one for each processor but one)"},
    {"world-threads", "CAROM_WORLD_THREADS", "COUNT", false, apply_world_threads,
     "threads that step one world together, for worlds of thousands of bodies (1)"},
    {"io-threads", "CAROM_IO_THREADS", "COUNT", false, apply_io_threads,
     "threads that read and write sockets, for thousands of readers (1: the network thread does)"},
    {"memory", "CAROM_MEMORY", "BYTES", false, apply_memory,
     "memory that the process may use, as 512M (K, M or G); requests that need more are refused "
     "(three quarters of the memory of the machine, or of its control group)"},
    {"world", "CAROM_WORLD", "NAME[:SCENE]", true, apply_world,
     "make this world at the start; may be given again"},
    {"template", "CAROM_TEMPLATE", "NAME=FILE", true, apply_template,
     "a template for the worlds of world.join: FILE is JSON with scene and other arguments of "
     "world.create, players, seats, idle_s; may be given again"},
    {"data", "CAROM_DATA", "DIR", false, apply_data,
     "the folder of the worlds' logs, created if missing: a restart restores the worlds"},
    {"load-aside", NULL, "NAME", true, apply_load_aside,
     "start this world of --data although its ticks ended the process twice; may be given again"},
    {"check-data", NULL, "DIR", false, apply_check_data,
     "read every byte of a data directory, print its contents, and exit"},
    {"takeover", NULL, "PATH", false, apply_takeover,
     "take over sockets, worlds and sessions from the server with this takeover socket"},
    {"takeover-socket", "CAROM_TAKEOVER_SOCKET", "PATH", false, apply_takeover_socket,
     "socket for the next server's --takeover (DIR/takeover with --data); off for none"},
    {"relay", "CAROM_RELAY", "SERVER", true, config_apply_relay,
     "serve the worlds of the server at HOST:PORT or tls://HOST:PORT to clients that watch them: a "
     "relay, which follows their logs and takes no commands; may be given again, as for a fleet"},
    {"relay-token", "CAROM_RELAY_TOKEN", "FILE", false, config_apply_relay_token,
     "the token with which the relay speaks to those servers; read again for each connection"},
    {"relay-ca", "CAROM_RELAY_CA", "FILE", false, config_apply_relay_ca,
     "authorities for those servers' certificates, in PEM (those of the system)"},
    {"relay-origin", "CAROM_RELAY_ORIGIN", "HOST:PORT", true, config_apply_relay_origin,
     "where clients of the relay are sent with commands (moved), over TCP: once for each --relay, "
     "in their order; without it commands are refused"},
    {"relay-origin-http", "CAROM_RELAY_ORIGIN_HTTP", "ADDR", true, config_apply_relay_origin_http,
     "the same as HOST:PORT of HTTP, for clients over WebSocket"},
    {"replay", "CAROM_REPLAY", "FILE", false, apply_replay,
     "serve a recording ('carom record') as a world that clients watch, step and seek in"},
    {"scenes", "CAROM_SCENES", "DIR", false, apply_scenes,
     "the folder of scenes, one NAME.json each"},
    {"limit", "CAROM_LIMIT", "NAME=VALUE", true, apply_limit,
     "set one of the limits below; may be given again"},
    {"keys", "CAROM_KEYS", "FILE", false, apply_keys,
     "the JWK Set that verifies clients' tokens; read again on SIGHUP"},
    {"tls-cert", "CAROM_TLS_CERT", "FILE", false, apply_tls_certificate,
     "accept TLS 1.3 only, with this certificate and its chain, in PEM; read again on SIGHUP"},
    {"tls-key", "CAROM_TLS_KEY", "FILE", false, apply_tls_key,
     "the certificate's private key, in PEM without a passphrase; read again on SIGHUP"},
    {"guests", "CAROM_GUESTS", "ROLE", false, apply_guests,
     "role of sessions without a token, viewer or player; without --keys, of all sessions"},
    {"insecure", "CAROM_INSECURE", NULL, false, apply_insecure,
     "listen on addresses other than this machine's own even without --keys and --guests"},
    {"fleet", "CAROM_FLEET", "URL[,URL]...", false, config_apply_fleet,
     "share the names of worlds with other servers through the etcd at http://HOST:PORT or "
     "https://HOST:PORT; needs --node and --advertise"},
    {"fleet-prefix", "CAROM_FLEET_PREFIX", "PREFIX", false, config_apply_fleet_prefix,
     "prefix of the fleet's keys in etcd (/carom); each fleet has its own"},
    {"node", "CAROM_NODE", "NAME", false, config_apply_node,
     "this server's name in the fleet: unique, and the same after a restart"},
    {"advertise", "CAROM_ADVERTISE", "ADDR[,ADDR]", false, config_apply_advertise,
     "the address of this server that the fleet gives to clients: HOST:PORT, and after a comma "
     "HOST:PORT for HTTP"},
    {"fleet-listen", "CAROM_FLEET_LISTEN", "HOST:PORT", false, config_apply_fleet_listen,
     "the address at which other servers of the fleet reach this one, for replicated worlds; "
     "port 0 takes a free one; needs --fleet-secret and --data"},
    {"fleet-standby", "CAROM_FLEET_STANDBY", "hot|log", false, config_apply_fleet_standby,
     "how this server stands by for worlds of others: hot plays their logs as they grow; log keeps "
     "them, and plays up to 10 s when it takes over (hot)"},
    {"fleet-secret", "CAROM_FLEET_SECRET", "FILE", false, config_apply_fleet_secret,
     "key of the fleet's servers, at least 32 bytes, for example from: openssl rand -hex 32"},
    {"fleet-ca", "CAROM_FLEET_CA", "FILE", false, config_apply_fleet_ca,
     "authorities for etcd's certificate, in PEM (those of the system)"},
    {"fleet-cert", "CAROM_FLEET_CERT", "FILE", false, config_apply_fleet_cert,
     "this server's certificate for etcd, in PEM"},
    {"fleet-key", "CAROM_FLEET_KEY", "FILE", false, config_apply_fleet_key,
     "the private key of --fleet-cert, in PEM"},
    {"agones", "CAROM_AGONES", NULL, false, config_apply_agones,
     "report readiness, health, use and the end to the sidecar of Agones, at the port that "
     "AGONES_SDK_HTTP_PORT names (9358)"},
    {"log", "CAROM_LOG", "LEVEL", false, apply_log, "error, warn, info (default) or debug"},
    {"log-format", "CAROM_LOG_FORMAT", "FORMAT", false, apply_log_format,
     "text (default) or json, one object a line"},
    {"config", "CAROM_CONFIG", "FILE", false, apply_config,
     "read settings from this file: one NAME = VALUE a line, with these names"},
    {"check-config", NULL, NULL, false, apply_check_config,
     "check the options, variables and the file, and exit"},
    {"help", NULL, NULL, false, apply_help, "print this and exit"},
    {"version", NULL, NULL, false, apply_version, "print the version and exit"},
};

enum { OPTION_COUNT = sizeof CONFIG_OPTIONS / sizeof *CONFIG_OPTIONS };

const int CONFIG_OPTION_COUNT = OPTION_COUNT;

_Static_assert((int)OPTION_COUNT <= (int)CONFIG_OPTIONS_MAX, "each has a place");

int config_option_find(const char *name)
{
    int i = 0;
    while (i < OPTION_COUNT && strcmp(CONFIG_OPTIONS[i].name, name) != 0) {
        i++;
    }
    return i < OPTION_COUNT ? i : -1;
}

// Where the texts of --help begin.
enum { OPTION_COLUMN = 42, LIMIT_COLUMN = 50 };

void config_help(FILE *out)
{
    fputs("Usage: caromd [OPTION]...\n"
          "Serves 2D physics worlds to clients that speak MessagePack-RPC.\n\n"
          "Options, each with its environment variable:\n",
          out);
    for (int i = 0; i < OPTION_COUNT; i++) {
        const config_option *o = &CONFIG_OPTIONS[i];
        char head[64];
        char start[128];
        snprintf(head, sizeof head, "--%s%s%s", o->name, o->value != NULL ? " " : "",
                 o->value != NULL ? o->value : "");
        snprintf(start, sizeof start, "  %-24s %s", head, o->variable != NULL ? o->variable : "");
        if (strlen(start) < OPTION_COLUMN) {
            text_print_help(out, start, OPTION_COLUMN, o->help);
        } else { // a long variable has a line of its own
            fprintf(out, "%s\n", start);
            text_print_help(out, "", OPTION_COLUMN, o->help);
        }
    }
    fputs(
        "\nIn a variable, commas separate the items of an option that may be given again; a switch "
        "is 0 or 1.\nOptions override variables, and variables override the file. In the file, an "
        "option that may be\ngiven again has a line for each item, and # begins a comment.\n\n"
        "Limits (default, unit, reason):\n",
        out);
    for (size_t i = 0; limits_info(i) != NULL; i++) {
        const limit_info *l = limits_info(i);
        char start[128];
        snprintf(start, sizeof start, "  %-29s %10" PRIu64 " %s", l->name, l->standard, l->unit);
        text_print_help(out, start, LIMIT_COLUMN, l->reason);
    }
    fputs("\nSignals: SIGTERM and SIGINT stop the server; SIGUSR1 refuses new sessions, informs "
          "the clients, and\nstops after lame_duck_ms or with the last session; SIGHUP reloads the "
          "keys and the certificate.\n",
          out);
    fputs("\nExit codes: 0 after a clean shutdown, 1 when the server could not run, 2 for a wrong "
          "option.\n",
          out);
}
