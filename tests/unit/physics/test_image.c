// World images: a restored world goes on as if it had never stopped; altered bytes are refused.
#include "tests/unit/physics/scene_helpers.h"

#include <malloc.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/physics/image.h"
#include "common/physics/joint.h"
#include "common/physics/state/world.h"

typedef physics_world *(*scene)(void);

static physics_world *heap_scene(void)
{
    physics_world *world = make_world((vec2d){0.0, -10.0});
    put_floor(world, 0.6, 0.2);
    for (int i = 0; i < 120; i++) {
        shape_def form = i % 2 == 0 ? make_box(0.5, 0.5) : make_circle(0.25);
        form.restitution = i % 5 == 0 ? 0.5 : 0.0;
        form.rolling_resistance = i % 7 == 0 ? 0.05 : 0.0;
        put_at(world, (i % 12) * 0.6 + 0.01 * (i % 5), 0.5 + (i / 12) * 0.7, &form);
    }
    return world;
}

static physics_world *drum_scene(void)
{
    physics_world *world = make_world((vec2d){0.0, -10.0});
    body_def def = body_def_default();
    def.type = BODY_KINEMATIC;
    def.angular_velocity = 1.0;
    shape_def walls[4] = {make_box_at(0.5, 6.0, (vec2){3.0f, 0.0f}, 0.0),
                          make_box_at(0.5, 6.0, (vec2){-3.0f, 0.0f}, 0.0),
                          make_box_at(6.0, 0.5, (vec2){0.0f, 3.0f}, 0.0),
                          make_box_at(6.0, 0.5, (vec2){0.0f, -3.0f}, 0.0)};
    put(world, &def, walls, 4);
    shape_def box = make_box(0.3, 0.3);
    for (int i = 0; i < 100; i++) {
        put_at(world, (i % 10) * 0.4 - 2.0, (i / 10) * 0.4 - 2.0, &box);
    }
    return world;
}

static joint_id join(physics_world *world, joint_kind kind, body_id a, body_id b, double x,
                     double y)
{
    joint_def def = joint_def_default(kind);
    def.a = a;
    def.b = b;
    def.anchor = (vec2d){x, y};
    def.fields |= JOINT_FIELD_ANCHOR;
    joint_id id = 0;
    error err = {0};
    if (joint_create(world, &def, &id, &err) != STATUS_OK) {
        fail_msg("%s", err.text);
    }
    return id;
}

// Chains of links that swing and come to rest, a chain shape to fall on, a sensor, tags, forces.
static physics_world *mixed_scene(void)
{
    physics_world *world = make_world((vec2d){0.0, -10.0});
    vec2 points[6] = {{20.0f, 3.0f},  {10.0f, 0.0f},  {5.0f, -1.0f},
                      {-5.0f, -1.0f}, {-10.0f, 0.0f}, {-20.0f, 3.0f}};
    shape_def ground = shape_def_default();
    ground.form = FORM_CHAIN;
    ground.points = points;
    ground.point_count = 6;
    shape_def gate = make_box(2.0, 2.0);
    gate.sensor = true;
    shape_def both[2] = {ground, gate};
    body_def def = body_def_default();
    def.type = BODY_STATIC;
    def.tag = "ground";
    body_id fixed = put(world, &def, both, 2);
    shape_def link = make_box(0.8, 0.2);
    for (int k = 0; k < 3; k++) {
        body_id last = fixed;
        for (int i = 0; i < 6; i++) {
            body_id next = put_at(world, k * 6.0 - 6.0 + i * 0.8 + 0.4, 6.0, &link);
            join(world, JOINT_REVOLUTE, last, next, k * 6.0 - 6.0 + i * 0.8, 6.0);
            last = next;
        }
    }
    shape_def capsule_ = shape_def_default();
    capsule_.geometry.kind = SHAPE_CAPSULE;
    capsule_.geometry.capsule = (capsule){{-0.3f, 0.0f}, {0.3f, 0.0f}, 0.2f};
    for (int i = 0; i < 20; i++) {
        body_id id = put_at(world, i * 0.9 - 9.0, 3.0 + 0.1 * i, &capsule_);
        error err;
        if (i % 4 == 0) {
            body_set_force(world, id, (vec2d){0.5, 0.0}, &(vec2d){i * 0.9 - 9.0, 3.2}, &err);
        }
        if (i % 5 == 0) {
            body_set_torque(world, id, 0.1, &err);
        }
        if (i % 6 == 0) {
            body_remove(world, id, &err); // leaves free slots with generations
        }
    }
    return world;
}

// Everything falls asleep, is partly removed, and is hit again.
static physics_world *sleeping_scene(void)
{
    physics_world *world = heap_scene();
    run(world, 400);
    shape_def ball = make_circle(0.5);
    body_id id = put_at(world, 3.0, 40.0, &ball);
    set_velocity(world, id, 0.0, -5.0);
    return world;
}

// Boxes squeezed far into walls on both sides, that slide along them: what is so deep does not rub,
// and that is no part of an image but follows from it.
static physics_world *deep_scene(void)
{
    physics_world *world = make_world((vec2d){0.0, 0.0});
    shape_def box = make_box(0.5, 0.5);
    shape_def walls[2] = {make_box_at(1.0, 40.0, (vec2){-0.6f, 0.0f}, 0.0),
                          make_box_at(1.0, 40.0, (vec2){0.6f, 0.0f}, 0.0)};
    for (int i = 0; i < 20; i++) {
        body_def wall = body_def_default();
        wall.type = BODY_STATIC;
        wall.position.x = 10.0 * i;
        put(world, &wall, walls, 2);
        body_id id = put_at(world, 10.0 * i, 0.0, &box);
        set_velocity(world, id, 0.0, 0.01 * (i + 1));
    }
    return world;
}

static const struct {
    const char *name;
    scene make;
} SCENES[] = {{"heap", heap_scene},
              {"drum", drum_scene},
              {"mixed", mixed_scene},
              {"deep", deep_scene},
              {"sleeping", sleeping_scene}};

static physics_world *copy_of(const physics_world *world)
{
    uint8_t *bytes;
    size_t size;
    physics_world *copy = NULL;
    error err = {0};
    world_save(world, &bytes, &size);
    if (world_restore(bytes, size, &copy, &err) != STATUS_OK) {
        fail_msg("tick %d: %s", (int)world_tick(world), err.text);
    }
    // A restored world writes the image that it was read from.
    uint8_t *again;
    size_t again_size;
    world_save(copy, &again, &again_size);
    assert_int_equal(size, again_size);
    assert_memory_equal(bytes, again, size);
    free(again);
    free(bytes);
    return copy;
}

static void assert_same_events(const physics_world *a, const physics_world *b)
{
    uint32_t count_a;
    uint32_t count_b;
    const physics_event *ea = world_events(a, &count_a);
    const physics_event *eb = world_events(b, &count_b);
    assert_int_equal(count_a, count_b);
    for (uint32_t i = 0; i < count_a; i++) {
        assert_int_equal(ea[i].kind, eb[i].kind);
        assert_int_equal(ea[i].a, eb[i].a);
        assert_int_equal(ea[i].b, eb[i].b);
        assert_true(ea[i].point.x == eb[i].point.x && ea[i].impulse == eb[i].impulse);
    }
}

static void restored_world_goes_on_with_the_same_hashes_and_events(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof SCENES / sizeof *SCENES; k++) {
        physics_world *world = SCENES[k].make();
        for (int from = 0; from < 240; from += 7) {
            physics_world *copy = copy_of(world);
            assert_true(world_hash(world) == world_hash(copy));
            for (int i = 0; i < 7; i++) {
                world_step(world);
                world_step(copy);
                if (world_hash(world) != world_hash(copy)) {
                    fail_msg("scene %s: saved at tick %d, differs at tick %d", SCENES[k].name,
                             (int)world_tick(world) - i - 1, (int)world_tick(world));
                }
                assert_same_events(world, copy);
            }
            world_free(world);
            world = copy; // so that what is restored is restored again
        }
        world_free(world);
    }
}

static void restored_world_gives_the_ids_that_the_old_one_would(void **state)
{
    (void)state;
    physics_world *world = mixed_scene();
    run(world, 20);
    physics_world *copy = copy_of(world);
    shape_def ball = make_circle(0.3);
    for (int i = 0; i < 10; i++) {
        assert_int_equal(put_at(world, i, 20.0, &ball), put_at(copy, i, 20.0, &ball));
    }
    body_info a = look(copy, world_next_body(copy, 0));
    assert_string_equal(a.tag, "ground");
    run(world, 60);
    run(copy, 60);
    assert_true(world_hash(world) == world_hash(copy));
    world_free(copy);
    world_free(world);
}

static void pile_takes_less_than_200_bytes_a_body(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, -10.0});
    put_floor(world, 0.6, 0.0);
    shape_def box = make_box(1.0, 1.0);
    for (int i = 0; i < 30; i++) {
        for (int j = i; j < 30; j++) {
            put_at(world, (i + 1) * 0.5 + (j - i) - 15.0, i + 0.5, &box);
        }
    }
    run(world, 60);
    uint8_t *bytes;
    size_t size;
    world_save(world, &bytes, &size);
    print_message("%u bodies, %u contacts: %zu bytes, %.1f a body\n", world_count(world).bodies,
                  world_count(world).contacts, size, (double)size / world_count(world).bodies);
    assert_true(size < 200 * (size_t)world_count(world).bodies);
    free(bytes);
    world_free(world);
}

static void image_cut_off_anywhere_is_refused(void **state)
{
    (void)state;
    physics_world *world = mixed_scene();
    run(world, 60);
    uint8_t *bytes;
    size_t size;
    world_save(world, &bytes, &size);
    for (size_t cut = 0; cut < size; cut += cut < 400 ? 1 : 13) {
        physics_world *copy = NULL;
        error err = {0};
        uint8_t *part = malloc(cut + 1); // of its own size, so that a sanitizer sees a byte too far
        memcpy(part, bytes, cut);
        assert_int_equal(world_restore(part, cut, &copy, &err), STATUS_INVALID_ARGUMENT);
        assert_null(copy);
        assert_true(strncmp(err.text, "world image", 11) == 0);
        free(part);
    }
    free(bytes);
    world_free(world);
}

// One byte changed: refused, or (a position a hair off changes the hash) refused too; never
// accepted with another hash.
static void image_with_any_byte_altered_is_refused_or_the_same(void **state)
{
    (void)state;
    physics_world *world = mixed_scene();
    run(world, 60);
    uint64_t hash = world_hash(world);
    uint8_t *bytes;
    size_t size;
    world_save(world, &bytes, &size);
    uint32_t r = 99;
    int refused = 0;
    const int rounds = 3000;
    for (int i = 0; i < rounds; i++) {
        r = r * 1664525u + 1013904223u;
        size_t place = (r >> 4) % size;
        uint8_t was = bytes[place];
        r = r * 1664525u + 1013904223u;
        bytes[place] = (uint8_t)(was ^ (1u << (r >> 20) % 8));
        physics_world *copy = NULL;
        error err = {0};
        if (world_restore(bytes, size, &copy, &err) == STATUS_OK) {
            assert_true(world_hash(copy) == hash);
            run(copy, 1);
            world_free(copy);
        } else {
            refused++;
        }
        bytes[place] = was;
    }
    assert_true(refused > rounds * 9 / 10);
    free(bytes);
    world_free(world);
}

// Every bit, those of tags, limits and signs of zero among them, which the hash does not cover.
static void sealed_image_with_any_bit_altered_is_refused(void **state)
{
    (void)state;
    physics_world *world = mixed_scene();
    run(world, 60);
    uint8_t *bytes;
    size_t size;
    world_save_sealed(world, &bytes, &size);
    physics_world *copy = NULL;
    error err = {0};
    assert_int_equal(world_restore(bytes, size, &copy, &err), STATUS_OK);
    assert_true(world_hash(copy) == world_hash(world));
    world_free(copy);
    for (size_t bit = 0; bit < 8 * size; bit += bit < 4000 ? 1 : 7) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_int_equal(world_restore(bytes, size, &copy, &err), STATUS_INVALID_ARGUMENT);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    for (size_t cut = 1; cut < 40; cut++) {
        assert_int_equal(world_restore(bytes, size - cut, &copy, &err), STATUS_INVALID_ARGUMENT);
    }
    free(bytes);
    world_free(world);
}

// Of an image without a checksum the tag is taken as it is: it has to be text.
static void tag_that_is_not_utf8_is_refused(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, 0.0});
    body_def tagged = body_def_default();
    tagged.tag = "corner";
    put(world, &tagged, NULL, 0);
    uint8_t *bytes;
    size_t size;
    world_save(world, &bytes, &size);
    size_t at = 0;
    while (memcmp(bytes + at, "corner", 6) != 0) {
        at++;
        assert_true(at + 6 < size);
    }
    physics_world *copy = NULL;
    error err = {0};
    memcpy(bytes + at, "c\xc3\xb6rne", 6);
    assert_int_equal(world_restore(bytes, size, &copy, &err), STATUS_OK);
    world_free(copy);
    memcpy(bytes + at, "c\xc3rner", 6);
    assert_int_equal(world_restore(bytes, size, &copy, &err), STATUS_INVALID_ARGUMENT);
    assert_non_null(strstr(err.text, "a tag that is not UTF-8"));
    free(bytes);
    world_free(world);
}

static void bytes_of_another_kind_or_version_are_refused_by_name(void **state)
{
    (void)state;
    physics_world *copy = NULL;
    error err = {0};
    assert_int_equal(world_restore((const uint8_t *)"PNG is no world", 15, &copy, &err),
                     STATUS_INVALID_ARGUMENT);
    assert_non_null(strstr(err.text, "no world image"));
    physics_world *world = make_world((vec2d){0.0, 0.0});
    uint8_t *bytes;
    size_t size;
    world_save(world, &bytes, &size);
    bytes[8] = 77;
    assert_int_equal(world_restore(bytes, size, &copy, &err), STATUS_INVALID_ARGUMENT);
    assert_non_null(strstr(err.text, "version 77"));
    bytes[8] = PHYSICS_IMAGE_VERSION;
    bytes[9] = 99; // the behaviour of the engine comes after the version
    assert_int_equal(world_restore(bytes, size, &copy, &err), STATUS_INVALID_ARGUMENT);
    assert_non_null(strstr(err.text, "behaviour 99"));
    free(bytes);
    world_free(world);
}

// Memory is reserved by such counts before the records are read.
static void image_that_claims_more_than_its_bytes_is_refused_by_name(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, 0.0});
    uint8_t *bytes;
    size_t size;
    world_save(world, &bytes, &size);
    // An empty world ends with the counts of slots of bodies, shapes and joints, of contacts and of
    // events, a byte each, and the hash.
    const struct {
        size_t before_end;
        const char *text;
    } claims[] = {
        {13, "more slots"}, {12, "more slots"}, {11, "more slots"}, {10, "more contacts"}};
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
        physics_world *copy = NULL;
        error err = {0};
        assert_int_equal(bytes[size - claims[i].before_end], 0);
        bytes[size - claims[i].before_end] = 127;
        assert_int_equal(world_restore(bytes, size, &copy, &err), STATUS_INVALID_ARGUMENT);
        if (strstr(err.text, claims[i].text) == NULL) {
            fail_msg("%s", err.text);
        }
        bytes[size - claims[i].before_end] = 0;
    }
    free(bytes);
    world_free(world);
}

// Slots stay as high as there once were contacts. Such an image is filled up with zeros, so that
// one of few bytes can not ask for much memory.
static void high_slots_of_few_contacts_make_the_image_longer(void **state)
{
    (void)state;
    enum { CROWD = 300 };
    physics_world *world = make_world((vec2d){0.0, 0.0});
    shape_def ball = make_circle(0.5);
    body_id ids[CROWD];
    for (int i = 0; i < CROWD; i++) {
        ids[i] = put_at(world, 0.001 * i, 0.0, &ball);
    }
    run(world, 1); // every one touches every other
    assert_int_equal(world_count(world).pairs, CROWD * (CROWD - 1) / 2);
    for (int i = 0; i < CROWD - 2; i++) {
        assert_int_equal(body_remove(world, ids[i], NULL), STATUS_OK);
    }
    run(world, 1); // ends are told
    assert_int_equal(world_count(world).pairs, 1);
    uint8_t *bytes;
    size_t size;
    world_save(world, &bytes, &size);
    assert_in_range(size, 10000, 11000); // a byte for each four slots
    physics_world *copy = NULL;
    error err = {0};
    assert_int_equal(world_restore(bytes, size, &copy, &err), STATUS_OK);
    assert_true(world_hash(copy) == world_hash(world));
    world_free(copy);
    bytes[size / 2] = 1;
    assert_int_equal(world_restore(bytes, size, &copy, &err), STATUS_INVALID_ARGUMENT);
    assert_non_null(strstr(err.text, "bytes follow"));
    memmove(bytes + 2000, bytes + size - 8, 8); // the hash
    assert_int_equal(world_restore(bytes, 2008, &copy, &err), STATUS_INVALID_ARGUMENT);
    assert_non_null(strstr(err.text, "too high for so few bytes"));
    free(bytes);
    world_free(world);
}

static uint32_t slots_end(const uint8_t *bytes, size_t size, uint32_t kinds)
{
    image_counts n;
    assert_int_equal(world_image_counts(bytes, size, &n, NULL), STATUS_OK);
    return kinds == 1 ? n.body_slots : kinds == 2 ? n.shape_slots : n.joint_slots;
}

static void image_claims_what_the_world_holds(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof SCENES / sizeof *SCENES; i++) {
        physics_world *world = SCENES[i].make();
        world_room left = world_room_left(world);
        image_counts n;
        uint8_t *bytes = NULL;
        size_t size = 0;
        world_save(world, &bytes, &size);
        struct mallinfo2 before = mallinfo2();
        assert_int_equal(world_image_counts(bytes, size, &n, NULL), STATUS_OK);
        assert_int_equal(mallinfo2().uordblks, before.uordblks);
        assert_int_equal(n.bodies, world_count(world).bodies);
        assert_int_equal(n.shapes, PHYSICS_SHAPES_MAX - left.shapes);
        assert_int_equal(n.joints, world_count(world).joints);
        assert_true(n.bodies <= n.body_slots && n.shapes <= n.shape_slots);
        // The slots alone are needed: the rest is not read, and what is cut within them is told.
        for (size_t cut = 0; cut < size && cut < 400; cut++) {
            uint8_t *exact = malloc(cut + 1);
            assert_non_null(exact);
            memcpy(exact, bytes, cut);
            error err = {0};
            bool whole = world_image_counts(exact, cut, &n, &err) == STATUS_OK;
            assert_true(whole || err.status == STATUS_INVALID_ARGUMENT);
            free(exact);
        }
        free(bytes);
        world_free(world);
    }
}

// Of bodies, then of shapes: the head says that one slot is free, and its record is there.
static void image_that_carries_more_than_it_claims_is_refused(void **state)
{
    (void)state;
    for (uint32_t kind = 1; kind <= 2; kind++) {
        physics_world *world = heap_scene();
        uint8_t *bytes = NULL;
        size_t size = 0;
        world_save(world, &bytes, &size);
        image_counts n;
        assert_int_equal(world_image_counts(bytes, size, &n, NULL), STATUS_OK);
        uint32_t there = kind == 1 ? n.bodies : n.shapes;
        bool found = false;
        for (size_t at = 0; at < size && !found; at++) { // the first slot that is used
            bytes[at] ^= 1;
            image_counts few;
            found = world_image_counts(bytes, size, &few, NULL) == STATUS_OK &&
                    (kind == 1 ? few.bodies : few.shapes) == there - 1 &&
                    slots_end(bytes, size, kind) == (kind == 1 ? n.body_slots : n.shape_slots);
            bytes[at] ^= found ? 0 : 1;
        }
        assert_true(found);
        physics_world *made = NULL;
        error err = {0};
        assert_int_equal(world_restore(bytes, size, &made, &err), STATUS_INVALID_ARGUMENT);
        assert_null(made);
        free(bytes);
        world_free(world);
    }
}

// How far boxes of the fast reach ahead goes by whether anything rebounds: a command before the
// first step has to find that as it was.
static void restored_world_takes_commands_before_its_first_step(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, -10.0});
    shape_def ball = make_circle(0.5);
    const shape_def dot = make_circle(0.05);
    ball.restitution = 0.8;
    const body_id quick = put_at(world, 0.0, 0.0, &ball);
    const body_def fast = {.velocity = {50.0, 0.0}};
    shape_id added = 0;
    assert_int_equal(body_set(world, quick, BODY_FIELD_VELOCITY, &fast, NULL), STATUS_OK);
    run(world, 3);
    uint8_t *bytes = NULL;
    size_t size = 0;
    physics_world *restored = NULL;
    world_save(world, &bytes, &size);
    assert_int_equal(world_restore(bytes, size, &restored, NULL), STATUS_OK);
    free(bytes);
    physics_world *both[] = {world, restored};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(shape_add(both[i], quick, &dot, &added, NULL), STATUS_OK);
    }
    for (int tick = 0; tick < 10; tick++) {
        assert_int_equal(world_hash(world), world_hash(restored));
        world_step(world);
        world_step(restored);
    }
    world_free(world);
    world_free(restored);
}

static physics_world *restored(const physics_world *world)
{
    uint8_t *bytes = NULL;
    size_t size = 0;
    physics_world *made = NULL;
    world_save(world, &bytes, &size);
    assert_int_equal(world_restore(bytes, size, &made, NULL), STATUS_OK);
    free(bytes);
    return made;
}

static void step_alike(physics_world *world, physics_world *other, int ticks)
{
    for (int i = 0; i < ticks; i++) {
        assert_int_equal(world_hash(world), world_hash(other));
        world_step(world);
        world_step(other);
    }
    world_free(world);
    world_free(other);
}

// The first shape that rebounds has come, and no step since.
static void restored_world_looks_at_boxes_as_the_last_step_did(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, -10.0});
    const shape_def dot = make_circle(0.05);
    const body_id quick = put_at(world, 0.0, 0.0, &dot);
    const body_def fast = {.velocity = {50.0, 0.0}};
    assert_int_equal(body_set(world, quick, BODY_FIELD_VELOCITY, &fast, NULL), STATUS_OK);
    run(world, 3);
    shape_def ball = make_circle(0.5);
    ball.restitution = 0.8;
    put_at(world, 0.0, 9.0, &ball);
    physics_world *both[] = {world, restored(world)};
    for (int i = 0; i < 2; i++) {
        shape_id added;
        assert_int_equal(shape_add(both[i], quick, &dot, &added, NULL), STATUS_OK);
    }
    step_alike(both[0], both[1], 10);
}

// A pair that met while the world had no room for contacts is not looked for again until its boxes
// have parted; a restored world must not find it either.
static void restored_world_finds_no_pair_that_was_left_out(void **state)
{
    (void)state;
    for (int ticks = 1; ticks < 12; ticks++) {
        physics_world *world = make_world((vec2d){0.0, 0.0});
        const shape_def box = make_box(1.0, 1.0);
        body_id last = 0;
        world->contacts_max = 1;
        for (int i = 0; i < 3; i++) {
            last = put_at(world, 0.6 * i, 0.0, &box);
        }
        const body_def values = {.velocity = {3.0, 0.0}}; // its box is renewed every few steps
        assert_int_equal(body_set(world, last, BODY_FIELD_VELOCITY, &values, NULL), STATUS_OK);
        run(world, ticks);
        assert_int_equal(world_count(world).contacts, 1);
        world->contacts_max = PHYSICS_CONTACTS_MAX;
        step_alike(world, restored(world), 10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(image_claims_what_the_world_holds),
        cmocka_unit_test(image_that_carries_more_than_it_claims_is_refused),
        cmocka_unit_test(restored_world_goes_on_with_the_same_hashes_and_events),
        cmocka_unit_test(restored_world_gives_the_ids_that_the_old_one_would),
        cmocka_unit_test(pile_takes_less_than_200_bytes_a_body),
        cmocka_unit_test(image_cut_off_anywhere_is_refused),
        cmocka_unit_test(image_with_any_byte_altered_is_refused_or_the_same),
        cmocka_unit_test(sealed_image_with_any_bit_altered_is_refused),
        cmocka_unit_test(tag_that_is_not_utf8_is_refused),
        cmocka_unit_test(image_that_claims_more_than_its_bytes_is_refused_by_name),
        cmocka_unit_test(high_slots_of_few_contacts_make_the_image_longer),
        cmocka_unit_test(bytes_of_another_kind_or_version_are_refused_by_name),
        cmocka_unit_test(restored_world_takes_commands_before_its_first_step),
        cmocka_unit_test(restored_world_looks_at_boxes_as_the_last_step_did),
        cmocka_unit_test(restored_world_finds_no_pair_that_was_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
