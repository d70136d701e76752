// A client that predicts: over a distance from the server, with frames of its own. It follows the
// log of the one world of the run, gives its prediction commands for ticks to come and sends them,
// loses its connection and resumes. Its account (foresight.h) judges the prediction.
#ifndef CAROM_TESTS_SIMULATION_PREDICTOR_H
#define CAROM_TESTS_SIMULATION_PREDICTOR_H

#include "client/prediction/prediction.h"
#include "common/base/array.h"
#include "proto/log/log_player.h"
#include "proto/wire/buffer.h"
#include "tests/simulation/distance.h"
#include "tests/simulation/foresight.h"

#define PREDICTOR_WORLD "a" // the one world of a run

typedef enum predictor_op {
    ASKED_HELLO,
    ASKED_CREATE,
    ASKED_SUBSCRIBE,
    ASKED_BODY,  // the client's own body
    ASKED_BATCH, // commands for a tick
    ASKED_PING,
    ASKED_OTHER
} predictor_op;

typedef struct predictor_request {
    uint32_t id;
    predictor_op op;
    uint64_t at, nonce;
    int64_t sent_ns;
} predictor_request;

// Properties of the client and its connection, chosen at random for each run.
typedef struct predictor_options {
    prediction_options predict;
    distance_options road;
    const char *late;       // `late` of its batches: "next", "drop" or "refuse"
    const char *durability; // the world's durability
    double hz;              // the world's rate
    double skew_s, rate;    // skew and rate of the client's clock
    uint64_t cut_one_in;    // one of this many turns loses the connection; 0: never
    uint64_t slow_one_in;   // one of this many frames takes up to slow_ns; 0: none
    int64_t slow_ns;
    uint64_t untimed_one_in; // one of this many frames sends a command without a tick; 0: none
    bool compact;            // the client's log is in the compact form
    bool hosts;              // the client makes the world and a floor
} predictor_options;

typedef struct predictor {
    predictor_options options;
    distance way;
    buffer in;
    ARRAY(predictor_request) requests;
    uint32_t next_id;
    char secret[512]; // "": there is no session to resume
    uint64_t session, subscription, epoch;
    body_id own;               // 0: none yet
    bool follows;              // the client has an image over this connection
    bool idle;                 // the client sends no commands
    bool asks_body, has_floor; // the client has asked for them
    int64_t next_frame_ns, next_ping_ns, connect_ns, last_frame_ns;
    uint64_t last_confirmed; // tick at the last frame
    uint64_t frames;         // frames since it began to follow this world
    log_player player;
    prediction *prediction;
    foresight account;
} predictor;

void predictor_init(predictor *p, const predictor_options *options);
void predictor_deinit(predictor *p);
// Handles the time that has passed.
void predictor_turn(predictor *p);
void predictor_lose(predictor *p);
// Commands the world without a tick: world.pause, world.resume. Does nothing without a connection.
void predictor_command(predictor *p, const char *name);
// Whether it follows the world, and everything that it sent is decided.
bool predictor_is_settled(const predictor *p);
// Whether an event that it predicted is not decided though its tick is over.
bool predictor_has_overdue(const predictor *p);
// Fails the run unless the prediction's account and the client's agree at the end.
void predictor_check_end(const predictor *p);

#endif
