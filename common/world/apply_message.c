// The check of a message; see apply.h. The world's thread.
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

status check_message(const message_args *message, error *err)
{
    status s = check_name(message->name, err);
    if (s != STATUS_OK || message->data == NULL) {
        return s;
    }
    if (message->data_size > MESSAGE_DATA_BYTES_MAX) {
        return error_set(err, STATUS_LIMIT_EXCEEDED,
                         "data: must have at most %d bytes of MessagePack, got %zu",
                         MESSAGE_DATA_BYTES_MAX, message->data_size);
    }
    s = packed_value_check(message->data, message->data_size, MESSAGE_DATA_DEPTH_MAX, err);
    if (s != STATUS_OK) {
        error_prefix(err, "data (at most %d containers deep)", MESSAGE_DATA_DEPTH_MAX);
    }
    return s;
}
