// One pass over the bytes, with a stack of the elements that open containers still need; see
// packed_value.h. Any thread.
#include "common/base/packed_value.h"

#include "common/base/assert.h"
#include "common/base/tag.h"
#include "common/base/utf8.h"

typedef struct walk {
    uint64_t left[PACKED_VALUE_DEPTH_MAX + 1]; // values that each open container still needs
    int depth;
    const char *fault; // NULL: none yet
} walk;

// Enters the container, or passes over the value, whose head ends at `at`. Returns the bytes
// passed.
static size_t pass(walk *w, const value_head *head, const uint8_t *at, size_t available,
                   int depth_max)
{
    if (head->kind == TAG_ARRAY || head->kind == TAG_MAP) {
        if (w->depth >= depth_max) {
            w->fault = "containers nest too deep";
            return 0;
        }
        w->left[++w->depth] = head->kind == TAG_MAP ? 2 * head->length : head->length;
        return 0;
    }
    if (head->kind == TAG_RESERVED || head->kind == TAG_EXT) {
        w->fault = "expected no extension type: the protocol has none";
    } else if (head->length > available) {
        w->fault = "the value ends early";
    } else if (head->kind == TAG_STR && !utf8_valid(at, (size_t)head->length)) {
        w->fault = "a string is not UTF-8";
    }
    return w->fault == NULL ? (size_t)head->length : 0;
}

status packed_value_check(const uint8_t *bytes, size_t size, int depth_max, error *err)
{
    ASSERT(depth_max >= 0 && depth_max <= PACKED_VALUE_DEPTH_MAX);
    walk w = {.left = {1}};
    size_t at = 0;
    while (w.fault == NULL && w.depth >= 0) {
        value_head head;
        if (w.left[w.depth] == 0) {
            w.depth--;
            continue;
        }
        w.left[w.depth]--;
        if (!value_head_read(bytes + at, size - at, &head)) {
            w.fault = "the value ends early";
            break;
        }
        at += head.size;
        at += pass(&w, &head, bytes + at, size - at, depth_max);
    }
    if (w.fault == NULL && at < size) {
        w.fault = "bytes follow the value";
    }
    return w.fault == NULL ? STATUS_OK
                           : error_set(err, STATUS_INVALID_ARGUMENT, "byte %zu: %s", at, w.fault);
}
