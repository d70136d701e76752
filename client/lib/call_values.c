// The maps that the typed helpers send, and the structs that they read from answers. Works only on
// values, without a client.
#include "client/lib/call.h"

#include <stddef.h>

#include <carom/batch.h>

// ---- arguments

carom_value *world_args(const char *world)
{
    carom_value *args = carom_map();
    return world == NULL ? args : carom_set(args, "world", carom_str(world));
}

carom_value *id_args(const char *world, const char *key, uint64_t id)
{
    return carom_set(world_args(world), key, id_value(id));
}

carom_value *id_value(uint64_t id)
{
    const uint64_t result = CAROM_RESULT(0);
    if ((id & result) == 0) {
        return carom_uint(id);
    }
    return carom_set(carom_map(), "$", carom_uint(id & ~result));
}

carom_value *vec_value(carom_vec2 v)
{
    return carom_vec(v.x, v.y);
}

carom_value *area_value(const double area[4])
{
    carom_value *v = carom_array();
    for (int i = 0; i < 4; i++) {
        carom_push(v, carom_real(area[i]));
    }
    return v;
}

carom_value *filter_value(uint64_t category, uint64_t mask, int32_t group)
{
    carom_value *v = carom_set(carom_map(), "category", carom_uint(category));
    carom_set(v, "mask", carom_uint(mask));
    return carom_set(v, "group", carom_int(group));
}

carom_value *shape_events_value(unsigned events)
{
    static const struct {
        unsigned bit;
        const char *word;
    } WORDS[] = {{CAROM_EVENTS_CONTACT, "contact"},
                 {CAROM_EVENTS_HIT, "hit"},
                 {CAROM_EVENTS_SENSOR, "sensor"}};
    carom_value *v = carom_array();
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++) {
        if ((events & WORDS[i].bit) != 0) {
            carom_push(v, carom_str(WORDS[i].word));
        }
    }
    return v;
}

void set_real(carom_value *map, const char *key, double value, double fallback)
{
    if (!(value >= fallback && value <= fallback)) { // a NaN is sent, and refused by the server
        carom_set(map, key, carom_real(value));
    }
}

void set_vec(carom_value *map, const char *key, carom_vec2 value)
{
    bool zero = value.x >= 0.0 && value.x <= 0.0 && value.y >= 0.0 && value.y <= 0.0;
    if (!zero) {
        carom_set(map, key, vec_value(value));
    }
}

void set_bool(carom_value *map, const char *key, bool value, bool fallback)
{
    if (value != fallback) {
        carom_set(map, key, carom_bool(value));
    }
}

// ---- answers

carom_vec2 get_vec(const carom_value *map, const char *key)
{
    return carom_as_vec(carom_value_get(map, key), (carom_vec2){0.0, 0.0});
}

void read_contact_value(const carom_value *map, carom_contact *out)
{
    const carom_value *points = carom_value_get(map, "points");
    size_t count = carom_value_count(points);
    *out = (carom_contact){
        .a = carom_get_uint(map, "a", 0),
        .b = carom_get_uint(map, "b", 0),
        .shape_a = carom_get_uint(map, "shape_a", 0),
        .shape_b = carom_get_uint(map, "shape_b", 0),
        .normal = get_vec(map, "normal"),
        .count = count < CAROM_CONTACT_POINTS_MAX ? (int)count : CAROM_CONTACT_POINTS_MAX,
    };
    for (int i = 0; i < out->count; i++) {
        const carom_value *point = carom_value_at(points, (size_t)i);
        out->points[i] = get_vec(point, "point");
        out->normals[i] =
            carom_value_get(point, "normal") != NULL ? get_vec(point, "normal") : out->normal;
        out->depth[i] = carom_get_real(point, "depth", 0.0);
        out->impulse[i] = carom_get_real(point, "impulse", 0.0);
    }
}
