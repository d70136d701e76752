// The worlds that a relay follows: each has a subscription at the upstream, and is made here from
// its first image on a thread of the loop's pool. See upstreams.h. Network thread, except on_build.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/base/log.h"
#include "proto/log/log_compact.h"
#include "server/base/audit.h"
#include "server/base/clock.h"
#include "server/base/memory.h"
#include "server/base/metrics.h"
#include "server/base/worker.h"
#include "server/session/placement/departure.h"
#include "server/session/placement/own_thread.h"
#include "server/session/placement/worlds.h"
#include "server/session/placement/worlds_build.h"
#include "server/session/relay/internal.h"
#include "server/session/service.h"

// The first image of a world on its way through the pool.
typedef struct making {
    uv_work_t work;
    upstreams *of;
    uint64_t epoch;
    char name[WORLD_NAME_BYTES_MAX + 1];
    mirror_link *link;
    mirror_item *image;
    adoption *adoption;
    bool crowds; // its first step would delay others
    status status;
    error error;
} making;

static const char *address_of(const mirrored *w)
{
    return w->at->target->address;
}

mirrored *mirrored_find(const upstreams *u, uint64_t epoch)
{
    for (uint32_t i = 0; i < u->worlds.count; i++) {
        if (u->worlds.data[i]->epoch == epoch) {
            return u->worlds.data[i];
        }
    }
    return NULL;
}

static mirrored *find_subscription(const upstream *u, uint64_t number)
{
    for (uint32_t i = 0; i < u->of->worlds.count; i++) {
        mirrored *w = u->of->worlds.data[i];
        if (w->at == u && w->stage == MIRRORED_SUBSCRIBED && w->subscription == number) {
            return w;
        }
    }
    return NULL;
}

// ---- requests to the upstream

static void unsubscribe(upstream *u, uint64_t subscription)
{
    buffer out;
    if (u->link == NULL || !u->greeted) {
        return;
    }
    buffer_init(&out, 256);
    msgpack_packer k = buffer_packer(&out);
    rpc_pack_request(&k, upstream_next_id(u), "world.unsubscribe");
    msgpack_pack_map(&k, 1);
    rpc_pack_text(&k, "subscription");
    msgpack_pack_uint64(&k, subscription);
    uplink_send(u->link, &out);
}

static void subscribe(mirrored *w)
{
    upstream *u = w->at;
    buffer out;
    buffer_init(&out, 1024);
    msgpack_packer k = buffer_packer(&out);
    w->request = upstream_next_id(u);
    w->stage = MIRRORED_ASKED;
    w->imaged = false;
    w->asked_ms = uv_now(u->of->server->loop);
    rpc_pack_request(&k, w->request, "world.subscribe");
    msgpack_pack_map(&k, u->compact != 0 ? 4 : 3);
    rpc_pack_text(&k, "world");
    rpc_pack_text(&k, w->name);
    rpc_pack_text(&k, "epoch");
    msgpack_pack_uint64(&k, w->epoch);
    rpc_pack_text(&k, "encoding");
    rpc_pack_text(&k, "log");
    if (u->compact != 0) {
        rpc_pack_text(&k, "compact");
        msgpack_pack_uint64(&k, u->compact);
    }
    ASSERT(!out.overflow);
    uplink_send(u->link, &out);
}

// ---- the end of a world here

static void forget(upstreams *u, mirrored *w)
{
    array_swap_remove_value(&u->worlds, w);
    mirror_link_unref(w->link);
    free(w);
}

// Answers the requests that wait for a world without a thread with `why`.
static void refuse_waiting(server *s, world_entry *entry, const char *why)
{
    entry->waiting++; // keeps the entry until this function is done with it
    entry->coming = false;
    entry->broken = strdup(why);
    ASSERT_MEMORY(entry->broken != NULL);
    worlds_unname(s, entry);
    worlds_refuse_held(s, entry, why);
    entry->waiting--;
    directory_release(&s->worlds, entry);
}

// The world's thread stops to serve it: its subscriptions end with `code` and `text`.
static void take_away(server *s, world_entry *entry, status code, const char *text)
{
    request *r = request_create(REQUEST_LEAVE, entry->number);
    r->refusal = calloc(1, sizeof *r->refusal);
    entry->left = calloc(1, sizeof *entry->left); // names no server: the world is not elsewhere
    ASSERT_MEMORY(r->refusal != NULL && entry->left != NULL);
    (void)error_set(r->refusal, code, "%s", text);
    worlds_unname(s, entry);
    entry->waiting++; // until REPLY_LEFT
    worlds_deliver(entry, r);
}

// `why` continues "the world ends ". Frees `w`.
static void end(upstreams *u, mirrored *w, status code, const char *why)
{
    server *s = u->server;
    world_entry *entry = directory_find_number(&s->worlds, w->epoch);
    char text[ERROR_TEXT_MAX];
    if (w->stage == MIRRORED_SUBSCRIBED) {
        unsubscribe(w->at, w->subscription);
    }
    if (entry != NULL && !entry->unnamed && entry->broken == NULL) {
        snprintf(text, sizeof text, "the world ends %.200s", why);
        audit_event("world '%s' ends %s", entry->name, why);
        if (w->made) {
            take_away(s, entry, code, text);
        } else {
            refuse_waiting(s, entry, text);
        }
    }
    forget(u, w);
}

// ---- a world changes its upstream

static const char *const GONE_TEXT = "as it has ended at its server";

// Handles that the world is not at the upstream any more, or never was: it ended, or moved
// (`code`). With several upstreams another one may list it soon. May free `w`.
static void note_gone(upstreams *u, mirrored *w, status code)
{
    char text[ERROR_TEXT_MAX];
    if (u->count > 1) {
        w->gone_ms = w->gone == STATUS_OK ? uv_now(u->server->loop) : w->gone_ms;
        w->gone = code;
    } else if (code == STATUS_NOT_FOUND) {
        end(u, w, STATUS_NOT_FOUND, GONE_TEXT);
    } else {
        snprintf(text, sizeof text, "as its server does not show its log: %.180s", w->failure);
        log_warn("relay: world '%s' of %s: %s", w->name, address_of(w), w->failure);
        end(u, w, STATUS_UNAVAILABLE, text);
    }
}

// Ends a world that no upstream has listed since it left its own. Whether it was ended, and `w`
// freed.
static bool end_gone(upstreams *u, mirrored *w, uint64_t now)
{
    char text[ERROR_TEXT_MAX];
    if (w->gone == STATUS_OK || w->stage != MIRRORED_WANTED || now - w->gone_ms < RELAY_GONE_MS) {
        return false;
    }
    if (w->gone == STATUS_NOT_FOUND) {
        end(u, w, STATUS_NOT_FOUND, GONE_TEXT);
    } else {
        snprintf(text, sizeof text,
                 "as it has moved to a server that this relay does not follow: "
                 "%.150s",
                 w->failure);
        log_warn("relay: world '%s' of %s: %s", w->name, address_of(w), text);
        end(u, w, STATUS_UNAVAILABLE, text);
    }
    return true;
}

// Whether the upstream may serve the world, as far as its list says.
static bool serves(const upstream *x, const mirrored *w, uint64_t now)
{
    const bool left = x == w->at && w->gone != STATUS_OK && now - w->asked_ms < RELAY_ASK_MS;
    return x->greeted && !left && upstream_find(x, w->name, w->epoch) != NULL;
}

// Finds another upstream for a world that its own one does not serve now, and makes all list their
// worlds soon.
static void choose(upstreams *u, mirrored *w, uint64_t now)
{
    if (u->count == 1 || w->stage != MIRRORED_WANTED || serves(w->at, w, now)) {
        return;
    }
    for (uint32_t i = 0; i < u->count; i++) {
        upstream *x = &u->all[i];
        if (x != w->at && serves(x, w, now)) {
            log_info("relay: world '%s' is followed at %s instead of %s", w->name,
                     x->target->address, address_of(w));
            w->at = x;
            w->gone = STATUS_OK;
            w->failure[0] = '\0';
            atomic_store_explicit(&w->link->upstream, address_of(w), memory_order_relaxed);
            return;
        }
        upstream_hurry(x);
    }
}

// ---- items for the world

static void send_item(upstreams *u, const mirrored *w, mirror_item *item)
{
    world_entry *entry = directory_find_number(&u->server->worlds, w->epoch);
    if (entry == NULL || entry->broken != NULL || entry->unnamed) {
        mirror_item_free(item);
        return;
    }
    request *r = request_create(REQUEST_RECORD, w->epoch);
    r->item = item;
    worlds_deliver(entry, r);
}

// Subscribes again, once the world has played or dropped the records that it holds.
static void begin_again(mirrored *w)
{
    if (w->stage == MIRRORED_SUBSCRIBED) {
        unsubscribe(w->at, w->subscription);
    }
    w->stage = MIRRORED_WANTED;
    w->imaged = false;
}

// Whether another item has room.
static bool has_room(const mirrored *w, size_t size)
{
    return atomic_load(&w->link->waiting) < MIRROR_ITEMS_MAX &&
           atomic_load(&w->link->waiting_bytes) + size <= MIRROR_BYTES_MAX;
}

static void give(upstreams *u, mirrored *w, mirror_kind kind, const uint8_t *bytes, size_t size)
{
    if (!has_room(w, size)) {
        log_warn("relay: world '%s' is behind its log by %u records: it begins again with an image",
                 w->name, atomic_load(&w->link->waiting));
        atomic_store_explicit(&w->link->skip, true, memory_order_release);
        begin_again(w);
        return;
    }
    metrics_add(METRIC_relay_records, 1);
    send_item(u, w, mirror_item_create(w->link, kind, bytes, size, clock_now_ns()));
}

// ---- making a world

static void on_build(uv_work_t *work)
{
    making *m = work->data;
    const limits *bounds = m->of->server->limits;
    const capacity_limits room = limits_room(bounds);
    bool paused = false;
    worker_begin();
    m->adoption = adoption_create();
    block_account *before = block_charge(m->adoption->blocks);
    m->status = memory_ask(NULL, 2 * m->image->size, &m->error);
    if (m->status == STATUS_OK) {
        m->status =
            mirror_read_image(m->image, &room, m->epoch, &m->adoption->physics, &paused, &m->error);
    }
    if (m->status == STATUS_OK) {
        m->crowds = worlds_would_crowd(m->adoption->physics);
        m->adoption->paused = true; // its time is that of the log
        m->adoption->mirror =
            mirror_create(m->link, m->name, m->adoption->physics, paused, m->image->received_ns);
    }
    block_charge(before);
}

static void place(upstreams *u, mirrored *w, making *m)
{
    server *s = u->server;
    world_entry *entry = directory_find_number(&s->worlds, w->epoch);
    ASSERT(entry != NULL && entry->thread == NULL);
    command create = {.method = METHOD_WORLD_CREATE};
    memcpy(create.world, w->name, sizeof create.world);
    request *r = worlds_request(NULL, entry, &create);
    r->kind = REQUEST_ADOPT;
    r->adoption = m->adoption;
    m->adoption = NULL;
    entry->coming = false;
    sim_thread *own_thread = m->crowds ? own_thread_find(s) : NULL;
    entry->thread = own_thread != NULL ? own_thread : worlds_least_loaded(s);
    w->made = true;
    w->active_ms = uv_now(s->loop);
    worlds_count_in(s, entry, r);
    worlds_deliver(entry, r);
    worlds_deliver_held(entry);
    log_info("relay: world '%s' of %s is followed from tick %llu", w->name, address_of(w),
             (unsigned long long)atomic_load(&w->link->tick));
}

static void on_built(uv_work_t *work, int result)
{
    making *m = work->data;
    upstreams *u = m->of;
    server *s = u->server;
    mirrored *w = mirrored_find(u, m->epoch);
    ASSERT(result == 0 && s->building > 0);
    s->building--;
    if (w != NULL && w->building && w->link == m->link && s->stage != SERVER_DRAINING) {
        w->building = false;
        if (m->status == STATUS_OK) {
            place(u, w, m);
        } else {
            char why[ERROR_TEXT_MAX];
            metrics_add(METRIC_relay_faults, 1);
            log_warn("relay: world '%s' of %s: %s", w->name, address_of(w), m->error.text);
            snprintf(why, sizeof why, "as its image cannot be read: %.180s", m->error.text);
            end(u, w, STATUS_UNAVAILABLE, why);
        }
    }
    mirror_item_free(m->image);
    mirror_link_unref(m->link);
    adoption_free(m->adoption);
    free(m);
    server_check_drained(s);
}

static void build(upstreams *u, mirrored *w, const uint8_t *bytes, size_t size)
{
    making *m = calloc(1, sizeof *m);
    ASSERT_MEMORY(m != NULL);
    m->of = u;
    m->epoch = w->epoch;
    memcpy(m->name, w->name, sizeof m->name);
    m->link = mirror_link_ref(w->link);
    m->image = mirror_item_create(w->link, MIRROR_PLAIN, bytes, size, clock_now_ns());
    m->work.data = m;
    w->building = true;
    u->server->building++;
    const int queued = uv_queue_work(u->server->loop, &m->work, on_build, on_built);
    ASSERT(queued == 0);
}

// ---- messages of the upstream

static uint64_t count_of(const msgpack_object *map, const char *key)
{
    const msgpack_object *value = map->type == MSGPACK_OBJECT_MAP ? rpc_map_get(map, key) : NULL;
    return value != NULL && value->type == MSGPACK_OBJECT_POSITIVE_INTEGER ? value->via.u64 : 0;
}

// Handles the refusal of the world's subscription; `w->failure` says why. May free `w`.
static void take_refusal(upstreams *u, mirrored *w, status code)
{
    char text[ERROR_TEXT_MAX];
    if (code == STATUS_NOT_FOUND || code == STATUS_MOVED) {
        note_gone(u, w, code);
    } else if (code != STATUS_UNAVAILABLE && code != STATUS_LIMIT_EXCEEDED) {
        snprintf(text, sizeof text, "as its server does not show its log: %.180s", w->failure);
        log_warn("relay: world '%s' of %s: %s", w->name, address_of(w), w->failure);
        end(u, w, STATUS_UNAVAILABLE, text);
    } // otherwise it is asked again
}

bool mirrored_answered(upstream *u, const rpc_message *m)
{
    for (uint32_t i = 0; i < u->of->worlds.count; i++) {
        mirrored *w = u->of->worlds.data[i];
        if (w->at != u || w->stage != MIRRORED_ASKED || w->request != m->id) {
            continue;
        }
        w->subscription = count_of(&m->result, "subscription");
        if (m->error.type == MSGPACK_OBJECT_NIL && w->subscription != 0) {
            w->stage = MIRRORED_SUBSCRIBED;
            w->failure[0] = '\0';
            w->gone = STATUS_OK;
            return true;
        }
        error why;
        rpc_parse_error(&m->error, &why);
        w->stage = MIRRORED_WANTED;
        memcpy(w->failure, why.text, sizeof w->failure);
        take_refusal(u->of, w, why.status);
        return true;
    }
    return false;
}

static void take_plain(upstream *u, const rpc_message *m, const uint8_t *map, size_t size)
{
    mirrored *w = find_subscription(u, count_of(&m->params, "subscription"));
    if (w == NULL) {
        return; // the subscription has ended meanwhile
    }
    if (rpc_map_get(&m->params, "image") == NULL) {
        if (w->imaged) {
            give(u->of, w, MIRROR_PLAIN, map, size);
        }
        return;
    }
    w->imaged = true;
    metrics_add(METRIC_relay_images, 1);
    if (!w->made && !w->building) {
        build(u->of, w, map, size);
    } else {
        give(u->of, w, MIRROR_PLAIN, map, size);
    }
}

static void take_compact(upstream *u, const rpc_message *m)
{
    const msgpack_object *data = rpc_map_get(&m->params, "data");
    size_t at = 0;
    uint64_t number = 0;
    if (data == NULL || data->type != MSGPACK_OBJECT_BIN) {
        return;
    }
    const uint8_t *bytes = (const uint8_t *)data->via.bin.ptr;
    mirrored *w = log_varint_read(bytes, data->via.bin.size, &at, &number)
                      ? find_subscription(u, number)
                      : NULL;
    if (w != NULL && w->imaged) {
        give(u->of, w, MIRROR_COMPACT, bytes + at, data->via.bin.size - at);
    }
}

static bool is_text(const msgpack_object *o, const char *text)
{
    return o != NULL && o->type == MSGPACK_OBJECT_STR && rpc_text_equals(o, text);
}

// Handles the loss of the records: the world stops until an image comes.
static void lose(mirrored *w)
{
    w->stage = MIRRORED_WANTED;
    w->imaged = false;
    if (w->made || w->building) {
        send_item(w->at->of, w, mirror_item_create(w->link, MIRROR_LOST, NULL, 0, clock_now_ns()));
    }
}

// Distinguishes a world that has ended from one whose server stops, or has given it to another.
static void take_closed(upstream *u, const rpc_message *m)
{
    mirrored *w = find_subscription(u, count_of(&m->params, "subscription"));
    if (w == NULL) {
        return;
    }
    lose(w);
    if (is_text(rpc_map_get(&m->params, "code"), status_code(STATUS_NOT_FOUND))) {
        note_gone(u->of, w, STATUS_NOT_FOUND);
    }
}

static bool is_method(const rpc_message *m, const char *name)
{
    return m->method_size == strlen(name) && memcmp(m->method, name, m->method_size) == 0;
}

void mirrored_notified(upstream *u, const rpc_message *m, const uint8_t *map, size_t size)
{
    if (is_method(m, "log")) {
        take_compact(u, m);
    } else if (is_method(m, "snapshot")) {
        take_plain(u, m, map, size);
    } else if (is_method(m, "world_closed")) {
        take_closed(u, m);
    }
}

void mirrored_lost(upstream *u)
{
    for (uint32_t i = 0; i < u->of->worlds.count; i++) {
        if (u->of->worlds.data[i]->at == u) {
            lose(u->of->worlds.data[i]);
        }
    }
}

// ---- choosing the worlds to follow

// Whether somebody watches the world, or has waited for its answer for a whole pulse: to a
// subscription, perhaps. An answer to world.list comes sooner.
static bool is_wanted(const mirrored *w)
{
    return atomic_load(&w->link->readers) > 0 || w->waits > 1;
}

static void count_waits(const upstreams *u, mirrored *w)
{
    const world_entry *entry = directory_find_number(&u->server->worlds, w->epoch);
    w->waits = entry != NULL && entry->waiting > 0 ? w->waits + 1 : 0;
}

// Lets the world go that nobody has watched for the longest time, so that another one has a place.
// False: all are watched, or on their way.
static bool make_place(upstreams *u)
{
    mirrored *oldest = NULL;
    for (uint32_t i = 0; i < u->worlds.count; i++) {
        mirrored *w = u->worlds.data[i];
        const bool idle =
            w->made && !is_wanted(w) && uv_now(u->server->loop) - w->active_ms >= RELAY_SPARED_MS;
        if (idle && (oldest == NULL || w->active_ms < oldest->active_ms)) {
            oldest = w;
        }
    }
    if (oldest != NULL) {
        end(u, oldest, STATUS_UNAVAILABLE,
            "at this relay, as nobody watches it and another one is wanted");
    }
    return oldest != NULL;
}

status mirrored_begin(upstreams *u, const upstream_row *row, world_entry **out, error *err)
{
    server *s = u->server;
    const uint64_t most =
        s->limits->relay_worlds < s->limits->worlds ? s->limits->relay_worlds : s->limits->worlds;
    if (s->worlds.by_number.count >= limits_worlds_in_all(s->limits)) {
        return error_set(err, STATUS_UNAVAILABLE,
                         "too many worlds are just being let go by this relay: try again");
    }
    if (u->worlds.count >= most && !make_place(u)) {
        return error_set(err, STATUS_LIMIT_EXCEEDED,
                         "relay_worlds: %u worlds are followed already, as many as this relay may",
                         u->worlds.count);
    }
    if (directory_find_number(&s->worlds, row->epoch) != NULL) {
        return error_set(err, STATUS_UNAVAILABLE,
                         "world '%s' was just let go by this relay: try again", row->name);
    }
    mirrored *w = calloc(1, sizeof *w);
    ASSERT_MEMORY(w != NULL);
    memcpy(w->name, row->name, strlen(row->name) + 1);
    w->epoch = row->epoch;
    w->at = &u->all[row->of - u->all];
    w->link = mirror_link_create(address_of(w));
    w->active_ms = uv_now(s->loop);
    array_push(&u->worlds, w);
    *out = directory_add_numbered(&s->worlds, w->name, w->epoch);
    (*out)->coming = true;
    (*out)->relayed = true;
    if (w->at->greeted) {
        subscribe(w);
    }
    return STATUS_OK;
}

// Handles a fault, which ends the world if images do not help. False: the world is ended, and `w`
// freed.
static bool take_fault(upstreams *u, mirrored *w)
{
    char why[ERROR_TEXT_MAX];
    const uint64_t matches = atomic_load(&w->link->matches);
    if (!atomic_load_explicit(&w->link->failed, memory_order_acquire)) {
        return true;
    }
    snprintf(why, sizeof why, "as its log cannot be played: %.180s", w->link->failure);
    atomic_store_explicit(&w->link->failed, false, memory_order_release);
    w->faults = matches > w->matches ? 1 : w->faults + 1;
    w->matches = matches;
    if (w->faults >= RELAY_FAULTS_MAX) {
        end(u, w, STATUS_UNAVAILABLE, why);
        return false;
    }
    begin_again(w);
    return true;
}

// False: the world is ended, and `w` freed.
static bool look_after(upstreams *u, mirrored *w, uint64_t now)
{
    char why[ERROR_TEXT_MAX];
    count_waits(u, w);
    if (is_wanted(w)) {
        w->active_ms = now;
    }
    if (end_gone(u, w, now)) {
        return false;
    }
    choose(u, w, now);
    w->imageless += w->made || w->building ? 0 : 1;
    if (!w->made && !w->building && w->imageless >= RELAY_FIRST_PULSES) {
        snprintf(why, sizeof why, "as its server has not sent it: %.180s",
                 *w->failure != '\0' ? w->failure : w->at->failure);
        end(u, w, STATUS_UNAVAILABLE, why);
        return false;
    }
    if (now - w->active_ms >= u->server->limits->relay_idle_ms && w->made) {
        log_info("relay: world '%s' of %s is not followed any more, as nobody watches it", w->name,
                 address_of(w));
        end(u, w, STATUS_UNAVAILABLE, "at this relay, as nobody watches it");
        return false;
    }
    if (w->stage == MIRRORED_WANTED && w->at->greeted && atomic_load(&w->link->waiting) == 0 &&
        (*w->failure == '\0' || now - w->asked_ms >= RELAY_ASK_MS)) {
        subscribe(w);
    }
    return true;
}

void mirrored_pulse(upstreams *u)
{
    const uint64_t now = uv_now(u->server->loop);
    for (uint32_t i = u->worlds.count; i > 0; i--) { // an ended one's place is filled by the last
        mirrored *w = u->worlds.data[i - 1];
        if (take_fault(u, w)) {
            (void)look_after(u, w, now);
        }
    }
}

void mirrored_close(upstreams *u)
{
    while (u->worlds.count > 0) {
        forget(u, u->worlds.data[u->worlds.count - 1]);
    }
}
