// A referee: a program that decides the rules of a game in its worlds, connected as any client,
// with a token of role referee. The npm package has the same as createReferee; programs of both
// kinds can stand by for each other.
//
// It looks for worlds of a template, or of given names, and subscribes to each. Joins, leaves,
// messages and events are given to the handlers, in the world's order and one after the other. A
// handler's changes are collected, and take effect in one tick together with the record that the
// event was handled: the key `referee` of the world's data names the referee and the last tick
// that it has handled, and `referee/seat/N` each taken seat. A batch names that key's version: the
// server refuses the whole batch of a referee that was replaced, so each event is handled once,
// whichever program handles it. One of several programs is a world's referee (its state is
// CAROM_GAME_HOLDER); another takes over when the first one hands over, or has sent nothing for the
// time of the lease. Store all that a game needs to continue in the world's data.
//
//   static void join(carom_game *game, const carom_event *event, void *user)
//   {
//       (void)user;
//       carom_body_options ball = carom_body_options_default();
//       ...
//       carom_batch_spawn(carom_game_batch(game), &ball);
//       carom_game_set(game, "score/1", carom_uint(0));
//   }
//   ...
//   carom_referee_options options = carom_referee_options_default();
//   options.templates = (const char *const[]){"duel"};
//   options.template_count = 1;
//   options.handlers.join = join;
//   carom_referee_create("127.0.0.1", 22766, 5000, &options, &referee, &error);
//   while (carom_referee_poll(referee, 1000, &error) == CAROM_OK) {
//   }
//
// A referee is used by one thread at a time; handlers run inside carom_referee_poll and
// carom_referee_close only.
#ifndef CAROM_REFEREE_H
#define CAROM_REFEREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <carom/batch.h>
#include <carom/client.h>
#include <carom/export.h>
#include <carom/snapshot.h>
#include <carom/status.h>
#include <carom/value.h>
#include <carom/view.h>

CAROM_BEGIN_DECLS

typedef struct carom_referee carom_referee;
typedef struct carom_game carom_game; // a world that the referee is attached to

typedef enum carom_game_state {
    CAROM_GAME_STANDBY, // another program is the referee, or none is yet
    CAROM_GAME_HOLDER,  // this program is the referee
    CAROM_GAME_ENDED    // the world or the connection has ended
} carom_game_state;

// The holder of a seat.
typedef struct carom_player {
    uint64_t seat;     // number of the seat, from 1 on
    uint64_t session;  // the session's number
    char subject[256]; // its token's subject; "": none
} carom_player;

// Each may be NULL. Arguments are valid until the handler returns. In a handler nothing may wait:
// carom_call and the like answer CAROM_INVALID_ARGUMENT on the referee's client.
typedef struct carom_referee_handlers {
    void *user; // the handlers' last argument

    // This program has become the world's referee: at its beginning, after a restart, or after
    // another referee.
    void (*start)(carom_game *game, void *user);

    // A seat was taken or became free. If no referee was there to see it, or the connection was
    // lost, the handler runs later: the event then has no data, and the present tick.
    void (*join)(carom_game *game, const carom_event *event, void *user);
    void (*leave)(carom_game *game, const carom_event *event, void *user);

    void (*message)(carom_game *game, const carom_event *event, void *user); // message.send
    void (*event)(carom_game *game, const carom_event *event,
                  void *user);                  // called for events of the `events` below
    void (*tick)(carom_game *game, void *user); // after the events of each snapshot

    void (*state)(carom_game *game, carom_game_state state, void *user); // the state has changed

    // An error and its place: `during` is a handler's name, "claim", "beat", "seats", "queue",
    // "resume", "look", "attach" or "connection". `game` is NULL for the last and "look".
    void (*error)(carom_game *game, const char *during, const carom_error *error, void *user);
} carom_referee_handlers;

typedef struct carom_referee_options {
    bool exact;                   // see carom/export.h
    const char *const *templates; // templates whose worlds it referees, those that come later too
    size_t template_count;
    const char *const *worlds; // worlds by name, or by the beginning of the name and "*"
    size_t world_count;
    const char *const *events; // kinds for the handler `event`, such as "hit"; none by default
    size_t event_count;
    double rate;    // snapshots a second at most, default 30; 0 < rate <= 1000
    double lease_s; // time without a sign of a referee after which another takes over [s], default
                    // 2; 0.5 to 60
    bool no_bodies; // no bodies are sent: the game decides by messages and seats alone
    carom_options connection; // options of its client: token, TLS; the referee sets the handlers.
                              // Reconnecting is on
    carom_referee_handlers handlers;
} carom_referee_options;

#define CAROM_REFEREE_GAMES_MAX 64u // worlds of one referee; subscriptions of a connection

CAROM_API carom_referee_options carom_referee_options_default(void);

// Connects within `timeout_ms`. `host` and `port` as for carom_connect. Texts of the options are
// copied, except those of options.connection. Errors: those of carom_connect;
// CAROM_INVALID_ARGUMENT: neither templates nor worlds are named, or an option is out of range.
CAROM_API carom_status carom_referee_create(const char *host, uint16_t port, int timeout_ms,
                                            const carom_referee_options *options,
                                            carom_referee **out, carom_error *error);

// Does the referee's work: finds and claims worlds, runs handlers and sends their changes. Waits
// for messages for at most `timeout_ms` (0: handles only those that have arrived; -1: waits until
// one arrives). Errors: CAROM_UNAVAILABLE (or the status of the cause) after the connection has
// closed for good; all games have then ended.
CAROM_API carom_status carom_referee_poll(carom_referee *referee, int timeout_ms,
                                          carom_error *error);

// Hands its worlds over, so that another referee need not wait for the lease, and closes the
// connection. CAROM_UNAVAILABLE: not all could be handed over within `timeout_ms` (> 0); the others
// are taken over after the lease.
CAROM_API carom_status carom_referee_close(carom_referee *referee, int timeout_ms,
                                           carom_error *error);

// Closes without handing over, and frees. NULL is allowed. Not in a handler.
CAROM_API void carom_referee_free(carom_referee *referee);

// The referee's client: for the program's own requests, and for an event loop of its own
// (carom_fd). Valid until the referee is freed; its handlers are the referee's.
CAROM_API carom_client *carom_referee_client(const carom_referee *referee);

// Game `index` of those attached, NULL past the end. Valid until the next carom_referee_poll.
CAROM_API carom_game *carom_referee_game(const carom_referee *referee, size_t index);
CAROM_API carom_game *carom_referee_find(const carom_referee *referee, const char *world);

// ---- a game, to read

typedef struct carom_game_figures {
    uint64_t epoch; // epoch of its world
    double hz;      // the world's rate
    uint64_t tick;  // the newest that is known
    carom_game_state state;
    size_t waiting;       // events that wait for handlers
    uint64_t handled;     // events that were handled
    uint64_t failed;      // handlers that failed, or whose commands were refused
    uint64_t events_lost; // events that were dropped, here or by the server
} carom_game_figures;

CAROM_API const char *carom_game_world(const carom_game *game);
CAROM_API carom_game_figures carom_game_get_figures(const carom_game *game);

// The bodies as in the newest snapshot. A body that a handler has removed stays until the next one:
// carom_game_find_body passes over it.
CAROM_API const carom_view *carom_game_view(const carom_game *game);
CAROM_API const carom_body *carom_game_find_body(const carom_game *game, uint64_t id);

// A value of the world's data, with what handlers have set; NULL: the key is not there. Valid until
// the handler returns; outside of a handler, until the next carom_referee_poll.
CAROM_API const carom_value *carom_game_get(carom_game *game, const char *key);

typedef struct carom_game_entry {
    char key[CAROM_DATA_KEY_MAX + 1];
    const carom_value *value; // valid as that of carom_game_get
} carom_game_entry;

// Writes the first `max` keys that begin with `prefix` ("": all) into `out`, in ascending order.
// Returns the number of all such keys.
CAROM_API size_t carom_game_entries(carom_game *game, const char *prefix, carom_game_entry *out,
                                    size_t max);

// carom_game_seats writes the first `max` taken seats, in the order of their keys, and returns the
// number of all. carom_game_seat finds the holder of one; false: the seat is free.
CAROM_API size_t carom_game_seats(carom_game *game, carom_player *out, size_t max);
CAROM_API bool carom_game_seat(carom_game *game, uint64_t seat, carom_player *out);

// ---- a game, to change: in a handler only

// The handler's commands, for every function of carom/batch.h and carom/arguments.h that appends
// one; CAROM_RESULT names what an earlier one of this handler makes. NULL outside of a handler, and
// those functions then do nothing. At most CAROM_GAME_COMMANDS_MAX a handler.
CAROM_API carom_batch *carom_game_batch(carom_game *game);

#define CAROM_GAME_COMMANDS_MAX 998u

// Sets a key of the world's data and takes ownership of `value`; removes a key, if it is there.
// Keys `referee` and `referee/…` are the referee's own record: a handler that changes them fails.
CAROM_API void carom_game_set(carom_game *game, const char *key, carom_value *value);
CAROM_API void carom_game_remove(carom_game *game, const char *key);

// Sends a message to all sessions (`to` NULL), to those of a subject, or to one session. Takes
// ownership of `data` (NULL: none).
CAROM_API void carom_game_send(carom_game *game, const char *name, carom_value *data,
                               const char *to);
CAROM_API void carom_game_send_to_session(carom_game *game, const char *name, carom_value *data,
                                          uint64_t session);

// Removes a body; carom_game_find_body no longer finds it.
CAROM_API void carom_game_remove_body(carom_game *game, uint64_t body);

// Reports that the handler failed: its changes are dropped, the event counts as handled, and the
// handler `error` gets `text`.
CAROM_API void carom_game_fail(carom_game *game, const char *text);

CAROM_END_DECLS

#endif
