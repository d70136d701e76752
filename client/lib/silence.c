// See silence.h.
#include "client/lib/silence.h"

#include "client/lib/client.h"
#include "client/lib/clock.h"

enum { SILENCE_MS = 10000 };

static int64_t silence_ms(const carom_client *c)
{
    const int chosen = c->options.reconnect.silence_ms;
    return chosen > 0 ? chosen : SILENCE_MS;
}

static int64_t half_ns(const carom_client *c)
{
    return silence_ms(c) * 500000;
}

static bool is_watched(const carom_client *c)
{
    return c->options.reconnect.on && c->state == CAROM_OPEN && c->wire.phase == CONNECTION_UP;
}

static void on_pong(carom_client *client, uint64_t request, const carom_value *result,
                    const carom_error *err, void *user)
{
    (void)client, (void)request, (void)result, (void)err, (void)user;
}

void silence_advance(carom_client *c)
{
    silence *s = &c->silence;
    const int64_t now = monotonic_ns();
    if (!is_watched(c)) {
        s->heard_ns = 0;
        return;
    }
    if (s->heard_ns == 0 || c->wire.bytes_in != s->bytes) {
        *s = (silence){.bytes = c->wire.bytes_in, .heard_ns = now};
        return;
    }
    if (s->asked_ns == 0 && now - s->heard_ns >= half_ns(c)) {
        // A full table of requests leaves the question out; the time still runs.
        (void)client_request_here(c, "ping", NULL, (int)silence_ms(c), on_pong, NULL, NULL, NULL);
        s->asked_ns = now;
    } else if (s->asked_ns != 0 && now - s->asked_ns >= half_ns(c)) {
        connection_shut(&c->wire, CAROM_UNAVAILABLE, "the server said nothing for %d ms",
                        (int)silence_ms(c));
    }
}

int64_t silence_deadline(const carom_client *c)
{
    const silence *s = &c->silence;
    if (!is_watched(c) || s->heard_ns == 0) {
        return INT64_MAX;
    }
    return (s->asked_ns != 0 ? s->asked_ns : s->heard_ns) + half_ns(c);
}
