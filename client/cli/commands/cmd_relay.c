// relay: passes bytes between clients and a server, with the delays of a long distance. Main thread
// only.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/commands.h"
#include "client/tool/terminal.h"
#include "client/tool/relay/distance_options.h"
#include "client/tool/relay/relay.h"
#include "common/args/text.h"

static const char *option_value(const void *context, const char *name)
{
    return args_text(context, name, NULL);
}

static cli_exit read_options(const cli *c, distance_options *out)
{
    char error[DISTANCE_ERROR_MAX];
    if (!distance_options_read(out, option_value, &c->args, "--", error)) {
        return cli_usage(c, "%s", error);
    }
    return CLI_OK;
}

static cli_exit add_route(const cli *c, relay *r, const char *option, const char *listen,
                          const char *server, char bound[RELAY_ADDRESS_MAX])
{
    char error[RELAY_ERROR_MAX];
    if (relay_add_route(r, listen, server, bound, error)) {
        return CLI_OK;
    }
    return cli_usage(c, "%s: %s", option, error);
}

// Prints the relay's addresses on one line: programs that start it read them there.
static cli_exit show_routes(const cli *c, const distance_options *o, const char *rpc,
                            const char *http, const char *server)
{
    if (c->json) {
        carom_value *told = carom_set(carom_map(), "listen", carom_str(rpc));
        carom_set(told, "http", http != NULL ? carom_str(http) : carom_nil());
        carom_set(told, "server", carom_str(server));
        carom_set(told, "seed", carom_uint(o->seed));
        cli_exit code = cli_print_json(told);
        carom_value_free(told);
        (void)fflush(stdout);
        return code;
    }
    char text[DISTANCE_ERROR_MAX];
    distance_options_describe(o, text, sizeof text);
    (void)printf("%s is %s, %s\n", rpc, server, text);
    if (http != NULL) {
        (void)printf("%s is its HTTP and WebSocket: http://%s/\n", http, http);
    }
    (void)fflush(stdout);
    return CLI_OK;
}

static cli_exit show_counts(const cli *c, const relay *r)
{
    relay_counts counts = relay_counted(r);
    if (c->json) {
        carom_value *told = carom_set(carom_map(), "connections", carom_uint(counts.connections));
        carom_set(told, "failed", carom_uint(counts.failed));
        carom_set(told, "bytes_to_server", carom_uint(counts.bytes_to_server));
        carom_set(told, "bytes_to_clients", carom_uint(counts.bytes_to_clients));
        carom_set(told, "stalls", carom_uint(counts.stalls));
        cli_exit code = cli_print_json(told);
        carom_value_free(told);
        return code;
    }
    (void)printf("%llu %s, %" PRIu64 " bytes to the server, %" PRIu64 " to clients, %llu %s\n",
                 TEXT_COUNTED(counts.connections, "connection", "connections"),
                 counts.bytes_to_server, counts.bytes_to_clients,
                 TEXT_COUNTED(counts.stalls, "stall", "stalls"));
    return CLI_OK;
}

static cli_exit run_until_ended(const cli *c, relay *r, const char *server)
{
    double end = cli_now() + args_seconds(&c->args, "for", (double)INFINITY);
    uint64_t failed = 0;
    char error[RELAY_ERROR_MAX];
    while (terminal_interrupted() == 0 && cli_now() < end) {
        if (!relay_run(r, end, terminal_wake(), error)) {
            cli_error("unavailable", "%s", error);
            return CLI_REFUSED;
        }
        uint64_t now = relay_counted(r).failed;
        if (now > failed) {
            cli_note(c, "the server at %s takes no connections", server);
        }
        failed = now;
    }
    return show_counts(c, r);
}

static cli_exit work(const cli *c, relay *r, const distance_options *options)
{
    char host[256], server[RELAY_ADDRESS_MAX], rpc[RELAY_ADDRESS_MAX], web[RELAY_ADDRESS_MAX];
    uint16_t port = 0;
    carom_tls tls;
    const char *http = args_text(&c->args, "http", NULL);
    cli_exit code = cli_find(c, host, sizeof host, &port, &tls);
    if (code == CLI_OK) {
        bool six = strchr(host, ':') != NULL && host[0] != '[';
        (void)snprintf(server, sizeof server, six ? "[%s]:%u" : "%s:%u", host, (unsigned)port);
        code = add_route(c, r, "--listen", args_text(&c->args, "listen", "127.0.0.1:22776"), server,
                         rpc);
    }
    if (code == CLI_OK && http != NULL) {
        code = add_route(c, r, "--http", args_text(&c->args, "http-listen", "127.0.0.1:22777"),
                         http, web);
    }
    if (code == CLI_OK && !terminal_catch_signals()) {
        code = cli_out_of_memory();
    }
    code = code == CLI_OK ? show_routes(c, options, rpc, http != NULL ? web : NULL, server) : code;
    return code == CLI_OK ? run_until_ended(c, r, server) : code;
}

static cli_exit run_relay(cli *c)
{
    distance_options options;
    cli_exit code = read_options(c, &options);
    if (code != CLI_OK) {
        return code;
    }
    relay *r = relay_create(&options, NULL);
    code = r != NULL ? work(c, r, &options) : cli_out_of_memory();
    relay_destroy(r);
    return code;
}

const cli_command command_relay = {
    .name = "relay",
    .group = "Server",
    .summary = "put delay, jitter and lost segments between clients and a server",
    .options =
        (const args_option[]){
            {"delay", 0, ARGS_SECONDS, "TIME", "in each direction (default 0)", NULL},
            {"jitter", 0, ARGS_SECONDS, "TIME", "delays vary by up to this much (default 0)", NULL},
            {"stall", 0, ARGS_TEXT, "SHARE", "share of lost segments, such as 1% (default 0)",
             NULL},
            {"stall-time", 0, ARGS_SECONDS, "TIME",
             "how long a lost segment holds back all behind it (default: a round trip and 10ms)",
             NULL},
            {"seed", 0, ARGS_WHOLE, "N", "of jitter and stalls (default 1)", NULL},
            {"listen", 0, ARGS_TEXT, "HOST:PORT", "for clients (default 127.0.0.1:22776)", NULL},
            {"http", 0, ARGS_TEXT, "HOST:PORT", "of the server's HTTP, to be relayed as well",
             NULL},
            {"http-listen", 0, ARGS_TEXT, "HOST:PORT", "for browsers (default 127.0.0.1:22777)",
             NULL},
            {"for", 0, ARGS_SECONDS, "TIME", "end after that time (default: until ctrl-C)", NULL},
            {0}},
    .details = "Clients connect to the relay instead of the server. Bytes are passed as they are "
               "and arrive in\n"
               "order, as over TCP: a segment that is lost (1448 bytes) holds back everything "
               "behind it. The same\n"
               "seed and the same order of connections give the same draws. 'carom bench --relay' "
               "contains such a\n"
               "relay.",
    .examples = "  carom relay --delay 50ms --jitter 10ms --stall 1%\n"
                "  carom --server 127.0.0.1:22776 ping\n"
                "  carom relay --delay 50ms --http 127.0.0.1:22767    # http://127.0.0.1:22777/ is "
                "the viewer",
    .run = run_relay,
};
