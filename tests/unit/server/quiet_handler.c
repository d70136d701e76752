// See quiet_handler.h.
#include "tests/unit/server/quiet_handler.h"

static void on_received(void *peer, const uint8_t *data, size_t size)
{
    (void)peer, (void)data, (void)size;
}

static void on_peer(void *peer)
{
    (void)peer;
}

static void on_written(void *peer, uint64_t token)
{
    (void)peer, (void)token;
}

static void on_swept(void *peer, uint64_t now_ms)
{
    (void)peer, (void)now_ms;
}

static void on_context(void *context)
{
    (void)context;
}

network_handler quiet_handler(void *context)
{
    return (network_handler){.context = context,
                             .received = on_received,
                             .ended = on_peer,
                             .written = on_written,
                             .flushed = on_context,
                             .swept = on_swept,
                             .stalled = on_peer,
                             .closed = on_peer,
                             .finished = on_context};
}
