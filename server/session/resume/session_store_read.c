// Sessions from the records of their file; see session_store_records.h. Network thread only.
#include "server/base/memory.h"
#include "server/session/resume/session_store_records.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/world/event_kinds.h"
#include "common/world/players.h"
#include "common/physics/physics.h"
#include "proto/methods.h"
#include "server/session/calls/rights.h"
#include "server/session/resume/resume.h"
#include "server/session/service.h"
#include "server/world/state/last_requests.h"

static const double TURN = 2.0 * 3.14159265358979323846; // [rad]

// ---- reading: every getter says whether the element is there and of its kind

typedef struct reader {
    const msgpack_object *at;
    uint32_t left;
    bool good;
} reader;

static reader read_array(const msgpack_object *o)
{
    bool array = o != NULL && o->type == MSGPACK_OBJECT_ARRAY;
    return (reader){array ? o->via.array.ptr : NULL, array ? o->via.array.size : 0, array};
}

static const msgpack_object *next(reader *r)
{
    if (r->left == 0) {
        r->good = false;
        return NULL;
    }
    r->left--;
    return r->at++;
}

static uint64_t next_uint(reader *r, uint64_t most)
{
    const msgpack_object *o = next(r);
    bool fits = o != NULL && o->type == MSGPACK_OBJECT_POSITIVE_INTEGER && o->via.u64 <= most;
    r->good = r->good && fits;
    return fits ? o->via.u64 : 0;
}

static double next_number(reader *r)
{
    const msgpack_object *o = next(r);
    bool fits =
        o != NULL && (o->type == MSGPACK_OBJECT_FLOAT64 || o->type == MSGPACK_OBJECT_FLOAT32);
    r->good = r->good && fits;
    return fits ? o->via.f64 : 0.0;
}

static bool next_bool(reader *r)
{
    const msgpack_object *o = next(r);
    r->good = r->good && o != NULL && o->type == MSGPACK_OBJECT_BOOLEAN;
    return r->good && o->via.boolean;
}

static void next_text(reader *r, char *out, size_t size)
{
    const msgpack_object *o = next(r);
    bool fits = o != NULL && o->type == MSGPACK_OBJECT_STR && o->via.str.size < size;
    r->good = r->good && fits;
    size_t length = fits ? o->via.str.size : 0;
    if (length > 0) {
        memcpy(out, o->via.str.ptr, length);
    }
    out[length] = '\0';
}

static area next_area(reader *r)
{
    reader corners = read_array(next(r));
    area a;
    a.x0 = next_number(&corners);
    a.y0 = next_number(&corners);
    a.x1 = next_number(&corners);
    a.y1 = next_number(&corners);
    r->good = r->good && corners.good;
    return a;
}

// Whether a message may have the number as that argument.
static bool fits(const arg_list *list, const char *name, double value)
{
    const int at = arg_list_find(list, name, strlen(name));
    ASSERT(at >= 0);
    return value >= list->args[at].min && value <= list->args[at].max; // NaN is not
}

static bool is_area(const area *a)
{
    const double most = PHYSICS_EXTENT_MAX;
    return a->x0 >= -most && a->x0 <= a->x1 && a->x1 <= most && a->y0 >= -most && a->y0 <= a->y1 &&
           a->y1 <= most;
}

static void read_worlds(grant *g, reader *r)
{
    const msgpack_object *o = next(r);
    g->all_worlds = o != NULL && o->type == MSGPACK_OBJECT_NIL;
    if (g->all_worlds) {
        return;
    }
    reader worlds = read_array(o);
    r->good = r->good && worlds.good && worlds.left <= AUTH_WORLDS_MAX;
    g->worlds = calloc(AUTH_WORLDS_MAX, sizeof *g->worlds);
    ASSERT_MEMORY(g->worlds != NULL);
    while (r->good && worlds.left > 0) {
        grant_world *w = &g->worlds[g->world_count++];
        reader pair = read_array(next(&worlds));
        next_text(&pair, w->text, sizeof w->text);
        w->prefix = next_bool(&pair);
        r->good = pair.good;
    }
}

static void read_areas(grant *g, reader *r)
{
    reader areas = read_array(next(r));
    r->good = r->good && areas.good && areas.left <= AUTH_AREAS_MAX;
    g->areas = calloc(AUTH_AREAS_MAX, sizeof *g->areas);
    ASSERT_MEMORY(g->areas != NULL);
    while (r->good && areas.left > 0) {
        const area one = next_area(&areas);
        g->areas[g->area_count++] = one;
        r->good = areas.good && is_area(&one);
    }
}

static void read_limits(grant *g, reader *r)
{
    const msgpack_object *o = next(r);
    r->good = r->good && o != NULL && o->type == MSGPACK_OBJECT_MAP;
    for (uint32_t i = 0; r->good && i < o->via.map.size; i++) {
        const msgpack_object *key = &o->via.map.ptr[i].key;
        const msgpack_object *value = &o->via.map.ptr[i].val;
        r->good = key->type == MSGPACK_OBJECT_STR && value->type == MSGPACK_OBJECT_POSITIVE_INTEGER;
        for (uint32_t k = 0; r->good && limits_info(k) != NULL; k++) {
            const limit_info *info = limits_info(k);
            if (strlen(info->name) == key->via.str.size &&
                memcmp(info->name, key->via.str.ptr, key->via.str.size) == 0) {
                r->good = value->via.u64 >= info->smallest;
                memcpy((char *)&g->limits + info->offset, &value->via.u64, sizeof(uint64_t));
            }
        }
    }
}

// Grants of earlier versions lack it.
static void read_key(grant *g, reader *r)
{
    const msgpack_object *o = r->left > 0 ? next(r) : NULL;
    g->has_key = o != NULL && o->type == MSGPACK_OBJECT_BIN;
    r->good = r->good && (!g->has_key || o->via.bin.size == sizeof g->key);
    if (g->has_key && r->good) {
        memcpy(g->key, o->via.bin.ptr, sizeof g->key);
    }
}

// Grants of earlier versions lack them.
static void read_players(grant *g, reader *r)
{
    const msgpack_object *o = r->left > 0 ? next(r) : NULL;
    if (o == NULL || !r->good) {
        return;
    }
    r->good = o->type == MSGPACK_OBJECT_BIN &&
              (o->via.bin.size == 0 ||
               players_unpack((const uint8_t *)o->via.bin.ptr, o->via.bin.size, &g->players));
}

// NULL for nil, and for anything else that is not a grant (then `r` is marked as bad).
static grant *next_grant(reader *r)
{
    const msgpack_object *o = next(r);
    if (o == NULL || o->type == MSGPACK_OBJECT_NIL) {
        return NULL;
    }
    reader parts = read_array(o);
    grant *g = grant_create();
    next_text(&parts, g->subject, sizeof g->subject);
    g->role = SESSION_STORE_ROLES[next_uint(&parts, ROLE_COUNT - 1)];
    g->expires = next_number(&parts);
    parts.good = parts.good && *g->subject != '\0' && isfinite(g->expires) && g->role != ROLE_NONE;
    read_worlds(g, &parts);
    read_areas(g, &parts);
    read_limits(g, &parts);
    read_key(g, &parts);
    read_players(g, &parts);
    g->guest = parts.left > 0 && next_bool(&parts);
    r->good = r->good && parts.good;
    if (!r->good) {
        grant_free(g);
        return NULL;
    }
    return g;
}

// ---- sessions from records

static session *make_session(server *s, uint64_t number, uint32_t slot)
{
    while (s->sessions.count <= slot) {
        array_push(&s->sessions, NULL);
    }
    session *made = calloc(1, sizeof *made);
    ASSERT_MEMORY(made != NULL);
    memory_note(MEMORY_sessions, NULL, sizeof *made);
    made->server = s;
    made->key = (session_key){.slot = slot, .number = number};
    made->resume.secret_state = SECRET_DIGESTED;
    made->resume.record_stored = true;
    session_change(made, SESSION_SPEAKING); // its hello was received by the earlier process
    rights_begin(made);
    s->sessions.data[slot] = made;
    session_numbers_set(&s->numbers, number, slot);
    return made;
}

// Records of earlier versions lack it. The last record of a session has the complete list.
static bool read_gone(session *s, reader *r)
{
    reader all = r->left > 0 ? read_array(next(r)) : (reader){.good = true};
    r->good = r->good && all.good && all.left <= REQUEST_LOG_GONE_MAX;
    array_clear(&s->calls.requests.gone);
    while (r->good && all.left > 0) {
        char name[WORLD_NAME_BYTES_MAX + 1];
        reader one = read_array(next(&all));
        next_text(&one, name, sizeof name);
        world_applied last = {.world = next_uint(&one, UINT64_MAX)};
        last.id = (uint32_t)next_uint(&one, UINT32_MAX);
        last.sequence = ++s->calls.requests.next;
        r->good = one.good;
        if (r->good) {
            request_log_remember(&s->calls.requests, name, &last);
        }
    }
    return r->good;
}

static bool read_session(server *s, uint64_t number, reader *r)
{
    uint32_t slot = (uint32_t)next_uint(r, SESSION_MARK_SLOTS_MAX - 1);
    const msgpack_object *digest = next(r);
    double since = next_number(r);
    r->good = r->good && isfinite(since);
    char client[WIRE_CLIENT_NAME_MAX + 1];
    next_text(r, client, sizeof client);
    grant *granted = next_grant(r);
    if (!r->good || digest->type != MSGPACK_OBJECT_BIN || digest->via.bin.size != SECRET_BYTES) {
        grant_free(granted);
        return false;
    }
    session *found = server_find_number(s, number);
    if (found != NULL && rights_check_subject(found, granted, NULL) != STATUS_OK) {
        grant_free(granted);
        return false;
    }
    if (found == NULL) {
        if (slot < s->sessions.count && s->sessions.data[slot] != NULL) {
            resume_end(s->sessions.data[slot]); // its end was not written
        }
        found = make_session(s, number, slot);
    }
    memcpy(found->resume.secret.bytes, digest->via.bin.ptr, SECRET_BYTES);
    found->identity.since = since;
    memcpy(found->identity.client, client, sizeof client);
    if (granted != NULL && (granted->guest ? granted->role <= s->guests : s->keys != NULL)) {
        rights_take(found, granted);
    } else {
        grant_free(granted);
    }
    if (found->state != SESSION_DETACHED) {
        resume_detach(found); // now that its subject is known
    }
    return read_gone(found, r);
}

// Reads the fields that records of earlier versions lack.
static void read_rest(subscribe_args *a, reader *r)
{
    a->precision = (snapshot_precision){.position = 1.0 / 512.0, .angle = TURN / 1024.0};
    if (r->left > 0) {
        a->precision.position = next_number(r);
        a->precision.angle = next_number(r);
        a->precision.velocity = next_number(r);
        a->follow = next_uint(r, UINT64_MAX >> 11);
        a->own_margin = next_bool(r);
        a->margin = next_number(r);
        a->budget = next_number(r);
    }
    a->compact = r->left > 0 ? (uint32_t)next_uint(r, UINT32_MAX) : 0;
}

// The keys of data that it asks for, to be freed with free(); NULL: none.
static data_prefixes *read_prefixes(reader *r)
{
    char texts[WIRE_PREFIXES_MAX][DATA_KEY_BYTES_MAX + 1];
    const char *list[WIRE_PREFIXES_MAX];
    uint32_t count = 0;
    reader all = r->left > 0 ? read_array(next(r)) : (reader){.good = true};
    all.good = all.good && all.left <= WIRE_PREFIXES_MAX;
    while (all.good && all.left > 0) {
        next_text(&all, texts[count], sizeof texts[count]);
        list[count] = texts[count];
        count++;
    }
    r->good = r->good && all.good;
    return r->good ? data_prefixes_create(list, count) : NULL;
}

// Whether a session could have requested it: worlds rely on the decoder's checks of messages.
static bool is_sound(const session_subscription *s)
{
    const subscribe_args *a = &s->args;
    const arg_list *list = &METHODS[METHOD_WORLD_SUBSCRIBE].list;
    const snapshot_precision *p = &a->precision;
    const bool packed = a->encoding == ENCODING_PACKED;
    return s->number > 0 && (a->rate == 0.0 || fits(list, "rate", a->rate)) &&
           (!a->has_area || is_area(&a->area)) && fits(list, "margin", a->margin) &&
           (a->budget == 0.0 || (a->bodies && fits(list, "budget", a->budget))) &&
           a->events >> WORLD_EVENT_KIND_COUNT == 0 &&
           (!packed || (fits(&METHOD_PRECISION, "position", p->position) &&
                        fits(&METHOD_PRECISION, "angle", p->angle) &&
                        (p->velocity == 0.0 || fits(&METHOD_PRECISION, "velocity", p->velocity))));
}

static bool read_subscription(session *of, reader *r)
{
    session_subscription made = {.number = next_uint(r, UINT64_MAX >> 11),
                                 .world = next_uint(r, UINT64_MAX)};
    subscribe_args *a = &made.args;
    next_text(r, made.world_name, sizeof made.world_name);
    reader args = read_array(next(r));
    a->rate = next_number(&args);
    a->encoding = (snapshot_encoding)next_uint(&args, ENCODING_COUNT - 1);
    a->has_area = args.left > 0 && args.at->type == MSGPACK_OBJECT_ARRAY;
    if (a->has_area) {
        a->area = next_area(&args);
    } else {
        (void)next(&args);
    }
    a->bodies = next_bool(&args);
    a->events = (uint32_t)next_uint(&args, UINT32_MAX);
    a->contacts = next_bool(&args);
    a->describe = next_bool(&args);
    read_rest(a, &args);
    made.data = read_prefixes(&args);
    if (!r->good || !args.good || !is_sound(&made)) {
        free(made.data);
        return false;
    }
    session_subscription *known = of != NULL ? session_find_subscription(of, made.number) : NULL;
    if (known != NULL && known->world == made.world) {
        free(known->data);
        *known = made;
    } else if (known !=
               NULL) { // two servers have given the number: the one that is served here stays
        free(made.data);
    } else if (of != NULL &&
               of->subscriptions.count < of->identity.bounds.subscriptions_per_connection) {
        array_push(&of->subscriptions, made);
    } else {
        free(made.data);
    }
    return true;
}

static void drop(session *of, uint64_t number)
{
    session_subscription *found = session_find_subscription(of, number);
    if (found != NULL) {
        session_remove_subscription(of, found);
    }
}

bool session_store_read_record(server *s, const msgpack_object *o)
{
    reader r = read_array(o);
    uint64_t kind = next_uint(&r, SESSION_STORE_END);
    uint64_t number = next_uint(&r, UINT64_MAX >> 11);
    if (!r.good || number == 0) {
        return false;
    }
    if (s->options->fleet == NULL && number >= s->next_session) { // else another server may have it
        s->next_session = number + 1;
    }
    session *of = server_find_number(s, number);
    switch (kind) {
    case SESSION_STORE_SESSION:
        return read_session(s, number, &r);
    case SESSION_STORE_SUBSCRIPTION:
        return read_subscription(of, &r);
    case SESSION_STORE_UNSUBSCRIBED: {
        uint64_t subscription = next_uint(&r, UINT64_MAX);
        if (of != NULL && r.good) {
            drop(of, subscription);
        }
        return r.good;
    }
    default:
        if (of != NULL) {
            session_clear_subscriptions(of); // no world has them yet
            resume_end(of);
        }
        return true;
    }
}
