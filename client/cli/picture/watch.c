// See watch.h.
#include "client/cli/picture/watch.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "client/cli/show.h"
#include "common/args/text.h"

// From the 256-colour palette, distinguishable on a dark and on a light background.
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
    COLOUR_PICKED = 231,
    COLOUR_TEXT = 252,
    NORMAL_DOTS = 7,
    LINE_BYTES = 160,
    PANEL_COLUMNS = 44,
    FIELDS_MAX = 12
};

void watch_meter_update(watch_meter *m, double now, uint64_t tick, uint64_t snapshots,
                        uint64_t bytes)
{
    const watch_mark *last = m->count > 0 ? &m->marks[m->count - 1] : NULL;
    if (snapshots == 0 || (last != NULL && now - last->at < 1.0)) {
        return;
    }
    if (last != NULL && tick < last->tick) {
        m->count = 0; // the world began again
    }
    if (m->count == WATCH_MARKS) {
        memmove(m->marks, m->marks + 1, sizeof m->marks - sizeof *m->marks);
        m->count--;
    }
    m->marks[m->count++] = (watch_mark){now, tick, snapshots, bytes};
    if (m->count > 1) {
        const watch_mark *first = &m->marks[0];
        double past = now - first->at;
        m->ticks_per_s = (double)(tick - first->tick) / past;
        m->snapshots_per_s = (double)(snapshots - first->snapshots) / past;
        m->bytes_per_s = (double)(bytes - first->bytes) / past;
        m->measured = true;
    }
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

// The order of drawing: later layers cover earlier ones, so moving bodies come last.
static int layer_of(const actor *a)
{
    return a == NULL || a->type == ACTOR_STATIC ? 0 : a->type == ACTOR_DYNAMIC && a->awake ? 2 : 1;
}

static bool in_view(box view, const carom_body *body, double reach)
{
    return body->x + reach >= view.x0 && body->x - reach <= view.x1 && body->y + reach >= view.y0 &&
           body->y - reach <= view.y1;
}

static void draw_body(const carom_body *body, const actor *a, bool picked, const camera *cam,
                      canvas *c)
{
    place at = {{body->x, body->y}, body->angle};
    if (a == NULL || a->count == 0) {
        point dot = camera_to_dots(cam, c, at.position);
        canvas_line(c, dot.x, dot.y, dot.x, dot.y, picked ? COLOUR_PICKED : COLOUR_UNKNOWN);
        return;
    }
    for (size_t i = 0; i < a->count; i++) {
        outline_draw(&a->outlines[i], &at, cam, c,
                     picked ? COLOUR_PICKED : colour_of(a, &a->outlines[i]));
    }
}

static void draw_bodies(const stage *s, const camera *cam, int layer, canvas *c)
{
    box view = camera_view(cam, c);
    for (size_t i = 0; i < carom_view_count(s->view); i++) {
        const carom_body *body = carom_view_body(s->view, i);
        const actor *a = stage_actor(s, body->id);
        if (layer_of(a) == layer && in_view(view, body, a != NULL ? a->reach : 0.0)) {
            draw_body(body, a, false, cam, c);
        }
    }
}

// Finds a body's place; false when it is out of view.
static bool find_place(const stage *s, uint64_t id, place *out)
{
    const carom_body *body = carom_view_find(s->view, id);
    if (body != NULL) {
        *out = (place){{body->x, body->y}, body->angle};
    }
    return body != NULL;
}

// Draws one side of a joint, from the body to its anchor. For a static body only the anchor is
// marked, since a ground's origin may be anywhere.
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

// Draws lines from each body's centre to its anchor, and from anchor to anchor: over the wheels of
// a pulley, to the target of a mouse.
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
        for (int k = 0; k < contacts[i].count; k++) {
            point normal = {contacts[i].normals[k].x, contacts[i].normals[k].y};
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

// Whether the cells from `column` on, and one to either side, have no letters.
static bool is_free(const canvas *c, int column, int row, int size)
{
    for (int x = column - 1; x <= column + size; x++) {
        if (x >= 0 && x < c->columns && row >= 0 && row < c->rows &&
            c->cells[row * c->columns + x].letter != 0) {
            return false;
        }
    }
    return true;
}

static void draw_id(const carom_body *body, const camera *cam, canvas *c)
{
    char id[24];
    int size = snprintf(id, sizeof id, "%" PRIu64, body->id);
    point dot = camera_to_dots(cam, c, (point){body->x, body->y});
    int column = (int)dot.x / CANVAS_CELL_WIDTH - size / 2;
    int row = (int)dot.y / CANVAS_CELL_HEIGHT;
    if (is_free(c, column, row, size)) {
        canvas_text(c, column, row, id, COLOUR_ID);
    }
}

// Draws the ids of moving bodies first: they are shown if there is not enough space for all.
static void draw_ids(const stage *s, const camera *cam, canvas *c)
{
    box view = camera_view(cam, c);
    for (int layer = 2; layer >= 0; layer--) {
        for (size_t i = 0; i < carom_view_count(s->view); i++) {
            const carom_body *body = carom_view_body(s->view, i);
            if (layer_of(stage_actor(s, body->id)) == layer && in_view(view, body, 0.0)) {
                draw_id(body, cam, c);
            }
        }
    }
}

// ---- texts over the picture

// A line of a panel, padded so that it covers the dots below it.
static void panel_line(canvas *c, int column, int row, const char *text)
{
    char line[LINE_BYTES];
    (void)snprintf(line, sizeof line, " %-*.*s", PANEL_COLUMNS - 1, PANEL_COLUMNS - 1, text);
    canvas_text(c, column, row, line, COLOUR_TEXT);
}

static void draw_help(canvas *c)
{
    static const char *const lines[] = {"",
                                        "q         quit",
                                        "space     pause or resume the world",
                                        ".         one step of a paused world",
                                        "arrows    move the picture (also h j k l)",
                                        "+ -       nearer, farther (also the wheel)",
                                        "f         fit, and follow moving bodies",
                                        "v         the area that the scene names",
                                        "tab       pick the next body in view",
                                        "click     pick a body",
                                        "escape    let go of the body",
                                        "c n i o   contacts, normals, ids, joints",
                                        "?         close this",
                                        ""};
    int count = (int)(sizeof lines / sizeof lines[0]);
    int column = c->columns > PANEL_COLUMNS ? (c->columns - PANEL_COLUMNS) / 2 : 0;
    int row = c->rows > count ? (c->rows - count) / 2 : 0;
    for (int i = 0; i < count; i++) {
        panel_line(c, column, row + i, lines[i]);
    }
}

static const char *type_name(const actor *a)
{
    switch (a->type) {
    case ACTOR_STATIC:
        return "static";
    case ACTOR_KINEMATIC:
        return "kinematic";
    case ACTOR_DYNAMIC:
        break;
    }
    return !a->enabled ? "dynamic, disabled" : a->awake ? "dynamic, awake" : "dynamic, asleep";
}

static size_t count_joints(const stage *s, uint64_t body)
{
    size_t count = 0;
    for (size_t i = 0; i < s->joint_count; i++) {
        count += s->joints[i].a == body || s->joints[i].b == body;
    }
    return count;
}

static void draw_details(const stage *s, uint64_t id, canvas *c)
{
    const carom_body *body = carom_view_find(s->view, id);
    const actor *a = stage_actor(s, id);
    char line[LINE_BYTES];
    int column = c->columns > PANEL_COLUMNS ? c->columns - PANEL_COLUMNS : 0;
    if (body == NULL || a == NULL) {
        (void)snprintf(line, sizeof line, "body %" PRIu64 " is gone", id);
        panel_line(c, column, 0, line);
        return;
    }
    const size_t joints = count_joints(s, id);
    char touches[48] = "";
    size_t count = 0;
    if (stage_touches(s, id, &count)) {
        (void)snprintf(touches, sizeof touches, "  touches %zu", count);
    }
    (void)snprintf(line, sizeof line, "body %" PRIu64 "  %s  %s", id, type_name(a), a->tag);
    panel_line(c, column, 0, line);
    (void)snprintf(line, sizeof line, "at %.3f, %.3f m  angle %.3f rad", body->x, body->y,
                   body->angle);
    panel_line(c, column, 1, line);
    (void)snprintf(line, sizeof line, "velocity %.3f, %.3f m/s  spin %.3f", body->vx, body->vy,
                   body->w);
    panel_line(c, column, 2, line);
    (void)snprintf(line, sizeof line, "mass %.4g kg  %llu %s  %llu %s%s", a->mass,
                   TEXT_COUNTED(a->count, "shape", "shapes"),
                   TEXT_COUNTED(joints, "joint", "joints"), touches);
    panel_line(c, column, 3, line);
}

static void draw_picked(const stage *s, uint64_t id, const camera *cam, canvas *c)
{
    const carom_body *body = carom_view_find(s->view, id);
    if (body != NULL) {
        draw_body(body, stage_actor(s, id), true, cam, c);
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
    if (look.picked != 0) {
        draw_picked(s, look.picked, cam, c);
    }
    if (look.ids) {
        draw_ids(s, cam, c);
    }
    picture_scale_bar(cam, c, COLOUR_SCALE);
    if (look.picked != 0) {
        draw_details(s, look.picked, c);
    }
    if (look.help) {
        draw_help(c);
    }
}

// ---- picking

uint64_t watch_pick(const stage *s, point at, double reach)
{
    uint64_t found = 0;
    double best = reach;
    for (size_t i = 0; i < carom_view_count(s->view); i++) {
        const carom_body *body = carom_view_body(s->view, i);
        const actor *a = stage_actor(s, body->id);
        place stand = {{body->x, body->y}, body->angle};
        double away = hypot(body->x - at.x, body->y - at.y);
        for (size_t k = 0; a != NULL && k < a->count; k++) {
            away = fmin(away, outline_distance(&a->outlines[k], &stand, at));
        }
        if (away <= best) {
            best = away;
            found = body->id;
        }
    }
    return found;
}

uint64_t watch_pick_next(const stage *s, const camera *cam, const canvas *c, uint64_t from,
                         int step)
{
    box view = camera_view(cam, c);
    uint64_t next = 0; // the smallest id above `from`, or the largest below it for step -1
    uint64_t wrap = 0; // the id to continue with at the other end of the circle
    for (size_t i = 0; i < carom_view_count(s->view); i++) {
        const carom_body *body = carom_view_body(s->view, i);
        uint64_t id = body->id;
        if (!in_view(view, body, 0.0) || id == from) {
            continue;
        }
        bool beyond = step > 0 ? id > from : id < from;
        if (beyond && (next == 0 || (step > 0 ? id < next : id > next))) {
            next = id;
        }
        if (wrap == 0 || (step > 0 ? id < wrap : id > wrap)) {
            wrap = id;
        }
    }
    return next != 0 ? next : wrap != 0 ? wrap : from;
}

// ---- lines of text

// Fields of a line with the order in which they are dropped: the highest goes first.
typedef struct field_line {
    char text[FIELDS_MAX][LINE_BYTES];
    int rank[FIELDS_MAX];
    int count;
} field_line;

static void add_field(field_line *l, int rank, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void add_field(field_line *l, int rank, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    (void)vsnprintf(l->text[l->count], LINE_BYTES, format, values);
    va_end(values);
    l->rank[l->count++] = rank;
}

// Joins the fields with two spaces, dropping fields until the line fits.
static void join_fields(field_line *l, int columns, char *out, size_t size)
{
    for (;;) {
        size_t wide = 0;
        int worst = -1;
        for (int i = 0; i < l->count; i++) {
            bool there = l->text[i][0] != '\0';
            wide += there ? text_columns(l->text[i]) + 2 : 0;
            if (there && (worst < 0 || l->rank[i] >= l->rank[worst])) {
                worst = i;
            }
        }
        if (worst < 0 || columns <= 0 || wide <= (size_t)columns + 2 || l->rank[worst] == 0) {
            break;
        }
        l->text[worst][0] = '\0';
    }
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; i < l->count && used + 1 < size; i++) {
        if (l->text[i][0] != '\0') {
            int more = snprintf(out + used, size - used, "%s%s", used > 0 ? "  " : "", l->text[i]);
            used += more > 0 ? (size_t)more : 0;
        }
    }
    if (columns > 0 && (size_t)columns < size && strlen(out) > (size_t)columns) {
        out[columns] = '\0'; // even a single field may be wider than the terminal
    }
    text_tame(out);
}

void watch_status(const stage *s, const watch_meter *m, int columns, char *out, size_t size)
{
    carom_view_state state = carom_view_get_state(s->view);
    char bytes[32] = "";
    field_line l = {.count = 0};
    add_field(&l, 0, "%s", s->world);
    add_field(&l, 1, "tick %" PRIu64, state.tick);
    const bool stands = s->info.paused && !(m->measured && m->ticks_per_s >= SHOW_STEPPED_HZ);
    if (stands) {
        add_field(&l, 1, "PAUSED");
    } else if (m->measured) {
        add_field(&l, 2, "%.0f/%.0f Hz%s", m->ticks_per_s, s->info.hz,
                  s->info.paused ? ", stepped" : "");
    }
    add_field(&l, 3, "%llu %s", TEXT_COUNTED(state.bodies, "body", "bodies"));
    add_field(&l, 5, "%" PRIu64 " awake", s->info.awake);
    add_field(&l, 6, "%llu %s", TEXT_COUNTED(s->info.contacts, "contact", "contacts"));
    add_field(&l, 4, "step %.2f ms", s->info.step_ms);
    if (m->measured) {
        text_from_bytes(m->bytes_per_s, bytes, sizeof bytes);
        add_field(&l, 8, "%.0f snapshots/s", m->snapshots_per_s);
        add_field(&l, 7, "%s/s", bytes);
    }
    join_fields(&l, columns, out, size);
}

void watch_keys(const stage *s, bool following, int columns, char *out, size_t size)
{
    field_line l = {.count = 0};
    add_field(&l, 0, "q quit");
    add_field(&l, 1, "? help");
    add_field(&l, 2, "space %s", s->info.paused ? "resume" : "pause");
    add_field(&l, 3, "%s", s->info.paused ? ". step" : "");
    add_field(&l, 6, "arrows move");
    add_field(&l, 7, "+/- zoom");
    add_field(&l, 5, "f fit%s", following ? "*" : "");
    add_field(&l, 5, "tab pick");
    add_field(&l, 8, "c contacts  n normals  i ids  o joints");
    if (s->last_event[0] != '\0') {
        add_field(&l, 0, "| %s", s->last_event); // keys give way to it
    }
    join_fields(&l, columns, out, size);
}
