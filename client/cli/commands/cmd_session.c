// sessions, kick: lists the sessions of a server, and ends one. Main thread only.
#include <stdio.h>
#include <time.h>

#include "client/cli/commands.h"
#include "client/cli/params.h"
#include "client/cli/show.h"
#include "client/tool/table.h"
#include "common/args/text.h"

enum { WATCHED_MAX = 64, TEXT_BYTES = 64 };

// ---- sessions

// Adds the worlds that a session watches: "demo, arena".
static void add_watched(table *t, const carom_value *subscriptions)
{
    const char *names[WATCHED_MAX];
    char text[TEXT_BYTES];
    size_t count = 0;
    while (count < WATCHED_MAX && count < carom_value_count(subscriptions)) {
        names[count] = carom_get_str(carom_value_at(subscriptions, count), "world", "?");
        count++;
    }
    text_list(names, count, "and", text, sizeof text);
    table_text(t, text);
}

static void add_session(table *t, const carom_value *one)
{
    char text[TEXT_BYTES];
    const char *subject = carom_get_str(one, "subject", "");
    show_cell(t, carom_value_get(one, "session"));
    table_text(t, carom_get_str(one, "client", ""));
    table_text(t, carom_get_bool(one, "connected", true) ? carom_get_str(one, "address", "")
                                                         : "(connection lost)");
    // time() has whole seconds, `since` has fractions: a session that began within this second has
    // age 0.
    const double age = (double)time(NULL) - carom_get_real(one, "since", 0.0);
    text_from_duration(age > 0.0 ? age : 0.0, text, sizeof text);
    table_text(t, text);
    table_text(t, carom_get_str(one, "role", ""));
    table_text(t, subject[0] != '\0' ? subject : "-");
    text_from_bytes(carom_get_real(one, "received_bytes", 0.0), text, sizeof text);
    table_text(t, text);
    text_from_bytes(carom_get_real(one, "sent_bytes", 0.0), text, sizeof text);
    table_text(t, text);
    text_from_seconds(carom_get_real(one, "lag", 0.0), text, sizeof text);
    table_text(t, carom_get_real(one, "lag", 0.0) > 0.0 ? text : "-");
    add_watched(t, carom_value_get(one, "subscriptions"));
}

static cli_exit print_sessions(const cli *c, const carom_value *sessions)
{
    static const char *const heads[] = {">SESSION", "CLIENT", "FROM", ">SINCE", "ROLE",
                                        "SUBJECT",  ">IN",    ">OUT", ">LAG",   "WATCHES"};
    if (c->json) {
        return cli_print_json(sessions);
    }
    table t;
    table_init(&t, 10, heads);
    for (size_t i = 0; i < carom_value_count(sessions); i++) {
        add_session(&t, carom_value_at(sessions, i));
    }
    bool whole = table_print(&t, stdout);
    table_deinit(&t);
    return whole ? CLI_OK : cli_out_of_memory();
}

// The server answers in pages; they are requested until all sessions are there.
static cli_exit run_sessions(cli *c)
{
    carom_value *all = carom_array();
    cli_exit code = CLI_OK;
    uint64_t after = 0;
    for (bool more = true; more && code == CLI_OK;) {
        carom_value *piece = NULL;
        code = cli_call(c, "server.sessions", carom_set(carom_map(), "after", carom_uint(after)),
                        &piece);
        const carom_value *list = carom_value_get(piece, "sessions");
        for (size_t i = 0; i < carom_value_count(list); i++) {
            const carom_value *one = carom_value_at(list, i);
            after = carom_get_uint(one, "session", after);
            all = carom_push(all, carom_value_clone(one));
        }
        more = carom_value_count(list) > 0 &&
               carom_value_count(all) < carom_get_uint(piece, "total", 0);
        carom_value_free(piece);
    }
    if (code == CLI_OK) {
        code = carom_value_ok(all) ? print_sessions(c, all) : cli_out_of_memory();
    }
    carom_value_free(all);
    return code;
}

const cli_command command_sessions = {
    .name = "sessions",
    .group = "Server",
    .summary = "list who is connected: from where, since when, as whom",
    .details = "For role admin. LAG is how long output has been waiting for the client.",
    .examples = "  carom sessions\n  carom sessions --json | jq '.[] | .address'",
    .run = run_sessions,
};

// ---- kick

static void show_kicked(cli *c, const carom_value *result)
{
    (void)result;
    (void)printf("%s\n", c->done);
}

// Continues after a refusal, so that one mistake does not leave the other sessions connected.
static cli_exit run_kick(cli *c)
{
    static const params_row KICK[] = {PARAMS_SERVER_KICK};
    cli_exit worst = CLI_OK;
    for (size_t i = 0; i < c->args.word_count && worst != CLI_LOST; i++) {
        const char *word = args_word(&c->args, i);
        carom_value *arguments = carom_set(carom_map(), "session", params_id_word(word));
        params_method(c, KICK, sizeof KICK / sizeof *KICK, arguments);
        cli_exit code = cli_call_show(cli_done(c, "session %s ended", word), "server.kick",
                                      arguments, show_kicked);
        worst = code > worst ? code : worst;
    }
    return worst;
}

const cli_command command_kick = {
    .name = "kick",
    .group = "Server",
    .summary = "end sessions and close their connections",
    .operands = (const args_operand[]){{"SESSION", ARGS_SESSION, true, true, NULL}, {0}},
    .options = (const args_option[]){OPTIONS_SERVER_KICK, {0}},
    .details = "For role admin. 'carom sessions' lists the numbers. A kicked session cannot be "
               "resumed, and\n"
               "batches that it has left for later ticks do not act, even if it has ended before.",
    .examples = "  carom kick 7\n  carom kick 7 8 --reason maintenance",
    .run = run_kick,
};
