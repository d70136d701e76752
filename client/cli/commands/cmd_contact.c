// contacts: lists which bodies touch, where, and how hard. Main thread only.
#include <stdio.h>

#include "client/cli/commands.h"
#include "client/cli/params.h"
#include "client/cli/show.h"
#include "client/tool/table.h"

// Adds a row for each point of a touching pair; only the first row names the pair.
static void add_contact(table *t, const carom_value *contact)
{
    static const char *const pair[] = {"a", "b", "shape_a", "shape_b", "normal"};
    static const char *const keys[] = {"point", "depth", "impulse", "tangent_impulse"};
    const carom_value *points = carom_value_get(contact, "points");
    size_t count = carom_value_count(points);
    for (size_t i = 0; i < count || i == 0; i++) {
        for (size_t k = 0; k < sizeof pair / sizeof pair[0]; k++) {
            const carom_value *own = carom_value_get(carom_value_at(points, i), pair[k]);
            if (own != NULL) { // the point's normal differs from the pair's normal
                show_cell(t, own);
            } else if (i == 0) {
                show_cell(t, carom_value_get(contact, pair[k]));
            } else {
                table_text(t, "");
            }
        }
        for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
            show_cell(t, carom_value_get(carom_value_at(points, i), keys[k]));
        }
    }
}

static void show_contacts(cli *c, const carom_value *result)
{
    static const char *const heads[] = {">A",      ">B",    ">SHAPE A",   ">SHAPE B",
                                        "NORMAL",  "POINT", ">DEPTH [m]", ">IMPULSE [N s]",
                                        ">TANGENT"};
    const carom_value *contacts = carom_value_get(result, "contacts");
    (void)c;
    if (carom_value_count(contacts) == 0) {
        (void)printf("nothing touches\n");
        return;
    }
    table t;
    table_init(&t, 9, heads);
    for (size_t i = 0; i < carom_value_count(contacts); i++) {
        add_contact(&t, carom_value_at(contacts, i));
    }
    (void)table_print(&t, stdout);
    table_deinit(&t);
}

static cli_exit run_contacts(cli *c)
{
    carom_value *arguments = cli_world_args(c);
    if (args_word(&c->args, 1) != NULL) {
        carom_set(arguments, "body", params_id_word(args_word(&c->args, 1)));
    }
    return cli_call_show(c, "world.contacts", arguments, show_contacts);
}

const cli_command command_contacts = {
    .name = "contacts",
    .group = "Look",
    .summary = "list the pairs of bodies that touch, with points and impulses",
    .operands = (const args_operand[]){{"WORLD", ARGS_WORLD, true, false, NULL},
                                       {"BODY", ARGS_BODY, false, false, NULL},
                                       {0}},
    .details = "The normal points from A to B; impulses are those of the last tick.",
    .examples = "  carom contacts demo\n  carom contacts demo 3\n"
                "  carom contacts demo --json | jq '.contacts | length'",
    .run = run_contacts,
};
