// This server as an Agones GameServer, by the REST interface of the sidecar: what is true of the
// server is compared with what the sidecar has accepted, twice a second, and the difference is
// sent.
//
// A sidecar that starts later, dies, is slow or answers nonsense stops no world: each request is
// bounded in time and size, at most one of each kind is under way, and it is repeated until it is
// accepted. The paths are those of https://agones.dev/site/docs/guides/client-sdks/rest/.
//
// Loop thread only.
#ifndef CAROM_SERVER_FLEET_AGONES_H
#define CAROM_SERVER_FLEET_AGONES_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "common/base/status.h"

enum {
    AGONES_PORT = 9358,        // the sidecar's port, unless AGONES_SDK_HTTP_PORT names one
    AGONES_LOOK_MS = 500,      // time between two looks at the server
    AGONES_HEALTH_MS = 2000,   // time between two reports of health; Agones expects one in 5 s by
                               // default
    AGONES_STUCK_MS = 5000,    // a simulation thread at one round of its worlds for longer is stuck
    AGONES_ANSWER_MS = 2000,   // limit for an answer
    AGONES_RETRY_MS = 1000,    // pause after a request without an answer
    AGONES_REFUSED_MS = 10000, // pause after a request that the sidecar refused
    AGONES_PATIENCE_MS = 5000, // time without an answer, until the log says so
    AGONES_CLOSE_MS = 2000,    // limit for the sidecar to accept the end
    AGONES_ANSWER_BYTES_MAX = 65536
};

typedef struct agones agones;

// The server as Agones is to know it now.
typedef struct agones_view {
    bool ready;   // clients are served and all worlds are there
    bool leaving; // no new sessions are admitted any more
    bool ticking; // no simulation thread is stuck
    bool in_use;  // somebody would miss it: a session, or a world that its options did not make
    int64_t worlds, sessions;
} agones_view;

typedef struct agones_options {
    uint16_t port; // the sidecar's port on this machine
    void *context;
    void (*look)(void *context, agones_view *out);
} agones_options;

typedef struct agones_figures {
    uint64_t accepted, refused, unanswered; // requests, by what became of them
    bool away;                              // the last request had no answer
} agones_figures;

// Begins to report. Errors: STATUS_INTERNAL.
status agones_open(uv_loop_t *loop, const agones_options *options, agones **out, error *err);

agones_figures agones_read_figures(const agones *a);

// `shut_down`: asks Agones first to remove this GameServer, for AGONES_CLOSE_MS at most. Then
// `closed`, when no handle is left and all is freed.
void agones_close(agones *a, bool shut_down, void (*closed)(void *context), void *context);

#endif
