// Where a predicted world's bodies are drawn: between the last two predicted ticks, plus an error
// that fades. A correction moves a body within one tick; the body is drawn at its new place plus
// the rest of the difference, which halves every smoothing_s (0.06 s, as in Unreal). A large
// correction is shown at once.
//
// Bodies that are not predicted are drawn between the confirmed ticks instead.
#ifndef CAROM_CLIENT_PREDICTION_SHOWN_POSES_H
#define CAROM_CLIENT_PREDICTION_SHOWN_POSES_H

#include "client/prediction/prediction.h"
#include "common/base/array.h"

#define SHOWN_JUMP_M 2.5 // larger errors are shown at once [m],
#define SHOWN_JUMP_S 0.6 // unless the body is fast: then errors larger than its path in this time

enum { SHOWN_PAST_TICKS = 64 }; // confirmed ticks of which poses are kept

typedef struct shown_pose {
    double x, y, angle;
} shown_pose;

// A body, at the index of its slot.
typedef struct shown_body {
    body_id id;
    shown_pose before, now; // poses at the last two predicted ticks
    shown_pose error;       // the drawn pose minus the predicted one
    shown_pose kept;        // during a rollback: the pose that was drawn,
    shown_pose was;         // the pose that was predicted
    double vx, vy, w;
    bool awake, keeps;
    bool approximate; // it rests in the predicted world because time is short;
    shown_pose base;  // its pose and velocity when that began
    double base_vx, base_vy, base_w;
} shown_body;

typedef struct shown_past {
    body_id id;
    shown_pose at[SHOWN_PAST_TICKS];
    uint64_t tick[SHOWN_PAST_TICKS]; // 0: none
} shown_past;

typedef struct shown_poses {
    ARRAY(shown_body) bodies;
    ARRAY(body_placing) rows;
    ARRAY(shown_past) past;
} shown_poses;

// The largest corrections of a rollback [m].
typedef struct shown_correction {
    double own, others;
} shown_correction;

void shown_poses_deinit(shown_poses *s);
void shown_poses_clear(shown_poses *s);
// Reads the poses of the world's new tick; `since`: time since the copy with which the world began
// [s].
void shown_poses_take(shown_poses *s, const physics_world *world, double since);
// Extrapolates bodies that sleep in `world` only because islands were put to rest, from `rows`, the
// poses before that. NULL: no body.
void shown_poses_carry(shown_poses *s, const body_placing *rows, uint32_t count,
                       const physics_world *world);
// Keeps the drawn poses before a rollback, and when the same tick is predicted again. `part`: the
// drawn position between the tick before and the last one, 0 to 1.
void shown_poses_keep(shown_poses *s, double part);
// Turns the change since shown_poses_keep() into errors. `ahead`: how far the drawn moment lies
// after the world's tick, when time was short [s].
shown_correction shown_poses_correct(shown_poses *s, double part, double ahead, const body_id *own,
                                     uint32_t own_count);
// Lets errors fade with time.
void shown_poses_fade(shown_poses *s, double seconds, double half_life);
// Sets whether a body is drawn where it was confirmed.
status shown_poses_set_past(shown_poses *s, body_id body, bool past, error *err);
void shown_poses_note_past(shown_poses *s, const physics_world *confirmed);
// Writes the poses to draw. `seen` is the confirmed tick for bodies that are not predicted; `ahead`
// as in shown_poses_correct().
uint32_t shown_poses_read(const shown_poses *s, double part, double seen, double ahead,
                          prediction_pose *out, uint32_t max);

#endif
