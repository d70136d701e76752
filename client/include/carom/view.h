// A world as a subscription shows it: a view applies snapshots, and a game just reads bodies.
//
// A view takes a snapshot by these rules:
//  - until the first full one, and after another epoch without a full one, it waits: it is not
//  ready and has no bodies;
//  - a full one replaces all: bodies that it does not name are gone;
//  - a row of an unknown id is a new body; of a known id, its new state;
//  - then the bodies that `removed` and `leave` name are removed from the view; ids that are not
//  known are ignored;
//  - one of an earlier tick than the view's (same epoch, not full) is old and ignored;
//  - descriptions (of subscriptions with `describe`) stay until newer ones come; joints are gone
//  when `joints_removed` names them, with a full snapshot, and when neither of their bodies is in
//  view;
//  - events are queued in order, whichever rule applies, up to events_max; beyond it the oldest is
//  dropped and counted.
//
// A view is used by one thread at a time and knows no socket; carom/interpolation.h draws it
// smoothly. Bodies lie densely in an
// array; indexes hold until the next snapshot is applied, which for an attached view is the next
// carom_poll or carom_call. carom/watch.h attaches views to subscriptions.
#ifndef CAROM_VIEW_H
#define CAROM_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <carom/export.h>
#include <carom/snapshot.h>
#include <carom/status.h>
#include <carom/value.h>

CAROM_BEGIN_DECLS

typedef struct carom_view carom_view;

typedef enum carom_gone {
    CAROM_GONE_REMOVED, // it no longer exists
    CAROM_GONE_LEFT,    // it left the subscription's area
    CAROM_GONE_UNSEEN   // a full snapshot does not contain it, or the view was reset: it may have
                        // been removed or left
} carom_gone;

// How carom/interpolation.h draws the bodies.
typedef enum carom_interpolation {
    CAROM_INTERPOLATION_NONE,      // no interpolation
    CAROM_INTERPOLATION_DELAYED,   // between two snapshots of the past
    CAROM_INTERPOLATION_PREDICTIVE // ahead of the newest snapshot, by its velocities
} carom_interpolation;

typedef struct carom_view_options {
    bool exact;       // see carom/export.h
    unsigned history; // past states kept of each body for carom_view_at_time, 0 (default) to
                      // CAROM_VIEW_HISTORY_MAX
    size_t
        events_max; // queued events, default CAROM_VIEW_EVENTS_MAX; 0 (exact): no events are kept
    void *user;     // passed to the functions below
    // A body is new to this view. The pointer that the function returns is stored with the body
    // (carom_view_data). NULL (default): no function.
    void *(*added)(carom_view *view, const carom_body *body, void *user);
    // The description of a body has arrived, or a new one (subscriptions with `describe`), after
    // `added`. It is valid until the next one of this body, or until the body is gone.
    void (*described)(carom_view *view, const carom_body *body, const carom_body_info *info,
                      void *data, void *user);
    // A body is gone; `data` is the pointer that `added` returned or carom_view_set_data set.
    // Called for each that is left when the view is freed too.
    void (*gone)(carom_view *view, const carom_body *body, carom_gone why, void *data, void *user);
    carom_interpolation interpolation; // default CAROM_INTERPOLATION_NONE. "delayed" keeps a
                                       // history of at least CAROM_VIEW_DELAYED_HISTORY states
    double extra_delay_s; // additional delay of drawing, for connections with losses; 0 (default)
                          // to 1
} carom_view_options;

#define CAROM_VIEW_HISTORY_MAX     64u
#define CAROM_VIEW_DELAYED_HISTORY 15u // a quarter of a second at 60 Hz
#define CAROM_VIEW_EVENTS_MAX      4096u

CAROM_API carom_view_options carom_view_options_default(void);

// `options` NULL: the defaults. NULL if an option is out of range, or memory has run out.
CAROM_API carom_view *carom_view_create(const carom_view_options *options);

// Detaches and frees; NULL is allowed. Not from within `added` or `gone`.
CAROM_API void carom_view_free(carom_view *view);

// ---- feeding

// Applies a snapshot by the rules above. CAROM_INVALID_ARGUMENT for one of encoding "log",
// which contains no bodies; the view is as before then. CAROM_OUT_OF_MEMORY: the
// view may have forgotten its bodies, and waits for a full snapshot then.
CAROM_API carom_status carom_view_apply(carom_view *view, const carom_snapshot *snapshot,
                                        carom_error *error);

// Applies the bytes of a snapshot (carom_snapshot.encoded, carom_replica_snapshot), which need not
// be trusted. *out (may be NULL) is the snapshot as it was read, valid until the next one is fed,
// and as long as the bytes. Errors besides those of carom_view_apply: CAROM_INTERNAL for bytes that
// are no snapshot.
CAROM_API carom_status carom_view_feed(carom_view *view, const void *encoded, size_t size,
                                       carom_snapshot *out, carom_error *error);

// Drops everything but the queued events, and waits for a full snapshot.
CAROM_API void carom_view_reset(carom_view *view);

// ---- reading

typedef struct carom_view_state {
    bool ready;        // a full snapshot has arrived, and there was no gap since
    bool ended;        // its subscription or connection has ended: no more snapshots will come
    const char *world; // "" before the first snapshot; valid until the next is applied
    uint64_t epoch, tick;
    double time;        // time of the newest snapshot [s of the world]
    double time_oldest; // the earliest time for carom_view_at_time; `time` without history
    bool has_hash;
    uint8_t hash[8];
    uint64_t last;       // the session's last request that the state contains
    uint64_t unfollowed; // the body that the view moved with, and that no longer exists; 0: none.
                         // Stays until the next full snapshot at least
    uint64_t left_out, oldest; // as in carom_snapshot
    uint64_t snapshots;        // number of snapshots applied
    uint64_t stale;            // snapshots ignored because they were old, or not full while the
                               // view waited
    uint64_t gaps;             // full snapshots after the first, and changes of epoch
    uint64_t skipped;          // snapshots that the server left out, in all
    uint64_t events_lost;      // events that the server could not keep for this reader, in all
    uint64_t events_dropped;   // events dropped because the queue was full
    size_t bodies, events;     // bodies seen now, events queued now
    size_t joints;             // described now
    bool describing;           // more descriptions will follow
    bool has_area;             // the world's scene names the area worth looking at
    double area[4];            // x0, y0, x1, y1 [m]
} carom_view_state;

CAROM_API carom_view_state carom_view_get_state(const carom_view *view);

CAROM_API size_t carom_view_count(const carom_view *view);
// Body `index`, NULL past the end. Valid until the next snapshot is applied.
CAROM_API const carom_body *carom_view_body(const carom_view *view, size_t index);
CAROM_API const carom_body *carom_view_find(const carom_view *view, uint64_t id); // NULL: not in
                                                                                  // view
CAROM_API bool carom_view_index(const carom_view *view, uint64_t id, size_t *index);

// The description of body `index`: type, tag, owner, shapes. NULL: not (yet) described, or past the
// end. Valid until the next snapshot is applied.
CAROM_API const carom_body_info *carom_view_info(const carom_view *view, size_t index);

// Whether body `index` is awake. Exact for subscriptions whose events include "sleep" and "wake";
// else it is so when the description says so, or when the body has moved since.
CAROM_API bool carom_view_awake(const carom_view *view, size_t index);

// Joint `index` of those described, in no order, NULL past the end; by id, NULL: not described.
CAROM_API size_t carom_view_joint_count(const carom_view *view);
CAROM_API const carom_joint_info *carom_view_joint(const carom_view *view, size_t index);
CAROM_API const carom_joint_info *carom_view_find_joint(const carom_view *view, uint64_t id);

// The pointer that `added` returned for a body.
CAROM_API void *carom_view_data(const carom_view *view, uint64_t id); // NULL: not in view, or none
CAROM_API bool carom_view_set_data(carom_view *view, uint64_t id, void *data); // false: not in view

// Body `index` as it was at `time` [s of the world]: between two snapshots positions and velocities
// are interpolated linearly, the angle along the shorter turn. A time outside the kept history is
// moved to its nearest end. False past the end. Needs options.history >= 1.
CAROM_API bool carom_view_at_time(const carom_view *view, size_t index, double time,
                                  carom_body *out);

// Contacts of the newest snapshot, if the subscription asked for them.
CAROM_API const carom_contact *carom_view_contacts(const carom_view *view, size_t *count);

// The world's data, if the subscription asked for them: key `index` in ascending order, NULL past
// the end; by key, NULL: it is not there. Valid until the next snapshot is applied.
CAROM_API size_t carom_view_datum_count(const carom_view *view);
CAROM_API const carom_datum *carom_view_datum(const carom_view *view, size_t index);
CAROM_API const carom_datum *carom_view_find_datum(const carom_view *view, const char *key);
// The value, which the caller frees; NULL if it was removed, if no carom_value can represent it (an
// extension type, a map whose keys are no strings), or if memory has run out.
CAROM_API carom_value *carom_datum_value(const carom_datum *datum);

// Takes the oldest event out of the queue; false if there is none, or if a view with interpolation
// does not show its time yet. event->name is always valid for known kinds, and for
// CAROM_EVENT_OTHER until the next snapshot is applied.
CAROM_API bool carom_view_next_event(carom_view *view, carom_event *event);

CAROM_END_DECLS

#endif
