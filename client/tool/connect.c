// Connects, and recognises a server that is not caromd; see cli.h.
//
// A port may be taken by another program. A foreign answer is recognised by its first bytes. A
// program that accepts the connection and stays silent (an HTTP server waits for the end of a line)
// gets HELLO_PATIENCE_S after the hello was sent, which caromd answers at once from its network
// thread; only with a timeout that was chosen (--timeout, CAROM_TIMEOUT, a profile) it waits
// longer. Main thread only.
#include "client/tool/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/tool/credentials.h"
#include "client/tool/profile.h"

enum {
    HOST_MAX = 256,
    POLL_MS = 100,
    GIVE_UP_MS = 15000, // time without a connection: a restart with large worlds takes seconds
    SILENCE_MS = 3000   // a server silent for this time counts as lost: a person waits
};

#define HELLO_PATIENCE_S 3.0 // shorter than a call's timeout, which allows caromd more time

typedef struct address {
    char host[HOST_MAX];
    uint16_t port;
    bool tls;
} address;

static bool is_local(const char *host)
{
    return strncmp(host, "127.", 4) == 0 || strcmp(host, "localhost") == 0 ||
           strcmp(host, "::1") == 0;
}

static void hint_other_address(void)
{
    cli_hint("another address: --server HOST:PORT, or CAROM_SERVER in the environment");
}

// The address as options take it: an IPv6 host in brackets.
static void hint_address(const char *text, const address *at, const char *then)
{
    const bool six = strchr(at->host, ':') != NULL;
    cli_hint("%s %s%s%s:%d%s", text, six ? "[" : "", at->host, six ? "]" : "", at->port, then);
}

// `text` is the error's. It names TLS where a program accepted the connection and its answer was
// not understood.
static void hint_unreachable(const address *at, const char *text)
{
    if (strstr(text, "cannot find the host") != NULL) {
        cli_hint("is the name right, and does this machine know it?");
    } else if (at->tls && strstr(text, "TLS") != NULL) {
        hint_address("does that port speak TLS? without, the address is", at, "");
    } else if (is_local(at->host)) {
        hint_address("no server there? start one: caromd --listen", at, " --world demo:demo");
    } else {
        cli_hint("is a server running there, and is the port open to you?");
    }
    hint_other_address();
}

// Whether the answer to hello has taken too long.
static bool is_out_of_patience(const cli *c, const carom_client *client, double *sent)
{
    carom_traffic traffic = carom_client_traffic(client);
    double now = cli_now();
    if (traffic.bytes_out == 0) {
        return false;
    }
    *sent = *sent > 0.0 ? *sent : now;
    return profile_setting(c, "timeout") == NULL && now - *sent > HELLO_PATIENCE_S;
}

// Reports that a program other than caromd accepted the connection.
static cli_exit tell_stranger(const cli *c, const char *how)
{
    cli_error("unavailable", "something answers at %s, but no caromd: %s", c->server, how);
    cli_hint(
        "pages (http://, port 22767) and carom (port 22766) have ports of their own; caromd names "
        "both when it starts");
    hint_other_address();
    return CLI_LOST;
}

// Reports that a program accepted the connection but sent nothing. `end`: how the connection ended,
// or NULL if it is there.
static cli_exit tell_silent(const cli *c, const char *end)
{
    char how[CAROM_ERROR_TEXT_MAX + 64];
    (void)snprintf(how, sizeof how, "it took the connection and did not answer hello%s%s",
                   end != NULL ? ": " : "", end != NULL ? end : "");
    cli_exit code = tell_stranger(c, how);
    cli_hint("a caromd with --proxy-from takes nothing from its proxy's address but what comes "
             "through the proxy");
    return code;
}

static cli_exit tell_failure(const cli *c, const address *at, const carom_client *client,
                             const carom_error *error)
{
    carom_traffic traffic = carom_client_traffic(client);
    bool strange = error->status == CAROM_INTERNAL || error->status == CAROM_INVALID_ARGUMENT ||
                   error->status == CAROM_UNKNOWN_METHOD;
    if (traffic.bytes_in > 0 && (traffic.messages_in == 0 || strange)) {
        return tell_stranger(c, error->text);
    }
    if (traffic.bytes_in == 0 && traffic.bytes_out > 0) {
        return tell_silent(c, error->text);
    }
    if (error->status == CAROM_UNAVAILABLE && !error->from_server) {
        cli_error("unavailable", "%s", error->text);
        hint_unreachable(at, error->text);
        return CLI_LOST;
    }
    carom_error told = *error;
    // The server refused hello: its error ended the connection.
    told.from_server = told.from_server || (told.status == CAROM_UNAUTHENTICATED &&
                                            strncmp(told.text, "token: ", strlen("token: ")) == 0);
    cli_exit code = cli_fail(c, &told);
    if (strstr(error->text, "certificate is not accepted") != NULL) {
        cli_hint(
            "--ca FILE trusts an authority of your own; --tls-name NAME is for a server that is "
            "reached by another name than its certificate's");
    }
    return code;
}

// Waits for the answer to hello.
static cli_exit wait_until_open(const cli *c, const address *at, carom_client *client)
{
    double sent = 0.0;
    carom_error error = {0};
    while (carom_client_state(client) == CAROM_CONNECTING) {
        carom_status status = carom_poll(client, POLL_MS, &error);
        if (status != CAROM_OK) {
            error.status = error.status == CAROM_OK ? status : error.status;
            return tell_failure(c, at, client, &error);
        }
        if (carom_client_state(client) == CAROM_CONNECTING &&
            is_out_of_patience(c, client, &sent)) {
            return tell_silent(c, NULL);
        }
    }
    if (strcmp(carom_get_str(carom_hello(client), "server", "caromd"), "caromd") != 0) {
        return tell_stranger(c, "its answer to hello names another server");
    }
    return CLI_OK;
}

cli_exit cli_find(const cli *c, char *host, size_t host_size, uint16_t *port, carom_tls *tls)
{
    carom_error error = {0};
    tls->ca_file = profile_setting(c, "ca");
    tls->name = profile_setting(c, "tls-name");
    if (carom_url_parse(c->server, host, host_size, port, &tls->on, &error) != CAROM_OK) {
        return cli_usage(c, "--server: %s", error.text);
    }
    if (!tls->on && (args_has(&c->args, "ca") || args_has(&c->args, "tls-name"))) {
        return cli_usage(c, "--%s: needs TLS, which caroms:// before the address asks for",
                         args_has(&c->args, "ca") ? "ca" : "tls-name");
    }
    return CLI_OK;
}

cli_exit cli_open(const cli *c, const carom_options *options, carom_client **out)
{
    address to = {.port = 0};
    const address *at = &to;
    carom_error error = {0};
    carom_options chosen = options != NULL ? *options : carom_options_default();
    cli_exit code = cli_find(c, to.host, sizeof to.host, &to.port, &chosen.tls);
    if (code != CLI_OK) {
        return code;
    }
    to.tls = chosen.tls.on;
    chosen.name = "carom/" CAROM_VERSION;
    char *token = NULL;
    code = credentials_token(c, &token);
    if (code != CLI_OK) {
        return code;
    }
    chosen.token = token;
    carom_client *client = NULL;
    carom_status begun =
        carom_connect_start(at->host, at->port, c->timeout_ms, &chosen, &client, &error);
    credentials_wipe(token);
    if (begun != CAROM_OK) {
        code = cli_fail(c, &error);
        if (code == CLI_LOST) {
            hint_unreachable(at, error.text);
        } else if (strncmp(error.text, "tls.ca_file", strlen("tls.ca_file")) == 0) {
            char source[PROFILE_SOURCE_MAX];
            profile_source(c, "ca", source);
            cli_hint("%s names the file", source);
        }
        return code;
    }
    code = wait_until_open(c, at, client);
    if (code != CLI_OK) {
        carom_free(client);
        return code;
    }
    *out = client;
    return CLI_OK;
}

static carom_reconnect reconnects(bool lasting)
{
    return (carom_reconnect){
        .on = lasting, .max_ms = 1000, .give_up_ms = GIVE_UP_MS, .silence_ms = SILENCE_MS};
}

bool cli_may_come_back(const carom_error *error)
{
    return !error->from_server || error->status == CAROM_UNAVAILABLE ||
           error->status == CAROM_NOT_FOUND;
}

bool cli_go_to(cli *c, const char *where, const char *resume, int timeout_ms)
{
    char host[HOST_MAX];
    uint16_t port = 0;
    carom_error error = {0};
    carom_options options = carom_options_default();
    options.name = "carom/" CAROM_VERSION;
    options.reconnect = reconnects(true);
    options.resume = resume != NULL && resume[0] != '\0' ? resume : NULL;
    char *token = NULL;
    carom_client *fresh = NULL;
    bool gone = cli_find(c, host, sizeof host, &port, &options.tls) == CLI_OK &&
                (where == NULL ||
                 carom_address_parse(where, host, sizeof host, &port, &error) == CAROM_OK) &&
                credentials_token(c, &token) == CLI_OK;
    options.token = token;
    gone = gone && carom_connect(host, port, timeout_ms, &options, &fresh, &error) == CAROM_OK;
    credentials_wipe(token);
    if (gone) {
        carom_free(c->client);
        c->client = fresh;
    }
    return gone;
}

static cli_exit connect_as(cli *c, const carom_handlers *handlers, bool lasting)
{
    if (c->client != NULL) {
        return CLI_OK;
    }
    carom_options options = carom_options_default();
    options.reconnect = reconnects(lasting);
    if (handlers != NULL) {
        options.handlers = *handlers;
    }
    return cli_open(c, &options, &c->client);
}

cli_exit cli_connect(cli *c, const carom_handlers *handlers)
{
    return connect_as(c, handlers, false);
}

cli_exit cli_connect_lasting(cli *c, const carom_handlers *handlers)
{
    return connect_as(c, handlers, true);
}
