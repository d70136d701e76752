// Homes of threads (server/base/home.h): who destroys what, in which call, and what is counted.
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "server/base/bytes.h"
#include "server/base/home.h"

typedef struct thing {
    homing way;
    pthread_t *destroyer; // where to note who destroyed it
    struct thing *next;
} thing;

static atomic_int destroyed;

static void destroy(homing *way)
{
    thing *t = (thing *)way; // the first member
    if (t->destroyer != NULL) {
        *t->destroyer = pthread_self();
    }
    free(t);
    atomic_fetch_add(&destroyed, 1);
}

static thing *make(pthread_t *destroyer)
{
    thing *t = calloc(1, sizeof *t);
    assert_non_null(t);
    homing_begin(&t->way, sizeof *t, destroy);
    t->destroyer = destroyer;
    return t;
}

static void end(thing *t)
{
    homing_end(&t->way, sizeof *t);
}

static int begin(void **state)
{
    (void)state;
    atomic_store(&destroyed, 0);
    return 0;
}

static void on_another_thread(void *(*run)(void *), void *argument)
{
    pthread_t other;
    assert_int_equal(pthread_create(&other, NULL, run, argument), 0);
    assert_int_equal(pthread_join(other, NULL), 0);
}

static void *end_it(void *argument)
{
    end(argument);
    return NULL;
}

// ---- two threads

static void what_its_maker_ends_is_destroyed_at_once(void **state)
{
    (void)state;
    home_begin();
    thing *t = make(NULL);
    assert_true(home_misses());
    end(t);
    assert_int_equal(atomic_load(&destroyed), 1);
    assert_false(home_misses());
    assert_false(home_collect());
    home_end();
}

static void what_another_thread_ends_is_destroyed_by_its_maker(void **state)
{
    (void)state;
    home_begin();
    pthread_t by = {0};
    thing *t = make(&by);
    on_another_thread(end_it, t);
    assert_int_equal(atomic_load(&destroyed), 0);
    assert_int_equal(home_bytes(), sizeof *t);
    assert_true(home_misses());
    assert_false(home_collect());
    assert_int_equal(atomic_load(&destroyed), 1);
    assert_true(pthread_equal(by, pthread_self()));
    assert_int_equal(home_bytes(), 0);
    assert_false(home_misses());
    home_end();
}

static void *make_it(void *argument)
{
    *(thing **)argument = make(NULL);
    return NULL;
}

static void what_a_thread_without_a_home_made_is_destroyed_at_once(void **state)
{
    (void)state;
    thing *t = NULL;
    on_another_thread(make_it, &t);
    home_begin();
    end(t);
    assert_int_equal(atomic_load(&destroyed), 1);
    home_end();
    t = make(NULL);
    on_another_thread(end_it, t);
    assert_int_equal(atomic_load(&destroyed), 2);
    assert_false(home_collect());
}

static void *make_at_home(void *argument)
{
    home_begin();
    make_it(argument);
    home_end();
    return NULL;
}

static void what_a_thread_that_has_ended_made_is_destroyed_at_once(void **state)
{
    (void)state;
    thing *t = NULL;
    home_begin();
    on_another_thread(make_at_home, &t);
    end(t);
    assert_int_equal(atomic_load(&destroyed), 1);
    assert_int_equal(home_bytes(), 0);
    home_end();
}

static void home_destroys_what_has_come_when_it_ends(void **state)
{
    (void)state;
    home_begin();
    thing *t = make(NULL);
    on_another_thread(end_it, t);
    home_end();
    assert_int_equal(atomic_load(&destroyed), 1);
    assert_int_equal(home_bytes(), 0);
}

// ---- bounds

static void *end_all(void *argument)
{
    for (thing *t = argument; t != NULL;) {
        thing *next = t->next;
        end(t);
        t = next;
    }
    return NULL;
}

// A call frees HOME_COLLECT_LEAST, and two for each that was made since the last call.
static void collect_frees_a_bounded_number_and_says_that_some_is_left(void **state)
{
    (void)state;
    enum { MANY = 4 * HOME_COLLECT_LEAST };
    home_begin();
    thing *all = NULL;
    for (int i = 0; i < MANY; i++) {
        thing *t = make(NULL);
        t->next = all;
        all = t;
    }
    assert_false(home_collect()); // nothing has arrived; from here on, nothing was made
    on_another_thread(end_all, all);
    for (int calls = 1; calls <= 4; calls++) {
        assert_int_equal(home_collect(), calls < 4);
        assert_int_equal(atomic_load(&destroyed), calls * HOME_COLLECT_LEAST);
        assert_int_equal(home_bytes(), (4 - calls) * HOME_COLLECT_LEAST * (int)sizeof(thing));
    }
    home_end();
}

// However seldom it collects, no more is left than it made between two calls.
static void collect_keeps_up_with_what_its_thread_makes(void **state)
{
    (void)state;
    enum { EACH = 5 * HOME_COLLECT_LEAST, ROUNDS = 5 };
    home_begin();
    for (int round = 0; round < ROUNDS; round++) {
        thing *all = NULL;
        for (int i = 0; i < EACH; i++) {
            thing *t = make(NULL);
            t->next = all;
            all = t;
        }
        on_another_thread(end_all, all);
        assert_false(home_collect());
        assert_int_equal(home_bytes(), 0);
    }
    home_end();
}

// Mappings need no lock of the heap.
static void large_pieces_are_freed_where_they_are(void **state)
{
    (void)state;
    home_begin();
    shared_bytes *large = bytes_create(HOME_PIECE_MAX);
    shared_bytes *small = bytes_create(HOME_PIECE_MAX / 2);
    assert_null(large->way.home);
    assert_non_null(small->way.home);
    bytes_unref(large);
    assert_true(home_misses());
    bytes_unref(small);
    assert_false(home_misses());
    home_end();
}

static void *unref(void *argument)
{
    bytes_unref(argument);
    return NULL;
}

static void shared_bytes_go_home_with_the_last_reference(void **state)
{
    (void)state;
    home_begin();
    shared_bytes *b = bytes_ref(bytes_create(100));
    uint8_t *data = malloc(200);
    assert_non_null(data);
    shared_bytes *taken = bytes_take(data, 200);
    on_another_thread(unref, b);
    assert_int_equal(home_bytes(), 0);
    on_another_thread(unref, b);
    assert_int_equal(home_bytes(), sizeof *b + 100);
    on_another_thread(unref, taken);
    assert_int_equal(home_bytes(), 2 * sizeof *b + 300);
    assert_false(home_collect());
    assert_int_equal(home_bytes(), 0);
    home_end();
}

// ---- many threads

enum { THREADS = 4, LAPS = 20, EACH_LAP = 500 };

// Threads that pass things on in a ring: each makes some, and ends those of its neighbour.
typedef struct station {
    pthread_t thread;
    _Atomic(thing *) inbox;
    struct station *next;
} station;

static void pass_on(station *to, thing *t)
{
    thing *first = atomic_load(&to->inbox);
    do {
        t->next = first;
    } while (!atomic_compare_exchange_weak(&to->inbox, &first, t));
}

static void *travel(void *argument)
{
    station *s = argument;
    for (int lap = 0; lap < LAPS; lap++) {
        home_begin(); // each lap ends its home while other threads have its messages
        for (int i = 0; i < EACH_LAP; i++) {
            pass_on(s->next, make(NULL));
            end_all(atomic_exchange(&s->inbox, NULL));
            (void)home_collect();
        }
        home_end();
    }
    return NULL;
}

static void threads_that_pass_things_on_lose_none(void **state)
{
    (void)state;
    station stations[THREADS] = {0};
    for (int i = 0; i < THREADS; i++) {
        stations[i].next = &stations[(i + 1) % THREADS];
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&stations[i].thread, NULL, travel, &stations[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(stations[i].thread, NULL), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        end_all(atomic_load(&stations[i].inbox));
    }
    assert_int_equal(atomic_load(&destroyed), THREADS * LAPS * EACH_LAP);
    assert_int_equal(home_bytes(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(what_its_maker_ends_is_destroyed_at_once, begin),
        cmocka_unit_test_setup(what_another_thread_ends_is_destroyed_by_its_maker, begin),
        cmocka_unit_test_setup(what_a_thread_without_a_home_made_is_destroyed_at_once, begin),
        cmocka_unit_test_setup(what_a_thread_that_has_ended_made_is_destroyed_at_once, begin),
        cmocka_unit_test_setup(home_destroys_what_has_come_when_it_ends, begin),
        cmocka_unit_test_setup(collect_frees_a_bounded_number_and_says_that_some_is_left, begin),
        cmocka_unit_test_setup(collect_keeps_up_with_what_its_thread_makes, begin),
        cmocka_unit_test_setup(large_pieces_are_freed_where_they_are, begin),
        cmocka_unit_test_setup(shared_bytes_go_home_with_the_last_reference, begin),
        cmocka_unit_test_setup(threads_that_pass_things_on_lose_none, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
