// See proxy_header.h. Any thread.
#include "server/net/proxy_header.h"

#include <string.h>

#include "common/base/crc32c.h"

enum {
    SIGNATURE_BYTES = 12,
    VERSION = 0x20,
    COMMAND_LOCAL = 0x0,
    COMMAND_PROXY = 0x1,
    FAMILY_NONE = 0x00,
    FAMILY_TCP4 = 0x11,
    FAMILY_TCP6 = 0x21,
    TCP4_BYTES = 12, // two addresses, two ports
    TCP6_BYTES = 36,
    TLV_HEAD = 3, // kind, length
    TLV_CRC32C = 0x03,
    CRC_BYTES = 4
};

static const uint8_t SIGNATURE[SIGNATURE_BYTES] = "\r\n\r\n\0\r\nQUIT\n";
static const uint8_t FIRST_VERSION[] = "PROXY ";

static proxy_result broken(const char **why, const char *text)
{
    *why = text;
    return PROXY_BROKEN;
}

static size_t two_bytes(const uint8_t *at)
{
    return (size_t)at[0] << 8 | at[1];
}

// Checks the first 16 bytes, or as many of them as have arrived.
static proxy_result check_begin(const uint8_t *data, size_t size, const char **why)
{
    size_t first = sizeof FIRST_VERSION - 1 < size ? sizeof FIRST_VERSION - 1 : size;
    size_t signature = size < SIGNATURE_BYTES ? size : SIGNATURE_BYTES;
    if (memcmp(data, SIGNATURE, signature) != 0) {
        return memcmp(data, FIRST_VERSION, first) == 0
                   ? broken(why, "version 1 is not spoken: the proxy has to send version 2")
                   : broken(why, "there is none: the proxies of --proxy-from must send one");
    }
    if (size > SIGNATURE_BYTES && (data[12] & 0xF0) != VERSION) {
        return broken(why, "its version is not 2");
    }
    if (size > SIGNATURE_BYTES && (data[12] & 0x0F) > COMMAND_PROXY) {
        return broken(why, "its command is neither LOCAL nor PROXY");
    }
    return PROXY_MORE;
}

// The checksum covers the whole header, with zeros in its own place.
static bool sums_up(const uint8_t *data, size_t size, size_t crc_at)
{
    uint8_t copy[PROXY_HEADER_BYTES_MAX];
    memcpy(copy, data, size);
    memset(copy + crc_at, 0, CRC_BYTES);
    uint32_t told =
        (uint32_t)two_bytes(data + crc_at) << 16 | (uint32_t)two_bytes(data + crc_at + 2);
    return crc32c(0, copy, size) == told;
}

// Walks over the TLVs behind the addresses; only the checksum is evaluated.
static proxy_result check_tlvs(const uint8_t *data, size_t at, size_t size, const char **why)
{
    while (at < size) {
        size_t length = size - at >= TLV_HEAD ? two_bytes(data + at + 1) : size;
        if (length > size - at - (size - at >= TLV_HEAD ? TLV_HEAD : 0)) {
            return broken(why, "a field goes beyond its end");
        }
        if (data[at] == TLV_CRC32C &&
            (length != CRC_BYTES || !sums_up(data, size, at + TLV_HEAD))) {
            return broken(why, "its checksum is wrong");
        }
        at += TLV_HEAD + length;
    }
    return PROXY_DONE;
}

static void take_source(const uint8_t *at, bool six, proxy_address *out)
{
    *out = (proxy_address){.six = {0}};
    if (six) {
        out->six.sin6_family = AF_INET6;
        memcpy(&out->six.sin6_addr, at, 16);
        memcpy(&out->six.sin6_port, at + 32, 2);
    } else {
        out->four.sin_family = AF_INET;
        memcpy(&out->four.sin_addr, at, 4);
        memcpy(&out->four.sin_port, at + 8, 2);
    }
}

static proxy_result read_whole(const uint8_t *data, proxy_header *out, const char **why)
{
    uint8_t family = data[13];
    size_t needs = family == FAMILY_TCP4 ? TCP4_BYTES : family == FAMILY_TCP6 ? TCP6_BYTES : 0;
    out->told = false;
    if ((data[12] & 0x0F) == COMMAND_LOCAL) {
        return PROXY_DONE; // "the receiver must discard the protocol block"
    }
    if (family != FAMILY_TCP4 && family != FAMILY_TCP6 && family != FAMILY_NONE) {
        return broken(why, "its addresses are not of TCP");
    }
    if (out->size - PROXY_HEADER_BEGIN < needs) {
        return broken(why, "it is too short for its addresses");
    }
    if (family == FAMILY_NONE) {
        return PROXY_DONE; // the proxy does not know the address either
    }
    out->told = true;
    take_source(data + PROXY_HEADER_BEGIN, family == FAMILY_TCP6, &out->source);
    return check_tlvs(data, PROXY_HEADER_BEGIN + needs, out->size, why);
}

proxy_result proxy_header_read(const uint8_t *data, size_t size, proxy_header *out,
                               const char **why)
{
    proxy_result result =
        check_begin(data, size < PROXY_HEADER_BEGIN ? size : PROXY_HEADER_BEGIN, why);
    out->size = PROXY_HEADER_BEGIN;
    if (result == PROXY_BROKEN || size < PROXY_HEADER_BEGIN) {
        return result;
    }
    out->size += two_bytes(data + 14);
    if (out->size > PROXY_HEADER_BYTES_MAX) {
        return broken(why, "it has more than 4096 bytes");
    }
    return size < out->size ? PROXY_MORE : read_whole(data, out, why);
}
