// Results about sessions: hello, server.sessions.
#include "proto/encode/encode_pack.h"

#include "proto/wire/buffer.h"

// [{subscription, world} …]
static void pack_subscriptions(packer *k, const subscription_name *all, uint32_t count)
{
    pack_text(k, "subscriptions");
    pack_array(k, count);
    for (uint32_t i = 0; i < count; i++) {
        pack_map(k, 2);
        pair_uint(k, "subscription", all[i].subscription);
        pair_text(k, "world", all[i].world);
    }
}

static void pack_resumed(packer *k, const resumed_result *r)
{
    pack_text(k, "applied");
    pack_map(k, r->applied_count);
    for (uint32_t i = 0; i < r->applied_count; i++) {
        pack_text(k, r->applied[i].world);
        pack_map(k, 2);
        pair_uint(k, "epoch", r->applied[i].epoch);
        pair_uint(k, "last", r->applied[i].id);
    }
    pack_text(k, "pending");
    pack_array(k, r->pending_count);
    for (uint32_t i = 0; i < r->pending_count; i++) {
        pack_uint(k, r->pending[i]);
    }
    pack_subscriptions(k, r->subscriptions, r->subscription_count);
}

void encode_hello_result(struct buffer *out, const hello_result *r)
{
    packer k = buffer_packer(out);
    bool known = r->subject != NULL && *r->subject != '\0';
    pack_map(&k, 9 + (known ? 2u : 0u) + (r->resumed != NULL ? 3u : 0u));
    pair_uint(&k, "protocol", r->protocol);
    pair_text(&k, "server", r->server);
    pair_text(&k, "version", r->version);
    pair_uint(&k, "engine", r->engine);
    pair_uint(&k, "compact", r->compact);
    pair_uint(&k, "session", r->session);
    pair_text(&k, "resume", r->resume);
    pair_text(&k, "role", role_name(r->role));
    if (known) {
        pair_text(&k, "subject", r->subject);
        pair_double(&k, "expires", r->expires);
    }
    pack_text(&k, "limits");
    pack_numbers(&k, r->limits, r->limit_count);
    if (r->resumed != NULL) {
        pack_resumed(&k, r->resumed);
    }
}

void encode_session_info(struct buffer *out, const session_info *i)
{
    packer k = buffer_packer(out);
    pack_map(&k, 16);
    pair_uint(&k, "session", i->session);
    pair_text(&k, "client", i->client);
    pair_text(&k, "address", i->address);
    pair_bool(&k, "connected", i->connected);
    pair_double(&k, "since", i->since);
    pair_double(&k, "idle", i->idle);
    pair_text(&k, "role", role_name(i->role));
    pair_text(&k, "subject", i->subject);
    pack_subscriptions(&k, i->subscriptions, i->subscription_count);
    pair_uint(&k, "in_flight", i->in_flight);
    pair_uint(&k, "received_bytes", i->received_bytes);
    pair_uint(&k, "sent_bytes", i->sent_bytes);
    pair_uint(&k, "queued_bytes", i->queued_bytes);
    pair_double(&k, "lag", i->lag);
    pair_uint(&k, "memory_bytes", i->memory_bytes);
    pair_double(&k, "work", i->work);
}

void encode_sessions_result(struct buffer *out, const struct encoded_list *sessions, uint32_t total)
{
    packer k = buffer_packer(out);
    pack_map(&k, 2);
    pack_text(&k, "sessions");
    pack_array(&k, sessions->count);
    buffer_append(out, sessions->bytes, sessions->size);
    pair_uint(&k, "total", total);
}
