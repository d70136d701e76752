// Reading full maps of bodies and joints, and writing settings of joints: one table of fields
// serves both ways. Any thread.
#include "client/lib/describe.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <carom/body.h>

#include "client/lib/answers.h"

static int word_index(const char *const *words, size_t count, const char *word)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(words[i], word) == 0) {
            return (int)i;
        }
    }
    return -1;
}

// ---- bodies

static const char *const BODY_TYPES[] = {
    [CAROM_DYNAMIC] = "dynamic", [CAROM_STATIC] = "static", [CAROM_KINEMATIC] = "kinematic"};
enum { BODY_TYPE_COUNT = sizeof BODY_TYPES / sizeof *BODY_TYPES };

const char *carom_body_type_name(carom_body_type type)
{
    return (unsigned)type < BODY_TYPE_COUNT ? BODY_TYPES[type] : NULL;
}

carom_body read_body_value(const carom_value *map)
{
    carom_vec2 position = get_vec(map, "position");
    carom_vec2 velocity = get_vec(map, "velocity");
    return (carom_body){
        .id = carom_get_uint(map, "body", 0),
        .x = position.x,
        .y = position.y,
        .angle = carom_get_real(map, "angle", 0.0),
        .vx = velocity.x,
        .vy = velocity.y,
        .w = carom_get_real(map, "angular_velocity", 0.0),
    };
}

static unsigned read_shape_events(const carom_value *words)
{
    static const char *const WORDS[] = {"contact", "hit", "sensor"};
    unsigned events = 0;
    for (size_t i = 0; i < carom_value_count(words); i++) {
        int bit = word_index(WORDS, 3, carom_as_str(carom_value_at(words, i), ""));
        events |= bit >= 0 ? 1U << bit : 0;
    }
    return events;
}

// The server writes masks as signed integers of the same bits.
static uint64_t read_mask(const carom_value *value, uint64_t fallback)
{
    return carom_value_type(value) == CAROM_INT ? (uint64_t)carom_as_int(value, 0)
                                                : carom_as_uint(value, fallback);
}

// False for a kind that this library does not know. `vertices` has space for those in the map.
static bool read_shape(const carom_value *map, carom_vec2 *vertices, carom_shape_info *out)
{
    static const char *const KINDS[] = {"circle", "box", "polygon", "capsule", "segment", "chain"};
    int kind = word_index(KINDS, sizeof KINDS / sizeof *KINDS, carom_get_str(map, "kind", ""));
    if (kind < 0) {
        return false;
    }
    const carom_value *points = carom_value_get(map, "vertices");
    const carom_value *filter = carom_value_get(map, "filter");
    size_t count = carom_value_count(points);
    for (size_t i = 0; i < count; i++) {
        vertices[i] = carom_as_vec(carom_value_at(points, i), (carom_vec2){0.0, 0.0});
    }
    *out = (carom_shape_info){
        .id = carom_get_uint(map, "shape", 0),
        .shape =
            {
                .exact = true,
                .kind = (carom_shape_kind)kind,
                .radius = carom_get_real(map, "radius", 0.0),
                .size = get_vec(map, "size"),
                .center = get_vec(map, "center"),
                .angle = carom_get_real(map, "angle", 0.0),
                .a = get_vec(map, "a"),
                .b = get_vec(map, "b"),
                .vertices = count > 0 ? vertices : NULL,
                .vertex_count = count,
                .loop = carom_get_bool(map, "loop", false),
                .density = carom_get_real(map, "density", 0.0),
                .friction = carom_get_real(map, "friction", 0.0),
                .restitution = carom_get_real(map, "restitution", 0.0),
                .rolling_resistance = carom_get_real(map, "rolling_resistance", 0.0),
                .tangent_speed = carom_get_real(map, "tangent_speed", 0.0),
                .sensor = carom_get_bool(map, "sensor", false),
                .has_filter = filter != NULL,
                .category = read_mask(carom_value_get(filter, "category"), 1),
                .mask = read_mask(carom_value_get(filter, "mask"), UINT64_MAX),
                .group = (int32_t)carom_get_int(filter, "group", 0),
                .events = read_shape_events(carom_value_get(map, "events")),
                .one_way = get_vec(map, "one_way"),
            },
    };
    return true;
}

// A memory block divided into consecutive parts. Every part has elements of 8 bytes, except the
// last, which has characters; so no padding is needed.
typedef struct block {
    carom_body_info *info;
    carom_shape_info *shapes;
    carom_vec2 *vertices;
    char *tag, *owner;
} block;

_Static_assert(sizeof(carom_body_info) % _Alignof(carom_shape_info) == 0,
               "shapes follow the struct");
_Static_assert(sizeof(carom_shape_info) % _Alignof(carom_vec2) == 0, "vertices follow the shapes");

// Makes a block for these counts, with the texts copied into it and all else zero. False when
// memory has run out.
static bool block_create(block *b, size_t shapes, size_t vertices, const char *tag,
                         const char *owner)
{
    size_t tag_size = strlen(tag) + 1;
    size_t owner_size = strlen(owner) + 1;
    char *at = calloc(1, sizeof *b->info + shapes * sizeof *b->shapes +
                             vertices * sizeof *b->vertices + tag_size + owner_size);
    if (at == NULL) {
        return false;
    }
    b->info = (carom_body_info *)(void *)at;
    at += sizeof *b->info;
    b->shapes = (carom_shape_info *)(void *)at;
    at += shapes * sizeof *b->shapes;
    b->vertices = (carom_vec2 *)(void *)at;
    at += vertices * sizeof *b->vertices;
    b->tag = memcpy(at, tag, tag_size);
    b->owner = memcpy(at + tag_size, owner, owner_size);
    return true;
}

static void fill_info(const carom_value *map, carom_body_type type, const block *b, size_t shapes)
{
    *b->info = (carom_body_info){
        .body = read_body_value(map),
        .type = type,
        .tag = b->tag,
        .owner = b->owner,
        .shapes = shapes > 0 ? b->shapes : NULL,
        .shape_count = shapes,
    };
    read_body(map, b->info);
}

carom_status describe_body(const carom_value *map, carom_body_info **out, carom_error *err)
{
    int type = word_index(BODY_TYPES, BODY_TYPE_COUNT, carom_get_str(map, "type", ""));
    if (type < 0 || carom_get_uint(map, "body", 0) == 0) {
        return fault_set(err, CAROM_INTERNAL, "a malformed description of a body");
    }
    const carom_value *shapes = carom_value_get(map, "shapes");
    size_t count = carom_value_count(shapes);
    size_t vertices = 0;
    for (size_t i = 0; i < count; i++) {
        vertices += carom_value_count(carom_value_get(carom_value_at(shapes, i), "vertices"));
    }
    block b;
    if (!block_create(&b, count, vertices, carom_get_str(map, "tag", ""),
                      carom_get_str(map, "owner", ""))) {
        return fault_memory(err);
    }
    carom_vec2 *next = b.vertices;
    for (size_t i = 0; i < count; i++) {
        if (!read_shape(carom_value_at(shapes, i), next, &b.shapes[i])) {
            free(b.info);
            return fault_set(err, CAROM_INTERNAL,
                             "a shape of a kind that this library does not know");
        }
        next += b.shapes[i].shape.vertex_count;
    }
    fill_info(map, (carom_body_type)type, &b, count);
    *out = b.info;
    return CAROM_OK;
}

carom_body_info *described_body_clone(const carom_body_info *info)
{
    size_t vertices = 0;
    for (size_t i = 0; i < info->shape_count; i++) {
        vertices += info->shapes[i].shape.vertex_count;
    }
    block b;
    if (!block_create(&b, info->shape_count, vertices, info->tag == NULL ? "" : info->tag,
                      info->owner == NULL ? "" : info->owner)) {
        return NULL;
    }
    *b.info = *info;
    b.info->tag = b.tag;
    b.info->owner = b.owner;
    b.info->shapes = info->shape_count > 0 ? b.shapes : NULL;
    carom_vec2 *next = b.vertices;
    for (size_t i = 0; i < info->shape_count; i++) {
        b.shapes[i] = info->shapes[i];
        size_t count = b.shapes[i].shape.vertex_count;
        if (count > 0) {
            memcpy(next, info->shapes[i].shape.vertices, count * sizeof *next);
            b.shapes[i].shape.vertices = next;
        }
        next += count;
    }
    return b.info;
}

void carom_body_info_free(carom_body_info *info)
{
    free(info);
}

// ---- joints

static const char *const JOINT_KINDS[] = {
    [CAROM_REVOLUTE] = "revolute", [CAROM_PRISMATIC] = "prismatic", [CAROM_DISTANCE] = "distance",
    [CAROM_WELD] = "weld",         [CAROM_WHEEL] = "wheel",         [CAROM_MOTOR] = "motor",
    [CAROM_MOUSE] = "mouse",       [CAROM_FILTER] = "filter",       [CAROM_GEAR] = "gear",
    [CAROM_PULLEY] = "pulley",
};
_Static_assert(sizeof JOINT_KINDS / sizeof *JOINT_KINDS == CAROM_JOINT_OTHER, "each has its name");

const char *carom_joint_kind_name(carom_joint_kind kind)
{
    return (unsigned)kind < CAROM_JOINT_OTHER ? JOINT_KINDS[kind] : NULL;
}

typedef struct joint_number {
    const char *name;
    size_t offset;
    bool vector;
    bool settable; // accepted by joint.set
} joint_number;

#define NUMBER(name, settable)                                                                     \
    {                                                                                              \
#name, offsetof(carom_joint_settings, name), false, settable                               \
    }
#define VECTOR_OF(name, settable)                                                                  \
    {                                                                                              \
#name, offsetof(carom_joint_settings, name), true, settable                                \
    }

static const joint_number NUMBERS[] = {
    VECTOR_OF(anchor, false),
    VECTOR_OF(anchor_a, false),
    VECTOR_OF(anchor_b, false),
    VECTOR_OF(axis, false),
    VECTOR_OF(ground_a, false),
    VECTOR_OF(ground_b, false),
    NUMBER(reference_angle, false),
    NUMBER(ratio, false),
    NUMBER(length, true),
    NUMBER(lower, true),
    NUMBER(upper, true),
    NUMBER(motor_speed, true),
    NUMBER(max_force, true),
    NUMBER(max_torque, true),
    NUMBER(hertz, true),
    NUMBER(damping_ratio, true),
    NUMBER(angular_hertz, true),
    NUMBER(angular_damping_ratio, true),
    VECTOR_OF(target, true),
    NUMBER(target_angle, true),
    NUMBER(target_translation, true),
    VECTOR_OF(velocity, true),
    NUMBER(break_force, true),
    NUMBER(break_torque, true),
};
enum { NUMBER_COUNT = sizeof NUMBERS / sizeof *NUMBERS };

static carom_vec2 read_number(const carom_joint_settings *settings, const joint_number *number)
{
    carom_vec2 v = {0.0, 0.0};
    memcpy(&v, (const char *)settings + number->offset, number->vector ? sizeof v : sizeof(double));
    return v;
}

static void write_number(carom_joint_settings *settings, const joint_number *number, carom_vec2 v)
{
    memcpy((char *)settings + number->offset, &v, number->vector ? sizeof v : sizeof(double));
}

carom_joint_settings carom_joint_settings_default(carom_joint_kind kind, uint64_t a, uint64_t b)
{
    carom_joint_settings settings = {.exact = true, .kind = kind, .a = a, .b = b};
    for (size_t i = 0; i < NUMBER_COUNT; i++) {
        write_number(&settings, &NUMBERS[i], (carom_vec2){(double)NAN, (double)NAN});
    }
    return settings;
}

void set_joint_settings(carom_value *map, const carom_joint_settings *settings, bool settable)
{
    for (size_t i = 0; i < NUMBER_COUNT; i++) {
        const joint_number *number = &NUMBERS[i];
        carom_vec2 v = read_number(settings, number);
        bool given = settings->exact ? !(isnan(v.x) && (isnan(v.y) || !number->vector))
                                     : v.x != 0.0 || v.y != 0.0;
        if (given && (number->settable || !settable)) {
            carom_set(map, number->name, number->vector ? vec_value(v) : carom_real(v.x));
        }
    }
    if (!settable) {
        set_bool(map, "collide_connected", settings->collide_connected, false);
        if (settings->joint_a != 0) {
            carom_set(map, "joint_a", id_value(settings->joint_a));
        }
        if (settings->joint_b != 0) {
            carom_set(map, "joint_b", id_value(settings->joint_b));
        }
    }
}

carom_status describe_joint(const carom_value *map, carom_joint_info *out, carom_error *err)
{
    uint64_t id = carom_get_uint(map, "joint", 0);
    if (id == 0) {
        return fault_set(err, CAROM_INTERNAL, "a malformed description of a joint");
    }
    const carom_vec2 none = {(double)NAN, (double)NAN};
    int kind = word_index(JOINT_KINDS, CAROM_JOINT_OTHER, carom_get_str(map, "kind", ""));
    carom_joint_info info = {
        .id = id,
        .settings =
            carom_joint_settings_default(kind < 0 ? CAROM_JOINT_OTHER : (carom_joint_kind)kind,
                                         carom_get_uint(map, "a", 0), carom_get_uint(map, "b", 0)),
        .points = {carom_get_vec(map, "points[0]", none), carom_get_vec(map, "points[1]", none)},
    };
    read_joint_state(carom_value_get(map, "state"), &info);
    for (size_t i = 0; i < NUMBER_COUNT; i++) {
        const carom_value *value = carom_value_get(map, NUMBERS[i].name);
        if (NUMBERS[i].vector) {
            write_number(&info.settings, &NUMBERS[i], carom_as_vec(value, none));
        } else {
            carom_vec2 number = {carom_as_real(value, (double)NAN), 0.0};
            write_number(&info.settings, &NUMBERS[i], number);
        }
    }
    info.settings.joint_a = carom_get_uint(map, "joint_a", 0);
    info.settings.joint_b = carom_get_uint(map, "joint_b", 0);
    info.settings.collide_connected = carom_get_bool(map, "collide_connected", false);
    *out = info;
    return CAROM_OK;
}
