// How many bytes of messages (message.send) and joins a world accepts in the time of a tick: in
// all, and of one sender: a share of what others leave, so that the next one finds space. Every
// reader gets the messages with its next snapshot, so a flood of them would make the snapshots of
// others large.
//
// Senders are distinguished by subject, those without one by session. One thread: the world's.
#ifndef CAROM_SERVER_WORLD_TICK_MESSAGE_QUOTA_H
#define CAROM_SERVER_WORLD_TICK_MESSAGE_QUOTA_H

#include <stdint.h>

#include "common/base/array.h"
#include "common/base/status.h"
#include "common/world/command.h"
#include "common/world/owners.h"
#include "server/base/limits.h"

enum { MESSAGE_BYTES = 64 }; // what a message counts for besides its texts and data

typedef struct message_sender {
    uint64_t key; // hash of the subject, or the session's number
    uint64_t bytes;
} message_sender;

typedef struct message_quota {
    int64_t since_ns;              // when the current period began
    uint64_t bytes;                // accepted in it
    ARRAY(message_sender) senders; // who sent some in it; at most a message each
} message_quota;

void message_quota_deinit(message_quota *q);

// Whether the command's messages are accepted; then they count. `period_ns`: the length of a tick.
// Commands without messages cost nothing. Errors: STATUS_LIMIT_EXCEEDED; the text names the limit.
status message_quota_admit(message_quota *q, const limits *most, const actor *who, uint64_t session,
                           const command *c, int64_t now, int64_t period_ns, error *err);

// The messages in a command.
uint32_t message_count(const command *c);

#endif
