// The server's state, shared by the files of this folder, and the functions of server.c that they
// call; private to this folder. Its folders: calls has messages and their answers, identity the
// quota owners of sessions, placement the worlds and their threads, resume the sessions and worlds
// that outlive a connection or the process. Network thread only.
#ifndef CAROM_SERVER_SESSION_SERVICE_H
#define CAROM_SERVER_SESSION_SERVICE_H

#include "common/base/array.h"
#include "proto/wire/buffer.h"
#include "server/auth/keys.h"
#include "server/http/http.h"
#include "server/net/network.h"
#include "server/schedule/permits.h"
#include "server/session/calls/decoding.h"
#include "server/session/calls/work.h"
#include "server/session/calls/worlds_list.h"
#include "server/session/identity/quota_owners.h"
#include "server/session/identity/session_numbers.h"
#include "server/session/placement/aside.h"
#include "server/session/placement/burials.h"
#include "server/session/placement/directory.h"
#include "server/session/placement/own_thread.h"
#include "server/session/placement/restore.h"
#include "server/session/placement/worlds.h"
#include "server/session/resume/session_store.h"
#include "server/session/server.h"
#include "server/session/session.h"
#include "server/session/session_walk.h"
#include "server/world/tick/sim_thread.h"

// The stages of the server's life; server_change() of server.c makes every change.
typedef enum server_stage {
    SERVER_SERVING,
    SERVER_LEAVING, // lame duck: no new sessions; a drain follows
    SERVER_DRAINING // all requests are answered, and the loop ends
} server_stage;

struct server {
    uv_loop_t *loop;
    const server_options *options;
    const limits *limits;
    auth_keys *keys; // NULL: any peer is an admin, or a guest:
    role guests;     // ROLE_NONE: there are no guests
    network *network;
    http_listener *http; // NULL: off
    io_threads *io;      // threads that have the sockets; NULL: this thread
    uv_async_t wake;     // sent by simulation threads that have replies
    uv_timer_t tidying;  // looks for free memory of the heap now and then
    uv_thread_t trimmer; // returns it to the system, if `trimming`
    bool trimming;
    atomic_bool trimmed;    // the trimmer is about to end
    uv_timer_t drain_timer; // bounds how long a shutdown waits for them
    loop_turn turn;         // the loop's turn
    turn_queue work;        // see work.h
    turn_queue replies;     // replies of worlds
    uint64_t worked;        // the turn in which its jobs last ran
    uv_timer_t more;        // a timer of length 0, active while work is left for the next turn
    bool goes_on;           // work is left for the next turn
    uv_prepare_t turn_end;
    ARRAY(sim_thread *) sim_threads;
    uint32_t hosts_running;
    permits permits;         // permits of the simulation threads of own_thread.c
    ARRAY(world_move) moves; // worlds between two simulation threads
    int64_t balanced_ns;     // when a world was last moved to a thread with less load
    ARRAY(written_snapshot) written;
    directory worlds;
    burials burials;          // worlds whose end not all sessions know of
    world_survey surveys[2];  // indexed by `confined`
    uv_timer_t late_lists[2]; // indexed by `confined`
    decodings decodings;
    uint32_t session_lists; // answers of server.sessions that are being made
    storage *storage;       // NULL: worlds end with the server
    session_store session_store;
    struct upstreams *upstreams; // the servers that this relay follows; NULL: it is no relay
    struct pairs *pairs;         // other servers of the fleet, for replicated worlds; NULL: none
    struct {
        uint64_t end_ms;    // until then worlds are moved away; 0: they are not
        uint32_t under_way; // how many are at the moment
    } moving;               // used while the server shuts down
    uint32_t claimed;       // restored worlds whose names the fleet has answered for
    error claim_error;
    restored_worlds restored; // worlds of its directory that no simulation thread has yet
    // number of all restored worlds, perhaps more than a smaller limit allows
    uint32_t restored_worlds;
    struct {
        uint32_t left, playing; // worlds not restored yet, and those being played
        bool finished;
        atomic_bool stop; // the server ends
        int64_t began_ns;
    } restoring;
    aside_list aside;          // until all worlds are restored
    ARRAY(session *) sessions; // indexed by slot; NULL: free
    ARRAY(uint32_t) free_slots;
    session_walk key_check;    // ends sessions whose key was removed
    uint64_t keyless;          // number of those since the last line of the log about it
    session_walk warning;      // tells sessions that the server is about to end
    uint32_t session_count;    // sessions with a connection
    detached_list detached;    // sessions without one
    uv_timer_t expiry;         // expires when the first detached session does
    quota_owners quota_owners; // addresses and subjects
    session_numbers numbers;   // slots of `sessions` by number
    uint64_t next_session;
    uint64_t next_subscription;
    uint64_t command_bytes; // bytes of requests that are not answered yet
    int64_t started_ns;
    uint32_t starting; // worlds awaited by their threads' adoption, or being made, at the start
    bool listening_told, ready_told;
    uint64_t start_reported_s; // seconds after the start of the last report on it
    uint32_t building;         // worlds being made or played, and messages being decoded
    struct {
        struct build *first, *last; // those that wait for a thread of the pool
        uint32_t running;
    } builds;         // worlds that are being made (worlds_build.c)
    uint32_t handles; // open handles of wake, timers, turn_end and io
    server_stage stage;
    struct {
        int worlds;                      // the file; 0: no process takes over
        uint64_t count;                  // number of worlds in it
        bool failed;                     // writing it failed
        void (*released)(void *context); // NULL once it was called
    } handover;
    uint32_t listeners;  // network and http, those not finished
    buffer plain_answer; // answer to a peer that does not use TLS although it must
    bool failed;
    error failure;
    char reason[ERROR_TEXT_MAX]; // reason of the shutdown
    buffer scratch;
};

// NULL if the session has ended.
session *server_find_session(const server *s, session_key key);
// The same by its number alone.
session *server_find_number(const server *s, uint64_t number);
// Continues the shutdown when the drain is complete.
void server_check_drained(server *s);
// Called when a world of the options exists, or (err) could not be made.
void server_note_started(server *s, const error *err);
// Reports, once each, that the server listens, and that all worlds exist.
void server_check_started(server *s);

// Stops the thread once it has sent the results of all requests so far.
void server_stop_sim_thread(server *s, sim_thread *h);

// Adds a simulation thread.
status server_add_sim_thread(server *s, error *err);

// A leaving server that has no sessions left need not wait.
void server_check_left(server *s);

#endif
