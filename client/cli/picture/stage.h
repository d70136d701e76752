// What a picture of a world needs to know beyond the snapshots: shapes, types, joints, who sleeps,
// the world's pace.
//
// Snapshots say where bodies are. What they look like is asked once: of all of them with
// world.state when that is worth it, of each new one with body.get. Small worlds are asked again
// now and then, since changed shapes make no event; so are joints, and at once when world.info
// tells of another number of them. All of it happens without waiting: answers arrive in carom_poll.
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

typedef struct actor {
    bool known; // its shapes have been told
    bool awake;
    actor_type type;
    outline *outlines;
    size_t count;
    double reach; // of all outlines from the body's origin [m]
} actor;

typedef struct stage_joint {
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

enum {
    STAGE_ASKED_MAX = 64,       // body.get under way at once
    STAGE_STATE_BODIES = 20000, // up to which all bodies are asked for at once
    STAGE_AGAIN_BODIES = 2000,  // up to which they are asked for again
    STAGE_JOINTS = 20000,       // up to which joints are asked for when their number changes
    STAGE_AGAIN_JOINTS = 2000,  // and up to which now and then
    STAGE_EVENT_TEXT = 96
};

#define STAGE_INFO_EVERY_S  1.0
#define STAGE_INFO_SOON_S   0.2
#define STAGE_STATE_EVERY_S 3.0

typedef struct stage {
    carom_client *client;
    const char *world;
    int timeout_ms;
    carom_view *view;
    stage_joint *joints;
    size_t joint_count;
    stage_info info;
    char last_event[STAGE_EVENT_TEXT]; // the newest event worth a line, "" for none
    uint64_t *wanted;                  // bodies to ask for
    size_t wanted_count, wanted_room;
    unsigned asked;   // body.get under way
    bool state_asked; // world.state under way
    bool begun;       // it has been answered once, or was not worth asking
    bool info_asked;
    bool info_outdated;         // the answer under way is from before stage_set_paused()
    bool joints_asked;          // joint.list under way
    bool joints_known;          // they have been told once, or are too many
    bool joints_stale;          // something has happened to them
    double state_due, info_due; // when to ask next [s]; 0: at once
    double joints_last;         // when they were asked for [s]; 0: never
    uint64_t changes;           // counts what changes the picture besides snapshots
} stage;

// Makes the view, with its data. False when memory has run out. The address must stay the same
// until stage_deinit.
bool stage_init(stage *s, carom_client *client, const char *world, int timeout_ms);
void stage_deinit(stage *s); // before the client is freed

// The world was told to pause, or to go on: shown at once, and asked soon after whether it was
// allowed.
void stage_set_paused(stage *s, bool paused, double now);

// To be called after each carom_poll: sees to the events and asks for what is missing. `now` on the
// monotonic clock.
void stage_tend(stage *s, double now);

// Whether there is a first picture: the view is ready and every body's shapes are known.
bool stage_complete(const stage *s);

// The body's actor, NULL when it is not in the view.
const actor *stage_actor(const stage *s, uint64_t body);

// What is worth seeing: everything that moves and what is around it, without what has run away.
// Empty without bodies.
box stage_extent(const stage *s);

// The outline of a shape as the protocol has it; false for what is no shape, or without memory.
bool outline_from_value(outline *o, const carom_value *shape);

#endif
