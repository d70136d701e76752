// The server: its network, its simulation threads, its sessions and worlds, from start to end.
//
// Network thread (that of the loop) only. The loop ends by itself once server_drain has been called
// and all is closed.
#ifndef CAROM_SERVER_SESSION_SERVER_H
#define CAROM_SERVER_SESSION_SERVER_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "common/base/status.h"
#include "common/world/method.h"
#include "server/auth/keys.h"
#include "server/base/limits.h"
#include "server/http/www.h"
#include "server/net/network.h"
#include "server/net/proxy_peers.h"
#include "server/net/tls.h"
#include "server/session/relay/targets.h"
#include "server/storage/storage.h"

typedef struct server server;
struct fleet;
struct agones;
struct peers;

typedef struct server_world {
    const char *name;
    const char *scene; // "" for an empty world
} server_world;

typedef struct server_options {
    const char *host;
    uint16_t port;
    const char *http_host; // address for HTTP and WebSocket; NULL: off
    uint16_t http_port;
    bool http_optional;         // continues without HTTP if that address is taken
    const char *const *origins; // origins of pages that may connect, beside the server's own
    uint32_t origin_count;
    const char *const *viewer_servers; // servers that the viewer may connect to, beside its own
    www_folder *www;                   // a game's files; NULL: none
    www_folder *docs;                  // the documentation's site; NULL: none
    uint32_t viewer_server_count;
    double hz;          // default for worlds
    int threads;        // number of simulation threads, at least 1
    int world_threads;  // threads that step one world together, at least 1
    int io_threads;     // threads that read and write sockets; 0 or 1: the network thread does
    const char *scenes; // folder of scenes that come before the built-in ones
    const limits *limits;
    auth_keys *keys; // owned by the caller; NULL: every client is an admin, and must therefore be
                     // on this machine, unless one of the next two is set:
    role guests;     // role of sessions without a token; ROLE_NONE: there are no guests
    bool insecure;
    const proxy_peers *proxies; // proxies, whose connections begin with a PROXY header; NULL: none
    const tls_files *tls;       // owned by the caller, who may reload them; NULL: no TLS
    const server_world *worlds; // made at the start
    uint32_t world_count;
    const struct world_template *templates; // for worlds that world.join makes
    uint32_t template_count;
    struct fleet *fleet;      // joined, owned by the caller; NULL: this server is alone
    const char *node;         // its name in the fleet
    const char *fleet_prefix; // prefix of the fleet's keys
    struct peers *peers;      // opened, for connections of other servers; NULL: none
    bool standby_log;         // worlds of other servers are followed without playing their logs
    struct agones *agones;    // owned by the caller; NULL: nothing is reported to Agones
    relay_options relay;      // its texts outlive the server
    const char *replay;       // a recording that is served as a world; NULL: none
    const char *data;         // the data directory; NULL: worlds end with the server
    const storage_options *storage; // NULL: the defaults
    const char *const *load_aside;  // names of worlds that are set aside (aside.h), to be started
    uint32_t load_aside_count;
    bool turned; // no threads of its own: the caller calls sim_thread_turn() and storage_turn()
    // sockets that listen already, instead of host and port. Taken over
    const listen_sockets *rpc_sockets;
    const listen_sockets *http_sockets; // the same for HTTP
    int handed_worlds; // a file of worlds (handover.h) from the process before; 0: none. The caller
                       // owns it
    // this process wrote the file: the process that should have taken over has failed
    bool handed_back;
    // first number of worlds and sessions: higher than any that a client may remember
    uint64_t first_number;
    void *context;
    // Called when clients are served at these addresses (`http` is NULL if it is off) and the
    // worlds of the options exist. Worlds of the data directory may still be restored.
    void (*listening)(void *context, const char *address, const char *http);
    // Called when all worlds are restored.
    void (*ready)(void *context);
    // Called when everything is closed except handles that were in the loop before. `err` is NULL,
    // or why the server could not begin: a world of the options could not be made.
    void (*finished)(void *context, const error *err);
} server_options;

// Opens the data directory and reads its worlds, listens, and begins to restore them and to make
// those of the options. `options`, and all that it points to, must outlive the server. Errors:
// those of network_open, or no threads; then run the loop once more to free everything.
status server_create(uv_loop_t *loop, const server_options *options, server **out, error *err);

// Lame duck: accepts no new sessions (existing ones may be resumed), informs every client how long
// it has, and drains after limits.lame_duck_ms, or when the last session has ended. Does nothing
// the second time.
void server_leave(server *s, const char *reason);

// Must be called when the file of keys was read again: ends sessions whose tokens were signed by
// removed keys, over some turns of the network thread.
void server_check_keys(server *s);

// Informs every client, answers requests under way, closes everything. Does nothing the second
// time.
void server_drain(server *s, const char *reason);

// Like server_drain, but a server of a fleet first hands its worlds over to others, within
// limits.drain_ms. No session begins meanwhile, and those that are there go on.
void server_move_away(server *s, const char *reason);

// Whether another process may take over: not while worlds are being restored, nor if the server is
// already ending or has no data directory.
bool server_may_hand_over(const server *s);

// Like server_drain, for a process that takes over: writes the state of the worlds to the file
// `worlds` (handover.h), and calls `released` once the data directory is free. Clients are asked to
// come back at once. Returns false, and does nothing, if server_may_hand_over is false.
bool server_hand_over(server *s, int worlds, void (*released)(void *context));

// Another server of the fleet serves the world now (`winner`; NULL: nobody, as its record was
// removed): stops serving it here, keeping only its log, and notifies its sessions.
struct world_record;
void server_lose_world(server *s, const char *world, const struct world_record *winner);

// This server's load, for its fleet.
struct fleet_load;
void server_load(const server *s, struct fleet_load *out);

// Describes this server for Agones.
struct agones_view;
void server_look(server *s, struct agones_view *out);

// The listening sockets, which the server owns; *http is -1 if HTTP is off.
void server_sockets(const server *s, listen_sockets *rpc, listen_sockets *http);

// Must be called after `finished`.
void server_destroy(server *s);

#endif
