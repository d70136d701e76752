// Environment variables that are probably misspelt.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/args/variables.h"

static const char *const KNOWN[] = {"CAROM_DATA", "CAROM_LISTEN", "CAROM_KEYS", "CAROM_HZ"};

static const char *meant_by(const char *entry)
{
    char name[VARIABLES_NAME_MAX] = "";
    const char *meant = NULL;
    if (!variables_misspelt(entry, KNOWN, sizeof KNOWN / sizeof *KNOWN, name, &meant)) {
        return NULL;
    }
    assert_int_equal(strncmp(entry, name, strlen(name)), 0);
    assert_int_equal(entry[strlen(name)], '=');
    return meant;
}

static void similar_name_is_reported_with_the_known_one(void **state)
{
    (void)state;
    assert_string_equal(meant_by("CAROM_LISTN=127.0.0.1:1"), "CAROM_LISTEN");
    assert_string_equal(meant_by("CAROM_DTAA="), "CAROM_DATA");
    assert_string_equal(meant_by("CAROM_KEY=a=b"), "CAROM_KEYS");
    assert_string_equal(meant_by("CAROM_data=x"), "CAROM_DATA");
}

static void known_and_foreign_names_are_not(void **state)
{
    (void)state;
    static const char *const FINE[] = {
        "CAROM_DATA=/x",
        "CAROM_TOKEN=x",
        "CAROM_PYTHON=python3",
        "CAROM_SERVICE_HOST=10.0.0.1", // Kubernetes: a service called carom
        "CAROM_PORT=tcp://10.0.0.1:22766",
        "CAROM_PORT_22766_TCP=tcp://10.0.0.1:22766",
        "CAROM_PORT_22766_TCP_ADDR=10.0.0.1",
        "CAROM_=",
        "CAROM_",
        "CAROMS_LISTN=1",
        "LISTEN=1",
        "",
        "CAROM_A_NAME_THAT_IS_MUCH_LONGER_THAN_ANY_VARIABLE_OF_A_PROGRAM_EVER_WAS=1",
    };
    for (size_t i = 0; i < sizeof FINE / sizeof *FINE; i++) {
        assert_null(meant_by(FINE[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(similar_name_is_reported_with_the_known_one),
        cmocka_unit_test(known_and_foreign_names_are_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
