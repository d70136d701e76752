// Unrolls a scene's entries into commands: loops, names, expressions. Internal to proto; scene.h
// describes the entries. One thread.
//
// Everything is bounded: the work by SCENE_WORK_MAX, so that a loop without a body ends too, the
// commands and their bytes, and the nesting of blocks; values nest no deeper than WIRE_DEPTH_MAX,
// which the parser of the objects ensures.
#ifndef CAROM_PROTO_SCENE_SCENE_EXPAND_H
#define CAROM_PROTO_SCENE_SCENE_EXPAND_H

#include <msgpack.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/vector.h"
#include "proto/scene/expression.h"
#include "proto/scene/scene.h"
#include "proto/scene/scene_names.h"

typedef struct scene_step {
    uint32_t index;   // index of the entry in its list
    const char *list; // "commands", "do" or "else"
} scene_step;

typedef struct scene_expander {
    expression_scope scope;
    uint32_t constants; // how many of the scope's variables are the file's constants
    scene_names names;
    VECTOR(scene_command) commands;
    buffer bytes;
    uint64_t work;
    uint32_t stop_at; // expansion ends at this command, whose place is wanted; UINT32_MAX: at the
                      // end
    scene_step trail[SCENE_BLOCK_DEPTH_MAX + 1]; // path to the present entry
    uint32_t trail_size;
    bool located;                               // the error names its entry already
    const msgpack_object *path[WIRE_DEPTH_MAX]; // keys within the arguments, NULL for an index
    uint32_t path_index[WIRE_DEPTH_MAX];
    uint32_t path_size;
    error *err;
} scene_expander;

// `err` must not be NULL.
void scene_expander_init(scene_expander *x, error *err);
void scene_expander_deinit(scene_expander *x);

// Expands the list "commands".
status scene_expand(scene_expander *x, const msgpack_object *list);

// ---- values (scene_value.c)

static inline bool scene_is_string(const msgpack_object *object)
{
    return object->type == MSGPACK_OBJECT_STR;
}

// The bytes of a string. msgpack-c uses NULL for an empty one, which C library functions do not
// allow.
static inline const char *scene_text(const msgpack_object *object)
{
    return object->via.str.size > 0 ? object->via.str.ptr : "";
}

// STATUS_INTERNAL: memory has run out.
status scene_starved(const scene_expander *x);

// STATUS_INVALID_ARGUMENT with this text.
status scene_fail(const scene_expander *x, const char *text);

// Subtracts `work` from the rest of SCENE_WORK_MAX; STATUS_LIMIT_EXCEEDED when that is used up.
status scene_spend(scene_expander *x, uint64_t work);

// A number, a truth or an expression (a string, with or without "=").
status scene_scalar(scene_expander *x, const msgpack_object *object, double *out);

// Defines the names of a map {name: scalar …}, in its order.
status scene_define(scene_expander *x, const msgpack_object *map);

// The text with each {expression} replaced by its value. `out` is cleared first.
status scene_fill_in(scene_expander *x, const char *text, size_t size, buffer *out);

// Packs a value of the arguments with its expressions and references. On failure x->path is that of
// the value at fault.
status scene_pack_value(scene_expander *x, msgpack_packer *packer, const msgpack_object *value);

// Puts the place within the arguments in front of the error: "shapes[0].radius: …".
void scene_locate_value(scene_expander *x);

#endif
