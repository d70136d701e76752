// A new process takes over from a running one: its listening sockets, its data directory, and a
// file of what its worlds are (server/session/resume/handover.h).
//
// They talk over a Unix socket of whole messages (SOCK_SEQPACKET), each a word and what follows it:
//
//     new: takeover 2 ENGINE DEVICE INODE      its engine's behaviour, its data directory
//     old: listening RPC HTTP                  with so many sockets of each that listen
//          refused TEXT                        it goes on as if nothing had been
//     new: ready                               its settings are sound: from here on the old one
//     stops old: released                            with the file of worlds; the directory is free
//     new: serving                             it has all worlds, as they were, and listens
//
// Connections that come between wait in the sockets' queues. Nothing is lost whichever of the two
// ends when: before `ready` the old one goes on unharmed; between `ready` and `serving`, when the
// new one ends, the old one begins anew with the same sockets, directory and file.
//
// Only processes of the same user, or of root, are listened to. Main thread only.
#ifndef CAROM_SERVER_PROCESS_TAKEOVER_H
#define CAROM_SERVER_PROCESS_TAKEOVER_H

#include <stdbool.h>
#include <uv.h>

#include "common/base/status.h"
#include "server/net/network.h"

enum {
    TAKEOVER_PATH_MAX = 107,     // bytes of a Unix socket's path
    TAKEOVER_MESSAGE_MAX = 512,  // bytes
    TAKEOVER_ASK_MS = 10000,     // for the new process to say what it has to say
    TAKEOVER_RELEASE_MS = 120000 // for the old one to stop: its last steps, and its disk
};

// ---- the old process

typedef struct takeover takeover;

typedef struct takeover_handler {
    void *context;
    // The sockets that listen, the server's. False where it is about to end, or
    // its worlds are still being brought back.
    bool (*sockets)(void *context, listen_sockets *rpc, listen_sockets *http);
    // The new process is ready: the server has to stop, and call takeover_release. False as above.
    bool (*stop)(void *context);
} takeover_handler;

// Listens at `path`, in the place of a socket that is there already; `data` is the data directory.
// Errors: STATUS_INVALID_ARGUMENT for a path that is too long or no socket's, STATUS_UNAVAILABLE
// with the system's reason.
status takeover_open(uv_loop_t *loop, const char *path, const char *data,
                     const takeover_handler *handler, takeover **out, error *err);

// The data directory is free; `worlds` is the file of worlds.
void takeover_release(takeover *t, int worlds);

// Closes what is in the loop, and the socket. After the loop has ended, takeover_await or
// takeover_free.
void takeover_close(takeover *t);
// After takeover_release: waits until the new process serves; false when it has ended before. *pid
// is its number.
bool takeover_await(takeover *t, int *pid);
void takeover_free(takeover *t); // NULL is allowed

// ---- the new process

typedef struct takeover_gift {
    int peer;
    listen_sockets rpc, http; // count 0: there is none
    int worlds;               // after takeover_ready; 0: none
} takeover_gift;

// Asks the server at `path`, which must use the data directory `data`. Errors: STATUS_UNAVAILABLE
// where there is none or it refuses, with its reason.
status takeover_ask(const char *path, const char *data, takeover_gift *out, error *err);
// All is sound: the old server stops. Returns when the data directory is free.
status takeover_ready(takeover_gift *g, error *err);
void takeover_serving(takeover_gift *g);

#endif
