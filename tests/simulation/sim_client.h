// A client of the simulation: connects, resumes, commands, subscribes, is slow, hangs up. It tells
// the oracle of everything that it is told.
#ifndef CAROM_TESTS_SIMULATION_SIM_CLIENT_H
#define CAROM_TESTS_SIMULATION_SIM_CLIENT_H

#include "common/base/array.h"
#include "proto/log/log_player.h"
#include "proto/packed/packed.h"
#include "proto/wire/buffer.h"
#include "tests/simulation/fake_uv.h"
#include "tests/simulation/oracle.h"

enum { SIM_WORLDS = 3, SIM_NONCES_MAX = 4, SIM_BODIES = 16 };

// The kind of answer that is expected.
typedef enum sim_op {
    OP_HELLO,
    OP_COMMAND, // bears nonces
    OP_CREATE,
    OP_DESTROY,
    OP_SUBSCRIBE,
    OP_SUBSCRIBE_LOG,
    OP_UNSUBSCRIBE,
    OP_INFO,
    OP_IMAGE,
    OP_OTHER
} sim_op;

// A request that has no answer yet.
typedef struct sim_request {
    uint32_t id;
    sim_op op;
    int world;
    uint64_t nonces[SIM_NONCES_MAX];
    uint32_t nonce_count;
    bool patient;          // a batch for a later tick, which a paused world does not come to
    bool compact;          // OP_SUBSCRIBE_LOG: with the number of the server's tables
    uint64_t subscription; // OP_UNSUBSCRIBE
    buffer tail;           // method and params, to send it again
} sim_request;

typedef struct sim_body_row {
    uint64_t id, digest;
} sim_body_row;

typedef struct sim_subscription {
    uint64_t number;
    bool log;
    bool compact;    // it asked for that form
    bool unanswered; // its answer was lost: what it asked for is not known
    bool begun;      // a snapshot has come over this connection
    bool shown;      // over any
    bool gap;        // its connection was lost since the last event
    uint64_t epoch, from, last;
    uint64_t lost;           // events that it was told to have missed since the last one
    packed_decoder *decoder; // of one that is packed
    ARRAY(told_event) events;
    ARRAY(sim_body_row) picture;
    char name[16]; // of a log's world, as its image told
    physics_world *replica;
    log_player player;
} sim_subscription;

typedef struct sim_client {
    sim_link *link; // NULL: not connected
    bool resuming;  // its first hello has no answer yet
    bool finished;  // sends no more
    char secret[512];
    uint32_t next_id;
    uint32_t read_one_in;
    uint32_t pause; // of its turns: it reads nothing in them
    size_t read_bytes;
    buffer in;
    ARRAY(sim_request) requests;
    ARRAY(sim_subscription) subscriptions;
    struct {
        int world;
        uint64_t id;
    } bodies[SIM_BODIES];
    uint64_t answers;
} sim_client;

extern uint64_t sim_destroys[SIM_WORLDS]; // requests for it in this life of the server
extern bool sim_destroying;               // clients of this run send such requests

void sim_client_init(sim_client *c);
void sim_client_deinit(sim_client *c);

// Something by chance.
void sim_client_act(sim_client *c);
// Reads all that has come.
void sim_client_read(sim_client *c);
// The connection is gone; the session may be resumed.
void sim_client_lost(sim_client *c);
// The server has ended, and all sessions with it.
void sim_client_orphan(sim_client *c);

// The first request that should have its answer by now; 0 for none, or without a connection.
uint32_t sim_client_overdue(const sim_client *c);

// For the end of a run: connects and asks.
void sim_client_connect(sim_client *c, bool gentle);
void sim_client_ask_info(sim_client *c, int world);
void sim_client_spawn(sim_client *c, int world);

#endif
