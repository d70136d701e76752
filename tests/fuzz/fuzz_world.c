// Worlds: the bytes are a program of calls of the engine's public interface, with ordinary and
// impossible numbers. After each call the world must be consistent (validate.h), after each step
// its events must agree with the world (ledger.h); a saved and restored world must stay equal under
// the same operations, and altered images must be refused or give a valid world.
#include "common/base/assert.h"
#include "common/physics/image.h"
#include "common/physics/query.h"
#include "common/physics/validate.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/world_program.h"
#include "tests/property/physics/ledger.h"

#include <stdlib.h>
#include <string.h>

enum {
    KNOWN_MAX = 64,    // ids that the program can name
    WORK_MAX = 2000,   // bodies times sub-steps, in hundreds
    IMAGES_MAX = 12,   // most images saved in one program
    ALIKE_STEPS = 3,   // steps of a world from an altered image
    SHAPES_AT_ONCE = 4 // most shapes of a spawned body
};

typedef struct known {
    uint64_t ids[KNOWN_MAX];
    uint32_t count;
} known;

typedef struct machine {
    program program;
    physics_world *world;
    physics_world *twin; // restored from an image of the world, and treated as it; NULL: none yet
    uint64_t twin_since; // the tick of that image
    bool repeats;        // the operations on the world are being repeated on its copy
    ledger ledger;
    known bodies, shapes, joints;
    int work, images;
} machine;

static void learn(known *k, uint64_t id)
{
    k->ids[k->count++ % KNOWN_MAX] = id;
}

// An id that was learnt, which may no longer exist; or an arbitrary number.
static uint64_t name_one(machine *m, const known *k)
{
    uint8_t byte = take_byte(&m->program);
    if (byte >= 250) {
        return (uint64_t)take_word(&m->program) << (byte % 30);
    }
    uint32_t count = k->count < KNOWN_MAX ? k->count : KNOWN_MAX;
    return count > 0 ? k->ids[byte % count] : 0;
}

// A refusal has a text, and a status that a caller can cause.
static bool accepted(status s, const error *err)
{
    ASSERT(s == STATUS_OK || err->text[0] != '\0');
    ASSERT(s != STATUS_INTERNAL);
    return s == STATUS_OK;
}

// ---- making and unmaking

static void op_spawn(machine *m)
{
    static vec2 points[SHAPES_AT_ONCE][PROGRAM_CHAIN_POINTS];
    body_def def = take_body_def(&m->program);
    int count = take_byte(&m->program) % (SHAPES_AT_ONCE + 1);
    count = count == SHAPES_AT_ONCE ? 1 : count;
    shape_def shapes[SHAPES_AT_ONCE];
    for (int i = 0; i < count; i++) {
        shapes[i] = take_shape_def(&m->program, points[i]);
    }
    world_counts before = world_count(m->world);
    body_id id;
    shape_id ids[SHAPES_AT_ONCE];
    error err = {0};
    if (accepted(body_spawn(m->world, &def, shapes, count, &id, ids, &err), &err)) {
        learn(&m->bodies, id);
        for (int i = 0; i < count; i++) {
            learn(&m->shapes, ids[i]);
        }
    } else {
        world_counts after = world_count(m->world); // nothing has happened
        ASSERT(memcmp(&before, &after, sizeof before) == 0);
    }
}

static void op_shape_add(machine *m)
{
    static vec2 points[PROGRAM_CHAIN_POINTS];
    body_id owner = name_one(m, &m->bodies);
    shape_def def = take_shape_def(&m->program, points);
    shape_id id;
    error err = {0};
    if (accepted(shape_add(m->world, owner, &def, &id, &err), &err)) {
        learn(&m->shapes, id);
    }
}

static void op_joint_create(machine *m)
{
    joint_def def = take_joint_def(&m->program);
    def.a = name_one(m, &m->bodies);
    def.b = name_one(m, &m->bodies);
    if (def.kind == JOINT_GEAR && take_bool(&m->program)) {
        def.joint_a = name_one(m, &m->joints);
        def.joint_b = name_one(m, &m->joints);
        def.fields |= JOINT_FIELD_JOINT_A | JOINT_FIELD_JOINT_B;
        if (take_bool(&m->program)) {
            def.a = def.b = 0;
        }
    }
    joint_id id;
    error err = {0};
    if (accepted(joint_create(m->world, &def, &id, &err), &err)) {
        learn(&m->joints, id);
    }
}

static void op_remove(machine *m)
{
    error err = {0};
    switch (take_byte(&m->program) % 3) {
    case 0: {
        body_id id = name_one(m, &m->bodies);
        if (accepted(body_remove(m->world, id, &err), &err)) {
            body_info info;
            ASSERT(body_get(m->world, id, &info, &err) == STATUS_NOT_FOUND);
        }
        break;
    }
    case 1: {
        shape_id id = name_one(m, &m->shapes);
        if (accepted(shape_remove(m->world, id, &err), &err)) {
            shape_info info;
            ASSERT(shape_get(m->world, id, &info, &err) == STATUS_NOT_FOUND);
        }
        break;
    }
    default: {
        joint_id id = name_one(m, &m->joints);
        if (accepted(joint_remove(m->world, id, &err), &err)) {
            joint_info info;
            ASSERT(joint_get(m->world, id, &info, &err) == STATUS_NOT_FOUND);
        }
        break;
    }
    }
}

// ---- changing

static void op_body_set(machine *m)
{
    body_id id = name_one(m, &m->bodies);
    uint32_t fields = 1u << take_byte(&m->program) % 15;
    if (take_bool(&m->program)) {
        fields |= take_word(&m->program) & 0x7FFF;
    }
    body_def values = take_body_def(&m->program);
    error err = {0};
    accepted(body_set(m->world, id, fields, &values, &err), &err);
}

static void op_shape_set(machine *m)
{
    static vec2 points[PROGRAM_CHAIN_POINTS];
    shape_id id = name_one(m, &m->shapes);
    uint32_t fields = 1u << take_byte(&m->program) % 8;
    if (take_bool(&m->program)) {
        fields |= take_byte(&m->program);
    }
    shape_def values = take_shape_def(&m->program, points);
    error err = {0};
    shape_info info;
    // The ends of its touches have been reported
    if (shape_get(m->world, id, &info, &err) == STATUS_OK) {
        values.events &= ~(uint32_t)SHAPE_EVENT_CONTACT;
        values.events |= info.def.events & SHAPE_EVENT_CONTACT;
    }
    accepted(shape_set(m->world, id, fields, &values, &err), &err);
}

static void op_joint_set(machine *m)
{
    joint_id id = name_one(m, &m->joints);
    joint_def values = take_joint_def(&m->program);
    error err = {0};
    joint_info info;
    uint32_t fields = values.fields;
    if (joint_get(m->world, id, &info, &err) == STATUS_OK && take_bool(&m->program)) {
        fields &= joint_kind_settable(info.def.kind);
    }
    accepted(joint_set(m->world, id, fields, &values, &err), &err);
}

static void op_push(machine *m)
{
    body_id id = name_one(m, &m->bodies);
    uint8_t how = take_byte(&m->program);
    vec2d push = take_vector(&m->program, 5.0);
    vec2d at = (how & 4) != 0 ? take_vector(&m->program, 2.0) : (vec2d){0.0, 0.0};
    const vec2d *place = (how & 4) != 0 ? &at : NULL;
    error err = {0};
    switch (how & 3) {
    case 0:
        accepted(body_apply_impulse(m->world, id, push, place, &err), &err);
        break;
    case 1:
        accepted(body_apply_angular_impulse(m->world, id, push.x, &err), &err);
        break;
    case 2:
        accepted(body_set_force(m->world, id, push, place, &err), &err);
        break;
    default:
        accepted(body_set_torque(m->world, id, push.x, &err), &err);
        break;
    }
}

static void op_world_set(machine *m)
{
    error err = {0};
    switch (take_byte(&m->program) & 3) {
    case 0:
        accepted(world_set_restitution_threshold(m->world, take_positive(&m->program, 1.0), &err),
                 &err);
        break;
    case 1:
        accepted(world_set_gravity(m->world, take_vector(&m->program, 10.0), &err), &err);
        break;
    default:
        accepted(world_set_sleep(m->world, take_bool(&m->program), &err), &err);
        break;
    }
}

// ---- stepping

static void one_step(machine *m)
{
    world_def def = world_definition(m->world);
    m->work += 1 + (int)world_count(m->world).bodies * def.substeps / 100;
    world_step(m->world);
    world_validate(m->world);
    if (!m->repeats) {
        ledger_check(&m->ledger, m->world);
    }
}

static void op_step(machine *m)
{
    int steps = 1 + take_byte(&m->program) % 16;
    for (int i = 0; i < steps && m->work < WORK_MAX; i++) {
        one_step(m);
    }
}

// Steps for a while, perhaps until all bodies sleep.
static void op_settle(machine *m)
{
    for (int i = 0; i < 120 && m->work < WORK_MAX && world_count(m->world).awake > 0; i++) {
        one_step(m);
    }
}

// ---- images

static physics_world *twin_of(const physics_world *world)
{
    uint8_t *bytes;
    size_t size;
    world_save(world, &bytes, &size);
    physics_world *twin = NULL;
    error err = {0};
    ASSERT(world_restore(bytes, size, &twin, &err) == STATUS_OK);
    world_validate(twin);
    uint8_t *again;
    size_t again_size;
    world_save(twin, &again, &again_size);
    ASSERT(size == again_size && memcmp(bytes, again, size) == 0);
    free(bytes);
    free(again);
    return twin;
}

static void same_events(const physics_world *a, const physics_world *b)
{
    uint32_t count_a;
    uint32_t count_b;
    const physics_event *of_a = world_events(a, &count_a);
    const physics_event *of_b = world_events(b, &count_b);
    ASSERT(count_a == count_b);
    for (uint32_t i = 0; i < count_a; i++) {
        ASSERT(of_a[i].kind == of_b[i].kind && of_a[i].tick == of_b[i].tick);
        ASSERT(of_a[i].a == of_b[i].a && of_a[i].b == of_b[i].b);
        ASSERT(of_a[i].shape_a == of_b[i].shape_a && of_a[i].shape_b == of_b[i].shape_b);
        ASSERT(of_a[i].point.x == of_b[i].point.x && of_a[i].point.y == of_b[i].point.y);
        ASSERT(of_a[i].impulse == of_b[i].impulse && of_a[i].speed == of_b[i].speed);
    }
}

// From here on, every operation on the world is also done to its restored twin.
static void op_twin(machine *m)
{
    if (m->repeats || m->images++ >= IMAGES_MAX) {
        return;
    }
    world_free(m->twin);
    m->twin = twin_of(m->world);
    m->twin_since = world_tick(m->world);
}

static void op_damaged_image(machine *m)
{
    if (m->repeats || m->images++ >= IMAGES_MAX) {
        return;
    }
    uint8_t *bytes;
    size_t size;
    world_save(m->world, &bytes, &size);
    int changes = 1 + take_byte(&m->program) % 4;
    for (int i = 0; i < changes; i++) {
        size_t place = take_word(&m->program) % size;
        bytes[place] = take_byte(&m->program);
    }
    size_t cut = take_bool(&m->program) ? take_word(&m->program) % size : size;
    // The copy has the exact size, so that a sanitizer sees a read past the end.
    uint8_t *exact = malloc(cut > 0 ? cut : 1);
    ASSERT(exact != NULL);
    memcpy(exact, bytes, cut);
    physics_world *world = NULL;
    error err = {0};
    if (accepted(world_restore(exact, cut, &world, &err), &err)) {
        world_validate(world);
        for (int i = 0; i < ALIKE_STEPS; i++) {
            world_step(world);
            world_validate(world);
        }
        world_free(world);
    }
    free(exact);
    free(bytes);
}

// ---- asking

static void check_hits(const query_hits *hits)
{
    for (uint32_t i = 0; i < hits->count; i++) {
        const query_hit *h = &hits->data[i];
        ASSERT(h->fraction >= 0.0 && h->fraction <= 1.0);
        ASSERT(vec2d_is_finite(h->point) && vec2_is_finite(h->normal));
        ASSERT(i == 0 || hits->data[i - 1].fraction <= h->fraction);
    }
}

static query_filter take_filter(machine *m)
{
    query_filter filter = query_filter_default();
    uint8_t how = take_byte(&m->program);
    if ((how & 1) != 0) {
        filter.filter =
            (shape_filter){take_byte(&m->program), take_byte(&m->program), (how & 2) - 1};
    }
    filter.ignore = (how & 4) != 0 ? name_one(m, &m->bodies) : 0;
    filter.sensors = (how & 8) != 0;
    return filter;
}

static void op_query(machine *m)
{
    query_hits hits = {0};
    query_list list = {0};
    error err = {0};
    uint8_t what = take_byte(&m->program);
    query_filter filter = take_filter(m);
    vec2d from = take_vector(&m->program, 3.0);
    vec2d to = take_vector(&m->program, 3.0);
    bool all = (what & 8) != 0;
    switch (what % 7) {
    case 0:
    case 1:
        accepted(query_ray(m->world, from, to, &filter, all, &hits, &err), &err);
        break;
    case 2: {
        shape_geometry form = take_geometry(&m->program);
        accepted(query_cast(m->world, &form, from, to, &filter, all, &hits, &err), &err);
        break;
    }
    case 3:
        accepted(query_overlap_area(m->world, from, to, &filter, &list, &err), &err);
        break;
    case 4: {
        shape_geometry form = take_geometry(&m->program);
        pose frame = {from, rot_from_angle(take_number(&m->program, 1.0))};
        accepted(query_overlap_shape(m->world, &form, frame, &filter, &list, &err), &err);
        break;
    }
    case 5:
        accepted(query_point(m->world, from, &filter, &list, &err), &err);
        break;
    default: {
        query_near near;
        if (accepted(query_nearest(m->world, from, take_positive(&m->program, 5.0), &filter, &near,
                                   &err),
                     &err) &&
            near.body != 0) {
            ASSERT(near.distance >= 0.0 && vec2d_is_finite(near.point));
        }
        break;
    }
    }
    check_hits(&hits);
    array_free(&hits);
    array_free(&list);
}

static void op_look(machine *m)
{
    body_row rows[8];
    uint32_t count = world_rows(m->world, rows, 8);
    error err = {0};
    for (uint32_t i = 0; i < count; i++) {
        body_info info;
        ASSERT(body_get(m->world, rows[i].id, &info, &err) == STATUS_OK);
        ASSERT(rows[i].position.x == info.position.x && rows[i].position.y == info.position.y);
        ASSERT(rows[i].awake == info.awake);
        uint32_t shapes = 0;
        for (shape_id s = 0; (s = body_next_shape(m->world, info.id, s)) != 0; shapes++) {
            shape_info shape;
            ASSERT(shape_get(m->world, s, &shape, &err) == STATUS_OK && shape.body == info.id);
            ASSERT(shape_def_check(&shape.def, &err) == STATUS_OK);
        }
        ASSERT(shapes == info.shape_count);
    }
    for (joint_id j = 0; (j = world_next_joint(m->world, j)) != 0;) {
        joint_info info;
        ASSERT(joint_get(m->world, j, &info, &err) == STATUS_OK && info.id == j);
        ASSERT(!isnan(info.angle) && !isnan(info.translation) && !isnan(info.length));
    }
    ASSERT(world_hash(m->world) == world_hash(m->world));
}

// ---- the machine

static void (*const OPS[])(machine *) = {
    op_spawn,    op_spawn,        op_spawn,     op_spawn,     op_shape_add, op_joint_create,
    op_body_set, op_joint_set,    op_push,      op_world_set, op_remove,    op_step,
    op_step,     op_settle,       op_twin,      op_query,     op_look,      op_damaged_image,
    op_body_set, op_joint_create, op_shape_set,
};

// Puts in a floor, so that falling bodies meet.
static void put_floor(machine *m)
{
    body_def def = body_def_default();
    def.type = BODY_STATIC;
    def.position = (vec2d){0.0, -5.0};
    shape_def shape = shape_def_default();
    shape.geometry.kind = SHAPE_POLYGON;
    error err = {0};
    polygon_make_box((vec2){40.0f, 2.0f}, (vec2){0.0f, 0.0f}, 0.0, 0.0f, &shape.geometry.polygon,
                     &err);
    body_id id;
    shape_id shape_id_;
    if (body_spawn(m->world, &def, &shape, 1, &id, &shape_id_, &err) == STATUS_OK) {
        learn(&m->bodies, id);
        learn(&m->shapes, shape_id_);
    }
}

static void do_one(machine *m)
{
    OPS[take_byte(&m->program) % (sizeof OPS / sizeof *OPS)](m);
    world_validate(m->world);
}

// Repeats the operation on the twin, with the same bytes and ids.
static void repeat(const machine *m, const machine *before)
{
    machine twin = *before;
    twin.repeats = true;
    twin.world = before->twin;
    do_one(&twin);
    ASSERT(world_hash(m->world) == world_hash(twin.world));
    if (world_tick(twin.world) > m->twin_since) { // events of earlier steps are in no image
        same_events(m->world, twin.world);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    machine m = {.program = {data, size, 0}};
    world_def def = take_world_def(&m.program);
    error err = {0};
    if (!accepted(world_create(&def, &m.world, &err), &err)) {
        return 0;
    }
    ledger_init(&m.ledger);
    if (take_bool(&m.program)) {
        put_floor(&m);
    }
    while (m.program.place < size && m.work < WORK_MAX) {
        const machine before = m;
        do_one(&m);
        if (before.twin != NULL && m.twin == before.twin) {
            repeat(&m, &before);
        }
    }
    one_step(&m);
    ledger_deinit(&m.ledger);
    world_free(m.world);
    world_free(m.twin);
    return 0;
}
