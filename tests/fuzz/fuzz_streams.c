// A client whose server sends hostile packed snapshots and logs: several subscriptions, whose
// messages are well formed around arbitrary contents, so that the fuzzer reaches the state that the
// client keeps of each. A view is attached to one of them, and every callback reads its arguments.
//
// The input is pieces: a byte (three bits of the kind, two of the subscription), the length of the
// contents (two bytes, low one first), the contents. Kinds are below.
#include <math.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <msgpack.h>

#include <carom/carom.h>

#include "common/base/assert.h"
#include "proto/wire/buffer.h"
#include "tests/fuzz/fuzz.h"

enum { CONTENTS_MAX = 1 << 14, PIECES_MAX = 256, NOTIFICATION = 2 };

enum {
    PIECE_PACKED_FULL,   // a packed snapshot that is complete
    PIECE_PACKED_CHANGE, // one that builds on the one before
    PIECE_LOG_IMAGE,     // a log's first notification: the contents are its image
    PIECE_LOG_COMPACT,   // a record in the compact form
    PIECE_LOG_COMMANDS,  // one in the ordinary form: the contents are its commands
    PIECE_END,           // the subscription ends
    PIECE_SNAPSHOT,      // the contents are the whole map of a snapshot
    PIECE_COUNT
};

typedef struct seen {
    uint64_t sum; // sum of all values read, so that no reading is optimised away
    int snapshots, closed;
} seen;

static void on_snapshot(carom_client *client, const carom_snapshot *snapshot, void *user)
{
    (void)client;
    seen *s = user;
    s->snapshots++;
    s->sum += strlen(snapshot->world);
    for (size_t i = 0; i < snapshot->body_count; i++) {
        const carom_body *b = &snapshot->bodies[i];
        ASSERT(b->id != 0 && isfinite(b->x) && isfinite(b->y) && isfinite(b->angle));
        ASSERT(isfinite(b->vx) && isfinite(b->vy) && isfinite(b->w));
    }
    for (size_t i = 0; i < snapshot->removed_count; i++) {
        ASSERT(snapshot->removed[i] != 0);
    }
    for (size_t i = 0; i < snapshot->encoded_size; i++) {
        s->sum += ((const uint8_t *)snapshot->encoded)[i];
    }
    carom_value *tree = carom_snapshot_value(snapshot);
    s->sum += carom_value_count(tree);
    carom_value_free(tree);
}

static void on_closed(carom_client *client, carom_status code, const char *reason, void *user)
{
    (void)client;
    seen *s = user;
    s->closed++;
    ASSERT(code == CAROM_OK || reason[0] != '\0'); // OK: by carom_free()
}

// ---- messages

static void put_text(msgpack_packer *to, const char *text)
{
    msgpack_pack_str_with_body(to, text, strlen(text));
}

static void put_bytes(msgpack_packer *to, const char *key, const uint8_t *bytes, size_t size)
{
    put_text(to, key);
    msgpack_pack_bin_with_body(to, bytes, size);
}

static void put_number(msgpack_packer *to, const char *key, uint64_t number)
{
    put_text(to, key);
    msgpack_pack_uint64(to, number);
}

static void put_head(msgpack_packer *to, const char *method, size_t keys)
{
    msgpack_pack_array(to, 3);
    msgpack_pack_int(to, NOTIFICATION);
    put_text(to, method);
    msgpack_pack_array(to, 1);
    msgpack_pack_map(to, keys);
}

static void put_full(msgpack_packer *to)
{
    put_text(to, "world");
    put_text(to, "lab");
    put_number(to, "epoch", 1);
    put_text(to, "full");
    msgpack_pack_true(to);
}

// Writes the message of a piece.
static void put_message(buffer *out, unsigned kind, uint8_t subscription, uint64_t tick,
                        const uint8_t *contents, size_t size)
{
    static const uint8_t HASH[8] = {1, 2, 3};
    msgpack_packer to = buffer_packer(out);
    uint8_t numbered[1 + CONTENTS_MAX] = {subscription};
    switch (kind) {
    case PIECE_PACKED_FULL:
        put_head(&to, "snapshot", 8);
        put_number(&to, "subscription", subscription);
        put_full(&to);
        put_number(&to, "tick", tick);
        put_text(&to, "time");
        msgpack_pack_double(&to, (double)tick / 64.0);
        put_bytes(&to, "hash", HASH, sizeof HASH);
        put_bytes(&to, "data", contents, size);
        break;
    case PIECE_PACKED_CHANGE:
        put_head(&to, "snapshot", 3);
        put_number(&to, "subscription", subscription);
        put_number(&to, "last", tick);
        put_bytes(&to, "data", contents, size);
        break;
    case PIECE_LOG_IMAGE:
        put_head(&to, "snapshot", 8);
        put_number(&to, "subscription", subscription);
        put_full(&to);
        put_number(&to, "from", tick);
        put_number(&to, "tick", tick);
        put_text(&to, "commands");
        msgpack_pack_array(&to, 0);
        put_bytes(&to, "image", contents, size);
        break;
    case PIECE_LOG_COMPACT:
        memcpy(numbered + 1, contents, size);
        put_head(&to, "log", 1);
        put_bytes(&to, "data", numbered, size + 1);
        break;
    case PIECE_LOG_COMMANDS:
        put_head(&to, "snapshot", 4);
        put_number(&to, "subscription", subscription);
        put_number(&to, "from", tick);
        put_number(&to, "tick", tick + size);
        put_text(&to, "commands");
        buffer_append(out, contents, size);
        break;
    case PIECE_END:
        put_head(&to, "world_closed", 4);
        put_number(&to, "subscription", subscription);
        put_text(&to, "world");
        put_text(&to, "lab");
        put_text(&to, "code");
        put_text(&to, "unavailable");
        put_text(&to, "reason");
        put_text(&to, "it ended");
        break;
    default:
        put_head(&to, "snapshot", 0);
        out->size--; // the map is in the contents
        buffer_append(out, contents, size);
        break;
    }
}

static void feed(carom_client *client, int fd, const buffer *message)
{
    for (size_t at = 0; at < message->size && carom_client_state(client) == CAROM_OPEN;) {
        const ssize_t sent =
            send(fd, message->data + at, message->size - at, MSG_NOSIGNAL | MSG_DONTWAIT);
        at += sent > 0 ? (size_t)sent : 0;
        carom_poll(client, 0, NULL);
    }
}

static void read_view(carom_view *view)
{
    const carom_view_state state = carom_view_get_state(view);
    (void)carom_view_advance(view, carom_now());
    ASSERT(state.bodies == carom_view_count(view));
    for (size_t i = 0; i < state.bodies; i++) {
        carom_body body;
        ASSERT(carom_view_at_time(view, i, state.time_oldest, &body));
        ASSERT(isfinite(body.x) && isfinite(body.y) && isfinite(body.angle));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    seen s = {0};
    int pair[2];
    ASSERT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0);
    carom_options options = carom_options_default();
    options.hello = false;
    options.handlers = (carom_handlers){.user = &s, .snapshot = on_snapshot, .closed = on_closed};
    carom_client *client = NULL;
    ASSERT(carom_connect_fd(pair[0], 60000, &options, &client, NULL) == CAROM_OK);
    carom_view *view = carom_view_create(NULL);
    ASSERT(carom_view_attach(view, client, 1, NULL) == CAROM_OK);
    buffer message;
    buffer_init(&message, 4 * CONTENTS_MAX);
    uint64_t tick = 100;
    for (size_t at = 0, pieces = 0; at + 2 < size && pieces < PIECES_MAX; pieces++) {
        const unsigned kind = (data[at] & 7u) % PIECE_COUNT;
        const uint8_t subscription = (uint8_t)(1 + (data[at] >> 3 & 3));
        size_t length = (size_t)data[at + 1] | (size_t)data[at + 2] << 8;
        at += 3;
        length = length < size - at ? length : size - at;
        length = length < CONTENTS_MAX ? length : CONTENTS_MAX;
        buffer_clear(&message);
        put_message(&message, kind, subscription, tick++, data + at, length);
        ASSERT(!message.overflow);
        feed(client, pair[1], &message);
        at += length;
    }
    read_view(view);
    carom_free(client);
    read_view(view);
    ASSERT(s.closed == 1);
    carom_view_free(view);
    buffer_deinit(&message);
    close(pair[1]);
    return 0;
}
