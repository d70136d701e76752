// Tests of server/base/queue.h: order, capacity, deadlines, and many producers at once.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "server/base/clock.h"
#include "server/base/queue.h"

static const int64_t MS = 1000000;

typedef struct item {
    queue_node node;
    int producer;
    int number;
} item;

static void queue_gives_back_in_order(void **state)
{
    (void)state;
    queue q;
    item items[3] = {{.number = 0}, {.number = 1}, {.number = 2}};
    queue_init(&q, 10);
    assert_null(queue_take(&q));
    assert_int_equal(queue_push(&q, &items[0].node, false), QUEUE_FIRST);
    assert_int_equal(queue_push(&q, &items[1].node, false), QUEUE_PUSHED);
    assert_int_equal(queue_push(&q, &items[2].node, false), QUEUE_PUSHED);
    int next = 0;
    for (queue_node *n = queue_take(&q); n != NULL; n = n->next) {
        assert_int_equal(((item *)n)->number, next++);
    }
    assert_int_equal(next, 3);
    assert_null(queue_take(&q));
    queue_deinit(&q);
}

static void queue_full_refuses_until_taken(void **state)
{
    (void)state;
    queue q;
    item items[3] = {0};
    queue_init(&q, 2);
    queue_push(&q, &items[0].node, false);
    queue_push(&q, &items[1].node, false);
    assert_int_equal(queue_push(&q, &items[2].node, true), QUEUE_FULL);
    queue_take(&q);
    assert_int_equal(queue_push(&q, &items[2].node, false), QUEUE_FIRST);
    queue_take(&q);
    queue_deinit(&q);
}

static void queue_takes_a_chain_or_nothing_of_it(void **state)
{
    (void)state;
    queue q;
    item items[4] = {{.number = 0}, {.number = 1}, {.number = 2}, {.number = 3}};
    queue_init(&q, 3);
    items[0].node.next = &items[1].node;
    items[1].node.next = NULL;
    assert_int_equal(queue_push_chain(&q, &items[0].node, 2, false), QUEUE_FIRST);
    items[2].node.next = &items[3].node;
    items[3].node.next = NULL;
    assert_int_equal(queue_push_chain(&q, &items[2].node, 2, false), QUEUE_FULL);
    assert_int_equal(queue_push(&q, &items[2].node, false), QUEUE_PUSHED);
    int next = 0;
    for (queue_node *n = queue_take(&q); n != NULL; n = n->next) {
        assert_int_equal(((item *)n)->number, next++);
    }
    assert_int_equal(next, 3);
    queue_deinit(&q);
}

static void queue_wait_ends_at_its_deadline(void **state)
{
    (void)state;
    queue q;
    item quiet = {0};
    queue_init(&q, 2);
    queue_push(&q, &quiet.node, false);
    int64_t deadline = clock_now_ns() + 30 * MS;
    // An item that is not urgent does not end a wait without wake_on_push.
    assert_ptr_equal(queue_wait(&q, deadline, false), &quiet.node);
    assert_true(clock_now_ns() >= deadline);
    assert_null(queue_wait(&q, deadline, true)); // the deadline is over already
    queue_deinit(&q);
}

static void queue_wait_sees_what_is_there_if_it_asks(void **state)
{
    (void)state;
    queue q;
    item one = {0};
    item two = {0};
    queue_init(&q, 2);
    queue_push(&q, &one.node, false);
    assert_ptr_equal(queue_wait(&q, QUEUE_FOREVER, true), &one.node);
    queue_push(&q, &two.node, true);
    assert_ptr_equal(queue_wait(&q, QUEUE_FOREVER, false), &two.node);
    queue_deinit(&q);
}

typedef struct producer {
    queue *q;
    item *items;
    int count;
    bool urgent;
    pthread_t thread;
} producer;

static void *produce(void *argument)
{
    producer *p = argument;
    for (int i = 0; i < p->count; i++) {
        while (queue_push(p->q, &p->items[i].node, p->urgent) == QUEUE_FULL) {
            usleep(100);
        }
    }
    return NULL;
}

static void queue_push_wakes_the_one_who_waits(void **state)
{
    (void)state;
    queue q;
    queue_init(&q, 2);
    for (int urgent = 0; urgent <= 1; urgent++) {
        item one = {0};
        producer p = {.q = &q, .items = &one, .count = 1, .urgent = urgent};
        pthread_create(&p.thread, NULL, produce, &p);
        assert_ptr_equal(queue_wait(&q, QUEUE_FOREVER, !urgent), &one.node);
        pthread_join(p.thread, NULL);
    }
    queue_deinit(&q);
}

static void queue_many_producers_lose_nothing(void **state)
{
    (void)state;
    enum { PRODUCERS = 4, COUNT = 5000 };
    queue q;
    queue_init(&q, 100);
    producer producers[PRODUCERS];
    int next[PRODUCERS] = {0};
    for (int p = 0; p < PRODUCERS; p++) {
        producers[p] = (producer){.q = &q, .count = COUNT};
        producers[p].items = calloc(COUNT, sizeof(item));
        for (int i = 0; i < COUNT; i++) {
            producers[p].items[i].producer = p;
            producers[p].items[i].number = i;
        }
        pthread_create(&producers[p].thread, NULL, produce, &producers[p]);
    }
    for (int seen = 0; seen < PRODUCERS * COUNT;) {
        for (queue_node *n = queue_wait(&q, QUEUE_FOREVER, true); n != NULL; seen++) {
            item *i = (item *)n;
            n = n->next;
            assert_int_equal(i->number, next[i->producer]++);
        }
    }
    for (int p = 0; p < PRODUCERS; p++) {
        pthread_join(producers[p].thread, NULL);
        assert_int_equal(next[p], COUNT);
        free(producers[p].items);
    }
    assert_null(queue_take(&q));
    queue_deinit(&q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queue_gives_back_in_order),
        cmocka_unit_test(queue_full_refuses_until_taken),
        cmocka_unit_test(queue_takes_a_chain_or_nothing_of_it),
        cmocka_unit_test(queue_wait_ends_at_its_deadline),
        cmocka_unit_test(queue_wait_sees_what_is_there_if_it_asks),
        cmocka_unit_test(queue_push_wakes_the_one_who_waits),
        cmocka_unit_test(queue_many_producers_lose_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
