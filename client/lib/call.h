// Common parts of the typed helpers: building arguments, sending commands, reading answers. One
// thread at a time for a client.
#ifndef CAROM_CLIENT_LIB_CALL_H
#define CAROM_CLIENT_LIB_CALL_H

#include <carom/batch.h>
#include <carom/client.h>
#include <carom/snapshot.h>

#include "client/lib/fault.h"

// ---- calling

// Calls the method and waits or, with CAROM_NO_REPLY, only sends it. Takes over `args`; NULL means
// that memory ran out for them. *result (`result` may be NULL) is NULL without an answer, and on
// failure.
carom_status call_method(carom_client *c, const char *method, carom_value *args, int timeout_ms,
                         carom_value **result, carom_error *err);

// As call_method, for a method of the world that `args` name; NULL `args` are an error.
carom_status call_world(carom_client *c, const char *world, const char *method, carom_value *args,
                        int timeout_ms, carom_value **result, carom_error *err);

// As call_world, for methods that need an answer: CAROM_NO_REPLY and a NULL `result` are errors.
carom_status call_answer(carom_client *c, const char *world, const char *method, carom_value *args,
                         int timeout_ms, carom_value **result, carom_error *err);

// As call_world, for commands that only answer {tick}; *tick (may be NULL) is 0 when no answer was
// awaited.
carom_status call_command(carom_client *c, const char *world, const char *method, carom_value *args,
                          int timeout_ms, uint64_t *tick, carom_error *err);

// As call_world, for commands that make something: *id (may be NULL) is result[key].
carom_status call_maker(carom_client *c, const char *world, const char *method, carom_value *args,
                        const char *key, int timeout_ms, uint64_t *id, uint64_t *tick,
                        carom_error *err);

// Appends to a batch the arguments that a helper has made from `given`: NULL `args` mean that
// memory ran out, or that the caller gave NULL.
size_t batch_add_made(carom_batch *batch, const char *method, carom_value *args, const void *given);

// ---- arguments

// Makes {world: …}, or {} for NULL, as in a batch, which names its world once.
carom_value *world_args(const char *world);
// Makes {world: …, key: id}.
carom_value *id_args(const char *world, const char *key, uint64_t id);

carom_value *id_value(uint64_t id); // also for a CAROM_RESULT
carom_value *vec_value(carom_vec2 v);
carom_value *area_value(const double area[4]);
carom_value *filter_value(uint64_t category, uint64_t mask, int32_t group);
carom_value *shape_events_value(unsigned events);
// Makes the map of a shape's form alone, as queries expect it.
carom_value *shape_form_value(const carom_shape *shape);

// Adds the pair unless the value equals the fallback, which is the server's default.
void set_real(carom_value *map, const char *key, double value, double fallback);
void set_vec(carom_value *map, const char *key, carom_vec2 value); // fallback: zero
void set_bool(carom_value *map, const char *key, bool value, bool fallback);

// ---- answers

carom_vec2 get_vec(const carom_value *map, const char *key); // zero if it is missing
void read_contact_value(const carom_value *map, carom_contact *out);

#endif
