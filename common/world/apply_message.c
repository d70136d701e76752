// The checks of messages and of a join's data; see apply.h. The world's thread.
#include <string.h>

#include "common/base/packed_value.h"
#include "common/base/utf8.h"
#include "common/world/apply_internal.h"

static status check_name(const char *name, error *err)
{
    const size_t size = name != NULL ? strlen(name) : 0;
    return size > 0 && size <= MESSAGE_NAME_BYTES_MAX && utf8_valid(name, size)
               ? STATUS_OK
               : error_set(err, STATUS_INVALID_ARGUMENT, "name: must have 1 to %d bytes of UTF-8",
                           MESSAGE_NAME_BYTES_MAX);
}

static status check_data(const uint8_t *data, size_t size, error *err)
{
    if (data == NULL) {
        return STATUS_OK;
    }
    if (size > MESSAGE_DATA_BYTES_MAX) {
        return error_set(err, STATUS_LIMIT_EXCEEDED,
                         "data: must have at most %d bytes of MessagePack, got %zu",
                         MESSAGE_DATA_BYTES_MAX, size);
    }
    const status s = packed_value_check(data, size, MESSAGE_DATA_DEPTH_MAX, err);
    if (s != STATUS_OK) {
        error_prefix(err, "data (at most %d containers deep)", MESSAGE_DATA_DEPTH_MAX);
    }
    return s;
}

status check_message(const message_args *message, error *err)
{
    const status s = check_name(message->name, err);
    return s == STATUS_OK ? check_data(message->data, message->data_size, err) : s;
}

status check_join_data(const world_join_args *join, error *err)
{
    return check_data(join->data, join->data_size, err);
}
