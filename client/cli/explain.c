// See explain.h.
//
// The reasons are tried from the outermost to the innermost: a paused world explains everything,
// then the kind of body, then its own state, then its surroundings. All reasons that apply are
// reported, since several may have to be removed before the body moves.
#include "client/cli/explain.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "client/cli/show.h"

enum { TEXT_MAX = 256 };

// A contact whose normal points up this much supports a body against gravity.
#define SUPPORT_COSINE 0.1

typedef struct explanation {
    const carom_value *body, *info;
    uint64_t id;
    carom_value *reasons, *joints, *touches;
    bool supported; // something touches it on the side toward which gravity pulls
} explanation;

static void add_reason(explanation *e, const char *reason, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void add_reason(explanation *e, const char *reason, const char *format, ...)
{
    char text[TEXT_MAX];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(text, sizeof text, format, values);
    va_end(values);
    carom_value *one = carom_set(carom_map(), "reason", carom_str(reason));
    e->reasons = carom_push(e->reasons, carom_set(one, "text", carom_str(text)));
}

// The acceleration that gravity gives this body [m/s²].
static carom_vec2 weight_of(const explanation *e)
{
    carom_vec2 g = carom_get_vec(e->info, "gravity", (carom_vec2){0.0, 0.0});
    double scale = carom_get_real(e->body, "gravity_scale", 1.0);
    return (carom_vec2){g.x * scale, g.y * scale};
}

static bool is_still(const explanation *e)
{
    carom_vec2 v = carom_get_vec(e->body, "velocity", (carom_vec2){0.0, 0.0});
    double spin = carom_get_real(e->body, "angular_velocity", 0.0);
    return hypot(v.x, v.y) < EXPLAIN_SPEED_MIN && fabs(spin) < EXPLAIN_SPEED_MIN;
}

static bool is_zero(carom_vec2 v)
{
    return hypot(v.x, v.y) < 1e-9;
}

// ---- its surroundings

static void list_joints(explanation *e, const carom_value *joints)
{
    for (size_t i = 0; i < carom_value_count(joints); i++) {
        const carom_value *joint = carom_value_at(joints, i);
        uint64_t a = carom_get_uint(joint, "a", 0);
        uint64_t b = carom_get_uint(joint, "b", 0);
        if (a != e->id && b != e->id) {
            continue;
        }
        carom_value *one =
            carom_set(carom_map(), "joint", carom_uint(carom_get_uint(joint, "joint", 0)));
        carom_set(one, "kind", carom_str(carom_get_str(joint, "kind", "?")));
        carom_set(one, "other", carom_uint(a == e->id ? b : a));
        e->joints = carom_push(e->joints, one);
    }
}

// Adds a touching pair. The normal points from the other body to this one: the direction of the
// push on this one.
static void add_touch(explanation *e, const carom_value *contact)
{
    uint64_t a = carom_get_uint(contact, "a", 0);
    uint64_t b = carom_get_uint(contact, "b", 0);
    carom_vec2 n = carom_get_vec(contact, "normal", (carom_vec2){0.0, 0.0});
    const carom_value *points = carom_value_get(contact, "points");
    double impulse = 0.0;
    for (size_t i = 0; i < carom_value_count(points); i++) {
        impulse += carom_get_real(carom_value_at(points, i), "impulse", 0.0);
    }
    n = a == e->id ? (carom_vec2){-n.x, -n.y} : n;
    carom_vec2 g = weight_of(e);
    double pull = hypot(g.x, g.y);
    if (pull > 0.0 && -(n.x * g.x + n.y * g.y) > SUPPORT_COSINE * pull) {
        e->supported = true;
    }
    carom_value *one = carom_set(carom_map(), "body", carom_uint(a == e->id ? b : a));
    carom_set(one, "normal", carom_vec(n.x, n.y));
    e->touches = carom_push(e->touches, carom_set(one, "impulse", carom_real(impulse)));
}

static void list_touches(explanation *e, const carom_value *contacts)
{
    for (size_t i = 0; i < carom_value_count(contacts); i++) {
        const carom_value *contact = carom_value_at(contacts, i);
        if (carom_get_uint(contact, "a", 0) == e->id || carom_get_uint(contact, "b", 0) == e->id) {
            add_touch(e, contact);
        }
    }
}

// ---- the reasons

static void explain_state(explanation *e)
{
    const char *type = carom_get_str(e->body, "type", "dynamic");
    if (show_world_stands(e->info)) {
        add_reason(e, "paused", "the world is paused: 'carom resume %s' lets it go on",
                   carom_get_str(e->info, "world", "WORLD"));
    }
    if (strcmp(type, "static") == 0) {
        add_reason(e, "static",
                   "it is static: nothing moves it; type=dynamic makes it a body that "
                   "forces move");
    } else if (strcmp(type, "kinematic") == 0 && is_still(e)) {
        add_reason(e, "kinematic",
                   "it is kinematic and its velocity is zero: it moves only with "
                   "the velocity that it is given");
    }
    if (carom_get_bool(e->body, "frozen", false)) {
        add_reason(e, "frozen",
                   "it left the bounds of the world and was frozen there: set its "
                   "position and enabled=true");
    } else if (!carom_get_bool(e->body, "enabled", true)) {
        add_reason(e, "disabled", "it is disabled: enabled=true puts it back into the world");
    }
}

static void explain_surroundings(explanation *e)
{
    carom_vec2 force = carom_get_vec(e->body, "force", (carom_vec2){0.0, 0.0});
    bool weightless = is_zero(weight_of(e));
    if (!carom_get_bool(e->body, "awake", true)) {
        add_reason(e, "asleep",
                   "it sleeps, having been at rest for a while: an impulse, a touch or "
                   "awake=true wakes it");
    }
    if (weightless) {
        bool by_scale = carom_get_real(e->body, "gravity_scale", 1.0) == 0.0;
        add_reason(e, "weightless",
                   by_scale ? "gravity does not act on it: its gravity_scale is 0"
                            : "the world has no gravity");
    }
    if (e->supported) {
        add_reason(e, "supported", "it rests on the bodies that touch it from below");
    }
    if (carom_value_count(e->joints) > 0) {
        add_reason(e, "held", "%zu joint%s it", carom_value_count(e->joints),
                   carom_value_count(e->joints) == 1 ? " holds" : "s hold");
    }
    if (weightless && is_zero(force) && carom_get_real(e->body, "torque", 0.0) == 0.0) {
        add_reason(e, "unforced", "no force acts on it, and its velocity is zero");
    }
}

carom_value *explain_body(const carom_value *body, const carom_value *info,
                          const carom_value *joints, const carom_value *contacts)
{
    explanation e = {.body = body,
                     .info = info,
                     .id = carom_get_uint(body, "body", 0),
                     .reasons = carom_array(),
                     .joints = carom_array(),
                     .touches = carom_array()};
    list_joints(&e, joints);
    list_touches(&e, contacts);
    explain_state(&e);
    bool still = is_still(&e);
    if (still && carom_value_count(e.reasons) == 0) {
        explain_surroundings(&e);
    }
    carom_value *result = carom_set(carom_map(), "body", carom_uint(e.id));
    carom_set(result, "moves", carom_bool(!still && !show_world_stands(info)));
    carom_set(result, "reasons", e.reasons);
    carom_set(result, "joints", e.joints);
    return carom_set(result, "touches", e.touches);
}
