// The state hash: 64 bits over all state that influences the future.
//
// Every body, shape, contact and joint is a row of words, which begins with its slot or id; each
// row is hashed by itself (fold.h) and the hashes are added up, so rows do not depend on each other
// and may come in any order. Words are values, not memory: padding, addresses and the byte order of
// a machine do not count.
//
// The hash leaves out all values that follow from others: positions (from centres), centres of mass
// within bodies (from shapes), lists, trees, the colours used by a body (from its contacts and
// joints), a contact's manifold (from its frame of reference and the shapes) and its friction and
// the like (from the shapes). The fixed properties of a shape are covered by its signature, which
// is computed when the shape is made.
#include "common/physics/state/bodies/body_special.h"
#include "common/physics/image/hash.h"
#include "common/physics/state/hash_rows.h"
#include "common/physics/state/joints/joint_record.h"
#include "common/physics/state/world.h"

static uint64_t hash_body(const physics_world *world, uint32_t slot)
{
    const body *b = &world->bodies.data[slot];
    const body_motion *m = &world->motions.data[slot];
    const body_state *v = &world->states.data[slot];
    const body_extent *extent = &world->extents.data[slot];
    uint32_t force_at_point = v->flags & STATE_FORCE_AT_POINT;
    fold_words sum = fold_start(ROW_BODY, slots_id(&world->body_slots, slot),
                                (uint64_t)b->sleep_set << 32 | force_at_point << 16 |
                                    (uint32_t)b->flags << 8 | b->type);
    sum = add_vec2d(sum, 1, m->center);
    sum = add_floats(sum, 2, m->rotation.c, m->rotation.s, v->velocity.x, v->velocity.y);
    sum = add_floats(sum, 3, v->angular_velocity, extent->sleep_time, m->inv_mass, m->inv_inertia);
    if ((v->flags & STATE_SPECIAL) != 0) {
        const body_special *special = body_special_of(world, slot);
        sum = add_floats(sum, 4, special->linear_damping, special->angular_damping,
                         special->gravity_scale, special->mass_override);
        sum = add_vecs(sum, 5, special->force, special->force_point);
        sum = add_floats(sum, 6, special->torque, 0.0f, 0.0f, 0.0f);
    }
    if (extent->sleep_time != 0.0f) {
        sum = add_floats(sum, 7, extent->drift.x, extent->drift.y, extent->turned, 0.0f);
    }
    return fold_end(sum);
}

static uint64_t hash_shape(const physics_world *world, uint32_t slot)
{
    const shape *s = &world->shapes.data[slot];
    fold_words sum = fold_start(ROW_SHAPE, slots_id(&world->shape_slots, slot),
                                (uint64_t)s->body << 32 | s->flags);
    sum = fold_add(sum, 1, fold_of_words(s->traits->signature, s->traits->chain));
    sum = add_vecs(sum, 2, s->fat.lower, s->fat.upper);
    return fold_end(sum);
}

static uint64_t hash_contact(const physics_world *world, uint32_t slot)
{
    const contact *c = &world->contacts.data[slot];
    const uint32_t told =
        CONTACT_ACTIVE | CONTACT_TOUCHING; // the other flags follow from the shapes
    const uint32_t passing = c->one_way & ONE_WAY_PASSING;
    fold_words sum = fold_start(ROW_CONTACT,
                                (uint64_t)slot << 32 | (uint32_t)c->point_count << 16 |
                                    (c->flags & told) << 8 | c->colour,
                                (uint64_t)c->shape_a << 32 | passing << SLOT_BITS | c->shape_b);
    if (c->point_count == 0) {
        return fold_end(sum);
    }
    sum = fold_add(
        sum, 1,
        fold_of_4_floats(c->reference.p.x, c->reference.p.y, c->reference.q.c, c->reference.q.s));
    sum = add_floats(sum, 2, c->normal_impulse[0], c->normal_impulse[1], // zero for a missing point
                     c->tangent_impulse[0], c->tangent_impulse[1]);
    if ((c->flags & CONTACT_SURFACE) != 0 && c->rolling_impulse != 0.0f) {
        sum = add_floats(sum, 3, c->rolling_impulse, 0.0f, 0.0f, 0.0f);
    }
    return fold_end(sum);
}

static uint64_t hash_joint(const physics_world *world, uint32_t slot)
{
    const joint *j = &world->joints.data[slot];
    const joint_settings *s = joint_settings_of(world, j);
    const joint_impulses *p = &j->impulses;
    const uint32_t kept = JOINT_FLAG_COLLIDE | JOINT_FLAG_MOTOR;
    fold_words sum =
        fold_start(ROW_JOINT, slots_id(&world->joint_slots, slot),
                   (uint64_t)j->kind << 32 | (uint32_t)(j->flags & kept) << 8 | j->colour);
    sum = fold_add(sum, 1,
                   fold_of_words((uint64_t)j->body_a << 32 | j->body_b,
                                 (uint64_t)s->joint_a << 32 | s->joint_b));
    sum = add_vec2d(sum, 2, j->anchor_a);
    sum = add_vec2d(sum, 3, j->anchor_b);
    sum = add_vec2d(sum, 4, s->target);
    sum = add_vec2d(sum, 5, s->ground_a);
    sum = add_vec2d(sum, 6, s->ground_b);
    sum = fold_add(sum, 7, fold_of_2_doubles(j->angle, j->reference_angle));
    sum = fold_add(sum, 8, fold_of_2_doubles(s->gear_a, s->gear_b));
    sum = fold_add(sum, 9, fold_of_2_doubles(s->gear_constant, 0.0));
    sum = add_vecs(sum, 10, s->axis, s->velocity);
    sum = add_floats(sum, 11, s->lower, s->upper, s->motor_speed, s->max_force);
    sum = add_floats(sum, 12, s->max_torque, s->hertz, s->damping_ratio, s->angular_hertz);
    sum = add_floats(sum, 13, s->angular_damping_ratio, j->length, s->ratio, s->target_angle);
    sum = add_floats(sum, 14, s->target_translation, s->break_force, s->break_torque, p->angular);
    sum = add_floats(sum, 15, p->linear.x, p->linear.y, p->lower, p->upper);
    sum = add_floats(sum, 16, p->motor, p->spring, 0.0f, 0.0f);
    return fold_end(sum);
}

// Free slots that were used before: their generations determine the next ids.
static uint64_t hash_free(const slot_pool *pool, uint64_t kind)
{
    uint64_t sum = 0;
    for (uint32_t word = 0; word << 6 < pool->end; word++) {
        uint64_t open = ~pool->taken.data[word];
        for (; open != 0; open &= open - 1) {
            uint32_t slot = word << 6 | (uint32_t)__builtin_ctzll(open);
            if (slot < pool->end && slots_generation(pool, slot) != 0) {
                sum += fold_end(fold_start(kind, slots_id(pool, slot), 0));
            }
        }
    }
    return sum;
}

static uint64_t hash_world(const physics_world *world)
{
    const world_def *d = &world->def;
    fold_words sum =
        fold_start(ROW_WORLD, world->tick,
                   (uint64_t)d->substeps << 2 | (uint64_t)d->continuous << 1 | (uint64_t)d->sleep);
    sum = add_vec2d(sum, 1, d->gravity);
    sum = fold_add(sum, 2, fold_of_2_doubles(d->restitution_threshold, d->hit_threshold));
    sum = fold_add(sum, 3, fold_of_2_doubles(d->hz, d->sleep_speed));
    return fold_end(sum);
}

typedef uint64_t (*hash_row)(const physics_world *world, uint32_t slot);

// The sum of the hashes of the rows in one word of slots (64). Inlined for each kind, so that `row`
// is inlined too.
static inline __attribute__((always_inline)) uint64_t
hash_rows(const physics_world *world, const slot_pool *pool, uint32_t word, hash_row row)
{
    uint64_t sum = 0;
    for (uint64_t taken = slots_word(pool, word); taken != 0; taken &= taken - 1) {
        sum += row(world, word << 6 | (uint32_t)__builtin_ctzll(taken));
    }
    return sum;
}

uint64_t hash_bodies(const physics_world *world, uint32_t word)
{
    return hash_rows(world, &world->body_slots, word, hash_body);
}

uint64_t hash_contacts(const physics_world *world, uint32_t word)
{
    return hash_rows(world, &world->contact_slots, word, hash_contact);
}

uint64_t hash_rest(const physics_world *world)
{
    uint64_t sum =
        hash_world(world) + data_table_hash(&world->data) + world->rules.hash + world->seats.hash;
    for (uint32_t word = 0; word < slots_words(&world->shape_slots); word++) {
        sum += hash_rows(world, &world->shape_slots, word, hash_shape);
    }
    for (uint32_t word = 0; word < slots_words(&world->joint_slots); word++) {
        sum += hash_rows(world, &world->joint_slots, word, hash_joint);
    }
    sum += hash_free(&world->body_slots, ROW_FREE_BODY);
    sum += hash_free(&world->shape_slots, ROW_FREE_SHAPE);
    sum += hash_free(&world->joint_slots, ROW_FREE_JOINT);
    return sum;
}

// ---- the same sum by bodies

uint32_t world_body_slots(const physics_world *world)
{
    return world->body_slots.end;
}

// A row shared by two bodies counts for the later one. So a later body never changes the part of an
// earlier one: the first differing part belongs to the first body whose own row differs, if there
// is one.
static inline uint64_t *part_of_pair(uint64_t *parts, uint32_t a, uint32_t b)
{
    return &parts[a > b ? a : b];
}

uint64_t world_hash_by_body(const physics_world *world, uint64_t *parts)
{
    memset(parts, 0, world->body_slots.end * sizeof *parts);
    parts[NONE] = hash_world(world) + data_table_hash(&world->data) + world->rules.hash +
                  world->seats.hash + hash_free(&world->body_slots, ROW_FREE_BODY) +
                  hash_free(&world->shape_slots, ROW_FREE_SHAPE) +
                  hash_free(&world->joint_slots, ROW_FREE_JOINT);
    const slot_pool *pool = &world->body_slots;
    for (uint32_t i = slots_next(pool, NONE); i != NONE; i = slots_next(pool, i)) {
        parts[i] = hash_body(world, i);
    }
    pool = &world->shape_slots;
    for (uint32_t i = slots_next(pool, NONE); i != NONE; i = slots_next(pool, i)) {
        parts[world->shapes.data[i].body] += hash_shape(world, i);
    }
    pool = &world->contact_slots;
    for (uint32_t i = slots_next(pool, NONE); i != NONE; i = slots_next(pool, i)) {
        const contact *c = &world->contacts.data[i];
        *part_of_pair(parts, c->body_a, c->body_b) += hash_contact(world, i);
    }
    pool = &world->joint_slots;
    for (uint32_t i = slots_next(pool, NONE); i != NONE; i = slots_next(pool, i)) {
        const joint *j = &world->joints.data[i];
        *part_of_pair(parts, j->body_a, j->body_b) += hash_joint(world, i);
    }
    uint64_t sum = 0;
    for (uint32_t i = 0; i < world->body_slots.end; i++) {
        sum += parts[i];
    }
    return sum;
}

uint64_t world_hash(const physics_world *world)
{
    uint64_t sum = hash_rest(world);
    for (uint32_t word = 0; word < slots_words(&world->body_slots); word++) {
        sum += hash_bodies(world, word);
    }
    for (uint32_t word = 0; word < slots_words(&world->contact_slots); word++) {
        sum += hash_contacts(world, word);
    }
    return sum;
}
