// Common parts of the typed helpers. One thread at a time for a client.
#include "client/lib/call.h"

#include <stddef.h>

#include <carom/batch.h>

carom_status call_method(carom_client *c, const char *method, carom_value *args, int timeout_ms,
                         carom_value **result, carom_error *err)
{
    if (result != NULL) {
        *result = NULL;
    }
    carom_status outcome;
    if (c == NULL) {
        outcome = fault_missing(err, "client");
    } else if (args == NULL) {
        outcome = fault_memory(err);
    } else if (timeout_ms == CAROM_NO_REPLY) {
        outcome = carom_send(c, method, args, err);
    } else {
        outcome = carom_call(c, method, args, timeout_ms, result, err);
    }
    carom_value_free(args);
    return outcome;
}

carom_status call_world(carom_client *c, const char *world, const char *method, carom_value *args,
                        int timeout_ms, carom_value **result, carom_error *err)
{
    if (world == NULL) {
        carom_value_free(args);
        if (result != NULL) {
            *result = NULL;
        }
        return fault_missing(err, c == NULL ? "client" : "world");
    }
    return call_method(c, method, args, timeout_ms, result, err);
}

carom_status call_answer(carom_client *c, const char *world, const char *method, carom_value *args,
                         int timeout_ms, carom_value **result, carom_error *err)
{
    if (timeout_ms <= 0) {
        carom_value_free(args);
        *result = NULL;
        return fault_set(err, CAROM_INVALID_ARGUMENT, "timeout_ms: must be above 0, is %d",
                         timeout_ms);
    }
    return call_world(c, world, method, args, timeout_ms, result, err);
}

carom_status call_command(carom_client *c, const char *world, const char *method, carom_value *args,
                          int timeout_ms, uint64_t *tick, carom_error *err)
{
    return call_maker(c, world, method, args, "", timeout_ms, NULL, tick, err);
}

carom_status call_maker(carom_client *c, const char *world, const char *method, carom_value *args,
                        const char *key, int timeout_ms, uint64_t *id, uint64_t *tick,
                        carom_error *err)
{
    carom_value *result;
    carom_status outcome = call_world(c, world, method, args, timeout_ms, &result, err);
    if (outcome == CAROM_OK && id != NULL) {
        *id = carom_get_uint(result, key, 0);
    }
    if (outcome == CAROM_OK && tick != NULL) {
        *tick = carom_get_uint(result, "tick", 0);
    }
    carom_value_free(result);
    return outcome;
}
