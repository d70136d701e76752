// A bounded queue from threads that push to one thread that takes.
//
// Items are the caller's, linked through their first member, so a push allocates nothing and the
// lock lasts a few instructions: the taker unlinks the whole chain at once. First in, first out.
// The taker may wait, until an absolute time on the monotonic clock, so that a thread sleeps to its
// next deadline and urgent items wake it earlier.
//
// queue_push: any thread. queue_take, queue_wait: the taker's thread.
#ifndef CAROM_SERVER_BASE_QUEUE_H
#define CAROM_SERVER_BASE_QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct queue_node {
    struct queue_node *next;
} queue_node;

typedef struct queue {
    pthread_mutex_t lock;
    pthread_cond_t pushed;
    queue_node *first;
    queue_node **last; // link for the next item
    uint64_t count;
    uint64_t count_max;
    bool wake_on_push; // the taker waits, and every item wakes it
    bool urgent;       // an urgent item or queue_wake() has arrived
} queue;

// `count_max` > 0.
void queue_init(queue *q, uint64_t count_max);
// The queue must be empty.
void queue_deinit(queue *q);

typedef enum queue_push_result {
    QUEUE_FULL,   // the caller still owns the item
    QUEUE_PUSHED, // behind other items
    QUEUE_FIRST   // the queue was empty: a taker that polls instead of waiting needs a signal
} queue_push_result;

// `urgent` wakes a waiting taker in any case. Any thread.
queue_push_result queue_push(queue *q, queue_node *item, bool urgent);

// Pushes a chain of `count` items that ends with NULL: all or none.
queue_push_result queue_push_chain(queue *q, queue_node *first, uint64_t count, bool urgent);

// Wakes the taker without an item, now or when it next waits. Any thread.
void queue_wake(queue *q);

// Takes all items, in order, as a chain that ends with NULL; NULL when empty. The taker's thread.
queue_node *queue_take(queue *q);

enum { QUEUE_FOREVER = -1 };

// Like queue_take, but first waits until `deadline_ns` of CLOCK_MONOTONIC (QUEUE_FOREVER: no
// deadline), for an urgent item, or for any item if `wake_on_push` is set. Items already queued end
// the wait under the same conditions.
queue_node *queue_wait(queue *q, int64_t deadline_ns, bool wake_on_push);

#endif
