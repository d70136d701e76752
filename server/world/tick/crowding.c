// Counting and pricing the pairs of commands; see crowding.h. The world's thread.
#include "server/world/tick/crowding.h"

#include "common/base/assert.h"
#include "common/base/counted.h"
#include "common/physics/overlaps.h"

// Time of a pair in its command's turn. Where many bodies overlap in one place, the solver handles
// their contacts one after another: pairs beyond the first few of each command cost several times
// as much (chosen by runs of tests/bench/server/fairness.py).
static const int64_t PAIR_NS = 1000, CROWDED_PAIR_NS = 8000;
// Time that the next step takes for each new pair: of the first few of each body, as in a heap, and
// of those beyond. (60 balls in one place take 9 ms, 200 take 85 to 130; if they rebound and are
// jointed, 32 and 570.)
static const int64_t STEP_PAIR_NS = 1800, STEP_CROWDED_PAIR_NS = 9000;
static const int64_t STEP_JOINED_PAIR_NS = 3000, STEP_JOINED_CROWDED_PAIR_NS = 20000;
// Time that the next step takes for each body, contact and joint that it moves for the first time.
static const int64_t STEP_BODY_NS = 900, STEP_CONTACT_NS = 1000, STEP_JOINT_NS = 2000;
// Time that a step takes for each shape near the path of a fast one (70 ns if both are discs that
// pass each other, 270 for a box that stands near).
static const int64_t STEP_SWEEP_NS = 150;
enum { FEW_PAIRS = 16 };                        // pairs of one command, or of one body
static const int64_t COUNT_GAP_NS = 1000000000; // interval of counts of the whole world

static bool spawn_makes_pairs(const command *c)
{
    return c->spawn.shape_count > 0;
}

static bool set_makes_pairs(const command *c)
{
    return (c->body_set.fields &
            (BODY_FIELD_POSITION | BODY_FIELD_ANGLE | BODY_FIELD_TYPE | BODY_FIELD_ENABLED)) != 0;
}

static bool always_makes_pairs(const command *c)
{
    (void)c;
    return true;
}

// The spawn of a body that an earlier command of the batch makes.
static const body_spawn_args *made_by(const command *batch, body_id id)
{
    if (batch == NULL || !command_id_is_reference(id)) {
        return NULL;
    }
    uint64_t index = command_id_index(id);
    const command *maker = index < batch->apply.count ? &batch->apply.commands[index] : NULL;
    return maker != NULL && maker->method == METHOD_BODY_SPAWN ? &maker->spawn : NULL;
}

static void count_spawn(overlap_count *count, const command *batch, const command *c)
{
    (void)batch;
    overlap_count_spawn(count, &c->spawn.def, c->spawn.shapes, c->spawn.shape_count);
}

static void count_set(overlap_count *count, const command *batch, const command *c)
{
    const body_set_args *set = &c->body_set;
    const body_spawn_args *made = made_by(batch, set->body);
    if (made == NULL) {
        overlap_count_set(count, set->body, set->fields, &set->values);
        return;
    }
    body_def there = made->def;
    there.position =
        (set->fields & BODY_FIELD_POSITION) != 0 ? set->values.position : there.position;
    there.angle = (set->fields & BODY_FIELD_ANGLE) != 0 ? set->values.angle : there.angle;
    there.type = (set->fields & BODY_FIELD_TYPE) != 0 ? set->values.type : there.type;
    there.enabled = true;
    overlap_count_spawn(count, &there, made->shapes, made->shape_count);
}

static void count_shape_add(overlap_count *count, const command *batch, const command *c)
{
    const body_spawn_args *made = made_by(batch, c->shape_add.body);
    if (made != NULL) {
        overlap_count_spawn(count, &made->def, &c->shape_add.def, 1);
    } else {
        overlap_count_shape(count, c->shape_add.body, &c->shape_add.def);
    }
}

// ---- kinds

static uint32_t spawn_kinds(const command *c)
{
    bool rebounds = false;
    for (uint32_t i = 0; i < c->spawn.shape_count; i++) {
        rebounds = rebounds || c->spawn.shapes[i].restitution > 0.0;
    }
    return rebounds ? CROWDING_REBOUNDS : 0;
}

static uint32_t shape_add_kinds(const command *c)
{
    return c->shape_add.def.restitution > 0.0 ? CROWDING_REBOUNDS : 0;
}

static uint32_t shape_set_kinds(const command *c)
{
    bool rebounds = (c->shape_set.fields & SHAPE_FIELD_RESTITUTION) != 0;
    return rebounds && c->shape_set.values.restitution > 0.0 ? CROWDING_REBOUNDS : 0;
}

static uint32_t joint_kinds(const command *c)
{
    (void)c;
    return CROWDING_JOINED;
}

// ---- the rules of the methods

typedef struct crowd_rule {
    bool (*makes_pairs)(const command *c); // NULL: never, and so no `count`
    void (*count)(overlap_count *count, const command *batch, const command *c);
    uint32_t (*kinds)(const command *c); // NULL: none
} crowd_rule;

static const crowd_rule crowd_spawn = {spawn_makes_pairs, count_spawn, spawn_kinds};
static const crowd_rule crowd_set = {set_makes_pairs, count_set, NULL};
static const crowd_rule crowd_shape_add = {always_makes_pairs, count_shape_add, shape_add_kinds};
static const crowd_rule crowd_shape_set = {NULL, NULL, shape_set_kinds};
static const crowd_rule crowd_joint = {NULL, NULL, joint_kinds};
#define ROW(id, crowd) [METHOD_##id] = &crowd_##crowd,
static const crowd_rule *const CROWD[METHOD_COUNT] = {METHOD_CROWD(ROW)};

static bool makes_pairs(const command *c)
{
    const crowd_rule *rule = CROWD[c->method];
    return rule != NULL && rule->makes_pairs != NULL && rule->makes_pairs(c);
}

static uint32_t kinds_of_one(const command *c)
{
    const crowd_rule *rule = CROWD[c->method];
    return rule != NULL && rule->kinds != NULL ? rule->kinds(c) : 0;
}

static uint64_t count_pairs(const physics_world *world, const command *c, uint64_t most)
{
    bool batch = c->method == METHOD_WORLD_APPLY;
    const command *commands = batch ? c->apply.commands : c;
    uint32_t end = batch ? c->apply.count : 1;
    overlap_count *count = NULL;
    for (uint32_t i = 0; i < end; i++) {
        if (makes_pairs(&commands[i])) {
            count = count != NULL ? count : overlap_count_begin(world, most);
            CROWD[commands[i].method]->count(count, batch ? c : NULL, &commands[i]);
        }
    }
    return count != NULL ? overlap_count_end(count) : 0;
}

static uint32_t kinds_of(const command *c)
{
    const bool batch = c->method == METHOD_WORLD_APPLY;
    uint32_t kinds = batch ? 0 : kinds_of_one(c);
    for (uint32_t i = 0; batch && i < c->apply.count; i++) {
        kinds |= kinds_of_one(&c->apply.commands[i]);
    }
    return kinds;
}

static bool is_hard(uint32_t kinds)
{
    return kinds == (CROWDING_REBOUNDS | CROWDING_JOINED);
}

// The number of bodies in constant time; world_count is slower.
static uint32_t body_count(const physics_world *world)
{
    return world_definition(world).bodies_max - world_room_left(world).bodies;
}

crowding crowding_begin(const physics_world *world)
{
    const bool joined = world_room_left(world).joints < PHYSICS_JOINTS_MAX;
    return (crowding){.kinds = (body_count(world) > 0 ? CROWDING_REBOUNDS : 0u) |
                               (joined ? CROWDING_JOINED : 0u)};
}

// ---- prices

static int64_t step_ns(uint64_t few, uint64_t crowded, uint32_t kinds)
{
    const bool hard = is_hard(kinds);
    return (int64_t)few * (hard ? STEP_JOINED_PAIR_NS : STEP_PAIR_NS) +
           (int64_t)crowded * (hard ? STEP_JOINED_CROWDED_PAIR_NS : STEP_CROWDED_PAIR_NS);
}

static uint64_t crowded_of(uint64_t pairs, uint64_t bodies)
{
    ASSERT(bodies <= UINT64_MAX / FEW_PAIRS);
    const uint64_t few = bodies * FEW_PAIRS;
    return pairs > few ? pairs - few : 0;
}

// Pairs that steps have met: they cost more once the world is of another kind.
static uint64_t met_crowded(const physics_world *world)
{
    return crowded_of(world_pair_count(world), body_count(world));
}

crowding_cost crowding_foresee(const crowding *k, const physics_world *world, const command *c,
                               uint64_t most)
{
    const uint64_t pairs = count_pairs(world, c, most);
    const uint32_t commands = c->method == METHOD_WORLD_APPLY ? c->apply.count : 1;
    const uint64_t crowded = crowded_of(pairs, commands);
    const uint32_t kinds = k->kinds | kinds_of(c);
    const uint64_t met = is_hard(kinds) && !is_hard(k->kinds) ? met_crowded(world) : 0;
    const int64_t after = step_ns(k->few + pairs - crowded, k->crowded + crowded + met, kinds);
    return (crowding_cost){.pairs = pairs,
                           .crowded = crowded,
                           .met = met,
                           .kinds = kinds,
                           .price_ns = (int64_t)(pairs - crowded) * PAIR_NS +
                                       (int64_t)crowded * CROWDED_PAIR_NS,
                           .step_ns = after - crowding_foreseen_ns(k)};
}

status crowding_admit(crowding *k, const physics_world *world, const command *c, uint64_t most,
                      int64_t now, crowding_cost *cost, error *err)
{
    ASSERT(most > 0);
    *cost = crowding_foresee(k, world, c, most + 1);
    const uint64_t made = cost->pairs;
    if (made == 0) {
        return STATUS_OK;
    }
    uint64_t found = world_pair_count(world);
    k->pairs = k->pairs > found ? k->pairs : found;
    if (k->pairs + made > most && (!k->counted || now - k->counted_ns >= COUNT_GAP_NS)) {
        k->pairs = world_count_overlaps(world, most);
        k->counted = true;
        k->counted_ns = now;
    }
    if (k->pairs + made > most) {
        return error_set(err, STATUS_LIMIT_EXCEEDED,
                         "pairs_per_world: %llu %s of shapes overlap, and %s%llu would be "
                         "added; at most %llu may",
                         COUNTED(k->pairs, "pair", "pairs"), made > most ? "more than " : "",
                         (unsigned long long)(made > most ? most : made), (unsigned long long)most);
    }
    return STATUS_OK;
}

void crowding_note(crowding *k, const crowding_cost *cost)
{
    ASSERT(cost->crowded <= cost->pairs);
    k->pairs += cost->pairs;
    k->few += cost->pairs - cost->crowded;
    k->crowded += cost->crowded + cost->met;
    k->kinds |= cost->kinds;
}

void crowding_note_step(crowding *k, const physics_world *world)
{
    k->few = k->crowded = 0;
    k->load = world_step_load(world);
}

int64_t crowding_foreseen_ns(const crowding *k)
{
    return step_ns(k->few, k->crowded, k->kinds);
}

static int64_t grown(uint32_t before, uint32_t now, int64_t each_ns)
{
    return now > before ? (int64_t)(now - before) * each_ns : 0;
}

int64_t crowding_growth_ns(const crowding *k, const physics_world *world)
{
    const step_load now = world_step_load(world);
    return grown(k->load.bodies, now.bodies, STEP_BODY_NS) +
           grown(k->load.contacts, now.contacts, STEP_CONTACT_NS) +
           grown(k->load.joints, now.joints, STEP_JOINT_NS);
}

int64_t crowding_sleepers_ns(const physics_world *world)
{
    const step_load awake = world_step_load(world);
    const uint32_t joints = PHYSICS_JOINTS_MAX - world_room_left(world).joints;
    return grown(awake.bodies, body_count(world), STEP_BODY_NS) +
           grown(awake.contacts, world_pair_count(world), STEP_CONTACT_NS) +
           grown(awake.joints, joints, STEP_JOINT_NS);
}

bool crowding_sweeps_beyond(const physics_world *world, int64_t most_ns)
{
    ASSERT(most_ns > 0);
    const uint64_t most = (uint64_t)(most_ns / STEP_SWEEP_NS) + 1;
    return world_count_sweeps(world, most) >= most;
}

uint64_t crowding_pairs_beyond(int64_t step_ns)
{
    ASSERT(step_ns >= 0);
    return (uint64_t)(step_ns / STEP_PAIR_NS) + 1;
}

bool crowding_foretold(const physics_world *world, int64_t most_ns)
{
    const uint64_t pairs = world_count_overlaps(world, crowding_pairs_beyond(most_ns));
    const uint64_t crowded = crowded_of(pairs, body_count(world));
    return step_ns(pairs - crowded, crowded, crowding_begin(world).kinds) > most_ns;
}
