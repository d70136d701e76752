// The paths of bodies within a step, and when two of them meet.
//
// The integrator changes velocities before positions (semi-implicit Euler), so the positions of a
// freely falling body lie exactly on a parabola, and the velocity on it is ahead of the body's own
// by half a sub-step of acceleration. This file does the same, so impacts conserve energy and
// heights as in theory.
//
// Meeting. The distance of a uniformly moving point from a convex set is a convex function of time,
// so its tangent never lies above it, and Newton's method from the left converges to the first root
// without passing it. Forces and the rotation of a body bend the function by a bounded amount; with
// a parabola of that curvature instead of the tangent the same is true. This is conservative
// advancement (B. Mirtich, "Impulse-based Dynamic Simulation of Rigid Body Systems", 1996) of the
// second order.
#include "common/physics/step/impact_path.h"

#include "common/physics/state/bodies/body_special.h"
#include "common/physics/state/broad_phase/boxes.h"
#include "common/physics/state/world.h"
#include "common/physics/step/solver/impact_joints.h"

#define TOUCH_DISTANCE  1e-6  // surfaces nearer than this touch [m]
#define CENTER_DISTANCE 1e-5f // circles this near to the centre of mass are concentric [m]
#define KEEPS_LEAST     0.5   // a body that keeps less of its velocity in a step does not fly
#define TIME_LEAST      1e-6  // the time after which two touching bodies are examined again [s]
#define TURN_LEAST      1e-12 // lower angular velocities count as zero [rad/s]

enum { STEPS_MAX = 48 }; // steps of Newton's method; a grazing approach takes 20

static double dot(vec2d a, vec2d b)
{
    return a.x * b.x + a.y * b.y;
}

static vec2d plus_scaled(vec2d a, double s, vec2d b)
{
    return (vec2d){a.x + s * b.x, a.y + s * b.y};
}

static double length_of(vec2d a)
{
    return sqrt(dot(a, a));
}

// ---- a body's path

uint32_t path_find_disc(const physics_world *world, uint32_t body_)
{
    uint32_t found = NONE;
    for (uint32_t k = world->bodies.data[body_].shapes; k != NONE; k = world->shapes.data[k].next) {
        const shape *s = &world->shapes.data[k];
        if ((s->flags & SHAPE_SENSOR) != 0) {
            continue;
        }
        if (found != NONE || s->traits->geometry.kind != SHAPE_CIRCLE) {
            return NONE;
        }
        found = k;
    }
    if (found != NONE) {
        const circle *c = &world->shapes.data[found].traits->geometry.circle;
        vec2 off = vec2_sub(c->center, world->motions.data[body_].local_center);
        if (vec2_length_squared(off) > CENTER_DISTANCE * CENTER_DISTANCE) {
            return NONE;
        }
    }
    return found;
}

vec2 path_free_way(const physics_world *world, uint32_t body_)
{
    const float dt = world->step.dt;
    const body_special *special = body_special_of(world, body_);
    const float falls = 0.5f * dt * dt * special->gravity_scale;
    const float pushed = 0.5f * dt * dt * world->motions.data[body_].inv_mass;
    const vec2 gravity = {(float)world->def.gravity.x, (float)world->def.gravity.y};
    const vec2 way = vec2_scale(dt, world->states.data[body_].velocity);
    if ((world->states.data[body_].flags & STATE_DYNAMIC) == 0) {
        return way;
    }
    return vec2_mul_add(vec2_mul_add(way, falls, gravity), pushed, special->force);
}

// Whether a contact pressed on it in the last step: the contact then bears the forces on it.
static bool is_held(const physics_world *world, uint32_t body_)
{
    for (uint32_t key = world->bodies.data[body_].contacts; key != NONE;) {
        const contact *c = &world->contacts.data[key >> 1];
        const uint32_t both = CONTACT_ACTIVE | CONTACT_TOUCHING;
        if ((c->flags & (both | CONTACT_SENSOR)) == both &&
            c->normal_impulse[0] + c->normal_impulse[1] > 0.0f) {
            return true;
        }
        key = c->edges[key & 1].next;
    }
    return false;
}

// Whether a contact with another moving body pressed on it in the last step: it lies in a heap.
static bool is_piled(const physics_world *world, uint32_t body_)
{
    for (uint32_t key = world->bodies.data[body_].contacts; key != NONE;) {
        const contact *c = &world->contacts.data[key >> 1];
        const uint32_t both = CONTACT_ACTIVE | CONTACT_TOUCHING;
        const uint32_t other = c->body_a == body_ ? c->body_b : c->body_a;
        if ((c->flags & (both | CONTACT_SENSOR)) == both &&
            c->normal_impulse[0] + c->normal_impulse[1] > 0.0f &&
            world->bodies.data[other].type == BODY_DYNAMIC) {
            return true;
        }
        key = c->edges[key & 1].next;
    }
    return false;
}

// The effect of all sub-steps at once: v' = k (v + h a), x' = x + h v' in each.
static void set_motion(const physics_world *world, impact_path *p)
{
    const body_special *special = body_special_of(world, p->body);
    const double h = (double)world->step.h;
    const double k = 1.0 / (1.0 + h * (double)special->linear_damping);
    double keeps = 1.0;
    double goes = 0.0;
    double gains = 0.0;
    double falls = 0.0;
    for (int i = 0; i < world->step.substeps; i++) {
        keeps *= k;
        goes += h * keeps;
        gains = k * (gains + h);
        falls += h * gains;
    }
    p->keeps = keeps;
    p->goes = goes;
    p->drag = (keeps - 1.0) / (double)world->step.dt;
    if (p->held) {
        return;
    }
    const vec2d acts = {
        (double)special->gravity_scale * world->def.gravity.x +
            (double)p->inv_mass * (double)special->force.x,
        (double)special->gravity_scale * world->def.gravity.y +
            (double)p->inv_mass * (double)special->force.y,
    };
    p->gains = (vec2d){gains * acts.x, gains * acts.y};
    p->falls = (vec2d){falls * acts.x, falls * acts.y};
}

// The change of a velocity, distributed evenly over the step.
static vec2d change_of(const physics_world *world, const impact_path *p, vec2d velocity)
{
    const double rate = 1.0 / (double)world->step.dt;
    return (vec2d){p->drag * velocity.x + rate * p->gains.x,
                   p->drag * velocity.y + rate * p->gains.y};
}

void path_bend(const physics_world *world, impact_path *p)
{
    p->change = change_of(world, p, p->velocity);
}

impact_path path_of_body(const physics_world *world, uint32_t body_)
{
    const body *b = &world->bodies.data[body_];
    const body_motion *m = &world->motions.data[body_];
    const body_state *s = &world->states.data[body_];
    impact_path p = {
        .began = m->center,
        .place = m->center,
        .velocity = vec2d_from(s->velocity),
        .spin = (double)s->angular_velocity,
        .body = body_,
        .kind = PATH_STANDING,
        .keeps = 1.0,
        .jointed = b->joints != NONE,
    };
    if ((s->flags & STATE_DYNAMIC) == 0) {
        return p;
    }
    p.inv_mass = m->inv_mass;
    p.inv_inertia = m->inv_inertia;
    p.kind = PATH_OTHER;
    p.shape = path_find_disc(world, body_);
    p.held = b->sleep_set != 0 || is_held(world, body_);
    set_motion(world, &p);
    if (p.shape != NONE && p.keeps >= KEEPS_LEAST && !is_piled(world, body_) &&
        !body_is_braced(world, body_) &&
        vec2_length(path_free_way(world, body_)) <= FOLLOWED_WAY_MAX) {
        p.kind = PATH_DISC;
        p.radius = (double)world->shapes.data[p.shape].traits->geometry.circle.radius;
    }
    path_bend(world, &p);
    p.velocity = plus_scaled(p.velocity, 0.5 * (double)world->step.h, p.change);
    return p;
}

vec2d path_place(const impact_path *p, double at)
{
    const double t = at - p->clock;
    return plus_scaled(plus_scaled(p->place, t, p->velocity), 0.5 * t * t, p->change);
}

vec2d path_velocity(const impact_path *p, double at)
{
    return plus_scaled(p->velocity, at - p->clock, p->change);
}

void path_advance(impact_path *p, double at)
{
    p->place = path_place(p, at);
    p->velocity = path_velocity(p, at);
    p->clock = at;
}

static path_start start_where_struck(const physics_world *world, const impact_path *path)
{
    const vec2d v = plus_scaled(path->velocity, -0.5 * (double)world->step.h, path->change);
    return (path_start){path->place, {(float)v.x, (float)v.y}};
}

// Strong damping removes nearly all velocity within a step: to have a given velocity at the end
// after a late impact, the body would have to start faster than the maximum.
static bool may_start_with(vec2d velocity)
{
    return fabs(velocity.x) <= PHYSICS_SPEED_MAX && fabs(velocity.y) <= PHYSICS_SPEED_MAX;
}

path_start path_start_of(const physics_world *world, const impact_path *path)
{
    if (path->left) {
        return start_where_struck(world, path);
    }
    impact_path end = *path;
    path_advance(&end, (double)world->step.dt);
    const vec2d ahead = change_of(world, &end, end.velocity);
    const vec2d velocity = plus_scaled(end.velocity, -0.5 * (double)world->step.h, ahead);
    const vec2d start = {(velocity.x - path->gains.x) / path->keeps,
                         (velocity.y - path->gains.y) / path->keeps};
    if (!may_start_with(start)) {
        return start_where_struck(world, path);
    }
    const vec2d way = plus_scaled(path->falls, path->goes, start);
    return (path_start){vec2d_sub(end.place, way), {(float)start.x, (float)start.y}};
}

// ---- two paths

// The point of a shape's core nearest to p, and its distance from p; negative inside.
typedef struct core_point {
    vec2d place, normal;
    double distance, radius;
} core_point;

static core_point point_of_circle(vec2d center, double radius, vec2d p)
{
    const vec2d away = vec2d_sub(p, center);
    const double distance = length_of(away);
    const vec2d normal =
        distance > 0.0 ? (vec2d){away.x / distance, away.y / distance} : (vec2d){0.0, 1.0};
    return (core_point){center, normal, distance, radius};
}

static core_point point_of_segment(vec2 from, vec2 to, double radius, vec2d p)
{
    const vec2d a = vec2d_from(from);
    const vec2d along = vec2d_sub(vec2d_from(to), a);
    const double share = dot(vec2d_sub(p, a), along) / dot(along, along);
    const double within = share < 0.0 ? 0.0 : share > 1.0 ? 1.0 : share;
    core_point c = point_of_circle(plus_scaled(a, within, along), radius, p);
    if (c.distance == 0.0) { // the centre is on the line: its right side counts
        const double length = length_of(along);
        c.normal = (vec2d){along.y / length, -along.x / length};
    }
    return c;
}

static core_point point_of_polygon(const polygon *g, vec2d p)
{
    int best = 0;
    double deepest = -(double)INFINITY;
    for (int i = 0; i < g->count; i++) {
        const vec2d n = vec2d_from(g->normals[i]);
        const double out = dot(n, vec2d_sub(p, vec2d_from(g->vertices[i])));
        if (out > deepest) {
            deepest = out;
            best = i;
        }
    }
    if (deepest > 0.0) {
        const int next = best + 1 < g->count ? best + 1 : 0;
        return point_of_segment(g->vertices[best], g->vertices[next], (double)g->radius, p);
    }
    const vec2d n = vec2d_from(g->normals[best]);
    return (core_point){plus_scaled(p, -deepest, n), n, deepest, (double)g->radius};
}

static core_point point_of_core(const shape_geometry *g, vec2d p)
{
    switch (g->kind) {
    case SHAPE_CIRCLE:
        return point_of_circle(vec2d_from(g->circle.center), (double)g->circle.radius, p);
    case SHAPE_CAPSULE:
        return point_of_segment(g->capsule.a, g->capsule.b, (double)g->capsule.radius, p);
    case SHAPE_POLYGON:
        return point_of_polygon(&g->polygon, p);
    case SHAPE_SEGMENT:
        return point_of_segment(g->segment.a, g->segment.b, 0.0, p);
    default:
        return point_of_segment(g->chain.edge.a, g->chain.edge.b, 0.0, p);
    }
}

static path_gap gap_of_discs(const path_pair *pair, double at)
{
    const vec2d center = path_place(pair->other, at);
    const core_point c = point_of_circle(center, pair->other->radius, path_place(pair->disc, at));
    const vec2d closing = vec2d_sub(path_velocity(pair->disc, at), path_velocity(pair->other, at));
    return (path_gap){
        .distance = c.distance - (c.radius + pair->disc->radius),
        .rate = dot(c.normal, closing),
        .normal = c.normal,
        .place = plus_scaled(center, c.radius, c.normal),
    };
}

// The rotation of the other body at a share of the step, as the integrator rotates it.
static rot rotation_at(const path_pair *pair, double at)
{
    const double turn = pair->other->spin * (at - pair->other->clock);
    return turn == 0.0 ? pair->rotation : rot_mul(rot_from_angle(turn), pair->rotation);
}

path_gap path_gap_at(const path_pair *pair, double at)
{
    if (pair->geometry == NULL) {
        return gap_of_discs(pair, at);
    }
    const impact_path *other = pair->other;
    const rot q = rotation_at(pair, at);
    const double cosine = (double)q.c;
    const double sine = (double)q.s;
    const vec2d center = path_place(other, at);
    const vec2d away = vec2d_sub(path_place(pair->disc, at), center);
    const vec2d local = {cosine * away.x + sine * away.y + (double)pair->center.x,
                         cosine * away.y - sine * away.x + (double)pair->center.y};
    const core_point c = point_of_core(pair->geometry, local);
    const vec2d normal = {cosine * c.normal.x - sine * c.normal.y,
                          sine * c.normal.x + cosine * c.normal.y};
    const vec2d out = vec2d_sub(plus_scaled(c.place, c.radius, c.normal), vec2d_from(pair->center));
    const vec2d arm = {cosine * out.x - sine * out.y, sine * out.x + cosine * out.y};
    const vec2d moves = path_velocity(other, at);
    const vec2d closing =
        vec2d_sub(path_velocity(pair->disc, at),
                  (vec2d){moves.x - other->spin * arm.y, moves.y + other->spin * arm.x});
    return (path_gap){
        .distance = c.distance - (c.radius + pair->disc->radius),
        .rate = dot(normal, closing),
        .normal = normal,
        .place = vec2d_add(center, arm),
    };
}

// An upper bound of the distance's downward curvature, compared with a straight path past a still
// body [m/s²].
static double bend_of(const path_pair *pair, double from, double to)
{
    const vec2d change = vec2d_sub(pair->disc->change, pair->other->change);
    double bend = length_of(change);
    const double spin = pair->other->spin < 0.0 ? -pair->other->spin : pair->other->spin;
    if (pair->geometry != NULL && spin > TURN_LEAST) {
        const vec2d velocity =
            vec2d_sub(path_velocity(pair->disc, from), path_velocity(pair->other, from));
        const double speed = length_of(velocity) + bend * (to - from);
        const double away =
            length_of(vec2d_sub(path_place(pair->disc, from), path_place(pair->other, from)));
        bend += spin * (spin * (away + speed * (to - from)) + 2.0 * speed);
    }
    return bend;
}

// The time for which they certainly stay apart: the root of distance + rate t - bend t² / 2.
static double certain_time(double distance, double rate, double bend)
{
    const double root = sqrt(rate * rate + 2.0 * bend * distance);
    if (rate < 0.0) {
        return 2.0 * distance / (root - rate);
    }
    return bend > 0.0 ? (root + rate) / bend : (double)INFINITY;
}

path_meeting path_first_meeting(const path_pair *pair, double from, double to, double limit,
                                double *at, path_gap *begin)
{
    const double bend = bend_of(pair, from, to);
    double t = from;
    path_meeting met = PATH_APART;
    for (int i = 0; i < STEPS_MAX; i++) {
        const path_gap gap = path_gap_at(pair, t);
        if (i == 0) {
            *begin = gap;
        }
        if (gap.distance <= TOUCH_DISTANCE && gap.rate <= 0.0) {
            *at = t;
            if (gap.rate < -limit) {
                return PATH_IMPACT;
            }
            met = PATH_TOUCH; // slow contact, unless a faster one is found
            t += bend > 0.0 ? (limit + gap.rate) / bend + TIME_LEAST : (double)INFINITY;
        } else {
            const double apart = gap.distance > 0.0 ? gap.distance : 0.0;
            t += certain_time(apart, gap.rate, bend);
        }
        if (!(t <= to)) {
            return met;
        }
    }
    return PATH_TOUCH; // a grazing contact
}
