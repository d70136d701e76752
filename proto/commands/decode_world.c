// Decoders of the world's life, settings and subscriptions; see decode.h. Any thread, one
// decoder each.
#include "proto/commands/decode.h"

#include <string.h>

static const double TURN = 2.0 * 3.14159265358979323846; // [rad]

void decode_world_create(const arguments *a, world_create_args *out)
{
    *out = (world_create_args){.def = world_def_default()};
    world_def *def = &out->def;
    int32_t substeps = def->substeps;
    uint32_t word = DURABILITY_COUNT; // not given
    uint32_t lifetime_word = LIFETIME_NORMAL;
    const struct {
        bool given;
        world_field field;
    } fields[] = {
        {arguments_vector(a, "gravity", &def->gravity), WORLD_FIELD_GRAVITY},
        {arguments_bool(a, "sleep", &def->sleep), WORLD_FIELD_SLEEP},
        {arguments_number(a, "hz", &def->hz), WORLD_FIELD_HZ},
        {arguments_int32(a, "substeps", &substeps), WORLD_FIELD_SUBSTEPS},
        {arguments_uint32(a, "max_bodies", &def->bodies_max), WORLD_FIELD_BODIES_MAX},
        {arguments_bool(a, "continuous", &def->continuous), WORLD_FIELD_CONTINUOUS},
        {arguments_number(a, "restitution_threshold", &def->restitution_threshold),
         WORLD_FIELD_RESTITUTION_THRESHOLD},
        {arguments_number(a, "hit_threshold", &def->hit_threshold), WORLD_FIELD_HIT_THRESHOLD},
        {arguments_number(a, "sleep_speed", &def->sleep_speed), WORLD_FIELD_SLEEP_SPEED},
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        out->fields |= fields[i].given ? (uint32_t)fields[i].field : 0;
    }
    def->substeps = substeps;
    arguments_bool(a, "paused", &out->paused);
    arguments_choice(a, "durability", &word);
    out->durability = (durability)word;
    arguments_text(a, "scene", &out->scene);
    arguments_bool(a, "if_absent", &out->if_absent);
    arguments_choice(a, "lifetime", &lifetime_word);
    out->lifetime = (lifetime)lifetime_word;
    if (arguments_bytes(a, "image", &out->image, &out->image_size) &&
        (out->fields != 0 || out->scene != NULL)) {
        decoder_fail(a->decoder, STATUS_INVALID_ARGUMENT, a->where,
                     "image: it brings its own settings and bodies; leave scene, gravity, hz and "
                     "their like out");
    }
}

void decode_fork(const arguments *a, world_fork_args *out)
{
    const char *as = NULL;
    uint32_t word = DURABILITY_COUNT; // not given
    *out = (world_fork_args){0};
    if (arguments_text(a, "as", &as)) {
        memcpy(out->as, as, strlen(as) + 1);
    }
    arguments_choice(a, "durability", &word);
    out->durability = (durability)word;
}

world_def command_world_def(const world_create_args *args, const world_def *scene)
{
    const world_def *given = &args->def;
    world_def def = scene != NULL ? *scene : world_def_default();
#define PICK(field, bit) def.field = (args->fields & (bit)) != 0 ? given->field : def.field
    PICK(gravity, WORLD_FIELD_GRAVITY);
    PICK(sleep, WORLD_FIELD_SLEEP);
    PICK(hz, WORLD_FIELD_HZ);
    PICK(substeps, WORLD_FIELD_SUBSTEPS);
    PICK(bodies_max, WORLD_FIELD_BODIES_MAX);
    PICK(continuous, WORLD_FIELD_CONTINUOUS);
    PICK(restitution_threshold, WORLD_FIELD_RESTITUTION_THRESHOLD);
    PICK(hit_threshold, WORLD_FIELD_HIT_THRESHOLD);
    PICK(sleep_speed, WORLD_FIELD_SLEEP_SPEED);
#undef PICK
    return def;
}

void decode_world_set(const arguments *a, world_set_args *out)
{
    *out = (world_set_args){0};
    if (arguments_vector(a, "gravity", &out->gravity)) {
        out->fields |= WORLD_FIELD_GRAVITY;
    }
    if (arguments_bool(a, "sleep", &out->sleep)) {
        out->fields |= WORLD_FIELD_SLEEP;
    }
    if (arguments_number(a, "restitution_threshold", &out->restitution_threshold)) {
        out->fields |= WORLD_FIELD_RESTITUTION_THRESHOLD;
    }
    if (arguments_number(a, "sleep_speed", &out->sleep_speed)) {
        out->fields |= WORLD_FIELD_SLEEP_SPEED;
    }
    if (out->fields == 0) {
        decoder_fail(a->decoder, STATUS_INVALID_ARGUMENT, a->where,
                     "nothing to set; give gravity, sleep, sleep_speed or restitution_threshold");
    }
}

// The grid of packed snapshots. Given for another encoding, it would mean nothing.
static void read_precision(const arguments *a, subscribe_args *out)
{
    const msgpack_object *object = arguments_value(a, "precision");
    place where = arguments_place(a, "precision");
    arguments precision;
    out->precision = (snapshot_precision){.position = 1.0 / 512.0, .angle = TURN / 1024.0};
    if (object == NULL) {
        return;
    }
    if (out->encoding != ENCODING_PACKED) {
        decoder_fail(a->decoder, STATUS_INVALID_ARGUMENT, &where,
                     "is of encoding \"packed\" alone");
    } else if (arguments_read(&precision, a->decoder, &METHOD_PRECISION, object, &where)) {
        arguments_number(&precision, "position", &out->precision.position);
        arguments_number(&precision, "angle", &out->precision.angle);
        arguments_number(&precision, "velocity", &out->precision.velocity);
    }
}

// Reads what belongs to an area, and is refused without one.
static void read_place(const arguments *a, bool has_area, body_id *follow, bool *has_margin,
                       double *margin)
{
    bool follows = arguments_uint64(a, "follow", follow);
    *has_margin = arguments_number(a, "margin", margin);
    if (!has_area && (follows || *has_margin)) {
        place where = arguments_place(a, follows ? "follow" : "margin");
        decoder_fail(a->decoder, STATUS_INVALID_ARGUMENT, &where, "%s",
                     follows ? "needs an area, told from the body's position on"
                             : "needs an area that it belongs to");
    }
}

// A budget says which bodies are told, so there must be some to choose from.
static void read_budget(const arguments *a, subscribe_args *out)
{
    const bool chooses = out->bodies && out->encoding != ENCODING_LOG;
    if (arguments_number(a, "budget", &out->budget) && !chooses) {
        place where = arguments_place(a, "budget");
        decoder_fail(a->decoder, STATUS_INVALID_ARGUMENT, &where, "%s",
                     out->bodies ? "a log is sent whole" : "needs bodies, which take turns in it");
    }
}

void decode_subscribe(const arguments *a, subscribe_args *out)
{
    uint32_t encoding = ENCODING_PLAIN;
    *out = (subscribe_args){.bodies = true, .events = 1u << EVENT_BEGIN | 1u << EVENT_END};
    arguments_number(a, "rate", &out->rate);
    arguments_choice(a, "encoding", &encoding);
    out->encoding = (snapshot_encoding)encoding;
    read_precision(a, out);
    out->has_area = arguments_area(a, "area", &out->area);
    read_place(a, out->has_area, &out->follow, &out->own_margin, &out->margin);
    if (!out->own_margin && out->has_area) {
        out->margin = view_margin(&out->area);
    }
    arguments_bool(a, "bodies", &out->bodies);
    arguments_choices(a, "events", &out->events);
    arguments_bool(a, "contacts", &out->contacts);
    arguments_bool(a, "describe", &out->describe);
    read_budget(a, out);
    arguments_uint32(a, "compact", &out->compact);
}

void decode_view(const arguments *a, view_args *out)
{
    *out = (view_args){0};
    arguments_uint64(a, "subscription", &out->subscription);
    if (arg_list_find(a->list, "area", 4) >= 0) {
        out->has_area = arguments_area(a, "area", &out->area);
        read_place(a, out->has_area, &out->follow, &out->own_margin, &out->margin);
    }
}
