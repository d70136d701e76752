// The first bytes of MessagePack as a table, after its specification. Pure; any thread.
#include "common/base/tag.h"

// 0xc0 to 0xdf, in their order.
static const tag_info TAGS[32] = {
    {TAG_NIL, 0, 0},     {TAG_RESERVED, 0, 0}, {TAG_BOOL, 0, 0},    {TAG_BOOL, 0, 0},
    {TAG_BIN, 1, 0},     {TAG_BIN, 2, 0},      {TAG_BIN, 4, 0},     // bin 8, 16, 32
    {TAG_EXT, 1, 1},     {TAG_EXT, 2, 1},      {TAG_EXT, 4, 1},     // ext 8, 16, 32
    {TAG_FLOAT, 0, 4},   {TAG_FLOAT, 0, 8},                         // float 32, 64
    {TAG_INTEGER, 0, 1}, {TAG_INTEGER, 0, 2},  {TAG_INTEGER, 0, 4}, // uint 8, 16, 32
    {TAG_INTEGER, 0, 8},                                            // uint 64
    {TAG_INTEGER, 0, 1}, {TAG_INTEGER, 0, 2},  {TAG_INTEGER, 0, 4}, // int 8, 16, 32
    {TAG_INTEGER, 0, 8},                                            // int 64
    {TAG_EXT, 0, 2},     {TAG_EXT, 0, 3},      {TAG_EXT, 0, 5},     // fixext 1, 2, 4
    {TAG_EXT, 0, 9},     {TAG_EXT, 0, 17},                          // fixext 8, 16
    {TAG_STR, 1, 0},     {TAG_STR, 2, 0},      {TAG_STR, 4, 0},     // str 8, 16, 32
    {TAG_ARRAY, 2, 0},   {TAG_ARRAY, 4, 0},                         // array 16, 32
    {TAG_MAP, 2, 0},     {TAG_MAP, 4, 0},                           // map 16, 32
};

tag_info tag_read(uint8_t tag)
{
    if (tag < 0x80 || tag >= 0xE0) {
        return (tag_info){TAG_INTEGER, 0, 0};
    }
    if (tag < 0x90) {
        return (tag_info){TAG_MAP, 0, tag & 0x0F};
    }
    if (tag < 0xA0) {
        return (tag_info){TAG_ARRAY, 0, tag & 0x0F};
    }
    if (tag < 0xC0) {
        return (tag_info){TAG_STR, 0, tag & 0x1F};
    }
    return TAGS[tag - 0xC0];
}

bool value_head_read(const uint8_t *bytes, size_t available, value_head *out)
{
    if (available == 0) {
        return false;
    }
    tag_info info = tag_read(bytes[0]);
    if (available < (size_t)1 + info.length_bytes) {
        return false;
    }
    uint64_t length = 0;
    for (uint32_t i = 1; i <= info.length_bytes; i++) {
        length = length << 8 | bytes[i];
    }
    *out = (value_head){(tag_kind)info.kind, 1U + info.length_bytes, length + info.fixed};
    return true;
}

uint64_t tag_integer(uint8_t tag, const uint8_t *body, bool *negative)
{
    if (tag < 0x80 || tag >= 0xE0) {
        *negative = tag >= 0xE0;
        return (uint64_t)(int64_t)(int8_t)tag;
    }
    uint32_t size = tag_read(tag).fixed;
    bool is_signed = tag >= 0xD0;
    *negative = is_signed && (body[0] & 0x80) != 0;
    uint64_t value = *negative ? UINT64_MAX : 0;
    for (uint32_t i = 0; i < size; i++) {
        value = value << 8 | body[i];
    }
    return value;
}
