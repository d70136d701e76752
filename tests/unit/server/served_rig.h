// A served world whose clock the test advances.
#ifndef CAROM_TESTS_UNIT_SERVER_SERVED_RIG_H
#define CAROM_TESTS_UNIT_SERVER_SERVED_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/server/mailbox.h"
#include "tests/unit/server/world_call.h"

enum { EPOCH = 3 };

extern int64_t now_ns;
extern int64_t cost_ns; // time that each reading of the clock takes

typedef struct fixture {
    limits limits;
    served_world *world;
    mailbox box;
    uint32_t next_id;
    uint64_t next_subscription;
} fixture;

extern fixture the;

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

served_world_clocks served_rig_clocks(void);
// Creates `the.world`.
void create(double hz, bool paused);
int set_up(void **state);
int tear_down(void **state);
// Delivers the call and returns its id.
uint32_t call(method m, const char *json);
// Tick of the next reply, which must be a result.
uint64_t result_tick(void);
// Text of the next reply, which must be a refusal with that status.
const char *refusal(status expected);
// Moves the clock on by `ns`, and runs the world.
void advance(int64_t ns);
// Runs a round of its thread: due ticks, then steps for some milliseconds.
void run_round(void);
// Acknowledges a snapshot of that subscription.
void acknowledge(uint64_t number);
// The same as `call`, from the session and the subject of that slot.
uint32_t call_as(uint32_t slot, method m, const char *json);

int run_served_shares(void);

#endif
