// Scene files: worlds written down as JSON. Part of libcarom-scene, a library beside libcarom: link
// it only where levels or tools load scenes (pkg-config carom-scene, carom::scene).
//
// A scene is expanded here and fed to a world through world.apply, in pieces that stay within the
// server's limits, with the ids of bodies filled in where later pieces refer to them.
#ifndef CAROM_SCENE_H
#define CAROM_SCENE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <carom/client.h>
#include <carom/export.h>
#include <carom/status.h>
#include <carom/value.h>

CAROM_BEGIN_DECLS

typedef struct carom_scene_options {
    bool exact;  // see carom/export.h
    bool create; // create the world, with the scene's own settings, if it does not exist; default
                 // true
    bool paused; // a world that is created stays paused; default false
    int timeout_ms; // wait for each answer; default 10 000
} carom_scene_options;

CAROM_API carom_scene_options carom_scene_options_default(void);

typedef struct carom_scene_result {
    bool created;            // the world did not exist before
    uint64_t commands;       // number of applied commands
    uint64_t bodies, joints; // bodies and joints that they made
    uint64_t tick;           // the first tick whose state shows all of it
} carom_scene_result;

// Applies a scene (JSON text, `size` bytes) to a world. `options` NULL: the defaults; `result` may
// be NULL. A world that is created is paused until all of it is there. Each piece is applied as a
// whole or not at all; when a later piece fails, the earlier ones stay, a world that was created
// here is destroyed again, and the text says which command failed. Waits; not allowed in callbacks.
// Errors: CAROM_INVALID_ARGUMENT for a text that is no scene, else those of carom_call.
CAROM_API carom_status carom_scene_apply(carom_client *client, const char *world, const char *text,
                                         size_t size, const carom_scene_options *options,
                                         carom_scene_result *result, carom_error *error);

// Checks a scene without a server: its JSON, expressions, methods and references, that it keeps
// within the limits of the format, its world's settings, and the arguments of each command, by the
// server's own rules. Left to a server are its own limits and rights, and whether objects exist
// that a command names by id. `result` (may be NULL) gets the numbers of commands, bodies and
// joints. Any thread. Errors, which begin with the place in the scene: CAROM_INVALID_ARGUMENT,
// CAROM_UNKNOWN_METHOD, CAROM_LIMIT_EXCEEDED; CAROM_OUT_OF_MEMORY.
CAROM_API carom_status carom_scene_check(const char *text, size_t size, carom_scene_result *result,
                                         carom_error *error);

// ---- expressions, as scenes have them, for other files of the same kind

typedef struct carom_variable {
    const char *name; // a letter or _, then letters, digits and _; no name of a function
    double value;
} carom_variable;

// The value of an expression such as "2 * x + random(-1, 1)", with or without "=" before it; always
// finite. If two of the variables (64 at most) have the same name, the later one counts. `random`
// is the state of random(), which each use changes; any value is a seed. Any thread. Errors:
// CAROM_INVALID_ARGUMENT with the column, CAROM_LIMIT_EXCEEDED.
CAROM_API carom_status carom_expression_evaluate(const char *text, size_t size,
                                                 const carom_variable *variables, size_t count,
                                                 uint64_t *random, double *out, carom_error *error);

// The value that a string in the arguments of a scene stands for: a number for "=expression" (an
// integer if it is whole), else the text with each {expression} replaced by its value and {{ by a
// brace. *out is the caller's to free. Names of objects ("$name") are not known here. Otherwise as
// above; also CAROM_OUT_OF_MEMORY.
CAROM_API carom_status carom_expression_fill(const char *text, size_t size,
                                             const carom_variable *variables, size_t count,
                                             uint64_t *random, carom_value **out,
                                             carom_error *error);

CAROM_END_DECLS

#endif
