// Options that join a server to others: a fleet, relays, Agones; see config_fleet.h.
#include "server/config/config_fleet.h"

#include <stdio.h>
#include <string.h>

#include "common/args/text.h"
#include "server/fleet/store.h"
#include "server/session/relay/targets.h"

// ---- a fleet

status config_apply_fleet(config *c, const char *value, error *err)
{
    status s = store_check_endpoints(value, err);
    if (s == STATUS_OK && strlen(value) > CONFIG_FLEET_MAX) {
        s = error_set(err, STATUS_INVALID_ARGUMENT, "has more than %d bytes", CONFIG_FLEET_MAX);
    }
    if (s == STATUS_OK) {
        memcpy(c->fleet, value, strlen(value) + 1);
    }
    return s;
}

status config_apply_fleet_prefix(config *c, const char *value, error *err)
{
    if (!record_prefix_valid(value)) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "'%s' is not a prefix like /carom or /games/one, of at most %d bytes",
                         value, RECORD_PREFIX_MAX);
    }
    memcpy(c->fleet_prefix, value, strlen(value) + 1);
    return STATUS_OK;
}

status config_apply_node(config *c, const char *value, error *err)
{
    if (!record_name_valid(value, strlen(value))) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "'%s' is not a name of a server (1 to %d of A-Z a-z 0-9 _ . -)", value,
                         RECORD_NAME_MAX);
    }
    memcpy(c->node, value, strlen(value) + 1);
    return STATUS_OK;
}

// ADDR or ADDR,HTTP_ADDR.
static status read_addresses(const char *value, char out[RECORD_ADDRESS_MAX + 1],
                             char out_http[RECORD_ADDRESS_MAX + 1], error *err)
{
    const char *comma = strchr(value, ',');
    const size_t size = comma != NULL ? (size_t)(comma - value) : strlen(value);
    char address[RECORD_ADDRESS_MAX + 1] = "";
    if (size <= RECORD_ADDRESS_MAX) {
        memcpy(address, value, size);
    }
    if (!record_address_valid(address) || (comma != NULL && !record_address_valid(comma + 1))) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "'%.80s' is not HOST:PORT or HOST:PORT,HTTP_HOST:PORT with ports from 1 "
                         "to 65535 and at most %d bytes each",
                         value, RECORD_ADDRESS_MAX);
    }
    memcpy(out, address, sizeof address);
    snprintf(out_http, RECORD_ADDRESS_MAX + 1, "%s", comma != NULL ? comma + 1 : "");
    return STATUS_OK;
}

status config_apply_advertise(config *c, const char *value, error *err)
{
    return read_addresses(value, c->advertise, c->advertise_http, err);
}

// The server announces this address to the others, so they must be able to reach it.
status config_apply_fleet_listen(config *c, const char *value, error *err)
{
    const status s =
        config_parse_address(value, c->fleet_host, &c->fleet_port,
                             "HOST:PORT, as 192.0.2.1:22768 or [2001:db8::1]:22768", err);
    if (s == STATUS_OK &&
        (strcmp(c->fleet_host, "0.0.0.0") == 0 || strcmp(c->fleet_host, "::") == 0)) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "'%s' is no address where other servers reach this one", value);
    }
    return s;
}

status config_apply_fleet_standby(config *c, const char *value, error *err)
{
    c->standby_log = strcmp(value, "log") == 0;
    c->standby_told = true;
    return c->standby_log || strcmp(value, "hot") == 0
               ? STATUS_OK
               : error_set(err, STATUS_INVALID_ARGUMENT, "must be hot or log, not '%.60s'", value);
}

status config_apply_fleet_secret(config *c, const char *value, error *err)
{
    return config_copy_path(c->fleet_secret, value, err);
}

status config_apply_fleet_ca(config *c, const char *value, error *err)
{
    return config_copy_path(c->fleet_ca, value, err);
}

status config_apply_fleet_cert(config *c, const char *value, error *err)
{
    return config_copy_path(c->fleet_cert, value, err);
}

status config_apply_fleet_key(config *c, const char *value, error *err)
{
    return config_copy_path(c->fleet_key, value, err);
}

// ---- a relay

// Appends a copy of the value, HOST:PORT behind `prefix` bytes.
static status add_relay(config_texts *list, const char *value, size_t prefix, error *err)
{
    if (!record_address_valid(value + prefix)) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "'%.80s' is not HOST:PORT, the address of another server, with a port "
                         "from 1 to 65535 and at most %d bytes",
                         value, RECORD_ADDRESS_MAX);
    }
    if (list->count == RELAY_TARGETS_MAX) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "at most %d may be given",
                         RELAY_TARGETS_MAX);
    }
    array_push(list, config_copy_of(value));
    return STATUS_OK;
}

status config_apply_relay(config *c, const char *value, error *err)
{
    const size_t size = strlen(CONFIG_TLS_PREFIX);
    const bool tls = strncmp(value, CONFIG_TLS_PREFIX, size) == 0;
    for (uint32_t i = 0; i < c->relays.count; i++) {
        if (strcmp(c->relays.data[i], value) == 0) {
            return error_set(err, STATUS_INVALID_ARGUMENT, "'%.80s' is named twice", value);
        }
    }
    return add_relay(&c->relays, value, tls ? size : 0, err);
}

status config_apply_relay_token(config *c, const char *value, error *err)
{
    return config_copy_path(c->relay_token, value, err);
}

status config_apply_relay_ca(config *c, const char *value, error *err)
{
    return config_copy_path(c->relay_ca, value, err);
}

status config_apply_relay_origin(config *c, const char *value, error *err)
{
    return add_relay(&c->relay_origins, value, 0, err);
}

status config_apply_relay_origin_http(config *c, const char *value, error *err)
{
    return add_relay(&c->relay_origins_http, value, 0, err);
}

// ---- Agones

status config_apply_agones(config *c, const char *value, error *err)
{
    (void)value;
    (void)err;
    c->agones = true;
    return STATUS_OK;
}
