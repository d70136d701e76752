// Records what clients received, and compares it at a restart; see oracle.h.
#include "tests/simulation/oracle_internal.h"

#include <inttypes.h>
#include <math.h>
#include <msgpack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/base/block.h"
#include "common/physics/image.h"
#include "proto/log/log_record.h"
#include "proto/packed/packed.h"
#include "server/session/placement/restore.h"
#include "server/world/tick/served_world.h"
#include "server/world/log/world_log.h"
#include "tests/simulation/sim.h"

enum { ROWS_BYTES_MAX = 64 << 20, NONCES_MAX = 64, NONCE_SCALE = 1 << 20 };

oracle_tables oracle;
oracle_figures figures;

// ---- life

void oracle_begin(void)
{
    oracle = (oracle_tables){0};
    array_push(&oracle.nonces, (oracle_nonce){0});
}

static void free_world(oracle_world *w)
{
    buffer_deinit(&w->rows);
    buffer_deinit(&w->base);
    array_free(&w->index);
    array_free(&w->nonces);
    array_free(&w->marks);
    array_free(&w->told);
    for (uint32_t i = 0; i < w->segments.count; i++) {
        array_free(&w->segments.data[i].events);
    }
    array_free(&w->segments);
    free(w);
}

void oracle_end(void)
{
    while (oracle.worlds != NULL) {
        oracle_world *w = oracle.worlds;
        oracle.worlds = w->next;
        free_world(w);
    }
    array_free(&oracle.nonces);
}

static oracle_world *find_stored(const storage_world *stored)
{
    oracle_world *w = oracle.worlds;
    while (w != NULL && (stored == NULL || w->stored != stored)) {
        w = w->next;
    }
    return w;
}

static oracle_world *find_epoch(uint64_t epoch)
{
    oracle_world *w = oracle.worlds;
    while (w != NULL && w->epoch != epoch) {
        w = w->next;
    }
    return w;
}

// ---- digests

uint64_t oracle_mix(uint64_t digest, uint64_t value)
{
    uint64_t state = digest ^ (value * 0xFF51AFD7ED558CCDu);
    return fake_random(&state);
}

uint64_t oracle_mix_double(uint64_t digest, double value)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    return oracle_mix(digest, bits);
}

// ---- nonces

uint64_t oracle_new_nonce(void)
{
    array_push(&oracle.nonces, (oracle_nonce){0});
    return oracle.nonces.count - 1;
}

double oracle_number(uint64_t nonce)
{
    return (double)nonce / NONCE_SCALE;
}

static void read_value(const msgpack_object *o, uint64_t *out, uint32_t *count, uint32_t max);

static void read_pair(const msgpack_object_kv *pair, uint64_t *out, uint32_t *count, uint32_t max)
{
    const msgpack_object_str *key = &pair->key.via.str;
    bool numbered = (key->size == 7 && memcmp(key->ptr, "impulse", 7) == 0) ||
                    (key->size == 7 && memcmp(key->ptr, "gravity", 7) == 0) ||
                    (key->size == 8 && memcmp(key->ptr, "velocity", 8) == 0);
    if (numbered && pair->val.type == MSGPACK_OBJECT_ARRAY && *count < max) {
        const msgpack_object *x = &pair->val.via.array.ptr[0];
        double number = x->type == MSGPACK_OBJECT_FLOAT64 ? x->via.f64 : 0.0;
        out[(*count)++] = (uint64_t)(number * NONCE_SCALE);
    } else if (key->size == 8 && memcmp(key->ptr, "commands", 8) == 0) {
        read_value(&pair->val, out, count, max);
    }
}

static void read_value(const msgpack_object *o, uint64_t *out, uint32_t *count, uint32_t max)
{
    if (o->type == MSGPACK_OBJECT_ARRAY) {
        for (uint32_t i = 0; i < o->via.array.size; i++) {
            read_value(&o->via.array.ptr[i], out, count, max);
        }
    } else if (o->type == MSGPACK_OBJECT_MAP) {
        for (uint32_t i = 0; i < o->via.map.size; i++) {
            read_pair(&o->via.map.ptr[i], out, count, max);
        }
    }
}

uint32_t oracle_read_nonces(const uint8_t *arguments, size_t size, uint64_t *out, uint32_t max)
{
    uint32_t count = 0;
    msgpack_unpacked unpacked;
    msgpack_unpacked_init(&unpacked);
    if (size > 0 && msgpack_unpack_next(&unpacked, (const char *)arguments, size, NULL) ==
                        MSGPACK_UNPACK_SUCCESS) {
        read_value(&unpacked.data, out, &count, max);
    }
    msgpack_unpacked_destroy(&unpacked);
    return count;
}

void oracle_acknowledged(uint64_t nonce, uint64_t tick, uint64_t body)
{
    oracle_nonce *n = &oracle.nonces.data[nonce];
    SIM_CHECK(n->state == NONCE_SENT, "command %" PRIu64 " was answered before", nonce);
    SIM_CHECK(n->world != NULL || n->unlogged,
              "command %" PRIu64 " was acknowledged and never took effect", nonce);
    n->state = NONCE_ACKNOWLEDGED;
    n->tick = tick;
    n->body = body;
    figures.acknowledged++;
    if (n->world != NULL) {
        n->world->shown = true;
        uint64_t is = n->world->index.data[n->row].tick;
        // A paused world is stepped to a batch for a later tick: the batch is recorded before the
        // step.
        SIM_CHECK(is == tick || is + 1 == tick,
                  "command %" PRIu64 " was acknowledged for tick %" PRIu64
                  ", it took effect at %" PRIu64,
                  nonce, tick, is);
    }
}

void oracle_refused(uint64_t nonce)
{
    oracle_nonce *n = &oracle.nonces.data[nonce];
    SIM_CHECK(n->state == NONCE_SENT, "command %" PRIu64 " was answered before", nonce);
    SIM_CHECK(n->world == NULL && !n->unlogged,
              "command %" PRIu64 " was refused and took effect all the same", nonce);
    n->state = NONCE_REFUSED;
}

// ---- snapshots and answers that clients received

void oracle_told_state(uint64_t epoch, uint64_t tick, told_kind kind, uint64_t value)
{
    oracle_world *w = find_epoch(epoch);
    if (w != NULL) {
        oracle_told told = {.tick = tick, .kind = kind, .value = value};
        array_push(&w->told, told);
        w->shown = true;
        figures.states++;
    }
}

void oracle_told_events(uint64_t epoch, const told_span *span, const told_event *events,
                        uint32_t count)
{
    oracle_world *w = find_epoch(epoch);
    if (w == NULL) {
        return;
    }
    oracle_segment s = {.span = *span};
    for (uint32_t i = 0; i < count; i++) {
        array_push(&s.events, events[i]);
    }
    array_push(&w->segments, s);
    figures.events += count;
    figures.lost_events += span->lost_at_end;
    for (uint32_t i = 0; i < count; i++) {
        figures.lost_events += events[i].lost;
    }
}

uint64_t oracle_mix_rounded(uint64_t id, double x, double y)
{
    const uint64_t digest = oracle_mix(0, id);
    return oracle_mix(oracle_mix(digest, (uint64_t)llround(x * PACKED_STEPS_DEFAULT)),
                      (uint64_t)llround(y * PACKED_STEPS_DEFAULT));
}

uint64_t oracle_mix_command(uint64_t tick, const char *kind, uint64_t session, uint64_t seat,
                            uint64_t data)
{
    uint64_t digest = oracle_mix(0, tick);
    for (const char *c = kind; *c != '\0'; c++) {
        digest = oracle_mix(digest, (uint8_t)*c);
    }
    return oracle_mix(oracle_mix(oracle_mix(digest, session), seat), data);
}

uint64_t oracle_mix_datum(const char *key, size_t key_size, uint64_t value)
{
    uint64_t digest = oracle_mix(0, value);
    for (size_t i = 0; i < key_size; i++) {
        digest = oracle_mix(digest, (uint8_t)key[i]);
    }
    return digest;
}

static oracle_world *only_of_name(const char *name)
{
    oracle_world *found = NULL;
    for (oracle_world *w = oracle.worlds; w != NULL; w = w->next) {
        if (strcmp(w->name, name) == 0 && !w->gone) {
            if (found != NULL || w->shadowed) {
                return NULL;
            }
            found = w;
        }
    }
    return found;
}

void oracle_told_created(const char *name)
{
    oracle_world *w = only_of_name(name);
    if (w != NULL) {
        w->shown = true;
    }
}

void oracle_told_destroyed(const char *name)
{
    oracle_world *w = only_of_name(name);
    if (w != NULL && w->destroying) {
        w->told_destroyed = true;
    }
}

// ---- redirected calls of the server

// Names of the simulation's worlds have one letter.
static uint64_t name_bit(const char *name)
{
    return UINT64_C(1) << (uint8_t)name[0] % 64;
}

status __wrap_storage_create(storage *s, const char *name, uint64_t epoch, storage_durability kept,
                             storage_world **out, error *err);
status __real_storage_create(storage *s, const char *name, uint64_t epoch, storage_durability kept,
                             storage_world **out, error *err);

status __wrap_storage_create(storage *s, const char *name, uint64_t epoch, storage_durability kept,
                             storage_world **out, error *err)
{
    status result = __real_storage_create(s, name, epoch, kept, out, err);
    if (result == STATUS_OK && kept != STORAGE_NONE) {
        oracle_world *w = calloc(1, sizeof *w);
        ASSERT(w != NULL);
        const char *dot = strrchr(name, '.');
        size_t size = dot != NULL ? (size_t)(dot - name) : strlen(name);
        memcpy(w->name, name, size);
        w->epoch = epoch;
        w->durability = kept;
        w->stored = *out;
        w->shadowed = (oracle.unlogged & name_bit(w->name)) != 0;
        buffer_init(&w->rows, ROWS_BYTES_MAX);
        buffer_init(&w->base, ROWS_BYTES_MAX);
        w->next = oracle.worlds;
        oracle.worlds = w;
        figures.worlds++;
        sim_trace("world %s epoch %" PRIu64 " durability %d", w->name, epoch, (int)kept);
    }
    return result;
}

// Charges the oracle's own memory to no world, although the server is working on one.
static void note_mark(oracle_world *w, oracle_mark mark)
{
    block_account *before = block_charge(NULL);
    array_push(&w->marks, mark);
    block_charge(before);
}

static void note_nonces(oracle_world *w, const uint8_t *arguments, uint32_t size)
{
    uint64_t nonces[NONCES_MAX];
    uint32_t count = oracle_read_nonces(arguments, size, nonces, NONCES_MAX);
    for (uint32_t i = 0; i < count; i++) {
        SIM_CHECK(nonces[i] > 0 && nonces[i] < oracle.nonces.count, "a command of nobody");
        oracle_nonce *n = &oracle.nonces.data[nonces[i]];
        sim_trace("command %" PRIu64 " takes effect in %s", nonces[i], w != NULL ? w->name : "?");
        SIM_CHECK(n->world == NULL && !n->unlogged, "command %" PRIu64 " took effect twice",
                  nonces[i]);
        SIM_CHECK(n->state == NONCE_SENT, "command %" PRIu64 " took effect after its answer",
                  nonces[i]);
        if (w == NULL) {
            n->unlogged = true;
        } else {
            n->world = w;
            n->row = w->index.count;
            array_push(&w->nonces, nonces[i]);
        }
    }
}

static void note_row(const world_log *l, uint64_t tick, uint64_t session, const char *name,
                     const uint8_t *arguments, uint32_t size)
{
    static const uint8_t EMPTY_MAP[] = {0x80};
    oracle_world *w = find_stored(l->stored);
    figures.commands++;
    note_nonces(w, arguments, size);
    if (w == NULL) {
        return;
    }
    log_command row = {.tick = tick,
                       .session = session,
                       .method = name,
                       .method_size = (uint32_t)strlen(name),
                       .arguments = arguments != NULL ? arguments : EMPTY_MAP,
                       .arguments_size = arguments != NULL ? size : sizeof EMPTY_MAP};
    log_command_encode(&w->rows, &row);
    ASSERT(!w->rows.overflow);
    oracle_row added = {.tick = tick, .end = w->rows.size, .nonces = w->nonces.count};
    array_push(&w->index, added);
}

void __wrap_world_log_note(world_log *l, uint64_t tick, uint64_t session, const char *name,
                           const uint8_t *arguments, uint32_t size);
void __real_world_log_note(world_log *l, uint64_t tick, uint64_t session, const char *name,
                           const uint8_t *arguments, uint32_t size);

void __wrap_world_log_note(world_log *l, uint64_t tick, uint64_t session, const char *name,
                           const uint8_t *arguments, uint32_t size)
{
    block_account *before = block_charge(NULL);
    note_row(l, tick, session, name, arguments, size);
    block_charge(before);
    __real_world_log_note(l, tick, session, name, arguments, size);
}

void __wrap_world_log_note_removal(world_log *l, uint64_t tick, const char *world, uint64_t body);
void __real_world_log_note_removal(world_log *l, uint64_t tick, const char *world, uint64_t body);

void __wrap_world_log_note_removal(world_log *l, uint64_t tick, const char *world, uint64_t body)
{
    buffer arguments;
    buffer_init(&arguments, LOG_REMOVAL_BYTES_MAX);
    log_removal_arguments(&arguments, world, body);
    block_account *before = block_charge(NULL);
    note_row(l, tick, 0, "body.remove", arguments.data, (uint32_t)arguments.size);
    block_charge(before);
    buffer_deinit(&arguments);
    __real_world_log_note_removal(l, tick, world, body);
}

served_world *__wrap_served_world_create(uint64_t number, const char *name, adoption *from,
                                         const limits *bounds, reply_sink sink,
                                         served_world_clocks clocks);
served_world *__real_served_world_create(uint64_t number, const char *name, adoption *from,
                                         const limits *bounds, reply_sink sink,
                                         served_world_clocks clocks);

served_world *__wrap_served_world_create(uint64_t number, const char *name, adoption *from,
                                         const limits *bounds, reply_sink sink,
                                         served_world_clocks clocks)
{
    oracle_world *w = find_stored(from->stored);
    oracle.unlogged |= w == NULL ? name_bit(name) : 0;
    for (oracle_world *o = oracle.worlds; o != NULL && w == NULL; o = o->next) {
        o->shadowed = o->shadowed || strcmp(o->name, name) == 0;
    }
    if (w != NULL && w->base.size == 0) {
        uint8_t *image = NULL;
        size_t size = 0;
        world_save(from->physics, &image, &size);
        buffer_append(&w->base, image, size);
        free(image);
        w->base_tick = world_tick(from->physics);
        w->base_paused = from->paused;
    }
    return __real_served_world_create(number, name, from, bounds, sink, clocks);
}

static uint64_t read_u64(const uint8_t *bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < 8; i++) {
        value |= (uint64_t)bytes[i] << (8 * i);
    }
    return value;
}

status __wrap_storage_append(storage_world *w, uint64_t first_tick, uint64_t last_tick,
                             const uint64_t *hash, shared_bytes *bytes, uint64_t *sequence,
                             error *err);
status __real_storage_append(storage_world *w, uint64_t first_tick, uint64_t last_tick,
                             const uint64_t *hash, shared_bytes *bytes, uint64_t *sequence,
                             error *err);

status __wrap_storage_append(storage_world *w, uint64_t first_tick, uint64_t last_tick,
                             const uint64_t *hash, shared_bytes *bytes, uint64_t *sequence,
                             error *err)
{
    error own;
    err = err != NULL ? err : &own;
    status result = __real_storage_append(w, first_tick, last_tick, hash, bytes, sequence, err);
    SIM_CHECK(result != STATUS_INVALID_ARGUMENT, "an entry does not follow its log: %s", err->text);
    oracle_world *o = find_stored(w);
    if (result == STATUS_OK && o != NULL) {
        oracle_mark mark = {.sequence = *sequence,
                            .tick = last_tick,
                            .until = read_u64(bytes->data),
                            .rows = o->index.count};
        note_mark(o, mark);
    }
    return result;
}

status __wrap_storage_checkpoint(storage_world *w, uint64_t tick, const uint64_t *hash,
                                 shared_bytes *image, error *err);
status __real_storage_checkpoint(storage_world *w, uint64_t tick, const uint64_t *hash,
                                 shared_bytes *image, error *err);

status __wrap_storage_checkpoint(storage_world *w, uint64_t tick, const uint64_t *hash,
                                 shared_bytes *image, error *err)
{
    error own;
    err = err != NULL ? err : &own;
    status result = __real_storage_checkpoint(w, tick, hash, image, err);
    SIM_CHECK(result != STATUS_INVALID_ARGUMENT, "an image does not fit its log: %s", err->text);
    oracle_world *o = find_stored(w);
    if (result == STATUS_OK && o != NULL) {
        oracle_mark mark = {.image = true,
                            .sequence = w->assigned,
                            .tick = tick,
                            .hash = *hash,
                            .until = read_u64(image->data + 16),
                            .rows = o->index.count};
        note_mark(o, mark);
        sim_trace("image of %s at tick %" PRIu64 ", sequence %" PRIu64, o->name, tick, w->assigned);
    }
    return result;
}

status __wrap_storage_destroy(storage_world *w, uint64_t *sequence, error *err);
status __real_storage_destroy(storage_world *w, uint64_t *sequence, error *err);

status __wrap_storage_destroy(storage_world *w, uint64_t *sequence, error *err)
{
    oracle_world *o = find_stored(w);
    if (o != NULL) {
        o->destroying = true;
    }
    return __real_storage_destroy(w, sequence, err);
}

// ---- a restart

void oracle_crashed(crash_kind kind, bool clean)
{
    oracle.unlogged = 0;
    figures.ends += clean ? 1 : 0;
    figures.kills += !clean && kind == CRASH_PROCESS ? 1 : 0;
    figures.power_losses += !clean && kind != CRASH_PROCESS ? 1 : 0;
    oracle.power_lost = oracle.power_lost || (kind != CRASH_PROCESS && !clean);
    for (oracle_world *w = oracle.worlds; w != NULL; w = w->next) {
        w->stored = NULL;
    }
}

// Everything that clients saw must be restored.
static bool is_held(const oracle_world *w)
{
    return w->durability == STORAGE_FULL || !oracle.power_lost;
}

static ARRAY(storage_info) infos; // worlds found by the recovery in progress, `name` unset
static ARRAY(storage_world *) info_worlds;
static const storage_visitor *visited;

static status visit_world(void *context, storage_world *w, const storage_info *info, error *err)
{
    if (info->unsound != NULL) {
        sim_fail("world '%s': %s", info->name, info->unsound);
    }
    array_push(&infos, *info);
    array_push(&info_worlds, w);
    return visited->world(context, w, info, err);
}

status __wrap_storage_recover(storage *s, const storage_visitor *visitor, error *err);
status __real_storage_recover(storage *s, const storage_visitor *visitor, error *err);

status __wrap_storage_recover(storage *s, const storage_visitor *visitor, error *err)
{
    array_clear(&infos);
    array_clear(&info_worlds);
    visited = visitor;
    storage_visitor mine = *visitor;
    mine.world = visit_world;
    return __real_storage_recover(s, &mine, err);
}

static const storage_info *info_of(const storage_world *stored)
{
    for (uint32_t i = 0; i < infos.count; i++) {
        if (info_worlds.data[i] == stored) {
            return &infos.data[i];
        }
    }
    sim_fail("a world of no recovery");
}

// The newest record or image that the restart has.
static const oracle_mark *mark_of(const oracle_world *w, const storage_info *info)
{
    bool image = info->has_image && info->image_sequence == info->sequence;
    for (uint32_t i = w->marks.count; i > 0; i--) {
        const oracle_mark *m = &w->marks.data[i - 1];
        bool same = m->image == image && m->sequence == info->sequence;
        if (same && (!image || (m->tick == info->image_tick && m->hash == info->image_hash))) {
            return m;
        }
    }
    sim_fail("world %s of epoch %" PRIu64 " came back with a record that was never written",
             w->name, w->epoch);
}

static void lose_nonces(oracle_world *w, uint64_t kept)
{
    for (uint32_t i = (uint32_t)kept; i < w->nonces.count; i++) {
        oracle_nonce *n = &oracle.nonces.data[w->nonces.data[i]];
        SIM_CHECK(n->state != NONCE_ACKNOWLEDGED || !is_held(w),
                  "command %" PRIu64 " of world %s (epoch %" PRIu64 ", durability %d, tick %" PRIu64
                  ") was acknowledged and is lost",
                  w->nonces.data[i], w->name, w->epoch, (int)w->durability, n->tick);
        n->world = NULL;
        n->state = NONCE_FORGOTTEN;
    }
    w->nonces.count = (uint32_t)kept;
}

// Later states may be lost: drops the records of snapshots and answers that showed them.
static void lose_told(oracle_world *w, uint64_t tick)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < w->told.count; i++) {
        if (w->told.data[i].tick < tick) {
            w->told.data[kept++] = w->told.data[i];
        }
    }
    w->told.count = kept;
    uint32_t segments = 0;
    for (uint32_t i = 0; i < w->segments.count; i++) {
        if (w->segments.data[i].span.to < tick) {
            w->segments.data[segments++] = w->segments.data[i];
        } else {
            array_free(&w->segments.data[i].events);
        }
    }
    w->segments.count = segments;
}

static void check_shown(const oracle_world *w, uint64_t until)
{
    for (uint32_t i = 0; i < w->told.count; i++) {
        SIM_CHECK(w->told.data[i].tick <= until,
                  "world %s of epoch %" PRIu64 ": tick %" PRIu64
                  " was shown, the restart goes on at %" PRIu64,
                  w->name, w->epoch, w->told.data[i].tick, until);
    }
}

// The log contained everything that was read back.
static void take_back(oracle_world *w, const restored_world *r)
{
    SIM_CHECK(r->broken == NULL, "world %s of epoch %" PRIu64 " is broken: %s", w->name, w->epoch,
              r->broken);
    SIM_CHECK(!w->told_destroyed || !is_held(w), "world %s was destroyed and is back", w->name);
    SIM_CHECK(w->base.size > 0, "world %s came back and was never written", w->name);
    const oracle_mark *m = mark_of(w, info_of(r->stored));
    sim_trace("world %s is back with %u of %u commands, tick %" PRIu64 " until %" PRIu64, w->name,
              m->rows, w->index.count, m->tick, m->until);
    uint32_t rows = m->rows;
    uint64_t tick = m->tick;
    lose_nonces(w, rows > 0 ? w->index.data[rows - 1].nonces : 0);
    if (!is_held(w)) {
        lose_told(w, tick);
    }
    check_shown(w, r->until > m->tick ? r->until : m->tick);
    buffer_truncate(&w->rows, rows > 0 ? w->index.data[rows - 1].end : 0);
    w->index.count = rows;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < w->marks.count; i++) {
        if (w->marks.data[i].rows <= rows) {
            w->marks.data[kept++] = w->marks.data[i];
        }
    }
    w->marks.count = kept;
    w->stored = r->stored;
    w->destroying = false;
}

// A replayed world has the state that its commands lead to.
static void check_played(oracle_world *w, const restored_world *r)
{
    SIM_CHECK(r->broken == NULL, "world %s of epoch %" PRIu64 " is broken: %s", w->name, w->epoch,
              r->broken);
    uint64_t until = world_tick(r->adoption->physics);
    check_shown(w, until);
    w->until = until;
    uint64_t hash = world_hash(r->adoption->physics);
    oracle_replay(w, until, &hash);
}

// A later world has its name, so its end was requested and it is not restored.
static bool is_superseded(const oracle_world *w)
{
    for (const oracle_world *o = oracle.worlds; o != NULL; o = o->next) {
        if (o->stored != NULL && o->epoch > w->epoch && strcmp(o->name, w->name) == 0) {
            return true;
        }
    }
    return false;
}

static void lose_world(oracle_world *w)
{
    w->destroying = w->destroying || is_superseded(w);
    SIM_CHECK(w->destroying || !w->shown || !is_held(w),
              "world %s of epoch %" PRIu64 " (durability %d) is lost", w->name, w->epoch,
              (int)w->durability);
    if (!w->destroying) {
        lose_nonces(w, 0);
        lose_told(w, 0);
    }
    w->gone = true;
}

status __wrap_restore_read(storage *s, aside_list *aside, int threads, restored_worlds *out,
                           error *err);
status __real_restore_read(storage *s, aside_list *aside, int threads, restored_worlds *out,
                           error *err);

status __wrap_restore_read(storage *s, aside_list *aside, int threads, restored_worlds *out,
                           error *err)
{
    status result = __real_restore_read(s, aside, threads, out, err);
    if (result != STATUS_OK) {
        return result;
    }
    figures.restarts++;
    for (uint32_t i = 0; i < out->count; i++) {
        oracle_world *w = find_epoch(out->data[i].epoch);
        SIM_CHECK(w != NULL && !w->gone, "world %s of epoch %" PRIu64 " comes from nowhere",
                  out->data[i].name, out->data[i].epoch);
        take_back(w, &out->data[i]);
    }
    for (oracle_world *w = oracle.worlds; w != NULL; w = w->next) {
        if (w->stored == NULL && !w->gone) {
            lose_world(w);
        }
    }
    array_free(&infos);
    array_free(&info_worlds);
    oracle.power_lost = false; // every restored state is on the disk
    return STATUS_OK;
}

void __wrap_restore_play(restored_world *r);
void __real_restore_play(restored_world *r);

void __wrap_restore_play(restored_world *r)
{
    __real_restore_play(r);
    oracle_world *w = find_epoch(r->epoch);
    ASSERT(w != NULL);
    if (r->stop == NULL || !atomic_load(r->stop)) { // otherwise the server stopped first
        check_played(w, r);
    }
}
