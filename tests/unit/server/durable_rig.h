// A served world over a storage whose disk is memory, and whose clock the test advances.
#ifndef CAROM_TESTS_UNIT_SERVER_DURABLE_RIG_H
#define CAROM_TESTS_UNIT_SERVER_DURABLE_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "server/session/placement/restore.h"
#include "tests/unit/server/mailbox.h"
#include "tests/unit/server/world_call.h"
#include "tests/unit/storage/fake_disk.h"

enum { EPOCH = 7 };
extern int64_t now_ns;
extern int64_t tick_ns; // time between two looks at the clock: what is measured takes this long

typedef struct fixture {
    bool plan_is_wrong; // every batch passes the check
    limits limits;
    fake_disk disk;
    storage_options options;
    storage *storage;
    served_world *world;
    mailbox box;
    bool woken;
    uint32_t next_id;
} fixture;

extern fixture the;

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int64_t fake_clock(void);
void on_committed(void *context);
int set_up(void **state);
void end_server(void);
int tear_down(void **state);
// Runs the storage until nothing waits, and reports to the world.
void commit(void);
// Moves the clock on by `ns`, runs the world, then the storage.
void advance(int64_t ns);
void open_storage(void);
// Creates `the.world` over a storage. `create` also runs it once.
void begin(storage_durability kept, bool paused);
void create(storage_durability kept, bool paused);
// Delivers the call.
void call(method m, const char *json);
// Delivers the call, runs the world, then the storage.
void call_and_commit(method m, const char *json);
// The same with SPAWN, whose answer must be a result.
void spawn_and_commit(void);
// The next reply, which must be a refusal with that status.
const reply *refusal(status expected);
// Reads and plays the logs of all worlds.
status restore_all(restored_worlds *out, error *err);
// Crashes and restarts the machine; returns the number of bodies in the world afterwards, -1
// without a world.
int bodies_after(crash_kind kind);
void fill_disk(void);
// Another world of the storage.
storage_world *begin_other(void);
// Destroys it, and runs the storage.
void end_other(storage_world *other);
shared_bytes *zeros(size_t size);
// Makes an image wait that leaves no space for another one.
void crowd_images(storage_world *other);

int run_durable_faults(void);

#endif
