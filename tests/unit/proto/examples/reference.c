// See reference.h. One thread.
#include "tests/unit/proto/examples/reference.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/physics/physics.h"
#include "proto/encode/encode.h"
#include "proto/limits.h"
#include "proto/methods.h"
#include "proto/log/log_compact.h"
#include "proto/packed/packed.h"

static const char *type_word(const method_arg *arg)
{
    static const char *const WORDS[ARG_TYPE_COUNT] = {
        [ARG_BOOL] = "bool",
        [ARG_NUMBER] = "number",
        [ARG_INTEGER] = "integer",
        [ARG_MASK] = "mask",
        [ARG_ID] = "id",
        [ARG_STRING] = "string",
        [ARG_NAME] = "name",
        [ARG_CHOICE] = "word",
        [ARG_CHOICES] = "[word …]",
        [ARG_VECTOR] = "[x, y]",
        [ARG_VECTORS] = "[[x, y] …]",
        [ARG_AREA] = "[x0, y0, x1, y1]",
        [ARG_FILTER] = "filter",
        [ARG_PRECISION] = "precision",
        [ARG_SHAPE] = "shape",
        [ARG_FORM] = "form",
        [ARG_SHAPES] = "[shape …]",
        [ARG_COMMANDS] = "[[method, {…}] …]",
        [ARG_BYTES] = "bytes",
        [ARG_ANY] = "any value",
    };
    return WORDS[arg->type];
}

static void print_words(const char *choices)
{
    for (const char *at = choices; *at != '\0';) {
        size_t size = strcspn(at, "|");
        printf("%s`%.*s`", at == choices ? "" : ", ", (int)size, at);
        at += size + (at[size] == '|');
    }
}

static void print_range(const method_arg *arg)
{
    switch (arg->type) {
    case ARG_NUMBER:
    case ARG_INTEGER:
    case ARG_VECTOR:
    case ARG_VECTORS:
    case ARG_AREA:
        if (arg->min == -arg->max) {
            printf("±%.10g", arg->max);
        } else {
            printf("%.10g to %.10g", arg->min, arg->max);
        }
        break;
    case ARG_STRING:
        printf("%.10g bytes", arg->max);
        break;
    case ARG_CHOICE:
    case ARG_CHOICES:
        print_words(arg->choices);
        break;
    default:
        break;
    }
    if (arg->unit != NULL && arg->unit[0] != '\0') {
        printf(" %s", arg->unit);
    }
    if (arg->type == ARG_VECTORS || arg->type == ARG_SHAPES || arg->type == ARG_COMMANDS) {
        printf("%s%u to %u", arg->type == ARG_VECTORS ? "; " : "", arg->count_min, arg->count_max);
    }
}

static void print_list(const arg_list *list)
{
    if (list->count == 0) {
        printf("No arguments.\n");
        return;
    }
    printf("| argument | type | range | left out | |\n| --- | --- | --- | --- | --- |\n");
    for (uint32_t i = 0; i < list->count; i++) {
        const method_arg *arg = &list->args[i];
        printf("| `%s` | %s | ", arg->name, type_word(arg));
        print_range(arg);
        printf(" | ");
        if (arg->required) {
            printf("an error");
        } else if (arg->fallback != NULL) {
            printf("`%s`", arg->fallback);
        }
        printf(" | %s |\n", arg->doc);
    }
}

static void print_method(const method_info *m)
{
    const char *colon = strchr(m->result, ':');
    size_t form = colon != NULL ? (size_t)(colon - m->result) : strlen(m->result);
    bool words = m->result[0] != '{' && m->result[0] != '[';
    printf("## %s\n%s", m->list.name, m->summary);
    printf(" Role: %s.%s%s", role_name(m->rights), m->batch ? " May stand in `world.apply`." : "",
           m->available ? "" : " Not in this version: answered with `unavailable`.");
    const char *quote = words ? "" : "`";
    printf("\nAnswers %s%.*s%s%s.\n\n", quote, (int)form, m->result, quote, m->result + form);
    print_list(&m->list);
}

// Which settings a kind of joint has; those that joint.set can change stand by themselves.
static void print_joint_kinds(void)
{
    printf("## joint kinds\n| kind | given for good | `joint.set` can change |\n"
           "| --- | --- | --- |\n");
    for (int kind = 0; kind < JOINT_KIND_COUNT; kind++) {
        uint32_t all = joint_kind_fields((joint_kind)kind);
        uint32_t settable = joint_kind_settable((joint_kind)kind);
        const uint32_t columns[] = {all & ~settable, settable};
        printf("| `%s`", joint_kind_name((joint_kind)kind));
        for (int column = 0; column < 2; column++) {
            printf(" |");
            for (uint32_t bit = 0; bit < JOINT_FIELD_COUNT; bit++) {
                if ((columns[column] >> bit & 1) != 0) {
                    printf(" `%s`", joint_field_name((joint_field)(1u << bit)));
                }
            }
        }
        printf(" |\n");
    }
}

// The numbers that the compact form has for methods.
static void print_compact_numbers(void)
{
    printf("## compact numbers\nThe tables of this version have the number %" PRIu32 ".\n\n"
           "| number | method |\n| ---: | --- |\n",
           log_compact_tables());
    for (int m = 0; m < METHOD_COUNT; m++) {
        if (log_compact_has((method)m)) {
            printf("| %d | `%s` |\n", m, METHODS[m].list.name);
        }
    }
}

void reference_print(void)
{
    for (int m = 0; m < METHOD_COUNT; m++) {
        print_method(&METHODS[m]);
    }
    for (int s = 0; s < METHOD_SHAPE_COUNT; s++) {
        printf("## shape %s\n", METHOD_SHAPES[s].name);
        print_list(&METHOD_SHAPES[s]);
    }
    printf("## filter of a shape\n");
    print_list(&METHOD_FILTER);
    printf("## filter of a query\n");
    print_list(&METHOD_QUERY_FILTER);
    printf("## precision\n");
    print_list(&METHOD_PRECISION);
    print_joint_kinds();
    print_compact_numbers();
}

void reference_print_limits(void)
{
#define LIMIT(name) printf(#name " %lld\n", (long long)(name))
    LIMIT(WIRE_MESSAGE_BYTES_DEFAULT);
    LIMIT(WIRE_DEPTH_MAX);
    LIMIT(WIRE_VALUES_MAX);
    LIMIT(WIRE_APPLY_COMMANDS_MAX);
    LIMIT(WIRE_STEP_TICKS_MAX);
    LIMIT(PACKED_BODIES_MAX);
    LIMIT(WIRE_QUERY_HITS_MAX);
    LIMIT(WIRE_ECHO_BYTES_MAX);
    LIMIT(WIRE_REPLY_BYTES_MAX);
    LIMIT(PHYSICS_BODY_SHAPES_MAX);
    LIMIT(PHYSICS_SHAPES_MAX);
    LIMIT(PHYSICS_JOINTS_MAX);
    LIMIT(PHYSICS_CONTACTS_MAX);
    LIMIT(PHYSICS_CONTACTS_LEAST);
    LIMIT(PHYSICS_CONTACTS_PER_SHAPE);
    LIMIT(PHYSICS_MEETINGS_MAX);
    LIMIT(PHYSICS_CHAIN_POINTS_MAX);
    LIMIT(ERROR_TEXT_MAX);
    LIMIT(LOG_COMMANDS_MAX);
    LIMIT(LOG_RECORD_BYTES_MAX);
    LIMIT(ENCODE_ROW_BYTES_MAX);
}
