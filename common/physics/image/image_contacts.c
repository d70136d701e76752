// Records of contacts.
//
// A record: marks; the slot, unless it is the next one; the shapes. If the contact is solved, or
// would be if it were awake, also its colour, its frame of reference and the impulses of its
// points. The manifold is computed again from that frame; the impulses cannot be.
#include "common/physics/image/hash.h"
#include "common/physics/image/image_bytes.h"
#include "common/physics/image/image_records.h"
#include "common/physics/state/contacts/contact_pair.h"
#include "common/physics/step/step.h"

enum {
    MARK_ACTIVE = 1 << 0,
    MARK_TOUCHING = 1 << 1,
    MARK_SLOT = 1 << 2,    // the slots before it are free
    MARK_PRESSED = 1 << 3, // the first point has impulses
    MARK_PRESSED_2 = 1 << 4,
    MARK_ROLLING = 1 << 5,
    MARK_DEPTH = 1 << 6,   // CONTACT_DEEP is the opposite of what the points imply
    MARK_PASSING = 1 << 7, // ONE_WAY_PASSING; only in images of worlds with one-way shapes
    MARKS_ALL = (1 << 7) - 1
};
_Static_assert((int)MARK_ACTIVE == (int)CONTACT_ACTIVE &&
                   (int)MARK_TOUCHING == (int)CONTACT_TOUCHING,
               "marks that are flags");

enum { SLOT_BYTES = (SLOT_BITS + 7) / 8 };

static bool has_manifold(uint32_t flags)
{
    return (flags & (CONTACT_ACTIVE | CONTACT_SENSOR)) == CONTACT_ACTIVE;
}

// ---- writing

static bool is_pressed(const contact *c, int i)
{
    return c->normal_impulse[i] != 0.0f || c->tangent_impulse[i] != 0.0f;
}

static uint32_t marks_of(const physics_world *world, const contact *c)
{
    uint32_t marks = c->flags & (MARK_ACTIVE | MARK_TOUCHING);
    marks |= (c->one_way & ONE_WAY_PASSING) != 0 ? MARK_PASSING : 0u;
    if (has_manifold(c->flags)) {
        marks |= is_pressed(c, 0) ? MARK_PRESSED : 0u;
        marks |= c->point_count > 1 && is_pressed(c, 1) ? MARK_PRESSED_2 : 0u;
        bool rolls = (c->flags & CONTACT_SURFACE) != 0 && c->rolling_impulse != 0.0f;
        marks |= rolls ? MARK_ROLLING : 0u;
        marks |= contact_depth_is_kept(world, c) ? MARK_DEPTH : 0u;
    }
    return marks;
}

static void put_impulses(uint8_t **at, const contact *c, int i)
{
    put_vec2(at, (vec2){c->normal_impulse[i], c->tangent_impulse[i]});
}

static void put_contact(uint8_t **at, const physics_world *world, const contact *c, uint32_t step,
                        uint32_t shape_bytes)
{
    uint32_t marks = marks_of(world, c) | (step == 1 ? 0u : MARK_SLOT);
    put_uint(at, marks, 1);
    if (step != 1) {
        put_uint(at, step, SLOT_BYTES);
    }
    put_uint(at, c->shape_a, shape_bytes);
    put_uint(at, c->shape_b, shape_bytes);
    if (!has_manifold(c->flags)) {
        return;
    }
    put_uint(at, c->colour, 1);
    put_vec2(at, c->reference.p);
    put_float(at, c->reference.q.c);
    put_float(at, c->reference.q.s);
    if ((marks & MARK_PRESSED) != 0) {
        put_impulses(at, c, 0);
    }
    if ((marks & MARK_PRESSED_2) != 0) {
        put_impulses(at, c, 1);
    }
    if ((marks & MARK_ROLLING) != 0) {
        put_float(at, c->rolling_impulse);
    }
}

uint64_t contacts_write(image_stream *s, const physics_world *world)
{
    const slot_pool *pool = &world->contact_slots;
    uint64_t hash = 0;
    uint32_t count = world->contact_slots.count;
    uint32_t shape_bytes = slot_bytes(&world->shape_slots);
    stream_u32(s, &count, UINT32_MAX, "contacts");
    uint32_t before = 0;
    for (uint32_t word = 0; word < slots_words(pool); word++) {
        hash += hash_contacts(world, word);
        for (uint64_t taken = slots_word(pool, word); taken != 0; taken &= taken - 1) {
            uint32_t slot = word << 6 | (uint32_t)__builtin_ctzll(taken);
            uint8_t *at = stream_put(s);
            put_contact(&at, world, &world->contacts.data[slot], slot - before, shape_bytes);
            stream_put_end(s, at);
            before = slot;
        }
    }
    return hash;
}

// ---- reading

// A record, decoded.
typedef struct contact_record {
    uint32_t marks, step, shape_a, shape_b, colour;
    transform reference;
    vec2 impulses[2]; // normal and tangent impulse of each point
    float rolling_impulse;
} contact_record;

// Whether a manifold follows depends on the shapes: a sensor has none. The shape slots are bounded
// here, and place_contact() checks them.
static bool is_sensor(const physics_world *world, uint32_t shape_)
{
    return slots_has(&world->shape_slots, shape_) &&
           (world->shapes.data[shape_].flags & SHAPE_SENSOR) != 0;
}

static contact_record get_contact(const uint8_t **at, const physics_world *world,
                                  uint32_t shape_bytes)
{
    contact_record r = {.step = 1, .colour = COLOUR_NONE};
    r.marks = (uint32_t)get_uint(at, 1);
    if ((r.marks & MARK_SLOT) != 0) {
        r.step = (uint32_t)get_uint(at, SLOT_BYTES);
    }
    r.shape_a = (uint32_t)get_uint(at, shape_bytes);
    r.shape_b = (uint32_t)get_uint(at, shape_bytes);
    if ((r.marks & MARK_ACTIVE) == 0 || is_sensor(world, r.shape_a) ||
        is_sensor(world, r.shape_b)) {
        return r;
    }
    r.colour = (uint32_t)get_uint(at, 1);
    r.reference.p = get_vec2(at);
    r.reference.q.c = get_float(at);
    r.reference.q.s = get_float(at);
    if ((r.marks & MARK_PRESSED) != 0) {
        r.impulses[0] = get_vec2(at);
    }
    if ((r.marks & MARK_PRESSED_2) != 0) {
        r.impulses[1] = get_vec2(at);
    }
    if ((r.marks & MARK_ROLLING) != 0) {
        r.rolling_impulse = get_float(at);
    }
    return r;
}

static void place_contact(image_stream *s, physics_world *world, uint32_t slot,
                          const contact_record *r)
{
    uint32_t a = r->shape_a;
    uint32_t b = r->shape_b;
    bool good = slots_has(&world->shape_slots, a) && slots_has(&world->shape_slots, b) &&
                world->shapes.data[a].boxed && world->shapes.data[b].boxed &&
                !pair_set_has(&world->pairs, a, b) && contact_wanted(world, a, b);
    stream_expect(s, good, "a contact of shapes that cannot touch");
    if (!good) {
        return;
    }
    slots_restore(&world->contact_slots, slot, 0, true);
    array_reserve(&world->contacts, world->contact_slots.end);
    world->contacts.count = world->contact_slots.end;
    stream_expect(s, contact_place(world, slot, a, b), "a contact the wrong way round");
}

static void check_impulses(image_stream *s, const contact_record *r)
{
    bool good = isfinite(r->rolling_impulse);
    for (int i = 0; i < 2; i++) {
        good = good && r->impulses[i].x >= 0.0f && vec2_is_finite(r->impulses[i]);
    }
    stream_expect(s, good, "an impulse is out of range");
}

static void restore_manifold(image_stream *s, physics_world *world, uint32_t slot,
                             const contact_record *r)
{
    contact *c = &world->contacts.data[slot];
    rot q = r->reference.q;
    float unit = q.c * q.c + q.s * q.s;
    stream_expect(s, vec2_is_finite(r->reference.p) && unit > 0.9999f && unit < 1.0001f,
                  "a contact's frame");
    check_impulses(s, r);
    if (s->failed) {
        return;
    }
    c->reference = r->reference;
    stream_expect(s, contact_restore(world, slot), "a contact without points");
    if ((r->marks & MARK_DEPTH) != 0) {
        c->flags = (uint8_t)(c->flags ^ CONTACT_DEEP);
    }
    stream_expect(s, c->point_count > 1 || (r->marks & MARK_PRESSED_2) == 0,
                  "impulses of a missing point");
    stream_expect(
        s, (r->marks & MARK_ROLLING) == 0 || contact_surface(world, c).rolling_resistance > 0.0f,
        "a rolling impulse without rolling resistance");
    for (int i = 0; i < c->point_count; i++) {
        c->normal_impulse[i] = r->impulses[i].x;
        c->tangent_impulse[i] = r->impulses[i].y;
    }
    c->rolling_impulse = r->rolling_impulse;
}

static void restore_contact(image_stream *s, physics_world *world, uint32_t slot,
                            const contact_record *r)
{
    contact *c = &world->contacts.data[slot];
    c->flags |= (uint8_t)(r->marks & MARK_ACTIVE);
    if ((r->marks & MARK_TOUCHING) != 0) {
        contact_set_touching(world, slot);
    }
    if ((r->marks & MARK_PASSING) != 0) {
        stream_expect(s, c->one_way != 0 && (r->marks & MARK_ACTIVE) == 0,
                      "a body that passes through a solid shape");
        c->one_way |= ONE_WAY_PASSING;
    }
    bool solid = has_manifold(c->flags);
    const uint32_t of_solid = MARK_PRESSED | MARK_PRESSED_2 | MARK_ROLLING | MARK_DEPTH;
    stream_expect(s, solid || (r->marks & of_solid) == 0, "impulses of no points");
    if (solid && !s->failed) {
        restore_manifold(s, world, slot, r);
    }
    bool solved = contact_list_awake(world, slot) && solid;
    stream_expect(s,
                  solved == (r->colour != COLOUR_NONE) && (!solved || r->colour <= COLOUR_OVERFLOW),
                  "a contact's colour");
    if (solved && !s->failed) {
        stream_expect(s, graph_place_contact(world, slot, r->colour), "a contact's colour");
    }
}

static void make_room(physics_world *world, uint32_t count)
{
    slots_reserve(&world->contact_slots, count + 1);
    array_reserve(&world->contacts, count + 1);
    array_reserve(&world->awake_contacts, count);
    pair_set_reserve(&world->pairs, count);
}

size_t contacts_least_bytes(uint32_t slots_end)
{
    enum { FREE = 4096, SLOTS_A_BYTE = 4 };
    return slots_end <= FREE ? 0 : (slots_end - FREE) / SLOTS_A_BYTE;
}

void contacts_read(image_stream *s, physics_world *world)
{
    uint32_t shape_bytes = slot_bytes(&world->shape_slots);
    uint32_t count = 0;
    stream_u32(s, &count, 1u << SLOT_BITS, "contacts");
    stream_expect(s, count <= stream_left(s) / (1 + 2 * shape_bytes), "more contacts than bytes");
    if (s->failed) {
        return;
    }
    make_room(world, count);
    uint32_t slot = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *at = stream_get(s);
        const contact_record r = get_contact(&at, world, shape_bytes);
        const uint32_t known = s->with_one_way ? MARKS_ALL | MARK_PASSING : MARKS_ALL;
        stream_expect(s, r.marks <= known, "a contact's marks");
        stream_expect(s, r.step > 0 && slot + r.step < 1u << SLOT_BITS, "a contact's slot");
        stream_expect(s, contacts_least_bytes(slot + r.step + 1) <= s->input_size,
                      "a contact's slot is too high for so few bytes");
        if (!stream_get_end(s, at)) {
            return;
        }
        slot += r.step;
        place_contact(s, world, slot, &r);
        if (!s->failed) {
            restore_contact(s, world, slot, &r);
        }
        if (s->failed) {
            return;
        }
    }
}
