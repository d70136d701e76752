// The table of owners and its bytes; see owners.h. ownership.c decides what an owner may do.
//
// Names are kept once, in a hash table with open addressing of their indices; a body's entry is its
// owner's index. A name is removed with its last entry.
#include "common/world/owners.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "common/base/assert.h"
#include "common/base/little_endian.h"

enum { VERSION = 1, NOBODY = 0 };

_Static_assert(OWNER_BYTES_MAX <= UINT8_MAX, "a byte has the length of a name");
_Static_assert(PHYSICS_BODIES_MAX <= 0xFFFFFF, "slot_of() reads the slot in 24 bits of an id");

typedef struct owner_name {
    char text[OWNER_BYTES_MAX + 1];
    uint32_t uses; // entries with this name; 0: the slot is free
} owner_name;

typedef struct owned_body {
    body_id id;     // 0: the slot has no entry. The body may have been removed since
    uint32_t owner; // index in names, plus one
} owned_body;

struct owners {
    ARRAY(owned_body) by_slot;
    ARRAY(owner_name) names;
    ARRAY(uint32_t) free_names;
    uint32_t *buckets; // index in names plus one, 0 if empty; bucket_count is a power of two
    uint32_t bucket_count;
    uint32_t filled; // buckets that are not empty, removed names included
};

owners *owners_create(void)
{
    owners *o = calloc(1, sizeof *o);
    ASSERT_MEMORY(o != NULL);
    return o;
}

void owners_free(owners *o)
{
    if (o != NULL) {
        array_free(&o->by_slot);
        array_free(&o->names);
        array_free(&o->free_names);
        free(o->buckets);
        free(o);
    }
}

static uint32_t slot_of(body_id id)
{
    return (uint32_t)(id & 0xFFFFFF) - 1;
}

// ---- names

// FNV-1a: http://www.isthe.com/chongo/tech/comp/fnv/
static uint32_t hash_of(const char *text)
{
    uint32_t hash = 2166136261u;
    for (; *text != '\0'; text++) {
        hash = (hash ^ (uint8_t)*text) * 16777619u;
    }
    return hash;
}

static void put_bucket(owners *o, uint32_t name)
{
    ASSERT(name > 0 && name <= o->names.count && o->filled < o->bucket_count);
    uint32_t at = hash_of(o->names.data[name - 1].text) & (o->bucket_count - 1);
    while (o->buckets[at] != 0) {
        at = (at + 1) & (o->bucket_count - 1);
    }
    o->buckets[at] = name;
    o->filled++;
}

// Rebuilds the buckets without the removed names.
static void rebuild(owners *o)
{
    ASSERT(o->free_names.count <= o->names.count);
    uint32_t used = o->names.count - o->free_names.count;
    free(o->buckets);
    o->bucket_count = 16;
    while (o->bucket_count < 4 * (used + 1)) {
        o->bucket_count *= 2;
    }
    o->buckets = calloc(o->bucket_count, sizeof *o->buckets);
    ASSERT_MEMORY(o->buckets != NULL);
    o->filled = 0;
    for (uint32_t i = 0; i < o->names.count; i++) {
        if (o->names.data[i].uses > 0) {
            put_bucket(o, i + 1);
        }
    }
    ASSERT(o->filled <= used && used < o->bucket_count);
}

// The name's index plus one; 0 if the table does not have it.
static uint32_t find_name(const owners *o, const char *text)
{
    ASSERT(o->bucket_count == 0 || o->filled < o->bucket_count); // else it would not end
    uint32_t at = o->bucket_count > 0 ? hash_of(text) & (o->bucket_count - 1) : 0;
    while (o->bucket_count > 0 && o->buckets[at] != 0) {
        const owner_name *name = &o->names.data[o->buckets[at] - 1];
        if (name->uses > 0 && strcmp(name->text, text) == 0) {
            return o->buckets[at];
        }
        at = (at + 1) & (o->bucket_count - 1);
    }
    return 0;
}

static uint32_t add_name(owners *o, const char *text)
{
    size_t size = strlen(text);
    uint32_t place = o->names.count;
    ASSERT(size > 0 && size <= OWNER_BYTES_MAX);
    if (o->free_names.count > 0) {
        // Buckets of the slot's former name may still lead here. A search that follows one compares
        // the text, so they are harmless until the next rebuild drops them.
        place = o->free_names.data[--o->free_names.count];
        ASSERT(place < o->names.count && o->names.data[place].uses == 0);
    } else {
        array_push(&o->names, (owner_name){0});
    }
    memcpy(o->names.data[place].text, text, size + 1);
    o->names.data[place].uses = 0;
    if (o->bucket_count == 0 || 2 * (o->filled + 1) > o->bucket_count) {
        rebuild(o);
    }
    o->names.data[place].uses = 1;
    put_bucket(o, place + 1);
    return place + 1;
}

// Adds a use of the name and returns its index plus one; NOBODY for "".
static uint32_t take_name(owners *o, const char *text)
{
    uint32_t name = *text != '\0' ? find_name(o, text) : NOBODY;
    if (name != 0) {
        ASSERT(name <= o->names.count && o->names.data[name - 1].uses < UINT32_MAX);
        o->names.data[name - 1].uses++;
        return name;
    }
    return *text != '\0' ? add_name(o, text) : NOBODY;
}

static void drop_name(owners *o, uint32_t name)
{
    ASSERT(name == NOBODY || (name <= o->names.count && o->names.data[name - 1].uses > 0));
    if (name != NOBODY && --o->names.data[name - 1].uses == 0) {
        array_push(&o->free_names, name - 1);
    }
}

// ---- bodies

static const owned_body *entry_of(const owners *o, body_id body)
{
    uint32_t slot = slot_of(body);
    bool known = slot < o->by_slot.count && o->by_slot.data[slot].id == body;
    return known ? &o->by_slot.data[slot] : NULL;
}

const char *owners_of(const owners *o, body_id body)
{
    const owned_body *entry = o != NULL ? entry_of(o, body) : NULL;
    ASSERT(entry == NULL || entry->owner <= o->names.count);
    return entry != NULL && entry->owner != NOBODY ? o->names.data[entry->owner - 1].text : "";
}

uint32_t owners_bodies(const owners *o, const char *owner)
{
    const uint32_t name = find_name(o, owner);
    return name != 0 ? o->names.data[name - 1].uses : 0;
}

static void set_owner(owners *o, body_id body, const char *text)
{
    ASSERT(body != 0);
    uint32_t slot = slot_of(body);
    if (slot >= o->by_slot.count) {
        if (*text == '\0') {
            return; // unchanged
        }
        array_reserve(&o->by_slot, slot + 1); // new elements are zero
        o->by_slot.count = slot + 1;
    }
    uint32_t name = take_name(o, text);
    drop_name(o, o->by_slot.data[slot].owner);
    o->by_slot.data[slot] = name != NOBODY ? (owned_body){body, name} : (owned_body){0};
}

// The body's id; a reference becomes the id that its command made.
static body_id id_in(const command_result *made, body_id id)
{
    if (made == NULL || !command_id_is_reference(id)) {
        return id;
    }
    ASSERT(made[command_id_index(id)].method == METHOD_BODY_SPAWN); // the plan proved it
    return made[command_id_index(id)].spawn.body;
}

// Runs for bodies without an owner too: the slot may still have the owner of a removed body.
static void own_spawn(owners *o, const command *c, const command_result *result,
                      const command_result *made)
{
    (void)made;
    set_owner(o, result->spawn.body, c->spawn.owner != NULL ? c->spawn.owner : "");
}

static void own_set(owners *o, const command *c, const command_result *result,
                    const command_result *made)
{
    (void)result;
    if (c->body_set.owner != NULL) {
        set_owner(o, id_in(made, c->body_set.body), c->body_set.owner);
    }
}

static void own_remove(owners *o, const command *c, const command_result *result,
                       const command_result *made)
{
    (void)result;
    body_id id = id_in(made, c->body);
    if (entry_of(o, id) != NULL) {
        set_owner(o, id, "");
    }
}

typedef void own_function(owners *o, const command *c, const command_result *result,
                          const command_result *made);
#define ROW(id, own) [METHOD_##id] = own_##own,
static own_function *const OWN[METHOD_COUNT] = {METHOD_OWN(ROW)};

static void note_one(owners *o, const command *c, const command_result *result,
                     const command_result *made)
{
    ASSERT(result->method == c->method && (unsigned)c->method < METHOD_COUNT);
    if (OWN[c->method] != NULL) {
        OWN[c->method](o, c, result, made);
    }
}

void owners_note(owners *o, const command *c, const command_result *result)
{
    ASSERT(result->method == c->method);
    if (c->method != METHOD_WORLD_APPLY) {
        note_one(o, c, result, NULL);
        return;
    }
    ASSERT(result->batch.count <= c->apply.count);
    for (uint32_t i = 0; i < result->batch.count; i++) {
        note_one(o, &c->apply.commands[i], &result->batch.results[i], result->batch.results);
    }
}

// ---- bytes

static bool is_there(const owned_body *entry, const physics_world *world)
{
    body_info info;
    return entry->id != 0 && body_get(world, entry->id, &info, NULL) == STATUS_OK;
}

enum { HEAD_BYTES = 1 + 4 + 4, ENTRY_BYTES = 8 + 4 };

size_t owners_encoded_bytes(const owners *o, const physics_world *world)
{
    size_t bytes = HEAD_BYTES;
    for (uint32_t i = 0; i < o->names.count; i++) {
        bytes += o->names.data[i].uses > 0 ? 1 + strlen(o->names.data[i].text) : 0;
    }
    for (uint32_t i = 0; i < o->by_slot.count; i++) {
        bytes += is_there(&o->by_slot.data[i], world) ? ENTRY_BYTES : 0;
    }
    return bytes;
}

// Writes the names in use; moved[i] becomes the new index of name i.
static void encode_names(const owners *o, uint32_t *moved, uint8_t **at)
{
    uint32_t count = 0;
    put32(*at, o->names.count - o->free_names.count);
    *at += 4;
    for (uint32_t i = 0; i < o->names.count; i++) {
        const owner_name *name = &o->names.data[i];
        if (name->uses == 0) {
            continue;
        }
        size_t size = strlen(name->text);
        *(*at)++ = (uint8_t)size;
        memcpy(*at, name->text, size);
        *at += size;
        moved[i] = count++;
    }
    ASSERT(count == o->names.count - o->free_names.count); // see the file's head
}

void owners_encode(const owners *o, const physics_world *world, uint8_t *out)
{
    uint32_t *moved = calloc(o->names.count + 1, sizeof *moved);
    ASSERT_MEMORY(moved != NULL);
    *out++ = VERSION;
    encode_names(o, moved, &out);
    uint8_t *count_at = out;
    uint32_t count = 0;
    out += 4;
    for (uint32_t i = 0; i < o->by_slot.count; i++) {
        const owned_body *entry = &o->by_slot.data[i];
        if (is_there(entry, world)) {
            ASSERT(entry->owner != NOBODY && entry->owner <= o->names.count);
            put64(out, entry->id);
            put32(out + 8, moved[entry->owner - 1]);
            out += ENTRY_BYTES;
            count++;
        }
    }
    put32(count_at, count);
    free(moved);
}

// The bytes not yet read; `ended` is set by a read past the end.
typedef struct source {
    const uint8_t *at, *end;
    bool ended;
} source;

// Reads a little-endian number of `size` bytes: 1, 4 or 8.
static uint64_t get(source *s, size_t size)
{
    if ((size_t)(s->end - s->at) < size) {
        s->ended = true;
        return 0;
    }
    ASSERT(size == 1 || size == 4 || size == 8);
    const uint8_t *at = s->at;
    s->at += size;
    return size == 1 ? *at : size == 4 ? get32(at) : get64(at);
}

static bool decode_names(source *s, owners *o)
{
    uint64_t count = get(s, 4);
    for (uint64_t i = 0; i < count && !s->ended; i++) {
        owner_name name = {.uses = 0};
        size_t size = (size_t)get(s, 1);
        if (size == 0 || size > OWNER_BYTES_MAX || (size_t)(s->end - s->at) < size) {
            return false;
        }
        memcpy(name.text, s->at, size);
        s->at += size;
        if (strlen(name.text) != size) {
            return false; // a zero byte within a name
        }
        array_push(&o->names, name);
    }
    return !s->ended;
}

static bool decode_bodies(source *s, const physics_world *world, owners *o)
{
    uint64_t count = get(s, 4);
    uint32_t least = 0; // the least slot that the next entry may have
    for (uint64_t i = 0; i < count && !s->ended; i++) {
        owned_body entry = {.id = get(s, 8), .owner = (uint32_t)get(s, 4)};
        uint32_t slot = slot_of(entry.id);
        if (s->ended || !is_there(&entry, world) || slot < least || entry.owner >= o->names.count) {
            return false;
        }
        array_reserve(&o->by_slot, slot + 1);
        o->by_slot.count = slot + 1;
        o->names.data[entry.owner++].uses++;
        o->by_slot.data[slot] = entry;
        least = slot + 1;
    }
    return !s->ended && s->at == s->end;
}

status owners_decode(const uint8_t *bytes, size_t size, const physics_world *world, owners **out,
                     error *err)
{
    source s = {bytes, bytes + size, false};
    owners *o = owners_create();
    if (get(&s, 1) != VERSION || !decode_names(&s, o) || !decode_bodies(&s, world, o)) {
        owners_free(o);
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "owners: of another world, or of another version");
    }
    for (uint32_t i = 0; i < o->names.count; i++) {
        if (o->names.data[i].uses == 0) {
            array_push(&o->free_names, i); // its body was gone when the table was written
        }
    }
    rebuild(o);
    *out = o;
    return STATUS_OK;
}
