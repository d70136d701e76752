// The columns of METHOD_LIST that describe a method, looked up by its number: name, role and scope.
#include "common/world/method.h"

#include "common/base/assert.h"

typedef struct method_row {
    const char *name;
    role role;
    method_scope scope;
} method_row;

#define ROW(id_, name_, role_, scope_, ...)                                                        \
    [METHOD_##id_] = {.name = name_, .role = role_, .scope = scope_},
static const method_row ROWS[METHOD_COUNT] = {METHOD_LIST(ROW)};

const char *method_wire_name(method m)
{
    ASSERT((unsigned)m < METHOD_COUNT);
    return ROWS[m].name;
}

method_scope method_scope_of(method m)
{
    ASSERT((unsigned)m < METHOD_COUNT);
    return ROWS[m].scope;
}

role method_role(method m)
{
    ASSERT((unsigned)m < METHOD_COUNT);
    return ROWS[m].role;
}

#define NAME(role_, name_) [role_] = name_,
static const char *const ROLE_NAMES[ROLE_COUNT] = {ROLE_WORDS(NAME)};

const char *role_name(role r)
{
    return (unsigned)r < ROLE_COUNT ? ROLE_NAMES[r] : ROLE_NAMES[ROLE_NONE];
}
