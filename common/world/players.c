// Bounds of players as values and as the rules of a world; see players.h. Rules are, little-endian:
//   u8 version (1), u32 fields, u8 types, u32 bodies, 6 x f64 mass, size, speed, force, impulse and
//   torque, 4 x f64 area, u8 number of methods, each u8 length and its name. A method that this
// program does not know is left out: nobody can call it. The world's thread.
#include "common/world/players.h"

#include <math.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/base/little_endian.h"
#include "common/physics/rules.h"

enum {
    VERSION = 1,
    FIELDS_AT = 1,
    TYPES_AT = 5,
    BODIES_AT = 6,
    NUMBERS_AT = 10,
    NUMBERS = 10,
    COUNT_AT = NUMBERS_AT + 8 * NUMBERS,
    HEAD_BYTES = COUNT_AT + 1,
    FIELDS_ALL = (PLAYERS_AREA << 1) - 1,
    TYPES_ALL = (1 << BODY_TYPE_COUNT) - 1,
    NAME_BYTES_MAX = 64,
    METHODS_MAX = 32
};

#define BIT(id, place) [METHOD_##id] = UINT32_C(1) << (place),
static const uint32_t BITS[METHOD_COUNT] = {METHOD_PLAYERS_BITS(BIT)};
_Static_assert(HEAD_BYTES + METHODS_MAX * (1 + NAME_BYTES_MAX) <= WORLD_RULES_BYTES_MAX,
               "the rules of a world have room for all bounds");

// ---- values

players_bounds players_default(void)
{
    static const method METHODS[] = {
        METHOD_BODY_IMPULSE, METHOD_BODY_ANGULAR_IMPULSE, METHOD_BODY_FORCE,
        METHOD_BODY_TORQUE,  METHOD_WORLD_APPLY,          METHOD_DATA_SET,
        METHOD_DATA_REMOVE,  METHOD_MESSAGE_SEND,
    };
    players_bounds b = {.fields = PLAYERS_METHODS};
    for (size_t i = 0; i < sizeof METHODS / sizeof *METHODS; i++) {
        b.methods |= BITS[METHODS[i]];
    }
    for (int m = 0; m < METHOD_COUNT; m++) {
        b.methods |= method_scope_of((method)m) == SCOPE_WORLD_READ ? BITS[m] : 0;
    }
    return b;
}

static double least(bool has_a, double a, bool has_b, double b)
{
    return has_a && has_b ? fmin(a, b) : has_a ? a : b;
}

static area common_area(const area *a, const area *b)
{
    return (area){fmax(a->x0, b->x0), fmax(a->y0, b->y0), fmin(a->x1, b->x1), fmin(a->y1, b->y1)};
}

players_bounds players_lower(const players_bounds *a, const players_bounds *b)
{
    players_bounds out = {.fields = a->fields | b->fields};
    const uint32_t both = a->fields & b->fields;
#define LOWER(field, bit)                                                                          \
    out.field = least((a->fields & (bit)) != 0, a->field, (b->fields & (bit)) != 0, b->field)
    LOWER(mass, PLAYERS_MASS);
    LOWER(size, PLAYERS_SIZE);
    LOWER(speed, PLAYERS_SPEED);
    LOWER(force, PLAYERS_FORCE);
    LOWER(impulse, PLAYERS_IMPULSE);
    LOWER(torque, PLAYERS_TORQUE);
#undef LOWER
    out.bodies = (both & PLAYERS_BODIES) == 0 ? a->bodies | b->bodies // one of them is 0
                 : a->bodies < b->bodies      ? a->bodies
                                              : b->bodies;
    out.methods = (both & PLAYERS_METHODS) != 0 ? a->methods & b->methods : a->methods | b->methods;
    out.types = (both & PLAYERS_TYPES) != 0 ? a->types & b->types : a->types | b->types;
    out.area = (both & PLAYERS_AREA) != 0        ? common_area(&a->area, &b->area)
               : (a->fields & PLAYERS_AREA) != 0 ? a->area
                                                 : b->area;
    return out;
}

bool players_allow(const players_bounds *bounds, method m)
{
    ASSERT((unsigned)m < METHOD_COUNT);
    return (bounds->fields & PLAYERS_METHODS) == 0 || BITS[m] == 0 ||
           (bounds->methods & BITS[m]) != 0;
}

bool players_names(method m)
{
    ASSERT((unsigned)m < METHOD_COUNT);
    return BITS[m] != 0;
}

// ---- rules

static void put_double(uint8_t *at, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put64(at, bits);
}

static double get_double(const uint8_t *at)
{
    const uint64_t bits = get64(at);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// The numbers in the order of the rules.
static void numbers_of(players_bounds *b, double *out[NUMBERS])
{
    double *const all[NUMBERS] = {&b->mass,   &b->size,    &b->speed,   &b->force,   &b->impulse,
                                  &b->torque, &b->area.x0, &b->area.y0, &b->area.x1, &b->area.y1};
    memcpy(out, all, sizeof all);
}

size_t players_pack(const players_bounds *bounds, uint8_t out[WORLD_RULES_BYTES_MAX])
{
    players_bounds b = *bounds;
    double *numbers[NUMBERS];
    size_t at = HEAD_BYTES;
    uint8_t count = 0;
    numbers_of(&b, numbers);
    out[0] = VERSION;
    put32(out + FIELDS_AT, b.fields);
    out[TYPES_AT] = (uint8_t)b.types;
    put32(out + BODIES_AT, b.bodies);
    for (int i = 0; i < NUMBERS; i++) {
        put_double(out + NUMBERS_AT + 8 * i, *numbers[i]);
    }
    for (int m = 0; m < METHOD_COUNT; m++) {
        if ((b.methods & BITS[m]) != 0) {
            const char *name = method_wire_name((method)m);
            const size_t size = strlen(name);
            ASSERT(size <= NAME_BYTES_MAX && count < METHODS_MAX);
            out[at] = (uint8_t)size;
            memcpy(out + at + 1, name, size);
            at += 1 + size;
            count++;
        }
    }
    out[COUNT_AT] = count;
    return at;
}

static uint32_t bit_of_name(const uint8_t *name, size_t size)
{
    for (int m = 0; m < METHOD_COUNT; m++) {
        const char *own = method_wire_name((method)m);
        if (strlen(own) == size && memcmp(own, name, size) == 0) {
            return BITS[m];
        }
    }
    return 0;
}

static bool decode_methods(const uint8_t *bytes, size_t size, players_bounds *out)
{
    size_t at = HEAD_BYTES;
    for (uint8_t i = 0; i < bytes[COUNT_AT]; i++) {
        if (at >= size || bytes[at] > NAME_BYTES_MAX || bytes[at] >= size - at) {
            return false;
        }
        out->methods |= bit_of_name(bytes + at + 1, bytes[at]);
        at += 1u + bytes[at];
    }
    return at == size && bytes[COUNT_AT] <= METHODS_MAX;
}

bool players_unpack(const uint8_t *bytes, size_t size, players_bounds *out)
{
    double *numbers[NUMBERS];
    *out = (players_bounds){0};
    numbers_of(out, numbers);
    if (size < HEAD_BYTES || bytes[0] != VERSION) {
        return false;
    }
    out->fields = get32(bytes + FIELDS_AT);
    out->types = bytes[TYPES_AT];
    out->bodies = get32(bytes + BODIES_AT);
    bool good = out->fields != 0 && out->fields <= FIELDS_ALL && out->types <= TYPES_ALL;
    for (int i = 0; i < NUMBERS; i++) {
        const bool place = i >= NUMBERS - 4;
        *numbers[i] = get_double(bytes + NUMBERS_AT + 8 * i);
        good = good && isfinite(*numbers[i]) && (place || *numbers[i] >= 0.0);
    }
    return good && decode_methods(bytes, size, out);
}

status players_set(physics_world *world, const players_bounds *bounds, error *err)
{
    uint8_t bytes[WORLD_RULES_BYTES_MAX];
    const size_t size = bounds->fields != 0 ? players_pack(bounds, bytes) : 0;
    return world_set_rules(world, bytes, size, err);
}

players_bounds players_of(const physics_world *world)
{
    size_t size = 0;
    const uint8_t *bytes = world_rules(world, &size);
    players_bounds out = {0};
    if (size > 0 && !players_unpack(bytes, size, &out)) {
        out = (players_bounds){.fields = PLAYERS_METHODS};
    }
    return out;
}

const players_bounds *players_current(players_cache *cache, const physics_world *world)
{
    size_t size = 0;
    const uint8_t *bytes = world_rules(world, &size);
    if (size != cache->size || (size > 0 && memcmp(bytes, cache->rules, size) != 0)) {
        cache->bounds = players_of(world);
        cache->size = size;
        if (size > 0) {
            memcpy(cache->rules, bytes, size);
        }
    }
    return &cache->bounds;
}

status players_check(const physics_world *world, error *err)
{
    size_t size = 0;
    const uint8_t *bytes = world_rules(world, &size);
    players_bounds unused;
    return size == 0 || players_unpack(bytes, size, &unused)
               ? STATUS_OK
               : error_set(err, STATUS_INVALID_ARGUMENT,
                           "players: the world's rules cannot be read: they are of another "
                           "version, or altered");
}
