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
#include "proto/log/log_record.h"

struct buffer;

// ---- results

// The result of a command carried out by apply_command: {tick}, {body, shapes, tick}, a full body
// map, [results …] and so on, by r->method.
void encode_command_result(struct buffer *out, const command_result *r);

// {dropped: true, late, margin}: a world.apply that was not applied, because its tick was over.
void encode_dropped_result(struct buffer *out, const batch_timing *timing);

// {}: world.unsubscribe, world.view.
void encode_empty_result(struct buffer *out);

// {world, epoch, tick, created}: world.create. `created` is false where the world was there
// already.
void encode_world_create_result(struct buffer *out, const char *world, uint64_t epoch,
                                uint64_t tick, bool created);

// {world, tick}: destroy, pause, resume, step.
void encode_world_tick_result(struct buffer *out, const char *world, uint64_t tick);

// {subscription, epoch, tick}: world.subscribe.
void encode_subscribe_result(struct buffer *out, uint64_t subscription, uint64_t epoch,
                             uint64_t tick);

// {time, any}: ping. `any` is left out when the client sent none.
void encode_ping_result(struct buffer *out, double time, const ping_args *ping);

// A name and a number: limits and counters are lists of these, so that adding one touches one
// place.
typedef struct named_number {
    const char *name;
    double value;
    bool whole; // written as an integer; else as float 64
} named_number;

// A subscription, and the world that it is of.
typedef struct subscription_name {
    uint64_t subscription;
    const char *world;
} subscription_name;

// A session's last request that took effect in a world, which may have ended.
typedef struct applied_request {
    const char *world;
    uint64_t epoch;
    uint32_t id;
} applied_request;

// How a resumed session goes on.
typedef struct resumed_result {
    const applied_request *applied;
    uint32_t applied_count;
    const uint32_t *pending; // ids of requests that are not answered yet
    uint32_t pending_count;
    const subscription_name *subscriptions;
    uint32_t subscription_count;
} resumed_result;

typedef struct hello_result {
    uint32_t protocol;
    const char *server;  // "caromd"
    const char *version; // "0.1.0"
    uint32_t engine;     // ENGINE_BEHAVIOUR
    uint32_t compact;    // log_compact_tables()
    uint64_t session;
    const char *resume; // "" when sessions cannot be resumed
    role role;
    const char *subject; // "": none, and then there is no `expires` either
    double expires;      // expiry of its token [s since 1970]
    const named_number *limits;
    uint32_t limit_count;
    const resumed_result *resumed; // NULL: a new session
} hello_result;

void encode_hello_result(struct buffer *out, const hello_result *r);

// {server, version, protocol, uptime, worlds, sessions, limits}
typedef struct server_info_result {
    const char *server;
    const char *version;
    double uptime; // [s]
    uint32_t worlds, sessions;
    const named_number *limits;
    uint32_t limit_count;
} server_info_result;

void encode_server_info_result(struct buffer *out, const server_info_result *r);

// One session, as listed by server.sessions.
typedef struct session_info {
    uint64_t session;
    const char *client;  // as given in hello; "": none
    const char *address; // "127.0.0.1:40404"; "" while it has no connection
    bool connected;      // false: it may be resumed
    double since;        // when it began [s since 1970, UTC]
    double idle;         // since its last message, or the loss of its connection [s]
    role role;
    const char *subject; // of its token; "": none
    const subscription_name *subscriptions;
    uint32_t subscription_count;
    uint32_t in_flight;                  // requests that wait for their results
    uint64_t received_bytes, sent_bytes; // of its present connection
    uint64_t queued_bytes;               // bytes that its client has not accepted yet
    double lag;                          // how long some bytes have been queued [s]
    // of the subscriptions of its subject or address, or of its own
    uint64_t memory_bytes;
    double work; // processor time for its messages outside of worlds [s]
} session_info;

// An element of `sessions`.
void encode_session_info(struct buffer *out, const session_info *info);
// {sessions: [`sessions`], total}: of encode_session_info, and how many there are in all.
struct encoded_list;
void encode_sessions_result(struct buffer *out, const struct encoded_list *sessions,
                            uint32_t total);

// A bin of a histogram: `count` times lie above the bin before and up to `most`.
typedef struct latency_bin {
    double most; // [s]
    uint64_t count;
} latency_bin;

// The durations of a kind of work [s]. All zero when count is.
typedef struct latency_summary {
    const char *name; // "step", "command", "snapshot" …
    uint64_t count;
    double p50, p90, p99, p999, max;
    const latency_bin *bins; // the non-empty bins, in order; NULL: left out
    uint32_t bin_count;
} latency_summary;

// {counters: {name: number}, latencies: {name: {count, p50, p90, p99, p999, max, bins?}}}
void encode_server_stats_result(struct buffer *out, const named_number *counters,
                                uint32_t counter_count, const latency_summary *latencies,
                                uint32_t latency_count);

// The answer of world.info, and each element of world.list.
typedef struct world_status {
    const char *world;
    uint64_t epoch; // changes when a world of this name is another one, or was set back
    uint64_t tick;
    double time; // tick / hz [s]
    world_def def;
    bool paused;
    durability durability;
    const char *log_error;   // why the log cannot be written; "": it can, or there is none
    const char *unavailable; // why it is not served; NULL for one that is
    world_counts counts;
    uint32_t subscribers;
    // only for the areas of a token: without values that the rest of the world affects
    bool confined;
    uint64_t hash;
    double step_ms;      // mean of the last second
    double rate;         // ticks a second really done, below def.hz when overloaded
    uint64_t ticks_late; // ticks that began later than a whole tick after their deadline
} world_status;

void encode_world_status(struct buffer *out, const world_status *w);

// A full body map: the names of body.spawn's arguments, and body, mass, inertia, center, force,
// torque, frozen. A chain's points are those of its definition.
void encode_body(struct buffer *out, const body_record *body);

// A full joint map: the names of joint.create's arguments that are in effect, and joint, points,
// state.
void encode_joint(struct buffer *out, const joint_info *joint);

// ---- elements of a snapshot, each encoded once and spliced into any number of lists

// [id, x, y, angle, vx, vy, w]. At most ENCODE_ROW_BYTES_MAX bytes.
enum { ENCODE_ROW_BYTES_MAX = 48 };
void encode_body_row(struct buffer *out, const body_row *row);

// "begin", "stay" …; "unknown" for an invalid kind.
const char *event_kind_name(event_kind kind);
// {kind, tick, …}, with the keys of the kind.
void encode_event(struct buffer *out, const physics_event *event);

// {a, b, shape_a, shape_b, normal, points: [{point, depth, impulse, tangent_impulse} …]}
void encode_contact(struct buffer *out, const contact_info *contact);

// Encoded elements one after another, without an array's header.
typedef struct encoded_list {
    const uint8_t *bytes;
    size_t size;
    uint32_t count;
} encoded_list;

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
    uint64_t oldest;    // for those: the tick of the oldest state of one that the reader has
    encoded_list events;
    bool has_contacts;
    encoded_list contacts;
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
        *packed; // of an encoding packed: bodies, removed, enter and leave in one; else
                 // NULL. Unless `full`, keys that have not changed are left out then
} snapshot_view;

// The part that depends on the receiver.
typedef struct snapshot_head {
    uint64_t subscription;
    bool has_last;
    uint64_t last;        // the request id of the session's last command that is in the state
    uint32_t skipped;     // snapshots replaced by this one; 0 is left out
    uint64_t events_lost; // events lost before this snapshot's; 0 is left out
    bool has_margin;
    double margin; // the smallest margin of the session's timed batches since the last one [s]
} snapshot_head;

// Appends the tail, which is not a value of its own: key and value pairs. Returns how many pairs,
// which the head needs.
uint32_t encode_snapshot_tail(struct buffer *out, const snapshot_view *view);

// Appends the beginning of the notification, up to where a tail of `tail_pairs` pairs follows.
void encode_snapshot_head(struct buffer *out, const snapshot_head *head, uint32_t tail_pairs);

// The head of a notification of encoding log in the compact form, which `tail_size` bytes follow.
// Of `head` it has the subscription and the margin.
void encode_compact_head(struct buffer *out, const snapshot_head *head, size_t tail_size);
// The head without the notification around it: only the map, up to the tail.
void encode_snapshot_map(struct buffer *out, const snapshot_head *head, uint32_t tail_pairs);

// The tail for a subscription of encoding log: the record's pairs, and with its image the world's
// name, its epoch, and full = true.
uint32_t encode_log_tail(struct buffer *out, const char *world, uint64_t epoch,
                         const log_record *record);

// {image, tick, hash}
void encode_world_image_result(struct buffer *out, const uint8_t *image, size_t size, uint64_t tick,
                               uint64_t hash);

// ---- other notifications

// [2, "closing", [{code, reason}]]: the last message before the server closes a connection.
void encode_closing(struct buffer *out, status why, const char *reason);

// [2, "leaving", [{seconds, reason}]]: the server accepts no new sessions, and ends after
// `seconds`.
void encode_leaving(struct buffer *out, double seconds, const char *reason);

// [2, "world_closed", [{subscription, world, code, reason}]]: a subscription that ended without
// being asked to.
void encode_world_closed(struct buffer *out, uint64_t subscription, const char *world, status why,
                         const char *reason);

// ---- pieces

// 8 bytes, most significant first, as bin.
void encode_hash(struct buffer *out, uint64_t hash);

#endif
