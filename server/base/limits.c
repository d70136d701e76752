// The table of limits as data: look-up and parsing; see limits.h. Any thread.
#include "server/base/limits.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/suggest.h"

static const limit_info TABLE[] = {
#define LIMIT_ROW(name, standard, smallest, largest, unit, reason)                                 \
    {#name, unit, reason, standard, smallest, largest, offsetof(limits, name)},
    LIMITS_TABLE(LIMIT_ROW)
#undef LIMIT_ROW
};

limits limits_default(void)
{
    return (limits){
#define LIMIT_DEFAULT(name, standard, smallest, largest, unit, reason) .name = (standard),
        LIMITS_TABLE(LIMIT_DEFAULT)
#undef LIMIT_DEFAULT
    };
}

const limit_info *limits_info(size_t index)
{
    return index < sizeof TABLE / sizeof *TABLE ? &TABLE[index] : NULL;
}

uint64_t limits_get(const limits *values, const limit_info *info)
{
    uint64_t value;
    memcpy(&value, (const char *)values + info->offset, sizeof value);
    return value;
}

capacity_limits limits_room(const limits *values)
{
    return (capacity_limits){.bodies = values->bodies_per_world,
                             .shapes = values->shapes_per_world,
                             .joints = values->joints_per_world};
}

data_limits limits_data(const limits *values)
{
    return (data_limits){.value_bytes = values->data_value_bytes,
                         .keys = values->data_keys_per_world,
                         .bytes = values->data_bytes_per_world};
}

uint64_t limits_worlds_in_all(const limits *values)
{
    return 2 * values->worlds;
}

static uint64_t lesser(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

void limits_fit_memory(limits *values, uint64_t bytes)
{
    values->unsent_bytes = lesser(values->unsent_bytes, bytes / 4);
    values->holder_bytes = lesser(values->holder_bytes, bytes / 4);
    values->command_bytes = lesser(values->command_bytes, bytes / 8);
    values->output_bytes = lesser(values->output_bytes, bytes / 8);
}

static const limit_info *find(const char *name, size_t size)
{
    for (size_t i = 0; i < sizeof TABLE / sizeof *TABLE; i++) {
        if (strlen(TABLE[i].name) == size && memcmp(TABLE[i].name, name, size) == 0) {
            return &TABLE[i];
        }
    }
    return NULL;
}

status limits_set(limits *values, const char *assignment, error *err)
{
    const char *equals = strchr(assignment, '=');
    if (equals == NULL) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "'%s' is not NAME=VALUE", assignment);
    }
    size_t size = (size_t)(equals - assignment);
    const limit_info *info = find(assignment, size);
    if (info == NULL) {
        suggestion near;
        char hint[SUGGEST_TEXT_MAX];
        suggest_begin(&near, assignment, size);
        for (size_t i = 0; i < sizeof TABLE / sizeof *TABLE; i++) {
            suggest_offer(&near, TABLE[i].name, strlen(TABLE[i].name));
        }
        return error_set(err, STATUS_INVALID_ARGUMENT, "no limit is called '%.*s'%s", (int)size,
                         assignment, suggest_text(&near, hint));
    }
    const char *text = equals + 1;
    char *end = NULL;
    errno = 0;
    uint64_t value = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0' || errno != 0 || value < info->smallest ||
        value > info->largest) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "%s must be a whole number from %" PRIu64 " to %" PRIu64 ", not '%s'",
                         info->name, info->smallest, info->largest, text);
    }
    memcpy((char *)values + info->offset, &value, sizeof value);
    return STATUS_OK;
}
