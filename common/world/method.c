// What the table tells of a method besides what it does.
#include "common/world/method.h"

#include "common/base/assert.h"

typedef struct method_row {
    const char *name;
    role role;
    method_scope scope;
} method_row;

#define ROW(id_, name_, role_, scope_, ...)                                                        \
    [METHOD_##id_] = {.name = name_, .role = ROLE_##role_, .scope = SCOPE_##scope_},
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
