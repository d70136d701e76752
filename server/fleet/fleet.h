// This server as a member of a fleet: its record, its worlds' records, and what it knows of the
// others, so that look-ups are local.
//
// A server joins under a name that no living server has. Its record lies under a lease, which alone
// says that it lives; the record is written again when it says something new (node_record_is_new),
// since each write goes to all servers. Records of worlds are changed by
// transactions alone, which the state machine of ownership.h asks for. An outage of the store stops
// no world: only new worlds wait for it, in a bounded time.
//
// Loop thread only; no callback is called from within the functions here.
#ifndef CAROM_SERVER_FLEET_FLEET_H
#define CAROM_SERVER_FLEET_FLEET_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "common/base/status.h"
#include "server/fleet/ownership.h"
#include "server/fleet/records.h"
#include "server/fleet/store.h"

enum {
    FLEET_LEASE_S = 5,
    FLEET_KEEP_MS = 1000,      // time between two extensions of the lease
    FLEET_LOOK_MS = 1000,      // time between two looks whether the server's record says something
                               // new
    FLEET_CHECK_MS = 30000,    // time between two writes of it at most: a watch that does not
                               // report this server's own write is begun again
    FLEET_JOIN_MS = 20000,     // for joining: a lease of this name's last process may have to end
    FLEET_SILENT_MS = 1500,    // time without an answer, until the log says so
    FLEET_TELL_MS = 5000,      // time between two lines of the log that say why it has not joined
                               // yet
    FLEET_CLAIM_MS = 10000,    // limit for the answer to a claim
    FLEET_CLOSE_MS = 1500,     // limit for the removal of records at the end
    FLEET_WORLDS_MAX = 131072, // records that are known; others are left out, and that is logged
    FLEET_NODES_MAX = 4096
};

typedef struct fleet fleet;

typedef struct fleet_load {
    double lateness_ms;
    int64_t worlds, sessions, free_memory;
} fleet_load;

typedef struct fleet_handler {
    void *context;
    // Once: this server's record is written, and all others' are known.
    void (*joined)(void *context);
    // Instead of `joined`.
    void (*failed)(void *context, const error *err);
    // Another process has this server's name: the text says which. This server must not serve its
    // worlds any more.
    void (*lost)(void *context, const char *text);
    // Rule 5: another server serves the world (`winner`), or nobody (NULL: its record is gone, or
    // cannot be read). This server must not serve it any more; its claim has ended.
    void (*lost_world)(void *context, const char *world, const world_record *winner);
    void (*load)(void *context, fleet_load *out);
} fleet_handler;

typedef struct fleet_options {
    const char *endpoints; // as of store_options
    posts_tls tls;
    const char *prefix; // prefix of all keys, like "/carom"
    const char *node;   // this server's name
    const char *address;
    const char *http; // "": off
    const char *peer; // address for other servers (peer.h); "": none
    int64_t engine;
    uint64_t run; // a number that no other process has
    fleet_handler handler;
} fleet_options;

// Begins to join. `options`' texts must outlive the fleet. Errors: those of store_open.
status fleet_open(uv_loop_t *loop, const fleet_options *options, fleet **out, error *err);

// Refuses claims from now on, and those under way; the record says that this server leaves.
void fleet_drain(fleet *f);

// The same, but for claims: its worlds are about to go to other servers, and it gets no new ones.
void fleet_leave(fleet *f);

// Removes this server's record, and those of worlds that are not kept, as far as the store answers
// within FLEET_CLOSE_MS. Then `closed`, when the fleet is freed.
void fleet_close(fleet *f, void (*closed)(void *context), void *context);

// ---- worlds

// `err` NULL: this server serves the world from now on. Else STATUS_ALREADY_EXISTS, with the record
// of the server that serves it (NULL: it cannot be read); STATUS_UNAVAILABLE.
typedef void (*fleet_claimed)(void *context, const error *err, const world_record *winner);

// Asks to serve a world: a new one, or one that this server's last process served.
void fleet_claim(fleet *f, const char *world, double hz, fleet_claimed done, void *context);
// Claims that are not answered.
uint32_t fleet_claims(const fleet *f);
// Keeps the world's record when this server ends: a restart brings the world back.
void fleet_keep(fleet *f, const char *world);
// Removes the record of a world that has ended. Does nothing if the record belongs to another
// server.
void fleet_release(fleet *f, const char *world);

// The record of a world that another server serves; NULL: none is known.
const world_record *fleet_find(const fleet *f, const char *world);
// The term of a world that this server serves; 0: it does not.
int64_t fleet_term(const fleet *f, const char *world);

// The record of a world that this server serves; NULL: it does not.
const world_record *fleet_own(const fleet *f, const char *world);
// The record of a living server; NULL: none is known.
const node_record *fleet_find_node(const fleet *f, const char *name);

// This server's name, and the prefix of the fleet's records.
const char *fleet_self(const fleet *f);
const char *fleet_prefix(const fleet *f);
// Why the store did not answer this server's last request for its lease or record; "": it did.
const char *fleet_store_error(const fleet *f);

// ---- pairs: worlds with a standby. Their owner reports what the standby and the primary do to the
// world's state machine (ownership.h), and carries out its actions, except ACTION_WRITE.

typedef struct fleet_pairs {
    void *context;
    // ACTION_ACKNOWLEDGE, _NAME and _YIELD; ACTION_SERVE, unless it answers a claim; ACTION_DROP of
    // a world that this server follows (then `o` is NULL). Also called from within fleet_report.
    void (*acted)(void *context, const char *world, const ownership_action *action,
                  const ownership *o);
} fleet_pairs;

void fleet_on_pairs(fleet *f, const fleet_pairs *handler);
// Makes a world of this server replicated: the next write of its record says that it is to have a
// standby.
void fleet_replicate(fleet *f, const char *world);
// This server is about to follow the world, which another one serves: from now on events of it may
// be reported. False: it serves the world itself.
// `replicated`: as its record says.
bool fleet_follow(fleet *f, const char *world, double hz, bool replicated);
// It does not follow it any more. Does nothing if it does not.
void fleet_forget(fleet *f, const char *world);
// Does nothing if the world is neither served nor followed here.
void fleet_report(fleet *f, const char *world, const ownership_event *event);
// The newest tick that was shown, before an event is reported that depends on it.
void fleet_note_shown(fleet *f, const char *world, int64_t tick);
// NULL: it is neither served nor followed here.
const ownership *fleet_ownership(const fleet *f, const char *world);
// The record of a world of any server of the fleet, this one included; NULL: none is known.
const world_record *fleet_record(const fleet *f, const char *world);
// A server that may be the standby of a world of this one: of two that are chosen by chance, the
// one with fewer worlds; `but` is not chosen, if there is another. Its address is copied. False:
// none.
bool fleet_choose_standby(fleet *f, const char *but, char node[RECORD_NAME_MAX + 1],
                          char peer[RECORD_ADDRESS_MAX + 1]);

// The address at which the server can get a world of this one (copied). STATUS_NOT_FOUND: no such
// server lives. STATUS_UNAVAILABLE: it cannot, and why. STATUS_ALREADY_EXISTS: it is this one.
status fleet_check_target(const fleet *f, const char *node, char peer[RECORD_ADDRESS_MAX + 1],
                          error *err);

// All servers and worlds that are known, this one's too, by name; NULL past the end.
const node_record *fleet_node(const fleet *f, uint32_t i, const char **name);
const world_record *fleet_world(const fleet *f, uint32_t i, const char **name);
uint32_t fleet_node_count(const fleet *f);
uint32_t fleet_world_count(const fleet *f);
// The place of the first world with a name behind this one.
uint32_t fleet_world_after(const fleet *f, const char *name);

#endif
