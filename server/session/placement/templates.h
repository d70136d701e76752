// Templates of worlds: what world.join makes a new world from (caromd --template NAME=FILE).
//
// A file is one JSON object: the arguments of world.create, but for those below, and
//   seats    how many sessions may have a place in such a world, 1 to WORLD_SEATS_MAX; required
//   idle_s   seconds after which a world whose seats are all free ends, 1 to TEMPLATE_IDLE_S_MAX;
//            TEMPLATE_IDLE_S if left out
// Its worlds' names, lifetimes and images are not the file's to say. Without `players` its players
// push their own bodies, send messages, set their own data, and nothing else (players_default());
// with `"players": {}` they are not bounded.
//
// Read once, at the start, on the main thread; constant afterwards.
#ifndef CAROM_SERVER_SESSION_PLACEMENT_TEMPLATES_H
#define CAROM_SERVER_SESSION_PLACEMENT_TEMPLATES_H

#include <stdint.h>

#include "common/base/array.h"
#include "common/base/status.h"
#include "common/world/command.h"
#include "server/base/limits.h"

enum {
    TEMPLATES_MAX = 64,
    TEMPLATE_BYTES_MAX = 64 << 10, // a file's size: all arguments of world.create take a tenth
    TEMPLATE_IDLE_S = 30,          // as long as a lost session waits to be resumed (resume_ms)
    TEMPLATE_IDLE_S_MAX = 86400
};

typedef struct world_template {
    char name[TEMPLATE_NAME_BYTES_MAX + 1];
    command create; // world.create without a world's name; owned
    uint32_t seats;
    uint64_t idle_ms;
} world_template;

typedef ARRAY(world_template) world_templates;

// Reads the JSON text of a template. Errors name the key, or the line and column, and what is
// allowed; `out` then owns nothing.
status template_parse(const char *name, const char *text, size_t size, world_template *out,
                      error *err);
// Reads a file and makes its world once, with the server's folder of scenes (NULL: none) and
// bounds, so that a scene that does not exist or does not fit is an error of the start. Errors
// begin with the path.
status template_read(const char *name, const char *path, const char *scenes, const limits *bounds,
                     world_template *out, error *err);
void template_deinit(world_template *t);

void templates_free(world_templates *list);

#endif
