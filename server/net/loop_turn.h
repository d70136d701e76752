// The turns of an event loop: how much one round may do before it polls the sockets again.
//
// A turn begins with the first event that the loop has, and ends before the loop waits. It has
// stages, one after another: sockets are read (handshakes among them), the received requests are
// handled, worlds' replies are taken, and output is written. Each stage ends at a fixed time from
// the turn's beginning, so that a flood of one kind leaves time for the others; unfinished work
// continues in the next turn. Old work ends first: while a stage is behind, the stages before
// it have less of the turn, as more input would only wait longer, in more memory. Past a stage's
// end each subject (the token's subject or address for which a connection counts) is still served
// once, until the turn reaches its greatest length, so that no subject waits behind the floods of
// others.
//
// One struct for each loop; its thread only.
#ifndef CAROM_SERVER_NET_LOOP_TURN_H
#define CAROM_SERVER_NET_LOOP_TURN_H

#include <stdbool.h>
#include <stdint.h>

#include "server/schedule/turn.h"

typedef enum loop_stage {
    LOOP_HANDSHAKE, // a part of reading that costs a signature each time (handshakes.c)
    LOOP_READ,
    LOOP_WORK,
    LOOP_ANSWER, // worlds' replies become output
    LOOP_WRITE,
    LOOP_STAGE_COUNT
} loop_stage;

// Subjects are hashed to this many slots; two with the same slot share the piece that is granted
// past a stage's end.
enum { LOOP_SUBJECTS = 1024 };

typedef struct loop_turn {
    turn_clock *clock;
    bool begun;
    int64_t begin_ns;
    uint64_t number;      // number of the turn, from 1
    uint32_t behind;      // stages that the last turn did not finish: bits
    uint32_t behind_next; // stages that this turn did not finish: bits
    // by slot: the turn in which a subject of the slot was last granted
    uint64_t served[LOOP_STAGE_COUNT][LOOP_SUBJECTS];
} loop_turn;

void loop_turn_init(loop_turn *t, turn_clock *clock);

// Begins the turn, at an event.
void loop_turn_begin(loop_turn *t);

// Returns the stage's rest of the turn; begins the turn if that has not begun.
turn loop_turn_stage(loop_turn *t, loop_stage stage);

// As loop_turn_stage, but for at least `least_ns`: when other programs get the processor, a turn
// may be over before its later stages begin, and one piece per turn would be too little for them.
turn loop_turn_stage_least(loop_turn *t, loop_stage stage, int64_t least_ns);

// Whether the subject may have one more piece of the stage in this turn.
bool loop_turn_grants(loop_turn *t, loop_stage stage, uint64_t subject);

// Whether the subject has had its piece of the stage in this turn.
bool loop_turn_served(const loop_turn *t, loop_stage stage, uint64_t subject);

// Records that the stage has left work for the next turn.
void loop_turn_behind(loop_turn *t, loop_stage stage);

// Ends the turn, as the loop is about to wait. Returns the length of the turn [ns]; -1 if nothing
// happened in it.
int64_t loop_turn_end(loop_turn *t);

#endif
