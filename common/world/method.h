// The methods that there are, who may call them, and where they are carried out.
//
// Constant data; any thread. Knows no physics, so a client may link it.
#ifndef CAROM_COMMON_WORLD_METHOD_H
#define CAROM_COMMON_WORLD_METHOD_H

#include "common/world/method_list.h"

#define METHOD_ID(id, ...) METHOD_##id,
typedef enum method { METHOD_LIST(METHOD_ID) METHOD_COUNT } method;
#undef METHOD_ID

// The right of a session; each role may do all that the ones before it may.
typedef enum role {
    ROLE_NONE,   // not known who: may introduce itself and ping
    ROLE_VIEWER, // looks: worlds, bodies, queries, subscriptions
    ROLE_PLAYER, // acts on bodies, shapes and joints
    ROLE_ADMIN,  // creates, stops, changes and destroys worlds
    ROLE_COUNT
} role;

// The part of the server that carries a method out.
typedef enum method_scope {
    SCOPE_SESSION,    // by the connection's session alone
    SCOPE_SERVER,     // by the server as a whole: its list of worlds, its counters
    SCOPE_WORLD_HOST, // by whoever drives the named world: pause, step, info; in its inbox's order
    SCOPE_WORLD_COMMAND, // by apply_command at the start of a tick; changes the named world
    SCOPE_WORLD_READ,    // by apply_command too; changes nothing
    SCOPE_SUBSCRIPTION   // by the world's host for one session; named by world or by subscription
} method_scope;

// The method's name on the wire, "body.spawn". `m` is below METHOD_COUNT (asserted).
const char *method_wire_name(method m);
method_scope method_scope_of(method m);
role method_role(method m); // the least that may call it

// "none", "viewer", "player", "admin"; "none" for a value that is no role.
const char *role_name(role r);

#endif
