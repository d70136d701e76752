// fleet, move: lists the servers of a fleet and its worlds, and hands a world over. Main thread
// only.
#include <stdio.h>
#include <string.h>

#include "client/cli/commands.h"
#include "client/cli/show.h"
#include "client/tool/table.h"
#include "common/args/text.h"

enum { TEXT_BYTES = 64 };

static bool lives(const carom_value *nodes, const char *name)
{
    for (size_t i = 0; i < carom_value_count(nodes); i++) {
        if (strcmp(carom_get_str(carom_value_at(nodes, i), "node", ""), name) == 0) {
            return true;
        }
    }
    return false;
}

static bool print_nodes(const carom_value *nodes)
{
    static const char *const heads[] = {"SERVER",    "ADDRESS", ">WORLDS", ">SESSIONS",
                                        ">LATENESS", ">FREE",   "STATE"};
    char text[TEXT_BYTES];
    table t;
    table_init(&t, 7, heads);
    for (size_t i = 0; i < carom_value_count(nodes); i++) {
        const carom_value *one = carom_value_at(nodes, i);
        table_text(&t, carom_get_str(one, "node", "?"));
        table_text(&t, carom_get_str(one, "address", "?"));
        show_cell(&t, carom_value_get(one, "worlds"));
        show_cell(&t, carom_value_get(one, "sessions"));
        text_from_seconds(carom_get_real(one, "lateness_ms", 0.0) * 1e-3, text, sizeof text);
        table_text(&t, text);
        text_from_bytes(carom_get_real(one, "free_memory", 0.0), text, sizeof text);
        table_text(&t, text);
        table_format(&t, "%s%s", carom_get_bool(one, "draining", false) ? "drains" : "serves",
                     carom_get_bool(one, "self", false) ? ", answers this" : "");
    }
    const bool whole = table_print(&t, stdout);
    table_deinit(&t);
    return whole;
}

// How far the standby is behind, which the world's own server knows alone.
static void show_lag(table *t, const carom_value *world)
{
    char seconds[TEXT_BYTES];
    char bytes[TEXT_BYTES];
    if (carom_value_get(world, "lag_s") == NULL) {
        table_text(t, "-");
        return;
    }
    text_from_seconds(carom_get_real(world, "lag_s", 0.0), seconds, sizeof seconds);
    text_from_bytes(carom_get_real(world, "lag_bytes", 0.0), bytes, sizeof bytes);
    table_format(t, "%s, %s", seconds, bytes);
}

static bool print_worlds(const carom_value *worlds, const carom_value *nodes)
{
    static const char *const heads[] = {"WORLD",   "SERVER", ">TERM", "STANDBY",
                                        ">BEHIND", ">HZ",    "STATE"};
    table t;
    table_init(&t, 7, heads);
    for (size_t i = 0; i < carom_value_count(worlds); i++) {
        const carom_value *one = carom_value_at(worlds, i);
        const char *node = carom_get_str(one, "node", "?");
        table_text(&t, carom_get_str(one, "world", "?"));
        table_text(&t, node);
        show_cell(&t, carom_value_get(one, "term"));
        table_text(&t, carom_get_str(one, "standby", "-"));
        show_lag(&t, one);
        show_cell(&t, carom_value_get(one, "hz"));
        table_text(&t, lives(nodes, node) ? "served" : "waits for its server");
    }
    const bool whole = table_print(&t, stdout);
    table_deinit(&t);
    return whole;
}

static cli_exit print_fleet(const cli *c, const carom_value *fleet)
{
    const carom_value *nodes = carom_value_get(fleet, "nodes");
    const carom_value *worlds = carom_value_get(fleet, "worlds");
    const char *away = carom_get_str(fleet, "store_error", "");
    if (c->json) {
        return cli_print_json(fleet);
    }
    bool whole = print_nodes(nodes);
    if (carom_value_count(worlds) > 0) {
        (void)putchar('\n');
        whole = print_worlds(worlds, nodes) && whole;
    }
    if (*away != '\0') {
        (void)putchar('\n');
        cli_print_line("etcd does not answer, so this may be old: %s", away);
    }
    return whole ? CLI_OK : cli_out_of_memory();
}

// The server answers in pages of worlds; they are requested until all are there.
static cli_exit run_fleet(cli *c)
{
    carom_value *all = carom_array();
    carom_value *first = NULL;
    cli_exit code = CLI_OK;
    const char *after = "";
    for (bool more = true; more && code == CLI_OK;) {
        carom_value *piece = NULL;
        code =
            cli_call(c, "server.fleet", carom_set(carom_map(), "after", carom_str(after)), &piece);
        const carom_value *list = carom_value_get(piece, "worlds");
        for (size_t i = 0; i < carom_value_count(list); i++) {
            all = carom_push(all, carom_value_clone(carom_value_at(list, i)));
        }
        more = carom_value_count(list) > 0 &&
               carom_value_count(all) < carom_get_uint(piece, "total", 0);
        after =
            more ? carom_get_str(carom_value_at(all, carom_value_count(all) - 1), "world", "") : "";
        if (first == NULL) {
            first = piece;
        } else {
            carom_value_free(piece);
        }
    }
    if (code == CLI_OK) {
        first = carom_set(first, "worlds", all);
        code = carom_value_ok(first) ? print_fleet(c, first) : cli_out_of_memory();
    } else {
        carom_value_free(all);
    }
    carom_value_free(first);
    return code;
}

const cli_command command_fleet = {
    .name = "fleet",
    .group = "Server",
    .summary = "list the servers of the fleet, their load, and who serves which world",
    .details = "For role admin. Any server of the fleet answers. LATENESS is the 99th percentile\n"
               "of how late ticks begin, TERM counts the servers that a world has had.",
    .examples = "  carom fleet\n  carom fleet --json | jq '.worlds[] | .node'",
    .run = run_fleet,
};

// ---- move

static void show_moved(cli *c, const carom_value *result)
{
    (void)c;
    cli_print_line("world %s is served by %s, term %llu", carom_get_str(result, "world", "?"),
                   carom_get_str(result, "node", "?"),
                   (unsigned long long)carom_get_uint(result, "term", 0));
}

static cli_exit run_move(cli *c)
{
    carom_value *arguments = carom_set(carom_map(), "world", carom_str(args_word(&c->args, 0)));
    if (c->args.word_count > 1) {
        arguments = carom_set(arguments, "to", carom_str(args_word(&c->args, 1)));
    }
    return cli_call_show(c, "world.move", arguments, show_moved);
}

static const args_operand moved_world[] = {
    {"WORLD", ARGS_WORLD, true, false, NULL}, {"SERVER", ARGS_TEXT, false, false, NULL}, {0}};

const cli_command command_move = {
    .name = "move",
    .group = "Server",
    .summary = "hand a world over to another server of the fleet",
    .operands = moved_world,
    .details =
        "For role admin. SERVER is a name as of `carom fleet`. Without it, the world goes to\n"
        "its standby, or else to that with fewer worlds of two chosen by chance. The world\n"
        "stands still for some milliseconds, and its sessions go along.",
    .examples = "  carom move arena\n  carom move arena b",
    .run = run_move,
};
