// Names, prefixes and areas of a grant.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "server/auth/jwt.h"

static grant *claims(const char *json)
{
    grant *g = NULL;
    assert_int_equal(jwt_read_claims(json, strlen(json), 0.0, &g, NULL), STATUS_OK);
    return g;
}

static void worlds_match_whole_names_and_prefixes(void **state)
{
    (void)state;
    grant *g = claims("{\"sub\":\"a\",\"exp\":1,\"worlds\":[\"arena\",\"lobby-*\"]}");
    assert_true(grant_allows_world(g, "arena"));
    assert_false(grant_allows_world(g, "arena2"));
    assert_false(grant_allows_world(g, "aren"));
    assert_false(grant_allows_world(g, "Arena"));
    assert_true(grant_allows_world(g, "lobby-"));
    assert_true(grant_allows_world(g, "lobby-7"));
    assert_false(grant_allows_world(g, "lobby"));
    assert_false(grant_allows_world(g, ""));
    grant_free(g);
}

static void no_worlds_is_none_and_nothing_said_is_all(void **state)
{
    (void)state;
    grant *g = claims("{\"sub\":\"a\",\"exp\":1,\"worlds\":[]}");
    assert_false(grant_allows_world(g, "arena"));
    grant_free(g);
    g = claims("{\"sub\":\"a\",\"exp\":1}");
    assert_true(grant_allows_world(g, "arena"));
    grant_free(g);
    g = claims("{\"sub\":\"a\",\"exp\":1,\"worlds\":[\"*\"]}");
    assert_true(grant_allows_world(g, "arena"));
    grant_free(g);
}

static void area_must_lie_within_one_of_them(void **state)
{
    (void)state;
    grant *g = claims("{\"sub\":\"a\",\"exp\":1,\"areas\":[[0,0,10,10],[10,0,20,10]]}");
    assert_true(grant_allows_area(g, &(area){0, 0, 10, 10}));
    assert_true(grant_allows_area(g, &(area){12, 5, 12, 5}));
    // Overlaps both areas, lies within neither
    assert_false(grant_allows_area(g, &(area){9, 0, 11, 10}));
    assert_false(grant_allows_area(g, &(area){0, -0.001, 1, 1}));
    assert_false(grant_allows_area(g, &(area){-1e9, -1e9, 1e9, 1e9}));
    grant_free(g);
    g = claims("{\"sub\":\"a\",\"exp\":1}");
    assert_true(grant_allows_area(g, &(area){-1e9, -1e9, 1e9, 1e9}));
    grant_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worlds_match_whole_names_and_prefixes),
        cmocka_unit_test(no_worlds_is_none_and_nothing_said_is_all),
        cmocka_unit_test(area_must_lie_within_one_of_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
