// The inside of a view. A view knows no client: it is an entry of a list (view_list.h), from which
// it can remove itself.
//
// Invariants
//  - bodies, data, stamps, infos, awake and rings are parallel arrays; `places` maps an id to
//  its index.
//  - `samples` has `depth` states for each index, as a ring: the newest is the body's own state.
//    Without history depth is 0 and there are none.
//  - Between two snapshots only the queue of events changes.
#ifndef CAROM_CLIENT_LIB_VIEW_INTERNAL_H
#define CAROM_CLIENT_LIB_VIEW_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <carom/view.h>

#include "client/lib/cadence.h"
#include "client/lib/id_map.h"
#include "client/lib/snapshot.h"
#include "client/lib/view_drawing.h"
#include "client/lib/view_list.h"
#include "client/lib/view_samples.h"
#include "common/base/vector.h"

typedef struct queued_event {
    carom_event event;
    double time;     // time of the world, for a view that draws [s]
    event_name name; // name of an unknown kind
    void *message;   // owned: of a message, the texts and data that `event` refers to; else NULL
} queued_event;

// The state that comes from snapshots and is dropped by a reset.
typedef struct view_content {
    bool ready;
    bool any; // a full snapshot has arrived: the next full one closes a gap
    char world[SNAPSHOT_WORLD_MAX];
    uint64_t epoch, tick;
    double time;
    cadence cadence;
    bool has_hash;
    uint8_t hash[8];
    uint64_t last;
    uint64_t unfollowed, left_out, oldest;
    VECTOR(carom_body) bodies;
    VECTOR(void *) data;
    VECTOR(uint32_t) stamps; // number of the full snapshot in which the body was last seen
    VECTOR(sample_ring) rings;
    VECTOR(view_sample) samples;
    VECTOR(carom_body_info *) infos; // blocks of describe.h, NULL: not described
    VECTOR(bool) awake;
    VECTOR(carom_contact) contacts;
    VECTOR(carom_joint_info) joints;
    id_map joint_places;
    VECTOR(carom_datum) world_data; // sorted by key; `encoded` is owned
    bool describing;
    bool has_area;
    double area[4];
    id_map places;
    uint32_t stamp;
    double times[CAROM_VIEW_HISTORY_MAX + 1]; // times of the last snapshots, as a ring
    uint32_t time_newest, time_count;
} view_content;

struct carom_view {
    carom_view_options options;
    uint32_t depth;              // samples of a body: history + 1, or 0
    view_list *list;             // list of the client to which it is attached; NULL: none
    carom_view *next, *previous; // neighbours in that list
    uint64_t subscription;       // 0: not attached
    bool adopted; // made by the list for a subscription whose number is unknown so far
    bool ended;
    view_content content;
    view_drawing *drawing;    // NULL: no interpolation
    snapshot_decoder decoder; // decoder of carom_view_feed
    queued_event *queue;      // a ring
    void *popped;             // texts and data of the event that was fetched last
    size_t queue_capacity, queue_first, queue_count;
    uint64_t snapshots, stale, gaps, skipped, events_lost, events_dropped;
};

// Moves the content of `from` into `view`, appends its events to the queue (as far as limit and
// memory allow; the rest counts as dropped), and calls `added` for its bodies. `from` is empty
// afterwards; its depth is the same.
void view_take_over(carom_view *view, carom_view *from);

// Removes the view from its list, if it is in one (view_list.c).
void view_unlink(carom_view *view);

// ---- view.c, for the descriptions and the drawing

// carom_view_apply of a snapshot that arrived at `now`.
carom_status view_apply(carom_view *view, const carom_snapshot *s, double now, carom_error *err);

// Adds a body, or finds it: returns its index, or UINT32_MAX when memory has run out. `info` (taken
// over on success) may be NULL.
uint32_t view_place_body(carom_view *view, const carom_body *row, carom_body_info *info);

// ---- view_describe.c: descriptions of bodies and joints

// False when memory has run out.
bool descriptions_apply(carom_view *view, const carom_snapshot *s);
// Must be called after rows and removals: updates which bodies are awake, and drops joints out of
// view.
void descriptions_settle(carom_view *view, const carom_snapshot *s);
void descriptions_reset(carom_view *view);
void view_call_described(carom_view *view, uint32_t place);

// ---- view_data.c: the world's data

// False when memory has run out.
bool data_apply(carom_view *view, const carom_snapshot *s);
void data_reset(carom_view *view);

// ---- view_history.c: the past states of the bodies

// Makes room for `bodies` bodies; false when memory has run out.
bool history_reserve(carom_view *view, uint64_t bodies);

// Begins the history of a body that was appended; room was made before.
void history_add(carom_view *view, uint32_t place);
void history_remove(carom_view *view, uint32_t place, uint32_t last);
// Records a new state of the body at `content.time`. `rested`: it had its old state until `since`;
// otherwise the old state is only known for the time of its last row.
void history_update(carom_view *view, uint32_t place, bool rested, double since);
void history_note_time(carom_view *view);
double history_oldest_time(const carom_view *view);
// World time of the body's newest state.
double history_newest_time(const carom_view *view, uint32_t place);

#endif
