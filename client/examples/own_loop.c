// libcarom in a caller's event loop: two connections and poll(2). The same works with epoll, libuv
// or a toolkit: wait for the descriptor (for writing only when the client wants it) until the next
// deadline at the latest, then call carom_poll with a timeout of 0.
//
// One connection repeatedly asks for the list of worlds, the other pings; neither blocks.
//
//   cc own_loop.c -o own_loop $(pkg-config --cflags --libs carom) && ./own_loop [host:port
//   [rounds]]
#include <carom/carom.h>

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

enum { CLIENTS = 2, TIMEOUT_MS = 5000 };

typedef struct asker {
    const char *method;
    int left; // rounds left
    int answered;
    bool failed;
} asker;

static void ask(carom_client *client, asker *a);

static void answered(carom_client *client, uint64_t request, const carom_value *result,
                     const carom_error *error, void *user)
{
    (void)request;
    (void)result;
    asker *a = user;
    if (error != NULL) {
        fprintf(stderr, "%s: %s\n", a->method, error->text);
        a->failed = true;
        a->left = 0;
        return;
    }
    a->answered++;
    a->left--;
    ask(client, a);
}

static void ask(carom_client *client, asker *a)
{
    carom_error error;
    if (a->left > 0 &&
        carom_request(client, a->method, NULL, TIMEOUT_MS, answered, a, NULL, &error) != CAROM_OK) {
        fprintf(stderr, "%s: %s\n", a->method, error.text);
        a->failed = true;
        a->left = 0;
    }
}

// One turn of the loop.
static void turn(carom_client *const clients[CLIENTS])
{
    struct pollfd ready[CLIENTS];
    int timeout = -1;
    for (int i = 0; i < CLIENTS; i++) {
        ready[i] = (struct pollfd){.fd = carom_fd(clients[i]), .events = POLLIN};
        if (carom_wants_write(clients[i])) {
            ready[i].events |= POLLOUT;
        }
        int own = carom_timeout_ms(clients[i]);
        if (own >= 0 && (timeout < 0 || own < timeout)) {
            timeout = own;
        }
    }
    poll(ready, CLIENTS, timeout);
    for (int i = 0; i < CLIENTS; i++) {
        carom_poll(clients[i], 0, NULL);
    }
}

int main(int argc, char **argv)
{
    int rounds = argc > 2 ? atoi(argv[2]) : 100;
    asker askers[CLIENTS] = {{.method = "world.list", .left = rounds},
                             {.method = "ping", .left = rounds}};
    carom_client *clients[CLIENTS] = {NULL, NULL};
    char host[64];
    uint16_t port;
    carom_error error;
    if (argc > 3 || (argc > 1 && argv[1][0] == '-') || rounds <= 0) {
        fputs("usage: own_loop [host:port [rounds]]\n", stderr);
        return 2;
    }
    if (carom_address_parse(argc > 1 ? argv[1] : "", host, sizeof host, &port, &error) !=
        CAROM_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    for (int i = 0; i < CLIENTS; i++) {
        if (carom_connect_start(host, port, TIMEOUT_MS, NULL, &clients[i], &error) != CAROM_OK) {
            fprintf(stderr, "%s\n", error.text);
            carom_free(clients[0]);
            return 1;
        }
    }
    for (int i = 0; i < CLIENTS; i++) {
        ask(clients[i], &askers[i]);
    }
    while (askers[0].left > 0 || askers[1].left > 0) {
        turn(clients);
    }
    for (int i = 0; i < CLIENTS; i++) {
        printf("%s: %d answers\n", askers[i].method, askers[i].answered);
        carom_free(clients[i]);
    }
    return askers[0].failed || askers[1].failed;
}
