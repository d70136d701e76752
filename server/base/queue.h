// A bounded queue from threads that push to one thread that takes.
//
// Items are the caller's, linked through their first member, so that handing over costs no memory
// and the lock is held for a few instructions: the taker unhooks the whole chain at once. First in,
// first out. The taker may wait, until an absolute time on the monotonic clock, so that a thread
// sleeps to its next deadline and is woken before by items that cannot wait.
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
    queue_node **last; // where the next item is hooked in
    uint64_t count;
    uint64_t count_max;
    bool wake_on_push; // the taker waits and wants to hear of every item
    bool urgent;       // something came that the taker has to hear of in any case
} queue;

// `count_max` > 0.
void queue_init(queue *q, uint64_t count_max);
// It must be empty.
void queue_deinit(queue *q);

typedef enum queue_push_result {
    QUEUE_FULL,   // the item stays the caller's
    QUEUE_PUSHED, // behind others
    QUEUE_FIRST   // it was empty: a taker that polls instead of waiting has to be told
} queue_push_result;

// `urgent` wakes a taker that waits, whatever it waits for. Any thread.
queue_push_result queue_push(queue *q, queue_node *item, bool urgent);

// Likewise a chain of `count` items that ends with NULL, all of them or none.
queue_push_result queue_push_chain(queue *q, queue_node *first, uint64_t count, bool urgent);

// A taker that waits, or is about to, is woken without an item. Any thread.
void queue_wake(queue *q);

// All that is there, in order, as a chain that ends with NULL; NULL when empty. The taker's thread.
queue_node *queue_take(queue *q);

enum { QUEUE_FOREVER = -1 };

// As queue_take, but waits first: until `deadline_ns` of CLOCK_MONOTONIC (QUEUE_FOREVER: without
// end), or until an item comes, if `wake_on_push`, or an urgent one. Items that are there already
// only end the wait when wake_on_push is set or one of them is urgent.
queue_node *queue_wait(queue *q, int64_t deadline_ns, bool wake_on_push);

#endif
