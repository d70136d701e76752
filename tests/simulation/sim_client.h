// A client of the simulation: connects, resumes, commands, subscribes, is slow, hangs up. It
// reports everything that it receives to the oracle.
#ifndef CAROM_TESTS_SIMULATION_SIM_CLIENT_H
#define CAROM_TESTS_SIMULATION_SIM_CLIENT_H

#include "common/base/array.h"
#include "proto/log/log_player.h"
#include "proto/packed/packed.h"
#include "proto/wire/buffer.h"
#include "tests/simulation/fake_uv.h"
#include "tests/simulation/oracle.h"

enum {
    SIM_WORLDS = 3,
    SIM_NONCES_MAX = 4,
    SIM_BODIES = 16,
    SIM_SEATS = 2,
    SIM_KEYS = 3,
    SIM_MESSAGES = 1 << 20 /* data of a message: recipient * SIM_MESSAGES + a number */
};

// The kind of answer expected.
typedef enum sim_op {
    OP_HELLO,
    OP_COMMAND, // its arguments have nonces
    OP_CREATE,
    OP_DESTROY,
    OP_SUBSCRIBE,
    OP_SUBSCRIBE_LOG,
    OP_UNSUBSCRIBE,
    OP_INFO,
    OP_IMAGE,
    OP_JOIN,
    OP_OTHER
} sim_op;

// A request without an answer yet.
typedef struct sim_request {
    uint32_t id;
    sim_op op;
    int world;
    uint64_t nonces[SIM_NONCES_MAX];
    uint32_t nonce_count;
    bool patient; // a batch for a later tick, which a paused world does not reach
    // OP_SUBSCRIBE_LOG: asks for the compact form, with the server's table version
    bool compact;
    bool messages;         // OP_SUBSCRIBE: asks for messages, joins and leaves alone
    bool data;             // OP_SUBSCRIBE: asks for the world's data
    uint64_t subscription; // argument of OP_UNSUBSCRIBE
    buffer tail;           // method and params, for sending it again
} sim_request;

typedef struct sim_body_row {
    uint64_t id, digest;
} sim_body_row;

typedef struct sim_subscription {
    uint64_t number;
    bool log;
    bool compact;    // the client asked for the compact form
    bool messages;   // the client asked for messages, joins and leaves, and no other events
    bool data;       // the client asked for the world's data
    bool unanswered; // its answer was lost, so its parameters are unknown
    bool begun;      // a snapshot has arrived over this connection
    bool shown;      // a snapshot has arrived over any connection
    bool gap;        // the connection was lost since the last event
    uint64_t epoch, from, last;
    uint64_t lost;           // events reported lost since the last event
    packed_decoder *decoder; // decoder of a packed subscription
    ARRAY(told_event) events;
    ARRAY(sim_body_row) picture;
    uint64_t values[SIM_KEYS]; // data as received; 0: there is no such key
    char name[16];             // name of the world whose log it is, from the image
    physics_world *replica;
    log_player player;
} sim_subscription;

typedef struct sim_client {
    sim_link *link; // NULL: not connected
    bool resuming;  // its first hello is not answered yet
    bool finished;  // the client sends no more
    char secret[512];
    uint64_t session; // number of its session; 0: none yet
    uint32_t next_id;
    uint32_t read_one_in;
    uint32_t pause; // turns during which it reads nothing
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

// World.destroy requests for it in this life of the server
extern uint64_t sim_destroys[SIM_WORLDS];
extern bool sim_destroying; // clients of this run send world.destroy

void sim_client_init(sim_client *c);
void sim_client_deinit(sim_client *c);

// Does something at random.
void sim_client_act(sim_client *c);
// Reads everything that has arrived.
void sim_client_read(sim_client *c);
// The connection is lost; the session may be resumed.
void sim_client_lost(sim_client *c);
// The server has ended with all its sessions.
void sim_client_orphan(sim_client *c);

// The first request that is overdue; 0 for none, or without a connection.
uint32_t sim_client_overdue(const sim_client *c);

// Connects and sends a request, for the end of a run.
void sim_client_connect(sim_client *c, bool gentle);
void sim_client_ask_info(sim_client *c, int world);
void sim_client_spawn(sim_client *c, int world);

#endif
