// Reads MessagePack for reader.h, without allocation or recursion. Any thread.
#include "client/lib/reader.h"

#include <string.h>

#include "common/base/utf8.h"

reader reader_open(const void *bytes, size_t size)
{
    const uint8_t *begin = bytes;
    return (reader){.at = begin, .end = begin + size};
}

enum { FLOAT32 = 0xCA, FLOAT64 = 0xCB };

static double float32_at(const uint8_t *body)
{
    uint32_t bits = 0;
    for (size_t i = 0; i < sizeof bits; i++) {
        bits = bits << 8 | body[i];
    }
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static double float64_at(const uint8_t *body)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < sizeof bits; i++) {
        bits = bits << 8 | body[i];
    }
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static bool fail(reader *r)
{
    r->failed = true;
    r->at = r->end;
    return false;
}

bool reader_next(reader *r, reader_item *item)
{
    *item = (reader_item){.kind = TAG_NIL};
    value_head head;
    if (r->failed || !value_head_read(r->at, (size_t)(r->end - r->at), &head)) {
        return fail(r);
    }
    uint8_t tag = r->at[0];
    const uint8_t *body = r->at + head.size;
    bool container = head.kind == TAG_ARRAY || head.kind == TAG_MAP;
    // Each element has at least one byte, so this refuses containers that only declare their
    // elements.
    if (head.length > (uint64_t)(r->end - body)) {
        return fail(r);
    }
    item->kind = head.kind;
    item->count = (uint32_t)head.length;
    switch (head.kind) {
    case TAG_BOOL:
        item->boolean = tag == 0xC3;
        break;
    case TAG_INTEGER:
        item->integer = tag_integer(tag, body, &item->negative);
        break;
    case TAG_FLOAT:
        item->real = tag == FLOAT32 ? float32_at(body) : float64_at(body);
        break;
    case TAG_STR:
    case TAG_BIN:
    case TAG_EXT:
        item->bytes = body;
        break;
    case TAG_RESERVED:
        return fail(r);
    default:
        break;
    }
    r->at = container ? body : body + head.length;
    return true;
}

void reader_skip(reader *r)
{
    uint64_t owed = 1;
    while (owed > 0) {
        reader_item item;
        if (!reader_next(r, &item)) {
            return;
        }
        owed--;
        if (item.kind == TAG_ARRAY) {
            owed += item.count;
        } else if (item.kind == TAG_MAP) {
            owed += (uint64_t)item.count * 2;
        }
    }
}

static reader_item expect(reader *r, tag_kind kind)
{
    reader_item item;
    if (reader_next(r, &item) && item.kind != kind) {
        fail(r);
        item = (reader_item){.kind = TAG_NIL};
    }
    return item;
}

uint32_t reader_array(reader *r)
{
    return expect(r, TAG_ARRAY).count;
}

uint32_t reader_map(reader *r)
{
    return expect(r, TAG_MAP).count;
}

bool reader_bool(reader *r)
{
    return expect(r, TAG_BOOL).boolean;
}

// Most values of a snapshot are floats: they are read without the table of tags.
static bool take_float(reader *r, double *out)
{
    size_t available = (size_t)(r->end - r->at);
    if (available > sizeof(float) && r->at[0] == FLOAT32) {
        *out = float32_at(r->at + 1);
        r->at += 1 + sizeof(float);
        return true;
    }
    if (available > sizeof(double) && r->at[0] == FLOAT64) {
        *out = float64_at(r->at + 1);
        r->at += 1 + sizeof(double);
        return true;
    }
    return false;
}

static double fail_unless_finite(reader *r, double value)
{
    if (value - value == 0.0) {
        return value;
    }
    fail(r);
    return 0.0;
}

double reader_number(reader *r)
{
    double value;
    if (take_float(r, &value)) {
        return fail_unless_finite(r, value);
    }
    reader_item item;
    if (!reader_next(r, &item)) {
        return 0.0;
    }
    if (item.kind == TAG_INTEGER) {
        return item.negative ? (double)(int64_t)item.integer : (double)item.integer;
    }
    fail(r); // an incomplete float, or another type
    return 0.0;
}

#define TWO_64 18446744073709551616.0

uint64_t reader_unsigned(reader *r)
{
    reader_item item;
    if (!reader_next(r, &item)) {
        return 0;
    }
    if (item.kind == TAG_INTEGER && !item.negative) {
        return item.integer;
    }
    if (item.kind == TAG_FLOAT && item.real >= 0.0 && item.real < TWO_64) {
        uint64_t whole = (uint64_t)item.real;
        if ((double)whole - item.real == 0.0) {
            return whole;
        }
    }
    fail(r);
    return 0;
}

reader_text reader_get_text(reader *r)
{
    reader_item item;
    reader_next(r, &item);
    bool text = item.kind == TAG_STR || item.kind == TAG_BIN;
    if (!text || !utf8_valid(item.bytes, item.count)) {
        fail(r);
        return (reader_text){"", 0};
    }
    return (reader_text){(const char *)item.bytes, item.count};
}

bool reader_text_is(reader_text text, const char *word)
{
    return strlen(word) == text.size && memcmp(text.bytes, word, text.size) == 0;
}
