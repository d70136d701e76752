// Opens the files that settings name, and checks whether a server could start with all of them. It
// listens on nothing, and makes and changes nothing. Main thread.
#ifndef CAROM_SERVER_CONFIG_CONFIG_CHECK_H
#define CAROM_SERVER_CONFIG_CONFIG_CHECK_H

#include "common/base/status.h"
#include "server/auth/keys.h"
#include "server/config/config.h"
#include "server/net/tls.h"

// Reads the file of keys and the certificate; where there is none, *out is NULL. Errors: those of
// auth_keys_open and tls_files_open, and where the setting stands.
status config_open_keys(const config *c, auth_keys **out, error *err);
status config_open_tls(const config *c, tls_files **out, error *err);

// The keys, the certificate, the scenes of worlds, and that nobody gets in without keys from
// another machine. Errors say where the setting stands: the file with its line, the variable or the
// option.
status config_check(const config *c, error *err);

#endif
