// Environment variables of carom's programs that are probably misspelt. Pure; any thread.
//
// Only a name that is similar to a known one is reported: scripts, tests and containers have
// CAROM_ variables of their own, and Kubernetes makes some for a service called carom.
#ifndef CAROM_COMMON_ARGS_VARIABLES_H
#define CAROM_COMMON_ARGS_VARIABLES_H

#include <stdbool.h>
#include <stddef.h>

enum { VARIABLES_NAME_MAX = 64 }; // longer names are not looked at

// Whether the entry NAME=VALUE of an environment is a variable CAROM_… that is none of `known`, but
// similar to one, *meant. `name` gets its name.
bool variables_misspelt(const char *entry, const char *const *known, size_t count,
                        char name[VARIABLES_NAME_MAX], const char **meant);

#endif
