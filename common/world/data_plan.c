// Keys that a batch names, found by their hashes in one list; see data_plan.h. The world's thread.
#include "common/world/data_plan.h"

#include <inttypes.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/base/counted.h"
#include "common/base/utf8.h"

const data_limits DATA_LIMITS_ENGINE = {DATA_VALUE_BYTES_MAX, DATA_KEYS_MAX, DATA_BYTES_MAX};

static const char PLAYERS[] = "player/";

void data_plan_init(data_plan *p, const physics_world *world, const data_limits *most)
{
    const world_data_counts now = world_data_count(world);
    *p = (data_plan){
        .world = world, .most = most, .keys = now.keys, .bytes = now.bytes, .changes = now.changes};
}

void data_plan_deinit(data_plan *p)
{
    array_free(&p->touched);
}

// FNV-1a: http://www.isthe.com/chongo/tech/comp/fnv/
static uint32_t hash_of(const char *text)
{
    uint32_t hash = 2166136261u;
    for (; *text != '\0'; text++) {
        hash = (hash ^ (uint8_t)*text) * 16777619u;
    }
    return hash;
}

// The key as the earlier commands leave it; valid until the next call.
static planned_datum *touch(data_plan *p, const char *key)
{
    const uint32_t hash = hash_of(key);
    for (uint32_t i = 0; i < p->touched.count; i++) {
        planned_datum *d = &p->touched.data[i];
        if (d->hash == hash && strcmp(d->key, key) == 0) {
            return d;
        }
    }
    world_datum now;
    planned_datum d = {.key = key, .hash = hash};
    if (world_data_find(p->world, key, &now)) {
        d.version = now.version;
        d.bytes = world_datum_bytes(strlen(key), now.value_size);
    }
    array_push(&p->touched, d);
    return &p->touched.data[p->touched.count - 1];
}

status data_version_check(const char *key, bool has_asked, uint64_t asked, uint64_t version,
                          error *err)
{
    char quoted[UTF8_QUOTE_MAX];
    if (!has_asked || asked == version) {
        return STATUS_OK;
    }
    utf8_quote(quoted, key, strlen(key));
    return version != 0
               ? error_set(err, STATUS_ALREADY_EXISTS,
                           "version: key '%s' has version %" PRIu64 ", not %" PRIu64, quoted,
                           version, asked)
               : error_set(
                     err, STATUS_ALREADY_EXISTS,
                     "version: key '%s' does not exist (version 0), and has no version %" PRIu64,
                     quoted, asked);
}

// Whether the world has room for the key with `bytes`, instead of those that it has.
static status check_room(const data_plan *p, const planned_datum *d, uint64_t bytes, error *err)
{
    const uint64_t keys = p->keys + (d->version == 0);
    const uint64_t all = p->bytes - d->bytes + bytes;
    if (keys > p->most->keys && keys > p->keys) {
        return error_set(
            err, STATUS_LIMIT_EXCEEDED,
            "data_keys_per_world: the world has %llu %s of data, and may have %" PRIu64,
            COUNTED(p->keys, "key", "keys"), p->most->keys);
    }
    if (all > p->most->bytes && all > p->bytes) {
        return error_set(err, STATUS_LIMIT_EXCEEDED,
                         "data_bytes_per_world: the world would have %" PRIu64
                         " bytes of data; at most %" PRIu64 " are allowed",
                         all, p->most->bytes);
    }
    return STATUS_OK;
}

status data_plan_set(data_plan *p, const data_set_args *set, error *err)
{
    if (set->value_size > p->most->value_bytes) {
        return error_set(err, STATUS_LIMIT_EXCEEDED,
                         "value: must have at most %" PRIu64
                         " bytes of MessagePack (data_value_bytes), got %zu",
                         p->most->value_bytes, set->value_size);
    }
    status s = world_data_check(set->key, set->value, set->value_size, err);
    if (s != STATUS_OK) {
        return s;
    }
    planned_datum *d = touch(p, set->key);
    const uint64_t bytes = world_datum_bytes(strlen(set->key), set->value_size);
    s = data_version_check(set->key, set->has_version, set->version, d->version, err);
    s = s == STATUS_OK ? check_room(p, d, bytes, err) : s;
    if (s == STATUS_OK) {
        p->keys += d->version == 0;
        p->bytes += bytes - d->bytes;
        d->bytes = bytes;
        d->version = ++p->changes;
    }
    return s;
}

status data_plan_remove(data_plan *p, const data_remove_args *remove, error *err)
{
    char quoted[UTF8_QUOTE_MAX];
    planned_datum *d = touch(p, remove->key);
    status s =
        data_version_check(remove->key, remove->has_version, remove->version, d->version, err);
    if (s == STATUS_OK && d->version == 0) {
        s = error_set(err, STATUS_NOT_FOUND, "key '%s' does not exist",
                      utf8_quote(quoted, remove->key, strlen(remove->key)));
    }
    if (s == STATUS_OK) {
        ASSERT(p->keys > 0 && p->bytes >= d->bytes);
        p->keys--;
        p->bytes -= d->bytes;
        p->changes++;
        d->bytes = d->version = 0;
    }
    return s;
}

// ---- a server's limits

static status plan_one(data_plan *p, const command *c, error *err)
{
    return c->method == METHOD_DATA_SET      ? data_plan_set(p, &c->data_set, err)
           : c->method == METHOD_DATA_REMOVE ? data_plan_remove(p, &c->data_remove, err)
                                             : STATUS_OK;
}

bool data_key_is_of(const char *key, const char *subject)
{
    const size_t length = strlen(subject);
    const size_t before = sizeof PLAYERS - 1;
    return length > 0 && strchr(subject, '/') == NULL && strncmp(key, PLAYERS, before) == 0 &&
           strncmp(key + before, subject, length) == 0 && key[before + length] == '/' &&
           key[before + length + 1] != '\0';
}

// The keys of a subject, and their bytes.
static world_data_counts own_data(const physics_world *world, const char *subject)
{
    char prefix[sizeof PLAYERS + OWNER_BYTES_MAX + 1];
    world_data_counts own = {0};
    strcpy(prefix, PLAYERS);
    strcat(prefix, subject);
    strcat(prefix, "/");
    const uint32_t end = world_data_count(world).keys;
    for (uint32_t i = world_data_from(world, prefix); i < end; i++) {
        const world_datum d = world_data_at(world, i);
        if (strncmp(d.key, prefix, strlen(prefix)) != 0) {
            break;
        }
        own.keys++;
        own.bytes += world_datum_bytes(strlen(d.key), d.value_size);
    }
    return own;
}

// The percentage of what others leave, so that the next player always finds some.
static uint64_t share_of(uint64_t most, uint64_t others, uint64_t percent)
{
    return (most > others ? most - others : 0) * percent / 100;
}

// A player changes only its own keys, so all keys that the plan adds are its own.
static status check_share(const data_plan *p, uint64_t percent, const char *subject, error *err)
{
    const world_data_counts there = world_data_count(p->world);
    const world_data_counts own = own_data(p->world, subject);
    const uint64_t keys = own.keys + p->keys - there.keys;
    const uint64_t bytes = own.bytes + p->bytes - there.bytes;
    const uint64_t keys_most = share_of(p->most->keys, there.keys - own.keys, percent);
    const uint64_t bytes_most = share_of(p->most->bytes, there.bytes - own.bytes, percent);
    if ((p->keys > there.keys && keys > keys_most) ||
        (p->bytes > there.bytes && bytes > bytes_most)) {
        return error_set(err, STATUS_LIMIT_EXCEEDED,
                         "owner_share: this subject would have %" PRIu64
                         " keys of data with %" PRIu64 " bytes; at most %" PRIu64 " and %" PRIu64
                         " may be one player's now",
                         keys, bytes, keys_most, bytes_most);
    }
    return STATUS_OK;
}

status data_admit(const physics_world *world, const data_limits *most, uint64_t percent,
                  const actor *who, const command *c, error *err)
{
    const bool batch = c->method == METHOD_WORLD_APPLY;
    const command *commands = batch ? c->apply.commands : c;
    const uint32_t count = batch ? c->apply.count : 1;
    data_plan p;
    error why;
    status s = STATUS_OK;
    uint32_t i = 0;
    data_plan_init(&p, world, most);
    for (; i < count && s == STATUS_OK; i++) {
        s = plan_one(&p, &commands[i], &why);
    }
    if (s == STATUS_LIMIT_EXCEEDED) {
        error_set(err, s, "%s", why.text);
        if (batch) {
            error_prefix(err, "commands[%" PRIu32 "] (%s)", i - 1,
                         method_wire_name(commands[i - 1].method));
        }
    } else {
        const bool shares = s == STATUS_OK && p.touched.count > 0 && who != NULL &&
                            who->role < ROLE_REFEREE && percent < 100;
        s = shares ? check_share(&p, percent, who->subject, err) : STATUS_OK;
    }
    data_plan_deinit(&p);
    return s;
}

status data_fit(const physics_world *world, const data_limits *most, error *err)
{
    const world_data_counts there = world_data_count(world);
    if (there.keys > most->keys) {
        return error_set(err, STATUS_LIMIT_EXCEEDED,
                         "data_keys_per_world: it has %llu %s of data; at most %" PRIu64
                         " are allowed",
                         COUNTED(there.keys, "key", "keys"), most->keys);
    }
    return there.bytes <= most->bytes ? STATUS_OK
                                      : error_set(err, STATUS_LIMIT_EXCEEDED,
                                                  "data_bytes_per_world: it has %" PRIu64
                                                  " bytes of data; at most %" PRIu64 " are allowed",
                                                  there.bytes, most->bytes);
}
