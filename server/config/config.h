// The operator's settings: options on the command line, environment variables and lines of a file
// of the same meaning. Options override variables, variables override the file, and the file
// overrides defaults.
//
// Used once, at the start, on the main thread.
#ifndef CAROM_SERVER_CONFIG_CONFIG_H
#define CAROM_SERVER_CONFIG_CONFIG_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/args/variables.h"
#include "common/base/array.h"
#include "common/base/log.h"
#include "common/base/status.h"
#include "common/world/method.h"
#include "server/base/limits.h"
#include "server/fleet/records.h"
#include "server/net/proxy_peers.h"

enum {
    CONFIG_NAME_MAX = 64,  // bytes of a world's or scene's name, without the closing zero
    CONFIG_HOST_MAX = 255, // like a DNS name
    CONFIG_THREADS_MAX = 64,
    CONFIG_OPTIONS_MAX = 64,
    CONFIG_FLEET_MAX = 4800,         // bytes of --fleet
    CONFIG_PLACE_MAX = PATH_MAX + 64 // bytes of a setting's origin, with the closing zero
};

typedef struct config_world {
    char name[CONFIG_NAME_MAX + 1];
    char scene[CONFIG_NAME_MAX + 1]; // "" for an empty world
    int line;                        // line in the file; 0: from an option or a variable
} config_world;

typedef struct config_template {
    char name[CONFIG_NAME_MAX + 1];
    char path[PATH_MAX];
    int line; // line of the file; 0: as in config_world
} config_template;

typedef ARRAY(char *) config_texts; // each allocated

#define CONFIG_TLS_PREFIX "tls://"

typedef struct config {
    char host[CONFIG_HOST_MAX + 1]; // address or name; default "127.0.0.1"
    uint16_t port;                  // default 22766; 0: chosen by the system
    bool listen_given;              // host and port were asked for explicitly
    // listens for HTTP and WebSocket; default "127.0.0.1", "" for off
    char http_host[CONFIG_HOST_MAX + 1];
    uint16_t http_port;          // default 22767; 0: chosen by the system
    bool http_given;             // asked for explicitly: failing to listen is an error
    config_texts origins;        // origins of pages that may connect
    config_texts viewer_servers; // servers that the viewer may connect to
    proxy_peers proxies;         // peers whose connections begin with a PROXY header
    double hz;                   // default tick rate of worlds, 60
    int threads;                 // simulation threads, 1 to CONFIG_THREADS_MAX
    // Threads that each of these uses for one world; 1 to CONFIG_THREADS_MAX
    int world_threads;
    int io_threads;                   // threads for sockets; 1 to CONFIG_THREADS_MAX
    uint64_t memory;                  // the process's bound [bytes]; 0: derived from the machine
    ARRAY(config_world) worlds;       // worlds to make at the start
    ARRAY(config_template) templates; // for worlds that joins make
    char data[PATH_MAX];              // the data directory; "": worlds end with the server
    char file[PATH_MAX];              // file of settings; "": none
    char takeover[PATH_MAX];          // takeover socket of the server to replace; "": none
    // This server's takeover socket; "": in `data`, "off": none
    char takeover_socket[PATH_MAX];
    bool check_config;       // check the settings instead of serving
    bool check_data;         // check the data directory instead of serving
    config_texts load_aside; // worlds to start although they are set aside
    // The servers that this relay follows, as [tls://]HOST:PORT; none: it is no relay
    config_texts relays;
    config_texts relay_origins;      // addresses for clients' commands: none, or one for each relay
    config_texts relay_origins_http; // the same for HTTP: none, or one for each relay
    char relay_token[PATH_MAX];      // file of the token for them; "": none
    char relay_ca[PATH_MAX];         // authorities for them in PEM; "": those of the system
    char replay[PATH_MAX];           // recording to serve as a world; "": none
    char scenes[PATH_MAX];           // folder of NAME.json files
    char www[PATH_MAX];              // folder of a game's files; "": none
    char docs[PATH_MAX];             // folder of the documentation's site; "": none
    log_level log;
    log_format log_format;
    limits limits;
    char keys[PATH_MAX];            // file of keys; "": none, everyone is an admin
    role guests;                    // role of sessions without a token; ROLE_NONE: none are allowed
    bool insecure;                  // allow addresses of other machines without keys
    char tls_certificate[PATH_MAX]; // PEM files; both "": no TLS
    char tls_key[PATH_MAX];
    // Endpoints of etcd; "": the server is alone, and the next four mean nothing.
    char fleet[CONFIG_FLEET_MAX + 1];
    char fleet_prefix[RECORD_PREFIX_MAX + 1];    // prefix of the fleet's keys; default "/carom"
    char node[RECORD_NAME_MAX + 1];              // this server's name in the fleet
    char advertise[RECORD_ADDRESS_MAX + 1];      // its address, for clients
    char advertise_http[RECORD_ADDRESS_MAX + 1]; // "": none
    char fleet_host[CONFIG_HOST_MAX + 1];        // where other servers reach this one; "": nowhere
    bool standby_log;                            // standbys here keep logs, and do not play them
    bool standby_told;                           // the option was given
    uint16_t fleet_port;
    char fleet_secret[PATH_MAX]; // file of the key that the fleet's servers share; "": none
    char fleet_ca[PATH_MAX];     // PEM files for https; "": none
    char fleet_cert[PATH_MAX];
    char fleet_key[PATH_MAX];
    bool agones;          // report to the sidecar of Agones
    uint16_t agones_port; // the sidecar's port on this machine; default AGONES_PORT
    bool help, version;   // print and exit
    // The origin of each setting, for config_place: 0 an option, -1 a variable, else the file's
    // line.
    int places[CONFIG_OPTIONS_MAX];
    int line; // line in progress; 0: none
} config;

// The least --memory [bytes].
#define CONFIG_MEMORY_MIN ((uint64_t)64 << 20)
#define CONFIG_MEMORY_MAX ((uint64_t)64 << 40)

// How config_load reads a variable: getenv in the server, a fake in tests. NULL: not set.
typedef char *(*config_getenv)(const char *name);

// Fills every field of `out`, which the caller releases with config_deinit, on errors too. Errors:
// STATUS_INVALID_ARGUMENT with the option, the variable, or the file and its line, and what is
// allowed.
status config_load(config *out, int argc, const char *const *argv, config_getenv env, error *err);

void config_deinit(config *c);

// Whether an entry NAME=VALUE of the environment looks like a misspelt variable of a setting; see
// common/args/variables.h.
bool config_misspelt(const char *entry, char name[VARIABLES_NAME_MAX], const char **meant);

// Where a setting came from, for errors found later: "FILE:LINE: keys", "CAROM_KEYS" or "--keys".
// `name` is an option's name.
void config_place(const config *c, const char *name, char out[CONFIG_PLACE_MAX]);

// Prints the text of --help.
void config_help(FILE *out);

// Whether a world's or scene's name is valid: 1 to CONFIG_NAME_MAX of A-Z a-z 0-9 _ . - , but not
// "." or "..".
bool config_name_valid(const char *name, size_t size);

#endif
