// Calls methods on a replica as on a server, with the same table, decoders and encoders. One thread
// at a time.
#include "client/replica/replica.h"

#include <msgpack.h>
#include <string.h>

#include "client/scene/values.h"
#include "common/world/apply.h"
#include "proto/commands/command_decode.h"
#include "proto/encode/encode.h"
#include "proto/limits.h"
#include "proto/wire/buffer.h"

static carom_status find_method(const physics_world *world, const char *name, method *out,
                                carom_error *err)
{
    const method_info *info = method_find(name, strlen(name));
    if (info == NULL) {
        return replica_fault(err, CAROM_UNKNOWN_METHOD, "there is no method '%s'", name);
    }
    if (info->scope == SCOPE_WORLD_COMMAND) {
        return replica_fault(err, CAROM_PERMISSION_DENIED,
                             "%s changes a world; a replica only follows its own", name);
    }
    if (info->scope != SCOPE_WORLD_READ) {
        return replica_fault(err, CAROM_UNKNOWN_METHOD, "%s is for servers, not for replicas",
                             name);
    }
    if (world == NULL) {
        return replica_fault(err, CAROM_UNAVAILABLE, "the replica has no world");
    }
    *out = info->id;
    return CAROM_OK;
}

// Adds the world's name to the arguments, which callers may leave out.
static carom_value *complete(const char *world, const carom_value *args)
{
    carom_value *all = args != NULL ? carom_value_clone(args) : carom_map();
    if (carom_value_get(all, "world") == NULL) {
        carom_set(all, "world", carom_str(*world != '\0' ? world : REPLICA_NAME));
    }
    return all;
}

carom_status replica_decode(const char *world, method m, const carom_value *args, command *out,
                            carom_error *err)
{
    buffer bytes;
    struct error why;
    buffer_init(&bytes, WIRE_MESSAGE_BYTES_MAX);
    carom_value *all = complete(world, args);
    carom_status s = values_pack(all, &bytes);
    carom_value_free(all);
    if (s != CAROM_OK) {
        buffer_deinit(&bytes);
        return replica_fault(err, s, "the arguments cannot be packed");
    }
    msgpack_unpacked unpacked;
    msgpack_unpacked_init(&unpacked);
    size_t offset = 0;
    if (msgpack_unpack_next(&unpacked, (const char *)bytes.data, bytes.size, &offset) !=
        MSGPACK_UNPACK_SUCCESS) {
        s = replica_fault(err, CAROM_OUT_OF_MEMORY, "no memory for the arguments");
    } else if (command_decode(m, &unpacked.data, out, &why) != STATUS_OK) {
        s = replica_fault_of(err, &why);
    }
    msgpack_unpacked_destroy(&unpacked);
    buffer_deinit(&bytes);
    return s;
}

static carom_status answer(const command_result *from, carom_value **out, carom_error *err)
{
    buffer bytes;
    buffer_init(&bytes, WIRE_REPLY_BYTES_MAX);
    encode_command_result(&bytes, from);
    carom_status s = CAROM_LIMIT_EXCEEDED;
    if (!bytes.overflow) {
        *out = values_unpack(&bytes, &s);
    }
    buffer_deinit(&bytes);
    return s == CAROM_OK ? s : replica_fault(err, s, "the answer cannot be held");
}

carom_status replica_apply(physics_world *world, const char *world_name, method m,
                           const carom_value *args, carom_value **result, carom_error *err)
{
    command asked = {0};
    *result = NULL;
    carom_status s = replica_decode(world_name, m, args, &asked, err);
    if (s != CAROM_OK) {
        return s;
    }
    command_result made;
    struct error why;
    if (command_check_present(&asked, &why) != STATUS_OK ||
        apply_command(world, &asked, &made, &why) != STATUS_OK) {
        s = replica_fault_of(err, &why);
    } else {
        s = answer(&made, result, err);
        command_result_free(&made);
    }
    command_free(&asked);
    return s;
}

carom_status replica_call_on(const carom_replica *r, physics_world *world, const char *name,
                             const carom_value *args, carom_value **result, carom_error *err)
{
    if (name == NULL || result == NULL) {
        return replica_fault_null(err, name == NULL ? "method" : "result");
    }
    method m = METHOD_COUNT;
    *result = NULL;
    carom_status s = find_method(world, name, &m, err);
    if (s != CAROM_OK) {
        return s;
    }
    return replica_apply(world, r->world, m, args, result, err);
}

carom_status carom_replica_call(carom_replica *r, const char *name, const carom_value *args,
                                carom_value **result, carom_error *err)
{
    if (r == NULL) {
        return replica_fault_null(err, "replica");
    }
    return replica_call_on(r, r->player.world, name, args, result, err);
}
