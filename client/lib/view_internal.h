// Inside of a view. A view knows no client: it is an entry of a list (view_list.h), out of which it
// can take itself.
//
// Invariants
//  - bodies, data, stamps, infos, awake and rings are parallel arrays; `places` leads from an id to
//  its index.
//  - `samples` holds `depth` states for each index, as a ring: the newest is the body's own state.
//    Without history depth is 0 and there are none.
//  - Between two snapshots nothing changes but the events queue.
#ifndef CAROM_CLIENT_LIB_VIEW_INTERNAL_H
#define CAROM_CLIENT_LIB_VIEW_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <carom/view.h>

#include "client/lib/id_map.h"
#include "client/lib/snapshot.h"
#include "client/lib/view_list.h"
#include "common/base/vector.h"

// The state of a body at a time of the world.
typedef struct view_sample {
    double time;
    double x, y, angle, vx, vy, w;
} view_sample;

typedef struct sample_ring {
    uint8_t newest, count;
} sample_ring;

typedef struct queued_event {
    carom_event event;
    event_name name; // of a kind that is not ours
} queued_event;

// The part that comes from snapshots and goes with a reset.
typedef struct view_content {
    bool ready;
    bool any; // a full snapshot has come: the next full one closes a gap
    char world[SNAPSHOT_WORLD_MAX];
    uint64_t epoch, tick;
    double time;
    bool has_hash;
    uint8_t hash[8];
    uint64_t last;
    uint64_t unfollowed, left_out, oldest;
    VECTOR(carom_body) bodies;
    VECTOR(void *) data;
    VECTOR(uint32_t) stamps; // the full snapshot that a body was last seen in
    VECTOR(sample_ring) rings;
    VECTOR(view_sample) samples;
    VECTOR(carom_body_info *) infos; // blocks of describe.h, NULL: not described
    VECTOR(bool) awake;
    VECTOR(carom_contact) contacts;
    VECTOR(carom_joint_info) joints;
    id_map joint_places;
    bool describing;
    bool has_area;
    double area[4];
    id_map places;
    uint32_t stamp;
    double times[CAROM_VIEW_HISTORY_MAX + 1]; // of the last snapshots, as a ring
    uint32_t time_newest, time_count;
} view_content;

struct carom_view {
    carom_view_options options;
    uint32_t depth;              // samples of a body: history + 1, or 0
    view_list *list;             // that of the client it is attached to; NULL: none
    carom_view *next, *previous; // in that list
    uint64_t subscription;       // 0: not attached
    bool adopted; // made by the list, for a subscription whose number is still to come
    bool ended;
    view_content content;
    snapshot_decoder decoder; // of what carom_view_feed was given
    queued_event *queue;      // a ring
    size_t queue_capacity, queue_first, queue_count;
    uint64_t snapshots, stale, gaps, skipped, events_lost, events_dropped;
};

// `view` becomes what `from` is, its events queued behind those that are there (as far as there is
// room and memory for them; the rest counts as dropped), and `added` is called for its bodies.
// `from` is empty afterwards; its depth is the same.
void view_take_over(carom_view *view, carom_view *from);

// Takes the view out of the list that it is in, if any (view_list.c).
void view_unlink(carom_view *view);

// ---- view.c, for the descriptions

// Adds a body, or finds it: its place, or UINT32_MAX when memory has run out. `info` (taken over on
// success) may be NULL.
uint32_t view_place_body(carom_view *view, const carom_body *row, carom_body_info *info);

// ---- view_describe.c: descriptions of bodies and joints

// False when memory has run out.
bool descriptions_apply(carom_view *view, const carom_snapshot *s);
// After rows and removals: who is awake, joints that nobody sees any more.
void descriptions_settle(carom_view *view, const carom_snapshot *s);
void descriptions_reset(carom_view *view);
void view_call_described(carom_view *view, uint32_t place);

// ---- view_history.c: the past states of the bodies

// Room for so many bodies; false when memory has run out.
bool history_reserve(carom_view *view, uint64_t bodies);

// Begins the history of a body that was appended; there is room.
void history_add(carom_view *view, uint32_t place);
void history_remove(carom_view *view, uint32_t place, uint32_t last);
// The body has a new state at `content.time`. `rested`: it had its old one until the snapshot of
// `previous_time`, or else all that is known is when it was last told.
void history_update(carom_view *view, uint32_t place, bool rested, double previous_time);
void history_note_time(carom_view *view);
double history_oldest_time(const carom_view *view);

#endif
