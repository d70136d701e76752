// The table of the protocol's methods, as this library was built with it: for command lines,
// bindings and documentation. A server of another version may know more or fewer.
#ifndef CAROM_METHODS_H
#define CAROM_METHODS_H

#include <stdbool.h>
#include <stddef.h>

#include <carom/export.h>

CAROM_BEGIN_DECLS

typedef struct carom_argument {
    const char *name;
    const char *type;     // type as text: "number", "[x, y]" …
    const char *unit;     // unit, such as "m/s"; "": none
    const char *choices;  // allowed words, "static|kinematic|dynamic"; "" if it is no choice
    const char *fallback; // default, as JSON; "": none
    const char *doc;      // description, one sentence
    bool required;
} carom_argument;

typedef struct carom_method {
    const char *name;   // "body.impulse"
    const char *doc;    // description, one sentence
    const char *result; // the result, as text: "{tick}"
    const char *role;   // least role that may call it: "none", "viewer", "player" or "admin"
    size_t argument_count;
    bool batch;     // allowed in world.apply
    bool available; // false: named by the protocol, answered with `unavailable` in this version
} carom_method;

CAROM_API size_t carom_method_count(void);
CAROM_API bool carom_method_at(size_t index, carom_method *out); // false past the end
CAROM_API bool carom_method_find(const char *name, carom_method *out,
                                 size_t *index); // `out`, `index` may be NULL
// Argument `argument` of method `index`; false past the end of either.
CAROM_API bool carom_method_argument(size_t index, size_t argument, carom_argument *out);

CAROM_END_DECLS

#endif
