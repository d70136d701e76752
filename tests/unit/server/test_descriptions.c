// Descriptions in snapshots: sent when a body or joint is new to the reader or was changed, within
// the limit, and never lost by a slow reader.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "common/physics/joint.h"
#include "common/world/apply.h"
#include "tests/unit/server/mailbox.h"

typedef struct fixture {
    limits limits;
    physics_world *world;
    publisher publisher;
    mailbox box;
} fixture;

static const session_key ONE = {.slot = 0, .number = 1};
static const session_key TWO = {.slot = 1, .number = 2};

static int set_up(void **state)
{
    static fixture f;
    world_def def = world_def_default();
    def.gravity = (vec2d){0.0, 0.0};
    f = (fixture){.limits = limits_default()};
    assert_int_equal(world_create(&def, &f.world, NULL), STATUS_OK);
    publisher_init(&f.publisher, &f.limits, "world", 7);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    mailbox_deinit(&f->box);
    publisher_deinit(&f->publisher);
    world_free(f->world);
    return 0;
}

// ---- changes, as a served world makes them

static command_result carry_out(fixture *f, const command *c)
{
    command_result result;
    error err = {0};
    publisher_note_change(&f->publisher, f->world, c);
    if (apply_command(f->world, c, &result, &err) != STATUS_OK) {
        fail_msg("%s", err.text);
    }
    publisher_note_edit(&f->publisher);
    return result;
}

static shape_def ball_shape(void)
{
    shape_def shape = shape_def_default();
    shape.geometry.kind = SHAPE_CIRCLE;
    shape.geometry.circle = (circle){{0.0f, 0.0f}, 0.5f};
    return shape;
}

static body_id add_ball(fixture *f, double x)
{
    shape_def shape = ball_shape();
    command c = {.method = METHOD_BODY_SPAWN,
                 .spawn = {.def = body_def_default(), .shapes = &shape, .shape_count = 1}};
    c.spawn.def.position = (vec2d){x, 0.0};
    command_result result = carry_out(f, &c);
    body_id id = result.spawn.body;
    command_result_free(&result);
    return id;
}

static void set_tag(fixture *f, body_id id, const char *tag)
{
    command c = {.method = METHOD_BODY_SET,
                 .body_set = {.body = id, .fields = BODY_FIELD_TAG, .values = body_def_default()}};
    c.body_set.values.tag = tag;
    command_result result = carry_out(f, &c);
    command_result_free(&result);
}

static void move(fixture *f, body_id id, double x)
{
    command c = {
        .method = METHOD_BODY_SET,
        .body_set = {.body = id, .fields = BODY_FIELD_POSITION, .values = body_def_default()}};
    c.body_set.values.position = (vec2d){x, 0.0};
    command_result result = carry_out(f, &c);
    command_result_free(&result);
}

static void remove_body(fixture *f, body_id id)
{
    command c = {.method = METHOD_BODY_REMOVE, .body = id};
    command_result result = carry_out(f, &c);
    command_result_free(&result);
}

static joint_id tie(fixture *f, body_id a, body_id b)
{
    command c = {.method = METHOD_JOINT_CREATE, .joint = {.def = joint_def_default(JOINT_WELD)}};
    c.joint.def.a = a;
    c.joint.def.b = b;
    command_result result = carry_out(f, &c);
    joint_id id = result.joint;
    command_result_free(&result);
    return id;
}

static void change_joint(fixture *f, method m, joint_id id)
{
    command c = {.method = m};
    if (m == METHOD_JOINT_SET) {
        c.joint.joint = id;
        c.joint.def = joint_def_default(JOINT_WELD);
        c.joint.def.fields = JOINT_FIELD_HERTZ;
        c.joint.def.hertz = 3.0;
    } else {
        c.joint_id = id;
    }
    command_result result = carry_out(f, &c);
    command_result_free(&result);
}

// ---- the readers

static subscribe_args described(void)
{
    return (subscribe_args){.bodies = true, .describe = true};
}

static void subscribe(fixture *f, uint64_t number, session_key session, subscribe_args view)
{
    publisher_subscribe(&f->publisher, f->world, number, session, session.number, &view);
}

static void tick(fixture *f)
{
    world_step(f->world);
    publisher_note_step(&f->publisher, f->world);
    publisher_publish(&f->publisher, f->world, false, NULL, mailbox_sink(&f->box));
}

// The next snapshot of the subscription, which is then free for another.
static const msgpack_object *take(fixture *f, uint64_t number)
{
    const msgpack_object *s = mailbox_snapshot(&f->box);
    assert_int_equal(obj_get_uint(s, "subscription"), number);
    publisher_acknowledge(&f->publisher, number);
    return s;
}

static void assert_ids(const msgpack_object *snapshot, const char *list, const char *key,
                       uint32_t count, const uint64_t *ids)
{
    const msgpack_object *told = obj_get(snapshot, list);
    assert_int_equal(obj_count(told), count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(obj_get_uint(obj_at(told, i), key), ids[i]);
    }
}

static void assert_spawned(const msgpack_object *snapshot, uint32_t count, const uint64_t *ids)
{
    assert_ids(snapshot, "spawned", "body", count, ids);
}

static void assert_joints(const msgpack_object *snapshot, uint32_t count, const uint64_t *ids)
{
    assert_ids(snapshot, "joints", "joint", count, ids);
}

static void assert_joint_removed(const msgpack_object *snapshot, joint_id id)
{
    const msgpack_object *gone = obj_get(snapshot, "joints_removed");
    assert_int_equal(obj_count(gone), 1);
    assert_int_equal(obj_uint(obj_at(gone, 0)), id);
}

// ---- tests

static void plain_subscription_is_told_no_descriptions(void **state)
{
    fixture *f = *state;
    add_ball(f, 0);
    subscribe(f, 1, ONE, (subscribe_args){.bodies = true});
    tick(f);
    const msgpack_object *s = take(f, 1);
    assert_null(obj_find(s, "spawned"));
    assert_null(obj_find(s, "joints"));
    assert_null(obj_find(s, "view"));
}

static void body_is_described_once_with_its_shapes(void **state)
{
    fixture *f = *state;
    body_id a = add_ball(f, 0);
    subscribe(f, 1, ONE, described());
    tick(f);
    const msgpack_object *s = take(f, 1);
    assert_spawned(s, 1, (uint64_t[]){a});
    const msgpack_object *map = obj_at(obj_get(s, "spawned"), 0);
    assert_string_equal(obj_get_text(map, "type"), "dynamic");
    assert_int_equal(obj_count(obj_get(map, "shapes")), 1);
    body_id b = add_ball(f, 5);
    tick(f);
    assert_spawned(take(f, 1), 1, (uint64_t[]){b});
    tick(f);
    assert_spawned(take(f, 1), 0, NULL);
}

static void changed_tag_is_told_anew_and_motion_is_not(void **state)
{
    fixture *f = *state;
    body_id a = add_ball(f, 0);
    add_ball(f, 5);
    subscribe(f, 1, ONE, described());
    tick(f);
    take(f, 1);
    move(f, a, 1.0);
    tick(f);
    assert_spawned(take(f, 1), 0, NULL);
    set_tag(f, a, "red");
    tick(f);
    const msgpack_object *s = take(f, 1);
    assert_spawned(s, 1, (uint64_t[]){a});
    assert_string_equal(obj_get_text(obj_at(obj_get(s, "spawned"), 0), "tag"), "red");
}

static void changed_shapes_are_told_anew(void **state)
{
    fixture *f = *state;
    body_id a = add_ball(f, 0);
    subscribe(f, 1, ONE, described());
    tick(f);
    take(f, 1);
    command add = {.method = METHOD_SHAPE_ADD, .shape_add = {.body = a, .def = ball_shape()}};
    command_result result = carry_out(f, &add);
    tick(f);
    assert_spawned(take(f, 1), 1, (uint64_t[]){a});
    command remove = {.method = METHOD_SHAPE_REMOVE, .shape = result.shape};
    command batch = {.method = METHOD_WORLD_APPLY, .apply = {.commands = &remove, .count = 1}};
    command_result_free(&result);
    result = carry_out(f, &batch);
    command_result_free(&result);
    tick(f);
    const msgpack_object *s = take(f, 1);
    assert_spawned(s, 1, (uint64_t[]){a});
    assert_int_equal(obj_count(obj_get(obj_at(obj_get(s, "spawned"), 0), "shapes")), 1);
}

// A reader that is busy is skipped; the next snapshot has the latest description of all it missed.
static void slow_reader_loses_no_description(void **state)
{
    fixture *f = *state;
    body_id a = add_ball(f, 0);
    subscribe(f, 1, ONE, described());
    tick(f);
    mailbox_snapshot(&f->box); // not acknowledged
    set_tag(f, a, "one");
    tick(f);
    body_id b = add_ball(f, 5);
    body_id gone = add_ball(f, 10);
    tick(f);
    remove_body(f, gone);
    set_tag(f, a, "two");
    tick(f);
    assert_int_equal(mailbox_left(&f->box), 0);
    publisher_acknowledge(&f->publisher, 1);
    tick(f);
    const msgpack_object *s = take(f, 1);
    assert_spawned(s, 2, (uint64_t[]){a, b});
    assert_string_equal(obj_get_text(obj_at(obj_get(s, "spawned"), 0), "tag"), "two");
    assert_int_equal(obj_count(obj_get(s, "removed")), 0);
}

static void body_that_comes_into_the_area_is_described(void **state)
{
    fixture *f = *state;
    body_id in = add_ball(f, 0);
    body_id out = add_ball(f, 100);
    subscribe_args view = described();
    view.has_area = true;
    view.area = (area){-10, -10, 10, 10};
    subscribe(f, 1, ONE, view);
    tick(f);
    assert_spawned(take(f, 1), 1, (uint64_t[]){in});
    set_tag(f, out, "unseen");
    tick(f);
    assert_spawned(take(f, 1), 0, NULL);
    move(f, out, 5.0);
    tick(f);
    const msgpack_object *s = take(f, 1);
    assert_spawned(s, 1, (uint64_t[]){out});
    assert_string_equal(obj_get_text(obj_at(obj_get(s, "spawned"), 0), "tag"), "unseen");
}

static void joint_is_told_when_made_changed_and_removed(void **state)
{
    fixture *f = *state;
    body_id a = add_ball(f, 0);
    body_id b = add_ball(f, 2);
    joint_id first = tie(f, a, b);
    subscribe(f, 1, ONE, described());
    tick(f);
    assert_joints(take(f, 1), 1, (uint64_t[]){first});
    joint_id second = tie(f, b, a);
    tick(f);
    assert_joints(take(f, 1), 1, (uint64_t[]){second});
    change_joint(f, METHOD_JOINT_SET, first);
    tick(f);
    assert_joints(take(f, 1), 1, (uint64_t[]){first});
    change_joint(f, METHOD_JOINT_REMOVE, second);
    tick(f);
    const msgpack_object *s = take(f, 1);
    assert_joints(s, 0, NULL);
    assert_joint_removed(s, second);
}

static void joint_that_goes_with_its_body_is_told_as_removed(void **state)
{
    fixture *f = *state;
    body_id a = add_ball(f, 0);
    joint_id joint = tie(f, a, add_ball(f, 2));
    subscribe(f, 1, ONE, described());
    tick(f);
    take(f, 1);
    remove_body(f, a);
    tick(f);
    assert_joint_removed(take(f, 1), joint);
}

static void joint_is_in_view_while_one_of_its_bodies_is(void **state)
{
    fixture *f = *state;
    body_id far = add_ball(f, 100);
    body_id near = add_ball(f, 0);
    tie(f, far, add_ball(f, 120));
    joint_id half = tie(f, far, near);
    subscribe_args view = described();
    view.has_area = true;
    view.area = (area){-10, -10, 10, 10};
    subscribe(f, 1, ONE, view);
    tick(f);
    assert_joints(take(f, 1), 1, (uint64_t[]){half});
}

// More than the limit: the rest follows in the next snapshots, each body once.
static void descriptions_over_the_limit_follow_in_the_next_snapshots(void **state)
{
    enum { BALLS = 40 };
    fixture *f = *state;
    body_id ids[BALLS];
    uint32_t told = 0;
    f->publisher.descriptions.bytes_max = 8000;
    for (int i = 0; i < BALLS; i++) {
        ids[i] = add_ball(f, 2 * i);
    }
    for (int i = 0; i + 1 < BALLS; i++) {
        tie(f, ids[i], ids[i + 1]);
    }
    subscribe(f, 1, ONE, described());
    uint32_t joints = 0;
    int snapshots = 0;
    bool more = true;
    while (more) {
        // A paused world sends them too, without being changed.
        publisher_publish(&f->publisher, f->world, true, NULL, mailbox_sink(&f->box));
        const msgpack_object *s = take(f, 1);
        const msgpack_object *list = obj_get(s, "spawned");
        for (uint32_t i = 0; i < obj_count(list); i++) {
            assert_int_equal(obj_get_uint(obj_at(list, i), "body"), ids[told++]);
        }
        joints += obj_count(obj_get(s, "joints"));
        assert_true(obj_count(list) < BALLS / 2 && obj_count(obj_get(s, "joints")) < BALLS / 2);
        more = obj_find(s, "describing") != NULL;
        assert_int_equal(publisher_owes(&f->publisher), more);
        snapshots++;
    }
    assert_int_equal(told, BALLS);
    assert_int_equal(joints, BALLS - 1);
    assert_true(snapshots > 3);
}

// Changes of described bodies are sent while the other descriptions still follow.
static void change_while_the_rest_is_told_is_not_lost(void **state)
{
    enum { BALLS = 40 };
    fixture *f = *state;
    body_id ids[BALLS];
    bool tagged[BALLS] = {0};
    f->publisher.descriptions.bytes_max = 8000;
    for (int i = 0; i < BALLS; i++) {
        ids[i] = add_ball(f, 2 * i);
    }
    subscribe(f, 1, ONE, described());
    bool more = true;
    for (int round = 0; more; round++) {
        set_tag(f, ids[round < BALLS / 2 ? round : 0], "new");
        tick(f);
        const msgpack_object *s = take(f, 1);
        const msgpack_object *list = obj_get(s, "spawned");
        for (uint32_t i = 0; i < obj_count(list); i++) {
            uint64_t id = obj_get_uint(obj_at(list, i), "body");
            tagged[id_slot(id)] = strcmp(obj_get_text(obj_at(list, i), "tag"), "new") == 0;
        }
        more = obj_find(s, "describing") != NULL;
        if (!more) {
            for (int i = 0; i <= round && i < BALLS / 2; i++) {
                assert_true(tagged[id_slot(ids[i])]);
            }
        }
        assert_true(round < BALLS);
    }
}

static void equal_readers_share_one_encoding(void **state)
{
    fixture *f = *state;
    add_ball(f, 0);
    subscribe(f, 1, ONE, described());
    subscribe(f, 2, TWO, described());
    subscribe(f, 3, TWO, (subscribe_args){.bodies = true});
    tick(f);
    const reply *plain = NULL;
    const reply *first = NULL;
    for (int i = 0; i < 3; i++) {
        const reply *r = mailbox_take(&f->box, REPLY_SNAPSHOT);
        if (r->subscription == 3) {
            plain = r;
        } else if (first == NULL) {
            first = r;
        } else {
            assert_ptr_equal(first->tail, r->tail);
        }
    }
    assert_ptr_not_equal(plain->tail, first->tail);
}

// A reader further behind than the kept removals receives everything again.
static void reader_behind_the_kept_removals_of_joints_begins_anew(void **state)
{
    fixture *f = *state;
    body_id a = add_ball(f, 0);
    body_id b = add_ball(f, 2);
    f->publisher.joints.removals_max = 4;
    subscribe(f, 1, ONE, described());
    tick(f);
    mailbox_snapshot(&f->box);
    // Another reader keeps the table moving.
    subscribe(f, 2, TWO, described());
    f->publisher.joints.removals_max = 4;
    for (int i = 0; i < 8; i++) {
        joint_id joint = tie(f, a, b);
        tick(f);
        take(f, 2);
        change_joint(f, METHOD_JOINT_REMOVE, joint);
        tick(f);
        take(f, 2);
    }
    publisher_acknowledge(&f->publisher, 1);
    tick(f);
    const msgpack_object *s = mailbox_snapshot(&f->box);
    if (obj_get_uint(s, "subscription") != 1) {
        s = mailbox_snapshot(&f->box);
    }
    assert_true(obj_bool(obj_get(s, "full")));
    assert_spawned(s, 2, (uint64_t[]){a, b});
    assert_int_equal(obj_count(obj_get(s, "joints_removed")), 0);
}

static void scene_view_is_told_with_the_first_snapshot(void **state)
{
    fixture *f = *state;
    publisher_show_scene(&f->publisher, &(area){-1, -2, 3, 4});
    subscribe(f, 1, ONE, described());
    tick(f);
    const msgpack_object *view = obj_get(take(f, 1), "view");
    assert_int_equal(obj_count(view), 4);
    assert_true(obj_number(obj_at(view, 3)) == 4.0);
    add_ball(f, 0);
    tick(f);
    assert_null(obj_find(take(f, 1), "view"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(plain_subscription_is_told_no_descriptions),
        TEST(body_is_described_once_with_its_shapes),
        TEST(changed_tag_is_told_anew_and_motion_is_not),
        TEST(changed_shapes_are_told_anew),
        TEST(slow_reader_loses_no_description),
        TEST(body_that_comes_into_the_area_is_described),
        TEST(joint_is_told_when_made_changed_and_removed),
        TEST(joint_that_goes_with_its_body_is_told_as_removed),
        TEST(joint_is_in_view_while_one_of_its_bodies_is),
        TEST(descriptions_over_the_limit_follow_in_the_next_snapshots),
        TEST(change_while_the_rest_is_told_is_not_lost),
        TEST(equal_readers_share_one_encoding),
        TEST(reader_behind_the_kept_removals_of_joints_begins_anew),
        TEST(scene_view_is_told_with_the_first_snapshot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
