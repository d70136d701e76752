// The list of a world's subscriptions: the view that each wants, and the state that its reader was
// last sent.
//
// A subscription's baseline is the state that its reader has: the version of the row table, the
// events up to its newest mark, and, with an area, the bodies that were in view. Subscriptions that
// want the same and have the same baseline are sent the same bytes.
//
// One thread: the world's.
#ifndef CAROM_SERVER_WORLD_SNAPSHOTS_SUBSCRIPTION_H
#define CAROM_SERVER_WORLD_SNAPSHOTS_SUBSCRIPTION_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/array.h"
#include "common/world/command.h"
#include "common/world/event_kinds.h"
#include "server/base/memory.h"
#include "server/world/snapshots/data_feed.h"
#include "server/world/snapshots/event_marks.h"
#include "server/world/snapshots/phases.h"
#include "server/world/message/messages.h"
#include "server/world/snapshots/token_areas.h"

// The slots of the bodies that were in view, shared by all readers of the same snapshot.
typedef struct view_set {
    uint32_t references;
    uint32_t slots; // bits; those above are unset
    uint64_t bits[];
} view_set;

view_set *view_set_create(uint32_t slots);
view_set *view_set_ref(view_set *s); // NULL is allowed, and stays NULL
void view_set_unref(view_set *s);    // NULL is allowed

static inline bool view_set_has(const view_set *s, uint32_t slot)
{
    return slot < s->slots && (s->bits[slot / 64] >> (slot % 64) & 1) != 0;
}
static inline void view_set_add(view_set *s, uint32_t slot)
{
    s->bits[slot / 64] |= (uint64_t)1 << (slot % 64);
}
static inline void view_set_remove(view_set *s, uint32_t slot)
{
    s->bits[slot / 64] &= ~((uint64_t)1 << (slot % 64));
}

// The sets of one publishing: equal ones become one, so that readers with the same bodies in view
// are one group from then on, whatever they had before.
typedef struct view_set_pool {
    ARRAY(view_set *) places; // a hash table; NULL: free
    uint32_t count;
} view_set_pool;

void view_set_pool_deinit(view_set_pool *p);
// Releases all sets.
void view_set_pool_clear(view_set_pool *p);
// Takes over an immutable set (NULL stays NULL), and returns the one to use instead of it, with a
// reference for the caller.
view_set *view_set_pool_share(view_set_pool *p, view_set *s);

// The first slot from `slot` on that is in one of the sets (`b` may be NULL, and has no more slots
// than `a`); a->slots or more if there is none.
uint32_t view_set_next(const view_set *a, const view_set *b, uint32_t slot);

// Progress of the descriptions sent to a reader with `describe`: bodies and joints with these slots
// and higher ones are not described yet.
typedef struct description_progress {
    uint32_t bodies_from, joints_from;
} description_progress;

static const description_progress DESCRIPTION_COMPLETE = {UINT32_MAX, UINT32_MAX};

static inline bool description_complete(description_progress p)
{
    return p.bodies_from == UINT32_MAX && p.joints_from == UINT32_MAX;
}

// The place of a view; see view_area.h.
typedef struct view_area {
    area now;    // its area in the world, if the view has one
    bool lost;   // the body that it followed does not exist any more
    bool hidden; // its body was last seen at a place that is hidden from the reader
} view_area;

// The bodies in view in a snapshot. A slot means the body that had it at that version of the rows:
// later the slot may have another body.
typedef struct shown_set {
    view_set *slots; // owned; NULL: none
    uint64_t version;
} shown_set;

enum {
    SHOWN_TAKEN,
    SHOWN_SENT,
    SHOWN_SETS
}; // versions of the last snapshot that the reader has taken, and of the last one sent

struct packed_view;
struct budget;

typedef struct subscription {
    uint64_t number;
    session_key session;
    role role;                         // role of its reader, for messages to referees
    char subject[OWNER_BYTES_MAX + 1]; // subject of its reader; "": none
    subscribe_args view;               // without `token_areas` and `data`:
    token_areas *token_areas;          // areas that it may see; NULL: everything
    data_prefixes *data;               // owned: the keys whose changes it is sent; NULL: none
    view_area place;   // where the view was last; of a packed one, see its packed view
    bool lost_told;    // the reader knows that the body is lost
    uint32_t phase;    // ticks by which its snapshots fall earlier than others' of its rate
    view_phase *timed; // the list's entry for its view
    uint64_t version;  // version of the rows it was last sent; 0: none
    // marks of the events sent, and of those received by its reader
    event_marks marks;
    view_set *seen; // bodies in view; NULL: everything, or nothing was sent yet
    // `seen` of earlier snapshots: the events of a full snapshot refer to their bodies, too
    shown_set shown[SHOWN_SETS];
    bool shown_all; // an earlier snapshot had no area: the reader knows all bodies
    description_progress described;
    uint32_t skipped;      // snapshots that were due and not sent, since the last
    bool ended;            // its session must be closed: sends nothing more
    bool owed;             // a snapshot must be sent as soon as possible
    struct budget *budget; // owned; NULL: none, or its packed view has one
    memory_charge charge;  // memory of the subscription itself, and the holder that is charged
    bool refused;          // there is no memory for its snapshots: it ends with this publishing
    struct share *dealt;   // share of its subject, owned by the publisher
    struct subscription *of_slot; // the next one of a session with the same slot
    // the rest is for packed subscriptions
    struct packed_view *packed; // the view whose snapshots it shares; NULL: not packed
    uint64_t packed_number;     // number of the last one sent; 0: it needs a full one
} subscription;

typedef struct subscriptions {
    ARRAY(subscription *) list; // in ascending order of numbers
    uint32_t found;             // the place that subscriptions_find last gave
    phases phases;
    // by the slot of their session: the last one made, the head of a list (`of_slot`)
    ARRAY(subscription *) by_slot;
    // how many want each kind of events, data, descriptions
    uint32_t events[WORLD_EVENT_KIND_COUNT], data, describe;
} subscriptions;

void subscriptions_deinit(subscriptions *s);

// References the sets shown before; `s` may be a copy, which then has references of its own.
void subscription_ref_shown(const subscription *s);
void subscription_unref_shown(const subscription *s);
bool subscription_has_shown(const subscription *s, uint32_t slot);

// `number` is unique. It may be below others: sessions take turns if a world has more requests than
// fit a tick. The pointer is valid until the subscription is removed.
subscription *subscriptions_add(subscriptions *s, uint64_t number, session_key session,
                                const subscribe_args *view);
// Gives it another area. Its phase stays.
void subscriptions_move(subscriptions *s, subscription *one, const view_args *view);
// NULL if there is none (any more).
subscription *subscriptions_find(subscriptions *s, uint64_t number);
void subscriptions_remove(subscriptions *s, uint64_t number);
// A subscription of the session; NULL: it has none. The others follow by subscriptions_next_of.
subscription *subscriptions_first_of(const subscriptions *s, session_key session);
subscription *subscriptions_next_of(const subscription *one);

// The kinds of events that someone wants.
uint32_t subscriptions_events(const subscriptions *s);

// Whether someone wants data.
bool subscriptions_data(const subscriptions *s);

// Whether someone wants descriptions.
bool subscriptions_describe(const subscriptions *s);

// Whether a snapshot is due on this tick by the rate. Depends on tick and phase alone, so that
// subscriptions of one rate and view, which have one phase, are due on the same ticks and can
// share.
bool subscription_due(const subscription *s, uint64_t tick, double hz);

// Orders by what they want and may be shown.
int subscription_compare_wanted(const subscribe_args *a, const token_areas *areas_a,
                                const subscribe_args *b, const token_areas *areas_b);

// Whether both want the same and may be shown the same, so that they may share.
bool subscription_same_view(const subscribe_args *a, const token_areas *areas_a,
                            const subscribe_args *b, const token_areas *areas_b);

// Forgets everything that was sent: the next snapshot is a full one.
void subscription_begin_anew(subscription *s);

// Whether the message is for the subscription's reader.
bool subscription_is_addressed(const subscription *s, const message_recipient *to);

// Orders by content: equal subscriptions are sent the same bytes, but for messages that are not for
// all (publisher_pieces.c). Those of one packed view are adjacent.
int subscription_compare(const subscription *a, const subscription *b);

#endif
