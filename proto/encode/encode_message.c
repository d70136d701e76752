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
