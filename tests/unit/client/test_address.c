// Addresses as people write them.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include <carom/client.h>

static void check_parsed(const char *text, const char *host_wanted, uint16_t port_wanted)
{
    char host[64];
    uint16_t port = 0;
    assert_int_equal(carom_address_parse(text, host, sizeof host, &port, NULL), CAROM_OK);
    assert_string_equal(host, host_wanted);
    assert_int_equal(port, port_wanted);
}

static void address_is_taken_apart(void **state)
{
    (void)state;
    check_parsed("example.org", "example.org", CAROM_PORT_DEFAULT);
    check_parsed("example.org:80", "example.org", 80);
    check_parsed(":1234", CAROM_HOST_DEFAULT, 1234);
    check_parsed("", CAROM_HOST_DEFAULT, CAROM_PORT_DEFAULT);
    check_parsed(NULL, CAROM_HOST_DEFAULT, CAROM_PORT_DEFAULT);
    check_parsed("[::1]:65535", "::1", 65535);
    check_parsed("[::1]", "::1", CAROM_PORT_DEFAULT);
    check_parsed("fe80::1", "fe80::1", CAROM_PORT_DEFAULT);
    check_parsed("tcp://10.0.0.1:9", "10.0.0.1", 9);
}

static void url_says_whether_it_asks_for_tls(void **state)
{
    (void)state;
    static const struct {
        const char *text, *host;
        uint16_t port;
        bool tls;
    } URLS[] = {{"caroms://play.example", "play.example", CAROM_PORT_DEFAULT, true},
                {"caroms://[::1]:9", "::1", 9, true},
                {"tls://play.example:9", "play.example", 9, true},
                {"carom://play.example:9", "play.example", 9, false},
                {"caroms", "caroms", CAROM_PORT_DEFAULT, false}};
    for (size_t i = 0; i < sizeof URLS / sizeof *URLS; i++) {
        char host[64];
        uint16_t port = 0;
        bool tls = !URLS[i].tls;
        assert_int_equal(carom_url_parse(URLS[i].text, host, sizeof host, &port, &tls, NULL),
                         CAROM_OK);
        assert_string_equal(host, URLS[i].host);
        assert_int_equal(port, URLS[i].port);
        assert_true(tls == URLS[i].tls);
        carom_status plain = carom_address_parse(URLS[i].text, host, sizeof host, &port, NULL);
        assert_int_equal(plain, tls ? CAROM_INVALID_ARGUMENT : CAROM_OK);
    }
}

static void address_that_is_wrong_is_refused(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {
        "host:",
        "host:0",
        "host:65536",
        "host:99999999999999999999",
        "host:x",
        "host:1x",
        "[::1",
        "[]",
        "[::1]x",
        "[::1]:",
        "host:-1",
        "host: 1",
        "http://localhost:22767/",
        "ws://localhost",
        "host/path",
        "caroms://play.example/",
    };
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        char host[64] = "untouched";
        uint16_t port = 7;
        carom_error why = {0};
        if (carom_address_parse(TEXTS[i], host, sizeof host, &port, &why) !=
            CAROM_INVALID_ARGUMENT) {
            fail_msg("'%s' is taken", TEXTS[i]);
        }
        assert_string_equal(host, "untouched");
        assert_int_equal(port, 7);
        assert_non_null(strstr(why.text, TEXTS[i]));
    }
}

static void host_that_does_not_fit_is_refused(void **state)
{
    (void)state;
    char host[8];
    uint16_t port;
    assert_int_equal(carom_address_parse("1234567", host, sizeof host, &port, NULL), CAROM_OK);
    assert_int_equal(carom_address_parse("12345678", host, sizeof host, &port, NULL),
                     CAROM_INVALID_ARGUMENT);
}

static void wrong_port_is_named(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {":99999", "host:0", "host:x", "caroms://[::1]:65536"};
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        char host[64];
        uint16_t port = 0;
        bool tls = false;
        carom_error error;
        assert_int_equal(carom_url_parse(TEXTS[i], host, sizeof host, &port, &tls, &error),
                         CAROM_INVALID_ARGUMENT);
        assert_non_null(strstr(error.text, strrchr(TEXTS[i], ':')));
        assert_non_null(strstr(error.text, "a number from 1 to 65535"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(address_is_taken_apart),
        cmocka_unit_test(url_says_whether_it_asks_for_tls),
        cmocka_unit_test(address_that_is_wrong_is_refused),
        cmocka_unit_test(host_that_does_not_fit_is_refused),
        cmocka_unit_test(wrong_port_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
