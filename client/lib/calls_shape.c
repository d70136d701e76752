// Shapes: constructors, and the protocol's maps of shapes and of their changes. Any thread.
#include <carom/shape.h>

#include <math.h>

#include <carom/body.h>

#include "client/lib/call.h"

static const double DENSITY_DEFAULT = 1.0;
static const double FRICTION_DEFAULT = 0.6;

static carom_shape shape_of(carom_shape_kind kind)
{
    return (carom_shape){
        .exact = true,
        .kind = kind,
        .density = DENSITY_DEFAULT,
        .friction = FRICTION_DEFAULT,
        .category = 1,
        .mask = UINT64_MAX,
        .events = CAROM_EVENTS_DEFAULT,
    };
}

carom_shape carom_shape_circle(double radius)
{
    carom_shape shape = shape_of(CAROM_CIRCLE);
    shape.radius = radius;
    return shape;
}

carom_shape carom_shape_box(double width, double height)
{
    carom_shape shape = shape_of(CAROM_BOX);
    shape.size = (carom_vec2){width, height};
    return shape;
}

carom_shape carom_shape_capsule(carom_vec2 a, carom_vec2 b, double radius)
{
    carom_shape shape = shape_of(CAROM_CAPSULE);
    shape.a = a;
    shape.b = b;
    shape.radius = radius;
    return shape;
}

carom_shape carom_shape_segment(carom_vec2 a, carom_vec2 b)
{
    carom_shape shape = shape_of(CAROM_SEGMENT);
    shape.a = a;
    shape.b = b;
    return shape;
}

carom_shape carom_shape_polygon(const carom_vec2 *vertices, size_t count)
{
    carom_shape shape = shape_of(CAROM_POLYGON);
    shape.vertices = vertices;
    shape.vertex_count = count;
    return shape;
}

carom_shape carom_shape_chain(const carom_vec2 *vertices, size_t count, bool loop)
{
    carom_shape shape = shape_of(CAROM_CHAIN);
    shape.vertices = vertices;
    shape.vertex_count = count;
    shape.loop = loop;
    return shape;
}

// The shape with all defaults filled in, whether the caller began with a constructor or with zeros.
static carom_shape complete(const carom_shape *shape)
{
    carom_shape s = *shape;
    if (s.exact) {
        return s;
    }
    carom_shape all = shape_of(s.kind);
    s.exact = true;
    s.density = s.density == 0.0 ? all.density : s.density;
    s.friction = s.friction == 0.0 ? all.friction : s.friction;
    s.category = s.category == 0 ? all.category : s.category;
    s.mask = s.mask == 0 ? all.mask : s.mask;
    s.events = s.events == 0 ? all.events : s.events;
    return s;
}

static carom_value *vertices_value(const carom_shape *shape)
{
    carom_value *v = carom_array();
    for (size_t i = 0; shape->vertices != NULL && i < shape->vertex_count; i++) {
        carom_push(v, vec_value(shape->vertices[i]));
    }
    return v;
}

// Sets the pairs of the shape's kind; the server reports an unknown kind.
static void set_form(carom_value *map, const carom_shape *shape)
{
    static const char *const KINDS[] = {"circle", "box", "polygon", "capsule", "segment", "chain"};
    bool known = (unsigned)shape->kind <= CAROM_CHAIN;
    carom_set(map, "kind", carom_str(known ? KINDS[shape->kind] : ""));
    switch (shape->kind) {
    case CAROM_CIRCLE:
        carom_set(map, "radius", carom_real(shape->radius));
        set_vec(map, "center", shape->center);
        break;
    case CAROM_BOX:
        carom_set(map, "size", vec_value(shape->size));
        set_vec(map, "center", shape->center);
        set_real(map, "angle", shape->angle, 0.0);
        set_real(map, "radius", shape->radius, 0.0);
        break;
    case CAROM_POLYGON:
        carom_set(map, "vertices", vertices_value(shape));
        set_real(map, "radius", shape->radius, 0.0);
        break;
    case CAROM_CAPSULE:
        carom_set(map, "a", vec_value(shape->a));
        carom_set(map, "b", vec_value(shape->b));
        carom_set(map, "radius", carom_real(shape->radius));
        break;
    case CAROM_SEGMENT:
        carom_set(map, "a", vec_value(shape->a));
        carom_set(map, "b", vec_value(shape->b));
        break;
    case CAROM_CHAIN:
        carom_set(map, "vertices", vertices_value(shape));
        carom_set(map, "loop", carom_bool(shape->loop));
        break;
    }
}

carom_value *shape_form_value(const carom_shape *shape)
{
    carom_value *map = carom_map();
    set_form(map, shape);
    return map;
}

carom_value *carom_shape_value(const carom_shape *shape)
{
    if (shape == NULL) {
        return NULL;
    }
    carom_shape s = complete(shape);
    carom_value *map = carom_map();
    set_form(map, &s);
    set_real(map, "density", s.density, DENSITY_DEFAULT);
    set_real(map, "friction", s.friction, FRICTION_DEFAULT);
    set_real(map, "restitution", s.restitution, 0.0);
    set_real(map, "rolling_resistance", s.rolling_resistance, 0.0);
    set_real(map, "tangent_speed", s.tangent_speed, 0.0);
    set_bool(map, "sensor", s.sensor, false);
    if (s.has_filter) {
        carom_set(map, "filter", filter_value(s.category, s.mask, s.group));
    }
    if (s.events != CAROM_EVENTS_DEFAULT) {
        carom_set(map, "events", shape_events_value(s.events));
    }
    if (s.one_way.x != 0.0 || s.one_way.y != 0.0) {
        carom_set(map, "one_way", vec_value(s.one_way));
    }
    return map;
}

// ---- changes

carom_shape_change carom_shape_change_default(void)
{
    double none = (double)NAN;
    return (carom_shape_change){
        .exact = true,
        .friction = none,
        .restitution = none,
        .density = none,
        .rolling_resistance = none,
        .tangent_speed = none,
    };
}

static void set_given(carom_value *map, const char *key, double value, bool exact)
{
    if (exact ? !isnan(value) : value != 0.0) {
        carom_set(map, key, carom_real(value));
    }
}

carom_value *carom_shape_set_args(const char *world, uint64_t shape,
                                  const carom_shape_change *change)
{
    if (change == NULL) {
        return NULL;
    }
    carom_value *args = carom_set(world_args(world), "shape", id_value(shape));
    set_given(args, "friction", change->friction, change->exact);
    set_given(args, "restitution", change->restitution, change->exact);
    set_given(args, "density", change->density, change->exact);
    set_given(args, "rolling_resistance", change->rolling_resistance, change->exact);
    set_given(args, "tangent_speed", change->tangent_speed, change->exact);
    if (change->has_sensor) {
        carom_set(args, "sensor", carom_bool(change->sensor));
    }
    if (change->has_filter) {
        carom_set(args, "filter", filter_value(change->category, change->mask, change->group));
    }
    if (change->has_events) {
        carom_set(args, "events", shape_events_value(change->events));
    }
    if (change->has_one_way) {
        carom_set(args, "one_way", vec_value(change->one_way));
    }
    return args;
}

carom_status carom_shape_set(carom_client *client, const char *world, uint64_t shape,
                             const carom_shape_change *change, int timeout_ms, uint64_t *tick,
                             carom_error *err)
{
    if (change == NULL) {
        return fault_missing(err, "change");
    }
    return call_command(client, world, "shape.set", carom_shape_set_args(world, shape, change),
                        timeout_ms, tick, err);
}
