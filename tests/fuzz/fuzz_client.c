// A client whose server sends arbitrary bytes. The first byte selects how the stream is split; the
// rest is the stream. A view is attached, two requests wait, and every callback reads its
// arguments: afterwards the client must be open, or closed with a reason.
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <carom/carom.h>
#include <carom/json.h>

#include "common/base/assert.h"
#include "tests/fuzz/fuzz.h"

enum { STREAM_BYTES_MAX = 1 << 16, TIMEOUT_MS = 60000 };

typedef struct seen {
    int responses, closed;
    uint64_t sum; // sum of all values read, so that no reading is optimised away
} seen;

static void read_text(seen *s, const char *text)
{
    for (; *text != '\0'; text++) {
        s->sum += (unsigned char)*text;
    }
}

static void on_snapshot(carom_client *client, const carom_snapshot *snapshot, void *user)
{
    (void)client;
    seen *s = user;
    read_text(s, snapshot->world);
    for (size_t i = 0; i < snapshot->body_count; i++) {
        const carom_body *b = &snapshot->bodies[i];
        ASSERT(b->id != 0 && b->x - b->x == 0.0 && b->angle - b->angle == 0.0);
    }
    for (size_t i = 0; i < snapshot->removed_count; i++) {
        ASSERT(snapshot->removed[i] != 0);
    }
    carom_value *tree = carom_snapshot_value(snapshot);
    s->sum += carom_value_count(tree);
    carom_value_free(tree);
}

static void on_event(carom_client *client, const carom_snapshot *snapshot, const carom_event *event,
                     void *user)
{
    (void)client;
    (void)snapshot;
    read_text(user, event->name);
}

static void on_notification(carom_client *client, const char *method, const carom_value *params,
                            void *user)
{
    (void)client;
    read_text(user, method);
    ASSERT(carom_value_type(params) == CAROM_MAP);
    char *text = carom_json_print(params, false, NULL);
    ASSERT(text != NULL); // every decoded value can be printed
    carom_free_text(text);
}

static void on_closed(carom_client *client, carom_status code, const char *reason, void *user)
{
    (void)client;
    (void)code;
    seen *s = user;
    s->closed++;
    read_text(s, reason);
}

static void on_response(carom_client *client, uint64_t request, const carom_value *result,
                        const carom_error *error, void *user)
{
    (void)client;
    seen *s = user;
    ASSERT(request == 1 || request == 2);
    ASSERT((result == NULL) != (error == NULL));
    s->responses++;
}

static void read_view(carom_view *view, seen *s)
{
    carom_view_state state = carom_view_get_state(view);
    (void)carom_view_advance(view, carom_now());
    carom_drawn drawn[4];
    ASSERT(carom_view_drawn(view, drawn, 4) <= state.bodies + carom_view_get_playback(view).gone);
    ASSERT(state.bodies == carom_view_count(view));
    ASSERT(state.ready || state.bodies == 0);
    for (size_t i = 0; i < state.bodies; i++) {
        carom_body body;
        ASSERT(carom_view_at_time(view, i, state.time_oldest, &body));
        ASSERT(carom_view_find(view, body.id) == carom_view_body(view, i));
    }
    s->sum += state.tick;
}

// Feeds the stream in pieces and polls after each, until all is read or the client closes.
static void feed(carom_client *client, int fd, const uint8_t *data, size_t size, size_t piece)
{
    while (size > 0 && carom_client_state(client) == CAROM_OPEN) {
        size_t now = size < piece ? size : piece;
        ssize_t sent = send(fd, data, now, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent > 0) {
            data += sent;
            size -= (size_t)sent;
        }
        carom_poll(client, 0, NULL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || size > STREAM_BYTES_MAX) {
        return 0;
    }
    seen s = {0};
    int pair[2];
    ASSERT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0);
    carom_options options = carom_options_default();
    options.hello = false;
    options.handlers = (carom_handlers){.user = &s,
                                        .snapshot = on_snapshot,
                                        .event = on_event,
                                        .notification = on_notification,
                                        .closed = on_closed};
    carom_client *client = NULL;
    ASSERT(carom_connect_fd(pair[0], TIMEOUT_MS, &options, &client, NULL) == CAROM_OK);
    carom_view_options view_options = {
        .history = 3, .events_max = 8, .interpolation = (carom_interpolation)(data[0] % 3)};
    carom_view *view = carom_view_create(&view_options);
    ASSERT(carom_view_attach(view, client, 1, NULL) == CAROM_OK);
    for (int i = 0; i < 2; i++) {
        carom_request(client, "ping", NULL, TIMEOUT_MS, on_response, &s, NULL, NULL);
    }
    size_t piece = data[0] == 0 ? size : data[0];
    feed(client, pair[1], data + 1, size - 1, piece);
    read_view(view, &s);
    carom_free(client);
    read_view(view, &s);
    ASSERT(s.responses == 2 && s.closed == 1);
    carom_event event;
    while (carom_view_next_event(view, &event)) {
        read_text(&s, event.name);
    }
    carom_view_free(view);
    close(pair[1]);
    return 0;
}
