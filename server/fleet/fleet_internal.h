// A member's state, shared by the sources of this folder that begin with fleet; private to them.
#ifndef CAROM_SERVER_FLEET_FLEET_INTERNAL_H
#define CAROM_SERVER_FLEET_FLEET_INTERNAL_H

#include "common/base/array.h"
#include "server/fleet/fleet.h"
#include "server/fleet/ownership.h"

typedef enum member_state {
    MEMBER_NEW,     // waits for the view
    MEMBER_LEASING, // asks for a lease
    MEMBER_WRITING, // asks for its name
    MEMBER_WAITING, // tries again at next_ms
    MEMBER_THERE,   // its record is written
    MEMBER_LEAVING  // fleet_close
} member_state;

typedef struct known_world {
    char name[RECORD_NAME_MAX + 1];
    world_record record;
    int64_t revision;
} known_world;

typedef struct known_node {
    char name[RECORD_NAME_MAX + 1];
    node_record record;
} known_node;

// A world that this server serves, claims or follows.
typedef struct owned_world {
    char name[RECORD_NAME_MAX + 1];
    ownership machine;
    fleet_claimed done; // NULL: answered
    void *context;
    uint64_t deadline_ms;
    int tries;
    int64_t winner_revision;
    bool kept;
    bool stalled;  // its transaction could not be sent
    bool unwanted; // is to be released as soon as its transaction is answered
    bool again;    // unwanted, and its name is claimed for another world: `done` is that one's
    bool follows;  // follows the world of another server, or asks to take it over
} owned_world;

// A transaction under way, about a world. The store drops them unanswered when it closes.
typedef struct world_write {
    fleet *of;
    struct world_write *next, *previous;
    char name[RECORD_NAME_MAX + 1];
    uint64_t write;   // number of the claim's write; 0: a removal
    int64_t revision; // revision of the record to be removed
    bool waits;       // a removal that was not answered: the pulse sends it again
} world_write;

struct fleet {
    uv_loop_t *loop;
    fleet_options options;
    store *store;
    store_watch *watch;
    uv_timer_t pulse;
    char run[RECORD_RUN_SIZE + 1];
    char worlds_at[RECORD_PREFIX_MAX + 9]; // prefix of worlds' keys
    char nodes_at[RECORD_PREFIX_MAX + 9];
    char node_key[RECORD_KEY_MAX];
    member_state state;
    bool has_view;
    bool announced; // `joined` or `failed` was called
    bool draining;
    bool overfull_logged;
    bool unanswered; // the store did not answer for this server's lease or record, because of `why`
    uint64_t begun_ms, tell_ms, next_ms, keep_ms, look_ms, check_ms;
    node_record written; // the last one that was sent
    bool doubted;        // the store may have another one: it is written in any case
    int64_t lease;
    int64_t node_revision;  // revision of this server's record
    int64_t other_revision; // revision of another server's record of its name; 0: none was met
    bool writing, keeping;  // a request is under way
    char why[ERROR_TEXT_MAX];
    ARRAY(known_world) worlds; // by name
    ARRAY(known_node) nodes;   // by name
    ARRAY(owned_world *) owned;
    world_write *writes;
    uint64_t next_write;
    uint32_t removals; // removals under way for fleet_close
    uint32_t handles;
    void (*closed)(void *context);
    void *context;
    fleet_pairs pairs;
    uint64_t chance; // xorshift64
};

// ---- fleet_view.c

// The row of a known world or server; NULL: none is known by that name.
const known_world *fleet_view_world(const fleet *f, const char *name);
const known_node *fleet_view_node(const fleet *f, const char *name);
// Adds the world, or overwrites the record that is known.
void fleet_view_set_world(fleet *f, const char *name, const world_record *r, int64_t revision);
// The watch that keeps the view up to date.
store_watcher fleet_view_watcher(fleet *f);

// ---- fleet_member.c

// Called at each pulse: asks for the next thing that this server needs to join, or extends its
// lease, and writes its record if that says something new.
void fleet_member_pulse(fleet *f, uint64_t now_ms);
// The watch reports a record of that server, or its removal.
void fleet_member_see(fleet *f, const char *node, int64_t revision);

// ---- fleet_claims.c

// Answers claims that are past their time, or all of them, as unavailable. A claim that succeeds
// afterwards is released.
void fleet_claims_end(fleet *f, bool all, const char *why);

// ---- fleet_worlds.c

owned_world *fleet_owned_find(const fleet *f, const char *name);
// A state machine for a world that this server is about to claim or to follow.
owned_world *fleet_owned_add(fleet *f, const char *world, double hz);
void fleet_owned_drop(fleet *f, owned_world *w);
// Drops a followed world, and notifies its pair.
void fleet_owned_unfollow(fleet *f, owned_world *w);
// Passes an event to the world's state machine and carries out its actions; may free `w`.
void fleet_owned_handle(fleet *f, owned_world *w, const ownership_event *event);
// `r`: the record that the store has of this name; NULL: none.
void fleet_owned_begin_claim(fleet *f, owned_world *w, const world_record *r, int64_t revision);
// Calls the claim's callback, if it waits for one.
void fleet_owned_answer_claim(owned_world *w, const error *err, const world_record *winner);
// The watch reports a record; NULL: it is gone. Does nothing unless the world is owned here.
void fleet_owned_see(fleet *f, const char *world, const world_record *r, int64_t revision);
// Removes the record of that revision, and repeats this until the store has answered.
void fleet_write_removal(fleet *f, const char *name, int64_t revision);
// Sends again the transactions that could not be sent or were not answered.
void fleet_writes_pulse(fleet *f);
// At the end: frees the transactions that the store did not answer.
void fleet_writes_free(fleet *f);
// A random number.
uint64_t fleet_draw(fleet *f);

#endif
