// See message_quota.h. The world's thread.
#include "server/world/tick/message_quota.h"

#include <inttypes.h>
#include <string.h>

#include "common/base/assert.h"

void message_quota_deinit(message_quota *q)
{
    array_free(&q->senders);
}

static uint32_t commands_of(const command *c, const command **list)
{
    const bool batch = c->method == METHOD_WORLD_APPLY;
    *list = batch ? c->apply.commands : c;
    return batch ? c->apply.count : 1;
}

uint32_t message_count(const command *c)
{
    const command *list = NULL;
    const uint32_t count = commands_of(c, &list);
    uint32_t messages = 0;
    for (uint32_t i = 0; i < count; i++) {
        messages += list[i].method == METHOD_MESSAGE_SEND;
    }
    return messages;
}

// A leave counts nothing: no seat may stay taken because there are many messages.
static uint64_t bytes_of(const command *c, size_t *data)
{
    const message_args *m = &c->message;
    switch (c->method) {
    case METHOD_MESSAGE_SEND:
        *data = m->data_size;
        return MESSAGE_BYTES + strlen(m->name) + m->data_size +
               (m->subject != NULL ? strlen(m->subject) : 0);
    case METHOD_WORLD_JOIN:
        *data = c->join.data_size;
        return MESSAGE_BYTES + c->join.data_size;
    default:
        *data = 0;
        return 0;
    }
}

// The sum of the messages' bytes in *bytes.
static status sum_bytes(const command *c, uint64_t data_most, uint64_t *bytes, error *err)
{
    const command *list = NULL;
    const uint32_t count = commands_of(c, &list);
    *bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        size_t data = 0;
        *bytes += bytes_of(&list[i], &data);
        if (data > data_most) {
            error_set(err, STATUS_LIMIT_EXCEEDED,
                      "data: must have at most %" PRIu64
                      " bytes of MessagePack (message_data_bytes), got %zu",
                      data_most, data);
            if (list != c) {
                error_prefix(err, "commands[%" PRIu32 "] (message.send)", i);
            }
            return STATUS_LIMIT_EXCEEDED;
        }
    }
    return STATUS_OK;
}

// FNV-1a: http://www.isthe.com/chongo/tech/comp/fnv/
static uint64_t key_of(const actor *who, uint64_t session)
{
    uint64_t hash = 14695981039346656037u;
    if (*who->subject == '\0') {
        return session;
    }
    for (const char *text = who->subject; *text != '\0'; text++) {
        hash = (hash ^ (uint8_t)*text) * 1099511628211u;
    }
    return hash;
}

static message_sender *sender_of(message_quota *q, uint64_t key)
{
    for (uint32_t i = 0; i < q->senders.count; i++) {
        if (q->senders.data[i].key == key) {
            return &q->senders.data[i];
        }
    }
    array_push(&q->senders, ((message_sender){key, 0}));
    return &q->senders.data[q->senders.count - 1];
}

static void begin_period(message_quota *q, int64_t now, int64_t period_ns)
{
    if (q->since_ns == 0 || now - q->since_ns >= period_ns) {
        q->since_ns = now;
        q->bytes = 0;
        array_clear(&q->senders);
    }
}

status message_quota_admit(message_quota *q, const limits *most, const actor *who, uint64_t session,
                           const command *c, int64_t now, int64_t period_ns, error *err)
{
    uint64_t bytes = 0;
    status s = sum_bytes(c, most->message_data_bytes, &bytes, err);
    if (s != STATUS_OK || bytes == 0) {
        return s;
    }
    begin_period(q, now, period_ns);
    if (q->bytes + bytes > most->message_bytes_per_tick) {
        return error_set(err, STATUS_LIMIT_EXCEEDED,
                         "message_bytes_per_tick: the world would have %" PRIu64
                         " bytes of messages in this tick; at most %" PRIu64 " are accepted",
                         q->bytes + bytes, most->message_bytes_per_tick);
    }
    if (who->role < ROLE_REFEREE) {
        message_sender *sender = sender_of(q, key_of(who, session));
        const uint64_t others = q->bytes - sender->bytes;
        const uint64_t share = (most->message_bytes_per_tick - others) * most->owner_share / 100;
        if (sender->bytes + bytes > share) {
            return error_set(err, STATUS_LIMIT_EXCEEDED,
                             "owner_share: this subject would have sent %" PRIu64
                             " bytes of messages in this tick; at most %" PRIu64
                             " may be one player's now",
                             sender->bytes + bytes, share);
        }
        sender->bytes += bytes;
    }
    q->bytes += bytes;
    return STATUS_OK;
}
