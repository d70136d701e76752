// Snapshots as a subscription brings them, decoded into plain structs. The caller only reads them;
// they are valid until the callback that receives them returns.
#ifndef CAROM_SNAPSHOT_H
#define CAROM_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <carom/describe.h>
#include <carom/export.h>
#include <carom/value.h>

CAROM_BEGIN_DECLS

typedef enum carom_event_kind {
    // generated from proto/schema: events
    // two shapes began to touch
    CAROM_EVENT_BEGIN,
    // they still touch; one event in each tick
    CAROM_EVENT_STAY,
    // they part, or one of them is gone
    CAROM_EVENT_END,
    // they began to touch faster than the world's `hit_threshold`; only of shapes that ask for it
    // with `events`
    CAROM_EVENT_HIT,
    // b came into the sensor a
    CAROM_EVENT_SENSOR_BEGIN,
    // b left the sensor a
    CAROM_EVENT_SENSOR_END,
    // the body came to rest
    CAROM_EVENT_SLEEP,
    // the body moves again
    CAROM_EVENT_WAKE,
    // the body was made
    CAROM_EVENT_SPAWN,
    // the body was removed
    CAROM_EVENT_REMOVE,
    // the joint carried more than its `break_force` or `break_torque`, and was removed
    CAROM_EVENT_JOINT_BREAK,
    // the body left the world's bounds or its numbers overflowed, and it was disabled
    CAROM_EVENT_FREEZE,
    // a client sent a message that is for this session
    CAROM_EVENT_MESSAGE,
    // a session took a seat (`world.join`)
    CAROM_EVENT_JOIN,
    // a seat became free: its session left it (`world.leave`), or ended
    CAROM_EVENT_LEAVE,
    // end of generated
    CAROM_EVENT_OTHER // a kind of a later server; see `name`
} carom_event_kind;

// Numbers that a kind of event does not have are 0. Texts and data are valid as long as the
// snapshot, or until the view's next event.
typedef struct carom_event {
    carom_event_kind kind;
    const char *name; // the kind's word on the wire: "begin", "end" …
    uint64_t tick;    // the tick whose state first shows it
    uint64_t a, b;    // bodies
    uint64_t shape_a, shape_b;
    uint64_t joint;
    carom_vec2 point;  // [m]
    carom_vec2 normal; // unit vector from a to b
    double depth;      // depth at that point [m]
    double speed;      // approach speed along the normal [m/s]
    double impulse;    // [N s]
    // Members of a message (message.send), a join or a leave (world.join); else NULL and 0:
    const char *message; // a message's name
    const void *data;    // its or the join's data, MessagePack (carom_event_data reads it); NULL:
                         // it has none
    size_t data_size;
    uint64_t session;    // the number of the session that sent it, or that has the seat
    const char *subject; // subject of that session; "": none
    uint64_t seat;       // the seat of a join or leave, from 1 on
} carom_event;

// A touching pair, for drawing. A pair has one or two points; with a chain it may have more, and
// the deepest are listed.
enum { CAROM_CONTACT_POINTS_MAX = 8 };
typedef struct carom_contact {
    uint64_t a, b;
    uint64_t shape_a, shape_b;
    carom_vec2 normal; // unit vector from a to b, at the deepest point
    int count;         // number of points, at least 1
    carom_vec2 points[CAROM_CONTACT_POINTS_MAX];
    carom_vec2 normals[CAROM_CONTACT_POINTS_MAX]; // normal at each point
    double depth[CAROM_CONTACT_POINTS_MAX];       // [m]
    double impulse[CAROM_CONTACT_POINTS_MAX];     // [N s], 0 if it is not known
} carom_contact;

#define CAROM_DATA_KEY_MAX 128u // bytes of a key of a world's data

// A key of the world's data, for subscriptions that ask for them.
typedef struct carom_datum {
    char key[CAROM_DATA_KEY_MAX + 1];
    const void *encoded; // its value as MessagePack (carom_datum_value reads it); NULL: it is gone
    size_t encoded_size;
} carom_datum;

typedef struct carom_snapshot {
    uint64_t subscription;
    const char *world; // the world's name; "" in snapshots of encoding "log" after the first
    uint64_t epoch;    // another number means another world: nothing from before is valid
    uint64_t tick;
    double time; // time of the world [s]
    bool full;   // `bodies` has all bodies in view, not only the changed ones
    bool packed; // encoding "packed": bodies are rounded, and velocities are estimates unless they
                 // were requested. Keys that `encoded` leaves out have their values here
    bool log;    // encoding "log": the world's commands, for a replica; there are no bodies, and
                 // views ignore it
    uint64_t from; // encoding "log": the tick that `tick` follows; 0 for other encodings
    bool has_hash;
    uint8_t hash[8];  // state hash of the whole world at this tick
    uint64_t last;    // this session's last command that the state contains; 0: none, or unknown
    uint64_t skipped; // snapshots that were left out before this one because the reader was slow
    uint64_t events_lost; // events that the reader lost before those of this snapshot, because more
                          // waited for it than the server keeps
    bool has_margin; // this session has sent batches for a tick (carom_batch_apply_at) since the
                     // last snapshot
    double margin;   // how long before its tick the latest of those arrived [s]; negative: too late

    const carom_body *bodies;
    size_t body_count;
    const uint64_t *removed; // ids that no longer exist
    size_t removed_count;
    const uint64_t *enter; // ids that came into the subscription's area; for a packed one, all ids
                           // that came into view, including new bodies
    size_t enter_count;
    const uint64_t *leave; // ids that left the view
    size_t leave_count;
    uint64_t left_out;   // for subscriptions with a budget: bodies of the area that are not in the
                         // state of `tick`, or were not sent yet
    uint64_t oldest;     // every body that was sent is in its state of this tick or a later one;
                         // `tick`, if none was left out
    uint64_t unfollowed; // the body that the area moved with, and that no longer exists; 0: none
    const carom_event *events;
    size_t event_count;
    const carom_contact *contacts; // only for subscriptions that ask for them
    size_t contact_count;
    bool has_contacts;

    // For subscriptions with `describe`: bodies and joints that are new to the subscription or have
    // changed, the ids of removed joints, and whether more descriptions follow in the next
    // snapshots.
    const carom_body_info *const *spawned;
    size_t spawned_count;
    const carom_joint_info *joints;
    size_t joint_count;
    const uint64_t *joints_removed;
    size_t joints_removed_count;
    bool describing;
    bool has_view;  // the world's scene names the area worth looking at
    double view[4]; // x0, y0, x1, y1 [m]

    // For subscriptions with `data`: the keys that have changed or were removed; with `full`, all
    // keys.
    bool has_data;
    const carom_datum *data;
    size_t data_count;

    const void *encoded; // the notification's map as received, MessagePack
    size_t encoded_size;
} carom_snapshot;

// The kind's word, "begin" …; NULL for CAROM_EVENT_OTHER and for numbers that are no kind.
// The data of a message or a join, for the caller to free; NULL if it has none, or memory has run
// out.
CAROM_API carom_value *carom_event_data(const carom_event *event);

CAROM_API const char *carom_event_kind_name(carom_event_kind kind);

// The whole snapshot as a tree of values, including keys that this library does not know. The
// caller frees it; NULL if memory has run out.
CAROM_API carom_value *carom_snapshot_value(const carom_snapshot *snapshot);

CAROM_END_DECLS

#endif
