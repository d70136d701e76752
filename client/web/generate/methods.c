// Writes the table of methods for JavaScript to standard output: what a client needs of it (js),
// all of it with its texts (table), or types (dts).
//
//     web_methods js    > client/web/src/methods.js
//     web_methods table > client/web/src/table.js
//     web_methods dts   > client/web/src/methods.d.ts
//
// The files are checked in, so that the package and the viewer run without a build step; a test
// holds them equal to what this prints. The target web_methods_write writes them anew.
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "proto/methods.h"

static const char HEAD[] =
    "// Generated from the table of methods (client/web/generate/methods.c): do not edit.\n";

static const char *const SCOPES[] = {
    [SCOPE_SESSION] = "session", [SCOPE_SERVER] = "server",
    [SCOPE_WORLD_HOST] = "host", [SCOPE_WORLD_COMMAND] = "command",
    [SCOPE_WORLD_READ] = "read", [SCOPE_SUBSCRIPTION] = "subscription",
};

static const char *const TYPE_WORDS[ARG_TYPE_COUNT] = {
    [ARG_BOOL] = "bool",       [ARG_NUMBER] = "number",
    [ARG_INTEGER] = "integer", [ARG_MASK] = "mask",
    [ARG_ID] = "id",           [ARG_STRING] = "string",
    [ARG_NAME] = "name",       [ARG_CHOICE] = "choice",
    [ARG_CHOICES] = "choices", [ARG_VECTOR] = "vector",
    [ARG_VECTORS] = "vectors", [ARG_AREA] = "area",
    [ARG_FILTER] = "filter",   [ARG_PRECISION] = "precision",
    [ARG_SHAPE] = "shape",     [ARG_FORM] = "form",
    [ARG_SHAPES] = "shapes",   [ARG_COMMANDS] = "commands",
    [ARG_BYTES] = "bytes",     [ARG_ANY] = "any",
};

// Types of TypeScript; NULL where the words of the choice are the type.
static const char *const TYPESCRIPT[ARG_TYPE_COUNT] = {
    [ARG_BOOL] = "boolean",
    [ARG_NUMBER] = "number",
    [ARG_INTEGER] = "number",
    [ARG_MASK] = "number | bigint",
    [ARG_ID] = "Id",
    [ARG_STRING] = "string",
    [ARG_NAME] = "string",
    [ARG_VECTOR] = "Vector",
    [ARG_VECTORS] = "Vector[]",
    [ARG_AREA] = "Area",
    [ARG_FILTER] = "Filter",
    [ARG_PRECISION] = "Precision",
    [ARG_SHAPE] = "Shape",
    [ARG_FORM] = "Form",
    [ARG_SHAPES] = "Shape[]",
    [ARG_COMMANDS] = "Command[]",
    [ARG_BYTES] = "Uint8Array",
    [ARG_ANY] = "unknown",
};

// A JavaScript string in single quotes.
static void put_string(const char *text)
{
    putchar('\'');
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '\'' || *c == '\\') {
            putchar('\\');
        }
        putchar(*c);
    }
    putchar('\'');
}

static bool is_numeric(arg_type type)
{
    return type == ARG_NUMBER || type == ARG_INTEGER || type == ARG_VECTOR || type == ARG_VECTORS ||
           type == ARG_AREA || type == ARG_STRING;
}

// The words of "a|b|c", each as a string, with `between` between them.
static void put_words(const char *choices, const char *between)
{
    size_t size = 0;
    for (uint32_t i = 0;; i++) {
        const char *word = choice_word(choices, i, &size);
        printf("%s'%.*s'", i > 0 ? between : "", (int)size, word);
        if (word[size] == '\0') {
            return;
        }
    }
}

// ---- data

static void put_arg(const method_arg *arg, const char *indent)
{
    printf("%s%s: {type: '%s'", indent, arg->name, TYPE_WORDS[arg->type]);
    if (arg->required) {
        printf(", required: true");
    }
    if (is_numeric(arg->type) && (arg->min != 0.0 || arg->max != 0.0)) {
        printf(", min: %.17g, max: %.17g", arg->min, arg->max);
    }
    if (arg->count_max > 0) {
        printf(", count: [%u, %u]", arg->count_min, arg->count_max);
    }
    if (arg->choices != NULL) {
        printf(", words: [");
        put_words(arg->choices, ", ");
        printf("]");
    }
    if (arg->fallback != NULL) {
        printf(", fallback: %s", arg->fallback);
    }
    if (arg->unit != NULL && arg->unit[0] != '\0') {
        printf(", unit: ");
        put_string(arg->unit);
    }
    printf(", doc: ");
    put_string(arg->doc);
    printf("},\n");
}

static void put_args(const arg_list *list, const char *indent)
{
    for (uint32_t i = 0; i < list->count; i++) {
        put_arg(&list->args[i], indent);
    }
}

static void put_method(const method_info *m)
{
    printf("  '%s': {\n    role: '%s', scope: '%s', batch: %s,\n    summary: ", m->list.name,
           role_name(m->rights), SCOPES[m->scope], m->batch ? "true" : "false");
    put_string(m->summary);
    printf(",\n    result: ");
    put_string(m->result);
    printf(",\n    args: {\n");
    put_args(&m->list, "      ");
    printf("    },\n  },\n");
}

// Every page loads this, so it is short.
static void write_methods(void)
{
    printf("%s\n", HEAD);
    printf("/** The version of the protocol that this table is of. */\n"
           "export const PROTOCOL_VERSION = %d;\n\n",
           PROTOCOL_VERSION);
    printf(
        "/** Every method: least role, where it is carried out, the arguments' names; table.js has "
        "the rest. */\n"
        "export const METHODS = {\n");
    for (int i = 0; i < METHOD_COUNT; i++) {
        const method_info *m = &METHODS[i];
        printf("  '%s': {role: '%s', scope: '%s', batch: %s, args: [", m->list.name,
               role_name(m->rights), SCOPES[m->scope], m->batch ? "true" : "false");
        for (uint32_t k = 0; k < m->list.count; k++) {
            printf("%s'%s'", k > 0 ? ", " : "", m->list.args[k].name);
        }
        printf("]},\n");
    }
    printf("};\n");
}

static void write_table(void)
{
    printf("%s\n", HEAD);
    printf("/** Every method: least role, where it is carried out, arguments, texts. */\n"
           "export const TABLE = {\n");
    for (int i = 0; i < METHOD_COUNT; i++) {
        put_method(&METHODS[i]);
    }
    printf("};\n\n/** The arguments of each kind of shape. */\nexport const SHAPES = {\n");
    for (int i = 0; i < METHOD_SHAPE_COUNT; i++) {
        printf("  %s: {\n", METHOD_SHAPES[i].name);
        put_args(&METHOD_SHAPES[i], "    ");
        printf("  },\n");
    }
    printf("};\n\n/** The arguments of a shape's filter. */\nexport const FILTER = {\n");
    put_args(&METHOD_FILTER, "  ");
    printf("};\n\n/** The precision of packed snapshots. */\nexport const PRECISION = {\n");
    put_args(&METHOD_PRECISION, "  ");
    printf("};\n");
}

// ---- types

// "world.create" -> "WorldCreate"
static const char *type_name(const char *name)
{
    static char out[64];
    size_t used = 0;
    bool upper = true;
    for (const char *c = name; *c != '\0' && used + 1 < sizeof out; c++) {
        if (*c == '.' || *c == '_') {
            upper = true;
            continue;
        }
        out[used++] = upper ? (char)toupper((unsigned char)*c) : *c;
        upper = false;
    }
    out[used] = '\0';
    return out;
}

static void put_field(const method_arg *arg)
{
    printf("  /** %s", arg->doc);
    if (arg->fallback != NULL) {
        printf(" Default %s.", arg->fallback);
    }
    if (arg->unit != NULL && arg->unit[0] != '\0') {
        printf(" [%s]", arg->unit);
    }
    printf(" */\n  %s%s: ", arg->name, arg->required ? "" : "?");
    if (TYPESCRIPT[arg->type] != NULL) {
        printf("%s;\n", TYPESCRIPT[arg->type]);
        return;
    }
    printf(arg->type == ARG_CHOICES ? "(" : "");
    put_words(arg->choices, " | ");
    printf(arg->type == ARG_CHOICES ? ")[];\n" : ";\n");
}

static void put_interface(const arg_list *list, const char *suffix)
{
    printf("export interface %s%s {\n", type_name(list->name), suffix);
    for (uint32_t i = 0; i < list->count; i++) {
        put_field(&list->args[i]);
    }
    printf("}\n\n");
}

static bool names_world(const method_info *m)
{
    return arg_list_find(&m->list, "world", strlen("world")) >= 0;
}

// The methods of one group ("body.") or, of the group "", those without one.
static void put_group(const char *group, bool bound)
{
    size_t size = strlen(group);
    const char *indent = size > 0 ? "    " : "  ";
    for (int i = 0; i < METHOD_COUNT; i++) {
        const method_info *m = &METHODS[i];
        const char *name = m->list.name;
        bool here = size > 0 ? strncmp(name, group, size) == 0 : strchr(name, '.') == NULL;
        if (!here || (bound && !names_world(m))) {
            continue;
        }
        bool optional = true;
        for (uint32_t k = 0; k < m->list.count; k++) {
            const method_arg *arg = &m->list.args[k];
            optional &= !arg->required || (bound && strcmp(arg->name, "world") == 0);
        }
        printf("%s/** %s Least role: %s. */\n", indent, m->summary, role_name(m->rights));
        printf("%s%s(args%s: ", indent, name + size, optional ? "?" : "");
        if (bound) {
            printf("Omit<%sArguments, 'world'>", type_name(name));
        } else {
            printf("%sArguments", type_name(name));
        }
        printf(", options?: CallOptions): Promise<Results['%s']>;\n", name);
    }
}

static void put_groups(const char *name, const char *doc, bool bound)
{
    static const char *const GROUPS[] = {"server.", "world.", "body.",
                                         "shape.",  "joint.", "query."};
    printf("/** %s */\nexport interface %s {\n", doc, name);
    if (!bound) {
        put_group("", false);
    }
    for (size_t i = bound ? 1 : 0; i < sizeof GROUPS / sizeof *GROUPS; i++) {
        printf("  readonly %.*s: {\n", (int)strlen(GROUPS[i]) - 1, GROUPS[i]);
        put_group(GROUPS[i], bound);
        printf("  };\n");
    }
    printf("}\n\n");
}

static void write_types(void)
{
    printf("%s", HEAD);
    printf("import type {CallOptions, Results} from './results.js';\n\n"
           "/** A body, shape, joint or subscription; in a batch also what an earlier command "
           "made. */\n"
           "export type Id = number | {$: number};\n"
           "/** [x, y] */\nexport type Vector = [number, number];\n"
           "/** [x0, y0, x1, y1]: lower left and upper right corner */\n"
           "export type Area = [number, number, number, number];\n"
           "/** A command of world.apply: the method and its arguments without `world`. */\n"
           "export type Command = [method: string, args: object];\n\n");
    put_interface(&METHOD_FILTER, "");
    put_interface(&METHOD_PRECISION, "");
    for (int i = 0; i < METHOD_SHAPE_COUNT; i++) {
        put_interface(&METHOD_SHAPES[i], "Shape");
    }
    printf("export type Shape =");
    for (int i = 0; i < METHOD_SHAPE_COUNT; i++) {
        printf("%s%sShape", i > 0 ? " | " : " ", type_name(METHOD_SHAPES[i].name));
    }
    printf(";\n/** A shape without its matter; no chain. */\n"
           "export type Form = Exclude<Shape, ChainShape>;\n\n");
    for (int i = 0; i < METHOD_COUNT; i++) {
        put_interface(&METHODS[i].list, "Arguments");
    }
    printf("/** The arguments of every method, by its name. */\nexport interface Arguments {\n");
    for (int i = 0; i < METHOD_COUNT; i++) {
        const char *name = METHODS[i].list.name;
        printf("  '%s': %sArguments;\n", name, type_name(name));
    }
    printf("}\n\n");
    put_groups("Methods", "Every method as a function.", false);
    put_groups("WorldMethods", "The methods of one world, whose name is filled in.", true);
    printf("export type MethodName = keyof Arguments;\n"
           "export interface MethodInfo {\n"
           "  role: 'none' | 'viewer' | 'player' | 'admin'; scope: string; batch: boolean; args: "
           "string[];\n}\n"
           "export const PROTOCOL_VERSION: number;\n"
           "export const METHODS: Record<MethodName, MethodInfo>;\n");
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "js") == 0) {
        write_methods();
    } else if (argc == 2 && strcmp(argv[1], "table") == 0) {
        write_table();
    } else if (argc == 2 && strcmp(argv[1], "dts") == 0) {
        write_types();
    } else {
        fprintf(stderr, "usage: web_methods js|table|dts\n");
        return 2;
    }
    return fflush(stdout) != 0;
}
