// Events that commands make; see encode.h. Any thread.
#include "common/world/event_kinds.h"
#include "proto/encode/encode_pack.h"
#include "proto/wire/buffer.h"

void encode_message_event(struct buffer *out, uint64_t tick, uint64_t session,
                          const message_args *message)
{
    const bool has_subject = message->subject != NULL && *message->subject != '\0';
    packer k = buffer_packer(out);
    pack_map(&k, 4U + (message->data != NULL) + has_subject);
    pair_text(&k, "kind", event_kind_name(EVENT_MESSAGE));
    pair_uint(&k, "tick", tick);
    pair_text(&k, "name", message->name);
    if (message->data != NULL) {
        pack_text(&k, "data");
        buffer_append(out, message->data, message->data_size);
    }
    pair_uint(&k, "session", session);
    if (has_subject) {
        pair_text(&k, "subject", message->subject);
    }
}

static void pack_seat(packer *k, uint32_t kind, uint64_t tick, uint64_t seat, uint64_t session)
{
    pair_text(k, "kind", event_kind_name(kind));
    pair_uint(k, "tick", tick);
    pair_uint(k, "seat", seat);
    pair_uint(k, "session", session);
}

void encode_join_event(struct buffer *out, uint64_t tick, const world_join_args *join)
{
    packer k = buffer_packer(out);
    pack_map(&k, 4u + has_text(join->subject) + (join->data != NULL));
    pack_seat(&k, EVENT_JOIN, tick, (uint64_t)join->seat, join->session);
    if (has_text(join->subject)) {
        pair_text(&k, "subject", join->subject);
    }
    if (join->data != NULL) {
        pack_text(&k, "data");
        buffer_append(out, join->data, join->data_size);
    }
}

void encode_leave_event(struct buffer *out, uint64_t tick, const world_leave_args *leave)
{
    packer k = buffer_packer(out);
    pack_map(&k, 4u + has_text(leave->subject));
    pack_seat(&k, EVENT_LEAVE, tick, (uint64_t)leave->seat, leave->session);
    if (has_text(leave->subject)) {
        pair_text(&k, "subject", leave->subject);
    }
}
