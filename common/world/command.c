// Operations on commands: names, rights, ownership of memory.
#include "common/world/command.h"

#include <inttypes.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/world/command_memory.h"

bool world_name_valid(const char *name, size_t size)
{
    if (size == 0 || size > WORLD_NAME_BYTES_MAX) {
        return false;
    }
    for (size_t i = 0; i < size; i++) {
        char c = name[i];
        bool letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (!letter && c != '_' && c != '.' && c != '-') {
            return false;
        }
    }
    return true;
}

role command_rights(const command *c)
{
    role most = method_role(c->method);
    for (uint32_t i = 0; c->method == METHOD_WORLD_APPLY && i < c->apply.count; i++) {
        ASSERT(c->apply.commands[i].method != METHOD_WORLD_APPLY); // batches do not nest
        role rights = method_role(c->apply.commands[i].method);
        most = rights > most ? rights : most;
    }
    return most;
}

status command_permit(const command *c, role held, error *err)
{
    if (held < method_role(c->method)) {
        return error_set(err, STATUS_PERMISSION_DENIED, "%s needs the role %s, this session is %s",
                         method_wire_name(c->method), role_name(method_role(c->method)),
                         role_name(held));
    }
    for (uint32_t i = 0; c->method == METHOD_WORLD_APPLY && i < c->apply.count; i++) {
        status s = command_permit(&c->apply.commands[i], held, err); // batches do not nest
        if (s != STATUS_OK) {
            error_prefix(err, "commands[%" PRIu32 "]", i);
            return s;
        }
    }
    return STATUS_OK;
}

// Like command_own(); `memory` belongs to the outermost command.
static void own(command *c, const char *owner, command_memory **memory)
{
    ASSERT(strlen(owner) <= OWNER_BYTES_MAX);
    if (c->method == METHOD_BODY_SPAWN && c->spawn.owner == NULL) {
        c->spawn.owner = command_memory_text(memory, owner, strlen(owner));
    }
    if (c->method == METHOD_MESSAGE_SEND && c->message.subject == NULL) {
        c->message.subject = command_memory_text(memory, owner, strlen(owner));
    }
    for (uint32_t i = 0; c->method == METHOD_WORLD_APPLY && i < c->apply.count; i++) {
        own(&c->apply.commands[i], owner, memory);
    }
}

void command_own(command *c, const char *owner)
{
    if (*owner != '\0') {
        own(c, owner, &c->memory);
    }
}

double view_margin(const area *a)
{
    const double width = a->x1 - a->x0;
    const double height = a->y1 - a->y0;
    return VIEW_MARGIN_SHARE * (width < height ? width : height);
}

void subscribe_args_move(subscribe_args *s, const view_args *to)
{
    s->has_area = to->has_area;
    s->area = to->area;
    s->follow = to->follow;
    s->own_margin = s->own_margin || to->own_margin;
    if (to->own_margin) {
        s->margin = to->margin;
    } else if (!s->own_margin) {
        s->margin = view_margin(&to->area);
    }
}

uint64_t command_subject(const command *c)
{
    ASSERT((unsigned)c->method < METHOD_COUNT);
#define SUBJECT(id, field)                                                                         \
    case METHOD_##id:                                                                              \
        return c->field;
    switch (c->method) {
        METHOD_SUBJECTS(SUBJECT)
    default:
        return 0;
    }
}

bool command_past(const command *c, double *at)
{
#define PAST(id, field)                                                                            \
    case METHOD_##id:                                                                              \
        *at = (double)c->field.at;                                                                 \
        return c->field.has_at;
    switch (c->method) {
        METHOD_PAST(PAST)
    default:
        return false;
    }
}

status command_check_present(const command *c, error *err)
{
    double at;
    if (!command_past(c, &at)) {
        return STATUS_OK;
    }
    return error_set(err, STATUS_UNAVAILABLE,
                     "at: this world keeps no past; without it, the answer is of the present");
}

size_t command_held_bytes(const command *c)
{
    return command_memory_held(c->memory);
}

void command_free(command *c)
{
    command_memory_free(c->memory);
    *c = (command){0};
}
