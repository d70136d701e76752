// The common base of the publisher's tests: a world without a server, its publisher, and a mailbox
// for its snapshots.
#ifndef CAROM_TESTS_UNIT_SERVER_PUBLISHER_RIG_H
#define CAROM_TESTS_UNIT_SERVER_PUBLISHER_RIG_H

#include "tests/unit/server/mailbox.h"

// A world without gravity at 60 Hz, its publisher, and a mailbox.
typedef struct publisher_rig {
    limits limits;
    physics_world *world;
    publisher publisher;
    mailbox box;
} publisher_rig;

static const session_key ONE = {.slot = 0, .number = 1};
static const session_key TWO = {.slot = 1, .number = 2};

// For cmocka: `state` is a publisher_rig.
int publisher_rig_set_up(void **state);
int publisher_rig_tear_down(void **state);

// A circle of radius 0.5 m at (x, y) that moves along x [m/s].
body_id add_ball(publisher_rig *f, double x, double y, double speed);
void move(publisher_rig *f, body_id id, double x, double y);

void subscribe(publisher_rig *f, uint64_t number, session_key session, subscribe_args view);
// The view of a subscription to all bodies, or those in an area [m], with begins and ends of touch.
subscribe_args everything(void);
subscribe_args within(double x0, double y0, double x1, double y1);

// Steps the world, and publishes.
void tick(publisher_rig *f);
// Publishes the whole state at once, as for a paused world.
void publish_all(publisher_rig *f);
// Takes the next snapshot from the mailbox, and reports it as written to subscription `number`.
void take_and_acknowledge(publisher_rig *f, uint64_t number);

// The rows of bodies in a snapshot.
uint32_t rows_in(const msgpack_object *snapshot);
uint64_t row_id(const msgpack_object *snapshot, uint32_t index);

#endif
