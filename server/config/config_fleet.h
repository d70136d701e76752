// Options that join a server to others, for the table of options (config.c). Main thread.
#ifndef CAROM_SERVER_CONFIG_CONFIG_FLEET_H
#define CAROM_SERVER_CONFIG_CONFIG_FLEET_H

#include "server/config/config_options.h"

// ---- config.c

// HOST:PORT, or [HOST]:PORT for an address with colons of its own. Errors: "'VALUE' is not WANTED".
status config_parse_address(const char *value, char out[CONFIG_HOST_MAX + 1], uint16_t *out_port,
                            const char *wanted, error *err);
char *config_copy_of(const char *value);
status config_copy_path(char out[PATH_MAX], const char *value, error *err);

// ---- config_fleet.c: each checks a value and stores it, see config_apply

typedef status config_apply_function(config *c, const char *value, error *err);
config_apply_function config_apply_fleet, config_apply_fleet_prefix, config_apply_node,
    config_apply_advertise, config_apply_relay, config_apply_relay_token, config_apply_relay_ca,
    config_apply_relay_origin, config_apply_relay_origin_http, config_apply_fleet_listen,
    config_apply_fleet_standby, config_apply_fleet_secret, config_apply_fleet_ca,
    config_apply_fleet_cert, config_apply_fleet_key, config_apply_agones;

#endif
