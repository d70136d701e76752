// See stage.h.
#include "client/cli/picture/stage.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/picture/frame.h"
#include "client/cli/show.h"

enum { VERTICES_MAX = 1024 };

// ---- outlines of the protocol's maps

static point point_of(const carom_value *map, const char *key)
{
    carom_vec2 v = carom_as_vec(carom_value_get(map, key), (carom_vec2){0.0, 0.0});
    return (point){v.x, v.y};
}

static bool init_from_vertices(outline *o, const carom_value *shape, bool closed)
{
    const carom_value *vertices = carom_value_get(shape, "vertices");
    size_t count = carom_value_count(vertices);
    static point points[VERTICES_MAX + 1];
    if (count < 2 || count > VERTICES_MAX) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        carom_vec2 v = carom_as_vec(carom_value_at(vertices, i), (carom_vec2){0.0, 0.0});
        points[i] = (point){v.x, v.y};
    }
    if (closed) {
        return outline_init(o, OUTLINE_POLYGON, points, count,
                            carom_get_real(shape, "radius", 0.0));
    }
    if (carom_get_bool(shape, "loop", false)) {
        points[count] = points[0];
        count++;
    }
    return outline_init(o, OUTLINE_LINE, points, count, 0.0);
}

bool outline_from_value(outline *o, const carom_value *shape)
{
    const char *kind = carom_get_str(shape, "kind", "");
    double radius = carom_get_real(shape, "radius", 0.0);
    point ends[2] = {point_of(shape, "a"), point_of(shape, "b")};
    point center = point_of(shape, "center");
    bool made = false;
    if (strcmp(kind, "circle") == 0) {
        made = outline_init(o, OUTLINE_CIRCLE, &center, 1, radius);
    } else if (strcmp(kind, "box") == 0) {
        point size = point_of(shape, "size");
        made = outline_init_box(o, size.x, size.y, center, carom_get_real(shape, "angle", 0.0),
                                radius);
    } else if (strcmp(kind, "polygon") == 0) {
        made = init_from_vertices(o, shape, true);
    } else if (strcmp(kind, "capsule") == 0) {
        made = outline_init(o, OUTLINE_CAPSULE, ends, 2, radius);
    } else if (strcmp(kind, "segment") == 0) {
        made = outline_init(o, OUTLINE_LINE, ends, 2, 0.0);
    } else if (strcmp(kind, "chain") == 0) {
        made = init_from_vertices(o, shape, false);
    }
    if (made) {
        o->sensor = carom_get_bool(shape, "sensor", false);
    }
    return made;
}

// ---- actors

static void actor_clear(actor *a)
{
    for (size_t i = 0; i < a->count; i++) {
        outline_deinit(&a->outlines[i]);
    }
    free(a->outlines);
    *a = (actor){0};
}

// Copies everything from a full body map. Shapes that cannot be drawn are left out.
static void actor_learn(actor *a, const carom_value *body)
{
    const carom_value *shapes = carom_value_get(body, "shapes");
    size_t count = carom_value_count(shapes);
    outline *outlines = calloc(count > 0 ? count : 1, sizeof *outlines);
    actor_clear(a);
    if (outlines == NULL) {
        return;
    }
    a->outlines = outlines;
    for (size_t i = 0; i < count; i++) {
        if (outline_from_value(&outlines[a->count], carom_value_at(shapes, i))) {
            a->reach = fmax(a->reach, outline_reach(&outlines[a->count]));
            a->count++;
        }
    }
    const char *type = carom_get_str(body, "type", "dynamic");
    a->type = strcmp(type, "static") == 0      ? ACTOR_STATIC
              : strcmp(type, "kinematic") == 0 ? ACTOR_KINEMATIC
                                               : ACTOR_DYNAMIC;
    a->awake = carom_get_bool(body, "awake", true);
    a->enabled = carom_get_bool(body, "enabled", true);
    a->mass = carom_get_real(body, "mass", 0.0);
    (void)snprintf(a->tag, sizeof a->tag, "%s", carom_get_str(body, "tag", ""));
    a->known = true;
}

static void *on_added(carom_view *view, const carom_body *body, void *user)
{
    (void)view;
    (void)body;
    (void)user;
    return calloc(1, sizeof(actor));
}

static void on_gone(carom_view *view, const carom_body *body, carom_gone why, void *data,
                    void *user)
{
    (void)view;
    (void)body;
    (void)why;
    (void)user;
    if (data != NULL) {
        actor_clear(data);
        free(data);
    }
}

bool stage_init(stage *s, carom_client *client, const char *world, int timeout_ms)
{
    *s = (stage){.client = client, .world = world, .timeout_ms = timeout_ms};
    carom_view_options options = carom_view_options_default();
    options.user = s;
    options.added = on_added;
    options.gone = on_gone;
    s->view = carom_view_create(&options);
    return s->view != NULL;
}

void stage_deinit(stage *s)
{
    carom_view_free(s->view);
    free(s->joints);
    *s = (stage){0};
}

const actor *stage_actor(const stage *s, uint64_t body)
{
    return carom_view_data(s->view, body);
}

// ---- descriptions

static stage_joint joint_of(const carom_value *joint)
{
    return (stage_joint){.id = carom_get_uint(joint, "joint", 0),
                         .a = carom_get_uint(joint, "a", 0),
                         .b = carom_get_uint(joint, "b", 0),
                         .anchor_a = point_of(joint, "anchor_a"),
                         .anchor_b = point_of(joint, "anchor_b"),
                         .target = point_of(joint, "target"),
                         .pulley = carom_value_get(joint, "ground_a") != NULL,
                         .ground_a = point_of(joint, "ground_a"),
                         .ground_b = point_of(joint, "ground_b")};
}

// The joint's place in the list, or its end.
static size_t find_joint(const stage *s, uint64_t id)
{
    size_t at = 0;
    while (at < s->joint_count && s->joints[at].id != id) {
        at++;
    }
    return at;
}

// `fresh`: the joint is known to have no place yet, so a world's joints are added without a search.
static void learn_joint(stage *s, const carom_value *joint, bool fresh)
{
    stage_joint one = joint_of(joint);
    size_t at = fresh ? s->joint_count : find_joint(s, one.id);
    if (at == s->joint_room) {
        size_t room = s->joint_room == 0 ? 64 : 2 * s->joint_room;
        stage_joint *larger = realloc(s->joints, room * sizeof *larger);
        if (larger == NULL) {
            return; // this kind is not drawn
        }
        s->joints = larger;
        s->joint_room = room;
    }
    s->joints[at] = one;
    s->joint_count += at == s->joint_count;
}

static void forget_joint(stage *s, uint64_t id)
{
    size_t at = find_joint(s, id);
    if (at < s->joint_count) {
        s->joints[at] = s->joints[--s->joint_count];
    }
}

static void learn_area(stage *s, const carom_value *view)
{
    for (size_t i = 0; carom_value_count(view) == 4 && i < 4; i++) {
        s->area[i] = carom_as_real(carom_value_at(view, i), 0.0);
    }
    s->has_area =
        carom_value_count(view) == 4 && s->area[0] < s->area[2] && s->area[1] < s->area[3];
}

static void learn(stage *s, const carom_value *told)
{
    const carom_value *spawned = carom_value_get(told, "spawned");
    const carom_value *joints = carom_value_get(told, "joints");
    const carom_value *removed = carom_value_get(told, "joints_removed");
    bool fresh = s->joint_count == 0;
    for (size_t i = 0; i < carom_value_count(spawned); i++) {
        const carom_value *body = carom_value_at(spawned, i);
        actor *a = carom_view_data(s->view, carom_get_uint(body, "body", 0));
        if (a != NULL) {
            actor_learn(a, body);
        }
    }
    for (size_t i = 0; i < carom_value_count(removed); i++) {
        forget_joint(s, carom_as_uint(carom_value_at(removed, i), 0));
    }
    for (size_t i = 0; i < carom_value_count(joints); i++) {
        learn_joint(s, carom_value_at(joints, i), fresh);
    }
    if (carom_value_get(told, "view") != NULL) {
        learn_area(s, carom_value_get(told, "view"));
    }
    s->described = !carom_get_bool(told, "describing", false);
    s->changes++;
}

// Whether the bytes of the snapshot contain that key at all. Most snapshots have no descriptions,
// and need not be parsed a second time.
static bool mentions(const carom_snapshot *snapshot, const char *key)
{
    return snapshot->encoded != NULL &&
           memmem(snapshot->encoded, snapshot->encoded_size, key, strlen(key)) != NULL;
}

void stage_describe(stage *s, const carom_snapshot *snapshot)
{
    if (snapshot->full) {
        s->joint_count = 0; // a full snapshot describes everything again
        s->described = true;
    }
    if (!snapshot->full && !mentions(snapshot, "spawned") && !mentions(snapshot, "joints") &&
        !mentions(snapshot, "describing")) {
        s->described = true;
        return;
    }
    carom_value *told = carom_snapshot_value(snapshot);
    if (told != NULL) {
        learn(s, told);
    }
    carom_value_free(told);
}

// ---- the world's pace

static void on_info(carom_client *client, uint64_t request, const carom_value *result,
                    const carom_error *error, void *user)
{
    (void)client;
    (void)request;
    (void)error;
    stage *s = user;
    s->info_asked = false;
    bool outdated = s->info_outdated;
    s->info_outdated = false;
    if (result != NULL) {
        bool paused = outdated ? s->info.paused : carom_get_bool(result, "paused", false);
        s->info = (stage_info){.known = true,
                               .paused = paused,
                               .hz = carom_get_real(result, "hz", 0.0),
                               .step_ms = carom_get_real(result, "step_ms", 0.0),
                               .bodies = carom_get_uint(result, "bodies", 0),
                               .awake = carom_get_uint(result, "awake", 0),
                               .contacts = carom_get_uint(result, "contacts", 0),
                               .joints = carom_get_uint(result, "joints", 0)};
        s->changes++;
    }
}

// `shown`: the event may become the text line's newest event.
static void note_event(stage *s, const carom_event *event, bool shown)
{
    if (event->kind == CAROM_EVENT_SLEEP || event->kind == CAROM_EVENT_WAKE) {
        actor *a = carom_view_data(s->view, event->a);
        if (a != NULL) {
            a->awake = event->kind == CAROM_EVENT_WAKE;
        }
        return;
    }
    if (!shown) {
        return;
    }
    if (event->subject != NULL) {
        show_message(event, s->last_event, sizeof s->last_event);
        return;
    }
    int used = snprintf(s->last_event, sizeof s->last_event, "%s", event->name);
    if (event->a != 0 && used > 0) {
        used += snprintf(s->last_event + used, sizeof s->last_event - (size_t)used, " %" PRIu64,
                         event->a);
    }
    if (event->b != 0 && used > 0 && used < STAGE_EVENT_TEXT) {
        used += snprintf(s->last_event + used, sizeof s->last_event - (size_t)used, " %" PRIu64,
                         event->b);
    }
    if (event->speed > 0.0 && used > 0 && used < STAGE_EVENT_TEXT) {
        (void)snprintf(s->last_event + used, sizeof s->last_event - (size_t)used, " at %.1f m/s",
                       event->speed);
    }
}

void stage_set_paused(stage *s, bool paused, double now)
{
    s->info.paused = paused;
    s->info_outdated = s->info_asked;
    s->info_due = now + STAGE_INFO_SOON_S;
}

static bool ask_for_info(stage *s)
{
    carom_value *arguments = carom_set(carom_map(), "world", carom_str(s->world));
    carom_status status =
        carom_request(s->client, "world.info", arguments, s->timeout_ms, on_info, s, NULL, NULL);
    carom_value_free(arguments);
    return status == CAROM_OK;
}

// ---- the contacts of the picked body

static void on_contacts(carom_client *client, uint64_t request, const carom_value *result,
                        const carom_error *error, void *user)
{
    (void)client;
    (void)request;
    (void)error;
    stage *s = user;
    s->counted = result != NULL ? s->asked_of : 0;
    s->touches = carom_value_count(carom_value_get(result, "contacts"));
    s->asked_of = 0;
    s->changes++;
}

static void ask_for_contacts(stage *s, double now)
{
    if (s->client == NULL || s->contacts || s->picked == 0 || s->asked_of != 0 ||
        (s->picked == s->counted && now < s->touches_due)) {
        return;
    }
    carom_value *arguments = carom_set(carom_map(), "world", carom_str(s->world));
    carom_set(arguments, "body", carom_uint(s->picked));
    if (carom_request(s->client, "world.contacts", arguments, s->timeout_ms, on_contacts, s, NULL,
                      NULL) == CAROM_OK) {
        s->asked_of = s->picked;
    }
    carom_value_free(arguments);
    s->touches_due = now + STAGE_INFO_EVERY_S;
}

bool stage_touches(const stage *s, uint64_t body, size_t *count)
{
    *count = s->touches;
    if (!s->contacts) {
        return s->counted == body;
    }
    size_t all = 0;
    const carom_contact *contacts = carom_view_contacts(s->view, &all);
    *count = 0;
    for (size_t i = 0; i < all; i++) {
        *count += contacts[i].a == body || contacts[i].b == body;
    }
    return true;
}

void stage_notice(stage *s, const char *text, double now)
{
    (void)snprintf(s->last_event, sizeof s->last_event, "%s", text);
    s->notice_until = now + STAGE_NOTICE_S;
}

void stage_tend(stage *s, double now)
{
    carom_event event;
    while (carom_view_next_event(s->view, &event)) {
        note_event(s, &event, now >= s->notice_until);
    }
    if (s->client != NULL && !s->info_asked && now >= s->info_due) {
        s->info_asked = ask_for_info(s);
        s->info_due = now + STAGE_INFO_EVERY_S;
    }
    ask_for_contacts(s, now);
}

bool stage_complete(const stage *s)
{
    return s->info.known && carom_view_get_state(s->view).ready && s->described;
}

// ---- the part worth seeing

// The box around a body's outlines in its present pose.
static box body_box(const actor *a, const carom_body *body)
{
    place at = {{body->x, body->y}, body->angle};
    box b = box_around(box_empty(), at.position, 0.0);
    for (size_t i = 0; i < a->count; i++) {
        for (size_t k = 0; k < a->outlines[i].count; k++) {
            b = box_around(b, place_apply(&at, a->outlines[i].points[k]), a->outlines[i].radius);
        }
    }
    return b;
}

// Lists the bodies that have been described; returns their number.
static size_t list_bodies(const stage *s, frame_body *out)
{
    size_t count = 0;
    for (size_t i = 0; i < carom_view_count(s->view); i++) {
        const carom_body *body = carom_view_body(s->view, i);
        const actor *a = stage_actor(s, body->id);
        if (a != NULL && a->known) {
            out[count++] = (frame_body){.at = {body->x, body->y},
                                        .speed = hypot(body->vx, body->vy),
                                        .fixed = a->type == ACTOR_STATIC,
                                        .bounds = body_box(a, body)};
        }
    }
    return count;
}

box stage_extent(stage *s)
{
    frame_body *bodies = malloc((carom_view_count(s->view) + 1) * sizeof *bodies);
    box found = box_empty();
    uint64_t epoch = carom_view_get_state(s->view).epoch;
    bool known = s->has_home && s->home_epoch == epoch;
    if (bodies == NULL ||
        !frame_find(bodies, list_bodies(s, bodies), known ? &s->home : NULL, &found)) {
        free(bodies);
        return known ? s->home : box_empty();
    }
    free(bodies);
    if (!known && s->described && !box_is_empty(found)) {
        s->home = found;
        s->home_epoch = epoch;
        s->has_home = true;
    }
    return found;
}
