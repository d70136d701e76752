// Checks of single numbers from a caller; the checks of whole definitions are public
// (definition.c).
#ifndef CAROM_COMMON_PHYSICS_DEFINITION_H
#define CAROM_COMMON_PHYSICS_DEFINITION_H

#include "common/physics/physics.h"

status number_check(double value, double lower, double upper, const char *name, error *err);
status vector_check(vec2d value, double limit, const char *name, error *err);

#endif
