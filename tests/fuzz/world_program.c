// Reads numbers from a fuzzer's bytes; after their end all numbers are 0, so every input is a valid
// program. One thread.
#include "tests/fuzz/world_program.h"

#include <float.h>
#include <string.h>

uint8_t take_byte(program *p)
{
    return p->place < p->size ? p->data[p->place++] : 0;
}

uint32_t take_word(program *p)
{
    uint32_t word = 0;
    for (int i = 0; i < 4; i++) {
        word |= (uint32_t)take_byte(p) << 8 * i;
    }
    return word;
}

bool take_bool(program *p)
{
    return (take_byte(p) & 1) != 0;
}

double take_number(program *p, double usual)
{
    static const double EXTREMES[] = {
        0.0,
        -0.0,
        1.0,
        -1.0,
        1.0e-45,
        (double)FLT_MIN,
        DBL_MIN,
        1.0e-6,
        (double)SHAPE_EXTENT_MIN,
        (double)LINEAR_SLOP,
        (double)SHAPE_EXTENT_MAX,
        PHYSICS_SPEED_MAX,
        -PHYSICS_SPEED_MAX,
        PHYSICS_EXTENT_MAX,
        -PHYSICS_EXTENT_MAX,
        PHYSICS_EXTENT_MAX * 1.0000001,
        1.0e5,
        1.0e9,
        PHYSICS_FORCE_MAX,
        -PHYSICS_FORCE_MAX,
        1.0e13,
        (double)FLT_MAX,
        -(double)FLT_MAX,
        DBL_MAX,
        -DBL_MAX,
        (double)INFINITY,
        -(double)INFINITY,
        (double)NAN,
        PI_D,
        0.5,
    };
    const int count = (int)(sizeof EXTREMES / sizeof *EXTREMES);
    int byte = take_byte(p);
    if (byte < 192) {
        return (byte - 96) / 24.0 * usual;
    }
    if (byte - 192 < count) {
        return EXTREMES[byte - 192];
    }
    uint32_t bits = take_word(p);
    if (byte < 240) { // a fine number
        return usual * ((double)bits * 0x1p-31 - 1.0);
    }
    float any;
    memcpy(&any, &bits, sizeof any);
    return (double)any;
}

double take_positive(program *p, double usual)
{
    double number = take_number(p, usual);
    return number < 0.0 ? -number : number;
}

vec2d take_vector(program *p, double usual)
{
    double x = take_number(p, usual);
    double y = take_number(p, usual);
    return (vec2d){x, y};
}

// To float as a caller would: what is too large becomes infinite.
static float narrow(double number)
{
    return (float)number;
}

vec2 take_small_vector(program *p, double usual)
{
    vec2d v = take_vector(p, usual);
    return (vec2){narrow(v.x), narrow(v.y)};
}

world_def take_world_def(program *p)
{
    world_def def = world_def_default();
    uint8_t given = take_byte(p);
    if ((given & 1) != 0) {
        def.gravity = take_vector(p, 10.0);
    }
    if ((given & 2) != 0) {
        def.hz = take_positive(p, 60.0);
    }
    if ((given & 4) != 0) {
        def.substeps = take_byte(p) % 10;
    }
    if ((given & 8) != 0) {
        def.bodies_max = take_byte(p);
    }
    if ((given & 16) != 0) {
        def.restitution_threshold = take_positive(p, 1.0);
        def.hit_threshold = take_positive(p, 1.0);
    }
    def.sleep = (given & 32) == 0;
    def.continuous = (given & 64) == 0;
    return def;
}

body_def take_body_def(program *p)
{
    body_def def = body_def_default();
    uint8_t given = take_byte(p);
    uint8_t flags = take_byte(p);
    def.type = (flags & 3) == 3 ? BODY_DYNAMIC : (body_type)((flags & 3) ^ 2); // 0: dynamic
    def.position = take_vector(p, 2.0);
    if ((given & 1) != 0) {
        def.angle = take_number(p, 1.0);
    }
    if ((given & 2) != 0) {
        def.velocity = take_vector(p, 10.0);
    }
    if ((given & 4) != 0) {
        def.angular_velocity = take_number(p, 5.0);
    }
    if ((given & 8) != 0) {
        def.linear_damping = take_positive(p, 0.5);
        def.angular_damping = take_positive(p, 0.5);
    }
    if ((given & 16) != 0) {
        def.gravity_scale = take_number(p, 1.0);
    }
    if ((given & 32) != 0) {
        def.mass = take_positive(p, 1.0);
    }
    if ((given & 64) != 0) {
        def.tag = take_bool(p) ? "a tag" : "";
    }
    def.fixed_rotation = (flags & 4) != 0;
    def.bullet = (flags & 8) != 0;
    def.allow_sleep = (flags & 16) == 0;
    def.awake = (flags & 32) == 0;
    def.enabled = (flags & 64) == 0;
    return def;
}

// ---- shapes

static void take_polygon(program *p, polygon *out)
{
    vec2 points[POLYGON_VERTICES_MAX + 1];
    int count = take_byte(p) % (POLYGON_VERTICES_MAX + 2);
    for (int i = 0; i < count; i++) {
        points[i] = take_small_vector(p, 0.5);
    }
    float radius = take_bool(p) ? narrow(take_positive(p, 0.1)) : 0.0f;
    error err;
    if (polygon_make(points, count, radius, out, &err) != STATUS_OK) {
        *out = (polygon){.count = count, .radius = radius};
        for (int i = 0; i < count && i < POLYGON_VERTICES_MAX; i++) {
            out->vertices[i] = points[i]; // no normals: not a polygon
        }
    }
}

// Makes a polygon without polygon_make(), as a careless caller might.
static void take_raw_polygon(program *p, polygon *out)
{
    *out = (polygon){.count = take_byte(p) % (POLYGON_VERTICES_MAX + 2)};
    for (int i = 0; i < out->count && i < POLYGON_VERTICES_MAX; i++) {
        out->vertices[i] = take_small_vector(p, 0.5);
        out->normals[i] = take_small_vector(p, 0.5);
    }
    out->centroid = take_small_vector(p, 0.5);
    out->radius = narrow(take_number(p, 0.1));
}

shape_geometry take_geometry(program *p)
{
    shape_geometry g = {0};
    error err;
    switch (take_byte(p) % 9) {
    case 0:
    case 1:
        g.kind = SHAPE_POLYGON;
        if (polygon_make_box((vec2){narrow(take_positive(p, 0.5)), narrow(take_positive(p, 0.5))},
                             (vec2){0.0f, 0.0f}, 0.0, 0.0f, &g.polygon, &err) == STATUS_OK) {
            break;
        }
        g.polygon = (polygon){0};
        break;
    case 2:
        g.kind = SHAPE_CIRCLE;
        g.circle.radius = narrow(take_positive(p, 0.25));
        break;
    case 3:
        g.kind = SHAPE_CIRCLE;
        g.circle.center = take_small_vector(p, 0.5);
        g.circle.radius = narrow(take_number(p, 0.25));
        break;
    case 4:
        g.kind = SHAPE_CAPSULE;
        g.capsule.a = take_small_vector(p, 0.5);
        g.capsule.b = take_small_vector(p, 0.5);
        g.capsule.radius = narrow(take_positive(p, 0.2));
        break;
    case 5:
        g.kind = SHAPE_POLYGON;
        take_polygon(p, &g.polygon);
        break;
    case 6:
        g.kind = SHAPE_SEGMENT;
        g.segment.a = take_small_vector(p, 2.0);
        g.segment.b = take_small_vector(p, 2.0);
        break;
    case 7:
        g.kind = SHAPE_POLYGON;
        take_raw_polygon(p, &g.polygon);
        break;
    default:
        g.kind = (shape_kind)(take_byte(p) % (SHAPE_KIND_COUNT + 1));
        break;
    }
    return g;
}

static void take_chain(program *p, shape_def *def, vec2 points[PROGRAM_CHAIN_POINTS])
{
    def->form = FORM_CHAIN;
    def->points = points;
    def->point_count = take_byte(p) % (PROGRAM_CHAIN_POINTS + 1);
    def->loop = take_bool(p);
    bool floor = take_bool(p); // from right to left, so that the upper side collides
    for (int i = 0; i < def->point_count; i++) {
        points[i] = take_small_vector(p, 1.0);
        if (floor) {
            points[i].x += 6.0f - 2.0f * (float)i;
        }
    }
}

shape_def take_shape_def(program *p, vec2 points[PROGRAM_CHAIN_POINTS])
{
    shape_def def = shape_def_default();
    uint8_t given = take_byte(p);
    if ((given & 7) == 7) {
        take_chain(p, &def, points);
    } else {
        def.geometry = take_geometry(p);
    }
    if ((given & 8) != 0) {
        def.density = take_positive(p, 1.0);
        def.friction = take_positive(p, 0.5);
    }
    if ((given & 16) != 0) {
        def.restitution = take_positive(p, 0.25);
        def.rolling_resistance = take_positive(p, 0.1);
        def.tangent_speed = take_number(p, 1.0);
    }
    if ((given & 32) != 0) {
        def.filter = (shape_filter){take_byte(p), take_byte(p), (int8_t)take_byte(p) % 3};
    }
    if ((given & 15) == 9) { // with density
        def.one_way = take_bool(p) ? (vec2){0.0f, 1.0f} : take_small_vector(p, 1.0);
    }
    def.sensor = (given & 64) != 0;
    def.events = (given & 128) != 0 ? take_byte(p) % 9 : def.events;
    return def;
}

// ---- joints

uint32_t take_joint_fields(program *p, joint_kind kind)
{
    uint8_t how = take_byte(p);
    uint32_t fields = take_word(p);
    if (how < 250 && (unsigned)kind < JOINT_KIND_COUNT) {
        fields &= joint_kind_fields(kind);
    }
    return how < 64 ? fields & (JOINT_FIELD_ANCHOR | JOINT_FIELD_TARGET | JOINT_FIELD_AXIS |
                                JOINT_FIELD_GROUND_A | JOINT_FIELD_GROUND_B)
                    : fields;
}

joint_def take_joint_def(program *p)
{
    joint_kind kind = (joint_kind)(take_byte(p) % (JOINT_KIND_COUNT + 1));
    joint_def def = joint_def_default((unsigned)kind < JOINT_KIND_COUNT ? kind : JOINT_REVOLUTE);
    def.kind = kind;
    def.fields = take_joint_fields(p, kind);
    double *numbers[] = {
        &def.anchor.x,   &def.anchor.y,     &def.anchor_a.x,         &def.anchor_a.y,
        &def.anchor_b.x, &def.anchor_b.y,   &def.reference_angle,    &def.length,
        &def.lower,      &def.upper,        &def.motor_speed,        &def.target.x,
        &def.target.y,   &def.target_angle, &def.target_translation, &def.ratio,
        &def.ground_a.x, &def.ground_a.y,   &def.ground_b.x,         &def.ground_b.y};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        *numbers[i] = take_number(p, 1.0);
    }
    double *positives[] = {&def.max_force,     &def.max_torque,    &def.hertz,
                           &def.damping_ratio, &def.angular_hertz, &def.angular_damping_ratio,
                           &def.break_force,   &def.break_torque};
    for (size_t i = 0; i < sizeof positives / sizeof *positives; i++) {
        *positives[i] = take_positive(p, 10.0);
    }
    def.axis = take_small_vector(p, 1.0);
    def.velocity = take_small_vector(p, 1.0);
    def.collide_connected = take_bool(p);
    return def;
}
