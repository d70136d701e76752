// The place of each log, in a list that is searched from its start: a client has a few. See
// log_streams.h.
#include "client/lib/log_streams.h"

#include <msgpack.h>
#include <stdio.h>
#include <string.h>

#include "proto/log/log_compact.h"
#include "proto/wire/rpc.h"

void log_streams_deinit(log_streams *s)
{
    vector_free(&s->list);
    buffer_deinit(&s->rows);
    buffer_deinit(&s->told);
}

static log_stream_state *find(log_streams *s, uint64_t subscription)
{
    for (uint32_t i = 0; i < s->list.count; i++) {
        if (s->list.data[i].subscription == subscription) {
            return &s->list.data[i];
        }
    }
    return NULL;
}

void log_streams_forget(log_streams *s, uint64_t subscription)
{
    const log_stream_state *state = find(s, subscription);
    if (state != NULL) {
        vector_swap_remove(&s->list, (uint32_t)(state - s->list.data));
    }
}

carom_status log_streams_note(log_streams *s, const carom_snapshot *snapshot, carom_error *err)
{
    log_stream_state *state = find(s, snapshot->subscription);
    if (state == NULL) {
        const log_stream_state made = {.subscription = snapshot->subscription};
        if (s->list.count == LOG_STREAMS_MAX) {
            vector_swap_remove(&s->list, 0);
        }
        if (!vector_push(&s->list, made)) {
            return fault_memory(err);
        }
        state = &s->list.data[s->list.count - 1];
    }
    state->tick = snapshot->tick;
    if (snapshot->world[0] != '\0') {
        snprintf(state->world, sizeof state->world, "%s", snapshot->world);
    }
    return CAROM_OK;
}

// Writes the map of the ordinary form.
static void spell(buffer *out, uint64_t subscription, const log_record *record)
{
    buffer_clear(out);
    msgpack_packer packer = buffer_packer(out);
    msgpack_pack_map(&packer, 1 + 3 + record->has_hash);
    rpc_pack_text(&packer, "subscription");
    msgpack_pack_uint64(&packer, subscription);
    log_record_encode_pairs(out, record);
}

carom_status log_streams_spell_out(log_streams *s, const uint8_t *data, size_t size,
                                   const buffer **told, carom_error *err)
{
    size_t at = 0;
    uint64_t subscription = 0;
    if (!log_varint_read(data, size, &at, &subscription)) {
        return fault_set(err, CAROM_INTERNAL, "a malformed log: it names no subscription");
    }
    log_stream_state *state = find(s, subscription);
    if (state == NULL) {
        return fault_set(err, CAROM_NOT_FOUND, "no image of subscription %llu has come",
                         (unsigned long long)subscription);
    }
    struct error why;
    log_record record;
    s->rows.size_max = LOG_RECORD_BYTES_MAX;
    s->told.size_max = LOG_RECORD_BYTES_MAX;
    if (log_compact_decode(data + at, size - at, state->tick, state->world, &s->rows, &record,
                           &why) != STATUS_OK) {
        return s->rows.starved ? fault_memory(err)
                               : fault_set(err, CAROM_INTERNAL, "a malformed log: %s", why.text);
    }
    spell(&s->told, subscription, &record);
    if (s->told.overflow) {
        return fault_memory(err);
    }
    state->tick = record.tick;
    *told = &s->told;
    return CAROM_OK;
}
