// Sensors and fast bodies. The narrow phase tests for overlaps at the beginning of a step. A body
// that moves farther than half its smallest half width may pass through a sensor in between, or a
// sensor through it; so its path is swept (geometry/distance.h). A pass that is not seen at the
// beginning of any step is reported as a begin and an end in its tick, all passes of the tick in
// order of time.
//
// The path is the one that the body took: from its place at the start of the step, through each
// impact that impacts.c resolved, to its current place, also if continuous.c stopped it. Slow
// bodies count as being at their current place.
//
// Only fast bodies in worlds with sensors cost anything. Results are events: no state depends on
// them. On the world's thread, except sensors_note_way().
#include "common/physics/step/sensor_sweep.h"

#include "common/physics/parallel/sort.h"
#include "common/physics/state/contacts/contact_pair.h"
#include "common/physics/state/events.h"
#include "common/physics/state/ids.h"
#include "common/physics/step/step.h"
#include "common/physics/step/step_scratch.h"
#include "common/physics/step/way.h"

#include <string.h>

// A body that moves farther than this share of its smallest half width may have passed through a
// sensor.
#define PASS_SHARE 0.5f

// ---- while bodies are finalized

static bool has_sensors(const physics_world *world)
{
    return world->broad.sensors.root != 0;
}

void sensors_begin_ways(physics_world *world)
{
    array_clear(&world->scratch->swept);
    if (has_sensors(world)) {
        array_reserve(&world->scratch->sensor_ways, world->bodies.count);
    }
}

static bool moves_past_sensors(const physics_world *world, uint32_t slot, float gone, float chord)
{
    const body_extent *extent = &world->extents.data[slot];
    return extent->extent_max > 0.0f &&
           gone + chord * extent->extent_max > PASS_SHARE * extent->extent_min;
}

static bool sensors_move_past(const physics_world *world, uint32_t slot, float gone, float chord)
{
    const vec2 center = world->motions.data[slot].local_center;
    for (uint32_t k = world->bodies.data[slot].shapes; k != NONE; k = world->shapes.data[k].next) {
        const shape *s = &world->shapes.data[k];
        if ((s->flags & SHAPE_SENSOR) != 0 &&
            gone + chord * shape_extent_max(&s->traits->geometry, center) >
                PASS_SHARE * s->traits->extent_min) {
            return true;
        }
    }
    return false;
}

bool sensors_note_way(physics_world *world, uint32_t slot, const body_motion *before, float gone,
                      float chord)
{
    const body_state *s = &world->states.data[slot];
    if (!has_sensors(world) || !(gone + chord > 0.0f)) {
        return false;
    }
    vec2d began;
    const bool struck = impact_find_begin(world, slot, &began);
    if (!struck && !moves_past_sensors(world, slot, gone, chord) &&
        ((s->flags & STATE_SENSES) == 0 || !sensors_move_past(world, slot, gone, chord))) {
        return false;
    }
    world->scratch->sensor_ways.data[slot] = (sensor_way){
        .center = struck ? began : before->center,
        .before = before->rotation,
        .turn = (float)way_whole_turn(world, s),
    };
    return true;
}

void sensors_note_carried(physics_world *world, uint32_t slot, vec2d center, rot before)
{
    vec2d began;
    if (!has_sensors(world) || impact_find_begin(world, slot, &began)) {
        return; // the whole path of a struck body has been recorded
    }
    world->scratch->sensor_ways.data[slot] = (sensor_way){
        .center = center,
        .before = before,
        .turn = (float)way_whole_turn(world, &world->states.data[slot]),
    };
    array_push(&world->scratch->swept, slot);
}

// ---- tracks

typedef struct track_point {
    vec2d center;
    float at;
} track_point;

// The path of a body through the whole step: the places of its centre of mass at each bend.
typedef struct track {
    track_point points[IMPACTS_OF_BODY_MAX + 3];
    int count;
    int pieces; // pieces of the rotation, each at most a quarter turn
    rot before;
    double turn;
    float stop; // share of the step from which on the body rests
    vec2 local_center;
} track;

static void add_point(track *t, float at, vec2d center)
{
    t->points[t->count++] = (track_point){center, at};
}

static bool is_swept(const physics_world *world, uint32_t slot)
{
    return slot_is_among(&world->scratch->swept, slot);
}

// Adds the centres of a disc at its impacts: each report has the place on the surface.
static void add_impacts(const physics_world *world, uint32_t slot, track *t)
{
    const impact_report_list *reports = &world->scratch->reports;
    const float radius = world->extents.data[slot].extent_max;
    for (uint32_t i = 0; i < reports->count && t->count <= IMPACTS_OF_BODY_MAX; i++) {
        const impact_report *r = &reports->data[i];
        const contact *c = &world->contacts.data[r->contact];
        if (c->body_a == slot || c->body_b == slot) {
            const float away = c->body_b == slot ? radius : -radius;
            add_point(t, r->at * world->step.inv_dt,
                      vec2d_offset(r->point, vec2_scale(away, r->normal)));
        }
    }
}

// The rotation from `before` to `after`, with the number of whole turns nearest to `expected`.
static double turn_between(rot before, rot after, double expected)
{
    const rot by = rot_inv_mul(before, after);
    double turn = arc_tangent((double)by.s, (double)by.c);
    while (expected - turn > PI_D) {
        turn += 2.0 * PI_D;
    }
    while (turn - expected > PI_D) {
        turn -= 2.0 * PI_D;
    }
    return turn;
}

static void track_of(const physics_world *world, uint32_t slot, track *t)
{
    const body_motion *m = &world->motions.data[slot];
    t->count = 0;
    t->pieces = 1;
    t->before = m->rotation;
    t->turn = 0.0;
    t->stop = 1.0f;
    t->local_center = m->local_center;
    if (!is_swept(world, slot)) {
        add_point(t, 0.0f, m->center);
        return;
    }
    const sensor_way *w = &world->scratch->sensor_ways.data[slot];
    const uint32_t fast = fast_index(world, slot);
    vec2d place;
    add_point(t, 0.0f, w->center);
    if (impact_find_place(world, slot, &place)) {
        add_impacts(world, slot, t);
    } else if (fast < world->scratch->fast.count && world->scratch->stops.data[fast] > 0.0f) {
        t->stop = world->scratch->stops.data[fast];
    }
    add_point(t, t->stop, m->center);
    t->before = w->before;
    t->turn = turn_between(w->before, m->rotation, (double)(w->turn * t->stop));
    t->pieces = 1 + (int)((t->turn < 0.0 ? -t->turn : t->turn) / (0.5 * PI_D));
}

static vec2 place_on(const track *t, vec2d origin, float at)
{
    for (int i = 1; i < t->count; i++) {
        const track_point *a = &t->points[i - 1];
        const track_point *b = &t->points[i];
        if (at < b->at) {
            const float part = (at - a->at) / (b->at - a->at);
            return vec2_lerp(vec2d_relative(origin, a->center), vec2d_relative(origin, b->center),
                             part);
        }
    }
    return vec2d_relative(origin, t->points[t->count - 1].center);
}

static rot rotation_on(const track *t, float at)
{
    const float gone = at < t->stop ? at / t->stop : 1.0f;
    return t->turn == 0.0
               ? t->before
               : rot_normalize(rot_mul(rot_from_angle((double)gone * t->turn), t->before));
}

static sweep sweep_on(const track *t, vec2d origin, float from, float to)
{
    return (sweep){
        .local_center = t->local_center,
        .c1 = place_on(t, origin, from),
        .c2 = place_on(t, origin, to),
        .q1 = rotation_on(t, from),
        .q2 = rotation_on(t, to),
    };
}

// The first time after `at` at which the track bends.
static float next_bend(const track *t, float at)
{
    float next = 1.0f;
    for (int i = 0; i < t->count; i++) {
        next = t->points[i].at > at ? float_min(next, t->points[i].at) : next;
    }
    for (int i = 1; i < t->pieces; i++) {
        const float bend = t->stop * (float)i / (float)t->pieces;
        next = bend > at ? float_min(next, bend) : next;
    }
    return next;
}

// ---- a shape and a sensor

static bool overlap_at(const proxy *a, const proxy *b, transform b_in_a)
{
    return distance_proxies(a, b, b_in_a, true, NULL).distance <= 0.0f;
}

static sweep reversed(sweep s)
{
    return (sweep){s.local_center, s.c2, s.c1, s.q2, s.q1};
}

// The share of a sweep after which the two first touch, 1 if never. `core` is the moving shape,
// reduced by the distance that impact_time() counts as touching.
static float first_touch(const proxy *sensor, const sweep *theirs, const proxy *core,
                         const sweep *ours)
{
    const impact_result hit = impact_time(sensor, theirs, core, ours, 1.0f);
    return hit.state == IMPACT_NONE ? 1.0f : hit.fraction;
}

// Whether the two overlap on a straight piece of their paths, and from when to when.
static bool passes_on(const proxy *sensor, const sweep *theirs, const proxy *moving,
                      const sweep *ours, float *in, float *out)
{
    proxy core = *moving;
    core.radius -= LINEAR_SLOP;
    *in = first_touch(sensor, theirs, &core, ours);
    if (!(*in < 1.0f)) {
        return false;
    }
    const sweep back = reversed(*theirs);
    const sweep ours_back = reversed(*ours);
    *out = 1.0f - first_touch(sensor, &back, &core, &ours_back);
    const float middle = 0.5f * (*in + *out);
    return overlap_at(sensor, moving,
                      transform_inv_mul(sweep_at(theirs, middle), sweep_at(ours, middle)));
}

static bool find_pass(const physics_world *world, const track *ours, const track *theirs,
                      sensor_pass *pass)
{
    const proxy sensor = proxy_from_shape(&world->shapes.data[pass->sensor].traits->geometry);
    const proxy moving = proxy_from_shape(&world->shapes.data[pass->shape].traits->geometry);
    const vec2d origin = theirs->points[0].center;
    bool found = false;
    for (float from = 0.0f; from < 1.0f;) {
        const float to = float_min(next_bend(ours, from), next_bend(theirs, from));
        const sweep of_theirs = sweep_on(theirs, origin, from, to);
        const sweep of_ours = sweep_on(ours, origin, from, to);
        float in;
        float out;
        if (passes_on(&sensor, &of_theirs, &moving, &of_ours, &in, &out)) {
            pass->in = found ? pass->in : from + in * (to - from);
            pass->out = from + out * (to - from);
            found = true;
        }
        from = to;
    }
    return found;
}

// Whether the sensor detected the shape, or another piece of its chain, at the start of the step.
static bool is_seen(const physics_world *world, const sensor_pass *pass)
{
    const shape_id id = shape_id_of(world, pass->shape);
    const body *b = &world->bodies.data[world->shapes.data[pass->shape].body];
    for (uint32_t key = b->contacts; key != NONE;) {
        const contact *c = &world->contacts.data[key >> 1];
        if (c->shape_a == pass->sensor && (c->flags & CONTACT_TOUCHING) != 0 &&
            shape_id_of(world, c->shape_b) == id) {
            return true;
        }
        key = c->edges[key & 1].next;
    }
    return false;
}

// Whether the narrow phase of the next step will detect it.
static bool will_be_seen(const physics_world *world, const sensor_pass *pass)
{
    const shape *a = &world->shapes.data[pass->sensor];
    const shape *b = &world->shapes.data[pass->shape];
    const proxy sensor = proxy_from_shape(&a->traits->geometry);
    const proxy moving = proxy_from_shape(&b->traits->geometry);
    return overlap_at(&sensor, &moving,
                      pose_relative(body_pose(&world->motions.data[a->body]),
                                    body_pose(&world->motions.data[b->body])));
}

// ---- a body

typedef struct passing {
    physics_world *world;
    uint32_t body, shape; // the swept body, and its shape
    bool senses;          // the shape is a sensor
    float theirs;         // the longest path of other bodies
    track track;
} passing;

static bool list_other(void *context, uint32_t item)
{
    passing *p = context;
    physics_world *world = p->world;
    const shape *s = &world->shapes.data[item];
    const bool sensor = (s->flags & SHAPE_SENSOR) != 0;
    // If both bodies are swept, only the one that is not the sensor's finds the pair.
    const bool twice = p->senses && is_swept(world, s->body);
    if (sensor != p->senses && !twice && contact_wanted(world, p->shape, item)) {
        array_push(&world->scratch->listed, item);
    }
    return true;
}

// Adds a pass. For a chain, the first entry into any piece and the last exit count.
static void add_pass(physics_world *world, const sensor_pass *pass, uint32_t since)
{
    const shape_id id = shape_id_of(world, pass->shape);
    for (uint32_t i = since; i < world->scratch->passes.count; i++) {
        sensor_pass *had = &world->scratch->passes.data[i];
        if (had->sensor == pass->sensor && shape_id_of(world, had->shape) == id) {
            had->in = float_min(had->in, pass->in);
            had->out = float_max(had->out, pass->out);
            return;
        }
    }
    array_push(&world->scratch->passes, *pass);
}

static void look_at_others(passing *p, uint32_t since)
{
    physics_world *world = p->world;
    slot_list *listed = &world->scratch->listed;
    listed->count = sort_slots(listed->data, listed->count);
    for (uint32_t i = 0; i < listed->count; i++) {
        sensor_pass pass = {.sensor = p->senses ? p->shape : listed->data[i],
                            .shape = p->senses ? listed->data[i] : p->shape};
        track other;
        track_of(world, world->shapes.data[listed->data[i]].body, &other);
        if (!is_seen(world, &pass) && !will_be_seen(world, &pass) &&
            find_pass(world, p->senses ? &other : &p->track, p->senses ? &p->track : &other,
                      &pass)) {
            add_pass(world, &pass, since);
        }
    }
}

static aabb box_on_way(const passing *p)
{
    const track *t = &p->track;
    const vec2d origin = t->points[0].center;
    vec2 lower = {0.0f, 0.0f};
    vec2 upper = {0.0f, 0.0f};
    for (int i = 1; i < t->count; i++) {
        const vec2 to = vec2d_relative(origin, t->points[i].center);
        lower = vec2_min(lower, to);
        upper = vec2_max(upper, to);
    }
    const float reach =
        shape_extent_max(&p->world->shapes.data[p->shape].traits->geometry, t->local_center);
    return aabb_at(origin, aabb_expand((aabb){lower, upper}, reach + p->theirs + LINEAR_SLOP));
}

static void sweep_body(passing *p)
{
    physics_world *world = p->world;
    const uint32_t since = world->scratch->passes.count;
    track_of(world, p->body, &p->track);
    for (uint32_t k = world->bodies.data[p->body].shapes; k != NONE;
         k = world->shapes.data[k].next) {
        if (!world->shapes.data[k].boxed) {
            continue;
        }
        p->shape = k;
        p->senses = (world->shapes.data[k].flags & SHAPE_SENSOR) != 0;
        array_clear(&world->scratch->listed);
        const aabb box = box_on_way(p);
        if (!p->senses) {
            tree_query(&world->broad.sensors, box, list_other, p);
        }
        for (int i = 0; p->senses && i < BROAD_TREES; i++) {
            tree_query(&world->broad.trees[i], box, list_other, p);
        }
        look_at_others(p, since);
    }
}

// ---- all of them

// The longest path of any point of a sensor.
static float longest_of_sensors(const physics_world *world)
{
    float longest = 0.0f;
    for (uint32_t i = 0; i < world->scratch->swept.count; i++) {
        const uint32_t slot = world->scratch->swept.data[i];
        if ((world->states.data[slot].flags & STATE_SENSES) == 0) {
            continue;
        }
        const sensor_way *w = &world->scratch->sensor_ways.data[slot];
        const body_motion *m = &world->motions.data[slot];
        const float gone = vec2_length(vec2d_relative(w->center, m->center));
        const float turn = float_min(float_abs(w->turn), 2.0f);
        for (uint32_t k = world->bodies.data[slot].shapes; k != NONE;
             k = world->shapes.data[k].next) {
            const shape_traits *traits = world->shapes.data[k].traits;
            longest = float_max(longest,
                                gone + turn * shape_extent_max(&traits->geometry, m->local_center));
        }
    }
    return longest;
}

static void tell_pass(physics_world *world, const sensor_pass *pass, event_kind kind)
{
    event_push(world, &(physics_event){
                          .kind = kind,
                          .a = body_id_of(world, world->shapes.data[pass->sensor].body),
                          .b = body_id_of(world, world->shapes.data[pass->shape].body),
                          .shape_a = shape_id_of(world, pass->sensor),
                          .shape_b = shape_id_of(world, pass->shape),
                      });
}

// Non-negative floats are ordered like their bits.
static uint32_t bits_of(float time)
{
    uint32_t bits;
    memcpy(&bits, &time, sizeof bits);
    return bits;
}

static void tell_passes(physics_world *world)
{
    const sensor_pass *passes = world->scratch->passes.data;
    item_pairs *order = &world->scratch->met_pairs;
    array_clear(order);
    for (uint32_t i = 0; i < world->scratch->passes.count; i++) {
        array_push(order, ((item_pair){bits_of(passes[i].in), 2 * i}));
        array_push(order, ((item_pair){bits_of(passes[i].out), 2 * i + 1}));
    }
    sort_pairs(order, &world->scratch->found_in[0]);
    for (uint32_t i = 0; i < order->count; i++) {
        const uint32_t which = order->data[i].b;
        tell_pass(world, &passes[which / 2],
                  which % 2 == 0 ? EVENT_SENSOR_BEGIN : EVENT_SENSOR_END);
    }
    array_clear(order);
}

void sweep_sensors(physics_world *world)
{
    slot_list *swept = &world->scratch->swept;
    if (swept->count == 0 ||
        !(event_wanted(world, EVENT_SENSOR_BEGIN) || event_wanted(world, EVENT_SENSOR_END))) {
        return;
    }
    array_clear(&world->scratch->passes);
    swept->count = sort_slots_once(swept->data, swept->count);
    passing p = {.world = world, .theirs = longest_of_sensors(world)};
    for (uint32_t i = 0; i < swept->count; i++) {
        p.body = swept->data[i];
        sweep_body(&p);
    }
    tell_passes(world);
}
