// The entries of a scene file: commands and blocks.
#include "proto/scene/scene_expand.h"

#include <math.h>
#include <stdio.h>

#include "proto/methods.h"
#include "proto/wire/rpc.h"
#include "common/base/utf8.h"

// Work counted for one turn of a loop, besides that of its entries.
enum { LOOP_WORK = 8 };

void scene_expander_init(scene_expander *x, error *err)
{
    *x = (scene_expander){.err = err, .stop_at = UINT32_MAX};
    scene_names_init(&x->names);
    buffer_init(&x->bytes, SCENE_BYTES_MAX);
}

void scene_expander_deinit(scene_expander *x)
{
    scene_names_deinit(&x->names);
    vector_free(&x->commands);
    buffer_deinit(&x->bytes);
}

// Puts the entry's place and the values of the loops before the text: "commands[2].do[0] (i = 3):
// …".
static void locate_entry(scene_expander *x)
{
    char text[160];
    size_t used = 0;
    for (uint32_t i = 0; i < x->trail_size && used < sizeof text; i++) {
        int n = snprintf(text + used, sizeof text - used, "%s%s[%u]", i > 0 ? "." : "",
                         x->trail[i].list, x->trail[i].index);
        used += n > 0 ? (size_t)n : 0;
    }
    for (uint32_t i = x->constants; i < x->scope.count && used < sizeof text; i++) {
        const expression_variable *v = &x->scope.variables[i];
        int n = snprintf(text + used, sizeof text - used, "%s%s = %g%s",
                         i == x->constants ? " (" : ", ", v->name, v->value,
                         i + 1 == x->scope.count ? ")" : "");
        used += n > 0 ? (size_t)n : 0;
    }
    error_prefix(x->err, "%s", text);
    x->located = true;
}

// ---- commands

// Records the name in {"as": name}.
static status name_command(scene_expander *x, const msgpack_object *extra, method m)
{
    const msgpack_object *as = extra->type == MSGPACK_OBJECT_MAP ? rpc_map_get(extra, "as") : NULL;
    if (as == NULL || !scene_is_string(as) || extra->via.map.size != 1) {
        return scene_fail(x, "the third element of an entry must be {\"as\": \"name\"}");
    }
    if (!method_makes(m)) {
        return error_set(x->err, STATUS_INVALID_ARGUMENT, "as: %s makes nothing to be named",
                         method_name(m));
    }
    buffer name;
    buffer_init(&name, SCENE_NAME_MAX);
    status s = scene_fill_in(x, scene_text(as), as->via.str.size, &name);
    if (s == STATUS_OK && name.size == 0) {
        s = scene_fail(x, "a name must have a character at least");
    } else if (s == STATUS_OK) {
        s = scene_names_add(&x->names, (const char *)name.data, name.size, x->commands.count);
        if (s == STATUS_ALREADY_EXISTS) {
            char quoted[UTF8_QUOTE_MAX];
            error_set(x->err, s, "the name '%s' is taken",
                      utf8_quote(quoted, name.data, name.size));
        } else if (s != STATUS_OK) {
            scene_starved(x);
        }
    }
    buffer_deinit(&name);
    if (s != STATUS_OK) {
        error_prefix(x->err, "as");
    }
    return s;
}

// The method of this name if it may be in a scene; else NULL, with the error set.
static const method_info *find_method(scene_expander *x, const msgpack_object *name)
{
    if (!scene_is_string(name)) {
        scene_fail(x, "expected [\"method\", {arguments}]");
        return NULL;
    }
    const char *text = scene_text(name);
    const method_info *info = method_find(text, name->via.str.size);
    if (info == NULL) {
        char quoted[UTF8_QUOTE_MAX];
        char hint[SUGGEST_TEXT_MAX];
        error_set(x->err, STATUS_UNKNOWN_METHOD, "there is no method '%s'%s",
                  utf8_quote(quoted, text, name->via.str.size),
                  method_suggest(text, name->via.str.size, hint));
        return NULL;
    }
    if (!info->batch) {
        error_set(x->err, STATUS_INVALID_ARGUMENT, "%s cannot be part of a scene", info->list.name);
        return NULL;
    }
    return info;
}

static status expand_command(scene_expander *x, const msgpack_object_array *entry)
{
    if (entry->size < 2 || entry->size > 3 || entry->ptr[1].type != MSGPACK_OBJECT_MAP) {
        return scene_fail(x, "expected [\"method\", {arguments}], perhaps with {\"as\": \"name\"}");
    }
    if (x->commands.count == SCENE_COMMANDS_MAX) {
        return error_set(x->err, STATUS_LIMIT_EXCEEDED, "too many commands; the limit is %d",
                         SCENE_COMMANDS_MAX);
    }
    if (x->commands.count == x->stop_at) {
        return error_set(x->err, STATUS_NOT_FOUND, "%s", ""); // the place goes in front of it
    }
    const method_info *info = find_method(x, &entry->ptr[0]);
    if (info == NULL) {
        return x->err->status;
    }
    size_t start = x->bytes.size;
    msgpack_packer packer = buffer_packer(&x->bytes);
    msgpack_pack_array(&packer, 2);
    rpc_pack_text(&packer, info->list.name);
    status s = scene_pack_value(x, &packer, &entry->ptr[1]);
    if (s != STATUS_OK) {
        scene_locate_value(x);
        return s;
    }
    size_t size = x->bytes.size - start;
    if (x->bytes.starved) {
        return scene_starved(x);
    }
    if (x->bytes.overflow || size > SCENE_CHUNK_BYTES_MAX) {
        return error_set(x->err, STATUS_LIMIT_EXCEEDED,
                         "the %s is too large; the limit is %d bytes of MessagePack",
                         x->bytes.overflow ? "scene" : "command",
                         x->bytes.overflow ? SCENE_BYTES_MAX : SCENE_CHUNK_BYTES_MAX);
    }
    if (entry->size == 3) {
        s = name_command(x, &entry->ptr[2], info->id);
    }
    scene_command command = {(uint32_t)start, (uint32_t)size, x->trail[0].index};
    if (!vector_push(&x->commands, command)) {
        return scene_starved(x);
    }
    return s;
}

// ---- blocks

typedef struct block {
    const msgpack_object *loops, *let, *condition, *body, *otherwise; // NULL if left out
} block;

static status expand_list(scene_expander *x, const msgpack_object *list, const char *name);

static status read_block(const scene_expander *x, const msgpack_object_map *map, block *out)
{
    *out = (block){0};
    for (uint32_t i = 0; i < map->size; i++) {
        const msgpack_object *key = &map->ptr[i].key;
        const msgpack_object **place = rpc_text_equals(key, "for")    ? &out->loops
                                       : rpc_text_equals(key, "let")  ? &out->let
                                       : rpc_text_equals(key, "if")   ? &out->condition
                                       : rpc_text_equals(key, "do")   ? &out->body
                                       : rpc_text_equals(key, "else") ? &out->otherwise
                                                                      : NULL;
        if (place == NULL) {
            return scene_fail(x, "a block has for, let, if, do and else, and nothing more");
        }
        *place = &map->ptr[i].val;
    }
    if (out->body == NULL || (out->otherwise != NULL && out->condition == NULL)) {
        return scene_fail(x, "a block needs a do, and an else an if");
    }
    if (out->loops != NULL && out->loops->type != MSGPACK_OBJECT_MAP) {
        return scene_fail(x, "for: expected {\"name\": [first, last]}");
    }
    return STATUS_OK;
}

// The entries inside the loops, once.
static status expand_body(scene_expander *x, const block *b)
{
    status s = b->let != NULL ? scene_define(x, b->let) : STATUS_OK;
    if (s != STATUS_OK) {
        error_prefix(x->err, "let");
        return s;
    }
    double condition = 1.0;
    s = b->condition != NULL ? scene_scalar(x, b->condition, &condition) : STATUS_OK;
    if (s != STATUS_OK) {
        error_prefix(x->err, "if");
        return s;
    }
    if (condition != 0.0) {
        return expand_list(x, b->body, "do");
    }
    return b->otherwise != NULL ? expand_list(x, b->otherwise, "else") : STATUS_OK;
}

typedef struct range {
    double first, last, step;
} range;

// Up to here the number of turns is written out; viewer/scene/load.js has the same texts.
#define TURNS_TOLD_MAX 1e15

static status fail_turns(const scene_expander *x, double turns)
{
    const bool told = turns <= TURNS_TOLD_MAX;
    return error_set(x->err, STATUS_INVALID_ARGUMENT, "a loop of %s%.0f turns; the limit is %d",
                     told ? "" : "more than ", told ? turns : TURNS_TOLD_MAX, SCENE_WORK_MAX);
}

static status read_range(scene_expander *x, const msgpack_object *object, range *out)
{
    double values[3] = {0.0, 0.0, 1.0};
    uint32_t size = object->type == MSGPACK_OBJECT_ARRAY ? object->via.array.size : 0;
    if (size < 2 || size > 3) {
        return scene_fail(x, "expected [first, last] or [first, last, step]");
    }
    for (uint32_t i = 0; i < size; i++) {
        status s = scene_scalar(x, &object->via.array.ptr[i], &values[i]);
        if (s != STATUS_OK) {
            return s;
        }
    }
    if (values[2] == 0.0) {
        return scene_fail(x, "the step must not be 0");
    }
    const double turns = floor((values[1] - values[0]) / values[2]) + 1.0;
    if (!(turns <= SCENE_WORK_MAX)) {
        return fail_turns(x, turns);
    }
    *out = (range){values[0], values[1], values[2]};
    return STATUS_OK;
}

// Runs the loops from variable `level` on. Each value is computed from the first, not from the one
// before, so that rounding does not add up.
static status expand_loops(scene_expander *x, const block *b, uint32_t level)
{
    uint32_t outside = x->scope.count;
    if (b->loops == NULL || level == b->loops->via.map.size) {
        status s = expand_body(x, b);
        if (s == STATUS_OK) {
            x->scope.count = outside;
        }
        return s;
    }
    const msgpack_object_kv *pair = &b->loops->via.map.ptr[level];
    range r = {0.0, -1.0, 1.0};
    status s = scene_is_string(&pair->key) ? read_range(x, &pair->val, &r)
                                           : scene_fail(x, "a variable's name must be a string");
    if (s != STATUS_OK) {
        error_prefix(x->err, "for");
        return s;
    }
    for (uint32_t k = 0; s == STATUS_OK; k++) {
        double value = r.first + (double)k * r.step;
        if (r.step > 0.0 ? !(value <= r.last) : !(value >= r.last)) {
            break;
        }
        s = scene_spend(x, LOOP_WORK);
        if (s == STATUS_OK) {
            s = expression_define(&x->scope, scene_text(&pair->key), pair->key.via.str.size, value,
                                  x->err);
        }
        if (s == STATUS_OK) {
            s = expand_loops(x, b, level + 1);
        }
        if (s == STATUS_OK) {
            x->scope.count = outside;
        }
    }
    return s;
}

static status expand_block(scene_expander *x, const msgpack_object_map *map)
{
    block b;
    status s = read_block(x, map, &b);
    return s == STATUS_OK ? expand_loops(x, &b, 0) : s;
}

static status expand_entry(scene_expander *x, const msgpack_object *entry)
{
    status s = scene_spend(x, 1);
    if (s == STATUS_OK && entry->type == MSGPACK_OBJECT_ARRAY) {
        s = expand_command(x, &entry->via.array);
    } else if (s == STATUS_OK && entry->type == MSGPACK_OBJECT_MAP) {
        s = expand_block(x, &entry->via.map);
    } else if (s == STATUS_OK) {
        s = scene_fail(x, "expected [\"method\", {arguments}] or {\"for\": …, \"do\": …}");
    }
    if (s != STATUS_OK && !x->located) {
        locate_entry(x);
    }
    return s;
}

static status expand_list(scene_expander *x, const msgpack_object *list, const char *name)
{
    if (list->type != MSGPACK_OBJECT_ARRAY) {
        return error_set(x->err, STATUS_INVALID_ARGUMENT, "%s: expected a list of entries", name);
    }
    if (x->trail_size == SCENE_BLOCK_DEPTH_MAX + 1) {
        return error_set(x->err, STATUS_LIMIT_EXCEEDED, "blocks nested too deep; the limit is %d",
                         SCENE_BLOCK_DEPTH_MAX);
    }
    scene_step *step = &x->trail[x->trail_size++];
    step->list = name;
    status s = STATUS_OK;
    for (uint32_t i = 0; i < list->via.array.size && s == STATUS_OK; i++) {
        step->index = i;
        s = expand_entry(x, &list->via.array.ptr[i]);
    }
    x->trail_size--;
    return s;
}

status scene_expand(scene_expander *x, const msgpack_object *list)
{
    x->constants = x->scope.count;
    return expand_list(x, list, "commands");
}
