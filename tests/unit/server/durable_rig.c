// The rig of test_durable_world; see durable_rig.h.
#include "tests/unit/server/durable_rig.h"

#include <string.h>

int64_t now_ns;
int64_t tick_ns;

int64_t fake_clock(void)
{
    now_ns += tick_ns;
    return now_ns;
}

status __real_plan_check(const physics_world *world, const apply_args *batch, error *err);
status __wrap_plan_check(const physics_world *world, const apply_args *batch, error *err);

fixture the;

status __wrap_plan_check(const physics_world *world, const apply_args *batch, error *err)
{
    return the.plan_is_wrong ? STATUS_OK : __real_plan_check(world, batch, err);
}

void on_committed(void *context)
{
    (void)context;
    the.woken = true;
}

int set_up(void **state)
{
    (void)state;
    now_ns = 100000 * MS; // the machine has run for a while
    tick_ns = 0;
    the = (fixture){.limits = limits_default(), .next_id = 1};
    fake_disk_init(&the.disk, 1);
    the.options = storage_options_default();
    the.options.clock = fake_clock;
    the.options.disk = &the.disk.base;
    return 0;
}

void end_server(void)
{
    error err;
    if (the.world != NULL) {
        served_world_destroy(the.world, STATUS_UNAVAILABLE, "the test ends it");
        the.world = NULL;
    }
    (void)storage_close(the.storage, &err);
    the.storage = NULL;
}

int tear_down(void **state)
{
    (void)state;
    end_server();
    mailbox_deinit(&the.box);
    fake_disk_deinit(&the.disk);
    return 0;
}

void commit(void)
{
    while (storage_turn(the.storage)) {
    }
    if (the.woken && the.world != NULL) {
        the.woken = false;
        served_world_deliver(the.world, request_create(REQUEST_COMMITTED, EPOCH));
    }
}

void advance(int64_t ns)
{
    now_ns += ns;
    served_world_run(the.world);
    commit();
}

void open_storage(void)
{
    error err;
    if (storage_open("test", &the.options, &the.storage, &err) != STATUS_OK) {
        fail_msg("%s", err.text);
    }
}

void begin(storage_durability kept, bool paused)
{
    char name[STORED_NAME_BYTES_MAX + 1];
    world_def def = world_def_default();
    adoption *from = calloc(1, sizeof *from);
    assert_non_null(from);
    def.hz = 100.0;
    open_storage();
    restore_stored_name(name, "w", EPOCH);
    from->paused = paused;
    from->durability = kept;
    assert_int_equal(world_create(&def, &from->physics, NULL), STATUS_OK);
    if (kept != STORAGE_NONE) {
        assert_int_equal(storage_create(the.storage, name, EPOCH, kept, &from->stored, NULL),
                         STATUS_OK);
        storage_watch(from->stored, on_committed, NULL);
    }
    the.world = served_world_create(EPOCH, "w", from, &the.limits, mailbox_sink(&the.box),
                                    (served_world_clocks){fake_clock, fake_clock});
}

void create(storage_durability kept, bool paused)
{
    begin(kept, paused);
    advance(0);
}

void call(method m, const char *json)
{
    request *r = world_call(EPOCH, the.next_id++, m, json);
    r->subscription = the.next_id;
    served_world_deliver(the.world, r);
}

void call_and_commit(method m, const char *json)
{
    call(m, json);
    advance(0);
}

void spawn_and_commit(void)
{
    call_and_commit(METHOD_BODY_SPAWN, SPAWN);
    mailbox_result(&the.box);
}

const reply *refusal(status expected)
{
    const reply *r = mailbox_take(&the.box, REPLY_RESULT);
    assert_int_equal(r->status, expected);
    assert_non_null(r->text);
    return r;
}

status restore_all(restored_worlds *out, error *err)
{
    status s = restore_read(the.storage, &(aside_list){0}, 1, out, err);
    if (s == STATUS_OK) {
        restore_play_all(out, 2);
    }
    return s;
}

int bodies_after(crash_kind kind)
{
    the.disk.stopped = true;
    end_server();
    fake_disk_crash(&the.disk, kind);
    the.disk.capacity = 0;
    open_storage();
    restored_worlds worlds = {0};
    error err;
    if (restore_all(&worlds, &err) != STATUS_OK) {
        fail_msg("%s", err.text);
    }
    int bodies = -1;
    for (uint32_t i = 0; i < worlds.count; i++) {
        if (worlds.data[i].broken != NULL) {
            fail_msg("%s", worlds.data[i].broken);
        }
        bodies = (int)world_count(worlds.data[i].adoption->physics).bodies;
    }
    restored_worlds_free(&worlds);
    return bodies;
}

void fill_disk(void)
{
    the.disk.capacity = 1;
}

storage_world *begin_other(void)
{
    storage_world *other = NULL;
    assert_int_equal(storage_create(the.storage, "other.9", 9, STORAGE_NORMAL, &other, NULL),
                     STATUS_OK);
    return other;
}

void end_other(storage_world *other)
{
    uint64_t sequence = 0;
    error err;
    assert_int_equal(storage_destroy(other, &sequence, &err), STATUS_OK);
    storage_release(other);
    commit();
}

shared_bytes *zeros(size_t size)
{
    shared_bytes *bytes = bytes_create(size);
    memset(bytes->data, 0, size);
    bytes->size = size;
    return bytes;
}

void crowd_images(storage_world *other)
{
    shared_bytes *image = zeros(2 * STORAGE_IMAGE_CHUNK_BYTES);
    error err;
    assert_int_equal(storage_checkpoint(other, 0, NULL, image, &err), STATUS_OK);
    bytes_unref(image);
}
