// world.move, and the worlds of a server that shuts down; see moving.h. Network thread only.
#include "server/session/placement/moving.h"

#include <stdlib.h>

#include "common/base/assert.h"
#include "common/base/log.h"
#include "proto/encode/encode.h"
#include "proto/limits.h"
#include "server/base/audit.h"
#include "server/session/calls/replies.h"
#include "server/session/pair/pairs.h"
#include "server/session/placement/worlds.h"
#include "server/session/service.h"

// ---- world.move

typedef struct asked_move {
    server *server;
    request *request; // owned
} asked_move;

static void on_asked_moved(void *context, const error *err, const char *node, int64_t term)
{
    asked_move *m = context;
    request *r = m->request;
    reply *answer = NULL;
    if (err != NULL) {
        answer = reply_create_refusal(r, err->status, err->text);
    } else {
        buffer out;
        size_t size = 0;
        buffer_init(&out, WIRE_REPLY_BYTES_MAX);
        encode_world_move_result(&out,
                                 &(world_move_result){r->command.world, node, (uint64_t)term});
        uint8_t *data = buffer_take(&out, &size);
        answer = reply_create(REPLY_RESULT, r->world);
        answer->method = r->command.method;
        answer->reply_to = r->reply_to;
        answer->received_ns = r->received_ns;
        answer->payload = bytes_take(data, size);
    }
    server *s = m->server;
    request_free(r);
    free(m);
    replies_answer(s, answer);
    reply_free(answer);
}

status moving_begin(server *s, const call *c, command *cmd, error *err)
{
    world_entry *entry = directory_find(&s->worlds, cmd->world);
    if (entry == NULL) {
        return worlds_absent(s, c->session, cmd->world, err);
    }
    if (s->options->fleet == NULL) {
        return error_set(err, STATUS_UNAVAILABLE,
                         "this server is alone: caromd --fleet makes it one of several");
    }
    request *r = worlds_request(c, entry, cmd);
    status result = worlds_check_capacity(s, entry, r, err);
    asked_move *m = calloc(1, sizeof *m);
    ASSERT_MEMORY(m != NULL);
    *m = (asked_move){s, r};
    if (result == STATUS_OK) {
        const char *to = r->command.move.to;
        result =
            pairs_move(s, entry, *to != '\0' ? to : NULL, PAIRS_MOVE_MS, on_asked_moved, m, err);
    }
    if (result != STATUS_OK) {
        request_free(r);
        free(m);
        return result;
    }
    audit_event("world '%s' is to move", entry->name);
    worlds_count_in(s, entry, r);
    return STATUS_OK;
}

// ---- all worlds

static void on_sent_away(void *context, const error *err, const char *node, int64_t term)
{
    server *s = context;
    (void)err, (void)node, (void)term; // logged already
    ASSERT(s->moving.under_way > 0);
    s->moving.under_way--;
}

// Begins to move a world. True: it is to be looked at again.
static bool send_away(server *s, world_entry *entry, uint64_t bound_ms)
{
    error err;
    if (pairs_is_moving(s, entry)) {
        return true;
    }
    if (!entry->logged || entry->moves >= MOVING_TRIES_MAX) {
        return false;
    }
    entry->moves++;
    if (pairs_move(s, entry, NULL, bound_ms, on_sent_away, s, &err) == STATUS_OK) {
        s->moving.under_way++;
    } else if (entry->moves == MOVING_TRIES_MAX) {
        log_warn("world '%s' ends with this server: %s", entry->name, err.text);
        return false;
    }
    return true;
}

bool moving_away(server *s)
{
    const uint64_t now_ms = uv_now(s->loop);
    bool left = false;
    if (now_ms >= s->moving.end_ms) {
        return false;
    }
    for (uint32_t i = s->worlds.by_name.count; i > 0 && s->moving.under_way < MOVING_AT_ONCE_MAX;
         i--) {
        left = send_away(s, s->worlds.by_name.data[i - 1], s->moving.end_ms - now_ms) || left;
    }
    return left || s->moving.under_way > 0;
}
