// sessions, kick: who is connected to the server, and ending a connection. Main thread only.
#include <stdio.h>
#include <string.h>

#include "client/cli/commands.h"
#include "client/cli/params.h"
#include "client/cli/show.h"
#include "client/cli/table.h"
#include "client/cli/text.h"

// ---- sessions

// The list may be the answer itself or stand in it.
static const carom_value *list_of(const carom_value *result)
{
    return carom_value_type(result) == CAROM_MAP ? carom_value_get(result, "sessions") : result;
}

static void add_bytes(table *t, const carom_value *value)
{
    char text[32];
    if (value == NULL) {
        table_text(t, "-");
        return;
    }
    text_from_bytes(carom_as_real(value, 0.0), text, sizeof text);
    table_text(t, text);
}

static void add_duration(table *t, const carom_value *value)
{
    char text[32];
    if (value == NULL) {
        table_text(t, "-");
        return;
    }
    text_from_duration(carom_as_real(value, 0.0), text, sizeof text);
    table_text(t, text);
}

// Either a number of subscriptions or a list of them.
static void add_count(table *t, const carom_value *value)
{
    if (carom_value_type(value) == CAROM_ARRAY) {
        table_format(t, "%zu", carom_value_count(value));
    } else {
        show_cell(t, value);
    }
}

static void show_sessions(cli *c, const carom_value *result)
{
    static const char *const heads[] = {">SESSION",   "FROM",           "CLIENT", "ROLE", "SUBJECT",
                                        ">CONNECTED", ">SUBSCRIPTIONS", ">IN",    ">OUT", ">LAG"};
    const carom_value *sessions = list_of(result);
    (void)c;
    table t;
    table_init(&t, 10, heads);
    for (size_t i = 0; i < carom_value_count(sessions); i++) {
        const carom_value *one = carom_value_at(sessions, i);
        show_cell(&t, carom_value_get(one, "session"));
        table_text(&t, carom_get_str(one, "address", carom_get_str(one, "from", "-")));
        table_text(&t, carom_get_str(one, "client", "-"));
        table_text(&t, carom_get_str(one, "role", "-"));
        table_text(&t, carom_get_str(one, "subject", "-"));
        add_duration(&t, carom_value_get(one, "age"));
        add_count(&t, carom_value_get(one, "subscriptions"));
        add_bytes(&t, carom_value_get(one, "bytes_in"));
        add_bytes(&t, carom_value_get(one, "bytes_out"));
        add_bytes(&t, carom_value_get(one, "lag_bytes"));
    }
    (void)table_print(&t, stdout);
    table_deinit(&t);
}

static cli_exit run_sessions(cli *c)
{
    return cli_call_show(c, "server.sessions", NULL, show_sessions);
}

const cli_command command_sessions = {
    .name = "sessions",
    .group = "Server",
    .summary = "list who is connected: from where, since when, as whom",
    .details = "For role admin. LAG is output that the client has not taken yet.",
    .examples = "  carom sessions\n  carom sessions --json | jq '.[] | .address'",
    .run = run_sessions,
};
