// PROXY headers, whole and cut at every byte, and the addresses that are trusted.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <arpa/inet.h>

#include <cmocka.h>

#include "common/base/crc32c.h"
#include "server/net/proxy_header.h"
#include "server/net/proxy_peers.h"

static const char SIGNATURE[] = "\r\n\r\n\0\r\nQUIT\n";

typedef struct bytes {
    uint8_t data[PROXY_HEADER_BYTES_MAX + 64];
    size_t size;
} bytes;

static bytes head(uint8_t command, uint8_t family, size_t length)
{
    bytes b = {.size = PROXY_HEADER_BEGIN};
    memcpy(b.data, SIGNATURE, 12);
    b.data[12] = (uint8_t)(0x20 | command);
    b.data[13] = family;
    b.data[14] = (uint8_t)(length >> 8);
    b.data[15] = (uint8_t)length;
    return b;
}

static void put(bytes *b, const void *data, size_t size)
{
    memcpy(b->data + b->size, data, size);
    b->size += size;
}

// 203.0.113.7:40404 to 192.0.2.1:443, with `more` bytes announced behind it.
static bytes tcp4(size_t more)
{
    bytes b = head(1, 0x11, 12 + more);
    put(&b, "\xCB\x00\x71\x07\xC0\x00\x02\x01\x9D\xD4\x01\xBB", 12);
    return b;
}

static bytes tcp6(void)
{
    bytes b = head(1, 0x21, 36);
    struct in6_addr source;
    assert_int_equal(inet_pton(AF_INET6, "2001:db8::7", &source), 1);
    put(&b, &source, 16);
    put(&b, &in6addr_loopback, 16);
    put(&b, "\x9D\xD4\x01\xBB", 4);
    return b;
}

// Fed byte by byte, no byte behind the header is asked for.
static proxy_header read_slowly(const bytes *b)
{
    proxy_header h;
    const char *why = "";
    for (size_t size = 0; size < b->size; size++) {
        assert_int_equal(proxy_header_read(b->data, size, &h, &why), PROXY_MORE);
        assert_true(h.size > size && h.size <= b->size);
    }
    assert_int_equal(proxy_header_read(b->data, b->size, &h, &why), PROXY_DONE);
    assert_int_equal(h.size, b->size);
    return h;
}

static void assert_broken(const bytes *b, const char *text)
{
    proxy_header h;
    const char *why = "";
    assert_int_equal(proxy_header_read(b->data, b->size, &h, &why), PROXY_BROKEN);
    assert_non_null(strstr(why, text));
}

static void header_of_ipv4_tells_the_source(void **state)
{
    (void)state;
    bytes b = tcp4(0);
    proxy_header h = read_slowly(&b);
    assert_true(h.told);
    assert_int_equal(h.source.four.sin_family, AF_INET);
    assert_int_equal(ntohl(h.source.four.sin_addr.s_addr), 0xCB007107);
    assert_int_equal(ntohs(h.source.four.sin_port), 40404);
}

static void header_of_ipv6_tells_the_source(void **state)
{
    (void)state;
    char text[INET6_ADDRSTRLEN];
    bytes b = tcp6();
    proxy_header h = read_slowly(&b);
    assert_true(h.told);
    assert_string_equal(inet_ntop(AF_INET6, &h.source.six.sin6_addr, text, sizeof text),
                        "2001:db8::7");
    assert_int_equal(ntohs(h.source.six.sin6_port), 40404);
}

static void local_and_unspecified_tell_nothing(void **state)
{
    (void)state;
    bytes local = head(0, 0x00, 0);
    assert_false(read_slowly(&local).told);
    bytes with_address = tcp4(0);
    with_address.data[12] = 0x20;
    assert_false(read_slowly(&with_address).told);
    bytes unspecified = head(1, 0x00, 3);
    put(&unspecified, "abc", 3);
    assert_false(read_slowly(&unspecified).told);
}

static void fields_behind_the_address_are_passed_over(void **state)
{
    (void)state;
    bytes b = tcp4(7 + 3);
    put(&b, "\x02\x00\x04play", 7); // PP2_TYPE_AUTHORITY
    put(&b, "\x04\x00\x00", 3);     // PP2_TYPE_NOOP
    assert_true(read_slowly(&b).told);
}

static void checksum_is_verified(void **state)
{
    (void)state;
    bytes b = tcp4(7);
    put(&b, "\x03\x00\x04\0\0\0\0", 7);
    uint32_t sum = htonl(crc32c(0, b.data, b.size));
    memcpy(b.data + b.size - 4, &sum, sizeof sum);
    assert_true(read_slowly(&b).told);
    for (size_t at = PROXY_HEADER_BEGIN; at < b.size; at++) {
        bytes altered = b;
        altered.data[at] ^= 0x10;
        proxy_header h;
        const char *why = "";
        proxy_result result = proxy_header_read(altered.data, altered.size, &h, &why);
        bool kind = at == PROXY_HEADER_BEGIN + 12; // then it is no checksum, but another field
        assert_int_equal(result, kind ? PROXY_DONE : PROXY_BROKEN);
    }
}

static void broken_headers_are_told_how(void **state)
{
    (void)state;
    static const struct {
        size_t at;
        uint8_t value;
        const char *why;
    } CASES[] = {{0, 'x', "there is none"},      {11, 'x', "there is none"},
                 {12, 0x11, "version is not 2"}, {12, 0x31, "not 2"},
                 {12, 0x22, "command"},          {13, 0x12, "not of TCP"},
                 {13, 0x31, "not of TCP"},       {13, 0x01, "not of TCP"},
                 {13, 0x21, "too short"},        {14, 0x10, "4096 bytes"}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        bytes b = tcp4(0);
        b.data[CASES[i].at] = CASES[i].value;
        if (CASES[i].at < PROXY_HEADER_BEGIN) {
            b.size = b.size > CASES[i].at ? b.size : CASES[i].at;
        }
        assert_broken(&b, CASES[i].why);
    }
    bytes first = {.size = 44};
    memcpy(first.data, "PROXY TCP4 203.0.113.7 192.0.2.1 40404 443\r\n", 44);
    assert_broken(&first, "version 1 is not spoken");
    bytes other = {.size = 5};
    memcpy(other.data, "\x94\x00\x01\xA4p", 5);
    assert_broken(&other, "there is none");
    static const char *const FIELDS[] = {"\x02", "\x02\x00", "\x02\x00\x09name"};
    static const size_t SIZES[] = {1, 2, 7};
    for (size_t i = 0; i < 3; i++) {
        bytes cut = tcp4(SIZES[i]);
        put(&cut, FIELDS[i], SIZES[i]);
        assert_broken(&cut, "beyond its end");
    }
}

static void longest_header_is_taken_and_a_longer_one_refused(void **state)
{
    (void)state;
    size_t more = PROXY_HEADER_BYTES_MAX - PROXY_HEADER_BEGIN - 12;
    bytes b = tcp4(more);
    b.data[b.size] = 0x04;
    b.data[b.size + 1] = (uint8_t)((more - 3) >> 8);
    b.data[b.size + 2] = (uint8_t)(more - 3);
    b.size += more;
    assert_true(read_slowly(&b).told);
    bytes longer = tcp4(more + 1);
    assert_broken(&longer, "4096 bytes");
}

// ---- trusted proxies

static bool believed(const proxy_peers *p, const char *text)
{
    struct sockaddr_in four = {.sin_family = AF_INET};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6};
    if (inet_pton(AF_INET, text, &four.sin_addr) == 1) {
        return proxy_peers_have(p, (const struct sockaddr *)&four);
    }
    assert_int_equal(inet_pton(AF_INET6, text, &six.sin6_addr), 1);
    return proxy_peers_have(p, (const struct sockaddr *)&six);
}

static void networks_and_addresses_are_believed_and_no_other(void **state)
{
    (void)state;
    proxy_peers p = {0};
    error err;
    assert_false(believed(&p, "127.0.0.1"));
    assert_int_equal(proxy_peers_add(&p, "10.0.0.0/8,192.0.2.5", &err), STATUS_OK);
    assert_int_equal(proxy_peers_add(&p, "fd00::/8", &err), STATUS_OK);
    assert_int_equal(proxy_peers_add(&p, "203.0.113.128/25", &err), STATUS_OK);
    assert_int_equal(p.count, 4);
    static const char *const THEIRS[] = {"10.0.0.0",     "10.255.255.255", "::ffff:10.1.2.3",
                                         "192.0.2.5",    "fd12::1",        "203.0.113.128",
                                         "203.0.113.255"};
    static const char *const OTHERS[] = {"9.255.255.255", "11.0.0.0",  "192.0.2.4",
                                         "192.0.2.6",     "fe80::1",   "203.0.113.127",
                                         "::a00:1",       "127.0.0.1", "::1"};
    for (size_t i = 0; i < sizeof THEIRS / sizeof *THEIRS; i++) {
        assert_true(believed(&p, THEIRS[i]));
    }
    for (size_t i = 0; i < sizeof OTHERS / sizeof *OTHERS; i++) {
        assert_false(believed(&p, OTHERS[i]));
    }
    proxy_peers all = {0};
    assert_int_equal(proxy_peers_add(&all, "0.0.0.0/0", &err), STATUS_OK);
    assert_true(believed(&all, "198.51.100.1"));
    assert_false(believed(&all, "2001:db8::1"));
}

static void other_texts_name_no_proxy(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {"",          "proxy.example", "10.0.0.0/33", "fd00::/129",
                                        "10.0.0.0/", "10.0.0.0/x",    "10.0.0.0/-1", "10.0.0.0/08x",
                                        "10.0.0.1,", "10.0.0"};
    proxy_peers p = {0};
    error err;
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        assert_int_equal(proxy_peers_add(&p, TEXTS[i], &err), STATUS_INVALID_ARGUMENT);
        assert_non_null(strstr(err.text, "is not an address or a network, as 10.0.0.5"));
    }
    assert_int_equal(proxy_peers_add(&p, "10.0.0.1/8", &err), STATUS_INVALID_ARGUMENT);
    assert_non_null(strstr(err.text, "bits set beyond its prefix"));
    p = (proxy_peers){0};
    for (int i = 0; i < PROXY_PEERS_MAX; i++) {
        assert_int_equal(proxy_peers_add(&p, "::1", &err), STATUS_OK);
    }
    assert_int_equal(proxy_peers_add(&p, "::1", &err), STATUS_INVALID_ARGUMENT);
    assert_non_null(strstr(err.text, "at most 64"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(header_of_ipv4_tells_the_source),
        cmocka_unit_test(header_of_ipv6_tells_the_source),
        cmocka_unit_test(local_and_unspecified_tell_nothing),
        cmocka_unit_test(fields_behind_the_address_are_passed_over),
        cmocka_unit_test(checksum_is_verified),
        cmocka_unit_test(broken_headers_are_told_how),
        cmocka_unit_test(longest_header_is_taken_and_a_longer_one_refused),
        cmocka_unit_test(networks_and_addresses_are_believed_and_no_other),
        cmocka_unit_test(other_texts_name_no_proxy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
