// The operator's settings: options on the command line, environment variables and lines of a file
// of the same meaning. An option comes before its variable, the variable before the file, and the
// file before the default.
//
// Used once, at the start, on the main thread.
#ifndef CAROM_SERVER_CONFIG_CONFIG_H
#define CAROM_SERVER_CONFIG_CONFIG_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/base/array.h"
#include "common/base/log.h"
#include "common/base/status.h"
#include "server/base/limits.h"
#include "server/net/proxy_peers.h"

enum {
    CONFIG_NAME_MAX = 64,  // bytes of a world's or scene's name, without the closing zero
    CONFIG_HOST_MAX = 255, // what a DNS name may have
    CONFIG_THREADS_MAX = 64,
    CONFIG_OPTIONS_MAX = 40,
    CONFIG_PLACE_MAX = PATH_MAX + 64 // bytes of where a setting stands, with the closing zero
};

typedef struct config_world {
    char name[CONFIG_NAME_MAX + 1];
    char scene[CONFIG_NAME_MAX + 1]; // "" for an empty world
    int line;                        // of the file; 0: it comes from an option or a variable
} config_world;

typedef struct config {
    char host[CONFIG_HOST_MAX + 1];      // an address or a name; "127.0.0.1"
    uint16_t port;                       // 22766; 0 lets the system choose
    char http_host[CONFIG_HOST_MAX + 1]; // of HTTP and WebSocket; "127.0.0.1", "" for off
    uint16_t http_port;                  // 22767; 0 lets the system choose
    bool http_given;                     // asked for, so that it has to be had
    ARRAY(char *) origins;               // of pages that may connect; each allocated
    ARRAY(char *) viewer_servers;        // that the viewer may connect to; each allocated
    proxy_peers proxies;                 // whose connections begin with a PROXY header
    double hz;                           // of worlds that do not say, 60
    int threads;                         // simulation threads, 1 to CONFIG_THREADS_MAX
    int world_threads;                   // of each of them, for one world; 1 to CONFIG_THREADS_MAX
    int io_threads;                      // that read and write sockets; 1 to CONFIG_THREADS_MAX
    uint64_t memory;                     // that the process may take [bytes]; 0: by the machine's
    ARRAY(config_world) worlds;          // to be made at the start
    char data[PATH_MAX];                 // the data directory; "": worlds end with the server
    char file[PATH_MAX];                 // of settings; "": none
    char takeover[PATH_MAX];             // of the server to be taken over from; "": none
    char takeover_socket[PATH_MAX];      // where the next one asks; "": in `data`, "off": nowhere
    bool check_config;                   // look the settings over instead of serving
    bool check_data;                     // look it over instead of serving
    ARRAY(char *) load_aside;            // names of worlds to be started though they are set aside
    char replay[PATH_MAX];               // the recording that is served as a world; "": none
    char scenes[PATH_MAX];               // folder of NAME.json files
    log_level log;
    log_format log_format;
    limits limits;
    char keys[PATH_MAX];            // the file of keys; "": none, and everyone is an admin
    bool insecure;                  // and that on any address
    char tls_certificate[PATH_MAX]; // PEM files; "", both: no TLS
    char tls_key[PATH_MAX];
    bool help, version; // asked for instead of serving
    // The origin of each setting, for config_place: 0 an option, -1 a variable, or its line.
    int places[CONFIG_OPTIONS_MAX];
    int line; // that is being read; 0: none
} config;

// --memory, in bytes.
#define CONFIG_MEMORY_MIN ((uint64_t)64 << 20)
#define CONFIG_MEMORY_MAX ((uint64_t)64 << 40)

// How config_load reads a variable; getenv in the server, a fake in tests. NULL: not set.
typedef char *(*config_getenv)(const char *name);

// Fills `out` (every field; `out->worlds` is the caller's to release with config_deinit, on errors
// too). Errors: STATUS_INVALID_ARGUMENT with the option's or variable's name, or the file's and its
// line, and what is allowed.
status config_load(config *out, int argc, const char *const *argv, config_getenv env, error *err);

void config_deinit(config *c);

// The place of a setting that was found to be wrong later: "FILE:LINE: keys", "CAROM_KEYS" or
// "--keys" for the option `name`, which has to be one.
void config_place(const config *c, const char *name, char out[CONFIG_PLACE_MAX]);

// The text of --help.
void config_help(FILE *out);

// 1 to CONFIG_NAME_MAX of A-Z a-z 0-9 _ . - , and not "." or "..": as names of worlds and scenes
// are.
bool config_name_valid(const char *name, size_t size);

#endif
