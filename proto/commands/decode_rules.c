// Rules between arguments that proto/schema cannot say: the functions that `check`, `initial` and
// `read` name there. Any thread, one decoder each.
#include "proto/commands/decode.h"
#include "proto/commands/decode_plain.h"

#include <math.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/base/utf8.h"

// ---- worlds

void check_world_create(const arguments *a, world_create_args *to)
{
    if (to->image != NULL && (to->fields != 0 || to->scene != NULL)) {
        decoder_fail(a->decoder, STATUS_INVALID_ARGUMENT, a->where,
                     "image: it brings its own settings and bodies; leave scene, gravity, hz and "
                     "their like out");
    }
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

bool decode_players(const arguments *outer, const char *name, players_bounds *to)
{
    const msgpack_object *object = arguments_value(outer, name);
    const place where = arguments_place(outer, name);
    arguments inner;
    return object != NULL &&
           arguments_read(&inner, outer->decoder, &METHOD_PLAYERS, object, &where) &&
           decode_players_map(&inner, to);
}

// ---- subscriptions

// A budget chooses among changed bodies, so the subscription must include bodies.
static void check_budget(const arguments *a, const subscribe_args *to)
{
    const bool chooses = to->bodies && to->encoding != ENCODING_LOG;
    if (arguments_given(a, "budget") && !chooses) {
        place where = arguments_place(a, "budget");
        decoder_fail(a->decoder, STATUS_INVALID_ARGUMENT, &where, "%s",
                     to->bodies ? "a log is sent whole" : "needs bodies, which take turns in it");
    }
}

void check_subscribe(const arguments *a, subscribe_args *to)
{
    if (arguments_given(a, "precision") && to->encoding != ENCODING_PACKED) {
        place where = arguments_place(a, "precision");
        decoder_fail(a->decoder, STATUS_INVALID_ARGUMENT, &where,
                     "is of encoding \"packed\" alone");
    }
    if (!to->own_margin && to->has_area) {
        to->margin = view_margin(&to->area);
    }
    if (to->data_count > 0 && to->encoding == ENCODING_LOG) {
        place where = arguments_place(a, "data");
        decoder_fail(a->decoder, STATUS_INVALID_ARGUMENT, &where,
                     "a replica has all data of its world; leave it out");
    }
    check_budget(a, to);
}

// ---- messages

static bool read_subject(const arguments *a, const place *where, const char *text, uint32_t size,
                         message_recipient *out)
{
    if (size == 0 || size > OWNER_BYTES_MAX) {
        return decoder_fail(a->decoder, STATUS_INVALID_ARGUMENT, where,
                            "a subject has 1 to %d bytes, got %u", OWNER_BYTES_MAX, size);
    }
    if (!utf8_valid(text, size) || memchr(text, '\0', size) != NULL) {
        return decoder_fail(a->decoder, STATUS_INVALID_ARGUMENT, where,
                            "must be UTF-8 without zero bytes");
    }
    out->kind = MESSAGE_TO_SUBJECT;
    out->subject = command_memory_text(a->decoder->memory, text, size);
    return true;
}

// The number of a session; 0: `given` is not one.
static uint64_t session_number(const msgpack_object *given)
{
    const double most = 9007199254740992.0; // 2^53
    if (given->type == MSGPACK_OBJECT_POSITIVE_INTEGER) {
        return given->via.u64 <= (uint64_t)most ? given->via.u64 : 0;
    }
    const bool real =
        given->type == MSGPACK_OBJECT_FLOAT32 || given->type == MSGPACK_OBJECT_FLOAT64;
    return real && given->via.f64 >= 1.0 && given->via.f64 <= most &&
                   given->via.f64 == floor(given->via.f64)
               ? (uint64_t)given->via.f64
               : 0;
}

// Reads `to`, which its type leaves open: a text or the number of a session.
void check_message_send(const arguments *a, message_args *to)
{
    const msgpack_object *given = arguments_value(a, "to");
    const place where = arguments_place(a, "to");
    const char *text = NULL;
    uint32_t size = 0;
    if (given == NULL) {
        return;
    }
    if (object_text(given, &text, &size)) {
        const bool all = size == 3 && memcmp(text, "all", size) == 0;
        const bool referee = size == 7 && memcmp(text, "referee", size) == 0;
        if (all || referee) {
            to->recipient.kind = all ? MESSAGE_TO_ALL : MESSAGE_TO_REFEREE;
        } else {
            read_subject(a, &where, text, size, &to->recipient);
        }
    } else if (session_number(given) > 0) {
        to->recipient = (message_recipient){MESSAGE_TO_SESSION, NULL, session_number(given)};
    } else {
        decoder_fail(a->decoder, STATUS_INVALID_ARGUMENT, &where,
                     "expected \"all\", \"referee\", a subject or the number of a session");
    }
}

// ---- joints

// The engine, not this function, refuses fields that a kind has no use for or misses.
joint_def joint_def_of(const arguments *a)
{
    uint32_t kind = JOINT_REVOLUTE;
    if (arg_list_find(a->list, "kind", 4) >= 0) {
        arguments_choice(a, "kind", &kind);
    }
    joint_def def = joint_def_default((joint_kind)kind);
    def.fields = 0;
    return def;
}

// ---- queries

void decode_query_filter(const arguments *a, query_filter *out)
{
    *out = (query_filter){.filter = {.category = UINT64_MAX, .mask = UINT64_MAX}};
    decode_filter(a, &METHOD_QUERY_FILTER, &out->filter);
    arguments_id(a, "ignore", METHOD_BODY_SPAWN, &out->ignore);
    arguments_bool(a, "sensors", &out->sensors);
}
