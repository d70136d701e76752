// A server, a client that predicts, and the way between them, all in one thread on a clock that is
// not real. Delays, jitter, stalls and the players' commands follow from a seed.
//
// The server ticks exactly hz times a second. A batch that comes after its tick has begun acts in
// the next one (late: "next"). Either way messages stay in order, as over TCP.
#ifndef CAROM_TESTS_UNIT_CLIENT_SIMULATED_SERVER_H
#define CAROM_TESTS_UNIT_CLIENT_SIMULATED_SERVER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "client/prediction/prediction.h"
#include "common/base/array.h"
#include "common/physics/physics.h"

enum { OWN_SESSION = 7, OTHER_SESSION = 9 };

typedef struct sim_options {
    uint64_t seed;
    int bodies;         // loose boxes on the floor
    int far_bodies;     // more of them, out of everybody's reach
    double body_ms;     // an awake body's time in a step, as prediction_end() is told
    double delay_s;     // one way
    double jitter_s;    // more, at most
    double rtt_more_s;  // by which the round trip is measured too long
    double stall_share; // of messages that come stall_s later
    double stall_s;
    double other_share; // of ticks in which the other player does something
    double spawn_share; // of its and our commands that spawn a ball
    double drop_share;  // of own batches that the server refuses
    double clock_ppm;   // by which the client's clock is faster
    bool apart;         // own body and boxes, and the other's, do not meet
    bool pile;          // the boxes are one pile between the players, who push it with forces
    double own_share;   // of ticks in which the own player does something; 0: seven in ten
    prediction_options predict;
} sim_options;

typedef struct message { // on its way
    double arrives;
    uint64_t number; // of a batch: its tick; of a record: the tick that it leads to
    uint8_t *bytes;
    size_t size;
    double margin;
} message;

typedef ARRAY(message) message_list;
typedef ARRAY(physics_event) sim_event_list;

typedef struct sim {
    sim_options options;
    uint64_t random;
    double now; // of the server [s]
    physics_world *server;
    log_player player; // of the replica
    prediction *predicted;
    body_id own, other;
    message_list up, down;
    double last_up, last_down; // arrivals: nothing overtakes
    message_list scheduled;    // batches that wait for their tick, in order of arrival
    double margin;             // the smallest since the last record
    bool paused;
    // ---- what happened
    uint64_t sent, applied, late, refused;
    uint64_t first_calls, redo_calls, steps_most; // steps_most: in one frame
    double frame_most;                            // the longest frame by body_ms [ms]
    uint64_t last_first;                          // the tick of the last first call
    sim_event_list confirmed_events;              // of the server, as its log brings them
    uint64_t told_predicted, told_confirmed, told_taken_back, told_unforeseen;
    bool idle; // the own player does nothing
} sim;

sim *sim_create(const sim_options *options);
void sim_free(sim *s);
// Server and network go on; the client has no frame.
void sim_pass(sim *s, double seconds);
// A frame of the client, at the present time.
void sim_frame(sim *s);
// Frames at 60 a second.
void sim_run(sim *s, double seconds);
double sim_random(sim *s); // 0 to 1

#endif
