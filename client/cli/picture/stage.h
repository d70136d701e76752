// The world behind a picture, beyond the snapshots' rows: shapes, types, tags, joints, who sleeps,
// the world's pace, the area that its scene wants to be seen in.
//
// The subscription asks for descriptions (PROTOCOL.md, Descriptions), so shapes and joints come
// with the snapshots and nothing has to be asked twice; only the world's pace is asked for now and
// then. Nothing here waits: answers arrive in carom_poll.
//
// Invariant: each body of the view has an actor, as the view's data of that body; an actor lives as
// long as its body is in the view. Main thread only.
#ifndef CAROM_CLIENT_CLI_PICTURE_STAGE_H
#define CAROM_CLIENT_CLI_PICTURE_STAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <carom/carom.h>

#include "client/cli/picture/picture.h"

typedef enum actor_type { ACTOR_STATIC, ACTOR_KINEMATIC, ACTOR_DYNAMIC } actor_type;

enum { ACTOR_TAG_BYTES = 48 };

typedef struct actor {
    bool known; // it has been described
    bool awake, enabled;
    actor_type type;
    double mass; // [kg]
    char tag[ACTOR_TAG_BYTES];
    outline *outlines;
    size_t count;
    double reach; // of all outlines from the body's origin [m]
} actor;

typedef struct stage_joint {
    uint64_t id;
    uint64_t a, b;            // a is 0 for a mouse
    point anchor_a, anchor_b; // in the bodies' frames
    point target;             // of a mouse, in the world
    bool pulley;              // has the two below
    point ground_a, ground_b; // in the world
} stage_joint;

typedef struct stage_info {
    bool known;
    bool paused;
    double hz, step_ms;
    uint64_t bodies, awake, contacts, joints;
} stage_info;

enum { STAGE_EVENT_TEXT = 96 };

#define STAGE_INFO_EVERY_S 1.0
#define STAGE_NOTICE_S     3.0
#define STAGE_INFO_SOON_S  0.2

typedef struct stage {
    carom_client *client;
    const char *world;
    int timeout_ms;
    carom_view *view;
    stage_joint *joints;
    size_t joint_count, joint_room;
    stage_info info;
    bool has_area;
    double area[4];                    // x0, y0, x1, y1 of the scene's `view` [m], if has_area
    bool has_home;                     // the next two are valid
    box home;                          // the first part of the world that was worth seeing
    uint64_t home_epoch;               // of the world
    char last_event[STAGE_EVENT_TEXT]; // the newest event worth a line, "" for none
    double notice_until;               // until then last_event is a notice, and events leave it [s]
    bool described;                    // everything in the view has been described
    bool info_asked;
    bool info_outdated; // the answer under way is from before stage_set_paused()
    double info_due;    // when to ask next [s]; 0: at once
    uint64_t changes;   // counts what changes the picture besides snapshots
} stage;

// Makes the view, with its data. `client` NULL: whoever feeds the view sets `info`, too. False when
// memory has run out. The address must stay the same
// until stage_deinit.
bool stage_init(stage *s, carom_client *client, const char *world, int timeout_ms);
void stage_deinit(stage *s); // before the client is freed

// The world was told to pause, or to go on: shown at once, and asked soon after whether it was
// allowed.
void stage_set_paused(stage *s, bool paused, double now);

// Shows a line of text in place of the newest event for a while.
void stage_notice(stage *s, const char *text, double now);

// Takes the descriptions of a snapshot, once the view has applied it.
void stage_describe(stage *s, const carom_snapshot *snapshot);

// To be called after each carom_poll: sees to the events and asks for the world's pace. `now` on
// the monotonic clock.
void stage_tend(stage *s, double now);

// Whether there is a first picture: the view is ready and all in it has been described.
bool stage_complete(const stage *s);

// The body's actor, NULL when it is not in the view.
const actor *stage_actor(const stage *s, uint64_t body);

// The part of the world worth seeing (frame.h). The first one of the world is remembered, and
// bodies that leave it are not followed. Empty without bodies.
box stage_extent(stage *s);

// The outline of a shape as the protocol has it; false for a value that is no shape, or without
// memory.
bool outline_from_value(outline *o, const carom_value *shape);

#endif
