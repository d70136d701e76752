// Opens the files that settings name, and checks whether a server could start with all of them. It
// opens no sockets and changes nothing. Main thread.
#ifndef CAROM_SERVER_CONFIG_CONFIG_CHECK_H
#define CAROM_SERVER_CONFIG_CONFIG_CHECK_H

#include "common/base/status.h"
#include "server/auth/keys.h"
#include "server/config/config.h"
#include "server/net/tls.h"
#include "server/session/placement/templates.h"

// Reads the file of keys; *out is NULL if there is none. Also reads the certificate. Errors: those
// of auth_keys_open and tls_files_open, with the setting's origin.
status config_open_keys(const config *c, auth_keys **out, error *err);
status config_open_tls(const config *c, tls_files **out, error *err);

// Reads the templates of worlds; `out` is the caller's to templates_free(), on errors too. Errors:
// those of template_read, with the setting's origin.
status config_open_templates(const config *c, world_templates *out, error *err);

// Checks the keys, the certificate, the worlds' scenes, the templates, and that a server without
// keys listens only on loopback. Errors name the setting's origin: the file with its line, the
// variable or the option.
status config_check(const config *c, error *err);

#endif
