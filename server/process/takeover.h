// A new process takes over from a running one: its listening sockets, its data directory, and a
// file of what its worlds are (server/session/resume/handover.h).
//
// They talk over a Unix socket of whole messages (SOCK_SEQPACKET), each a word and what follows it:
//
//     new: takeover 2 ENGINE DEVICE INODE      its engine's behaviour, its data directory
//     old: listening RPC HTTP                  the number of listening sockets of each kind
//          refused TEXT                        it continues unchanged
//     new: ready                               its settings are valid; now the old one stops
//     old: released                            with the file of worlds; the directory is free
//     new: serving                             it has restored all worlds, and listens
//
// Connections that come between wait in the sockets' queues. Nothing is lost if either process
// ends: before `ready` the old one continues; if the new one ends between `ready` and `serving`,
// the old one starts again with the same sockets, directory and file.
//
// Only processes of the same user, or of root, may take over. Main thread only.
#ifndef CAROM_SERVER_PROCESS_TAKEOVER_H
#define CAROM_SERVER_PROCESS_TAKEOVER_H

#include <stdbool.h>
#include <uv.h>

#include "common/base/status.h"
#include "server/net/network.h"

enum {
    TAKEOVER_PATH_MAX = 107,     // bytes of a Unix socket's path
    TAKEOVER_MESSAGE_MAX = 512,  // bytes
    TAKEOVER_ASK_MS = 10000,     // time for each message of the new process before `ready`
    TAKEOVER_RELEASE_MS = 120000 // time for the old process to stop, with its last steps and writes
};

// ---- the old process

typedef struct takeover takeover;

typedef struct takeover_handler {
    void *context;
    // Returns the server's listening sockets. False if the server is about to stop, or is still
    // restoring worlds.
    bool (*sockets)(void *context, listen_sockets *rpc, listen_sockets *http);
    // Called when the new process is ready: the server must stop and call takeover_release. False
    // as above.
    bool (*stop)(void *context);
} takeover_handler;

// Listens at `path`, replacing a socket that exists there; `data` is the data directory. Errors:
// STATUS_INVALID_ARGUMENT for a path that is too long or not a socket, STATUS_UNAVAILABLE with the
// system's reason.
status takeover_open(uv_loop_t *loop, const char *path, const char *data,
                     const takeover_handler *handler, takeover **out, error *err);

// Reports that the data directory is free; `worlds` is the descriptor of the file of worlds.
void takeover_release(takeover *t, int worlds);

// Closes its handles and the socket. Call takeover_await or takeover_free after the loop has ended.
void takeover_close(takeover *t);
// After takeover_release: waits until the new process serves; false if it ends first. *pid is its
// process id.
bool takeover_await(takeover *t, int *pid);
void takeover_free(takeover *t); // NULL does nothing

// ---- the new process

typedef struct takeover_gift {
    int peer;
    listen_sockets rpc, http; // count 0: none
    int worlds;               // descriptor of the file of worlds, after takeover_ready; 0: none
} takeover_gift;

// Asks the server at `path`, which must use the data directory `data`. Errors: STATUS_UNAVAILABLE
// with the reason if no server answers or it refuses.
status takeover_ask(const char *path, const char *data, takeover_gift *out, error *err);
// Reports that this process is ready, so the old server stops. Returns when the data directory is
// free.
status takeover_ready(takeover_gift *g, error *err);
void takeover_serving(takeover_gift *g);

#endif
