// Opens the files that settings name, and checks whether a server could start with all of them. It
// opens no sockets and changes nothing. Main thread.
#ifndef CAROM_SERVER_CONFIG_CONFIG_CHECK_H
#define CAROM_SERVER_CONFIG_CONFIG_CHECK_H

#include "common/base/status.h"
#include "server/auth/keys.h"
#include "server/config/config.h"
#include "server/net/tls.h"
#include "server/session/relay/targets.h"
#include "server/session/placement/templates.h"

// Reads the file of keys; *out is NULL if there is none. Also reads the certificate. Errors: those
// of auth_keys_open and tls_files_open, with the setting's origin.
status config_open_keys(const config *c, auth_keys **out, error *err);
status config_open_tls(const config *c, tls_files **out, error *err);

// Reads the templates of worlds; `out` is the caller's to templates_free(), on errors too. Errors:
// those of template_read, with the setting's origin.
status config_open_templates(const config *c, world_templates *out, error *err);

// Checks the keys, the certificate, the data directory, the worlds' scenes, the templates, and that
// a server without keys listens only on loopback. Errors name the setting's origin: the file with
// its line, the variable or the option.
status config_check(const config *c, error *err);

typedef struct config_relay {
    relay_options options; // refers to the others, and to the config's texts
    ARRAY(relay_target) targets;
    tls_trust *tls;
} config_relay;

// Reads what a relay needs: `out` is the caller's to config_close_relay(), on errors too. Errors:
// STATUS_INVALID_ARGUMENT: the file of --relay-token has no token, or --relay-ca no authorities.
status config_open_relay(const config *c, config_relay *out, error *err);
void config_close_relay(config_relay *r); // all zero is allowed

#endif
