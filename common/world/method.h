// The methods, who may call them, and where they run.
//
// Constant data; any thread. Knows no physics, so a client may link it.
#ifndef CAROM_COMMON_WORLD_METHOD_H
#define CAROM_COMMON_WORLD_METHOD_H

#include "common/world/method_list.h"

// The method's name on the wire, "body.spawn". `m` is below METHOD_COUNT (asserted).
const char *method_wire_name(method m);
method_scope method_scope_of(method m);
role method_role(method m);                // the least role that may call it
bool method_has(method m, method_trait t); // whether it has the trait
// Cost to a network thread, in plain requests; 0: depends on its bytes
double method_price(method m);
// Whether the method makes a body, shape or joint, to which a batch may refer later
bool method_makes(method m);

// "none", "viewer", "player", "admin"; "none" for a value that is no role.
const char *role_name(role r);

#endif
