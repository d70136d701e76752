// The streams in a list that is searched from its start: a client has a few. See packed_streams.h.
#include "client/lib/packed_streams.h"

#include <stdlib.h>
#include <string.h>

static void free_state(packed_stream_state *state)
{
    packed_decoder_destroy(state->decoder);
    free(state->world);
}

void packed_streams_deinit(packed_streams *s)
{
    for (uint32_t i = 0; i < s->list.count; i++) {
        free_state(&s->list.data[i]);
    }
    vector_free(&s->list);
}

static packed_stream_state *find(packed_streams *s, uint64_t subscription)
{
    for (uint32_t i = 0; i < s->list.count; i++) {
        if (s->list.data[i].subscription == subscription) {
            return &s->list.data[i];
        }
    }
    return NULL;
}

static void remove_state(packed_streams *s, packed_stream_state *state)
{
    s->bytes -= packed_decoder_bytes(state->decoder);
    free_state(state);
    vector_swap_remove(&s->list, (uint32_t)(state - s->list.data));
}

void packed_streams_forget(packed_streams *s, uint64_t subscription)
{
    packed_stream_state *state = find(s, subscription);
    if (state != NULL) {
        remove_state(s, state);
    }
}

static void make_room(packed_streams *s)
{
    if (s->list.count < PACKED_STREAMS_MAX) {
        return;
    }
    packed_stream_state *oldest = s->list.data;
    for (uint32_t i = 1; i < s->list.count; i++) {
        oldest = s->list.data[i].used < oldest->used ? &s->list.data[i] : oldest;
    }
    remove_state(s, oldest);
}

static packed_stream_state *add(packed_streams *s, uint64_t subscription)
{
    make_room(s);
    packed_stream_state state = {.subscription = subscription, .decoder = packed_decoder_create()};
    if (state.decoder == NULL || !vector_push(&s->list, state)) {
        packed_decoder_destroy(state.decoder);
        return NULL;
    }
    s->bytes += packed_decoder_bytes(state.decoder);
    return &s->list.data[s->list.count - 1];
}

// A full snapshot's name is kept for the changes after it.
static carom_status keep_world(packed_stream_state *state, const char *world, uint64_t epoch,
                               carom_error *err)
{
    const size_t size = strlen(world) + 1;
    char *copy = malloc(size);
    if (copy == NULL) {
        return fault_memory(err);
    }
    memcpy(copy, world, size);
    free(state->world);
    state->world = copy;
    state->epoch = epoch;
    return CAROM_OK;
}

// Decodes within the memory that the other streams leave.
static status decode(packed_streams *s, packed_decoder *d, const uint8_t *data, size_t size,
                     packed_changes *out, error *err)
{
    const uint64_t most = s->bytes_most > 0 ? s->bytes_most : PACKED_STREAMS_BYTES_MAX;
    const uint64_t others = s->bytes - packed_decoder_bytes(d);
    packed_decoder_bound(d, others < most ? (most - others) / PACKED_DECODER_BODY_BYTES : 0);
    const status outcome = packed_decode(d, data, size, out, err);
    s->bytes = others + packed_decoder_bytes(d);
    return outcome;
}

carom_status packed_streams_decode(packed_streams *s, uint64_t subscription, const uint8_t *data,
                                   size_t size, const char **world, uint64_t *epoch,
                                   packed_changes *out, carom_error *err)
{
    packed_stream_state *state = find(s, subscription);
    state = state != NULL ? state : add(s, subscription);
    if (state == NULL) {
        return fault_memory(err);
    }
    state->used = ++s->uses;
    struct error why;
    const status outcome = decode(s, state->decoder, data, size, out, &why);
    if (outcome == STATUS_INTERNAL) {
        return fault_memory(err);
    }
    if (outcome == STATUS_LIMIT_EXCEEDED) {
        return fault_set(err, CAROM_LIMIT_EXCEEDED,
                         "a snapshot of subscription %llu: %s; end other packed subscriptions, or "
                         "ask for smaller areas",
                         (unsigned long long)subscription, why.text);
    }
    if (outcome != STATUS_OK) {
        return fault_set(err, CAROM_INTERNAL, "a malformed snapshot: %s", why.text);
    }
    if (out->full) {
        const carom_status kept = keep_world(state, *world, *epoch, err);
        if (kept != CAROM_OK) {
            return kept;
        }
    }
    *world = state->world;
    *epoch = state->epoch;
    return CAROM_OK;
}
