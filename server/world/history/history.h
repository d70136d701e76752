// The recent past of a world: what it was at each tick of the last second, to the bit.
//
// The engine gives the same bits wherever it runs, so the past is not kept but computed again: an
// image of the state now and then, and the commands since the oldest one. A question about a tick
// gets a world at that tick: the newest image before it, stepped with the commands between. Such a
// world is kept while questions come, so that the next one, about a tick or two later, costs a tick
// or two of steps.
//
//     images     I-----------I-----------I------     each 8 ticks or more, by what one costs
//     commands   --c--c---c-----c--c-c------c---
//     lanes            a world at T, and one at T - 1 for moments between the two
//
// Images cost a hundredth of the time of the steps while nobody asks, a tenth for ten times the
// length of the history after a question. A world that does not move and gets no commands makes
// none. The history reaches back `history_ms`, or less where its images and commands would take
// more than `history_bytes`; with the worlds of the past it takes HISTORY_WORLDS_SHARE times that
// at most, and questions that need more are refused. It begins with the world in this process: not
// with an image, a restart or a fork of it, and again where a recording jumps.
//
// One thread: the world's.
#ifndef CAROM_SERVER_WORLD_HISTORY_HISTORY_H
#define CAROM_SERVER_WORLD_HISTORY_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/array.h"
#include "common/base/block.h"
#include "common/physics/physics.h"
#include "common/world/method.h"
#include "common/world/owners.h"
#include "server/base/limits.h"

enum {
    // Worlds kept at a tick of the past, one for each delay that is asked about. All but the first
    // are kept only while they fit `history_bytes`.
    HISTORY_LANES_MAX = 3,
    HISTORY_INTERVAL_MIN = 8,       // ticks between two images
    HISTORY_ASKED_INTERVAL_MIN = 4, // the same, after recent questions
    HISTORY_LANE_AHEAD_MAX = 2,     // ticks that a lane is stepped on for one question
    // Times `history_bytes` that all of  it may take: a body has about 150 bytes in an image, and a
    // kilobyte in a world.
    HISTORY_WORLDS_SHARE = 8,
    HISTORY_IMAGE_BODY_NS = 400 // time of an image, for each body
};

// The state of one tick.
typedef struct history_image {
    uint64_t tick;
    uint64_t row;     // number of the first command after it
    uint8_t *bytes;   // one block: the owners' table, the last step's reports, the physics
    uint32_t owners;  // bytes of the owners' table
    uint32_t reports; // bytes of those
    uint32_t size;
} history_image;

typedef struct history_row {
    uint64_t tick; // the tick whose state first shows it
    method method;
    bool paused;     // applied to the state of `tick` itself, not to the one before
    uint32_t offset; // where its arguments begin in `arguments`
    uint32_t size;
} history_row;

// A world at a tick of the past.
typedef struct history_lane {
    physics_world *world; // NULL: free
    owners *owners;
    uint64_t row;         // number of the first command that it does not have yet
    physics_world *below; // its state one tick earlier, if `has_below`; NULL: not made yet
    bool has_below;
    uint64_t used; // the question that it last answered
} history_lane;

typedef struct history {
    uint64_t bytes_max; // most bytes of images and commands
    uint64_t span;      // ticks
    block_account account;
    ARRAY(history_image) images; // oldest first; none: there is no history
    ARRAY(history_row) rows;     // since the oldest image
    ARRAY(uint8_t) arguments;    // arguments of the commands
    uint64_t first_row;          // number of rows.data[0]
    uint64_t image_bytes;
    uint64_t retry_tick; // time of the next attempt to make an image, if there is none
    uint32_t refused;    // slots of bodies of the last image that did not fit; 0: none
    bool changed;        // the state differs from that of the newest image
    bool was_awake;      // bodies were awake after the last step
    // Costs, for the distance of images
    int64_t image_ns; // duration of the last one
    double step_ns;   // a moving mean
    // Questions
    history_lane lanes[HISTORY_LANES_MAX];
    uint64_t asked;       // questions so far
    uint64_t asked_tick;  // the world's tick at the last question; 0: none yet
    physics_world *blend; // the last moment between two ticks; NULL: not made yet
    double blend_at;      // the moment of the blended state; < 0: none
} history;

// `parent` counts its memory too; NULL: no parent.
void history_init(history *h, const limits *bounds, double hz, block_account *parent);
void history_deinit(history *h);

// Called when the world is replaced by another one: drops all history.
void history_forget(history *h);

// Must be called before the first command or step, and after history_forget().
void history_begin(history *h, const physics_world *world, const owners *owned);

// Records a command that was applied. `paused`: to the state of `tick` itself. `arguments` are
// canonical; NULL: they are not known, and the history begins again with the next step.
void history_note_command(history *h, uint64_t tick, bool paused, method m,
                          const uint8_t *arguments, uint32_t size);

// Records a step. A step takes about `step_ns`. `now` is the clock that times images.
void history_note_step(history *h, const physics_world *world, const owners *owned, int64_t step_ns,
                       int64_t (*now)(void));

// An estimate of the time that history_note_step will take after the next step [ns].
int64_t history_note_ns(const history *h, const physics_world *world);

// The first tick that can be recalled when the world is at `tick`.
uint64_t history_first(const history *h, uint64_t tick);

// Bytes of images and commands, which `history_bytes` bounds.
uint64_t history_bytes(const history *h);

// An estimate of the longest time that recalling `at` takes [ns].
int64_t history_recall_ns(const history *h, const physics_world *present, double at);

// The world as it was `at`, from history_first() to before the present tick. Between two ticks it
// is for queries only, and `owned` is NULL. Valid until the next call with this history. Errors:
// STATUS_LIMIT_EXCEEDED: a world of the past exceeds the history's bytes, or memory.
status history_recall(history *h, const physics_world *present, double at, physics_world **world,
                      owners **owned, error *err);

#endif
