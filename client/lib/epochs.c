// See epochs.h. One thread at a time.
#include "client/lib/epochs.h"

#include <string.h>

#include <msgpack.h>

#include "client/lib/client.h"
#include "client/lib/fault.h"
#include "common/base/assert.h"

// ---- the table

// The index of the world; `count` if the table does not have it.
static uint32_t place_of(const epoch_table *t, const char *world)
{
    uint32_t at = 0;
    while (at < t->count && strcmp(t->list[at].world, world) != 0) {
        at++;
    }
    return at;
}

static world_epoch *find(epoch_table *t, const char *world)
{
    uint32_t at = place_of(t, world);
    return at < t->count ? &t->list[at] : NULL;
}

// The entry that makes room for a new name: each in turn, except pinned ones. NULL: all are pinned.
static world_epoch *take_over(epoch_table *t)
{
    for (uint32_t i = 0; i < t->count; i++) {
        world_epoch *e = &t->list[t->next++ % t->count];
        if (e->pinned == 0) {
            return e;
        }
    }
    return NULL;
}

// The world's entry, which is made if necessary; NULL: the table is full.
static world_epoch *find_or_add(epoch_table *t, const char *world)
{
    world_epoch *e = find(t, world);
    if (e != NULL) {
        return e;
    }
    e = t->count < CAROM_EPOCHS_MAX ? &t->list[t->count++] : take_over(t);
    if (e != NULL) {
        *e = (world_epoch){0};
        memcpy(e->world, world, strlen(world) + 1);
    }
    return e;
}

static bool is_name(const char *world)
{
    return world[0] != '\0' && strlen(world) <= WIRE_WORLD_NAME_MAX;
}

uint64_t epochs_known(const epoch_table *t, const char *world)
{
    uint32_t at = place_of(t, world);
    return at < t->count ? t->list[at].known : 0;
}

uint64_t epochs_pinned(const epoch_table *t, const char *world)
{
    uint32_t at = place_of(t, world);
    return at < t->count ? t->list[at].pinned : 0;
}

void epochs_note(epoch_table *t, const char *world, uint64_t epoch)
{
    bool wanted = is_name(world) && (epoch != 0 || find(t, world) != NULL);
    world_epoch *e = wanted ? find_or_add(t, world) : NULL;
    if (e != NULL) {
        e->known = epoch;
    }
}

void epochs_note_answer(epoch_table *t, const char *asked, const carom_value *answer)
{
    if (carom_value_type(answer) == CAROM_ARRAY) {
        for (size_t i = 0; i < carom_value_count(answer); i++) {
            const carom_value *one = carom_value_at(answer, i);
            epochs_note(t, carom_get_str(one, "world", ""), carom_get_uint(one, "epoch", 0));
        }
        return;
    }
    uint64_t epoch = carom_get_uint(answer, "epoch", 0);
    if (epoch != 0) {
        epochs_note(t, carom_get_str(answer, "world", asked), epoch);
    }
}

carom_status epochs_pin(epoch_table *t, const char *world, uint64_t epoch, carom_error *err)
{
    world_epoch *e = epoch != 0 ? find_or_add(t, world) : find(t, world);
    if (e != NULL) {
        e->pinned = epoch;
    }
    return e != NULL || epoch == 0
               ? CAROM_OK
               : fault_set(err, CAROM_LIMIT_EXCEEDED,
                           "%u worlds have pinned epochs, which is the limit", CAROM_EPOCHS_MAX);
}

// ---- messages

bool epochs_guard(const char *method)
{
    static const char *const FREE[] = {"world.create", "world.info", "world.subscribe"};
    for (size_t i = 0; i < sizeof FREE / sizeof *FREE; i++) {
        if (strcmp(method, FREE[i]) == 0) {
            return false;
        }
    }
    return true;
}

// The head of a map of up to 15 pairs has one byte, a larger one three.
static bool widen_head(buffer *message, size_t at)
{
    static const uint8_t ROOM[2] = {0};
    buffer_append(message, ROOM, sizeof ROOM);
    if (message->overflow) {
        return false;
    }
    uint8_t *head = message->data + at;
    memmove(head + 3, head + 1, message->size - sizeof ROOM - at - 1);
    head[0] = 0xde;
    head[1] = 0;
    head[2] = 15;
    return true;
}

void epochs_add(buffer *message, size_t at, uint64_t epoch)
{
    ASSERT(at < message->size);
    if (message->data[at] == 0x8f && !widen_head(message, at)) {
        return;
    }
    uint8_t *head = message->data + at;
    if (head[0] == 0xde) {
        unsigned pairs = ((unsigned)head[1] << 8 | head[2]) + 1;
        ASSERT(pairs <= UINT16_MAX); // no method has so many arguments
        head[1] = (uint8_t)(pairs >> 8);
        head[2] = (uint8_t)pairs;
    } else {
        ASSERT(head[0] >= 0x80 && head[0] < 0x8f);
        head[0]++;
    }
    msgpack_packer packer = buffer_packer(message);
    msgpack_pack_str(&packer, 5);
    msgpack_pack_str_body(&packer, "epoch", 5);
    msgpack_pack_uint64(&packer, epoch);
}

// ---- the public functions

uint64_t carom_known_epoch(const carom_client *client, const char *world)
{
    return client == NULL || world == NULL ? 0 : epochs_known(&client->front->epochs, world);
}

carom_status carom_pin_epoch(carom_client *client, const char *world, uint64_t epoch,
                             carom_error *err)
{
    if (client == NULL || world == NULL) {
        return fault_missing(err, client == NULL ? "client" : "world");
    }
    if (!is_name(world)) {
        return fault_set(err, CAROM_INVALID_ARGUMENT, "world: a name has 1 to %d bytes",
                         WIRE_WORLD_NAME_MAX);
    }
    return epochs_pin(&client->front->epochs, world, epoch, err);
}
