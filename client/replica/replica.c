// Replicas: images and records in, states out; see carom/replica.h. Each belongs to one thread at a
// time.
#include "client/replica/replica.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/prediction/prediction.h"
#include "common/base/status.h"
#include "common/physics/image.h"

_Static_assert((int)CAROM_EVENT_BEGIN == (int)EVENT_BEGIN &&
                   (int)CAROM_EVENT_STAY == (int)EVENT_STAY &&
                   (int)CAROM_EVENT_END == (int)EVENT_END &&
                   (int)CAROM_EVENT_HIT == (int)EVENT_HIT &&
                   (int)CAROM_EVENT_SENSOR_BEGIN == (int)EVENT_SENSOR_BEGIN &&
                   (int)CAROM_EVENT_SENSOR_END == (int)EVENT_SENSOR_END &&
                   (int)CAROM_EVENT_SLEEP == (int)EVENT_SLEEP &&
                   (int)CAROM_EVENT_WAKE == (int)EVENT_WAKE &&
                   (int)CAROM_EVENT_SPAWN == (int)EVENT_SPAWN &&
                   (int)CAROM_EVENT_REMOVE == (int)EVENT_REMOVE &&
                   (int)CAROM_EVENT_JOINT_BREAK == (int)EVENT_JOINT_BREAK &&
                   (int)CAROM_EVENT_FREEZE == (int)EVENT_FREEZE,
               "kinds of events are the engine's");

carom_status replica_fault(carom_error *err, carom_status kind, const char *format, ...)
{
    if (err != NULL) {
        *err = (carom_error){.status = kind};
        va_list arguments;
        va_start(arguments, format);
        char text[2 * CAROM_ERROR_TEXT_MAX];
        struct error cut;
        vsnprintf(text, sizeof text, format, arguments);
        va_end(arguments);
        error_set(&cut, STATUS_INTERNAL, "%s", text);
        memcpy(err->text, cut.text, sizeof err->text);
    }
    return kind;
}

carom_status replica_fault_null(carom_error *err, const char *argument)
{
    return replica_fault(err, CAROM_INVALID_ARGUMENT, "%s is NULL", argument);
}

carom_status replica_fault_of(carom_error *err, const struct error *from)
{
    return replica_fault(err, carom_status_from_name(status_code(from->status)), "%s", from->text);
}

carom_replica *carom_replica_create(void)
{
    carom_replica *r = calloc(1, sizeof *r);
    if (r != NULL) {
        replica_telling_init(&r->telling);
    }
    return r;
}

static void drop_world(carom_replica *r)
{
    world_free(r->player.world);
    r->player.world = NULL;
}

void carom_replica_free(carom_replica *r)
{
    if (r != NULL) {
        drop_world(r);
        replica_telling_deinit(&r->telling);
        free(r);
    }
}

int carom_replica_engine(void)
{
    return ENGINE_BEHAVIOUR;
}

// ---- events

carom_event replica_event_of(const physics_event *e)
{
    return (carom_event){.kind = (carom_event_kind)e->kind,
                         .name = carom_event_kind_name((carom_event_kind)e->kind),
                         .tick = e->tick,
                         .a = e->a,
                         .b = e->b,
                         .shape_a = e->shape_a,
                         .shape_b = e->shape_b,
                         .joint = e->joint,
                         .point = {e->point.x, e->point.y},
                         .normal = {(double)e->normal.x, (double)e->normal.y},
                         .depth = (double)e->depth,
                         .speed = (double)e->speed,
                         .impulse = (double)e->impulse};
}

static void tell_events(void *context, physics_world *world)
{
    carom_replica *r = context;
    uint32_t count = 0;
    const physics_event *events = world_events(world, &count);
    for (uint32_t i = 0; i < count; i++) {
        const physics_event *e = &events[i];
        replica_telling_note_event(&r->telling, e);
        if (r->on_event == NULL || (r->kinds >> e->kind & 1) == 0) {
            continue;
        }
        const carom_event told = replica_event_of(e);
        r->on_event(&told, r->event_user);
    }
}

void carom_replica_on_event(carom_replica *r, unsigned kinds, carom_replica_event *call, void *user)
{
    if (r == NULL) {
        return;
    }
    r->on_event = call;
    r->event_user = user;
    r->kinds = call != NULL ? kinds : 0;
    replica_want_events(r);
}

static void note_command(void *context, const log_command *row, const command *c,
                         const command_result *result)
{
    carom_replica *r = context;
    replica_telling_note_command(&r->telling, c->method);
    if (r->prediction != NULL) {
        prediction_note_command(r->prediction, row, c, result);
    }
}

static void note_step(void *context, physics_world *world)
{
    carom_replica *r = context;
    if ((r->kinds | r->telling.kinds) != 0) {
        tell_events(context, world);
    }
    if (r->prediction != NULL) {
        prediction_note_step(r->prediction);
    }
}

void replica_want_events(carom_replica *r)
{
    const unsigned foreseen = r->prediction != NULL ? prediction_event_kinds(r->prediction) : 0;
    const unsigned kinds = r->kinds | r->telling.kinds | foreseen;
    r->player.stepped = kinds != 0 || r->prediction != NULL ? note_step : NULL;
    r->player.applied = note_command;
    r->player.context = r;
    r->player.unverified = r->unverified;
    if (r->player.world != NULL) {
        world_want_events(r->player.world, kinds);
    }
}

void carom_replica_verify(carom_replica *r, bool on)
{
    if (r != NULL) {
        r->unverified = !on;
        r->player.unverified = !on;
    }
}

// ---- following

static carom_status take_image(carom_replica *r, const uint8_t *image, size_t size,
                               carom_error *err)
{
    physics_world *world = NULL;
    struct error why;
    if (world_restore(image, size, &world, &why) != STATUS_OK) {
        return replica_fault(err, CAROM_UNAVAILABLE, "the world's image: %s", why.text);
    }
    drop_world(r);
    r->player =
        (log_player){.world = world, .commands = r->player.commands, .hashes = r->player.hashes};
    replica_want_events(r);
    replica_telling_drop_events(&r->telling);
    if (r->prediction != NULL) {
        prediction_follow(r->prediction, &r->player);
    }
    r->images++;
    return CAROM_OK;
}

static void take_name(carom_replica *r, const char *name, size_t size)
{
    memcpy(r->world, name, size);
    r->world[size] = '\0';
}

carom_status carom_replica_load(carom_replica *r, const void *image, size_t size, const char *world,
                                carom_error *err)
{
    if (r == NULL || image == NULL) {
        return replica_fault_null(err, r == NULL ? "replica" : "image");
    }
    size_t length = world != NULL ? strlen(world) : 0;
    if (length > WORLD_NAME_BYTES_MAX) {
        return replica_fault(err, CAROM_INVALID_ARGUMENT, "world: a name of at most %d bytes",
                             WORLD_NAME_BYTES_MAX);
    }
    carom_status s = take_image(r, image, size, err);
    if (s == CAROM_OK) {
        take_name(r, world != NULL ? world : "", length);
        r->epoch = 0;
    }
    return s;
}

static carom_status begin(carom_replica *r, const log_notification *n, uint64_t tick,
                          carom_error *err)
{
    bool within = r->player.world != NULL && log_player_is_within(&r->player, &n->record, tick);
    if (n->record.image == NULL || within) {
        return CAROM_OK;
    }
    carom_status s = take_image(r, n->record.image, n->record.image_size, err);
    if (s == CAROM_OK && n->world != NULL) {
        take_name(r, n->world, n->world_size);
    }
    if (s == CAROM_OK) {
        r->epoch = n->has_epoch ? n->epoch : r->epoch;
    }
    return s;
}

static carom_status play(carom_replica *r, const log_record *record, uint64_t tick,
                         carom_error *err)
{
    struct error why;
    if (r->player.world == NULL) {
        return replica_fault(err, CAROM_UNAVAILABLE, "the replica has no image to begin with");
    }
    bool within = log_player_is_within(&r->player, record, tick);
    if (!within && (r->player.within || record->from != world_tick(r->player.world))) {
        carom_status s = replica_fault(
            err, CAROM_UNAVAILABLE,
            "the record begins at tick %llu, the replica is at %llu: it needs an "
            "image",
            (unsigned long long)record->from, (unsigned long long)world_tick(r->player.world));
        drop_world(r);
        return s;
    }
    if (log_player_play_to(&r->player, record, tick, &why) != STATUS_OK) {
        drop_world(r);
        return replica_fault_of(err, &why);
    }
    return CAROM_OK;
}

static carom_status decode(const carom_replica *r, const void *encoded, size_t size,
                           log_notification *out, carom_error *err)
{
    struct error why;
    if (r == NULL || encoded == NULL) {
        return replica_fault_null(err, r == NULL ? "replica" : "encoded");
    }
    return log_notification_decode(encoded, size, out, &why) == STATUS_OK
               ? CAROM_OK
               : replica_fault_of(err, &why);
}

carom_status carom_replica_feed_to(carom_replica *r, const void *encoded, size_t size,
                                   uint64_t tick, carom_error *err)
{
    log_notification n;
    carom_status s = decode(r, encoded, size, &n, err);
    if (s != CAROM_OK) {
        return s;
    }
    if (tick < n.record.from) {
        return replica_fault(err, CAROM_INVALID_ARGUMENT, "tick %llu lies before the record's %llu",
                             (unsigned long long)tick, (unsigned long long)n.record.from);
    }
    s = begin(r, &n, tick, err);
    return s == CAROM_OK ? play(r, &n.record, tick, err) : s;
}

carom_status carom_replica_feed(carom_replica *r, const void *encoded, size_t size,
                                carom_error *err)
{
    log_notification n;
    carom_status s = decode(r, encoded, size, &n, err);
    if (s == CAROM_OK) {
        s = begin(r, &n, n.record.tick, err);
    }
    return s == CAROM_OK ? play(r, &n.record, n.record.tick, err) : s;
}

carom_status carom_replica_save(const carom_replica *r, void **bytes, size_t *size,
                                carom_error *err)
{
    if (r == NULL || bytes == NULL || size == NULL) {
        return replica_fault_null(err, r == NULL ? "replica" : "bytes or size");
    }
    *bytes = NULL;
    *size = 0;
    if (r->player.world == NULL) {
        return replica_fault(err, CAROM_UNAVAILABLE, "the replica has no world");
    }
    uint8_t *image = NULL;
    world_save_sealed(r->player.world, &image, size);
    *bytes = image;
    return CAROM_OK;
}

void carom_replica_free_bytes(void *bytes)
{
    free(bytes);
}

// ---- reading

carom_replica_state carom_replica_now(const carom_replica *r)
{
    carom_replica_state s = {.world = r != NULL ? r->world : ""};
    if (r == NULL || r->player.world == NULL) {
        return s;
    }
    const physics_world *world = r->player.world;
    s.epoch = r->epoch;
    world_counts counts = world_count(world);
    s.ready = true;
    s.tick = world_tick(world);
    s.time = world_time(world);
    s.hz = world_definition(world).hz;
    s.paused = r->player.paused;
    s.hash = world_hash(world);
    s.bodies = counts.bodies;
    s.awake = counts.awake;
    s.shapes = counts.shapes;
    s.joints = counts.joints;
    s.contacts = counts.contacts;
    s.commands = r->player.commands;
    s.verified = r->player.hashes;
    return s;
}

static carom_body body_of(const body_row *row)
{
    return (carom_body){.id = row->id,
                        .x = row->position.x,
                        .y = row->position.y,
                        .angle = (double)row->angle,
                        .vx = (double)row->velocity.x,
                        .vy = (double)row->velocity.y,
                        .w = (double)row->angular_velocity};
}

size_t replica_bodies_of(const physics_world *world, carom_body *out, size_t max)
{
    if (world == NULL || (out == NULL && max > 0)) {
        return 0;
    }
    uint32_t count = world_count(world).bodies;
    body_row *rows = calloc(count + 1u, sizeof *rows);
    if (rows == NULL) {
        return 0;
    }
    count = world_rows(world, rows, count);
    for (uint32_t i = 0; i < count && i < max; i++) {
        out[i] = body_of(&rows[i]);
    }
    free(rows);
    return count;
}

size_t carom_replica_bodies(const carom_replica *r, carom_body *out, size_t max)
{
    return r != NULL ? replica_bodies_of(r->player.world, out, max) : 0;
}

// ---- comparing

typedef struct number {
    const char *name;
    double a, b;
} number;

static void tell_body(const body_row *a, const body_row *b, carom_difference *out)
{
    const number numbers[] = {
        {"position x", a->position.x, b->position.x},
        {"position y", a->position.y, b->position.y},
        {"angle", (double)a->angle, (double)b->angle},
        {"velocity x", (double)a->velocity.x, (double)b->velocity.x},
        {"velocity y", (double)a->velocity.y, (double)b->velocity.y},
        {"angular_velocity", (double)a->angular_velocity, (double)b->angular_velocity},
        {"awake", a->awake, b->awake},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (memcmp(&numbers[i].a, &numbers[i].b, sizeof numbers[i].a) != 0) {
            *out = (carom_difference){.differs = true, .body = a->id, .member = numbers[i].name};
            snprintf(out->text, sizeof out->text, "body %llu: %s is %.17g and %.17g",
                     (unsigned long long)a->id, numbers[i].name, numbers[i].a, numbers[i].b);
            return;
        }
    }
}

static void tell_lone(const body_row *row, const char *side, carom_difference *out)
{
    *out = (carom_difference){.differs = true, .body = row->id, .member = ""};
    snprintf(out->text, sizeof out->text, "body %llu is in the %s alone",
             (unsigned long long)row->id, side);
}

enum { SLOT_BITS = 24 };

static uint64_t slot_of(const body_row *row)
{
    return row->id & ((UINT64_C(1) << SLOT_BITS) - 1);
}

static void compare_rows(const body_row *a, uint32_t a_count, const body_row *b, uint32_t b_count,
                         carom_difference *out)
{
    uint32_t i = 0;
    uint32_t k = 0;
    while ((i < a_count || k < b_count) && !out->differs) {
        bool in_a = i < a_count && (k >= b_count || slot_of(&a[i]) <= slot_of(&b[k]));
        bool in_b = k < b_count && (i >= a_count || slot_of(&b[k]) <= slot_of(&a[i]));
        if (in_a && in_b && a[i].id == b[k].id) {
            tell_body(&a[i], &b[k], out);
        } else {
            tell_lone(in_a ? &a[i] : &b[k], in_a ? "first" : "second", out);
        }
        i += in_a;
        k += in_b;
    }
}

static body_row *take_rows(const physics_world *world, uint32_t *count)
{
    *count = world_count(world).bodies;
    body_row *rows = calloc(*count + 1u, sizeof *rows);
    *count = rows != NULL ? world_rows(world, rows, *count) : 0;
    return rows;
}

carom_status carom_replica_compare(const carom_replica *a, const carom_replica *b,
                                   carom_difference *out, carom_error *err)
{
    if (a == NULL || b == NULL || out == NULL) {
        return replica_fault_null(err, out == NULL ? "out" : "replica");
    }
    const physics_world *first = a->player.world;
    const physics_world *second = b->player.world;
    *out = (carom_difference){.member = ""};
    if (first == NULL || second == NULL) {
        return replica_fault(err, CAROM_UNAVAILABLE, "a replica has no world to compare");
    }
    uint32_t a_count = 0;
    uint32_t b_count = 0;
    body_row *a_rows = take_rows(first, &a_count);
    body_row *b_rows = take_rows(second, &b_count);
    if (a_rows == NULL || b_rows == NULL) {
        free(a_rows);
        free(b_rows);
        return replica_fault(err, CAROM_OUT_OF_MEMORY, "no memory for the bodies");
    }
    compare_rows(a_rows, a_count, b_rows, b_count, out);
    free(a_rows);
    free(b_rows);
    if (!out->differs && world_tick(first) != world_tick(second)) {
        out->differs = true;
        snprintf(out->text, sizeof out->text, "the ticks are %llu and %llu; all bodies agree",
                 (unsigned long long)world_tick(first), (unsigned long long)world_tick(second));
    } else if (!out->differs && world_hash(first) != world_hash(second)) {
        out->differs = true;
        snprintf(
            out->text, sizeof out->text,
            "the hashes are %016llx and %016llx; all bodies agree, so contacts, joints, shapes "
            "or settings differ",
            (unsigned long long)world_hash(first), (unsigned long long)world_hash(second));
    }
    return CAROM_OK;
}
