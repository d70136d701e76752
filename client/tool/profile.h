// Profiles: named settings for servers that one connects to often.
//
//     # ~/.config/carom/profiles ($XDG_CONFIG_HOME instead of ~/.config where that is set)
//     [default]
//     server = 127.0.0.1:22766
//
//     [play]
//     server = caroms://play.example
//     ca = /home/ada/play-ca.pem
//     tls-name = play.example
//     token-file = /home/ada/ada.token
//     timeout = 30s
//
// --profile NAME, or CAROM_PROFILE, chooses a section; without either it is [default], if there is
// one. An option on the command line or its environment variable overrides a line of the profile. A
// profile contains no token itself, so that the file may be shown. Main thread only.
#ifndef CAROM_CLIENT_TOOL_PROFILE_H
#define CAROM_CLIENT_TOOL_PROFILE_H

#include "client/tool/cli.h"

enum {
    PROFILE_FILE_BYTES_MAX = 64 << 10, // size of the profiles file
    PROFILE_KEYS = 5,
    PROFILE_SOURCE_MAX = 40 // bytes of a setting's source with the closing zero
};

// Reads the profile chosen by the command line. Errors name the file, the line and the allowed
// keys; a missing file is an error only if a profile was requested.
cli_exit profile_load(cli *c);

// The value of "server", "ca", "tls-name", "token-file" or "timeout": that of the option, else of
// its environment variable, else of the profile, else NULL. Lives as long as the process.
const char *profile_setting(const cli *c, const char *key);

// The value of a key in the loaded profile, or NULL.
const char *profile_value(const char *key);

// Writes to `out` which place profile_setting takes the value from: "--ca", "CAROM_CA" or "ca of
// the profile".
void profile_source(const cli *c, const char *key, char out[PROFILE_SOURCE_MAX]);

// Notes variables of the environment that are probably misspelt, and so have no effect.
void profile_check_environment(const cli *c);

#endif
