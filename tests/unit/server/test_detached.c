// Sessions without a connection: their order, and which of them ends when there are too many.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "common/base/assert.h"
#include "server/session/identity/detached.h"

enum { SESSIONS = 200, CROWDS = 7, STEPS = 20000 };

typedef struct fixture {
    detached_list list;
    detached_crowd crowds[CROWDS];
    detached_link links[SESSIONS];
} fixture;

static int set_up(void **state)
{
    *state = calloc(1, sizeof(fixture));
    ASSERT(*state != NULL);
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    while (f->list.first != NULL) {
        detached_remove(&f->list, f->list.first);
    }
    detached_deinit(&f->list);
    free(f);
    return 0;
}

static void superfluous_nothing_detached_null(void **state)
{
    fixture *f = *state;
    assert_null(detached_superfluous(&f->list));
}

static void superfluous_two_subjects_oldest_of_the_larger(void **state)
{
    fixture *f = *state;
    detached_add(&f->list, &f->links[0], &f->crowds[0]);
    detached_add(&f->list, &f->links[1], &f->crowds[1]);
    detached_add(&f->list, &f->links[2], &f->crowds[1]);
    assert_ptr_equal(detached_superfluous(&f->list), &f->links[1]);
    detached_remove(&f->list, &f->links[1]);
    detached_add(&f->list, &f->links[3], &f->crowds[0]);
    assert_ptr_equal(detached_superfluous(&f->list), &f->links[0]);
}

static void superfluous_one_without_subject_goes_first(void **state)
{
    fixture *f = *state;
    for (int i = 0; i < 5; i++) {
        detached_add(&f->list, &f->links[i], &f->crowds[0]);
    }
    detached_add(&f->list, &f->links[5], NULL);
    detached_add(&f->list, &f->links[6], NULL);
    assert_ptr_equal(detached_superfluous(&f->list), &f->links[5]);
    detached_remove(&f->list, &f->links[5]);
    detached_remove(&f->list, &f->links[6]);
    assert_ptr_equal(detached_superfluous(&f->list), &f->links[0]);
}

// ---- against a plain search

typedef struct model {
    uint64_t since[SESSIONS]; // 0: not detached
    int crowd[SESSIONS];      // -1: without a subject
    uint64_t now;
} model;

static uint32_t count_crowd(const model *m, int crowd)
{
    uint32_t count = 0;
    for (int i = 0; i < SESSIONS; i++) {
        count += m->since[i] != 0 && m->crowd[i] == crowd;
    }
    return count;
}

static int find_oldest(const model *m, int crowd)
{
    int oldest = -1;
    for (int i = 0; i < SESSIONS; i++) {
        if (m->since[i] != 0 && m->crowd[i] == crowd &&
            (oldest < 0 || m->since[i] < m->since[oldest])) {
            oldest = i;
        }
    }
    return oldest;
}

static void check_superfluous(const fixture *f, const model *m)
{
    const detached_link *found = detached_superfluous(&f->list);
    uint32_t most = 0;
    for (int c = 0; c < CROWDS; c++) {
        const uint32_t count = count_crowd(m, c);
        assert_int_equal(f->crowds[c].count, count);
        most = count > most ? count : most;
    }
    if (count_crowd(m, -1) > 0) {
        assert_ptr_equal(found, &f->links[find_oldest(m, -1)]);
    } else if (most == 0) {
        assert_null(found);
    } else {
        const int crowd = m->crowd[found - f->links];
        assert_int_equal(count_crowd(m, crowd), most);
        assert_ptr_equal(found, &f->links[find_oldest(m, crowd)]);
    }
}

static void check_order(const fixture *f, const model *m)
{
    uint64_t before = 0;
    uint32_t count = 0;
    for (const detached_link *link = f->list.first; link != NULL; link = link->next) {
        assert_true(m->since[link - f->links] > before);
        before = m->since[link - f->links];
        count++;
    }
    assert_int_equal(count, f->list.count);
    for (int i = 0; i < SESSIONS; i++) {
        count -= m->since[i] != 0;
    }
    assert_int_equal(count, 0);
}

static void list_random_changes_as_a_plain_search(void **state)
{
    fixture *f = *state;
    model m = {0};
    srand(1);
    for (int step = 0; step < STEPS; step++) {
        const int i = rand() % SESSIONS;
        if (m.since[i] != 0) {
            m.since[i] = 0;
            detached_remove(&f->list, &f->links[i]);
        } else {
            // Sessions without a subject come for a while, and then no more.
            m.crowd[i] = rand() % (CROWDS + (step % 4000 < 1000)) - (step % 4000 < 1000);
            m.since[i] = ++m.now;
            detached_add(&f->list, &f->links[i], m.crowd[i] < 0 ? NULL : &f->crowds[m.crowd[i]]);
        }
        check_superfluous(f, &m);
        if (step % 100 == 0) {
            check_order(f, &m);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(superfluous_nothing_detached_null, set_up, tear_down),
        cmocka_unit_test_setup_teardown(superfluous_two_subjects_oldest_of_the_larger, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(superfluous_one_without_subject_goes_first, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(list_random_changes_as_a_plain_search, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
