// A view's bodies where a game draws them, between or ahead of the snapshots that have arrived.
//
//     carom_view_options options = carom_view_options_default();
//     options.interpolation = CAROM_INTERPOLATION_DELAYED;
//     ... in every frame, after carom_poll:
//     carom_view_advance(view, carom_now());
//     count = carom_view_drawn(view, drawn, max);
//
// CAROM_INTERPOLATION_DELAYED draws each body between two snapshots, a little behind the newest:
// by the interval between snapshots and by what 95 % of them were late in the last two seconds.
// The time that is drawn runs 0.9 to 1.1 times as fast until that is right; more than 0.4 s off, it
// jumps. A removed body is drawn until its end is shown, and a new one from its beginning on.
//
// CAROM_INTERPOLATION_PREDICTIVE draws each body in the present, extrapolated by its last velocity:
// no delay, but a body that meets something is drawn inside of it for a moment. The drawn place
// follows the target with the velocity
//
//     target's velocity + offset / max(0.1 s + length of the frame, round trip)
//
// for at most 0.75 s after the newest state. A body that does not get rid of half of its offset in
// that time is snapped to the target softly; one that is farther away than max(2.5 m, 0.6 s x
// speed) jumps. (Unreal Engine's Chaos has such a mode; the constants are of the same size.)
//
// Clients with the engine do better: carom/prediction.h. The npm package's views draw by the same
// rules, to the same numbers. All times are in seconds. One thread at a time, the view's.
#ifndef CAROM_INTERPOLATION_H
#define CAROM_INTERPOLATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <carom/clock.h>
#include <carom/export.h>
#include <carom/view.h>

CAROM_BEGIN_DECLS

#define CAROM_DEPARTED_MAX 16384u // removed bodies that are still drawn; more vanish at once

// As carom_view_apply, for a snapshot that arrived at the local time `now`. Other snapshots arrive
// when they are applied, by carom_now(). Errors besides those of carom_view_apply:
// CAROM_INVALID_ARGUMENT if `now` is not finite.
CAROM_API carom_status carom_view_apply_at(carom_view *view, const carom_snapshot *snapshot,
                                           double now, carom_error *error);

// The round trip to the server (carom_clock_get_state), for predictive interpolation; 0 at first.
// Ignores negative and infinite values, and NaN.
CAROM_API void carom_view_set_rtt(carom_view *view, double seconds);

// Advances to the local time `now`, that of carom_now(); call before each frame. Returns the world
// time that is drawn; NAN before the first snapshot, and for a view without interpolation. From
// then on carom_view_next_event reports the events up to that time, each once.
CAROM_API double carom_view_advance(carom_view *view, double now);

typedef struct carom_drawn {
    uint64_t id;
    double x, y, angle;          // where to draw it [m, rad]
    double vx, vy, w;            // [m/s, rad/s]
    const carom_body_info *info; // NULL: not described
    void *data;                  // as carom_view_data; NULL for a body that is gone
    bool gone;                   // it was removed, which is not shown yet
} carom_drawn;

// The bodies to draw at the time of the last carom_view_advance, at most `max`, in no order;
// returns how many there are. Pointers are valid until the next snapshot or carom_view_advance.
CAROM_API size_t carom_view_drawn(const carom_view *view, carom_drawn *out, size_t max);

// The same of body `index` (carom_view_body): its state, where it is drawn. False past the end, and
// while its beginning is not shown.
CAROM_API bool carom_view_pose(const carom_view *view, size_t index, carom_body *out);

typedef struct carom_view_playback {
    double shown; // world time of the last carom_view_advance [s]; NAN before the first
    double delay; // how far behind the newest snapshot a world is drawn, delayed [s]
    size_t gone;  // removed bodies that are still drawn
} carom_view_playback;

CAROM_API carom_view_playback carom_view_get_playback(const carom_view *view);

CAROM_END_DECLS

#endif
