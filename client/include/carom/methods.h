// The table of the protocol's methods, as the library was built with it: for command lines,
// bindings and documentation. A server of another version may know more or fewer.
#ifndef CAROM_METHODS_H
#define CAROM_METHODS_H

#include <stdbool.h>
#include <stddef.h>

#include <carom/export.h>

CAROM_BEGIN_DECLS

typedef struct carom_argument {
    const char *name;
    const char *type; // for people: "world name", "vector", "number" …
    const char
        *fallback;   // what holds when it is left out, for people; "" if there is nothing to say
    const char *doc; // a sentence
    bool required;
} carom_argument;

typedef struct carom_method {
    const char *name;   // "body.impulse"
    const char *doc;    // a sentence
    const char *result; // what is answered, for people: "{tick}"
    size_t argument_count;
    bool command; // changes a world and may go into world.apply
} carom_method;

CAROM_API size_t carom_method_count(void);
CAROM_API bool carom_method_at(size_t index, carom_method *out); // false past the end
CAROM_API bool carom_method_find(const char *name, carom_method *out,
                                 size_t *index); // `out`, `index` may be NULL
// Argument `argument` of method `index`; false past the end of either.
CAROM_API bool carom_method_argument(size_t index, size_t argument, carom_argument *out);

CAROM_END_DECLS

#endif
