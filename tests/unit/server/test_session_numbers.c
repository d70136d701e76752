// The slots of sessions by number.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "server/session/identity/session_numbers.h"

enum { SESSIONS = 10000 };

// Numbers in sequence, and such that agree in all low or in all high bits.
static uint64_t number_of(uint64_t kind, uint64_t i)
{
    return kind == 0 ? i + 1 : kind == 1 ? (i + 1) << 40 : UINT64_MAX - i * 4096;
}

static void numbers_are_found_with_their_last_slot(void **state)
{
    (void)state;
    for (uint64_t kind = 0; kind < 3; kind++) {
        session_numbers n = {0};
        uint32_t slot = 0;
        assert_false(session_numbers_find(&n, 1, &slot));
        for (uint32_t i = 0; i < SESSIONS; i++) {
            session_numbers_set(&n, number_of(kind, i), i);
        }
        for (uint32_t i = 0; i < SESSIONS; i += 2) {
            session_numbers_set(&n, number_of(kind, i), SESSIONS + i);
        }
        assert_int_equal(n.count, SESSIONS);
        assert_true(n.size >= 2 * n.count);
        for (uint32_t i = 0; i < SESSIONS; i++) {
            assert_true(session_numbers_find(&n, number_of(kind, i), &slot));
            assert_int_equal(slot, i % 2 == 0 ? SESSIONS + i : i);
        }
        assert_false(session_numbers_find(&n, number_of(kind, SESSIONS), &slot));
        assert_false(session_numbers_find(&n, 0, &slot));
        session_numbers_deinit(&n);
    }
}

// Sessions come and go: as in a plain list, whatever was removed between.
static void removed_numbers_are_gone_and_all_others_are_found(void **state)
{
    (void)state;
    for (uint64_t kind = 0; kind < 3; kind++) {
        session_numbers n = {0};
        bool here[SESSIONS] = {false};
        uint32_t slot = 0, count = 0;
        uint64_t next = 1;
        for (uint32_t step = 0; step < 8 * SESSIONS; step++) {
            next = next * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            const uint32_t i = (uint32_t)(next >> 33) % SESSIONS;
            session_numbers_remove(&n, number_of(kind, i), i + 1); // not its slot
            assert_int_equal(session_numbers_find(&n, number_of(kind, i), &slot), here[i]);
            if (here[i]) {
                session_numbers_remove(&n, number_of(kind, i), i);
            } else {
                session_numbers_set(&n, number_of(kind, i), i);
            }
            count += here[i] ? -1u : 1u;
            here[i] = !here[i];
        }
        assert_int_equal(n.count, count);
        for (uint32_t i = 0; i < SESSIONS; i++) {
            assert_int_equal(session_numbers_find(&n, number_of(kind, i), &slot), here[i]);
            assert_true(!here[i] || slot == i);
        }
        session_numbers_deinit(&n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_found_with_their_last_slot),
        cmocka_unit_test(removed_numbers_are_gone_and_all_others_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
