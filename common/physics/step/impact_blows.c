// Solves impacts of discs that happen at the same moment.
//
// Newton's law of impact, v' = -e v along the normal, holds for each pair that closes then. If they
// were solved one after the other, the first of two that share a body would dominate: a ball that
// hits two at once would fly to one side. So all impulses are solved together: x >= 0, v' >= -e v,
// with equality in one of the two for each impact, by sweeps until nothing changes (projected
// Gauss-Seidel). A symmetric break stays symmetric, momentum is conserved, and energy is if e is 1.
// Coulomb's friction follows; each body divides it among its impacts.
//
// A pair that closes only because of these impacts is solved at the next moment, even if that is at
// the same time: so an impact travels through a row of touching balls.
#include "common/physics/step/impact_blows.h"

#include "common/physics/state/world.h"
#include "common/physics/step/step_scratch.h"

#define SETTLED 1e-12 // sweeps end when impulses change by less than this share

enum { SWEEPS_MAX = 500 };

static double dot(vec2d a, vec2d b)
{
    return a.x * b.x + a.y * b.y;
}

static vec2d velocity_at_surface(const impact_path *p, vec2d arm)
{
    return (vec2d){p->velocity.x - p->spin * arm.y, p->velocity.y + p->spin * arm.x};
}

// The velocity of the disc's surface relative to the other body's.
static vec2d relative_velocity(const step_scratch *s, const impact_blow *b)
{
    return vec2d_sub(velocity_at_surface(&s->paths.data[b->disc], b->arm),
                     velocity_at_surface(&s->paths.data[b->other], b->other_arm));
}

static double inv_mass_of(const impact_path *p)
{
    return p->kind == PATH_DISC ? (double)p->inv_mass : 0.0;
}

// The inverse mass that rotation adds across the normal.
static double inv_round_of(const impact_path *p)
{
    return p->kind == PATH_DISC ? p->radius * p->radius * (double)p->inv_inertia : 0.0;
}

static void push(impact_path *p, vec2d impulse, vec2d arm)
{
    const double mass = inv_mass_of(p);
    p->velocity = vec2d_add(p->velocity, (vec2d){mass * impulse.x, mass * impulse.y});
    if (p->kind == PATH_DISC) {
        const double spin = (double)p->inv_inertia * (arm.x * impulse.y - arm.y * impulse.x);
        p->spin += spin;
        p->turned += spin * p->clock;
    }
}

static void push_both(step_scratch *s, const impact_blow *b, vec2d impulse)
{
    push(&s->paths.data[b->disc], impulse, b->arm);
    push(&s->paths.data[b->other], (vec2d){-impulse.x, -impulse.y}, b->other_arm);
}

static void begin_blow(physics_world *world, impact_blow *b)
{
    step_scratch *s = world->scratch;
    const surface of = contact_surface(world, &world->contacts.data[b->contact]);
    b->closing = dot(relative_velocity(s, b), b->normal);
    const bool rebounds = b->closing < -(double)world->step.restitution_threshold;
    b->parting = rebounds ? -(double)of.restitution * b->closing : 0.0;
    b->impulse = 0.0;
    s->paths.data[b->disc].blows++;
    s->paths.data[b->other].blows++;
}

// Returns whether any impulse has changed.
static bool sweep_normals(step_scratch *s)
{
    bool changed = false;
    for (uint32_t i = 0; i < s->blows.count; i++) {
        impact_blow *b = &s->blows.data[i];
        const double inv_mass =
            inv_mass_of(&s->paths.data[b->disc]) + inv_mass_of(&s->paths.data[b->other]);
        const double lacks = b->parting - dot(relative_velocity(s, b), b->normal);
        const double before = b->impulse;
        b->impulse = before + lacks / inv_mass > 0.0 ? before + lacks / inv_mass : 0.0;
        const double by = b->impulse - before;
        push_both(s, b, (vec2d){by * b->normal.x, by * b->normal.y});
        changed |= fabs(by) > SETTLED * b->impulse;
    }
    return changed;
}

// The impulse across the normal, with the solver's sign: its direction is the normal from A to B,
// rotated clockwise.
static vec2d friction_of(const physics_world *world, const impact_blow *b)
{
    const step_scratch *s = world->scratch;
    const contact *c = &world->contacts.data[b->contact];
    const impact_path *disc = &s->paths.data[b->disc];
    const impact_path *other = &s->paths.data[b->other];
    const double side = b->turned ? -1.0 : 1.0;
    const vec2d t = {side * b->normal.y, -side * b->normal.x};
    const double conveyed = side * (double)contact_surface(world, c).tangent_speed;
    const double yields =
        inv_mass_of(disc) + inv_mass_of(other) + inv_round_of(disc) + inv_round_of(other);
    const uint32_t shares =
        inv_mass_of(other) > 0.0 && other->blows > disc->blows ? other->blows : disc->blows;
    const double limit = (double)c->friction * b->impulse;
    const double stops = -(dot(relative_velocity(s, b), t) - conveyed) / (yields * (double)shares);
    const double across = stops < -limit ? -limit : stops > limit ? limit : stops;
    return (vec2d){across * t.x, across * t.y};
}

static void report(step_scratch *s, const impact_blow *b)
{
    const double side = b->turned ? -1.0 : 1.0;
    array_push(&s->reports,
               ((impact_report){
                   .contact = b->contact,
                   .point = b->place,
                   .normal = {(float)(side * b->normal.x), (float)(side * b->normal.y)},
                   .speed = (float)-b->closing,
                   .impulse = (float)b->impulse,
                   .at = (float)s->paths.data[b->disc].clock,
               }));
}

// Bounds the speeds: a light disc between two heavy ones gains speed with each impact.
static void bound_speeds(impact_path *p)
{
    const double squared = dot(p->velocity, p->velocity);
    if (squared > PHYSICS_SPEED_MAX * PHYSICS_SPEED_MAX) {
        const double scale = PHYSICS_SPEED_MAX / sqrt(squared);
        p->velocity = (vec2d){scale * p->velocity.x, scale * p->velocity.y};
    }
    const double spin = fmax(-PHYSICS_SPIN_MAX, fmin(p->spin, PHYSICS_SPIN_MAX));
    p->turned += (spin - p->spin) * p->clock;
    p->spin = spin;
}

static void end_path(physics_world *world, impact_path *p)
{
    if (world->bodies.data[p->body].sleep_set != 0) {
        body_wake(world, p->body);
    }
    if (p->kind == PATH_DISC) {
        bound_speeds(p);
        p->version++;
        p->impacts++;
        p->changed = true;
        path_bend(world, p);
    }
}

void strike_blows(physics_world *world)
{
    step_scratch *s = world->scratch;
    for (uint32_t i = 0; i < s->blows.count; i++) {
        begin_blow(world, &s->blows.data[i]);
    }
    for (int i = 0; i < SWEEPS_MAX && sweep_normals(s); i++) {
    }
    array_clear(&s->rubs);
    for (uint32_t i = 0; i < s->blows.count; i++) {
        array_push(&s->rubs, friction_of(world, &s->blows.data[i]));
    }
    for (uint32_t i = 0; i < s->blows.count; i++) {
        const impact_blow *b = &s->blows.data[i];
        push_both(s, b, s->rubs.data[i]);
        report(s, b);
        end_path(world, &s->paths.data[b->disc]);
        end_path(world, &s->paths.data[b->other]);
    }
}
