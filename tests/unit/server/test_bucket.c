// Token buckets, and the quota_owners that share them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "server/base/bucket.h"
#include "server/session/identity/quota_owners.h"

static void bucket_gives_its_burst_and_then_its_rate(void **state)
{
    (void)state;
    bucket b = {0};
    int paid = 0;
    for (int i = 0; i < 30; i++) {
        paid += bucket_pay(&b, 1.0, 10.0, 20.0, 5000) == BUCKET_PAID;
    }
    assert_int_equal(paid, 20);
    // the refusal has put it into debt
    assert_int_equal(bucket_pay(&b, 1.0, 10.0, 20.0, 5100), BUCKET_REFUSED);
    assert_int_equal(bucket_pay(&b, 1.0, 10.0, 20.0, 6000), BUCKET_PAID);
}

static void slightly_too_fast_has_most_of_the_rate(void **state)
{
    (void)state;
    bucket b = {0};
    int paid = 0;
    for (int i = 0; i < 11000; i++) { // 110 a second, for 100 seconds
        paid += bucket_pay(&b, 1.0, 100.0, 10.0, (uint64_t)i * 1000 / 110) == BUCKET_PAID;
    }
    assert_in_range(paid, 9800, 10100);
}

static void who_goes_on_is_exhausted(void **state)
{
    (void)state;
    bucket b = {0};
    int calls = 0;
    while (bucket_pay(&b, 1.0, 10.0, 20.0, 1000) != BUCKET_EXHAUSTED) {
        calls++;
    }
    assert_in_range(calls, 20 + 190, 20 + 210);
}

static void price_above_the_burst_is_paid_from_a_full_bucket(void **state)
{
    (void)state;
    bucket b = {0};
    assert_int_equal(bucket_pay(&b, 100.0, 10.0, 20.0, 1000), BUCKET_PAID);
    assert_int_equal(bucket_pay(&b, 1.0, 10.0, 20.0, 8000), BUCKET_REFUSED);
    assert_false(bucket_full(&b, 10.0, 20.0, 9000));
    assert_true(bucket_full(&b, 10.0, 20.0, 20000));
}

static void trying_makes_no_debts(void **state)
{
    (void)state;
    bucket b = {0};
    int paid = 0;
    for (int i = 0; i < 1000; i++) {
        paid += bucket_try(&b, 1.0, 10.0, 5.0, 1000);
    }
    assert_int_equal(paid, 5);
    assert_true(bucket_try(&b, 1.0, 10.0, 5.0, 1101));
}

static void charge_goes_into_debt_and_comes_out(void **state)
{
    (void)state;
    bucket b = {0};
    assert_true(bucket_charge(&b, 100.0, 100.0, 100.0, 1000));
    assert_false(bucket_charge(&b, 50.0, 100.0, 100.0, 1000));
    assert_false(bucket_charge(&b, 0.0, 100.0, 100.0, 1499));
    assert_true(bucket_charge(&b, 0.0, 100.0, 100.0, 1501));
}

static void quota_owners_share_by_name_and_are_forgotten_when_full(void **state)
{
    (void)state;
    quota_owners p = {0};
    quota_owner *ada = quota_owners_hold(&p, "s ada", 10.0, 20.0, 0);
    assert_ptr_equal(quota_owners_hold(&p, "s ada", 10.0, 20.0, 0), ada);
    assert_int_equal(ada->holders, 2);
    assert_int_equal(bucket_pay(&ada->requests, 20.0, 10.0, 20.0, 0), BUCKET_PAID);
    quota_owners_release(ada);
    quota_owners_release(ada);
    // Many owners come and go within a moment: those without debt are dropped, the others are kept.
    for (int i = 0; i < 100000; i++) {
        char name[32];
        snprintf(name, sizeof name, "a %d", i);
        quota_owners_release(quota_owners_hold(&p, name, 10.0, 20.0, 1));
        assert_true(p.count <= 64);
    }
    assert_ptr_equal(quota_owners_hold(&p, "s ada", 10.0, 20.0, 1), ada);
    quota_owners_release(ada);
    for (int i = 0; i < 1000; i++) {
        char name[32];
        snprintf(name, sizeof name, "b %d", i);
        quota_owners_release(quota_owners_hold(&p, name, 10.0, 20.0, 1000000));
    }
    assert_true(p.count <= 64);
    quota_owners_deinit(&p);
}

static void address_counts_without_port_and_host_part(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"192.0.2.1:4000", "a 192.0.2.1"},
        {"127.0.0.1:4000", ""},
        {"::1:4000", ""},
        {"[::1]:4000", ""},
        {"127.0.0.2:1", "a 127.0.0.2"},
        {"[2001:db8:1:2:3:4:5:6]:80", "a 2001:db8:1:2::"},
        {"2001:db8:1:2:3:4:5:7:80", "a 2001:db8:1:2::"},
        {"[2001:db8:1:3::6]:80", "a 2001:db8:1:3::"},
        {"?:0", "a ?"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char name[QUOTA_OWNER_NAME_MAX + 1];
        quota_owner_address(cases[i][0], name);
        assert_string_equal(name, cases[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bucket_gives_its_burst_and_then_its_rate),
        cmocka_unit_test(slightly_too_fast_has_most_of_the_rate),
        cmocka_unit_test(who_goes_on_is_exhausted),
        cmocka_unit_test(price_above_the_burst_is_paid_from_a_full_bucket),
        cmocka_unit_test(trying_makes_no_debts),
        cmocka_unit_test(charge_goes_into_debt_and_comes_out),
        cmocka_unit_test(quota_owners_share_by_name_and_are_forgotten_when_full),
        cmocka_unit_test(address_counts_without_port_and_host_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
