// The server's and the sessions' state, shared by the files of this room and private to it:
//
//   server.c    start, shutdown, the table of sessions
//   session.c   one connection's session: its input, its answers, its times, its end
//   rights.c    who a session is, and what it may
//   resume.c    sessions without a connection, and how they get another
//   session_store.c    sessions on disk, for a restart
//   session_store_file.c, session_store_pack.c, session_store_read.c  their file, its records, and
//   those read handover.c  what the worlds are, for a process that takes over handover_read.c  and
//   there sessions.c  server.sessions and server.kick work.c      the queue of a turn's work
//   decoding.c  large messages, decoded by another thread
//   call.c      a message becomes a call: looked up, checked, carried out or sent to its world
//   worlds.c    requests to worlds; worlds are made, destroyed and listed
//   own_thread.c     worlds that get a thread of their own
//   restore.c, restore_play.c  worlds from the data directory, read and played
//   worlds_restored.c  they get their names, and are served as they come
//   balance.c   worlds that go to a thread that has less to do
//   replies.c   replies of the simulation threads
//   scrape.c    the text of /metrics
#ifndef CAROM_SERVER_SESSION_SERVICE_H
#define CAROM_SERVER_SESSION_SERVICE_H

#include "common/base/array.h"
#include "proto/wire/buffer.h"
#include "common/world/command.h"
#include "proto/encode/encode.h"
#include "proto/wire/rpc.h"
#include "server/auth/jwt.h"
#include "server/auth/keys.h"
#include "server/http/http.h"
#include "server/net/network.h"
#include "server/session/calls/decoding.h"
#include "server/session/placement/directory.h"
#include "server/session/calls/input.h"
#include "server/session/resume/session_store.h"
#include "server/session/identity/quota_owners.h"
#include "server/session/calls/request_log.h"
#include "server/session/placement/restore.h"
#include "server/session/identity/secret.h"
#include "server/session/server.h"
#include "server/session/calls/work.h"
#include "server/world/tick/sim_thread.h"
#include "server/world/tick/messages.h"

typedef struct session_subscription {
    uint64_t number;
    uint64_t world;                            // its number
    char world_name[WORLD_NAME_BYTES_MAX + 1]; // the entry may be gone when its end is told
    subscribe_args args;                       // as they are now
} session_subscription;

// A client's session. It belongs to one connection at a time; one that may be resumed outlives its
// connection for limits.resume_ms (see resume.c), and the session of the connection that resumes it
// takes over what it is and has.
typedef struct session {
    server *server;
    connection *connection; // NULL while it is detached
    session_key key;
    role role;            // that of the grant, where there are keys
    grant *grant;         // owned; NULL: no token was accepted, or none is asked for
    standing *standing;   // held; of its batches for later ticks; NULL until there is one
    limits bounds;        // the server's, lowered by the grant
    quota_owner *address; // held; NULL for addresses that do not count
    quota_owner *subject; // held; NULL without a token
    bucket asked;         // requests of this connection
    bucket received;      // likewise, bytes
    bool throttled;       // input waits because of `received`
    uint64_t metered;     // bytes of its connection that were paid for
    uint32_t tokens_refused;
    bool exhausted;                        // it has sent more wrong tokens than a connection may
    char client[WIRE_CLIENT_NAME_MAX + 1]; // as hello said, "" before
    double since;                          // when it began [s since 1970]
    input input;
    uint32_t in_flight; // calls that are not answered yet
    uint32_t listings;  // of those, world.list and server.sessions
    uint32_t resumes;   // requests to restart its subscriptions that worlds have not taken yet
    request_log requests;
    bool blocked;       // input waits because too many are
    bool ended;         // the peer sends no more
    uint64_t ended_ms;  // since when
    turn_job job;       // its input waits to be dealt with; session_work adds it
    uint64_t job_turn;  // in which it was added
    bool working;       // its input is being dealt with
    int64_t worked_ns;  // that its messages took, of this thread and of the one that decodes
    decoding *decoding; // its last message, which another thread decodes; NULL: none
    struct {
        status why;       // what its connection broke, told when what came before is answered
        const char *text; // NULL: nothing; else of static storage
    } refused;
    bool closing;
    bool over;          // ends with its connection, as it was closed on purpose
    bool replaced;      // another has taken over what it was: only its connection is left
    bool late;          // its connection came while the server was leaving: it may only resume
    bool introduced;    // a whole message has come
    uint64_t opened_ms; // when its connection came
    uint64_t heard_ms;  // when the last whole message came, or the connection; or went
    uint64_t begun_ms;  // when the message began that is not whole yet, 0 for none
    bool resumable;     // it said hello, and has a secret
    secret secret;
    bool secret_digested; // `secret` is its digest: a restart brought the session back
    bool noted;           // in the session store
    struct {
        bool waiting; // for the results of what was in flight; no input is read
        bool answerable;
        uint32_t id; // of the hello
        uint32_t protocol;
        uint64_t deadline_ms; // of waiting
    } resume;
    ARRAY(session_subscription) subscriptions;
    memory_holder
        *memory; // held: of its subscriptions, where it is of no quota owner; NULL: none yet
    ARRAY(uint64_t) body_worlds; // numbers of those that have bodies or steps which end with it
} session;

// A world on its way to another thread.
typedef struct world_move {
    uint64_t world;
    sim_thread *from, *to;
    bool own_thread; // of its own
} world_move;

// One who asked for world.list.
typedef struct survey_asker {
    session_key session;
    uint32_t id;
    bool answerable;
} survey_asker;

typedef struct survey_row {
    uint64_t number; // of the world
    char name[WORLD_NAME_BYTES_MAX + 1];
    buffer bytes; // {world ...}; empty for a world that ended meanwhile
    bool awaited; // its world has not answered yet
} survey_row;

// See worlds_list.c.
typedef struct world_survey {
    turn_job job; // first
    server *server;
    bool confined; // for sessions that see areas alone
    bool under_way;
    uint64_t begun_ms;                   // when it began, if one is
    ARRAY(survey_asker) waiting, asking; // for the next one, and of the one that is under way
    ARRAY(survey_row) rows;
    uint32_t asked, left; // rows whose world was asked, and those of them that are awaited
    uint32_t answered;    // of `asking`
    shared_bytes *whole;  // the answer for all who see all worlds; NULL: not made yet
} world_survey;

// A snapshot that has left, of which its world is still to be told.
typedef struct written_snapshot {
    uint64_t world, subscription;
} written_snapshot;

struct server {
    uv_loop_t *loop;
    const server_options *options;
    const limits *limits;
    auth_keys *keys; // NULL: whoever reaches the port is an admin
    network *network;
    http_listener *http;    // NULL: off
    io_threads *io;         // that have the sockets; NULL: this thread
    uv_async_t wake;        // by simulation threads that have replies
    uv_timer_t tidying;     // looks for free memory of the heap now and then
    uv_timer_t drain_timer; // bounds how long a shutdown waits for them
    loop_turn turn;         // of the loop
    turn_queue work;        // see work.h
    uint64_t worked;        // the turn in which its jobs were run last
    uv_timer_t more;        // of no length, while work is left for the next turn
    bool goes_on;           // some is
    uv_prepare_t turn_end;
    ARRAY(sim_thread *) sim_threads;
    uint32_t hosts_running;
    permits permits;         // of the simulation threads that are apart
    ARRAY(world_move) moves; // worlds between two simulation threads
    int64_t balanced_ns;     // when the last one was moved to a thread that had less to do
    ARRAY(written_snapshot) written;
    directory worlds;
    world_survey surveys[2];  // by `confined`
    uv_timer_t late_lists[2]; // likewise
    decodings decodings;
    uint32_t session_lists; // answers of server.sessions that are being made
    storage *storage;       // NULL: worlds end with the server
    session_store session_store;
    restored_worlds restored; // those of its directory that simulation threads have not taken yet
    uint32_t restored_worlds; // all of them, also those that a smaller limit would not take in
    struct {
        uint32_t left, playing; // worlds that have not come, and those of them being played
        bool finished;
        atomic_bool stop; // the server ends
        int64_t began_ns;
    } restoring;
    aside_list aside;          // until all have come
    ARRAY(session *) sessions; // by slot, NULL where free
    ARRAY(uint32_t) free_slots;
    uint32_t session_count;    // with a connection
    ARRAY(session *) detached; // without, in the order in which they lost it
    uv_timer_t expiry;         // of the first of them
    quota_owners quota_owners; // addresses and subjects
    uint64_t next_session;
    uint64_t next_subscription;
    uint64_t command_bytes; // of requests that are not answered yet
    int64_t started_ns;
    uint32_t starting; // worlds that their threads are about to take, or that are made at the start
    bool told_listening, told_ready;
    uint32_t building; // worlds that are being made or played, and messages that are decoded
    uint32_t handles;  // of wake, timers, turn_end and io, those not closed yet
    bool leaving;      // lame duck: no new sessions, and a drain is to come
    bool draining;
    struct {
        int worlds;                      // the file; 0: nobody takes over
        uint64_t count;                  // of the worlds in it
        bool failed;                     // to write it
        void (*released)(void *context); // NULL once it was called
    } handover;
    uint32_t listeners;  // network and http, those that are not finished
    buffer plain_answer; // for a peer that speaks no TLS where it has to
    bool failed;
    error failure;
    char reason[ERROR_TEXT_MAX]; // of the shutdown
    buffer scratch;
};

// One call of a client, while it is dealt with.
typedef struct call {
    session *session;
    bool answerable;
    uint32_t id;
    size_t size; // of its message
    int64_t received_ns;
    const msgpack_object *params; // of its message
    decoding *aside;              // that was decoded by another thread; NULL: it is not yet
} call;

// ---- server.c

// NULL where the session has ended.
session *server_find_session(const server *s, session_key key);
// When the shutdown has got far enough, goes on with it.
void server_check_drained(server *s);
// A world of the options is there, or (err) could not be made.
void server_note_started(server *s, const error *err);
// Tells that the server listens, and that all worlds are there, once each.
void server_check_started(server *s);

// The thread ends, when it has told all that was done by then.
void server_stop_sim_thread(server *s, sim_thread *h);

// One more simulation thread.
status server_add_sim_thread(server *s, error *err);

// A leaving server that has no sessions left need not wait.
void server_check_left(server *s);

// ---- session.c

// The handler's calls for a peer; see network.h.
void *session_open(server *s, connection *c);
void session_received(void *peer, const uint8_t *data, size_t size);
void session_ended(void *peer);
// Of a WebSocket: what has come ends a message of its, and so has to be whole messages of ours; or
// it has broken a rule.
void session_fenced(void *peer);
void session_refused(void *peer, status why, const char *text);
void session_written(void *peer, uint64_t token);
void session_swept(void *peer, uint64_t now_ms);
void session_closed(void *peer);

// Tells the peer why and closes. The session's subscriptions end.
void session_close(session *s, status why, const char *text, connection_ending ending);

// Answers a request: the result's bytes, and `big` (taken over; may be NULL) instead where they are
// many. Or with an error.
void session_answer(session *s, uint32_t id, const uint8_t *result, size_t size, shared_bytes *big);
void session_answer_error(session *s, uint32_t id, const error *err);

// Tells that the server ends after that time.
void session_warn(session *s, double seconds, const char *reason);

// Sends what is in the server's scratch as it is.
void session_send_scratch(session *s);

// A call was answered: goes on with input that had to wait, or with the end.
void session_settle(session *s);

session_subscription *session_find_subscription(session *s, uint64_t number);
void session_drop_subscription(session *s, uint64_t number);
// Its world has ended: tells the peer and drops it. Nothing happens if it has ended before.
void session_world_closed(session *s, uint64_t subscription, status why, const char *text);

// Ends the session and frees it; its connection must be gone.
void session_destroy(session *s);
// Its message was decoded by another thread: goes on with it.
void session_decoded(session *s, decoding *d);
// Adds its job: goes on with input that has come, or had to wait.
void session_work(session *s);
// Whom it counts for has changed, or is known now: its connection is dealt with as theirs.
void session_deal(session *s);

// ---- unsent_limit.c

// Closes connections until no more waits to be sent than may in all.
void unsent_limit_hold(server *s);

// ---- rights.c

void rights_begin(session *s);
void rights_end(session *s);
// The session `to` becomes who `from` was, and `from` nobody.
void rights_move(session *to, session *from);
// The token's subject; "" without one.
const char *rights_subject(const session *s);
// With whom it shares what may wait for worlds: its subject, else its address. NULL: with nobody.
quota_owner *rights_quota_owner(const session *s);
// For whom its work counts where time is dealt (server/schedule): its quota owner, or itself.
uint64_t rights_dealt_to(const session *s);
// Whose memory its subscriptions take: its quota owner's, or its own.
memory_holder *rights_holder(session *s);
const memory_holder *rights_holding(const session *s); // NULL: its own, and it has none yet
bool rights_expired(const session *s);
// Lets its messages be as large as they may, which is less until it sends a token.
void rights_bound_input(session *s);
// Whether the message that came last is so large that it is paid for before it is decoded.
bool rights_pays_first(const session *s);
// Whether the session is nobody until it sends a token.
bool rights_awaits_token(const session *s);

// Checks a token; NULL is no token. *out is the caller's, NULL where none was given or is asked
// for. Nothing of the session changes but its count of refused ones.
status rights_read_token(session *s, const char *token, grant **out, error *err);
// Whether the grant is of the subject that the session has, if it has one.
status rights_check_subject(const session *s, const grant *g, error *err);
// Takes the grant over (NULL: nothing happens); subscriptions that it does not allow end.
void rights_take(session *s, grant *g);

// Whether the session's role is enough for the method: asked before a call is decoded, so that
// nothing is told of methods that are not allowed.
status rights_check_role(const session *s, method m, error *err);
bool rights_allows_world(const session *s, const char *name);
// Whether the session sees the areas of its token alone.
bool rights_confined(const session *s);
// Tells a request's world who it is from; what it spawns is the session's subject's.
void rights_sign(session *s, request *r);
// The session's rights have ended before their time: batches that wait for their tick do not act.
void rights_fall(session *s);
// Ends the sessions whose tokens were signed by keys that the server does not have any more.
void rights_check_keys(server *s);
// Whether the session may make this call, as far as can be told without its world: roles, worlds,
// areas. Fills in the area of a subscription where the token allows one alone, and what it may
// show.
status rights_permit(const session *s, command *c, error *err);
// Fills in what a world.subscribe of the session may show.
void rights_limit_token_areas(const session *s, command *c);

// Pays for a request of that method and number of bytes. Errors: STATUS_LIMIT_EXCEEDED, and
// *exhausted for a session that has been told so often enough.
status rights_pay(session *s, method m, size_t size, bool *exhausted, error *err);

// Counts a refusal and writes it to the log, so many a second at most; errors that are no refusals
// are passed over.
void rights_audit(const session *s, const error *err);

// ---- resume.c

// `expiry` of the server; its handle is closed by server.c.
void resume_init(server *s);
// Gives the session its secret, if it has none.
void resume_allow(session *s);
// hello with `resume`, and with a token that gave `granted` (NULL: without one), which is taken
// over on success alone. Its answer comes when nothing of the session is in flight any more.
status resume_session(const call *c, const hello_args *args, grant *granted, error *err);
// Answers that hello, if there is nothing left to wait for (or `anyway`).
void resume_check(session *s, bool anyway);
// The session has lost its connection: keeps it for a while.
void resume_detach(session *s);
// Ends a detached session.
void resume_end(session *s);
void resume_end_all(server *s);

// ---- handover.c

// A world has stopped: writes what it was to the file.
void handover_note(server *s, const reply *r);
// All have: the file gets its end.
void handover_finish(server *s);

// ---- handover_read.c

// Holds the worlds that are restored to the file of the options; those without a log join them.
status handover_read(server *s, error *err);

// ---- sessions.c

// Begins an answer of server.sessions.
status sessions_list(const call *c, const sessions_args *args, error *err);
// How many rows an answer of server.sessions may have now.
uint32_t sessions_listed_max(const server *s);
status sessions_kick(server *s, const kick_args *args, error *err);
// Names of the session's subscriptions; `out` has session.subscriptions.count elements.
void sessions_name_subscriptions(const session *s, subscription_name *out);

// ---- call.c

// Answers a hello; `resumed` is NULL for a new session.
void call_answer_hello(session *s, bool answerable, uint32_t id, uint32_t protocol,
                       const resumed_result *resumed);
// `aside` is NULL, or the message decoded, of which it takes what it needs.
void call_handle(session *s, const rpc_message *message, size_t size, decoding *aside);
void call_fail(const call *c, const error *err);

// ---- worlds.c

// Sends a command to its world; takes the command over in any case. On an error nothing was sent.
status worlds_send(server *s, world_entry *entry, request *r, error *err);
request *worlds_request(const call *c, world_entry *entry, command *taken);
// The steps of worlds_send, for requests that go another way. Whether the request can be taken on:
// limit_exceeded tells which bound it would pass.
status worlds_check_capacity(const server *s, const world_entry *entry, const request *r,
                             error *err);
// Counts the request as one that the world has yet to answer.
void worlds_count_in(server *s, world_entry *entry, request *r);
// Gives the request, which it takes, to the world's simulation thread, or holds it while the world
// is being made.
void worlds_deliver(world_entry *entry, request *r);
// Sends what nobody waits for.
void worlds_send_uncounted(server *s, request_kind kind, uint64_t world, session_key key);
// The command makes a body in that world which ends with the session, or steps it.
void worlds_note_body(session *s, uint64_t world);
// The world is destroyed, or could not be made: its name is free, and sessions remember by name
// what they did to it.
void worlds_unname(server *s, world_entry *entry);
// The world has ended for the session.
void worlds_note_gone(session *s, const world_entry *entry);
// Ends what ends with the session: bodies and worlds.
void worlds_end_session(session *s);
// Ends the session's subscriptions in that world.
void worlds_forget(server *s, session_key key, uint64_t world);
// The session's subscriptions in that world begin anew.
void worlds_resume(session *s, uint64_t world);
// The world has taken that.
void worlds_resumed(server *s, session_key key);
// The last snapshot of the subscription was written out: the world is told of it with others, by
// worlds_acknowledge.
void worlds_note_written(server *s, uint64_t subscription, uint64_t world);
void worlds_acknowledge(server *s);

// ---- worlds_build.c

status worlds_create(server *s, const call *c, command *create, error *err);
status worlds_fork(server *s, const call *c, command *fork, error *err);
// The world that is to be forked has answered: the second one is built, and answers in its place.
void worlds_forked(server *s, reply *r);
status worlds_destroy(server *s, const call *c, command *destroy, error *err);
// Whether there may be a new world of that name: already_exists, limit_exceeded.
status worlds_check_name(const server *s, const char *name, error *err);
// Answers what was held for a world that is broken: world.list with a row that says so, its end
// with success, the rest with the error `text`.
void worlds_refuse_held(server *s, world_entry *entry, const char *text);
// The thread that a new world goes to.
sim_thread *worlds_least_loaded(const server *s);

// ---- worlds_restored.c

// Worlds that a restart brings back have their names, and begin to run as they come.
void worlds_begin_restored(server *s);
// The server ends: those that have not come will not.
void worlds_end_coming(server *s);
// Serves the recording of the options as a world of its name.
status worlds_replay(server *s, error *err);

// ---- worlds_list.c

status worlds_list(server *s, const call *c, error *err);
// The row of a world that is not served; `why` is told as `unavailable`.
void worlds_encode_broken(buffer *out, const world_entry *entry, const char *why);
// world.info of a world that is not served.
void worlds_tell_broken(const call *c, const world_entry *entry);
// Part of the answer to worlds_list has come.
void worlds_listed(server *s, world_entry *entry, reply *r);
// The world has left its figures, in case that it does not answer soon.
void worlds_figured(world_entry *entry, const reply *r);
// It has told something that may show a later state.
void worlds_outdate(world_entry *entry);
void worlds_list_init(server *s);
// No survey is under way.
void worlds_list_deinit(server *s);

// ---- scrape.c

// Writes the text of /metrics; `context` is the server.
void scrape_write(void *context, buffer *out);

// ---- own_thread.c

// The world makes others of its thread wait: it goes to a thread apart, if there is one.
void own_thread_begin(server *s, uint64_t world);
// A thread for such a world; NULL where limits.own_threads allows none.
sim_thread *own_thread_find(server *s);
// Whether it is one.
bool own_thread_has(const server *s, const sim_thread *h);
// Sends a world to another thread; its requests are held meanwhile. Not while the server drains.
void own_thread_move(server *s, world_entry *entry, sim_thread *to, bool own_thread);
// Its thread has let go of it (NULL: it has ended).
void own_thread_finish(server *s, uint64_t world, struct served_world *moved);
// Whether a world is on its way to that thread, which must not stop before.
bool own_thread_awaited(const server *s, const sim_thread *h);
// Requests that wait for a world that is built or moves go to it.
void worlds_deliver_held(world_entry *entry);

// ---- balance.c

// A thread has told what its worlds take of it.
void balance_note(server *s, const sim_thread *from, const reply *r);

// ---- replies.c

void replies_take(server *s);
// A request of a session, or of the server itself, has its answer.
void replies_answer(server *s, reply *r);

#endif
