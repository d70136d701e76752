#include "client/lib/call.h"

#include <stddef.h>

carom_status call_method(carom_client *c, const char *name, carom_value *args, int timeout_ms,
                         carom_value **result, carom_error *err)
{
    if (result != NULL) {
        *result = NULL;
    }
    carom_status outcome;
    if (args == NULL) {
        outcome = fault_memory(err);
    } else if (timeout_ms == CAROM_NO_REPLY) {
        outcome = carom_send(c, name, args, err);
    } else {
        outcome = carom_call(c, name, args, timeout_ms, result, err);
    }
    carom_value_free(args);
    return outcome;
}

carom_status call_command(carom_client *c, const char *name, carom_value *args, int timeout_ms,
                          uint64_t *tick, carom_error *err)
{
    carom_value *result;
    carom_status outcome = call_method(c, name, args, timeout_ms, &result, err);
    if (outcome == CAROM_OK && tick != NULL) {
        *tick = carom_get_uint(result, "tick", 0);
    }
    carom_value_free(result);
    return outcome;
}

carom_value *world_args(const char *world)
{
    return carom_set(carom_map(), "world", carom_str(world));
}

carom_value *body_args(const char *world, uint64_t body)
{
    return carom_set(world_args(world), "body", carom_uint(body));
}

carom_value *vec_value(carom_vec2 v)
{
    return carom_vec(v.x, v.y);
}
