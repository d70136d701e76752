// A server, a client that predicts, and the network between them, all in one thread on a simulated
// clock. Delays, jitter, stalls and the players' commands follow from a seed.
//
// The server ticks exactly hz times a second. A batch that comes after its tick has begun acts in
// the next one (late: "next"). In both directions messages stay in order, as over TCP.
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
    int far_bodies;     // additional boxes, out of both players' reach
    double body_ms;     // an awake body's time in a step, as passed to prediction_end()
    double delay_s;     // delay one way
    double jitter_s;    // additional delay, at most
    double rtt_more_s;  // additional error of the client's measured round trip
    double stall_share; // share of messages that come stall_s later
    double stall_s;
    double other_share; // share of ticks in which the other player sends a command
    double spawn_share; // share of both players' commands that spawn a ball
    double drop_share;  // share of own batches that the server refuses
    double clock_ppm;   // how much faster the client's clock is
    bool apart;         // the two players' bodies and boxes never meet
    bool pile;          // the boxes are one pile between the players, who push it with forces
    // Share of ticks in which the client's own player sends a command; 0: seven in ten
    double own_share;
    prediction_options predict;
} sim_options;

typedef struct message { // a message in flight
    double arrives;
    uint64_t number; // a batch's tick; for a record, the tick that it leads to
    uint8_t *bytes;
    size_t size;
    double margin;
} message;

typedef ARRAY(message) message_list;
typedef ARRAY(physics_event) sim_event_list;

typedef struct sim {
    sim_options options;
    uint64_t random;
    double now; // the server's time [s]
    physics_world *server;
    log_player player; // the replica's player
    prediction *predicted;
    body_id own, other;
    message_list up, down;
    double last_up, last_down; // last arrivals: no message overtakes another
    message_list scheduled;    // batches that wait for their tick, in order of arrival
    double margin;             // the smallest margin since the last record
    bool paused;
    // ---- figures of the run
    uint64_t sent, applied, late, refused;
    uint64_t first_calls, redo_calls, steps_most; // steps_most: most steps in one frame
    double frame_most;                            // the longest frame by body_ms [ms]
    uint64_t last_first;                          // the tick of the last first call
    sim_event_list confirmed_events;              // the server's events, as the log reports them
    uint64_t told_predicted, told_confirmed, told_taken_back, told_unforeseen;
    bool idle; // the client's own player sends nothing
} sim;

sim *sim_create(const sim_options *options);
void sim_free(sim *s);
// Advances the server and the network, without a frame of the client.
void sim_pass(sim *s, double seconds);
// Runs a frame of the client at the present time.
void sim_frame(sim *s);
// Runs 60 frames a second.
void sim_run(sim *s, double seconds);
double sim_random(sim *s); // uniform in 0 to 1

#endif
