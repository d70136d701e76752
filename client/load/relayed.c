// See relayed.h.
#include "client/load/relayed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

static void *run(void *user)
{
    relayed *r = user;
    while (!atomic_load_explicit(&r->ending, memory_order_acquire)) {
        if (!relay_run(r->relay, (double)INFINITY, r->wake, r->error)) {
            break;
        }
    }
    return NULL;
}

static cli_exit start(relayed *r)
{
    r->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    r->started = r->wake >= 0 && pthread_create(&r->thread, NULL, run, r) == 0;
    if (!r->started) {
        cli_error("internal", "cannot start the thread of the relay");
        return CLI_REFUSED;
    }
    return CLI_OK;
}

cli_exit relayed_open(relayed *r, const distance_options *options, const char *host,
                      uint16_t server_port, uint16_t *port)
{
    char server[RELAY_ADDRESS_MAX], bound[RELAY_ADDRESS_MAX];
    bool six = strchr(host, ':') != NULL && host[0] != '[';
    (void)snprintf(server, sizeof server, six ? "[%s]:%u" : "%s:%u", host, (unsigned)server_port);
    *r = (relayed){.wake = -1};
    r->relay = relay_create(options, NULL);
    if (r->relay == NULL) {
        return cli_out_of_memory();
    }
    if (!relay_add_route(r->relay, "127.0.0.1:0", server, bound, r->error)) {
        cli_error("unavailable", "--relay: %s", r->error);
        return CLI_LOST;
    }
    *port = (uint16_t)strtoul(strrchr(bound, ':') + 1, NULL, 10);
    return start(r);
}

relay_counts relayed_end(relayed *r)
{
    if (r->started) {
        atomic_store_explicit(&r->ending, true, memory_order_release);
        (void)eventfd_write(r->wake, 1);
        (void)pthread_join(r->thread, NULL);
        r->started = false;
        if (r->error[0] != '\0') {
            cli_error("limit_exceeded", "the relay ended: %s", r->error);
        }
    }
    return r->relay != NULL ? relay_counted(r->relay) : (relay_counts){0};
}

void relayed_close(relayed *r)
{
    if (r->relay == NULL) {
        return;
    }
    (void)relayed_end(r);
    relay_destroy(r->relay);
    if (r->wake >= 0) {
        (void)close(r->wake);
    }
    *r = (relayed){0};
}
