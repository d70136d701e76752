// See config_check.h.
#include "server/config/config_check.h"

#include <inttypes.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "common/physics/physics.h"
#include "proto/scene/scene_apply.h"
#include "server/auth/token_file.h"
#include "server/base/file.h"
#include "server/net/network.h"
#include "server/session/placement/scenes.h"
#include "server/world/state/replay.h"

static status place_prefix(const config *c, const char *name, status s, error *err)
{
    char place[CONFIG_PLACE_MAX];
    if (s != STATUS_OK) {
        config_place(c, name, place);
        error_prefix(err, "%s", place);
    }
    return s;
}

status config_open_keys(const config *c, auth_keys **out, error *err)
{
    *out = NULL;
    if (*c->keys == '\0') {
        return STATUS_OK;
    }
    return place_prefix(c, "keys", auth_keys_open(c->keys, out, err), err);
}

status config_open_tls(const config *c, tls_files **out, error *err)
{
    *out = NULL;
    if (*c->tls_certificate == '\0') {
        return STATUS_OK;
    }
    status s = tls_files_open(c->tls_certificate, c->tls_key, out, err);
    size_t size = strlen(c->tls_key); // the error begins with the path of its file
    bool key = s != STATUS_OK && strcmp(c->tls_key, c->tls_certificate) != 0 &&
               strncmp(err->text, c->tls_key, size) == 0 && err->text[size] == ':';
    return place_prefix(c, key ? "tls-key" : "tls-cert", s, err);
}

// Checks that the file has a token: it is read again for each connection.
static status check_token(const config *c, error *err)
{
    char *token = NULL;
    if (*c->relay_token == '\0') {
        return STATUS_OK;
    }
    const status s = token_file_read(c->relay_token, &token, err);
    free(token);
    return place_prefix(c, "relay-token", s, err);
}

status config_open_relay(const config *c, config_relay *out, error *err)
{
    *out = (config_relay){0};
    bool tls = *c->relay_ca != '\0';
    const bool origins = c->relay_origins.count > 0;
    const bool web = c->relay_origins_http.count > 0;
    for (uint32_t i = 0; i < c->relays.count; i++) {
        const char *address = c->relays.data[i];
        const size_t prefix = strlen(CONFIG_TLS_PREFIX);
        const bool sealed = strncmp(address, CONFIG_TLS_PREFIX, prefix) == 0;
        const relay_target target = {.address = address + (sealed ? prefix : 0),
                                     .tls = sealed,
                                     .origin = origins ? c->relay_origins.data[i] : NULL,
                                     .origin_http = web ? c->relay_origins_http.data[i] : NULL};
        array_push(&out->targets, target);
        tls = tls || sealed;
    }
    status s = check_token(c, err);
    if (s == STATUS_OK && tls) {
        s = place_prefix(c, "relay-ca",
                         tls_trust_open(*c->relay_ca != '\0' ? c->relay_ca : NULL, &out->tls, err),
                         err);
    }
    out->options = (relay_options){.targets = out->targets.data,
                                   .count = out->targets.count,
                                   .token = *c->relay_token != '\0' ? c->relay_token : NULL,
                                   .tls = out->tls};
    return s;
}

void config_close_relay(config_relay *r)
{
    tls_trust_free(r->tls);
    array_free(&r->targets);
}

// Whether all addresses of a host are loopback addresses.
static status check_local(const char *host, bool *out, error *err)
{
    if (strcasecmp(host, "localhost") == 0) { // like network.c
        *out = true;
        return STATUS_OK;
    }
    struct addrinfo hints = {.ai_flags = AI_PASSIVE, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    char text[NI_MAXHOST] = "";
    int result = getaddrinfo(host, NULL, &hints, &found);
    if (result != 0) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "no address for host '%s': %s", host,
                         gai_strerror(result));
    }
    *out = true;
    for (const struct addrinfo *a = found; a != NULL && *out; a = a->ai_next) {
        result = getnameinfo(a->ai_addr, a->ai_addrlen, text, sizeof text, NULL, 0, NI_NUMERICHOST);
        *out = result == 0 && network_address_is_local(text);
    }
    freeaddrinfo(found);
    return STATUS_OK;
}

static status check_address(const config *c, const char *name, const char *host, error *err)
{
    bool local = true;
    status s = check_local(host, &local, err);
    if (s == STATUS_OK && !local && *c->keys == '\0' && c->guests == ROLE_NONE && !c->insecure) {
        s = error_set(err, STATUS_INVALID_ARGUMENT,
                      "anyone who reaches %s could do everything: set keys or guests, listen on "
                      "127.0.0.1, or set insecure",
                      host);
    }
    return place_prefix(c, name, s, err);
}

static bool is_wildcard(const char *host)
{
    return strcmp(host, "0.0.0.0") == 0 || strcmp(host, "::") == 0;
}

// Port 0 takes a free one.
static status check_ports(const config *c, error *err)
{
    const bool same =
        strcasecmp(c->host, c->http_host) == 0 || is_wildcard(c->host) || is_wildcard(c->http_host);
    if (*c->http_host == '\0' || c->port != c->http_port || c->port == 0 || !same) {
        return STATUS_OK;
    }
    return place_prefix(c, "http",
                        error_set(err, STATUS_INVALID_ARGUMENT,
                                  "port %u is in use by 'listen'; each needs its own", c->port),
                        err);
}

static status check_replay(const config *c, error *err)
{
    replay *recording = NULL;
    if (*c->replay == '\0') {
        return STATUS_OK;
    }
    const status s = replay_open(c->replay, c->limits.replay_bytes, &recording, err);
    replay_free(recording);
    return place_prefix(c, "replay", s, err);
}

// Makes a world of the scene, to report errors that only show then.
static status check_scene(const config *c, const char *name, error *err)
{
    scene from;
    physics_world *made = NULL;
    capacity_limits room = limits_room(&c->limits);
    status s = scenes_load(c->scenes, name, &from, err);
    if (s != STATUS_OK) {
        return s;
    }
    world_def def = scene_world_def(&from);
    s = world_create(&def, &made, err);
    if (s != STATUS_OK) {
        error_prefix(err, "world");
        scene_blame(&from, err);
    } else {
        s = scene_apply(made, &from, &room, err);
    }
    world_free(made);
    scene_deinit(&from);
    return s;
}

// `i`: its place among the worlds of the settings.
static status check_world(const config *c, uint32_t i, error *err)
{
    const config_world *w = &c->worlds.data[i];
    status s = *w->scene != '\0' ? check_scene(c, w->scene, err) : STATUS_OK;
    if (s == STATUS_OK && i >= c->limits.worlds) {
        s = error_set(err, STATUS_LIMIT_EXCEEDED, "worlds: there are %" PRIu64 " already",
                      (uint64_t)c->limits.worlds);
    }
    if (s == STATUS_OK) {
        return STATUS_OK;
    }
    error_prefix(err, "world '%s'", w->name);
    if (w->line > 0) {
        error_prefix(err, "%s:%d", c->file, w->line);
    }
    return s;
}

// Otherwise each join would be refused.
static status check_durability(const config *c, const config_template *t, durability wanted,
                               error *err)
{
    if (wanted == DURABILITY_COUNT || wanted == DURABILITY_NONE) {
        return STATUS_OK;
    }
    if (*c->data == '\0') {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "%s: durability: the server keeps no logs (caromd --data DIR); 'none' is "
                         "possible",
                         t->path);
    }
    if (wanted == DURABILITY_REPLICATED && *c->fleet_host == '\0') {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "%s: durability: a replicated world has a standby at another server "
                         "(caromd --fleet, --fleet-listen and --fleet-secret)",
                         t->path);
    }
    return STATUS_OK;
}

status config_open_templates(const config *c, world_templates *out, error *err)
{
    status s = STATUS_OK;
    *out = (world_templates){0};
    for (uint32_t i = 0; i < c->templates.count && s == STATUS_OK; i++) {
        const config_template *t = &c->templates.data[i];
        world_template made;
        s = template_read(t->name, t->path, c->scenes, &c->limits, &made, err);
        if (s == STATUS_OK) {
            array_push(out, made);
            s = check_durability(c, t, made.create.create.durability, err);
        }
        if (s == STATUS_OK) {
            continue;
        }
        error_prefix(err, "template '%s'", t->name);
        if (t->line > 0) {
            error_prefix(err, "%s:%d", c->file, t->line);
        }
    }
    return s;
}

status config_check(const config *c, error *err)
{
    world_templates templates = {0};
    auth_keys *keys = NULL;
    tls_files *tls = NULL;
    config_relay relay;
    status s = config_open_keys(c, &keys, err);
    auth_keys_close(keys);
    if (s == STATUS_OK) {
        s = config_open_tls(c, &tls, err);
        tls_files_close(tls);
    }
    if (s == STATUS_OK) {
        s = config_open_relay(c, &relay, err);
        config_close_relay(&relay);
    }
    if (s == STATUS_OK && *c->data != '\0') {
        s = file_folder_check(c->data, err);
        s = s == STATUS_OK ? s : place_prefix(c, "data", s, err);
    }
    if (s == STATUS_OK) {
        s = check_address(c, "listen", c->host, err);
    }
    if (s == STATUS_OK && *c->http_host != '\0') {
        s = check_address(c, "http", c->http_host, err);
    }
    s = s == STATUS_OK ? check_ports(c, err) : s;
    s = s == STATUS_OK ? check_replay(c, err) : s;
    for (uint32_t i = 0; s == STATUS_OK && i < c->worlds.count; i++) {
        s = check_world(c, i, err);
    }
    if (s == STATUS_OK) {
        s = config_open_templates(c, &templates, err);
        templates_free(&templates);
    }
    return s;
}
