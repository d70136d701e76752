// Results, states, events and snapshots as MessagePack bytes.
//
// Every function appends to a buffer (proto/wire/buffer.h) one whole MessagePack value, unless it
// says otherwise. The same input gives the same bytes on every machine. Numbers keep their
// precision: positions and times are float 64, values that the engine stores as float are float 32,
// ids and counts are the shortest integer.
//
// Snapshots are built for sharing. A body's row, an event and a contact are encoded once per tick;
// the lists of a view are copied together from those bytes; the tail of a notification (everything
// that does not depend on the receiver) is encoded once per view; and only the head, some forty
// bytes, is made for each subscription. Head followed by tail is one notification, so a sender may
// write the two buffers without copying the tail.
//
// Pure functions over their arguments; any thread.
#ifndef CAROM_PROTO_ENCODE_ENCODE_H
#define CAROM_PROTO_ENCODE_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/physics/physics.h"
#include "common/world/apply.h"
#include "common/world/command.h"
#include "proto/encode/results.h"
#include "proto/log/log_record.h"

// ---- results

// Answers of methods are generated from proto/schema: results.h has a struct and a function for
// each.

// {}: world.unsubscribe, world.view.
void encode_empty_result(struct buffer *out);

// ---- elements of a snapshot, each encoded once and spliced into any number of lists

// [id, x, y, angle, vx, vy, w]. At most ENCODE_ROW_BYTES_MAX bytes.
enum { ENCODE_ROW_BYTES_MAX = 48 };
void encode_body_row(struct buffer *out, const body_row *row);

// "begin", "stay" …; "unknown" for an invalid kind.
const char *event_kind_name(uint32_t kind); // also of event_kinds.h
// {kind, tick, …}, with the keys of the kind.
void encode_event(struct buffer *out, const physics_event *event);

// A message of the session, which the state of `tick` shows first.
void encode_message_event(struct buffer *out, uint64_t tick, uint64_t session,
                          const message_args *message);

// A session took its seat, or its seat became free.
void encode_join_event(struct buffer *out, uint64_t tick, const world_join_args *join);
void encode_leave_event(struct buffer *out, uint64_t tick, const world_leave_args *leave);

// A key and its value. NULL writes nil: the key was removed.
void encode_datum(struct buffer *out, const char *key, const world_datum *datum);

// ---- the snapshot notification [2, "snapshot", [{…}]]

// The part that depends on the state and the view (area, kinds of events), not on the receiver.
typedef struct snapshot_view {
    const char *world;
    uint64_t epoch;
    uint64_t tick;
    double time; // [s]
    bool full;   // `bodies` has all bodies in view
    encoded_list bodies;
    const body_id *removed;
    uint32_t removed_count;
    bool has_area; // enter and leave are sent
    const body_id *enter;
    uint32_t enter_count;
    const body_id *leave;
    uint32_t leave_count;
    body_id unfollowed; // the body that the view followed, and that no longer exists; 0: left out
    uint32_t left_out;  // bodies left out because of the budget; 0: left out
    uint64_t oldest;    // with `left_out`: the oldest tick among the states that the reader has of
                        // those bodies
    encoded_list events;
    bool has_contacts;
    encoded_list contacts;
    bool has_data;        // changes of the world's data are sent
    encoded_list data;    // pairs of key and value
    bool describe;        // spawned, joints and joints_removed are sent
    encoded_list spawned; // encoded by encode_body
    encoded_list joints;  // encoded by encode_joint
    const joint_id *joints_removed;
    uint32_t joints_removed_count;
    bool describing;        // descriptions that did not fit will follow
    const area *scene_view; // the area that the world's scene shows; NULL: left out
    // only for the areas of a token: leaves out the hash, which covers the whole world
    bool confined;
    uint64_t hash;
    const struct buffer
        *packed; // encoding packed: bodies, removed, enter and leave as one value; NULL for others.
                 // Unless `full`, keys that have not changed are left out
} snapshot_view;

// The part that depends on the receiver.
typedef struct snapshot_head {
    uint64_t subscription;
    bool has_last;
    uint64_t last;        // the request id of the session's last command that is in the state
    uint32_t skipped;     // snapshots replaced by this one; 0 is left out
    uint64_t events_lost; // number of events lost before this snapshot; 0 is left out
    bool has_margin;
    double margin; // the smallest margin of the session's timed batches since the last one [s]
} snapshot_head;

// Appends the tail, which is not a value of its own: key and value pairs. Returns how many pairs,
// which the head needs.
uint32_t encode_snapshot_tail(struct buffer *out, const snapshot_view *view);

// Appends the beginning of the notification, up to where a tail of `tail_pairs` pairs follows.
void encode_snapshot_head(struct buffer *out, const snapshot_head *head, uint32_t tail_pairs);

// The head of a notification of encoding log in the compact form, which `tail_size` bytes follow.
// Of `head`, only the subscription and the margin are sent.
void encode_compact_head(struct buffer *out, const snapshot_head *head, size_t tail_size);
// The head without the notification around it: only the map, up to the tail.
void encode_snapshot_map(struct buffer *out, const snapshot_head *head, uint32_t tail_pairs);

// The tail for a subscription of encoding log: the record's pairs, and with its image the world's
// name, its epoch, and full = true.
uint32_t encode_log_tail(struct buffer *out, const char *world, uint64_t epoch,
                         const log_record *record);

// ---- other notifications

// [2, "closing", [{code, reason}]]: the last message before the server closes a connection.
void encode_closing(struct buffer *out, status why, const char *reason);

// [2, "leaving", [{seconds, reason}]]: the server accepts no new sessions, and ends after
// `seconds`.
void encode_leaving(struct buffer *out, double seconds, const char *reason);

// [2, "moved", [{world, address, http, term, tick}]]: another server of the fleet serves the world.
typedef struct moved_notification {
    const char *world;
    const char *address; // address of that server for TCP
    const char *http;    // address for HTTP and WebSocket; "": none, and the key is left out
    int64_t term;        // its term
    uint64_t tick;       // the newest one that the sender has computed
} moved_notification;
void encode_moved(struct buffer *out, const moved_notification *moved);

// [2, "world_closed", [{subscription, world, code, reason}]]: a subscription that ended without
// being asked to.
void encode_world_closed(struct buffer *out, uint64_t subscription, const char *world, status why,
                         const char *reason);

// ---- pieces

// 8 bytes, most significant first, as bin.
void encode_hash(struct buffer *out, uint64_t hash);

#endif
