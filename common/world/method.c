// The columns of METHOD_LIST, looked up by a method's number.
#include "common/world/method.h"

#include "common/base/assert.h"

typedef struct method_row {
    const char *name;
    role role;
    method_scope scope;
    unsigned traits; // bits of method_trait
    double price;
} method_row;

#define ROW(id, name, role, scope, traits, price)                                                  \
    [METHOD_##id] = {name, role, scope, traits, price},
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

bool method_has(method m, method_trait t)
{
    ASSERT((unsigned)m < METHOD_COUNT);
    return (ROWS[m].traits & t) != 0;
}

double method_price(method m)
{
    ASSERT((unsigned)m < METHOD_COUNT);
    return ROWS[m].price;
}

#define MAKES(id, field) [METHOD_##id] = true,
static const bool MAKERS[METHOD_COUNT] = {METHOD_MAKES(MAKES)};

bool method_makes(method m)
{
    ASSERT((unsigned)m < METHOD_COUNT);
    return MAKERS[m];
}

#define NAME(role_, name_) [role_] = name_,
static const char *const ROLE_NAMES[ROLE_COUNT] = {ROLE_WORDS(NAME)};

const char *role_name(role r)
{
    return (unsigned)r < ROLE_COUNT ? ROLE_NAMES[r] : ROLE_NAMES[ROLE_NONE];
}
