// See connected.h.
#include "tests/unit/client/connected.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "client/lib/connection.h"

carom_client *connect_to(fake_server *server, const carom_options *options)
{
    carom_client *client = NULL;
    carom_error why;
    if (carom_connect(NULL, fake_port(server), PATIENCE_MS, options, &client, &why) != CAROM_OK) {
        fail_msg("%s", why.text);
    }
    return client;
}

void poll_until(carom_client *client, const bool *flag)
{
    int64_t deadline = deadline_after_ms(PATIENCE_MS);
    while (!*flag) {
        assert_true(monotonic_ns() < deadline);
        carom_poll(client, 100, NULL);
    }
}
