// See watch.h.
#include "client/cli/picture/watch.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "client/cli/text.h"

// Of the 256-colour palette, to be told apart on dark and on light ground.
enum {
    COLOUR_STATIC = 246,
    COLOUR_KINEMATIC = 75,
    COLOUR_AWAKE = 214,
    COLOUR_ASLEEP = 66,
    COLOUR_SENSOR = 134,
    COLOUR_UNKNOWN = 240,
    COLOUR_JOINT = 43,
    COLOUR_CONTACT = 196,
    COLOUR_NORMAL = 227,
    COLOUR_ID = 255,
    COLOUR_SCALE = 244,
    NORMAL_DOTS = 7
};

void watch_meter_update(watch_meter *m, double now, uint64_t tick, uint64_t snapshots,
                        uint64_t bytes)
{
    double past = now - m->since;
    if (m->since > 0.0 && past < 1.0) {
        return;
    }
    if (m->since > 0.0) {
        m->ticks_per_s = tick >= m->tick ? (double)(tick - m->tick) / past : 0.0;
        m->snapshots_per_s = (double)(snapshots - m->snapshots) / past;
        m->bytes_per_s = (double)(bytes - m->bytes) / past;
        m->measured = true;
    }
    m->since = now;
    m->tick = tick;
    m->snapshots = snapshots;
    m->bytes = bytes;
}

static uint8_t colour_of(const actor *a, const outline *o)
{
    if (o->sensor) {
        return COLOUR_SENSOR;
    }
    switch (a->type) {
    case ACTOR_STATIC:
        return COLOUR_STATIC;
    case ACTOR_KINEMATIC:
        return COLOUR_KINEMATIC;
    case ACTOR_DYNAMIC:
        break;
    }
    return a->awake ? COLOUR_AWAKE : COLOUR_ASLEEP;
}

// What is drawn later is seen: what moves comes after what does not.
static int layer_of(const actor *a)
{
    return a == NULL || a->type == ACTOR_STATIC ? 0 : a->type == ACTOR_DYNAMIC && a->awake ? 2 : 1;
}

static bool in_view(box view, const carom_body *body, double reach)
{
    return body->x + reach >= view.x0 && body->x - reach <= view.x1 && body->y + reach >= view.y0 &&
           body->y - reach <= view.y1;
}

static void draw_body(const carom_body *body, const actor *a, const camera *cam, canvas *c)
{
    place at = {{body->x, body->y}, body->angle};
    if (a == NULL || a->count == 0) {
        point dot = camera_to_dots(cam, c, at.position);
        canvas_line(c, dot.x, dot.y, dot.x, dot.y, COLOUR_UNKNOWN);
        return;
    }
    for (size_t i = 0; i < a->count; i++) {
        outline_draw(&a->outlines[i], &at, cam, c, colour_of(a, &a->outlines[i]));
    }
}

static void draw_bodies(const stage *s, const camera *cam, int layer, canvas *c)
{
    box view = camera_view(cam, c);
    for (size_t i = 0; i < carom_view_count(s->view); i++) {
        const carom_body *body = carom_view_body(s->view, i);
        const actor *a = stage_actor(s, body->id);
        if (layer_of(a) == layer && in_view(view, body, a != NULL ? a->reach : 0.0)) {
            draw_body(body, a, cam, c);
        }
    }
}

// Where a body stands; false when it is out of view.
static bool find_place(const stage *s, uint64_t id, place *out)
{
    const carom_body *body = carom_view_find(s->view, id);
    if (body != NULL) {
        *out = (place){{body->x, body->y}, body->angle};
    }
    return body != NULL;
}

// One side of a joint: how the body holds its anchor. What stands still has its anchor marked
// alone, since a ground's origin may be anywhere.
static void draw_side(const stage *s, uint64_t body, const place *at, point anchor,
                      const camera *cam, canvas *c)
{
    const actor *a = stage_actor(s, body);
    if (at == NULL || (a != NULL && a->type == ACTOR_STATIC)) {
        picture_cross(cam, c, anchor, COLOUR_JOINT);
    } else {
        picture_line(cam, c, at->position, anchor, COLOUR_JOINT);
    }
}

// From each body's centre to its anchor, and from anchor to anchor: over the wheels of a pulley, to
// the hand of a mouse.
static void draw_joint(const stage *s, const stage_joint *j, const place *a, const place *b,
                       const camera *cam, canvas *c)
{
    point at_b = place_apply(b, j->anchor_b);
    point at_a = a != NULL ? place_apply(a, j->anchor_a) : j->target;
    draw_side(s, j->a, a, at_a, cam, c);
    draw_side(s, j->b, b, at_b, cam, c);
    if (j->pulley) {
        picture_line(cam, c, at_a, j->ground_a, COLOUR_JOINT);
        picture_line(cam, c, j->ground_a, j->ground_b, COLOUR_JOINT);
        picture_line(cam, c, j->ground_b, at_b, COLOUR_JOINT);
    } else {
        picture_line(cam, c, at_a, at_b, COLOUR_JOINT);
    }
}

static void draw_joints(const stage *s, const camera *cam, canvas *c)
{
    for (size_t i = 0; i < s->joint_count; i++) {
        const stage_joint *j = &s->joints[i];
        place a;
        place b;
        bool has_a = find_place(s, j->a, &a);
        if (find_place(s, j->b, &b) && (has_a || j->a == 0)) {
            draw_joint(s, j, has_a ? &a : NULL, &b, cam, c);
        }
    }
}

static void draw_contacts(const stage *s, const camera *cam, watch_look look, canvas *c)
{
    size_t count = 0;
    const carom_contact *contacts = carom_view_contacts(s->view, &count);
    for (size_t i = 0; i < count; i++) {
        point normal = {contacts[i].normal.x, contacts[i].normal.y};
        for (int k = 0; k < contacts[i].count; k++) {
            point at = {contacts[i].points[k].x, contacts[i].points[k].y};
            if (look.normals) {
                picture_arrow(cam, c, at, normal, NORMAL_DOTS, COLOUR_NORMAL);
            }
            if (look.contacts) {
                point dot = camera_to_dots(cam, c, at);
                canvas_line(c, dot.x, dot.y, dot.x, dot.y, COLOUR_CONTACT);
            }
        }
    }
}

static void draw_ids(const stage *s, const camera *cam, canvas *c)
{
    box view = camera_view(cam, c);
    for (size_t i = 0; i < carom_view_count(s->view); i++) {
        const carom_body *body = carom_view_body(s->view, i);
        if (in_view(view, body, 0.0)) {
            char id[24];
            int size = snprintf(id, sizeof id, "%" PRIu64, body->id);
            point dot = camera_to_dots(cam, c, (point){body->x, body->y});
            canvas_text(c, (int)dot.x / CANVAS_CELL_WIDTH - size / 2,
                        (int)dot.y / CANVAS_CELL_HEIGHT, id, COLOUR_ID);
        }
    }
}

void watch_draw(const stage *s, const camera *cam, watch_look look, canvas *c)
{
    canvas_clear(c);
    for (int layer = 0; layer < 3; layer++) {
        draw_bodies(s, cam, layer, c);
    }
    if (look.joints) {
        draw_joints(s, cam, c);
    }
    draw_contacts(s, cam, look, c);
    if (look.ids) {
        draw_ids(s, cam, c);
    }
    picture_scale_bar(cam, c, COLOUR_SCALE);
}

void watch_status(const stage *s, const watch_meter *m, int columns, char *out, size_t size)
{
    carom_view_state state = carom_view_get_state(s->view);
    size_t contact_count = 0;
    (void)carom_view_contacts(s->view, &contact_count);
    char pace[64] = "";
    char bytes[32] = "";
    if (s->info.paused) {
        (void)snprintf(pace, sizeof pace, "  PAUSED");
    } else if (m->measured) {
        (void)snprintf(pace, sizeof pace, "  %.0f/%.0f Hz", m->ticks_per_s, s->info.hz);
    }
    char traffic[64] = "";
    if (m->measured) {
        text_from_bytes(m->bytes_per_s, bytes, sizeof bytes);
        (void)snprintf(traffic, sizeof traffic, "  %.0f snapshots/s  %s/s", m->snapshots_per_s,
                       bytes);
    }
    char line[320];
    (void)snprintf(line, sizeof line,
                   "%s  tick %" PRIu64 "%s  %zu bodies, %" PRIu64
                   " awake  %zu contacts  step %.2f ms%s",
                   s->world, state.tick, pace, state.bodies, s->info.awake, contact_count,
                   s->info.step_ms, traffic);
    int cut = columns > 0 && (size_t)columns < strlen(line) ? columns : (int)strlen(line);
    (void)snprintf(out, size, "%.*s", cut, line);
}
