// A client: its connection, and how it reads the server's bytes; see sim_client.h.
#include "tests/simulation/sim_client.h"

#include <inttypes.h>
#include <msgpack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/physics/image.h"
#include "proto/log/log_compact.h"
#include "proto/log/log_record.h"
#include "proto/wire/rpc.h"
#include "tests/simulation/sim.h"
#include "tests/simulation/sim_message.h"
#include "tests/simulation/sim_requests.h"

enum {
    REQUESTS_MAX = 40 // unanswered requests at which the client waits
};

uint64_t sim_destroys[SIM_WORLDS];
bool sim_destroying;

void sim_client_init(sim_client *c)
{
    *c = (sim_client){.next_id = 1, .read_one_in = 1, .read_bytes = 65536};
    buffer_init(&c->in, SIM_INPUT_BYTES_MAX);
}

// ---- subscriptions

static sim_subscription *find_subscription(sim_client *c, uint64_t number)
{
    for (uint32_t i = 0; i < c->subscriptions.count; i++) {
        if (c->subscriptions.data[i].number == number) {
            return &c->subscriptions.data[i];
        }
    }
    return NULL;
}

static void end_subscription(sim_client *c, uint64_t number)
{
    sim_subscription *s = find_subscription(c, number);
    if (s == NULL) {
        return;
    }
    // Not compared: a subscription whose answer was lost may have asked for either kind; without
    // the answer to its hello a client does not know which messages were for it.
    const bool known = !s->unanswered && (!s->messages || c->session != 0);
    if (s->shown && !s->log && known) {
        const told_span span = {s->messages, c->session, s->from, s->last, s->lost, s->gap};
        oracle_told_events(s->epoch, &span, s->events.data, s->events.count);
    }
    packed_decoder_destroy(s->decoder);
    array_free(&s->events);
    array_free(&s->picture);
    world_free(s->replica);
    array_swap_remove(&c->subscriptions, s - c->subscriptions.data);
}

static void end_all_subscriptions(sim_client *c)
{
    while (c->subscriptions.count > 0) {
        end_subscription(c, c->subscriptions.data[0].number);
    }
}

// ---- requests

static void drop_request(sim_client *c, uint32_t at)
{
    buffer_deinit(&c->requests.data[at].tail);
    array_remove(&c->requests, at);
}

static void drop_all_requests(sim_client *c)
{
    while (c->requests.count > 0) {
        drop_request(c, c->requests.count - 1);
    }
}

void sim_client_deinit(sim_client *c)
{
    if (c->link != NULL) {
        sim_link_reset(c->link);
    }
    end_all_subscriptions(c);
    drop_all_requests(c);
    array_free(&c->subscriptions);
    array_free(&c->requests);
    buffer_deinit(&c->in);
}

// ---- snapshots

static uint64_t digest_row(const msgpack_object *row)
{
    const msgpack_object *cell = row->via.array.ptr;
    uint64_t digest = oracle_mix(0, cell[0].via.u64);
    for (uint32_t i = 1; i < 7; i++) {
        digest = oracle_mix_double(digest, get_number(&cell[i]));
    }
    return digest;
}

static void forget_row(sim_subscription *s, uint64_t id)
{
    for (uint32_t i = 0; i < s->picture.count; i++) {
        if (s->picture.data[i].id == id) {
            array_swap_remove(&s->picture, i);
            return;
        }
    }
}

static void take_rows(sim_subscription *s, const msgpack_object *map)
{
    if (get_bool(map, "full")) {
        array_clear(&s->picture);
    }
    const msgpack_object *bodies = rpc_map_get(map, "bodies");
    const msgpack_object *removed = rpc_map_get(map, "removed");
    SIM_CHECK(bodies != NULL && removed != NULL, "a snapshot without bodies");
    for (uint32_t i = 0; i < removed->via.array.size; i++) {
        forget_row(s, removed->via.array.ptr[i].via.u64);
    }
    for (uint32_t i = 0; i < bodies->via.array.size; i++) {
        const msgpack_object *row = &bodies->via.array.ptr[i];
        sim_body_row added = {row->via.array.ptr[0].via.u64, digest_row(row)};
        forget_row(s, added.id);
        array_push(&s->picture, added);
    }
}

// The data of a message begins with the number of the session that it is for, 0: for all.
static void check_message(const sim_client *c, const msgpack_object *event)
{
    const uint64_t wanted = get_uint(event, "data") / SIM_MESSAGES;
    SIM_CHECK(get_uint(event, "session") > 0, "a message of nobody");
    SIM_CHECK(wanted == 0 || c->session == 0 || wanted == c->session,
              "session %" PRIu64 " was told a message to session %" PRIu64, c->session, wanted);
    figures.messages++;
}

static uint64_t uint_or_0(const msgpack_object *map, const char *key)
{
    return rpc_map_get(map, key) != NULL ? get_uint(map, key) : 0;
}

static bool is_kind(const msgpack_object *kind, const char *name)
{
    return kind->via.str.size == strlen(name) &&
           memcmp(kind->via.str.ptr, name, kind->via.str.size) == 0;
}

// The digest of a message, a join or a leave; 0 for another event.
static uint64_t digest_command(const sim_client *c, const msgpack_object *e,
                               const msgpack_object *kind)
{
    static const char *const KINDS[] = {"message", "join", "leave"};
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++) {
        if (is_kind(kind, KINDS[i])) {
            if (i == 0) {
                check_message(c, e);
            }
            return oracle_mix_command(get_uint(e, "tick"), KINDS[i], get_uint(e, "session"),
                                      uint_or_0(e, "seat"), uint_or_0(e, "data"));
        }
    }
    return 0;
}

// Applies the snapshot's changes of data, and reports the whole.
static void take_data(sim_subscription *s, const msgpack_object *map, bool full)
{
    const msgpack_object *data = rpc_map_get(map, "world_data");
    data = data != NULL ? data : rpc_map_get(map, "data");
    if (!s->data) {
        return;
    }
    if (full) {
        memset(s->values, 0, sizeof s->values);
    }
    const bool given = data != NULL && data->type == MSGPACK_OBJECT_MAP;
    for (uint32_t i = 0; given && i < data->via.map.size; i++) {
        const msgpack_object_kv *pair = &data->via.map.ptr[i];
        const bool one = pair->key.via.str.size == 1;
        const int key = one ? pair->key.via.str.ptr[0] - 'a' : -1;
        SIM_CHECK(key >= 0 && key < SIM_KEYS, "data of a key that nobody set");
        s->values[key] = pair->val.type == MSGPACK_OBJECT_NIL ? 0 : pair->val.via.u64;
    }
    uint64_t digest = 0;
    for (int i = 0; i < SIM_KEYS; i++) {
        const char key = (char)('a' + i);
        digest += s->values[i] != 0 ? oracle_mix_datum(&key, 1, s->values[i]) : 0;
    }
    oracle_told_state(s->epoch, s->last, TOLD_DATA, digest);
    figures.data++;
}

static void take_events(const sim_client *c, sim_subscription *s, const msgpack_object *map)
{
    const msgpack_object *events = rpc_map_get(map, "events");
    const msgpack_object *lost = rpc_map_get(map, "events_lost");
    s->lost += lost != NULL ? get_uint(map, "events_lost") : 0;
    for (uint32_t i = 0; events != NULL && i < events->via.array.size; i++) {
        const msgpack_object *e = &events->via.array.ptr[i];
        const msgpack_object *kind = rpc_map_get(e, "kind");
        told_event told = {.tick = get_uint(e, "tick"), .lost = s->lost, .gap = s->gap};
        s->gap = false;
        s->lost = 0;
        told.digest = digest_command(c, e, kind);
        if (told.digest != 0) {
            array_push(&s->events, told);
            continue;
        }
        told.digest = oracle_mix(0, told.tick);
        for (uint32_t j = 0; j < kind->via.str.size; j++) {
            told.digest = oracle_mix(told.digest, (uint8_t)kind->via.str.ptr[j]);
        }
        static const char *const IDS[] = {"a", "b", "shape_a", "shape_b"};
        for (int j = 0; j < 4; j++) {
            const msgpack_object *id = rpc_map_get(e, IDS[j]);
            told.digest = oracle_mix(told.digest, id != NULL ? id->via.u64 : 0);
        }
        array_push(&s->events, told);
    }
}

static void note_snapshot(const sim_client *c, sim_subscription *s, uint64_t epoch, uint64_t tick,
                          bool full)
{
    SIM_CHECK(!s->begun || tick >= s->last, "a snapshot of tick %" PRIu64 " after one of %" PRIu64,
              tick, s->last);
    SIM_CHECK(s->begun || full, "a first snapshot that is not full");
    sim_trace("client %p: subscription %" PRIu64 " at tick %" PRIu64 " of epoch %" PRIu64
              ", full %d",
              (const void *)c, s->number, tick, epoch, full);
    s->epoch = epoch;
    s->last = tick;
    s->begun = s->shown = true;
}

static void take_changes(sim_subscription *s, const packed_changes *told)
{
    if (told->full) {
        array_clear(&s->picture);
    }
    for (uint32_t i = 0; i < told->removed_count; i++) {
        forget_row(s, told->removed[i]);
    }
    for (uint32_t i = 0; i < told->body_count; i++) {
        const packed_body *b = &told->bodies[i];
        sim_body_row row = {b->id, oracle_mix_rounded(b->id, b->x, b->y)};
        forget_row(s, row.id);
        array_push(&s->picture, row);
    }
}

static uint64_t picture_of(const sim_subscription *s)
{
    uint64_t picture = 0;
    for (uint32_t i = 0; i < s->picture.count; i++) {
        picture += s->picture.data[i].digest;
    }
    return picture;
}

static void take_packed(const sim_client *c, sim_subscription *s, const msgpack_object *map,
                        const msgpack_object *data)
{
    packed_changes told;
    error err = {0};
    s->decoder = s->decoder == NULL ? packed_decoder_create() : s->decoder;
    ASSERT(s->decoder != NULL);
    const status result = packed_decode(s->decoder, (const uint8_t *)data->via.bin.ptr,
                                        data->via.bin.size, &told, &err);
    SIM_CHECK(result == STATUS_OK, "a packed snapshot: %s", err.text);
    note_snapshot(c, s, told.full ? get_uint(map, "epoch") : s->epoch, told.tick, told.full);
    take_events(c, s, map);
    take_data(s, map, told.full);
    take_changes(s, &told);
    if (told.full) {
        oracle_told_state(s->epoch, told.tick, TOLD_SNAPSHOT, get_hash(map));
    }
    if (rpc_map_get(map, "left_out") == NULL) { // otherwise some bodies are as they were before
        oracle_told_state(s->epoch, told.tick, TOLD_ROUNDED, picture_of(s));
    }
    figures.packed++;
}

static void take_snapshot(const sim_client *c, sim_subscription *s, const msgpack_object *map)
{
    const msgpack_object *data = rpc_map_get(map, "data");
    if (data != NULL && data->type == MSGPACK_OBJECT_BIN) {
        take_packed(c, s, map, data);
        return;
    }
    uint64_t tick = get_uint(map, "tick");
    uint64_t epoch = get_uint(map, "epoch");
    note_snapshot(c, s, epoch, tick, get_bool(map, "full"));
    take_rows(s, map);
    take_events(c, s, map);
    take_data(s, map, get_bool(map, "full"));
    oracle_told_state(epoch, tick, TOLD_SNAPSHOT, get_hash(map));
    if (rpc_map_get(map, "left_out") == NULL) { // otherwise some bodies are as they were before
        oracle_told_state(epoch, tick, TOLD_PICTURE, picture_of(s));
    }
}

// Applies a received record, and compares the state with the record's hash.
static void play(sim_subscription *s, const log_record *record)
{
    error err = {0};
    SIM_CHECK(s->replica != NULL && s->begun, "a log that begins without an image");
    status result = log_player_play(&s->player, record, &err);
    SIM_CHECK(result == STATUS_OK, "a replica: %s", err.text);
    s->last = record->tick;
    oracle_told_state(s->epoch, record->tick, TOLD_SNAPSHOT,
                      record->has_hash ? record->hash : world_hash(s->replica));
}

static void take_record(sim_subscription *s, const uint8_t *bytes, size_t size)
{
    log_notification n;
    error err = {0};
    status result = log_notification_decode(bytes, size, &n, &err);
    SIM_CHECK(result == STATUS_OK, "a record of a log: %s", err.text);
    SIM_CHECK(n.record.has_hash, "a record without its hash");
    if (n.record.image != NULL) {
        world_free(s->replica);
        s->replica = NULL;
        result = world_restore(n.record.image, n.record.image_size, &s->replica, &err);
        SIM_CHECK(result == STATUS_OK, "the image of a log: %s", err.text);
        world_want_events(s->replica, 0);
        s->player = (log_player){.world = s->replica};
        s->epoch = n.epoch;
        snprintf(s->name, sizeof s->name, "%.*s", (int)n.world_size, n.world);
        s->begun = true;
    }
    play(s, &n.record);
}

// {data}: the subscription's number, and the record in the compact form.
static void on_log(sim_client *c, const msgpack_object *map)
{
    const msgpack_object *data = rpc_map_get(map, "data");
    SIM_CHECK(data != NULL && data->type == MSGPACK_OBJECT_BIN, "a log without data");
    const uint8_t *bytes = (const uint8_t *)data->via.bin.ptr;
    const size_t size = data->via.bin.size;
    size_t at = 0;
    uint64_t number = 0;
    SIM_CHECK(log_varint_read(bytes, size, &at, &number), "a log of no subscription");
    sim_subscription *s = find_subscription(c, number);
    SIM_CHECK(s != NULL && s->log && (s->compact || s->unanswered),
              "a compact record that nobody asked for");
    buffer rows;
    log_record record;
    error err = {0};
    buffer_init(&rows, SIM_INPUT_BYTES_MAX);
    status result =
        log_compact_decode(bytes + at, size - at, s->last, s->name, &rows, &record, &err);
    SIM_CHECK(result == STATUS_OK, "a compact record: %s", err.text);
    SIM_CHECK(s->replica != NULL, "a compact record before any image");
    SIM_CHECK(record.has_hash || !log_compact_bears_hash(&record, world_definition(s->replica).hz),
              "a compact record that ends a second without its hash");
    figures.compact++;
    play(s, &record);
    buffer_deinit(&rows);
}

static void on_snapshot(sim_client *c, const msgpack_object *map, const uint8_t *bytes, size_t size)
{
    sim_subscription *s = find_subscription(c, get_uint(map, "subscription"));
    SIM_CHECK(s != NULL, "a snapshot for no subscription");
    s->log = s->begun ? s->log : rpc_map_get(map, "from") != NULL;
    if (s->log) {
        ASSERT(size > SIM_SNAPSHOT_HEAD);
        take_record(s, bytes + SIM_SNAPSHOT_HEAD, size - SIM_SNAPSHOT_HEAD);
    } else {
        take_snapshot(c, s, map);
    }
}

// ---- answers

// Whether a request is pending by the answer to a resume, whose `applied` and `pending` give the
// outcome of each request.
static bool is_pending(const msgpack_object *result, uint32_t id)
{
    const msgpack_object *pending = rpc_map_get(result, "pending");
    for (uint32_t i = 0; pending != NULL && i < pending->via.array.size; i++) {
        if (pending->via.array.ptr[i].via.u64 == id) {
            return true;
        }
    }
    return false;
}

static void settle_request(sim_client *c, const msgpack_object *result, uint32_t at)
{
    sim_request r = c->requests.data[at];
    const msgpack_object *applied = rpc_map_get(result, "applied");
    const msgpack_object *entry = rpc_map_get(applied, sim_world_name(r.world));
    const msgpack_object *last = entry != NULL ? rpc_map_get(entry, "last") : NULL;
    // The answer does not cover a world that has ended, nor its commands.
    bool known = r.op == OP_COMMAND && sim_destroys[r.world] == 0;
    bool lost = last == NULL || last->via.u64 < r.id;
    sim_trace("client %p: request %u to %s has no answer, applied up to %" PRIu64, (void *)c, r.id,
              sim_world_name(r.world), last != NULL ? last->via.u64 : 0);
    if (known && lost) {
        if (sim_one_in(3)) {
            for (uint32_t i = 0; i < r.nonce_count; i++) {
                oracle_refused(r.nonces[i]);
            }
        } else {
            sim_request_again(c, &r);
        }
    }
    drop_request(c, at);
}

static void keep_subscriptions(sim_client *c, const msgpack_object *result)
{
    const msgpack_object *list = rpc_map_get(result, "subscriptions");
    for (uint32_t i = c->subscriptions.count; i > 0; i--) {
        uint64_t number = c->subscriptions.data[i - 1].number;
        bool there = false;
        for (uint32_t j = 0; j < list->via.array.size; j++) {
            there = there || get_uint(&list->via.array.ptr[j], "subscription") == number;
        }
        if (!there) {
            end_subscription(c, number);
        }
    }
    for (uint32_t j = 0; j < list->via.array.size; j++) { // requests whose answers were lost
        uint64_t number = get_uint(&list->via.array.ptr[j], "subscription");
        if (find_subscription(c, number) == NULL) {
            sim_subscription s = {.number = number, .unanswered = true, .gap = true};
            array_push(&c->subscriptions, s);
        }
    }
}

static void on_hello(sim_client *c, const msgpack_object *result)
{
    const msgpack_object *secret = rpc_map_get(result, "resume");
    if (c->resuming) {
        uint32_t count = c->requests.count; // requests sent again are appended
        for (uint32_t i = count; i > 0; i--) {
            if (!is_pending(result, c->requests.data[i - 1].id)) {
                settle_request(c, result, i - 1);
            }
        }
        keep_subscriptions(c, result);
        sim_trace("client %p: resumed", (const void *)c);
    }
    c->resuming = false;
    c->session = get_uint(result, "session");
    snprintf(c->secret, sizeof c->secret, "%.*s", (int)secret->via.str.size, secret->via.str.ptr);
}

static void on_subscribed(sim_client *c, const sim_request *r, const msgpack_object *result)
{
    sim_subscription s = {.number = get_uint(result, "subscription"),
                          .log = r->op == OP_SUBSCRIBE_LOG,
                          .compact = r->compact,
                          .messages = r->messages,
                          .data = r->data,
                          .from = get_uint(result, "tick")};
    array_push(&c->subscriptions, s);
}

static void on_command(sim_client *c, const sim_request *r, const msgpack_object *result)
{
    uint64_t tick = get_uint(result, "tick");
    const msgpack_object *body = rpc_map_get(result, "body");
    for (uint32_t i = 0; i < r->nonce_count; i++) {
        oracle_acknowledged(r->nonces[i], tick, body != NULL ? body->via.u64 : 0);
    }
    if (body != NULL) {
        uint64_t at = sim_random(SIM_BODIES);
        c->bodies[at].world = r->world;
        c->bodies[at].id = body->via.u64;
    }
}

static void on_success(sim_client *c, const sim_request *r, const msgpack_object *result)
{
    switch (r->op) {
    case OP_HELLO:
        on_hello(c, result);
        break;
    case OP_COMMAND:
        on_command(c, r, result);
        break;
    case OP_CREATE:
        oracle_told_created(sim_world_name(r->world));
        break;
    case OP_DESTROY:
        oracle_told_destroyed(sim_world_name(r->world));
        break;
    case OP_SUBSCRIBE:
    case OP_SUBSCRIBE_LOG:
        on_subscribed(c, r, result);
        break;
    case OP_UNSUBSCRIBE:
        end_subscription(c, r->subscription);
        break;
    case OP_INFO:
        sim_trace("client %p: info of %s at %" PRIu64, (const void *)c, sim_world_name(r->world),
                  get_uint(result, "tick"));
        if (rpc_map_get(result, "log_error") == NULL) {
            oracle_told_state(get_uint(result, "epoch"), get_uint(result, "tick"), TOLD_READ,
                              get_hash(result));
        }
        break;
    case OP_JOIN:
        SIM_CHECK(get_uint(result, "seat") >= 1 && get_uint(result, "seat") <= SIM_SEATS,
                  "seat %" PRIu64 ", of %d", get_uint(result, "seat"), SIM_SEATS);
        figures.joins++;
        break;
    case OP_IMAGE:
    case OP_OTHER:
        break;
    }
}

static void on_error(sim_client *c, const sim_request *r, const msgpack_object *why)
{
    SIM_CHECK(why->type == MSGPACK_OBJECT_STR, "an error that is no text");
    sim_trace("client: %.*s", (int)why->via.str.size, why->via.str.ptr);
    bool maybe = strncmp(why->via.str.ptr, "unavailable", 11) == 0;
    SIM_CHECK(strncmp(why->via.str.ptr, "internal", 8) != 0, "an answer: %.*s",
              (int)why->via.str.size, why->via.str.ptr);
    for (uint32_t i = 0; i < r->nonce_count && !maybe; i++) {
        oracle_refused(r->nonces[i]);
    }
    if (r->op == OP_HELLO && c->resuming) { // the session is gone, so this is another one
        c->resuming = false;
        c->secret[0] = '\0';
        end_all_subscriptions(c);
        drop_all_requests(c);
        c->session = 0;
    }
}

static void on_response(sim_client *c, const msgpack_object *message)
{
    uint64_t id = message->via.array.ptr[1].via.u64;
    uint32_t at = 0;
    while (at < c->requests.count && c->requests.data[at].id != id) {
        at++;
    }
    SIM_CHECK(at < c->requests.count, "an answer to request %" PRIu64 ", which has none to come",
              id);
    // Removed first: the rest may change the list.
    sim_request r = c->requests.data[at];
    buffer_init(&c->requests.data[at].tail, 0);
    drop_request(c, at);
    c->answers++;
    if (message->via.array.ptr[2].type == MSGPACK_OBJECT_NIL) {
        on_success(c, &r, &message->via.array.ptr[3]);
    } else {
        on_error(c, &r, &message->via.array.ptr[2]);
    }
    buffer_deinit(&r.tail);
}

static void on_notification(sim_client *c, const msgpack_object *message, const uint8_t *bytes,
                            size_t size)
{
    const msgpack_object *name = &message->via.array.ptr[1];
    const msgpack_object *map = &message->via.array.ptr[2].via.array.ptr[0];
    if (rpc_text_equals(name, "snapshot")) {
        on_snapshot(c, map, bytes, size);
    } else if (rpc_text_equals(name, "log")) {
        on_log(c, map);
    } else if (rpc_text_equals(name, "world_closed")) {
        end_subscription(c, get_uint(map, "subscription"));
    } else if (rpc_text_equals(name, "closing")) {
        const msgpack_object *reason = rpc_map_get(map, "reason");
        sim_trace("client: closing: %.*s", (int)reason->via.str.size, reason->via.str.ptr);
    } else {
        SIM_CHECK(rpc_text_equals(name, "leaving"), "a notification of no kind");
    }
}

static void on_message(void *context, const msgpack_object *message, const uint8_t *bytes,
                       size_t size)
{
    sim_client *c = context;
    if (message->via.array.ptr[0].via.u64 == 1) {
        on_response(c, message);
    } else {
        on_notification(c, message, bytes, size);
    }
}

static void take_messages(sim_client *c)
{
    sim_take_messages(&c->in, on_message, c);
}

// ---- the connection

void sim_client_lost(sim_client *c)
{
    if (c->link == NULL) {
        return;
    }
    sim_trace("client %p: lost its connection", (const void *)c);
    sim_link_reset(c->link);
    c->link = NULL;
    c->finished = false;
    buffer_clear(&c->in);
    for (uint32_t i = 0; i < c->subscriptions.count; i++) {
        c->subscriptions.data[i].begun = false;
        c->subscriptions.data[i].gap = true;
    }
    if (*c->secret == '\0') { // without a resume secret the session is lost
        end_all_subscriptions(c);
        drop_all_requests(c);
    }
    if (c->resuming) { // the hello's own entry
        for (uint32_t i = c->requests.count; i > 0; i--) {
            if (c->requests.data[i - 1].op == OP_HELLO) {
                drop_request(c, i - 1);
            }
        }
        c->resuming = false;
    }
}

void sim_client_orphan(sim_client *c)
{
    sim_client_lost(c);
    end_all_subscriptions(c);
    drop_all_requests(c);
}

static bool read_part(sim_client *c, size_t size)
{
    uint8_t bytes[4096];
    size = size < sizeof bytes ? size : sizeof bytes;
    size_t got = sim_link_receive(c->link, bytes, size);
    buffer_append(&c->in, bytes, got);
    ASSERT(!c->in.overflow);
    return got > 0;
}

void sim_client_read(sim_client *c)
{
    while (c->link != NULL && read_part(c, SIZE_MAX)) {
        take_messages(c);
    }
}

void sim_client_connect(sim_client *c, bool gentle)
{
    static const size_t KERNEL_BYTES[] = {300, 4000, 60000};
    c->link = sim_connect(gentle ? 1 << 20 : KERNEL_BYTES[sim_random(3)]);
    if (c->link == NULL) {
        return;
    }
    static const uint32_t SLOWNESS[] = {1, 1, 3, 40};
    c->read_one_in = gentle ? 1 : SLOWNESS[sim_random(4)];
    c->pause = 0;
    c->read_bytes = gentle || sim_one_in(2) ? 4096 : 1 + (size_t)sim_random(300);
    c->resuming = *c->secret != '\0' && !sim_one_in(8);
    sim_trace("client: connects%s", c->resuming ? ", to resume" : "");
    if (!c->resuming) {
        c->secret[0] = '\0';
        end_all_subscriptions(c);
        drop_all_requests(c);
        c->session = 0; // another one, of unknown number until a hello is answered
    }
    if (c->resuming || !sim_one_in(4)) {
        sim_request_hello(c, c->resuming);
    }
}

static void hang_up(sim_client *c)
{
    if (sim_one_in(2)) {
        c->finished = true;
        sim_link_finish(c->link);
    } else {
        sim_client_lost(c);
    }
}

void sim_client_act(sim_client *c)
{
    if (c->link == NULL) {
        if (sim_one_in(20)) {
            sim_client_connect(c, false);
        }
        return;
    }
    if (c->pause > 0) {
        c->pause--;
    } else if (sim_one_in(300)) {
        c->pause = 1 + (uint32_t)sim_random(400);
    } else if (sim_one_in(c->read_one_in)) {
        read_part(c, c->read_bytes);
        take_messages(c);
    }
    if (sim_link_over(c->link)) {
        sim_client_lost(c);
    } else if (sim_one_in(400)) {
        hang_up(c);
    } else if (!c->finished && !c->resuming && c->requests.count < REQUESTS_MAX && sim_one_in(6)) {
        sim_request_any(c);
    }
}

uint32_t sim_client_overdue(const sim_client *c)
{
    bool connected = c->link != NULL && !sim_link_over(c->link) && !c->finished && !c->resuming;
    for (uint32_t i = 0; connected && i < c->requests.count; i++) {
        connected = !c->requests.data[i].patient; // the request may delay those after it
    }
    return connected && c->requests.count > 0 ? c->requests.data[0].id : 0;
}

void sim_client_ask_info(sim_client *c, int world)
{
    sim_request_info(c, world);
}

void sim_client_spawn(sim_client *c, int world)
{
    sim_request_spawn(c, world, false);
}
