// Items of a log, and playing them; see mirror.h.
#include "server/world/state/mirror.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/physics/image.h"
#include "proto/log/log_compact.h"
#include "proto/log/log_record.h"

mirror_link *mirror_link_create(const char *upstream)
{
    mirror_link *l = calloc(1, sizeof *l);
    ASSERT_MEMORY(l != NULL);
    atomic_init(&l->references, 1);
    atomic_init(&l->upstream, upstream);
    return l;
}

mirror_link *mirror_link_ref(mirror_link *l)
{
    atomic_fetch_add_explicit(&l->references, 1, memory_order_relaxed);
    return l;
}

void mirror_link_unref(mirror_link *l)
{
    if (l != NULL && atomic_fetch_sub_explicit(&l->references, 1, memory_order_acq_rel) == 1) {
        free(l);
    }
}

// ---- items

mirror_item *mirror_item_create(mirror_link *l, mirror_kind kind, const uint8_t *bytes, size_t size,
                                int64_t received_ns)
{
    mirror_item *item = malloc(sizeof *item + size);
    ASSERT_MEMORY(item != NULL);
    *item = (mirror_item){
        .link = mirror_link_ref(l), .kind = kind, .received_ns = received_ns, .size = size};
    if (size > 0) {
        memcpy(item->bytes, bytes, size);
    }
    atomic_fetch_add_explicit(&l->waiting, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&l->waiting_bytes, size, memory_order_relaxed);
    return item;
}

void mirror_item_free(mirror_item *item)
{
    if (item == NULL) {
        return;
    }
    atomic_fetch_sub_explicit(&item->link->waiting, 1, memory_order_relaxed);
    atomic_fetch_sub_explicit(&item->link->waiting_bytes, item->size, memory_order_relaxed);
    mirror_link_unref(item->link);
    free(item);
}

bool mirror_has_image(const mirror_item *item)
{
    log_notification n;
    error err;
    return item->kind == MIRROR_PLAIN &&
           log_notification_decode(item->bytes, item->size, &n, &err) == STATUS_OK &&
           n.record.image != NULL;
}

// The record of an image says so if the world is paused. Nothing else can be in it: its commands
// would be of a state before the image.
static status read_pause(const log_record *record, bool *paused, error *err)
{
    static const char PAUSE[] = "world.pause";
    size_t offset = 0;
    log_command row;
    *paused = false;
    while (log_record_next(record, &offset, &row)) {
        if (row.method_size != sizeof PAUSE - 1 ||
            memcmp(row.method, PAUSE, sizeof PAUSE - 1) != 0) {
            return error_set(err, STATUS_INVALID_ARGUMENT,
                             "commands: only world.pause may come with an image");
        }
        *paused = true;
    }
    return STATUS_OK;
}

status mirror_read_image(const mirror_item *item, const capacity_limits *room, uint64_t epoch,
                         physics_world **out, bool *paused, error *err)
{
    log_notification n;
    status s = log_notification_decode(item->bytes, item->size, &n, err);
    if (s != STATUS_OK) {
        return s;
    }
    if (n.record.image == NULL || n.record.from != n.record.tick) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "the record has no image of its tick");
    }
    if (!n.has_epoch || n.epoch != epoch) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "epoch: the image is of another world");
    }
    s = read_pause(&n.record, paused, err);
    if (s == STATUS_OK) { // before memory is allocated
        s = capacity_check_image(n.record.image, n.record.image_size, room, err);
    }
    physics_world *made = NULL;
    if (s == STATUS_OK) {
        s = world_restore(n.record.image, n.record.image_size, &made, err);
    }
    if (s == STATUS_OK && (world_tick(made) != n.record.tick ||
                           (n.record.has_hash && world_hash(made) != n.record.hash))) {
        s = error_set(err, STATUS_INVALID_ARGUMENT, "the image is not the state that it claims");
    }
    if (s != STATUS_OK) {
        world_free(made);
        return s;
    }
    *out = made;
    return STATUS_OK;
}

// ---- playing

mirror *mirror_create(mirror_link *l, const char *name, physics_world *world, bool paused,
                      int64_t heard_ns)
{
    mirror *m = calloc(1, sizeof *m);
    ASSERT_MEMORY(m != NULL);
    ASSERT(strlen(name) < sizeof m->world);
    m->link = mirror_link_ref(l);
    memcpy(m->world, name, strlen(name) + 1);
    m->last = &m->first;
    buffer_init(&m->rows, LOG_RECORD_BYTES_MAX);
    buffer_init(&m->spelled, LOG_RECORD_BYTES_MAX);
    mirror_begin_anew(m, world, paused, heard_ns);
    return m;
}

void mirror_free(mirror *m)
{
    if (m == NULL) {
        return;
    }
    while (m->first != NULL) {
        mirror_drop_first(m);
    }
    buffer_deinit(&m->rows);
    buffer_deinit(&m->spelled);
    mirror_link_unref(m->link);
    free(m);
}

void mirror_put(mirror *m, mirror_item *item)
{
    item->next = NULL;
    *m->last = item;
    m->last = &item->next;
}

void mirror_drop_first(mirror *m)
{
    mirror_item *item = m->first;
    ASSERT(item != NULL);
    m->first = item->next;
    m->last = m->first != NULL ? m->last : &m->first;
    m->playing = false;
    mirror_item_free(item);
}

bool mirror_has_work(const mirror *m)
{
    return m->first != NULL;
}

void mirror_begin_anew(mirror *m, physics_world *world, bool paused, int64_t heard_ns)
{
    m->player.world = world;
    m->player.paused = paused;
    m->player.within = m->player.held = false;
    m->lost = m->broken = false;
    m->heard_ns = heard_ns;
    atomic_store_explicit(&m->link->tick, world_tick(world), memory_order_relaxed);
}

void mirror_break(mirror *m, const error *why)
{
    m->player.held = false;
    m->broken = true;
    m->playing = false;
    if (!atomic_load_explicit(&m->link->failed, memory_order_acquire)) { // else it is being read
        memcpy(m->link->failure, why->text, sizeof m->link->failure);
        atomic_store_explicit(&m->link->failed, true, memory_order_release);
    }
}

// Deals with items that bring no record: those of a lost connection, and those behind a fault.
static void pass(mirror *m)
{
    while (m->first != NULL && !m->playing) {
        if (m->first->kind == MIRROR_LOST) {
            m->lost = true;
        } else if (!m->broken || mirror_has_image(m->first)) {
            return;
        }
        mirror_drop_first(m);
    }
}

// Drops the queued items on request; the network thread then sends an image.
static void skip(mirror *m)
{
    if (!atomic_exchange_explicit(&m->link->skip, false, memory_order_acq_rel)) {
        return;
    }
    while (m->first != NULL) {
        m->lost = m->lost || m->first->kind == MIRROR_LOST;
        mirror_drop_first(m);
    }
    m->player.within = m->player.held = false;
    m->broken = true;
}

const mirror_item *mirror_next_image(mirror *m)
{
    skip(m);
    pass(m);
    return m->first != NULL && !m->playing && mirror_has_image(m->first) ? m->first : NULL;
}

// The compact form is spelled out, as the checks of texts are those of the other form.
static status decode_compact(mirror *m, const mirror_item *item, error *err)
{
    log_record record;
    status s = log_compact_decode(item->bytes, item->size, world_tick(m->player.world), m->world,
                                  &m->rows, &record, err);
    if (s != STATUS_OK) {
        return s;
    }
    buffer_clear(&m->spelled);
    log_record_encode(&m->spelled, &record);
    if (m->spelled.overflow) {
        return error_set(err, STATUS_LIMIT_EXCEEDED, "the record has more than %d bytes",
                         LOG_RECORD_BYTES_MAX);
    }
    return log_record_decode(m->spelled.data, m->spelled.size, &m->record, err);
}

static status decode_first(mirror *m, error *err)
{
    const mirror_item *item = m->first;
    if (item->kind == MIRROR_COMPACT) {
        return decode_compact(m, item, err);
    }
    log_notification n;
    const status s = log_notification_decode(item->bytes, item->size, &n, err);
    m->record = n.record;
    return s;
}

status mirror_play(mirror *m, error *err)
{
    status s = STATUS_OK;
    pass(m);
    if (m->first == NULL) {
        return STATUS_OK;
    }
    if (!m->playing) {
        s = decode_first(m, err);
        m->playing = s == STATUS_OK;
    }
    const uint64_t tick = world_tick(m->player.world);
    const uint64_t before = m->player.hashes;
    if (s == STATUS_OK) {
        s = log_player_play_to(&m->player, &m->record,
                               tick < m->record.tick ? tick + 1 : m->record.tick, err);
    }
    if (s != STATUS_OK) {
        mirror_break(m, err);
        mirror_drop_first(m);
        return s;
    }
    m->lost = false;
    m->heard_ns = m->first->received_ns;
    atomic_store_explicit(&m->link->tick, world_tick(m->player.world), memory_order_relaxed);
    atomic_fetch_add_explicit(&m->link->matches, m->player.hashes - before, memory_order_relaxed);
    if (!m->player.within) {
        mirror_drop_first(m);
    }
    return STATUS_OK;
}

bool mirror_stands(const mirror *m)
{
    return m->first == NULL && (m->player.paused || m->lost || m->broken);
}

double mirror_lag(const mirror *m, int64_t now_ns)
{
    const bool fresh = m->player.paused && !m->lost && !m->broken;
    const int64_t lag = now_ns - m->heard_ns;
    return fresh || lag < 0 ? 0.0 : (double)lag * 1e-9;
}
