// The process of caromd, as the files of this folder share it. Network thread only.
//
//     main.c        options and the ways to run: serve, check the settings, check the data
//     serve.c       one server from start to end, and another if the next process fails
//     signals.c     signals and the service manager's watchdog
//     membership.c  this server in its fleet and in its Agones pod
//     sockets.c     sockets that listen already: of the service manager or of a running server
//     next.c        the process that takes over from this one
#ifndef CAROM_SERVER_MAIN_PROCESS_H
#define CAROM_SERVER_MAIN_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "server/config/config.h"
#include "server/config/config_check.h"
#include "server/fleet/agones.h"
#include "server/fleet/fleet.h"
#include "server/fleet/peer.h"
#include "server/http/www.h"
#include "server/process/activation.h"
#include "server/process/takeover.h"
#include "server/session/server.h"

enum { EXIT_COULD_NOT_RUN = 1, EXIT_WRONG_OPTION = 2 };

typedef struct process {
    const config *config;
    uv_loop_t loop;
    uv_signal_t terminate;
    uv_signal_t interrupt;
    uv_signal_t leave;  // SIGUSR1
    uv_signal_t reload; // SIGHUP
    uv_timer_t watchdog;
    server *server;
    auth_keys *keys; // NULL: none
    world_templates templates;
    config_relay relay;
    www_folder www, docs; // files that are served, as they were read; without a path: none
    tls_files *tls;       // NULL: none
    given_sockets given;  // sockets that listen already, which the server takes over
    takeover_gift gift;   // gift of the server that this one takes over; peer -1: none
    takeover *takeover;   // accepts the next process's takeover; NULL: not possible
    // Copies of the sockets that the next process has, in case it fails.
    given_sockets kept;
    int worlds;     // descriptor of the handed-over file of worlds; 0: none
    bool goes_on;   // the file of worlds is this process's own
    int signals;    // termination signals received
    fleet *fleet;   // NULL: the server is alone
    peers *peers;   // NULL: none, or the server has begun to use them
    agones *agones; // NULL: nothing is reported
    bool joining;   // the fleet has not answered yet
    error fleet_error;
    uint8_t *secret; // contents of --fleet-secret; NULL: none
    size_t secret_size;
    bool failed;
} process;

// ---- serve.c

// Serves until a signal or a failure ends it. Returns the exit code.
int process_serve(const config *c);

// ---- signals.c

// Logs how long the certificate is still valid. NULL: there is none.
void process_log_certificate(const tls_files *files);
void process_watch_signals(process *p);

// ---- membership.c

// Runs the loop until this server is a member of its fleet, or cannot be, or a signal ends it.
status process_join_fleet(process *p, error *err);
status process_report_to_agones(process *p, error *err);
// Leaves the fleet and ends the reports to Agones.
void process_end_membership(process *p);

// ---- sockets.c

listen_sockets sockets_copy(const listen_sockets *from);
void sockets_close(given_sockets *given);
// Takes the sockets of the service manager, or of the server that this one takes over. It is the
// last step that may fail: that server stops here.
status process_take_sockets(process *p, error *err);

// ---- next.c

// Accepts takeovers. A server without a takeover socket still serves.
void process_await_next(process *p);
// Whether another server must start after this one has ended, because the process that took over
// failed.
bool process_must_go_on(process *p);

#endif
