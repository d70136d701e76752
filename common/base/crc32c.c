// CRC-32C by the processor's instruction (x86-64 with SSE 4.2: eight bytes in three cycles), else
// by table, eight bytes at a time ("slicing-by-8": M. Kounavis, F. Berry, "A Systematic Approach to
// Building High Performance, Software-Based, CRC Generators", ISCC 2005).
//
// A checksum is linear: the entry of a byte is the exclusive or of those of its bits. So the
// entries of the eight single bits determine a table, and the compiler computes the others. A
// program that must be small (CAROM_SMALL) works by half bytes: tables of 8 KiB do not compress.
#include "common/base/crc32c.h"

#include "common/base/little_endian.h"

#define ENTRY(n, a, b, c, d, e, f, g, h)                                                           \
    ((((n)&1u) != 0 ? a : 0u) ^ (((n)&2u) != 0 ? b : 0u) ^ (((n)&4u) != 0 ? c : 0u) ^              \
     (((n)&8u) != 0 ? d : 0u) ^ (((n)&16u) != 0 ? e : 0u) ^ (((n)&32u) != 0 ? f : 0u) ^            \
     (((n)&64u) != 0 ? g : 0u) ^ (((n)&128u) != 0 ? h : 0u))
#define ENTRIES_4(n, ...)                                                                          \
    ENTRY(n, __VA_ARGS__), ENTRY((n) + 1u, __VA_ARGS__), ENTRY((n) + 2u, __VA_ARGS__),             \
        ENTRY((n) + 3u, __VA_ARGS__)
#define ENTRIES_16(n, ...)                                                                         \
    ENTRIES_4(n, __VA_ARGS__), ENTRIES_4((n) + 4u, __VA_ARGS__), ENTRIES_4((n) + 8u, __VA_ARGS__), \
        ENTRIES_4((n) + 12u, __VA_ARGS__)
#ifdef CAROM_SMALL

// The checksums of half bytes.
static const uint32_t HALVES[16] = {
    ENTRIES_16(0u, 0x105ec76fu, 0x20bd8edeu, 0x417b1dbcu, 0x82f63b78u, 0u, 0u, 0u, 0u)};

uint32_t crc32c_by_table(uint32_t crc, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    crc = ~crc;
    for (; size > 0; size--, at++) {
        crc ^= *at;
        crc = (crc >> 4) ^ HALVES[crc & 0xf];
        crc = (crc >> 4) ^ HALVES[crc & 0xf];
    }
    return ~crc;
}

#else

#define ENTRIES_64(n, ...)                                                                         \
    ENTRIES_16(n, __VA_ARGS__), ENTRIES_16((n) + 16u, __VA_ARGS__),                                \
        ENTRIES_16((n) + 32u, __VA_ARGS__), ENTRIES_16((n) + 48u, __VA_ARGS__)
#define SLICE(...)                                                                                 \
    {                                                                                              \
        ENTRIES_64(0u, __VA_ARGS__), ENTRIES_64(64u, __VA_ARGS__), ENTRIES_64(128u, __VA_ARGS__),  \
            ENTRIES_64(192u, __VA_ARGS__)                                                          \
    }

enum { SLICES = 8 };

// TABLES[k][b] is the checksum of byte b followed by k zero bytes, with the reflected polynomial
// 0x82f63b78.
static const uint32_t TABLES[SLICES][256] = {
    // clang-format off
    SLICE(0xf26b8303u, 0xe13b70f7u, 0xc79a971fu, 0x8ad958cfu, 0x105ec76fu, 0x20bd8edeu, 0x417b1dbcu, 0x82f63b78u),
    SLICE(0x13a29877u, 0x274530eeu, 0x4e8a61dcu, 0x9d14c3b8u, 0x3fc5f181u, 0x7f8be302u, 0xff17c604u, 0xfbc3faf9u),
    SLICE(0xa541927eu, 0x4f6f520du, 0x9edea41au, 0x38513ec5u, 0x70a27d8au, 0xe144fb14u, 0xc76580d9u, 0x8b277743u),
    SLICE(0xdd45aab8u, 0xbf672381u, 0x7b2231f3u, 0xf64463e6u, 0xe964b13du, 0xd725148bu, 0xaba65fe7u, 0x52a0c93fu),
    SLICE(0x38116facu, 0x7022df58u, 0xe045beb0u, 0xc5670b91u, 0x8f2261d3u, 0x1ba8b557u, 0x37516aaeu, 0x6ea2d55cu),
    SLICE(0xef306b19u, 0xdb8ca0c3u, 0xb2f53777u, 0x6006181fu, 0xc00c303eu, 0x85f4168du, 0x0e045bebu, 0x1c08b7d6u),
    SLICE(0x68032cc8u, 0xd0065990u, 0xa5e0c5d1u, 0x4e2dfd53u, 0x9c5bfaa6u, 0x3d5b83bdu, 0x7ab7077au, 0xf56e0ef4u),
    SLICE(0x493c7d27u, 0x9278fa4eu, 0x211d826du, 0x423b04dau, 0x847609b4u, 0x0d006599u, 0x1a00cb32u, 0x34019664u),
    // clang-format on
};

uint32_t crc32c_by_table(uint32_t crc, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    crc = ~crc;
    for (; size >= 8; size -= 8, at += 8) {
        uint32_t low = crc ^ get32(at);
        uint32_t high = get32(at + 4);
        crc = TABLES[7][low & 0xff] ^ TABLES[6][low >> 8 & 0xff] ^ TABLES[5][low >> 16 & 0xff] ^
              TABLES[4][low >> 24] ^ TABLES[3][high & 0xff] ^ TABLES[2][high >> 8 & 0xff] ^
              TABLES[1][high >> 16 & 0xff] ^ TABLES[0][high >> 24];
    }
    for (; size > 0; size--, at++) {
        crc = (crc >> 8) ^ TABLES[0][(crc ^ *at) & 0xff];
    }
    return ~crc;
}

#endif

#if defined(__x86_64__) && !defined(CAROM_SMALL)

__attribute__((target("sse4.2"))) static uint32_t by_instruction(uint32_t crc, const uint8_t *at,
                                                                 size_t size)
{
    uint64_t wide = ~crc;
    for (; size >= 8; size -= 8, at += 8) {
        wide = __builtin_ia32_crc32di(wide, get64(at));
    }
    uint32_t narrow = (uint32_t)wide;
    for (; size > 0; size--, at++) {
        narrow = __builtin_ia32_crc32qi(narrow, *at);
    }
    return ~narrow;
}

uint32_t crc32c(uint32_t crc, const void *bytes, size_t size)
{
    return __builtin_cpu_supports("sse4.2") ? by_instruction(crc, bytes, size)
                                            : crc32c_by_table(crc, bytes, size);
}

#else

uint32_t crc32c(uint32_t crc, const void *bytes, size_t size)
{
    return crc32c_by_table(crc, bytes, size);
}

#endif
