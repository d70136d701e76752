// Bodies, shapes and joints in full: the arguments under the names used to make them, and their
// present state.
#include "proto/encode/encode_pack.h"

#include "common/base/assert.h"
#include "proto/wire/buffer.h"

const char *choices_of(const arg_list *list, const char *name)
{
    int at = arg_list_find(list, name, strlen(name));
    ASSERT(at >= 0 && list->args[at].choices != NULL);
    return list->args[at].choices;
}

// ---- shapes

// Masks are sent as the signed integer of the same bits (all bits: -1), as the decoder accepts
// them: many clients, Neovim among them, cannot read integers over 2^63 - 1.
static void pack_mask(packer *k, const char *key, uint64_t mask)
{
    pack_text(k, key);
    msgpack_pack_int64(k, (int64_t)mask);
}

static void pack_filter(packer *k, const shape_filter *filter)
{
    pack_map(k, 3);
    pack_mask(k, "category", filter->category);
    pack_mask(k, "mask", filter->mask);
    pack_text(k, "group");
    msgpack_pack_int32(k, filter->group);
}

static void pack_shape_events(packer *k, uint32_t events)
{
    const char *words = choices_of(&METHOD_SHAPES[METHOD_SHAPE_CIRCLE], "events");
    pack_array(k, (uint32_t)__builtin_popcount(events));
    for (uint32_t i = 0; i < 32; i++) {
        if ((events >> i & 1) != 0) {
            pack_word(k, words, i);
        }
    }
}

static void pack_points(packer *k, const vec2 *points, uint32_t count)
{
    pack_text(k, "vertices");
    pack_array(k, count);
    for (uint32_t i = 0; i < count; i++) {
        pack_vec2(k, points[i]);
    }
}

// How many pairs pack_form writes.
static uint32_t form_pairs(const shape_def *def)
{
    bool short_form = def->form == FORM_CONVEX &&
                      (def->geometry.kind == SHAPE_CIRCLE || def->geometry.kind == SHAPE_SEGMENT ||
                       def->geometry.kind == SHAPE_POLYGON);
    return def->form == FORM_CHAIN || short_form ? 3 : 4;
}

static void pack_chain(packer *k, const shape_def *def)
{
    pair_text(k, "kind", "chain");
    pack_points(k, def->points, (uint32_t)def->point_count);
    pair_bool(k, "loop", def->loop);
}

static void pack_form(packer *k, const shape_def *def)
{
    const shape_geometry *g = &def->geometry;
    if (def->form == FORM_CHAIN) {
        pack_chain(k, def);
        return;
    }
    switch (g->kind) {
    case SHAPE_CIRCLE:
        pair_text(k, "kind", "circle");
        pair_float(k, "radius", (double)g->circle.radius);
        pair_vec2(k, "center", g->circle.center);
        break;
    case SHAPE_CAPSULE:
        pair_text(k, "kind", "capsule");
        pair_vec2(k, "a", g->capsule.a);
        pair_vec2(k, "b", g->capsule.b);
        pair_float(k, "radius", (double)g->capsule.radius);
        break;
    case SHAPE_POLYGON:
        pair_text(k, "kind", "polygon");
        pack_points(k, g->polygon.vertices, (uint32_t)g->polygon.count);
        pair_float(k, "radius", (double)g->polygon.radius);
        break;
    case SHAPE_SEGMENT:
        pair_text(k, "kind", "segment");
        pair_vec2(k, "a", g->segment.a);
        pair_vec2(k, "b", g->segment.b);
        break;
    case SHAPE_CHAIN_SEGMENT: // a segment has no id and is never encoded alone
    case SHAPE_KIND_COUNT:
        ASSERT(false);
    }
}

static void pack_shape(packer *k, const shape_info *shape)
{
    const shape_def *def = &shape->def;
    pack_map(k, 1 + form_pairs(def) + 8);
    pair_uint(k, "shape", shape->id);
    pack_form(k, def);
    pair_float(k, "density", def->density);
    pair_float(k, "friction", def->friction);
    pair_float(k, "restitution", def->restitution);
    pair_float(k, "rolling_resistance", def->rolling_resistance);
    pair_float(k, "tangent_speed", def->tangent_speed);
    pair_bool(k, "sensor", def->sensor);
    pack_text(k, "filter");
    pack_filter(k, &def->filter);
    pack_text(k, "events");
    pack_shape_events(k, def->events);
}

// ---- bodies

enum { BODY_PAIRS = 22 };

void pack_body(packer *k, const body_record *body, uint32_t extra)
{
    const body_info *i = &body->info;
    bool owned = body->owner != NULL && *body->owner != '\0';
    pack_map(k, BODY_PAIRS + (owned ? 1u : 0u) + extra);
    pair_uint(k, "body", i->id);
    pack_text(k, "type");
    pack_word(k, choices_of(&METHODS[METHOD_BODY_SPAWN].list, "type"), (uint32_t)i->type);
    pair_place(k, "position", i->position);
    pair_double(k, "angle", i->angle);
    pair_vec2d_float(k, "velocity", i->velocity);
    pair_float(k, "angular_velocity", i->angular_velocity);
    pair_place(k, "center", i->center);
    pair_float(k, "mass", i->mass);
    pair_float(k, "inertia", i->inertia);
    pair_float(k, "linear_damping", i->linear_damping);
    pair_float(k, "angular_damping", i->angular_damping);
    pair_float(k, "gravity_scale", i->gravity_scale);
    pair_vec2d_float(k, "force", i->force);
    pair_float(k, "torque", i->torque);
    pair_bool(k, "fixed_rotation", i->fixed_rotation);
    pair_bool(k, "bullet", i->bullet);
    pair_bool(k, "allow_sleep", i->allow_sleep);
    pair_bool(k, "awake", i->awake);
    pair_bool(k, "enabled", i->enabled);
    pair_bool(k, "frozen", i->frozen);
    pair_text(k, "tag", i->tag);
    if (owned) {
        pair_text(k, "owner", body->owner);
    }
    pack_text(k, "shapes");
    pack_array(k, i->shape_count);
    for (uint32_t s = 0; s < i->shape_count; s++) {
        pack_shape(k, &body->shapes[s]);
    }
}

void encode_body(struct buffer *out, const body_record *body)
{
    packer k = buffer_packer(out);
    pack_body(&k, body, 0);
}

// ---- joints

// A field of the definition as a pair, if it is in effect.
typedef struct joint_pair {
    joint_field field;
    enum { PAIR_FLOAT, PAIR_DOUBLE, PAIR_PLACE, PAIR_VECTOR, PAIR_ID } form;
    const char *name;
    const void *value;
} joint_pair;

static void pack_joint_pair(packer *k, const joint_pair *pair)
{
    switch (pair->form) {
    case PAIR_FLOAT:
        pair_float(k, pair->name, *(const double *)pair->value);
        break;
    case PAIR_DOUBLE:
        pair_double(k, pair->name, *(const double *)pair->value);
        break;
    case PAIR_PLACE:
        pair_place(k, pair->name, *(const vec2d *)pair->value);
        break;
    case PAIR_VECTOR:
        pair_vec2(k, pair->name, *(const vec2 *)pair->value);
        break;
    case PAIR_ID:
        pair_uint(k, pair->name, *(const joint_id *)pair->value);
        break;
    }
}

// Number of the pairs that every joint has; the others are counted below.
enum { JOINT_PAIRS_FIXED = 7 };

void pack_joint(packer *k, const joint_info *joint)
{
    const joint_def *d = &joint->def;
    const joint_pair pairs[] = {
        {JOINT_FIELD_ANCHOR_A, PAIR_PLACE, "anchor_a", &d->anchor_a},
        {JOINT_FIELD_ANCHOR_B, PAIR_PLACE, "anchor_b", &d->anchor_b},
        {JOINT_FIELD_AXIS, PAIR_VECTOR, "axis", &d->axis},
        {JOINT_FIELD_REFERENCE_ANGLE, PAIR_DOUBLE, "reference_angle", &d->reference_angle},
        {JOINT_FIELD_LENGTH, PAIR_FLOAT, "length", &d->length},
        {JOINT_FIELD_LOWER, PAIR_FLOAT, "lower", &d->lower},
        {JOINT_FIELD_UPPER, PAIR_FLOAT, "upper", &d->upper},
        {JOINT_FIELD_MOTOR_SPEED, PAIR_FLOAT, "motor_speed", &d->motor_speed},
        {JOINT_FIELD_MAX_FORCE, PAIR_FLOAT, "max_force", &d->max_force},
        {JOINT_FIELD_MAX_TORQUE, PAIR_FLOAT, "max_torque", &d->max_torque},
        {JOINT_FIELD_HERTZ, PAIR_FLOAT, "hertz", &d->hertz},
        {JOINT_FIELD_DAMPING_RATIO, PAIR_FLOAT, "damping_ratio", &d->damping_ratio},
        {JOINT_FIELD_ANGULAR_HERTZ, PAIR_FLOAT, "angular_hertz", &d->angular_hertz},
        {JOINT_FIELD_ANGULAR_DAMPING_RATIO, PAIR_FLOAT, "angular_damping_ratio",
         &d->angular_damping_ratio},
        {JOINT_FIELD_TARGET, PAIR_PLACE, "target", &d->target},
        {JOINT_FIELD_TARGET_ANGLE, PAIR_FLOAT, "target_angle", &d->target_angle},
        {JOINT_FIELD_TARGET_TRANSLATION, PAIR_FLOAT, "target_translation", &d->target_translation},
        {JOINT_FIELD_VELOCITY, PAIR_VECTOR, "velocity", &d->velocity},
        {JOINT_FIELD_RATIO, PAIR_FLOAT, "ratio", &d->ratio},
        {JOINT_FIELD_JOINT_A, PAIR_ID, "joint_a", &d->joint_a},
        {JOINT_FIELD_JOINT_B, PAIR_ID, "joint_b", &d->joint_b},
        {JOINT_FIELD_GROUND_A, PAIR_PLACE, "ground_a", &d->ground_a},
        {JOINT_FIELD_GROUND_B, PAIR_PLACE, "ground_b", &d->ground_b},
        {JOINT_FIELD_BREAK_FORCE, PAIR_FLOAT, "break_force", &d->break_force},
        {JOINT_FIELD_BREAK_TORQUE, PAIR_FLOAT, "break_torque", &d->break_torque},
    };
    const size_t count = sizeof pairs / sizeof *pairs;
    uint32_t told = 0;
    for (size_t i = 0; i < count; i++) {
        told += (d->fields & (uint32_t)pairs[i].field) != 0;
    }
    pack_map(k, JOINT_PAIRS_FIXED + told);
    pair_uint(k, "joint", joint->id);
    pack_text(k, "kind");
    pack_word(k, choices_of(&METHODS[METHOD_JOINT_CREATE].list, "kind"), (uint32_t)d->kind);
    pair_uint(k, "a", d->a);
    pair_uint(k, "b", d->b);
    pair_bool(k, "collide_connected", d->collide_connected);
    for (size_t i = 0; i < count; i++) {
        if ((d->fields & (uint32_t)pairs[i].field) != 0) {
            pack_joint_pair(k, &pairs[i]);
        }
    }
    // How it is now.
    pack_text(k, "points");
    pack_array(k, 2);
    pack_place(k, joint->anchor_a);
    pack_place(k, joint->anchor_b);
    pack_text(k, "state");
    pack_map(k, 8);
    pair_double(k, "angle", joint->angle);
    pair_double(k, "translation", joint->translation);
    pair_double(k, "length", joint->length);
    pair_double(k, "speed", joint->speed);
    pair_double(k, "side_a", joint->side_a);
    pair_double(k, "side_b", joint->side_b);
    pair_place(k, "force", joint->force);
    pair_double(k, "torque", joint->torque);
}

void encode_joint(struct buffer *out, const joint_info *joint)
{
    packer k = buffer_packer(out);
    pack_joint(&k, joint);
}
