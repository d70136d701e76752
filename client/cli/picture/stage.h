// The data of a picture beyond the snapshots' rows: shapes, types, tags, joints, sleeping bodies,
// the world's pace, and its scene's view.
//
// The subscription asks for descriptions (PROTOCOL.md, Descriptions), so shapes and joints come
// with the snapshots and need no calls; only the world's pace and, while the snapshots have no
// contacts, those of the picked body are requested now and then. Nothing here waits: answers arrive
// in carom_poll.
//
// Invariant: each body of the view has an actor, which is the view's data for that body; an actor
// lives as long as its body is in the view. Main thread only.
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
    double reach; // greatest distance of the outlines from the body's origin [m]
} actor;

typedef struct stage_joint {
    uint64_t id;
    uint64_t a, b;            // a is 0 for a mouse
    point anchor_a, anchor_b; // anchors in the bodies' frames
    point target;             // target of a mouse joint, in the world
    bool pulley;              // a pulley, with the two grounds below
    point ground_a, ground_b; // where a pulley's ropes turn, in the world
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
    box home;                          // the first extent of the world
    uint64_t home_epoch;               // the world's epoch
    char last_event[STAGE_EVENT_TEXT]; // the newest event worth a line, "" for none
    // until this time [s], events do not replace the notice in last_event
    double notice_until;
    bool described; // everything in the view has been described
    bool info_asked;
    bool info_outdated; // the awaited answer is from before stage_set_paused()
    double info_due;    // time of the next request [s]; 0: at once
    bool contacts;      // the snapshots have the contacts of all bodies
    uint64_t picked;    // the body whose contacts are counted; 0: none. Set by the screen.
    uint64_t asked_of;  // the body whose contacts are requested; 0: none
    uint64_t counted;   // the body whose contacts `touches` counts; 0: none
    size_t touches;     // the contacts of `counted`
    double touches_due; // time of the next request [s]
    uint64_t changes;   // counts changes of the picture other than snapshots
} stage;

// Makes the view, with its data. `client` NULL: the code that feeds the view sets `info`, too.
// False when memory has run out. The stage must not move until stage_deinit.
bool stage_init(stage *s, carom_client *client, const char *world, int timeout_ms);
void stage_deinit(stage *s); // must be called before the client is freed

// Call when the world was asked to pause or to resume: shows that at once, and checks soon
// afterwards whether the server allowed it.
void stage_set_paused(stage *s, bool paused, double now);

// Shows a line of text in place of the newest event for a while.
void stage_notice(stage *s, const char *text, double now);

// Copies the descriptions of a snapshot; to be called after the view has applied it.
void stage_describe(stage *s, const carom_snapshot *snapshot);

// Must be called after each carom_poll: handles events and requests the world's pace. `now`: on the
// monotonic clock.
void stage_tend(stage *s, double now);

// Whether there is a first picture: the view is ready and all in it has been described.
bool stage_complete(const stage *s);

// Reports how many contacts a body has: from the view if the snapshots have contacts, else the
// server's last answer. False: not known yet.
bool stage_touches(const stage *s, uint64_t body, size_t *count);

// The body's actor, NULL when it is not in the view.
const actor *stage_actor(const stage *s, uint64_t body);

// The part of the world worth showing (frame.h). The world's first extent is remembered, and bodies
// that leave it are not followed. Empty without bodies.
box stage_extent(stage *s);

// Makes the outline of a shape in the protocol's form; false for a value that is no shape, or
// without memory.
bool outline_from_value(outline *o, const carom_value *shape);

#endif
